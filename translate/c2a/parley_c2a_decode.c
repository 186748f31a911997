/*
 * Reads a request or a notification:
 *
 *   {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
 *     "name": "chat.react", "arguments": {"inReplyTo": "evt_123",
 *     "signal": "done"}, "_meta": {"progressToken": 7}}}
 *
 * and a JSON-RPC response, with which a client answers a request of the
 * service.  First the form and the parties are read, of any message; then, of a
 * valid one, the envelope and the text.
 */

#include "translate/c2a/parley_c2a.h"


/* maximum octets of the conversation for an answer */
#define PARLEY_C2A_PLACE_MAX  512

static int parley_c2a_decode_by(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_json_t *doc, int host,
    parley_msg_t *msg, parley_error_t *err);
static int parley_c2a_valid(const parley_engine_t *engine,
    const parley_json_t *doc, parley_c2a_form_t form, int host,
    parley_error_t *err);
static int parley_c2a_response(const uint32_t *at, parley_error_t *err);
static int parley_c2a_peek(parley_arena_t *arena, parley_msg_t *msg,
    const uint32_t *at, parley_c2a_form_t form);
static int parley_c2a_peek_event(parley_arena_t *arena, parley_msg_t *msg,
    const uint32_t *at);
static int parley_c2a_peek_call(parley_arena_t *arena, parley_msg_t *msg,
    const uint32_t *at, parley_c2a_form_t form);
static int parley_c2a_peek_intent(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t name);
static void parley_c2a_peek_token(parley_msg_t *msg, uint32_t meta);
static int parley_c2a_peek_place(parley_arena_t *arena, parley_msg_t *msg,
    const uint32_t *at);
static int parley_c2a_is_dm(const parley_json_t *doc, uint32_t kind);
static int parley_c2a_peek_name(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t target);
static int parley_c2a_channel(parley_arena_t *arena, parley_msg_t *msg,
    parley_str_t name);
static int parley_c2a_derived_id(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t params);
static void parley_c2a_escape(parley_buf_t *b, parley_str_t s);
static int parley_c2a_is_written(const parley_msg_t *m, parley_str_t corr);
static int parley_c2a_is_version(const parley_json_t *doc, uint32_t value);


int
parley_c2a_decode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, int mve5, parley_msg_t *msg,
    parley_error_t *err)
{
    (void) mve5;

    return parley_c2a_decode_by(engine, arena, doc, 0, msg, err);
}


int
parley_c2a_chat_decode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, parley_msg_t *msg, parley_error_t *err)
{
    parley_error_clear(err);
    parley_msg_init(msg, PARLEY_PROTO_C2A, doc);

    return parley_c2a_decode_by(engine, arena, doc, 1, msg, err);
}


static int
parley_c2a_decode_by(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, int host, parley_msg_t *msg,
    parley_error_t *err)
{
    uint32_t             version;
    const uint32_t      *at;
    parley_c2a_form_t    form;
    parley_c2a_places_t  places;

    at = places.at;
    form = parley_c2a_places_find(&places, doc);

    if (form != PARLEY_C2A_FORMS
        && parley_c2a_peek(arena, msg, at, form) != 0)
    {
        return parley_error_memory(err);
    }

    version = at[PARLEY_C2A_AT_JSONRPC];

    if (version != PARLEY_JSON_NONE
        && !parley_json_string_is(doc, version, PARLEY_STR("2.0")))
    {
        return parley_error_set(err, PARLEY_E_ENVELOPE_VERSION_UNSUPPORTED,
                                "/jsonrpc", "/jsonrpc must be the string "
                                "\"2.0\"");
    }

    if ((form == PARLEY_C2A_RESPONSE
         ? parley_c2a_response(at, err)
         : parley_c2a_valid(engine, doc, form, host, err))
        != 0)
    {
        return -1;
    }

    /*
     * An event may carry one message, which is then read; a sent message none.
     */

    if ((form == PARLEY_C2A_DELIVER || form == PARLEY_C2A_SEND_MESSAGE)
        && parley_c2a_parts(doc, at[PARLEY_C2A_AT_CONTENT],
                            form == PARLEY_C2A_DELIVER, err)
           != 0)
    {
        return -1;
    }

    return parley_c2a_fill(arena, msg, at, form) == 0
           ? 0 : parley_error_memory(err);
}


static int
parley_c2a_valid(const parley_engine_t *engine, const parley_json_t *doc,
    parley_c2a_form_t form, int host, parley_error_t *err)
{
    parley_json_ref_t  root = { doc, 0 };

    return host ? parley_validate_part(engine, PARLEY_PROTO_C2A,
                                       form == PARLEY_C2A_DELIVER
                                       ? PARLEY_C2A_SUBMISSION
                                       : PARLEY_C2A_HOST, root, err)
                : parley_validate(engine, PARLEY_PROTO_C2A, doc, err);
}


/*
 * Checks a response: {"jsonrpc", "id", "result"}, or "error" instead of
 * "result".
 */

static int
parley_c2a_response(const uint32_t *at, parley_error_t *err)
{
    const char  *lacks;

    lacks = at[PARLEY_C2A_AT_JSONRPC] == PARLEY_JSON_NONE ? "/jsonrpc"
            : at[PARLEY_C2A_AT_ID] == PARLEY_JSON_NONE ? "/id" : NULL;

    if (lacks != NULL) {
        return parley_error_set(err, PARLEY_E_FIELD_MISSING, lacks,
                                "%s is required", lacks);
    }

    if (at[PARLEY_C2A_AT_RESULT] != PARLEY_JSON_NONE
        && at[PARLEY_C2A_AT_ERROR] != PARLEY_JSON_NONE)
    {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, "/error",
                                "a response must have either a result or an "
                                "error");
    }

    return 0;
}


/*
 * Fills form, intent, id, sender, recipient, corr and reply_to, as far as they
 * can be read.  The message need not be valid.  Returns 0, or -1 if memory is
 * exhausted.
 */

static int
parley_c2a_peek(parley_arena_t *arena, parley_msg_t *msg,
    const uint32_t *at, parley_c2a_form_t form)
{
    int                            rc;
    const parley_c2a_form_info_t  *info;

    info = parley_c2a_form_info(form);

    msg->form = info->form;
    msg->intent = info->intent;
    msg->act = info->act;
    msg->priority = info->priority;
    msg->native = info->native;
    msg->local = form == PARLEY_C2A_RESPONSE;

    parley_c2a_peek_token(msg, at[PARLEY_C2A_AT_META]);

    if (parley_c2a_scalar(msg->doc, at[PARLEY_C2A_AT_ID], &msg->call) != 0) {
        return -1;
    }

    switch (form) {

    case PARLEY_C2A_DELIVER:
        return parley_c2a_peek_event(arena, msg, at);

    case PARLEY_C2A_METHOD:

        if (at[PARLEY_C2A_AT_ID] == PARLEY_JSON_NONE) {
            msg->act = PARLEY_ACT_EVENT;
        }

        rc = parley_c2a_peek_intent(arena, msg, at[PARLEY_C2A_AT_METHOD]);
        break;

    case PARLEY_C2A_TOOL:
        rc = parley_c2a_peek_intent(arena, msg, at[PARLEY_C2A_AT_NAME]);
        break;

    default:
        rc = msg->native ? 0 : parley_c2a_peek_call(arena, msg, at, form);
    }

    return rc != 0 || msg->id.len > 0
           ? rc
           : parley_c2a_derived_id(arena, msg, at[PARLEY_C2A_AT_PARAMS]);
}


static int
parley_c2a_peek_event(parley_arena_t *arena, parley_msg_t *msg,
    const uint32_t *at)
{
    uint8_t              *p;
    parley_str_t          kind, id;
    const parley_json_t  *doc;

    doc = msg->doc;

    if (parley_msg_string(doc, at[PARLEY_C2A_AT_EVENT_ID], &msg->id) != 0
        || parley_msg_string(doc, at[PARLEY_C2A_AT_AUTHOR_KIND], &kind) != 0
        || parley_msg_string(doc, at[PARLEY_C2A_AT_AUTHOR_ID], &id) != 0)
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

    return parley_c2a_peek_place(arena, msg, at);
}


/*
 * Reads the key, the place and the answered event of a tool call, or the
 * cancelled request and the token of a notification.  A tool that only reads
 * may be called repeatedly, so that its key is not an id.
 */

static int
parley_c2a_peek_call(parley_arena_t *arena, parley_msg_t *msg,
    const uint32_t *at, parley_c2a_form_t form)
{
    const parley_json_t  *doc;

    doc = msg->doc;

    if (!parley_c2a_form_info(form)->tool) {

        if (parley_c2a_scalar(doc, at[PARLEY_C2A_AT_REQUEST], &msg->reply_to)
            != 0)
        {
            return -1;
        }

        msg->recalls = msg->reply_to;

        return parley_c2a_scalar(doc, at[PARLEY_C2A_AT_TOKEN], &msg->corr);
    }

    if (form != PARLEY_C2A_LIST_EVENTS && form != PARLEY_C2A_READ_THREAD
        && parley_msg_string(doc, at[PARLEY_C2A_AT_EVENT_ID], &msg->id) != 0)
    {
        return -1;
    }

    return parley_msg_string(doc, at[PARLEY_C2A_AT_IN_REPLY_TO],
                             &msg->reply_to) != 0
           ? -1 : parley_c2a_peek_place(arena, msg, at);
}


/*
 * Derives the intent: c2a.tools.list for "tools/list", c2a.chat.x for the tool
 * "chat_x".
 */

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


/*
 * Reads {"id", "threadId"}, in a target also with a recipient, or "kind:name".
 * Both give the correlation.  Without a recipient, the message is for the
 * conversation.  A place that is too long to store is ignored.
 */

static int
parley_c2a_peek_place(parley_arena_t *arena, parley_msg_t *msg,
    const uint32_t *at)
{
    uint32_t              value;
    parley_str_t          id, thread;
    const parley_json_t  *doc;

    doc = msg->doc;
    value = at[PARLEY_C2A_AT_CONVERSATION];

    if (value != PARLEY_JSON_NONE) {
        msg->place = parley_json_raw(doc, value);

        if (msg->place.len > PARLEY_C2A_PLACE_MAX) {
            msg->place = parley_str_none;
        }

        if (parley_json_type(doc, value) == PARLEY_JSON_STRING) {
            return parley_c2a_peek_name(arena, msg, value);
        }
    }

    if (parley_msg_string(doc, at[PARLEY_C2A_AT_RECIPIENT], &msg->recipient)
        != 0
        || parley_msg_string(doc, at[PARLEY_C2A_AT_CONVERSATION_ID], &id) != 0
        || parley_msg_string(doc, at[PARLEY_C2A_AT_THREAD_ID], &thread) != 0
        || parley_c2a_correlate(arena, id, thread, &msg->corr) != 0)
    {
        return -1;
    }

    if (msg->recipient.len > 0) {
        return 0;
    }

    msg->dm = parley_c2a_is_dm(doc, at[PARLEY_C2A_AT_CONVERSATION_KIND]);

    return parley_c2a_channel(arena, msg, id.len > 0 ? id : thread);
}


static int
parley_c2a_is_dm(const parley_json_t *doc, uint32_t kind)
{
    parley_str_t  text;

    return kind != PARLEY_JSON_NONE
           && parley_json_string(doc, kind, &text) == 0
           && parley_str_is(text, "dm");
}


/* Reads the name of a party, a conversation or a thread. */

static int
parley_c2a_peek_name(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t target)
{
    int             thread;
    parley_str_t    name;
    const uint8_t  *colon;

    if (parley_msg_string(msg->doc, target, &name) != 0) {
        return -1;
    }

    if (parley_str_begins(name, "agent:") || parley_str_begins(name, "human:")
        || parley_str_begins(name, "service:"))
    {
        msg->recipient = name;
        return 0;
    }

    thread = parley_str_begins(name, "thread:");
    colon = name.len > 0 ? memchr(name.data, ':', name.len) : NULL;

    if (colon != NULL) {
        name = parley_str_from(name, (size_t) (colon - name.data) + 1);
    }

    return parley_c2a_correlate(arena, thread ? parley_str_none : name,
                                thread ? name : parley_str_none, &msg->corr)
           != 0 ? -1 : parley_c2a_channel(arena, msg, name);
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


/*
 * Derives the id of a call without a key from its whole content: a retry with
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
    parley_buf_str(&b, parley_mcp_id(doc));
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


int
parley_c2a_correlate(parley_arena_t *arena, parley_str_t id,
    parley_str_t thread, parley_str_t *ret)
{
    parley_buf_t  b;

    if (thread.len == 0
        && (id.len == 0 || (memchr(id.data, '/', id.len) == NULL
                            && memchr(id.data, '%', id.len) == NULL)))
    {
        *ret = id;
        return 0;
    }

    parley_buf_init(&b, arena, id.len + thread.len + 8);
    parley_c2a_escape(&b, id);

    if (thread.len > 0) {
        parley_buf_octet(&b, '/');
        parley_c2a_escape(&b, thread);
    }

    return parley_buf_done(&b, ret);
}


static void
parley_c2a_escape(parley_buf_t *b, parley_str_t s)
{
    size_t  i;

    for (i = 0; i < s.len; i++) {
        switch (s.data[i]) {

        case '/':
            parley_buf_lit(b, "%2F");
            break;

        case '%':
            parley_buf_lit(b, "%25");
            break;

        default:
            parley_buf_octet(b, s.data[i]);
        }
    }
}


/*
 * Compares correlations.  The name of a thread ("thread:T") lacks the
 * conversation, the name of a channel lacks the thread.  The correlation of a
 * carried message is unchanged: the gateway writes it as the conversation or,
 * for a group, as the thread.
 */

int
parley_c2a_corr_is(const parley_msg_t *m, parley_str_t want)
{
    parley_str_t  said, id, thread, want_id, want_thread;

    said = m->corr;
    thread = parley_c2a_thread(said);
    want_thread = parley_c2a_thread(want);

    if (m->origin != m->wire) {
        return parley_c2a_is_written(m, want)
               || parley_c2a_is_written(m, want_thread);
    }

    if (parley_str_eq(said, want)) {
        return 1;
    }

    id = parley_str_until(said, '/');
    want_id = parley_str_until(want, '/');

    return ((id.len == 0 || want_id.len == 0) && thread.len > 0
            && parley_str_eq(thread, want_thread))
           || ((thread.len == 0 || want_thread.len == 0) && id.len > 0
               && parley_str_eq(id, want_id));
}


/* Returns whether corr is the written form of the message's correlation. */

static int
parley_c2a_is_written(const parley_msg_t *m, parley_str_t corr)
{
    parley_str_t  written;

    return parley_c2a_correlate(m->doc->arena, m->corr, parley_str_none,
                                &written) == 0
           && parley_str_eq(written, corr);
}


parley_str_t
parley_c2a_thread(parley_str_t corr)
{
    const uint8_t  *slash;

    slash = corr.len > 0 ? memchr(corr.data, '/', corr.len) : NULL;

    return slash != NULL
           ? parley_str_from(corr, (size_t) (slash - corr.data) + 1)
           : parley_str_none;
}


int
parley_c2a_is_tool(const parley_json_t *doc)
{
    parley_c2a_form_t  form;

    form = parley_c2a_form_of(doc);

    return form != PARLEY_C2A_FORMS && parley_c2a_form_info(form)->tool;
}


int
parley_c2a_is_mcp(const parley_json_t *doc)
{
    return parley_c2a_form_of(doc) == PARLEY_C2A_INITIALIZE
           && parley_c2a_is_version(doc,
                              parley_json_member(doc, parley_mcp_params(doc),
                                                PARLEY_ATOM_protocolVersion));
}


/* Returns whether a version is a date, as in MCP, but not that of the draft. */

static int
parley_c2a_is_version(const parley_json_t *doc, uint32_t value)
{
    size_t        i;
    parley_str_t  text;

    static const char  form[] = "0000-00-00";

    if (value == PARLEY_JSON_NONE
        || parley_json_type(doc, value) != PARLEY_JSON_STRING)
    {
        return 0;
    }

    text = parley_json_span(doc, value);

    if (text.len != sizeof(form) - 1
        || parley_str_is(text, PARLEY_C2A_VERSION))
    {
        return 0;
    }

    for (i = 0; i < text.len; i++) {
        if (form[i] == '-' ? text.data[i] != '-'
                           : text.data[i] < '0' || text.data[i] > '9')
        {
            return 0;
        }
    }

    return 1;
}


int
parley_c2a_corr(const parley_c2a_encode_t *e, parley_str_t *ret)
{
    parley_msg_t           back;
    const parley_codec_t  *codec;

    codec = parley_codecs[e->m->origin];

    *ret = e->thread.len > 0 ? e->thread : e->conversation;

    if ((e->opts->answering == NULL && e->m->corr.len > 0)
        || codec->payload == NULL)
    {
        return 0;
    }

    back = *e->m;
    back.corr = *ret;

    if (codec->payload(&back) != 0) {
        return parley_error_memory(e->err);
    }

    *ret = back.corr;

    return 0;
}


int
parley_c2a_spelling(const parley_json_t *doc, parley_error_t *err)
{
    return parley_c2a_spelling_of(doc, parley_c2a_form_of(doc), err);
}
