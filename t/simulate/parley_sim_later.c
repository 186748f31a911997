/* A hub whose state answers later, in any order, in some of the histories. */

#include "t/later/parley_later.h"
#include "t/simulate/parley_sim.h"


static int sim_later_start(parley_late_t *late, parley_later_verb_t verb);


void
sim_later_begin(sim_process_t *p)
{
    if (world.later) {
        parley_later_hub(&p->memory, sim_later_start);
    }
}


static int
sim_later_start(parley_late_t *late, parley_later_verb_t verb)
{
    sim_process_t  *p;

    p = sim_at;

    if (p->nlate == SIM_LATE) {
        sim_fail("too much is under way");
    }

    p->asked[p->nlate++] = late;

    /*
     * until a channel has its place or has read, its feed is read again, and
     * records may have expired then
     */

    if (verb == PARLEY_LATER_JOIN || verb == PARLEY_LATER_READ) {
        p->behind = 1;
    }

    return (int) parley_test_below(&world.random, 2);
}


void
sim_later(sim_process_t *p, uint64_t arg)
{
    unsigned               i;
    struct parley_late_s  *late;

    if (p->nlate == 0) {
        return;
    }

    i = (unsigned) (arg % p->nlate);
    late = p->asked[i];
    p->asked[i] = p->asked[--p->nlate];

    parley_later_complete(late);

    /* a subscriber that joins may begin a log */

    for (i = 0; i < SIM_LOGS; i++) {
        sim_look(i);
    }
}


void
sim_later_all(sim_process_t *p)
{
    while (p->nlate > 0) {
        sim_later(p, parley_test_random(&world.random));
    }
}


unsigned
sim_later_leaves(void)
{
    unsigned  i, n;

    n = 0;

    for (i = 0; i < SIM_PROCESSES; i++) {
        n += world.processes[i].alive ? world.processes[i].nlate : 0;
    }

    return n;
}


void
sim_later_forget(sim_process_t *p)
{
    parley_later_forget(&p->memory);
    p->nlate = 0;
}
