/* Setter of parley_deliver. */

#include "gate/settings/parley_directive.h"
#include "core/parley_url.h"


static const parley_range_t  parley_set_deliver_max = { 1, 1024 };


static int parley_set_hosts(parley_setting_t *d, parley_str_t word,
    parley_str_t value);
static int parley_set_hosts_wrong(const parley_setting_t *d,
    parley_str_t word);


int
parley_set_deliver(parley_setting_t *d)
{
    size_t        i;
    int64_t       n;
    parley_str_t  word, value;

    word = d->words[1];

    if (word.len == 0 || word.data[0] != '/') {
        return parley_setting_not(d, word, "a path", "the URI of an internal "
                                  "location, such as /_deliver");
    }

    for (i = 2; i < d->n; i++) {

        word = d->words[i];

        if (parley_setting_once(d, i) != 0) {
            return -1;
        }

        if (parley_setting_param(word, "hosts", &value)) {

            if (parley_set_hosts(d, word, value) != 0) {
                return -1;
            }

        } else if (parley_setting_param(word, "max", &value)) {

            if (parley_setting_read_number(d, word, &parley_set_deliver_max, &n)
                != 0)
            {
                return -1;
            }

            d->http->deliver_max = (uint32_t) n;

        } else if (parley_setting_param(word, "websocket", &value)) {

            if (value.len == 0 || value.data[0] != '/') {
                return parley_setting_not(d, word, "a path", "the URI of a "
                                          "location with "
                                          "\"parley_websocket\", such as "
                                          "websocket=/vcp/ws");
            }

            d->http->deliver_websocket = value;

        } else {
            return parley_setting_unknown(d, word, "hosts=, max= or "
                                          "websocket=");
        }
    }

    if (d->http->deliver_hosts.len == 0) {
        return parley_setting_wrong(d, "needs hosts=, the hosts that "
                                    "deliveries may go to");
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
        if (parley_url_host(rest, &one, &rest) != 0) {
            return parley_set_hosts_wrong(d, word);
        }

    } while (rest.len > 0);

    if (value.data[value.len - 1] == ',') {
        return parley_set_hosts_wrong(d, word);
    }

    d->http->deliver_hosts = value;

    return 0;
}


static int
parley_set_hosts_wrong(const parley_setting_t *d, parley_str_t word)
{
    return parley_setting_not(d, word, "a list of hosts and ports", "HOST or "
                              "HOST:PORT, such as "
                              "hosts=peer.example,10.0.0.7:8443");
}
