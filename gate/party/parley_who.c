/* Combines the directory, the proof and the message. */

#include "translate/parley_agent.h"
#include "auth/parley_jwt.h"
#include "gate/party/parley_who_parts.h"
#include "auth/parley_actor.h"
#include "translate/parley_msg_field.h"
#include "translate/parley_name.h"


static int parley_who_refused(const parley_who_t *who, parley_error_t *err);
static int parley_who_others(const parley_who_t *who,
    const parley_principal_t *p);
static const parley_principal_t *parley_who_listed(const parley_who_t *who,
    parley_who_known_t *known, parley_proto_t proto, parley_str_t name);
static parley_who_known_t *parley_who_known(parley_who_t *who,
    parley_proto_t from, parley_str_t name);
static int parley_who_is_own_instrument(parley_who_t *who);
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


int
parley_who_find(void *data, parley_proto_t proto, parley_str_t name,
    parley_agent_t *ret)
{
    parley_who_t              *who = data;
    const parley_principal_t  *owner;

    owner = parley_who_listed(who, parley_who_known(who, proto, name), proto,
                              name);
    if (owner == NULL) {
        owner = parley_who_answered(who, proto, name);
    }

    if (owner == NULL) {
        return 0;
    }

    parley_who_as_agent(owner, ret);

    return 1;
}


/* Looks up a name.  known is the cache of a name of the message, or NULL. */

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
 * Returns the cached results of a name of the message, as the encoder, the
 * record of the origin and the answer look it up repeatedly.  The address of
 * the name identifies it, within one message.  Returns NULL if the name is not
 * one of the message's.
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
        if (!parley_who_is_own_instrument(who)) {
            return parley_who_refused(who, err);
        }

        parley_error_clear(err);

        parley_who_as_agent(who->principal, &sender);
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

    /*
     * a name in another protocol may depend on the principal; the owner does
     * not
     */

    who->known[0].asked = 0;
    who->known[1].asked = 0;

    return 0;
}


/* Tells a caller that the author of the event is not one of its accounts.
   Returns -1. */

static int
parley_who_refused(const parley_who_t *who, parley_error_t *err)
{
    parley_msg_account_t   account;
    const parley_codec_t  *codec;

    codec = parley_codecs[who->msg->wire];

    if (who->principal == NULL || codec->account == NULL
        || err->code != PARLEY_E_SENDER_IDENTITY_MISMATCH
        || codec->account(who->msg, &account) != 1)
    {
        return -1;
    }

    return parley_error_set(err, PARLEY_E_SENDER_IDENTITY_MISMATCH,
                            parley_at(who->msg, PARLEY_MSG_SENDER).pointer,
                            "the sender must be sub \"%.*s\": only a "
                            "principal with the source in \"surface\" may "
                            "deliver for its accounts",
                            who->principal->sub.len < 56
                            ? (int) who->principal->sub.len : 56,
                            (const char *) who->principal->sub.data);
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


/*
 * Returns whether the message is from the instrument of the proven caller.  The
 * sender's name must be the one that parley_name_translate() gives to messages
 * of the instrument, so that a translated message can come back.  It must not
 * be listed.  Only the principal itself may use it, not an actor of its token.
 */

static int
parley_who_is_own_instrument(parley_who_t *who)
{
    parley_str_t    name;
    parley_agent_t  owner;

    if (!parley_actor_is_instrument(who->principal)
        || (who->jwt != NULL && who->jwt->act != PARLEY_JSON_NONE)
        || parley_who_find(who, who->msg->wire, who->msg->sender, &owner)
        || parley_who_instrument(who, who->principal, &name) != 0)
    {
        return 0;
    }

    return parley_name_map(who->arena, PARLEY_PROTO_CANONICAL, name,
                           who->msg->wire, &name)
           == 0
           && parley_str_eq(name, who->msg->sender);
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

    if (parley_who_is_asker(who, from, name)) {
        return parley_who_asked(who, to, ret);
    }

    known = parley_who_known(who, from, name);

    if (known == NULL) {
        return parley_who_ask(who, from, name, to, ret);
    }

    /* the common case: a listed principal with a name in this protocol */

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


int
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


int
parley_who_asked(parley_who_t *who, parley_proto_t to, parley_str_t *ret)
{
    int                        rc;
    const parley_who_asker_t  *asker;

    asker = who->asker;

    if (asker->wire == to) {
        *ret = asker->name;
        return 1;
    }

    if (asker->sent == to && asker->sent_name.len > 0) {
        *ret = asker->sent_name;
        return 1;
    }

    /*
     * without the asker, as its name may also be the recipient of this message
     */

    who->asker = NULL;
    rc = parley_who_resolve(who, asker->wire, asker->name, to, ret);
    who->asker = asker;

    return rc;
}


const parley_principal_t *
parley_who_answered(const parley_who_t *who, parley_proto_t proto,
    parley_str_t name)
{
    return who->directory != NULL && parley_who_is_asker(who, proto, name)
           ? parley_directory_by_name(who->directory,
                                      (parley_namespace_t) who->asker->wire,
                                      who->asker->name)
           : NULL;
}
