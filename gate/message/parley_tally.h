/*
 * Counters of a message.  An adapter calls each function once from the callback
 * of its gate (parley_gate_env_t).
 */

#ifndef PARLEY_TALLY_H
#define PARLEY_TALLY_H

#include "gate/metrics/parley_counters.h"
#include "gate/message/parley_gate.h"
#include "auth/parley_token_cache.h"


/* Counts the verdict.  For parley_gate_env_t.verdict. */
void parley_tally_verdict(parley_slot_t *slot, const parley_gate_t *g);

/* Counts the outcome.  For parley_gate_env_t.outcome. */
void parley_tally_outcome(parley_slot_t *slot, const parley_gate_t *g,
    const parley_outcome_t *outcome);

/*
 * Adds the hits and misses of the process's token cache since *before, and
 * replaces *before with the current numbers.
 */
void parley_tally_tokens(parley_slot_t *slot,
    const parley_token_cache_t *tokens, parley_token_cache_stat_t *before);


#endif /* PARLEY_TALLY_H */
