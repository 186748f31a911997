/*
 * State in memory that processes share, or that one has to itself: a table
 * (parley_table.h) under a lock.  Its verbs are done at once.
 */

#ifndef PARLEY_MEMORY_H
#define PARLEY_MEMORY_H

#include "state/parley_process.h"
#include "state/parley_state.h"
#include "state/memory/parley_table.h"


typedef struct parley_shared_s  parley_shared_t;


typedef struct {
    void    (*lock)(void *ctx);
    void    (*unlock)(void *ctx);

    /*
     * Milliseconds of a clock that all processes share and that does not jump:
     * the host's monotonic one, so that setting the time of day neither ends
     * nor prolongs what was promised.
     */
    int64_t (*now)(void *ctx);

    /*
     * A process died with the lock, and what it left half done is mended; is
     * called with the lock.  May be NULL.
     */
    void    (*repaired)(void *ctx);

    /* is asked without the lock */
    int     (*is_alive)(void *ctx, const parley_process_t *process);

    void     *ctx;
} parley_memory_env_t;


/* as one process sees it */
typedef struct parley_memory_s {
    parley_state_t       state;         /* what is asked */

    /* the caller's, before it is made or adopted */
    parley_memory_env_t  env;
    unsigned             share;         /* of one principal, in thousandths */

    /* private */
    void               (*repair)(const struct parley_memory_s *s);
    parley_shared_t     *sh;
    uint32_t             process;       /* 0: it did not enter */
} parley_memory_t;


extern const parley_state_ops_t  parley_memory_ops;


/*
 * Makes a state that takes size octets at p, which is aligned to a block, and
 * keys its keys with a secret that nobody knows.  Returns 0, or -1: too small.
 */
int parley_memory_create(parley_memory_t *s, void *p, size_t size,
    const uint8_t secret[PARLEY_KEY_SECRET])
    __attribute__((warn_unused_result));

/* The state that another process, or this one before, made at p. */
void parley_memory_adopt(parley_memory_t *s, void *p);

/*
 * Bounds what may give way to octets (0: none of it is kept) and entries (0:
 * any number), see parley_table_bound_locked().
 */
void parley_memory_bound(parley_memory_t *s, parley_loose_t queue,
    size_t octets, size_t entries);

/*
 * The bounds of a gateway: retain messages, in half of the state; replay octets
 * of first answers; an eighth for what may be referred to and need not be, a
 * sixteenth for the limits of addresses.
 */
void parley_memory_bounds(parley_memory_t *s, size_t retain, size_t replay);

/*
 * The process takes part: what it reserves is free once it is gone, which is
 * seen when somebody asks for it, and when another enters (GW-25).  leave: it
 * will settle no more.
 */
void parley_memory_enter(parley_memory_t *s, const parley_process_t *self);
void parley_memory_leave(parley_memory_t *s);

/* How its blocks are used; what has expired goes first. */
void parley_memory_table(parley_memory_t *s, parley_table_stat_t *ret);


#endif /* PARLEY_MEMORY_H */
