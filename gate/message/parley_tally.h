/*
 * What of a message is counted: called by an adapter from the hooks of its
 * gate (parley_gate_env_t), once each.
 */

#ifndef PARLEY_TALLY_H
#define PARLEY_TALLY_H

#include "gate/metrics/parley_counters.h"
#include "gate/message/parley_gate.h"


/* g->verdict was told */
void parley_tally_verdict(parley_slot_t *slot, const parley_gate_t *g);

/* and what came of it */
void parley_tally_outcome(parley_slot_t *slot, const parley_gate_t *g,
    const parley_outcome_t *outcome);

/*
 * What the process's cache of tokens has found and not found since *before,
 * which becomes what it has now.
 */
void parley_tally_tokens(parley_slot_t *slot,
    const parley_token_cache_t *tokens, parley_token_cache_stat_t *before);


#endif /* PARLEY_TALLY_H */
