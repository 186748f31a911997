/*
 * Expands a recipient scope (agent-channel 6, ACH-16, ACH-17, ACH-24) to the
 * logs that a frame is appended to, and to the sessions of these logs that
 * receive it.  A log is identified by an address: the handle of a principal, or
 * a text in place of a missing handle (gate/party/parley_address.h).
 *
 * Memberships and grants come from callbacks: this file has no access to the
 * directory.
 */

#ifndef PARLEY_EXPAND_H
#define PARLEY_EXPAND_H

#include "translate/channel/parley_channel_scope.h"
#include "core/parley_error.h"
#include "hub/parley_expand_conf.h"
#include "hub/parley_publication.h"


typedef struct {

    /* Returns whether the sender is a recognised member of an organisation. */
    int   (*member)(void *ctx, parley_str_t org);

    /* Returns whether the sender may use a grant of a peer organisation. */
    int   (*granted)(void *ctx, parley_str_t org, parley_str_t grant);

    /*
     * Finds the next address in a scope of an organisation: its members,
     * members with a role, or members that a grant reaches.  *at begins as 0.
     * Returns 1; 0 at the end; or -1 if memory is exhausted.  An address may
     * occur twice.
     */
    int   (*next)(void *ctx, const parley_channel_scope_t *scope, size_t *at,
              parley_str_t *ret);
    void   *ctx;
} parley_expand_env_t;


typedef struct {
    uint8_t           (*logs)[PARLEY_KEY_LEN];  /* keys of the logs, distinct */
    size_t              nlogs;
    parley_audience_t   audience;
    parley_str_t        org;    /* organisation of the scope, for filters
                                   (ACH-22); empty: none */
} parley_expansion_t;


/* Returns whether a scope names all or some members of an organisation. */
static inline int
parley_expand_is_org(const parley_channel_scope_t *scope)
{
    return scope->form == PARLEY_CHANNEL_SCOPE_MEMBERS
           || scope->form == PARLEY_CHANNEL_SCOPE_ROLE
           || scope->form == PARLEY_CHANNEL_SCOPE_ACCORD;
}


/* Computes the key of the log of an address. */
void parley_expand_log(const parley_state_t *state, parley_str_t address,
    uint8_t out[PARLEY_KEY_LEN]);

/*
 * Checks that the sender may address a scope.  Returns 0, or -1 with *err
 * filled: scope-unimplemented (its form is disabled), scope-unauthorised (the
 * sender is not a member, or lacks the grant).
 */
int parley_expand_may(const parley_channel_scope_t *scope,
    const parley_expand_conf_t *conf, const parley_expand_env_t *env,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Expands a scope to *ret; spans of *ret are borrowed from the scope.  A single
 * recipient is the scope's handle.  Returns 0, or -1 with *err filled:
 * scope-unimplemented (its form is disabled), scope-unauthorised (not a member,
 * or no grant), policy-refused (too many logs), capacity; the field is the
 * argument scope.
 */
int parley_expand(parley_arena_t *arena, const parley_state_t *state,
    const parley_channel_scope_t *scope, const parley_expand_conf_t *conf,
    const parley_expand_env_t *env, parley_expansion_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_EXPAND_H */
