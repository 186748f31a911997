#include "parley_digest.h"

#include <openssl/evp.h>
#include <sodium.h>


int
parley_sha256(parley_str_t s, uint8_t out[PARLEY_SHA256_LEN])
{
    unsigned int  len;

    len = PARLEY_SHA256_LEN;

    /* a span of no octets may have no address */

    if (EVP_Digest(s.len ? (const void *) s.data : "", s.len, out, &len,
                   EVP_sha256(), NULL)
        != 1)
    {
        memset(out, 0, PARLEY_SHA256_LEN);
        return -1;
    }

    return 0;
}


/*
 * For ids, which are short: EVP would fetch, lock and allocate, which costs
 * more than the digest itself.
 */

int
parley_sha256_parts(const parley_str_t *parts, size_t n,
    uint8_t out[PARLEY_SHA256_LEN])
{
    size_t                    i;
    crypto_hash_sha256_state  st;

    (void) crypto_hash_sha256_init(&st);

    for (i = 0; i < n; i++) {
        if (parts[i].len != 0) {
            (void) crypto_hash_sha256_update(&st, parts[i].data,
                                             parts[i].len);
        }
    }

    (void) crypto_hash_sha256_final(&st, out);

    return 0;
}


void
parley_hex(const uint8_t *data, size_t n, char *out)
{
    size_t  i;

    static const char  digits[] = "0123456789abcdef";

    for (i = 0; i < n; i++) {
        *out++ = digits[data[i] >> 4];
        *out++ = digits[data[i] & 0x0F];
    }

    *out = '\0';
}
