/*
 * The memberships and grants of a principal in organisations (agent-channel 6),
 * as the identities file and claims have them:
 *
 *   orgs     ~acme               the principal is a recognised member
 *            ~acme/ops           and has a role there
 *   grants   ~peer/billing.read  an accord lets the principal address those
 *                                principals of ~peer that this grant reaches
 *   reached  ~acme/billing.read  principals of the own organisation with that
 *                                grant may address this principal
 */

#ifndef PARLEY_MEMBERSHIP_H
#define PARLEY_MEMBERSHIP_H

#include "auth/parley_principal.h"


#define PARLEY_MEMBERSHIP_PART_MAX  128


/*
 * parley_membership_is_org() returns whether s is the handle of an
 * organisation, optionally followed by "/" and a role (orgs).
 * parley_membership_is_grant() returns whether s is a handle, "/" and a grant
 * (grants, reached).
 */
int parley_membership_is_org(parley_str_t s);
int parley_membership_is_grant(parley_str_t s);

/* Returns whether list has the organisation, with or without a role. */
int parley_membership_has(const parley_list_t *list, parley_str_t org);

/* Returns whether list has the organisation with that role or grant. */
int parley_membership_has_part(const parley_list_t *list, parley_str_t org,
    parley_str_t part);


#endif /* PARLEY_MEMBERSHIP_H */
