/* The protocol and the lane of a delivery to a principal. */

#ifndef PARLEY_DELIVERY_ROUTE_H
#define PARLEY_DELIVERY_ROUTE_H

#include "auth/parley_directory.h"
#include "translate/parley_msg.h"
#include "state/parley_state.h"
#include "state/parley_job.h"
#include "hub/parley_job_subject.h"


/*
 * Returns the protocol in which the URL of a principal gets a message of
 * protocol proto: its "speaks"; else proto, if it has a name there; else the
 * first of parley_protocols.h in which it has one.  A handle counts last,
 * because a principal may have it only for its streams.
 */
parley_proto_t parley_delivery_protocol(const parley_principal_t *p,
    parley_proto_t proto);

/* Makes the key of the lane for messages of a sender, a sub, to the URL of a
   principal. */
void parley_delivery_lane(const parley_state_t *state, parley_str_t sender,
    parley_str_t recipient, uint8_t out[PARLEY_KEY_LEN]);

/*
 * Fills the kind, lane and text of a job that owes a record to the next
 * connection of the owner of an address.  lasts: ms until the job ends.
 * Returns 0, or -1: no memory, or the address is too long.
 */
int parley_delivery_awaits(parley_arena_t *arena, const parley_state_t *state,
    parley_job_subject_kind_t kind, parley_str_t address, int64_t lasts,
    parley_job_t *job)
    __attribute__((warn_unused_result));


#endif /* PARLEY_DELIVERY_ROUTE_H */
