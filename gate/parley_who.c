/* The directory, the proof and the message brought together. */

#include "parley_who.h"
#include "parley_name.h"


static int parley_who_find(void *data, parley_proto_t proto,
    parley_str_t name, parley_party_t *ret);
static int parley_who_owner(parley_who_t *who, parley_proto_t proto,
    parley_str_t name, parley_party_t *ret);
static int parley_who_ask(parley_who_t *who, parley_proto_t from,
    parley_str_t name, parley_proto_t to, parley_str_t *ret);


/* the two libraries number protocols alike */

_Static_assert((int) PARLEY_NAMESPACE_COUNT == (int) PARLEY_PROTO_COUNT,
               "a name space for each protocol");


void
parley_who_party(const parley_principal_t *principal, parley_party_t *ret)
{
    ret->sub = principal->sub;
    ret->parent = principal->parent;
    ret->names = principal->names;
    ret->data = principal;
}


void
parley_who_parties(parley_who_t *who, parley_parties_t *ret)
{
    ret->arena = who->arena;
    ret->find = parley_who_find;
    ret->ctx = who;
}


static int
parley_who_find(void *data, parley_proto_t proto, parley_str_t name,
    parley_party_t *ret)
{
    parley_who_t              *who = data;
    const parley_principal_t  *owner;

    if (who->directory == NULL) {
        return 0;
    }

    owner = parley_directory_by_name(who->directory,
                                     (parley_namespace_t) proto, name);
    if (owner == NULL) {
        return 0;
    }

    parley_who_party(owner, ret);

    return 1;
}


int
parley_who_sender(parley_who_t *who, int trusted, parley_error_t *err)
{
    parley_party_t    caller, sender;
    parley_parties_t  parties;

    parley_who_parties(who, &parties);

    if (who->principal != NULL) {
        parley_who_party(who->principal, &caller);
    }

    if (parley_party_sender(&parties, who->msg,
                            who->principal != NULL ? &caller : NULL, trusted,
                            &sender, err)
        != 0)
    {
        return -1;
    }

    who->principal = sender.data;

    return 0;
}


int
parley_who_direction(parley_who_t *who, parley_error_t *err)
{
    parley_party_t    sender;
    parley_parties_t  parties;

    parley_who_parties(who, &parties);

    if (who->principal != NULL) {
        parley_who_party(who->principal, &sender);
    }

    return parley_party_direction(&parties, who->msg,
                                  who->principal != NULL ? &sender : NULL,
                                  err);
}


parley_str_t
parley_who_proven(const parley_who_t *who)
{
    return who->principal != NULL && (who->jwt != NULL || who->sig_verified)
           ? who->principal->sub : parley_str_none;
}


parley_str_t
parley_who_name(parley_who_t *who, parley_proto_t proto)
{
    parley_str_t      name;
    parley_party_t    caller;
    parley_parties_t  parties;

    if (who->principal == NULL) {
        return parley_str_none;
    }

    parley_who_parties(who, &parties);
    parley_who_party(who->principal, &caller);

    (void) parley_party_name(&parties, &caller, proto, &name);

    return name;
}


/*
 * The message's own names are asked for again and again: by the encoder, for
 * the record of its origin, for the answer.  They are known by where they
 * stand, which holds as long as the message does.
 */

int
parley_who_resolve(void *data, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret)
{
    parley_who_t        *who = data;
    parley_who_known_t  *known;

    if (name.len > 0 && name.data == who->msg->sender.data) {
        known = &who->known[0];

    } else if (name.len > 0 && name.data == who->msg->recipient.data) {
        known = &who->known[1];

    } else {
        return parley_who_ask(who, from, name, to, ret);
    }

    if (known->name.data != name.data || known->name.len != name.len
        || known->from != from || known->to != to)
    {
        known->rc = parley_who_ask(who, from, name, to, &known->ret);
        known->name = name;
        known->from = from;
        known->to = to;
    }

    *ret = known->ret;

    return known->rc;
}


static int
parley_who_ask(parley_who_t *who, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret)
{
    parley_party_t    sender;
    parley_parties_t  parties;

    parley_who_parties(who, &parties);

    if (who->principal != NULL) {
        parley_who_party(who->principal, &sender);
    }

    return parley_party_resolve(&parties, who->msg,
                                who->principal != NULL ? &sender : NULL, from,
                                name, to, ret);
}


void
parley_who_attribute(void *data, parley_proto_t proto, parley_str_t name,
    parley_str_t *ret_human, parley_str_t *ret_instrument)
{
    parley_who_t    *who = data;
    parley_party_t   party;

    if (parley_who_find(who, proto, name, &party)) {
        parley_principal_actors(party.data, ret_human, ret_instrument);

    } else if (proto == who->msg->wire
               && (who->msg->sender.len == 0
                   || parley_str_eq(name, who->msg->sender)))
    {
        parley_principal_actors(who->principal, ret_human, ret_instrument);

    } else {
        parley_principal_actors(NULL, ret_human, ret_instrument);
    }
}


int
parley_who_above(void *data, parley_proto_t proto, parley_str_t name,
    parley_str_t other)
{
    int              known;
    parley_who_t    *who = data;
    parley_party_t   child, parent;

    known = parley_who_owner(who, proto, other, &parent);

    if (!parley_who_owner(who, proto, name, &child)) {
        return 0;
    }

    if (child.parent.len > 0) {
        return known && parley_str_eq(child.parent, parent.sub) ? 1 : -1;
    }

    return known && parley_str_eq(parent.parent, child.sub) ? -1 : 0;
}


/* Whose name it is, listed or by what it is in another protocol. */

static int
parley_who_owner(parley_who_t *who, parley_proto_t proto, parley_str_t name,
    parley_party_t *ret)
{
    unsigned      i;
    parley_str_t  image;

    if (parley_who_find(who, proto, name, ret)) {
        return 1;
    }

    if (who->principal != NULL && proto == who->msg->wire
        && parley_str_eq(name, who->msg->sender))
    {
        parley_who_party(who->principal, ret);
        return 1;
    }

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {

        if (i == PARLEY_PROTO_MOQ || i == proto
            || parley_name_map(who->arena, proto, name, (parley_proto_t) i,
                               &image)
               != 0
            || !parley_who_find(who, (parley_proto_t) i, image, ret))
        {
            continue;
        }

        /* a name of its own in this protocol is another one */

        if (ret->names[proto].len == 0) {
            return 1;
        }
    }

    return 0;
}


void
parley_who_opts(parley_who_t *who, parley_encode_opts_t *opts)
{
    opts->resolve = parley_who_resolve;
    opts->attribute = parley_who_attribute;
    opts->above = parley_who_above;
    opts->resolve_ctx = who;
}
