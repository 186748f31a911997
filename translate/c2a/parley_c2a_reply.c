/* What a C2A caller gets back: a response where its message was a request. */

#include "parley_c2a.h"


static int parley_c2a_refused(parley_arena_t *arena, parley_str_t id,
    const parley_answer_t *answer, parley_reply_t *ret);
static parley_code_t parley_c2a_refused_code(parley_str_t word);
static int parley_c2a_is_call(const parley_msg_t *request);
static int parley_c2a_said(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_msg_t *msg, const parley_encode_opts_t *opts,
    parley_str_t *ret, parley_loss_t *loss, parley_error_t *err);
static int parley_c2a_accepted(parley_arena_t *arena, parley_str_t id,
    parley_c2a_disposition_t disposition, parley_str_t message,
    parley_reply_t *ret, parley_error_t *err);


/* by act of the answer */
static const parley_c2a_disposition_t  parley_c2a_answered[] = {
    [PARLEY_ACT_REQUEST] = PARLEY_C2A_DEFERRED,
    [PARLEY_ACT_REPLY] = PARLEY_C2A_RESPONDED,
    [PARLEY_ACT_FAILURE] = PARLEY_C2A_FAILED,
    [PARLEY_ACT_EVENT] = PARLEY_C2A_ACKNOWLEDGED,
    [PARLEY_ACT_PROGRESS] = PARLEY_C2A_CLAIMED,
};


int
parley_c2a_answer_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *request,
    const parley_answer_t *answer, const parley_encode_opts_t *opts,
    int64_t now_ms, parley_reply_t *ret, parley_loss_t *loss,
    parley_error_t *err)
{
    parley_str_t     id, message;
    parley_answer_t  refusal;

    (void) now_ms;

    id = parley_c2a_call_id(request->doc);

    if (answer->kind == PARLEY_ANSWER_MESSAGE && answer->status >= 300
        && answer->msg.act == PARLEY_ACT_FAILURE)
    {
        /* the service did not take it */

        refusal = *answer;
        refusal.kind = PARLEY_ANSWER_REFUSED;
        refusal.code = answer->msg.code;
        refusal.field = parley_str_none;
        refusal.message = answer->msg.text;
        answer = &refusal;
    }

    if (answer->kind == PARLEY_ANSWER_REFUSED) {
        return parley_c2a_refused(arena, id, answer, ret) == 0
               ? 0 : parley_error_memory(err);
    }

    if (!parley_c2a_is_call(request)) {

        if (answer->kind == PARLEY_ANSWER_MESSAGE) {
            parley_loss_pointer(loss, "/");
        }

        ret->status = 202;
        return 0;
    }

    if (answer->kind == PARLEY_ANSWER_TAKEN) {
        return parley_c2a_accepted(arena, id, parley_c2a_disposition(request),
                                   parley_str_none, ret, err);
    }

    if (parley_c2a_said(engine, arena, request, &answer->msg, opts, &message,
                        loss, err)
        != 0)
    {
        return -1;
    }

    return parley_c2a_accepted(arena, id,
                               parley_c2a_answered[answer->msg.act], message,
                               ret, err);
}


static int
parley_c2a_is_call(const parley_msg_t *request)
{
    return parley_json_member(request->doc, 0, PARLEY_ATOM_id)
           != PARLEY_JSON_NONE;
}


/* A code that is none of ours stands in data as it was. */

static int
parley_c2a_refused(parley_arena_t *arena, parley_str_t id,
    const parley_answer_t *answer, parley_reply_t *ret)
{
    parley_code_t  code;

    code = parley_c2a_refused_code(answer->code);

    ret->status = answer->status;

    return parley_c2a_error(arena, id,
                            parley_error_info(code != PARLEY_E_NONE
                                              ? code
                                              : PARLEY_E_UPSTREAM_INVALID)
                            ->jsonrpc,
                            code != PARLEY_E_NONE
                            ? parley_error_info(code)->word : answer->code,
                            answer->field, answer->message, ret);
}


/* One of ours, in its own manner or in AEE's. */

static parley_code_t
parley_c2a_refused_code(parley_str_t word)
{
    int  i;

    for (i = PARLEY_E_NONE + 1; i < PARLEY_E_COUNT; i++) {
        if (parley_str_eq(parley_error_info((parley_code_t) i)->word, word)
            || parley_str_eq(parley_error_info((parley_code_t) i)->aee, word))
        {
            return (parley_code_t) i;
        }
    }

    return PARLEY_E_NONE;
}


/*
 * The answer as an event, or as the call that it was; one that C2A cannot
 * say is lost, and *ret is empty.
 */

static int
parley_c2a_said(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *request, const parley_msg_t *msg,
    const parley_encode_opts_t *opts, parley_str_t *ret, parley_loss_t *loss,
    parley_error_t *err)
{
    uint32_t              node;
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
        if (err->code == PARLEY_E_CAPACITY) {
            return -1;
        }

        parley_loss_pointer(loss, err->field[0] ? err->field : "/");
        parley_error_clear(err);

        return 0;
    }

    if (parley_read_again(&doc, arena, msg->doc->seed, made.body, err) != 0) {
        return -1;
    }

    node = parley_c2a_arguments(&doc);

    if (node == PARLEY_JSON_NONE) {
        node = parley_c2a_params(&doc);
    }

    *ret = parley_json_raw(&doc, node);

    return 0;
}


static int
parley_c2a_accepted(parley_arena_t *arena, parley_str_t id,
    parley_c2a_disposition_t disposition, parley_str_t message,
    parley_reply_t *ret, parley_error_t *err)
{
    parley_buf_t  b;

    parley_buf_init(&b, arena, message.len + 128);

    parley_buf_lit(&b, "{\"jsonrpc\":\"2.0\",\"id\":");
    parley_buf_str(&b, id);
    parley_buf_lit(&b, ",\"result\":{\"accepted\":true,\"disposition\":");

    if (disposition == PARLEY_C2A_UNDISPOSED) {
        parley_buf_lit(&b, "null");

    } else {
        parley_buf_json_string(&b, parley_c2a_disposition_name(disposition));
    }

    if (message.len > 0) {
        parley_buf_lit(&b, ",\"message\":");
        parley_buf_str(&b, message);
    }

    parley_buf_lit(&b, "}}");

    ret->status = 200;
    ret->content_type = parley_c2a_codec.media_type;

    return parley_buf_done(&b, &ret->body) == 0
           ? 0 : parley_error_memory(err);
}
