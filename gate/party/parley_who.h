/*
 * Who is who in a message: the directory, what proved its sender, and the
 * message itself brought together.  The libraries that know names (translate)
 * and principals (auth) do not know each other; this is where they meet.
 */

#ifndef PARLEY_WHO_H
#define PARLEY_WHO_H

#include "translate/parley_codec.h"
#include "auth/parley_directory.h"
#include "auth/parley_jwt.h"
#include "translate/parley_agent.h"
#include "auth/parley_principal.h"


/* a name of the message, and what was found out of it */
typedef struct {
    parley_str_t               name;        /* data NULL: none yet */
    parley_proto_t             from;
    unsigned                   sought:1;    /* owner was looked for */
    uint32_t                   asked;       /* what it is in these protocols
                                               was, a bit for each */
    const parley_principal_t  *owner;       /* of the directory; NULL: nobody */
    parley_str_t               rets[PARLEY_PROTO_COUNT];
    int8_t                     rcs[PARLEY_PROTO_COUNT];
} parley_who_known_t;


/*
 * The asker of the question that a message answers: the name by which the
 * message calls it, and its names as the question's record has them.  The
 * reader of a question may have been told a name that no directory lists, such
 * as that of a human's instrument.
 */
typedef struct {
    parley_str_t               told;        /* the message's recipient */
    parley_proto_t             wire;        /* that it asked in */
    parley_str_t               name;        /* its name there */
    parley_proto_t             sent;        /* that the question was sent in */
    parley_str_t               sent_name;   /* its name there, or empty */
} parley_who_asker_t;


/*
 * Of one message, which parley_who_about() names.  The arena, the message and
 * the directory, which the caller sets, outlive it; all else begins as zero.
 */
typedef struct {
    parley_arena_t            *arena;
    const parley_directory_t  *directory;       /* NULL: none */
    const parley_msg_t        *msg;

    const parley_principal_t  *principal;       /* who sent it; NULL: nobody
                                                   known */
    const parley_principal_t  *surface;         /* the proven caller, which
                                                   delivers it for an account
                                                   of principal (C2A-38);
                                                   NULL: principal sent it */
    parley_str_t               author;          /* principal's name then, in
                                                   the message's protocol */
    const parley_jwt_t        *jwt;             /* a verified token proves it;
                                                   NULL: none */
    parley_str_t               sig_kid;         /* the key that verified */
    unsigned                   sig_verified:1;  /* a signature proves it */
    unsigned                   certified:1;     /* a client certificate does */
    const parley_who_asker_t  *asker;           /* the recipient, where the
                                                   message answers it; NULL:
                                                   not known */

    parley_str_t               instrument;      /* of a published message, if
                                                   the directory has another
                                                   one for its sender */

    parley_who_known_t         known[2];        /* sender, recipient */
} parley_who_t;


/*
 * Makes msg, in arena, the message that who is about, and forgets what was
 * found out of the names of another.  Each message begins with this call:
 * names are recognised by their address, and an arena gives addresses again.
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


/* The principal as a party of messages. */
void parley_who_as_agent(const parley_principal_t *principal,
    parley_agent_t *ret);

/* Who asks for parties by name asks the directory. */
void parley_who_agents(parley_who_t *who, parley_agents_t *ret);

/*
 * GW-03: the claimed sender is the principal; who->principal becomes whoever
 * sent the message, which without a token a signature has yet to prove.
 * trusted: nobody need be known.  Returns 0, or -1: sender-identity-mismatch,
 * key-unknown.
 */
int parley_who_sender(parley_who_t *who, int trusted, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * C2A-38: finds the principal of the account that wrote the message, if the
 * proven caller is a surface of its platform and workspace, and sets
 * who->surface, who->author and who->principal.  Returns 1; 0: the message is
 * the caller's own; or -1: sender-identity-mismatch, identity-unmappable,
 * capacity.
 */
int parley_who_delivers(parley_who_t *who, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * C2A-38: finds the principal that gets the messages for an account: the one
 * that lists it, else the surface of its platform and workspace.  Returns 0
 * with *ret, which is NULL if name is not derived from an account of these; 1:
 * the account differs from a listed one in the case of letters only; or -1: no
 * memory.
 */
int parley_who_account_reader(const parley_who_t *who, parley_proto_t proto,
    parley_str_t name, const parley_principal_t **ret)
    __attribute__((warn_unused_result));

/* VCP-30.  Returns 0, or -1: direction-refused. */
int parley_who_direction(parley_who_t *who, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Whether a token or a certificate proves who calls, whatever the message
   says. */
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
 * The sub of who acts by the token for its subject (RFC 8693).  Returns 1; 0,
 * and *ret is empty: it is the subject itself; or -1: no memory.
 */
int parley_who_acts(parley_who_t *who, parley_str_t *ret);

/*
 * SEC-06: whether the party of that name in proto may give an approval that is
 * a human's to give: its name is a human's, in that protocol or another, and
 * neither does the directory list it as an instrument, nor is it the sender of
 * who->msg and an instrument wrote that.
 */
int parley_who_may_approve(parley_who_t *who, parley_proto_t proto,
    parley_str_t name);

/* The sub of whoever was proven to have sent the message; empty: nobody. */
parley_str_t parley_who_proven(const parley_who_t *who);

/*
 * The principal's name in a protocol, its own or one that maps; empty: it has
 * none, or there is no principal.
 */
parley_str_t parley_who_name(parley_who_t *who, parley_proto_t proto);

/*
 * Returns the instrument of the sender's session, or empty if the directory has
 * the same one for the sender.
 */
parley_str_t parley_who_drafts(parley_who_t *who);

/*
 * Returns whether a name is the recipient by which the message calls the asker
 * of what it answers.  A sender may have the same name: two principals may use
 * one instrument.
 */
static inline int
parley_who_is_asker(const parley_who_t *who, parley_proto_t from,
    parley_str_t name)
{
    return who->asker != NULL && name.len > 0 && from == who->msg->wire
           && name.data == who->msg->recipient.data
           && parley_str_eq(name, who->asker->told);
}

/* Finds the name of the asker in a protocol, as parley_who_resolve() does. */
int parley_who_asked(parley_who_t *who, parley_proto_t to, parley_str_t *ret);

/*
 * The listed principal whose question the message answers, where name is the
 * recipient by which the message calls it; else NULL.
 */
const parley_principal_t *parley_who_answered(const parley_who_t *who,
    parley_proto_t proto, parley_str_t name);

/*
 * Finds the principal that a name means, in the directory or as the sender of
 * who->msg.  Returns 1 and *ret, or 0.
 */
int parley_who_owner(parley_who_t *who, parley_proto_t proto,
    parley_str_t name, parley_agent_t *ret);

/* A parley_resolve_pt and a parley_attribute_pt; data is a parley_who_t. */
int parley_who_resolve(void *data, parley_proto_t from, parley_str_t name,
    parley_proto_t to, parley_str_t *ret);
void parley_who_attribute(void *data, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret_human, parley_str_t *ret_instrument);

/*
 * Fills what a submission, cleared but for its sender, says of that sender:
 * owner and author; human and instruments where the codec of the protocol has a
 * submit, which reads them.  Returns 0, or -1: no memory.
 */
int parley_who_submission(parley_who_t *who, parley_submission_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * The message's sender as it is named to a service in protocol to: by its
 * instrument's name, where it is that of m->author.  Empty: it has none.
 */
parley_str_t parley_who_told(parley_who_t *who, parley_proto_t to);

/* A parley_above_pt. */
int parley_who_above(void *data, parley_proto_t proto, parley_str_t name,
    parley_str_t other);

/* Sets these three in opts; who must outlive them. */
void parley_who_opts(parley_who_t *who, parley_encode_opts_t *opts);


#endif /* PARLEY_WHO_H */
