/*
 * The low-level API, deprecated but kept in OpenSSL 3: EVP fetches, locks and
 * allocates, which costs more than the digest of an id.  libsodium does not
 * use the processor's SHA instructions.
 */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "core/parley_digest.h"

#include <openssl/sha.h>


/* more than the input of any derived id */
#define PARLEY_DIGEST_FEW  192




int
parley_sha256(parley_str_t s, uint8_t out[PARLEY_SHA256_LEN])
{
    return parley_sha256_parts(&s, 1, out);
}


/* Short parts are gathered: one SHA256_Update() is cheaper than six. */
int
parley_sha256_parts(const parley_str_t *parts, size_t n,
    uint8_t out[PARLEY_SHA256_LEN])
{
    size_t      i, len;
    uint8_t     few[PARLEY_DIGEST_FEW];
    SHA256_CTX  st;

    if (SHA256_Init(&st) != 1) {
        goto failed;
    }

    len = 0;

    for (i = 0; i < n; i++) {
        if (parts[i].len <= sizeof(few) - len) {
            (void) parley_octets_copy(few + len, parts[i].data, parts[i].len);
            len += parts[i].len;
            continue;
        }

        if ((len != 0 && SHA256_Update(&st, few, len) != 1)
            || SHA256_Update(&st, parts[i].data, parts[i].len) != 1)
        {
            goto failed;
        }

        len = 0;
    }

    if ((len == 0 || SHA256_Update(&st, few, len) == 1)
        && SHA256_Final(out, &st) == 1)
    {
        return 0;
    }

failed:

    memset(out, 0, PARLEY_SHA256_LEN);

    return -1;
}


int
parley_sha1_parts(const parley_str_t *parts, size_t n,
    uint8_t out[PARLEY_SHA1_LEN])
{
    size_t   i;
    SHA_CTX  st;

    if (SHA1_Init(&st) != 1) {
        goto failed;
    }

    for (i = 0; i < n; i++) {
        if (SHA1_Update(&st, parts[i].data, parts[i].len) != 1) {
            goto failed;
        }
    }

    if (SHA1_Final(out, &st) == 1) {
        return 0;
    }

failed:

    memset(out, 0, PARLEY_SHA1_LEN);

    return -1;
}
