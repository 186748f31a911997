/*
 * Detection of duplicate member names, and lookup of names in a large object.
 * Private to core.
 */

#ifndef PARLEY_JSON_NAMES_H
#define PARLEY_JSON_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_json.h"


/*
 * Memory reused from object to object.  The caller sets arena and zeroes the
 * rest.
 */
typedef struct {
    parley_arena_t  *arena;     /* provides slots and text */
    uint32_t        *slots;     /* open addressing: name nodes or NONE */
    size_t           nslots;    /* allocated */
    size_t           used;      /* for this object, a power of 2 */
    uint8_t         *text;      /* buffer for unescaped names */
    size_t           size;
} parley_json_names_t;


/*
 * Finds the first member of obj with the name of an earlier member.  The nodes
 * of obj must be complete.  Returns 0 with *ret its name node or
 * PARLEY_JSON_NONE, or -1 if memory is exhausted.
 */
int parley_json_names_duplicate(parley_json_names_t *names,
    const parley_json_t *doc, uint32_t obj, uint32_t *ret);

/*
 * As parley_json_names_duplicate(), building the table for any size of obj, so
 * that parley_json_names_find() can be used.
 */
int parley_json_names_index(parley_json_names_t *names,
    const parley_json_t *doc, uint32_t obj, uint32_t *ret);

/*
 * Looks up name k of other in the object of doc indexed last.  Returns 0 with
 * *ret the equal name's node or PARLEY_JSON_NONE, or -1 if memory is
 * exhausted.
 */
int parley_json_names_find(parley_json_names_t *names,
    const parley_json_t *doc, const parley_json_t *other, uint32_t k,
    uint32_t *ret);


#endif /* PARLEY_JSON_NAMES_H */
