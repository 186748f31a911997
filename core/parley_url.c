#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "core/parley_url.h"


/* a block of addresses: prefix and its length in bits */
typedef struct {
    uint8_t  octets[16];
    uint8_t  bits;
} parley_block_of_t;


/* RFC 6890, RFC 1918, RFC 6598, RFC 5737, RFC 2544 */
static const parley_block_of_t  parley_address_own4[] = {
    { { 0 }, 8 },
    { { 10 }, 8 },
    { { 100, 64 }, 10 },
    { { 127 }, 8 },
    { { 169, 254 }, 16 },
    { { 172, 16 }, 12 },
    { { 192, 0, 0 }, 24 },
    { { 192, 0, 2 }, 24 },
    { { 192, 168 }, 16 },
    { { 198, 18 }, 15 },
    { { 198, 51, 100 }, 24 },
    { { 203, 0, 113 }, 24 },
    { { 224 }, 3 }
};

/* RFC 4291, RFC 4193, RFC 3879, RFC 3849, RFC 6666 */
static const parley_block_of_t  parley_address_own6[] = {
    { { 0 }, 96 },                              /* ::, ::1 and ::a.b.c.d */
    { { 0x01 }, 64 },
    { { 0x20, 0x01, 0x0D, 0xB8 }, 32 },
    { { 0xFC }, 7 },
    { { 0xFE, 0x80 }, 10 },
    { { 0xFE, 0xC0 }, 10 },
    { { 0xFF }, 8 }
};


static const char *parley_url_authority(parley_str_t text, parley_url_t *ret);
static int parley_url_port(parley_str_t text, uint16_t *ret);
static int parley_url_host_is_name(parley_str_t host);
static int parley_url_address_in(const uint8_t *address,
    const parley_block_of_t *block);


const char *
parley_url_parse(parley_str_t text, parley_url_t *ret)
{
    int           dials;
    size_t        i;
    const char   *why;
    parley_str_t  rest;

    memset(ret, 0, sizeof(parley_url_t));

    if (text.len > PARLEY_URL_MAX) {
        return "is too long";
    }

    for (i = 0; i < text.len; i++) {
        if (text.data[i] <= 0x20 || text.data[i] >= 0x7F
            || memchr("\"<>\\^`{|}#", text.data[i], 10) != NULL)
        {
            return text.data[i] == '#' ? "has a fragment"
                   : "has an octet that is not allowed in a URL";
        }
    }

    i = parley_url_wss(text);
    dials = i != 0;

    if (i == 0) {
        i = sizeof("https://") - 1;

        if (text.len < i
            || strncasecmp((const char *) text.data, "https://", i) != 0)
        {
            return "is not an https or wss URL";
        }
    }

    rest = parley_str_from(text, i);

    for (i = 0; i < rest.len && rest.data[i] != '/' && rest.data[i] != '?';
         i++)
    {
        if (rest.data[i] == '@') {
            return "has a userinfo";
        }
    }

    ret->rest = parley_str_from(rest, i);

    why = parley_url_authority(parley_str_make(rest.data, i), ret);

    ret->dials = dials != 0;

    return why;
}


size_t
parley_url_wss(parley_str_t text)
{
    size_t  n;

    n = sizeof("wss://") - 1;

    return text.len >= n
           && strncasecmp((const char *) text.data, "wss://", n) == 0 ? n : 0;
}


static const char *
parley_url_authority(parley_str_t text, parley_url_t *ret)
{
    parley_str_t  rest, path;

    path = ret->rest;

    if (parley_url_host(text, ret, &rest) != 0 || rest.len != 0
        || (text.len > 0 && text.data[text.len - 1] == ','))
    {
        return "has an invalid host or port";
    }

    ret->rest = path;

    return NULL;
}


int
parley_url_host(parley_str_t text, parley_url_t *ret, parley_str_t *rest)
{
    uint8_t         octets[16];
    parley_str_t    one;
    const uint8_t  *p, *end;

    memset(ret, 0, sizeof(parley_url_t));

    one = parley_str_until(text, ',');
    *rest = one.len < text.len ? parley_str_from(text, one.len + 1)
                               : parley_str_none;

    end = one.data + one.len;
    p = one.len > 0 && one.data[0] == '[' ? memchr(one.data, ']', one.len)
                                          : NULL;
    p = p != NULL ? p + 1 : NULL;

    if (p == NULL) {
        p = one.len > 0 ? memchr(one.data, ':', one.len) : NULL;
        p = p != NULL ? p : end;
    }

    ret->host = parley_str_make(one.data, (size_t) (p - one.data));
    ret->port = PARLEY_URL_PORT;

    if (p != end
        && (*p != ':'
            || parley_url_port(parley_str_make(p + 1, (size_t) (end - p - 1)),
                               &ret->port)
               != 0))
    {
        return -1;
    }

    ret->ported = p != end;

    return parley_url_host_address(ret->host, octets) != 0
           || parley_url_host_is_name(ret->host) ? 0 : -1;
}


static int
parley_url_port(parley_str_t text, uint16_t *ret)
{
    size_t    i;
    uint32_t  n;

    n = 0;

    for (i = 0; i < text.len && i < 6; i++) {

        if (text.data[i] < '0' || text.data[i] > '9') {
            return -1;
        }

        n = n * 10 + (uint32_t) (text.data[i] - '0');
    }

    if (text.len == 0 || text.len > 5 || n == 0 || n > UINT16_MAX) {
        return -1;
    }

    *ret = (uint16_t) n;

    return 0;
}


/* Labels must be letters, digits and hyphens.  The last label must not be a
   number: some parsers read such a name as an IPv4 address. */

static int
parley_url_host_is_name(parley_str_t host)
{
    size_t   i, label;
    uint8_t  c;
    int      digits;

    if (host.len == 0 || host.len > PARLEY_HOST_MAX) {
        return 0;
    }

    label = 0;
    digits = 1;

    for (i = 0; i < host.len; i++) {
        c = host.data[i];

        if (c == '.') {

            if (label == 0 || host.data[i - 1] == '-') {
                return 0;
            }

            label = 0;
            digits = 1;
            continue;
        }

        if ((!parley_is_alnum(c) && (c != '-' || label == 0) && c != '_')
            || ++label > 63)
        {
            return 0;
        }

        digits = digits && c >= '0' && c <= '9';
    }

    return label != 0 && !digits && host.data[host.len - 1] != '-';
}


int
parley_hosts_have(parley_str_t list, parley_str_t host, uint16_t port)
{
    parley_url_t  one;

    while (list.len > 0) {

        if (parley_url_host(list, &one, &list) != 0) {
            return 0;
        }

        if (one.port == port && one.host.len == host.len
            && strncasecmp((const char *) one.host.data,
                           (const char *) host.data, host.len)
               == 0)
        {
            return 1;
        }
    }

    return 0;
}


size_t
parley_url_host_address(parley_str_t host, uint8_t ret[16])
{
    char  text[INET6_ADDRSTRLEN];

    static const uint8_t  mapped[12] = { [10] = 0xFF, [11] = 0xFF };

    if (host.len > 2 && host.data[0] == '['
        && host.data[host.len - 1] == ']')
    {
        host = parley_str_make(host.data + 1, host.len - 2);

        if (host.len >= sizeof(text)) {
            return 0;
        }

        memcpy(text, host.data, host.len);
        text[host.len] = '\0';

        if (inet_pton(AF_INET6, text, ret) != 1) {
            return 0;
        }

        if (memcmp(ret, mapped, sizeof(mapped)) == 0) {
            memmove(ret, ret + sizeof(mapped), 4);
            return 4;
        }

        return 16;
    }

    if (host.len == 0 || host.len >= INET_ADDRSTRLEN) {
        return 0;
    }

    memcpy(text, host.data, host.len);
    text[host.len] = '\0';

    return inet_pton(AF_INET, text, ret) == 1 ? 4 : 0;
}


int
parley_url_is_public(const uint8_t *address, size_t n)
{
    size_t  i;

    static const uint8_t  mapped[12] = { [10] = 0xFF, [11] = 0xFF };
    static const uint8_t  nat64[12] = { 0x00, 0x64, 0xFF, 0x9B };

    if (n == 4) {

        for (i = 0; i < sizeof(parley_address_own4)
                        / sizeof(parley_address_own4[0]); i++)
        {
            if (parley_url_address_in(address, &parley_address_own4[i])) {
                return 0;
            }
        }

        return 1;
    }

    if (memcmp(address, mapped, sizeof(mapped)) == 0
        || memcmp(address, nat64, sizeof(nat64)) == 0)
    {
        return parley_url_is_public(address + 12, 4);
    }

    if (address[0] == 0x20 && address[1] == 0x02) {
        /* 6to4 */
        return parley_url_is_public(address + 2, 4);
    }

    for (i = 0; i < sizeof(parley_address_own6)
                    / sizeof(parley_address_own6[0]); i++)
    {
        if (parley_url_address_in(address, &parley_address_own6[i])) {
            return 0;
        }
    }

    return 1;
}


static int
parley_url_address_in(const uint8_t *address, const parley_block_of_t *block)
{
    size_t   whole;
    uint8_t  mask;

    whole = block->bits / 8;
    mask = (uint8_t) (0xFF << (8 - block->bits % 8));

    return memcmp(address, block->octets, whole) == 0
           && (block->bits % 8 == 0
               || (address[whole] & mask) == (block->octets[whole] & mask));
}
