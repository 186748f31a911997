/*
 * Checks the parties of an answer (SEC-08): it must come from the recipient of
 * the message, and go to its sender.  Each party may use the name that the
 * service was given, or another name of the party in the directory.
 */

#ifndef PARLEY_RESPONDER_CHECK_H
#define PARLEY_RESPONDER_CHECK_H

#include "translate/parley_codec_types.h"
#include "core/parley_error.h"
#include "translate/parley_msg.h"
#include "translate/parley_agent.h"
#include "core/parley_str.h"
#include "gate/party/parley_who.h"


/* the parties of a forwarded message, for the check of its answers */
typedef struct {
    parley_agents_t        agents;
    parley_agent_t         asker;       /* the sender; sub empty: unknown */
    parley_proto_t         wire;        /* protocol of the message */
    parley_proto_t         sent;        /* protocol in which it was forwarded,
                                           and in which it is answered */

    parley_str_t           sender;      /* name of the sender in wire; may be
                                           empty */
    parley_str_t           recipient;   /* name of the recipient in wire; may be
                                           empty */
    parley_str_t           sent_from;   /* their names in sent; empty: none */
    parley_str_t           sent_to;

    parley_str_t           gateway;     /* name of a gateway in front of the
                                           service that may report failures;
                                           empty: none */
    const parley_str_t    *self;        /* names of this gateway by protocol;
                                           NULL: none */
    unsigned               several:1;   /* the message has more than one
                                           responder */
    unsigned               sessions:1;  /* each session of a responder answers
                                           for itself */
} parley_bond_t;


/*
 * Makes the bond of the message at hand, which is forwarded in protocol sent.
 * answering is the message that it answers, or NULL.  The parley_who_t must
 * outlive the bond.  Strings of the bond are those of the message, the
 * directory or the arena.
 */
void parley_bond_init(parley_bond_t *bond, parley_who_t *who,
    const parley_msg_t *answering, parley_proto_t sent);

/*
 * Checks the sender and the recipient of m, an answer of the service in
 * protocol bond->sent.  A missing name is accepted.  Replaces other names of a
 * party by the name that the service was given.  Returns 0, or -1:
 * upstream-invalid, which names the member; capacity (no memory).
 */
int parley_responder_check(const parley_bond_t *bond, parley_msg_t *m,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Identifies the responder of m, as each responder has one answer.
 * *ret_principal is the sub of a listed principal, else a name.  *ret_session
 * is the session if each session answers for itself, else empty.
 */
void parley_responder_expected(const parley_bond_t *bond, const parley_msg_t *m,
    parley_str_t *ret_principal, parley_str_t *ret_session);

/*
 * Returns the sub of the principal that is listed under name, in proto or in
 * another protocol; name itself if it is not listed.
 */
parley_str_t parley_responder_principal(const parley_agents_t *agents,
    parley_proto_t proto, parley_str_t name);


#endif /* PARLEY_RESPONDER_CHECK_H */
