#include <string.h>

#include "hub/parley_selector.h"


/* steps of a coarse count */
#define PARLEY_SELECTOR_FEW   2
#define PARLEY_SELECTOR_MANY  10

/* beginning of a text: a protocol, or none */
#define PARLEY_SELECTOR_PROTO  'a'
#define PARLEY_SELECTOR_ANY    '-'


int
parley_selector_text(parley_arena_t *arena, parley_proto_t proto,
    parley_str_t instrument, parley_str_t filter, parley_str_t *ret)
{
    size_t    len;
    uint8_t  *p, *at;

    len = 1 + instrument.len + 1 + filter.len;

    if (len > PARLEY_SELECTOR_MAX
        || (p = parley_arena_octets(arena, len)) == NULL)
    {
        *ret = parley_str_none;
        return -1;
    }

    at = p;

    *at++ = proto == PARLEY_PROTO_NONE
            ? PARLEY_SELECTOR_ANY
            : (uint8_t) (PARLEY_SELECTOR_PROTO + (unsigned) proto);

    at = parley_octets_copy(at, instrument.data, instrument.len);
    *at++ = '\n';
    (void) parley_octets_copy(at, filter.data, filter.len);

    *ret = parley_str_make(p, len);

    return 0;
}


int
parley_selector_read(parley_arena_t *arena, parley_str_t text,
    parley_selector_t *ret)
{
    unsigned        proto;
    parley_str_t    rest;
    parley_error_t  err;

    memset(ret, 0, sizeof(parley_selector_t));

    if (text.len == 0) {
        return -1;
    }

    ret->proto = PARLEY_PROTO_NONE;

    if (text.data[0] != PARLEY_SELECTOR_ANY) {
        proto = (unsigned) text.data[0] - PARLEY_SELECTOR_PROTO;

        if (proto >= PARLEY_PROTO_COUNT) {
            return -1;
        }

        ret->proto = (parley_proto_t) proto;
    }

    rest = parley_str_from(text, 1);
    ret->instrument = parley_str_until(rest, '\n');

    if (ret->instrument.len == rest.len) {
        return -1;
    }

    return parley_channel_filter_parse(arena,
                                       parley_str_from(rest,
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

    if (parley_str_is(selector->instrument, PARLEY_SELECTOR_VIEWS)) {
        return p->views.len > 0 || p->audience.form == PARLEY_AUDIENCE_ALL;
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


/* for a named session, the append counted only its own selector */

int
parley_selector_count(parley_arena_t *arena, const parley_publication_t *p,
    const parley_appended_t *appended, int64_t ret[PARLEY_PROTO_COUNT])
{
    size_t                 i;
    parley_selector_t      selector;
    const parley_group_t  *group;

    memset(ret, 0, PARLEY_PROTO_COUNT * sizeof(int64_t));

    for (i = 0; i < appended->ngroups; i++) {
        group = &appended->groups[i];

        if (parley_selector_read(arena, group->selector, &selector) != 0) {
            return -1;
        }

        if (parley_selector_admits(&selector, p)) {
            ret[selector.proto != PARLEY_PROTO_NONE ? selector.proto
                                                    : p->proto]
                += group->count;
        }
    }

    return 0;
}


int64_t
parley_selector_coarse(int64_t count)
{
    return count >= PARLEY_SELECTOR_MANY ? PARLEY_SELECTOR_MANY
           : count >= PARLEY_SELECTOR_FEW ? PARLEY_SELECTOR_FEW : count;
}
