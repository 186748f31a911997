/*
 * Reads the calls of surfaces and harnesses to a host: the seven tools,
 *
 *   {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {
 *     "name": "chat_claim", "arguments": {"inReplyTo": "m7", "ttlMs": 60000}}}
 *
 * initialize, chat/members, notifications, and the response to an offer, whose
 * id names event, attempt and tag:
 *
 *   {"jsonrpc": "2.0", "id": "m3#1.5f0c77aa", "result": {"accepted": true}}
 */

#include "translate/c2a/parley_c2a_chat.h"
#include "core/parley_hex.h"
#include "core/parley_time.h"


#define PARLEY_C2A_CALL_TAG       8         /* digits of a tag */
#define PARLEY_C2A_CALL_ATTEMPTS  9999


/* context of a read */
typedef struct {
    parley_arena_t       *arena;
    const parley_json_t  *doc;
    const uint32_t       *at;
    parley_chat_call_t   *call;
    parley_error_t       *err;
} parley_c2a_call_t;


static int parley_c2a_call_other(const parley_c2a_call_t *c);
static int parley_c2a_call_deliver(const parley_c2a_call_t *c);
static int parley_c2a_call_members(const parley_c2a_call_t *c);
static int parley_c2a_call_names(const parley_c2a_call_t *c,
    parley_atom_t name, const parley_str_t **ret, unsigned *ret_n);
static int parley_c2a_call_typing(const parley_c2a_call_t *c);
static int parley_c2a_call_initialize(const parley_c2a_call_t *c);
static int parley_c2a_call_glyphs(const parley_c2a_call_t *c, uint32_t glyphs);
static int parley_c2a_call_response(const parley_c2a_call_t *c);
static parley_chat_outcome_t parley_c2a_call_failed(const parley_json_t *doc,
    uint32_t error);
static void parley_c2a_call_offer(parley_str_t text,
    parley_chat_offer_t *ret);
static int parley_c2a_call_tool(const parley_c2a_call_t *c);
static int parley_c2a_call_texts(const parley_c2a_call_t *c);
static int parley_c2a_call_numbers(const parley_c2a_call_t *c);
static int parley_c2a_call_says(const parley_c2a_call_t *c);
static int parley_c2a_call_place(const parley_json_t *doc, uint32_t value,
    parley_chat_place_t *ret);
static void parley_c2a_call_named(parley_str_t text,
    parley_chat_place_t *ret);
static int64_t parley_c2a_call_number(const parley_c2a_call_t *c,
    parley_atom_t name, int64_t most, int64_t absent);
static int parley_c2a_call_true(const parley_json_t *doc, uint32_t object,
    parley_str_t name);


static const struct {
    parley_atom_t  name;
    size_t         offset;
} parley_c2a_call_members_text[] = {
    { PARLEY_ATOM_inReplyTo, offsetof(parley_chat_args_t, in_reply_to) },
    { PARLEY_ATOM_idempotencyKey, offsetof(parley_chat_args_t, key) },
    { PARLEY_ATOM_text, offsetof(parley_chat_args_t, text) },
    { PARLEY_ATOM_reason, offsetof(parley_chat_args_t, reason) },
    { PARLEY_ATOM_eta, offsetof(parley_chat_args_t, eta) },
    { PARLEY_ATOM_eventId, offsetof(parley_chat_args_t, id) },
    { PARLEY_ATOM_streamId, offsetof(parley_chat_args_t, stream) },
    { PARLEY_ATOM_after, offsetof(parley_chat_args_t, after) },
    { PARLEY_ATOM_ackThrough, offsetof(parley_chat_args_t, ack_through) },
};


int
parley_c2a_chat_call(parley_arena_t *arena, const parley_json_t *doc,
    parley_chat_call_t *ret, parley_error_t *err)
{
    parley_c2a_call_t    c;
    parley_c2a_form_t    form;
    parley_c2a_places_t  places;

    parley_error_clear(err);
    memset(ret, 0, sizeof(parley_chat_call_t));

    c.arena = arena;
    c.doc = doc;
    c.at = places.at;
    c.call = ret;
    c.err = err;

    ret->doc = doc;
    ret->request = parley_mcp_id(doc);

    /* an event has no arguments */

    if (parley_c2a_form_of(doc) == PARLEY_C2A_DELIVER) {
        ret->answers = parley_mcp_is_call(doc);
        return parley_c2a_call_deliver(&c);
    }

    form = parley_c2a_places_find(&places, doc);

    ret->answers = form != PARLEY_C2A_RESPONSE && parley_mcp_is_call(doc);

    switch (form) {

    case PARLEY_C2A_CANCELLED:
        ret->kind = PARLEY_CHAT_CALL_CANCELLED;
        ret->cancels = parley_json_raw(doc, c.at[PARLEY_C2A_AT_REQUEST]);
        return 0;

    case PARLEY_C2A_PROGRESS:
        return parley_c2a_progress_call(doc, c.at, ret) == 0
               ? 0 : parley_error_memory(err);

    case PARLEY_C2A_INITIALIZE:
        return parley_c2a_call_initialize(&c);

    case PARLEY_C2A_INITIALIZED:
        return 0;

    case PARLEY_C2A_PING:
        ret->kind = PARLEY_CHAT_CALL_PING;
        return 0;

    case PARLEY_C2A_DISCOVER:
        ret->kind = PARLEY_CHAT_CALL_DISCOVER;
        return 0;

    case PARLEY_C2A_TOOLS_LIST:
        ret->kind = PARLEY_CHAT_CALL_TOOLS;
        return 0;

    case PARLEY_C2A_TOOL:
        return parley_error_set(err, PARLEY_E_KIND_UNKNOWN, "/params/name",
                                "the tool is unknown");

    case PARLEY_C2A_RESPONSE:
        return parley_c2a_call_response(&c);

    case PARLEY_C2A_METHOD:
    case PARLEY_C2A_FORMS:
        return parley_c2a_call_other(&c);

    default:
        ret->tool = (parley_chat_tool_t) (form - PARLEY_C2A_LIST_EVENTS);
        return parley_c2a_call_tool(&c);
    }
}


/* A notification with another method has no effect. */

static int
parley_c2a_call_other(const parley_c2a_call_t *c)
{
    uint32_t  method;

    method = c->at[PARLEY_C2A_AT_METHOD];

    if (parley_json_string_is(c->doc, method, PARLEY_STR("chat/members"))) {
        return parley_c2a_call_members(c);
    }

    if (parley_json_string_is(c->doc, method,
                              PARLEY_STR("notifications/typing")))
    {
        return parley_c2a_call_typing(c);
    }

    return c->call->answers
           ? parley_error_set(c->err, PARLEY_E_KIND_UNKNOWN, "/method",
                              "the method is unknown")
           : 0;
}


static int
parley_c2a_call_deliver(const parley_c2a_call_t *c)
{
    parley_chat_event_t  *event;

    c->call->kind = PARLEY_CHAT_CALL_DELIVER;

    event = parley_arena_alloc(c->arena, sizeof(parley_chat_event_t));

    if (event == NULL) {
        return parley_error_memory(c->err);
    }

    c->call->event = event;

    return parley_c2a_chat_event(c->arena, c->doc, event, c->err);
}


static int
parley_c2a_call_members(const parley_c2a_call_t *c)
{
    parley_chat_call_t  *call;

    call = c->call;
    call->kind = PARLEY_CHAT_CALL_MEMBERS;

    return parley_c2a_call_place(c->doc, c->at[PARLEY_C2A_AT_PARAMS],
                                 &call->place)
           != 0
           || parley_c2a_call_names(c, PARLEY_ATOM_add, &call->add,
                                    &call->nadd)
              != 0
           || parley_c2a_call_names(c, PARLEY_ATOM_remove, &call->remove,
                                    &call->nremove)
              != 0
           ? parley_error_memory(c->err) : 0;
}


static int
parley_c2a_call_names(const parley_c2a_call_t *c, parley_atom_t name,
    const parley_str_t **ret, unsigned *ret_n)
{
    uint32_t       i, list;
    parley_str_t  *names;

    list = parley_json_member(c->doc, c->at[PARLEY_C2A_AT_PARAMS], name);

    if (list == PARLEY_JSON_NONE) {
        return 0;
    }

    names = parley_arena_alloc(c->arena,
                               (parley_json_node(c->doc, list)->count + 1)
                               * sizeof(parley_str_t));
    if (names == NULL) {
        return -1;
    }

    *ret = names;

    for (i = parley_json_first(list);
         i != parley_json_end(c->doc, list);
         i = parley_json_after(c->doc, i))
    {
        if (parley_msg_string(c->doc, i, &names[(*ret_n)++]) != 0) {
            return -1;
        }
    }

    return 0;
}


static int
parley_c2a_call_typing(const parley_c2a_call_t *c)
{
    uint32_t             params;
    parley_chat_call_t  *call;

    call = c->call;
    call->kind = PARLEY_CHAT_CALL_TYPING;

    params = c->at[PARLEY_C2A_AT_PARAMS];
    call->active = parley_c2a_call_true(c->doc, params, PARLEY_STR("active"));

    return parley_c2a_call_place(c->doc, params, &call->place) != 0
           || parley_msg_member(c->doc,
                                parley_json_member(c->doc, params,
                                                   PARLEY_ATOM_author),
                                PARLEY_ATOM_id, &call->author)
              != 0
           ? parley_error_memory(c->err) : 0;
}


/*
 * Reads the abilities of a client.  An MCP client has them in "experimental".
 * A client that does not list modes has all but digest and interrupt.
 */

static int
parley_c2a_call_initialize(const parley_c2a_call_t *c)
{
    unsigned                i;
    uint32_t                params, all, chat, group;
    parley_chat_session_t  *session;

    session = &c->call->session;
    c->call->kind = PARLEY_CHAT_CALL_INITIALIZE;

    params = c->at[PARLEY_C2A_AT_PARAMS];
    all = parley_json_member(c->doc, params, PARLEY_ATOM_capabilities);
    chat = parley_json_member(c->doc,
                              parley_json_get(c->doc, all,
                                              PARLEY_STR("experimental")),
                              PARLEY_ATOM_c2a);

    session->chat = chat != PARLEY_JSON_NONE
                    || parley_json_string_is(c->doc,
                               parley_json_member(c->doc, params,
                                                  PARLEY_ATOM_protocolVersion),
                               PARLEY_STR(PARLEY_C2A_VERSION));
    all = chat != PARLEY_JSON_NONE ? chat : all;

    group = parley_json_member(c->doc, all, PARLEY_ATOM_delivery);

    if (group != PARLEY_JSON_NONE
        && !parley_c2a_call_true(c->doc, group, PARLEY_STR("ack")))
    {
        session->chat = 0;
    }

    group = parley_json_member(c->doc, all, PARLEY_ATOM_injection);
    session->modes = PARLEY_CHAT_MODE_BIT(PARLEY_CHAT_SILENT)
                     | PARLEY_CHAT_MODE_BIT(PARLEY_CHAT_MAILBOX);

    for (i = PARLEY_CHAT_DIGEST; i < PARLEY_CHAT_MODES; i++) {
        if (group == PARLEY_JSON_NONE
            ? i != PARLEY_CHAT_DIGEST
            : parley_c2a_call_true(c->doc, group, parley_c2a_modes[i]))
        {
            session->modes |= PARLEY_CHAT_MODE_BIT(i);
        }
    }

    session->interrupt = (unsigned)
        parley_c2a_call_true(c->doc, group, PARLEY_STR("interrupt"));

    return parley_c2a_call_glyphs(c, parley_json_get(c->doc, all,
                                                     PARLEY_STR("glyphs")));
}


static int
parley_c2a_call_glyphs(const parley_c2a_call_t *c, uint32_t glyphs)
{
    unsigned       i;
    parley_str_t  *ret;

    if (glyphs == PARLEY_JSON_NONE) {
        return 0;
    }

    ret = parley_arena_alloc(c->arena,
                             PARLEY_CHAT_SIGNALS * sizeof(parley_str_t));
    if (ret == NULL) {
        return parley_error_memory(c->err);
    }

    c->call->glyphs = ret;
    ret[PARLEY_CHAT_SIGNAL_NONE] = parley_str_none;

    for (i = 0; i < PARLEY_C2A_SIGNALS; i++) {
        if (parley_msg_string(c->doc,
                              parley_json_get(c->doc, glyphs,
                                              parley_c2a_signals[i].name),
                              &ret[i + 1])
            != 0)
        {
            return parley_error_memory(c->err);
        }
    }

    return 0;
}


/* A response without an id that is a text belongs to no offer. */

static int
parley_c2a_call_response(const parley_c2a_call_t *c)
{
    uint32_t             result;
    parley_str_t         id;
    parley_chat_call_t  *call;

    call = c->call;
    call->kind = PARLEY_CHAT_CALL_RESPONSE;

    result = c->at[PARLEY_C2A_AT_RESULT];

    if (parley_msg_string(c->doc, c->at[PARLEY_C2A_AT_ID], &id) != 0) {
        return parley_error_memory(c->err);
    }

    parley_c2a_call_offer(id, &call->offer);

    if (result == PARLEY_JSON_NONE) {
        call->outcome = parley_c2a_call_failed(c->doc,
                                               c->at[PARLEY_C2A_AT_ERROR]);
        return 0;
    }

    result = parley_json_member(c->doc, result, PARLEY_ATOM_accepted);

    call->outcome = result != PARLEY_JSON_NONE
                    && parley_json_type(c->doc, result) == PARLEY_JSON_FALSE
                    ? PARLEY_CHAT_REFUSED : PARLEY_CHAT_ACCEPTED;

    return 0;
}


/* "retryable" of the data decides, else the code in the data. */

static parley_chat_outcome_t
parley_c2a_call_failed(const parley_json_t *doc, uint32_t error)
{
    int64_t        number;
    uint32_t       data, value;
    parley_str_t   word;
    parley_code_t  code;

    number = 0;
    (void) parley_json_integer(doc, parley_json_member(doc, error,
                                                       PARLEY_ATOM_code),
                               &number);

    if (number == PARLEY_MCP_METHOD_NOT_FOUND) {
        return PARLEY_CHAT_UNSUPPORTED;
    }

    data = parley_json_member(doc, error, PARLEY_ATOM_data);
    value = parley_json_member(doc, data, PARLEY_ATOM_retryable);

    if (value != PARLEY_JSON_NONE) {
        return parley_json_type(doc, value) == PARLEY_JSON_TRUE
               ? PARLEY_CHAT_RETRY : PARLEY_CHAT_REFUSED;
    }

    code = parley_msg_member(doc, data, PARLEY_ATOM_code, &word) == 0
           ? parley_error_code(word) : PARLEY_E_NONE;

    return (code != PARLEY_E_NONE && parley_error_info(code)->retryable)
           || number == parley_mcp_code_number(PARLEY_E_RATE_LIMITED)
           || number == parley_mcp_code_number(PARLEY_E_CAPACITY)
           ? PARLEY_CHAT_RETRY : PARLEY_CHAT_REFUSED;
}


/* Reads "<event>#<attempt>.<tag>" from its end: an event may contain "#". */

static void
parley_c2a_call_offer(parley_str_t text, parley_chat_offer_t *ret)
{
    int       digit;
    size_t    i, end;
    uint32_t  tag;
    unsigned  attempt, unit;

    end = text.len > PARLEY_C2A_CALL_TAG ? text.len - PARLEY_C2A_CALL_TAG - 1
                                         : 0;

    if (end == 0 || text.data[end] != '.') {
        return;
    }

    tag = 0;

    for (i = end + 1; i < text.len; i++) {
        digit = parley_hex_digit(text.data[i]);

        if (digit < 0) {
            return;
        }

        tag = tag << 4 | (uint32_t) digit;
    }

    attempt = 0;
    unit = 1;

    for (i = end; i > 0 && text.data[i - 1] >= '0' && text.data[i - 1] <= '9'
                  && unit <= PARLEY_C2A_CALL_ATTEMPTS; i--)
    {
        attempt += (unsigned) (text.data[i - 1] - '0') * unit;
        unit *= 10;
    }

    if (i < 2 || i == end || text.data[i] == '0' || text.data[i - 1] != '#') {
        return;
    }

    ret->id = parley_str_make(text.data, i - 1);
    ret->attempt = attempt;
    ret->tag = tag;
}


static int
parley_c2a_call_tool(const parley_c2a_call_t *c)
{
    uint32_t             value;
    parley_chat_args_t  *args;

    c->call->kind = PARLEY_CHAT_CALL_TOOL;

    args = &c->call->args;
    args->all.doc = c->doc;
    args->all.node = c->at[PARLEY_C2A_AT_ARGUMENTS];
    args->content = parley_json_ref_none;

    value = parley_json_member(c->doc, args->all.node,
                               c->call->tool == PARLEY_CHAT_LIST_EVENTS
                               ? PARLEY_ATOM_conversation
                               : PARLEY_ATOM_target);

    args->placed = value != PARLEY_JSON_NONE;

    if (parley_c2a_call_place(c->doc, value, &args->place) != 0) {
        return parley_error_memory(c->err);
    }

    return parley_c2a_call_texts(c) != 0 || parley_c2a_call_numbers(c) != 0
           ? -1 : parley_c2a_call_says(c);
}


static int
parley_c2a_call_texts(const parley_c2a_call_t *c)
{
    size_t               i;
    parley_str_t        *text;
    parley_chat_args_t  *args;

    args = &c->call->args;

    for (i = 0;
         i < sizeof(parley_c2a_call_members_text)
             / sizeof(parley_c2a_call_members_text[0]);
         i++)
    {
        text = (void *) ((uint8_t *) args
                         + parley_c2a_call_members_text[i].offset);

        if (parley_msg_member(c->doc, args->all.node,
                              parley_c2a_call_members_text[i].name, text)
            != 0)
        {
            return parley_error_memory(c->err);
        }
    }

    return 0;
}


static int
parley_c2a_call_numbers(const parley_c2a_call_t *c)
{
    int                  thread;
    uint32_t             policy;
    parley_str_t         since;
    parley_chat_args_t  *args;

    args = &c->call->args;
    thread = c->call->tool == PARLEY_CHAT_READ_THREAD;

    args->wait_ms = parley_c2a_call_number(c, PARLEY_ATOM_waitMs, INT64_MAX,
                                           0);
    args->ttl_ms = parley_c2a_call_number(c, PARLEY_ATOM_ttlMs,
                                          PARLEY_CHAT_TTL_MAX, -1);
    args->limit = (unsigned)
        parley_c2a_call_number(c, PARLEY_ATOM_limit,
                               thread ? PARLEY_CHAT_READ_MAX
                                      : PARLEY_CHAT_LIST_MAX,
                               thread ? PARLEY_CHAT_READ : PARLEY_CHAT_LIST);
    args->sent = (unsigned) parley_c2a_call_true(c->doc, args->all.node,
                                                 PARLEY_STR("sent"));

    policy = parley_json_member(c->doc, args->all.node, PARLEY_ATOM_policy);
    args->policy = policy != PARLEY_JSON_NONE
                   ? (int) parley_c2a_chat_word(c->doc, policy,
                                                parley_c2a_policy_words,
                                                PARLEY_CHAT_POLICIES, 0)
                   : -1;

    args->since_ms = -1;

    if (parley_msg_member(c->doc, args->all.node, PARLEY_ATOM_since, &since)
        != 0)
    {
        return parley_error_memory(c->err);
    }

    (void) parley_time_parse(since, &args->since_ms);

    return 0;
}


/* Reads the words of a tool, and checks that a sent message has content. */

static int
parley_c2a_call_says(const parley_c2a_call_t *c)
{
    uint32_t                    all, text;
    parley_chat_args_t         *args;
    const parley_json_t        *doc;
    const parley_c2a_signal_t  *signal;

    doc = c->doc;
    args = &c->call->args;
    all = args->all.node;

    if (c->call->tool == PARLEY_CHAT_REACT) {
        signal = parley_c2a_signal(doc, c->at[PARLEY_C2A_AT_SIGNAL]);
        args->signal = signal == NULL ? PARLEY_CHAT_SIGNAL_NONE
                       : (parley_chat_signal_t)
                         (signal - parley_c2a_signals + 1);
    }

    if (c->call->tool != PARLEY_CHAT_SEND_MESSAGE) {
        return 0;
    }

    args->content.doc = doc;
    args->content.node = c->at[PARLEY_C2A_AT_CONTENT];

    args->directedness = (parley_chat_directedness_t)
        parley_c2a_chat_word(doc, c->at[PARLEY_C2A_AT_DIRECTEDNESS],
                             parley_c2a_directednesses,
                             PARLEY_CHAT_DIRECTEDNESSES, PARLEY_CHAT_AMBIENT);
    args->visibility = (parley_chat_kind_t)
        parley_c2a_chat_word(doc, parley_json_member(doc, all,
                                                     PARLEY_ATOM_visibility),
                             parley_c2a_kinds, PARLEY_CHAT_SYSTEM,
                             PARLEY_CHAT_CHANNEL);

    text = parley_json_member(doc, all, PARLEY_ATOM_text);

    if (text == PARLEY_JSON_NONE && args->content.node == PARLEY_JSON_NONE) {
        return parley_error_set(c->err, PARLEY_E_FIELD_MISSING,
                                "/params/arguments/text",
                                "a message needs a text or a content");
    }

    if (text != PARLEY_JSON_NONE && args->content.node != PARLEY_JSON_NONE) {
        return parley_error_set(c->err, PARLEY_E_FIELD_INVALID,
                                "/params/arguments/text",
                                "a message has either a text or a content");
    }

    return parley_c2a_chat_mentions(c->arena, doc,
                                    parley_json_member(doc, all,
                                                       PARLEY_ATOM_mentions),
                                    "/params/arguments/mentions",
                                    &args->mentions, &args->nmentions, c->err);
}


/*
 * Reads a place: a text; an object with the members of a conversation; or the
 * params of a surface, which have "source" and "conversation".  Returns 0, or
 * -1 if memory is exhausted.
 */

static int
parley_c2a_call_place(const parley_json_t *doc, uint32_t value,
    parley_chat_place_t *ret)
{
    uint32_t      source, inner;
    parley_str_t  text;

    memset(ret, 0, sizeof(parley_chat_place_t));
    ret->kind = PARLEY_CHAT_KINDS;

    if (value == PARLEY_JSON_NONE) {
        return 0;
    }

    if (parley_json_type(doc, value) == PARLEY_JSON_STRING) {
        if (parley_msg_string(doc, value, &text) != 0) {
            return -1;
        }

        parley_c2a_call_named(text, ret);
        return 0;
    }

    source = parley_json_member(doc, value, PARLEY_ATOM_source);
    inner = parley_json_member(doc, value, PARLEY_ATOM_conversation);
    value = inner != PARLEY_JSON_NONE ? inner : value;

    if (parley_msg_member(doc, value, PARLEY_ATOM_recipient, &ret->name) != 0)
    {
        return -1;
    }

    if (ret->name.len > 0) {
        return 0;
    }

    ret->kind = (parley_chat_kind_t)
        parley_c2a_chat_word(doc, parley_json_member(doc, value,
                                                     PARLEY_ATOM_kind),
                             parley_c2a_kinds, PARLEY_CHAT_KINDS,
                             PARLEY_CHAT_KINDS);

    return parley_msg_member(doc, source, PARLEY_ATOM_platform,
                             &ret->platform)
           != 0
           || parley_msg_member(doc, source, PARLEY_ATOM_workspaceId,
                                &ret->workspace)
              != 0
           || parley_msg_member(doc, value, PARLEY_ATOM_id, &ret->id) != 0
           || parley_msg_member(doc, value, PARLEY_ATOM_threadId,
                                &ret->thread)
              != 0
           || parley_msg_member(doc, value, PARLEY_ATOM_streamId,
                                &ret->stream)
              != 0
           ? -1 : 0;
}


/* "channel:C", "dm:D" and "thread:T" are places, every other text is a name. */

static void
parley_c2a_call_named(parley_str_t text, parley_chat_place_t *ret)
{
    unsigned      i;
    parley_str_t  kind, rest;

    kind = parley_str_until(text, ':');
    rest = kind.len < text.len ? parley_str_from(text, kind.len + 1)
                               : parley_str_none;

    for (i = 0; rest.len > 0 && i < PARLEY_CHAT_KINDS; i++) {

        if (!parley_str_eq(kind, parley_c2a_kinds[i])) {
            continue;
        }

        ret->kind = (parley_chat_kind_t) i;

        if (i == PARLEY_CHAT_THREAD) {
            ret->thread = rest;

        } else {
            ret->id = rest;
        }

        return;
    }

    ret->name = text;
}


static int64_t
parley_c2a_call_number(const parley_c2a_call_t *c, parley_atom_t name,
    int64_t most, int64_t absent)
{
    int64_t   n;
    uint32_t  value;

    value = parley_json_member(c->doc, c->call->args.all.node, name);

    if (value == PARLEY_JSON_NONE
        || parley_json_integer(c->doc, value, &n) != 0)
    {
        return absent;
    }

    return n < most ? n : most;
}


static int
parley_c2a_call_true(const parley_json_t *doc, uint32_t object,
    parley_str_t name)
{
    uint32_t  value;

    value = parley_json_get(doc, object, name);

    return value != PARLEY_JSON_NONE
           && parley_json_type(doc, value) == PARLEY_JSON_TRUE;
}
