/*
 * Whether a gateway can do its work (OPS-03).  Live is who answers at all;
 * ready is who would take a message of somebody new.  A principal that has used
 * up its own share takes nobody out of balancing.
 */

#ifndef PARLEY_HEALTH_H
#define PARLEY_HEALTH_H

#include "core/parley_arena.h"
#include "gate/metrics/parley_counters.h"
#include "state/parley_state.h"
#include "gate/settings/parley_settings.h"


/* what readiness is decided by */
typedef struct {
    const parley_state_stat_t  *stat;           /* NULL: the state did not
                                                   answer */
    unsigned                    keys:1;         /* there are some, or none are
                                                   needed */
    unsigned                    revocations:1;  /* can be read, or there are
                                                   none to read */
} parley_health_facts_t;


/* The checks that are not passed: 1 << PARLEY_L_CHECK_ZONE, ... */
unsigned parley_health_failed(const parley_health_facts_t *facts);

/*
 * The answer to who asks, of the checks that are not passed: its status, and
 * its body, JSON.  Returns 0, or -1: no memory.
 */
int parley_health_reply(parley_arena_t *arena, parley_health_t asked,
    unsigned failed, int *ret_status, parley_str_t *ret_body)
    __attribute__((warn_unused_result));


#endif /* PARLEY_HEALTH_H */
