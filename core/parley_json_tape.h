/*
 * The tape under construction.  It needs no stack: while an array or object is
 * open, its node's next is the index of the enclosing node, and the len of an
 * object is the index of its latest name.  Private to core.
 */

#ifndef PARLEY_JSON_TAPE_H
#define PARLEY_JSON_TAPE_H

#include <stdint.h>

#include "core/parley_error.h"
#include "core/parley_json.h"
#include "core/parley_json_names.h"
#include "core/parley_json_scan.h"


typedef struct {
    parley_json_scan_t           s;
    parley_json_t                doc;       /* with a growing tape */
    uint32_t                     capacity;
    uint32_t                     open;      /* innermost open node, or NONE */
    parley_json_type_t           within;    /* type of open; NULL: none */
    uint32_t                     depth;     /* number of open nodes */
    uint32_t                     max_depth;
    uint32_t                     at;        /* node at fault; NONE: open */
    const parley_json_limits_t  *limits;
    parley_json_names_t          names;
} parley_json_reader_t;


/* Makes room for more nodes.  Returns 0, or -1 if memory is exhausted. */
int parley_json_tape_grow(parley_json_reader_t *r);

/*
 * Closes the innermost array or object; p is after its closing bracket.
 * Returns 0, or -1 with the fault recorded for a duplicate member, or without
 * one if memory is exhausted.
 */
int parley_json_tape_close(parley_json_reader_t *r, const uint8_t *p);

/*
 * Fills *err from the fault recorded (none: memory is exhausted).  Returns -1.
 */
int parley_json_tape_failed(parley_json_reader_t *r, parley_error_t *err);


/*
 * Makes room for the nodes of a member or element.  Since before the end of
 * the input there are fewer nodes than octets read, two more always fit the
 * capacity's bound.
 */
static inline int
parley_json_tape_room(parley_json_reader_t *r)
{
    return (r->capacity - r->doc.nnodes < 2) ? parley_json_tape_grow(r) : 0;
}


/*
 * Counts a member or element that begins at p.  Returns 0, or -1 with the
 * fault recorded if there are too many.
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
