/*
 * Who may answer a message (SEC-08): an answer is from whom the message was
 * for, to whom it was from.  Both are known by the names that the service was
 * told, and by any other that the directory has for them.
 */

#ifndef PARLEY_RESPONDER_CHECK_H
#define PARLEY_RESPONDER_CHECK_H

#include "translate/parley_codec.h"
#include "core/parley_error.h"
#include "translate/parley_msg.h"
#include "translate/parley_agent.h"
#include "core/parley_str.h"
#include "gate/party/parley_who.h"


/* the parties of a message that was sent on, as its answers see them */
typedef struct {
    parley_agents_t        agents;
    parley_agent_t         asker;       /* who sent it; no sub: nobody known */
    parley_proto_t         wire;        /* of the message */
    parley_proto_t         sent;        /* as it was sent on, and answered */

    parley_str_t           sender;      /* by its names in wire; empty: it */
    parley_str_t           recipient;   /* names nobody */
    parley_str_t           sent_from;   /* and in sent; empty: there is none */
    parley_str_t           sent_to;

    parley_str_t           gateway;     /* the name of the gateway that the
                                           service is behind, whose failures
                                           count; empty: none */
    const parley_str_t    *self;        /* names of this one, by
                                           protocol; NULL: none */
    unsigned               several:1;   /* it is for more than one responder */
    unsigned               sessions:1;  /* each session of them is one */
} parley_bond_t;


/*
 * The bond of who->msg, which goes on in protocol sent; answering: the message
 * that it answers itself, or NULL.  who outlives it; spans are the message's,
 * the directory's or who->arena's.
 */
void parley_bond_init(parley_bond_t *bond, parley_who_t *who,
    const parley_msg_t *answering, parley_proto_t sent);

/*
 * Whether m, in protocol bond->sent, which came in the response to what was
 * sent on, comes from and goes to whom it has to; names that it leaves out are
 * theirs.  Those that it has become the ones that the service was told, for the
 * caller.  Returns 0, or -1: upstream-invalid, naming the member; capacity (no
 * memory).
 */
int parley_responder_check(const parley_bond_t *bond, parley_msg_t *m,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Who has answered, for the one answer that each responder has: the sub of a
 * listed principal, else its name; and its session, where sessions count.
 */
void parley_responder_expected(const parley_bond_t *bond, const parley_msg_t *m,
    parley_str_t *ret_principal, parley_str_t *ret_session);

/* The sub of a listed principal by any of its names, proto's first; else the
   name itself. */
parley_str_t parley_responder_principal(const parley_agents_t *agents,
    parley_proto_t proto, parley_str_t name);


#endif /* PARLEY_RESPONDER_CHECK_H */
