#include <string.h>

#include "gate/party/parley_address.h"
#include "gate/message/parley_gate_steps.h"
#include "gate/publish/parley_members.h"
#include "auth/parley_membership.h"


static int parley_members_is_known(const parley_directory_t *directory,
    parley_str_t org);
static int parley_members_member(void *ctx, parley_str_t org);
static int parley_members_granted(void *ctx, parley_str_t org,
    parley_str_t grant);
static int parley_members_is_asked(const parley_gate_t *g);
static int parley_members_next(void *ctx, const parley_channel_scope_t *scope,
    size_t *at, parley_str_t *ret);


void
parley_members(parley_gate_t *g, parley_expand_env_t *ret)
{
    ret->member = parley_members_member;
    ret->granted = parley_members_granted;
    ret->next = parley_members_next;
    ret->ctx = g;
}


int
parley_members_may(parley_gate_t *g, const parley_channel_scope_t *scope)
{
    parley_expand_env_t   env;
    parley_expand_conf_t  conf;

    if (!parley_expand_is_org(scope)
        || !parley_members_is_known(g->who->directory, scope->handle))
    {
        return 0;
    }

    memset(&conf, 0, sizeof(parley_expand_conf_t));
    parley_members(g, &env);

    return parley_expand_may(scope, &conf, &env, g->err);
}


/* Returns whether the directory has a member of the organisation. */

static int
parley_members_is_known(const parley_directory_t *directory, parley_str_t org)
{
    size_t                     i, n;
    const parley_principal_t  *list;

    if (directory == NULL) {
        return 0;
    }

    n = parley_directory_principals(directory, &list);

    for (i = 0; i < n; i++) {
        if (parley_membership_has(&list[i].orgs, org)) {
            return 1;
        }
    }

    return 0;
}


static int
parley_members_member(void *ctx, parley_str_t org)
{
    const parley_gate_t  *g = ctx;
    const parley_who_t   *who = g->who;

    return parley_members_is_asked(g)
           || (who->principal != NULL
               && parley_membership_has(&who->principal->orgs, org));
}


static int
parley_members_granted(void *ctx, parley_str_t org, parley_str_t grant)
{
    const parley_gate_t  *g = ctx;
    const parley_who_t   *who = g->who;

    return parley_members_is_asked(g)
           || (who->principal != NULL
               && parley_membership_has_part(&who->principal->grants, org,
                                             grant));
}


/*
 * Returns whether the message goes to a scope that the asker was allowed to
 * address (ACH-31).
 */

static int
parley_members_is_asked(const parley_gate_t *g)
{
    return parley_correlation_scope(&g->read.correlation).len > 0;
}


static int
parley_members_next(void *ctx, const parley_channel_scope_t *scope, size_t *at,
    parley_str_t *ret)
{
    int                        rc;
    size_t                     n;
    const parley_gate_t       *g = ctx;
    const parley_who_t        *who = g->who;
    const parley_principal_t  *p, *list;

    if (who->directory == NULL) {
        return 0;
    }

    n = parley_directory_principals(who->directory, &list);

    while (*at < n) {
        p = &list[(*at)++];

        if (parley_members_has(scope, p) && parley_gate_may_reach(g, p)) {
            rc = parley_address_of(g->arena, p, ret);

            if (rc != 1) {
                return rc == 0 ? 1 : -1;
            }
        }
    }

    return 0;
}


int
parley_members_has(const parley_channel_scope_t *scope,
    const parley_principal_t *p)
{
    switch (scope->form) {

    case PARLEY_CHANNEL_SCOPE_MEMBERS:
        return parley_membership_has(&p->orgs, scope->handle);

    case PARLEY_CHANNEL_SCOPE_ROLE:
        return parley_membership_has_part(&p->orgs, scope->handle,
                                          scope->role);

    default: /* PARLEY_CHANNEL_SCOPE_ACCORD */
        return parley_membership_has(&p->orgs, scope->handle)
               && parley_membership_has_part(&p->reached, scope->handle,
                                             scope->grant);
    }
}
