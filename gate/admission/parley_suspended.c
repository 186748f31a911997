#include <stdlib.h>
#include <string.h>

#include "gate/admission/parley_suspended.h"


static int parley_suspension_order(const void *one, const void *other);


int
parley_suspension_init(parley_suspended_t *t, parley_arena_t *arena, size_t max)
{
    t->n = 0;
    t->max = max;
    t->octets = 0;
    t->whole = 0;
    t->list = parley_arena_alloc(arena, (max + 1)
                                        * sizeof(parley_suspension_t));

    return t->list != NULL ? 0 : -1;
}


int
parley_suspension_add(parley_suspended_t *t, const parley_state_t *state,
    const parley_listed_t *listed)
{
    int                   i;
    size_t                len;
    parley_suspension_t  *s;

    for (i = 0; i < listed->records.n; i++) {

        if (t->n == t->max) {
            return 0;
        }

        s = &t->list[t->n];

        if (parley_suspension_read(state, &listed->records.list[i], s) != 0) {
            continue;
        }

        len = s->sub.len + s->id.len;

        if (len > PARLEY_SUSPENDED_OCTETS - t->octets) {
            return 0;
        }

        t->octets += len;
        t->n++;
    }

    t->whole = listed->at == 0 && listed->records.n >= 0;

    return listed->at != 0 && listed->records.n >= 0;
}


void
parley_suspension_tell_all(parley_suspended_t *t, parley_buf_t *b,
    uint64_t there)
{
    size_t    i;
    uint64_t  more;

    if (t->n > 0) {
        qsort(t->list, t->n, sizeof(parley_suspension_t),
              parley_suspension_order);
    }

    parley_buf_lit(b, "{\"list\":[");

    for (i = 0; i < t->n; i++) {
        parley_buf_put(b, ",", i > 0);
        parley_suspension_tell(&t->list[i], b);
    }

    /* the list and the count are of different moments */

    more = t->whole ? 0 : there > t->n ? there - t->n : 0;

    parley_buf_lit(b, "],\"more\":");
    parley_buf_int(b, (int64_t) more);
    parley_buf_octet(b, '}');
}


/* Orders suspensions, the newest first. */

static int
parley_suspension_order(const void *one, const void *other)
{
    int                         n;
    size_t                      len;
    const parley_suspension_t  *a = one;
    const parley_suspension_t  *b = other;

    if (a->since_ms != b->since_ms) {
        return a->since_ms > b->since_ms ? -1 : 1;
    }

    len = a->sub.len < b->sub.len ? a->sub.len : b->sub.len;
    n = memcmp(a->sub.data, b->sub.data, len);

    if (n == 0 && a->sub.len != b->sub.len) {
        n = a->sub.len < b->sub.len ? -1 : 1;
    }

    return n != 0 ? n : (int) b->alarm - (int) a->alarm;
}
