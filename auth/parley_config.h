/*
 * JSON files of the operator (keys, identities), read with jansson at
 * configuration time.  Private to auth.
 */

#ifndef PARLEY_CONFIG_H
#define PARLEY_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "core/parley_str.h"


/*
 * Parses text, refusing duplicate members and trailing octets.  Returns a
 * tree, to be freed with json_decref(), or NULL with *err filled: json-invalid
 * with the offset.
 */
json_t *parley_config_read(parley_str_t text, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Marks an error of parley_json_read() as invalid JSON.  Returns -1. */
int parley_config_invalid(parley_error_t *err);

/*
 * Sets err->offset to the position in text of err->field, a JSON Pointer, or
 * of its closest existing ancestor.  Leaves it unchanged if text exceeds the
 * limits of parley_json_read() or the offset is set.  Parses text again, with
 * memory from mem: for error paths.
 */
void parley_config_locate(const parley_mem_t *mem, parley_str_t text,
    parley_error_t *err);

/*
 * Writes the JSON Pointer (RFC 6901) of member name in the object at pointer,
 * NUL-terminated and truncated.  out may be pointer.
 */
void parley_config_pointer(char out[PARLEY_POINTER_MAX], const char *pointer,
    const char *name);

/* As parley_config_pointer(), for an element of an array. */
void parley_config_index(char out[PARLEY_POINTER_MAX], const char *pointer,
    size_t index);

/*
 * Copies a string member of object into arena, with a NUL.  Absent and not
 * required: returns 0 with *ret empty.  Returns -1 with *err filled and *ret
 * empty if it is required and absent, empty, longer than max octets or not a
 * string.  pointer is the object's JSON Pointer, for errors.
 */
int parley_config_string(parley_arena_t *arena, const json_t *object,
    const char *pointer, const char *name, int required, size_t max,
    parley_str_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Zeroes all strings of the tree, which may be private keys and which
 * json_decref() would leave in freed memory.
 */
void parley_config_wipe(json_t *tree);


#endif /* PARLEY_CONFIG_H */
