#include <stdio.h>
#include <string.h>

#include <sodium.h>

#include "auth/parley_config.h"
#include "core/parley_json.h"


static void parley_config_limits(parley_json_limits_t *ret);
static void parley_config_fault(parley_str_t text, const json_error_t *e,
    parley_error_t *err);


json_t *
parley_config_read(parley_str_t text, parley_error_t *err)
{
    json_t        *tree;
    json_error_t   e;

    if (text.len == 0) {
        (void) parley_error_set(err, PARLEY_E_JSON_INVALID, NULL, "empty");
        return NULL;
    }

    tree = json_loadb((const char *) text.data, text.len,
                      JSON_REJECT_DUPLICATES, &e);

    if (tree == NULL) {

        if (json_error_code(&e) == json_error_out_of_memory) {
            (void) parley_error_memory(err);
            return NULL;
        }

        parley_config_fault(text, &e, err);
    }

    return tree;
}


/*
 * Describes the fault of a text that jansson refused.  The text of e is not
 * used: it quotes the file, which may hold secrets.
 */

static void
parley_config_fault(parley_str_t text, const json_error_t *e,
    parley_error_t *err)
{
    int                    rc;
    parley_json_t          doc;
    parley_arena_t         arena;
    parley_json_limits_t   limits;

    parley_config_limits(&limits);
    parley_arena_init(&arena, &parley_mem_libc, 0);

    rc = parley_json_read(&doc, &arena, &limits, 0, text, err);

    parley_arena_reset(&arena);

    if (rc == 0 || err->code != PARLEY_E_JSON_INVALID) {
        (void) parley_error_set(err, PARLEY_E_JSON_INVALID, NULL,
                                "a value that is too large, too deep or has "
                                "U+0000");
        err->offset = e->position >= 0 ? (size_t) e->position
                                       : PARLEY_NO_OFFSET;
    }

    (void) parley_config_invalid(err);
}


int
parley_config_invalid(parley_error_t *err)
{
    parley_error_t  e = *err;

    if (e.code != PARLEY_E_JSON_INVALID) {
        return -1;
    }

    (void) parley_error_set(err, e.code, e.field, "invalid JSON: %s", e.text);
    err->offset = e.offset;
    err->is_name = e.is_name;

    return -1;
}


static void
parley_config_limits(parley_json_limits_t *ret)
{
    *ret = parley_json_limits_default;

    ret->octets = 64 * 1024 * 1024;
    ret->members = 1024 * 1024;
}


void
parley_config_locate(const parley_mem_t *mem, parley_str_t text,
    parley_error_t *err)
{
    char                  *slash, pointer[PARLEY_POINTER_MAX];
    uint32_t               node;
    parley_json_t          doc;
    parley_arena_t         arena;
    parley_error_t         ignored;
    parley_json_limits_t   limits;

    if (err->field[0] == '\0' || err->offset != PARLEY_NO_OFFSET) {
        return;
    }

    parley_config_limits(&limits);
    parley_arena_init(&arena, mem, 0);

    if (parley_json_read(&doc, &arena, &limits, 0, text, &ignored) == 0) {
        memcpy(pointer, err->field, sizeof(pointer));

        do {
            node = parley_json_resolve(&doc, 0, parley_str_c(pointer));
            slash = strrchr(pointer, '/');

            if (slash != NULL) {
                *slash = '\0';
            }

        } while (node == PARLEY_JSON_NONE && slash != NULL);

        if (node != PARLEY_JSON_NONE) {
            err->offset = parley_json_node(&doc, node)->off;
        }
    }

    parley_arena_reset(&arena);
}


void
parley_config_pointer(char out[PARLEY_POINTER_MAX], const char *pointer,
    const char *name)
{
    size_t  n;

    n = strlen(pointer);

    if (n > PARLEY_POINTER_MAX - 2) {
        n = PARLEY_POINTER_MAX - 2;
    }

    memmove(out, pointer, n);
    out[n++] = '/';

    for ( /* void */ ; *name != '\0' && n < PARLEY_POINTER_MAX - 2; name++) {

        if (*name == '~' || *name == '/') {
            out[n++] = '~';
            out[n++] = *name == '~' ? '0' : '1';

        } else {
            out[n++] = *name;
        }
    }

    out[n] = '\0';
}


void
parley_config_index(char out[PARLEY_POINTER_MAX], const char *pointer,
    size_t index)
{
    char  number[24];

    (void) snprintf(number, sizeof(number), "%zu", index);
    parley_config_pointer(out, pointer, number);
}


int
parley_config_string(parley_arena_t *arena, const json_t *object,
    const char *pointer, const char *name, int required, size_t max,
    parley_str_t *ret, parley_error_t *err)
{
    char           field[PARLEY_POINTER_MAX];
    size_t         len;
    const json_t  *value;

    *ret = parley_str_none;

    value = json_object_get(object, name);

    if (value == NULL && !required) {
        return 0;
    }

    parley_config_pointer(field, pointer, name);

    if (value == NULL) {
        return parley_error_set(err, PARLEY_E_FIELD_MISSING, field,
                                "\"%s\" is missing", name);
    }

    if (!json_is_string(value)) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, field,
                                "\"%s\" is not a string", name);
    }

    len = json_string_length(value);

    if (len == 0) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, field,
                                "\"%s\" is empty", name);
    }

    if (len > max) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, field,
                                "\"%s\" is longer than %zu octets", name,
                                max);
    }

    if (parley_arena_str(arena, parley_str_make(json_string_value(value), len),
                         ret)
        != 0)
    {
        return parley_error_memory(err);
    }

    return 0;
}


/* Recursion is bounded: jansson limits the depth of its input to 2048. */

void
parley_config_wipe(json_t *tree)
{
    size_t       i;
    json_t      *value;
    const char  *name;

    if (json_is_string(tree)) {
        sodium_memzero((void *) (uintptr_t) json_string_value(tree),
                       json_string_length(tree));

    } else if (json_is_array(tree)) {
        json_array_foreach(tree, i, value) {
            parley_config_wipe(value);
        }

    } else if (json_is_object(tree)) {
        json_object_foreach(tree, name, value) {
            parley_config_wipe(value);
        }
    }
}
