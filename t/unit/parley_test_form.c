#include "t/unit/parley_test_form.h"

#include "translate/parley_embed.h"
#include "schemas/parley_schema_text.h"
#include "t/unit/parley_test_names.h"
#include "t/unit/parley_test_steer.h"

#include <stdio.h>
#include <stdlib.h>


#define PARLEY_TEST_FORM_TRIES  50


static parley_test_tree_t *parley_test_form_steer(void *ctx,
    const char *pointer);
static void parley_test_form_finish(parley_test_forms_t *forms,
    parley_test_tree_t *tree);
static void parley_test_form_finish_aee(parley_test_forms_t *forms,
    parley_test_tree_t *tree);
static void parley_test_form_finish_vcp2(parley_test_forms_t *forms,
    parley_test_tree_t *tree);
static void parley_test_form_finish_c2a(parley_test_forms_t *forms,
    parley_test_tree_t *tree);
static void parley_test_form_finish_moq(parley_test_forms_t *forms,
    parley_test_tree_t *tree);
static void parley_test_form_command(parley_test_forms_t *forms,
    parley_proto_t proto, parley_test_tree_t *tree,
    parley_test_tree_t *capsule);
static void parley_test_form_event(parley_test_forms_t *forms,
    parley_test_tree_t *payload);
static void parley_test_form_carried(parley_test_forms_t *forms,
    parley_str_t intent, parley_test_tree_t *payload);
static void parley_test_form_finish_channel(parley_test_forms_t *forms,
    parley_test_tree_t *tree);
static parley_test_tree_t *parley_test_form_payload(
    parley_test_forms_t *forms, parley_proto_t proto, parley_str_t form);


void
parley_test_forms_init(parley_test_forms_t *forms)
{
    unsigned                     i;
    const parley_schema_text_t  *text;

    memset(forms, 0, sizeof(parley_test_forms_t));

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {

        for (text = parley_schema_texts;
             !parley_str_eq(text->uri, parley_codecs[i]->schema);
             text++)
        {
            if (text->text.len == 0) {
                fprintf(stderr, "no schema of %s\n", (const char *)
                        parley_proto_name((parley_proto_t) i).data);
                abort();
            }
        }

        parley_test_rules_init(&forms->rules[i], text->text);
    }
}


void
parley_test_forms_done(parley_test_forms_t *forms)
{
    unsigned  i;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        parley_test_rules_done(&forms->rules[i]);
    }
}


parley_test_tree_t *
parley_test_form(parley_test_forms_t *forms, parley_test_source_t *source,
    parley_proto_t proto)
{
    unsigned                 tries;
    parley_test_tree_t      *tree;
    parley_test_instance_t   in;

    forms->source = source;
    forms->proto = proto;

    in.rules = &forms->rules[proto];
    in.source = source;
    in.steer = parley_test_form_steer;
    in.ctx = forms;

    for (tries = 0; tries < PARLEY_TEST_FORM_TRIES; tries++) {
        tree = parley_test_instance(&in, parley_test_rule(in.rules, ""));

        if (tree != NULL) {
            parley_test_form_finish(forms, tree);
            parley_test_names_clean(source->arena, proto, tree);

            if (parley_test_form_holds(forms, proto, tree)) {
                forms->made++;
                return tree;
            }
        }

        forms->rejected++;
    }

    fprintf(stderr, "no message of %s\n",
            (const char *) parley_proto_name(proto).data);
    abort();
}


void
parley_test_form_seen(parley_test_forms_t *forms, parley_proto_t proto,
    const parley_test_tree_t *tree)
{
    (void) parley_test_holds(&forms->rules[proto],
                             parley_test_rule(&forms->rules[proto], ""),
                             tree, 1);
}


int
parley_test_form_holds(parley_test_forms_t *forms, parley_proto_t proto,
    const parley_test_tree_t *tree)
{
    return parley_test_names_hold(proto, tree)
           && parley_test_holds(&forms->rules[proto],
                                parley_test_rule(&forms->rules[proto], ""),
                                tree, 0);
}


/*
 * Returns the value of a word.  "@7", "@4": an id; "@t": a time; "@v", "@c": a
 * VCP type, a kind of agent-channel; "#...": a number, "{...": JSON; else a
 * text.
 */

static parley_test_tree_t *
parley_test_form_word(parley_test_forms_t *forms, const char *word)
{
    char                  text[200];
    const char           *at;
    parley_str_t          made;
    parley_test_tree_t   *words, *holder;
    parley_test_source_t *source = forms->source;

    if (word[0] == '#') {
        return parley_test_tree_number(source->arena, word + 1);
    }

    if (word[0] == '{' || strcmp(word, "null") == 0) {
        return parley_test_tree_text(source->arena, parley_str_c(word));
    }

    at = strchr(word, '@');

    if (at == NULL) {
        return parley_test_tree_string(source->arena, parley_str_c(word));
    }

    switch (at[1]) {

    case '7':
    case '4':
        made = parley_test_value_uuid(source, at[1] - '0');
        break;

    case 't':
        made = parley_test_value_time(source);
        break;

    case 'v':
    case 'c':
        words = at[1] == 'v'
                ? parley_test_rule(&forms->rules[PARLEY_PROTO_VCP],
                                   "/properties/type")->words
                : parley_test_rule(&forms->rules[PARLEY_PROTO_CHANNEL],
                                   "/properties/kind")->words;
        made = parley_test_tree_nth(words,
                                    1 + parley_test_below(&source->random,
                                                          words->count),
                                    &holder)->text;
        break;

    default:
        return parley_test_tree_string(source->arena, parley_str_c(word));
    }

    snprintf(text, sizeof(text), "%.*s%.*s%s", (int) (at - word), word,
             (int) made.len, (const char *) made.data, at + 2);

    return parley_test_tree_string(source->arena, parley_str_c(text));
}


static parley_test_tree_t *
parley_test_form_steer(void *ctx, const char *pointer)
{
    unsigned                    n;
    parley_test_forms_t        *forms = ctx;
    const parley_test_steer_t  *steer;

    steer = parley_test_steers[forms->proto];

    for ( /* void */ ; steer != NULL && steer->pointer != NULL; steer++) {
        if (strcmp(steer->pointer, pointer) != 0) {
            continue;
        }

        if (!parley_test_chance(&forms->source->random, steer->percent)) {
            return NULL;
        }

        for (n = 0; n < 12 && steer->words[n] != NULL; n++) { /* void */ }

        n = parley_test_below(&forms->source->random, n);

        return parley_test_form_word(forms, steer->words[n]);
    }

    return NULL;
}


static void
parley_test_form_finish(parley_test_forms_t *forms, parley_test_tree_t *tree)
{
    switch (forms->proto) {

    case PARLEY_PROTO_AEE:
        parley_test_form_finish_aee(forms, tree);
        break;

    case PARLEY_PROTO_VCP2:
        parley_test_form_finish_vcp2(forms, tree);
        break;

    case PARLEY_PROTO_C2A:
        parley_test_form_finish_c2a(forms, tree);
        break;

    case PARLEY_PROTO_CHANNEL:
        parley_test_form_finish_channel(forms, tree);
        break;

    case PARLEY_PROTO_MOQ:
        parley_test_form_finish_moq(forms, tree);
        break;

    default:
        break;
    }
}


/*
 * Often sets the conversation to the message's own and the payload to one that
 * fits the intent.
 */

static void
parley_test_form_finish_aee(parley_test_forms_t *forms,
    parley_test_tree_t *tree)
{
    parley_str_t           intent;
    parley_test_tree_t    *value;
    parley_test_random_t  *r = &forms->source->random;

    if (parley_test_chance(r, 50)) {
        value = parley_test_tree_get(tree, "id");
        parley_test_tree_set(tree, PARLEY_STR("corr"),
                             parley_test_tree_copy(forms->source->arena,
                                                   value));
    }

    intent = parley_test_tree_get(tree, "intent")->text;
    value = NULL;

    if (!parley_test_chance(r, 80)) {
        return;
    }

    if (parley_str_begins(intent, "vcp.")) {
        value = parley_test_form_payload(forms, PARLEY_PROTO_VCP,
                                         parley_str_from(intent, 4));

    } else if (parley_str_begins(intent, "channel.")) {
        value = parley_test_form_payload(forms, PARLEY_PROTO_CHANNEL,
                                         parley_str_from(intent, 8));

    } else if (parley_str_is(parley_test_tree_get(tree, "type")->text,
                             "error"))
    {
        value = parley_test_tree_get(tree, "payload");
        parley_test_tree_set(value, PARLEY_STR("code"),
                             parley_test_value_text(forms->source, 0, 12,
                                                    48));
        parley_test_tree_set(value, PARLEY_STR("message"),
                             parley_test_value_any(forms->source, 0));

        if (parley_test_chance(r, 50)) {
            parley_test_tree_set(value, PARLEY_STR("retryable"),
                                 parley_test_value_any(forms->source, 0));
        }

        return;
    }

    if (parley_str_is(intent, "c2a.chat.deliver")) {
        parley_test_form_event(forms, parley_test_tree_get(tree, "payload"));
        return;
    }

    if (value == NULL) {
        return;
    }

    parley_test_tree_set(tree, PARLEY_STR("payload"), value);

    if (parley_test_chance(r, 20)) {
        parley_test_form_carried(forms, intent, value);
    }
}


/*
 * Adds another protocol's message, or something similar, in the form in which
 * AEE carries it.
 */

static void
parley_test_form_carried(parley_test_forms_t *forms, parley_str_t intent,
    parley_test_tree_t *payload)
{
    char                   text[300];
    unsigned               proto;
    parley_str_t           id, name;
    parley_test_tree_t    *members, *other;
    parley_test_source_t  *s = forms->source;

    for (proto = PARLEY_PROTO_VCP; proto < PARLEY_PROTO_COUNT; proto++) {
        name = parley_proto_name((parley_proto_t) proto);

        if (intent.len > name.len && intent.data[name.len] == '.'
            && memcmp(intent.data, name.data, name.len) == 0)
        {
            break;
        }
    }

    if (proto == PARLEY_PROTO_COUNT) {
        return;
    }

    if (proto == PARLEY_PROTO_VCP && parley_test_chance(&s->random, 30)) {
        proto = PARLEY_PROTO_VCP2;
        name = parley_proto_name(PARLEY_PROTO_VCP2);
    }

    id = parley_test_value_uuid(s, proto == PARLEY_PROTO_VCP ? 7 : 4);

    snprintf(text, sizeof(text), "[{\"id\":\"%s\",\"type\":\"%s.message\","
             "\"hash\":\"sha256:0\",\"locator\":\"parley:%s:%s\"}]",
             (const char *) id.data, (const char *) name.data,
             (const char *) name.data, (const char *) id.data);

    parley_test_tree_set(payload, PARLEY_STR("references"),
                         parley_test_tree_text(s->arena, parley_str_c(text)));

    if (proto != PARLEY_PROTO_CHANNEL || parley_test_chance(&s->random, 30)) {
        if (parley_test_chance(&s->random, 10)) {
            parley_test_tree_set(payload, name, parley_test_value_any(s, 2));
        }

        return;
    }

    /* members of the envelope of a frame, mostly all of them */

    forms->proto = PARLEY_PROTO_CHANNEL;
    other = parley_test_form(forms, s, PARLEY_PROTO_CHANNEL);
    forms->proto = PARLEY_PROTO_AEE;
    members = parley_test_tree(s->arena, PARLEY_JSON_OBJECT);

    while (other->first != NULL) {
        parley_test_tree_t  *member = other->first;

        parley_test_tree_remove(other, member);

        if (parley_str_begins(member->name, "provenance_")
            || parley_str_is(member->name, "acted_by")
            || parley_str_is(member->name, "drafted_with")
            || parley_str_is(member->name, "ttl_ms"))
        {
            parley_test_tree_add(members, member);
        }
    }

    parley_test_tree_set(payload, name, members);
}


/* Makes an event in a conversation that may differ from the envelope's. */

static void
parley_test_form_event(parley_test_forms_t *forms,
    parley_test_tree_t *payload)
{
    unsigned  i;
    char      text[800];

    static const char *const  ids[] = {
        "a-thread", "a/thread", "C", "a%2Fb", "a"
    };

    i = parley_test_below(&forms->source->random, 5);

    snprintf(text, sizeof(text),
             "{\"content\":[{\"type\":\"text\",\"text\":\"x\"}],"
             "\"references\":[{\"id\":\"event-one\",\"type\":"
             "\"c2a.message\",\"hash\":\"sha256:0\","
             "\"locator\":\"parley:c2a:event-one\"}],\"c2a\":{"
             "\"conversation\":{\"kind\":\"thread\",\"id\":\"%s\"%s},"
             "\"target\":{\"directedness\":\"to_me\"},"
             "\"attention\":{\"policy\":\"must_respond\"},"
             "\"injection\":{\"mode\":\"buffered\"},"
             "\"reliability\":{\"idempotencyKey\":\"k\"}}}", ids[i],
             parley_test_chance(&forms->source->random, 40)
             ? ",\"threadId\":\"b\"" : "");

    *payload = *parley_test_tree_text(forms->source->arena,
                                      parley_str_c(text));
    payload->name = PARLEY_STR("payload");
}


/*
 * Adds members with names that have a meaning in other envelopes and in
 * capsules.
 */

static void
parley_test_form_finish_vcp2(parley_test_forms_t *forms,
    parley_test_tree_t *tree)
{
    unsigned               i;
    parley_test_source_t  *s = forms->source;

    static const char *const  names[] = {
        "form", "trace", "requires", "references", "id", "corr", "priority",
        "conversation", "provenance_method", "provenance_basis", "acted_by",
        "vcp", "vcp2", "members", "session", "kind", "scope", "intent", "act"
    };

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (parley_test_chance(&s->random, 3)) {
            parley_test_tree_set(tree, parley_str_c(names[i]),
                                 parley_test_value_any(s, 1));
        }
    }
}


/* Adds a part that carries another protocol's message, or nearly does. */

static void
parley_test_form_finish_c2a(parley_test_forms_t *forms,
    parley_test_tree_t *tree)
{
    parley_test_tree_t    *content, *part;
    parley_test_source_t  *s = forms->source;

    content = parley_test_tree_get(parley_test_tree_get(tree, "params"),
                                   "content");

    if (content == NULL || !parley_test_chance(&s->random, 15)) {
        return;
    }

    part = parley_test_tree(s->arena, PARLEY_JSON_OBJECT);

    parley_test_tree_set(part, PARLEY_STR("type"),
                         parley_test_tree_string(s->arena,
                                                 PARLEY_STR("data")));
    parley_test_tree_set(part, PARLEY_STR("mediaType"),
        parley_test_tree_string(s->arena,
            parley_test_one(&s->random, "image/png", "application/json",
                            "application/vnd.c2a+json",
                            "application/vnd.other+json")));
    parley_test_tree_set(part, PARLEY_STR("form"),
                         parley_test_value_any(s, 0));
    parley_test_tree_set(part, PARLEY_STR("data"),
                         parley_test_value_any(s, 2));

    parley_test_tree_add(content, part);
}


/*
 * Adds a member that is similar to another protocol's message carried by a
 * command, and often the action and the payload of that message.
 */

static void
parley_test_form_finish_moq(parley_test_forms_t *forms,
    parley_test_tree_t *tree)
{
    unsigned               i;
    parley_str_t           word;
    parley_proto_t         proto;
    parley_test_tree_t    *capsule;
    parley_test_source_t  *s = forms->source;

    static const char *const  names[] = {
        "intent", "form", "id", "corr", "act", "members", "reference"
    };

    static const char *const  members[][5] = {
        { "form", "task", "event", "stream", "order" },
        { "id", "an-id-of-its-own", "another-id", "third-id", "" },
        { "created", "2026-02-15T10:30:00Z", "2026-02-15", "", "x" },
        { "sender", "agent.a", "human.alice", "sub-one", "agent.one" },
        { "recipient", "agent.b", "bus.ops", "sub-two", "agent.two" },
        { "intent", "ops.backup", "aee.status.ping", "vcp.escalation", "" },
        { "act", "request", "reply", "event", "order" },
        { "corr", "a-thread", "another", "", "x" },
        { "reply_to", "an-earlier-one", "x", "", "another" },
        { "priority", "low", "urgent", "high", "none" },
        { "x-mood", "fine", "so so", "", "bad" },
    };

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (parley_test_chance(&s->random, 3)) {
            parley_test_tree_set(tree, parley_str_c(names[i]),
                                 parley_test_value_any(s, 1));
        }
    }

    if (!parley_test_chance(&s->random, 40)) {
        return;
    }

    proto = (parley_proto_t) parley_test_below(&s->random, PARLEY_PROTO_MOQ);

    capsule = parley_test_tree(s->arena, PARLEY_JSON_OBJECT);

    for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (!parley_test_chance(&s->random, i < 5 ? 95 : 30)) {
            continue;
        }

        word = parley_str_c(members[i][1 + parley_test_below(&s->random, 20)
                                           * 4 / 20]);
        parley_test_tree_set(capsule, parley_str_c(members[i][0]),
                             parley_test_tree_string(s->arena, word));
    }

    if (proto != PARLEY_PROTO_AEE && parley_test_chance(&s->random, 90)) {
        parley_test_form_command(forms, proto, tree, capsule);
    }

    if (parley_test_chance(&s->random, 20)) {
        parley_test_tree_set(capsule, PARLEY_STR("members"),
                             parley_test_value_any(s, 1));
    }

    parley_test_tree_set(tree, parley_proto_name(proto), capsule);
}


/* Sets the form, the action and mostly the payload of another protocol. */

static void
parley_test_form_command(parley_test_forms_t *forms, parley_proto_t proto,
    parley_test_tree_t *tree, parley_test_tree_t *capsule)
{
    unsigned               n;
    parley_buf_t           b;
    parley_str_t           form, action;
    parley_test_tree_t    *payload;
    parley_test_source_t  *s = forms->source;

    for (n = 0; parley_codecs[proto]->type(n).len > 0; n++) { /* void */ }

    form = parley_codecs[proto]->type(parley_test_below(&s->random, n));

    parley_buf_init(&b, s->arena, 0);
    parley_buf_str(&b, parley_embed_word(proto));
    parley_buf_octet(&b, '.');
    parley_buf_str(&b, form);

    if (parley_buf_done(&b, &action) != 0) {
        abort();
    }

    parley_test_tree_set(tree, PARLEY_STR("action"),
                         parley_test_tree_string(s->arena, action));
    parley_test_tree_set(capsule, PARLEY_STR("form"),
                         parley_test_tree_string(s->arena, form));
    parley_test_tree_set(capsule, PARLEY_STR("intent"),
                         parley_test_tree_string(s->arena, action));

    payload = parley_test_form_payload(forms, proto, form);

    if (payload != NULL && parley_test_chance(&s->random, 90)) {
        parley_test_tree_set(tree, PARLEY_STR("payload"), payload);
    }
}


/*
 * Returns a payload for a form of another protocol, or NULL if it has no such
 * form.
 */

static parley_test_tree_t *
parley_test_form_payload(parley_test_forms_t *forms, parley_proto_t proto,
    parley_str_t form)
{
    char                     pointer[100];
    parley_test_tree_t      *value;
    parley_test_instance_t   in;

    snprintf(pointer, sizeof(pointer), "/$defs/%.*s_payload", (int) form.len,
             (const char *) form.data);

    in.rules = &forms->rules[proto];
    in.source = forms->source;
    in.steer = NULL;

    if (parley_json_resolve(&in.rules->doc, 0, parley_str_c(pointer))
        == PARLEY_JSON_NONE)
    {
        return NULL;
    }

    value = parley_test_instance(&in, parley_test_rule(in.rules, pointer));

    if (value != NULL && parley_str_is(form, "escalation")
        && parley_test_chance(&forms->source->random, 30))
    {
        parley_test_tree_set(value, PARLEY_STR("reason"),
                             parley_test_form_word(forms, "ACK:@7 seen"));
    }

    return value;
}


/* Copies the attribution of the frame into a declared intent. */

static void
parley_test_form_finish_channel(parley_test_forms_t *forms,
    parley_test_tree_t *tree)
{
    unsigned             i;
    parley_str_t         name;
    parley_test_tree_t  *payload;

    payload = parley_test_tree_get(tree, "payload");

    for (i = 0; i < 2; i++) {
        name = i == 0 ? PARLEY_STR("acted_by") : PARLEY_STR("drafted_with");

        if (parley_test_tree_member(payload, name) != NULL) {
            parley_test_tree_set(payload, name,
                parley_test_tree_copy(forms->source->arena,
                                      parley_test_tree_member(tree, name)));
        }
    }
}
