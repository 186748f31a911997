/*
 * The HTTP binding: a JSON-RPC response.  Its result is
 *
 *     {"accepted": true, "disposition": "claimed", "message": {...}}
 *
 * where message, if there is one, is an event as in the params of
 * chat/deliver, or the arguments of chat.send_message or chat.react; of a
 * tool call that may stand in "structuredContent".  Anything else is what a
 * tool returned, as in MCP:
 *
 *     {"content": [{"type": "text", "text": "no such thread"}],
 *      "isError": true}
 */

#include "parley_c2a_field.h"
#include "parley_id.h"
#include "parley_msg_field.h"


#define PARLEY_C2A_REFUSED  422     /* the status where nothing says another */


static int parley_c2a_answer_matches(parley_arena_t *arena,
    const parley_json_t *doc, const parley_c2a_places_t *places,
    const parley_encoded_t *sent, parley_error_t *err);
static int parley_c2a_answer_request(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    const parley_json_t *doc, parley_answer_t *answer, parley_error_t *err);
static int parley_c2a_answer_error(uint32_t error, parley_answer_t *answer,
    parley_error_t *err);
static void parley_c2a_answer_number(parley_answer_t *answer,
    int64_t number);
static void parley_c2a_answer_retry(uint32_t data, parley_answer_t *answer);
static int parley_c2a_answer_result(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    const parley_c2a_places_t *places, parley_answer_t *answer,
    parley_error_t *err);
static int parley_c2a_answer_failed(const parley_c2a_places_t *places,
    parley_answer_t *answer, parley_error_t *err);
static int parley_c2a_answer_message(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent, uint32_t message,
    parley_answer_t *answer, parley_error_t *err);
static int parley_c2a_answer_data(parley_arena_t *arena,
    const parley_encoded_t *sent, uint32_t result, int failed,
    parley_answer_t *answer, parley_error_t *err);
static int parley_c2a_answer_words(parley_arena_t *arena, uint32_t result,
    int failed, parley_msg_t *msg);
static int parley_c2a_wrap(parley_arena_t *arena, const parley_json_t *doc,
    uint32_t message, parley_str_t *ret, const char **ret_within);


int
parley_c2a_answer_decode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err)
{
    uint32_t              result, error;
    parley_c2a_places_t   places;
    const parley_json_t  *doc;

    doc = &answer->doc;

    parley_c2a_places_answer(&places, doc);

    if (places.at[PARLEY_C2A_AT_METHOD] != PARLEY_JSON_NONE) {
        return parley_c2a_answer_request(engine, arena, sent, doc, answer,
                                         err);
    }

    result = places.at[PARLEY_C2A_AT_RESULT];
    error = places.at[PARLEY_C2A_AT_ERROR];

    if (result == PARLEY_JSON_NONE && error == PARLEY_JSON_NONE
        && answer->status == 202)
    {
        return 0;
    }

    if (!parley_c2a_is(doc, places.at[PARLEY_C2A_AT_JSONRPC],
                       PARLEY_STR("2.0")))
    {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/jsonrpc",
                                "the answer is no JSON-RPC 2.0 response");
    }

    if ((result == PARLEY_JSON_NONE) == (error == PARLEY_JSON_NONE)) {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/result",
                                "a response has either a result or an error");
    }

    if (parley_c2a_answer_matches(arena, doc, &places, sent, err) != 0) {
        return -1;
    }

    if (error != PARLEY_JSON_NONE) {
        parley_answer_was_read(answer, places.at[PARLEY_C2A_AT_JSONRPC]);
        parley_answer_was_read(answer, places.at[PARLEY_C2A_AT_ID]);

        return parley_c2a_answer_error(error, answer, err);
    }

    if (answer->status >= 300) {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/result",
                                "a result does not go with the HTTP status");
    }

    return parley_c2a_answer_result(engine, arena, sent, &places, answer,
                                    err);
}


/*
 * The id is that of the call: the message's own where the gateway made it.
 * An error may have null, where the service could not read the id.
 */

static int
parley_c2a_answer_matches(parley_arena_t *arena, const parley_json_t *doc,
    const parley_c2a_places_t *places, const parley_encoded_t *sent,
    parley_error_t *err)
{
    uint32_t           id;
    parley_json_t      call;
    parley_json_ref_t  got, want;

    id = places->at[PARLEY_C2A_AT_ID];

    if (!sent->copied && parley_c2a_is(doc, id, sent->id)) {
        return 0;
    }

    if (id != PARLEY_JSON_NONE
        && parley_json_type(doc, id) == PARLEY_JSON_NULL
        && places->at[PARLEY_C2A_AT_ERROR] != PARLEY_JSON_NONE)
    {
        return 0;
    }

    if (parley_read_again(&call, arena, doc->seed, sent->body, err) != 0) {
        return -1;
    }

    got.doc = doc;
    got.node = id;
    want.doc = &call;
    want.node = parley_json_member(&call, 0, PARLEY_ATOM_id);

    if (got.node != PARLEY_JSON_NONE && want.node != PARLEY_JSON_NONE
        && parley_json_equal(got, want))
    {
        return 0;
    }

    return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/id",
                            "/id is not that of the call which it answers");
}


/* A message alone is an answer too, and what a stream of events brings. */

static int
parley_c2a_answer_request(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    const parley_json_t *doc, parley_answer_t *answer, parley_error_t *err)
{
    parley_msg_t  *msg;

    msg = &answer->msg;

    if (parley_decode(engine, arena, PARLEY_PROTO_C2A, doc, 0, msg, err)
        != 0)
    {
        return -1;
    }

    if ((msg->act == PARLEY_ACT_REPLY || msg->act == PARLEY_ACT_FAILURE)
        && msg->reply_to.len > 0 && !parley_str_eq(msg->reply_to, sent->id))
    {
        return parley_misrefers(msg, PARLEY_E_UPSTREAM_INVALID, "the answer "
                                "is not for the message which it answers",
                                err);
    }

    if (parley_str_eq(msg->reply_to, sent->id)) {
        parley_c2a_answers(msg, sent->approval);
    }

    answer->kind = PARLEY_ANSWER_MESSAGE;

    return 0;
}


static int
parley_c2a_answer_error(uint32_t error, parley_answer_t *answer,
    parley_error_t *err)
{
    int64_t               number;
    uint32_t              data, value;
    const parley_json_t  *doc;

    doc = &answer->doc;
    data = parley_json_member(doc, error, PARLEY_ATOM_data);

    if (parley_answer_words(answer, data,
                            parley_json_member(doc, error,
                                               PARLEY_ATOM_message))
        != 0)
    {
        return parley_error_memory(err);
    }

    value = parley_json_member(doc, error, PARLEY_ATOM_code);

    parley_answer_was_read(answer, value);

    if (value == PARLEY_JSON_NONE
        || parley_json_type(doc, value) != PARLEY_JSON_NUMBER
        || parley_json_integer(doc, value, &number) != 0)
    {
        number = 0;
    }

    parley_c2a_answer_number(answer, number);
    parley_c2a_answer_retry(data, answer);

    answer->kind = PARLEY_ANSWER_REFUSED;

    return 0;
}


/*
 * A number of ours says the status, and whether it may be sent again where
 * there is no word for it.  A refusal must not look like a success further on.
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
        if (number == parley_c2a_code_number(again[i])) {
            code = again[i];
            answer->code = parley_error_info(code)->word;
        }
    }

    if (answer->status < 300) {
        answer->status = number <= PARLEY_C2A_NUMBERS - 400
                         && number > PARLEY_C2A_NUMBERS - 600
                         ? (int) (PARLEY_C2A_NUMBERS - number)
                         : PARLEY_C2A_REFUSED;
    }

    answer->retryable = code != PARLEY_E_NONE
                        && parley_error_info(code)->retryable;
}


/* As the gateway itself says of an AEE error: what it says goes before. */

static void
parley_c2a_answer_retry(uint32_t data, parley_answer_t *answer)
{
    uint32_t              value;
    parley_json_type_t    type;
    const parley_json_t  *doc;

    doc = &answer->doc;
    value = parley_json_member(doc, data, PARLEY_ATOM_retryable);

    if (value != PARLEY_JSON_NONE) {
        type = parley_json_type(doc, value);

        if (type == PARLEY_JSON_TRUE || type == PARLEY_JSON_FALSE) {
            answer->outright = 1;
            answer->retryable = type == PARLEY_JSON_TRUE;
            answer->at_retryable = value;

            parley_answer_was_read(answer, value);
        }
    }

    value = parley_json_get(doc, data, PARLEY_STR("backoff_ms"));

    if (value != PARLEY_JSON_NONE
        && parley_json_type(doc, value) == PARLEY_JSON_NUMBER
        && parley_json_integer(doc, value, &answer->wait_ms) == 0
        && answer->wait_ms >= 0)
    {
        answer->waits = 1;
        answer->at_wait = value;

        parley_answer_was_read(answer, value);
    }
}


static int
parley_c2a_answer_result(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    const parley_c2a_places_t *places, parley_answer_t *answer,
    parley_error_t *err)
{
    int                   failed;
    uint32_t              result, accepted, disposition, message, value;
    const parley_json_t  *doc;

    doc = &answer->doc;

    result = places->at[PARLEY_C2A_AT_RESULT];
    accepted = places->at[PARLEY_C2A_AT_ACCEPTED];
    disposition = places->at[PARLEY_C2A_AT_DISPOSITION];
    message = places->at[PARLEY_C2A_AT_MESSAGE];

    value = parley_json_get(doc, result, PARLEY_STR("structuredContent"));
    answer->at = "/result/message";

    if (message == PARLEY_JSON_NONE && accepted != PARLEY_JSON_NONE) {
        message = parley_json_member(doc, value, PARLEY_ATOM_message);
        answer->at = "/result/structuredContent/message";
    }

    value = parley_json_get(doc, result, PARLEY_STR("isError"));

    failed = value != PARLEY_JSON_NONE
             && parley_json_type(doc, value) == PARLEY_JSON_TRUE;

    if ((accepted != PARLEY_JSON_NONE
         && parley_json_type(doc, accepted) == PARLEY_JSON_FALSE)
        || (parley_c2a_is(doc, disposition, PARLEY_STR("failed"))
            && message == PARLEY_JSON_NONE))
    {
        answer->at = NULL;
        return parley_c2a_answer_failed(places, answer, err);
    }

    if (message != PARLEY_JSON_NONE
        && parley_json_type(doc, message) == PARLEY_JSON_OBJECT)
    {
        return parley_c2a_answer_message(engine, arena, sent, message,
                                         answer, err);
    }

    answer->at = NULL;

    if (!failed
        && (accepted != PARLEY_JSON_NONE || disposition != PARLEY_JSON_NONE
            || parley_json_type(doc, result) != PARLEY_JSON_OBJECT
            || parley_json_node(doc, result)->count == 0))
    {
        return 0;
    }

    return parley_c2a_answer_data(arena, sent, result, failed, answer, err);
}


/* A refusal without a code: what it says besides its reason is lost. */

static int
parley_c2a_answer_failed(const parley_c2a_places_t *places,
    parley_answer_t *answer, parley_error_t *err)
{
    uint32_t              reason, disposition;
    const parley_json_t  *doc;

    doc = &answer->doc;
    reason = parley_json_member(doc, places->at[PARLEY_C2A_AT_RESULT],
                                PARLEY_ATOM_reason);
    disposition = places->at[PARLEY_C2A_AT_DISPOSITION];

    if (parley_msg_string(doc, reason, &answer->message) != 0) {
        return parley_error_memory(err);
    }

    parley_answer_was_read(answer, places->at[PARLEY_C2A_AT_JSONRPC]);
    parley_answer_was_read(answer, places->at[PARLEY_C2A_AT_ID]);
    parley_answer_was_read(answer, places->at[PARLEY_C2A_AT_ACCEPTED]);

    if (parley_c2a_is(doc, disposition, PARLEY_STR("failed"))) {
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
 * What stands in a result answers the call, also where the message itself
 * does not say so.
 */

static int
parley_c2a_answer_message(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent, uint32_t message,
    parley_answer_t *answer, parley_error_t *err)
{
    parley_str_t    text;
    parley_msg_t   *msg;
    parley_json_t  *doc;

    msg = &answer->msg;

    doc = parley_arena_alloc(arena, sizeof(parley_json_t));

    if (doc == NULL
        || parley_c2a_wrap(arena, &answer->doc, message, &text,
                           &answer->within)
           != 0)
    {
        return parley_error_memory(err);
    }

    if (parley_read_again(doc, arena, answer->doc.seed, text, err) != 0
        || parley_decode(engine, arena, PARLEY_PROTO_C2A, doc, 0, msg, err)
           != 0)
    {
        return -1;
    }

    if (msg->reply_to.len > 0 && !parley_str_eq(msg->reply_to, sent->id)) {
        return parley_misrefers(msg, PARLEY_E_UPSTREAM_INVALID, "the answer "
                                "is not for the message which it answers",
                                err);
    }

    if (msg->origin == PARLEY_PROTO_C2A
        && (msg->act == PARLEY_ACT_EVENT || msg->act == PARLEY_ACT_REQUEST))
    {
        msg->act = PARLEY_ACT_REPLY;
    }

    parley_c2a_answers(msg, sent->approval);

    msg->reply_to = sent->id;
    answer->kind = PARLEY_ANSWER_MESSAGE;

    return 0;
}


/* The result as the message that it stands for, and where in that it is. */

static int
parley_c2a_wrap(parley_arena_t *arena, const parley_json_t *doc,
    uint32_t message, parley_str_t *ret, const char **ret_within)
{
    parley_buf_t       b;
    parley_json_ref_t  value;

    value.doc = doc;
    value.node = message;

    parley_buf_init(&b, arena, 0);
    parley_buf_lit(&b, "{\"jsonrpc\":\"2.0\",\"method\":");

    if (parley_json_member(doc, message, PARLEY_ATOM_eventId)
        != PARLEY_JSON_NONE)
    {
        *ret_within = "/params";

        parley_buf_lit(&b, "\"chat/deliver\",\"params\":");
        parley_buf_value(&b, value);
        parley_buf_octet(&b, '}');

        return parley_buf_done(&b, ret);
    }

    *ret_within = "/params/arguments";

    parley_buf_lit(&b, "\"tools/call\",\"params\":{\"name\":");

    if (parley_json_member(doc, message, PARLEY_ATOM_signal)
        != PARLEY_JSON_NONE)
    {
        parley_buf_lit(&b, "\"chat.react\"");

    } else {
        parley_buf_lit(&b, "\"chat.send_message\"");
    }

    parley_buf_lit(&b, ",\"arguments\":");
    parley_buf_value(&b, value);
    parley_buf_lit(&b, "}}");

    return parley_buf_done(&b, ret);
}


/* What a tool returned is the answer itself. */

static int
parley_c2a_answer_data(parley_arena_t *arena, const parley_encoded_t *sent,
    uint32_t result, int failed, parley_answer_t *answer,
    parley_error_t *err)
{
    parley_msg_t  *msg;

    msg = &answer->msg;

    parley_msg_init(msg, PARLEY_PROTO_C2A, &answer->doc);

    msg->act = failed ? PARLEY_ACT_FAILURE : PARLEY_ACT_REPLY;
    msg->form = PARLEY_STR("result");
    msg->intent = PARLEY_STR("c2a.result");
    msg->reply_to = sent->id;
    msg->data.doc = &answer->doc;
    msg->data.node = result;

    if (parley_msg_derive(arena, msg, 8, sent->id, PARLEY_STR("result"),
                          &msg->id)
        != 0
        || parley_c2a_answer_words(arena, result, failed, msg) != 0)
    {
        return parley_error_memory(err);
    }

    answer->kind = PARLEY_ANSWER_MESSAGE;

    return 0;
}


/* What a model would read; of a failure the code, where there is one. */

static int
parley_c2a_answer_words(parley_arena_t *arena, uint32_t result, int failed,
    parley_msg_t *msg)
{
    int                         whole;
    uint32_t                    content, structure;
    parley_code_t               code;
    parley_str_t                word;
    const parley_json_t        *doc;
    const parley_error_info_t  *info;

    doc = msg->doc;
    content = parley_json_member(doc, result, PARLEY_ATOM_content);

    if (content != PARLEY_JSON_NONE) {
        if (parley_c2a_text(arena, doc, content, &msg->text, &whole) != 0) {
            return -1;
        }

        if (whole) {
            msg->said[0] = content;
        }
    }

    if (!failed) {
        return 0;
    }

    msg->alarm = PARLEY_ALARM_WARNING;

    structure = parley_json_get(doc, result, PARLEY_STR("structuredContent"));

    if (parley_msg_string(doc, parley_json_member(doc, structure,
                                                  PARLEY_ATOM_code), &word)
        != 0)
    {
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
