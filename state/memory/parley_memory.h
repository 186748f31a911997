/*
 * State in memory that processes share, or that one process has alone: a table
 * (parley_table.h) under a lock.  Its verbs complete at once.
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
     * Returns milliseconds of a monotonic clock of the host that all processes
     * share, so that setting the time of day changes no lifetime.
     */
    int64_t (*now)(void *ctx);

    /*
     * Called with the lock after a process died with the lock and the state was
     * repaired.  May be NULL.
     */
    void    (*repaired)(void *ctx);

    /* called without the lock */
    int     (*is_alive)(void *ctx, const parley_process_t *process);

    void     *ctx;

    /*
     * Called with the lock when the id or slot that a dead process has reserved
     * under that stamp is freed.  link: the last connection of that process, or
     * NULL.  NULL: not called.
     */
    void    (*orphan)(void *orphan_ctx, parley_kind_t kind,
                 const uint8_t *key, uint64_t stamp,
                 const parley_process_link_t *link);
    void     *orphan_ctx;
} parley_memory_env_t;


/* the state as one process sees it */
typedef struct parley_memory_s {
    parley_state_t       state;         /* the verbs; first member */

    /* set by the caller before create or adopt */
    parley_memory_env_t  env;
    unsigned             share;         /* share of one account, in
                                           thousandths */
    unsigned             workers;       /* room for workers of other nodes:
                                           PARLEY_IMPORT_WORKERS, or 0 without
                                           a store */

    /* private */
    void               (*repair)(const struct parley_memory_s *s);
    parley_shared_t     *sh;
    uint32_t             process;       /* number of this process; 0: not
                                           registered */
} parley_memory_t;


extern const parley_state_ops_t  parley_memory_ops;


/*
 * Creates a state in size octets at p, which is aligned to a block.  secret
 * keys its keys and must be random.  Returns 0, or -1 if size is too small.
 */
int parley_memory_create(parley_memory_t *s, void *p, size_t size,
    const uint8_t secret[PARLEY_KEY_SECRET])
    __attribute__((warn_unused_result));

/* Attaches to the state that this or another process created at p. */
void parley_memory_adopt(parley_memory_t *s, void *p);

/*
 * Bounds a queue to octets (0: the queue keeps nothing) and entries (0: any
 * number), see parley_table_bound_locked().
 */
void parley_memory_bound(parley_memory_t *s, parley_evictable_t queue,
    size_t octets, size_t entries);

/*
 * Sets the bounds of a gateway: retain messages, in half of the state; replay
 * octets of first answers; an eighth of the state for optional questions, and a
 * sixteenth for the limits of addresses.
 */
void parley_memory_bounds(parley_memory_t *s, size_t retain, size_t replay);

/*
 * parley_memory_enter() registers the process: its reservations become free
 * after it has ended, which is noticed when another request needs them or
 * another process enters (GW-25).  parley_memory_leave() ends the registration;
 * the process must not settle afterwards.
 */
void parley_memory_enter(parley_memory_t *s, const parley_process_t *self);
void parley_memory_leave(parley_memory_t *s);

/*
 * Sets the last stamp, below 2^47.  The stamps and generations of states that
 * share a store must differ.
 */
void parley_memory_stamps(parley_memory_t *s, uint64_t last);

/* Counts the use of blocks, after removing expired entries. */
void parley_memory_table(parley_memory_t *s, parley_state_room_t *ret);


#endif /* PARLEY_MEMORY_H */
