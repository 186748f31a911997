/* Setters of parley_moq, parley_moq_limits and parley_moq_endpoint. */

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "gate/settings/parley_directive.h"
#include "gate/settings/parley_moq_conf.h"
#include "core/parley_buf.h"
#include "core/parley_url.h"


#define PARLEY_SET_MOQ_AGE_MAX        ((int64_t) 24855 * 24 * 3600 * 1000)
#define PARLEY_SET_MOQ_HANDSHAKE_MAX  60000

#define PARLEY_SET_MOQ_SESSIONS       16
#define PARLEY_SET_MOQ_TRACKS         64
#define PARLEY_SET_MOQ_LAG            (1 << 20)
#define PARLEY_SET_MOQ_OBJECT         (256 << 10)


static int parley_set_moq_quic(const parley_setting_t *d);
static int parley_set_moq_word(parley_setting_t *d, size_t i,
    parley_moq_conf_t *ret);
static const char *parley_set_moq_uri(parley_str_t text, parley_url_t *ret);
static int parley_set_moq_uint(parley_setting_t *d, parley_str_t word,
    const parley_range_t *range, uint32_t *ret);


int
parley_set_moq(parley_setting_t *d)
{
    size_t              i;
    parley_moq_conf_t  *conf;

    if (parley_set_moq_quic(d) != 0) {
        return -1;
    }

    conf = parley_arena_calloc(d->env->arena, sizeof(parley_moq_conf_t));

    if (conf == NULL) {
        return -1;
    }

    parley_set_stream_init(&conf->stream, PARLEY_PROTO_TRACKS);

    conf->stream.form = PARLEY_FORM_OBJECTS;
    conf->stream.lag = PARLEY_SET_MOQ_LAG;
    conf->sessions = PARLEY_SET_MOQ_SESSIONS;
    conf->tracks = PARLEY_SET_MOQ_TRACKS;
    conf->object = PARLEY_SET_MOQ_OBJECT;

    for (i = 1; i < d->n; i++) {
        if (parley_set_moq_word(d, i, conf) != 0) {
            return -1;
        }
    }

    if (conf->messages.len == 0) {
        return parley_setting_wrong(d, "needs messages=, the URI of the "
                                    "location that gets each CMD");
    }

    if (parley_set_stream_gone(d, &conf->stream) != 0) {
        return -1;
    }

    d->s->moq = conf;
    d->http->connects = d->problem->where;
    d->http->publishes = 1;
    d->http->reads |= PARLEY_PROTO_BIT(PARLEY_PROTO_TRACKS);

    return 0;
}


/* MOQ-18 */

static int
parley_set_moq_quic(const parley_setting_t *d)
{
    return d->env->quic ? 0
           : parley_problem(d->problem, "\"%s\" needs an nginx with QUIC "
                            "(1.25 or later, http_v3)", d->row->name);
}


static int
parley_set_moq_word(parley_setting_t *d, size_t i, parley_moq_conf_t *ret)
{
    int64_t       n;
    parley_str_t  word, value;

    word = d->words[i];

    if (parley_setting_param(word, "lag", &value)) {
        return parley_set_stream_word(d, i, &ret->stream);
    }

    if (parley_setting_once(d, i) != 0) {
        return -1;
    }

    if (parley_setting_param(word, "messages", &value)) {

        if (value.len == 0 || value.data[0] != '/') {
            return parley_setting_not(d, word, "a path", "the URI of a "
                                      "location of this server, such as "
                                      "messages=/agents/moq");
        }

        ret->messages = value;

        return 0;
    }

    if (parley_setting_param(word, "sessions", &value)) {
        return parley_set_moq_uint(d, word, parley_range(1, 1024),
                                   &ret->sessions);
    }

    if (parley_setting_param(word, "tracks", &value)) {
        return parley_set_moq_uint(d, word, parley_range(1, 65536),
                                   &ret->tracks);
    }

    if (parley_setting_param(word, "object", &value)) {

        if (parley_setting_read_size(d, word, parley_range(1024, 16 << 20), &n)
            != 0)
        {
            return -1;
        }

        ret->object = (uint32_t) n;

        return 0;
    }

    if (parley_setting_param(word, "age", &value)) {

        if (parley_setting_read_seconds(d, word,
                                        parley_range(0, PARLEY_SET_MOQ_AGE_MAX),
                                        &n)
            != 0)
        {
            return -1;
        }

        ret->age = (uint32_t) n;

        return 0;
    }

    if (parley_setting_param(word, "stateless", &value)) {

        if (!parley_str_is(value, "on") && !parley_str_is(value, "off")) {
            return parley_setting_unknown(d, word, "stateless=on or "
                                          "stateless=off");
        }

        ret->stateless = parley_str_is(value, "on") ? 1 : 0;

        return 0;
    }

    return parley_setting_unknown(d, word, "messages=, sessions=, tracks=, "
                                  "lag=, object=, stateless= or age=");
}


int
parley_set_moq_limits(parley_setting_t *d)
{
    size_t        i;
    parley_str_t  word, value;

    if (parley_set_moq_quic(d) != 0) {
        return -1;
    }

    for (i = 1; i < d->n; i++) {
        word = d->words[i];

        if (parley_setting_once(d, i) != 0) {
            return -1;
        }

        if (parley_setting_param(word, "connections", &value)) {

            if (parley_set_moq_uint(d, word, parley_range(1, 1000000),
                                    &d->http->moq_connections)
                != 0)
            {
                return -1;
            }

        } else if (parley_setting_param(word, "handshake", &value)) {

            if (parley_setting_read_time(d, word,
                                         parley_range(1000,
                                                PARLEY_SET_MOQ_HANDSHAKE_MAX),
                                         &d->http->moq_handshake_ms)
                != 0)
            {
                return -1;
            }

        } else {
            return parley_setting_unknown(d, word, "connections= or "
                                          "handshake=");
        }
    }

    return 0;
}


static int
parley_set_moq_uint(parley_setting_t *d, parley_str_t word,
    const parley_range_t *range, uint32_t *ret)
{
    int64_t  n;

    if (parley_setting_read_number(d, word, range, &n) != 0) {
        return -1;
    }

    *ret = (uint32_t) n;

    return 0;
}


/* MOQ-08: writes {"moq_endpoint":"quic://host:port","moqt_uri":"moqt://..."} */

int
parley_set_moq_endpoint(parley_setting_t *d)
{
    char                    place[sizeof("quic://:65535") + PARLEY_HOST_MAX];
    const char             *why;
    parley_buf_t            b;
    parley_str_t            word;
    parley_url_t            url;
    parley_moq_endpoint_t  *endpoint;

    word = d->words[1];
    why = parley_set_moq_uri(word, &url);

    if (why != NULL) {
        return parley_problem(d->problem, "\"%s\": \"%.*s\" %s; expected "
                              "moqt://host[:port]/path", d->row->name,
                              (int) word.len, (const char *) word.data, why);
    }

    endpoint = parley_arena_calloc(d->env->arena,
                                   sizeof(parley_moq_endpoint_t));
    if (endpoint == NULL) {
        return -1;
    }

    endpoint->path = parley_str_until(url.rest, '?');
    endpoint->where = d->problem->where;
    endpoint->next = d->http->endpoints;
    d->http->endpoints = endpoint;

    (void) snprintf(place, sizeof(place), "quic://%.*s:%u", (int) url.host.len,
                    (const char *) url.host.data, url.port);

    parley_buf_init(&b, d->env->arena, 0);
    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("moq_endpoint"), parley_str_c(place));
    parley_buf_member(&b, PARLEY_STR("moqt_uri"), word);
    parley_buf_octet(&b, '}');

    return parley_buf_done(&b, &d->s->moq_endpoint);
}


/*
 * Reads moqt://host[:port]/path[?query].  The rules of an https URL apply.
 * Returns NULL, or a text that names the fault.
 */

static const char *
parley_set_moq_uri(parley_str_t text, parley_url_t *ret)
{
    char         https[PARLEY_URL_MAX];
    const char  *why;

    static const char  scheme[] = "moqt://";

    if (text.len < sizeof(scheme) - 1
        || strncasecmp((const char *) text.data, scheme, sizeof(scheme) - 1)
           != 0)
    {
        return "is not a moqt URI";
    }

    if (text.len >= sizeof(https)) {
        return "is too long";
    }

    (void) snprintf(https, sizeof(https), "https%.*s", (int) text.len - 4,
                    (const char *) text.data + 4);

    why = parley_url_parse(parley_str_c(https), ret);

    if (why != NULL) {
        return why;
    }

    if (ret->rest.len == 0 || ret->rest.data[0] != '/') {
        return "has no path";
    }

    /* the host and the path of text */

    ret->host.data = text.data + sizeof(scheme) - 1;
    ret->rest.data = text.data + text.len - ret->rest.len;

    return NULL;
}
