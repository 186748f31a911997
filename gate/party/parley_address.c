#include <string.h>

#include "gate/party/parley_address.h"
#include "translate/parley_agent.h"
#include "core/parley_buf.h"
#include "translate/parley_name.h"


static int parley_address_syntax(parley_arena_t *arena, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret);
static int parley_address_asker(parley_who_t *who, parley_str_t *ret);
static int parley_address_other(parley_arena_t *arena, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret);


/* protocols with a name that is an address, in order of preference */
static const parley_proto_t  parley_address_forms[] = {
    PARLEY_PROTO_STREAMS,
    PARLEY_PROTO_CANONICAL
};

#define PARLEY_ADDRESS_FORMS                                                  \
    (sizeof(parley_address_forms) / sizeof(parley_address_forms[0]))


int
parley_address_has(const parley_principal_t *p)
{
    unsigned  i;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (p->names[i].len > 0 && parley_proto_is_named((parley_proto_t) i)) {
            return 1;
        }
    }

    return parley_name_reads(PARLEY_PROTO_CANONICAL, p->sub);
}


int
parley_address_of(parley_arena_t *arena, const parley_principal_t *p,
    parley_str_t *ret)
{
    int              rc;
    unsigned         i;
    parley_agent_t   agent;
    parley_agents_t  agents;

    memset(&agents, 0, sizeof(parley_agents_t));

    agents.arena = arena;
    parley_who_as_agent(p, &agent);

    for (i = 0; i < PARLEY_ADDRESS_FORMS; i++) {
        rc = parley_agent_name(&agents, &agent, parley_address_forms[i], ret);

        if (rc != 1) {
            return rc;
        }
    }

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (p->names[i].len > 0 && parley_proto_is_named((parley_proto_t) i)) {
            return parley_address_other(arena, (parley_proto_t) i,
                                        p->names[i], ret);
        }
    }

    /* the sub of a principal without names is its name */

    return parley_name_reads(PARLEY_PROTO_CANONICAL, p->sub)
           ? parley_address_syntax(arena, PARLEY_PROTO_CANONICAL, p->sub, ret)
           : 1;
}


int
parley_address_named(parley_who_t *who, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret)
{
    parley_agent_t  agent;

    *ret = parley_str_none;

    if (name.len == 0 || name.len > PARLEY_NAME_MAX
        || parley_name_is_group(proto, name))
    {
        return 1;
    }

    if (parley_who_owner(who, proto, name, &agent)) {
        return parley_address_of(who->arena, agent.data, ret);
    }

    if (parley_who_is_asker(who, proto, name)) {
        return parley_address_asker(who, ret);
    }

    return parley_name_reads(proto, name)
           ? parley_address_syntax(who->arena, proto, name, ret) : 1;
}


int
parley_address_reader(parley_who_t *who, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret)
{
    int                        rc, asks;
    const parley_principal_t  *p;

    *ret = parley_str_none;
    asks = parley_who_is_asker(who, proto, name);

    rc = parley_who_account_reader(who, asks ? who->asker->wire : proto,
                                   asks ? who->asker->name : name, &p);
    if (rc != 0) {
        return rc;
    }

    if (p != NULL) {
        rc = parley_address_of(who->arena, p, ret);
    }

    return p != NULL && rc != 1 ? rc
           : parley_address_named(who, proto, name, ret);
}


/* A message without a sender is from the caller. */

int
parley_address_sender(parley_who_t *who, parley_str_t *ret)
{
    return who->msg->sender.len == 0 && who->principal != NULL
           ? parley_address_of(who->arena, who->principal, ret)
           : parley_address_reader(who, who->msg->wire, who->msg->sender, ret);
}


/* Finds the address of an asker that the directory does not list. */

static int
parley_address_asker(parley_who_t *who, parley_str_t *ret)
{
    const parley_who_asker_t  *asker;

    asker = who->asker;

    return parley_address_syntax(who->arena, asker->wire, asker->name, ret);
}


static int
parley_address_syntax(parley_arena_t *arena, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret)
{
    int       rc;
    unsigned  i;

    for (i = 0; i < PARLEY_ADDRESS_FORMS; i++) {
        rc = parley_name_map(arena, proto, name, parley_address_forms[i], ret);

        if (rc != 1) {
            return rc;
        }
    }

    return parley_address_other(arena, proto, name, ret);
}


static int
parley_address_other(parley_arena_t *arena, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, arena, name.len + 16);
    parley_buf_str(&b, parley_proto_member(proto));
    parley_buf_octet(&b, ' ');
    parley_buf_str(&b, name);

    return parley_buf_done(&b, ret);
}


const parley_principal_t *
parley_address_owner(const parley_directory_t *directory, parley_str_t address)
{
    unsigned      i;
    parley_str_t  member;

    if (directory == NULL || address.len == 0) {
        return NULL;
    }

    if (address.data[0] == '~') {
        return parley_directory_by_name(directory, PARLEY_NAMESPACE_HANDLE,
                                        address);
    }

    member = parley_str_until(address, ' ');

    if (member.len == address.len) {
        return parley_directory_by_name(directory,
                                        (parley_namespace_t)
                                        PARLEY_PROTO_CANONICAL, address);
    }

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (parley_str_eq(parley_proto_member((parley_proto_t) i), member)) {
            return parley_directory_by_name(directory, (parley_namespace_t) i,
                                            parley_str_from(address,
                                                            member.len + 1));
        }
    }

    return NULL;
}
