/*
 * SEC-23: records of tokens that a worker verified.  Each worker has its own
 * cache of tokens.  A record tells all workers that the limit of failed proofs
 * does not apply to a token.  It proves nothing: a worker without the token in
 * its cache still verifies the token.
 *
 * The key of a record is a keyed digest of the whole token, so that only an
 * equal token finds it.  Records have a queue of their own in the state, and
 * the oldest are evicted.
 */

#ifndef PARLEY_VERIFIED_H
#define PARLEY_VERIFIED_H

#include "state/parley_ask.h"


/* milliseconds that the record of a token without an end is kept */
#define PARLEY_VERIFIED_TTL  (3600 * (int64_t) 1000)


/*
 * Records a verified token for ttl milliseconds.  Returns 0 or PARLEY_WAIT.  A
 * state without room keeps no record.
 */
int parley_verified_put(parley_ask_t *q, parley_str_t token, int64_t ttl);

/* Returns whether a token has a record: 1, 0, or PARLEY_WAIT. */
int parley_verified_get(parley_ask_t *q, parley_str_t token);


#endif /* PARLEY_VERIFIED_H */
