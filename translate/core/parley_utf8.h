/*
 * UTF-8 (RFC 3629), octet by octet, and the search for the octets that a JSON
 * string cannot hold as they are.  Inline: this is the innermost loop of the
 * reader and of every writer.
 */

#ifndef PARLEY_UTF8_H
#define PARLEY_UTF8_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif


#define PARLEY_UTF8_ONES   0x0101010101010101ULL
#define PARLEY_UTF8_HIGHS  0x8080808080808080ULL

#define parley_utf8_is_tail(c)   (((c) & 0xC0) == 0x80)


/*
 * Where the first octet stands that is no printable ASCII or is a quote or a
 * backslash; end if there is none.  Of eight octets the lowest one marked is
 * exact: a borrow can only mark octets behind a true one.
 */
static inline const uint8_t *
parley_utf8_plain(const uint8_t *p, const uint8_t *end)
{
    uint64_t  x, m;

#if defined(__SSE2__)

    int      mask;
    __m128i  v;

    /* as signed octets, all that is not ASCII is below the space too */

    while (end - p >= 16) {
        v = _mm_loadu_si128((const __m128i *) (const void *) p);

        mask = _mm_movemask_epi8(
                   _mm_or_si128(_mm_cmplt_epi8(v, _mm_set1_epi8(0x20)),
                   _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
                                _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')))));

        if (mask != 0) {
            return p + __builtin_ctz((unsigned) mask);
        }

        p += 16;
    }

#endif

    while (end - p >= 8) {
        memcpy(&x, p, 8);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        x = __builtin_bswap64(x);
#endif

        m = x
            | (x - PARLEY_UTF8_ONES * 0x20)
            | ((x ^ (PARLEY_UTF8_ONES * '"')) - PARLEY_UTF8_ONES)
            | ((x ^ (PARLEY_UTF8_ONES * '\\')) - PARLEY_UTF8_ONES);

        m &= PARLEY_UTF8_HIGHS;

        if (m != 0) {
            return p + (__builtin_ctzll(m) >> 3);
        }

        p += 8;
    }

    while (p < end && *p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\') {
        p++;
    }

    return p;
}


/*
 * The length of the well-formed sequence at p (p < end), 1 to 4, or 0:
 * overlong forms, surrogates and what lies above U+10FFFF are not well-formed.
 */
static inline size_t
parley_utf8_len(const uint8_t *p, const uint8_t *end)
{
    size_t   left;
    uint8_t  c;

    c = p[0];
    left = (size_t) (end - p);

    if (c < 0x80) {
        return 1;
    }

    if (c < 0xE0) {
        return (c >= 0xC2 && left >= 2 && parley_utf8_is_tail(p[1])) ? 2 : 0;
    }

    if (c < 0xF0) {
        if (left < 3 || !parley_utf8_is_tail(p[1])
            || !parley_utf8_is_tail(p[2])
            || (c == 0xE0 && p[1] < 0xA0) || (c == 0xED && p[1] > 0x9F))
        {
            return 0;
        }

        return 3;
    }

    if (c > 0xF4 || left < 4 || !parley_utf8_is_tail(p[1])
        || !parley_utf8_is_tail(p[2]) || !parley_utf8_is_tail(p[3])
        || (c == 0xF0 && p[1] < 0x90) || (c == 0xF4 && p[1] > 0x8F))
    {
        return 0;
    }

    return 4;
}


/* The code point of a well-formed sequence whose length is n. */
static inline uint32_t
parley_utf8_get(const uint8_t *p, size_t n)
{
    switch (n) {

    case 1:
        return p[0];

    case 2:
        return (uint32_t) (p[0] & 0x1F) << 6 | (p[1] & 0x3F);

    case 3:
        return (uint32_t) (p[0] & 0x0F) << 12 | (uint32_t) (p[1] & 0x3F) << 6
               | (p[2] & 0x3F);

    default:
        return (uint32_t) (p[0] & 0x07) << 18 | (uint32_t) (p[1] & 0x3F) << 12
               | (uint32_t) (p[2] & 0x3F) << 6 | (p[3] & 0x3F);
    }
}


/* Writes a code point (no surrogate) and returns its length. */
static inline size_t
parley_utf8_put(uint8_t out[4], uint32_t cp)
{
    if (cp < 0x80) {
        out[0] = (uint8_t) cp;
        return 1;
    }

    if (cp < 0x800) {
        out[0] = (uint8_t) (0xC0 | cp >> 6);
        out[1] = (uint8_t) (0x80 | (cp & 0x3F));
        return 2;
    }

    if (cp < 0x10000) {
        out[0] = (uint8_t) (0xE0 | cp >> 12);
        out[1] = (uint8_t) (0x80 | (cp >> 6 & 0x3F));
        out[2] = (uint8_t) (0x80 | (cp & 0x3F));
        return 3;
    }

    out[0] = (uint8_t) (0xF0 | cp >> 18);
    out[1] = (uint8_t) (0x80 | (cp >> 12 & 0x3F));
    out[2] = (uint8_t) (0x80 | (cp >> 6 & 0x3F));
    out[3] = (uint8_t) (0x80 | (cp & 0x3F));

    return 4;
}


#endif /* PARLEY_UTF8_H */
