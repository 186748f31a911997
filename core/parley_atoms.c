#include "core/parley_atoms.h"
#include "core/parley_str.h"


#define PARLEY_ATOM_TEXT(name)  parley_str(#name),


_Static_assert(PARLEY_ATOMS <= PARLEY_ATOMS_MAX, "there is an atom for each");


const parley_str_t  parley_atom_texts[] = {
    PARLEY_ATOM_LIST(PARLEY_ATOM_TEXT)
};

const uint32_t  parley_atom_ntexts = PARLEY_ATOMS - 1;
