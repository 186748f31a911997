/* Checks whether a request opens a WebSocket. */

#ifndef PARLEY_GATE_UPGRADE_H
#define PARLEY_GATE_UPGRADE_H

#include "gate/message/parley_gate.h"


/*
 * Checks whether the request opens a WebSocket.  Returns 0, or -1.  The error
 * field-invalid names the header field.  The error protocol-unsupported sets
 * g->serve.upgrade: the request does not ask for a WebSocket, or asks for
 * another version.
 */
int parley_gate_upgrade(parley_gate_t *g)
    __attribute__((warn_unused_result));

/*
 * Returns the intent that the first message of a WebSocket must have in its
 * protocol (VCP 8.3).  Returns an empty text if the message has it, or if the
 * protocol requires none.  The message may be read or refused.
 */
parley_str_t parley_gate_upgrade_lacks(const parley_gate_t *g);


#endif /* PARLEY_GATE_UPGRADE_H */
