#include "core/parley_hex.h"
#include "moqt/parley_moqt_uri.h"


static int parley_moqt_uri_chars(parley_str_t s, const char *more);
static int parley_moqt_uri_host(parley_str_t s);
static int parley_moqt_uri_port(parley_str_t s);


int
parley_moqt_uri_path(parley_str_t s)
{
    size_t  query;

    query = parley_str_until(s, '?').len;

    return (query == 0 || s.data[0] == '/')
           && parley_moqt_uri_chars(parley_str_make(s.data, query), ":@/")
           && (query == s.len
               || parley_moqt_uri_chars(parley_str_from(s, query + 1),
                                        ":@/?"));
}


int
parley_moqt_uri_authority(parley_str_t s)
{
    size_t  user;

    user = parley_str_until(s, '@').len;

    if (user < s.len) {

        if (!parley_moqt_uri_chars(parley_str_make(s.data, user), ":")) {
            return 0;
        }

        s = parley_str_from(s, user + 1);
    }

    return parley_moqt_uri_host(s);
}


static int
parley_moqt_uri_host(parley_str_t s)
{
    size_t  len;

    if (s.len > 0 && s.data[0] == '[') {

        len = parley_str_until(s, ']').len;

        return len > 1 && len < s.len
               && parley_moqt_uri_chars(parley_str_make(s.data + 1, len - 1),
                                        ":")
               && parley_moqt_uri_port(parley_str_from(s, len + 1));
    }

    len = parley_str_until(s, ':').len;

    return len > 0 && parley_moqt_uri_chars(parley_str_make(s.data, len), "")
           && parley_moqt_uri_port(parley_str_from(s, len));
}


/* Returns whether s is empty, or a colon and digits, which may be missing. */

static int
parley_moqt_uri_port(parley_str_t s)
{
    size_t  i;

    if (s.len > 0 && s.data[0] != ':') {
        return 0;
    }

    for (i = 1; i < s.len; i++) {
        if (s.data[i] < '0' || s.data[i] > '9') {
            return 0;
        }
    }

    return 1;
}


/*
 * Returns whether s has only unreserved characters, sub-delims, characters of
 * more, and "%" with two hex digits.
 */

static int
parley_moqt_uri_chars(parley_str_t s, const char *more)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; i < s.len; i++) {
        c = s.data[i];

        if ((c >= '0' && c <= '9')
            || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
        {
            continue;
        }

        if (c == '%') {
            if (s.len - i < 3 || parley_hex_digit(s.data[i + 1]) < 0
                || parley_hex_digit(s.data[i + 2]) < 0)
            {
                return 0;
            }

            i += 2;
            continue;
        }

        if (c == '\0' || (strchr("-._~!$&'()*+,;=", c) == NULL
                          && strchr(more, c) == NULL))
        {
            return 0;
        }
    }

    return 1;
}
