/*
 * A span of octets that somebody else owns.  Nothing here allocates; the
 * octets need no terminating zero and live as long as their owner says.
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


static inline parley_str_t
parley_str_make(const void *data, size_t len)
{
    parley_str_t  s;

    s.data = data;
    s.len = len;

    return s;
}


/* a span over a C string, which must outlive it */
static inline parley_str_t
parley_str_c(const char *text)
{
    return parley_str_make(text, strlen(text));
}


static inline int
parley_str_eq(parley_str_t a, parley_str_t b)
{
    return a.len == b.len
           && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}


#define parley_str_is(s, lit)                                                 \
    ((s).len == sizeof(lit) - 1                                               \
     && memcmp((s).data, (lit), sizeof(lit) - 1) == 0)

#define parley_str_begins(s, lit)                                             \
    ((s).len >= sizeof(lit) - 1                                               \
     && memcmp((s).data, (lit), sizeof(lit) - 1) == 0)


/* what is left of s after its first n octets; n must not exceed s.len */
static inline parley_str_t
parley_str_from(parley_str_t s, size_t n)
{
    return parley_str_make(s.data + n, s.len - n);
}


#endif /* PARLEY_STR_H */
