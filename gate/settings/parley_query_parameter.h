/*
 * A query, piece by piece: what stands between two "&".  Private to
 * parley_arguments.h.
 */

#ifndef PARLEY_QUERY_PARAMETER_H
#define PARLEY_QUERY_PARAMETER_H

#include "gate/settings/parley_arguments.h"


/* what a piece of a query is */
typedef enum {
    PARLEY_QUERY_PARAMETER_OTHER = 0,
    PARLEY_QUERY_PARAMETER_ARGUMENT,
    PARLEY_QUERY_PARAMETER_DISGUISED    /* another parser may take it for the
                                           argument */
} parley_query_parameter_e;


typedef struct {
    parley_query_parameter_e  kind;
    unsigned                  which; /* parley_argument_e */
    unsigned                  exact:1; /* the name stands as it is */
    parley_str_t              value; /* as it stands */
} parley_query_parameter_t;


/*
 * What a piece says.  Those who split at ";" as well see several pieces in it:
 * where one of them has the name of an argument, others see another.
 */
void parley_query_parameter_read(const parley_arguments_t *a, parley_str_t text,
    parley_query_parameter_t *ret);

/* How a name, as it stands, is that of an argument; an empty one is none. */
parley_query_parameter_e parley_query_parameter_name(parley_str_t text,
    parley_str_t name);

/* Whether everybody reads it as that value already. */
int parley_query_parameter_stays(const parley_query_parameter_t *piece,
    parley_str_t value);

/*
 * The next octet of *p, which is before end, decoded: "+" is a space.  Returns
 * 0, or -1: a "%" without two hex digits, which is the octet then.
 */
int parley_query_parameter_octet(const uint8_t **p, const uint8_t *end,
    uint8_t *ret);


#endif /* PARLEY_QUERY_PARAMETER_H */
