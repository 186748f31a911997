#include <string.h>

#include "auth/parley_origin.h"
#include "core/parley_url.h"


static const struct {
    parley_str_t  text;
    uint16_t      port;
} parley_origin_schemes[] = {
    { parley_str("https://"), 443 },
    { parley_str("http://"), 80 },
};


static parley_str_t parley_origin_host(parley_str_t text, uint16_t *ret_port);
static parley_str_t parley_origin_label(parley_str_t *host);


const char *
parley_origin_parse(parley_str_t text, parley_str_t *ret)
{
    int           wild;
    size_t        i;
    uint16_t      port;
    parley_url_t  url;
    parley_str_t  host, rest;

    host = parley_origin_host(text, &port);

    if (host.len == 0) {
        return "is not an origin; expected https://HOST or http://HOST";
    }

    for (i = 0; i < host.len; i++) {
        if (host.data[i] >= 'A' && host.data[i] <= 'Z') {
            return "is not an origin; expected lower case, as browsers send";
        }
    }

    wild = parley_str_begins(host, "*.");

    if (wild) {
        host = parley_str_from(host, 2);
    }

    if (parley_url_host(host, &url, &rest) != 0
        || memchr(host.data, ',', host.len) != NULL
        || (url.ported && url.host.data[url.host.len + 1] == '0'))
    {
        return "is not an origin; expected a host and a port from 1 to 65535";
    }

    *ret = url.ported && url.port == port
           ? parley_str_make(text.data,
                             (size_t) (url.host.data + url.host.len
                                       - text.data))
           : text;

    return NULL;
}


int
parley_origin_match(parley_str_t pattern, parley_str_t origin)
{
    uint16_t      port, other;
    parley_str_t  wild, host, label;

    wild = parley_origin_host(pattern, &port);

    if (!parley_str_begins(wild, "*.")) {
        return parley_str_eq(pattern, origin);
    }

    host = parley_origin_host(origin, &other);

    if (port != other) {
        return 0;
    }

    label = parley_origin_label(&host);

    return label.len > 0
           && parley_str_eq(parley_str_from(wild, 1), host);
}


/* Returns the part after the scheme, empty if the scheme is another one. */

static parley_str_t
parley_origin_host(parley_str_t text, uint16_t *ret_port)
{
    size_t        i;
    parley_str_t  scheme;

    for (i = 0; i < 2; i++) {
        scheme = parley_origin_schemes[i].text;

        if (text.len > scheme.len
            && parley_str_eq(parley_str_make(text.data, scheme.len), scheme))
        {
            *ret_port = parley_origin_schemes[i].port;
            return parley_str_from(text, scheme.len);
        }
    }

    *ret_port = 0;

    return parley_str_none;
}


/* Takes the label that host begins with; empty if it is not a label. */

static parley_str_t
parley_origin_label(parley_str_t *host)
{
    size_t        i;
    uint8_t       c;
    parley_str_t  label;

    for (i = 0; i < host->len; i++) {
        c = host->data[i];

        if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-'
            && c != '_')
        {
            break;
        }
    }

    label = parley_str_make(host->data, i);
    *host = parley_str_from(*host, i);

    return label;
}
