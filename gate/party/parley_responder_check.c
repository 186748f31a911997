#include "gate/party/parley_responder_check.h"
#include "translate/parley_name.h"
#include "gate/settings/parley_reserved.h"
#include "translate/parley_msg_field.h"


/* a party of the message: its names in the protocols wire and sent */
typedef struct {
    parley_str_t           name;
    parley_str_t           sent;
    const parley_agent_t  *known;       /* its principal; NULL: look it up in
                                           the directory */
} parley_responder_side_t;


static parley_str_t parley_responder_name(parley_who_t *who, parley_str_t name,
    parley_proto_t sent);
static int parley_responder_from(const parley_bond_t *bond, parley_msg_t *m);
static int parley_responder_is_outside(const parley_bond_t *bond,
    parley_str_t name);
static int parley_responder_to(const parley_bond_t *bond, parley_msg_t *m);
static int parley_responder_is(const parley_bond_t *bond,
    const parley_responder_side_t *side, parley_str_t name);
static int parley_responder_is_agent(const parley_bond_t *bond,
    const parley_agent_t *agent, parley_str_t name);
static parley_responder_side_t parley_responder_asker(
    const parley_bond_t *bond);


void
parley_bond_init(parley_bond_t *bond, parley_who_t *who,
    const parley_msg_t *answering, parley_proto_t sent)
{
    const parley_msg_t  *m;

    m = who->msg;

    memset(bond, 0, sizeof(parley_bond_t));

    parley_who_agents(who, &bond->agents);

    if (who->principal != NULL) {
        parley_who_as_agent(who->principal, &bond->asker);
    }

    bond->wire = m->wire;
    bond->sent = sent;
    bond->sender = m->sender;
    bond->recipient = m->recipient;

    bond->sent_from = parley_who_told(who, sent);

    /*
     * a message without a recipient goes to the sender of the message that it
     * answers
     */

    bond->sent_to = m->recipient.len > 0 || answering == NULL
                    ? parley_responder_name(who, m->recipient, sent)
                    : answering->sender;

    bond->sessions = m->sessions;
    bond->several = m->sessions || parley_name_is_group(m->wire, m->recipient);
}


/* Returns a name as the service got it, or an empty string. */

static parley_str_t
parley_responder_name(parley_who_t *who, parley_str_t name, parley_proto_t sent)
{
    parley_str_t  ret;

    if (name.len == 0 || who->msg->wire == sent) {
        return name;
    }

    return parley_who_resolve(who, who->msg->wire, name, sent, &ret) == 1
           ? ret : parley_str_none;
}


int
parley_responder_check(const parley_bond_t *bond, parley_msg_t *m,
    parley_error_t *err)
{
    int  rc;

    rc = m->sender.len > 0 ? parley_responder_from(bond, m) : 1;

    if (rc < 0) {
        return parley_error_memory(err);
    }

    if (rc == 0) {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID,
                                parley_at(m, PARLEY_MSG_SENDER).pointer,
                                "the answer must be from the recipient of the "
                                "message");
    }

    if (m->recipient.len > 0 && !parley_responder_to(bond, m)) {
        return parley_error_set(err, PARLEY_E_UPSTREAM_INVALID,
                                parley_at(m, PARLEY_MSG_RECIPIENT).pointer,
                                "the answer must be to the sender of the "
                                "message");
    }

    return 0;
}


/* Checks the sender of an answer.  Returns 1, 0, or -1: no memory. */

static int
parley_responder_from(const parley_bond_t *bond, parley_msg_t *m)
{
    int                      rc;
    parley_responder_side_t  asked;

    asked.name = bond->recipient;
    asked.sent = bond->sent_to;
    asked.known = NULL;

    if (parley_responder_is(bond, &asked, m->sender)) {

        if (asked.sent.len > 0) {
            m->sender = asked.sent;
        }

        return 1;
    }

    /* any member of a group may answer a message to the group */

    if (parley_name_is_group(bond->wire, bond->recipient)
        || (bond->recipient.len == 0 && bond->sent_to.len == 0))
    {
        rc = parley_responder_is_outside(bond, m->sender);

        if (rc != 0) {
            return rc < 0 ? -1 : 0;
        }

        if (bond->self == NULL) {
            return 1;
        }

        rc = parley_reserved_like(bond->agents.arena, bond->sent, m->sender,
                                  bond->self);
        if (rc <= 0) {
            return rc < 0 ? -1 : 1;
        }
    }

    return (m->act == PARLEY_ACT_FAILURE || m->act == PARLEY_ACT_PROGRESS)
           && bond->gateway.len > 0 && parley_str_eq(m->sender, bond->gateway);
}


/*
 * Returns whether name is a name of the asker, or is read as one without being
 * listed for another principal.  The asker must not answer its own message to a
 * group.  Returns 1, 0, or -1: no memory.
 */

static int
parley_responder_is_outside(const parley_bond_t *bond, parley_str_t name)
{
    int                      rc;
    parley_str_t             names[PARLEY_PROTO_COUNT];
    parley_agent_t           owner;
    parley_responder_side_t  asker;

    asker = parley_responder_asker(bond);

    if (parley_responder_is(bond, &asker, name)) {
        return 1;
    }

    if (bond->agents.find(bond->agents.ctx, bond->sent, name, &owner)) {
        return 0;
    }

    memset(names, 0, sizeof(names));

    if (asker.known != NULL) {
        memcpy(names, asker.known->names, sizeof(names));

        rc = parley_reserved_like(bond->agents.arena, bond->sent, name,
                                  names);
        if (rc != 0) {
            return rc;
        }

        memset(names, 0, sizeof(names));
    }

    names[bond->sent] = asker.sent;
    names[bond->wire] = asker.name;

    return parley_reserved_like(bond->agents.arena, bond->sent, name, names);
}


static int
parley_responder_to(const parley_bond_t *bond, parley_msg_t *m)
{
    parley_responder_side_t  asker;

    /* the asker reads the answer in its conversation */

    if (parley_codecs[m->wire]->conversations
        && parley_name_is_group(m->wire, m->recipient))
    {
        return 1;
    }

    asker = parley_responder_asker(bond);

    if (asker.name.len == 0 && asker.sent.len == 0 && asker.known == NULL) {
        return 1;
    }

    if (!parley_responder_is(bond, &asker, m->recipient)) {
        return 0;
    }

    if (asker.sent.len > 0) {
        m->recipient = asker.sent;
    }

    return 1;
}


static parley_responder_side_t
parley_responder_asker(const parley_bond_t *bond)
{
    parley_responder_side_t  side;

    side.name = bond->sender;
    side.sent = bond->sent_from;
    side.known = bond->asker.sub.len > 0 ? &bond->asker : NULL;

    return side;
}


/*
 * Returns whether name, in protocol bond->sent, is a name of this party.  A
 * name that the directory lists belongs only to its principal.
 */

static int
parley_responder_is(const parley_bond_t *bond,
    const parley_responder_side_t *side, parley_str_t name)
{
    int             listed;
    parley_agent_t  agent, owner;

    if (side->sent.len > 0 && parley_str_eq(side->sent, name)) {
        return 1;
    }

    listed = bond->agents.find(bond->agents.ctx, bond->sent, name, &owner);

    if (side->known != NULL) {
        agent = *side->known;

    } else if (side->name.len == 0
               || !bond->agents.find(bond->agents.ctx, bond->wire,
                                     side->name, &agent))
    {
        return !listed && side->name.len > 0
               && parley_str_eq(side->name, name);
    }

    if (listed) {
        return parley_str_eq(owner.sub, agent.sub);
    }

    return parley_str_eq(side->name, name)
           || parley_responder_is_agent(bond, &agent, name);
}


/* Returns whether name is a listed name of agent, or maps from one. */

static int
parley_responder_is_agent(const parley_bond_t *bond,
    const parley_agent_t *agent, parley_str_t name)
{
    unsigned      i;
    parley_str_t  mapped;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (agent->names[i].len > 0 && parley_str_eq(agent->names[i], name)) {
            return 1;
        }
    }

    return parley_agent_name(&bond->agents, agent, bond->sent, &mapped) == 0
           && parley_str_eq(mapped, name);
}


void
parley_responder_expected(const parley_bond_t *bond, const parley_msg_t *m,
    parley_str_t *ret_principal, parley_str_t *ret_session)
{
    *ret_principal = parley_responder_principal(&bond->agents, bond->sent,
                                                m->sender.len > 0
                                                ? m->sender : bond->sent_to);
    *ret_session = bond->sessions ? m->session : parley_str_none;
}


parley_str_t
parley_responder_principal(const parley_agents_t *agents, parley_proto_t proto,
    parley_str_t name)
{
    unsigned        i;
    parley_agent_t  owner;

    if (agents->find(agents->ctx, proto, name, &owner)) {
        return owner.sub;
    }

    /* the name of another protocol means the same principal */

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (agents->find(agents->ctx, (parley_proto_t) i, name, &owner)) {
            return owner.sub;
        }
    }

    return name;
}
