/*
 * Percent-encoding: text that came from outside stands in a header, a line of
 * a log or an argument of a URI, and stays text there (SEC-01).  What is
 * written can be read in one way only, since "%" is encoded itself.
 */

#ifndef PARLEY_ESCAPE_H
#define PARLEY_ESCAPE_H

#include "parley_arena.h"
#include "parley_buf.h"
#include "parley_str.h"


typedef enum {
    /* a value by itself: octets outside 0x21 to 0x7E, and % " \ ; */
    PARLEY_ESCAPE_VALUE = 1,

    /* a value in a list that commas separate */
    PARLEY_ESCAPE_ITEM = 2,

    /* in a query: all but letters, digits and - . _ ~ ! ' ( ) * */
    PARLEY_ESCAPE_ARGUMENT = 4
} parley_escape_t;


/* Whether nothing in s is to be encoded. */
int parley_escape_is_plain(parley_str_t s, parley_escape_t how);

void parley_escape_put(parley_buf_t *b, parley_str_t s, parley_escape_t how);

/*
 * Into *ret, which is s itself where nothing is to be encoded.  Returns 0, or
 * -1: no memory.
 */
int parley_escape(parley_arena_t *arena, parley_str_t s, parley_escape_t how,
    parley_str_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_ESCAPE_H */
