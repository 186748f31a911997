/* Setter of parley_deliver. */

#include "gate/settings/parley_directive.h"
#include "core/parley_url.h"


#define PARLEY_SET_DELIVER_MAX  1024


static int parley_set_hosts(parley_setting_t *d, parley_str_t word,
    parley_str_t value);


int
parley_set_deliver(parley_setting_t *d)
{
    size_t        i;
    int64_t       n;
    parley_str_t  word, value;

    word = d->words[1];

    if (word.len == 0 || word.data[0] != '/') {
        return parley_setting_bad(d, word, "must be the URI of an internal "
                                  "location, such as /_deliver");
    }

    for (i = 2; i < d->n; i++) {

        word = d->words[i];

        if (parley_setting_twice(d, i)) {
            return parley_setting_bad(d, word, "is there twice");
        }

        if (parley_setting_param(word, "hosts", &value)) {

            if (parley_set_hosts(d, word, value) != 0) {
                return -1;
            }

        } else if (parley_setting_param(word, "max", &value)) {

            if (parley_setting_number(value, &n) != 0 || n < 1
                || n > PARLEY_SET_DELIVER_MAX)
            {
                return parley_setting_bad(d, word, "is no number from 1 to "
                                          "1024");
            }

            d->http->deliver_max = (uint32_t) n;

        } else {
            return parley_setting_bad(d, word, "is unknown, expected hosts= or "
                                      "max=");
        }
    }

    if (d->http->deliver_hosts.len == 0) {
        return parley_setting_wrong(d, "needs hosts=, those that may be "
                                    "delivered to");
    }

    d->http->deliver_uri = d->words[1];
    d->http->publishes = 1;

    return 0;
}


static int
parley_set_hosts(parley_setting_t *d, parley_str_t word, parley_str_t value)
{
    parley_str_t  rest;
    parley_url_t  one;

    rest = value;

    do {
        if (parley_host_parse(rest, &one, &rest) != 0) {
            return parley_setting_bad(d, word, "has a host, or a port, that "
                                      "could be none, expected "
                                      "hosts=peer.example,10.0.0.7:8443");
        }

    } while (rest.len > 0);

    if (value.data[value.len - 1] == ',') {
        return parley_setting_bad(d, word, "ends with a comma");
    }

    d->http->deliver_hosts = value;

    return 0;
}
