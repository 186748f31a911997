/*
 * Reads a request or a notification:
 *
 *     {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
 *         "name": "chat.react", "arguments": {"inReplyTo": "evt_123",
 *         "signal": "done"}, "_meta": {"progressToken": 7}}}
 *
 * and what a client says to a request of the service's, a JSON-RPC response.
 */

#include "parley_c2a_field.h"
#include "parley_id.h"
#include "parley_jcs.h"
#include "parley_time.h"


#define PARLEY_C2A_DIGITS  15       /* of integers that are doubles */

/* octets of a conversation that an answer is to stand in */
#define PARLEY_C2A_PLACE_MAX  512


static int parley_c2a_decode_parts(const parley_json_t *doc,
    const parley_c2a_places_t *places, parley_c2a_form_t form,
    parley_error_t *err);
static int parley_c2a_response(const parley_c2a_places_t *places,
    parley_error_t *err);
static int parley_c2a_peek(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places, parley_c2a_form_t form);
static int parley_c2a_peek_event(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places);
static int parley_c2a_peek_tool(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places, parley_c2a_form_t form);
static int parley_c2a_peek_intent(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t name);
static void parley_c2a_peek_token(parley_msg_t *msg, uint32_t meta);
static parley_str_t parley_c2a_peek_place(const parley_json_t *doc,
    uint32_t value);
static int parley_c2a_peek_target(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t target);
static int parley_c2a_peek_notice(parley_msg_t *msg, uint32_t params);
static int parley_c2a_conversation(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t conversation, uint32_t of_thread);
static int parley_c2a_channel(parley_arena_t *arena, parley_msg_t *msg,
    parley_str_t name);
static int parley_c2a_derived_id(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t params);


int
parley_c2a_decode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, int mve5, parley_msg_t *msg,
    parley_error_t *err)
{
    uint32_t             version;
    parley_c2a_form_t    form;
    parley_c2a_places_t  places;

    (void) mve5;

    form = parley_c2a_places_find(&places, doc);

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

    if ((form == PARLEY_C2A_RESPONSE
         ? parley_c2a_response(&places, err)
         : parley_validate(engine, PARLEY_PROTO_C2A, doc, err))
        != 0)
    {
        return -1;
    }

    if (parley_c2a_decode_parts(doc, &places, form, err) != 0) {
        return -1;
    }

    return parley_c2a_fill(arena, msg, &places, form) == 0
           ? 0 : parley_error_memory(err);
}


/* One message in an event, which is read as that; none in what is sent. */

static int
parley_c2a_decode_parts(const parley_json_t *doc,
    const parley_c2a_places_t *places, parley_c2a_form_t form,
    parley_error_t *err)
{
    switch (form) {

    case PARLEY_C2A_DELIVER:
        return parley_c2a_parts(doc, places->at[PARLEY_C2A_AT_CONTENT], 1,
                                err);

    case PARLEY_C2A_SEND_MESSAGE:
        return parley_c2a_parts(doc,
                                parley_json_member(doc,
                                      places->at[PARLEY_C2A_AT_ARGUMENTS],
                                      PARLEY_ATOM_content),
                                0, err);

    default:
        return 0;
    }
}


/* {"jsonrpc", "id", "result"}, or "error" in its place: nobody reads more */

static int
parley_c2a_response(const parley_c2a_places_t *places, parley_error_t *err)
{
    if (places->at[PARLEY_C2A_AT_JSONRPC] == PARLEY_JSON_NONE) {
        return parley_error_set(err, PARLEY_E_FIELD_MISSING, "/jsonrpc",
                                "/jsonrpc is required");
    }

    if (places->at[PARLEY_C2A_AT_ID] == PARLEY_JSON_NONE) {
        return parley_error_set(err, PARLEY_E_FIELD_MISSING, "/id",
                                "/id is required");
    }

    if (places->at[PARLEY_C2A_AT_RESULT] != PARLEY_JSON_NONE
        && places->at[PARLEY_C2A_AT_ERROR] != PARLEY_JSON_NONE)
    {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, "/error",
                                "a response has either a result or an error");
    }

    return 0;
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
    msg->native = info->native;
    msg->local = form == PARLEY_C2A_RESPONSE;

    parley_c2a_peek_token(msg, places->at[PARLEY_C2A_AT_META]);

    if (parley_c2a_scalar(msg->doc, places->at[PARLEY_C2A_AT_ID], &msg->call)
        != 0)
    {
        return -1;
    }

    switch (form) {

    case PARLEY_C2A_DELIVER:
        return parley_c2a_peek_event(arena, msg, places);

    case PARLEY_C2A_CANCELLED:
    case PARLEY_C2A_PROGRESS:
        rc = parley_c2a_peek_notice(msg, params);
        break;

    case PARLEY_C2A_METHOD:

        if (places->at[PARLEY_C2A_AT_ID] == PARLEY_JSON_NONE) {
            msg->act = PARLEY_ACT_EVENT;
        }

        rc = parley_c2a_peek_intent(arena, msg,
                                    places->at[PARLEY_C2A_AT_METHOD]);
        break;

    default:
        rc = info->tool ? parley_c2a_peek_tool(arena, msg, places, form) : 0;
    }

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

    msg->place = parley_c2a_peek_place(doc, at[PARLEY_C2A_AT_CONVERSATION]);

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
 * {"id", "threadId"}: both are the correlation; the conversation is whom a
 * message is for that names nobody.
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

    if (parley_c2a_correlate(arena, id, thread, &msg->corr) != 0) {
        return -1;
    }

    return msg->recipient.len == 0
           ? parley_c2a_channel(arena, msg, id.len > 0 ? id : thread) : 0;
}


int
parley_c2a_correlate(parley_arena_t *arena, parley_str_t id,
    parley_str_t thread, parley_str_t *ret)
{
    size_t        i;
    parley_buf_t  b;

    if (id.len == 0 || thread.len == 0) {
        *ret = thread.len > 0 ? thread : id;
        return 0;
    }

    parley_buf_init(&b, arena, id.len + thread.len + 8);

    for (i = 0; i < id.len; i++) {
        switch (id.data[i]) {

        case '/':
            parley_buf_lit(&b, "%2F");
            break;

        case '%':
            parley_buf_lit(&b, "%25");
            break;

        default:
            parley_buf_octet(&b, id.data[i]);
        }
    }

    parley_buf_octet(&b, '/');
    parley_buf_str(&b, thread);

    return parley_buf_done(&b, ret);
}


/*
 * A name of a thread ("thread:T"), and what the gateway writes for a message
 * that it carries, say the thread without its conversation.
 */

int
parley_c2a_corr_is(parley_str_t said, parley_str_t want)
{
    unsigned        i;
    parley_str_t    corr[2];
    const uint8_t  *slash;

    if (parley_str_eq(said, want)) {
        return 1;
    }

    corr[0] = said;
    corr[1] = want;

    for (i = 0; i < 2; i++) {
        slash = corr[i].len > 0 ? memchr(corr[i].data, '/', corr[i].len)
                                : NULL;

        if (slash != NULL
            && parley_str_eq(parley_str_from(corr[i], (size_t)
                                             (slash - corr[i].data) + 1),
                             corr[1 - i]))
        {
            return 1;
        }
    }

    return 0;
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


/* What only reads is asked for again and again: no key makes it another's. */

static int
parley_c2a_peek_tool(parley_arena_t *arena, parley_msg_t *msg,
    const parley_c2a_places_t *places, parley_c2a_form_t form)
{
    uint32_t              arguments, target;
    const parley_json_t  *doc;

    if (form == PARLEY_C2A_TOOL) {
        return parley_c2a_peek_intent(arena, msg,
                                      places->at[PARLEY_C2A_AT_NAME]);
    }

    doc = msg->doc;
    arguments = places->at[PARLEY_C2A_AT_ARGUMENTS];
    target = parley_json_member(doc, arguments, PARLEY_ATOM_target);

    msg->place = parley_c2a_peek_place(doc, target);

    if (form != PARLEY_C2A_LIST_EVENTS && form != PARLEY_C2A_READ_THREAD
        && parley_msg_string(doc, parley_json_member(doc, arguments,
                                                  PARLEY_ATOM_idempotencyKey),
                             &msg->id)
           != 0)
    {
        return -1;
    }

    return parley_msg_string(doc, parley_json_member(doc, arguments,
                                                     PARLEY_ATOM_inReplyTo),
                             &msg->reply_to) != 0
           || parley_c2a_peek_target(arena, msg, target) != 0
           ? -1 : 0;
}


/* "tools/list" is c2a.tools.list, the tool "chat_x" c2a.chat.x */

static int
parley_c2a_peek_intent(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t name)
{
    size_t         i;
    parley_buf_t   b;
    parley_str_t   text;

    if (parley_msg_string(msg->doc, name, &text) != 0) {
        return -1;
    }

    parley_buf_init(&b, arena, text.len + 8);
    parley_buf_lit(&b, "c2a.");

    if (parley_str_begins(text, "chat_")) {
        parley_buf_lit(&b, "chat.");
        text = parley_str_from(text, sizeof("chat_") - 1);
    }

    for (i = 0; i < text.len; i++) {
        parley_buf_octet(&b, text.data[i] == '/' ? '.' : text.data[i]);
    }

    return parley_buf_done(&b, &msg->intent);
}


static void
parley_c2a_peek_token(parley_msg_t *msg, uint32_t meta)
{
    uint32_t  token;

    token = parley_json_member(msg->doc, meta, PARLEY_ATOM_progressToken);

    if (token != PARLEY_JSON_NONE
        && (parley_json_type(msg->doc, token) == PARLEY_JSON_STRING
            || parley_json_type(msg->doc, token) == PARLEY_JSON_NUMBER)
        && parley_json_raw(msg->doc, token).len <= PARLEY_C2A_PLACE_MAX)
    {
        msg->token = parley_json_raw(msg->doc, token);
    }
}


/* what is too long to be remembered is no place */

static parley_str_t
parley_c2a_peek_place(const parley_json_t *doc, uint32_t value)
{
    parley_str_t  raw;

    if (value == PARLEY_JSON_NONE) {
        return parley_str_none;
    }

    raw = parley_json_raw(doc, value);

    return raw.len <= PARLEY_C2A_PLACE_MAX ? raw : parley_str_none;
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
