/*
 * A query, piece by piece: what stands between two "&".  Private to
 * parley_arguments.h.
 */

#ifndef PARLEY_PIECE_H
#define PARLEY_PIECE_H

#include "gate/settings/parley_arguments.h"


/* what a piece of a query is */
typedef enum {
    PARLEY_PIECE_OTHER = 0,
    PARLEY_PIECE_ARGUMENT,
    PARLEY_PIECE_DISGUISED      /* some would take it for the argument */
} parley_piece_e;


typedef struct {
    parley_piece_e  kind;
    unsigned        which;      /* parley_argument_e */
    unsigned        exact:1;    /* the name stands as it is */
    parley_str_t    value;      /* as it stands */
} parley_piece_t;


/*
 * What a piece says.  Those who split at ";" as well see several pieces in it:
 * where one of them has the name of an argument, others see another.
 */
void parley_piece_read(const parley_arguments_t *a, parley_str_t text,
    parley_piece_t *ret);

/* How a name, as it stands, is that of an argument; an empty one is none. */
parley_piece_e parley_piece_name(parley_str_t text, parley_str_t name);

/* Whether everybody reads it as that value already. */
int parley_piece_stays(const parley_piece_t *piece, parley_str_t value);

/*
 * The next octet of *p, which is before end, decoded: "+" is a space.  Returns
 * 0, or -1: a "%" without two hex digits, which is the octet then.
 */
int parley_piece_octet(const uint8_t **p, const uint8_t *end, uint8_t *ret);


#endif /* PARLEY_PIECE_H */
