/* The human that a party of a message acts for, and the party's instrument. */

#include "auth/parley_actor.h"
#include "translate/parley_agent.h"
#include "auth/parley_jwt.h"
#include "translate/parley_name.h"
#include "gate/party/parley_who_parts.h"


static int parley_who_is_human(parley_who_t *who, parley_proto_t proto,
    parley_str_t name);
static void parley_who_parties(parley_who_t *who, parley_submission_t *ret);
static int parley_who_author(parley_who_t *who, parley_str_t sender,
    parley_str_t *ret);
static const parley_principal_t *parley_who_party(parley_who_t *who,
    parley_proto_t proto, parley_str_t name);
static const parley_principal_t *parley_who_drafter(parley_who_t *who,
    const parley_principal_t *p);
static int parley_who_actor(parley_who_t *who,
    const parley_principal_t **ret, parley_str_t *ret_sub);
static int parley_who_agent(parley_who_t *who, parley_str_t name,
    parley_str_t *ret);


void
parley_who_attribute(void *data, parley_proto_t proto, parley_str_t name,
    parley_str_t *ret_human, parley_str_t *ret_instrument)
{
    parley_str_t               named;
    parley_who_t              *who = data;
    const parley_principal_t  *p;

    p = parley_who_party(who, proto, name);
    named = *ret_instrument;

    *ret_human = p != NULL ? parley_actor_human(p) : parley_str_none;

    p = parley_who_drafter(who, p);

    if (p == NULL) {
        *ret_instrument = parley_str_eq(name, who->msg->sender)
                          ? who->instrument : parley_str_none;

    } else if (named.len == 0
               || !parley_instrument_is_listed(&p->instruments, named))
    {
        *ret_instrument = p == who->principal && who->instrument.len > 0
                          ? who->instrument : p->instrument;
    }
}


parley_str_t
parley_who_drafts(parley_who_t *who)
{
    const parley_principal_t  *p, *entry;

    p = parley_who_drafter(who, who->principal);

    if (p == NULL || who->directory == NULL) {
        return p != NULL ? p->instrument : parley_str_none;
    }

    entry = parley_directory_by_sub(who->directory, who->principal->sub);

    return entry != NULL && parley_str_eq(entry->instrument, p->instrument)
           ? parley_str_none : p->instrument;
}


/*
 * Returns the principal with a name, or NULL if it is unknown.  For the sender
 * it is the principal of the token, which may name an instrument.
 */

static const parley_principal_t *
parley_who_party(parley_who_t *who, parley_proto_t proto, parley_str_t name)
{
    parley_agent_t  agent;

    if (parley_who_find(who, proto, name, &agent)) {
        return who->principal != NULL
               && parley_str_eq(who->principal->sub, agent.sub)
               ? who->principal : agent.data;
    }

    return proto == who->msg->wire
           && (who->msg->sender.len == 0
               || parley_str_eq(name, who->msg->sender))
           ? who->principal : NULL;
}


/*
 * Returns the principal that has the instruments of p: p itself or, if the
 * directory does not list p, the actor of its token.  NULL: unknown.
 */

static const parley_principal_t *
parley_who_drafter(parley_who_t *who, const parley_principal_t *p)
{
    parley_str_t               none;
    const parley_principal_t  *actor;

    if (p == NULL || p != who->principal
        || parley_who_actor(who, &actor, &none) != 1
        || (who->directory != NULL
            && parley_directory_by_sub(who->directory, p->sub) != NULL))
    {
        return p;
    }

    return actor;
}


static void
parley_who_parties(parley_who_t *who, parley_submission_t *ret)
{
    const parley_principal_t  *p;

    ret->instrument = parley_str_none;

    parley_who_attribute(who, who->msg->wire, ret->sender, &ret->human,
                         &ret->instrument);

    p = parley_who_drafter(who, parley_who_party(who, who->msg->wire,
                                                 ret->sender));
    if (p != NULL) {
        ret->instruments = p->instruments.list;
        ret->ninstruments = p->instruments.n;
    }
}


int
parley_who_submission(parley_who_t *who, parley_submission_t *ret,
    parley_error_t *err)
{
    ret->owner = parley_who_proven(who);

    if (parley_codecs[who->msg->wire]->submit != NULL) {
        parley_who_parties(who, ret);
    }

    if (parley_who_author(who, ret->sender, &ret->author) != 0) {
        return parley_error_memory(err);
    }

    if (ret->author.len > 0
        && !parley_who_is_human(who, who->msg->wire, ret->sender))
    {
        ret->author = parley_str_none;
    }

    return 0;
}


int
parley_who_may_approve(parley_who_t *who, parley_proto_t proto,
    parley_str_t name)
{
    parley_agent_t  agent;

    if (name.len == 0
        || (who->msg->author.len > 0 && proto == who->msg->wire
            && parley_str_eq(name, who->msg->sender))
        || (parley_who_owner(who, proto, name, &agent)
            && parley_actor_is_instrument(agent.data)))
    {
        return 0;
    }

    return parley_who_is_human(who, proto, name);
}


/* Returns whether the name is a human's, in its own protocol or in another. */

static int
parley_who_is_human(parley_who_t *who, parley_proto_t proto,
    parley_str_t name)
{
    int             listed;
    parley_str_t    other;
    parley_agent_t  agent;
    parley_proto_t  to;

    if (parley_name_is_human(proto, name)) {
        return 1;
    }

    /* a derived name has the tier of the name that it is derived from */

    listed = !parley_codecs[proto]->syntax->tierless
             && parley_who_find(who, proto, name, &agent);

    for (to = 0; to < PARLEY_PROTO_COUNT; to++) {

        if (parley_codecs[to]->syntax->tierless || to == proto) {
            continue;
        }

        if (listed) {
            other = agent.names[to];

        } else if (parley_who_resolve(who, proto, name, to, &other) != 1) {
            continue;
        }

        if (other.len > 0 && parley_name_is_human(to, other)) {
            return 1;
        }
    }

    return 0;
}


/*
 * Finds the AEE name of the instrument in this session: the actor of the token
 * (RFC 8693), else the principal if it is an instrument.  Empty: a human's
 * session.
 */

static int
parley_who_author(parley_who_t *who, parley_str_t sender, parley_str_t *ret)
{
    int                        rc;
    parley_str_t               sub;
    parley_agent_t             agent;
    const parley_principal_t  *p;

    rc = parley_who_actor(who, &p, &sub);

    if (rc == 1) {
        return p != NULL ? parley_who_instrument(who, p, ret)
                         : parley_who_agent(who, sub, ret);
    }

    if (rc == -1) {
        return -1;
    }

    p = who->principal;

    if (p == NULL && parley_who_owner(who, who->msg->wire, sender, &agent)) {
        p = agent.data;
    }

    if (parley_actor_is_instrument(p)) {
        return parley_who_instrument(who, p, ret);
    }

    *ret = parley_str_none;

    return 0;
}


int
parley_who_acts(parley_who_t *who, parley_str_t *ret)
{
    const parley_principal_t  *actor;

    return parley_who_actor(who, &actor, ret);
}


/*
 * Finds the actor of the token.  Returns 1, its sub and, if it is listed, its
 * entry; 0 if the subject itself acts; or -1: no memory.  An "act" without an
 * AEE name is the subject's instrument.
 */

static int
parley_who_actor(parley_who_t *who, const parley_principal_t **ret,
    parley_str_t *ret_sub)
{
    uint32_t              act;
    const parley_json_t  *claims;

    *ret = NULL;
    *ret_sub = parley_str_none;

    if (who->jwt == NULL) {
        return 0;
    }

    if (who->jwt->act == PARLEY_JSON_NONE) {
        return 0;
    }

    claims = &who->jwt->claims;
    act = parley_json_get(claims, who->jwt->act, PARLEY_STR("sub"));

    if (parley_msg_string(claims, act, ret_sub) != 0) {
        return -1;
    }

    if (!parley_namespace_name_is(PARLEY_NAMESPACE_AEE, *ret_sub)) {
        *ret_sub = who->principal != NULL ? who->principal->sub
                                          : PARLEY_STR("unknown");

    } else if (who->directory != NULL) {
        *ret = parley_directory_by_sub(who->directory, *ret_sub);
    }

    return 1;
}


int
parley_who_instrument(parley_who_t *who, const parley_principal_t *p,
    parley_str_t *ret)
{
    parley_str_t  name;

    name = p->names[PARLEY_NAMESPACE_AEE];

    if (name.len > 0 && !parley_name_is_human(PARLEY_PROTO_CANONICAL, name)) {
        *ret = name;
        return 0;
    }

    name = p->instrument.len > 0 ? p->instrument
                                 : p->names[PARLEY_NAMESPACE_HANDLE];

    if (name.len < 2 || (p->instrument.len == 0
                         && parley_actor_is_sovereign(name)))
    {
        return parley_who_agent(who, p->sub, ret);
    }

    name = parley_str_from(name, 1);
    return parley_who_agent(who, parley_str_until(name, '@'), ret);
}


static int
parley_who_agent(parley_who_t *who, parley_str_t name, parley_str_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, who->arena, name.len + 8);
    parley_buf_lit(&b, "agent.");
    parley_buf_str(&b, name);

    return parley_buf_done(&b, ret);
}
