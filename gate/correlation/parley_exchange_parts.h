/* Private to gate/correlation/parley_exchange*.c: reads an answer, tells it. */

#ifndef PARLEY_EXCHANGE_PARTS_H
#define PARLEY_EXCHANGE_PARTS_H

#include "gate/correlation/parley_exchange.h"


/*
 * parley_exchange_read.c: understands what the service says; whether it may
 * say that (SEC-08), and whether it is right (AEE-33).  Fills what *ret says of
 * it for the log and the state.
 */
int parley_exchange_read(const parley_exchange_t *x, parley_arena_t *arena,
    const parley_response_t *response, parley_answer_t *answer,
    parley_answered_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));


/*
 * parley_exchange_tell.c: a parley_resolve_pt, a parley_attribute_pt and a
 * parley_above_pt; data is a parley_exchange_t.  The parties of the question
 * keep the names that they have there, also where such a name would not map
 * back.
 */
int parley_exchange_resolve(void *data, parley_proto_t from,
    parley_str_t name, parley_proto_t to, parley_str_t *ret);
void parley_exchange_attribute(void *data, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret_human, parley_str_t *ret_instrument);
int parley_exchange_above(void *data, parley_proto_t proto,
    parley_str_t name, parley_str_t other);

/* An answer as the response of the caller's protocol. */
int parley_exchange_tell(const parley_exchange_t *x, parley_arena_t *arena,
    const parley_answer_t *answer, int64_t now_ms, parley_answered_t *ret,
    parley_loss_t *loss, parley_error_t *err)
    __attribute__((warn_unused_result));

/* ret->message, of an answer that is final. */
int parley_exchange_acknowledge(const parley_exchange_t *x,
    parley_arena_t *arena, const parley_answer_t *answer,
    parley_answered_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/* That the service took the message. */
int parley_exchange_accepted(const parley_exchange_t *x,
    parley_arena_t *arena, int64_t now_ms, parley_answered_t *ret,
    parley_loss_t *loss, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * An answer as an event: a message of the upstream's becomes a message of the
 * caller's, an answer of its HTTP binding the caller's.  What cannot be said is
 * lost as a whole, and ret->reply.why says why.
 */
int parley_exchange_say(const parley_exchange_t *x, parley_arena_t *arena,
    const parley_answer_t *answer, int64_t now_ms, parley_answered_t *ret,
    parley_loss_t *loss, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_EXCHANGE_PARTS_H */
