#include "auth/parley_membership.h"


/*
 * Returns the handle before "/"; *ret_part is the part after it, empty if s has
 * no "/".
 */

static parley_str_t
parley_membership_org(parley_str_t s, parley_str_t *ret_part)
{
    size_t  i;

    for (i = 0; i < s.len && s.data[i] != '/'; i++) { /* void */ }

    *ret_part = i < s.len ? parley_str_make(s.data + i + 1, s.len - i - 1)
                          : parley_str_none;

    return parley_str_make(s.data, i);
}


static int
parley_membership_is_part(parley_str_t s)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; i < s.len; i++) {
        c = s.data[i];

        if (!parley_is_alnum(c) && c != '.' && c != '_' && c != '-'
            && c != ':')
        {
            return 0;
        }
    }

    return s.len > 0 && s.len <= PARLEY_MEMBERSHIP_PART_MAX;
}


int
parley_membership_is_org(parley_str_t s)
{
    parley_str_t  org, part;

    org = parley_membership_org(s, &part);

    return parley_namespace_handle_is(org)
           && (org.len == s.len || parley_membership_is_part(part));
}


int
parley_membership_is_grant(parley_str_t s)
{
    parley_str_t  org, part;

    org = parley_membership_org(s, &part);

    return parley_namespace_handle_is(org) && parley_membership_is_part(part);
}


int
parley_membership_has(const parley_list_t *list, parley_str_t org)
{
    size_t        i;
    parley_str_t  part;

    for (i = 0; i < list->n; i++) {
        if (parley_str_eq(parley_membership_org(list->list[i], &part), org)) {
            return 1;
        }
    }

    return 0;
}


int
parley_membership_has_part(const parley_list_t *list, parley_str_t org,
    parley_str_t part)
{
    size_t        i;
    parley_str_t  has;

    for (i = 0; i < list->n; i++) {
        if (parley_str_eq(parley_membership_org(list->list[i], &has), org)
            && parley_str_eq(has, part))
        {
            return 1;
        }
    }

    return 0;
}
