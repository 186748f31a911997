/* Checks the counters of a table against each of its blocks. */

#include "t/unit/parley_test_state.h"


typedef struct {
    uint32_t  used;
    uint32_t  loose[PARLEY_EVICTABLE_OWNED];
} parley_test_owner_t;


static uint32_t
parley_test_value(parley_table_t *t, const parley_entry_t *e)
{
    uint32_t        n;
    parley_block_t  b;

    n = 0;

    for (b = e->value.first; b != 0;
         b = ((parley_more_t *) parley_table_entry(t, b))->next)
    {
        assert_true(b < t->fresh);
        n++;
    }

    assert_int_equal(n + 1, parley_table_blocks(e->value.len));

    return n;
}


static void
parley_test_queues(parley_table_t *t)
{
    unsigned               i;
    uint32_t               n, blocks;
    parley_block_t         b, older;
    const parley_entry_t  *e;
    const parley_queue_t  *q;

    for (i = 0; i < PARLEY_EVICTABLE_COUNT; i++) {
        q = &t->queues[i];
        n = 0;
        blocks = 0;
        older = 0;

        for (b = q->oldest; b != 0; b = e->newer) {
            e = parley_table_entry(t, b);

            assert_int_equal(e->loose, i);
            assert_int_equal(e->older, older);

            older = b;
            n++;
            blocks += e->valued ? (uint32_t) parley_table_blocks(e->value.len)
                                : 1;
        }

        assert_int_equal(q->newest, older);
        assert_int_equal(q->entries, n);
        assert_int_equal(q->blocks, blocks);
        assert_true(blocks <= q->blocks_max);
    }
}


void
parley_test_table_check(parley_table_t *t)
{
    unsigned              j;
    size_t                most;
    uint32_t              i, n, used, promised, freed;
    parley_state_room_t   stat;
    parley_block_t        b;
    parley_entry_t       *e;
    parley_test_owner_t  *owners;

    owners = calloc(t->nblocks + 1, sizeof(parley_test_owner_t));
    assert_non_null(owners);

    used = 0;
    promised = 0;
    most = 0;

    for (i = 0; i <= t->bucket_mask; i++) {
        for (b = t->buckets[i]; b != 0; b = e->chain) {
            e = parley_table_entry(t, b);

            n = 1 + (e->kind != PARLEY_TABLE_ACCOUNT && e->valued
                     ? parley_test_value(t, e) : 0);
            used += n;

            if (e->kind == PARLEY_TABLE_ACCOUNT) {
                owners[b].used++;
                promised++;
                continue;
            }

            if (e->loose == PARLEY_EVICTABLE_NONE) {
                promised += n;
            }

            if (e->account != 0) {
                owners[e->account].used += n;

                if (e->loose < PARLEY_EVICTABLE_OWNED) {
                    owners[e->account].loose[e->loose] += n;
                }
            }
        }
    }

    for (i = 0; i <= t->bucket_mask; i++) {
        for (b = t->buckets[i]; b != 0; b = e->chain) {
            e = parley_table_entry(t, b);

            if (e->kind == PARLEY_TABLE_ACCOUNT) {
                assert_int_equal(e->owner.used, owners[b].used);
                assert_true(e->owner.used > 1);

                n = e->owner.used;

                for (j = 0; j < PARLEY_EVICTABLE_OWNED; j++) {
                    assert_int_equal(e->owner.blocks[j], owners[b].loose[j]);
                    n -= e->owner.blocks[j];
                }

                most = n > most ? n : most;
            }
        }
    }

    free(owners);

    parley_table_stat_locked(t, &stat);
    assert_true(stat.largest <= most && stat.largest >= most - most / 8);

    freed = 0;

    for (b = t->freed; b != 0;
         b = ((parley_more_t *) parley_table_entry(t, b))->next)
    {
        freed++;
    }

    assert_int_equal(t->used, used);
    assert_int_equal(t->promised, promised);
    assert_int_equal(t->fresh - 1, used + freed);
    assert_true(t->used <= t->nblocks);

    parley_test_queues(t);
}
