/*
 * An output buffer that grows in an arena.  A failed allocation is sticky:
 * writers return nothing, the caller checks parley_buf_done() once.
 */

#ifndef PARLEY_BUF_H
#define PARLEY_BUF_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_arena.h"
#include "core/parley_json.h"
#include "core/parley_str.h"


typedef struct {
    parley_arena_t  *arena;
    uint8_t         *data;
    size_t           len;
    size_t           size;
    unsigned         failed:1;
} parley_buf_t;


#define PARLEY_BUF_LITERAL  64      /* longest put that is inlined */


/*
 * Makes b empty with room for size octets, 0 for 256.  arena is borrowed and
 * must outlive b.
 */
void parley_buf_init(parley_buf_t *b, parley_arena_t *arena, size_t size);

/* Appends n in decimal. */
void parley_buf_int(parley_buf_t *b, int64_t n);

/* The out-of-line form of parley_buf_put(). */
void parley_buf_octets(parley_buf_t *b, const uint8_t *data, size_t len);


/* Appends len octets; data may be NULL if len is 0. */
static inline void
parley_buf_put(parley_buf_t *b, const void *data, size_t len)
{
    if (!__builtin_constant_p(len) || len == 0 || len > PARLEY_BUF_LITERAL
        || len > b->size - b->len)
    {
        parley_buf_octets(b, data, len);
        return;
    }

    memcpy(b->data + b->len, data, len);
    b->len += len;
}


/* Appends one octet. */
static inline void
parley_buf_octet(parley_buf_t *b, uint8_t c)
{
    if (b->len == b->size) {
        parley_buf_octets(b, &c, 1);
        return;
    }

    b->data[b->len++] = c;
}


#define parley_buf_lit(b, lit)   parley_buf_put((b), (lit), sizeof(lit) - 1)
#define parley_buf_str(b, s)     parley_buf_put((b), (s).data, (s).len)

/*
 * Appends s as a JSON string with its quotes, escaped as RFC 8785 section
 * 3.2.2.2 requires and no further.  s should be UTF-8: invalid octets and
 * those of noncharacters become U+FFFD, so that parley_json_read() accepts the
 * result.
 */
void parley_buf_json_string(parley_buf_t *b, parley_str_t s);

/* As parley_buf_json_string(), without the quotes. */
void parley_buf_json_text(parley_buf_t *b, parley_str_t s);

/*
 * Appends "name": and, unless b is empty or ends in '{', a comma before it.
 * name must be ASCII without characters that need an escape.
 */
void parley_buf_name(parley_buf_t *b, parley_str_t name);

/* Appends a member by parley_buf_name() and parley_buf_json_string(). */
void parley_buf_member(parley_buf_t *b, parley_str_t name,
    parley_str_t value);

/*
 * Appends the raw octets of a value of a document; appends nothing if the value
 * is absent.
 */
void parley_buf_value(parley_buf_t *b, parley_json_ref_t ref);

/*
 * Finishes the buffer.  Returns 0 with the octets in *ret, followed by a NUL
 * that is not counted, valid as long as the arena; or -1 with *ret empty if
 * any allocation since parley_buf_init() failed.
 */
int parley_buf_done(parley_buf_t *b, parley_str_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_BUF_H */
