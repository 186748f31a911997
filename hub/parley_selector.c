#include <string.h>

#include "parley_selector.h"


/* what is told of a number that is coarse */
#define PARLEY_SELECTOR_FEW   2
#define PARLEY_SELECTOR_MANY  10


int
parley_selector_text(parley_arena_t *arena, parley_str_t instrument,
    parley_str_t filter, parley_str_t *ret)
{
    size_t    len;
    uint8_t  *p, *at;

    len = instrument.len + 1 + filter.len;

    if (len > PARLEY_SELECTOR_MAX
        || (p = parley_arena_octets(arena, len)) == NULL)
    {
        *ret = parley_str_none;
        return -1;
    }

    at = parley_octets_copy(p, instrument.data, instrument.len);
    *at++ = '\n';
    (void) parley_octets_copy(at, filter.data, filter.len);

    *ret = parley_str_make(p, len);

    return 0;
}


int
parley_selector_read(parley_arena_t *arena, parley_str_t text,
    parley_selector_t *ret)
{
    parley_error_t  err;

    memset(ret, 0, sizeof(parley_selector_t));

    ret->instrument = parley_str_until(text, '\n');

    if (ret->instrument.len == text.len) {
        return -1;
    }

    return parley_channel_filter_parse(arena,
                                       parley_str_from(text,
                                                       ret->instrument.len
                                                       + 1),
                                       &ret->filter, &err);
}


int
parley_selector_admits(const parley_selector_t *selector,
    const parley_publication_t *p)
{
    parley_str_t  instrument;

    if (parley_selector_is_held(selector->instrument)) {
        return parley_str_eq(parley_str_from(selector->instrument, 1),
                             p->answers);
    }

    instrument = p->audience.instrument;

    switch (p->audience.form) {

    case PARLEY_AUDIENCE_PREFIX:
        if (selector->instrument.len < instrument.len
            || !parley_str_eq(parley_str_make(selector->instrument.data,
                                              instrument.len), instrument))
        {
            return 0;
        }

        break;

    case PARLEY_AUDIENCE_SESSION:
        if (!parley_str_eq(selector->instrument, instrument)) {
            return 0;
        }

        return parley_channel_filter_admits(&selector->filter, &p->facts)
               ? 2 : 0;

    default:
        break;
    }

    return parley_channel_filter_admits(&selector->filter, &p->facts);
}


/* of a session that is named only its own selector was counted */

int64_t
parley_selector_count(parley_arena_t *arena, const parley_publication_t *p,
    const parley_appended_t *appended)
{
    size_t             i;
    int64_t            n;
    parley_selector_t  selector;

    n = 0;

    for (i = 0; i < appended->ngroups; i++) {

        if (parley_selector_read(arena, appended->groups[i].selector,
                                 &selector)
            != 0)
        {
            return -1;
        }

        if (parley_selector_admits(&selector, p)) {
            n += appended->groups[i].count;
        }
    }

    return n;
}


int64_t
parley_selector_coarse(int64_t count)
{
    return count >= PARLEY_SELECTOR_MANY ? PARLEY_SELECTOR_MANY
           : count >= PARLEY_SELECTOR_FEW ? PARLEY_SELECTOR_FEW : count;
}
