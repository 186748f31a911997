/*
 * Recipient scopes (agent-channel section 6, ACH-15):
 *
 *   ~alice                           every session of ~alice
 *   ~alice/<*>                       every session of ~alice
 *   ~alice/cc-<*>                    sessions of an instrument that begins with
 *                                    cc-
 *   ~alice/cc-model@s1               one session
 *   org:~acme/members/<*>            all members of an organisation
 *   org:~acme/members/ops/<*>        members with a role
 *   accord:~peer/grant:billing.read  a peer organisation, by a grant
 *
 * (<*> means an asterisk.)  The draft leaves some parts open.  They have 1 to
 * 128 letters, digits, ".", "_" and "-"; a session may also have "~", "+" and
 * ":", a grant ":".  A scope has at most 512 octets.
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


/* spans of the scope; empty if the form does not have them */
typedef struct {
    parley_channel_scope_form_t  form;
    parley_str_t                 handle;        /* "~alice", "~acme" */
    parley_str_t                 instrument;    /* or its prefix */
    parley_str_t                 session;
    parley_str_t                 role;
    parley_str_t                 grant;
} parley_channel_scope_t;


/*
 * Reads a scope, which is untrusted.  Returns 0, or -1 with *ret empty if it is
 * invalid.
 */
int parley_channel_scope_parse(parley_str_t s, parley_channel_scope_t *ret)
    __attribute__((warn_unused_result));

/*
 * Checks a part that the draft leaves open.  more lists further characters.
 * Returns 0, or -1 if the part is invalid.
 */
int parley_channel_scope_is_part(parley_str_t s, const char *more);

/*
 * Writes the scope of all members of an organisation.  Returns 0, or -1 if
 * memory is exhausted.
 */
int parley_channel_scope_members(parley_arena_t *arena, parley_str_t handle,
    parley_str_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_CHANNEL_SCOPE_H */
