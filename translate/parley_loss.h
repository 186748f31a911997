/*
 * Parts of a message that a translation could not carry: JSON Pointers into the
 * native message of its origin, each once, in the order in which they were
 * found.  Those of the request precede those of its answer.
 */

#ifndef PARLEY_LOSS_H
#define PARLEY_LOSS_H

#include <stdint.h>

#include "core/parley_arena.h"
#include "core/parley_json.h"
#include "core/parley_str.h"


#define PARLEY_LOSS_MAX  64     /* further ones are only counted */


typedef struct parley_loss_s {
    parley_arena_t  *arena;
    parley_str_t    *items;
    uint32_t         nitems;
    uint32_t         nrequest;  /* those of the request */
    uint32_t         count;     /* all, also beyond PARLEY_LOSS_MAX */
    unsigned         answers:1; /* later additions belong to the answer */
    unsigned         escaped:1; /* an item has escapes, see parley_escape.h */
    unsigned         failed:1;  /* memory was exhausted: the report is
                                   incomplete */
} parley_loss_t;


void parley_loss_init(parley_loss_t *loss, parley_arena_t *arena);

/* Begins the part of the answer. */
void parley_loss_turn(parley_loss_t *loss);

/*
 * Adds the losses of an answer from a report whose arena ends before this
 * one's.  New items are copied.
 */
void parley_loss_keep(parley_loss_t *loss, const parley_loss_t *answer);

/*
 * Adds "/" name below prefix, which may be "".  The name is escaped for a JSON
 * Pointer.
 */
void parley_loss_add(parley_loss_t *loss, const char *prefix,
    parley_str_t name);

/*
 * Adds a JSON Pointer that lives as long as the report and is not copied.  It
 * contains only octets that PARLEY_ESCAPE_ITEM does not change.
 */
void parley_loss_known(parley_loss_t *loss, parley_str_t pointer);

/* Adds a JSON Pointer as it is.  NULL adds nothing. */
void parley_loss_pointer(parley_loss_t *loss, const char *pointer);

/*
 * As parley_loss_pointer(), but only if doc has a value there.  The field of a
 * protocol may be absent, or have another place in this message.
 */
void parley_loss_field(parley_loss_t *loss, const parley_json_t *doc,
    const char *pointer);

/* Adds the JSON Pointer of a value of a document. */
void parley_loss_value(parley_loss_t *loss, parley_json_ref_t value);

/*
 * Writes the losses of both ways for the header Parley-Loss, or for a variable:
 *
 *   request=/trace, answer=""
 *   request=/trace,answer=%22%22
 *
 * Pointers are percent-encoded (PARLEY_ESCAPE_ITEM).  The whole document has
 * the empty pointer.  The text is empty if nothing was lost.  Returns 0, or -1
 * if memory is exhausted.
 */
typedef enum {
    PARLEY_LOSS_HEADER = 0,
    PARLEY_LOSS_VARIABLE
} parley_loss_place_t;

int parley_loss_text(const parley_loss_t *loss, parley_arena_t *arena,
    parley_loss_place_t place, parley_str_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_LOSS_H */
