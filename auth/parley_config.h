/*
 * Files of the operator (keys, identities), read by jansson into a tree at
 * configuration time.  Internal to auth/.
 */

#ifndef PARLEY_CONFIG_H
#define PARLEY_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "parley_arena.h"
#include "parley_error.h"
#include "parley_str.h"


/*
 * Reads text, refusing duplicate members and trailing octets.  Returns a tree
 * for json_decref(), or NULL with *err filled (json-invalid, the offset, and
 * the line in the text).
 */
json_t *parley_config_read(parley_str_t text, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Sets err->offset to the place in text that err->field, a JSON Pointer,
 * names; of a missing member, its object's.  Left alone where text is beyond
 * parley_json's limits.  For the error path alone: it reads text again.
 */
void parley_config_locate(const parley_mem_t *mem, parley_str_t text,
    parley_error_t *err);

/*
 * Writes pointer "/" name with ~ and / of the name escaped (RFC 6901) to out,
 * cut at its size.
 */
void parley_config_pointer(char out[PARLEY_POINTER_MAX], const char *pointer,
    const char *name);
void parley_config_index(char out[PARLEY_POINTER_MAX], const char *pointer,
    size_t index);

/*
 * A string member, copied into the arena.  Absent: *ret empty, 0, unless
 * required.  Empty or longer than max octets, or no string: an error.
 */
int parley_config_string(parley_arena_t *arena, const json_t *object,
    const char *pointer, const char *name, int required, size_t max,
    parley_str_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Overwrites every string in the tree with zeros: what was read may hold
 * private keys, and json_decref() leaves its octets behind.
 */
void parley_config_wipe(json_t *tree);


#endif /* PARLEY_CONFIG_H */
