/* Finds names of members in other spellings. */

#include "translate/parley_spelling.h"


static int parley_spelling_is_like(parley_str_t name,
    const uint8_t known[PARLEY_ATOMS]);
static uint8_t parley_spelling_letter(parley_str_t *rest);


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
                                "%s differs only in spelling from a member of "
                                "the envelope", pointer);
    }

    return 0;
}


static int
parley_spelling_is_like(parley_str_t name, const uint8_t known[PARLEY_ATOMS])
{
    parley_atom_t  atom;

    for (atom = 1; atom < PARLEY_ATOMS; atom++) {
        if (known[atom] != 0
            && parley_spelling_is(name, parley_atom_name(atom)))
        {
            return 1;
        }
    }

    return 0;
}


int
parley_spelling_is(parley_str_t name, parley_str_t ascii)
{
    size_t  i;

    for (i = 0; i < ascii.len && name.len > 0; i++) {
        if (parley_spelling_letter(&name) != parley_lower(ascii.data[i])) {
            return 0;
        }
    }

    return i == ascii.len && name.len == 0;
}


/*
 * Takes an octet off *rest, an ASCII letter in lower case.  Readers that ignore
 * case by Unicode take some other letters for ASCII ones, too: a dotted capital
 * and a dotless i, a long s, and the sign of Kelvin.  These are taken whole.
 */

static uint8_t
parley_spelling_letter(parley_str_t *rest)
{
    size_t   n;
    uint8_t  c;

    n = 1;
    c = parley_lower(rest->data[0]);

    if (parley_str_begins(*rest, "\xC4\xB0")            /* U+0130 */
        || parley_str_begins(*rest, "\xC4\xB1"))        /* U+0131 */
    {
        n = 2;
        c = 'i';

    } else if (parley_str_begins(*rest, "\xC5\xBF")) {  /* U+017F */
        n = 2;
        c = 's';

    } else if (parley_str_begins(*rest, "\xE2\x84\xAA")) {  /* U+212A */
        n = 3;
        c = 'k';
    }

    *rest = parley_str_from(*rest, n);

    return c;
}
