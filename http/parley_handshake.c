#include "http/parley_handshake.h"

#include "core/parley_base64.h"
#include "core/parley_digest.h"


/* of a key, base64 of 16 octets */
#define PARLEY_HANDSHAKE_KEY     24
#define PARLEY_HANDSHAKE_OCTETS  16

/* section 1.3 */
#define PARLEY_HANDSHAKE_GUID  "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


/* headers of one name */
typedef struct {
    parley_str_t  value;        /* of the last */
    parley_str_t  token;        /* that is looked for in all of them */
    unsigned      n;
    unsigned      has:1;
} parley_handshake_header_t;


static void parley_handshake_headers(parley_gate_t *g, const char *name,
    const char *token, parley_handshake_header_t *ret);
static void parley_handshake_found(void *data, parley_str_t value);
static int parley_handshake_is_key(parley_str_t key);
static int parley_handshake_upgrade(parley_gate_t *g, const char *text);


int
parley_handshake(parley_gate_t *g)
{
    parley_handshake_header_t  header;

    if (!g->upgradable) {
        return parley_handshake_upgrade(g, "a WebSocket is opened over "
                                        "HTTP/1.1");
    }

    parley_handshake_headers(g, "upgrade", "websocket", &header);

    if (header.has) {
        parley_handshake_headers(g, "connection", "upgrade", &header);
    }

    if (!header.has) {
        return parley_handshake_upgrade(g, "this is a WebSocket: the request "
                                        "has no \"Upgrade: websocket\" and "
                                        "\"Connection: Upgrade\"");
    }

    parley_handshake_headers(g, "sec-websocket-version", "", &header);

    if (header.n != 1
        || !parley_str_is(header.value, PARLEY_HANDSHAKE_VERSION))
    {
        return parley_handshake_upgrade(g, "the version of WebSocket here is "
                                        PARLEY_HANDSHAKE_VERSION);
    }

    parley_handshake_headers(g, "sec-websocket-key", "", &header);

    if (header.n == 1 && parley_handshake_is_key(header.value)) {
        return 0;
    }

    (void) parley_error_set(g->err, PARLEY_E_FIELD_INVALID,
                            "sec-websocket-key", "is not there once, with the "
                            "base64 of 16 octets");
    g->err->is_name = 1;

    return -1;
}


parley_str_t
parley_handshake_lacks(const parley_gate_t *g)
{
    parley_str_t  greeting;

    greeting = g->proto != PARLEY_PROTO_NONE
               ? parley_codecs[g->proto]->binding->greeting : parley_str_none;

    return g->msg_read && parley_str_eq(g->msg->intent, greeting)
           ? parley_str_none : greeting;
}


static int
parley_handshake_upgrade(parley_gate_t *g, const char *text)
{
    g->upgrade = 1;

    return parley_error_set(g->err, PARLEY_E_PROTOCOL_UNSUPPORTED, NULL, "%s",
                            text);
}


static void
parley_handshake_headers(parley_gate_t *g, const char *name,
    const char *token, parley_handshake_header_t *ret)
{
    ret->value = parley_str_none;
    ret->token = parley_str_c(token);
    ret->n = 0;
    ret->has = 0;

    g->env->headers(g, parley_str_c(name), parley_handshake_found, ret);
}


static void
parley_handshake_found(void *data, parley_str_t value)
{
    parley_handshake_header_t *header = data;

    header->value = value;
    header->n++;

    if (header->token.len > 0
        && parley_handshake_has(value, header->token))
    {
        header->has = 1;
    }
}


int
parley_handshake_has(parley_str_t list, parley_str_t token)
{
    parley_str_t  word;

    for ( ;; ) {
        word = parley_str_until(list, ',');

        list = word.len < list.len ? parley_str_from(list, word.len + 1)
                                   : parley_str_none;

        while (word.len > 0 && (word.data[0] == ' ' || word.data[0] == '\t')) {
            word = parley_str_from(word, 1);
        }

        while (word.len > 0 && (word.data[word.len - 1] == ' '
                                || word.data[word.len - 1] == '\t'))
        {
            word.len--;
        }

        if (parley_str_eq_fold(word, token)) {
            return 1;
        }

        if (list.len == 0) {
            return 0;
        }
    }
}


static int
parley_handshake_is_key(parley_str_t key)
{
    size_t   len;
    uint8_t  octets[PARLEY_BASE64_DECODED(PARLEY_HANDSHAKE_KEY)];

    return key.len == PARLEY_HANDSHAKE_KEY
           && parley_base64_decode(key, octets, &len) == 0
           && len == PARLEY_HANDSHAKE_OCTETS;
}


int
parley_handshake_accept(parley_str_t key,
    char ret[PARLEY_HANDSHAKE_ACCEPT + 1])
{
    uint8_t       digest[PARLEY_SHA1_LEN];
    parley_str_t  parts[2];

    _Static_assert(PARLEY_BASE64_ENCODED(PARLEY_SHA1_LEN)
                   == PARLEY_HANDSHAKE_ACCEPT + 1, "an accept");

    ret[0] = '\0';

    parts[0] = key;
    parts[1] = PARLEY_STR(PARLEY_HANDSHAKE_GUID);

    if (!parley_handshake_is_key(key)
        || parley_sha1_parts(parts, 2, digest) != 0)
    {
        return -1;
    }

    (void) parley_base64_encode(parley_str_make(digest, sizeof(digest)), ret);

    return 0;
}
