/*
 * One piece of a query: the text between two "&".  Private to
 * parley_arguments.c.
 */

#ifndef PARLEY_QUERY_PARAMETER_H
#define PARLEY_QUERY_PARAMETER_H

#include "gate/settings/parley_arguments.h"


/* kind of a piece of a query */
typedef enum {
    PARLEY_QUERY_PARAMETER_OTHER = 0,
    PARLEY_QUERY_PARAMETER_ARGUMENT,
    PARLEY_QUERY_PARAMETER_DISGUISED    /* only some parsers would read it as
                                           the argument */
} parley_query_parameter_e;


typedef struct {
    parley_query_parameter_e  kind;
    unsigned                  which; /* a parley_argument_e */
    unsigned                  exact:1; /* its name is literally the argument's
                                          name */
    parley_str_t              value; /* not decoded */
} parley_query_parameter_t;


/*
 * Reads a piece.  A parser that also splits at ";" reads several arguments in
 * one piece.  Therefore the piece is disguised if one of them has the name of
 * an argument.
 */
void parley_query_parameter_read(const parley_arguments_t *a, parley_str_t text,
    parley_query_parameter_t *ret);

/*
 * Returns the kind of a piece that has the name text, not decoded, for an
 * argument called name.  Returns OTHER if name is empty.
 */
parley_query_parameter_e parley_query_parameter_name(parley_str_t text,
    parley_str_t name);

/*
 * Returns whether every parser reads the piece with this value, so that it can
 * be forwarded unchanged.
 */
int parley_query_parameter_stays(const parley_query_parameter_t *piece,
    parley_str_t value);

/*
 * Decodes the next octet of *p, which is before end; "+" is a space.  Returns
 * 0, or -1: a "%" without two hex digits, and *ret is the "%".
 */
int parley_query_parameter_octet(const uint8_t **p, const uint8_t *end,
    uint8_t *ret);


#endif /* PARLEY_QUERY_PARAMETER_H */
