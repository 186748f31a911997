#include "core/parley_buf.h"
#include "core/parley_utf8.h"


#define PARLEY_BUF_SIZE    256
#define PARLEY_BUF_ESCAPE  6        /* octets of the longest escape, \u00xx */


static int parley_buf_grow(parley_buf_t *b, size_t need);
static uint8_t *parley_buf_escape(uint8_t *out, uint8_t c);


/* U+FFFD, written for an octet that is not UTF-8 */
static const uint8_t  parley_buf_replacement[3] = { 0xEF, 0xBF, 0xBD };


void
parley_buf_init(parley_buf_t *b, parley_arena_t *arena, size_t size)
{
    if (size == 0) {
        size = PARLEY_BUF_SIZE;
    }

    b->arena = arena;
    b->len = 0;
    b->size = size;
    b->failed = 0;

    b->data = parley_arena_octets(arena, size);

    if (b->data == NULL) {
        b->size = 0;
        b->failed = 1;
    }
}


void
parley_buf_octets(parley_buf_t *b, const uint8_t *data, size_t len)
{
    if (len > b->size - b->len && parley_buf_grow(b, len) != 0) {
        return;
    }

    if (len != 0) {
        (void) parley_octets_copy(b->data + b->len, data, len);
        b->len += len;
    }
}


void
parley_buf_int(parley_buf_t *b, int64_t n)
{
    char      digits[20], *p;
    uint64_t  value;

    p = digits + sizeof(digits);
    value = (n < 0) ? -(uint64_t) n : (uint64_t) n;

    do {
        *--p = (char) ('0' + value % 10);
        value /= 10;
    } while (value != 0);

    if (n < 0) {
        *--p = '-';
    }

    parley_buf_put(b, p, (size_t) (digits + sizeof(digits) - p));
}


void
parley_buf_json_string(parley_buf_t *b, parley_str_t s)
{
    uint8_t        *out;
    const uint8_t  *p, *end;

    if (s.len == 0) {
        parley_buf_lit(b, "\"\"");
        return;
    }

    if (b->size - b->len < s.len + 2 && parley_buf_grow(b, s.len + 2) != 0) {
        return;
    }

    end = s.data + s.len;
    out = b->data + b->len;
    *out++ = '"';
    p = parley_utf8_plain_copy(s.data, end, out);
    out += p - s.data;

    if (p == end) {
        *out++ = '"';
        b->len = (size_t) (out - b->data);
        return;
    }

    b->len = (size_t) (out - b->data);

    parley_buf_json_text(b, parley_str_make(p, (size_t) (end - p)));
    parley_buf_octet(b, '"');
}


/*
 * The buffer always has room for the rest of s verbatim plus one escape, so
 * that a plain run is scanned and copied in one pass.
 */
void
parley_buf_json_text(parley_buf_t *b, parley_str_t s)
{
    size_t          need;
    uint8_t        *out;
    uint32_t        surplus;
    const uint8_t  *p, *q, *end;

    surplus = 0;            /* unused */

    p = s.data;
    end = (s.len == 0) ? p : p + s.len;

    while (p < end) {
        need = (size_t) (end - p) + PARLEY_BUF_ESCAPE;

        if (b->size - b->len < need && parley_buf_grow(b, need) != 0) {
            return;
        }

        out = b->data + b->len;
        q = parley_utf8_plain_copy(p, end, out);
        out += q - p;
        p = q;

        if (p == end) {
            /* void */

        } else if (*p == 0x7F) {
            *out++ = *p++;

        } else if (*p < 0x80) {
            out = parley_buf_escape(out, *p++);

        } else {
            q = parley_utf8_run(p, end, &surplus);

            if (q == p) {
                out = parley_octets_copy(out, parley_buf_replacement, 3);
                p++;

            } else {
                out = parley_octets_copy(out, p, (size_t) (q - p));
                p = q;
            }
        }

        b->len = (size_t) (out - b->data);
    }
}


void
parley_buf_name(parley_buf_t *b, parley_str_t name)
{
    size_t    need;
    uint8_t  *out;

    need = name.len + sizeof(",\"\":") - 1;

    if (b->size - b->len < need && parley_buf_grow(b, need) != 0) {
        return;
    }

    out = b->data + b->len;

    if (b->len != 0 && out[-1] != '{') {
        *out++ = ',';
    }

    *out++ = '"';
    out = parley_octets_copy(out, name.data, name.len);
    *out++ = '"';
    *out++ = ':';

    b->len = (size_t) (out - b->data);
}


void
parley_buf_member(parley_buf_t *b, parley_str_t name, parley_str_t value)
{
    parley_buf_name(b, name);
    parley_buf_json_string(b, value);
}


void
parley_buf_value(parley_buf_t *b, parley_json_ref_t ref)
{
    if (ref.node != PARLEY_JSON_NONE) {
        parley_buf_str(b, parley_json_raw(ref.doc, ref.node));
    }
}


int
parley_buf_done(parley_buf_t *b, parley_str_t *ret)
{
    parley_buf_octet(b, '\0');

    if (b->failed) {
        *ret = parley_str_none;
        return -1;
    }

    b->len--;
    *ret = parley_str_make(b->data, b->len);

    return 0;
}


/*
 * Makes room for need more octets; in place if the buffer is the arena's last
 * allocation.
 */
static int
parley_buf_grow(parley_buf_t *b, size_t need)
{
    size_t           size, more;
    uint8_t         *data;
    parley_arena_t  *arena;

    if (b->failed) {
        return -1;
    }

    arena = b->arena;
    more = (need > b->size) ? need : b->size;

    if (more > SIZE_MAX - b->size) {
        b->failed = 1;
        return -1;
    }

    if (b->data + b->size == arena->pos
        && more <= (size_t) (arena->end - arena->pos))
    {
        arena->pos += more;
        b->size += more;
        return 0;
    }

    size = b->size + more;

    data = parley_arena_octets(arena, size);

    if (data == NULL) {
        b->failed = 1;
        b->size = b->len;
        return -1;
    }

    memcpy(data, b->data, b->len);
    b->data = data;
    b->size = size;

    return 0;
}


/* Escapes an octet below 0x20, a quote or a backslash; returns the new end. */
static uint8_t *
parley_buf_escape(uint8_t *out, uint8_t c)
{
    static const char  digits[] = "0123456789abcdef";

    *out++ = '\\';

    /* by far the most frequent: JSON inside a string */

    if (c == '"' || c == '\\') {
        *out++ = c;
        return out;
    }

    switch (c) {

    case '\b':
        *out++ = 'b';
        break;

    case '\f':
        *out++ = 'f';
        break;

    case '\n':
        *out++ = 'n';
        break;

    case '\r':
        *out++ = 'r';
        break;

    case '\t':
        *out++ = 't';
        break;

    default:
        *out++ = 'u';
        *out++ = '0';
        *out++ = '0';
        *out++ = (uint8_t) digits[c >> 4];
        *out++ = (uint8_t) digits[c & 0x0F];
        break;
    }

    return out;
}
