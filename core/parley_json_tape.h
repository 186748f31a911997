/*
 * The tape while it is written.  There is no stack: while an array or object
 * is open, the next of its node is the node around it, and the len of an
 * object is its latest name.  Private to core.
 */

#ifndef PARLEY_JSON_TAPE_H
#define PARLEY_JSON_TAPE_H

#include <stdint.h>

#include "parley_error.h"
#include "parley_json.h"
#include "parley_json_names.h"
#include "parley_json_scan.h"


typedef struct {
    parley_json_scan_t           s;
    parley_json_t                doc;       /* its tape grows */
    uint32_t                     capacity;
    uint32_t                     open;      /* innermost, or NONE */
    parley_json_type_t           within;    /* its type; NULL: none is open */
    uint32_t                     depth;     /* how many are open */
    uint32_t                     max_depth;
    uint32_t                     at;        /* the node at fault, or NONE:
                                               the innermost open one */
    const parley_json_limits_t  *limits;
    parley_json_names_t          names;
} parley_json_reader_t;


/* Room for more nodes.  Returns -1 where memory cannot be had. */
int parley_json_tape_grow(parley_json_reader_t *r);

/*
 * Closes what is open; its last bracket stands before p.  Returns -1 where a
 * member is there twice or memory cannot be had.
 */
int parley_json_tape_close(parley_json_reader_t *r, const uint8_t *p);

/* Fills *err with the fault that was recorded (none: no memory): -1. */
int parley_json_tape_failed(parley_json_reader_t *r, parley_error_t *err);


/*
 * Room for the nodes of a member, or of an element.  Before the end of the
 * input the tape has fewer nodes than octets were passed: two more fit.
 */
static inline int
parley_json_tape_room(parley_json_reader_t *r)
{
    return (r->capacity - r->doc.nnodes < 2) ? parley_json_tape_grow(r) : 0;
}


/*
 * A member of the open object or an element of the open array begins at p.
 * Returns -1, the fault recorded, where there are too many.
 */
static inline int
parley_json_tape_count(parley_json_reader_t *r, parley_json_node_t *open,
    const uint8_t *p)
{
    if (open->count == r->limits->members) {
        return parley_json_excess(&r->s, p, (open->type == PARLEY_JSON_OBJECT)
                                                ? "too many members"
                                                : "too many elements");
    }

    open->count++;

    return 0;
}


#endif /* PARLEY_JSON_TAPE_H */
