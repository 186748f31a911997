/* Refuses a sender with a reserved name. */

#ifndef PARLEY_RESERVED_SENDER_H
#define PARLEY_RESERVED_SENDER_H

#include "gate/party/parley_who.h"


/*
 * Refuses a sender that has a name of the gateway, or that a token gives the
 * name of a group.  self has the gateway's names by protocol.  Names of the
 * directory are skipped: parley_reserved_directory() has checked them.  Returns
 * 0, or -1: sender-identity-mismatch, capacity (no memory).
 */
int parley_reserved_name_sender(parley_who_t *who, const parley_str_t *self,
    parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_RESERVED_SENDER_H */
