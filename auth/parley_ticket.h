/*
 * Tickets: a token for somebody who can show it only where others read, such
 * as in a URL.  A ticket is the token sealed by a secret, for one place and a
 * short while; who reads it learns nothing, and whoever opens it sees to it
 * that it is used once, by its nonce.
 *
 *     base64url(nonce || XChaCha20-Poly1305(expires || token))
 */

#ifndef PARLEY_TICKET_H
#define PARLEY_TICKET_H

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "core/parley_key.h"
#include "core/parley_str.h"


#define PARLEY_TICKET_NONCE  24     /* random octets */


typedef struct {
    parley_str_t  nonce;            /* PARLEY_TICKET_NONCE octets */
    parley_str_t  token;
    int64_t       expires;          /* milliseconds since 1970 */
} parley_ticket_t;


/* What t says, for that place, in the arena.  Returns 0, or -1: no memory. */
int parley_ticket_seal(parley_arena_t *arena,
    const uint8_t secret[PARLEY_KEY_SECRET], parley_str_t place,
    const parley_ticket_t *t, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Returns 0 and *ret, in the arena, which may have expired; or -1:
 * token-invalid, where it is not one that was sealed by that secret for that
 * place; or no memory.
 */
int parley_ticket_open(parley_arena_t *arena,
    const uint8_t secret[PARLEY_KEY_SECRET], parley_str_t place,
    parley_str_t text, parley_ticket_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_TICKET_H */
