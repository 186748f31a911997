/*
 * The low-level API, deprecated but kept in OpenSSL 3: EVP fetches, locks and
 * allocates, which costs more than the digest of an id.  libsodium does not
 * use the processor's SHA instructions.
 */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "parley_digest.h"

#include <openssl/sha.h>


/* more than the input of any derived id */
#define PARLEY_DIGEST_FEW  192


static uint64_t parley_hex_digits(uint32_t octets);


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


void
parley_hex(const uint8_t *data, size_t n, char *out)
{
    size_t    i;
    uint64_t  x;

    static const char  digits[] = "0123456789abcdef";

    for (i = 0; i + 4 <= n; i += 4, out += 8) {
        x = parley_hex_digits(parley_octets_half(data + i));
        memcpy(out, &x, 8);
    }

    for ( /* void */ ; i < n; i++) {
        *out++ = digits[data[i] >> 4];
        *out++ = digits[data[i] & 0x0F];
    }

    *out = '\0';
}


/*
 * Converts four octets to eight digits in parallel, one per octet of a word;
 * both in memory order.
 */
static uint64_t
parley_hex_digits(uint32_t octets)
{
    uint64_t  x, letters;

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    octets = __builtin_bswap32(octets);
#endif

    x = octets;
    x = (x | x << 16) & 0x0000FFFF0000FFFFULL;
    x = (x | x << 8) & 0x00FF00FF00FF00FFULL;
    x = (x >> 4 | x << 8) & 0x0F0F0F0F0F0F0F0FULL;

    letters = (x + 0x0606060606060606ULL) >> 4 & 0x0101010101010101ULL;
    x += 0x3030303030303030ULL + letters * ('a' - '0' - 10);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif

    return x;
}
