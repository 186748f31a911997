#include "translate/aee/parley_aee.h"
#include "core/parley_time.h"


static int parley_aee_answer_match(const parley_msg_t *msg,
    const parley_encoded_t *sent, parley_error_t *err);
static void parley_aee_answer_count(parley_answer_t *answer);
static int parley_aee_accepted(parley_arena_t *arena,
    const parley_msg_t *request, const parley_answer_t *answer,
    const parley_encode_opts_t *opts, int64_t now_ms, parley_reply_t *ret,
    parley_error_t *err);
static int parley_aee_rejected(parley_arena_t *arena,
    const parley_msg_t *request, const parley_answer_t *answer,
    const parley_encode_opts_t *opts, int64_t now_ms, parley_reply_t *ret,
    parley_error_t *err);


/*
 * Reads an envelope.  An empty body, 202, 204, or a stream envelope with the
 * status "accepted" says that the service took the message.
 */

int
parley_aee_answer_decode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err)
{
    int             taken;
    parley_msg_t   *msg;
    parley_json_t  *doc;

    doc = &answer->doc;
    msg = &answer->msg;

    if (answer->status == 202
        && parley_json_member(doc, 0, PARLEY_ATOM_v) == PARLEY_JSON_NONE)
    {
        return 0;
    }

    if (parley_aee_decode_answer(engine, arena, doc, msg, &taken, err) != 0
        || parley_aee_answer_match(msg, sent, err) != 0)
    {
        return -1;
    }

    if (taken) {
        parley_aee_answer_count(answer);

    } else {
        answer->kind = PARLEY_ANSWER_MESSAGE;
    }

    return 0;
}


/*
 * Reads the count that another gateway has written (parley_aee_accepted(),
 * ACH-19).
 */

static void
parley_aee_answer_count(parley_answer_t *answer)
{
    int64_t               n;
    uint32_t              payload, value;
    const parley_json_t  *doc;

    doc = &answer->doc;

    payload = parley_json_member(doc, 0, PARLEY_ATOM_payload);
    value = parley_json_member(doc, payload, PARLEY_ATOM_delivered);

    if (value != PARLEY_JSON_NONE
        && parley_json_integer(doc, value, &n) == 0 && n >= 0)
    {
        answer->counted = 1;
        answer->delivered = n;
    }
}


/* Checks the correlation of an answer (AEE-34). */

static int
parley_aee_answer_match(const parley_msg_t *msg, const parley_encoded_t *sent,
    parley_error_t *err)
{
    if (!parley_str_eq(msg->corr, sent->corr)) {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/corr",
                                "/corr must be the corr of the answered "
                                "message");
    }

    if ((msg->reply_to.len > 0 || msg->act == PARLEY_ACT_REPLY
         || msg->act == PARLEY_ACT_FAILURE)
        && !parley_str_eq(msg->reply_to, sent->id))
    {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID, "/reply_to",
                                "/reply_to must be the id of the answered "
                                "message");
    }

    return 0;
}


int
parley_aee_answer_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_answer_t *answer, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_reply_t *ret, parley_loss_t *loss,
    parley_error_t *err)
{
    parley_encoded_t      made;
    parley_encode_opts_t  answering;

    if (answer->kind == PARLEY_ANSWER_REFUSED) {
        return parley_aee_rejected(arena, request, answer, opts, now_ms, ret,
                                   err);
    }

    if (answer->kind == PARLEY_ANSWER_TAKEN) {
        return parley_aee_accepted(arena, request, answer, opts, now_ms, ret,
                                   err);
    }

    answering = *opts;
    answering.answering = request;

    if (parley_encode(engine, arena, PARLEY_PROTO_AEE, &answer->msg,
                      &answering, &made, loss, err)
        == 0)
    {
        ret->status = answer->status < 300 ? 200 : answer->status;
        ret->content_type = parley_aee_binding.media_type;
        ret->body = made.body;
        ret->id = made.id;
        return 0;
    }

    if (parley_answer_unsaid(arena, ret, loss, err) != 0) {
        return -1;
    }

    return parley_aee_accepted(arena, request, answer, opts, now_ms, ret, err);
}


/*
 * Writes a stream envelope for a task.  For all other messages, the status is
 * enough.
 */

static int
parley_aee_accepted(parley_arena_t *arena, const parley_msg_t *request,
    const parley_answer_t *answer, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_reply_t *ret, parley_error_t *err)
{
    char               ts[PARLEY_TIME_MAX];
    parley_buf_t       b;
    parley_aee_head_t  head;

    ret->status = 202;

    if (request->act != PARLEY_ACT_REQUEST && !answer->framed) {
        return 0;
    }

    (void) parley_time_format(now_ms, ts);

    memset(&head, 0, sizeof(parley_aee_head_t));

    if (parley_msg_derive(arena, request, 8, request->id,
                          PARLEY_STR("accepted"), &head.id)
        != 0)
    {
        return parley_error_memory(err);
    }

    head.act = PARLEY_ACT_PROGRESS;
    head.ts = parley_str_c(ts);
    head.from = parley_aee_self(opts->self);
    head.to = request->sender;
    head.intent = request->intent;
    head.corr = request->corr;
    head.reply_to = answer->framed ? request->id : parley_str_none;
    head.priority = request->priority;
    head.timeout_ms = -1;

    parley_buf_init(&b, arena, 512);

    parley_aee_head_made(&b, &head);
    parley_buf_lit(&b, "{\"status\":\"accepted\"");

    if (answer->counted) {
        parley_buf_lit(&b, ",\"delivered\":");
        parley_buf_int(&b, answer->delivered);
    }

    parley_buf_lit(&b, "}}");

    if (parley_buf_done(&b, &ret->body) != 0) {
        return parley_error_memory(err);
    }

    ret->content_type = parley_aee_binding.media_type;

    return 0;
}


/* Writes a service's refusal in AEE's form. */

static int
parley_aee_rejected(parley_arena_t *arena, const parley_msg_t *request,
    const parley_answer_t *answer, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_reply_t *ret, parley_error_t *err)
{
    parley_aee_failure_t  f;

    memset(&f, 0, sizeof(parley_aee_failure_t));

    f.self = opts->self;
    f.msg = request;
    f.message = answer->message;
    f.field = answer->field;
    f.retryable = parley_answer_again(answer);
    f.backoff_ms = f.retryable && answer->waits ? answer->wait_ms : -1;
    f.now_ms = now_ms;

    ret->status = answer->status;

    if (parley_aee_code(arena, answer->code, &f.code) != 0
        || parley_aee_failure(arena, &f, ret) != 0)
    {
        return parley_error_memory(err);
    }

    return 0;
}
