/*
 * UTF-8 (RFC 3629), and the scan for octets that a JSON string cannot hold
 * verbatim, or that names must not have.  Inline: the innermost loop of the
 * reader and of every writer.
 */

#ifndef PARLEY_UTF8_H
#define PARLEY_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_str.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif


#define PARLEY_UTF8_ONES   0x0101010101010101ULL
#define PARLEY_UTF8_HIGHS  0x8080808080808080ULL

#define parley_utf8_is_tail(c)   (((c) & 0xC0) == 0x80)


/*
 * Returns a word in which bit 7 of an octet is set if that octet of x is not
 * plain; the first octet in memory is the lowest.  Plain octets are 0x20 to
 * 0x7E except the quote and the backslash.  Only the lowest mark is exact: a
 * borrow can set marks above a true one.
 */
static inline uint64_t
parley_utf8_marks(uint64_t x)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif

    return (x
            | (x - PARLEY_UTF8_ONES * 0x20)
            | ((x ^ (PARLEY_UTF8_ONES * 0x7F)) - PARLEY_UTF8_ONES)
            | ((x ^ (PARLEY_UTF8_ONES * '"')) - PARLEY_UTF8_ONES)
            | ((x ^ (PARLEY_UTF8_ONES * '\\')) - PARLEY_UTF8_ONES))
           & PARLEY_UTF8_HIGHS;
}


#if defined(__SSE2__)

/* As parley_utf8_marks(), for sixteen octets; returns one bit for each. */
static inline unsigned
parley_utf8_bits(const uint8_t *p)
{
    __m128i  v;

    /* as signed octets, non-ASCII is below the space; adding one moves DEL
       there too */

    v = _mm_loadu_si128((const __m128i *) (const void *) p);

    return (unsigned) _mm_movemask_epi8(
               _mm_or_si128(_mm_cmplt_epi8(_mm_add_epi8(v, _mm_set1_epi8(1)),
                                           _mm_set1_epi8(0x21)),
               _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
                            _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')))));
}

#endif


/* As parley_utf8_plain(), for fewer than 16 octets. */
static inline const uint8_t *
parley_utf8_plain_few(const uint8_t *p, const uint8_t *end)
{
    uint8_t   few[8] = { 0 };
    uint64_t  m;

    if (end - p >= 8) {
        m = parley_utf8_marks(parley_octets_word(p));

        if (m != 0) {
            return p + (__builtin_ctzll(m) >> 3);
        }

        p += 8;
    }

    /* the zero padding is not plain and ends the scan */

    (void) parley_octets_copy(few, p, (size_t) (end - p) & 7);

    m = parley_utf8_marks(parley_octets_word(few));

    return p + (__builtin_ctzll(m) >> 3);
}


/* Returns the first octet that is not plain, or end. */
static inline __attribute__((always_inline)) const uint8_t *
parley_utf8_plain(const uint8_t *p, const uint8_t *end)
{
#if defined(__SSE2__)

    unsigned  bits;

    for ( /* void */ ; end - p >= 16; p += 16) {
        bits = parley_utf8_bits(p);

        if (bits != 0) {
            return p + __builtin_ctz(bits);
        }
    }

#else

    uint64_t  m;

    for ( /* void */ ; end - p >= 16; p += 8) {
        m = parley_utf8_marks(parley_octets_word(p));

        if (m != 0) {
            return p + (__builtin_ctzll(m) >> 3);
        }
    }

#endif

    return parley_utf8_plain_few(p, end);
}


/* Returns whether 1 to 15 octets are all plain. */
static inline int
parley_utf8_is_plain(const uint8_t *p, size_t n)
{
    if (n >= 8) {
        return (parley_utf8_marks(parley_octets_word(p))
                | parley_utf8_marks(parley_octets_word(p + n - 8))) == 0;
    }

    if (n >= 4) {
        return parley_utf8_marks(parley_octets_half(p)
                   | (uint64_t) parley_octets_half(p + n - 4) << 32) == 0;
    }

    return parley_utf8_marks((PARLEY_UTF8_ONES * ' ' & ~0xFFFFFFULL)
                             | p[0] | (uint64_t) p[n / 2] << 8
                             | (uint64_t) p[n - 1] << 16) == 0;
}


/* As parley_utf8_plain_copy(), without its fast paths. */
static __attribute__((noinline, unused)) const uint8_t *
parley_utf8_plain_part(const uint8_t *p, const uint8_t *end, uint8_t *out)
{
    const uint8_t  *q;

    q = parley_utf8_plain(p, end);
    (void) parley_octets_copy(out, p, (size_t) (q - p));

    return q;
}


/*
 * Returns parley_utf8_plain(p, end), where p < end, and copies the octets
 * before the result to out, which has room for end - p octets; those after the
 * copy are undefined.  The last sixteen overlap those before.
 */
static inline const uint8_t *
parley_utf8_plain_copy(const uint8_t *p, const uint8_t *end, uint8_t *out)
{
    size_t  n;

#if defined(__SSE2__)

    unsigned        bits;
    const uint8_t  *q;

    if (end - p >= 16) {
        for ( /* void */ ; end - p > 16; p += 16, out += 16) {
            bits = parley_utf8_bits(p);
            memcpy(out, p, 16);

            if (bits != 0) {
                return p + __builtin_ctz(bits);
            }
        }

        q = end - 16;
        bits = parley_utf8_bits(q);
        memcpy(out - (p - q), q, 16);

        return (bits != 0) ? q + __builtin_ctz(bits) : end;
    }

#endif

    n = (size_t) (end - p);

    if (n < 16 && parley_utf8_is_plain(p, n)) {
        (void) parley_octets_copy(out, p, n);
        return end;
    }

    return parley_utf8_plain_part(p, end, out);
}


/* As parley_utf8_len(), for fewer than four octets. */
static inline size_t
parley_utf8_len_few(const uint8_t *p, const uint8_t *end)
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

    return (c < 0xF0 && left == 3 && parley_utf8_is_tail(p[1])
            && parley_utf8_is_tail(p[2])
            && (c != 0xE0 || p[1] >= 0xA0) && (c != 0xED || p[1] <= 0x9F))
               ? 3 : 0;
}


/* Returns four octets, the first lowest. */
static inline uint32_t
parley_utf8_four(const uint8_t *p)
{
    uint32_t  x;

    x = parley_octets_half(p);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap32(x);
#endif

    return x;
}


/*
 * Return whether four octets begin with a well-formed sequence of two, three or
 * four octets: not overlong, not a surrogate, not above U+10FFFF.
 */
#define parley_utf8_is_two(x)                                                 \
    (((x) & 0xC0E0) == 0x80C0 && ((x) & 0x1E) != 0)

#define parley_utf8_is_three(x)                                               \
    (((x) & 0xC0C0F0) == 0x8080E0                                             \
     && ((x) & 0x200F) != 0 && ((x) & 0x200F) != 0x200D)

#define parley_utf8_is_four(x)                                                \
    (((x) & 0xC0C0C000) == 0x80808000                                         \
     && __builtin_bswap32(x) - 0xF0900000 < 0x04000000)


/*
 * Returns the length, 1 to 4, of the well-formed sequence at p (p < end), or 0
 * for overlong forms, surrogates and anything above U+10FFFF.
 */
static inline size_t
parley_utf8_len(const uint8_t *p, const uint8_t *end)
{
    uint32_t  x;

    if (end - p < 4) {
        return parley_utf8_len_few(p, end);
    }

    x = parley_utf8_four(p);

    return (x & 0x80) == 0 ? 1 : parley_utf8_is_two(x) ? 2
           : parley_utf8_is_three(x) ? 3 : parley_utf8_is_four(x) ? 4 : 0;
}


/* Returns the code point of a well-formed sequence of n octets. */
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


/*
 * Returns whether cp is a noncharacter: U+FDD0 to U+FDEF or the last two code
 * points of a plane.  I-JSON strings have none (RFC 7493 section 2.1).
 */
static inline int
parley_utf8_is_noncharacter(uint32_t cp)
{
    return (cp & 0xFFFE) == 0xFFFE || cp - 0xFDD0 < 0x20;
}


/*
 * Returns the end of the well-formed non-ASCII sequences at p, stopping at
 * noncharacters, and adds their octets less their code points to *surplus.  In
 * the masks: only sequences starting with EF B7 or EF BF, or with the third
 * octet BF after a second ending in F, can be noncharacters.
 */
static inline const uint8_t *
parley_utf8_run(const uint8_t *p, const uint8_t *end, uint32_t *surplus)
{
    size_t          n;
    uint32_t        x, runes;
    const uint8_t  *start;

    start = p;

    for (runes = 0; end - p >= 4; runes++) {
        x = parley_utf8_four(p);

        if (parley_utf8_is_three(x)) {
            if ((x & 0xF7FF) == 0xB7EF
                && parley_utf8_is_noncharacter(parley_utf8_get(p, 3)))
            {
                break;
            }

            p += 3;

        } else if (parley_utf8_is_two(x)) {
            p += 2;

        } else if (parley_utf8_is_four(x)) {
            if ((x & 0xFF0F00) == 0xBF0F00
                && parley_utf8_is_noncharacter(parley_utf8_get(p, 4)))
            {
                break;
            }

            p += 4;

        } else {
            break;
        }
    }

    while (p < end && *p >= 0x80) {
        n = parley_utf8_len(p, end);

        if (n == 0 || parley_utf8_is_noncharacter(parley_utf8_get(p, n))) {
            break;
        }

        p += n;
        runes++;
    }

    *surplus += (uint32_t) (p - start) - runes;

    return p;
}


/* Writes a code point that is not a surrogate and returns its length. */
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
