/*
 * The member at fault, in the document of who sent it.  A service names it in
 * the message that it got, which is a translation of the caller's.
 */

#ifndef PARLEY_FAULT_H
#define PARLEY_FAULT_H

#include "parley_codec.h"


/*
 * Where in request, the caller's message, stands what field (a JSON Pointer)
 * names in sent, which was made of it in the protocol proto: a canonical field,
 * a member that was carried, or a value within the payload, where both
 * documents have the same there.  Returns 0 and *ret (in the arena; empty: in
 * no place, or that is not known), or -1 with *err: no memory.
 */
int parley_fault(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *request, parley_proto_t proto,
    const parley_encoded_t *sent, parley_str_t field, parley_str_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Says of an answer to request that it failed, of a service's refusal or an
 * error's payload, what parley_fault() knows: answer->field, empty where it
 * names nothing of the caller's.
 */
int parley_fault_answer(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *request, parley_proto_t proto,
    const parley_encoded_t *sent, parley_answer_t *answer,
    parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_FAULT_H */
