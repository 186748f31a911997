#include "translate/aee/parley_aee_local.h"
#include "translate/aee/parley_aee.h"
#include "core/parley_time.h"


static const parley_str_t  parley_aee_local_intents[] = {
    [PARLEY_TASK_PING] = parley_str("aee.status.ping"),
    [PARLEY_TASK_HEALTH] = parley_str("aee.status.health"),
    [PARLEY_TASK_SPEC] = parley_str("aee.spec.query"),
    [PARLEY_TASK_CAPABILITY] = parley_str("aee.capability.list"),
    [PARLEY_TASK_FETCH] = parley_str("aee.context.fetch"),
    [PARLEY_TASK_REFUTE] = parley_str("aee.context.refute"),
    [PARLEY_TASK_VALIDATE] = parley_str("aee.validate.payload"),
};


parley_task_t
parley_aee_local_find(parley_str_t intent)
{
    unsigned  i;

    for (i = 0; i < PARLEY_TASK_COUNT; i++) {
        if (parley_str_eq(parley_aee_local_intents[i], intent)) {
            break;
        }
    }

    return (parley_task_t) i;
}


parley_str_t
parley_aee_local_intent(parley_task_t own)
{
    return parley_aee_local_intents[own];
}


int
parley_aee_local_result(parley_arena_t *arena, const parley_msg_t *request,
    parley_str_t self, parley_str_t payload, int64_t now_ms,
    parley_reply_t *ret, parley_error_t *err)
{
    char               ts[PARLEY_TIME_MAX];
    parley_buf_t       b;
    parley_aee_head_t  head;

    (void) parley_time_format(now_ms, ts);

    memset(&head, 0, sizeof(parley_aee_head_t));

    if (parley_msg_derive(arena, request, 8, request->id, PARLEY_STR("result"),
                          &head.id)
        != 0)
    {
        return parley_error_memory(err);
    }

    head.act = PARLEY_ACT_REPLY;
    head.ts = parley_str_c(ts);
    head.from = parley_aee_self(self);
    head.to = request->sender;
    head.intent = request->intent;
    head.corr = request->corr;
    head.reply_to = request->id;
    head.trace_id = request->trace_id;
    head.span_id = request->span_id;
    head.priority = request->priority;
    head.timeout_ms = -1;

    parley_buf_init(&b, arena, payload.len + 512);

    parley_aee_head_made(&b, &head);
    parley_buf_str(&b, payload);
    parley_buf_octet(&b, '}');

    ret->status = 200;
    ret->content_type = parley_aee_binding.media_type;

    return parley_buf_done(&b, &ret->body) == 0 ? 0
                                                : parley_error_memory(err);
}


int
parley_aee_local_error(parley_arena_t *arena, const parley_msg_t *request,
    parley_str_t self, parley_str_t code, parley_str_t message,
    parley_str_t field, int64_t now_ms, parley_reply_t *ret,
    parley_error_t *err)
{
    parley_aee_failure_t  f;

    memset(&f, 0, sizeof(parley_aee_failure_t));

    f.self = self;
    f.msg = request;
    f.code = code;
    f.message = message;
    f.field = field;
    f.backoff_ms = -1;
    f.now_ms = now_ms;

    ret->status = 200;

    return parley_aee_failure(arena, &f, ret) == 0 ? 0
                                                   : parley_error_memory(err);
}


const parley_tasks_t  parley_aee_tasks = {
    .find = parley_aee_local_find,
    .intent = parley_aee_local_intent,
    .result = parley_aee_local_result,
    .error = parley_aee_local_error,
};
