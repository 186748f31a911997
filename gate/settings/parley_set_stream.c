/* Setters of directives that publish messages or have subscribers. */

#include <stdio.h>
#include <string.h>

#include "gate/settings/parley_directive.h"
#include "translate/parley_codec.h"
#include "state/parley_log.h"
#include "translate/channel/parley_channel_scope.h"


#define PARLEY_SET_DAY           ((int64_t) 24 * 3600 * 1000)
#define PARLEY_SET_HOLD_MAX      60000
#define PARLEY_SET_MCP_HOLD      20000

/* milliseconds; the seconds fit into 31 bits */
#define PARLEY_SET_AGE_MAX       (24855 * PARLEY_SET_DAY)

/* VCP-20: seconds between two pings, at most */
#define PARLEY_SET_PING_MAX      30

/*
 * HUB-11: seconds until the gateway knows that a client is gone, at most.  The
 * time is "keepalive" until the gateway writes, plus "timeout" for the
 * acknowledgment.  5 of 60 s are left for late timers.
 */
#define PARLEY_SET_GONE_MAX      55
#define PARLEY_SET_PART_MAX      ((PARLEY_SET_GONE_MAX - 1) * 1000)
#define PARLEY_SET_KEEPALIVE     15
#define PARLEY_SET_TIMEOUT       30

/* "keepalive" and "timeout" are 0 until parley_set_stream_gone() */
static const parley_stream_t  parley_stream_default = {
    .proto = PARLEY_PROTO_NONE,
    .lag = 256 << 10,
    .retry = 2000
};


static parley_submit_conf_t *parley_set_submission(parley_setting_t *d);
static int parley_set_submit_word(parley_setting_t *d, size_t i,
    parley_submit_conf_t *ret);
static int parley_set_await(parley_setting_t *d, parley_str_t word,
    parley_str_t value, int64_t *ret);
static int parley_set_counts(parley_setting_t *d, parley_str_t word,
    int *ret);
static int parley_set_submit_off(parley_setting_t *d, parley_str_t word,
    parley_str_t forms, parley_submit_conf_t *ret);
static parley_proto_t parley_set_stream_proto(parley_setting_t *d);
static void parley_set_stream_unknown(parley_setting_t *d);
static int parley_set_websocket_word(parley_setting_t *d, size_t i,
    parley_websocket_conf_t *ret);
static int parley_set_seconds(parley_setting_t *d, parley_str_t word,
    int64_t max, uint32_t *ret);


int
parley_set_submit(parley_setting_t *d)
{
    parley_submit_conf_t  *conf;

    conf = parley_set_submission(d);

    if (conf == NULL) {
        return -1;
    }

    d->s->submit = conf;

    return 0;
}


/* ACH-27 */

int
parley_set_mcp(parley_setting_t *d)
{
    parley_submit_conf_t  *conf;

    conf = parley_set_submission(d);

    if (conf == NULL) {
        return -1;
    }

    if (conf->accept != PARLEY_PROTO_BIT(PARLEY_PROTO_VERBS)) {
        return parley_setting_wrong(d, "has another protocol; expected "
                                    "\"channel\"");
    }

    if (conf->hold == 0) {

        if (conf->unheld) {
            return parley_setting_wrong(d, "cannot have \"hold=off\": its "
                                        "calls wait for frames");
        }

        conf->hold = PARLEY_SET_MCP_HOLD;
    }

    d->s->mcp = conf;
    d->http->reads |= PARLEY_PROTO_BIT(PARLEY_PROTO_VERBS);

    return 0;
}


/* Returns NULL with d->problem set, or if memory is exhausted. */

static parley_submit_conf_t *
parley_set_submission(parley_setting_t *d)
{
    size_t                 i;
    parley_submit_conf_t  *conf;

    conf = parley_arena_calloc(d->env->arena, sizeof(parley_submit_conf_t));

    if (conf == NULL) {
        return NULL;
    }

    conf->expand.max = PARLEY_LOGS_MAX;

    for (i = 1; i < d->n; i++) {
        if (parley_set_submit_word(d, i, conf) != 0) {
            return NULL;
        }
    }

    if (conf->accept == 0) {
        (void) parley_setting_wrong(d, "has no protocol; expected "
                                    PARLEY_PROTOCOL_WORDS);
        return NULL;
    }

    d->http->publishes = 1;

    return conf;
}


static int
parley_set_submit_word(parley_setting_t *d, size_t i,
    parley_submit_conf_t *ret)
{
    int64_t         n;
    parley_str_t    word, value;
    parley_proto_t  proto;

    word = d->words[i];

    if (parley_setting_once(d, i) != 0) {
        return -1;
    }

    if (parley_setting_param(word, "counts", &value)) {
        return parley_set_counts(d, word, &ret->coarse);
    }

    if (parley_setting_param(word, "max", &value)) {

        if (parley_setting_read_number(d, word,
                                       parley_range(1, PARLEY_LOGS_MAX), &n)
            != 0)
        {
            return -1;
        }

        if (n > PARLEY_LOGS_SHARED && d->http->wide.line == 0) {
            d->http->wide = d->problem->where;
        }

        ret->expand.max = (size_t) n;

        return 0;
    }

    if (parley_setting_param(word, "declares", &value)) {

        if (parley_setting_read_number(d, word, parley_range(1, 1000000), &n)
            != 0)
        {
            return -1;
        }

        ret->declares = (uint32_t) n;

        return 0;
    }

    if (parley_setting_param(word, "hold", &value)) {
        ret->unheld = parley_str_is(value, "off");
        return parley_set_await(d, word, value, &ret->hold);
    }

    if (parley_setting_param(word, "off", &value)) {
        return parley_set_submit_off(d, word, value, ret);
    }

    proto = parley_proto_find(word);

    if (proto == PARLEY_PROTO_NONE) {
        return parley_setting_not(d, word, "a protocol", PARLEY_PROTOCOL_WORDS
                                  ", hold=, counts=, max=, off= or declares=");
    }

    if (ret->accept & PARLEY_PROTO_BIT(proto)) {
        return parley_setting_bad(d, word, PARLEY_SETTING_DUPLICATE);
    }

    ret->accept |= PARLEY_PROTO_BIT(proto);

    return 0;
}


static int
parley_set_await(parley_setting_t *d, parley_str_t word, parley_str_t value,
    int64_t *ret)
{
    if (parley_str_is(value, "off")) {
        *ret = 0;
        return 0;
    }

    if (parley_setting_time(value, ret) < 0) {
        return parley_setting_not(d, word, "a time", "1s to 60s or off");
    }

    return *ret >= 1000 && *ret <= PARLEY_SET_HOLD_MAX ? 0
           : parley_setting_not(d, word, "in the range", "1s to 60s or off");
}


static int
parley_set_counts(parley_setting_t *d, parley_str_t word, int *ret)
{
    if (!parley_str_is(word, "counts=exact")
        && !parley_str_is(word, "counts=coarse"))
    {
        return parley_setting_unknown(d, word, "counts=exact or counts=coarse");
    }

    *ret = parley_str_is(word, "counts=coarse");

    return 0;
}


/* ACH-17: reads the forms of scopes that are scope-unimplemented. */

static int
parley_set_submit_off(parley_setting_t *d, parley_str_t word,
    parley_str_t forms, parley_submit_conf_t *ret)
{
    unsigned      i;
    parley_str_t  form;

    static const struct {
        parley_str_t  name;
        unsigned      form;
    } names[] = {
        { parley_str("handle"), PARLEY_CHANNEL_SCOPE_HANDLE },
        { parley_str("sessions"), PARLEY_CHANNEL_SCOPE_SESSIONS },
        { parley_str("prefix"), PARLEY_CHANNEL_SCOPE_PREFIX },
        { parley_str("session"), PARLEY_CHANNEL_SCOPE_SESSION },
        { parley_str("members"), PARLEY_CHANNEL_SCOPE_MEMBERS },
        { parley_str("role"), PARLEY_CHANNEL_SCOPE_ROLE },
        { parley_str("accord"), PARLEY_CHANNEL_SCOPE_ACCORD }
    };

    for ( ;; ) {
        form = parley_str_until(forms, ',');

        for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
            if (parley_str_eq(form, names[i].name)) {
                break;
            }
        }

        if (i == sizeof(names) / sizeof(names[0])) {
            return parley_setting_not(d, word, "a list of forms", "handle, "
                                      "sessions, prefix, session, members, "
                                      "role or accord");
        }

        ret->expand.off |= 1u << names[i].form;

        if (form.len == forms.len) {
            return 0;
        }

        forms = parley_str_from(forms, form.len + 1);
    }
}


void
parley_set_stream_init(parley_stream_t *ret, parley_proto_t proto)
{
    *ret = parley_stream_default;
    ret->proto = proto;
}


int
parley_set_stream(parley_setting_t *d)
{
    size_t            i;
    parley_stream_t  *stream;

    stream = parley_arena_calloc(d->env->arena, sizeof(parley_stream_t));

    if (stream == NULL) {
        return -1;
    }

    *stream = parley_stream_default;

    stream->proto = parley_set_stream_proto(d);

    if (stream->proto == PARLEY_PROTO_NONE) {
        return -1;
    }

    for (i = 2; i < d->n; i++) {
        if (parley_set_stream_word(d, i, stream) != 0) {
            return -1;
        }
    }

    if (parley_set_stream_gone(d, stream) != 0) {
        return -1;
    }

    d->s->stream = stream;
    d->http->publishes = 1;
    d->http->reads |= PARLEY_PROTO_BIT(stream->proto);

    return 0;
}


/*
 * Returns NONE with d->problem set if the protocol is unknown or has no
 * streams.
 */

static parley_proto_t
parley_set_stream_proto(parley_setting_t *d)
{
    parley_proto_t  proto;

    proto = parley_proto_find(d->words[1]);

    if (proto == PARLEY_PROTO_NONE || parley_codecs[proto]->unstreamed) {
        parley_set_stream_unknown(d);
        return PARLEY_PROTO_NONE;
    }

    return proto;
}


static void
parley_set_stream_unknown(parley_setting_t *d)
{
    int       len;
    char      text[128];
    unsigned  i;

    len = 0;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (!parley_codecs[i]->unstreamed && (size_t) len < sizeof(text)) {
            len += snprintf(text + len, sizeof(text) - (size_t) len, "%s%s",
                            len == 0 ? "one of " : ", ", (const char *)
                            parley_proto_name((parley_proto_t) i).data);
        }
    }

    (void) parley_setting_not(d, d->words[1], "a protocol of streams", text);
}


/* VCP-20: the client subscribes and publishes in one protocol. */

int
parley_set_websocket(parley_setting_t *d)
{
    size_t                    i;
    parley_proto_t            proto;
    parley_websocket_conf_t  *conf;

    conf = parley_arena_calloc(d->env->arena, sizeof(parley_websocket_conf_t));

    if (conf == NULL) {
        return -1;
    }

    proto = parley_set_stream_proto(d);

    if (proto == PARLEY_PROTO_NONE) {
        return -1;
    }

    conf->stream = parley_stream_default;
    conf->stream.proto = proto;
    conf->stream.form = PARLEY_FORM_FRAMES;

    conf->submit.accept = PARLEY_PROTO_BIT(proto);
    conf->submit.expand.max = PARLEY_LOGS_MAX;

    for (i = 2; i < d->n; i++) {
        if (parley_set_websocket_word(d, i, conf) != 0) {
            return -1;
        }
    }

    if (parley_set_stream_gone(d, &conf->stream) != 0) {
        return -1;
    }

    conf->dialled = conf->stream;
    conf->dialled.confirms = 1;
    conf->dialled.age = 0;

    d->s->websocket = conf;
    d->http->publishes = 1;
    d->http->reads |= PARLEY_PROTO_BIT(proto);

    return 0;
}


/* hold= is refused: a WebSocket answers later, in a frame of its own. */

static int
parley_set_websocket_word(parley_setting_t *d, size_t i,
    parley_websocket_conf_t *ret)
{
    size_t        k;
    parley_str_t  word, value;

    static const char *const  listens[] = {
        "lag", "keepalive", "age", "timeout"
    };
    static const char *const  submits[] = {
        "counts", "max", "off", "declares"
    };

    word = d->words[i];

    for (k = 0; k < sizeof(listens) / sizeof(listens[0]); k++) {

        if (!parley_setting_param(word, listens[k], &value)) {
            continue;
        }

        if (parley_set_stream_word(d, i, &ret->stream) != 0) {
            return -1;
        }

        return ret->stream.keepalive <= PARLEY_SET_PING_MAX ? 0
               : parley_setting_not(d, word, "in the range", "1s to 30s");
    }

    for (k = 0; k < sizeof(submits) / sizeof(submits[0]); k++) {
        if (parley_setting_param(word, submits[k], &value)) {
            return parley_set_submit_word(d, i, &ret->submit);
        }
    }

    return parley_setting_unknown(d, word, "lag=, keepalive=, age=, timeout=, "
                                  "counts=, max=, off= or declares=");
}


int
parley_set_roster(parley_setting_t *d)
{
    parley_roster_conf_t  *roster;

    roster = parley_arena_calloc(d->env->arena, sizeof(parley_roster_conf_t));

    if (roster == NULL) {
        return -1;
    }

    roster->proto = parley_set_stream_proto(d);

    if (roster->proto == PARLEY_PROTO_NONE) {
        return -1;
    }

    if (d->n == 3 && parley_set_counts(d, d->words[2], &roster->coarse) != 0) {
        return -1;
    }

    d->s->roster = roster;

    return 0;
}


int
parley_set_stream_word(parley_setting_t *d, size_t i, parley_stream_t *ret)
{
    int64_t       n;
    parley_str_t  word, value;

    word = d->words[i];

    if (parley_setting_once(d, i) != 0) {
        return -1;
    }

    if (parley_setting_param(word, "lag", &value)) {

        if (parley_setting_read_size(d, word, parley_range(1, 1 << 30), &n)
            != 0)
        {
            return -1;
        }

        ret->lag = (uint32_t) n;

        return 0;
    }

    if (parley_setting_param(word, "keepalive", &value)) {
        return parley_set_seconds(d, word, PARLEY_SET_PART_MAX,
                                  &ret->keepalive);
    }

    if (parley_setting_param(word, "age", &value)) {
        return parley_set_seconds(d, word, PARLEY_SET_AGE_MAX, &ret->age);
    }

    if (parley_setting_param(word, "timeout", &value)) {
        return parley_set_seconds(d, word, PARLEY_SET_PART_MAX, &ret->timeout);
    }

    if (parley_setting_param(word, "retry", &value)) {

        if (parley_setting_read_time(d, word,
                                     parley_range(1, 24 * PARLEY_SET_DAY), &n)
            != 0)
        {
            return -1;
        }

        ret->retry = (uint32_t) n;

        return 0;
    }

    return parley_setting_unknown(d, word, "lag=, keepalive=, retry=, age= or "
                                  "timeout=");
}


/*
 * HUB-11: sets the default of a time that the directive does not name.  The
 * default is shorter if the other time leaves less.  Refuses two times that are
 * too long together.
 */

int
parley_set_stream_gone(parley_setting_t *d, parley_stream_t *stream)
{
    uint32_t  rest;
    char      text[160];

    if (stream->keepalive == 0) {
        rest = PARLEY_SET_GONE_MAX - stream->timeout;
        stream->keepalive = rest < PARLEY_SET_KEEPALIVE ? rest
                            : PARLEY_SET_KEEPALIVE;
    }

    rest = PARLEY_SET_GONE_MAX - stream->keepalive;

    if (stream->timeout == 0) {
        stream->timeout = rest < PARLEY_SET_TIMEOUT ? rest
                          : PARLEY_SET_TIMEOUT;
    }

    if (stream->timeout <= rest) {
        return 0;
    }

    (void) snprintf(text, sizeof(text), "has keepalive=%us and timeout=%us; "
                    "expected a sum of at most %us",
                    (unsigned) stream->keepalive, (unsigned) stream->timeout,
                    (unsigned) PARLEY_SET_GONE_MAX);

    return parley_setting_wrong(d, text);
}


/* Reads a time of at most max milliseconds, in seconds. */

static int
parley_set_seconds(parley_setting_t *d, parley_str_t word, int64_t max,
    uint32_t *ret)
{
    int64_t  ms;

    if (parley_setting_read_time(d, word, parley_range(1000, max), &ms) != 0) {
        return -1;
    }

    *ret = (uint32_t) (ms / 1000);

    return 0;
}
