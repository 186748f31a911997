/*
 * The HTTP binding: a JSON-RPC response, from a service and for a C2A caller.
 * Its result is
 *
 *   {"accepted": true, "disposition": "claimed", "message": {...}}
 *
 * The optional message is an event as in the params of chat/deliver, or the
 * arguments of chat.send_message or chat.react.  For a tool call, this object
 * may be in "structuredContent", with "content" for a model.  Any other result
 * is the result of a tool, as in MCP:
 *
 *   {"content": [{"type": "text", "text": "no such thread"}],
 *    "isError": true}
 */

#include "translate/c2a/parley_c2a.h"
#include "translate/parley_msg_field.h"


#define PARLEY_C2A_REFUSED  422     /* default status of a refusal */


/* context of a decode */
typedef struct {
    const parley_engine_t   *engine;
    parley_arena_t          *arena;
    const parley_encoded_t  *sent;
    parley_answer_t         *answer;
    const parley_json_t     *doc;       /* document of the answer */
    const uint32_t          *at;        /* and its values */
    parley_error_t          *err;
} parley_c2a_read_t;


static int parley_c2a_answer_matches(const parley_c2a_read_t *r);
static int parley_c2a_answer_request(const parley_c2a_read_t *r);
static int parley_c2a_answer_refers(const parley_c2a_read_t *r);
static int parley_c2a_answer_error(const parley_c2a_read_t *r);
static void parley_c2a_answer_number(parley_answer_t *answer,
    int64_t number);
static void parley_c2a_answer_retry(uint32_t data, parley_answer_t *answer);
static int parley_c2a_answer_result(const parley_c2a_read_t *r);
static int parley_c2a_answer_failed(const parley_c2a_read_t *r);
static int parley_c2a_answer_message(const parley_c2a_read_t *r,
    uint32_t message);
static int parley_c2a_wrap(parley_arena_t *arena, const parley_json_t *doc,
    uint32_t message, parley_str_t *ret, const char **ret_within);
static int parley_c2a_answer_data(const parley_c2a_read_t *r, int failed);
static int parley_c2a_refused(parley_arena_t *arena,
    const parley_msg_t *request, const parley_failure_t *failure,
    parley_reply_t *ret);
static int parley_c2a_say(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_msg_t *msg, const parley_encode_opts_t *opts,
    parley_str_t *ret, parley_loss_t *loss, parley_error_t *err);


/* dispositions by act of the answer */
static const parley_chat_disposition_t  parley_c2a_answered[] = {
    [PARLEY_ACT_REQUEST] = PARLEY_CHAT_DEFERRED,
    [PARLEY_ACT_REPLY] = PARLEY_CHAT_RESPONDED,
    [PARLEY_ACT_FAILURE] = PARLEY_CHAT_FAILED,
    [PARLEY_ACT_EVENT] = PARLEY_CHAT_ACKNOWLEDGED,
    [PARLEY_ACT_PROGRESS] = PARLEY_CHAT_CLAIMED,
};


int
parley_c2a_answer_decode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err)
{
    int                  result, error;
    const uint32_t      *at;
    parley_c2a_read_t    r;
    parley_c2a_places_t  places;

    at = places.at;

    r.engine = engine;
    r.arena = arena;
    r.sent = sent;
    r.answer = answer;
    r.doc = &answer->doc;
    r.at = at;
    r.err = err;

    parley_c2a_places_answer(&places, r.doc);

    if (at[PARLEY_C2A_AT_METHOD] != PARLEY_JSON_NONE) {
        return parley_c2a_answer_request(&r);
    }

    result = at[PARLEY_C2A_AT_RESULT] != PARLEY_JSON_NONE;
    error = at[PARLEY_C2A_AT_ERROR] != PARLEY_JSON_NONE;

    if (!result && !error && answer->status == 202) {
        return 0;
    }

    if (!parley_json_string_is(r.doc, at[PARLEY_C2A_AT_JSONRPC],
                               PARLEY_STR("2.0")))
    {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/jsonrpc",
                                "the answer must be a JSON-RPC 2.0 response");
    }

    if (result == error) {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/result",
                                "a response must have either a result or an "
                                "error");
    }

    if (parley_c2a_answer_matches(&r) != 0) {
        return -1;
    }

    parley_answer_was_read(answer, at[PARLEY_C2A_AT_JSONRPC]);
    parley_answer_was_read(answer, at[PARLEY_C2A_AT_ID]);

    if (error) {
        return parley_c2a_answer_error(&r);
    }

    if (answer->status >= 300) {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/result",
                                "a result needs an HTTP status below 300");
    }

    return parley_c2a_answer_result(&r);
}


/*
 * Checks that the id is that of the call.  In a call from the gateway, it is
 * the message's own id.  An error may have null if the service could not read
 * the id.
 */

static int
parley_c2a_answer_matches(const parley_c2a_read_t *r)
{
    parley_json_t      call;
    parley_json_ref_t  got, want;

    got.doc = r->doc;
    got.node = r->at[PARLEY_C2A_AT_ID];

    if ((!r->sent->copied
         && parley_json_string_is(got.doc, got.node, r->sent->id))
        || (got.node != PARLEY_JSON_NONE
            && parley_json_type(got.doc, got.node) == PARLEY_JSON_NULL
            && r->at[PARLEY_C2A_AT_ERROR] != PARLEY_JSON_NONE))
    {
        return 0;
    }

    if (parley_read_again(&call, r->arena, r->doc->seed, r->sent->body,
                          r->err)
        != 0)
    {
        return -1;
    }

    want.doc = &call;
    want.node = parley_json_member(&call, 0, PARLEY_ATOM_id);

    if (got.node != PARLEY_JSON_NONE && want.node != PARLEY_JSON_NONE
        && parley_json_equal(got, want))
    {
        return 0;
    }

    return parley_error_set(r->err, PARLEY_E_UPSTREAM_INVALID, "/id",
                            "/id must be the id of the answered call");
}


/*
 * Reads a message alone, which is also an answer, for example from a stream of
 * events.
 */

static int
parley_c2a_answer_request(const parley_c2a_read_t *r)
{
    parley_msg_t  *msg;

    msg = &r->answer->msg;

    if (parley_decode(r->engine, r->arena, PARLEY_PROTO_C2A, r->doc, 0, msg,
                      r->err)
        != 0
        || ((msg->act == PARLEY_ACT_REPLY || msg->act == PARLEY_ACT_FAILURE)
            && parley_c2a_answer_refers(r) != 0))
    {
        return -1;
    }

    if (parley_str_eq(msg->reply_to, r->sent->id)) {
        parley_c2a_answers(msg, r->sent->approval);
    }

    r->answer->kind = PARLEY_ANSWER_MESSAGE;

    return 0;
}


/*
 * Checks the answered message and the conversation of an answer (SEC-08).  An
 * answer in C2A's own words must have the conversation or the thread of the
 * question.
 */

static int
parley_c2a_answer_refers(const parley_c2a_read_t *r)
{
    const parley_msg_t      *msg;
    const parley_encoded_t  *sent;

    msg = &r->answer->msg;
    sent = r->sent;

    if (msg->reply_to.len > 0 && !parley_str_eq(msg->reply_to, sent->id)) {
        return parley_msg_misrefers(msg, PARLEY_E_UPSTREAM_INVALID,
                                    "the answer refers to another message than "
                                    "the answered one", r->err);
    }

    if (msg->origin == PARLEY_PROTO_C2A && msg->corr.len > 0
        && sent->corr.len > 0 && !parley_c2a_corr_is(msg, sent->corr))
    {
        return parley_error_set(r->err, PARLEY_E_UPSTREAM_INVALID,
                                parley_at(msg, PARLEY_MSG_CORR).pointer,
                                "the answer must be in the conversation of the "
                                "answered message");
    }

    return 0;
}


static int
parley_c2a_answer_error(const parley_c2a_read_t *r)
{
    int64_t               number;
    uint32_t              error, data, value;
    parley_answer_t      *answer;
    const parley_json_t  *doc;

    doc = r->doc;
    answer = r->answer;
    error = r->at[PARLEY_C2A_AT_ERROR];
    data = parley_json_member(doc, error, PARLEY_ATOM_data);

    if (parley_answer_words(answer, data,
                            parley_json_member(doc, error,
                                               PARLEY_ATOM_message))
        != 0)
    {
        return parley_error_memory(r->err);
    }

    number = 0;
    value = parley_json_member(doc, error, PARLEY_ATOM_code);
    (void) parley_json_integer(doc, value, &number);

    parley_answer_was_read(answer, value);

    parley_c2a_answer_number(answer, number);
    parley_c2a_answer_retry(data, answer);

    answer->kind = PARLEY_ANSWER_REFUSED;

    return 0;
}


/*
 * Finds the status in a number of Parley, and also the code and whether another
 * attempt is allowed, if the answer has no known code.  Later steps must not
 * treat a refusal as a success.
 */

static void
parley_c2a_answer_number(parley_answer_t *answer, int64_t number)
{
    unsigned       i;
    parley_code_t  code;

    static const parley_code_t  again[] = {
        PARLEY_E_MESSAGE_IN_FLIGHT, PARLEY_E_RATE_LIMITED, PARLEY_E_CAPACITY
    };

    code = parley_error_code(answer->code);

    for (i = 0; code == PARLEY_E_NONE
                && i < sizeof(again) / sizeof(again[0]); i++)
    {
        if (number == parley_mcp_code_number(again[i])) {
            code = again[i];
            answer->code = parley_error_info(code)->word;
        }
    }

    if (answer->status < 300) {
        answer->status = number <= PARLEY_MCP_NUMBERS - 400
                         && number > PARLEY_MCP_NUMBERS - 600
                         ? (int) (PARLEY_MCP_NUMBERS - number)
                         : PARLEY_C2A_REFUSED;
    }

    answer->retryable = code != PARLEY_E_NONE
                        && parley_error_info(code)->retryable;
}


/*
 * Reads retryable and backoff_ms, which the gateway writes for an AEE error.
 * They override the code.
 */

static void
parley_c2a_answer_retry(uint32_t data, parley_answer_t *answer)
{
    uint32_t              value;
    const parley_json_t  *doc;

    doc = &answer->doc;
    value = parley_json_member(doc, data, PARLEY_ATOM_retryable);

    if (value != PARLEY_JSON_NONE
        && (parley_json_type(doc, value) == PARLEY_JSON_TRUE
            || parley_json_type(doc, value) == PARLEY_JSON_FALSE))
    {
        answer->outright = 1;
        answer->retryable = parley_json_type(doc, value) == PARLEY_JSON_TRUE;
        answer->at_retryable = value;

        parley_answer_was_read(answer, value);
    }

    value = parley_json_get(doc, data, PARLEY_STR("backoff_ms"));

    if (value != PARLEY_JSON_NONE
        && parley_json_integer(doc, value, &answer->wait_ms) == 0
        && answer->wait_ms >= 0)
    {
        answer->waits = 1;
        answer->at_wait = value;

        parley_answer_was_read(answer, value);
    }
}


static int
parley_c2a_answer_result(const parley_c2a_read_t *r)
{
    int                   failed, accepts, disposes;
    uint32_t              result, message, value;
    const uint32_t       *at;
    const parley_json_t  *doc;

    doc = r->doc;
    at = r->at;

    result = at[PARLEY_C2A_AT_RESULT];
    message = at[PARLEY_C2A_AT_MESSAGE];
    accepts = at[PARLEY_C2A_AT_ACCEPTED] != PARLEY_JSON_NONE;
    disposes = at[PARLEY_C2A_AT_DISPOSITION] != PARLEY_JSON_NONE;

    r->answer->at = "/result/message";

    if (message == PARLEY_JSON_NONE && accepts) {
        value = parley_json_get(doc, result, PARLEY_STR("structuredContent"));
        message = parley_json_member(doc, value, PARLEY_ATOM_message);
        r->answer->at = "/result/structuredContent/message";
    }

    value = parley_json_get(doc, result, PARLEY_STR("isError"));

    failed = value != PARLEY_JSON_NONE
             && parley_json_type(doc, value) == PARLEY_JSON_TRUE;

    if ((accepts && parley_json_type(doc, at[PARLEY_C2A_AT_ACCEPTED])
                    == PARLEY_JSON_FALSE)
        || (message == PARLEY_JSON_NONE
            && parley_json_string_is(doc, at[PARLEY_C2A_AT_DISPOSITION],
                                     PARLEY_STR("failed"))))
    {
        return parley_c2a_answer_failed(r);
    }

    if (message != PARLEY_JSON_NONE
        && parley_json_type(doc, message) == PARLEY_JSON_OBJECT)
    {
        return parley_c2a_answer_message(r, message);
    }

    r->answer->at = NULL;

    if (!failed
        && (accepts || disposes
            || parley_json_type(doc, result) != PARLEY_JSON_OBJECT
            || parley_json_node(doc, result)->count == 0))
    {
        return 0;
    }

    return parley_c2a_answer_data(r, failed);
}


/* Reads a refusal without a code.  Its members except the reason are lost. */

static int
parley_c2a_answer_failed(const parley_c2a_read_t *r)
{
    uint32_t          reason, disposition;
    parley_answer_t  *answer;

    answer = r->answer;
    answer->at = NULL;
    reason = r->at[PARLEY_C2A_AT_REASON];
    disposition = r->at[PARLEY_C2A_AT_DISPOSITION];

    if (parley_msg_string(r->doc, reason, &answer->message) != 0) {
        return parley_error_memory(r->err);
    }

    parley_answer_was_read(answer, r->at[PARLEY_C2A_AT_ACCEPTED]);

    if (parley_json_string_is(r->doc, disposition, PARLEY_STR("failed"))) {
        parley_answer_was_read(answer, disposition);
    }

    if (answer->message.len > 0) {
        parley_answer_was_read(answer, reason);

    } else {
        answer->message = PARLEY_STR("the event was not accepted");
    }

    answer->kind = PARLEY_ANSWER_REFUSED;
    answer->status = PARLEY_C2A_REFUSED;

    return 0;
}


/*
 * Reads a message in a result.  It answers the call, even if it does not say
 * so.
 */

static int
parley_c2a_answer_message(const parley_c2a_read_t *r, uint32_t message)
{
    parley_str_t    text;
    parley_msg_t   *msg;
    parley_json_t  *doc;

    msg = &r->answer->msg;

    doc = parley_arena_alloc(r->arena, sizeof(parley_json_t));

    if (doc == NULL
        || parley_c2a_wrap(r->arena, r->doc, message, &text,
                           &r->answer->within)
           != 0)
    {
        return parley_error_memory(r->err);
    }

    if (parley_read_again(doc, r->arena, r->doc->seed, text, r->err) != 0
        || parley_decode(r->engine, r->arena, PARLEY_PROTO_C2A, doc, 0, msg,
                         r->err)
           != 0
        || parley_c2a_answer_refers(r) != 0)
    {
        return -1;
    }

    if (msg->origin == PARLEY_PROTO_C2A
        && (msg->act == PARLEY_ACT_EVENT || msg->act == PARLEY_ACT_REQUEST))
    {
        msg->act = PARLEY_ACT_REPLY;
    }

    parley_c2a_answers(msg, r->sent->approval);

    msg->reply_to = r->sent->id;
    r->answer->kind = PARLEY_ANSWER_MESSAGE;

    return 0;
}


/*
 * Writes the message in a result as a full message.  *ret_within is its place
 * in that.
 */

static int
parley_c2a_wrap(parley_arena_t *arena, const parley_json_t *doc,
    uint32_t message, parley_str_t *ret, const char **ret_within)
{
    int           tool;
    parley_buf_t  b;

    tool = parley_json_member(doc, message, PARLEY_ATOM_eventId)
           == PARLEY_JSON_NONE;

    *ret_within = tool ? "/params/arguments" : "/params";

    parley_buf_init(&b, arena, 0);
    parley_buf_lit(&b, "{\"jsonrpc\":\"2.0\"");
    parley_buf_member(&b, PARLEY_STR("method"),
                      tool ? PARLEY_STR("tools/call")
                           : PARLEY_STR("chat/deliver"));
    parley_buf_lit(&b, ",\"params\":");

    if (tool) {
        parley_buf_octet(&b, '{');
        parley_buf_member(&b, PARLEY_STR("name"),
                          parley_json_member(doc, message, PARLEY_ATOM_signal)
                          != PARLEY_JSON_NONE
                          ? PARLEY_STR("chat.react")
                          : PARLEY_STR("chat.send_message"));
        parley_buf_lit(&b, ",\"arguments\":");
    }

    parley_buf_str(&b, parley_json_raw(doc, message));
    parley_buf_str(&b, tool ? PARLEY_STR("}}") : PARLEY_STR("}"));

    return parley_buf_done(&b, ret);
}


/* Uses the result of a tool as the answer, as a model does. */

static int
parley_c2a_answer_data(const parley_c2a_read_t *r, int failed)
{
    parley_msg_t  *msg;

    msg = &r->answer->msg;

    parley_msg_init(msg, PARLEY_PROTO_C2A, r->doc);

    msg->act = failed ? PARLEY_ACT_FAILURE : PARLEY_ACT_REPLY;
    msg->form = PARLEY_STR("result");
    msg->intent = PARLEY_STR("c2a.result");
    msg->reply_to = r->sent->id;
    msg->data.doc = r->doc;
    msg->data.node = r->at[PARLEY_C2A_AT_RESULT];

    if (parley_msg_derive(r->arena, msg, 8, r->sent->id, PARLEY_STR("result"),
                          &msg->id)
        != 0
        || parley_c2a_text(msg, r->doc, r->at[PARLEY_C2A_AT_CONTENT]) != 0
        || (failed && parley_c2a_words_failed(msg, msg->data.node) != 0))
    {
        return parley_error_memory(r->err);
    }

    r->answer->kind = PARLEY_ANSWER_MESSAGE;

    return 0;
}


int
parley_c2a_answer_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_answer_t *answer, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_reply_t *ret, parley_loss_t *loss,
    parley_error_t *err)
{
    parley_c2a_said_t  said;
    parley_failure_t   failure;

    (void) now_ms;

    /* An error status means that the service did not accept the message. */

    if ((answer->kind == PARLEY_ANSWER_REFUSED || answer->status >= 300)
        && parley_answer_failed(answer, PARLEY_FAILURE_RETRY, &failure, loss))
    {
        return parley_c2a_refused(arena, request, &failure, ret) == 0
               ? 0 : parley_error_memory(err);
    }

    if (!parley_mcp_is_call(request->doc)) {

        if (answer->kind == PARLEY_ANSWER_MESSAGE) {
            parley_loss_pointer(loss, "");
        }

        ret->status = 202;
        return 0;
    }

    memset(&said, 0, sizeof(parley_c2a_said_t));

    said.doc = request->doc;
    said.disposition = parley_c2a_disposition(request);
    said.delivered = answer->counted ? answer->delivered : -1;

    if (answer->kind == PARLEY_ANSWER_MESSAGE) {
        said.msg = &answer->msg;
        said.disposition = parley_c2a_answered[answer->msg.act];

        if (answer->msg.act == PARLEY_ACT_PROGRESS) {

            /* Progress needs a notification, and there is only one response. */

            parley_loss_at(loss, &answer->msg, PARLEY_MSG_DATA);

        } else if (parley_c2a_say(engine, arena, request, &answer->msg, opts,
                                  &said.message, loss, err)
                   != 0)
        {
            return -1;
        }
    }

    return parley_c2a_accepted(arena, &said, ret, err);
}


/*
 * Writes a refusal.  An unknown code is in data as received; the number shows
 * the status.
 */

static int
parley_c2a_refused(parley_arena_t *arena, const parley_msg_t *request,
    const parley_failure_t *failure, parley_reply_t *ret)
{
    parley_mcp_why_t  why;

    ret->status = failure->status;

    memset(&why, 0, sizeof(parley_mcp_why_t));

    why.doc = request->doc;
    why.number = failure->code != PARLEY_E_NONE
                 ? parley_mcp_code_number(failure->code)
                 : PARLEY_MCP_NUMBERS - failure->status;
    why.code = failure->word;
    why.field = failure->field;
    why.message = failure->message;
    why.retryable = failure->retryable;
    why.backoff_ms = failure->backoff_ms;

    why.tool = parley_c2a_is_tool(request->doc) ? 1 : 0;
    why.mcp = request->mcp;

    return parley_mcp_fail(arena, &why, ret);
}


/*
 * Writes the answer as an event, or as a call.  If C2A cannot express it, it is
 * lost, and *ret is empty.
 */

static int
parley_c2a_say(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *request, const parley_msg_t *msg,
    const parley_encode_opts_t *opts, parley_str_t *ret, parley_loss_t *loss,
    parley_error_t *err)
{
    uint32_t              node, params;
    parley_json_t         doc;
    parley_encoded_t      made;
    parley_encode_opts_t  answering;

    answering = *opts;
    answering.answering = request;

    *ret = parley_str_none;

    if (parley_encode(engine, arena, PARLEY_PROTO_C2A, msg, &answering,
                      &made, loss, err)
        != 0)
    {
        if (err->code == PARLEY_E_CAPACITY
            || err->code == PARLEY_E_REPLY_UNMATCHED)
        {
            return -1;
        }

        parley_loss_pointer(loss, err->field);
        parley_error_clear(err);

        return 0;
    }

    if (parley_read_again(&doc, arena, msg->doc->seed, made.body, err) != 0) {
        return -1;
    }

    params = parley_mcp_params(&doc);
    node = parley_json_member(&doc, params, PARLEY_ATOM_arguments);

    *ret = parley_json_raw(&doc, node != PARLEY_JSON_NONE ? node : params);

    return 0;
}
