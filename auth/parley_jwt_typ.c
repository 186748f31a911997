#include <string.h>

#include "auth/parley_jwt.h"
#include "auth/parley_jwt_typ.h"


parley_str_t
parley_jwt_typ_bare(parley_str_t typ)
{
    parley_str_t  tree;

    tree = PARLEY_STR("application/");

    if (typ.len > tree.len
        && parley_str_eq_fold(parley_str_make(typ.data, tree.len), tree))
    {
        return parley_str_from(typ, tree.len);
    }

    return typ;
}


/* Returns whether s is a restricted-name (RFC 6838 section 4.2). */

static int
parley_jwt_typ_name(parley_str_t s)
{
    size_t   i;
    uint8_t  c;

    if (s.len == 0 || s.len > PARLEY_JWT_TYP_MAX) {
        return 0;
    }

    for (i = 0; i < s.len; i++) {
        c = s.data[i];

        if (parley_is_alnum(c)) {
            continue;
        }

        if (i == 0 || c == '\0' || strchr("!#$&-^_.+", c) == NULL) {
            return 0;
        }
    }

    return 1;
}


int
parley_jwt_typ_parse(parley_str_t word, parley_str_t *ret)
{
    parley_str_t  bare, suffix;

    suffix = PARLEY_STR("+jwt");
    bare = parley_jwt_typ_bare(word);
    *ret = parley_str_none;

    if (!parley_jwt_typ_name(bare)) {
        return -1;
    }

    if (!parley_str_eq_fold(bare, PARLEY_STR("JWT"))
        && (bare.len <= suffix.len
            || !parley_str_eq_fold(parley_str_from(bare,
                                                   bare.len - suffix.len),
                                   suffix)))
    {
        return -1;
    }

    *ret = bare;

    return 0;
}
