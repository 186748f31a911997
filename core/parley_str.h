/*
 * A borrowed span of octets: not NUL-terminated, valid as long as its owner
 * keeps it.  Nothing here allocates.
 */

#ifndef PARLEY_STR_H
#define PARLEY_STR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>


typedef struct {
    const uint8_t  *data;
    size_t          len;
} parley_str_t;


#define parley_str(lit)   { (const uint8_t *) (lit), sizeof(lit) - 1 }
#define PARLEY_STR(lit)   ((parley_str_t) parley_str(lit))
#define parley_str_none   ((parley_str_t) { NULL, 0 })


/* Returns a span of len octets; data may be NULL if len is 0. */
static inline parley_str_t
parley_str_make(const void *data, size_t len)
{
    parley_str_t  s;

    s.data = data;
    s.len = len;

    return s;
}


/* Returns a span over a NUL-terminated string, which must outlive it. */
static inline parley_str_t
parley_str_c(const char *text)
{
    return parley_str_make(text, strlen(text));
}


/* Returns 8 unaligned octets in host order. */
static inline uint64_t
parley_octets_word(const uint8_t *p)
{
    uint64_t  word;

    memcpy(&word, p, 8);

    return word;
}


/* Returns 4 unaligned octets in host order. */
static inline uint32_t
parley_octets_half(const uint8_t *p)
{
    uint32_t  half;

    memcpy(&half, p, 4);

    return half;
}


/*
 * Above this length, memcmp() is cheaper than the loop.  With memcmp() for all
 * lengths, a request AEE to VCP takes 290 instructions more.
 */
#define PARLEY_OCTETS_FEW  32


/*
 * Returns whether n octets are equal; fast for short spans.  The last word
 * compared overlaps the one before.
 */
static inline int
parley_octets_same(const uint8_t *a, const uint8_t *b, size_t n)
{
    size_t  i;

    if (__builtin_constant_p(n) && n != 0) {
        return memcmp(a, b, n) == 0;
    }

    if (n >= 8) {
        for (i = 0; i < n - 8; i += 8) {
            if (parley_octets_word(a + i) != parley_octets_word(b + i)) {
                return 0;
            }
        }

        return parley_octets_word(a + n - 8) == parley_octets_word(b + n - 8);
    }

    if (n >= 4) {
        return parley_octets_half(a) == parley_octets_half(b)
               && parley_octets_half(a + n - 4)
                  == parley_octets_half(b + n - 4);
    }

    return n == 0
           || (a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1]);
}


/*
 * Copies n octets, short spans without a call, and returns the end of the
 * copy.
 */
static inline uint8_t *
parley_octets_copy(uint8_t *to, const uint8_t *from, size_t n)
{
    if ((__builtin_constant_p(n) && n != 0) || n > 16) {
        memcpy(to, from, n);

    } else if (n >= 8) {
        memcpy(to, from, 8);
        memcpy(to + n - 8, from + n - 8, 8);

    } else if (n >= 4) {
        memcpy(to, from, 4);
        memcpy(to + n - 4, from + n - 4, 4);

    } else if (n != 0) {
        to[0] = from[0];
        to[n / 2] = from[n / 2];
        to[n - 1] = from[n - 1];
    }

    return to + n;
}


/*
 * Zeroes n octets, some hundreds.  The empty asm hides n from GCC: for a known
 * size GCC emits "rep stos", which takes five times as long as the library's
 * memset().  From 2 KB on both are equally fast.
 */
static inline void
parley_octets_zero(void *p, size_t n)
{
    __asm__ ("" : "+r" (n));

    memset(p, 0, n);
}


static inline int
parley_str_eq(parley_str_t a, parley_str_t b)
{
    return a.len == b.len
           && ((b.len > PARLEY_OCTETS_FEW)
                   ? memcmp(a.data, b.data, b.len) == 0
                   : parley_octets_same(a.data, b.data, b.len));
}


/* Returns an ASCII letter in lower case, any other octet unchanged. */
static inline uint8_t
parley_lower(uint8_t c)
{
    return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}


/* Writes s.len octets, with ASCII letters in lower case; ret may be s.data. */
static inline void
parley_str_lower(parley_str_t s, uint8_t *ret)
{
    size_t  i;

    for (i = 0; i < s.len; i++) {
        ret[i] = parley_lower(s.data[i]);
    }
}


/* Returns whether an octet is an ASCII letter or a digit. */
static inline int
parley_is_alnum(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9');
}


/*
 * Compares, ignoring ASCII case.  Equal octets, the usual case, are found
 * first.
 */
static inline int
parley_str_eq_fold(parley_str_t a, parley_str_t b)
{
    size_t  i;

    if (a.len != b.len) {
        return 0;
    }

    if (parley_octets_same(a.data, b.data, a.len)) {
        return 1;
    }

    for (i = 0; i < a.len; i++) {
        if (parley_lower(a.data[i]) != parley_lower(b.data[i])) {
            return 0;
        }
    }

    return 1;
}


#define parley_str_is(s, lit)                                                 \
    ((s).len == sizeof(lit) - 1                                               \
     && memcmp((s).data, (lit), sizeof(lit) - 1) == 0)

#define parley_str_begins(s, lit)                                             \
    ((s).len >= sizeof(lit) - 1                                               \
     && memcmp((s).data, (lit), sizeof(lit) - 1) == 0)


/* Returns s without its first n octets; its empty end if s is shorter. */
static inline parley_str_t
parley_str_from(parley_str_t s, size_t n)
{
    if (n > s.len) {
        n = s.len;
    }

    return parley_str_make(s.data + n, s.len - n);
}


/* Returns the octets of s before its first c; all of s if it has no c. */
static inline parley_str_t
parley_str_until(parley_str_t s, uint8_t c)
{
    const uint8_t  *p;

    p = s.len > 0 ? memchr(s.data, c, s.len) : NULL;

    return p != NULL ? parley_str_make(s.data, (size_t) (p - s.data)) : s;
}


/*
 * Returns the next word of *rest, which spaces separate, and moves *rest behind
 * it.  The result is empty at the end of *rest.
 */
static inline parley_str_t
parley_str_word(parley_str_t *rest)
{
    parley_str_t  word;

    while (rest->len > 0 && rest->data[0] == ' ') {
        *rest = parley_str_from(*rest, 1);
    }

    word = parley_str_until(*rest, ' ');
    *rest = parley_str_from(*rest, word.len);

    return word;
}


#endif /* PARLEY_STR_H */
