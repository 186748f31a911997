/*
 * State in memory that processes share, or that one has to itself: a table
 * (parley_table.h) under a lock.  Its verbs are done at once.
 */

#ifndef PARLEY_MEMORY_H
#define PARLEY_MEMORY_H

#include "parley_state.h"


/* the verbs; each is done at once, and no call is looked at */
extern const parley_state_ops_t  parley_memory_ops;


/*
 * Makes a state that takes size octets at p, which is aligned to a block, and
 * keys its keys with a secret that nobody knows.  env is filled by the caller
 * before.  Returns 0, or -1: too small.
 */
int parley_memory_create(parley_state_t *s, void *p, size_t size,
    const uint8_t secret[PARLEY_KEY_SECRET])
    __attribute__((warn_unused_result));

/* The state that another process, or this one before, made at p. */
void parley_memory_adopt(parley_state_t *s, void *p);

/*
 * Bounds what may give way: one part in so many of the state, and at most so
 * many entries (0: any number), see parley_table_bound_locked().
 */
void parley_memory_bound(parley_state_t *s, parley_loose_t queue,
    size_t part, size_t entries);

/* The same in octets. */
void parley_memory_bound_size(parley_state_t *s, parley_loose_t queue,
    size_t octets);

/*
 * The bounds of a gateway: retain messages, in half of the state; replay octets
 * of first answers; an eighth for what may be referred to and need not be, a
 * sixteenth for the limits of addresses.
 */
void parley_memory_bounds(parley_state_t *s, size_t retain, size_t replay);

/*
 * The process takes part: what it reserves is free once it is gone, which is
 * seen when somebody asks for it, and when another enters (GW-25).  leave: it
 * will settle no more.
 */
void parley_memory_enter(parley_state_t *s, const parley_process_t *self);
void parley_memory_leave(parley_state_t *s);


/* The verbs themselves, see parley_state_ops_t. */

void parley_memory_admit(parley_state_t *s, const parley_admission_t *a,
    parley_admitted_t *ret);
int parley_memory_settle(parley_state_t *s, const parley_admission_t *a,
    const parley_settlement_t *how);

parley_rate_result_t parley_memory_rate(parley_state_t *s,
    const uint8_t *account, const uint8_t key[PARLEY_KEY_LEN],
    const parley_limit_rate_t *rate, int64_t now, int64_t *ret_wait)
    __attribute__((warn_unused_result));

/* What that would have to wait, and counts nothing. */
int64_t parley_memory_rate_wait(parley_state_t *s,
    const uint8_t key[PARLEY_KEY_LEN], const parley_limit_rate_t *rate,
    int64_t now)
    __attribute__((warn_unused_result));

parley_put_result_t parley_memory_put(parley_state_t *s,
    const parley_put_t *put)
    __attribute__((warn_unused_result));

/* Returns how many, at most PARLEY_RECORDS_MAX, or -1: no memory. */
int parley_memory_get(parley_state_t *s, parley_kind_t kind,
    const uint8_t key[PARLEY_KEY_LEN], int64_t now, parley_arena_t *arena,
    parley_record_t *ret)
    __attribute__((warn_unused_result));

void parley_memory_close(parley_state_t *s, const parley_record_id_t *id);
void parley_memory_drop(parley_state_t *s, const parley_record_id_t *id);

void parley_memory_stat(parley_state_t *s, int64_t now,
    parley_state_stat_t *ret);


#endif /* PARLEY_MEMORY_H */
