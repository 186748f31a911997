/*
 * What a translation could not carry: JSON Pointers into the origin's native
 * message, each once, in the order in which they were found; first of the
 * request, then of its answer.
 */

#ifndef PARLEY_LOSS_H
#define PARLEY_LOSS_H

#include <stdint.h>

#include "core/parley_arena.h"
#include "core/parley_json.h"
#include "core/parley_str.h"


#define PARLEY_LOSS_MAX  64     /* further ones are counted only */


typedef struct {
    parley_arena_t  *arena;
    parley_str_t    *items;
    uint32_t         nitems;
    uint32_t         nrequest;  /* of these the request's */
    uint32_t         count;     /* all, also those beyond PARLEY_LOSS_MAX */
    unsigned         answers:1; /* what is added now is the answer's */
    unsigned         escaped:1; /* an item is not plain, see parley_escape.h */
    unsigned         failed:1;  /* no memory: the report is incomplete */
} parley_loss_t;


void parley_loss_init(parley_loss_t *loss, parley_arena_t *arena);

/* From now on it is the answer's members that are lost. */
void parley_loss_turn(parley_loss_t *loss);

/*
 * What an answer has lost besides, of a report whose arena ends before this
 * one's: what was not known before is copied.
 */
void parley_loss_keep(parley_loss_t *loss, const parley_loss_t *answer);

/* "/" name, the name escaped for a JSON Pointer, below prefix (may be "") */
void parley_loss_add(parley_loss_t *loss, const char *prefix,
    parley_str_t name);

/*
 * a JSON Pointer that lives as long as the report does: it is not copied; of
 * octets that PARLEY_ESCAPE_ITEM leaves as they are
 */
void parley_loss_known(parley_loss_t *loss, parley_str_t pointer);

/* a JSON Pointer as it is; NULL adds nothing */
void parley_loss_pointer(parley_loss_t *loss, const char *pointer);

/*
 * the same, where doc has such a value: a protocol's field need not be there,
 * or may stand somewhere else in this message
 */
void parley_loss_field(parley_loss_t *loss, const parley_json_t *doc,
    const char *pointer);

/* the JSON Pointer of a value of a document */
void parley_loss_value(parley_loss_t *loss, parley_json_ref_t value);

/*
 * What was lost on each way, as it stands in the header Parley-Loss, or in a
 * variable:
 *
 *     request=/trace, answer=""
 *     request=/trace,answer=%22%22
 *
 * Pointers are percent-encoded (PARLEY_ESCAPE_ITEM); the whole document has the
 * empty one.  The empty string where nothing was lost.  Returns 0, or -1: no
 * memory.
 */
typedef enum {
    PARLEY_LOSS_HEADER = 0,
    PARLEY_LOSS_VARIABLE
} parley_loss_place_t;

int parley_loss_text(const parley_loss_t *loss, parley_arena_t *arena,
    parley_loss_place_t place, parley_str_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_LOSS_H */
