/* Names of members in other letters. */

#include "parley_spelling.h"


static int parley_spelling_is_like(parley_str_t name,
    const uint8_t known[PARLEY_ATOMS]);


int
parley_spelling_check(const parley_json_t *doc, uint32_t node,
    const uint8_t known[PARLEY_ATOMS], parley_error_t *err)
{
    char          pointer[PARLEY_POINTER_MAX];
    uint32_t      k, end;
    parley_str_t  name;

    if (node == PARLEY_JSON_NONE
        || parley_json_type(doc, node) != PARLEY_JSON_OBJECT)
    {
        return 0;
    }

    end = parley_json_end(doc, node);

    for (k = parley_json_first(node); k != end;
         k = parley_json_after(doc, k + 1))
    {
        if (known[parley_json_atom(doc, k)] != 0) {
            continue;
        }

        if (parley_json_string(doc, k, &name) != 0) {
            return parley_error_memory(err);
        }

        if (!parley_spelling_is_like(name, known)) {
            continue;
        }

        (void) parley_json_pointer(doc, k, pointer, sizeof(pointer));

        return parley_error_set(err, PARLEY_E_FIELD_UNKNOWN, pointer,
                                "%s is a member of the envelope in other "
                                "letters", pointer);
    }

    return 0;
}


static int
parley_spelling_is_like(parley_str_t name, const uint8_t known[PARLEY_ATOMS])
{
    parley_atom_t  atom;

    for (atom = 1; atom < PARLEY_ATOMS; atom++) {
        if (known[atom] != 0
            && parley_str_eq_fold(parley_atom_name(atom), name))
        {
            return 1;
        }
    }

    return 0;
}
