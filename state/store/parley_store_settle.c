/*
 * Settlement.  The zone settles first.  An id alone is taken by a plain command
 * on one key; a settlement with effects on other records by a function.
 *
 * Ids that the zone took alone while the store was away are sent when it
 * returns.  An id that another node took too was forked: p1_settle returns this
 * too.
 */

#include <stdlib.h>
#include <string.h>

#include "core/parley_octets.h"
#include "state/store/parley_store_parts.h"


#define PARLEY_STORE_TAKEN_MIN  256

/* reply of p1_settle */
#define PARLEY_STORE_LATE    1   /* another message has closed a question */
#define PARLEY_STORE_FORKED  2   /* another admission has taken the id */
#define PARLEY_STORE_SKIPS   4   /* a value has an unknown format */


static int parley_store_take_command(parley_store_t *s,
    parley_store_call_t *call, const parley_admission_t *a,
    const parley_settlement_t *how);
static int parley_store_took(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static int parley_store_settled(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static void parley_store_settle_alone(parley_store_t *s,
    parley_store_call_t *call);
static int parley_store_forked(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);
static int parley_store_take_id(parley_store_t *s, parley_store_call_t *call,
    const parley_admission_t *a, uint64_t stamp, int64_t ttl, int again);
static void parley_store_remember(parley_store_t *s,
    const parley_admission_t *a, uint64_t stamp);


parley_state_done_t
parley_store_settle(parley_state_t *state, const parley_admission_t *a,
    const parley_settlement_t *how, int *ret, parley_call_t *caller)
{
    int                   rc;
    parley_store_t       *s = (parley_store_t *) state;
    parley_store_call_t  *call;

    (void) s->zone->ops->settle(s->zone, a, how, &rc, NULL);

    if (ret != NULL) {
        *ret = rc;
    }

    if (!how->taken) {

        if (how->stamp != 0) {
            parley_store_count_quotas(s, a, -1);

            if (a->id != NULL || a->slot != NULL || how->drops[0] != NULL) {
                parley_store_free(s, a, how);
            }
        }

        return PARLEY_STATE_DONE;
    }

    parley_store_say_close(s, how);

    if (caller == NULL || (how->closes[0] == NULL && how->nlifts == 0)) {
        parley_store_taken(s, a, how);
        return PARLEY_STATE_DONE;
    }

    call = parley_store_call(s, parley_store_settled);

    if (call == NULL) {
        return PARLEY_STATE_DONE;
    }

    if (parley_store_take_command(s, call, a, how) != 0) {
        parley_store_call_free(s, call);
        return PARLEY_STATE_DONE;
    }

    if (s->main.stage != PARLEY_STORE_UP) {

        /* the store learns of it when it is back */

        s->stat.fallbacks++;
        (void) parley_store_send(s, call);

        return PARLEY_STATE_DONE;
    }

    call->kept = 1;
    call->lifts = how->nlifts != 0;

    return parley_store_await(s, call, ret, caller, parley_store_settle_alone);
}


/* The zone has settled the message: its answer stays. */

static void
parley_store_settle_alone(parley_store_t *s, parley_store_call_t *call)
{
    (void) call;

    s->stat.fallbacks++;
}


static int
parley_store_settled(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    int      *ret = call->ret;
    int64_t   flags;

    if (!parley_wire_integer(reply, &flags)) {
        return 0;
    }

    if (ret != NULL && *ret == 0 && (flags & PARLEY_STORE_LATE) != 0) {
        *ret = PARLEY_SETTLED_LATE;
    }

    s->stat.forked += (flags & PARLEY_STORE_FORKED) != 0;

    if (flags & PARLEY_STORE_SKIPS) {
        parley_store_unreadable(s);
    }

    return call->lifts ? parley_store_confirm(s, call) : 0;
}


void
parley_store_taken(parley_store_t *s, const parley_admission_t *a,
    const parley_settlement_t *how)
{
    int                   rc;
    parley_store_call_t  *call;

    if (a->id == NULL && a->slot == NULL && how->closes[0] == NULL
        && how->nlifts == 0)
    {
        return;
    }

    if (a->slot == NULL && how->closes[0] == NULL && how->nlifts == 0) {

        if (s->main.stage != PARLEY_STORE_UP
            && s->conf->fallback == PARLEY_STORE_LOCAL)
        {
            parley_store_remember(s, a, how->stamp);
            return;
        }

        call = parley_store_call(s, parley_store_took);

        if (call == NULL) {
            return;
        }

        parley_store_admission(&call->u.admit, a, how->stamp);
        rc = parley_store_take_id(s, call, a, how->stamp, a->ttl, 0);

    } else {
        call = parley_store_call(s, parley_store_settled);

        if (call == NULL) {
            return;
        }

        rc = parley_store_take_command(s, call, a, how);
    }

    if (rc == 0) {
        (void) parley_store_send(s, call);

    } else {
        parley_store_call_free(s, call);
    }
}


static int
parley_store_take_id(parley_store_t *s, parley_store_call_t *call,
    const parley_admission_t *a, uint64_t stamp, int64_t ttl, int again)
{
    char          number[24];
    size_t        n;
    uint8_t       value[PARLEY_STORE_PRINTED];
    uint8_t       name[PARLEY_STORE_PREFIX + 1 + PARLEY_KEY_LEN];
    parley_str_t  arguments[7];

    n = 0;

    arguments[n++] = PARLEY_STR("SET");
    arguments[n++] = parley_store_name(s, 'i', a->id, name);
    arguments[n++] = parley_store_write_id(s, 't', a->print, stamp, value);
    arguments[n++] = PARLEY_STR("PX");
    arguments[n++] = parley_wire_number(ttl > 0 ? ttl : 1, number);

    if (again) {
        arguments[n++] = PARLEY_STR("NX");
        arguments[n++] = PARLEY_STR("GET");
    }

    return parley_store_command(call, arguments, n);
}


/* A full engine refuses SET, but p1_settle works: a message that was taken is
   never forgotten. */

static int
parley_store_took(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    parley_str_t         error;
    parley_settlement_t  how;

    error = parley_wire_error(reply);

    if (error.len >= 3 && memcmp(error.data, "OOM", 3) == 0) {

        memset(&how, 0, sizeof(parley_settlement_t));
        how.stamp = call->u.admit.stamp;
        how.taken = 1;

        call->answer = parley_store_settled;

        if (parley_store_take_command(s, call, &call->u.admit.a, &how) == 0) {
            return parley_store_resend(s, call);
        }
    }

    return 0;
}


static int
parley_store_take_command(parley_store_t *s, parley_store_call_t *call,
    const parley_admission_t *a, const parley_settlement_t *how)
{
    size_t                      n;
    parley_str_t                arguments[4 + PARLEY_STORE_SETTLE];
    parley_store_settle_room_t  room;

    arguments[0] = PARLEY_STR("FCALL");
    arguments[1] = PARLEY_STR("p1_settle");
    arguments[2] = PARLEY_STR("1");
    arguments[3] = parley_store_prefix(s);

    n = parley_store_settle_arguments(s, &room, a, how, arguments + 4);

    return parley_store_command(call, arguments, 4 + n);
}


size_t
parley_store_settle_arguments(const parley_store_t *s,
    parley_store_settle_room_t *room, const parley_admission_t *a,
    const parley_settlement_t *how,
    parley_str_t arguments[PARLEY_STORE_SETTLE])
{
    size_t    i, n, ncloses;
    uint8_t  *lift;

    parley_store_holder(s, how->stamp, room->holder);

    for (ncloses = 0;
         ncloses < PARLEY_CLOSES_MAX && how->closes[ncloses] != NULL;
         ncloses++)
    {
        /* void */
    }

    n = 0;

    arguments[n++] = parley_str_make(room->holder, PARLEY_STORE_HOLDER);
    arguments[n++] = parley_str_make(a->print,
                                     a->id != NULL ? PARLEY_PRINT_LEN : 0);
    arguments[n++] = parley_str_make(a->id, a->id != NULL ? PARLEY_KEY_LEN : 0);
    arguments[n++] = parley_wire_number(a->ttl > 0 ? a->ttl : 1, room->id_ttl);
    arguments[n++] = parley_str_make(a->slot,
                                     a->slot != NULL ? PARLEY_KEY_LEN : 0);
    arguments[n++] = parley_wire_number(a->slot_ttl > 0 ? a->slot_ttl : 1,
                                        room->slot_ttl);
    arguments[n++] = parley_wire_number((int64_t) ncloses, room->count);

    for (i = 0; i < ncloses; i++) {
        (void) parley_octets_write32(room->tags[i], how->closes[i]->tag);

        arguments[n++] = parley_str_make(how->closes[i]->key, PARLEY_KEY_LEN);
        arguments[n++] = parley_str_make(room->tags[i], 4);
    }

    for (i = 0; i < how->nlifts && i < PARLEY_LIFTS_MAX; i++) {
        lift = room->lifts[i];

        lift[0] = (uint8_t) how->lifts[i].id.kind;
        (void) parley_octets_write32(lift + 1, how->lifts[i].id.tag);
        (void) parley_octets_write32(lift + 5, how->lifts[i].generation);

        arguments[n++] = parley_str_make(lift, 1);
        arguments[n++] = parley_str_make(how->lifts[i].id.key, PARLEY_KEY_LEN);
        arguments[n++] = parley_str_make(lift + 1, 4);
        arguments[n++] = parley_str_make(lift + 5, 4);
    }

    return n;
}


void
parley_store_free(parley_store_t *s, const parley_admission_t *a,
    const parley_settlement_t *how)
{
    parley_store_call_t  *call;

    call = parley_store_call(s, NULL);

    if (call == NULL) {
        return;
    }

    if (parley_store_free_command(s, call, a, how) == 0) {
        (void) parley_store_send(s, call);

    } else {
        parley_store_call_free(s, call);
    }
}


void
parley_store_orphan(void *ctx, parley_kind_t kind, const uint8_t *key,
    uint64_t stamp, const struct parley_process_link_s *link)
{
    parley_admission_t   a;
    parley_settlement_t  how;

    if (link != NULL) {
        parley_store_kill(ctx, link);
    }

    memset(&a, 0, sizeof(parley_admission_t));
    memset(&how, 0, sizeof(parley_settlement_t));

    a.id = kind == PARLEY_KIND_ID ? key : NULL;
    a.slot = kind == PARLEY_KIND_SLOT ? key : NULL;
    how.stamp = stamp;

    parley_store_free(ctx, &a, &how);
}


int
parley_store_free_command(parley_store_t *s, parley_store_call_t *call,
    const parley_admission_t *a, const parley_settlement_t *how)
{
    size_t        i, n;
    uint8_t       holder[PARLEY_STORE_HOLDER];
    uint8_t       tags[PARLEY_DROPS_MAX][4], generation[4];
    char          numbers[1 + PARLEY_QUOTAS_MAX][24];
    size_t        nquotas;
    parley_str_t  arguments[8 + 2 * PARLEY_QUOTAS_MAX + 3 * PARLEY_DROPS_MAX];

    parley_store_holder(s, how->stamp, holder);
    (void) parley_octets_write32(generation,
                                 parley_state_generation(how->stamp));

    n = 0;

    arguments[n++] = PARLEY_STR("FCALL");
    arguments[n++] = PARLEY_STR("p1_free");
    arguments[n++] = PARLEY_STR("1");
    arguments[n++] = parley_store_prefix(s);
    arguments[n++] = parley_str_make(holder, sizeof(holder));
    arguments[n++] = parley_str_make(a->id, a->id != NULL ? PARLEY_KEY_LEN : 0);
    arguments[n++] = parley_str_make(a->slot,
                                     a->slot != NULL ? PARLEY_KEY_LEN : 0);

    nquotas = a->shared == PARLEY_SHARED_EXACT ? a->nquotas : 0;
    arguments[n++] = parley_wire_number((int64_t) nquotas, numbers[0]);

    for (i = 0; i < nquotas; i++) {
        arguments[n++] = parley_str_make(a->quotas[i].key, PARLEY_KEY_LEN);
        arguments[n++] = parley_wire_number(a->quotas[i].rate.interval_us,
                                            numbers[i + 1]);
    }

    for (i = 0; i < PARLEY_DROPS_MAX && how->drops[i] != NULL; i++) {

        if (!parley_store_is_shared(how->drops[i]->kind)) {
            continue;
        }

        (void) parley_octets_write32(tags[i], how->drops[i]->tag);

        arguments[n++] = parley_str_make(how->drops[i]->key, PARLEY_KEY_LEN);
        arguments[n++] = parley_str_make(tags[i], 4);
        arguments[n++] = parley_str_make(generation, 4);
    }

    return parley_store_command(call, arguments, n);
}


static void
parley_store_remember(parley_store_t *s, const parley_admission_t *a,
    uint64_t stamp)
{
    size_t                 size;
    parley_store_taken_t  *taken;

    if (s->taken_sent != 0) {
        s->ntaken -= s->taken_sent;
        memmove(s->taken, s->taken + s->taken_sent,
                s->ntaken * sizeof(parley_store_taken_t));
        s->taken_sent = 0;
    }

    if (s->ntaken == s->taken_size) {

        size = s->taken_size == 0 ? PARLEY_STORE_TAKEN_MIN
                                  : 2 * s->taken_size;

        taken = size <= PARLEY_STORE_TAKEN
                ? realloc(s->taken, size * sizeof(parley_store_taken_t))
                : NULL;

        if (taken == NULL) {
            s->stat.lost[PARLEY_STORE_LOST_ID]++;
            return;
        }

        s->taken = taken;
        s->taken_size = size;
    }

    taken = &s->taken[s->ntaken++];

    memcpy(taken->id, a->id, PARLEY_KEY_LEN);
    memcpy(taken->print, a->print, PARLEY_PRINT_LEN);
    taken->stamp = stamp;
    taken->until = s->env->now(s->env->ctx) + a->ttl;
}


void
parley_store_taken_send(parley_store_t *s)
{
    int64_t                now;
    parley_admission_t     a;
    parley_store_taken_t  *taken;
    parley_store_call_t   *call;

    if (s->ntaken == 0) {
        return;
    }

    now = s->env->now(s->env->ctx);

    memset(&a, 0, sizeof(parley_admission_t));

    while (s->taken_sent < s->ntaken && s->calls < PARLEY_STORE_CALLS / 2) {
        taken = &s->taken[s->taken_sent++];

        if (taken->until <= now) {
            continue;
        }

        a.id = taken->id;
        a.print = taken->print;
        a.ttl = taken->until - now;

        call = parley_store_call(s, parley_store_forked);

        if (call == NULL) {
            s->stat.lost[PARLEY_STORE_LOST_ID]++;
            continue;
        }

        parley_store_admission(&call->u.admit, &a, taken->stamp);

        if (parley_store_take_id(s, call, &a, taken->stamp, a.ttl, 1) == 0) {
            (void) parley_store_send(s, call);
            continue;
        }

        s->stat.lost[PARLEY_STORE_LOST_ID]++;
        parley_store_call_free(s, call);
    }

    if (s->taken_sent < s->ntaken) {
        return;
    }

    free(s->taken);
    s->taken = NULL;
    s->ntaken = 0;
    s->taken_size = 0;
    s->taken_sent = 0;
}


/* Counts an id that another node has too, and takes one that is reserved. */

static int
parley_store_forked(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    uint8_t              holder[PARLEY_STORE_HOLDER];
    parley_str_t         value;
    parley_store_id_t    id;
    parley_settlement_t  how;

    if (s->ntaken != 0) {
        parley_store_taken_send(s);
    }

    if (!parley_wire_text(reply, &value)
        || parley_store_read_id(s, value, &id) <= 0)
    {
        return 0;
    }

    parley_store_holder(s, call->u.admit.stamp, holder);

    s->stat.forked += memcmp(id.holder, holder, PARLEY_STORE_HOLDER) != 0;

    /* another node may still give it back */

    if (id.state == 'r') {
        memset(&how, 0, sizeof(parley_settlement_t));
        how.stamp = call->u.admit.stamp;
        how.taken = 1;

        parley_store_taken(s, &call->u.admit.a, &how);
    }

    return 0;
}
