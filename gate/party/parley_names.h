/*
 * SEC-04: all names by which a rule may refer to a party of a message, not only
 * the name in the message.
 */

#ifndef PARLEY_NAMES_H
#define PARLEY_NAMES_H

#include "auth/parley_policy.h"
#include "gate/party/parley_who.h"


/*
 * Room for the usual number of names: a sub, a name in each protocol, and other
 * readings.  Longer lists are in the arena.
 */
#define PARLEY_NAMES_FEW  24


typedef struct {
    parley_who_t              *who;
    const parley_principal_t  *owner;           /* NULL: unknown */
    parley_policy_name_t      *list;
    size_t                     n;
    size_t                     room;
    unsigned                   failed:1;        /* no memory */
    unsigned                   drafters:1;      /* names of a recipient, so
                                                   those of its instruments are
                                                   added */
    parley_policy_name_t       few[PARLEY_NAMES_FEW];
} parley_names_t;


/*
 * Lists the names of the message's sender: its sub, and its listed or derived
 * name in each protocol.  The names of a surface that delivers the message are
 * added.  The names of an unknown sender are those that the message claims, all
 * loose.  *ret points into itself.  Returns 0, or -1: no memory.
 */
int parley_names_sender(parley_who_t *who, parley_names_t *ret)
    __attribute__((warn_unused_result));

/*
 * Lists the names of a recipient.  to is its name in the message's protocol; an
 * empty name gives an empty list.  A listed name gives the names of its
 * principal.  Another name gives itself and the names that it maps to.  *ret
 * points into itself.  Returns 0, or -1: no memory.
 *
 * Loose names are: mapped names that are listed for another principal, readings
 * of the name in another protocol or without regard to ASCII case, the names of
 * a principal that is listed under one of these names or lists it as an
 * instrument, the names of a principal's instruments and accounts, and the
 * other name of an account that a surface serves.
 */
int parley_names_recipient(parley_who_t *who, parley_str_t to,
    parley_names_t *ret)
    __attribute__((warn_unused_result));

/*
 * Adds the names of a principal that gets the message by another name, as a
 * member of a group or as the reader of a log, or that delivers it.  Returns 0,
 * or -1: no memory.
 */
int parley_names_also(parley_names_t *names, const parley_principal_t *p)
    __attribute__((warn_unused_result));

/*
 * Returns whether a name is listed, or has only one reading.  Such a name
 * consists of labels of A-Z, a-z, 0-9, "_" and "-".  One ".", ":", "/", "@" or
 * "://" separates two labels.  A "~" may precede the first label or follow a
 * ":".  A "*" may follow a last "/".
 */
int parley_names_is_plain(const parley_who_t *who, parley_str_t name);


#endif /* PARLEY_NAMES_H */
