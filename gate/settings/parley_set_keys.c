#include "gate/settings/parley_directive.h"


static int parley_set_no_words(parley_setting_t *d);


int
parley_set_control(parley_setting_t *d)
{
    if (parley_set_no_words(d) != 0) {
        return -1;
    }

    d->s->control = 1;

    return 0;
}


int
parley_set_keys(parley_setting_t *d)
{
    if (parley_set_no_words(d) != 0) {
        return -1;
    }

    d->s->keys = 1;
    d->http->child_keys = 1;

    return 0;
}


/* OPS-09 */

int
parley_set_public_keys(parley_setting_t *d)
{
    if (parley_set_no_words(d) != 0) {
        return -1;
    }

    d->s->public_keys = 1;

    if (d->http->serves_keys.line == 0) {
        d->http->serves_keys = d->problem->where;
    }

    return 0;
}


/*
 * Refuses arguments.  A row of the table cannot express this: a maximum of 0
 * means any number.
 */

static int
parley_set_no_words(parley_setting_t *d)
{
    return d->n == 1 ? 0
           : parley_problem(d->problem, "invalid number of arguments in "
                            "\"%s\" directive", d->row->name);
}
