/*
 * The message that an answer names, if another protocol carries it (SEC-08).
 */

#ifndef PARLEY_NAMED_H
#define PARLEY_NAMED_H

#include "translate/parley_engine.h"


/*
 * Checks that the message made, which codec proto wrote of m, answers
 * opts->answering.  If the payload of an answer belongs to proto, the payload
 * itself names a message, and no earlier step checks that name.  The check
 * passes for all other messages, and for answers to messages that proto did not
 * send.  Returns 0, or -1: reply-unmatched at the carried part of m, capacity
 * (memory is exhausted).
 */
int parley_named(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, const parley_msg_t *m,
    const parley_encode_opts_t *opts, const parley_encoded_t *made,
    parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_NAMED_H */
