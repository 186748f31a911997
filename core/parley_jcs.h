/*
 * RFC 8785, JSON Canonicalization Scheme: members in the order of their UTF-16
 * code units, no white space, minimal escapes, numbers as ECMAScript prints
 * them.
 */

#ifndef PARLEY_JCS_H
#define PARLEY_JCS_H

#include "core/parley_buf.h"
#include "core/parley_json.h"
#include "core/parley_str.h"


/*
 * Appends the canonical form of value to b.  If value is an object, its member
 * named skip (empty: none) is omitted, as signatures require.  Integers
 * outside +-(2^53 - 1) are rounded: check doc->inexact before verifying a
 * signature.  Allocation failures are reported by parley_buf_done().
 */
void parley_jcs_write(parley_buf_t *b, parley_json_ref_t value,
    parley_str_t skip);

/* As parley_jcs_write(), escaped for the inside of a JSON string. */
void parley_jcs_text(parley_buf_t *b, parley_json_ref_t value);

/*
 * As parley_jcs_text(), for an object that has only the n members of doc with
 * the given name nodes; the names must be distinct.  Sorts members.
 */
void parley_jcs_text_members(parley_buf_t *b, const parley_json_t *doc,
    uint32_t *members, size_t n);

/*
 * Sorts name nodes by their UTF-16 code units.  Returns 0, or -1 with names
 * unchanged if memory is exhausted.
 */
int parley_jcs_order(parley_arena_t *arena, const parley_json_t *doc,
    uint32_t *names, size_t n)
    __attribute__((warn_unused_result));


#endif /* PARLEY_JCS_H */
