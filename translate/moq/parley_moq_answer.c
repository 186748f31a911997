/*
 * Answers over HTTP: a command with a status, or an empty body if the command
 * was accepted.
 */

#include "translate/moq/parley_moq.h"


#define PARLEY_MOQ_NO_ACTION  "error"


static int parley_moq_answer_names(const parley_json_t *doc,
    parley_error_t *err);
static int parley_moq_accepted(parley_reply_t *ret);
static int parley_moq_failure(parley_arena_t *arena,
    const parley_moq_failure_t *f, parley_reply_t *ret);
static parley_str_t parley_moq_failure_action(const parley_msg_t *request);


int
parley_moq_answer_decode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err)
{
    uint32_t              status;
    parley_str_t          session;
    parley_msg_t         *msg;
    const parley_json_t  *doc;

    doc = &answer->doc;
    msg = &answer->msg;

    status = parley_json_member(doc, 0, PARLEY_ATOM_status);

    if (answer->status == 202
        && (status == PARLEY_JSON_NONE
            || parley_json_member(doc, 0, PARLEY_ATOM_action)
               == PARLEY_JSON_NONE))
    {
        return 0;
    }

    if (parley_validate(engine, PARLEY_PROTO_MOQ, doc, err) != 0
        || parley_moq_answer_names(doc, err) != 0)
    {
        return -1;
    }

    if (parley_msg_string(doc, parley_json_member(doc, 0,
                                                  PARLEY_ATOM_session_id),
                          &session)
        != 0)
    {
        return parley_error_memory(err);
    }

    /* A command has a session instead of an id (AEE-34). */

    if (sent->corr.len > 0 && session.len > 0
        && !parley_str_eq(session, sent->corr))
    {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/session_id",
                                "/session_id must be the session_id of the "
                                "answered command");
    }

    if (status != PARLEY_JSON_NONE
        && parley_json_string_is(doc, status, PARLEY_STR("accepted")))
    {
        return 0;
    }

    parley_msg_init(msg, PARLEY_PROTO_MOQ, doc);

    if (parley_moq_peek(msg) != 0 || parley_moq_fill(arena, msg) != 0) {
        return parley_error_memory(err);
    }

    if (parley_moq_status(doc, status) == PARLEY_MOQ_UNSAID
        && (msg->origin == PARLEY_PROTO_MOQ || status != PARLEY_JSON_NONE))
    {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/status",
                                "/status of an answer must be approved, "
                                "denied, error, accepted, pending or working");
    }

    if (parley_moq_identify(arena, msg) != 0) {
        return parley_error_memory(err);
    }

    answer->kind = PARLEY_ANSWER_MESSAGE;

    return 0;
}


/* Checks the id of the answered command, if the payload has one. */

static int
parley_moq_answer_names(const parley_json_t *doc, parley_error_t *err)
{
    uint32_t  payload, value;

    payload = parley_json_member(doc, 0, PARLEY_ATOM_payload);

    if (payload == PARLEY_JSON_NONE
        || parley_json_type(doc, payload) != PARLEY_JSON_OBJECT)
    {
        return 0;
    }

    value = parley_json_get(doc, payload, PARLEY_STR("in_reply_to"));

    if (value == PARLEY_JSON_NONE
        || parley_json_type(doc, value) == PARLEY_JSON_NULL
        || (parley_json_type(doc, value) == PARLEY_JSON_STRING
            && !parley_json_string_is(doc, value, parley_str_none)))
    {
        return 0;
    }

    return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID,
                            "/payload/in_reply_to",
                            "/payload/in_reply_to must be an id");
}


int
parley_moq_answer_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_answer_t *answer, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_reply_t *ret, parley_loss_t *loss,
    parley_error_t *err)
{
    parley_encoded_t      made;
    parley_encode_opts_t  answering;
    parley_moq_failure_t  f;

    (void) now_ms;

    if (answer->kind == PARLEY_ANSWER_TAKEN) {
        return parley_moq_accepted(ret);
    }

    if (answer->kind == PARLEY_ANSWER_REFUSED) {
        f.request = request;
        f.status = answer->status;
        f.code = answer->code;
        f.field = answer->field;
        f.message = answer->message;
        f.backoff_ms = answer->waits ? answer->wait_ms : -1;

        ret->status = answer->status;

        return parley_moq_failure(arena, &f, ret) == 0
               ? 0 : parley_error_memory(err);
    }

    answering = *opts;
    answering.answering = request;

    if (parley_encode(engine, arena, PARLEY_PROTO_MOQ, &answer->msg,
                      &answering, &made, loss, err)
        == 0)
    {
        ret->status = answer->status < 300 ? 200 : answer->status;
        ret->content_type = parley_moq_binding.media_type;
        ret->body = made.body;
        return 0;
    }

    if (parley_answer_unsaid(arena, ret, loss, err) != 0) {
        return -1;
    }

    return parley_moq_accepted(ret);
}


/* 202 without a status means "accepted"; approved would mean "done". */

static int
parley_moq_accepted(parley_reply_t *ret)
{
    ret->status = 202;

    return 0;
}


int
parley_moq_refuse(parley_arena_t *arena, const parley_refusal_t *refusal,
    parley_reply_t *ret)
{
    parley_msg_t                msg;
    parley_moq_failure_t        f;
    const parley_error_t       *error;
    const parley_error_info_t  *info;

    if (refusal->first.text.len > 0) {
        /* a duplicate: the first answer again */

        ret->status = refusal->first.status;
        ret->content_type = parley_moq_binding.media_type;
        ret->body = refusal->first.text;

        return 0;
    }

    error = refusal->error;
    info = parley_error_info(error->code);

    f.request = refusal->msg;
    f.status = ret->status;
    f.code = info->word;
    f.field = parley_str_c(error->field);
    f.message = parley_str_c(error->text);
    f.backoff_ms = info->retryable && !error->taken ? refusal->backoff_ms : -1;

    if (f.request == NULL && refusal->doc != NULL) {
        parley_msg_init(&msg, PARLEY_PROTO_MOQ, refusal->doc);

        if (parley_moq_peek(&msg) != 0) {
            return -1;
        }

        f.request = &msg;
    }

    return parley_moq_failure(arena, &f, ret);
}


/* Empty members are omitted. */

static int
parley_moq_failure(parley_arena_t *arena, const parley_moq_failure_t *f,
    parley_reply_t *ret)
{
    size_t        i;
    parley_buf_t  b;
    unsigned      denied;

    const struct {
        parley_str_t  name;
        parley_str_t  value;
    } members[] = {
        { parley_str("code"), f->code },
        { parley_str("field"), f->field },
        { parley_str("message"), f->message },
    };

    denied = f->status == 401 || f->status == 403;

    parley_buf_init(&b, arena, 0);

    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("action"),
                      parley_moq_failure_action(f->request));

    if (f->request != NULL && f->request->corr.len > 0) {
        parley_buf_member(&b, PARLEY_STR("session_id"), f->request->corr);
    }

    parley_buf_member(&b, PARLEY_STR("status"),
                      parley_moq_status_name(denied ? PARLEY_MOQ_DENIED
                                                    : PARLEY_MOQ_ERROR));
    parley_buf_name(&b, PARLEY_STR("error_code"));
    parley_buf_int(&b, f->status);
    parley_buf_name(&b, PARLEY_STR("payload"));
    parley_buf_octet(&b, '{');

    for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (members[i].value.len > 0) {
            parley_buf_member(&b, members[i].name, members[i].value);
        }
    }

    /* over MoQ an agent does not see Retry-After */

    if (f->backoff_ms >= 0) {
        parley_buf_name(&b, PARLEY_STR("backoff_ms"));
        parley_buf_int(&b, f->backoff_ms);
    }

    parley_buf_lit(&b, "}}");

    ret->content_type = parley_moq_binding.media_type;

    return parley_buf_done(&b, &ret->body);
}


/*
 * Returns the action of the answer: session_ack for session_init, track_ready
 * for subscribe_request.
 */

static parley_str_t
parley_moq_failure_action(const parley_msg_t *request)
{
    parley_str_t  action;

    if (request == NULL) {
        return PARLEY_STR(PARLEY_MOQ_NO_ACTION);
    }

    action = parley_moq_action(request->intent);

    if (action.len == 0) {
        return PARLEY_STR(PARLEY_MOQ_NO_ACTION);
    }

    if (parley_str_is(action, "session_init")) {
        return PARLEY_STR("session_ack");
    }

    if (parley_str_is(action, "subscribe_request")) {
        return PARLEY_STR("track_ready");
    }

    return action;
}
