/*
 * The parties of one message: combines the directory, the proofs of the sender
 * and the message.  translate/ knows names and auth/ knows principals, but
 * neither knows the other; this room connects them.
 */

#ifndef PARLEY_WHO_H
#define PARLEY_WHO_H

#include "translate/parley_codec_types.h"
#include "auth/parley_directory.h"
#include "auth/parley_principal.h"


struct parley_agent_s;          /* parley_agent.h */
struct parley_agents_s;
struct parley_jwt_s;            /* parley_jwt.h */


/* a name of the message, with cached results of look-ups */
typedef struct {
    parley_str_t               name;        /* data NULL: unused */
    parley_proto_t             from;
    unsigned                   sought:1;    /* owner was looked up */
    uint32_t                   asked;       /* protocols with a result in rets,
                                               bits of 1 << proto */
    const parley_principal_t  *owner;       /* principal of the directory; NULL:
                                               none */
    parley_str_t               rets[PARLEY_PROTO_COUNT];
    int8_t                     rcs[PARLEY_PROTO_COUNT];
} parley_who_known_t;


/*
 * The asker of the question that a message answers: the name by which the
 * message calls it, and its names in the question's record.  The reader of a
 * question may have got a name that the directory does not list, such as the
 * name of a human's instrument.
 */
typedef struct {
    parley_str_t               recipient;   /* the message's recipient */
    parley_proto_t             wire;        /* protocol of the question as it
                                               was asked */
    parley_str_t               name;        /* name of the asker in wire */
    parley_proto_t             sent;        /* protocol in which the question
                                               was sent */
    parley_str_t               sent_name;   /* name of the asker in sent, or
                                               empty */
} parley_who_asker_t;


/*
 * The parties of one message, which parley_who_about() sets.  The user sets the
 * arena and the directory, and zeroes all other members.  Both and the message
 * must outlive the structure.
 */
typedef struct {
    parley_arena_t            *arena;
    const parley_directory_t  *directory;       /* NULL: none */
    const parley_msg_t        *msg;

    const parley_principal_t  *principal;       /* sender; NULL: unknown */
    const parley_principal_t  *surface;         /* the proven caller, if it
                                                   delivers the message for an
                                                   account of principal
                                                   (C2A-38); NULL: the caller is
                                                   the principal */
    parley_str_t               author;          /* with surface: name of
                                                   principal in the message's
                                                   protocol */
    const struct parley_jwt_s  *jwt;            /* verified token of the caller;
                                                   NULL: none */
    parley_str_t               sig_kid;         /* key that verified the
                                                   signature */
    unsigned                   sig_verified:1;  /* a signature proves the
                                                   principal */
    unsigned                   certified:1;     /* a client certificate proves
                                                   the caller */
    const parley_who_asker_t  *asker;           /* recipient, if the message
                                                   answers its question; NULL:
                                                   unknown */

    parley_str_t               instrument;      /* instrument of a published
                                                   message, if the directory has
                                                   another one for its sender */

    parley_who_known_t         known[2];        /* sender, recipient */
} parley_who_t;


/*
 * Starts a message: sets msg and arena, and clears cached results of another
 * message.  Required for each message, as names are recognised by their
 * address, and an arena may reuse an address.
 */
static inline void
parley_who_about(parley_who_t *who, parley_arena_t *arena,
    const parley_msg_t *msg)
{
    who->arena = arena;
    who->msg = msg;
    who->known[0].name.data = NULL;
    who->known[1].name.data = NULL;
    who->asker = NULL;
}


/* Converts a principal to a party of messages. */
void parley_who_as_agent(const parley_principal_t *principal,
    struct parley_agent_s *ret);

/* Fills the callbacks that look up parties by name in the directory. */
void parley_who_agents(parley_who_t *who, struct parley_agents_s *ret);

/*
 * GW-03: checks that the claimed sender is the proven principal, and sets
 * principal to the sender.  Without a token, a signature must still prove it.
 * trusted: the sender may be unknown.  Returns 0, or -1:
 * sender-identity-mismatch, key-unknown.
 */
int parley_who_sender(parley_who_t *who, int trusted, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * C2A-38: finds the principal of the account that wrote the message, if the
 * proven caller is a surface of its platform and workspace.  Then sets surface,
 * author and principal.  Returns 1; 0 if the message is the caller's own; or
 * -1: sender-identity-mismatch, identity-unmappable, capacity.
 */
int parley_who_delivers(parley_who_t *who, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * C2A-38: finds the principal that gets the messages for an account: the one
 * that lists it, else the surface of its platform and workspace.  Returns 0
 * with *ret, which is NULL if name is not derived from an account of these; 1
 * if the account differs from a listed one only in the case of letters, or is
 * encoded in another way; or -1: no memory.
 */
int parley_who_account_reader(const parley_who_t *who, parley_proto_t proto,
    parley_str_t name, const parley_principal_t **ret)
    __attribute__((warn_unused_result));

/*
 * Writes the name of the account that a name is derived from, slack.T123.U9;
 * empty if there is none.  Returns 0, or -1: no memory.
 */
int parley_who_account_named(const parley_who_t *who, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * VCP-30: checks the direction of the message.  Returns 0, or -1:
 * direction-refused.
 */
int parley_who_direction(parley_who_t *who, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns whether a token or a certificate proves the caller, independently of
 * the message.
 */
static inline int
parley_who_is_caller(const parley_who_t *who)
{
    return who->jwt != NULL || who->certified;
}


/* Returns the sub of the surface that delivers the message, or empty. */
static inline parley_str_t
parley_who_surface(const parley_who_t *who)
{
    return who->surface != NULL ? who->surface->sub : parley_str_none;
}


/*
 * Finds the sub of the actor of the token (RFC 8693).  Returns 1; 0 with *ret
 * empty if the subject itself acts; or -1: no memory.
 */
int parley_who_acts(parley_who_t *who, parley_str_t *ret);

/*
 * SEC-06: returns whether the party with this name in proto may give an
 * approval that only a human may give.  The name must be a human's, in proto or
 * in another protocol.  The directory must not list the party as an instrument,
 * and no instrument may have written the message as its sender.
 */
int parley_who_may_approve(parley_who_t *who, parley_proto_t proto,
    parley_str_t name);

/* Returns the sub of the proven sender of the message, or empty. */
parley_str_t parley_who_proven(const parley_who_t *who);

/*
 * Returns the listed or derived name of the principal in a protocol; empty if
 * it has none, or if the principal is unknown.
 */
parley_str_t parley_who_name(parley_who_t *who, parley_proto_t proto);

/*
 * Returns the instrument of the sender's session, or empty if the directory
 * lists that instrument for the sender.
 */
parley_str_t parley_who_drafts(parley_who_t *who);

/*
 * Returns whether name is the recipient by which the message calls the asker of
 * the question that it answers.  A sender may have the same name, as two
 * principals may use one instrument.
 */
static inline int
parley_who_is_asker(const parley_who_t *who, parley_proto_t from,
    parley_str_t name)
{
    return who->asker != NULL && name.len > 0 && from == who->msg->wire
           && name.data == who->msg->recipient.data
           && parley_str_eq(name, who->asker->recipient);
}

/* Finds the name of the asker in a protocol, as parley_who_resolve() does. */
int parley_who_asked(parley_who_t *who, parley_proto_t to, parley_str_t *ret);

/*
 * Returns the listed principal that asked the question that the message
 * answers, if name is the recipient by which the message calls it; else NULL.
 */
const parley_principal_t *parley_who_answered(const parley_who_t *who,
    parley_proto_t proto, parley_str_t name);

/*
 * Finds the principal with a name, in the directory or as the sender of the
 * message.  Returns 1 and *ret, or 0.
 */
int parley_who_owner(parley_who_t *who, parley_proto_t proto,
    parley_str_t name, struct parley_agent_s *ret);

/* A parley_resolve_pt and a parley_attribute_pt; data is a parley_who_t. */
int parley_who_resolve(void *data, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret);
void parley_who_attribute(void *data, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret_human, parley_str_t *ret_instrument);

/*
 * Fills the submission's data about its sender; only ret->sender is set before.
 * Sets owner and author, and human and instruments if the codec of the protocol
 * has a submit.  Returns 0, or -1: no memory.
 */
int parley_who_submission(parley_who_t *who, parley_submission_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns the name of the message's sender for a service in protocol to: the
 * name of its instrument if m->author names one.  Empty: it has no name.
 */
parley_str_t parley_who_told(parley_who_t *who, parley_proto_t to);

/* A parley_above_pt. */
int parley_who_above(void *data, parley_proto_t proto, parley_str_t name,
    parley_str_t other);

/* Sets these three callbacks in opts; the parley_who_t must outlive opts. */
void parley_who_opts(parley_who_t *who, parley_encode_opts_t *opts);


#endif /* PARLEY_WHO_H */
