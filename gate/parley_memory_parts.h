/* What the files of the state share.  Private to them. */

#ifndef PARLEY_MEMORY_PARTS_H
#define PARLEY_MEMORY_PARTS_H

#include "parley_memory.h"


typedef struct {
    parley_process_t  process;          /* pid 0: free */
    uint64_t          since;            /* what it reserved has stamps from
                                           here on */
} parley_member_of_t;


struct parley_shared_s {
    uint8_t              secret[PARLEY_KEY_SECRET];
    uint64_t             stamps;        /* the last one given */
    uint64_t             limited;
    uint64_t             orphans;
    uint32_t             vacated;       /* a process went, and what it had may
                                           still be there */
    parley_table_t      *table;
    uint32_t             nprocesses;    /* without number 0 */
    parley_member_of_t   processes[];
};


static inline void
parley_memory_lock(const parley_state_t *s)
{
    s->env.lock(s->env.ctx);
}


static inline void
parley_memory_unlock(const parley_state_t *s)
{
    s->env.unlock(s->env.ctx);
}


/* parley_memory.c */

/*
 * Whether the process with that number, which reserved something with that
 * stamp, is known to be gone; else *ret is that process, pid 0: nobody knows.
 */
int parley_memory_is_gone(const parley_state_t *s, uint32_t number,
    uint64_t stamp, parley_process_t *ret);

/* Asks the host, without the lock; returns 1 where the process is gone. */
int parley_memory_bury(parley_state_t *s, uint32_t number,
    const parley_process_t *process);

/* parley_memory_admit.c */

/* Drops what processes had reserved that are known to be gone. */
void parley_memory_orphans(parley_state_t *s);

/* parley_memory_record.c */

void parley_record_close_locked(parley_state_t *s,
    const parley_record_id_t *id);

/* parley_memory_rate.c */

/*
 * The entry of a limit (NULL: nothing was counted), as it is at now; whether
 * one more may come: 0, or the milliseconds to wait.
 */
parley_entry_t *parley_rate_find(parley_state_t *s, const uint8_t *key);
int64_t parley_rate_wait(parley_entry_t *e,
    const parley_limit_rate_t *rate, int64_t now);
void parley_rate_take(parley_entry_t *e, const parley_limit_rate_t *rate,
    int64_t now);
void parley_rate_give(parley_entry_t *e, const parley_limit_rate_t *rate);


#endif /* PARLEY_MEMORY_PARTS_H */
