/*
 * The opening handshake of a WebSocket, version 13 (RFC 6455, section 4).  A
 * server ignores offered subprotocols and extensions, which declines them.  A
 * client offers none.
 */

#ifndef PARLEY_HANDSHAKE_H
#define PARLEY_HANDSHAKE_H

#include "core/parley_str.h"


#define PARLEY_HANDSHAKE_VERSION  "13"

/* octets of Sec-WebSocket-Key, which is the base64 of PARLEY_HANDSHAKE_RANDOM
   octets, and of Sec-WebSocket-Accept */
#define PARLEY_HANDSHAKE_RANDOM   16
#define PARLEY_HANDSHAKE_KEY      24
#define PARLEY_HANDSHAKE_ACCEPT   28


/* header fields of a server's 101; data is NULL if a field is missing */
typedef struct parley_handshake_answer_s {
    parley_str_t  upgrade;
    parley_str_t  connection;
    parley_str_t  accept;       /* Sec-WebSocket-Accept */
    parley_str_t  protocol;     /* Sec-WebSocket-Protocol */
    parley_str_t  extensions;   /* Sec-WebSocket-Extensions */
    unsigned      repeated:1;   /* Sec-WebSocket-Accept or -Protocol occurs
                                   twice */
} parley_handshake_answer_t;


/*
 * Writes the Sec-WebSocket-Accept of a key, and a NUL.  Returns 0, or -1 if the
 * key is invalid.
 */
int parley_handshake_accept(parley_str_t key,
    char ret[PARLEY_HANDSHAKE_ACCEPT + 1])
    __attribute__((warn_unused_result));

/*
 * Checks the 101 of a server for a client that sent the key and offered neither
 * a subprotocol nor an extension (section 4.1).  Returns NULL, or a text that
 * names the fault.
 */
const char *parley_handshake_check(parley_str_t key,
    const parley_handshake_answer_t *answer)
    __attribute__((warn_unused_result));

/* Returns whether a key is the base64 of 16 octets. */
int parley_handshake_is_key(parley_str_t key);

/*
 * Returns whether a list of tokens, as in Connection, has a token, in any case.
 */
int parley_handshake_has(parley_str_t list, parley_str_t token);


#endif /* PARLEY_HANDSHAKE_H */
