/*
 * Limits: each zone decides, and learns every PARLEY_STORE_RATES ms how far
 * ahead of a limit all nodes together are.  A report that is lost is not sent
 * again.  EXACT limits are asked for by the admission, see
 * parley_store_admit.c.
 */

#include <string.h>

#include "state/store/parley_store_parts.h"


#define PARLEY_STORE_REPORTED  64       /* limits of one report */
#define PARLEY_STORE_OTHERS    10000000 /* us of debt that other nodes may
                                           add */


static int parley_store_reported(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);


parley_state_done_t
parley_store_rate(parley_state_t *state, const parley_rating_t *rating,
    parley_rated_t *ret, parley_call_t *call)
{
    parley_rated_t   got;
    parley_store_t  *s = (parley_store_t *) state;

    ret = ret != NULL ? ret : &got;

    if (rating->others) {
        ret->verdict = PARLEY_RATE_OK;
        ret->wait = 0;

        parley_store_count(s, rating->key, rating->account, &rating->rate, 1);

        return PARLEY_STATE_DONE;
    }

    (void) s->zone->ops->rate(s->zone, rating, ret, call);

    if (ret->verdict == PARLEY_RATE_OK && !rating->look
        && rating->shared == PARLEY_SHARED_NEAR)
    {
        parley_store_count(s, rating->key, rating->account, &rating->rate, 1);
    }

    return PARLEY_STATE_DONE;
}


void
parley_store_count(parley_store_t *s, const uint8_t *key,
    const uint8_t *account, const parley_limit_rate_t *rate, int count)
{
    size_t                 at;
    parley_store_count_t  *c;

    if (rate->interval_us == 0) {
        return;
    }

    if (s->main.stage != PARLEY_STORE_UP) {
        s->stat.lost[PARLEY_STORE_LOST_RATE]++;
        return;
    }

    /* a slot has the number of a count, from 1 */

    at = parley_octets_half(key) % (PARLEY_STORE_COUNTS * 2);

    while (s->slots[at] != 0
           && memcmp(s->counts[s->slots[at] - 1].rating.key, key,
                     PARLEY_KEY_LEN)
              != 0)
    {
        at = (at + 1) % (PARLEY_STORE_COUNTS * 2);
    }

    if (s->slots[at] != 0) {
        s->counts[s->slots[at] - 1].count += count;
        return;
    }

    if (s->ncounts == PARLEY_STORE_COUNTS) {
        parley_store_report(s, s->env->now(s->env->ctx));
        parley_store_count(s, key, account, rate, count);
        return;
    }

    c = &s->counts[s->ncounts++];
    s->slots[at] = (uint16_t) s->ncounts;

    memset(c, 0, sizeof(parley_store_count_t));

    memcpy(c->rating.key, key, PARLEY_KEY_LEN);
    c->rating.rate = *rate;
    c->count = count;

    if (account != NULL) {
        memcpy(c->account, account, PARLEY_KEY_LEN);
        c->rating.account = c->account;
    }

    parley_store_timer_at(s, s->env->now(s->env->ctx) + PARLEY_STORE_RATES);
}


/* Counts a message for each of its quotas.  p1_admit counts EXACT ones, and
   p1_free gives them back with the id or slot. */

void
parley_store_count_quotas(parley_store_t *s, const parley_admission_t *a,
    int count)
{
    size_t  i;

    if (a->shared == PARLEY_SHARED_OFF
        || (a->shared == PARLEY_SHARED_EXACT
            && (count > 0 || a->id != NULL || a->slot != NULL)))
    {
        return;
    }

    for (i = 0; i < a->nquotas; i++) {
        parley_store_count(s, a->quotas[i].key, a->account, &a->quotas[i].rate,
                           count);
    }
}


/* Counts a message that the store does not admit, for its EXACT limits. */

void
parley_store_count_limits(parley_store_t *s, const parley_admission_t *a)
{
    size_t  i;

    for (i = 0; i < a->nlimits; i++) {
        parley_store_count(s, a->limits[i].key, a->account, &a->limits[i].rate,
                           1);
    }
}


/*
 * The limits of the message at index i are over for ahead us in the store: the
 * zone takes the message back, and refuses the next ones itself.
 */

void
parley_store_over(parley_store_t *s, const parley_admission_t *a, size_t i,
    int64_t ahead)
{
    size_t           k;
    parley_rating_t  rating;

    memset(&rating, 0, sizeof(parley_rating_t));

    rating.account = a->account;

    for (k = 0; k < a->nlimits; k++) {
        memcpy(rating.key, a->limits[k].key, PARLEY_KEY_LEN);
        rating.rate = a->limits[k].rate;

        s->zone->ops->give_back(s->zone, &rating);

        if (k == i) {
            s->zone->ops->raise(s->zone, &rating, ahead);
        }
    }
}


void
parley_store_report(parley_store_t *s, int64_t now)
{
    char                  (*numbers)[3][24];
    size_t                  i, n, first;
    parley_str_t           *arguments;
    parley_store_count_t   *c, *copy;
    parley_store_call_t    *call;

    for (first = 0; first < s->ncounts; first += n) {

        n = s->ncounts - first;
        n = n < PARLEY_STORE_REPORTED ? n : PARLEY_STORE_REPORTED;

        call = parley_store_call(s, parley_store_reported);

        if (call == NULL) {
            break;
        }

        /* the command comes after these in the call's arena */

        copy = parley_arena_alloc(&call->arena, n * sizeof(*copy));
        numbers = parley_arena_alloc(&call->arena, n * sizeof(*numbers));
        arguments = parley_arena_alloc(&call->arena,
                                       (4 + 4 * n) * sizeof(*arguments));

        if (copy == NULL || numbers == NULL || arguments == NULL) {
            parley_store_call_free(s, call);
            break;
        }

        arguments[0] = PARLEY_STR("FCALL");
        arguments[1] = PARLEY_STR("p1_rates");
        arguments[2] = PARLEY_STR("1");
        arguments[3] = parley_store_prefix(s);

        for (i = 0; i < n; i++) {
            c = &copy[i];
            *c = s->counts[first + i];

            if (c->rating.account != NULL) {
                c->rating.account = c->account;
            }

            arguments[4 + 4 * i] = parley_str_make(c->rating.key,
                                                   PARLEY_KEY_LEN);
            arguments[5 + 4 * i] = parley_wire_number(
                                       c->rating.rate.interval_us,
                                       numbers[i][0]);
            arguments[6 + 4 * i] = parley_wire_number(c->rating.rate.burst,
                                                      numbers[i][1]);
            arguments[7 + 4 * i] = parley_wire_number(c->count, numbers[i][2]);
        }

        call->u.rates.list = copy;
        call->u.rates.n = n;
        call->once = 1;

        if (parley_store_command(call, arguments, 4 + 4 * n) != 0) {
            parley_store_call_free(s, call);
            break;
        }

        (void) parley_store_send(s, call);
    }

    if (first < s->ncounts) {
        s->stat.lost[PARLEY_STORE_LOST_RATE] += s->ncounts - first;
    }

    s->ncounts = 0;
    s->reported = now;
    memset(s->slots, 0, sizeof(s->slots));
}


static int
parley_store_reported(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    size_t                       i, n;
    int64_t                      ahead;
    const parley_store_count_t  *c;

    n = parley_wire_elements(reply);

    for (i = 0; i < n && i < call->u.rates.n; i++) {
        c = &call->u.rates.list[i];

        if (parley_wire_integer(parley_wire_element(reply, i), &ahead)
            && ahead > 0)
        {
            s->zone->ops->raise(s->zone, &c->rating,
                                parley_store_ahead(&c->rating.rate, ahead));
        }
    }

    return 0;
}


int64_t
parley_store_ahead(const parley_limit_rate_t *rate, int64_t us)
{
    int64_t  most;

    most = rate->interval_us * ((int64_t) rate->burst + 1)
           + PARLEY_STORE_OTHERS;

    return us < most ? us : most;
}
