/*
 * What proved who it is that something is sent to, as far as it may be revoked
 * (SEC-16): asked about as long as there is something to be sent.
 */

#ifndef PARLEY_BEARER_H
#define PARLEY_BEARER_H

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "core/parley_str.h"


struct parley_settings_http_s;


typedef struct {
    parley_str_t  sub;          /* of the principal; empty: nobody is known */
    parley_str_t  author;       /* sub of the author, if sub is the surface
                                   that delivers; else empty */
    parley_str_t  actor;        /* who uses the token; empty: itself */
    parley_str_t  key_issuer;   /* of the key of the token; empty: any */
    parley_str_t  kid;
    parley_str_t  iss;          /* of the token */
    parley_str_t  jti;
    parley_str_t  sig_kid;      /* of the signature */
    unsigned      caller:1;     /* proven by a token or a certificate */
    unsigned      token:1;
    unsigned      sig:1;        /* proven by a signature */
} parley_bearer_t;


/*
 * Whether any of it is revoked by now.  Returns 0, or -1 with *err:
 * token-invalid, where a token or a certificate proved it; key-unknown, where a
 * signature did; policy-refused, where nothing did; capacity, where that cannot
 * be known.
 */
int parley_bearer_revoked(const struct parley_settings_http_s *http,
    const parley_bearer_t *b, parley_error_t *err)
    __attribute__((warn_unused_result));

/* A copy in one block of mem, with its texts.  NULL: no memory. */
parley_bearer_t *parley_bearer_copy(const parley_mem_t *mem,
    const parley_bearer_t *b);


#endif /* PARLEY_BEARER_H */
