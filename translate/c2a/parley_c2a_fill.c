/*
 * What a valid message says: its envelope, its text, and what form and payload
 * mean, wherever it travels.
 */

#include "parley_c2a_field.h"
#include "parley_deadline.h"
#include "parley_time.h"


/* "id", and the envelope of an event */
#define PARLEY_C2A_MEMBERS_MAX                                                \
    (1 + PARLEY_C2A_AT_RELIABILITY - PARLEY_C2A_AT_EVENT_ID)


static int parley_c2a_no_arguments(parley_arena_t *arena, parley_msg_t *msg);
static int parley_c2a_fill_event(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places);
static int parley_c2a_fill_attention(parley_msg_t *msg,
    const parley_c2a_places_t *places, int64_t deadline);
static int64_t parley_c2a_deadline(const parley_json_t *doc, uint32_t value);
static int parley_c2a_fill_text(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places);
static int parley_c2a_fill_sent(parley_arena_t *arena, parley_msg_t *msg);
static int parley_c2a_members(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places);
static int parley_c2a_tool_members(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places);
static int parley_c2a_member(parley_msg_t *msg, uint32_t value);
static int parley_c2a_words(parley_msg_t *msg, parley_c2a_form_t form);
static int parley_c2a_words_react(parley_msg_t *msg);
static void parley_c2a_words_send(parley_msg_t *msg);
static int parley_c2a_words_reason(parley_msg_t *msg);


int
parley_c2a_fill(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places, parley_c2a_form_t form)
{
    msg->data.doc = msg->doc;

    if (form == PARLEY_C2A_DELIVER) {
        msg->data.node = places->at[PARLEY_C2A_AT_PARAMS];
        return parley_c2a_fill_event(arena, msg, places);
    }

    msg->data.node = places->at[parley_c2a_form_info(form)->tool
                                ? PARLEY_C2A_AT_ARGUMENTS
                                : PARLEY_C2A_AT_PARAMS];

    if (msg->native) {
        return 0;
    }

    if (parley_c2a_members(arena, msg, places) != 0
        || (msg->data.node == PARLEY_JSON_NONE
            && parley_c2a_no_arguments(arena, msg) != 0))
    {
        return -1;
    }

    return form == PARLEY_C2A_SEND_MESSAGE
           && parley_c2a_fill_sent(arena, msg) != 0
           ? -1 : parley_c2a_words(msg, form);
}


/*
 * A tool that needs none may be called without: what carries it says so by a
 * null.
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
    const parley_c2a_places_t *places)
{
    int64_t          deadline;
    const uint32_t  *at;

    at = places->at;
    msg->envelope = parley_c2a_envelope;

    if (parley_msg_string(msg->doc, at[PARLEY_C2A_AT_CREATED], &msg->created)
        != 0)
    {
        return -1;
    }

    (void) parley_time_parse(msg->created, &msg->created_ms);

    deadline = parley_c2a_deadline(msg->doc, at[PARLEY_C2A_AT_DEADLINE]);

    if (parley_c2a_fill_attention(msg, places, deadline) != 0
        || parley_c2a_fill_text(arena, msg, places) != 0
        || parley_c2a_members(arena, msg, places) != 0)
    {
        return -1;
    }

    /* a content that is nothing but text embeds nothing */

    return msg->said[0] == PARLEY_JSON_NONE ? parley_embed_read(arena, msg)
                                            : 0;
}


static int
parley_c2a_fill_attention(parley_msg_t *msg,
    const parley_c2a_places_t *places, int64_t deadline)
{
    parley_str_t  word;

    if (parley_msg_string(msg->doc, places->at[PARLEY_C2A_AT_PRIORITY], &word)
        != 0)
    {
        return -1;
    }

    (void) parley_priority_find(word, &msg->priority);

    if (parley_c2a_is(msg->doc, places->at[PARLEY_C2A_AT_POLICY],
                      PARLEY_STR("must_respond")))
    {
        msg->act = PARLEY_ACT_REQUEST;
        msg->timeout_ms = deadline;

    } else {
        msg->approval = parley_c2a_is(msg->doc,
                                      places->at[PARLEY_C2A_AT_POLICY],
                                      PARLEY_STR("ack_only"));
    }

    return 0;
}


/* attention.deadlineMs, or -1 */

static int64_t
parley_c2a_deadline(const parley_json_t *doc, uint32_t value)
{
    return parley_deadline(doc, value, PARLEY_C2A_DEADLINE_MAX);
}


/* Of an event or a send; a knock has its topic. */

static int
parley_c2a_fill_text(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places)
{
    int       whole;
    uint32_t  value;

    value = places->at[PARLEY_C2A_AT_CONTENT];

    if (value != PARLEY_JSON_NONE) {

        if (parley_c2a_text(arena, msg->doc, value, &msg->text, &whole)
            != 0)
        {
            return -1;
        }

        if (whole) {
            msg->said[0] = value;
        }

        return 0;
    }

    value = places->at[PARLEY_C2A_AT_TEXT];

    if (value != PARLEY_JSON_NONE) {
        msg->said[0] = value;
        return parley_msg_string(msg->doc, value, &msg->text);
    }

    value = parley_json_member(msg->doc, places->at[PARLEY_C2A_AT_KNOCK],
                               PARLEY_ATOM_topic);

    return parley_msg_string(msg->doc, value, &msg->text);
}


/* The arguments of a send have it where the params of an event do. */

static int
parley_c2a_fill_sent(parley_arena_t *arena, parley_msg_t *msg)
{
    parley_c2a_places_t  places;

    parley_c2a_places_params(&places, msg->doc, msg->data.node);

    return parley_c2a_fill_text(arena, msg, &places);
}


/* The id of the call, and the envelope of an event: its eventId is the
   message's id. */

static int
parley_c2a_members(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places)
{
    uint32_t         i;
    const uint32_t  *at;

    at = places->at;

    if (msg->data.node != at[PARLEY_C2A_AT_PARAMS]) {
        return parley_c2a_tool_members(arena, msg, places);
    }

    msg->members = parley_arena_alloc(arena, PARLEY_C2A_MEMBERS_MAX
                                             * sizeof(parley_member_t));

    if (msg->members == NULL
        || parley_c2a_member(msg, at[PARLEY_C2A_AT_ID]) != 0)
    {
        return -1;
    }

    if (msg->envelope == NULL) {
        return 0;
    }

    for (i = PARLEY_C2A_AT_SOURCE; i <= PARLEY_C2A_AT_RELIABILITY; i++) {
        if (parley_c2a_member(msg, at[i]) != 0) {
            return -1;
        }
    }

    return 0;
}


/*
 * The id of the call, and what it says beside its arguments: its name where
 * that is written another way.  There is room for one more.
 */

static int
parley_c2a_tool_members(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places)
{
    uint32_t              k, params;
    const uint32_t       *at;
    const parley_json_t  *doc;

    at = places->at;
    doc = msg->doc;
    params = at[PARLEY_C2A_AT_PARAMS];

    msg->members = parley_arena_alloc(arena,
                                      (2 + parley_json_node(doc, params)
                                               ->count)
                                      * sizeof(parley_member_t));

    if (msg->members == NULL
        || parley_c2a_member(msg, at[PARLEY_C2A_AT_ID]) != 0)
    {
        return -1;
    }

    for (k = parley_json_first(params);
         k != parley_json_end(doc, params);
         k = parley_json_after(doc, k + 1))
    {
        if (k + 1 == at[PARLEY_C2A_AT_ARGUMENTS]
            || (k + 1 == at[PARLEY_C2A_AT_NAME]
                && parley_c2a_is(doc, k + 1, msg->form)))
        {
            continue;
        }

        if (parley_c2a_member(msg, k + 1) != 0) {
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

    /* as it stands where it can: it is known again by its place */

    if (parley_json_node(msg->doc, name)->flags & PARLEY_JSON_ESCAPED) {
        return parley_json_string(msg->doc, name, &member->name);
    }

    member->name = parley_json_span(msg->doc, name);

    return 0;
}


static int
parley_c2a_words(parley_msg_t *msg, parley_c2a_form_t form)
{
    switch (form) {

    case PARLEY_C2A_SEND_MESSAGE:
        parley_c2a_words_send(msg);
        return 0;

    case PARLEY_C2A_REACT:
        return parley_c2a_words_react(msg);

    case PARLEY_C2A_CANCELLED:
        return parley_c2a_scalar(msg->data.doc,
                                 parley_json_member(msg->data.doc,
                                                    msg->data.node,
                                                    PARLEY_ATOM_requestId),
                                 &msg->recalls) != 0
               || parley_c2a_words_reason(msg) != 0
               ? -1 : 0;

    case PARLEY_C2A_DEFER:
    case PARLEY_C2A_RESOLVE:
    case PARLEY_C2A_PROGRESS:
        return parley_c2a_words_reason(msg);

    default:
        return 0;
    }
}


/* One that answers is a reply, one to somebody asks, the rest informs. */

static void
parley_c2a_words_send(parley_msg_t *msg)
{
    uint32_t  value;

    value = parley_json_member(msg->data.doc, msg->data.node,
                               PARLEY_ATOM_inReplyTo);

    if (value != PARLEY_JSON_NONE) {
        msg->act = PARLEY_ACT_REPLY;
        msg->in_words = 1;
        return;
    }

    value = parley_json_member(msg->data.doc, msg->data.node,
                               PARLEY_ATOM_directedness);

    msg->act = parley_json_string_is(msg->data.doc, value,
                                     PARLEY_STR("to_me"))
               ? PARLEY_ACT_REQUEST : PARLEY_ACT_EVENT;
}


static int
parley_c2a_words_react(parley_msg_t *msg)
{
    uint32_t                    value;
    const parley_c2a_signal_t  *signal;

    value = parley_json_member(msg->data.doc, msg->data.node,
                               PARLEY_ATOM_signal);

    signal = parley_c2a_signal(msg->data.doc, value);
    if (signal == NULL) {
        return 0;
    }

    msg->act = signal->act;
    msg->alarm = signal->alarm;
    msg->code = signal->code;
    msg->retryable = signal->retryable;
    msg->priority = signal->act == PARLEY_ACT_PROGRESS
                    ? PARLEY_PRIORITY_LOW : PARLEY_PRIORITY_NORMAL;

    /* the code says of a failure what the signal does */

    if (signal->code.len > 0) {
        msg->said[1] = value;
    }

    if (parley_c2a_words_reason(msg) != 0) {
        return -1;
    }

    if (msg->text.len == 0) {
        msg->text = signal->meaning;
    }

    return 0;
}


static int
parley_c2a_words_reason(parley_msg_t *msg)
{
    unsigned  i;
    uint32_t  value;

    static const parley_atom_t  names[] = {
        PARLEY_ATOM_reason, PARLEY_ATOM_text, PARLEY_ATOM_message,
        PARLEY_ATOM_eta
    };

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {

        value = parley_json_member(msg->data.doc, msg->data.node, names[i]);

        if (parley_msg_string(msg->data.doc, value, &msg->text) != 0) {
            return -1;
        }

        if (msg->text.len > 0) {
            msg->said[0] = value;
            break;
        }
    }

    return 0;
}


/* It settles what asked for an approval, and nothing else. */

void
parley_c2a_answers(parley_msg_t *msg, int approval)
{
    uint32_t                    value;
    const parley_c2a_signal_t  *signal;

    if (!approval || msg->origin != PARLEY_PROTO_C2A
        || parley_c2a_form_find(msg->form) != PARLEY_C2A_REACT)
    {
        return;
    }

    value = parley_json_member(msg->data.doc, msg->data.node,
                               PARLEY_ATOM_signal);
    signal = parley_c2a_signal(msg->data.doc, value);

    if (signal != NULL && signal->approves) {
        msg->act = PARLEY_ACT_REPLY;
        msg->approves = 1;
        msg->priority = PARLEY_PRIORITY_NORMAL;
    }
}


/*
 * Of an event only its envelope, which the carrier has, says more; its text
 * it has where it was read as C2A.
 */

int
parley_c2a_says(parley_msg_t *msg)
{
    int                whole, reply;
    uint32_t           content;
    parley_c2a_form_t  form;

    form = parley_c2a_form_find(msg->form);
    reply = msg->act == PARLEY_ACT_REPLY;

    if (form == PARLEY_C2A_FORMS) {
        return 0;
    }

    if (form != PARLEY_C2A_DELIVER) {
        msg->act = parley_c2a_form_info(form)->act;

    } else if (msg->wire == PARLEY_PROTO_C2A) {
        return 0;
    }

    content = parley_json_member(msg->data.doc, msg->data.node,
                                 PARLEY_ATOM_content);

    if (content != PARLEY_JSON_NONE) {
        if (parley_c2a_text(msg->data.doc->arena, msg->data.doc, content,
                            &msg->text, &whole)
            != 0)
        {
            return -1;
        }

        if (whole) {
            msg->said[0] = content;
        }
    }

    if (parley_c2a_words(msg, form) != 0) {
        return -1;
    }

    /* as whoever carries it understood it */

    parley_c2a_answers(msg, reply);

    return 0;
}
