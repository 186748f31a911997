#include "parley_c2a.h"
#include "parley_id.h"
#include "parley_jcs.h"
#include "parley_time.h"


#define PARLEY_C2A_DIGITS  15       /* of integers that are doubles */


static int parley_c2a_peek_event(parley_arena_t *arena, parley_msg_t *msg);
static int parley_c2a_peek_tool(parley_arena_t *arena, parley_msg_t *msg);
static int parley_c2a_peek_target(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t target);
static int parley_c2a_peek_notice(parley_msg_t *msg);
static int parley_c2a_conversation(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t conversation);
static int parley_c2a_derived_id(parley_arena_t *arena, parley_msg_t *msg);
static int parley_c2a_fill(parley_arena_t *arena, parley_msg_t *msg);
static int parley_c2a_fill_event(parley_arena_t *arena, parley_msg_t *msg);
static int parley_c2a_fill_attention(parley_msg_t *msg);
static int parley_c2a_fill_text(parley_arena_t *arena, parley_msg_t *msg);
static int parley_c2a_members(parley_arena_t *arena, parley_msg_t *msg);


int
parley_c2a_decode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, int mve5, parley_msg_t *msg,
    parley_error_t *err)
{
    int       tool;
    uint32_t  version, name;

    (void) mve5;

    if (parley_c2a_peek(arena, msg) != 0) {
        return parley_error_memory(err);
    }

    version = parley_json_get(doc, 0, PARLEY_STR("jsonrpc"));

    if (version != PARLEY_JSON_NONE
        && !parley_json_string_is(doc, version, PARLEY_STR("2.0")))
    {
        return parley_error_set(err, PARLEY_E_ENVELOPE_VERSION_UNSUPPORTED,
                                "/jsonrpc", "/jsonrpc must be the string "
                                "\"2.0\"");
    }

    if (parley_c2a_form_of(doc, &tool) == PARLEY_C2A_FORMS) {

        name = tool ? parley_json_get(doc, parley_c2a_params(doc),
                                      PARLEY_STR("name"))
                    : parley_json_get(doc, 0, PARLEY_STR("method"));

        if (name != PARLEY_JSON_NONE
            && parley_json_type(doc, name) == PARLEY_JSON_STRING)
        {
            return parley_error_set(err, PARLEY_E_KIND_UNKNOWN,
                                    tool ? "/params/name" : "/method",
                                    tool ? "there is no such tool"
                                         : "there is no such method");
        }
    }

    if (parley_validate(engine, PARLEY_PROTO_C2A, doc, err) != 0) {
        return -1;
    }

    return parley_c2a_fill(arena, msg) == 0 ? 0 : parley_error_memory(err);
}


int
parley_c2a_peek(parley_arena_t *arena, parley_msg_t *msg)
{
    int                            tool, rc;
    parley_c2a_form_t              form;
    const parley_c2a_form_info_t  *info;

    if (msg->doc->nnodes == 0) {
        return 0;
    }

    form = parley_c2a_form_of(msg->doc, &tool);

    if (form == PARLEY_C2A_FORMS) {
        return 0;
    }

    info = parley_c2a_form_info(form);

    msg->form = info->form;
    msg->intent = info->intent;
    msg->act = info->act;
    msg->priority = info->priority;

    if (parley_c2a_scalar(msg->doc, parley_json_get(msg->doc, 0,
                                                    PARLEY_STR("id")),
                          &msg->call)
        != 0)
    {
        return -1;
    }

    if (form == PARLEY_C2A_DELIVER) {
        return parley_c2a_peek_event(arena, msg);
    }

    rc = info->tool ? parley_c2a_peek_tool(arena, msg)
                    : parley_c2a_peek_notice(msg);

    if (rc != 0 || msg->id.len > 0) {
        return rc;
    }

    return parley_c2a_derived_id(arena, msg);
}


static int
parley_c2a_peek_event(parley_arena_t *arena, parley_msg_t *msg)
{
    uint32_t              params, author, target;
    parley_buf_t          b;
    parley_str_t          kind, id;
    const parley_json_t  *doc;

    doc = msg->doc;
    params = parley_c2a_params(doc);

    author = parley_json_get(doc, params, PARLEY_STR("author"));
    target = parley_json_get(doc, params, PARLEY_STR("target"));

    if (parley_msg_string(doc, parley_json_get(doc, params,
                                               PARLEY_STR("eventId")),
                          &msg->id)
        != 0
        || parley_msg_string(doc, parley_json_get(doc, author,
                                                  PARLEY_STR("kind")), &kind)
           != 0
        || parley_msg_string(doc, parley_json_get(doc, author,
                                                  PARLEY_STR("id")), &id)
           != 0
        || parley_msg_string(doc, parley_json_get(doc, target,
                                                  PARLEY_STR("recipient")),
                             &msg->recipient)
           != 0)
    {
        return -1;
    }

    if (kind.len > 0 && id.len > 0) {
        parley_buf_init(&b, arena, kind.len + id.len + 2);
        parley_buf_str(&b, kind);
        parley_buf_octet(&b, ':');
        parley_buf_str(&b, id);

        if (parley_buf_done(&b, &msg->sender) != 0) {
            return -1;
        }
    }

    return parley_c2a_conversation(arena, msg,
                                   parley_json_get(doc, params,
                                                   PARLEY_STR("conversation")));
}


/*
 * {"id", "threadId"}: the thread is the correlation; the conversation is
 * whom a message is for that names nobody.
 */

static int
parley_c2a_conversation(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t conversation)
{
    parley_buf_t          b;
    parley_str_t          id, thread;
    const parley_json_t  *doc;

    doc = msg->doc;

    if (parley_msg_string(doc, parley_json_get(doc, conversation,
                                               PARLEY_STR("id")), &id)
        != 0
        || parley_msg_string(doc, parley_json_get(doc, conversation,
                                                  PARLEY_STR("threadId")),
                             &thread)
           != 0)
    {
        return -1;
    }

    msg->corr = thread.len > 0 ? thread : id;

    if (msg->recipient.len > 0 || msg->corr.len == 0) {
        return 0;
    }

    if (id.len == 0) {
        id = thread;
    }

    parley_buf_init(&b, arena, id.len + 10);
    parley_buf_lit(&b, "channel:");
    parley_buf_str(&b, id);

    return parley_buf_done(&b, &msg->recipient);
}


static int
parley_c2a_peek_tool(parley_arena_t *arena, parley_msg_t *msg)
{
    uint32_t              arguments;
    const parley_json_t  *doc;

    doc = msg->doc;
    arguments = parley_c2a_arguments(doc);

    if (parley_msg_string(doc, parley_json_get(doc, arguments,
                                               PARLEY_STR("idempotencyKey")),
                          &msg->id)
        != 0
        || parley_msg_string(doc, parley_json_get(doc, arguments,
                                                  PARLEY_STR("inReplyTo")),
                             &msg->reply_to)
           != 0)
    {
        return -1;
    }

    return parley_c2a_peek_target(arena, msg,
                                  parley_json_get(doc, arguments,
                                                  PARLEY_STR("target")));
}


/* A conversation, with or without a recipient, or "kind:name". */

static int
parley_c2a_peek_target(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t target)
{
    parley_buf_t          b;
    parley_str_t          name;
    const uint8_t        *colon;
    const parley_json_t  *doc;

    doc = msg->doc;

    if (target == PARLEY_JSON_NONE) {
        return 0;
    }

    if (parley_json_type(doc, target) != PARLEY_JSON_STRING) {
        return parley_msg_string(doc, parley_json_get(doc, target,
                                                      PARLEY_STR("recipient")),
                                 &msg->recipient) != 0
               || parley_c2a_conversation(arena, msg, target) != 0
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

    if (name.len == 0) {
        return 0;
    }

    parley_buf_init(&b, arena, name.len + 10);
    parley_buf_lit(&b, "channel:");
    parley_buf_str(&b, name);

    return parley_buf_done(&b, &msg->recipient);
}


/* What is cancelled, or what the progress is of. */

static int
parley_c2a_peek_notice(parley_msg_t *msg)
{
    uint32_t              params;
    const parley_json_t  *doc;

    doc = msg->doc;
    params = parley_c2a_params(doc);

    if (parley_c2a_scalar(doc, parley_json_get(doc, params,
                                               PARLEY_STR("requestId")),
                          &msg->reply_to)
        != 0
        || parley_c2a_scalar(doc, parley_json_get(doc, params,
                                                  PARLEY_STR("progressToken")),
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
parley_c2a_derived_id(parley_arena_t *arena, parley_msg_t *msg)
{
    char                  id[PARLEY_UUID_LEN + 1];
    uint32_t              params;
    parley_buf_t          b;
    parley_str_t          name;
    const parley_json_t  *doc;

    doc = msg->doc;
    params = parley_c2a_params(doc);

    parley_buf_init(&b, arena, 0);
    parley_buf_str(&b, parley_c2a_call_id(doc));
    parley_buf_octet(&b, ':');

    if (params != PARLEY_JSON_NONE) {
        parley_buf_str(&b, parley_json_raw(doc, params));
    }

    if (parley_buf_done(&b, &name) != 0
        || parley_uuid_derive(8, 0, PARLEY_STR("c2a"), name, msg->form, id)
           != 0)
    {
        return -1;
    }

    return parley_arena_str(arena, parley_str_c(id), &msg->id);
}


static int
parley_c2a_fill(parley_arena_t *arena, parley_msg_t *msg)
{
    parley_c2a_form_t              form;
    const parley_json_t           *doc;
    const parley_c2a_form_info_t  *info;

    doc = msg->doc;
    form = parley_c2a_form_find(msg->form);
    info = parley_c2a_form_info(form);

    msg->data.doc = doc;
    msg->data.node = info->tool ? parley_c2a_arguments(doc)
                                : parley_c2a_params(doc);

    if (form == PARLEY_C2A_DELIVER) {
        return parley_c2a_fill_event(arena, msg);
    }

    if (parley_c2a_members(arena, msg) != 0) {
        return -1;
    }

    return form == PARLEY_C2A_SEND_MESSAGE
           && parley_c2a_fill_text(arena, msg) != 0
           ? -1 : parley_c2a_words(msg);
}


static int
parley_c2a_fill_event(parley_arena_t *arena, parley_msg_t *msg)
{
    uint32_t              timing, content;
    const parley_json_t  *doc;

    doc = msg->doc;

    msg->aside = parley_c2a_aside;
    msg->naside = parley_c2a_naside;

    timing = parley_json_get(doc, msg->data.node, PARLEY_STR("timing"));

    if (parley_msg_string(doc, parley_json_get(doc, timing,
                                               PARLEY_STR("createdAt")),
                          &msg->created)
        != 0)
    {
        return -1;
    }

    (void) parley_time_parse(msg->created, &msg->created_ms);

    if (parley_c2a_fill_attention(msg) != 0
        || parley_c2a_fill_text(arena, msg) != 0
        || parley_c2a_members(arena, msg) != 0)
    {
        return -1;
    }

    content = parley_json_get(doc, msg->data.node, PARLEY_STR("content"));

    return parley_c2a_carried(arena, msg, content);
}


static int
parley_c2a_fill_attention(parley_msg_t *msg)
{
    uint32_t              attention, value;
    parley_str_t          word;
    const parley_json_t  *doc;

    doc = msg->doc;

    attention = parley_json_get(doc, msg->data.node, PARLEY_STR("attention"));

    if (parley_msg_string(doc, parley_json_get(doc, attention,
                                               PARLEY_STR("priority")),
                          &word)
        != 0)
    {
        return -1;
    }

    (void) parley_priority_find(word, &msg->priority);

    value = parley_json_get(doc, attention, PARLEY_STR("policy"));

    if (parley_json_string_is(doc, value, PARLEY_STR("must_respond"))) {
        msg->act = PARLEY_ACT_REQUEST;
        msg->timeout_ms = parley_c2a_deadline(doc);
    }

    return 0;
}


int64_t
parley_c2a_deadline(const parley_json_t *doc)
{
    int64_t   ms;
    uint32_t  value;

    value = parley_json_get(doc, parley_c2a_params(doc),
                            PARLEY_STR("attention"));
    value = parley_json_get(doc, value, PARLEY_STR("deadlineMs"));

    return value != PARLEY_JSON_NONE
           && parley_json_integer(doc, value, &ms) == 0 ? ms : -1;
}


/* Of an event or a send; a knock has its topic. */

static int
parley_c2a_fill_text(parley_arena_t *arena, parley_msg_t *msg)
{
    int                   whole;
    uint32_t              value;
    const parley_json_t  *doc;

    doc = msg->doc;

    value = parley_json_get(doc, msg->data.node, PARLEY_STR("content"));

    if (value != PARLEY_JSON_NONE) {

        if (parley_c2a_text(arena, doc, value, &msg->text, &whole) != 0) {
            return -1;
        }

        if (whole) {
            msg->said[0] = value;
        }

        return 0;
    }

    value = parley_json_get(doc, msg->data.node, PARLEY_STR("text"));

    if (value != PARLEY_JSON_NONE) {
        msg->said[0] = value;
        return parley_msg_string(doc, value, &msg->text);
    }

    value = parley_json_get(doc, msg->data.node, PARLEY_STR("knock"));

    return parley_msg_string(doc, parley_json_get(doc, value,
                                                  PARLEY_STR("topic")),
                             &msg->text);
}


/*
 * The id of the call, what a tool call says beside its arguments, and the
 * envelope of an event; its eventId is the message's id.
 */

static int
parley_c2a_members(parley_arena_t *arena, parley_msg_t *msg)
{
    uint32_t              i, params;
    parley_member_t      *member;
    const parley_json_t  *doc;

    const struct {
        uint32_t      object;
        parley_str_t  name;
    } others[] = {
        { 0, parley_str("id") },
        { parley_c2a_params(msg->doc), parley_str("_meta") },
    };

    doc = msg->doc;
    params = parley_c2a_params(doc);

    msg->members = parley_arena_alloc(arena, (parley_c2a_naside + 2)
                                             * sizeof(parley_member_t));
    if (msg->members == NULL) {
        return -1;
    }

    for (i = 0; i < 1 + (msg->naside == 0); i++) {
        member = &msg->members[msg->nmembers];

        member->name = others[i].name;
        member->value.doc = doc;
        member->value.node = parley_json_get(doc, others[i].object,
                                             others[i].name);

        msg->nmembers += member->value.node != PARLEY_JSON_NONE;
    }

    for (i = 1; i < msg->naside; i++) {
        member = &msg->members[msg->nmembers];

        member->name = msg->aside[i];
        member->value.doc = doc;
        member->value.node = parley_json_get(doc, params, msg->aside[i]);

        msg->nmembers += member->value.node != PARLEY_JSON_NONE;
    }

    return 0;
}
