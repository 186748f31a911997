/*
 * Atoms: small integers for the member names that the protocols define.  The
 * JSON reader resolves every name, escaped or not, to its atom once; lookups
 * and the ordering of members then compare integers.
 *
 * The list of names is defined by the layer that knows the protocols
 * (core/parley_atoms.h).
 */

#ifndef PARLEY_ATOM_H
#define PARLEY_ATOM_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_str.h"
#include "core/parley_strset.h"


#define PARLEY_ATOM_NONE   0    /* a name that is not in the list */
#define PARLEY_ATOMS_MAX   512  /* including NONE */


typedef uint16_t  parley_atom_t;


/*
 * The names of atoms 1 to parley_atom_ntexts, in RFC 8785 order, so that atoms
 * compare as their names do; at most PARLEY_ATOMS_MAX - 1.  Defined outside of
 * core.
 */
extern const parley_str_t  parley_atom_texts[];
extern const uint32_t      parley_atom_ntexts;

/* Index of the names; private to this header. */
extern const parley_strset_t *const  parley_atom_set;


/* Returns the atom of an unescaped name, or PARLEY_ATOM_NONE. */
static inline parley_atom_t
parley_atom_of(parley_str_t name)
{
    return (parley_atom_t) parley_strset_find(parley_atom_set, name.data,
                                              name.len);
}


/* Returns the name of an atom; empty for PARLEY_ATOM_NONE. */
parley_str_t parley_atom_name(parley_atom_t atom);


#endif /* PARLEY_ATOM_H */
