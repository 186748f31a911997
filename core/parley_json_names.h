/*
 * The search for duplicate member names, and for one name in a large object.
 * Private to core.
 */

#ifndef PARLEY_JSON_NAMES_H
#define PARLEY_JSON_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "parley_json.h"


/* what is kept from one object to the next; zeroed but for the arena */
typedef struct {
    parley_arena_t  *arena;     /* lends what follows */
    uint32_t        *slots;     /* open addressing; node of a name, or NONE */
    size_t           nslots;    /* allocated */
    size_t           used;      /* of them, for this object; a power of 2 */
    uint8_t         *text;      /* an unescaped name */
    size_t           size;
} parley_json_names_t;


/*
 * Looks through the members of obj, an object whose nodes are complete, for
 * the first name that stood before.  Returns 0 with *ret the node of that
 * name or PARLEY_JSON_NONE; -1: no memory.
 */
int parley_json_names_duplicate(parley_json_names_t *names,
    const parley_json_t *doc, uint32_t obj, uint32_t *ret);

/*
 * The same for an object of any size, and always by the table: afterwards
 * parley_json_names_find() finds its names.
 */
int parley_json_names_index(parley_json_names_t *names,
    const parley_json_t *doc, uint32_t obj, uint32_t *ret);

/*
 * The name in the object of doc that was indexed last that equals name k of
 * other.  Returns 0 with *ret that name or PARLEY_JSON_NONE; -1: no memory.
 */
int parley_json_names_find(parley_json_names_t *names,
    const parley_json_t *doc, const parley_json_t *other, uint32_t k,
    uint32_t *ret);


#endif /* PARLEY_JSON_NAMES_H */
