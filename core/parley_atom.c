#include "core/parley_atom.h"


/* sparse enough that a hash factor without collisions is found quickly */
#define PARLEY_ATOM_SLOTS  4096


_Static_assert(PARLEY_ATOMS_MAX - 1 <= PARLEY_STRSET_MAX, "atoms are words");


static void parley_atom_prepare(void)
    __attribute__((constructor));


static parley_strset_entry_t  parley_atom_entries[PARLEY_ATOMS_MAX];
static uint16_t               parley_atom_slots[PARLEY_ATOM_SLOTS];
static parley_strset_t        parley_atom_table;

const parley_strset_t *const  parley_atom_set = &parley_atom_table;


/*
 * A constructor: the table is complete before main() and read-only afterwards.
 */
static void
parley_atom_prepare(void)
{
    parley_strset_fill(&parley_atom_table, parley_atom_entries,
                       parley_atom_slots, PARLEY_ATOM_SLOTS,
                       parley_atom_texts, parley_atom_ntexts);
}


parley_str_t
parley_atom_name(parley_atom_t atom)
{
    return parley_atom_entries[atom].text;
}
