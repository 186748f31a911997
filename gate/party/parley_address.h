/*
 * The address of a log.  It identifies the log of a principal, its streams, and
 * the messages that wait for it.  The address is
 *
 *     ~bob             the handle, listed or derived;
 *     agent.bob        without a handle: the AEE name, listed or derived;
 *     vcp bob@x        without both: the member of the identities and the name.
 *
 * A message for an account of a chat platform has the address of the principal
 * that reads it (parley_address_reader()).
 *
 * Addresses of different forms differ: a handle begins with "~", and no name
 * has a space.  So a principal that chooses its handle cannot choose the
 * address of another principal's name.
 */

#ifndef PARLEY_ADDRESS_H
#define PARLEY_ADDRESS_H

#include "translate/channel/parley_channel_scope.h"
#include "gate/party/parley_who.h"


/*
 * Returns whether a principal has an address: it has a name, or its sub is an
 * AEE name.
 */
int parley_address_has(const parley_principal_t *p);

/*
 * Finds the address of a principal; *ret points into the principal or into the
 * arena.  Returns 0; 1 with *ret empty if it has no address; or -1: no memory.
 */
int parley_address_of(parley_arena_t *arena, const parley_principal_t *p,
    parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Finds the address for a name in a protocol: of the principal with this name,
 * else derived from the syntax of the name.  Returns as parley_address_of(); 1
 * if the text is not a name, or is the name of a group.
 */
int parley_address_named(parley_who_t *who, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * As parley_address_named(), for messages to a recipient with this name.
 * Messages for an account have the address of the principal that lists the
 * account, else of its surface (parley_who_account_reader()).  Returns 1 also
 * if the account differs from a listed one only in the case of letters.
 */
int parley_address_reader(parley_who_t *who, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret)
    __attribute__((warn_unused_result));

/* As parley_address_reader(), for the sender of the message at hand. */
int parley_address_sender(parley_who_t *who, parley_str_t *ret)
    __attribute__((warn_unused_result));

/* Returns the listed principal with this address, or NULL. */
const parley_principal_t *parley_address_owner(
    const parley_directory_t *directory, parley_str_t address);


#endif /* PARLEY_ADDRESS_H */
