/*
 * The low-level API, deprecated but kept in OpenSSL 3: EVP fetches, locks and
 * allocates, which costs more than the digest of an id.  libsodium does not
 * use the processor's SHA instructions.
 */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "core/parley_digest.h"

#include <endian.h>

#include <openssl/sha.h>


/* more than the input of any derived id; whole blocks */
#define PARLEY_DIGEST_FEW    192

#define PARLEY_SHA256_BLOCK  64

/* the octet 0x80 and the length in bits, after the input */
#define PARLEY_SHA256_END    9


static int parley_sha256_few(uint8_t few[PARLEY_DIGEST_FEW], size_t len,
    uint8_t out[PARLEY_SHA256_LEN]);
static int parley_sha256_many(const parley_str_t *parts, size_t n,
    uint8_t out[PARLEY_SHA256_LEN]);


int
parley_sha256(parley_str_t s, uint8_t out[PARLEY_SHA256_LEN])
{
    return parley_sha256_parts(&s, 1, out);
}


int
parley_sha256_parts(const parley_str_t *parts, size_t n,
    uint8_t out[PARLEY_SHA256_LEN])
{
    int      rc;
    size_t   i, left;
    uint8_t  few[PARLEY_DIGEST_FEW], *p;

    p = few;
    left = sizeof(few) - PARLEY_SHA256_END;

    for (i = 0; i < n && parts[i].len <= left; i++) {
        p = parley_octets_copy(p, parts[i].data, parts[i].len);
        left -= parts[i].len;
    }

    rc = i == n ? parley_sha256_few(few, (size_t) (p - few), out)
                : parley_sha256_many(parts, n, out);

    if (rc != 0) {
        memset(out, 0, PARLEY_SHA256_LEN);
    }

    return rc;
}


/*
 * Pads the input here, so that one SHA256_Update() gets all blocks: OpenSSL's
 * code for AVX2 expands two blocks at a time, and SHA256_Final() would hash the
 * last block alone.
 */

static int
parley_sha256_few(uint8_t few[PARLEY_DIGEST_FEW], size_t len,
    uint8_t out[PARLEY_SHA256_LEN])
{
    size_t      i, size;
    uint32_t    word;
    uint64_t    bits;
    SHA256_CTX  st;

    size = (len + PARLEY_SHA256_END + PARLEY_SHA256_BLOCK - 1)
           & ~(size_t) (PARLEY_SHA256_BLOCK - 1);
    bits = htobe64((uint64_t) len * 8);

    few[len] = 0x80;
    memset(few + len + 1, 0, size - len - PARLEY_SHA256_END);
    memcpy(few + size - sizeof(bits), &bits, sizeof(bits));

    if (SHA256_Init(&st) != 1 || SHA256_Update(&st, few, size) != 1) {
        return -1;
    }

    for (i = 0; i < PARLEY_SHA256_LEN / sizeof(word); i++) {
        word = htobe32((uint32_t) st.h[i]);
        memcpy(out + i * sizeof(word), &word, sizeof(word));
    }

    return 0;
}


static int
parley_sha256_many(const parley_str_t *parts, size_t n,
    uint8_t out[PARLEY_SHA256_LEN])
{
    size_t      i;
    SHA256_CTX  st;

    if (SHA256_Init(&st) != 1) {
        return -1;
    }

    for (i = 0; i < n; i++) {
        if (SHA256_Update(&st, parts[i].data, parts[i].len) != 1) {
            return -1;
        }
    }

    return SHA256_Final(out, &st) == 1 ? 0 : -1;
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
