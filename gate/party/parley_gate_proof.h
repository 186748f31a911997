/* The part of parley_gate_t about the proof of the caller. */

#ifndef PARLEY_GATE_PROOF_H
#define PARLEY_GATE_PROOF_H

#include "auth/parley_principal.h"
#include "auth/parley_ticket.h"
#include "core/parley_key.h"
#include "state/parley_state.h"


struct parley_account_kept_s;   /* parley_account.h */
struct parley_certificate_s;    /* parley_certificate.h */
struct parley_jwt_rules_s;      /* parley_jwt.h */
struct parley_token_entry_s;    /* parley_token_cache.h */


typedef struct {
    struct parley_token_entry_s  *token;    /* entry held in the cache; NULL:
                                               none */
    struct parley_account_kept_s  *kept;    /* cached account of the token's
                                               subject, or NULL */
    parley_str_t                 shown;     /* token of the request, once found;
                                               empty: none */
    parley_ticket_t              ticket;    /* ticket that contained the token;
                                               empty nonce: no ticket */
    const struct parley_jwt_rules_s  *rules;    /* rules that the token was
                                                   checked by */
    const struct parley_certificate_s  *certificate;    /* certificate of the
                                                           client, if asked for;
                                                           NULL: none */
    const parley_principal_t    *holder;    /* owner of the certificate; NULL:
                                               unknown */
    parley_quota_t              *limits;    /* EXACT limits that the zone has
                                               counted; NULL: none */
    size_t                       nlimits;
    uint8_t                      account[PARLEY_KEY_LEN];
    parley_str_t                 account_sub;   /* subject of account, if
                                                   accounted */
    unsigned                     proven:1;  /* SIGNATURE passed */
    unsigned                     unproven:1;    /* refused because a proof
                                                   failed */
    unsigned                     renewed:1; /* PROOF verified the token, which
                                               was not cached */
    unsigned                     accounted:1;   /* account is set */
    unsigned                     uncounted:1;   /* the limit has no room to
                                                   count the message */
} parley_gate_proof_t;


#endif /* PARLEY_GATE_PROOF_H */
