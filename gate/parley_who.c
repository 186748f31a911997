/* The directory, the proof and the message brought together. */

#include "parley_who.h"
#include "parley_actor.h"
#include "parley_msg_field.h"
#include "parley_name.h"


static int parley_who_others(const parley_who_t *who,
    const parley_principal_t *p);
static int parley_who_find(void *data, parley_proto_t proto,
    parley_str_t name, parley_agent_t *ret);
static const parley_principal_t *parley_who_listed(const parley_who_t *who,
    parley_who_known_t *known, parley_proto_t proto, parley_str_t name);
static parley_who_known_t *parley_who_known(parley_who_t *who,
    parley_proto_t from, parley_str_t name);
static int parley_who_owner(parley_who_t *who, parley_proto_t proto,
    parley_str_t name, parley_agent_t *ret);
static int parley_who_is_human(parley_who_t *who, parley_proto_t proto,
    parley_str_t name);
static int parley_who_author(parley_who_t *who, parley_str_t sender,
    parley_str_t *ret);
static int parley_who_actor(parley_who_t *who,
    const parley_principal_t **ret, parley_str_t *ret_sub);
static int parley_who_instrument(parley_who_t *who,
    const parley_principal_t *p, parley_str_t *ret);
static int parley_who_agent(parley_who_t *who, parley_str_t name,
    parley_str_t *ret);
static int parley_who_ask(parley_who_t *who, parley_proto_t from,
    parley_str_t name, parley_proto_t to, parley_str_t *ret);


void
parley_who_as_agent(const parley_principal_t *principal, parley_agent_t *ret)
{
    ret->sub = principal->sub;
    ret->parent = principal->parent;
    ret->names = principal->names;
    ret->data = principal;
}


void
parley_who_agents(parley_who_t *who, parley_agents_t *ret)
{
    ret->arena = who->arena;
    ret->find = parley_who_find;
    ret->ctx = who;
}


static int
parley_who_find(void *data, parley_proto_t proto, parley_str_t name,
    parley_agent_t *ret)
{
    parley_who_t              *who = data;
    const parley_principal_t  *owner;

    owner = parley_who_listed(who, parley_who_known(who, proto, name), proto,
                              name);
    if (owner == NULL) {
        return 0;
    }

    parley_who_as_agent(owner, ret);

    return 1;
}


/* known: the name, if it is one of the message's, or NULL */

static const parley_principal_t *
parley_who_listed(const parley_who_t *who, parley_who_known_t *known,
    parley_proto_t proto, parley_str_t name)
{
    const parley_principal_t  *owner;

    if (who->directory == NULL) {
        return NULL;
    }

    if (known != NULL && known->sought) {
        return known->owner;
    }

    owner = parley_directory_by_name(who->directory,
                                     (parley_namespace_t) proto, name);

    if (known != NULL) {
        known->owner = owner;
        known->sought = 1;
    }

    return owner;
}


/*
 * Returns what was found out of one of the message's own names, which the
 * encoder, the record of its origin and the answer ask for again and again.
 * Its address tells which name it is, as long as who is about this message.
 * NULL: the name is not one of the message's.
 */

static parley_who_known_t *
parley_who_known(parley_who_t *who, parley_proto_t from, parley_str_t name)
{
    parley_who_known_t  *known;

    if (name.len == 0) {
        return NULL;
    }

    if (name.data == who->msg->sender.data) {
        known = &who->known[0];

    } else if (name.data == who->msg->recipient.data) {
        known = &who->known[1];

    } else {
        return NULL;
    }

    if (known->name.data != name.data || known->name.len != name.len
        || known->from != from)
    {
        known->name = name;
        known->from = from;
        known->sought = 0;
        known->asked = 0;
    }

    return known;
}


int
parley_who_sender(parley_who_t *who, int trusted, parley_error_t *err)
{
    parley_agent_t   caller, sender;
    parley_agents_t  agents;

    parley_who_agents(who, &agents);

    if (who->principal != NULL) {
        parley_who_as_agent(who->principal, &caller);
    }

    if (parley_agent_sender(&agents, who->msg,
                            who->principal != NULL ? &caller : NULL, trusted,
                            &sender, err)
        != 0)
    {
        return -1;
    }

    if (who->principal != NULL && parley_who_others(who, who->principal)) {
        return parley_error_set(err, PARLEY_E_SENDER_IDENTITY_MISMATCH,
                                parley_at(who->msg, PARLEY_MSG_SENDER).pointer,
                                "the name belongs to another principal than "
                                "sub \"%.*s\"",
                                who->principal->sub.len < 56
                                ? (int) who->principal->sub.len : 56,
                                (const char *) who->principal->sub.data);
    }

    who->principal = sender.data;

    /* what a name is elsewhere may depend on it, whose it is does not */

    who->known[0].asked = 0;
    who->known[1].asked = 0;

    return 0;
}


/*
 * Checks whether the sender's name, or its sub, belongs to another principal
 * than p (SEC-21).  The names of a listed sender were checked when the
 * directory was read.
 */

static int
parley_who_others(const parley_who_t *who, const parley_principal_t *p)
{
    const parley_principal_t  *owner;

    if (who->directory == NULL
        || (who->known[0].sought && who->known[0].owner != NULL))
    {
        return 0;
    }

    owner = parley_directory_owner(who->directory,
                                   (parley_namespace_t) who->msg->wire,
                                   who->msg->sender);

    if (owner == NULL || parley_str_eq(owner->sub, p->sub)) {
        owner = parley_directory_owner(who->directory, PARLEY_NAMESPACE_SUB,
                                       p->sub);
    }

    return owner != NULL && !parley_str_eq(owner->sub, p->sub);
}


int
parley_who_direction(parley_who_t *who, parley_error_t *err)
{
    parley_agent_t   sender;
    parley_agents_t  agents;

    parley_who_agents(who, &agents);

    if (who->principal != NULL) {
        parley_who_as_agent(who->principal, &sender);
    }

    return parley_agent_direction(&agents, who->msg,
                                  who->principal != NULL ? &sender : NULL,
                                  err);
}


parley_str_t
parley_who_proven(const parley_who_t *who)
{
    return who->principal != NULL
           && (parley_who_is_caller(who) || who->sig_verified)
           ? who->principal->sub : parley_str_none;
}


parley_str_t
parley_who_name(parley_who_t *who, parley_proto_t proto)
{
    parley_str_t     name;
    parley_agent_t   caller;
    parley_agents_t  agents;

    if (who->principal == NULL) {
        return parley_str_none;
    }

    parley_who_agents(who, &agents);
    parley_who_as_agent(who->principal, &caller);

    (void) parley_agent_name(&agents, &caller, proto, &name);

    return name;
}


int
parley_who_resolve(void *data, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret)
{
    parley_who_t              *who = data;
    parley_who_known_t        *known;
    const parley_principal_t  *owner;

    known = parley_who_known(who, from, name);

    if (known == NULL) {
        return parley_who_ask(who, from, name, to, ret);
    }

    /* most are listed with a name of their own there */

    owner = parley_who_listed(who, known, from, name);

    if (owner != NULL && owner->names[to].len > 0) {
        *ret = owner->names[to];
        return 1;
    }

    if ((known->asked & (1u << to)) == 0) {
        known->rcs[to] = (int8_t) parley_who_ask(who, from, name, to,
                                                 &known->rets[to]);
        known->asked |= 1u << to;
    }

    *ret = known->rets[to];

    return known->rcs[to];
}


static int
parley_who_ask(parley_who_t *who, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret)
{
    parley_agent_t   sender;
    parley_agents_t  agents;

    parley_who_agents(who, &agents);

    if (who->principal != NULL) {
        parley_who_as_agent(who->principal, &sender);
    }

    return parley_agent_resolve(&agents, who->msg,
                                who->principal != NULL ? &sender : NULL, from,
                                name, to, ret);
}


void
parley_who_attribute(void *data, parley_proto_t proto, parley_str_t name,
    parley_str_t *ret_human, parley_str_t *ret_instrument)
{
    parley_who_t              *who = data;
    parley_str_t               none;
    parley_agent_t             agent;
    const parley_principal_t  *p, *actor;

    p = NULL;

    if (parley_who_find(who, proto, name, &agent)) {
        p = agent.data;

    } else if (proto == who->msg->wire
               && (who->msg->sender.len == 0
                   || parley_str_eq(name, who->msg->sender)))
    {
        p = who->principal;
    }

    parley_actor_both(p, ret_human, ret_instrument);

    /* another's instrument drafts, where another acts for the sender */

    if (p != NULL && p == who->principal
        && parley_who_actor(who, &actor, &none) == 1)
    {
        parley_actor_both(actor, &none, ret_instrument);
    }
}


int
parley_who_submission(parley_who_t *who, parley_submission_t *ret,
    parley_error_t *err)
{
    ret->owner = parley_who_proven(who);

    parley_who_attribute(who, who->msg->wire, ret->sender, &ret->human,
                         &ret->instrument);

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


/* Whether it is a human's name, in that protocol or in any other. */

static int
parley_who_is_human(parley_who_t *who, parley_proto_t proto,
    parley_str_t name)
{
    int             rc;
    parley_str_t    other;
    parley_proto_t  to;

    if (parley_name_is_human(proto, name)) {
        return 1;
    }

    for (to = 0; to < PARLEY_PROTO_COUNT; to++) {

        if (parley_codecs[to]->syntax->tierless || to == proto) {
            continue;
        }

        rc = parley_who_resolve(who, proto, name, to, &other);

        if (rc == 1 && parley_name_is_human(to, other)) {
            return 1;
        }
    }

    return 0;
}


/*
 * AEE's name of the instrument whose session it is: whoever acts by the token
 * (RFC 8693), else the principal, where it is one.  Empty: a human's.
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
 * Whether somebody acts by the token for its subject: 1, the sub and, where
 * it is listed, the entry; an act that names nobody is the subject's
 * instrument.  0: the subject itself; -1: no memory.
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

    if (!parley_name_is(PARLEY_NAMESPACE_AEE, *ret_sub)) {
        *ret_sub = who->principal != NULL ? who->principal->sub
                                          : PARLEY_STR("unknown");

    } else if (who->directory != NULL) {
        *ret = parley_directory_by_sub(who->directory, *ret_sub);
    }

    return 1;
}


/* A principal as an agent: by its own name, its instrument's, or its sub. */

static int
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


parley_str_t
parley_who_told(parley_who_t *who, parley_proto_t to)
{
    parley_str_t          ret;
    parley_error_t        err;
    const parley_msg_t   *m;
    parley_encode_opts_t  opts;

    m = who->msg;

    if (m->sender.len == 0 || m->wire == to) {
        return m->sender;
    }

    if (m->author.len == 0) {
        return parley_who_resolve(who, m->wire, m->sender, to, &ret) == 1
               ? ret : parley_str_none;
    }

    memset(&opts, 0, sizeof(parley_encode_opts_t));

    parley_who_opts(who, &opts);

    return parley_name_translate(who->arena, &opts, m, m->sender,
                                 PARLEY_MSG_SENDER, to, &ret, &err)
           == 0 ? ret : parley_str_none;
}


int
parley_who_above(void *data, parley_proto_t proto, parley_str_t name,
    parley_str_t other)
{
    int              known;
    parley_who_t    *who = data;
    parley_agent_t   child, parent;

    known = parley_who_owner(who, proto, other, &parent);

    if (!parley_who_owner(who, proto, name, &child)) {
        return 0;
    }

    if (child.parent.len > 0) {
        return known && parley_str_eq(child.parent, parent.sub) ? 1 : -1;
    }

    return known && parley_str_eq(parent.parent, child.sub) ? -1 : 0;
}


/* Finds the principal that a name means: 1, or 0. */

static int
parley_who_owner(parley_who_t *who, parley_proto_t proto, parley_str_t name,
    parley_agent_t *ret)
{
    if (parley_who_find(who, proto, name, ret)) {
        return 1;
    }

    if (who->principal == NULL || proto != who->msg->wire
        || !parley_str_eq(name, who->msg->sender))
    {
        return 0;
    }

    parley_who_as_agent(who->principal, ret);

    return 1;
}


void
parley_who_opts(parley_who_t *who, parley_encode_opts_t *opts)
{
    opts->resolve = parley_who_resolve;
    opts->attribute = parley_who_attribute;
    opts->above = parley_who_above;
    opts->resolve_ctx = who;
}
