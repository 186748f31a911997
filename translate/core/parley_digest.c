/*
 * Not EVP, which fetches, locks and allocates: that costs more than the digest
 * of an id.  What OpenSSL 3 calls deprecated here it keeps, and it has the
 * processor's own instructions, which libsodium has not.
 */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "parley_digest.h"

#include <openssl/sha.h>


int
parley_sha256(parley_str_t s, uint8_t out[PARLEY_SHA256_LEN])
{
    return parley_sha256_parts(&s, 1, out);
}


int
parley_sha256_parts(const parley_str_t *parts, size_t n,
    uint8_t out[PARLEY_SHA256_LEN])
{
    size_t      i;
    SHA256_CTX  st;

    if (SHA256_Init(&st) != 1) {
        goto failed;
    }

    for (i = 0; i < n; i++) {

        /* a span of no octets may have no address */

        if (parts[i].len != 0
            && SHA256_Update(&st, parts[i].data, parts[i].len) != 1)
        {
            goto failed;
        }
    }

    if (SHA256_Final(out, &st) == 1) {
        return 0;
    }

failed:

    memset(out, 0, PARLEY_SHA256_LEN);

    return -1;
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
