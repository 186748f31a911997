/*
 * The invalid member in the sender's own document.  A service names a member of
 * the message that it received, which is a translation of the caller's message.
 */

#ifndef PARLEY_FAULT_H
#define PARLEY_FAULT_H

#include "translate/parley_codec.h"


/*
 * Changes answer->field to a pointer into request, the caller's message, or to
 * empty.  answer is a refusal by a service or the payload of an error.  The
 * field names a member of sent, which was made of request in the protocol
 * proto: a canonical field, a carried member, or a value in the payload that
 * both documents have at the same place.  For field-missing, the field may also
 * name a member that is missing in both.  A field that names nothing in sent is
 * dropped.  Returns 0, or -1 with *err filled if memory is exhausted.
 */
int parley_fault_answer(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *request, parley_proto_t proto,
    const parley_encoded_t *sent, parley_answer_t *answer,
    parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_FAULT_H */
