/*
 * A process of the host.  What processes share and one of them has (a number in
 * the state, a slot of counters, a chain of the audit log) names it, and is
 * taken over once it is gone.
 */

#ifndef PARLEY_PROCESS_H
#define PARLEY_PROCESS_H

#include <stdint.h>


/* its id, and when it began in the host's words: an id is soon another's */
typedef struct {
    uint32_t  pid;              /* 0: none */
    uint64_t  began;            /* 0: not known */
} parley_process_t;


/* the host, which knows of each process whether it lives */
typedef struct {
    int     (*is_alive)(void *ctx, const parley_process_t *process);
    void     *ctx;
} parley_processes_t;


static inline int
parley_process_same(const parley_process_t *a, const parley_process_t *b)
{
    return a->pid == b->pid && a->began == b->began;
}


#endif /* PARLEY_PROCESS_H */
