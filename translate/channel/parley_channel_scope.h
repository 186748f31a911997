/*
 * Recipient scopes (agent-channel section 6, ACH-15):
 *
 *     ~alice                              every session of ~alice
 *     ~alice/<*>                          the same
 *     ~alice/cc-<*>                       whose instrument begins with cc-
 *     ~alice/cc-model@s1                  one session
 *     org:~acme/members/<*>               all members of an organisation
 *     org:~acme/members/ops/<*>           those with a role
 *     accord:~peer/grant:billing.read     a peer organisation, by a grant
 *
 * (<*> stands for an asterisk.)  Where the draft leaves a part open it is 1
 * to 128 of letters, digits, ".", "_" and "-"; a session may have "~", "+"
 * and ":" too, a grant ":".  A scope has at most 512 octets.
 */

#ifndef PARLEY_CHANNEL_SCOPE_H
#define PARLEY_CHANNEL_SCOPE_H

#include "core/parley_arena.h"
#include "core/parley_str.h"


#define PARLEY_CHANNEL_SCOPE_MAX  512
#define PARLEY_CHANNEL_PART_MAX   128


typedef enum {
    PARLEY_CHANNEL_SCOPE_HANDLE = 0,    /* ~handle */
    PARLEY_CHANNEL_SCOPE_SESSIONS,      /* ~handle/<*> */
    PARLEY_CHANNEL_SCOPE_PREFIX,
    PARLEY_CHANNEL_SCOPE_SESSION,
    PARLEY_CHANNEL_SCOPE_MEMBERS,
    PARLEY_CHANNEL_SCOPE_ROLE,
    PARLEY_CHANNEL_SCOPE_ACCORD
} parley_channel_scope_form_t;


/* spans of the scope; empty where the form has none */
typedef struct {
    parley_channel_scope_form_t  form;
    parley_str_t                 handle;        /* "~alice", "~acme" */
    parley_str_t                 instrument;    /* or the prefix of it */
    parley_str_t                 session;
    parley_str_t                 role;
    parley_str_t                 grant;
} parley_channel_scope_t;


/* Returns 0, or -1 and *ret empty: no scope.  s is untrusted. */
int parley_channel_scope_parse(parley_str_t s, parley_channel_scope_t *ret)
    __attribute__((warn_unused_result));

/*
 * A part that the draft leaves open, of the characters above and more.
 * Returns 0, or -1: none.
 */
int parley_channel_scope_is_part(parley_str_t s, const char *more);

/* The scope of all members of an organisation.  -1: no memory. */
int parley_channel_scope_members(parley_arena_t *arena, parley_str_t handle,
    parley_str_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_CHANNEL_SCOPE_H */
