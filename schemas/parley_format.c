#include "schemas/parley_format.h"
#include "core/parley_time.h"


#define PARLEY_FORMAT_ALPHA    0x01
#define PARLEY_FORMAT_DIGIT    0x02
#define PARLEY_FORMAT_HEX      0x04
#define PARLEY_FORMAT_MARK     0x08     /* - . _ ~ */
#define PARLEY_FORMAT_SUB      0x10     /* sub-delims */

#define PARLEY_FORMAT_IPV6_GROUPS  8


static int parley_format_date_time(parley_str_t s);
static int parley_format_uuid(parley_str_t s);
static int parley_format_uri(parley_str_t s);
static unsigned parley_format_class(uint8_t c);
static int parley_format_chars(parley_str_t s, unsigned classes,
    const char *more);
static parley_str_t parley_format_cut(parley_str_t *s, const char *stops);
static int parley_format_scheme(parley_str_t s);
static int parley_format_authority(parley_str_t s);
static int parley_format_literal(parley_str_t s);
static int parley_format_ipv6(parley_str_t s);
static int parley_format_ipv4(parley_str_t s);


static const struct {
    parley_str_t   name;
    const char    *text;
    int          (*is)(parley_str_t s);
} parley_formats[] = {
    [PARLEY_FORMAT_DATE_TIME] = {
        parley_str("date-time"), "an RFC 3339 date-time",
        parley_format_date_time
    },
    [PARLEY_FORMAT_UUID] = {
        parley_str("uuid"), "a UUID", parley_format_uuid
    },
    [PARLEY_FORMAT_URI] = {
        parley_str("uri"), "a URI", parley_format_uri
    },
    [PARLEY_FORMAT_IPV4] = {
        parley_str("ipv4"), "an IPv4 address", parley_format_ipv4
    },
    [PARLEY_FORMAT_IPV6] = {
        parley_str("ipv6"), "an IPv6 address", parley_format_ipv6
    }
};


parley_format_t
parley_format(parley_str_t name)
{
    int  i;

    for (i = PARLEY_FORMAT_NONE + 1; i <= PARLEY_FORMAT_IPV6; i++) {
        if (parley_str_eq(parley_formats[i].name, name)) {
            return (parley_format_t) i;
        }
    }

    return PARLEY_FORMAT_NONE;
}


const char *
parley_format_text(parley_format_t format)
{
    return parley_formats[format].text;
}


int
parley_format_is(parley_format_t format, parley_str_t s)
{
    return parley_formats[format].is(s);
}


static int
parley_format_date_time(parley_str_t s)
{
    int64_t  ms;

    return parley_time_parse(s, &ms) == 0;
}


static int
parley_format_uuid(parley_str_t s)
{
    size_t  i;

    if (s.len != 36) {
        return 0;
    }

    for (i = 0; i < s.len; i++) {
        if (i == 8 || i == 13 || i == 18 || i == 23) {
            if (s.data[i] != '-') {
                return 0;
            }

        } else if (!(parley_format_class(s.data[i]) & PARLEY_FORMAT_HEX)) {
            return 0;
        }
    }

    return 1;
}


/* URI = scheme ":" hier-part [ "?" query ] [ "#" fragment ] */
static int
parley_format_uri(parley_str_t s)
{
    unsigned      pchar;
    parley_str_t  part;

    pchar = PARLEY_FORMAT_ALPHA | PARLEY_FORMAT_DIGIT | PARLEY_FORMAT_MARK
            | PARLEY_FORMAT_SUB;

    part = parley_format_cut(&s, ":/?#");

    if (s.len == 0 || s.data[0] != ':' || !parley_format_scheme(part)) {
        return 0;
    }

    s = parley_str_from(s, 1);

    if (parley_str_begins(s, "//")) {
        s = parley_str_from(s, 2);
        part = parley_format_cut(&s, "/?#");

        if (!parley_format_authority(part)) {
            return 0;
        }
    }

    part = parley_format_cut(&s, "?#");

    if (!parley_format_chars(part, pchar, ":@/")) {
        return 0;
    }

    if (s.len != 0 && s.data[0] == '?') {
        s = parley_str_from(s, 1);
        part = parley_format_cut(&s, "#");

        if (!parley_format_chars(part, pchar, ":@/?")) {
            return 0;
        }
    }

    if (s.len != 0) {
        return parley_format_chars(parley_str_from(s, 1), pchar, ":@/?");
    }

    return 1;
}


static unsigned
parley_format_class(uint8_t c)
{
    uint8_t  lower;

    lower = c | 0x20;

    if (c >= '0' && c <= '9') {
        return PARLEY_FORMAT_DIGIT | PARLEY_FORMAT_HEX;
    }

    if (c < 0x80 && lower >= 'a' && lower <= 'z') {
        return (lower <= 'f') ? PARLEY_FORMAT_ALPHA | PARLEY_FORMAT_HEX
                              : PARLEY_FORMAT_ALPHA;
    }

    switch (c) {

    case '-':
    case '.':
    case '_':
    case '~':
        return PARLEY_FORMAT_MARK;

    case '!':
    case '$':
    case '&':
    case '\'':
    case '(':
    case ')':
    case '*':
    case '+':
    case ',':
    case ';':
    case '=':
        return PARLEY_FORMAT_SUB;
    }

    return 0;
}


/* Returns whether all octets are in classes or in more, or percent-encoded. */
static int
parley_format_chars(parley_str_t s, unsigned classes, const char *more)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; i < s.len; i++) {
        c = s.data[i];

        if (c == '%') {
            if (s.len - i < 3
                || !(parley_format_class(s.data[i + 1]) & PARLEY_FORMAT_HEX)
                || !(parley_format_class(s.data[i + 2]) & PARLEY_FORMAT_HEX))
            {
                return 0;
            }

            i += 2;
            continue;
        }

        if (!(parley_format_class(c) & classes)
            && (c == '\0' || strchr(more, c) == NULL))
        {
            return 0;
        }
    }

    return 1;
}


/* Returns the part of *s before the first of stops, and advances *s to it. */
static parley_str_t
parley_format_cut(parley_str_t *s, const char *stops)
{
    size_t        i;
    parley_str_t  part;

    for (i = 0; i < s->len; i++) {
        if (s->data[i] != '\0' && strchr(stops, s->data[i]) != NULL) {
            break;
        }
    }

    part = parley_str_make(s->data, i);
    *s = parley_str_from(*s, i);

    return part;
}


static int
parley_format_scheme(parley_str_t s)
{
    size_t  i;

    if (s.len == 0 || !(parley_format_class(s.data[0]) & PARLEY_FORMAT_ALPHA))
    {
        return 0;
    }

    for (i = 1; i < s.len; i++) {
        if (!(parley_format_class(s.data[i])
              & (PARLEY_FORMAT_ALPHA | PARLEY_FORMAT_DIGIT))
            && s.data[i] != '+' && s.data[i] != '-' && s.data[i] != '.')
        {
            return 0;
        }
    }

    return 1;
}


/* [ userinfo "@" ] host [ ":" port ] */
static int
parley_format_authority(parley_str_t s)
{
    unsigned      name;
    parley_str_t  part, rest;

    name = PARLEY_FORMAT_ALPHA | PARLEY_FORMAT_DIGIT | PARLEY_FORMAT_MARK
           | PARLEY_FORMAT_SUB;

    rest = s;
    part = parley_format_cut(&rest, "@");

    if (rest.len != 0) {
        if (!parley_format_chars(part, name, ":")) {
            return 0;
        }

        s = parley_str_from(rest, 1);
    }

    if (s.len != 0 && s.data[0] == '[') {
        s = parley_str_from(s, 1);
        part = parley_format_cut(&s, "]");

        if (s.len == 0 || !parley_format_literal(part)) {
            return 0;
        }

        s = parley_str_from(s, 1);

    } else {
        part = parley_format_cut(&s, ":");

        if (!parley_format_chars(part, name, "")) {
            return 0;
        }
    }

    if (s.len == 0) {
        return 1;
    }

    for (rest = parley_str_from(s, 1); rest.len != 0;
         rest = parley_str_from(rest, 1))
    {
        if (!(parley_format_class(rest.data[0]) & PARLEY_FORMAT_DIGIT)) {
            return 0;
        }
    }

    return s.data[0] == ':';
}


/* The contents of an IP-literal: IPv6address or IPvFuture. */
static int
parley_format_literal(parley_str_t s)
{
    parley_str_t  version;

    if (s.len == 0 || (s.data[0] | 0x20) != 'v') {
        return parley_format_ipv6(s);
    }

    s = parley_str_from(s, 1);
    version = parley_format_cut(&s, ".");

    if (version.len == 0 || s.len < 2) {
        return 0;
    }

    for ( ; version.len != 0; version = parley_str_from(version, 1)) {
        if (!(parley_format_class(version.data[0]) & PARLEY_FORMAT_HEX)) {
            return 0;
        }
    }

    s = parley_str_from(s, 1);

    return memchr(s.data, '%', s.len) == NULL
           && parley_format_chars(s, PARLEY_FORMAT_ALPHA
                                     | PARLEY_FORMAT_DIGIT
                                     | PARLEY_FORMAT_MARK
                                     | PARLEY_FORMAT_SUB, ":");
}


static int
parley_format_ipv6(parley_str_t s)
{
    int           groups, gap;
    size_t        i;
    parley_str_t  part;

    groups = 0;
    gap = 0;

    if (parley_str_begins(s, "::")) {
        gap = 1;
        s = parley_str_from(s, 2);
    }

    while (s.len != 0) {
        part = parley_format_cut(&s, ":");

        if (s.len == 0 && parley_format_ipv4(part)) {
            groups += 2;
            break;
        }

        if (part.len == 0 || part.len > 4) {
            return 0;
        }

        for (i = 0; i < part.len; i++) {
            if (!(parley_format_class(part.data[i]) & PARLEY_FORMAT_HEX)) {
                return 0;
            }
        }

        groups++;

        if (parley_str_begins(s, "::")) {
            if (gap++) {
                return 0;
            }

            s = parley_str_from(s, 2);

        } else if (s.len == 1) {
            return 0;

        } else if (s.len != 0) {
            s = parley_str_from(s, 1);
        }
    }

    return gap ? groups < PARLEY_FORMAT_IPV6_GROUPS
               : groups == PARLEY_FORMAT_IPV6_GROUPS;
}


static int
parley_format_ipv4(parley_str_t s)
{
    int           n;
    size_t        i;
    unsigned      value;
    parley_str_t  part;

    for (n = 0; n < 4; n++) {
        part = parley_format_cut(&s, ".");

        if (part.len == 0 || part.len > 3
            || (part.len > 1 && part.data[0] == '0'))
        {
            return 0;
        }

        value = 0;

        for (i = 0; i < part.len; i++) {
            if (!(parley_format_class(part.data[i]) & PARLEY_FORMAT_DIGIT)) {
                return 0;
            }

            value = value * 10 + (part.data[i] - '0');
        }

        if (value > 255) {
            return 0;
        }

        if (s.len != 0) {
            if (n == 3 || s.len == 1) {
                return 0;
            }

            s = parley_str_from(s, 1);

        } else if (n != 3) {
            return 0;
        }
    }

    return 1;
}
