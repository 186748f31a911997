#include <string.h>

#include "translate/parley_agent.h"
#include "translate/parley_codec.h"
#include "translate/parley_name.h"
#include "translate/parley_msg_field.h"


/* arguments of "%.*s" for a name, limited to the room in an error */
#define PARLEY_AGENT_TEXT(s)                                                  \
    ((s).len < 56 ? (int) (s).len : 56), (const char *) (s).data


static int parley_agent_matches(const parley_agents_t *agents,
    const parley_agent_t *p, const parley_msg_t *m);
static int parley_agent_mismatch(const parley_agents_t *agents,
    const parley_agent_t *caller, const parley_msg_t *m, parley_error_t *err);
static int parley_agent_maps(const parley_agents_t *agents,
    parley_proto_t proto, parley_str_t name, const parley_msg_t *m);
static int parley_agent_wrong_direction(const parley_msg_t *m,
    const parley_agent_t *sender, parley_direction_t direction,
    parley_error_t *err);


int
parley_agent_sender(const parley_agents_t *agents, const parley_msg_t *m,
    const parley_agent_t *caller, int trusted, parley_agent_t *ret,
    parley_error_t *err)
{
    int             listed;
    parley_agent_t  owner;

    memset(ret, 0, sizeof(parley_agent_t));

    if (m->sender.len == 0 && caller != NULL) {
        /* The message has no sender: it belongs to the caller. */
        *ret = *caller;
        return 0;
    }

    listed = agents->find(agents->ctx, m->wire, m->sender, &owner);

    if (caller == NULL) {

        if (listed) {
            *ret = owner;

        } else if (!trusted) {
            return parley_error_set(err, PARLEY_E_KEY_UNKNOWN,
                                    parley_at(m, PARLEY_MSG_SENDER).pointer,
                                    "the sender is unknown here");
        }

        return 0;
    }

    if (listed ? parley_str_eq(owner.sub, caller->sub)
               : parley_agent_matches(agents, caller, m))
    {
        *ret = *caller;
        return 0;
    }

    return parley_agent_mismatch(agents, caller, m, err);
}


/*
 * Fills the error.  It contains only facts about the caller: its sub and its
 * name.
 */

static int
parley_agent_mismatch(const parley_agents_t *agents,
    const parley_agent_t *caller, const parley_msg_t *m, parley_error_t *err)
{
    parley_str_t  name;

    if (parley_agent_name(agents, caller, m->wire, &name) != 0) {
        return parley_error_set(err, PARLEY_E_SENDER_IDENTITY_MISMATCH,
                                parley_at(m, PARLEY_MSG_SENDER).pointer,
                                "the sender must be the principal of the "
                                "token: sub \"%.*s\" has no other name here",
                                PARLEY_AGENT_TEXT(caller->sub));
    }

    return parley_error_set(err, PARLEY_E_SENDER_IDENTITY_MISMATCH,
                            parley_at(m, PARLEY_MSG_SENDER).pointer,
                            "the sender must be the principal of the token: "
                            "sub \"%.*s\" is \"%.*s\" here",
                            PARLEY_AGENT_TEXT(caller->sub),
                            PARLEY_AGENT_TEXT(name));
}


/*
 * Returns whether m is from p.  The principal's name in this protocol decides.
 * If it has none, a name of another protocol may map to the sender.  If it has
 * no names at all, its sub is its name.
 */
static int
parley_agent_matches(const parley_agents_t *agents,
    const parley_agent_t *p, const parley_msg_t *m)
{
    unsigned  i, n;

    if (p->names[m->wire].len > 0) {
        return parley_str_eq(p->names[m->wire], m->sender);
    }

    n = 0;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {

        /* The name in MoQ is the sub. */

        if (p->names[i].len == 0
            || !parley_proto_is_named((parley_proto_t) i)) {
            continue;
        }

        n++;

        if (parley_agent_maps(agents, (parley_proto_t) i, p->names[i], m)) {
            return 1;
        }
    }

    if (n > 0) {
        return 0;
    }

    return parley_str_eq(p->sub, m->sender)
           || parley_agent_maps(agents, PARLEY_PROTO_CANONICAL, p->sub, m);
}


static int
parley_agent_maps(const parley_agents_t *agents, parley_proto_t proto,
    parley_str_t name, const parley_msg_t *m)
{
    parley_str_t  mapped;

    return parley_name_map(agents->arena, proto, name, m->wire, &mapped) == 0
           && parley_str_eq(mapped, m->sender);
}


int
parley_agent_name(const parley_agents_t *agents,
    const parley_agent_t *agent, parley_proto_t proto, parley_str_t *ret)
{
    int       rc;
    unsigned  i;

    *ret = agent->names[proto];

    if (ret->len > 0) {
        return 0;
    }

    rc = 1;

    for (i = 0; rc == 1 && i < PARLEY_PROTO_COUNT; i++) {
        if (agent->names[i].len > 0
            && parley_proto_is_named((parley_proto_t) i))
        {
            rc = parley_name_map(agents->arena, (parley_proto_t) i,
                                 agent->names[i], proto, ret);
        }
    }

    return rc;
}


int
parley_agent_direction(const parley_agents_t *agents,
    const parley_msg_t *m, const parley_agent_t *sender, parley_error_t *err)
{
    parley_agent_t         recipient;
    parley_direction_t     direction;
    const parley_agent_t  *to, *child, *upper;

    direction = parley_codecs[m->wire]->direction(m);

    if (direction == PARLEY_DIRECTION_ANY) {
        return 0;
    }

    to = agents->find(agents->ctx, m->wire, m->recipient, &recipient)
         ? &recipient : NULL;

    if (direction == PARLEY_DIRECTION_DOWN) {
        child = to;
        upper = sender;

    } else {
        child = sender;
        upper = to;
    }

    /*
     * A parent is never the child of its child, even if other facts are
     * unknown.
     */

    if (child != NULL && child->parent.len > 0) {
        if (upper != NULL && parley_str_eq(child->parent, upper->sub)) {
            return 0;
        }

    } else if (child == NULL || upper == NULL
               || !parley_str_eq(upper->parent, child->sub))
    {
        return 0;
    }

    return parley_agent_wrong_direction(m, sender, direction, err);
}


/*
 * Fills the error.  It contains facts about the sender, but not about the
 * recipient.
 */

static int
parley_agent_wrong_direction(const parley_msg_t *m,
    const parley_agent_t *sender, parley_direction_t direction,
    parley_error_t *err)
{
    const char    *at;
    parley_str_t   parent;

    at = parley_at(m, PARLEY_MSG_RECIPIENT).pointer;

    if (sender == NULL) {
        return parley_error_set(err, PARLEY_E_DIRECTION_REFUSED, at,
                                "this type of message passes between a child "
                                "and its own parent only, in one direction");
    }

    if (direction == PARLEY_DIRECTION_DOWN) {
        return parley_error_set(err, PARLEY_E_DIRECTION_REFUSED, at,
                                "this type of message passes from a parent to "
                                "its own child only: sub \"%.*s\" is not the "
                                "parent of the recipient",
                                (int) sender->sub.len,
                                (const char *) sender->sub.data);
    }

    parent = sender->parent;

    return parley_error_set(err, PARLEY_E_DIRECTION_REFUSED, at,
                            "this type of message passes from a child to its "
                            "own parent only: sub \"%.*s\" has %s%.*s%s",
                            (int) sender->sub.len,
                            (const char *) sender->sub.data,
                            parent.len > 0 ? "\"parent\" \""
                                           : "no \"parent\"",
                            (int) parent.len,
                            parent.len > 0 ? (const char *) parent.data : "",
                            parent.len > 0 ? "\"" : "");
}


int
parley_agent_resolve(const parley_agents_t *agents, const parley_msg_t *m,
    const parley_agent_t *sender, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret)
{
    int             rc, known;
    parley_agent_t  owner, other;

    known = agents->find(agents->ctx, from, name, &owner);

    if (!known && sender != NULL && from == m->wire
        && parley_str_eq(name, m->sender))
    {
        owner = *sender;
        known = 1;
    }

    if (known && owner.names[to].len > 0) {
        *ret = owner.names[to];
        return 1;
    }

    rc = parley_name_map(agents->arena, from, name, to, ret);

    if (rc != 0) {
        /* an unlisted name, for example of a group */
        return (rc == 1 && !known) ? 0 : -1;
    }

    if (agents->find(agents->ctx, to, *ret, &other)
        && (!known || !parley_str_eq(other.sub, owner.sub)))
    {
        return -1;
    }

    return 1;
}
