/*
 * Comparison of a document's strings, unescaped one code point at a time to
 * avoid copies.  Private to core.
 */

#ifndef PARLEY_JSON_STRING_H
#define PARLEY_JSON_STRING_H

#include <stdint.h>

#include "core/parley_json.h"
#include "core/parley_str.h"


/*
 * Returns the next code point of a raw string that the reader has accepted and
 * advances *p, which must be less than end.
 */
uint32_t parley_json_rune(const uint8_t **p, const uint8_t *end);

/*
 * As parley_json_rune(), but writes the code point as UTF-8 and returns the
 * length.
 */
size_t parley_json_rune_octets(const uint8_t **p, const uint8_t *end,
    uint8_t out[4]);

/*
 * Writes the unescaped octets of raw to out, which has room for raw.len.
 * Returns their number.
 */
size_t parley_json_unescape(parley_str_t raw, uint8_t *out);

/* Returns the atom of the escaped name k. */
parley_atom_t parley_json_string_atom(const parley_json_t *doc, uint32_t k);

/*
 * Returns whether a name, unescaped, equals a reference token of a JSON
 * Pointer, unescaped.
 */
int parley_json_string_is_token(const parley_json_t *doc, uint32_t i,
    parley_str_t token);

/* Returns whether two strings or names are equal, unescaped. */
int parley_json_string_same(const parley_json_t *a, uint32_t i,
    const parley_json_t *b, uint32_t j);

/*
 * Compares two strings or names by UTF-16 code units (RFC 8785 section 3.2.3).
 * Returns less than, equal to or greater than zero.
 */
int parley_json_string_order(const parley_json_t *doc, uint32_t i,
    uint32_t j);


#endif /* PARLEY_JSON_STRING_H */
