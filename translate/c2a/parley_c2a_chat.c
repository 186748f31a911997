/*
 * Chat in the words of C2A.  Reads the submission of a surface,
 *
 *   {"jsonrpc": "2.0", "id": 1, "method": "chat/deliver", "params": {
 *     "eventId": "m1", "source": {"platform": "slack", "workspaceId": "T123"},
 *     "conversation": {"id": "C1", "kind": "channel"},
 *     "author": {"id": "U9", "kind": "human"},
 *     "target": {"mentions": ["agent:ada", "role:backend", "slack/T123/U8"]},
 *     "content": [{"type": "text", "text": "ok?"}]}}
 *
 * also one with "change": {"of", "kind"} or "reaction": {"of", "signal"}.
 */

#include <stddef.h>

#include "translate/c2a/parley_c2a.h"
#include "translate/parley_chat.h"
#include "translate/parley_deadline_read.h"
#include "translate/parley_name.h"
#include "core/parley_time.h"


#define PARLEY_C2A_CHAT_ROLE  "role:"

_Static_assert(PARLEY_CHAT_SIGNALS == PARLEY_C2A_SIGNALS + 1,
               "the signals are those of parley_c2a_signals, in its order");


/* place of a text in an event */
typedef struct {
    const char  *pointer;
    size_t       offset;
} parley_c2a_chat_text_t;


static int parley_c2a_chat_read(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_json_t *doc,
    parley_chat_event_t *ret, parley_error_t *err);
static int parley_c2a_chat_act(const parley_json_t *doc,
    parley_chat_event_t *e, parley_error_t *err);
static int parley_c2a_chat_reaction(const parley_json_t *doc,
    parley_chat_event_t *e, parley_error_t *err);
static int parley_c2a_chat_targets(parley_arena_t *arena,
    const parley_json_t *doc, parley_chat_event_t *e, parley_error_t *err);
static void parley_c2a_chat_target(parley_str_t text,
    parley_chat_target_t *ret);
static int parley_c2a_chat_is_account(parley_str_t text);
static void parley_c2a_chat_attention(const parley_json_t *doc,
    parley_chat_event_t *e);
static unsigned parley_c2a_chat_word(const parley_json_t *doc,
    const char *pointer, const parley_str_t *words, unsigned n,
    unsigned absent);


static const parley_str_t  parley_c2a_chat_directednesses[] = {
    [PARLEY_CHAT_AMBIENT] = parley_str("ambient"),
    [PARLEY_CHAT_TO_OTHER] = parley_str("to_other"),
    [PARLEY_CHAT_TO_ROLE] = parley_str("to_my_role"),
    [PARLEY_CHAT_TO_ME] = parley_str("to_me"),
};

static const parley_str_t  parley_c2a_chat_policies[] = {
    [PARLEY_CHAT_MUST_NOT] = parley_str("must_not_respond"),
    [PARLEY_CHAT_ACK] = parley_str("ack_only"),
    [PARLEY_CHAT_MAY] = parley_str("may_respond"),
    [PARLEY_CHAT_MUST] = parley_str("must_respond"),
};

static const parley_str_t  parley_c2a_chat_modes[] = {
    [PARLEY_CHAT_SILENT] = parley_str("silent"),
    [PARLEY_CHAT_DIGEST] = parley_str("digest"),
    [PARLEY_CHAT_MAILBOX] = parley_str("tool_mailbox"),
    [PARLEY_CHAT_NOTIFY] = parley_str("notify"),
    [PARLEY_CHAT_BUFFERED] = parley_str("buffered"),
    [PARLEY_CHAT_IMMEDIATE] = parley_str("immediate"),
};

static const parley_str_t  parley_c2a_chat_kinds[] = {
    [PARLEY_CHAT_DM] = parley_str("dm"),
    [PARLEY_CHAT_CHANNEL] = parley_str("channel"),
    [PARLEY_CHAT_THREAD] = parley_str("thread"),
    [PARLEY_CHAT_SYSTEM] = parley_str("system"),
    [PARLEY_CHAT_TOOL] = parley_str("tool"),
};

static const parley_str_t  parley_c2a_chat_reasons[] = {
    [PARLEY_CHAT_REASON_NONE] = parley_str(""),
    [PARLEY_CHAT_REASON_DM] = parley_str("direct_message"),
    [PARLEY_CHAT_REASON_MENTION] = parley_str("mention"),
    [PARLEY_CHAT_REASON_ROLE] = parley_str("role_mention"),
    [PARLEY_CHAT_REASON_ASSIGNMENT] = parley_str("assignment"),
    [PARLEY_CHAT_REASON_APPROVAL] = parley_str("approval"),
    [PARLEY_CHAT_REASON_BLOCKER] = parley_str("blocker"),
    [PARLEY_CHAT_REASON_QUESTION] = parley_str("question"),
    [PARLEY_CHAT_REASON_THANKS] = parley_str("thanks"),
    [PARLEY_CHAT_REASON_STATUS] = parley_str("status"),
    [PARLEY_CHAT_REASON_PROGRESS] = parley_str("progress"),
    [PARLEY_CHAT_REASON_LOG] = parley_str("log"),
    [PARLEY_CHAT_REASON_CANCELLATION] = parley_str("cancellation"),
    [PARLEY_CHAT_REASON_SAFETY] = parley_str("safety"),
};

/* in the order of parley_priority_t */
static const parley_str_t  parley_c2a_chat_priorities[] = {
    parley_str("low"), parley_str("normal"), parley_str("high"),
    parley_str("urgent")
};

static const parley_c2a_chat_text_t  parley_c2a_chat_texts[] = {
    { "/params/eventId", offsetof(parley_chat_event_t, id) },
    { "/params/source/platform", offsetof(parley_chat_event_t, platform) },
    { "/params/source/workspaceId", offsetof(parley_chat_event_t, workspace) },
    { "/params/conversation/threadId", offsetof(parley_chat_event_t, thread) },
    { "/params/conversation/streamId", offsetof(parley_chat_event_t, stream) },
    { "/params/author/id", offsetof(parley_chat_event_t, author) },
    { "/params/target/inReplyTo",
      offsetof(parley_chat_event_t, in_reply_to) },
    { "/params/reaction/glyph", offsetof(parley_chat_event_t, glyph) },
};


const parley_chat_t  parley_c2a_chat = {
    .directednesses = parley_c2a_chat_directednesses,
    .policies = parley_c2a_chat_policies,
    .modes = parley_c2a_chat_modes,
    .mentions = "/params/target/mentions",
    .read = parley_c2a_chat_read,
};


static int
parley_c2a_chat_read(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, parley_chat_event_t *e, parley_error_t *err)
{
    size_t                         i;
    parley_str_t                   text;
    parley_json_ref_t              root = { doc, 0 };
    const parley_c2a_chat_text_t  *t;

    parley_error_clear(err);
    memset(e, 0, sizeof(parley_chat_event_t));

    if (parley_validate_part(engine, PARLEY_PROTO_C2A, PARLEY_C2A_SUBMISSION,
                             root, err)
        != 0
        || parley_c2a_spelling_of(doc, PARLEY_C2A_DELIVER, err) != 0)
    {
        return -1;
    }

    for (i = 0;
         i < sizeof(parley_c2a_chat_texts) / sizeof(parley_c2a_chat_texts[0]);
         i++)
    {
        t = &parley_c2a_chat_texts[i];

        if (parley_msg_string(doc, parley_json_resolve(doc, 0,
                                       parley_str_c(t->pointer)),
                              (void *) ((uint8_t *) e + t->offset))
            != 0)
        {
            return parley_error_memory(err);
        }
    }

    e->created_ms = -1;

    if (parley_msg_string(doc, parley_json_resolve(doc, 0,
                                   PARLEY_STR("/params/timing/createdAt")),
                          &text)
        != 0)
    {
        return parley_error_memory(err);
    }

    (void) parley_time_parse(text, &e->created_ms);
    parley_c2a_chat_attention(doc, e);

    return parley_c2a_chat_act(doc, e, err) != 0
           ? -1 : parley_c2a_chat_targets(arena, doc, e, err);
}


/* Reads "change" or "reaction", of an earlier event. */

static int
parley_c2a_chat_act(const parley_json_t *doc, parley_chat_event_t *e,
    parley_error_t *err)
{
    uint32_t     change, reaction;
    const char  *of;

    change = parley_json_resolve(doc, 0, PARLEY_STR("/params/change"));
    reaction = parley_json_resolve(doc, 0, PARLEY_STR("/params/reaction"));

    if (change != PARLEY_JSON_NONE && reaction != PARLEY_JSON_NONE) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID,
                                "/params/reaction", "an event is either a "
                                "change or a reaction");
    }

    if (change == PARLEY_JSON_NONE && reaction == PARLEY_JSON_NONE) {
        return 0;
    }

    of = change != PARLEY_JSON_NONE ? "/params/change/of"
                                    : "/params/reaction/of";

    if (parley_msg_string(doc, parley_json_resolve(doc, 0, parley_str_c(of)),
                          &e->of)
        != 0)
    {
        return parley_error_memory(err);
    }

    if (parley_str_eq(e->of, e->id)) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, of,
                                "%s is the id of this event", of);
    }

    if (reaction != PARLEY_JSON_NONE) {
        return parley_c2a_chat_reaction(doc, e, err);
    }

    e->act = parley_json_string_is(doc,
                                   parley_json_resolve(doc, 0,
                                       PARLEY_STR("/params/change/kind")),
                                   PARLEY_STR("delete"))
             ? PARLEY_CHAT_DELETE : PARLEY_CHAT_EDIT;

    return 0;
}


/* A reaction has a signal or a glyph.  The default glyphs mean signals. */

static int
parley_c2a_chat_reaction(const parley_json_t *doc, parley_chat_event_t *e,
    parley_error_t *err)
{
    unsigned                    i;
    uint32_t                    value;
    const parley_c2a_signal_t  *signal;

    e->act = PARLEY_CHAT_REACTION;

    value = parley_json_resolve(doc, 0, PARLEY_STR("/params/reaction/signal"));

    if (value == PARLEY_JSON_NONE && e->glyph.len == 0) {
        return parley_error_set(err, PARLEY_E_FIELD_MISSING,
                                "/params/reaction/signal",
                                "a reaction needs a signal or a glyph");
    }

    if (value != PARLEY_JSON_NONE && e->glyph.len > 0) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID,
                                "/params/reaction/glyph",
                                "a reaction has either a signal or a glyph");
    }

    for (i = 0; i < PARLEY_C2A_SIGNALS; i++) {
        signal = &parley_c2a_signals[i];

        if (value != PARLEY_JSON_NONE
            ? parley_json_string_is(doc, value, signal->name)
            : parley_str_eq(e->glyph, signal->glyph))
        {
            e->signal = (parley_chat_signal_t) (i + 1);
        }
    }

    return 0;
}


static int
parley_c2a_chat_targets(parley_arena_t *arena, const parley_json_t *doc,
    parley_chat_event_t *e, parley_error_t *err)
{
    uint32_t               i, list;
    unsigned               k;
    parley_str_t           text;
    parley_chat_target_t  *mentions, *target;

    if (parley_msg_string(doc, parley_json_resolve(doc, 0,
                                   PARLEY_STR("/params/target/recipient")),
                          &text)
        != 0)
    {
        return parley_error_memory(err);
    }

    parley_c2a_chat_target(text, &e->recipient);

    list = parley_json_resolve(doc, 0, parley_str_c(parley_c2a_chat.mentions));

    if (list == PARLEY_JSON_NONE) {
        return 0;
    }

    mentions = parley_arena_alloc(arena, (PARLEY_CHAT_MENTIONS_MAX + 1)
                                         * sizeof(parley_chat_target_t));
    if (mentions == NULL) {
        return parley_error_memory(err);
    }

    e->mentions = mentions;

    for (i = parley_json_first(list);
         i != parley_json_end(doc, list);
         i = parley_json_after(doc, i))
    {
        if (parley_msg_string(doc, i, &text) != 0) {
            return parley_error_memory(err);
        }

        target = &mentions[e->nmentions];
        parley_c2a_chat_target(text, target);

        for (k = 0; !(mentions[k].kind == target->kind
                      && parley_str_eq(mentions[k].text, target->text)); k++)
        { /* void */ }

        if (k < e->nmentions) {
            continue;
        }

        if (e->nmentions == PARLEY_CHAT_MENTIONS_MAX) {
            return parley_error_set(err, PARLEY_E_FIELD_INVALID,
                                    parley_c2a_chat.mentions,
                                    "an event has at most %d mentions",
                                    PARLEY_CHAT_MENTIONS_MAX);
        }

        e->nmentions++;
    }

    return 0;
}


/* A name of an unknown kind with two slashes is an account. */

static void
parley_c2a_chat_target(parley_str_t text, parley_chat_target_t *ret)
{
    ret->kind = PARLEY_CHAT_TARGET_NAME;
    ret->text = text;

    if (text.len == 0) {
        ret->kind = PARLEY_CHAT_TARGET_NONE;

    } else if (parley_str_begins(text, PARLEY_C2A_CHAT_ROLE)) {
        ret->kind = PARLEY_CHAT_TARGET_ROLE;
        ret->text = parley_str_from(text, sizeof(PARLEY_C2A_CHAT_ROLE) - 1);

    } else if (!parley_name_says(PARLEY_PROTO_C2A, text)
               && parley_c2a_chat_is_account(text))
    {
        ret->kind = PARLEY_CHAT_TARGET_ACCOUNT;
    }
}


static int
parley_c2a_chat_is_account(parley_str_t text)
{
    parley_str_t  rest;

    rest = parley_str_from(text, parley_str_until(text, '/').len + 1);

    return parley_str_until(rest, '/').len < rest.len;
}


/*
 * Reads the attention that the author asks for, and its upper bounds.  An
 * absent bound is the strongest value.
 */

static void
parley_c2a_chat_attention(const parley_json_t *doc, parley_chat_event_t *e)
{
    int64_t  ms;

    e->human = parley_json_string_is(doc,
                                     parley_json_resolve(doc, 0,
                                         PARLEY_STR("/params/author/kind")),
                                     PARLEY_STR("human"));

    e->kind = parley_c2a_chat_word(doc, "/params/conversation/kind",
                                   parley_c2a_chat_kinds, PARLEY_CHAT_KINDS,
                                   PARLEY_CHAT_CHANNEL);
    e->reason = parley_c2a_chat_word(doc, "/params/attention/reason",
                                     parley_c2a_chat_reasons,
                                     PARLEY_CHAT_REASONS,
                                     PARLEY_CHAT_REASON_NONE);
    e->priority = parley_c2a_chat_word(doc, "/params/attention/priority",
                                       parley_c2a_chat_priorities,
                                       PARLEY_PRIORITY_URGENT + 1,
                                       PARLEY_PRIORITY_NORMAL);
    e->directedness = parley_c2a_chat_word(doc, "/params/target/directedness",
                                           parley_c2a_chat_directednesses,
                                           PARLEY_CHAT_DIRECTEDNESSES,
                                           PARLEY_CHAT_TO_ME);
    e->policy = parley_c2a_chat_word(doc, "/params/attention/policy",
                                     parley_c2a_chat_policies,
                                     PARLEY_CHAT_POLICIES, PARLEY_CHAT_MUST);
    e->mode = parley_c2a_chat_word(doc, "/params/injection/mode",
                                   parley_c2a_chat_modes, PARLEY_CHAT_MODES,
                                   PARLEY_CHAT_IMMEDIATE);

    ms = parley_deadline_read(doc, parley_json_resolve(doc, 0,
                                       PARLEY_STR("/params/attention"
                                                  "/deadlineMs")),
                              PARLEY_C2A_DEADLINE_MAX);

    e->deadline_ms = ms > PARLEY_CHAT_DEADLINE_MAX ? PARLEY_CHAT_DEADLINE_MAX
                                                   : ms;
}


/* Returns the index of a word, or absent if it is missing or unknown. */

static unsigned
parley_c2a_chat_word(const parley_json_t *doc, const char *pointer,
    const parley_str_t *words, unsigned n, unsigned absent)
{
    unsigned  i;
    uint32_t  value;

    value = parley_json_resolve(doc, 0, parley_str_c(pointer));

    for (i = 0; value != PARLEY_JSON_NONE && i < n; i++) {
        if (parley_json_string_is(doc, value, words[i])) {
            return i;
        }
    }

    return absent;
}
