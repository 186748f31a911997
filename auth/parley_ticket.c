#include <string.h>

#include <sodium.h>

#include "core/parley_base64.h"
#include "auth/parley_ticket.h"


#define PARLEY_TICKET_TIME  8
#define PARLEY_TICKET_TAG   crypto_aead_xchacha20poly1305_ietf_ABYTES
#define PARLEY_TICKET_HEAD  (PARLEY_TICKET_NONCE + PARLEY_TICKET_TIME)


_Static_assert(PARLEY_TICKET_NONCE
               == crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
               "the nonce is the cipher's");


static void parley_ticket_key(const uint8_t secret[PARLEY_KEY_SECRET],
    uint8_t out[crypto_aead_xchacha20poly1305_ietf_KEYBYTES]);


int
parley_ticket_seal(parley_arena_t *arena,
    const uint8_t secret[PARLEY_KEY_SECRET], parley_str_t place,
    const parley_ticket_t *t, parley_str_t *ret)
{
    char      *text;
    size_t     i, len;
    uint8_t   *p, *plain;
    uint8_t    key[crypto_aead_xchacha20poly1305_ietf_KEYBYTES];

    len = PARLEY_TICKET_HEAD + t->token.len + PARLEY_TICKET_TAG;
    p = parley_arena_octets(arena, len);
    text = (char *) parley_arena_octets(arena, PARLEY_BASE64_ENCODED(len));

    if (p == NULL || text == NULL) {
        return -1;
    }

    memcpy(p, t->nonce.data, PARLEY_TICKET_NONCE);
    plain = p + PARLEY_TICKET_NONCE;

    for (i = 0; i < PARLEY_TICKET_TIME; i++) {
        plain[i] = (uint8_t) ((uint64_t) t->expires >> (8 * i));
    }

    memcpy(plain + PARLEY_TICKET_TIME, t->token.data, t->token.len);

    parley_ticket_key(secret, key);

    /* in place, which libsodium allows */

    (void) crypto_aead_xchacha20poly1305_ietf_encrypt(plain, NULL, plain,
               PARLEY_TICKET_TIME + t->token.len, place.data, place.len, NULL,
               p, key);

    sodium_memzero(key, sizeof(key));

    *ret = parley_str_make(text,
               parley_base64url_encode(parley_str_make(p, len), text));

    return 0;
}


int
parley_ticket_open(parley_arena_t *arena,
    const uint8_t secret[PARLEY_KEY_SECRET], parley_str_t place,
    parley_str_t text, parley_ticket_t *ret, parley_error_t *err)
{
    int        rc;
    size_t     i, len;
    uint8_t   *p, *plain;
    uint64_t   expires;
    uint8_t    key[crypto_aead_xchacha20poly1305_ietf_KEYBYTES];

    p = parley_arena_octets(arena, PARLEY_BASE64_DECODED(text.len));

    if (p == NULL) {
        return parley_error_memory(err);
    }

    if (parley_base64url_decode(text, p, &len) != 0
        || len <= PARLEY_TICKET_HEAD + PARLEY_TICKET_TAG)
    {
        return parley_error_set(err, PARLEY_E_TOKEN_INVALID, NULL,
                                "this is not a ticket");
    }

    plain = p + PARLEY_TICKET_NONCE;

    parley_ticket_key(secret, key);

    rc = crypto_aead_xchacha20poly1305_ietf_decrypt(plain, NULL, NULL, plain,
             len - PARLEY_TICKET_NONCE, place.data, place.len, p, key);

    sodium_memzero(key, sizeof(key));

    if (rc != 0) {
        return parley_error_set(err, PARLEY_E_TOKEN_INVALID, NULL,
                                "the ticket was issued for another location or "
                                "by another gateway");
    }

    expires = 0;

    for (i = 0; i < PARLEY_TICKET_TIME; i++) {
        expires |= (uint64_t) plain[i] << (8 * i);
    }

    ret->nonce = parley_str_make(p, PARLEY_TICKET_NONCE);
    ret->expires = (int64_t) expires;
    ret->token = parley_str_make(plain + PARLEY_TICKET_TIME,
                                 len - PARLEY_TICKET_HEAD - PARLEY_TICKET_TAG);

    return 0;
}


/* derives a key for tickets, since the secret also keys tables */

static void
parley_ticket_key(const uint8_t secret[PARLEY_KEY_SECRET],
    uint8_t out[crypto_aead_xchacha20poly1305_ietf_KEYBYTES])
{
    static const char  what[] = "parley ticket 1";

    (void) crypto_generichash(out, crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
                              (const uint8_t *) what, sizeof(what) - 1, secret,
                              PARLEY_KEY_SECRET);
}
