/*
 * An output buffer that grows in an arena.  A failed allocation is
 * remembered: writers need no check of their own, the caller asks
 * parley_buf_done() once.
 */

#ifndef PARLEY_BUF_H
#define PARLEY_BUF_H

#include <stddef.h>
#include <stdint.h>

#include "parley_arena.h"
#include "parley_json.h"
#include "parley_str.h"


typedef struct {
    parley_arena_t  *arena;
    uint8_t         *data;
    size_t           len;
    size_t           size;
    unsigned         failed:1;
} parley_buf_t;


#define PARLEY_BUF_LITERAL  64      /* longer ones are not copied in place */


/* Starts with room for about size octets (0: 256). */
void parley_buf_init(parley_buf_t *b, parley_arena_t *arena, size_t size);

void parley_buf_int(parley_buf_t *b, int64_t n);

/* What parley_buf_put() does where the compiler does not know the length. */
void parley_buf_octets(parley_buf_t *b, const uint8_t *data, size_t len);


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
 * A JSON string with its quotes, escaped as RFC 8785 has it: only what must
 * be is escaped.  s is UTF-8: octets that are not, and those of noncharacters,
 * become U+FFFD, so that what is written can be read (parley_json.h).
 */
void parley_buf_json_string(parley_buf_t *b, parley_str_t s);

/* The same without the quotes. */
void parley_buf_json_text(parley_buf_t *b, parley_str_t s);

/*
 * ,"name":  or, after '{' or at the start of the buffer, "name":
 * name is ASCII that needs no escape.
 */
void parley_buf_name(parley_buf_t *b, parley_str_t name);

/* ,"name":"value" with value escaped */
void parley_buf_member(parley_buf_t *b, parley_str_t name,
    parley_str_t value);

/* A value of a document as it stands in the input, octet for octet. */
void parley_buf_value(parley_buf_t *b, parley_json_ref_t ref);

/*
 * Returns 0 and the octets in *ret (zero-terminated, not counted), or -1
 * where an allocation failed on the way.
 */
int parley_buf_done(parley_buf_t *b, parley_str_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_BUF_H */
