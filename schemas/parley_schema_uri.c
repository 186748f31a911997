#include "schemas/parley_schema_uri.h"
#include "core/parley_buf.h"
#include "core/parley_hex.h"


typedef struct {
    parley_str_t  scheme;       /* including ':' */
    parley_str_t  authority;    /* including "//" */
    parley_str_t  path;
    parley_str_t  query;        /* including '?' */
} parley_schema_uri_t;


static parley_schema_uri_t parley_schema_uri_parse(parley_str_t s);
static size_t parley_schema_uri_scheme(parley_str_t s);
static size_t parley_schema_uri_find(parley_str_t s, const char *stops);
static int parley_schema_uri_merge(parley_arena_t *arena,
    const parley_schema_uri_t *base, parley_str_t path, parley_str_t *ret);
static int parley_schema_uri_dots(parley_arena_t *arena, parley_str_t *path);


parley_str_t
parley_schema_uri_cut(parley_str_t uri, parley_str_t *ret_fragment)
{
    size_t  n;

    n = parley_schema_uri_find(uri, "#");

    *ret_fragment = (n == uri.len) ? PARLEY_STR("")
                                   : parley_str_from(uri, n + 1);

    return parley_str_make(uri.data, n);
}


int
parley_schema_uri_resolve(parley_arena_t *arena, parley_str_t base,
    parley_str_t ref, parley_str_t *ret)
{
    parley_buf_t         out;
    parley_str_t         fragment;
    parley_schema_uri_t  b, r;

    *ret = parley_str_none;

    b = parley_schema_uri_parse(parley_schema_uri_cut(base, &fragment));
    r = parley_schema_uri_parse(parley_schema_uri_cut(ref, &fragment));

    if (r.scheme.len == 0) {
        r.scheme = b.scheme;

        if (r.authority.len == 0) {
            r.authority = b.authority;

            if (r.path.len == 0) {
                r.path = b.path;

                if (r.query.len == 0) {
                    r.query = b.query;
                }

            } else if (r.path.data[0] != '/'
                       && parley_schema_uri_merge(arena, &b, r.path, &r.path)
                          != 0)
            {
                return -1;
            }
        }
    }

    if (parley_schema_uri_dots(arena, &r.path) != 0) {
        return -1;
    }

    parley_buf_init(&out, arena, r.scheme.len + r.authority.len + r.path.len
                                 + r.query.len + 1);
    parley_buf_str(&out, r.scheme);
    parley_buf_str(&out, r.authority);
    parley_buf_str(&out, r.path);
    parley_buf_str(&out, r.query);

    return parley_buf_done(&out, ret);
}


int
parley_schema_uri_decode(parley_arena_t *arena, parley_str_t s,
    parley_str_t *ret)
{
    int       high, low;
    size_t    i;
    uint8_t  *out, *p;

    *ret = parley_str_none;

    out = parley_arena_octets(arena, s.len + 1);
    if (out == NULL) {
        return -1;
    }

    for (i = 0, p = out; i < s.len; i++) {
        if (s.data[i] != '%') {
            *p++ = s.data[i];
            continue;
        }

        if (s.len - i < 3) {
            return 1;
        }

        high = parley_hex_digit(s.data[i + 1]);
        low = parley_hex_digit(s.data[i + 2]);

        if (high < 0 || low < 0) {
            return 1;
        }

        *p++ = (uint8_t) (high << 4 | low);
        i += 2;
    }

    *ret = parley_str_make(out, (size_t) (p - out));

    return 0;
}


static parley_schema_uri_t
parley_schema_uri_parse(parley_str_t s)
{
    size_t               n;
    parley_schema_uri_t  uri;

    n = parley_schema_uri_scheme(s);
    uri.scheme = parley_str_make(s.data, n);
    s = parley_str_from(s, n);

    n = parley_str_begins(s, "//")
        ? 2 + parley_schema_uri_find(parley_str_from(s, 2), "/?") : 0;
    uri.authority = parley_str_make(s.data, n);
    s = parley_str_from(s, n);

    n = parley_schema_uri_find(s, "?");
    uri.path = parley_str_make(s.data, n);
    uri.query = parley_str_from(s, n);

    return uri;
}


/* Returns the length of a scheme including ':', or 0. */
static size_t
parley_schema_uri_scheme(parley_str_t s)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; i < s.len; i++) {
        c = s.data[i];

        if (c == ':') {
            return i ? i + 1 : 0;
        }

        if ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') {
            continue;
        }

        if (i == 0 || !((c >= '0' && c <= '9') || c == '+' || c == '-'
                        || c == '.'))
        {
            return 0;
        }
    }

    return 0;
}


static size_t
parley_schema_uri_find(parley_str_t s, const char *stops)
{
    size_t  i;

    for (i = 0; i < s.len; i++) {
        if (s.data[i] != '\0' && strchr(stops, s.data[i]) != NULL) {
            break;
        }
    }

    return i;
}


/* RFC 3986 section 5.2.3 */
static int
parley_schema_uri_merge(parley_arena_t *arena,
    const parley_schema_uri_t *base, parley_str_t path, parley_str_t *ret)
{
    size_t        n;
    parley_buf_t  b;

    parley_buf_init(&b, arena, base->path.len + path.len + 2);

    if (base->authority.len != 0 && base->path.len == 0) {
        parley_buf_octet(&b, '/');
    }

    for (n = base->path.len; n > 0 && base->path.data[n - 1] != '/'; n--) {
        /* void */
    }

    parley_buf_put(&b, base->path.data, n);
    parley_buf_str(&b, path);

    return parley_buf_done(&b, ret);
}


/* RFC 3986 section 5.2.4 */
static int
parley_schema_uri_dots(parley_arena_t *arena, parley_str_t *path)
{
    size_t         n;
    uint8_t       *out;
    parley_str_t   in, segment;

    out = parley_arena_octets(arena, path->len + 1);
    if (out == NULL) {
        return -1;
    }

    n = 0;

    for (in = *path; in.len != 0; in = parley_str_from(in, segment.len)) {

        /* a segment includes the '/' before it */

        segment = parley_str_make(in.data, (in.data[0] == '/'));
        segment.len += parley_schema_uri_find(parley_str_from(in,
                                                              segment.len),
                                              "/");

        if (parley_str_is(segment, "/.") || parley_str_is(segment, "/..")) {

            if (segment.len == 3) {
                while (n > 0 && out[--n] != '/') { /* void */ }
            }

            if (segment.len == in.len) {
                out[n++] = '/';
            }

            continue;
        }

        if (n == 0 && (parley_str_is(segment, ".")
                       || parley_str_is(segment, "..")))
        {
            continue;
        }

        memcpy(out + n, segment.data, segment.len);
        n += segment.len;
    }

    *path = parley_str_make(out, n);

    return 0;
}
