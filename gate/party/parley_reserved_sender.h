/* Refuses a sender whose name is reserved. */

#ifndef PARLEY_RESERVED_SENDER_H
#define PARLEY_RESERVED_SENDER_H

#include "gate/party/parley_who.h"


/*
 * By no name is whoever sent who->msg the gateway, or a group where a token
 * says it; self: the gateway's names, by protocol.  What the directory lists
 * was looked at by parley_reserved_directory().  Returns 0, or -1:
 * sender-identity-mismatch, capacity (no memory).
 */
int parley_reserved_sender(parley_who_t *who, const parley_str_t *self,
    parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_RESERVED_SENDER_H */
