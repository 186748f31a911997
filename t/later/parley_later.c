#include <stdlib.h>
#include <string.h>

#include "parley_later.h"


#define PARLEY_LATER_KEYS  (4 + PARLEY_CLOSES_MAX)


struct parley_late_s {
    parley_state_t              *state;
    parley_call_t               *call;      /* NULL: nobody waits */
    parley_later_verb_t          verb;
    unsigned                     gone:1;    /* the caller was there */
    void                        *ret;       /* the caller's */

    /* copies */
    parley_admission_t           admission;
    parley_settlement_t          how;
    parley_rating_t              rating;
    parley_put_t                 put;
    parley_str_t                 value;
    parley_lookup_t              lookup;
    parley_record_id_t           id;
    parley_record_id_t           closes[PARLEY_CLOSES_MAX];
    int64_t                      now;
    uint8_t                      keys[PARLEY_LATER_KEYS][PARLEY_KEY_LEN];
    size_t                       nkeys;
};


static parley_later_start_pt  parley_later_start;

static const char *const  parley_later_names[] = {
    "admit", "settle", "rate", "put", "get", "close", "drop", "stat"
};


const char *
parley_later_name(parley_later_verb_t verb)
{
    return parley_later_names[verb];
}


static parley_late_t *
parley_late(parley_state_t *s, parley_later_verb_t verb, void *ret,
    parley_call_t *call)
{
    parley_late_t  *late;

    late = calloc(1, sizeof(parley_late_t));

    if (late == NULL) {
        abort();
    }

    late->state = s;
    late->call = call;
    late->verb = verb;
    late->ret = ret;

    if (call != NULL) {
        call->pending = late;
    }

    return late;
}


static parley_state_done_t
parley_late_begin(parley_late_t *late)
{
    parley_later_start(late, late->verb);

    return PARLEY_STATE_LATER;
}


static const uint8_t *
parley_late_key(parley_late_t *late, const uint8_t *key, size_t len)
{
    uint8_t  *p;

    if (key == NULL) {
        return NULL;
    }

    p = late->keys[late->nkeys++];
    memcpy(p, key, len);

    return p;
}


static void
parley_late_admission(parley_late_t *late, const parley_admission_t *a)
{
    late->admission = *a;
    late->admission.account = parley_late_key(late, a->account,
                                              PARLEY_KEY_LEN);
    late->admission.id = parley_late_key(late, a->id, PARLEY_KEY_LEN);
    late->admission.print = parley_late_key(late, a->print,
                                            PARLEY_PRINT_LEN);
    late->admission.slot = parley_late_key(late, a->slot, PARLEY_KEY_LEN);
}


static parley_state_done_t
parley_later_admit(parley_state_t *s, const parley_admission_t *a,
    parley_admitted_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_ADMIT, ret, call);

    parley_late_admission(late, a);

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_settle(parley_state_t *s, const parley_admission_t *a,
    const parley_settlement_t *how, int *ret, parley_call_t *call)
{
    size_t          i;
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_SETTLE, ret, call);

    parley_late_admission(late, a);

    late->how = *how;
    late->how.fills = parley_late_key(late, how->fills, PARLEY_KEY_LEN);

    for (i = 0; i < PARLEY_CLOSES_MAX; i++) {
        if (how->closes[i] != NULL) {
            late->closes[i] = *how->closes[i];
            late->how.closes[i] = &late->closes[i];
        }
    }

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_rate(parley_state_t *s, const parley_rating_t *rating,
    parley_rated_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_RATE, ret, call);

    late->rating = *rating;
    late->rating.account = parley_late_key(late, rating->account,
                                           PARLEY_KEY_LEN);

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_put(parley_state_t *s, const parley_put_t *put,
    parley_put_result_t *ret, parley_call_t *call)
{
    size_t          i;
    uint8_t        *p;
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_PUT, ret, call);

    late->put = *put;
    late->put.account = parley_late_key(late, put->account, PARLEY_KEY_LEN);

    for (i = 0; i < put->nparts; i++) {
        late->value.len += put->parts[i].len;
    }

    p = malloc(late->value.len + 1);

    if (p == NULL) {
        abort();
    }

    late->value.data = p;
    late->put.parts = &late->value;
    late->put.nparts = 1;

    for (i = 0; i < put->nparts; i++) {
        if (put->parts[i].len > 0) {
            memcpy(p, put->parts[i].data, put->parts[i].len);
            p += put->parts[i].len;
        }
    }

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_get(parley_state_t *s, const parley_lookup_t *lookup,
    parley_records_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_GET, ret, call);
    late->lookup = *lookup;

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_close(parley_state_t *s, const parley_record_id_t *id,
    parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_CLOSE, NULL, call);
    late->id = *id;

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_drop(parley_state_t *s, const parley_record_id_t *id,
    parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_DROP, NULL, call);
    late->id = *id;

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_stat(parley_state_t *s, int64_t now, parley_state_stat_t *ret,
    parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_STAT, ret, call);
    late->now = now;

    return parley_late_begin(late);
}


static void
parley_later_cancel(parley_state_t *s, parley_call_t *call)
{
    parley_late_t  *late = call->pending;

    (void) s;

    late->call = NULL;
    late->ret = NULL;
    late->gone = 1;
}


static const parley_state_ops_t  parley_later_ops = {
    .admit = parley_later_admit,
    .settle = parley_later_settle,
    .rate = parley_later_rate,
    .put = parley_later_put,
    .get = parley_later_get,
    .close = parley_later_close,
    .drop = parley_later_drop,
    .stat = parley_later_stat,
    .cancel = parley_later_cancel,
};


void
parley_later(parley_state_t *s, parley_later_start_pt start)
{
    parley_later_start = start;
    s->ops = &parley_later_ops;
}


/* an admission whose caller has gone is nobody's */

static void
parley_late_admit(parley_late_t *late)
{
    parley_admitted_t    got;
    parley_settlement_t  how;

    parley_memory_admit(late->state, &late->admission, &got);

    if (!late->gone) {
        *(parley_admitted_t *) late->ret = got;
        return;
    }

    if (got.verdict == PARLEY_ADMIT_OK) {
        memset(&how, 0, sizeof(parley_settlement_t));

        how.stamp = got.stamp;
        how.now = late->admission.now;

        (void) parley_memory_settle(late->state, &late->admission, &how);
    }
}


static void
parley_late_put(parley_late_t *late)
{
    parley_put_result_t  got;

    got = parley_memory_put(late->state, &late->put);

    if (!late->gone) {
        *(parley_put_result_t *) late->ret = got;

    } else if (got == PARLEY_PUT_OK && late->put.replaces == 0) {
        parley_memory_drop(late->state, &late->put.id);
    }
}


static void
parley_late_rate(parley_late_t *late)
{
    parley_rated_t   *ret = late->ret;
    parley_rating_t  *r = &late->rating;

    if (late->gone) {
        return;
    }

    if (r->look) {
        ret->wait = parley_memory_rate_wait(late->state, r->key, &r->rate,
                                            r->now);
        ret->verdict = ret->wait == 0 ? PARLEY_RATE_OK : PARLEY_RATE_LIMITED;
        return;
    }

    ret->verdict = parley_memory_rate(late->state, r->account, r->key,
                                      &r->rate, r->now, &ret->wait);
}


static void
parley_late_do(parley_late_t *late)
{
    int                rc;
    parley_records_t  *records;

    switch (late->verb) {

    case PARLEY_LATER_ADMIT:
        parley_late_admit(late);
        break;

    case PARLEY_LATER_SETTLE:
        rc = parley_memory_settle(late->state, &late->admission, &late->how);

        if (late->ret != NULL) {
            *(int *) late->ret = rc;
        }

        break;

    case PARLEY_LATER_RATE:
        parley_late_rate(late);
        break;

    case PARLEY_LATER_PUT:
        parley_late_put(late);
        break;

    case PARLEY_LATER_GET:

        if (!late->gone) {
            records = late->ret;
            records->n = parley_memory_get(late->state, late->lookup.kind,
                                           late->lookup.key, late->lookup.now,
                                           late->lookup.arena, records->list);
        }

        break;

    case PARLEY_LATER_CLOSE:
        parley_memory_close(late->state, &late->id);
        break;

    case PARLEY_LATER_DROP:
        parley_memory_drop(late->state, &late->id);
        break;

    default: /* PARLEY_LATER_STAT */

        if (!late->gone) {
            parley_memory_stat(late->state, late->now, late->ret);
        }
    }
}


void
parley_later_complete(parley_late_t *late)
{
    parley_call_t  *call;

    parley_late_do(late);

    call = late->call;

    free((void *) late->value.data);
    free(late);

    if (call != NULL) {
        call->pending = NULL;
        call->done(call);
    }
}
