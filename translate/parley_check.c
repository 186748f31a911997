#include "translate/parley_check.h"
#include "translate/parley_embed.h"
#include "translate/parley_msg_field.h"
#include "translate/parley_severity_word.h"

#include <stdio.h>
#include <string.h>


static int parley_check_words(const parley_msg_t *m, parley_msg_t *ret);
static int parley_check_at(const parley_msg_t *m, parley_proto_t proto,
    parley_msg_field_t field, parley_error_t *err);
static int64_t parley_check_lifetime(const parley_codec_t *codec,
    const parley_msg_t *m);
static int parley_check_own_severity(const parley_msg_t *m,
    parley_severity_t asked, parley_error_t *err);


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
                            "parley_trusted behind a proxy that ends TLS");
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
        why = "the message needs a signature or a token that proves its sender";

    } else if (!transport->tls) {
        why = "an unsigned message needs TLS 1.2 or later, or parley_trusted "
              "behind a proxy that ends TLS";

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
        /*
         * a log record, or a message of a protocol that does not require a time
         */
        return 0;
    }

    if (m->created_ms < 0) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID,
                                parley_at(m, PARLEY_MSG_CREATED).pointer,
                                "the time of the message must be an RFC 3339 "
                                "timestamp");
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
                                "the lifetime of the message, %ld ms, is over",
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


int64_t
parley_check_left(const parley_msg_t *m, int64_t now_ms)
{
    int64_t  lifetime, age;

    lifetime = parley_check_lifetime(parley_codecs[m->wire], m);

    if (lifetime < 0 || m->created_ms < 0) {
        return -1;
    }

    age = now_ms > m->created_ms ? now_ms - m->created_ms : 0;

    return lifetime > age ? lifetime - age : 0;
}


/*
 * Returns the lifetime of a message in milliseconds; 0 if it is not retained;
 * -1 if it has none.
 */

static int64_t
parley_check_lifetime(const parley_codec_t *codec, const parley_msg_t *m)
{
    int64_t      ms;
    uint32_t     value;
    const char  *pointer;

    pointer = codec->pointers[PARLEY_MSG_LIFETIME];

    if (pointer == NULL) {
        return -1;
    }

    value = parley_json_resolve(m->doc, 0, parley_str_c(pointer));

    return value != PARLEY_JSON_NONE
           && parley_json_integer(m->doc, value, &ms) == 0 && ms >= 0 ? ms : -1;
}


int
parley_check_severity(const parley_msg_t *m, parley_severity_t asked,
    parley_error_t *err)
{
    int           words;
    parley_msg_t  said;

    words = parley_check_words(m, &said);

    if (words < 0) {
        return parley_error_memory(err);
    }

    if (parley_check_own_severity(&said, asked, err) == 0) {
        return 0;
    }

    return words ? parley_check_at(m, said.origin, PARLEY_MSG_SEVERITY, err)
                 : -1;
}


static int
parley_check_own_severity(const parley_msg_t *m, parley_severity_t asked,
    parley_error_t *err)
{
    const char  *at;

    at = parley_codecs[m->origin]->pointers[PARLEY_MSG_SEVERITY];

    if (at == NULL || m->act != PARLEY_ACT_REPLY
        || m->alarm == PARLEY_SEVERITY_NONE || asked == PARLEY_SEVERITY_NONE
        || m->alarm == asked)
    {
        return 0;
    }

    /* The pointer is inside the carrier. */

    if (m->wire != m->origin) {
        at = parley_codecs[m->wire]->pointers[PARLEY_MSG_DATA];
    }

    return parley_error_set(err, PARLEY_E_FIELD_INVALID, at,
                            "an acknowledgment must have the severity of its "
                            "escalation, \"%s\"",
                            (const char *) parley_severity_name(asked).data);
}


int
parley_check_answer(const parley_msg_t *m, const parley_msg_t *request,
    const parley_encoded_t *sent, parley_error_t *err)
{
    int           words;
    parley_msg_t  said, asked;
    parley_str_t  origin;

    words = parley_check_words(m, &said);

    if (words < 0 || parley_check_words(request, &asked) < 0
        || parley_embed_origin_id(request, &origin) != 0)
    {
        return parley_error_memory(err);
    }

    if (parley_check_severity(m, sent->alarm != PARLEY_SEVERITY_NONE
                                 ? sent->alarm : asked.alarm, err)
        != 0)
    {
        return -1;
    }

    if (!words || said.act != PARLEY_ACT_REPLY
        || asked.alarm == PARLEY_SEVERITY_NONE || said.reply_to.len == 0
        || parley_str_eq(said.reply_to, request->id)
        || parley_str_eq(said.reply_to, sent->id)
        || parley_str_eq(said.reply_to, origin))
    {
        return 0;
    }

    (void) parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                            "the acknowledgment names another escalation than "
                            "the answered one");

    return parley_check_at(m, said.origin, PARLEY_MSG_REPLY_TO, err);
}


/*
 * Changes the field of the error to the place of a field in a payload in the
 * words of proto.  m has this payload.
 */

static int
parley_check_at(const parley_msg_t *m, parley_proto_t proto,
    parley_msg_field_t field, parley_error_t *err)
{
    const char *const  *pointers = parley_codecs[proto]->pointers;

    (void) snprintf(err->field, sizeof(err->field), "%.*s%s",
                    PARLEY_POINTER_MAX / 2,
                    parley_at(m, PARLEY_MSG_DATA).pointer,
                    pointers[field] + strlen(pointers[PARLEY_MSG_DATA]));

    return -1;
}


/*
 * Reads the payload of m in the words of a protocol with escalations: the
 * protocol that the intent names, or that of the carried message.  Returns 1; 0
 * if m has no such payload; -1 if memory is exhausted.
 */

static int
parley_check_words(const parley_msg_t *m, parley_msg_t *ret)
{
    parley_str_t    form;
    parley_proto_t  proto;

    *ret = *m;
    form = m->form;

    proto = m->origin != m->wire ? m->origin
                                 : parley_embed_intent(m->intent, &form);

    if (proto == PARLEY_PROTO_NONE || proto == m->wire
        || parley_codecs[proto]->pointers[PARLEY_MSG_SEVERITY] == NULL
        || parley_codecs[proto]->payload == NULL
        || m->data.node == PARLEY_JSON_NONE)
    {
        return 0;
    }

    ret->origin = proto;
    ret->form = form;
    ret->alarm = PARLEY_SEVERITY_NONE;

    return parley_codecs[proto]->payload(ret) == 0 ? 1 : -1;
}
