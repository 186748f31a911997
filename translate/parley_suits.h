/*
 * What suits a protocol: asked of an operator's words when a configuration is
 * read.
 */

#ifndef PARLEY_SUITS_H
#define PARLEY_SUITS_H

#include "translate/parley_engine.h"


/*
 * Whether no message of proto is valid without the member that a JSON Pointer
 * names, or with value, JSON text, in its place; value empty: without.
 */
int parley_requires(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, parley_str_t pointer, parley_str_t value);

/*
 * Whether what opts give messages that have none (context, constitution) is
 * what the schema of proto takes; empty is nothing given.  Returns 0, or -1:
 * field-invalid, naming the member.
 */
int parley_supplies(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, const parley_encode_opts_t *opts,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/* Whether there is a translation from one protocol to another, or none is
   needed. */
int parley_is_pair(parley_proto_t from, parley_proto_t to);


#endif /* PARLEY_SUITS_H */
