/*
 * The proofs of a receiver of messages that can be revoked (SEC-16).  They are
 * checked again before each message is sent to this receiver.
 */

#ifndef PARLEY_BEARER_H
#define PARLEY_BEARER_H

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "core/parley_str.h"


struct parley_settings_http_s;


typedef struct parley_bearer_s {
    parley_str_t  sub;          /* sub of the principal; empty: unknown */
    parley_str_t  author;       /* sub of the author, if sub is the surface that
                                   delivers; else empty */
    parley_str_t  actor;        /* sub of the actor of the token (RFC 8693);
                                   empty: the subject itself */
    parley_str_t  key_issuer;   /* issuer of the token's key; empty: any */
    parley_str_t  kid;
    parley_str_t  iss;          /* issuer of the token */
    parley_str_t  jti;
    parley_str_t  sig_kid;      /* key of the signature */
    unsigned      caller:1;     /* a token or a certificate proves sub */
    unsigned      token:1;
    unsigned      sig:1;        /* a signature proves sub */
} parley_bearer_t;


/*
 * Checks whether a proof or a principal is revoked now.  Returns 0, or -1 with
 * *err: token-invalid for a token or a certificate; key-unknown for a
 * signature; policy-refused for an author, or for a sender without proof;
 * capacity if the list cannot be read.
 */
int parley_bearer_revoked(const struct parley_settings_http_s *http,
    const parley_bearer_t *b, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Copies *b with its texts into one block of mem.  Returns NULL if memory is
 * exhausted.
 */
parley_bearer_t *parley_bearer_copy(const parley_mem_t *mem,
    const parley_bearer_t *b);


#endif /* PARLEY_BEARER_H */
