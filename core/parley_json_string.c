#include "core/parley_json_string.h"
#include "core/parley_utf8.h"


/* longer than any name with an atom written in \u00xx escapes */
#define PARLEY_JSON_ATOM_RAW  256


static int parley_json_ascii_order(parley_str_t a, parley_str_t b);
static uint32_t parley_json_hex4(const uint8_t *p);
static int parley_json_string_octets(const parley_json_t *doc, uint32_t i,
    parley_str_t s, int token);
static int parley_json_runes_same(parley_str_t a, parley_str_t b);
static int parley_json_rune_order(uint32_t a, uint32_t b);


/* the second octet of a two-octet escape to its meaning */
static const uint8_t  parley_json_unescaped[256] = {
    ['"'] = '"', ['\\'] = '\\', ['/'] = '/', ['b'] = '\b',
    ['f'] = '\f', ['n'] = '\n', ['r'] = '\r', ['t'] = '\t'
};


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

    if (c != 'u') {
        return parley_json_unescaped[c];
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

        out = parley_octets_copy(out, p, (size_t) (q - p));
        p = q;

        if (p == end) {
            break;
        }

        if (parley_json_unescaped[p[1]] != 0) {
            *out++ = parley_json_unescaped[p[1]];
            p += 2;

        } else {
            out += parley_utf8_put(out, parley_json_rune(&p, end));
        }
    }

    return (size_t) (out - start);
}


int
parley_json_string_unescaped(const parley_json_t *doc, uint32_t i,
    parley_str_t *ret)
{
    uint8_t       *p;
    parley_str_t   raw;

    *ret = parley_str_none;
    raw = parley_json_span(doc, i);

    p = parley_arena_octets(doc->arena, raw.len);
    if (p == NULL) {
        return -1;
    }

    *ret = parley_str_make(p, parley_json_unescape(raw, p));

    return 0;
}


parley_atom_t
parley_json_string_atom(const parley_json_t *doc, uint32_t k)
{
    uint8_t       text[PARLEY_JSON_ATOM_RAW];
    parley_str_t  raw;

    raw = parley_json_span(doc, k);

    if (raw.len > sizeof(text)) {
        return PARLEY_ATOM_NONE;
    }

    return parley_atom_of(parley_str_make(text,
                                          parley_json_unescape(raw, text)));
}


int
parley_json_string_is_escaped(const parley_json_t *doc, uint32_t i,
    parley_str_t s)
{
    return parley_json_string_octets(doc, i, s, 0);
}


int
parley_json_string_is_token(const parley_json_t *doc, uint32_t i,
    parley_str_t token)
{
    return parley_json_string_octets(doc, i, token, 1);
}


/* in a token, "~0" is '~' and "~1" is '/'; a raw '~' does not occur
   otherwise */

static int
parley_json_string_octets(const parley_json_t *doc, uint32_t i,
    parley_str_t s, int token)
{
    size_t          k, n;
    uint8_t         c, octets[4];
    parley_str_t    raw;
    const uint8_t  *p, *end;

    raw = parley_json_span(doc, i);
    p = raw.data;
    end = p + raw.len;

    while (p < end) {
        n = parley_json_rune_octets(&p, end, octets);

        for (k = 0; k < n; k++) {
            if (s.len == 0) {
                return 0;
            }

            c = s.data[0];
            s = parley_str_from(s, 1);

            if (token && c == '~') {
                if (s.len == 0 || (s.data[0] != '0' && s.data[0] != '1')) {
                    return 0;
                }

                c = s.data[0] == '0' ? '~' : '/';
                s = parley_str_from(s, 1);
            }

            if (c != octets[k]) {
                return 0;
            }
        }
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
    parley_str_t    a, b;
    const uint8_t  *p, *q, *pend, *qend;

    a = parley_json_span(doc, i);
    b = parley_json_span(doc, j);

    if (doc->nodes[i].flags & doc->nodes[j].flags & PARLEY_JSON_ASCII) {
        return parley_json_ascii_order(a, b);
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


/* Compares words of eight octets; the last may overlap the one before. */
static int
parley_json_ascii_order(parley_str_t a, parley_str_t b)
{
    size_t    i, n;
    uint64_t  x, y;

    n = (a.len < b.len) ? a.len : b.len;

    for (i = 0; i < n && n >= 8; i += 8) {
        if (i > n - 8) {
            i = n - 8;
        }

        x = parley_octets_word(a.data + i);
        y = parley_octets_word(b.data + i);

        if (x != y) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            x = __builtin_bswap64(x);
            y = __builtin_bswap64(y);
#endif
            return (x < y) ? -1 : 1;
        }
    }

    for ( /* void */ ; i < n; i++) {
        if (a.data[i] != b.data[i]) {
            return (a.data[i] < b.data[i]) ? -1 : 1;
        }
    }

    return (a.len > b.len) - (a.len < b.len);
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
 * A code point above U+FFFF starts with a code unit in D800 to DBFF, which
 * sorts before U+E000 to U+FFFF; elsewhere code points and units agree.
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
