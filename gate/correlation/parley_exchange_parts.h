/* Private to gate/correlation/parley_exchange*.c: decodes and encodes
   answers. */

#ifndef PARLEY_EXCHANGE_PARTS_H
#define PARLEY_EXCHANGE_PARTS_H

#include "gate/correlation/parley_exchange.h"
#include "translate/parley_loss.h"


/*
 * parley_exchange_read.c: decodes an answer, and checks it by SEC-08 and
 * AEE-33.  Fills the members of *ret for the log and the state.
 */
int parley_exchange_read(const parley_exchange_t *x, parley_arena_t *arena,
    const parley_response_t *response, parley_answer_t *answer,
    parley_answered_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));


/*
 * parley_exchange_reply.c: a parley_resolve_pt, a parley_attribute_pt and a
 * parley_above_pt; data is a parley_exchange_t.  The parties of the question
 * keep the names that they have there, even if such a name does not map back.
 */
int parley_exchange_resolve(void *data, parley_proto_t from,
    parley_str_t name, parley_proto_t to, parley_str_t *ret);
void parley_exchange_attribute(void *data, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret_human, parley_str_t *ret_instrument);
int parley_exchange_above(void *data, parley_proto_t proto,
    parley_str_t name, parley_str_t other);

/* Encodes an answer as the response in the caller's protocol. */
int parley_exchange_reply(const parley_exchange_t *x, parley_arena_t *arena,
    const parley_answer_t *answer, int64_t now_ms, parley_answered_t *ret,
    parley_loss_t *loss, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Fills ret->message with the acknowledgment of a final answer. */
int parley_exchange_acknowledge(const parley_exchange_t *x,
    parley_arena_t *arena, const parley_answer_t *answer,
    parley_answered_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Encodes that the service accepted the message. */
int parley_exchange_accepted(const parley_exchange_t *x,
    parley_arena_t *arena, int64_t now_ms, parley_answered_t *ret,
    parley_loss_t *loss, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Encodes an answer as an event in the caller's protocol.  A message of the
 * upstream becomes a message, an answer of its HTTP binding becomes an answer.
 * An answer that cannot be expressed is lost as a whole, and ret->reply.why has
 * the reason.
 */
int parley_exchange_say(const parley_exchange_t *x, parley_arena_t *arena,
    const parley_answer_t *answer, int64_t now_ms, parley_answered_t *ret,
    parley_loss_t *loss, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_EXCHANGE_PARTS_H */
