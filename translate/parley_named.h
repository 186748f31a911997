/*
 * What an answer names that another protocol carries (SEC-08).
 */

#ifndef PARLEY_NAMED_H
#define PARLEY_NAMED_H

#include "translate/parley_engine.h"


/*
 * Whether made, which codec proto wrote of m, answers opts->answering: an
 * answer whose payload is proto's own names a message itself, which nobody
 * has looked at.  Anything that is written in no such way, or answers nothing
 * that proto has sent, does.  Returns 0, or -1: reply-unmatched at what m
 * carries, capacity (no memory).
 */
int parley_named(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, const parley_msg_t *m,
    const parley_encode_opts_t *opts, const parley_encoded_t *made,
    parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_NAMED_H */
