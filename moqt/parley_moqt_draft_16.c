/* The tables of draft-ietf-moq-transport-16. */

#include "moqt/parley_moqt_message.h"


#define PARLEY_MOQT_INTEGER_MAX  ((UINT64_C(1) << 62) - 1)

#define FIELD(kind, member, name)                                             \
    { PARLEY_MOQT_FIELD_##kind, offsetof(parley_moqt_message_t, member), 0,   \
      name }
#define FIELD_WHEN(kind, member, when, name)                                  \
    { PARLEY_MOQT_FIELD_##kind, offsetof(parley_moqt_message_t, member),      \
      when, name }
#define FIELD_END  { PARLEY_MOQT_FIELD_END, 0, 0, NULL }

#define REQUEST     FIELD(INTEGER, request, "Request ID")
#define TRACK       FIELD(NAMESPACE, space, "Track Namespace"),               \
                    FIELD(NAME, name, "Track Name")
#define PARAMS      FIELD(PARAMS, params, "Parameters")
#define EXTENSIONS  FIELD(EXTENSIONS, extensions, "Track Extensions")

#define STANDALONE  (1 << PARLEY_MOQT_FETCH_STANDALONE)
#define JOINING     (1 << PARLEY_MOQT_FETCH_RELATIVE                          \
                     | 1 << PARLEY_MOQT_FETCH_ABSOLUTE)

#define CONTROL   PARLEY_MOQT_ON_CONTROL
#define RESPONSE  PARLEY_MOQT_ON_RESPONSE

#define IN(type)  (UINT64_C(1) << PARLEY_MOQT_##type)


static const uint8_t *parley_moqt_quic_read(const uint8_t *pos,
    const uint8_t *end, uint64_t *ret);
static uint8_t *parley_moqt_quic_write(uint8_t *p, uint64_t n);


static const parley_moqt_field_t  parley_moqt_setup[] = {
    FIELD(PARAMS, params, "Setup Parameters"), FIELD_END
};

static const parley_moqt_field_t  parley_moqt_goaway[] = {
    FIELD(URI, text, "New Session URI"), FIELD_END
};

static const parley_moqt_field_t  parley_moqt_max_request_id[] = {
    FIELD(INTEGER, maximum, "Max Request ID"), FIELD_END
};

static const parley_moqt_field_t  parley_moqt_requests_blocked[] = {
    FIELD(INTEGER, maximum, "Maximum Request ID"), FIELD_END
};

static const parley_moqt_field_t  parley_moqt_request[] = {
    REQUEST, FIELD_END
};

static const parley_moqt_field_t  parley_moqt_request_ok[] = {
    REQUEST, PARAMS, FIELD_END
};

static const parley_moqt_field_t  parley_moqt_request_error[] = {
    REQUEST, FIELD(INTEGER, code, "Error Code"),
    FIELD(INTEGER, retry, "Retry Interval"),
    FIELD(REASON, text, "Error Reason"), FIELD_END
};

static const parley_moqt_field_t  parley_moqt_subscribe[] = {
    REQUEST, TRACK, PARAMS, FIELD_END
};

static const parley_moqt_field_t  parley_moqt_subscribe_ok[] = {
    REQUEST, FIELD(INTEGER, alias, "Track Alias"), PARAMS, EXTENSIONS,
    FIELD_END
};

static const parley_moqt_field_t  parley_moqt_request_update[] = {
    REQUEST, FIELD(INTEGER, existing, "Existing Request ID"), PARAMS,
    FIELD_END
};

static const parley_moqt_field_t  parley_moqt_publish[] = {
    REQUEST, TRACK, FIELD(INTEGER, alias, "Track Alias"), PARAMS, EXTENSIONS,
    FIELD_END
};

static const parley_moqt_field_t  parley_moqt_publish_done[] = {
    REQUEST, FIELD(INTEGER, code, "Status Code"),
    FIELD(INTEGER, streams, "Stream Count"),
    FIELD(REASON, text, "Error Reason"), FIELD_END
};

static const parley_moqt_field_t  parley_moqt_fetch[] = {
    REQUEST, FIELD(FETCH, fetch, "Fetch Type"),
    FIELD_WHEN(NAMESPACE, space, STANDALONE, "Track Namespace"),
    FIELD_WHEN(NAME, name, STANDALONE, "Track Name"),
    FIELD_WHEN(LOCATION, start, STANDALONE, "Start Location"),
    FIELD_WHEN(LOCATION, end, STANDALONE, "End Location"),
    FIELD_WHEN(INTEGER, existing, JOINING, "Joining Request ID"),
    FIELD_WHEN(INTEGER, joining, JOINING, "Joining Start"),
    PARAMS, FIELD_END
};

static const parley_moqt_field_t  parley_moqt_fetch_ok[] = {
    REQUEST, FIELD(OCTET, end_of_track, "End Of Track"),
    FIELD(LOCATION, end, "End Location"), PARAMS, EXTENSIONS, FIELD_END
};

static const parley_moqt_field_t  parley_moqt_publish_namespace[] = {
    REQUEST, FIELD(NAMESPACE, space, "Track Namespace"), PARAMS, FIELD_END
};

static const parley_moqt_field_t  parley_moqt_namespace[] = {
    FIELD(PREFIX, space, "Track Namespace Suffix"), FIELD_END
};

static const parley_moqt_field_t  parley_moqt_namespace_cancel[] = {
    REQUEST, FIELD(INTEGER, code, "Error Code"),
    FIELD(REASON, text, "Error Reason"), FIELD_END
};

static const parley_moqt_field_t  parley_moqt_subscribe_namespace[] = {
    REQUEST, FIELD(PREFIX, space, "Track Namespace Prefix"),
    FIELD(INTEGER, options, "Subscribe Options"), PARAMS, FIELD_END
};


/* sections 9.3 to 9.25 */
static const parley_moqt_row_t  parley_moqt_messages_16[] = {
    [PARLEY_MOQT_REQUEST_UPDATE] = { "REQUEST_UPDATE",
        parley_moqt_request_update, PARLEY_MOQT_BOTH, CONTROL, 0, 1 },
    [PARLEY_MOQT_SUBSCRIBE] = { "SUBSCRIBE", parley_moqt_subscribe,
        PARLEY_MOQT_BOTH, CONTROL, 0, 1 },
    [PARLEY_MOQT_SUBSCRIBE_OK] = { "SUBSCRIBE_OK", parley_moqt_subscribe_ok,
        PARLEY_MOQT_BOTH, CONTROL, 0, 0 },
    [PARLEY_MOQT_REQUEST_ERROR] = { "REQUEST_ERROR",
        parley_moqt_request_error, PARLEY_MOQT_BOTH, CONTROL | RESPONSE, 0,
        0 },
    [PARLEY_MOQT_PUBLISH_NAMESPACE] = { "PUBLISH_NAMESPACE",
        parley_moqt_publish_namespace, PARLEY_MOQT_BOTH, CONTROL, 0, 1 },
    [PARLEY_MOQT_REQUEST_OK] = { "REQUEST_OK", parley_moqt_request_ok,
        PARLEY_MOQT_BOTH, CONTROL | RESPONSE, 0, 0 },
    [PARLEY_MOQT_NAMESPACE] = { "NAMESPACE", parley_moqt_namespace,
        PARLEY_MOQT_BOTH, RESPONSE, 0, 0 },
    [PARLEY_MOQT_PUBLISH_NAMESPACE_DONE] = { "PUBLISH_NAMESPACE_DONE",
        parley_moqt_request, PARLEY_MOQT_BOTH, CONTROL, 0, 0 },
    [PARLEY_MOQT_UNSUBSCRIBE] = { "UNSUBSCRIBE", parley_moqt_request,
        PARLEY_MOQT_BOTH, CONTROL, 0, 0 },
    [PARLEY_MOQT_PUBLISH_DONE] = { "PUBLISH_DONE", parley_moqt_publish_done,
        PARLEY_MOQT_BOTH, CONTROL, 0, 0 },
    [PARLEY_MOQT_PUBLISH_NAMESPACE_CANCEL] = { "PUBLISH_NAMESPACE_CANCEL",
        parley_moqt_namespace_cancel, PARLEY_MOQT_BOTH, CONTROL, 0, 0 },
    [PARLEY_MOQT_TRACK_STATUS] = { "TRACK_STATUS", parley_moqt_subscribe,
        PARLEY_MOQT_BOTH, CONTROL, 0, 1 },
    [PARLEY_MOQT_NAMESPACE_DONE] = { "NAMESPACE_DONE", parley_moqt_namespace,
        PARLEY_MOQT_BOTH, RESPONSE, 0, 0 },
    [PARLEY_MOQT_GOAWAY] = { "GOAWAY", parley_moqt_goaway, PARLEY_MOQT_BOTH,
        CONTROL, 0, 0 },
    [PARLEY_MOQT_SUBSCRIBE_NAMESPACE] = { "SUBSCRIBE_NAMESPACE",
        parley_moqt_subscribe_namespace, PARLEY_MOQT_BOTH,
        PARLEY_MOQT_ON_REQUEST, 0, 1 },
    [PARLEY_MOQT_MAX_REQUEST_ID] = { "MAX_REQUEST_ID",
        parley_moqt_max_request_id, PARLEY_MOQT_BOTH, CONTROL, 0, 0 },
    [PARLEY_MOQT_FETCH] = { "FETCH", parley_moqt_fetch, PARLEY_MOQT_BOTH,
        CONTROL, 0, 1 },
    [PARLEY_MOQT_FETCH_CANCEL] = { "FETCH_CANCEL", parley_moqt_request,
        PARLEY_MOQT_BOTH, CONTROL, 0, 0 },
    [PARLEY_MOQT_FETCH_OK] = { "FETCH_OK", parley_moqt_fetch_ok,
        PARLEY_MOQT_BOTH, CONTROL, 0, 0 },
    [PARLEY_MOQT_REQUESTS_BLOCKED] = { "REQUESTS_BLOCKED",
        parley_moqt_requests_blocked, PARLEY_MOQT_BOTH, CONTROL, 0, 0 },
    [PARLEY_MOQT_PUBLISH] = { "PUBLISH", parley_moqt_publish,
        PARLEY_MOQT_BOTH, CONTROL, 0, 1 },
    [PARLEY_MOQT_PUBLISH_OK] = { "PUBLISH_OK", parley_moqt_request_ok,
        PARLEY_MOQT_BOTH, CONTROL, 0, 0 },
    [PARLEY_MOQT_CLIENT_SETUP] = { "CLIENT_SETUP", parley_moqt_setup,
        PARLEY_MOQT_CLIENT, CONTROL, 1, 0 },
    [PARLEY_MOQT_SERVER_SETUP] = { "SERVER_SETUP", parley_moqt_setup,
        PARLEY_MOQT_SERVER, CONTROL, 1, 0 },
};


/* section 9.3.1 */
static const parley_moqt_pair_row_t  parley_moqt_setup_16[] = {
    { PARLEY_MOQT_SETUP_PATH, "PATH", PARLEY_MOQT_PAIR_PATH, 0, 0,
      IN(CLIENT_SETUP), PARLEY_MOQT_INVALID_PATH, 0 },
    { PARLEY_MOQT_SETUP_MAX_REQUEST_ID, "MAX_REQUEST_ID",
      PARLEY_MOQT_PAIR_INTEGER, 0, UINT64_MAX,
      IN(CLIENT_SETUP) | IN(SERVER_SETUP), 0, 0 },
    { PARLEY_MOQT_SETUP_TOKEN, "AUTHORIZATION_TOKEN", PARLEY_MOQT_PAIR_TOKEN,
      0, 0, IN(CLIENT_SETUP) | IN(SERVER_SETUP), 0, 1 },
    { PARLEY_MOQT_SETUP_MAX_CACHE, "MAX_AUTH_TOKEN_CACHE_SIZE",
      PARLEY_MOQT_PAIR_INTEGER, 0, UINT64_MAX,
      IN(CLIENT_SETUP) | IN(SERVER_SETUP), 0, 0 },
    { PARLEY_MOQT_SETUP_AUTHORITY, "AUTHORITY", PARLEY_MOQT_PAIR_AUTHORITY, 0,
      0, IN(CLIENT_SETUP), PARLEY_MOQT_INVALID_AUTHORITY, 0 },
    { PARLEY_MOQT_SETUP_IMPLEMENTATION, "MOQT_IMPLEMENTATION",
      PARLEY_MOQT_PAIR_OCTETS, 0, 0, IN(CLIENT_SETUP) | IN(SERVER_SETUP), 0,
      0 },
    { 0, NULL, 0, 0, 0, 0, 0, 0 }
};


/* section 9.2.2 */
static const parley_moqt_pair_row_t  parley_moqt_params_16[] = {
    { PARLEY_MOQT_PARAM_DELIVERY_TIMEOUT, "DELIVERY_TIMEOUT",
      PARLEY_MOQT_PAIR_INTEGER, 1, UINT64_MAX,
      IN(PUBLISH_OK) | IN(SUBSCRIBE) | IN(REQUEST_UPDATE), 0, 0 },
    { PARLEY_MOQT_PARAM_TOKEN, "AUTHORIZATION_TOKEN", PARLEY_MOQT_PAIR_TOKEN,
      0, 0,
      IN(PUBLISH) | IN(SUBSCRIBE) | IN(REQUEST_UPDATE)
      | IN(SUBSCRIBE_NAMESPACE) | IN(PUBLISH_NAMESPACE) | IN(TRACK_STATUS)
      | IN(FETCH), 0, 1 },
    { PARLEY_MOQT_PARAM_EXPIRES, "EXPIRES", PARLEY_MOQT_PAIR_INTEGER, 0,
      UINT64_MAX,
      IN(SUBSCRIBE_OK) | IN(PUBLISH) | IN(PUBLISH_OK) | IN(REQUEST_OK), 0,
      0 },
    { PARLEY_MOQT_PARAM_LARGEST_OBJECT, "LARGEST_OBJECT",
      PARLEY_MOQT_PAIR_LOCATION, 0, 0,
      IN(SUBSCRIBE_OK) | IN(PUBLISH) | IN(REQUEST_OK), 0, 0 },
    { PARLEY_MOQT_PARAM_FORWARD, "FORWARD", PARLEY_MOQT_PAIR_INTEGER, 0, 1,
      IN(SUBSCRIBE) | IN(REQUEST_UPDATE) | IN(PUBLISH) | IN(PUBLISH_OK)
      | IN(SUBSCRIBE_NAMESPACE), 0, 0 },
    { PARLEY_MOQT_PARAM_PRIORITY, "SUBSCRIBER_PRIORITY",
      PARLEY_MOQT_PAIR_INTEGER, 0, 255,
      IN(SUBSCRIBE) | IN(FETCH) | IN(REQUEST_UPDATE) | IN(PUBLISH_OK), 0, 0 },
    { PARLEY_MOQT_PARAM_FILTER, "SUBSCRIPTION_FILTER",
      PARLEY_MOQT_PAIR_FILTER, 0, 0,
      IN(SUBSCRIBE) | IN(PUBLISH_OK) | IN(REQUEST_UPDATE), 0, 0 },
    { PARLEY_MOQT_PARAM_GROUP_ORDER, "GROUP_ORDER", PARLEY_MOQT_PAIR_INTEGER,
      1, 2, IN(SUBSCRIBE) | IN(PUBLISH_OK) | IN(FETCH), 0, 0 },
    { PARLEY_MOQT_PARAM_NEW_GROUP, "NEW_GROUP_REQUEST",
      PARLEY_MOQT_PAIR_INTEGER, 0, UINT64_MAX,
      IN(PUBLISH_OK) | IN(SUBSCRIBE) | IN(REQUEST_UPDATE), 0, 0 },
    { 0, NULL, 0, 0, 0, 0, 0, 0 }
};


/* section 11 */
static const parley_moqt_pair_row_t  parley_moqt_extensions_16[] = {
    { PARLEY_MOQT_EXT_DELIVERY_TIMEOUT, "DELIVERY_TIMEOUT",
      PARLEY_MOQT_PAIR_INTEGER, 1, UINT64_MAX, PARLEY_MOQT_SCOPE_TRACK, 0,
      1 },
    { PARLEY_MOQT_EXT_MAX_CACHE_DURATION, "MAX_CACHE_DURATION",
      PARLEY_MOQT_PAIR_INTEGER, 0, UINT64_MAX, PARLEY_MOQT_SCOPE_TRACK, 0,
      1 },
    { PARLEY_MOQT_EXT_IMMUTABLE, "IMMUTABLE_EXTENSIONS",
      PARLEY_MOQT_PAIR_OCTETS, 0, 0,
      PARLEY_MOQT_SCOPE_TRACK | PARLEY_MOQT_SCOPE_OBJECT, 0, 1 },
    { PARLEY_MOQT_EXT_PRIORITY, "DEFAULT_PUBLISHER_PRIORITY",
      PARLEY_MOQT_PAIR_INTEGER, 0, 255, PARLEY_MOQT_SCOPE_TRACK, 0, 1 },
    { PARLEY_MOQT_EXT_GROUP_ORDER, "DEFAULT_PUBLISHER_GROUP_ORDER",
      PARLEY_MOQT_PAIR_INTEGER, 1, 2, PARLEY_MOQT_SCOPE_TRACK, 0, 1 },
    { PARLEY_MOQT_EXT_DYNAMIC_GROUPS, "DYNAMIC_GROUPS",
      PARLEY_MOQT_PAIR_INTEGER, 0, 1, PARLEY_MOQT_SCOPE_TRACK, 0, 1 },
    { PARLEY_MOQT_EXT_GROUP_GAP, "PRIOR_GROUP_ID_GAP",
      PARLEY_MOQT_PAIR_INTEGER, 0, UINT64_MAX, PARLEY_MOQT_SCOPE_OBJECT, 0,
      1 },
    { PARLEY_MOQT_EXT_OBJECT_GAP, "PRIOR_OBJECT_ID_GAP",
      PARLEY_MOQT_PAIR_INTEGER, 0, UINT64_MAX, PARLEY_MOQT_SCOPE_OBJECT, 0,
      1 },
    { 0, NULL, 0, 0, 0, 0, 0, 0 }
};


const parley_moqt_draft_t  parley_moqt_draft_16 = {
    .alpn = parley_str("moqt-16"),
    .integer_max = PARLEY_MOQT_INTEGER_MAX,
    .integer_read = parley_moqt_quic_read,
    .integer_write = parley_moqt_quic_write,
    .messages = parley_moqt_messages_16,
    .nmessages = sizeof(parley_moqt_messages_16)
                 / sizeof(parley_moqt_messages_16[0]),
    .setup = parley_moqt_setup_16,
    .params = parley_moqt_params_16,
    .extensions = parley_moqt_extensions_16,
};


/* Integers of QUIC: the two highest bits tell the length (RFC 9000, 16). */

static const uint8_t *
parley_moqt_quic_read(const uint8_t *pos, const uint8_t *end, uint64_t *ret)
{
    size_t    len, i;
    uint64_t  n;

    if (pos == end) {
        return NULL;
    }

    n = *pos;

    if ((n & 0xC0) == 0x40 && end - pos > 1) {
        *ret = (n & 0x3F) << 8 | pos[1];
        return pos + 2;
    }

    len = (size_t) 1 << (n >> 6);
    n &= 0x3F;

    if ((size_t) (end - pos) < len) {
        return NULL;
    }

    for (i = 1; i < len; i++) {
        n = n << 8 | pos[i];
    }

    *ret = n;

    return pos + len;
}


static uint8_t *
parley_moqt_quic_write(uint8_t *p, uint64_t n)
{
    unsigned  class, shift;

    class = n < 0x40 ? 0 : n < 0x4000 ? 1 : n < 0x40000000 ? 2 : 3;
    shift = 8u << class;

    n |= (uint64_t) class << (shift - 2);

    while (shift > 0) {
        shift -= 8;
        *p++ = (uint8_t) (n >> shift);
    }

    return p;
}
