#include <string.h>

#include "state/parley_ask.h"
#include "state/parley_log.h"


typedef enum {
    PARLEY_ASK_REPLY_ADMISSION = 0,
    PARLEY_ASK_REPLY_SETTLEMENT,
    PARLEY_ASK_REPLY_RATE,
    PARLEY_ASK_REPLY_PUT,
    PARLEY_ASK_REPLY_RECORDS,
    PARLEY_ASK_REPLY_LIST,
    PARLEY_ASK_REPLY_DROP,
    PARLEY_ASK_REPLY_STAT,
    PARLEY_ASK_REPLY_APPEND,
    PARLEY_ASK_REPLY_ROSTER,
    PARLEY_ASK_REPLY_PAGE,
    PARLEY_ASK_REPLY_ERASE
} parley_ask_reply_what_t;


/* an admission with copies of its pointers' contents */
typedef struct {
    parley_admission_t  admission;
    uint8_t             account[PARLEY_KEY_LEN];
    uint8_t             id[PARLEY_KEY_LEN];
    uint8_t             print[PARLEY_PRINT_LEN];
    uint8_t             slot[PARLEY_KEY_LEN];
} parley_ask_reply_admission_t;


/* one question and its answer */
struct parley_ask_reply_s {
    parley_ask_reply_t            *next;
    parley_ask_reply_what_t        what;
    parley_ask_reply_admission_t  *admission; /* NULL: another verb */

    union {
        parley_admitted_t     admitted;
        parley_rated_t        rated;
        parley_put_result_t   put;
        parley_records_t      records;
        parley_listed_t       listed;
        parley_state_stat_t   stat;
        parley_appended_t     appended;
        parley_roster_page_t  roster;
        parley_log_page_t     page;
        int                   settled;
    } answer;
};


static int parley_ask_told(parley_ask_t *q, parley_ask_reply_what_t what,
    parley_ask_reply_t **ret);
static int parley_ask_records(parley_ask_t *q,
    const parley_records_t *records);
static int parley_ask_lookup(parley_ask_t *q, parley_lookup_t *lookup,
    parley_records_t *ret);
static parley_ask_reply_t *parley_ask_new(parley_ask_t *q,
    parley_ask_reply_what_t what);
static int parley_ask_asked(parley_ask_t *q, parley_ask_reply_t *e,
    parley_state_done_t done);
static void parley_ask_done(parley_call_t *call);
static void parley_ask_untold(parley_ask_t *q);
static const uint8_t *parley_ask_copy(uint8_t *to, const uint8_t *from,
    size_t len);


/*
 * Repeats an earlier answer, or asks a new question.  ask calls the verb, with
 * to for its answer, which member records.  otherwise is run if the message
 * does not wait.  Returns result, which may read *ret.
 */
#define PARLEY_ASK_LATER(q, what, ask, member, ret, result, otherwise)        \
    do {                                                                      \
        int                  rc;                                              \
        parley_ask_reply_t  *e;                                               \
        __typeof__(ret)      to __attribute__((unused));                      \
                                                                              \
        rc = parley_ask_told(q, what, &e);                                    \
                                                                              \
        if (rc == -1) {                                                       \
            otherwise;                                                        \
        }                                                                     \
                                                                              \
        if (rc == 0) {                                                        \
            to = &e->answer.member;                                           \
            rc = parley_ask_asked(q, e, ask);                                 \
        }                                                                     \
                                                                              \
        if (rc < 0) {                                                         \
            return rc;                                                        \
        }                                                                     \
                                                                              \
        *(ret) = e->answer.member;                                            \
                                                                              \
        return (result);                                                      \
    } while (0)


/*
 * As PARLEY_ASK_LATER(), but if the state is at_once, steps never run again,
 * and answers are not recorded.
 */
#define PARLEY_ASK(q, what, ask, member, ret, result, otherwise)              \
    do {                                                                      \
        if ((q)->state->ops->at_once) {                                       \
            __typeof__(ret)  to __attribute__((unused)) = (ret);              \
                                                                              \
            (void) (ask);                                                     \
            return (result);                                                  \
        }                                                                     \
                                                                              \
        PARLEY_ASK_LATER(q, what, ask, member, ret, result, otherwise);       \
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
    q->left = PARLEY_ASK_PATIENCE;
}


int
parley_ask_waits(const parley_ask_t *q)
{
    return q->pending != NULL;
}


int64_t
parley_ask_left(const parley_ask_t *q)
{
    return q->left > 0 ? q->left : 0;
}


void
parley_ask_over(parley_ask_t *q)
{
    q->left = PARLEY_ASK_PATIENCE;
}


void
parley_ask_part(parley_ask_t *q)
{
    if (q->pending != NULL) {
        q->state->ops->cancel(q->state, &q->call);
        q->pending = NULL;
    }

    parley_ask_untold(q);
    parley_ask_end(q);

    q->parting = 1;
}


/* Gives back an admission that the step has not read. */

static void
parley_ask_untold(parley_ask_t *q)
{
    parley_ask_reply_t   *e;
    parley_settlement_t   how;

    e = q->fresh;

    if (e == NULL || e->admission == NULL
        || e->answer.admitted.verdict != PARLEY_ADMIT_OK)
    {
        return;
    }

    memset(&how, 0, sizeof(parley_settlement_t));

    how.stamp = e->answer.admitted.stamp;

    (void) q->state->ops->settle(q->state, &e->admission->admission, &how,
                                 NULL, NULL);
}


/*
 * Returns 1 if the question has an answer, 0 if it must be asked now,
 * PARLEY_WAIT, or -1.
 */

static int
parley_ask_told(parley_ask_t *q, parley_ask_reply_what_t what,
    parley_ask_reply_t **ret)
{
    parley_ask_reply_t  *e;

    if (q->parting) {
        return -1;
    }

    e = *q->next;

    if (e != NULL && e == q->pending) {
        return PARLEY_WAIT;
    }

    /* the repeated step asks another question than before */

    if (e != NULL && e->what != what) {
        q->parting = 1;
        return -1;
    }

    if (e != NULL) {
        *ret = e;
        q->next = &e->next;

        if (e == q->fresh) {
            q->fresh = NULL;
        }

        return 1;
    }

    e = parley_ask_new(q, what);

    if (e == NULL) {
        /* without memory, the answer could not be repeated */
        q->parting = 1;
        return -1;
    }

    *q->next = e;
    *ret = e;

    return 0;
}


static parley_ask_reply_t *
parley_ask_new(parley_ask_t *q, parley_ask_reply_what_t what)
{
    size_t               size;
    parley_ask_reply_t  *e;

    /* an answer takes only its own size: lists are large */

    static const size_t  sizes[] = {
        [PARLEY_ASK_REPLY_ADMISSION] = sizeof(parley_admitted_t),
        [PARLEY_ASK_REPLY_SETTLEMENT] = sizeof(int),
        [PARLEY_ASK_REPLY_RATE] = sizeof(parley_rated_t),
        [PARLEY_ASK_REPLY_PUT] = sizeof(parley_put_result_t),
        [PARLEY_ASK_REPLY_RECORDS] = sizeof(parley_records_t),
        [PARLEY_ASK_REPLY_LIST] = sizeof(parley_listed_t),
        [PARLEY_ASK_REPLY_DROP] = sizeof(int),
        [PARLEY_ASK_REPLY_STAT] = sizeof(parley_state_stat_t),
        [PARLEY_ASK_REPLY_APPEND] = sizeof(parley_appended_t),
        [PARLEY_ASK_REPLY_ROSTER] = sizeof(parley_roster_page_t),
        [PARLEY_ASK_REPLY_PAGE] = sizeof(parley_log_page_t),
        [PARLEY_ASK_REPLY_ERASE] = sizeof(int),
    };

    size = offsetof(parley_ask_reply_t, answer) + sizes[what];
    e = parley_arena_alloc(q->arena, size);

    if (e == NULL) {
        return NULL;
    }

    memset(e, 0, size);

    e->what = what;

    if (what == PARLEY_ASK_REPLY_ADMISSION) {
        e->admission = parley_arena_alloc(q->arena,
                                          sizeof(parley_ask_reply_admission_t));
        if (e->admission == NULL) {
            return NULL;
        }
    }

    return e;
}


static int
parley_ask_asked(parley_ask_t *q, parley_ask_reply_t *e,
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

    q->fresh = q->pending;
    q->pending = NULL;
    q->resume(q);
}


static parley_state_done_t
parley_ask_admit_new(parley_ask_t *q, const parley_admission_t *a,
    parley_ask_reply_t *e)
{
    parley_ask_reply_admission_t  *c;

    c = e->admission;

    c->admission = *a;
    c->admission.account = parley_ask_copy(c->account, a->account,
                                           PARLEY_KEY_LEN);
    c->admission.id = parley_ask_copy(c->id, a->id, PARLEY_KEY_LEN);
    c->admission.print = parley_ask_copy(c->print, a->print, PARLEY_PRINT_LEN);
    c->admission.slot = parley_ask_copy(c->slot, a->slot, PARLEY_KEY_LEN);

    return q->state->ops->admit(q->state, a, &e->answer.admitted, &q->call);
}


static const uint8_t *
parley_ask_copy(uint8_t *to, const uint8_t *from, size_t len)
{
    return from != NULL ? memcpy(to, from, len) : NULL;
}


int
parley_ask_admit(parley_ask_t *q, const parley_admission_t *a,
    parley_admitted_t *ret)
{
    parley_state_t  *s = q->state;

    /* without a copy of the admission, which only a repeated step needs */

    if (s->ops->at_once) {
        (void) s->ops->admit(s, a, ret, &q->call);
        return 0;
    }

    PARLEY_ASK_LATER(q, PARLEY_ASK_REPLY_ADMISSION,
                     parley_ask_admit_new(q, a, e), admitted, ret, 0,
                     return -1);
}


int
parley_ask_settle(parley_ask_t *q, const parley_admission_t *a,
    const parley_settlement_t *how, int *ret)
{
    parley_state_t  *s = q->state;

    *ret = 0;

    PARLEY_ASK(q, PARLEY_ASK_REPLY_SETTLEMENT,
               s->ops->settle(s, a, how, to, &q->call), settled, ret, 0,
               (void) s->ops->settle(s, a, how, NULL, NULL);
               return 0);
}


int
parley_ask_rate(parley_ask_t *q, const parley_rating_t *rating,
    parley_rated_t *ret)
{
    parley_state_t  *s = q->state;

    PARLEY_ASK(q, PARLEY_ASK_REPLY_RATE,
               s->ops->rate(s, rating, to, &q->call), rated, ret, 0,
               if (!rating->look) {
                   (void) s->ops->rate(s, rating, NULL, NULL);
               });
}


int
parley_ask_put(parley_ask_t *q, const parley_put_t *put,
    parley_put_result_t *ret)
{
    parley_state_t  *s = q->state;

    PARLEY_ASK(q, PARLEY_ASK_REPLY_PUT,
               s->ops->put(s, put, to, &q->call), put, ret, 0, return -1);
}


int
parley_ask_get(parley_ask_t *q, parley_kind_t kind,
    const uint8_t key[PARLEY_KEY_LEN], parley_records_t *ret)
{
    parley_lookup_t  lookup;

    memset(&lookup, 0, sizeof(parley_lookup_t));

    lookup.kind = kind;
    memcpy(lookup.key, key, PARLEY_KEY_LEN);

    return parley_ask_lookup(q, &lookup, ret);
}


int
parley_ask_get_owned(parley_ask_t *q, const parley_record_id_t *id,
    parley_records_t *ret)
{
    parley_lookup_t  lookup;

    lookup.kind = id->kind;
    memcpy(lookup.key, id->key, PARLEY_KEY_LEN);
    lookup.tag = id->tag;
    lookup.mask = PARLEY_TAG_OWNER;

    return parley_ask_lookup(q, &lookup, ret);
}


int
parley_ask_get_one(parley_ask_t *q, const parley_record_id_t *id,
    parley_record_t *ret)
{
    int               rc;
    parley_lookup_t   lookup;
    parley_records_t  records;

    lookup.kind = id->kind;
    memcpy(lookup.key, id->key, PARLEY_KEY_LEN);
    lookup.tag = id->tag;
    lookup.mask = PARLEY_TAG_WHOLE;

    rc = parley_ask_lookup(q, &lookup, &records);

    if (rc != 0 || records.n == 0) {
        return rc;
    }

    *ret = records.list[0];

    return 1;
}


static int
parley_ask_records(parley_ask_t *q, const parley_records_t *records)
{
    if (records->n >= 0) {
        return 0;
    }

    q->away = records->n == PARLEY_RECORDS_AWAY;

    return -1;
}


static int
parley_ask_lookup(parley_ask_t *q, parley_lookup_t *lookup,
    parley_records_t *ret)
{
    parley_state_t  *s = q->state;

    lookup->arena = q->arena;

    PARLEY_ASK(q, PARLEY_ASK_REPLY_RECORDS,
               s->ops->get(s, lookup, to, &q->call), records, ret,
               parley_ask_records(q, ret), return -1);
}


int
parley_ask_list(parley_ask_t *q, parley_kind_t kind, size_t at,
    parley_listed_t *ret)
{
    parley_state_t    *s = q->state;
    parley_listing_t   listing;

    listing.kind = kind;
    listing.at = at;
    listing.arena = q->arena;
    listing.brief = 0;

    PARLEY_ASK(q, PARLEY_ASK_REPLY_LIST,
               s->ops->list(s, &listing, to, &q->call), listed, ret,
               ret->records.n < 0 ? -1 : 0, return -1);
}


int
parley_ask_drop(parley_ask_t *q, const parley_record_id_t *id,
    uint32_t generation)
{
    int              none;
    parley_state_t  *s = q->state;

    PARLEY_ASK(q, PARLEY_ASK_REPLY_DROP,
               s->ops->drop(s, id, generation, &q->call), settled, &none, 0,
               (void) s->ops->drop(s, id, generation, NULL);
               return 0);
}


int
parley_ask_stat(parley_ask_t *q, parley_state_stat_t *ret)
{
    parley_state_t  *s = q->state;

    PARLEY_ASK(q, PARLEY_ASK_REPLY_STAT,
               s->ops->stat(s, to, &q->call), stat, ret, 0, return -1);
}


int
parley_ask_append(parley_ask_t *q, const parley_append_t *append,
    parley_appended_t *ret)
{
    parley_state_t  *s = q->state;

    PARLEY_ASK(q, PARLEY_ASK_REPLY_APPEND,
               s->ops->log->append(s, append, to, &q->call),
               appended, ret, 0, return -1);
}


int
parley_ask_roster(parley_ask_t *q, const parley_roster_t *roster,
    parley_roster_page_t *ret)
{
    parley_state_t  *s = q->state;

    PARLEY_ASK(q, PARLEY_ASK_REPLY_ROSTER,
               s->ops->log->roster(s, roster, to, &q->call), roster, ret,
               ret->n < 0 ? -1 : 0, return -1);
}


int
parley_ask_read(parley_ask_t *q, const parley_log_read_t *read,
    parley_log_page_t *ret)
{
    parley_state_t  *s = q->state;

    PARLEY_ASK(q, PARLEY_ASK_REPLY_PAGE,
               s->ops->log->read(s, read, to, &q->call), page, ret,
               ret->n < 0 ? -1 : 0, return -1);
}


int
parley_ask_erase(parley_ask_t *q, const parley_erase_t *erase)
{
    int              none;
    parley_state_t  *s = q->state;

    PARLEY_ASK(q, PARLEY_ASK_REPLY_ERASE,
               s->ops->log->erase(s, erase, &q->call), settled, &none, 0,
               (void) s->ops->log->erase(s, erase, NULL);
               return 0);
}
