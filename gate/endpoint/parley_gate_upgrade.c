/* Checks whether a request opens a WebSocket. */

#include "translate/parley_codec.h"
#include "gate/message/parley_gate_steps.h"
#include "http/parley_handshake.h"
#include "gate/endpoint/parley_gate_upgrade.h"


/* header fields of one name */
typedef struct {
    parley_str_t  value;        /* value of the last field */
    parley_str_t  token;        /* token to look for in all fields */
    unsigned      n;
    unsigned      has:1;
} parley_gate_upgrade_header_t;


static void parley_gate_upgrade_found(void *data, parley_str_t value);
static int parley_gate_upgrade_refuse(parley_gate_t *g, const char *text);
static void parley_gate_upgrade_headers(parley_gate_t *g, const char *name,
    const char *token, parley_gate_upgrade_header_t *ret);


int
parley_gate_upgrade(parley_gate_t *g)
{
    parley_gate_upgrade_header_t  header;

    if (!g->in.upgradable) {
        return parley_gate_upgrade_refuse(g,
                                          "a WebSocket must be opened over "
                                          "HTTP/1.1");
    }

    parley_gate_upgrade_headers(g, "upgrade", "websocket", &header);

    if (header.has) {
        parley_gate_upgrade_headers(g, "connection", "upgrade", &header);
    }

    if (!header.has) {
        return parley_gate_upgrade_refuse(g,
                                          "a WebSocket needs \"Upgrade: "
                                          "websocket\" and \"Connection: "
                                          "Upgrade\"");
    }

    parley_gate_upgrade_headers(g, "sec-websocket-version", "", &header);

    if (header.n != 1
        || !parley_str_is(header.value, PARLEY_HANDSHAKE_VERSION))
    {
        return parley_gate_upgrade_refuse(g, "the version of WebSocket must be "
                                          PARLEY_HANDSHAKE_VERSION);
    }

    parley_gate_upgrade_headers(g, "sec-websocket-key", "", &header);

    if (header.n == 1 && parley_handshake_is_key(header.value)) {
        return 0;
    }

    (void) parley_error_set(g->err, PARLEY_E_FIELD_INVALID,
                            "sec-websocket-key",
                            "must be sent once, with the base64 of 16 octets");
    g->err->is_name = 1;

    return -1;
}


parley_str_t
parley_gate_upgrade_lacks(const parley_gate_t *g)
{
    parley_str_t  greeting;

    greeting = g->read.proto != PARLEY_PROTO_NONE
               ? parley_codecs[g->read.proto]->binding->greeting
               : parley_str_none;

    return g->read.msg_read && parley_str_eq(g->msg->intent, greeting)
           ? parley_str_none : greeting;
}


static int
parley_gate_upgrade_refuse(parley_gate_t *g, const char *text)
{
    g->serve.upgrade = 1;

    return parley_error_set(g->err, PARLEY_E_PROTOCOL_UNSUPPORTED, NULL, "%s",
                            text);
}


static void
parley_gate_upgrade_headers(parley_gate_t *g, const char *name,
    const char *token, parley_gate_upgrade_header_t *ret)
{
    ret->value = parley_str_none;
    ret->token = parley_str_c(token);
    ret->n = 0;
    ret->has = 0;

    g->env->headers(g, parley_str_c(name), parley_gate_upgrade_found, ret);
}


static void
parley_gate_upgrade_found(void *data, parley_str_t value)
{
    parley_gate_upgrade_header_t *header = data;

    header->value = value;
    header->n++;

    if (header->token.len > 0
        && parley_handshake_has(value, header->token))
    {
        header->has = 1;
    }
}
