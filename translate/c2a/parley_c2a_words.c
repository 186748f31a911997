/*
 * Reads a valid message in any carrier: its envelope, the text parts of its
 * content, and the meaning of its form and payload,
 *
 *   {"content": [{"type": "text", "text": "Is it blocked?"}]}
 *   {"inReplyTo": "evt_123", "signal": "blocked", "reason": "no access"}
 *
 * and writes the text of an event for a model's turn ("Prompt Injection
 * Format", C2A-26):
 *
 *   C2A EVENT
 *   event_id: evt_123
 *   ...
 *
 *   MESSAGE
 *   Is it blocked?
 */

#include "translate/c2a/parley_c2a.h"
#include "translate/parley_deadline_read.h"
#include "translate/parley_sentence.h"
#include "core/parley_time.h"


/* "id", and the envelope of an event */
#define PARLEY_C2A_MEMBERS_MAX                                                \
    (1 + PARLEY_C2A_AT_RELIABILITY - PARLEY_C2A_AT_EVENT_ID)

static void parley_c2a_words_send(parley_msg_t *msg, const uint32_t *at);
static int parley_c2a_words_react(parley_msg_t *msg, const uint32_t *at);
static int parley_c2a_words_reason(parley_msg_t *msg, const uint32_t *at);
static int parley_c2a_no_arguments(parley_arena_t *arena, parley_msg_t *msg);
static int parley_c2a_fill_event(parley_arena_t *arena, parley_msg_t *msg,
    const uint32_t *at);
static int parley_c2a_members(parley_arena_t *arena, parley_msg_t *msg,
    const uint32_t *at, int tool);
static int parley_c2a_member(parley_msg_t *msg, uint32_t value);
static int parley_c2a_words(parley_msg_t *msg, const uint32_t *at,
    parley_c2a_form_t form);


int
parley_c2a_fill(parley_arena_t *arena, parley_msg_t *msg, const uint32_t *at,
    parley_c2a_form_t form)
{
    int  tool;

    tool = parley_c2a_form_info(form)->tool;

    msg->data.doc = msg->doc;
    msg->data.node = at[tool ? PARLEY_C2A_AT_ARGUMENTS : PARLEY_C2A_AT_PARAMS];

    if (msg->native) {
        return 0;
    }

    if (form == PARLEY_C2A_DELIVER) {
        return parley_c2a_fill_event(arena, msg, at);
    }

    if (parley_c2a_members(arena, msg, at, tool) != 0
        || (msg->data.node == PARLEY_JSON_NONE
            && parley_c2a_no_arguments(arena, msg) != 0)
        || (form == PARLEY_C2A_SEND_MESSAGE
            && parley_c2a_fill_text(msg, at) != 0))
    {
        return -1;
    }

    return parley_c2a_words(msg, at, form);
}


/*
 * Fills the data of a tool call without arguments.  A carrier expresses the
 * missing arguments by null.
 */

static int
parley_c2a_no_arguments(parley_arena_t *arena, parley_msg_t *msg)
{
    parley_json_t    *doc;
    parley_error_t    err;
    parley_member_t  *member;

    doc = parley_arena_alloc(arena, sizeof(parley_json_t));

    if (doc == NULL
        || parley_read_again(doc, arena, msg->doc->seed,
                             PARLEY_STR("{\"data\":{},\"arguments\":null}"),
                             &err)
           != 0)
    {
        return -1;
    }

    msg->data.doc = doc;
    msg->data.node = parley_json_member(doc, 0, PARLEY_ATOM_data);

    member = &msg->members[msg->nmembers++];

    member->name = PARLEY_STR("arguments");
    member->value.doc = doc;
    member->value.node = parley_json_member(doc, 0, PARLEY_ATOM_arguments);

    return 0;
}


static int
parley_c2a_fill_event(parley_arena_t *arena, parley_msg_t *msg,
    const uint32_t *at)
{
    uint32_t              policy;
    parley_str_t          word;
    const parley_json_t  *doc;

    doc = msg->doc;
    policy = at[PARLEY_C2A_AT_POLICY];
    msg->envelope = parley_c2a_envelope;

    if (parley_msg_string(doc, at[PARLEY_C2A_AT_CREATED], &msg->created) != 0
        || parley_msg_string(doc, at[PARLEY_C2A_AT_PRIORITY], &word) != 0)
    {
        return -1;
    }

    (void) parley_time_parse(msg->created, &msg->created_ms);
    (void) parley_priority_find(word, &msg->priority);

    if (parley_json_string_is(doc, policy, PARLEY_STR("must_respond"))) {
        msg->act = PARLEY_ACT_REQUEST;
        msg->timeout_ms = parley_msg_deadline(doc, at[PARLEY_C2A_AT_DEADLINE],
                                              PARLEY_C2A_DEADLINE_MAX);

    } else {
        msg->approval = parley_json_string_is(doc, policy,
                                              PARLEY_STR("ack_only"))
                        ? PARLEY_APPROVAL_ANYBODY : PARLEY_APPROVAL_NONE;
        msg->mute = parley_json_string_is(doc, policy,
                                          PARLEY_STR("must_not_respond"));
        msg->open = !msg->mute;
    }

    if (parley_c2a_fill_text(msg, at) != 0
        || parley_c2a_members(arena, msg, at, 0) != 0)
    {
        return -1;
    }

    /* A content of text alone does not embed a message. */

    return msg->said[0] == PARLEY_JSON_NONE ? parley_embed_read(arena, msg)
                                            : 0;
}


/*
 * Collects the members: the id of the call; the envelope of an event, except
 * its eventId; the members of a tool call except its arguments, with its name
 * if that is spelt differently.  There is room for one more.
 */

static int
parley_c2a_members(parley_arena_t *arena, parley_msg_t *msg,
    const uint32_t *at, int tool)
{
    uint32_t              i, k, params, n;
    const parley_json_t  *doc;

    doc = msg->doc;
    params = at[PARLEY_C2A_AT_PARAMS];
    n = tool ? 2 + parley_json_node(doc, params)->count
             : PARLEY_C2A_MEMBERS_MAX;

    msg->members = parley_arena_alloc(arena, n * sizeof(parley_member_t));

    if (msg->members == NULL
        || parley_c2a_member(msg, at[PARLEY_C2A_AT_ID]) != 0)
    {
        return -1;
    }

    for (i = PARLEY_C2A_AT_SOURCE;
         msg->envelope != NULL && i <= PARLEY_C2A_AT_RELIABILITY;
         i++)
    {
        if (parley_c2a_member(msg, at[i]) != 0) {
            return -1;
        }
    }

    if (!tool) {
        return 0;
    }

    for (k = parley_json_first(params);
         k != parley_json_end(doc, params);
         k = parley_json_after(doc, k + 1))
    {
        if (k + 1 != at[PARLEY_C2A_AT_ARGUMENTS]
            && (k + 1 != at[PARLEY_C2A_AT_NAME]
                || !parley_json_string_is(doc, k + 1, msg->form))
            && parley_c2a_member(msg, k + 1) != 0)
        {
            return -1;
        }
    }

    return 0;
}


static int
parley_c2a_member(parley_msg_t *msg, uint32_t value)
{
    uint32_t          name;
    parley_member_t  *member;

    if (value == PARLEY_JSON_NONE) {
        return 0;
    }

    member = &msg->members[msg->nmembers++];
    name = value - 1;

    member->value.doc = msg->doc;
    member->value.node = value;

    /*
     * The name is a span of the document if possible: its place identifies it.
     */

    if (parley_json_node(msg->doc, name)->flags & PARLEY_JSON_ESCAPED) {
        return parley_json_string(msg->doc, name, &member->name);
    }

    member->name = parley_json_span(msg->doc, name);

    return 0;
}


static int
parley_c2a_words(parley_msg_t *msg, const uint32_t *at,
    parley_c2a_form_t form)
{
    switch (form) {

    case PARLEY_C2A_SEND_MESSAGE:
        parley_c2a_words_send(msg, at);
        return 0;

    case PARLEY_C2A_REACT:
        return parley_c2a_words_react(msg, at);

    case PARLEY_C2A_CANCELLED:

        if (parley_c2a_scalar(msg->data.doc, at[PARLEY_C2A_AT_REQUEST],
                              &msg->recalls)
            != 0)
        {
            return -1;
        }

        /* fall through */

    case PARLEY_C2A_DEFER:
    case PARLEY_C2A_RESOLVE:
    case PARLEY_C2A_PROGRESS:
        return parley_c2a_words_reason(msg, at);

    default:
        return 0;
    }
}


/*
 * An answer is a REPLY, a message to one recipient a REQUEST, any other an
 * EVENT.
 */

static void
parley_c2a_words_send(parley_msg_t *msg, const uint32_t *at)
{
    if (at[PARLEY_C2A_AT_IN_REPLY_TO] != PARLEY_JSON_NONE) {
        msg->act = PARLEY_ACT_REPLY;
        msg->in_words = 1;
        return;
    }

    msg->act = parley_json_string_is(msg->data.doc,
                                     at[PARLEY_C2A_AT_DIRECTEDNESS],
                                     PARLEY_STR("to_me"))
               ? PARLEY_ACT_REQUEST : PARLEY_ACT_EVENT;
}


static int
parley_c2a_words_react(parley_msg_t *msg, const uint32_t *at)
{
    const parley_c2a_signal_t  *signal;

    signal = parley_c2a_signal(msg->data.doc, at[PARLEY_C2A_AT_SIGNAL]);

    if (signal == NULL) {
        return 0;
    }

    msg->act = signal->act;
    msg->alarm = signal->alarm;
    msg->code = signal->code;
    msg->retryable = signal->retryable;
    msg->priority = signal->act == PARLEY_ACT_PROGRESS
                    ? PARLEY_PRIORITY_LOW : PARLEY_PRIORITY_NORMAL;

    /* The code of a failure has the meaning of the signal. */

    if (signal->code.len > 0) {
        msg->said[1] = at[PARLEY_C2A_AT_SIGNAL];
    }

    if (parley_c2a_words_reason(msg, at) != 0) {
        return -1;
    }

    if (msg->text.len == 0) {
        msg->text = signal->meaning;
    }

    return 0;
}


static int
parley_c2a_words_reason(parley_msg_t *msg, const uint32_t *at)
{
    unsigned  i;

    for (i = PARLEY_C2A_AT_REASON; i <= PARLEY_C2A_AT_ETA; i++) {

        if (parley_msg_string(msg->data.doc, at[i], &msg->text) != 0) {
            return -1;
        }

        if (msg->text.len > 0) {
            msg->said[0] = at[i];
            break;
        }
    }

    return 0;
}


int
parley_c2a_words_failed(parley_msg_t *msg, uint32_t result)
{
    uint32_t                    structure;
    parley_code_t               code;
    parley_str_t                word;
    const parley_error_info_t  *info;

    msg->alarm = PARLEY_SEVERITY_WARNING;

    structure = parley_json_get(msg->doc, result,
                                PARLEY_STR("structuredContent"));

    if (parley_msg_member(msg->doc, structure, PARLEY_ATOM_code, &word) != 0) {
        return -1;
    }

    code = parley_error_code(word);

    if (code != PARLEY_E_NONE) {
        info = parley_error_info(code);

        msg->code = info->symbol;
        msg->retryable = info->retryable ? 1 : 0;

    } else if (parley_str_begins(word, "E_")) {
        msg->code = word;
    }

    return 0;
}


/* Turns a reaction into an approval if the answered message asks for one. */

void
parley_c2a_answers(parley_msg_t *msg, int approval)
{
    uint32_t                    agrees;
    const parley_c2a_signal_t  *signal;

    if (!approval || msg->origin != PARLEY_PROTO_C2A
        || parley_c2a_form_find(msg->form) != PARLEY_C2A_REACT)
    {
        return;
    }

    agrees = parley_json_member(msg->data.doc, msg->data.node,
                                PARLEY_ATOM_signal);
    signal = parley_c2a_signal(msg->data.doc, agrees);

    if (signal != NULL && signal->approves) {
        msg->act = PARLEY_ACT_REPLY;
        msg->approves = 1;
        msg->agrees = agrees;
        msg->priority = PARLEY_PRIORITY_NORMAL;
    }
}


/*
 * Reads the payload.  For an event, only the envelope has more, which the
 * carrier contains; the text was already read if the wire is C2A.
 */

int
parley_c2a_says(parley_msg_t *msg)
{
    int                  reply;
    parley_c2a_form_t    form;
    parley_c2a_places_t  places;

    form = parley_c2a_form_find(msg->form);
    reply = msg->act == PARLEY_ACT_REPLY;

    if (form == PARLEY_C2A_FORMS
        || (form == PARLEY_C2A_DELIVER && msg->wire == PARLEY_PROTO_C2A))
    {
        return 0;
    }

    if (form != PARLEY_C2A_DELIVER) {
        msg->act = parley_c2a_form_info(form)->act;
    }

    parley_c2a_places_payload(&places, msg->data.doc, msg->data.node, form);

    if (parley_c2a_text(msg, msg->data.doc, places.at[PARLEY_C2A_AT_CONTENT])
        != 0
        || parley_c2a_words(msg, places.at, form) != 0)
    {
        return -1;
    }

    /* The carrier has already decided whether it is an approval. */

    parley_c2a_answers(msg, reply);

    return 0;
}


int
parley_c2a_write_content(parley_c2a_encode_t *e)
{
    parley_buf_t        *b;
    parley_str_t         reply_to;
    const parley_msg_t  *m;

    b = &e->b;
    m = e->m;

    parley_buf_lit(b, ",\"content\":[{\"type\":\"text\",\"text\":\"");
    parley_sentence_words(b, m, e->sender);
    parley_buf_lit(b, "\"},{\"type\":\"data\",\"mediaType\":\""
                      PARLEY_EMBED_MEDIA_PREFIX);
    parley_buf_str(b, parley_proto_name(m->origin));
    parley_buf_lit(b, PARLEY_EMBED_MEDIA_SUFFIX "\",\"form\":\"");
    parley_buf_json_text(b, m->form);
    parley_buf_lit(b, "\",\"data\":");
    parley_embed_payload(b, m, PARLEY_ATOM_NONE);
    parley_buf_lit(b, ",\"members\":{");

    if (m->origin == PARLEY_PROTO_CANONICAL) {
        parley_buf_member(b, PARLEY_STR("intent"), m->intent);
    }

    reply_to = parley_codecs[m->origin]->reply_to_member;

    if (m->reply_to.len > 0 && reply_to.len > 0) {
        parley_buf_member(b, reply_to, m->reply_to);
    }

    parley_embed_members_write(b, m, b->data != NULL && b->len > 0
                                     && b->data[b->len - 1] != '{');
    parley_buf_lit(b, "},\"reference\":");

    if (parley_embed_reference_write(b, m, e->opts) != 0) {
        return -1;
    }

    parley_buf_lit(b, "}]");

    return 0;
}
