/*
 * The opening handshake of a WebSocket, from a server's side (RFC 6455, section
 * 4.2), of version 13; subprotocols and extensions that are offered are
 * ignored, which declines them.
 */

#ifndef PARLEY_HANDSHAKE_H
#define PARLEY_HANDSHAKE_H

#include "core/parley_str.h"


#define PARLEY_HANDSHAKE_VERSION  "13"

/* octets of Sec-WebSocket-Accept */
#define PARLEY_HANDSHAKE_ACCEPT   28


/* What answers a key that is one; or -1. */
int parley_handshake_accept(parley_str_t key,
    char ret[PARLEY_HANDSHAKE_ACCEPT + 1])
    __attribute__((warn_unused_result));

/* Whether a key is the base64 of 16 octets. */
int parley_handshake_is_key(parley_str_t key);

/* Whether a list of tokens, as in Connection, has one, in any case. */
int parley_handshake_has(parley_str_t list, parley_str_t token);


#endif /* PARLEY_HANDSHAKE_H */
