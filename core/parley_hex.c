#include <string.h>

#include "core/parley_hex.h"
#include "core/parley_str.h"


static uint64_t parley_hex_digits(uint32_t octets);


uint8_t *
parley_hex_write(uint8_t *out, const uint8_t *octets, size_t n)
{
    size_t    i;
    uint64_t  x;

    static const char  digits[] = "0123456789abcdef";

    for (i = 0; i + 4 <= n; i += 4, out += 8) {
        x = parley_hex_digits(parley_octets_half(octets + i));
        memcpy(out, &x, 8);
    }

    for ( /* void */ ; i < n; i++) {
        *out++ = (uint8_t) digits[octets[i] >> 4];
        *out++ = (uint8_t) digits[octets[i] & 0x0F];
    }

    return out;
}


void
parley_hex(const uint8_t *octets, size_t n, char *out)
{
    *parley_hex_write((uint8_t *) out, octets, n) = '\0';
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
