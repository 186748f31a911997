/*
 * The address of a log: the text by which the log of a principal, its streams,
 * and the messages that wait for it are found.  It is
 *
 *     ~bob             the handle, listed or derived;
 *     agent.bob        without a handle: the AEE name, listed or derived;
 *     vcp bob@x        without both: the member of the identities and the name.
 *
 * A message for an account of a chat platform has the address of the principal
 * that reads it (parley_address_reader()).
 *
 * No address of one form is an address of another form: a handle begins with
 * "~", and no name has a space.  So a principal that chooses its handle cannot
 * choose the address of another principal's name.
 */

#ifndef PARLEY_ADDRESS_H
#define PARLEY_ADDRESS_H

#include "translate/channel/parley_channel_scope.h"
#include "gate/party/parley_who.h"


/* Whether a principal has an address: a name, or a sub that is an AEE name. */
int parley_address_has(const parley_principal_t *p);

/*
 * Finds the address of a principal; *ret is the principal's or the arena's.
 * Returns 0; 1 and *ret empty: it has none; or -1: no memory.
 */
int parley_address_of(parley_arena_t *arena, const parley_principal_t *p,
    parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Finds the address that a name means in a protocol: of the principal that has
 * this name, else by the syntax of the name.  Returns as parley_address_of();
 * 1: it is not a name, or it is the name of a group.
 */
int parley_address_named(parley_who_t *who, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * As parley_address_named(), for a message to name.  The messages for an
 * account are for the principal that lists it, else for its surface
 * (parley_who_account_reader()).  1 also: an account that differs from a listed
 * one in the case of letters only.
 */
int parley_address_reader(parley_who_t *who, parley_proto_t proto,
    parley_str_t name, parley_str_t *ret)
    __attribute__((warn_unused_result));

/* As parley_address_reader(), for the sender of who->msg. */
int parley_address_sender(parley_who_t *who, parley_str_t *ret)
    __attribute__((warn_unused_result));

/* Returns the listed principal with this address, or NULL. */
const parley_principal_t *parley_address_owner(
    const parley_directory_t *directory, parley_str_t address);


#endif /* PARLEY_ADDRESS_H */
