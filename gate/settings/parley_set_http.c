/* Setters of directives of http that name no file. */

#include <string.h>

#include "gate/settings/parley_directive.h"
#include "translate/parley_name.h"
#include "state/parley_state.h"


#define PARLEY_SET_ZONE_MIN  (128 << 10)


int
parley_set_zone(parley_setting_t *d)
{
    int64_t         size;
    parley_str_t    word, value;
    const uint8_t  *p;

    word = d->words[1];
    p = memchr(word.data, ':', word.len);

    if (p == NULL || p == word.data) {
        return parley_setting_bad(d, word, "must be NAME:SIZE, such as "
                                  "agents:64m");
    }

    if (parley_setting_size(parley_str_from(word, (size_t) (p + 1 - word.data)),
                            &size)
        != 0)
    {
        return parley_setting_bad(d, word, "has no valid size");
    }

    if (size < PARLEY_SET_ZONE_MIN) {
        return parley_setting_bad(d, word, "is too small, 128k is the least");
    }

    if (d->n == 3) {

        if (!parley_setting_param(d->words[2], "share", &value)) {
            return parley_setting_bad(d, d->words[2],
                                      "is unknown, expected share=");
        }

        if (parley_share_parse(value, &d->http->share) != 0) {
            return parley_setting_bad(d, d->words[2],
                                      "is no share from 1% to 100%");
        }
    }

    d->http->zone = parley_str_make(word.data, (size_t) (p - word.data));
    d->http->zone_size = (size_t) size;

    return 0;
}


int
parley_set_self(parley_setting_t *d)
{
    size_t        i;
    parley_str_t  self;

    self = d->words[1];

    for (i = 0; i < self.len; i++) {
        if (self.data[i] <= 0x20 || self.data[i] >= 0x7F) {
            return parley_setting_bad(d, self, "must be printable ASCII "
                                      "without spaces");
        }
    }

    if (self.len == 0) {
        return parley_setting_wrong(d, "must not be empty");
    }

    if (parley_name_is_group(PARLEY_PROTO_CANONICAL, self)) {
        return parley_setting_bad(d, self, "must not be the name of a group");
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

    return parley_setting_bad(d, word, "must be a number of connections, 1% to "
                              "100%, or off");
}


int
parley_set_retain(parley_setting_t *d)
{
    size_t        i;
    int64_t       n;
    parley_str_t  v;

    for (i = 1; i < d->n; i++) {

        if (memchr(d->words[i].data, '=', d->words[i].len) == NULL) {
            return parley_setting_bad(d, d->words[i], "stands alone, expected "
                                      "count=NUMBER time=TIME");
        }

        if (parley_setting_twice(d, i)) {
            return parley_setting_bad(d, d->words[i], "is there twice");
        }

        if (parley_setting_param(d->words[i], "count", &v)) {

            if (parley_setting_number(v, &n) != 0 || n == 0) {
                return parley_setting_bad(d, d->words[i],
                                          "must be a number of messages");
            }

            d->http->retain = (uint64_t) n;

        } else if (parley_setting_param(d->words[i], "time", &v)) {

            if (parley_setting_time(v, &d->http->retain_ms) != 0
                || d->http->retain_ms == 0)
            {
                return parley_setting_bad(d, d->words[i],
                                          PARLEY_NO_TIME_SOME);
            }

        } else {
            return parley_setting_bad(d, d->words[i],
                                      "is unknown, expected count= or time=");
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

        if (parley_setting_param(d->words[i], "size", &v)) {

            if (size != 0 || parley_setting_size(v, &size) != 0 || size == 0) {
                return parley_setting_bad(d, d->words[i],
                                          "must be one size above zero");
            }

        } else if (parley_setting_param(d->words[i], "time", &v)) {

            if (time != 0 || parley_setting_time(v, &time) != 0 || time == 0) {
                return parley_setting_bad(d, d->words[i],
                                          "must be one time above zero, at "
                                          "most 36500d");
            }

        } else {
            return parley_setting_bad(d, d->words[i],
                                      "is unknown, expected size= or time=");
        }
    }

    if (size == 0) {
        return parley_setting_wrong(d, "needs size=, what first answers may "
                                    "take of the zone");
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
        return parley_setting_bad(d, d->words[1], "must be the URI of an "
                                  "internal location, such as /_jwks");
    }

    for (i = 2; i < d->n; i++) {

        if (parley_setting_twice(d, i)) {
            return parley_setting_bad(d, d->words[i], "is there twice");
        }

        if (parley_setting_param(d->words[i], "issuer", &v)) {

            if (v.len == 0) {
                return parley_setting_bad(d, d->words[i],
                                          "must not be empty");
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
            return parley_setting_bad(d, d->words[i], "is unknown, expected "
                                      "issuer=, interval=, refresh= or "
                                      "timeout=");
        }

        if (parley_setting_time(v, time) != 0 || *time == 0) {
            return parley_setting_bad(d, d->words[i], PARLEY_NO_TIME_SOME);
        }
    }

    http->jwks_uri = d->words[1];

    return 0;
}
