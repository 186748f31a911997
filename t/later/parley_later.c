#include <stdlib.h>
#include <string.h>

#include "parley_job.h"
#include "parley_later.h"


#define PARLEY_LATER_KEYS  4


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
    parley_listing_t             listing;
    parley_record_id_t           id;
    uint32_t                     generation;
    parley_job_add_t             add;
    parley_job_take_t            take;
    parley_job_end_t             end;
    parley_job_id_t              job;
    parley_record_id_t           closes[PARLEY_CLOSES_MAX];
    parley_record_id_t           drops[PARLEY_DROPS_MAX];
    parley_lift_t                lifts[PARLEY_LIFTS_MAX];
    uint8_t                      keys[PARLEY_LATER_KEYS][PARLEY_KEY_LEN];
    size_t                       nkeys;
};


static parley_later_start_pt  parley_later_start;

static const char *const  parley_later_names[] = {
    "admit", "settle", "rate", "put", "get", "list", "drop", "stat",
    "job-add", "job-take", "job-end", "job-drop"
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

    for (i = 0; i < PARLEY_CLOSES_MAX; i++) {
        if (how->closes[i] != NULL) {
            late->closes[i] = *how->closes[i];
            late->how.closes[i] = &late->closes[i];
        }
    }

    for (i = 0; i < PARLEY_DROPS_MAX; i++) {
        if (how->drops[i] != NULL) {
            late->drops[i] = *how->drops[i];
            late->how.drops[i] = &late->drops[i];
        }
    }

    for (i = 0; i < how->nlifts; i++) {
        late->lifts[i] = how->lifts[i];
    }

    late->how.lifts = late->lifts;

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
    late->put.under = parley_late_key(late, put->under, PARLEY_KEY_LEN);

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
parley_later_list(parley_state_t *s, const parley_listing_t *listing,
    parley_listed_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_LIST, ret, call);
    late->listing = *listing;

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_drop(parley_state_t *s, const parley_record_id_t *id,
    uint32_t generation, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_DROP, NULL, call);
    late->id = *id;
    late->generation = generation;

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_stat(parley_state_t *s, parley_state_stat_t *ret,
    parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_STAT, ret, call);

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_job_add(parley_state_t *s, const parley_job_add_t *add,
    parley_job_added_t *ret, parley_call_t *call)
{
    uint8_t        *p;
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_JOB_ADD, ret, call);

    p = malloc(add->job.text.len + 1);

    if (p == NULL) {
        abort();
    }

    if (add->job.text.len > 0) {
        memcpy(p, add->job.text.data, add->job.text.len);
    }

    late->value.data = p;
    late->value.len = add->job.text.len;
    late->add = *add;
    late->add.job.text = late->value;
    late->add.account = parley_late_key(late, add->account, PARLEY_KEY_LEN);

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_job_take(parley_state_t *s, const parley_job_take_t *take,
    parley_job_page_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_JOB_TAKE, ret, call);
    late->take = *take;

    return parley_late_begin(late);
}


/* what it tells is in the arena of who waits */

static parley_state_done_t
parley_later_job_end(parley_state_t *s, const parley_job_end_t *end,
    parley_job_ended_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_JOB_END, ret, call);
    late->end = *end;
    late->job = *end->id;
    late->end.id = &late->job;

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_job_drop(parley_state_t *s, const uint8_t lane[PARLEY_KEY_LEN],
    size_t *ret, parley_call_t *call)
{
    parley_late_t  *late;

    late = parley_late(s, PARLEY_LATER_JOB_DROP, ret, call);
    (void) parley_late_key(late, lane, PARLEY_KEY_LEN);

    return parley_late_begin(late);
}


static parley_state_done_t
parley_later_job_list(parley_state_t *s, const parley_job_list_t *list,
    parley_job_listing_t *ret, parley_call_t *call)
{
    return parley_memory_ops.job->list(s, list, ret, call);
}


static const parley_job_ops_t  parley_later_job_ops = {
    .add = parley_later_job_add,
    .take = parley_later_job_take,
    .end = parley_later_job_end,
    .drop = parley_later_job_drop,
    .list = parley_later_job_list,
};


static void
parley_later_cancel(parley_state_t *s, parley_call_t *call)
{
    parley_late_t  *late = call->pending;

    (void) s;

    late->call = NULL;
    late->ret = NULL;
    late->gone = 1;
}


static parley_state_ops_t  parley_later_ops = {
    .admit = parley_later_admit,
    .settle = parley_later_settle,
    .rate = parley_later_rate,
    .put = parley_later_put,
    .get = parley_later_get,
    .list = parley_later_list,
    .drop = parley_later_drop,
    .stat = parley_later_stat,
    .cancel = parley_later_cancel,
    .job = &parley_later_job_ops,
};


void
parley_later(parley_memory_t *s, parley_later_start_pt start)
{
    parley_later_start = start;

    /* those of logs answer at once, as memory does */

    parley_later_ops.log = parley_memory_ops.log;
    s->state.ops = &parley_later_ops;
}


/*
 * An admission whose caller has gone is nobody's; what it took is given back
 * later still, when others have asked for it.
 */

static void
parley_late_admit(parley_late_t *late)
{
    parley_admitted_t    got;
    parley_settlement_t  how;

    (void) parley_memory_ops.admit(late->state, &late->admission, &got, NULL);

    if (!late->gone) {
        *(parley_admitted_t *) late->ret = got;
        return;
    }

    if (got.verdict == PARLEY_ADMIT_OK) {
        memset(&how, 0, sizeof(parley_settlement_t));

        how.stamp = got.stamp;

        (void) parley_later_settle(late->state, &late->admission, &how, NULL,
                                   NULL);
    }
}


/* it takes effect all the same, as late as it does */

static void
parley_late_put(parley_late_t *late)
{
    parley_put_t         *put = &late->put;
    parley_put_result_t   got;

    (void) parley_memory_ops.put(late->state, put, &got, NULL);

    if (!late->gone) {
        *(parley_put_result_t *) late->ret = got;

    } else if (got == PARLEY_PUT_OK && put->under == NULL
               && put->replaces == 0)
    {
        (void) parley_memory_ops.drop(late->state, &put->id,
                                      parley_state_generation(put->stamp),
                                      NULL);
    }
}


static void
parley_late_do(parley_late_t *late)
{
    parley_state_t            *s = late->state;
    parley_job_added_t         added;
    const parley_state_ops_t  *ops = &parley_memory_ops;

    switch (late->verb) {

    case PARLEY_LATER_ADMIT:
        parley_late_admit(late);
        break;

    case PARLEY_LATER_SETTLE:
        (void) ops->settle(s, &late->admission, &late->how, late->ret, NULL);
        break;

    case PARLEY_LATER_RATE:
        (void) ops->rate(s, &late->rating, late->ret, NULL);
        break;

    case PARLEY_LATER_PUT:
        parley_late_put(late);
        break;

    case PARLEY_LATER_GET:

        if (!late->gone) {
            (void) ops->get(s, &late->lookup, late->ret, NULL);
        }

        break;

    case PARLEY_LATER_LIST:

        if (!late->gone) {
            (void) ops->list(s, &late->listing, late->ret, NULL);
        }

        break;

    case PARLEY_LATER_DROP:
        (void) ops->drop(s, &late->id, late->generation, NULL);
        break;

    case PARLEY_LATER_JOB_ADD:
        (void) ops->job->add(s, &late->add,
                             late->gone ? &added : late->ret, NULL);
        break;

    case PARLEY_LATER_JOB_TAKE:

        if (!late->gone) {
            (void) ops->job->take(s, &late->take, late->ret, NULL);
        }

        break;

    case PARLEY_LATER_JOB_END:

        /* its arena goes with who has gone */

        if (late->gone) {
            late->end.tells = NULL;
        }

        (void) ops->job->end(s, &late->end, late->ret, NULL);
        break;

    case PARLEY_LATER_JOB_DROP:
        (void) ops->job->drop(s, late->keys[0], late->ret, NULL);
        break;

    default: /* PARLEY_LATER_STAT */

        if (!late->gone) {
            (void) ops->stat(s, late->ret, NULL);
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
