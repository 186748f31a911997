#include <string.h>

#include "parley_ask.h"


/* one verb that was asked, and its answer */
struct parley_told_s {
    parley_told_t    *next;

    union {
        parley_admitted_t     admitted;
        parley_rated_t        rated;
        parley_put_result_t   put;
        parley_records_t      records;
        parley_state_stat_t   stat;
        int                   settled;
    } answer;
};


static int parley_ask_told(parley_ask_t *q, parley_told_t **ret);
static int parley_ask_asked(parley_ask_t *q, parley_told_t *e,
    parley_state_done_t done);
static void parley_ask_done(parley_call_t *call);


/*
 * Where every answer is there at once nothing is taken again, and nothing
 * needs to be remembered.
 */
#define parley_ask_at_once(q)  ((q)->state->ops->at_once)


/*
 * Answers of an earlier time are told again; what is new is asked.  ask is the
 * verb with &e->answer.member for its answer.
 */
#define PARLEY_ASK(q, ask, member, ret)                                       \
    do {                                                                      \
        int                     rc;                                           \
        parley_told_t  *e;                                            \
                                                                              \
        rc = parley_ask_told(q, &e);                                          \
                                                                              \
        if (rc == 0) {                                                        \
            rc = parley_ask_asked(q, e, ask);                                 \
        }                                                                     \
                                                                              \
        if (rc < 0) {                                                         \
            return rc;                                                        \
        }                                                                     \
                                                                              \
        *(ret) = e->answer.member;                                            \
                                                                              \
        return 0;                                                             \
    } while (0)


void
parley_ask_init(parley_ask_t *q, parley_state_t *state, parley_arena_t *arena)
{
    memset(q, 0, sizeof(parley_ask_t));

    q->state = state;
    q->arena = arena;
    q->call.done = parley_ask_done;
    q->call.ctx = q;
    q->next = &q->first;
    q->step = 1;
}


void
parley_ask_begin(parley_ask_t *q, int64_t now)
{
    if (q->first == NULL) {
        q->now = now;
    }

    q->next = &q->first;
}


int
parley_ask_waits(const parley_ask_t *q)
{
    return q->pending != NULL;
}


void
parley_ask_end(parley_ask_t *q)
{
    q->first = NULL;
    q->next = &q->first;
    q->parting = 0;
    q->step++;
}


void
parley_ask_part(parley_ask_t *q)
{
    if (q->pending != NULL) {
        q->state->ops->cancel(q->state, &q->call);
        q->pending = NULL;
    }

    parley_ask_end(q);

    q->parting = 1;
}


/* 1: it was answered before; 0: it is asked now; PARLEY_WAIT; -1 */

static int
parley_ask_told(parley_ask_t *q, parley_told_t **ret)
{
    parley_told_t  *e;

    if (q->parting) {
        return -1;
    }

    e = *q->next;

    if (e != NULL && e == q->pending) {
        return PARLEY_WAIT;
    }

    if (e != NULL) {
        *ret = e;
        q->next = &e->next;

        return 1;
    }

    e = parley_arena_alloc(q->arena, sizeof(parley_told_t));

    if (e == NULL) {
        return -1;
    }

    memset(e, 0, sizeof(parley_told_t));

    *q->next = e;
    *ret = e;

    return 0;
}


static int
parley_ask_asked(parley_ask_t *q, parley_told_t *e,
    parley_state_done_t done)
{
    if (done == PARLEY_STATE_LATER) {
        q->pending = e;
        return PARLEY_WAIT;
    }

    q->next = &e->next;

    return 0;
}


static void
parley_ask_done(parley_call_t *call)
{
    parley_ask_t  *q = call->ctx;

    q->pending = NULL;
    q->resume(q);
}


int
parley_ask_admit(parley_ask_t *q, const parley_admission_t *a,
    parley_admitted_t *ret)
{
    parley_state_t  *s = q->state;

    if (parley_ask_at_once(q)) {
        (void) s->ops->admit(s, a, ret, &q->call);
        return 0;
    }

    PARLEY_ASK(q, s->ops->admit(s, a, &e->answer.admitted, &q->call),
               admitted, ret);
}


int
parley_ask_settle(parley_ask_t *q, const parley_admission_t *a,
    const parley_settlement_t *how, int *ret)
{
    parley_state_t  *s = q->state;

    if (q->parting) {
        *ret = 0;
        (void) s->ops->settle(s, a, how, NULL, NULL);
        return 0;
    }

    if (parley_ask_at_once(q)) {
        (void) s->ops->settle(s, a, how, ret, &q->call);
        return 0;
    }

    PARLEY_ASK(q, s->ops->settle(s, a, how, &e->answer.settled, &q->call),
               settled, ret);
}


int
parley_ask_rate(parley_ask_t *q, const parley_rating_t *rating,
    parley_rated_t *ret)
{
    parley_state_t  *s = q->state;

    if (parley_ask_at_once(q)) {
        (void) s->ops->rate(s, rating, ret, &q->call);
        return 0;
    }

    PARLEY_ASK(q, s->ops->rate(s, rating, &e->answer.rated, &q->call), rated,
               ret);
}


int
parley_ask_put(parley_ask_t *q, const parley_put_t *put,
    parley_put_result_t *ret)
{
    parley_state_t  *s = q->state;

    if (parley_ask_at_once(q)) {
        (void) s->ops->put(s, put, ret, &q->call);
        return 0;
    }

    PARLEY_ASK(q, s->ops->put(s, put, &e->answer.put, &q->call), put, ret);
}


int
parley_ask_get(parley_ask_t *q, parley_kind_t kind,
    const uint8_t key[PARLEY_KEY_LEN], parley_records_t *ret)
{
    int                     rc;
    parley_state_t         *s = q->state;
    parley_lookup_t         lookup;
    parley_told_t  *e;

    lookup.kind = kind;
    memcpy(lookup.key, key, PARLEY_KEY_LEN);
    lookup.now = q->now;
    lookup.arena = q->arena;

    if (parley_ask_at_once(q)) {
        (void) s->ops->get(s, &lookup, ret, &q->call);
        return ret->n < 0 ? -1 : 0;
    }

    rc = parley_ask_told(q, &e);

    if (rc == 0) {
        rc = parley_ask_asked(q, e, s->ops->get(s, &lookup,
                                                &e->answer.records,
                                                &q->call));
    }

    if (rc < 0) {
        return rc;
    }

    *ret = e->answer.records;

    return ret->n < 0 ? -1 : 0;
}


int
parley_ask_close(parley_ask_t *q, const parley_record_id_t *id)
{
    int              none;
    parley_state_t  *s = q->state;

    if (q->parting || parley_ask_at_once(q)) {
        (void) s->ops->close(s, id, q->parting ? NULL : &q->call);
        return 0;
    }

    PARLEY_ASK(q, s->ops->close(s, id, &q->call), settled, &none);
}


int
parley_ask_drop(parley_ask_t *q, const parley_record_id_t *id)
{
    int              none;
    parley_state_t  *s = q->state;

    if (q->parting || parley_ask_at_once(q)) {
        (void) s->ops->drop(s, id, q->parting ? NULL : &q->call);
        return 0;
    }

    PARLEY_ASK(q, s->ops->drop(s, id, &q->call), settled, &none);
}


int
parley_ask_stat(parley_ask_t *q, parley_state_stat_t *ret)
{
    parley_state_t  *s = q->state;

    if (parley_ask_at_once(q)) {
        (void) s->ops->stat(s, q->now, ret, &q->call);
        return 0;
    }

    PARLEY_ASK(q, s->ops->stat(s, q->now, &e->answer.stat, &q->call), stat,
               ret);
}
