/*
 * Atoms: a number for each name of a member that somebody above gives a
 * meaning.  The reader finds the atom of every name, escaped or not; who asks
 * for a member, or for the order of two, compares numbers afterwards.
 *
 * Which names they are is not known here: the list is defined where the
 * protocols are (translate/parley_atoms.h).
 */

#ifndef PARLEY_ATOM_H
#define PARLEY_ATOM_H

#include <stddef.h>
#include <stdint.h>

#include "parley_str.h"
#include "parley_strset.h"


#define PARLEY_ATOM_NONE   0    /* every name that is not in the list */
#define PARLEY_ATOMS_MAX   512  /* NONE included */


typedef uint16_t  parley_atom_t;


/*
 * The names of the atoms from 1 on, in the order of RFC 8785, so that names
 * that have atoms stand in their order; at most PARLEY_ATOMS_MAX - 1.
 * Defined by who knows them.
 */
extern const parley_str_t  parley_atom_texts[];
extern const uint32_t      parley_atom_ntexts;

/* Of the names; private to this header. */
extern const parley_strset_t *const  parley_atom_words;


/* The atom of a name without escapes. */
static inline parley_atom_t
parley_atom_of(parley_str_t name)
{
    return (parley_atom_t) parley_strset_find(parley_atom_words, name.data,
                                              name.len);
}


/* The name of an atom; of NONE: empty. */
parley_str_t parley_atom_name(parley_atom_t atom);


#endif /* PARLEY_ATOM_H */
