/* Signs messages that the gateway made (GW-08). */

#ifndef PARLEY_SIGNING_H
#define PARLEY_SIGNING_H

#include "translate/parley_codec.h"


/*
 * Signs ret->body, which codec made of m, by opts->sign, and adds the signature
 * to it, in the arena.  Returns 0, or -1: translation-unsupported for a number
 * that a signature cannot cover, or the error of opts->sign.
 */
int parley_signing_made(const parley_codec_t *codec, parley_arena_t *arena,
    const parley_msg_t *m, const parley_encode_opts_t *opts,
    parley_encoded_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_SIGNING_H */
