/*
 * Admission.  The zone decides first.  An id alone is reserved by a plain
 * command on one key; a slot, or an id that another node holds, by a function.
 *
 * EXACT limits and quotas are counted by the function too.  It counts a message
 * for its limits even if it refuses the id, as a zone does.
 *
 * The value of an id and of a slot names its holder: node and stamp.  A command
 * that is sent again finds its own holder.  Without an id and a slot, it counts
 * the message again.
 */

#include <string.h>

#include "state/store/parley_store_parts.h"


static int parley_store_limits(parley_store_call_t *call,
    const parley_admission_t *a);
static int parley_store_reserve(parley_store_t *s, parley_store_call_t *call);
static int parley_store_ask_admit(parley_store_t *s,
    parley_store_call_t *call);
static int parley_store_look(parley_store_t *s, parley_store_call_t *call);
static int parley_store_reserved(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static parley_admit_t parley_store_word(parley_store_t *s,
    const parley_wire_reply_t *reply);
static int parley_store_admitted(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static int parley_store_looked(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static int parley_store_limited(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static int parley_store_verdict(parley_store_t *s, parley_store_call_t *call,
    parley_admit_t verdict);
static int parley_store_refused(parley_store_t *s, parley_store_call_t *call,
    parley_admit_t verdict, int64_t wait);
static void parley_store_admit_gone(parley_store_t *s,
    parley_store_call_t *call);
static int parley_store_admit_again(parley_store_t *s,
    parley_store_call_t *call);
static void parley_store_undo(parley_store_t *s,
    const parley_store_admission_t *a);
static void parley_store_alone(parley_store_t *s, parley_store_call_t *call);
static void parley_store_unknown(parley_store_t *s, parley_store_call_t *call);


parley_state_done_t
parley_store_admit(parley_state_t *state, const parley_admission_t *a,
    parley_admitted_t *ret, parley_call_t *caller)
{
    parley_store_t       *s = (parley_store_t *) state;
    parley_store_call_t  *call;

    (void) s->zone->ops->admit(s->zone, a, ret, NULL);

    if (ret->verdict != PARLEY_ADMIT_OK
        && (ret->verdict != PARLEY_ADMIT_STALE || a->id == NULL))
    {
        parley_store_count_limits(s, a);

        return PARLEY_STATE_DONE;
    }

    if (a->id == NULL && a->slot == NULL && !parley_store_is_exact(a)) {
        parley_store_count_quotas(s, a, 1);

        return PARLEY_STATE_DONE;
    }

    call = parley_store_call(s, NULL);

    if (call == NULL) {
        goto memory;
    }

    parley_store_admission(&call->u.admit, a, ret->stamp);

    if (parley_store_limits(call, a) != 0) {
        parley_store_call_free(s, call);
        goto memory;
    }

    if (ret->verdict == PARLEY_ADMIT_STALE) {
        parley_store_count_limits(s, a);

        if (parley_store_look(s, call) != 0) {
            parley_store_call_free(s, call);
            return PARLEY_STATE_DONE;
        }

        return parley_store_await(s, call, ret, caller, parley_store_unknown);
    }

    if ((a->slot != NULL || parley_store_is_exact(a)
                         ? parley_store_ask_admit(s, call)
                         : parley_store_reserve(s, call))
        != 0)
    {
        parley_store_call_free(s, call);
        goto memory;
    }

    call->leave = parley_store_admit_gone;
    call->again = parley_store_admit_again;

    if (a->counts) {
        parley_store_feed_first(s, ret->stamp);
    }

    return parley_store_await(s, call, ret, caller, parley_store_alone);

memory:

    if (ret->verdict == PARLEY_ADMIT_OK) {
        parley_settlement_t  how = { .stamp = ret->stamp };

        (void) s->zone->ops->settle(s->zone, a, &how, NULL, NULL);

        ret->verdict = PARLEY_ADMIT_FULL;
        ret->wait = 1000;
    }

    return PARLEY_STATE_DONE;
}


/* Copies the limits of an admission.  Returns 0, or -1: no memory. */

static int
parley_store_limits(parley_store_call_t *call, const parley_admission_t *a)
{
    parley_quota_t  *limits;

    if (a->nlimits == 0) {
        return 0;
    }

    limits = parley_arena_alloc(&call->arena, a->nlimits * sizeof(*limits));

    if (limits == NULL) {
        return -1;
    }

    memcpy(limits, a->limits, a->nlimits * sizeof(*limits));

    call->u.admit.a.limits = limits;
    call->u.admit.a.nlimits = a->nlimits;

    return 0;
}


/* SET id value NX GET PX: null if the id was free */

static int
parley_store_reserve(parley_store_t *s, parley_store_call_t *call)
{
    char                      ttl[24];
    uint8_t                   value[PARLEY_STORE_PRINTED];
    uint8_t                   name[PARLEY_STORE_PREFIX + 1 + PARLEY_KEY_LEN];
    parley_str_t              arguments[7];
    parley_store_admission_t  *a = &call->u.admit;

    arguments[0] = PARLEY_STR("SET");
    arguments[1] = parley_store_name(s, 'i', a->id, name);
    arguments[2] = parley_store_write_id(s, 'r', a->print, a->stamp, value);
    arguments[3] = PARLEY_STR("NX");
    arguments[4] = PARLEY_STR("GET");
    arguments[5] = PARLEY_STR("PX");
    arguments[6] = parley_wire_number(PARLEY_STORE_RESERVED, ttl);

    call->answer = parley_store_reserved;

    return parley_store_command(call, arguments, 7);
}


static int
parley_store_ask_admit(parley_store_t *s, parley_store_call_t *call)
{
    call->answer = parley_store_admitted;

    return parley_store_admit_command(s, call, "p1_admit", 1);
}


/* A message that is too old passes only as a duplicate.  A reservation of a
   node whose lease is over is none. */

static int
parley_store_look(parley_store_t *s, parley_store_call_t *call)
{
    call->answer = parley_store_looked;

    return parley_store_admit_command(s, call, "p1_look", 0);
}


static int
parley_store_reserved(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    int                rc;
    uint8_t            holder[PARLEY_STORE_HOLDER];
    parley_str_t       value;
    parley_store_id_t  id;

    if (parley_wire_is_null(reply)) {
        return parley_store_verdict(s, call, PARLEY_ADMIT_OK);
    }

    rc = parley_wire_text(reply, &value) ? parley_store_read_id(s, value, &id)
                                         : 0;

    if (rc <= 0) {
        if (rc == 0 && parley_wire_error(reply).len == 0) {
            parley_store_foreign(s);
        }

        return parley_store_verdict(s, call, rc == 0 ? PARLEY_ADMIT_FULL
                                                     : PARLEY_ADMIT_AWAY);
    }

    parley_store_holder(s, call->u.admit.stamp, holder);

    if (memcmp(id.holder, holder, PARLEY_STORE_HOLDER) == 0) {
        return parley_store_verdict(s, call, PARLEY_ADMIT_OK);
    }

    if (id.state == 't') {
        return parley_store_verdict(s, call,
                   memcmp(id.print, call->u.admit.print, PARLEY_PRINT_LEN) == 0
                   ? PARLEY_ADMIT_DUPLICATE : PARLEY_ADMIT_OTHER);
    }

    /* the lease of its holder may be over */

    if (call->gone) {
        return parley_store_verdict(s, call, PARLEY_ADMIT_IN_FLIGHT);
    }

    return parley_store_ask_admit(s, call) == 0
           ? parley_store_resend(s, call)
           : parley_store_verdict(s, call, PARLEY_ADMIT_FULL);
}


/* Returns the verdict that p1_admit or p1_look replied; FULL: the reply is not
   text. */

static parley_admit_t
parley_store_word(parley_store_t *s, const parley_wire_reply_t *reply)
{
    size_t        i;
    parley_str_t  word;

    static const struct {
        const char      *word;
        parley_admit_t   verdict;
    } verdicts[] = {
        { "ok", PARLEY_ADMIT_OK },
        { "other", PARLEY_ADMIT_OTHER },
        { "duplicate", PARLEY_ADMIT_DUPLICATE },
        { "in-flight", PARLEY_ADMIT_IN_FLIGHT },
        { "answered", PARLEY_ADMIT_ANSWERED },
        { "answering", PARLEY_ADMIT_ANSWERING },
        { "unreadable", PARLEY_ADMIT_AWAY },
    };

    if (!parley_wire_text(reply, &word)) {
        return PARLEY_ADMIT_FULL;
    }

    if (parley_str_is(word, "unreadable")) {
        parley_store_unreadable(s);
    }

    for (i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
        if (word.len == strlen(verdicts[i].word)
            && memcmp(word.data, verdicts[i].word, word.len) == 0)
        {
            return verdicts[i].verdict;
        }
    }

    return PARLEY_ADMIT_FULL;
}


static int
parley_store_admitted(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    if (parley_wire_elements(reply) != 0) {
        return parley_store_limited(s, call, reply);
    }

    return parley_store_verdict(s, call, parley_store_word(s, reply));
}


/* Reads the index of the limit or quota that is over, and the us until its debt
   ends. */

static int
parley_store_limited(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    int64_t                     i, ahead, wait;
    const parley_quota_t       *quota;
    parley_admitted_t          *ret = call->ret;
    const parley_admission_t   *a = &call->u.admit.a;

    if (parley_wire_elements(reply) != 2
        || !parley_wire_integer(parley_wire_element(reply, 0), &i)
        || !parley_wire_integer(parley_wire_element(reply, 1), &ahead)
        || (size_t) i >= a->nlimits + a->nquotas)
    {
        return parley_store_verdict(s, call, PARLEY_ADMIT_FULL);
    }

    quota = (size_t) i < a->nlimits ? &a->limits[i]
                                    : &a->quotas[(size_t) i - a->nlimits];

    ahead = parley_store_ahead(&quota->rate, ahead);
    wait = (ahead - quota->rate.interval_us * (int64_t) quota->rate.burst)
           / 1000 + 1;

    if ((size_t) i < a->nlimits && !call->local) {
        parley_store_over(s, a, (size_t) i, ahead);
    }

    if (ret != NULL) {
        s->zone->ops->limited(s->zone);
        ret->quota = (size_t) i < a->nlimits ? a->nquotas
                                             : (size_t) i - a->nlimits;
    }

    return parley_store_refused(s, call, PARLEY_ADMIT_LIMITED,
                                wait > 0 ? wait : 1);
}


static int
parley_store_looked(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    parley_admit_t      verdict;
    parley_admitted_t  *ret = call->ret;

    if (ret == NULL) {
        return 0;
    }

    verdict = parley_store_word(s, reply);

    if (verdict == PARLEY_ADMIT_OTHER || verdict == PARLEY_ADMIT_DUPLICATE) {
        ret->verdict = verdict;

    } else if (verdict == PARLEY_ADMIT_IN_FLIGHT) {
        parley_store_ask_held(s, PARLEY_KIND_ID, call->u.admit.id);
        ret->verdict = verdict;
        ret->wait = 1000;
    }

    return 0;
}


/*
 * Answers an admission.  After its caller has gone, the admission is given
 * back.  An admission that the zone decided alone was forked if another node
 * has the id.
 */

static int
parley_store_verdict(parley_store_t *s, parley_store_call_t *call,
    parley_admit_t verdict)
{
    parley_settlement_t        how;
    parley_store_admission_t  *a = &call->u.admit;

    if (call->local) {
        s->stat.forked += verdict == PARLEY_ADMIT_DUPLICATE
                          || verdict == PARLEY_ADMIT_OTHER
                          || verdict == PARLEY_ADMIT_ANSWERED;
        return 0;
    }

    if (call->ret == NULL) {

        /* the zone has given the admission back when the caller went */

        if (verdict == PARLEY_ADMIT_OK) {
            memset(&how, 0, sizeof(parley_settlement_t));
            how.stamp = a->stamp;

            parley_store_free(s, &a->a, &how);
        }

        return 0;
    }

    if (verdict == PARLEY_ADMIT_OK
        && !parley_store_holds(s, s->env->now(s->env->ctx)))
    {
        memset(&how, 0, sizeof(parley_settlement_t));
        how.stamp = a->stamp;

        parley_store_free(s, &a->a, &how);
        verdict = PARLEY_ADMIT_AWAY;
    }

    if (verdict == PARLEY_ADMIT_OK) {
        parley_store_count_quotas(s, &a->a, 1);
        return 0;
    }

    return parley_store_refused(s, call, verdict,
                                verdict == PARLEY_ADMIT_IN_FLIGHT
                                || verdict == PARLEY_ADMIT_ANSWERING
                                || verdict == PARLEY_ADMIT_FULL
                                || verdict == PARLEY_ADMIT_AWAY ? 1000 : 0);
}


/* The zone gives the admission back, unless its caller has gone. */

static int
parley_store_refused(parley_store_t *s, parley_store_call_t *call,
    parley_admit_t verdict, int64_t wait)
{
    parley_admitted_t  *ret = call->ret;

    if (ret == NULL) {
        return 0;
    }

    parley_store_undo(s, &call->u.admit);

    if (verdict == PARLEY_ADMIT_IN_FLIGHT) {
        parley_store_ask_held(s, PARLEY_KIND_ID, call->u.admit.id);

    } else if (verdict == PARLEY_ADMIT_ANSWERING) {
        parley_store_ask_held(s, PARLEY_KIND_SLOT, call->u.admit.slot);
    }

    ret->verdict = verdict;
    ret->stamp = 0;
    ret->wait = wait;

    return 0;
}


/* Gives the admission of the zone back. */

static void
parley_store_undo(parley_store_t *s, const parley_store_admission_t *a)
{
    parley_settlement_t  how;

    memset(&how, 0, sizeof(parley_settlement_t));

    how.stamp = a->stamp;

    (void) s->zone->ops->settle(s->zone, &a->a, &how, NULL, NULL);
}


/* The store does not answer: fallback= decides. */

static void
parley_store_alone(parley_store_t *s, parley_store_call_t *call)
{
    parley_admitted_t  *ret = call->ret;

    s->stat.fallbacks++;

    if (s->main.stage != PARLEY_STORE_UP) {
        parley_store_count_limits(s, &call->u.admit.a);
    }

    if (s->conf->fallback == PARLEY_STORE_LOCAL
        && !call->u.admit.a.everywhere)
    {
        call->local = 1;
        parley_store_count_quotas(s, &call->u.admit.a, 1);
        return;
    }

    parley_store_undo(s, &call->u.admit);
    call->settled = 1;

    ret->verdict = PARLEY_ADMIT_AWAY;
    ret->stamp = 0;
    ret->wait = 1000;
}


/* A message that is too old stays refused. */

static void
parley_store_unknown(parley_store_t *s, parley_store_call_t *call)
{
    (void) call;

    s->stat.fallbacks++;
}


/* A cancelled caller: the zone is free at once, the store with the reply. */

static void
parley_store_admit_gone(parley_store_t *s, parley_store_call_t *call)
{
    parley_store_undo(s, &call->u.admit);
    call->settled = 1;
}


/* On a new connection the admission is given back instead. */

static int
parley_store_admit_again(parley_store_t *s, parley_store_call_t *call)
{
    size_t               len;
    parley_settlement_t  how;

    if (!call->settled) {
        return call->local;
    }

    len = call->octets.len;

    memset(&how, 0, sizeof(parley_settlement_t));
    how.stamp = call->u.admit.stamp;

    call->answer = NULL;
    call->again = NULL;
    call->kept = 1;

    if (parley_store_free_command(s, call, &call->u.admit.a, &how) != 0) {
        call->octets.len = len;
        return 0;
    }

    s->octets = s->octets - len + call->octets.len;

    return 1;
}
