/* Reads a directive: the checks that all directives have in common. */

#include "gate/settings/parley_directive.h"


static const parley_set_pt  parley_setters[PARLEY_DIRECTIVE_COUNT] = {
#define PARLEY_DIRECTIVE(id, name, in, min, max, flags, beside, part, set,   \
                         syntax, preset, purpose)                            \
    [PARLEY_DIRECTIVE_##id] = set,
#include "gate/settings/parley_directive.def"
#undef PARLEY_DIRECTIVE
};


const parley_directive_row_t *
parley_directive_find(parley_str_t name)
{
    size_t  i;

    for (i = 0; i < PARLEY_DIRECTIVE_COUNT; i++) {
        if (parley_str_eq(name, parley_str_c(parley_directives[i].name))) {
            return &parley_directives[i];
        }
    }

    return NULL;
}


int
parley_directive_read(parley_setting_t *d)
{
    size_t                         i;
    unsigned                       id;
    parley_where_t                *where;
    const parley_directive_row_t  *row = d->row;

    d->problem->text[0] = '\0';
    id = (unsigned) (row - parley_directives);
    where = row->size == 0 ? d->http->where : d->s->where;

    if (d->n - 1 < row->min || (row->max > 0 && d->n - 1 > row->max)) {
        return parley_problem(d->problem, "invalid number of arguments in "
                              "\"%s\" directive", row->name);
    }

    if (!(row->flags & PARLEY_OFTEN) && where[id].line != 0) {
        return parley_setting_wrong(d, "is duplicate");
    }

    if (parley_setters[id](d) != 0) {
        return -1;
    }

    where[id] = d->problem->where;

    if (row->size == 0) {
        return 0;
    }

    /*
     * the directives that fill one part, such as parley_allow and parley_deny,
     * are set together
     */

    for (i = 0; i < PARLEY_DIRECTIVE_COUNT; i++) {
        if (parley_directives[i].size != 0
            && parley_directives[i].offset == row->offset)
        {
            d->s->own |= (uint64_t) 1 << i;
        }
    }

    return 0;
}
