/*
 * The parties of a message: whether its sender is who the caller is (GW-03),
 * what a party is called elsewhere, and whether a message may pass between
 * these two (VCP-30).  Names are looked at here; who has which is for the
 * caller to know.
 */

#ifndef PARLEY_AGENT_H
#define PARLEY_AGENT_H

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "translate/parley_msg.h"
#include "core/parley_str.h"


/* a principal, as far as its names go */
typedef struct {
    parley_str_t         sub;
    parley_str_t         parent;    /* its sub; empty: none known */
    const parley_str_t  *names;     /* PARLEY_PROTO_COUNT of them, empty where
                                       it has none */
    const void          *data;      /* the caller's own */
} parley_agent_t;


/* Who is listed under this name: 1 and *ret, or 0: nobody. */
typedef int (*parley_agent_pt)(void *ctx, parley_proto_t proto,
    parley_str_t name, parley_agent_t *ret);


typedef struct {
    parley_arena_t   *arena;
    parley_agent_pt   find;
    void             *ctx;
} parley_agents_t;


/*
 * Who sent the message.  caller is the principal of a verified token: the
 * sender must be one of its names, and a name that is listed is never
 * somebody else's.  Without a token (NULL) it is whoever is listed under that
 * name, which a signature has yet to prove; nobody will do where the caller
 * is trusted.
 *
 * Returns 0 and *ret (sub empty: nobody known), or -1:
 * sender-identity-mismatch, key-unknown.
 */
int parley_agent_sender(const parley_agents_t *agents,
    const parley_msg_t *m, const parley_agent_t *caller, int trusted,
    parley_agent_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * The name of a party in a protocol, its own or one that maps; agents->find is
 * not called.  Returns 0; or, with *ret empty, 1: it has none; -1: no memory.
 */
int parley_agent_name(const parley_agents_t *agents,
    const parley_agent_t *agent, parley_proto_t proto, parley_str_t *ret);

/*
 * VCP-30: where the hierarchy is known, constraints come from the parent and
 * escalations go to it; an acknowledgment comes back from it.  sender may be
 * NULL.  Returns 0, or -1: direction-refused.
 */
int parley_agent_direction(const parley_agents_t *agents,
    const parley_msg_t *m, const parley_agent_t *sender, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * The answer to a parley_resolve_pt, whose contract this has.  What is not
 * listed maps by its syntax, but never to the name of somebody who is: an
 * unlisted agent must not turn into a listed one by translation.  sender is
 * who sent m, or NULL: its name in m is its own, listed or not.
 */
int parley_agent_resolve(const parley_agents_t *agents,
    const parley_msg_t *m, const parley_agent_t *sender, parley_proto_t from,
    parley_str_t name, parley_proto_t to, parley_str_t *ret);


#endif /* PARLEY_AGENT_H */
