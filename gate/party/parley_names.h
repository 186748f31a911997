/*
 * SEC-04: every name that a rule may have for a party of a message, whichever
 * of them the message uses.
 */

#ifndef PARLEY_NAMES_H
#define PARLEY_NAMES_H

#include "auth/parley_policy.h"
#include "gate/party/parley_who.h"


/* a sub, a name for each protocol, and what may be meant besides; more of
   them stand in the arena */
#define PARLEY_NAMES_FEW  24


typedef struct {
    parley_who_t              *who;
    const parley_principal_t  *owner;           /* NULL: nobody known */
    parley_policy_name_t      *list;
    size_t                     n;
    size_t                     room;
    unsigned                   failed:1;        /* no memory */
    unsigned                   drafters:1;      /* of a recipient, which its
                                                   instruments mean too */
    parley_policy_name_t       few[PARLEY_NAMES_FEW];
} parley_names_t;


/*
 * Of whoever sent the message: its sub, its name in each protocol, its own or
 * one that maps; also those of a surface that delivers the message.  Where
 * nobody is known: what the message claims, all loose.  *ret points into
 * itself.  Returns 0, or -1: no memory.
 */
int parley_names_sender(parley_who_t *who, parley_names_t *ret)
    __attribute__((warn_unused_result));

/*
 * Fills the names of a recipient, to in the message's protocol; empty: none.  A
 * listed name is its principal's.  Another name is itself and what it maps to;
 * a part of that which is listed is loose.  Loose, too: the names by which a
 * service reads it in another protocol or without regard to ASCII case, all
 * names of a principal that is listed under one of them or lists it as an
 * instrument, and the names of a principal's own instruments.  *ret points into
 * itself.  Returns 0, or -1: no memory.
 */
int parley_names_recipient(parley_who_t *who, parley_str_t to,
    parley_names_t *ret)
    __attribute__((warn_unused_result));

/*
 * Adds the names of a principal, which gets the message by another name, as a
 * member of a group or as the reader of a log, or which delivers it.  Returns
 * 0, or -1: no memory.
 */
int parley_names_also(parley_names_t *names, const parley_principal_t *p)
    __attribute__((warn_unused_result));

/*
 * Whether a name is listed, or nobody can read it as another one: A-Z, a-z,
 * 0-9, "_", "-", and between them what the syntaxes of names have: one ".",
 * ":", "/" or "@", and "://", "~" and "*" in their places.
 */
int parley_names_is_plain(const parley_who_t *who, parley_str_t name);


#endif /* PARLEY_NAMES_H */
