/*
 * Admission.  The zone decides first.  An id alone is reserved by a plain
 * command on one key; a slot, or an id that another node holds, by a function.
 *
 * The value of an id and of a slot names its holder: node and stamp.  A command
 * that is sent again finds its own holder.
 */

#include <string.h>

#include "state/store/parley_store_parts.h"


static int parley_store_reserve(parley_store_t *s, parley_store_call_t *call);
static int parley_store_ask_admit(parley_store_t *s,
    parley_store_call_t *call);
static int parley_store_look(parley_store_t *s, parley_store_call_t *call);
static int parley_store_reserved(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static void parley_store_foreign(parley_store_t *s,
    const parley_wire_reply_t *reply);
static int parley_store_admitted(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static int parley_store_looked(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static int parley_store_verdict(parley_store_t *s, parley_store_call_t *call,
    parley_admit_t verdict);
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
        return PARLEY_STATE_DONE;
    }

    if (a->id == NULL && a->slot == NULL) {
        parley_store_count_quotas(s, a, 1);

        return PARLEY_STATE_DONE;
    }

    call = parley_store_call(s, NULL);

    if (call == NULL) {
        goto memory;
    }

    parley_store_admission(call, a, ret->stamp);

    if (ret->verdict == PARLEY_ADMIT_STALE) {
        if (parley_store_look(s, call) != 0) {
            parley_store_call_free(s, call);
            return PARLEY_STATE_DONE;
        }

        return parley_store_await(s, call, ret, caller, parley_store_unknown);
    }

    if ((a->slot != NULL ? parley_store_ask_admit(s, call)
                         : parley_store_reserve(s, call))
        != 0)
    {
        parley_store_call_free(s, call);
        goto memory;
    }

    call->leave = parley_store_admit_gone;
    call->again = parley_store_admit_again;

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
    char                       ttl[24], lease[24];
    uint8_t                    holder[PARLEY_STORE_HOLDER];
    parley_str_t               arguments[10];
    parley_store_admission_t  *a = &call->u.admit;

    parley_store_holder(s, a->stamp, holder);

    arguments[0] = PARLEY_STR("FCALL");
    arguments[1] = PARLEY_STR("p1_admit");
    arguments[2] = PARLEY_STR("1");
    arguments[3] = parley_store_prefix(s);
    arguments[4] = parley_str_make(holder, sizeof(holder));
    arguments[5] = parley_str_make(a->print, PARLEY_PRINT_LEN);
    arguments[6] = parley_str_make(a->id,
                                   a->a.id != NULL ? PARLEY_KEY_LEN : 0);
    arguments[7] = parley_str_make(a->slot,
                                   a->a.slot != NULL ? PARLEY_KEY_LEN : 0);
    arguments[8] = parley_wire_number(PARLEY_STORE_RESERVED, ttl);
    arguments[9] = parley_wire_number(s->conf->lease, lease);

    call->answer = parley_store_admitted;

    return parley_store_command(call, arguments, 10);
}


/* A message that is too old passes only as a duplicate. */

static int
parley_store_look(parley_store_t *s, parley_store_call_t *call)
{
    uint8_t       name[PARLEY_STORE_PREFIX + 1 + PARLEY_KEY_LEN];
    parley_str_t  arguments[2];

    arguments[0] = PARLEY_STR("GET");
    arguments[1] = parley_store_name(s, 'i', call->u.admit.id, name);

    call->answer = parley_store_looked;

    return parley_store_command(call, arguments, 2);
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
        if (rc == 0) {
            parley_store_foreign(s, reply);
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


/* Logs a reply that is not the value of an id. */

static void
parley_store_foreign(parley_store_t *s, const parley_wire_reply_t *reply)
{
    parley_str_t  error;

    error = parley_wire_error(reply);

    if (error.len >= 3 && memcmp(error.data, "OOM", 3) == 0) {
        return;
    }

    if (error.len == 0
        || (error.len >= 9 && memcmp(error.data, "WRONGTYPE", 9) == 0))
    {
        parley_store_log(s, PARLEY_STORE_CRIT, "a key below \"%.*s\" is not "
                         "Parley's; remove it, or use another prefix=",
                         (int) s->prefix_len, s->prefix);
        return;
    }

    parley_store_log(s, PARLEY_STORE_ERROR, "the engine refuses an id: %.*s",
                     (int) (error.len < 200 ? error.len : 200), error.data);
}


static int
parley_store_admitted(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
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

    if (parley_wire_text(reply, &word)) {

        if (parley_str_is(word, "unreadable")) {
            parley_store_unreadable(s);
        }

        for (i = 0; i < sizeof(verdicts) / sizeof(verdicts[0]); i++) {
            if (word.len == strlen(verdicts[i].word)
                && memcmp(word.data, verdicts[i].word, word.len) == 0)
            {
                return parley_store_verdict(s, call, verdicts[i].verdict);
            }
        }
    }

    return parley_store_verdict(s, call, PARLEY_ADMIT_FULL);
}


static int
parley_store_looked(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    parley_str_t        value;
    parley_store_id_t   id;
    parley_admitted_t  *ret = call->ret;

    if (ret == NULL || !parley_wire_text(reply, &value)
        || parley_store_read_id(s, value, &id) <= 0)
    {
        return 0;
    }

    if (memcmp(id.print, call->u.admit.print, PARLEY_PRINT_LEN) != 0) {
        ret->verdict = PARLEY_ADMIT_OTHER;

    } else if (id.state == 't') {
        ret->verdict = PARLEY_ADMIT_DUPLICATE;

    } else {
        ret->verdict = PARLEY_ADMIT_IN_FLIGHT;
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
    parley_admitted_t         *ret = call->ret;
    parley_settlement_t        how;
    parley_store_admission_t  *a = &call->u.admit;

    if (call->local) {
        s->stat.forked += verdict == PARLEY_ADMIT_DUPLICATE
                          || verdict == PARLEY_ADMIT_OTHER
                          || verdict == PARLEY_ADMIT_ANSWERED;
        return 0;
    }

    if (ret == NULL) {

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

    parley_store_undo(s, a);

    ret->verdict = verdict;
    ret->stamp = 0;
    ret->wait = verdict == PARLEY_ADMIT_IN_FLIGHT
                || verdict == PARLEY_ADMIT_ANSWERING
                || verdict == PARLEY_ADMIT_FULL
                || verdict == PARLEY_ADMIT_AWAY ? 1000 : 0;

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
