/*
 * The opening handshake of a WebSocket, from a server's side (RFC 6455, section
 * 4.2), of version 13; subprotocols and extensions that are offered are
 * ignored, which declines them.
 */

#ifndef PARLEY_HANDSHAKE_H
#define PARLEY_HANDSHAKE_H

#include "gate/message/parley_gate.h"


#define PARLEY_HANDSHAKE_VERSION  "13"

/* octets of Sec-WebSocket-Accept */
#define PARLEY_HANDSHAKE_ACCEPT   28


/*
 * Whether the request opens a WebSocket: 0; or -1: field-invalid, naming the
 * header; protocol-unsupported with g->upgrade set: it asks for none, or for
 * another version.
 */
int parley_handshake(parley_gate_t *g)
    __attribute__((warn_unused_result));

/*
 * Of the first message of a WebSocket, read or refused: the intent that its
 * protocol should have it begin with, where it does not (VCP 8.3); else empty.
 */
parley_str_t parley_handshake_lacks(const parley_gate_t *g);

/* What answers a key that is one; or -1. */
int parley_handshake_accept(parley_str_t key,
    char ret[PARLEY_HANDSHAKE_ACCEPT + 1])
    __attribute__((warn_unused_result));

/* Whether a list of tokens, as in Connection, has one, in any case. */
int parley_handshake_has(parley_str_t list, parley_str_t token);


#endif /* PARLEY_HANDSHAKE_H */
