/*
 * RFC 8785, the JSON Canonicalization Scheme: members in the order of their
 * UTF-16 code units, no white space, strings with only the escapes that must
 * be, numbers as ECMAScript prints them.
 */

#ifndef PARLEY_JCS_H
#define PARLEY_JCS_H

#include "parley_buf.h"
#include "parley_json.h"
#include "parley_str.h"


/*
 * Appends the canonical form of a value to b.  Where the value is an object,
 * its own member named skip (empty: none) is left out: what is signed is the
 * envelope without its signature.  A document whose inexact is set has a
 * canonical form all the same; callers that verify signatures refuse it
 * first.  A failed allocation shows in parley_buf_done().
 */
void parley_jcs_write(parley_buf_t *b, parley_json_ref_t value,
    parley_str_t skip);

/*
 * The same as it stands inside a JSON string, every quote and backslash of it
 * escaped: of strings without escapes there is nothing to look through.
 */
void parley_jcs_text(parley_buf_t *b, parley_json_ref_t value);

/*
 * That of an object of n members of doc, which have different names.  members
 * are the nodes of the names; they are put in order.
 */
void parley_jcs_text_members(parley_buf_t *b, const parley_json_t *doc,
    uint32_t *members, size_t n);

/*
 * Puts nodes of names in the order of their UTF-16 code units.  Returns 0, or
 * -1: no memory.
 */
int parley_jcs_order(parley_arena_t *arena, const parley_json_t *doc,
    uint32_t *names, size_t n)
    __attribute__((warn_unused_result));


#endif /* PARLEY_JCS_H */
