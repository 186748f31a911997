/* Finds processes that have died, and nodes that have jobs. */

#include <string.h>

#include "state/memory/parley_memory_job_parts.h"


int
parley_memory_is_gone(const parley_memory_t *s, uint32_t number,
    uint64_t stamp, parley_process_t *ret)
{
    const parley_member_of_t  *m;

    ret->pid = 0;

    if (number == 0) {
        return 0;
    }

    m = &s->sh->processes[number];

    if (m->process.pid == 0 || stamp < m->since) {
        return 1;
    }

    *ret = m->process;

    return 0;
}


int
parley_memory_has_left(const parley_memory_t *s, const parley_entry_t *e)
{
    const parley_member_of_t  *m;

    if (parley_entry_stamp(e) == 0) {
        return 1;
    }

    if (e->mark == 0) {
        return 0;
    }

    m = &s->sh->processes[e->mark];

    return m->process.pid == 0 || parley_entry_stamp(e) < m->joins;
}


/* With a store, the stamps of sessions are steps of its order. */

void
parley_memory_vacate_locked(const parley_memory_t *s, parley_member_of_t *m)
{
    m->process.pid = 0;
    m->linked = 0;
    m->since = s->sh->stamps + 1;
    m->joins = (s->sh->nworkers != 0 ? s->sh->appends.step : s->sh->stamps) + 1;

    s->sh->vacated = 1;
}


int
parley_memory_bury(parley_memory_t *s, uint32_t number,
    const parley_process_t *process)
{
    parley_member_of_t  *m;

    if (process->pid == 0 || number == s->process
        || number > s->sh->nprocesses
        || s->env.is_alive(s->env.ctx, process))
    {
        return 0;
    }

    parley_memory_lock(s);

    m = &s->sh->processes[number];

    if (parley_process_same(&m->process, process)) {
        parley_memory_vacate_locked(s, m);
    }

    parley_memory_unlock(s);

    return 1;
}


void
parley_memory_node(parley_memory_t *s, uint32_t node)
{
    size_t  i, free;

    free = PARLEY_MEMORY_NODES;

    for (i = 0; i < PARLEY_MEMORY_NODES; i++) {

        if (s->sh->nodes[i] == node) {
            return;
        }

        if (s->sh->nodes[i] == 0 && free == PARLEY_MEMORY_NODES) {
            free = i;
        }
    }

    if (free < PARLEY_MEMORY_NODES) {
        s->sh->nodes[free] = node;
    }
}
