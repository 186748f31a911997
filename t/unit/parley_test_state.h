/* A state in private memory, with processes that can be made to die. */

#ifndef PARLEY_TEST_STATE_H
#define PARLEY_TEST_STATE_H

#include "t/unit/parley_test.h"

#include "state/memory/parley_memory_parts.h"
#include "state/memory/parley_table_parts.h"


typedef struct {
    void            *mem;
    uint32_t         dead;      /* pid of a process that has ended */
    unsigned         asked;     /* number of questions about the pid */
    int              locked;
    int64_t          now;
    parley_memory_t  s;
} parley_test_state_t;


/* statistics of a state and its table */
typedef struct {
    parley_state_room_t   table;
    parley_state_level_t  level;
    uint64_t              limited;
    uint64_t              orphans;
} parley_test_stat_t;


static inline void
parley_test_lock(void *ctx)
{
    parley_test_state_t *t = ctx;

    assert_int_equal(t->locked, 0);
    t->locked = 1;
}


static inline void
parley_test_unlock(void *ctx)
{
    parley_test_state_t *t = ctx;

    assert_int_equal(t->locked, 1);
    t->locked = 0;
}


static inline int64_t
parley_test_now(void *ctx)
{
    const parley_test_state_t *t = ctx;

    return t->now;
}


static inline int
parley_test_is_alive(void *ctx, const parley_process_t *process)
{
    parley_test_state_t *t = ctx;

    assert_int_equal(t->locked, 0);
    t->asked++;

    return process->pid != t->dead;
}


/* Begins a state of that many octets; the current process is pid 1. */
/* room for workers of other nodes */
static unsigned  parley_test_workers __attribute__((unused));


static inline void
parley_test_state_begin(parley_test_state_t *t, size_t size, unsigned share)
{
    static const uint8_t           secret[PARLEY_KEY_SECRET] = "0123456789abcd";
    static const parley_process_t  self = { 1, 77 };

    memset(t, 0, sizeof(parley_test_state_t));

    t->mem = aligned_alloc(PARLEY_BLOCK, size);
    assert_non_null(t->mem);

    /* nothing may depend on earlier contents */
    memset(t->mem, 0xA5, size);

    t->s.env.lock = parley_test_lock;
    t->s.env.unlock = parley_test_unlock;
    t->s.env.now = parley_test_now;
    t->s.env.is_alive = parley_test_is_alive;
    t->s.env.ctx = t;
    t->s.share = share;
    t->s.workers = parley_test_workers;

    assert_int_equal(parley_memory_create(&t->s, t->mem, size, secret), 0);
    parley_memory_enter(&t->s, &self);
    assert_int_not_equal(t->s.process, 0);
}


static inline void
parley_test_state_end(parley_test_state_t *t)
{
    free(t->mem);
}


/* Sets the time and reads the statistics. */
static inline void
parley_test_stat(parley_test_state_t *t, int64_t now, parley_test_stat_t *ret)
{
    parley_state_stat_t  stat;

    t->now = now;

    parley_memory_table(&t->s, &ret->table);
    (void) parley_memory_ops.stat(&t->s.state, &stat, NULL);

    ret->level = stat.level;
    ret->limited = stat.limited;
    ret->orphans = stat.orphans;
}


/* Counts everything that a table counts, and compares. */
void parley_test_table_check(parley_table_t *t);


#endif /* PARLEY_TEST_STATE_H */
