/*
 * Percent-encoding of untrusted text for headers, log lines and URI arguments
 * (SEC-01).  "%" itself is encoded, so the encoding is unambiguous.
 */

#ifndef PARLEY_ESCAPE_H
#define PARLEY_ESCAPE_H

#include "core/parley_arena.h"
#include "core/parley_buf.h"
#include "core/parley_str.h"


typedef enum {
    /* a single value: encodes all outside 0x21 to 0x7E and % " \ ; */
    PARLEY_ESCAPE_VALUE = 1,

    /* an item of a comma-separated list: also encodes the comma */
    PARLEY_ESCAPE_ITEM = 2,

    /* a URI argument: keeps letters, digits and - . _ ~ ! ' ( ) * */
    PARLEY_ESCAPE_ARGUMENT = 4
} parley_escape_t;


/* octets of a name or id in a line of the error log; nginx limits a line to
   2048 */
#define PARLEY_ESCAPE_LOGGED  128


/* Returns whether s needs no encoding. */
int parley_escape_is_plain(parley_str_t s, parley_escape_t how);

/* Writes "%" and two digits, 0-9 or A-F. */
void parley_escape_octet(uint8_t c, uint8_t ret[3]);

/* Appends s, encoded, to b. */
void parley_escape_put(parley_buf_t *b, parley_str_t s, parley_escape_t how);

/*
 * Encodes s.  *ret is s itself if it needs no encoding, else allocated from
 * arena.  Returns 0, or -1 with *ret empty if memory is exhausted.
 */
int parley_escape(parley_arena_t *arena, parley_str_t s, parley_escape_t how,
    parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Writes the first octets of a name or id for a line of the error log, encoded
 * as PARLEY_ESCAPE_VALUE.  Equal output means equal first octets, and the
 * output cannot end the line or the quotation marks around it.  Writes at most
 * max octets and a NUL, and does not cut an encoded octet.  ret has room for
 * max + 1.  Returns ret.
 */
const char *parley_escape_line(parley_str_t s, size_t max, char *ret);


#endif /* PARLEY_ESCAPE_H */
