/*
 * A process of the host.  A resource that one process owns among several (a
 * number in the state, a slot of counters, a chain of the audit log) has the
 * process as its owner.  Another process takes it over after its owner has
 * ended.
 */

#ifndef PARLEY_PROCESS_H
#define PARLEY_PROCESS_H

#include <stdint.h>


/*
 * Identity of a process: its pid, and its start time in the host's units, since
 * the host reuses pids.
 */
typedef struct {
    uint32_t  pid;              /* 0: no process */
    uint64_t  began;            /* 0: unknown */
} parley_process_t;


/*
 * Connection of a process to the engine of a store.  After the process has
 * ended, octets that it sent may still arrive there.  So its siblings end the
 * connection before they remove the entries of the process.
 */
typedef struct parley_process_link_s {
    uint64_t  id;               /* at the engine; 0: none */
    char      engine[8];        /* the beginning of the engine's run id */
} parley_process_link_t;


/* access to the host, which tells whether a process lives */
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
