#include "parley_c2a_field.h"
#include "parley_id.h"
#include "parley_jcs.h"
#include "parley_time.h"


#define PARLEY_C2A_DIGITS  15       /* of integers that are doubles */

/* "id", and the envelope of an event or "_meta" */
#define PARLEY_C2A_MEMBERS_MAX                                                \
    (1 + PARLEY_C2A_AT_RELIABILITY - PARLEY_C2A_AT_EVENT_ID)


static int parley_c2a_unknown(const parley_json_t *doc,
    const parley_c2a_places_t *places, int tool, parley_error_t *err);
static int parley_c2a_peek(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places, parley_c2a_form_t form);
static int parley_c2a_peek_event(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places);
static int parley_c2a_peek_tool(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t arguments);
static int parley_c2a_peek_target(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t target);
static int parley_c2a_peek_notice(parley_msg_t *msg, uint32_t params);
static int parley_c2a_conversation(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t conversation, uint32_t of_thread);
static int parley_c2a_channel(parley_arena_t *arena, parley_msg_t *msg,
    parley_str_t name);
static int parley_c2a_derived_id(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t params);
static int parley_c2a_fill(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places, parley_c2a_form_t form);
static int parley_c2a_fill_event(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places);
static int parley_c2a_fill_attention(parley_msg_t *msg,
    const parley_c2a_places_t *places, int64_t deadline);
static int parley_c2a_fill_text(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places);
static int parley_c2a_fill_sent(parley_arena_t *arena, parley_msg_t *msg);
static int64_t parley_c2a_deadline(const parley_json_t *doc, uint32_t value);
static int parley_c2a_members(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places);
static void parley_c2a_member(parley_msg_t *msg, uint32_t value);


int
parley_c2a_decode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, int mve5, parley_msg_t *msg,
    parley_error_t *err)
{
    int                  tool;
    uint32_t             version;
    parley_c2a_form_t    form;
    parley_c2a_places_t  places;

    (void) mve5;

    form = parley_c2a_places_find(&places, doc, &tool);

    if (form != PARLEY_C2A_FORMS
        && parley_c2a_peek(arena, msg, &places, form) != 0)
    {
        return parley_error_memory(err);
    }

    version = places.at[PARLEY_C2A_AT_JSONRPC];

    if (version != PARLEY_JSON_NONE
        && !parley_c2a_is(doc, version, PARLEY_STR("2.0")))
    {
        return parley_error_set(err, PARLEY_E_ENVELOPE_VERSION_UNSUPPORTED,
                                "/jsonrpc", "/jsonrpc must be the string "
                                "\"2.0\"");
    }

    if (form == PARLEY_C2A_FORMS
        && parley_c2a_unknown(doc, &places, tool, err) != 0)
    {
        return -1;
    }

    if (parley_validate(engine, PARLEY_PROTO_C2A, doc, err) != 0) {
        return -1;
    }

    return parley_c2a_fill(arena, msg, &places, form) == 0
           ? 0 : parley_error_memory(err);
}


static int
parley_c2a_unknown(const parley_json_t *doc,
    const parley_c2a_places_t *places, int tool, parley_error_t *err)
{
    uint32_t  name;

    name = places->at[tool ? PARLEY_C2A_AT_NAME : PARLEY_C2A_AT_METHOD];

    if (name == PARLEY_JSON_NONE
        || parley_json_type(doc, name) != PARLEY_JSON_STRING)
    {
        return 0;
    }

    return parley_error_set(err, PARLEY_E_KIND_UNKNOWN,
                            tool ? "/params/name" : "/method",
                            tool ? "there is no such tool"
                                 : "there is no such method");
}


/*
 * Fills form, intent, id, sender, recipient, corr and reply_to, as far as
 * they can be read, of a message that need not be valid.  -1: no memory.
 */

static int
parley_c2a_peek(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places, parley_c2a_form_t form)
{
    int                            rc;
    uint32_t                       params;
    const parley_c2a_form_info_t  *info;

    info = parley_c2a_form_info(form);
    params = places->at[PARLEY_C2A_AT_PARAMS];

    msg->form = info->form;
    msg->intent = info->intent;
    msg->act = info->act;
    msg->priority = info->priority;

    if (parley_c2a_scalar(msg->doc, places->at[PARLEY_C2A_AT_ID], &msg->call)
        != 0)
    {
        return -1;
    }

    if (form == PARLEY_C2A_DELIVER) {
        return parley_c2a_peek_event(arena, msg, places);
    }

    rc = info->tool
         ? parley_c2a_peek_tool(arena, msg,
                                places->at[PARLEY_C2A_AT_ARGUMENTS])
         : parley_c2a_peek_notice(msg, params);

    if (rc != 0 || msg->id.len > 0) {
        return rc;
    }

    return parley_c2a_derived_id(arena, msg, params);
}


static int
parley_c2a_peek_event(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places)
{
    uint8_t              *p;
    parley_str_t          kind, id;
    const uint32_t       *at;
    const parley_json_t  *doc;

    at = places->at;
    doc = msg->doc;

    if (parley_msg_string(doc, at[PARLEY_C2A_AT_EVENT_ID], &msg->id) != 0
        || parley_msg_string(doc, at[PARLEY_C2A_AT_AUTHOR_KIND], &kind) != 0
        || parley_msg_string(doc, at[PARLEY_C2A_AT_AUTHOR_ID], &id) != 0
        || parley_msg_string(doc, at[PARLEY_C2A_AT_RECIPIENT],
                             &msg->recipient)
           != 0)
    {
        return -1;
    }

    if (kind.len > 0 && id.len > 0) {
        p = parley_arena_octets(arena, kind.len + 1 + id.len);

        if (p == NULL) {
            return -1;
        }

        msg->sender = parley_str_make(p, kind.len + 1 + id.len);

        memcpy(p, kind.data, kind.len);
        p[kind.len] = ':';
        memcpy(p + kind.len + 1, id.data, id.len);
    }

    return parley_c2a_conversation(arena, msg,
                                   at[PARLEY_C2A_AT_CONVERSATION_ID],
                                   at[PARLEY_C2A_AT_THREAD_ID]);
}


/*
 * {"id", "threadId"}: the thread is the correlation; the conversation is
 * whom a message is for that names nobody.
 */

static int
parley_c2a_conversation(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t conversation, uint32_t of_thread)
{
    parley_str_t          id, thread;
    const parley_json_t  *doc;

    doc = msg->doc;

    if (parley_msg_string(doc, conversation, &id) != 0
        || parley_msg_string(doc, of_thread, &thread) != 0)
    {
        return -1;
    }

    msg->corr = thread.len > 0 ? thread : id;

    return msg->recipient.len == 0
           ? parley_c2a_channel(arena, msg, id.len > 0 ? id : thread) : 0;
}


static int
parley_c2a_channel(parley_arena_t *arena, parley_msg_t *msg,
    parley_str_t name)
{
    parley_buf_t  b;

    if (name.len == 0) {
        return 0;
    }

    parley_buf_init(&b, arena, name.len + 10);
    parley_buf_lit(&b, "channel:");
    parley_buf_str(&b, name);

    return parley_buf_done(&b, &msg->recipient);
}


static int
parley_c2a_peek_tool(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t arguments)
{
    const parley_json_t  *doc;

    doc = msg->doc;

    if (parley_msg_string(doc, parley_json_member(doc, arguments,
                                                  PARLEY_ATOM_idempotencyKey),
                          &msg->id)
        != 0
        || parley_msg_string(doc, parley_json_member(doc, arguments,
                                                     PARLEY_ATOM_inReplyTo),
                             &msg->reply_to)
           != 0)
    {
        return -1;
    }

    return parley_c2a_peek_target(arena, msg,
                                  parley_json_member(doc, arguments,
                                                     PARLEY_ATOM_target));
}


/* A conversation, with or without a recipient, or "kind:name". */

static int
parley_c2a_peek_target(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t target)
{
    parley_str_t          name;
    const uint8_t        *colon;
    const parley_json_t  *doc;

    doc = msg->doc;

    if (target == PARLEY_JSON_NONE) {
        return 0;
    }

    if (parley_json_type(doc, target) != PARLEY_JSON_STRING) {
        return parley_msg_string(doc, parley_json_member(doc, target,
                                                         PARLEY_ATOM_recipient),
                                 &msg->recipient) != 0
               || parley_c2a_conversation(arena, msg,
                                          parley_json_member(doc, target,
                                                        PARLEY_ATOM_id),
                                          parley_json_member(doc, target,
                                                        PARLEY_ATOM_threadId))
                  != 0
               ? -1 : 0;
    }

    if (parley_msg_string(doc, target, &name) != 0) {
        return -1;
    }

    if (parley_str_begins(name, "agent:") || parley_str_begins(name, "human:")
        || parley_str_begins(name, "service:"))
    {
        msg->recipient = name;
        return 0;
    }

    colon = name.len > 0 ? memchr(name.data, ':', name.len) : NULL;

    if (colon != NULL) {
        name = parley_str_from(name, (size_t) (colon - name.data) + 1);
    }

    msg->corr = name;

    return parley_c2a_channel(arena, msg, name);
}


/* What is cancelled, or what the progress is of. */

static int
parley_c2a_peek_notice(parley_msg_t *msg, uint32_t params)
{
    const parley_json_t  *doc;

    doc = msg->doc;

    if (parley_c2a_scalar(doc, parley_json_member(doc, params,
                                                  PARLEY_ATOM_requestId),
                          &msg->reply_to)
        != 0
        || parley_c2a_scalar(doc, parley_json_member(doc, params,
                                                     PARLEY_ATOM_progressToken),
                             &msg->corr)
           != 0)
    {
        return -1;
    }

    msg->recalls = msg->reply_to;

    return 0;
}


/*
 * The text of a string; of a number its canonical form, so that 1 and 1.0 name
 * the same call.
 */

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

    /* an integer that no double holds would be named after another */

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


/*
 * A call without a key of its own is known by all that it says: a retry of
 * the same octets is the same message.
 */

static int
parley_c2a_derived_id(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t params)
{
    parley_buf_t          b;
    parley_str_t          name;
    const parley_json_t  *doc;

    doc = msg->doc;

    parley_buf_init(&b, arena, 0);
    parley_buf_str(&b, parley_c2a_call_id(doc));
    parley_buf_octet(&b, ':');

    if (params != PARLEY_JSON_NONE) {
        parley_buf_str(&b, parley_json_raw(doc, params));
    }

    msg->anonymous = 1;

    if (parley_buf_done(&b, &name) != 0) {
        return -1;
    }

    return parley_msg_derive(arena, msg, 8, name, msg->form, &msg->id);
}


static int
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

    if (parley_c2a_members(arena, msg, places) != 0) {
        return -1;
    }

    return form == PARLEY_C2A_SEND_MESSAGE
           && parley_c2a_fill_sent(arena, msg) != 0
           ? -1 : parley_c2a_words(msg, form);
}


static int
parley_c2a_fill_event(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places)
{
    int64_t          deadline;
    const uint32_t  *at;

    at = places->at;
    msg->aside = parley_c2a_aside;

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

    return parley_c2a_carried(arena, msg, at[PARLEY_C2A_AT_CONTENT],
                              deadline);
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
    }

    return 0;
}


/* attention.deadlineMs, or -1 */

static int64_t
parley_c2a_deadline(const parley_json_t *doc, uint32_t value)
{
    int64_t  ms;

    return value != PARLEY_JSON_NONE
           && parley_json_integer(doc, value, &ms) == 0 ? ms : -1;
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


/*
 * The id of the call, what a tool call says beside its arguments, and the
 * envelope of an event; its eventId is the message's id.
 */

static int
parley_c2a_members(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places)
{
    uint32_t         i;
    const uint32_t  *at;

    at = places->at;

    msg->members = parley_arena_alloc(arena, PARLEY_C2A_MEMBERS_MAX
                                             * sizeof(parley_member_t));
    if (msg->members == NULL) {
        return -1;
    }

    parley_c2a_member(msg, at[PARLEY_C2A_AT_ID]);

    if (msg->aside == NULL) {
        parley_c2a_member(msg, at[PARLEY_C2A_AT_META]);
        return 0;
    }

    for (i = PARLEY_C2A_AT_SOURCE; i <= PARLEY_C2A_AT_RELIABILITY; i++) {
        parley_c2a_member(msg, at[i]);
    }

    return 0;
}


static void
parley_c2a_member(parley_msg_t *msg, uint32_t value)
{
    uint32_t          name;
    parley_member_t  *member;

    if (value == PARLEY_JSON_NONE) {
        return;
    }

    member = &msg->members[msg->nmembers++];
    name = value - 1;

    /* as it stands where it can: it is known again by its place */

    member->name = (parley_json_node(msg->doc, name)->flags
                    & PARLEY_JSON_ESCAPED)
                       ? parley_atom_name(parley_json_atom(msg->doc, name))
                       : parley_json_span(msg->doc, name);
    member->value.doc = msg->doc;
    member->value.node = value;
}
