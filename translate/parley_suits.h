/*
 * Checks of an operator's settings against a protocol, when the configuration
 * is read.
 */

#ifndef PARLEY_SUITS_H
#define PARLEY_SUITS_H

#include "translate/parley_engine.h"


/*
 * Returns whether every message of proto becomes invalid if the member at a
 * JSON Pointer is replaced by value, JSON text, or removed if value is empty.
 */
int parley_codec_requires(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, parley_str_t pointer, parley_str_t value);

/*
 * Checks that the schema of proto allows the values that opts supply to
 * messages without them (context, constitution).  Empty values are not checked.
 * Returns 0, or -1: field-invalid, with the member.
 */
int parley_codec_supplies(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, const parley_encode_opts_t *opts,
    parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_SUITS_H */
