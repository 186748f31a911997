/*
 * Rate limits (SEC-10).  A message counts for its proven sender.  A message of
 * an unproven sender counts for the address of its connection only.
 */

#include <string.h>

#include "gate/party/parley_account.h"
#include "translate/parley_codec.h"
#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_settings.h"


/* limits of one principal, the strictest first */
typedef struct {
    parley_limit_rate_t  list[PARLEY_RATE_ROLES_MAX + 3];
    size_t               n;
} parley_gate_limits_t;


static parley_step_result_t parley_gate_limit(parley_gate_t *g,
    parley_str_t sub);
static void parley_gate_limits_rating(const parley_gate_t *g, parley_str_t sub,
    parley_rating_t *ret);
static parley_step_result_t parley_gate_limits(parley_gate_t *g,
    parley_str_t sub);
static parley_step_result_t parley_gate_limits_find(parley_gate_t *g,
    parley_str_t sub, parley_gate_limits_t *ret);
static void parley_gate_limits_roles(const parley_rate_t *rate,
    const parley_principal_t *principal, parley_gate_limits_t *ret);
static parley_step_result_t parley_gate_limits_value(parley_gate_t *g,
    parley_gate_limits_t *ret);
static void parley_gate_limits_add(parley_gate_limits_t *limits,
    const parley_limit_rate_t *rate);
static void parley_gate_limits_key(const parley_gate_t *g, parley_str_t sub,
    parley_rating_t *rating);
static int parley_gate_limits_hold(parley_gate_t *g,
    const parley_rating_t *rating);
static parley_step_result_t parley_gate_over(parley_gate_t *g,
    const parley_rated_t *got);
static void parley_gate_proofs(const parley_gate_t *g, parley_rating_t *ret);
static int parley_gate_full(const parley_gate_t *g,
    parley_step_result_t result);


/*
 * Refuses a request of an address with too many failed proofs, unless its proof
 * was verified before (SEC-23).
 */

parley_step_result_t
parley_gate_failures(parley_gate_t *g)
{
    int              rc, known;
    parley_rated_t   got;
    parley_rating_t  rating;

    parley_gate_proofs(g, &rating);
    rating.look = 1;

    rc = parley_ask_rate(&g->ask, &rating, &got);

    if (rc != 0) {
        return rc == PARLEY_WAIT ? PARLEY_RESULT_WAIT : PARLEY_RESULT_FAILED;
    }

    known = got.verdict == PARLEY_RATE_OK ? 1 : parley_gate_proof_known(g);

    if (known != 0) {
        return known == PARLEY_WAIT ? PARLEY_RESULT_WAIT
                                    : PARLEY_RESULT_PASSED;
    }

    g->report.wait = got.wait;

    (void) parley_error_set(g->err, PARLEY_E_RATE_LIMITED, NULL,
                            "too many tokens and signatures from this address "
                            "were invalid");

    return PARLEY_RESULT_REFUSED;
}


/*
 * Counts a failed proof.  A request without a proof, or before keys are loaded,
 * does not count.
 */

int
parley_gate_failed(parley_gate_t *g)
{
    parley_rated_t   got;
    parley_rating_t  rating;

    if (g->conf.gate->failures.interval_us == 0) {
        return 0;
    }

    switch (g->err->code) {

    case PARLEY_E_TOKEN_INVALID:
    case PARLEY_E_TOKEN_EXPIRED:
    case PARLEY_E_SIGNATURE_INVALID:
    case PARLEY_E_KEY_UNKNOWN:
        parley_gate_proofs(g, &rating);

        return parley_ask_rate(&g->ask, &rating, &got) == PARLEY_WAIT
               ? PARLEY_WAIT : 0;

    default:
        return 0;
    }
}


/* Prepares the count of failed proofs for the address of the connection. */

static void
parley_gate_proofs(const parley_gate_t *g, parley_rating_t *ret)
{
    parley_account_kept_t  *kept;

    ret->account = NULL;
    ret->rate = g->conf.gate->failures;
    ret->shared = PARLEY_SHARED_OFF;
    ret->look = 0;
    ret->others = 0;

    kept = g->in.failing == NULL ? NULL
           : parley_account_place(g->in.failing, g->in.address);

    if (kept != NULL) {
        parley_account_kept_rate_key(g->ask.state, kept,
                                     PARLEY_COUNTED_FAILURES, &ret->rate,
                                     ret->key);

    } else {
        parley_account_rate_key(g->ask.state, PARLEY_COUNTED_FAILURES,
                                g->in.address, parley_str_none, &ret->rate,
                                ret->key);
    }
}


/*
 * Counts a message for a principal.  If sub is empty, it counts for the
 * address.
 */

static parley_step_result_t
parley_gate_limit(parley_gate_t *g, parley_str_t sub)
{
    int                     rc;
    parley_rated_t          got;
    parley_rating_t         rating;
    parley_account_kept_t  *kept;

    if (g->conf.gate->sole.interval_us == 0) {
        return parley_gate_limits(g, sub);
    }

    parley_gate_message_account(g);

    parley_gate_limits_rating(g, sub, &rating);
    rating.rate = g->conf.gate->sole;

    kept = parley_gate_kept(g, sub);

    if (kept != NULL) {
        parley_account_kept_rate_key(g->ask.state, kept,
                                     PARLEY_COUNTED_PRINCIPAL, &rating.rate,
                                     rating.key);

    } else {
        parley_gate_limits_key(g, sub, &rating);
    }

    rc = parley_ask_rate(&g->ask, &rating, &got);

    if (rc != 0) {
        return rc == PARLEY_WAIT ? PARLEY_RESULT_WAIT : PARLEY_RESULT_FAILED;
    }

    g->report.wait = got.wait;

    if (got.verdict != PARLEY_RATE_OK) {
        return parley_gate_over(g, &got);
    }

    return rating.shared == PARLEY_SHARED_EXACT
           && parley_gate_limits_hold(g, &rating) != 0
           ? PARLEY_RESULT_FAILED : PARLEY_RESULT_PASSED;
}


/* Prepares the count of a message for a principal or the address. */

static void
parley_gate_limits_rating(const parley_gate_t *g, parley_str_t sub,
    parley_rating_t *ret)
{
    ret->account = sub.len > 0 ? g->proof.account : NULL;
    ret->shared = sub.len == 0 && g->conf.gate->shared == PARLEY_SHARED_EXACT
                  ? PARLEY_SHARED_NEAR : g->conf.gate->shared;
    ret->look = 0;
    ret->others = 0;
}


static void
parley_gate_limits_key(const parley_gate_t *g, parley_str_t sub,
    parley_rating_t *rating)
{
    parley_account_rate_key(g->ask.state, sub.len > 0
                                          ? PARLEY_COUNTED_PRINCIPAL
                                          : PARLEY_COUNTED_ADDRESS,
                            sub.len > 0 ? sub : g->in.address,
                            parley_str_none, &rating->rate, rating->key);
}


/* Keeps a limit for the admission.  Returns 0, or -1: no memory. */

static int
parley_gate_limits_hold(parley_gate_t *g, const parley_rating_t *rating)
{
    parley_quota_t  *limit;

    if (g->proof.limits == NULL) {
        g->proof.limits = parley_arena_alloc(g->arena, PARLEY_LIMITS_MAX
                                                       * sizeof(*limit));
        if (g->proof.limits == NULL) {
            return -1;
        }
    }

    if (g->proof.nlimits < PARLEY_LIMITS_MAX) {
        limit = &g->proof.limits[g->proof.nlimits++];

        memcpy(limit->key, rating->key, PARLEY_KEY_LEN);
        limit->rate = rating->rate;
    }

    return 0;
}


int
parley_gate_rate_tell(parley_gate_t *g)
{
    size_t           i;
    parley_rated_t   got;
    parley_rating_t  rating;

    parley_gate_message_account(g);

    rating.account = g->proof.account;
    rating.shared = PARLEY_SHARED_EXACT;
    rating.look = 0;
    rating.others = 1;

    for (i = 0; i < g->proof.nlimits; i++) {
        memcpy(rating.key, g->proof.limits[i].key, PARLEY_KEY_LEN);
        rating.rate = g->proof.limits[i].rate;

        if (parley_ask_rate(&g->ask, &rating, &got) == PARLEY_WAIT) {
            return PARLEY_WAIT;
        }
    }

    return 0;
}


/*
 * Counts a message for each limit that applies to a principal (GW-35).  Looks
 * at all limits before it counts, so that a message that is refused by one of
 * them is not counted for the others.
 */

static parley_step_result_t
parley_gate_limits(parley_gate_t *g, parley_str_t sub)
{
    int                    rc;
    size_t                 i;
    parley_rated_t         got;
    parley_rating_t        rating;
    parley_gate_limits_t   limits;
    parley_step_result_t   result;

    result = parley_gate_limits_find(g, sub, &limits);

    if (result != PARLEY_RESULT_PASSED) {
        return result;
    }

    parley_gate_message_account(g);

    parley_gate_limits_rating(g, sub, &rating);

    for (i = limits.n > 1 ? 0 : limits.n; i < 2 * limits.n; i++) {
        rating.look = i < limits.n;
        rating.rate = limits.list[i % limits.n];

        parley_gate_limits_key(g, sub, &rating);

        rc = parley_ask_rate(&g->ask, &rating, &got);

        if (rc != 0) {
            return rc == PARLEY_WAIT ? PARLEY_RESULT_WAIT
                                     : PARLEY_RESULT_FAILED;
        }

        g->report.wait = got.wait;

        if (got.verdict != PARLEY_RATE_OK) {
            return parley_gate_over(g, &got);
        }
    }

    if (rating.shared != PARLEY_SHARED_EXACT) {
        return PARLEY_RESULT_PASSED;
    }

    for (i = 0; i < limits.n; i++) {
        rating.rate = limits.list[i];
        parley_gate_limits_key(g, sub, &rating);

        if (parley_gate_limits_hold(g, &rating) != 0) {
            return PARLEY_RESULT_FAILED;
        }
    }

    return PARLEY_RESULT_PASSED;
}


/*
 * Finds the limits that apply to a principal, or to the address if sub is
 * empty.  Returns PASSED; NONE if there are none; or REFUSED or FAILED.
 */

static parley_step_result_t
parley_gate_limits_find(parley_gate_t *g, parley_str_t sub,
    parley_gate_limits_t *ret)
{
    parley_step_result_t       result;
    const parley_rate_t       *rate = g->conf.gate->rate;
    const parley_principal_t  *principal;

    ret->n = 0;

    principal = g->who->surface != NULL
                && parley_str_eq(g->who->surface->sub, sub)
                ? g->who->surface : g->who->principal;

    if (sub.len > 0) {
        parley_gate_limits_add(ret, &principal->rate);
    }

    if (rate == NULL) {
        return ret->n > 0 ? PARLEY_RESULT_PASSED : PARLEY_RESULT_NONE;
    }

    parley_gate_limits_add(ret, &rate->all);

    if (sub.len > 0) {
        parley_gate_limits_roles(rate, principal, ret);
    }

    if (g->conf.gate->rate_value != NULL) {
        result = parley_gate_limits_value(g, ret);

        if (result != PARLEY_RESULT_PASSED) {
            return result;
        }
    }

    return ret->n > 0 ? PARLEY_RESULT_PASSED : PARLEY_RESULT_NONE;
}


static void
parley_gate_limits_roles(const parley_rate_t *rate,
    const parley_principal_t *principal, parley_gate_limits_t *ret)
{
    size_t  i, k;

    for (i = 0; i < rate->nroles; i++) {
        for (k = 0; k < principal->roles.n; k++) {
            if (parley_str_eq(principal->roles.list[k], rate->roles[i].role)) {
                parley_gate_limits_add(ret, &rate->roles[i].rate);
                break;
            }
        }
    }
}


/*
 * Adds the limit of the variable.  Refuses the message if its value is not a
 * rate: the value may come from the caller, and must not remove the limit.
 */

static parley_step_result_t
parley_gate_limits_value(parley_gate_t *g, parley_gate_limits_t *ret)
{
    parley_str_t          value;
    parley_error_t        err;
    const parley_str_t   *name = &g->conf.gate->rate->variable;
    parley_limit_rate_t   rate = { 0, 0 };

    if (g->env->value(g, g->conf.gate->rate_value, &value) != 0) {
        return PARLEY_RESULT_FAILED;
    }

    if (value.len == 0) {
        return PARLEY_RESULT_PASSED;
    }

    if (parley_rate_limit(value, &rate, &err) != 0) {
        g->report.wait = 0;

        (void) parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "the value of \"%.*s\" in \"parley_rate\" is "
                                "not a rate; expected Nr/s, Nr/m or Nr/h, with "
                                "an optional :BURST",
                                (int) name->len, (const char *) name->data);

        return PARLEY_RESULT_REFUSED;
    }

    parley_gate_limits_add(ret, &rate);

    return PARLEY_RESULT_PASSED;
}


/*
 * Adds a limit in its place.  Equal limits share a count, so a message counts
 * for one of them only.
 */

static void
parley_gate_limits_add(parley_gate_limits_t *limits,
    const parley_limit_rate_t *rate)
{
    size_t                      i;
    const parley_limit_rate_t  *other;

    if (rate->interval_us == 0) {
        return;
    }

    for (i = 0; i < limits->n; i++) {
        other = &limits->list[i];

        if (other->interval_us == rate->interval_us
            && other->burst == rate->burst)
        {
            return;
        }
    }

    while (i > 0 && limits->list[i - 1].interval_us < rate->interval_us) {
        limits->list[i] = limits->list[i - 1];
        i--;
    }

    limits->list[i] = *rate;
    limits->n++;
}


/* Refuses a message that the state has not counted. */

static parley_step_result_t
parley_gate_over(parley_gate_t *g, const parley_rated_t *got)
{
    switch (got->verdict) {

    case PARLEY_RATE_LIMITED:
        (void) parley_error_set(g->err, PARLEY_E_RATE_LIMITED, NULL,
                                "too many messages");
        return PARLEY_RESULT_REFUSED;

    default:
        g->report.wait = PARLEY_GATE_NO_ROOM;
        (void) parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "no room to count this sender's messages");
        return PARLEY_RESULT_REFUSED;
    }
}


/*
 * Returns whether a signature can prove the sender of the message later.  Until
 * then the sender is unknown.  Forged messages must not use up the limit of
 * other senders at the same address.
 */

static int
parley_gate_rated_later(const parley_gate_t *g)
{
    return !parley_who_is_caller(g->who)
           && g->conf.gate->signature != PARLEY_DEMAND_OFF
           && (g->in.framed
               || (parley_settings_endpoint(g->conf.s) == PARLEY_ENDPOINT_NONE
                   && g->conf.s->mcp == NULL));
}


parley_step_result_t
parley_gate_rate(parley_gate_t *g)
{
    parley_step_result_t  result;

    if (parley_gate_rated_later(g)) {
        return PARLEY_RESULT_NONE;
    }

    result = parley_gate_limit(g, parley_who_proven(g->who));

    if (parley_gate_full(g, result)
        && (g->conf.plan & PARLEY_PLAN(PARLEY_STEP_SENDER_RATE)))
    {
        /*
         * the step SENDER_RATE refuses the message, unless it asks for the
         * health
         */
        parley_error_clear(g->err);
        g->proof.uncounted = 1;
        return PARLEY_RESULT_PASSED;
    }

    return result;
}


/*
 * Counts a message that the step RATE did not count: for its sender if a
 * signature proves it, else for its address.  A message that RATE counted for
 * the surface which delivers it counts for its author, too.
 */

parley_step_result_t
parley_gate_sender_rate(parley_gate_t *g)
{
    parley_step_result_t   result;
    const parley_codec_t  *codec;

    result = PARLEY_RESULT_NONE;

    if (parley_gate_rated_later(g)) {
        result = parley_gate_limit(g, g->who->sig_verified
                                      ? g->who->principal->sub
                                      : parley_str_none);

    } else if (g->who->surface != NULL
               && !parley_str_eq(g->who->surface->sub,
                                 g->who->principal->sub))
    {
        result = parley_gate_limit(g, g->who->principal->sub);
    }

    if (result == PARLEY_RESULT_WAIT
        || (!g->proof.uncounted && !parley_gate_full(g, result)))
    {
        return result;
    }

    /* AEE-22: the answer to this task reports the missing room */

    codec = parley_codecs[g->read.proto];

    if (codec->asks_health != NULL && codec->asks_health(g->msg)) {
        parley_error_clear(g->err);
        return PARLEY_RESULT_PASSED;
    }

    (void) parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                            "no room to count this sender's messages");

    return PARLEY_RESULT_REFUSED;
}


/* Returns whether the state had no room to count the message. */

static int
parley_gate_full(const parley_gate_t *g, parley_step_result_t result)
{
    return result == PARLEY_RESULT_REFUSED
           && g->err->code == PARLEY_E_CAPACITY
           && g->report.wait == PARLEY_GATE_NO_ROOM;
}
