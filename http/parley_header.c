#include "translate/parley_codec.h"
#include "http/parley_header.h"
#include "core/parley_time.h"


/* seconds that a service may ask to wait, at most */
#define PARLEY_HEADER_WAIT_MAX  86400


/* reason to keep back a header of a request */
typedef enum {
    PARLEY_HEADER_WRITTEN = 0,  /* the gateway writes the header itself, or
                                   leaves it out */
    PARLEY_HEADER_CONDITION,    /* condition on a representation; an answer to a
                                   message is not one (GW-36) */
    PARLEY_HEADER_FRAMING,      /* delimits the body: nginx writes it, under
                                   this exact name */
    PARLEY_HEADER_DIGEST
} parley_header_reason_t;


typedef struct {
    parley_str_t            name;
    parley_header_reason_t  reason;
} parley_header_row_t;


static const parley_header_row_t *parley_header_find(parley_str_t name);
static int parley_header_is(parley_str_t name, parley_str_t folded);
static int parley_header_is_set(parley_str_t name, parley_proto_t kept);
static int parley_header_sets(parley_proto_t proto, parley_str_t name);
static int parley_header_in(parley_str_t name, const parley_str_t *list,
    size_t n);
static uint8_t parley_header_fold(uint8_t c);
static int64_t parley_header_seconds(parley_str_t value, int64_t max);


#define PARLEY_HEADERS(list)  list, sizeof(list) / sizeof((list)[0])


/* first letter, name, reason; headers of nearly every request come first */
#define PARLEY_HEADER_KEPT(X)                                                 \
    X('c', "content-type", WRITTEN)                                           \
    X('c', "content-length", FRAMING)                                         \
    X('a', "accept-encoding", WRITTEN)                                        \
    X('c', "content-encoding", WRITTEN)                                       \
    X('t', "traceparent", WRITTEN)                                            \
    X('s', "sec-websocket-extensions", WRITTEN)                               \
    X('i', "if-match", CONDITION)                                             \
    X('i', "if-modified-since", CONDITION)                                    \
    X('i', "if-none-match", CONDITION)                                        \
    X('i', "if-range", CONDITION)                                             \
    X('i', "if-unmodified-since", CONDITION)                                  \
    X('r', "range", CONDITION)                                                \
    X('t', "transfer-encoding", FRAMING)                                      \
    X('c', "content-digest", DIGEST)                                          \
    X('c', "content-md5", DIGEST)                                             \
    X('d', "digest", DIGEST)                                                  \
    X('r', "repr-digest", DIGEST)


static const parley_header_row_t  parley_header_rows[] = {
#define X(first, name, reason)  { parley_str(name), PARLEY_HEADER_##reason },
    PARLEY_HEADER_KEPT(X)
#undef X
};

#define PARLEY_HEADER_ROWS                                                    \
    (sizeof(parley_header_rows) / sizeof(parley_header_rows[0]))


/* bit of a name by its length and the case-insensitive bits of its first
   letter */
#define PARLEY_HEADER_BIT(first, len)                                         \
    (1ULL << (((size_t) (first) * 35 + (len)) & 63))

/* the bits of the names in the list */
static const uint64_t  parley_header_bits = 0
#define X(first, name, reason)  | PARLEY_HEADER_BIT(first & 0x1F,             \
                                                    sizeof(name) - 1)
    PARLEY_HEADER_KEPT(X)
#undef X
    ;


static const parley_str_t  parley_header_body[] = {
    parley_str("accept-ranges"),
    parley_str("allow"),
    parley_str("authentication-info"),
    parley_str("content-disposition"),
    parley_str("content-encoding"),
    parley_str("content-language"),
    parley_str("content-location"),
    parley_str("content-range"),
    parley_str("etag"),
    parley_str("last-modified"),
    parley_str("link"),
    parley_str("location"),
    parley_str("proxy-authenticate"),
    parley_str("proxy-authentication-info"),
    parley_str("refresh"),
    parley_str("sec-websocket-accept"),
    parley_str("sec-websocket-extensions"),
    parley_str("sec-websocket-protocol"),
    parley_str("signature"),
    parley_str("signature-input"),
    parley_str("trailer"),
    parley_str("upgrade"),
    parley_str("www-authenticate"),
};


int
parley_header_is_own(parley_str_t name)
{
    static const parley_str_t  prefix = parley_str("parley-");

    /* the first letter excludes most names */

    if (name.len < prefix.len || (name.data[0] | 0x20) != 'p') {
        return 0;
    }

    return parley_header_is(parley_str_make(name.data, prefix.len), prefix);
}


int
parley_header_is_kept_back(parley_str_t name, int replaced)
{
    const parley_header_row_t  *row;

    if (parley_header_is_own(name)) {
        return 1;
    }

    row = parley_header_find(name);

    if (row == NULL) {
        return 0;
    }

    switch (row->reason) {

    case PARLEY_HEADER_FRAMING:
        return !parley_str_eq_fold(name, row->name);

    case PARLEY_HEADER_DIGEST:
        return replaced;

    default:
        return 1;
    }
}


int
parley_header_is_of_body(parley_str_t name, parley_proto_t kept)
{
    const parley_header_row_t  *row;

    row = parley_header_find(name);

    return (row != NULL && row->reason == PARLEY_HEADER_DIGEST)
           || parley_header_in(name, PARLEY_HEADERS(parley_header_body))
           || parley_header_is_set(name, kept);
}


static const parley_header_row_t *
parley_header_find(parley_str_t name)
{
    size_t  i;

    if (name.len == 0
        || !(parley_header_bits & PARLEY_HEADER_BIT(name.data[0] & 0x1F,
                                                    name.len)))
    {
        return NULL;
    }

    for (i = 0; i < PARLEY_HEADER_ROWS; i++) {
        if (name.len == parley_header_rows[i].name.len
            && parley_header_is(name, parley_header_rows[i].name))
        {
            return &parley_header_rows[i];
        }
    }

    return NULL;
}


/* Returns whether the binding of a protocol other than kept sets the header. */
static int
parley_header_is_set(parley_str_t name, parley_proto_t kept)
{
    unsigned  i;

    if (kept < PARLEY_PROTO_COUNT && parley_header_sets(kept, name)) {
        return 0;
    }

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (parley_header_sets((parley_proto_t) i, name)) {
            return 1;
        }
    }

    return 0;
}


static int
parley_header_sets(parley_proto_t proto, parley_str_t name)
{
    const parley_str_t  *set;

    set = parley_codecs[proto]->binding->sets;

    for ( /* void */ ; set != NULL && set->len > 0; set++) {
        if (parley_header_in(name, set, 1)) {
            return 1;
        }
    }

    return 0;
}


static int
parley_header_in(parley_str_t name, const parley_str_t *list, size_t n)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        if (name.len == list[i].len && parley_header_is(name, list[i])) {
            return 1;
        }
    }

    return 0;
}


/*
 * Compares names of equal length.  Most names are in lower case already, and
 * most others differ at the end.
 */
static int
parley_header_is(parley_str_t name, parley_str_t folded)
{
    size_t  i;

    if (parley_octets_same(name.data, folded.data, folded.len)) {
        return 1;
    }

    if (parley_header_fold(name.data[folded.len - 1])
        != folded.data[folded.len - 1])
    {
        return 0;
    }

    for (i = 0; i < folded.len; i++) {
        if (parley_header_fold(name.data[i]) != folded.data[i]) {
            return 0;
        }
    }

    return 1;
}


static uint8_t
parley_header_fold(uint8_t c)
{
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
        return c;
    }

    return (c >= 'A' && c <= 'Z') ? (uint8_t) (c | 0x20) : '-';
}


unsigned
parley_header_cookies(parley_str_t value, parley_str_t name)
{
    size_t        i, k;
    unsigned      n;
    parley_str_t  s;

    n = 0;

    for (i = 0; i < value.len; i++) {

        while (i < value.len
               && (value.data[i] == ' ' || value.data[i] == '\t'))
        {
            i++;
        }

        s = parley_str_from(value, i);

        if (s.len > name.len
            && parley_str_eq_fold(parley_str_make(s.data, name.len), name))
        {
            for (k = name.len;
                 k < s.len && (s.data[k] == ' ' || s.data[k] == '\t');
                 k++)
            { /* void */ }

            n += k < s.len && s.data[k] == '=';
        }

        while (i < value.len && value.data[i] != ';' && value.data[i] != ',') {
            i++;
        }
    }

    return n;
}


int
parley_header_waits(int status)
{
    return status == 429 || status == 503;
}


int64_t
parley_header_wait(parley_str_t value, int64_t now_ms)
{
    int64_t  n, when_ms;

    n = parley_header_seconds(value, PARLEY_HEADER_WAIT_MAX);

    if (n < 0) {

        if (parley_time_parse_http(value, &when_ms) != 0) {
            return 0;
        }

        n = when_ms / 1000 - now_ms / 1000;
    }

    return 1000 * (n < 0 ? 0
                   : n < PARLEY_HEADER_WAIT_MAX ? n : PARLEY_HEADER_WAIT_MAX);
}


/* Reads seconds, at most max; returns -1 if value is not digits. */
static int64_t
parley_header_seconds(parley_str_t value, int64_t max)
{
    size_t   i;
    int64_t  n;

    n = 0;

    for (i = 0; i < value.len; i++) {

        if (value.data[i] < '0' || value.data[i] > '9') {
            return -1;
        }

        if (n < max) {
            n = n * 10 + (value.data[i] - '0');
        }
    }

    return value.len == 0 ? -1 : n < max ? n : max;
}
