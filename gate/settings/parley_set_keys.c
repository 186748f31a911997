#include "gate/settings/parley_directive.h"


int
parley_set_control(parley_setting_t *d)
{
    if (d->n > 1) {
        return parley_problem(d->problem, "invalid number of arguments in "
                              "\"%s\" directive", d->row->name);
    }

    d->s->control = 1;

    return 0;
}


int
parley_set_keys(parley_setting_t *d)
{
    if (d->n > 1) {
        return parley_problem(d->problem, "invalid number of arguments in "
                              "\"%s\" directive", d->row->name);
    }

    d->s->keys = 1;
    d->http->child_keys = 1;

    return 0;
}
