/*
 * Liveness and readiness (OPS-03).  A gateway is live if it answers the
 * request.  It is ready if it can take a message of a new principal.  A
 * principal that has used up its own share does not make the gateway unready.
 */

#ifndef PARLEY_HEALTH_H
#define PARLEY_HEALTH_H

#include "core/parley_arena.h"
#include "gate/metrics/parley_counters.h"
#include "state/parley_state.h"
#include "gate/settings/parley_settings.h"


/* facts that decide readiness */
typedef struct {
    const parley_state_stat_t  *stat;           /* NULL: the state did not
                                                   answer */
    unsigned                    keys:1;         /* keys are loaded, or not
                                                   needed */
    unsigned                    revocations:1;  /* the file can be read, or
                                                   is not configured */
    unsigned                    store:1;        /* the store is not away, or
                                                   not needed */
} parley_health_facts_t;


/* Returns the failed checks as a set of bits: 1 << PARLEY_L_CHECK_ZONE, ... */
unsigned parley_health_failed(const parley_health_facts_t *facts);

/*
 * Makes the answer to a request for liveness or readiness: the status, and the
 * body in JSON with the failed checks.  Returns 0, or -1 without memory.
 */
int parley_health_reply(parley_arena_t *arena, parley_health_t asked,
    unsigned failed, int *ret_status, parley_str_t *ret_body)
    __attribute__((warn_unused_result));


#endif /* PARLEY_HEALTH_H */
