#include "parley_buf.h"
#include "parley_utf8.h"


#define PARLEY_BUF_SIZE  256


static int parley_buf_grow(parley_buf_t *b, size_t need);
static void parley_buf_escape(parley_buf_t *b, uint8_t c);


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
parley_buf_put(parley_buf_t *b, const void *data, size_t len)
{
    if (len > b->size - b->len && parley_buf_grow(b, len) != 0) {
        return;
    }

    if (len != 0) {
        memcpy(b->data + b->len, data, len);
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
    parley_buf_octet(b, '"');
    parley_buf_json_text(b, s);
    parley_buf_octet(b, '"');
}


void
parley_buf_json_text(parley_buf_t *b, parley_str_t s)
{
    size_t          n;
    const uint8_t  *p, *q, *end;

    p = s.data;
    end = (s.len == 0) ? p : p + s.len;

    while (p < end) {
        q = parley_utf8_plain(p, end);

        parley_buf_put(b, p, (size_t) (q - p));
        p = q;

        if (p == end) {
            break;
        }

        if (*p < 0x80) {
            parley_buf_escape(b, *p++);
            continue;
        }

        n = parley_utf8_len(p, end);

        if (n == 0) {
            parley_buf_lit(b, "\xEF\xBF\xBD");
            p++;
            continue;
        }

        parley_buf_put(b, p, n);
        p += n;
    }
}


void
parley_buf_name(parley_buf_t *b, parley_str_t name)
{
    if (b->len != 0 && b->data[b->len - 1] != '{') {
        parley_buf_octet(b, ',');
    }

    parley_buf_octet(b, '"');
    parley_buf_str(b, name);
    parley_buf_lit(b, "\":");
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
 * Room for need more octets.  The last allocation of the arena grows where
 * it stands.
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


/* an octet below 0x20, a quote or a backslash */
static void
parley_buf_escape(parley_buf_t *b, uint8_t c)
{
    char  escape[6] = { '\\', 'u', '0', '0', '0', '0' };

    static const char  digits[] = "0123456789abcdef";

    switch (c) {

    case '"':
    case '\\':
        escape[1] = (char) c;
        break;

    case '\b':
        escape[1] = 'b';
        break;

    case '\f':
        escape[1] = 'f';
        break;

    case '\n':
        escape[1] = 'n';
        break;

    case '\r':
        escape[1] = 'r';
        break;

    case '\t':
        escape[1] = 't';
        break;

    default:
        escape[4] = digits[c >> 4];
        escape[5] = digits[c & 0x0F];
        parley_buf_put(b, escape, 6);
        return;
    }

    parley_buf_put(b, escape, 2);
}
