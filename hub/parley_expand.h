/*
 * Expanding a recipient scope (agent-channel 6, ACH-16, ACH-17, ACH-24): the
 * logs that a frame is appended to, and which of their sessions it is for.  A
 * log is known by an address: the handle of a principal, or the text that takes
 * its place where there is no handle (gate/party/parley_address.h).
 *
 * Who belongs to an organisation, and what it has been granted, is known by
 * identities and claims, which are asked: nothing here knows a directory.
 */

#ifndef PARLEY_EXPAND_H
#define PARLEY_EXPAND_H

#include "translate/channel/parley_channel_scope.h"
#include "core/parley_error.h"
#include "hub/parley_publication.h"


typedef struct {
    unsigned  off;              /* forms that are not served, bits of
                                   1 << parley_channel_scope_form_t */
    size_t    max;              /* logs that a scope may name, at most
                                   PARLEY_LOGS_MAX */
} parley_expand_conf_t;


typedef struct {

    /* Whether the sender is recognised as a member of an organisation. */
    int   (*member)(void *ctx, parley_str_t org);

    /* Whether it may address what a grant of a peer organisation reaches. */
    int   (*granted)(void *ctx, parley_str_t org, parley_str_t grant);

    /*
     * Finds the next address that a scope of an organisation names: its
     * members, those with a role, or those that a grant reaches.  *at begins as
     * 0.  Returns 1; 0: there is none; or -1: no memory.  An address may come
     * twice.
     */
    int   (*next)(void *ctx, const parley_channel_scope_t *scope, size_t *at,
              parley_str_t *ret);
    void   *ctx;
} parley_expand_env_t;


typedef struct {
    uint8_t           (*logs)[PARLEY_KEY_LEN];  /* no two are equal */
    size_t              nlogs;
    parley_audience_t   audience;
    parley_str_t        org;    /* that it is scoped to, for filters (ACH-22);
                                   empty: none */
} parley_expansion_t;


/* Whether a scope names an organisation's members, or some of them. */
static inline int
parley_expand_is_org(const parley_channel_scope_t *scope)
{
    return scope->form == PARLEY_CHANNEL_SCOPE_MEMBERS
           || scope->form == PARLEY_CHANNEL_SCOPE_ROLE
           || scope->form == PARLEY_CHANNEL_SCOPE_ACCORD;
}


/* The log of an address. */
void parley_expand_log(const parley_state_t *state, parley_str_t address,
    uint8_t out[PARLEY_KEY_LEN]);

/*
 * Checks that the sender may address a scope.  Returns 0, or -1:
 * scope-unimplemented (its form is off), scope-unauthorised (the sender is not
 * a member, or has no grant).
 */
int parley_expand_may(const parley_channel_scope_t *scope,
    const parley_expand_conf_t *conf, const parley_expand_env_t *env,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Expands a scope whose handle is the frame's recipient; spans of *ret are the
 * scope's.  Returns 0, or -1: scope-unimplemented (its form is off),
 * scope-unauthorised (no member, no grant), policy-refused (it names more
 * logs than may be), capacity; the field is the argument scope.
 */
int parley_expand(parley_arena_t *arena, const parley_state_t *state,
    const parley_channel_scope_t *scope, const parley_expand_conf_t *conf,
    const parley_expand_env_t *env, parley_expansion_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_EXPAND_H */
