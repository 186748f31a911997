/* Checks whether a request opens a WebSocket. */

#ifndef PARLEY_GATE_UPGRADE_H
#define PARLEY_GATE_UPGRADE_H

#include "gate/message/parley_gate.h"


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


#endif /* PARLEY_GATE_UPGRADE_H */
