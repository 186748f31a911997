/*
 * The member at fault, in the document of who sent it.  A service names it in
 * the message that it got, which is a translation of the caller's.
 */

#ifndef PARLEY_FAULT_H
#define PARLEY_FAULT_H

#include "translate/parley_codec.h"


/*
 * Makes answer->field, of a service's refusal or an error's payload that
 * answers request, a pointer into request, the caller's message, or empty.
 * The service named it in sent, which was made of request in the protocol
 * proto: a canonical field, a member that was carried, or a value within the
 * payload, where both documents have the same there; of what is field-missing
 * also a member that an object has in neither.  What points to nothing that
 * was sent is the service's own invention, and goes nowhere.  Returns 0, or -1
 * with *err: no memory.
 */
int parley_fault_answer(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *request, parley_proto_t proto,
    const parley_encoded_t *sent, parley_answer_t *answer,
    parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_FAULT_H */
