/*
 * Strings of a document, unescaped code point by code point, so that nothing
 * has to be copied to be compared.  Private to core.
 */

#ifndef PARLEY_JSON_STRING_H
#define PARLEY_JSON_STRING_H

#include <stdint.h>

#include "parley_json.h"
#include "parley_str.h"


/*
 * The next code point of the raw octets of a string that the reader took;
 * *p moves behind it.  *p must be less than end.
 */
uint32_t parley_json_rune(const uint8_t **p, const uint8_t *end);

/* The same; writes the code point's UTF-8 and returns its length. */
size_t parley_json_rune_octets(const uint8_t **p, const uint8_t *end,
    uint8_t out[4]);

/* Writes the unescaped octets of raw to out (room for raw.len of them). */
size_t parley_json_unescape(parley_str_t raw, uint8_t *out);

/* The atom of name k, which has escapes. */
parley_atom_t parley_json_string_atom(const parley_json_t *doc, uint32_t k);

/* Whether two strings or names are equal, unescaped. */
int parley_json_string_same(const parley_json_t *a, uint32_t i,
    const parley_json_t *b, uint32_t j);

/*
 * Less than, equal to, greater than zero: the order of the UTF-16 code units
 * of two strings or names (RFC 8785 section 3.2.3).
 */
int parley_json_string_order(const parley_json_t *doc, uint32_t i,
    uint32_t j);


#endif /* PARLEY_JSON_STRING_H */
