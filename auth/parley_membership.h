/*
 * What binds a principal to organisations (agent-channel 6), as the identities
 * file and claims have it:
 *
 *     orgs     ~acme               it is a recognised member
 *              ~acme/ops           and has a role there
 *     grants   ~peer/billing.read  an accord lets it address whom of ~peer this
 *                                  grant reaches
 *     reached  ~acme/billing.read  whoever has that grant of its own
 *                                  organisation reaches it
 */

#ifndef PARLEY_MEMBERSHIP_H
#define PARLEY_MEMBERSHIP_H

#include "auth/parley_principal.h"


#define PARLEY_MEMBERSHIP_PART_MAX  128


/*
 * Whether a text is the handle of an organisation, and perhaps "/" and a role
 * (orgs); whether it is a handle, "/" and a grant (grants, reached).
 */
int parley_membership_is_org(parley_str_t s);
int parley_membership_is_grant(parley_str_t s);

/* Whether a list has the organisation, with whatever role. */
int parley_membership_has(const parley_list_t *list, parley_str_t org);

/* Whether it has the organisation with that role, or that grant of it. */
int parley_membership_has_part(const parley_list_t *list, parley_str_t org,
    parley_str_t part);


#endif /* PARLEY_MEMBERSHIP_H */
