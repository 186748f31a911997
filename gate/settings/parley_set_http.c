/* Setters of directives of http that name no file. */

#include <string.h>

#include "gate/settings/parley_directive.h"
#include "translate/parley_name.h"
#include "state/parley_state.h"


#define PARLEY_SET_ZONE_MIN  (128 << 10)


static int parley_set_zone_wrong(const parley_setting_t *d, parley_str_t word);


int
parley_set_zone(parley_setting_t *d)
{
    int64_t         size;
    parley_str_t    word, value;
    const uint8_t  *p;

    word = d->words[1];
    p = memchr(word.data, ':', word.len);

    if (p == NULL || p == word.data) {
        return parley_set_zone_wrong(d, word);
    }

    if (parley_setting_size(parley_str_from(word, (size_t) (p + 1 - word.data)),
                            &size)
        != 0
        || size < PARLEY_SET_ZONE_MIN)
    {
        return parley_set_zone_wrong(d, word);
    }

    if (d->n == 3) {

        if (!parley_setting_param(d->words[2], "share", &value)) {
            return parley_setting_unknown(d, d->words[2], "share=");
        }

        if (parley_share_parse(value, &d->http->share) != 0) {
            return parley_setting_not(d, d->words[2], "a share",
                                      "1% to 100%");
        }
    }

    d->http->zone = parley_str_make(word.data, (size_t) (p - word.data));
    d->http->zone_size = (size_t) size;

    return 0;
}


static int
parley_set_zone_wrong(const parley_setting_t *d, parley_str_t word)
{
    return parley_setting_not(d, word, "a name and a size", "NAME:SIZE of "
                              "128k or more, such as agents:64m");
}


int
parley_set_self(parley_setting_t *d)
{
    size_t        i;
    parley_str_t  self;

    self = d->words[1];

    for (i = 0; i < self.len; i++) {
        if (self.data[i] <= 0x20 || self.data[i] >= 0x7F) {
            return parley_setting_not(d, self, "a name", "printable ASCII "
                                      "without spaces");
        }
    }

    if (self.len == 0) {
        return parley_setting_bad(d, self, PARLEY_SETTING_EMPTY);
    }

    if (parley_name_is_group(PARLEY_PROTO_CANONICAL, self)) {
        return parley_setting_bad(d, self, "is the name of a group; expected "
                                  "the name of an agent");
    }

    d->http->self = self;

    return 0;
}


/*
 * SEC-22: reads a number of connections, or a share of a worker's connections.
 */

int
parley_set_connections(parley_setting_t *d)
{
    int64_t       n;
    parley_str_t  word;

    word = d->words[1];

    d->http->connections = 0;
    d->http->connections_share = 0;

    if (parley_str_is(word, "off")) {
        return 0;
    }

    if (parley_setting_number(word, &n) == 0 && n > 0 && n <= INT32_MAX) {
        d->http->connections = (uint32_t) n;
        return 0;
    }

    if (parley_share_parse(word, &d->http->connections_share) == 0) {
        return 0;
    }

    return parley_setting_not(d, word, "a number of connections",
                              "1 to 2147483647, 1% to 100% or off");
}


int
parley_set_retain(parley_setting_t *d)
{
    size_t        i;
    int64_t       n;
    parley_str_t  v;

    for (i = 1; i < d->n; i++) {

        if (parley_setting_once(d, i) != 0) {
            return -1;
        }

        if (parley_setting_param(d->words[i], "count", &v)) {

            if (parley_setting_read_number(d, d->words[i],
                                           parley_range(1, INT64_MAX), &n)
                != 0)
            {
                return -1;
            }

            d->http->retain = (uint64_t) n;

        } else if (parley_setting_param(d->words[i], "time", &v)) {

            if (parley_setting_read_time(d, d->words[i], PARLEY_RANGE_TIME_SET,
                                         &d->http->retain_ms)
                != 0)
            {
                return -1;
            }

        } else {
            return parley_setting_unknown(d, d->words[i],
                                          "count=NUMBER or time=TIME");
        }
    }

    return 0;
}


int
parley_set_replay(parley_setting_t *d)
{
    size_t        i;
    int64_t       size, time;
    parley_str_t  v;

    size = 0;
    time = 0;

    for (i = 1; i < d->n; i++) {

        if (parley_setting_once(d, i) != 0) {
            return -1;
        }

        if (parley_setting_param(d->words[i], "size", &v)) {

            if (parley_setting_read_size(d, d->words[i],
                                         parley_range(1, INT64_MAX), &size)
                != 0)
            {
                return -1;
            }

        } else if (parley_setting_param(d->words[i], "time", &v)) {

            if (parley_setting_read_time(d, d->words[i], PARLEY_RANGE_TIME_SET,
                                         &time)
                != 0)
            {
                return -1;
            }

        } else {
            return parley_setting_unknown(d, d->words[i], "size= or time=");
        }
    }

    if (size == 0) {
        return parley_setting_wrong(d, "needs size=, the part of the zone for "
                                    "first answers");
    }

    d->http->replay_size = (size_t) size;

    if (time != 0) {
        d->http->replay_ms = time;
    }

    return 0;
}


int
parley_set_jwks_request(parley_setting_t *d)
{
    size_t                   i;
    int64_t                 *time;
    parley_str_t             v;
    parley_settings_http_t  *http = d->http;

    if (d->words[1].len == 0 || d->words[1].data[0] != '/') {
        return parley_setting_not(d, d->words[1], "a path", "the URI of an "
                                  "internal location, such as /_jwks");
    }

    for (i = 2; i < d->n; i++) {

        if (parley_setting_once(d, i) != 0) {
            return -1;
        }

        if (parley_setting_param(d->words[i], "issuer", &v)) {

            if (v.len == 0) {
                return parley_setting_bad(d, d->words[i],
                                          PARLEY_SETTING_EMPTY);
            }

            http->jwks_issuer = v;
            continue;
        }

        if (parley_setting_param(d->words[i], "interval", &v)) {
            time = &http->jwks_interval_ms;

        } else if (parley_setting_param(d->words[i], "refresh", &v)) {
            time = &http->jwks_refresh_ms;

        } else if (parley_setting_param(d->words[i], "timeout", &v)) {
            time = &http->jwks_timeout_ms;

        } else {
            return parley_setting_unknown(d, d->words[i], "issuer=, "
                                          "interval=, refresh= or timeout=");
        }

        if (parley_setting_read_time(d, d->words[i], PARLEY_RANGE_TIME_SET,
                                     time)
            != 0)
        {
            return -1;
        }
    }

    http->jwks_uri = d->words[1];

    return 0;
}
