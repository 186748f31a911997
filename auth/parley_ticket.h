/*
 * Tickets: a replacement of a token where others can read it, such as in a URL.
 * A ticket is the token sealed by a secret, for one place and a short period.
 * A reader of the ticket learns nothing about the token.  The caller of
 * parley_ticket_open() ensures that a ticket is used once, by its nonce.
 *
 *   base64url(nonce || XChaCha20-Poly1305(expires || token))
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


/*
 * Seals t for a place; *ret is in the arena.  Returns 0, or -1 if memory is
 * exhausted.
 */
int parley_ticket_seal(parley_arena_t *arena,
    const uint8_t secret[PARLEY_KEY_SECRET], parley_str_t place,
    const parley_ticket_t *t, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Opens a ticket; *ret is in the arena.  The caller checks ret->expires.
 * Returns 0, or -1: token-invalid if text was not sealed by that secret for
 * that place, or capacity if memory is exhausted.
 */
int parley_ticket_open(parley_arena_t *arena,
    const uint8_t secret[PARLEY_KEY_SECRET], parley_str_t place,
    parley_str_t text, parley_ticket_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_TICKET_H */
