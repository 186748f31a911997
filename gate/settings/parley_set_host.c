/* The setter of parley_host, a host of chat. */

#include "gate/settings/parley_directive.h"
#include "gate/settings/parley_host_conf.h"
#include "translate/parley_chat.h"
#include "translate/parley_codec.h"


#define PARLEY_SET_HOST_DEADLINE_MIN  10000
#define PARLEY_SET_HOST_DEADLINE_MAX  (24 * 3600 * (int64_t) 1000)
#define PARLEY_SET_HOST_CLAIM_MIN     1000
#define PARLEY_SET_HOST_CLAIM_MAX     PARLEY_CHAT_TTL_MAX
#define PARLEY_SET_HOST_WAIT_MAX      60000
#define PARLEY_SET_HOST_TURN_MAX      60000
#define PARLEY_SET_HOST_LOOP_MAX      1000
#define PARLEY_SET_HOST_DIGEST_MIN    1000
#define PARLEY_SET_HOST_DIGEST_MAX    (24 * 3600 * (int64_t) 1000)
#define PARLEY_SET_HOST_CONTEXT_MAX   (64 << 10)


static int parley_set_host_word(parley_setting_t *d, size_t i,
    parley_host_conf_t *ret);


int
parley_set_host(parley_setting_t *d)
{
    size_t               i;
    parley_proto_t       proto;
    parley_host_conf_t  *conf;

    conf = parley_arena_calloc(d->env->arena, sizeof(parley_host_conf_t));

    if (conf == NULL) {
        return -1;
    }

    proto = parley_proto_find(d->words[1]);

    if (proto == PARLEY_PROTO_NONE || parley_codecs[proto]->chat == NULL) {
        return parley_setting_not(d, d->words[1], "a protocol of chat", "c2a");
    }

    parley_set_stream_init(&conf->stream, proto);

    conf->stream.views = 1;

    conf->deadline_ms = 300000;
    conf->claim_ms = 300000;
    conf->quiet_ms = 2000;
    conf->max_ms = 30000;
    conf->wait_ms = 50000;
    conf->loop = 6;
    conf->context = 2048;

    for (i = 2; i < d->n; i++) {
        if (parley_set_host_word(d, i, conf) != 0) {
            return -1;
        }
    }

    if (parley_set_stream_gone(d, &conf->stream) != 0) {
        return -1;
    }

    if (conf->quiet_ms > conf->max_ms) {
        return parley_setting_wrong(d, "has a \"quiet=\" above its \"max=\"; "
                                    "the defaults are quiet=2s and max=30s");
    }

    d->s->host = conf;
    d->http->publishes = 1;
    d->http->reads |= PARLEY_PROTO_BIT(proto);

    return 0;
}


static int
parley_set_host_word(parley_setting_t *d, size_t i, parley_host_conf_t *ret)
{
    size_t        k;
    int64_t       n;
    parley_str_t  word, value;

    static const char *const  listens[] = { "lag", "keepalive", "retry" };

    word = d->words[i];

    for (k = 0; k < sizeof(listens) / sizeof(listens[0]); k++) {
        if (parley_setting_param(word, listens[k], &value)) {
            return parley_set_stream_word(d, i, &ret->stream);
        }
    }

    if (parley_setting_once(d, i) != 0) {
        return -1;
    }

    if (parley_setting_param(word, "deadline", &value)) {
        return parley_setting_read_time(d, word,
                                parley_range(PARLEY_SET_HOST_DEADLINE_MIN,
                                             PARLEY_SET_HOST_DEADLINE_MAX),
                                &ret->deadline_ms);
    }

    if (parley_setting_param(word, "claim", &value)) {
        return parley_setting_read_time(d, word,
                                parley_range(PARLEY_SET_HOST_CLAIM_MIN,
                                             PARLEY_SET_HOST_CLAIM_MAX),
                                &ret->claim_ms);
    }

    if (parley_setting_param(word, "quiet", &value)) {
        return parley_setting_read_time(d, word,
                                        parley_range(0,
                                                     PARLEY_SET_HOST_TURN_MAX),
                                        &ret->quiet_ms);
    }

    if (parley_setting_param(word, "max", &value)) {
        return parley_setting_read_time(d, word,
                                        parley_range(1,
                                                     PARLEY_SET_HOST_TURN_MAX),
                                        &ret->max_ms);
    }

    if (parley_setting_param(word, "wait", &value)) {
        return parley_setting_read_time(d, word,
                                        parley_range(0,
                                                     PARLEY_SET_HOST_WAIT_MAX),
                                        &ret->wait_ms);
    }

    if (parley_setting_param(word, "digest", &value)) {
        return parley_str_is(value, "off")
               || parley_setting_read_time(d, word,
                                parley_range(PARLEY_SET_HOST_DIGEST_MIN,
                                             PARLEY_SET_HOST_DIGEST_MAX),
                                &ret->digest_ms)
                  == 0
               ? 0 : parley_setting_not(d, word,
                                        parley_setting_time(value, &n) >= 0
                                        ? "in the range" : "a time",
                                        "1s to 1d, or off");
    }

    if (parley_setting_param(word, "context", &value)) {

        if (parley_setting_read_size(d, word,
                                     parley_range(0,
                                                  PARLEY_SET_HOST_CONTEXT_MAX),
                                     &n)
            != 0)
        {
            return -1;
        }

        ret->context = (uint32_t) n;

        return 0;
    }

    if (parley_setting_param(word, "loop", &value)) {

        if (parley_setting_read_number(d, word,
                                       parley_range(1,
                                                    PARLEY_SET_HOST_LOOP_MAX),
                                       &n)
            != 0)
        {
            return -1;
        }

        ret->loop = (uint32_t) n;

        return 0;
    }

    return parley_setting_unknown(d, word, "quiet=, max=, deadline=, claim=, "
                                  "loop=, context=, digest=, wait=, lag=, "
                                  "keepalive= or retry=");
}
