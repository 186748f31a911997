/*
 * The parties of a message: whether its sender is the caller (GW-03), the names
 * of a party in other protocols, and whether a message may pass between two
 * parties (VCP-30).  This file compares names only.  The caller provides the
 * directory as a callback.
 */

#ifndef PARLEY_AGENT_H
#define PARLEY_AGENT_H

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "translate/parley_msg.h"
#include "core/parley_str.h"


/* names of a principal */
typedef struct parley_agent_s {
    parley_str_t         sub;
    parley_str_t         parent;    /* sub of the parent; empty: unknown */
    const parley_str_t  *names;     /* PARLEY_PROTO_COUNT names; a missing one
                                       is empty */
    const void          *data;      /* belongs to the caller */
} parley_agent_t;


/*
 * Finds the principal with a name.  Returns 1 and *ret, or 0 if the name is not
 * listed.
 */
typedef int (*parley_agent_pt)(void *ctx, parley_proto_t proto,
    parley_str_t name, parley_agent_t *ret);


typedef struct parley_agents_s {
    parley_arena_t   *arena;
    parley_agent_pt   find;
    void             *ctx;
} parley_agents_t;


/*
 * Finds the sender of a message.  caller is the principal of a verified token:
 * the sender must be one of its names, and must not be listed for another
 * principal.  Without a token (NULL), the sender is the principal that has this
 * name, and a signature must still prove it.  If the transport is trusted, the
 * name need not be listed.
 *
 * Returns 0 and *ret (with an empty sub if the sender is unknown), or -1:
 * sender-identity-mismatch, key-unknown.
 */
int parley_agent_sender(const parley_agents_t *agents,
    const parley_msg_t *m, const parley_agent_t *caller, int trusted,
    parley_agent_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Finds the name of a party in a protocol: its own name, or one that maps to
 * it.  Does not call agents->find.  Returns 0; 1 with *ret empty if the party
 * has no name; -1 with *ret empty if memory is exhausted.
 */
int parley_agent_name(const parley_agents_t *agents,
    const parley_agent_t *agent, parley_proto_t proto, parley_str_t *ret);

/*
 * Checks the direction of a message if the hierarchy is known (VCP-30):
 * constraints and acknowledgments come from the parent, escalations go to it.
 * sender may be NULL.  Returns 0, or -1: direction-refused.
 */
int parley_agent_direction(const parley_agents_t *agents,
    const parley_msg_t *m, const parley_agent_t *sender, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Implements parley_resolve_pt and has its contract.  A name that is not listed
 * maps by its syntax, but never to a listed name: translation must not turn an
 * unlisted agent into a listed one.  sender is the sender of m, or NULL.  Its
 * name in m belongs to it, listed or not.
 */
int parley_agent_resolve(const parley_agents_t *agents,
    const parley_msg_t *m, const parley_agent_t *sender, parley_proto_t from,
    parley_str_t name, parley_proto_t to, parley_str_t *ret);


#endif /* PARLEY_AGENT_H */
