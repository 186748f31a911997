#include "parley_json_string.h"
#include "parley_utf8.h"


static uint32_t parley_json_hex4(const uint8_t *p);
static int parley_json_runes_same(parley_str_t a, parley_str_t b);
static int parley_json_rune_order(uint32_t a, uint32_t b);


uint32_t
parley_json_rune(const uint8_t **p, const uint8_t *end)
{
    size_t    n;
    uint8_t   c;
    uint32_t  cp;

    if (**p != '\\') {
        n = parley_utf8_len(*p, end);
        cp = parley_utf8_get(*p, n);
        *p += n;
        return cp;
    }

    c = (*p)[1];
    *p += 2;

    switch (c) {

    case 'b':
        return '\b';

    case 'f':
        return '\f';

    case 'n':
        return '\n';

    case 'r':
        return '\r';

    case 't':
        return '\t';

    case 'u':
        break;

    default:
        return c;
    }

    cp = parley_json_hex4(*p);
    *p += 4;

    if (cp >= 0xD800 && cp <= 0xDBFF) {
        cp = 0x10000 + ((cp - 0xD800) << 10)
             + (parley_json_hex4(*p + 2) - 0xDC00);
        *p += 6;
    }

    return cp;
}


size_t
parley_json_rune_octets(const uint8_t **p, const uint8_t *end,
    uint8_t out[4])
{
    return parley_utf8_put(out, parley_json_rune(p, end));
}


size_t
parley_json_unescape(parley_str_t raw, uint8_t *out)
{
    uint8_t        *start;
    const uint8_t  *p, *end, *q;

    start = out;
    p = raw.data;
    end = p + raw.len;

    while (p < end) {
        q = memchr(p, '\\', (size_t) (end - p));

        if (q == NULL) {
            q = end;
        }

        memcpy(out, p, (size_t) (q - p));
        out += q - p;
        p = q;

        if (p < end) {
            out += parley_utf8_put(out, parley_json_rune(&p, end));
        }
    }

    return (size_t) (out - start);
}


int
parley_json_string(const parley_json_t *doc, uint32_t i, parley_str_t *ret)
{
    uint8_t       *p;
    parley_str_t   raw;

    *ret = parley_str_none;

    if (i >= doc->nnodes || doc->nodes[i].type != PARLEY_JSON_STRING) {
        return -1;
    }

    raw = parley_json_span(doc, i);

    if (!(doc->nodes[i].flags & PARLEY_JSON_ESCAPED)) {
        *ret = raw;
        return 0;
    }

    p = parley_arena_octets(doc->arena, raw.len);
    if (p == NULL) {
        return -1;
    }

    *ret = parley_str_make(p, parley_json_unescape(raw, p));

    return 0;
}


int
parley_json_string_is(const parley_json_t *doc, uint32_t i, parley_str_t s)
{
    size_t          n;
    uint8_t         buf[4];
    parley_str_t    raw;
    const uint8_t  *p, *end;

    if (i >= doc->nnodes || doc->nodes[i].type != PARLEY_JSON_STRING) {
        return 0;
    }

    raw = parley_json_span(doc, i);

    if (!(doc->nodes[i].flags & PARLEY_JSON_ESCAPED)) {
        return parley_str_eq(raw, s);
    }

    p = raw.data;
    end = p + raw.len;

    while (p < end) {
        n = parley_utf8_put(buf, parley_json_rune(&p, end));

        if (n > s.len || memcmp(s.data, buf, n) != 0) {
            return 0;
        }

        s = parley_str_from(s, n);
    }

    return s.len == 0;
}


int
parley_json_string_same(const parley_json_t *a, uint32_t i,
    const parley_json_t *b, uint32_t j)
{
    const parley_json_node_t  *m, *n;

    m = &a->nodes[i];
    n = &b->nodes[j];

    if (m->count != n->count) {
        return 0;
    }

    if (!((m->flags | n->flags) & PARLEY_JSON_ESCAPED)) {
        return parley_str_eq(parley_json_span(a, i), parley_json_span(b, j));
    }

    return parley_json_runes_same(parley_json_span(a, i),
                                  parley_json_span(b, j));
}


int
parley_json_string_order(const parley_json_t *doc, uint32_t i, uint32_t j)
{
    int             rc;
    size_t          n;
    parley_str_t    a, b;
    const uint8_t  *p, *q, *pend, *qend;

    a = parley_json_span(doc, i);
    b = parley_json_span(doc, j);

    if (doc->nodes[i].flags & doc->nodes[j].flags & PARLEY_JSON_ASCII) {
        n = (a.len < b.len) ? a.len : b.len;
        rc = (n == 0) ? 0 : memcmp(a.data, b.data, n);

        return rc ? rc : (a.len > b.len) - (a.len < b.len);
    }

    p = a.data;
    q = b.data;
    pend = p + a.len;
    qend = q + b.len;

    while (p < pend && q < qend) {
        rc = parley_json_rune_order(parley_json_rune(&p, pend),
                                    parley_json_rune(&q, qend));
        if (rc != 0) {
            return rc;
        }
    }

    return (p < pend) - (q < qend);
}


static uint32_t
parley_json_hex4(const uint8_t *p)
{
    int       i;
    uint32_t  value;

    value = 0;

    for (i = 0; i < 4; i++) {
        value = value << 4
                | (uint32_t) ((p[i] <= '9') ? p[i] - '0'
                                            : (p[i] | 0x20) - 'a' + 10);
    }

    return value;
}


static int
parley_json_runes_same(parley_str_t a, parley_str_t b)
{
    const uint8_t  *p, *q, *pend, *qend;

    p = a.data;
    q = b.data;
    pend = p + a.len;
    qend = q + b.len;

    while (p < pend && q < qend) {
        if (parley_json_rune(&p, pend) != parley_json_rune(&q, qend)) {
            return 0;
        }
    }

    return p == pend && q == qend;
}


/*
 * A code point above U+FFFF begins with a unit of D800 to DBFF, less than
 * those of U+E000 to U+FFFF; otherwise code points and units agree.
 */
static int
parley_json_rune_order(uint32_t a, uint32_t b)
{
    if (a > 0xFFFF && b >= 0xE000 && b <= 0xFFFF) {
        return -1;
    }

    if (b > 0xFFFF && a >= 0xE000 && a <= 0xFFFF) {
        return 1;
    }

    return (a > b) - (a < b);
}
