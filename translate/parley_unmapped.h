/*
 * Reports members of a message without a canonical field, for the loss report
 * of a protocol that cannot carry them.  A table for each object lists its
 * mapped members.
 */

#ifndef PARLEY_UNMAPPED_H
#define PARLEY_UNMAPPED_H

#include "core/parley_atom.h"
#include "translate/parley_loss.h"
#include "translate/parley_msg.h"


typedef struct parley_mapped_s  parley_mapped_t;

struct parley_mapped_s {
    const char  *pointer;       /* pointer of the object, if it is short and
                                   always the same; or NULL */

    /*
     * Handles a member that names does not map, if the table alone cannot
     * decide.  Returns whether it did.  NULL: the table decides.
     */
    int        (*own)(const parley_msg_t *m, uint32_t value, unsigned by,
                   parley_loss_t *loss);

    uint8_t      names[PARLEY_ATOMS];   /* bits: mappings of a member; 0:
                                           none */

    /* members that are objects with their own table: 1 and more are places in
       inner; 0: names alone decides; NULL: none */
    const uint8_t          *objects;
    const parley_mapped_t  *inner;
};


/*
 * Reports the members of an object of m->doc without a mapping in by.  Does
 * nothing for other values.
 */
void parley_unmapped(const parley_msg_t *m, uint32_t object,
    const parley_mapped_t *mapped, unsigned by, parley_loss_t *loss);


#endif /* PARLEY_UNMAPPED_H */
