/*
 * Octets of a stream with PARLEY_FORM_OBJECTS, for the subscribers that are
 * connections of MoQ: their adapter makes objects of them.  Entries follow each
 * other:
 *
 *   kind 1, length 4, epoch 8, offset 8, message
 *
 * Numbers are as parley_octets.h writes them.
 */

#ifndef PARLEY_HUB_OBJECT_H
#define PARLEY_HUB_OBJECT_H

#include "core/parley_str.h"
#include "state/parley_log.h"


typedef enum {
    PARLEY_HUB_OBJECT_MESSAGE = 0,
    PARLEY_HUB_OBJECT_OPEN,     /* the stream begins after the place */
    PARLEY_HUB_OBJECT_GAP,      /* records up to the place are lost */
    PARLEY_HUB_OBJECT_ALIVE     /* all records up to the place were written */
} parley_hub_object_kind_t;


typedef struct {
    parley_hub_object_kind_t  kind;
    parley_place_t            place;
    parley_str_t              message;  /* span of the octets; empty, unless the
                                           kind is MESSAGE */
} parley_hub_object_t;


/* Reads the first entry.  Returns its octets, or 0 if it is not whole. */
size_t parley_hub_object_read(parley_str_t in, parley_hub_object_t *ret);


#endif /* PARLEY_HUB_OBJECT_H */
