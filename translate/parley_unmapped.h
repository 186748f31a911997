/*
 * What a message says and no canonical field holds, for the loss report of a
 * protocol that has no place for it: a table for each object says which of its
 * members are mapped.
 */

#ifndef PARLEY_UNMAPPED_H
#define PARLEY_UNMAPPED_H

#include "core/parley_atom.h"
#include "translate/parley_loss.h"
#include "translate/parley_msg.h"


typedef struct parley_mapped_s  parley_mapped_t;

struct parley_mapped_s {
    const char  *pointer;       /* of the object, where that is always the
                                   same: a short one; or NULL */

    /*
     * Looks at a member that names does not map, where a table alone does not
     * decide.  Returns whether it did.  NULL: none is looked at.
     */
    int        (*own)(const parley_msg_t *m, uint32_t value, unsigned by,
                   parley_loss_t *loss);

    uint8_t      names[PARLEY_ATOMS];   /* bits: what maps a member; 0:
                                           nothing does */

    /* of members that are objects with a table of their own: in inner, from 1
       on, where names alone decides; NULL: there are none */
    const uint8_t          *objects;
    const parley_mapped_t  *inner;
};


/*
 * Reports the members of an object of m->doc that nothing maps whose bit is in
 * by; any other value has none.
 */
void parley_unmapped(const parley_msg_t *m, uint32_t object,
    const parley_mapped_t *mapped, unsigned by, parley_loss_t *loss);


#endif /* PARLEY_UNMAPPED_H */
