/* The verbs of parley_state.h, over memory. */

#include "parley_memory.h"


static parley_state_done_t
parley_memory_op_admit(parley_state_t *s, const parley_admission_t *a,
    parley_admitted_t *ret, parley_call_t *call)
{
    (void) call;

    parley_memory_admit(s, a, ret);

    return PARLEY_STATE_DONE;
}


static parley_state_done_t
parley_memory_op_settle(parley_state_t *s, const parley_admission_t *a,
    const parley_settlement_t *how, int *ret, parley_call_t *call)
{
    int  rc;

    (void) call;

    rc = parley_memory_settle(s, a, how);

    if (ret != NULL) {
        *ret = rc;
    }

    return PARLEY_STATE_DONE;
}


static parley_state_done_t
parley_memory_op_rate(parley_state_t *s, const parley_rating_t *r,
    parley_rated_t *ret, parley_call_t *call)
{
    (void) call;

    if (!r->look) {
        ret->verdict = parley_memory_rate(s, r->account, r->key, &r->rate,
                                          r->now, &ret->wait);
        return PARLEY_STATE_DONE;
    }

    ret->wait = parley_memory_rate_wait(s, r->key, &r->rate, r->now);
    ret->verdict = ret->wait == 0 ? PARLEY_RATE_OK : PARLEY_RATE_LIMITED;

    return PARLEY_STATE_DONE;
}


static parley_state_done_t
parley_memory_op_put(parley_state_t *s, const parley_put_t *put,
    parley_put_result_t *ret, parley_call_t *call)
{
    (void) call;

    *ret = parley_memory_put(s, put);

    return PARLEY_STATE_DONE;
}


static parley_state_done_t
parley_memory_op_get(parley_state_t *s, const parley_lookup_t *l,
    parley_records_t *ret, parley_call_t *call)
{
    (void) call;

    ret->n = parley_memory_get(s, l->kind, l->key, l->now, l->arena,
                               ret->list);

    return PARLEY_STATE_DONE;
}


static parley_state_done_t
parley_memory_op_close(parley_state_t *s, const parley_record_id_t *id,
    parley_call_t *call)
{
    (void) call;

    parley_memory_close(s, id);

    return PARLEY_STATE_DONE;
}


static parley_state_done_t
parley_memory_op_drop(parley_state_t *s, const parley_record_id_t *id,
    parley_call_t *call)
{
    (void) call;

    parley_memory_drop(s, id);

    return PARLEY_STATE_DONE;
}


static parley_state_done_t
parley_memory_op_stat(parley_state_t *s, int64_t now,
    parley_state_stat_t *ret, parley_call_t *call)
{
    (void) call;

    parley_memory_stat(s, now, ret);

    return PARLEY_STATE_DONE;
}


const parley_state_ops_t  parley_memory_ops = {
    .admit = parley_memory_op_admit,
    .settle = parley_memory_op_settle,
    .rate = parley_memory_op_rate,
    .put = parley_memory_op_put,
    .get = parley_memory_op_get,
    .close = parley_memory_op_close,
    .drop = parley_memory_op_drop,
    .stat = parley_memory_op_stat,
    .at_once = 1,
};
