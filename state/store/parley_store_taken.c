/*
 * Ids that the zone took alone while the store was away.  They are sent when it
 * returns; an id that another node took too was forked.
 */

#include <stdlib.h>
#include <string.h>

#include "state/store/parley_store_parts.h"


#define PARLEY_STORE_TAKEN_MIN  256


static int parley_store_forked(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply);


void
parley_store_remember(parley_store_t *s, const parley_admission_t *a,
    uint64_t stamp)
{
    size_t                 size;
    parley_store_taken_t  *taken;

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
    size_t                 i;
    int64_t                now;
    parley_admission_t     a;
    parley_store_taken_t  *taken;
    parley_store_call_t   *call;

    now = s->env->now(s->env->ctx);

    memset(&a, 0, sizeof(parley_admission_t));

    for (i = 0; i < s->ntaken; i++) {
        taken = &s->taken[i];

        if (taken->until <= now) {
            continue;
        }

        a.id = taken->id;
        a.print = taken->print;

        call = parley_store_call(s, parley_store_forked);

        if (call == NULL) {
            s->stat.lost[PARLEY_STORE_LOST_ID]++;
            continue;
        }

        parley_store_admission(call, &a, taken->stamp);

        if (parley_store_take_id(s, call, &a, taken->stamp, taken->until - now,
                                 1)
            == 0)
        {
            (void) parley_store_send(s, call);
            continue;
        }

        s->stat.lost[PARLEY_STORE_LOST_ID]++;
        parley_store_call_free(s, call);
    }

    free(s->taken);
    s->taken = NULL;
    s->ntaken = 0;
    s->taken_size = 0;
}


/* Counts an id that another node took too, and takes one that this node had
   reserved. */

static int
parley_store_forked(parley_store_t *s, parley_store_call_t *call,
    const parley_wire_reply_t *reply)
{
    uint8_t              holder[PARLEY_STORE_HOLDER];
    parley_str_t         value;
    parley_settlement_t  how;

    if (!parley_wire_text(reply, &value) || value.len != PARLEY_STORE_PRINTED) {
        return 0;
    }

    parley_store_holder(s, call->u.admit.stamp, holder);

    if (memcmp(value.data + 2 + PARLEY_PRINT_LEN, holder, PARLEY_STORE_HOLDER)
        != 0)
    {
        s->stat.forked++;
        return 0;
    }

    if (value.data[1] == 'r') {
        memset(&how, 0, sizeof(parley_settlement_t));
        how.stamp = call->u.admit.stamp;
        how.taken = 1;

        parley_store_taken(s, &call->u.admit.a, &how);
    }

    return 0;
}
