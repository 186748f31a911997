/*
 * Reads the submission of a chat surface,
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

#include "translate/c2a/parley_c2a_chat.h"
#include "core/parley_jcs.h"
#include "core/parley_time.h"
#include "translate/parley_deadline_read.h"
#include "translate/parley_name_syntax.h"


#define PARLEY_C2A_DIGITS  15       /* digits of integers that a double always
                                       holds */

#define PARLEY_C2A_CHAT_ROLE  "role:"


/* objects of an event: "params", and members of it */
typedef enum {
    PARLEY_C2A_IN_PARAMS = 0,
    PARLEY_C2A_IN_SOURCE,
    PARLEY_C2A_IN_CONVERSATION,
    PARLEY_C2A_IN_AUTHOR,
    PARLEY_C2A_IN_TARGET,
    PARLEY_C2A_IN_TIMING,
    PARLEY_C2A_IN_ATTENTION,
    PARLEY_C2A_IN_INJECTION,
    PARLEY_C2A_IN_CHANGE,
    PARLEY_C2A_IN_REACTION,
    PARLEY_C2A_INS
} parley_c2a_chat_in_t;

/* an event that is read */
typedef struct {
    const parley_json_t  *doc;
    uint32_t              at[PARLEY_C2A_INS];   /* node of each object */
    parley_chat_event_t  *e;
    parley_error_t       *err;
} parley_c2a_submission_t;

/* place of a text in an event */
typedef struct {
    uint8_t        in;              /* parley_c2a_chat_in_t */
    parley_atom_t  name;
    size_t         offset;
} parley_c2a_chat_text_t;


static void parley_c2a_chat_begin(parley_c2a_submission_t *s,
    const parley_json_t *doc);
static int parley_c2a_chat_act(const parley_c2a_submission_t *s);
static int parley_c2a_chat_reaction(const parley_c2a_submission_t *s);
static int parley_c2a_chat_targets(const parley_c2a_submission_t *s,
    parley_arena_t *arena);
static void parley_c2a_chat_target(parley_str_t text,
    parley_chat_target_t *ret);
static int parley_c2a_chat_is_account(parley_str_t text);
static void parley_c2a_chat_attention(const parley_c2a_submission_t *s);


/* in the order of parley_priority_t */
static const parley_str_t  parley_c2a_chat_priorities[] = {
    parley_str("low"), parley_str("normal"), parley_str("high"),
    parley_str("urgent")
};

/* objects that are members of "params"; PARLEY_C2A_IN_PARAMS: other members */
static const uint8_t  parley_c2a_chat_ins[PARLEY_ATOMS] = {
    [PARLEY_ATOM_source] = PARLEY_C2A_IN_SOURCE,
    [PARLEY_ATOM_conversation] = PARLEY_C2A_IN_CONVERSATION,
    [PARLEY_ATOM_author] = PARLEY_C2A_IN_AUTHOR,
    [PARLEY_ATOM_target] = PARLEY_C2A_IN_TARGET,
    [PARLEY_ATOM_timing] = PARLEY_C2A_IN_TIMING,
    [PARLEY_ATOM_attention] = PARLEY_C2A_IN_ATTENTION,
    [PARLEY_ATOM_injection] = PARLEY_C2A_IN_INJECTION,
    [PARLEY_ATOM_change] = PARLEY_C2A_IN_CHANGE,
    [PARLEY_ATOM_reaction] = PARLEY_C2A_IN_REACTION,
};

static const parley_c2a_chat_text_t  parley_c2a_chat_texts[] = {
    { PARLEY_C2A_IN_PARAMS, PARLEY_ATOM_eventId,
      offsetof(parley_chat_event_t, id) },
    { PARLEY_C2A_IN_SOURCE, PARLEY_ATOM_platform,
      offsetof(parley_chat_event_t, platform) },
    { PARLEY_C2A_IN_SOURCE, PARLEY_ATOM_workspaceId,
      offsetof(parley_chat_event_t, workspace) },
    { PARLEY_C2A_IN_CONVERSATION, PARLEY_ATOM_id,
      offsetof(parley_chat_event_t, conversation) },
    { PARLEY_C2A_IN_CONVERSATION, PARLEY_ATOM_threadId,
      offsetof(parley_chat_event_t, thread) },
    { PARLEY_C2A_IN_CONVERSATION, PARLEY_ATOM_streamId,
      offsetof(parley_chat_event_t, stream) },
    { PARLEY_C2A_IN_AUTHOR, PARLEY_ATOM_id,
      offsetof(parley_chat_event_t, author) },
    { PARLEY_C2A_IN_TARGET, PARLEY_ATOM_inReplyTo,
      offsetof(parley_chat_event_t, in_reply_to) },
    { PARLEY_C2A_IN_REACTION, PARLEY_ATOM_glyph,
      offsetof(parley_chat_event_t, glyph) },
};


int
parley_c2a_scalar(const parley_json_t *doc, uint32_t value, parley_str_t *ret)
{
    parley_buf_t       b;
    parley_json_ref_t  number;

    if (value == PARLEY_JSON_NONE
        || parley_json_type(doc, value) != PARLEY_JSON_NUMBER)
    {
        return parley_msg_string(doc, value, ret);
    }

    /* An integer that a double cannot hold would become another id. */

    if ((parley_json_node(doc, value)->flags & PARLEY_JSON_INTEGER)
        && parley_json_node(doc, value)->len > PARLEY_C2A_DIGITS)
    {
        *ret = parley_json_raw(doc, value);
        return 0;
    }

    number.doc = doc;
    number.node = value;

    parley_buf_init(&b, doc->arena, 32);
    parley_jcs_write(&b, number, parley_str_none);

    return parley_buf_done(&b, ret);
}


static inline uint32_t
parley_c2a_chat_find(const parley_c2a_submission_t *s,
    parley_c2a_chat_in_t in, parley_atom_t name)
{
    return parley_json_member(s->doc, s->at[in], name);
}


/* Returns the index of the word that a member has; absent: of no word. */

static inline unsigned
parley_c2a_chat_said(const parley_c2a_submission_t *s,
    parley_c2a_chat_in_t in, parley_atom_t name, const parley_str_t *words,
    unsigned n, unsigned absent)
{
    return parley_c2a_chat_word(s->doc, parley_c2a_chat_find(s, in, name),
                                words, n, absent);
}


int
parley_c2a_chat_event(parley_arena_t *arena, const parley_json_t *doc,
    parley_chat_event_t *e, parley_error_t *err)
{
    size_t                         i;
    parley_str_t                   text;
    parley_c2a_submission_t        s;
    const parley_c2a_chat_text_t  *t;

    memset(e, 0, sizeof(parley_chat_event_t));

    s.e = e;
    s.err = err;
    parley_c2a_chat_begin(&s, doc);

    for (i = 0;
         i < sizeof(parley_c2a_chat_texts) / sizeof(parley_c2a_chat_texts[0]);
         i++)
    {
        t = &parley_c2a_chat_texts[i];

        if (parley_msg_string(doc, parley_c2a_chat_find(&s, t->in, t->name),
                              (void *) ((uint8_t *) e + t->offset))
            != 0)
        {
            return parley_error_memory(err);
        }
    }

    e->created_ms = -1;

    if (parley_msg_string(doc, parley_c2a_chat_find(&s, PARLEY_C2A_IN_TIMING,
                                                    PARLEY_ATOM_createdAt),
                          &text)
        != 0)
    {
        return parley_error_memory(err);
    }

    /* a time before 1970 is as old as one of 1970, and not unknown */

    if (parley_time_parse(text, &e->created_ms) == 0 && e->created_ms < 0) {
        e->created_ms = 0;
    }

    parley_c2a_chat_attention(&s);

    return parley_c2a_chat_act(&s) != 0
           ? -1 : parley_c2a_chat_targets(&s, arena);
}


/* Finds the objects in one pass over "params". */

static void
parley_c2a_chat_begin(parley_c2a_submission_t *s, const parley_json_t *doc)
{
    size_t                     i;
    uint32_t                   params;
    const parley_json_node_t  *nodes, *name, *end;

    s->doc = doc;
    params = parley_json_member(doc, 0, PARLEY_ATOM_params);

    for (i = 0; i < PARLEY_C2A_INS; i++) {
        s->at[i] = PARLEY_JSON_NONE;
    }

    s->at[PARLEY_C2A_IN_PARAMS] = params;

    if (params == PARLEY_JSON_NONE
        || parley_json_type(doc, params) != PARLEY_JSON_OBJECT)
    {
        return;
    }

    nodes = doc->nodes;
    end = &nodes[nodes[params].next];

    for (name = &nodes[params + 1]; name != end; name = &nodes[name[1].next]) {

        i = parley_c2a_chat_ins[name->atom];

        if (i != PARLEY_C2A_IN_PARAMS) {
            s->at[i] = (uint32_t) (name + 1 - nodes);
        }
    }
}


/* Another method has no eventId. */

int
parley_c2a_chat_written(parley_arena_t *arena, const parley_json_t *doc,
    parley_chat_event_t *e, parley_str_t *author, parley_error_t *err)
{
    parley_buf_t             b;
    parley_str_t             kind;
    parley_c2a_submission_t  s;

    if (parley_c2a_chat_event(arena, doc, e, err) != 0) {
        return err->code == PARLEY_E_CAPACITY ? -1 : 0;
    }

    if (e->id.len == 0) {
        return 0;
    }

    parley_c2a_chat_begin(&s, doc);

    if (parley_msg_string(doc, parley_c2a_chat_find(&s, PARLEY_C2A_IN_AUTHOR,
                                                    PARLEY_ATOM_kind), &kind)
        != 0)
    {
        return -1;
    }

    parley_buf_init(&b, arena, 0);
    parley_buf_str(&b, kind);
    parley_buf_octet(&b, ':');
    parley_buf_str(&b, e->author);

    return parley_buf_done(&b, author) == 0 ? 1 : -1;
}


/* Reads "change" or "reaction", of an earlier event. */

static int
parley_c2a_chat_act(const parley_c2a_submission_t *s)
{
    uint32_t              change, reaction;
    const char           *of;
    parley_chat_event_t  *e;

    e = s->e;
    change = s->at[PARLEY_C2A_IN_CHANGE];
    reaction = s->at[PARLEY_C2A_IN_REACTION];

    if (change != PARLEY_JSON_NONE && reaction != PARLEY_JSON_NONE) {
        return parley_error_set(s->err, PARLEY_E_FIELD_INVALID,
                                "/params/reaction", "an event is either a "
                                "change or a reaction");
    }

    if (change == PARLEY_JSON_NONE && reaction == PARLEY_JSON_NONE) {
        return 0;
    }

    of = change != PARLEY_JSON_NONE ? "/params/change/of"
                                    : "/params/reaction/of";

    if (parley_msg_string(s->doc,
                          parley_json_member(s->doc,
                                             change != PARLEY_JSON_NONE
                                             ? change : reaction,
                                             PARLEY_ATOM_of),
                          &e->of)
        != 0)
    {
        return parley_error_memory(s->err);
    }

    if (parley_str_eq(e->of, e->id)) {
        return parley_error_set(s->err, PARLEY_E_FIELD_INVALID, of,
                                "%s is the id of this event", of);
    }

    if (reaction != PARLEY_JSON_NONE) {
        return parley_c2a_chat_reaction(s);
    }

    e->act = parley_json_string_is(s->doc,
                                   parley_c2a_chat_find(s,
                                       PARLEY_C2A_IN_CHANGE, PARLEY_ATOM_kind),
                                   PARLEY_STR("delete"))
             ? PARLEY_CHAT_DELETE : PARLEY_CHAT_EDIT;

    return e->act == PARLEY_CHAT_EDIT
           || parley_c2a_chat_find(s, PARLEY_C2A_IN_PARAMS,
                                   PARLEY_ATOM_content)
              == PARLEY_JSON_NONE
           ? 0 : parley_error_set(s->err, PARLEY_E_FIELD_INVALID,
                                  "/params/content",
                                  "a deletion has no content");
}


/* A reaction has a signal or a glyph.  The default glyphs mean signals. */

static int
parley_c2a_chat_reaction(const parley_c2a_submission_t *s)
{
    unsigned                    i;
    uint32_t                    value;
    parley_chat_event_t        *e;
    const parley_c2a_signal_t  *signal;

    e = s->e;
    e->act = PARLEY_CHAT_REACTION;

    value = parley_c2a_chat_find(s, PARLEY_C2A_IN_REACTION,
                                 PARLEY_ATOM_signal);

    if (value == PARLEY_JSON_NONE && e->glyph.len == 0) {
        return parley_error_set(s->err, PARLEY_E_FIELD_MISSING,
                                "/params/reaction/signal",
                                "a reaction needs a signal or a glyph");
    }

    if (value != PARLEY_JSON_NONE && e->glyph.len > 0) {
        return parley_error_set(s->err, PARLEY_E_FIELD_INVALID,
                                "/params/reaction/glyph",
                                "a reaction has either a signal or a glyph");
    }

    for (i = 0; i < PARLEY_C2A_SIGNALS; i++) {
        signal = &parley_c2a_signals[i];

        if (value != PARLEY_JSON_NONE
            ? parley_json_string_is(s->doc, value, signal->name)
            : parley_str_eq(e->glyph, signal->glyph))
        {
            e->signal = (parley_chat_signal_t) (i + 1);
        }
    }

    return 0;
}


static int
parley_c2a_chat_targets(const parley_c2a_submission_t *s,
    parley_arena_t *arena)
{
    uint32_t      list;
    parley_str_t  text;

    if (parley_msg_string(s->doc,
                          parley_c2a_chat_find(s, PARLEY_C2A_IN_TARGET,
                                               PARLEY_ATOM_recipient),
                          &text)
        != 0)
    {
        return parley_error_memory(s->err);
    }

    parley_c2a_chat_target(text, &s->e->recipient);

    list = parley_c2a_chat_find(s, PARLEY_C2A_IN_TARGET, PARLEY_ATOM_mentions);

    return parley_c2a_chat_mentions(arena, s->doc, list, PARLEY_C2A_MENTIONS,
                                    &s->e->mentions, &s->e->nmentions, s->err);
}


int
parley_c2a_chat_mentions(parley_arena_t *arena, const parley_json_t *doc,
    uint32_t list, const char *field, const parley_chat_target_t **ret,
    unsigned *ret_n, parley_error_t *err)
{
    uint32_t               i;
    unsigned               k, n;
    parley_str_t           text;
    parley_chat_target_t  *mentions, *target;

    *ret_n = 0;

    if (list == PARLEY_JSON_NONE) {
        return 0;
    }

    mentions = parley_arena_alloc(arena, (PARLEY_CHAT_MENTIONS_MAX + 1)
                                         * sizeof(parley_chat_target_t));
    if (mentions == NULL) {
        return parley_error_memory(err);
    }

    *ret = mentions;
    n = 0;

    for (i = parley_json_first(list);
         i != parley_json_end(doc, list);
         i = parley_json_after(doc, i))
    {
        if (parley_msg_string(doc, i, &text) != 0) {
            return parley_error_memory(err);
        }

        target = &mentions[n];
        parley_c2a_chat_target(text, target);

        for (k = 0; !(mentions[k].kind == target->kind
                      && parley_str_eq(mentions[k].text, target->text)); k++)
        { /* void */ }

        if (k < n) {
            continue;
        }

        if (n == PARLEY_CHAT_MENTIONS_MAX) {
            return parley_error_set(err, PARLEY_E_FIELD_INVALID, field,
                                    "an event has at most %d mentions",
                                    PARLEY_CHAT_MENTIONS_MAX);
        }

        n++;
    }

    *ret_n = n;

    return 0;
}


/* A name of an unknown kind with two slashes is an account. */

static void
parley_c2a_chat_target(parley_str_t text, parley_chat_target_t *ret)
{
    parley_name_t  name;

    memset(&name, 0, sizeof(parley_name_t));

    ret->kind = PARLEY_CHAT_TARGET_NAME;
    ret->text = text;

    if (text.len == 0) {
        ret->kind = PARLEY_CHAT_TARGET_NONE;

    } else if (parley_str_begins(text, PARLEY_C2A_CHAT_ROLE)) {
        ret->kind = PARLEY_CHAT_TARGET_ROLE;
        ret->text = parley_str_from(text, sizeof(PARLEY_C2A_CHAT_ROLE) - 1);

    } else if (parley_c2a_chat_is_account(text)
               && (parley_c2a_syntax.parse(&parley_c2a_syntax, text, &name)
                   != 0
                   || name.opaque))
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
parley_c2a_chat_attention(const parley_c2a_submission_t *s)
{
    int64_t               ms;
    parley_chat_event_t  *e;

    e = s->e;

    e->human = parley_json_string_is(s->doc,
                                     parley_c2a_chat_find(s,
                                         PARLEY_C2A_IN_AUTHOR,
                                         PARLEY_ATOM_kind),
                                     PARLEY_STR("human"));

    e->kind = parley_c2a_chat_said(s, PARLEY_C2A_IN_CONVERSATION,
                                   PARLEY_ATOM_kind, parley_c2a_kinds,
                                   PARLEY_CHAT_KINDS, PARLEY_CHAT_CHANNEL);
    e->reason = parley_c2a_chat_said(s, PARLEY_C2A_IN_ATTENTION,
                                     PARLEY_ATOM_reason, parley_c2a_reasons,
                                     PARLEY_CHAT_REASONS,
                                     PARLEY_CHAT_REASON_NONE);
    e->priority = parley_c2a_chat_said(s, PARLEY_C2A_IN_ATTENTION,
                                       PARLEY_ATOM_priority,
                                       parley_c2a_chat_priorities,
                                       PARLEY_PRIORITY_URGENT + 1,
                                       PARLEY_PRIORITY_NORMAL);
    e->directedness = parley_c2a_chat_said(s, PARLEY_C2A_IN_TARGET,
                                           PARLEY_ATOM_directedness,
                                           parley_c2a_directednesses,
                                           PARLEY_CHAT_DIRECTEDNESSES,
                                           PARLEY_CHAT_TO_ME);
    e->policy = parley_c2a_chat_said(s, PARLEY_C2A_IN_ATTENTION,
                                     PARLEY_ATOM_policy,
                                     parley_c2a_policy_words,
                                     PARLEY_CHAT_POLICIES, PARLEY_CHAT_MUST);
    e->mode = parley_c2a_chat_said(s, PARLEY_C2A_IN_INJECTION,
                                   PARLEY_ATOM_mode, parley_c2a_modes,
                                   PARLEY_CHAT_MODES, PARLEY_CHAT_IMMEDIATE);

    ms = parley_msg_deadline(s->doc,
                             parley_c2a_chat_find(s,
                                 PARLEY_C2A_IN_ATTENTION,
                                 PARLEY_ATOM_deadlineMs),
                             PARLEY_C2A_DEADLINE_MAX);

    e->deadline_ms = ms > PARLEY_CHAT_DEADLINE_MAX ? PARLEY_CHAT_DEADLINE_MAX
                                                   : ms;
}


unsigned
parley_c2a_chat_word(const parley_json_t *doc, uint32_t value,
    const parley_str_t *words, unsigned n, unsigned absent)
{
    unsigned  i;

    for (i = 0; value != PARLEY_JSON_NONE && i < n; i++) {
        if (parley_json_string_is(doc, value, words[i])) {
            return i;
        }
    }

    return absent;
}
