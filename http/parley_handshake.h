/*
 * The opening handshake of a WebSocket, version 13, on the server's side (RFC
 * 6455, section 4.2).  Offered subprotocols and extensions are ignored, which
 * declines them.
 */

#ifndef PARLEY_HANDSHAKE_H
#define PARLEY_HANDSHAKE_H

#include "core/parley_str.h"


#define PARLEY_HANDSHAKE_VERSION  "13"

/* octets of Sec-WebSocket-Accept */
#define PARLEY_HANDSHAKE_ACCEPT   28


/*
 * Writes the Sec-WebSocket-Accept of a key, and a NUL.  Returns 0, or -1 if the
 * key is invalid.
 */
int parley_handshake_accept(parley_str_t key,
    char ret[PARLEY_HANDSHAKE_ACCEPT + 1])
    __attribute__((warn_unused_result));

/* Returns whether a key is the base64 of 16 octets. */
int parley_handshake_is_key(parley_str_t key);

/*
 * Returns whether a list of tokens, as in Connection, has a token, in any case.
 */
int parley_handshake_has(parley_str_t list, parley_str_t token);


#endif /* PARLEY_HANDSHAKE_H */
