/* The protocol and the lane of a delivery to a principal. */

#ifndef PARLEY_DELIVERY_ROUTE_H
#define PARLEY_DELIVERY_ROUTE_H

#include "auth/parley_directory.h"
#include "translate/parley_msg.h"
#include "state/parley_state.h"
#include "state/parley_job.h"
#include "hub/parley_job_subject.h"


/*
 * The protocol in which a principal gets, by its URL, what came in proto: that
 * which its "speaks" names; else proto, where it has a name there; else the
 * first of parley_protocols.h in which it has one.  A handle counts last: a
 * principal may have one for its streams alone, whatever its URL speaks.
 */
parley_proto_t parley_delivered_in(const parley_principal_t *p,
    parley_proto_t proto);

/* The lane of what a sender, a sub, sends to the URL of a principal. */
void parley_delivery_lane(const parley_state_t *state, parley_str_t sender,
    parley_str_t recipient, uint8_t out[PARLEY_KEY_LEN]);

/*
 * Fills *job with what owes a record to the next connection of the owner of an
 * address: its kind, lane and text.  lasts: ms until it is too late.  Returns
 * 0, or -1: no memory, or the address is too long.
 */
int parley_delivery_awaits(parley_arena_t *arena, const parley_state_t *state,
    parley_job_subject_kind_t kind, parley_str_t address, int64_t lasts,
    parley_job_t *job)
    __attribute__((warn_unused_result));


#endif /* PARLEY_DELIVERY_ROUTE_H */
