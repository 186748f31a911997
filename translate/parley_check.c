#include "parley_check.h"
#include "parley_codec.h"
#include "parley_msg_field.h"
#include "parley_severity.h"


static int64_t parley_check_lifetime(const parley_codec_t *codec,
    const parley_msg_t *m);


int
parley_check_transport(parley_proto_t proto,
    const parley_transport_t *transport, parley_error_t *err)
{
    if (transport->trusted || transport->tls
        || !parley_codecs[proto]->needs_tls)
    {
        return 0;
    }

    return parley_error_set(err, PARLEY_E_POLICY_REFUSED, NULL,
                            "this protocol needs TLS 1.2 or later, or "
                            "parley_trusted behind what ends it");
}


int
parley_check_unsigned(parley_proto_t proto, const parley_transport_t *transport,
    parley_error_t *err)
{
    const char  *why;

    if (transport->trusted && !transport->must_sign) {
        return 0;
    }

    if (transport->must_sign || parley_codecs[proto]->needs_signature) {
        why = "the message must be signed";

    } else if (!transport->token) {
        why = "nothing proves who sent the message";

    } else if (!transport->tls) {
        why = "an unsigned message needs TLS 1.2 or later, or "
              "parley_trusted behind what ends it";

    } else {
        return 0;
    }

    return parley_error_set(err, PARLEY_E_SIGNATURE_MISSING,
                            parley_codecs[proto]
                                ->pointers[PARLEY_MSG_SIGNATURE],
                            "%s", why);
}


int
parley_check_age(const parley_msg_t *m, int64_t past_ms, int64_t future_ms,
    int64_t now_ms, parley_error_t *err)
{
    int64_t                age, lifetime;
    const parley_codec_t  *codec;

    codec = parley_codecs[m->wire];

    if (codec->past_max_ms > 0 && past_ms > codec->past_max_ms) {
        past_ms = codec->past_max_ms;
    }

    if (codec->future_max_ms > 0 && future_ms > codec->future_max_ms) {
        future_ms = codec->future_max_ms;
    }

    if (m->created.len == 0 && m->created_ms < 0) {
        /* a log record, or a protocol whose messages need not say it */
        return 0;
    }

    if (m->created_ms < 0) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID,
                                parley_at(m, PARLEY_MSG_CREATED).pointer,
                                "is no RFC 3339 timestamp, its age cannot be "
                                "told");
    }

    age = now_ms - m->created_ms;

    if (age > past_ms) {
        return parley_error_set(err, PARLEY_E_MESSAGE_STALE,
                                parley_at(m, PARLEY_MSG_CREATED).pointer,
                                "the message is older than %ld seconds",
                                (long) (past_ms / 1000));
    }

    lifetime = parley_check_lifetime(codec, m);

    if (lifetime > 0 && age > future_ms && age - future_ms > lifetime) {
        return parley_error_set(err, PARLEY_E_MESSAGE_STALE,
                                parley_at(m, PARLEY_MSG_CREATED).pointer,
                                "the message was to live for %ld ms",
                                (long) lifetime);
    }

    if (-age > future_ms) {
        return parley_error_set(err, PARLEY_E_MESSAGE_STALE,
                                parley_at(m, PARLEY_MSG_CREATED).pointer,
                                "the message is more than %ld seconds ahead",
                                (long) (future_ms / 1000));
    }

    return 0;
}


/* Milliseconds that the message says; 0: none. */

static int64_t
parley_check_lifetime(const parley_codec_t *codec, const parley_msg_t *m)
{
    int64_t      ms;
    uint32_t     value;
    const char  *pointer;

    pointer = codec->pointers[PARLEY_MSG_LIFETIME];

    if (pointer == NULL) {
        return 0;
    }

    value = parley_json_resolve(m->doc, 0, parley_str_c(pointer));

    return value != PARLEY_JSON_NONE
           && parley_json_integer(m->doc, value, &ms) == 0 ? ms : 0;
}


int
parley_check_severity(const parley_msg_t *m, parley_alarm_t asked,
    parley_error_t *err)
{
    const char  *at;

    at = parley_codecs[m->origin]->pointers[PARLEY_MSG_SEVERITY];

    if (at == NULL || m->act != PARLEY_ACT_REPLY
        || m->alarm == PARLEY_ALARM_NONE || asked == PARLEY_ALARM_NONE
        || m->alarm == asked)
    {
        return 0;
    }

    /* within what carries it */

    if (m->wire != m->origin) {
        at = parley_codecs[m->wire]->pointers[PARLEY_MSG_DATA];
    }

    return parley_error_set(err, PARLEY_E_FIELD_INVALID, at,
                            "an acknowledgment has the severity of its "
                            "escalation, \"%s\"",
                            (const char *) parley_alarm_name(asked).data);
}
