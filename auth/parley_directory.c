/* Reads the file of the directory, and frees the directory. */

#include <stdio.h>
#include <string.h>

#include "auth/parley_directory_index.h"
#include "auth/parley_directory_parts.h"


static int
parley_directory_principals_read(parley_directory_t *dir,
    parley_arena_t *arena, const json_t *array, parley_error_t *err)
{
    char                       pointer[PARLEY_POINTER_MAX];
    size_t                     i, n;
    parley_directory_reader_t  r;

    /* an empty file is written as an empty list */

    if (array == NULL) {
        return parley_error_set(err, PARLEY_E_FIELD_MISSING, "/principals",
                                "\"principals\" is missing");
    }

    if (!json_is_array(array)) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, "/principals",
                                "\"principals\" is not an array");
    }

    n = json_array_size(array);
    dir->principals = parley_arena_calloc(arena, (n + 1)
                                                 * sizeof(parley_principal_t));
    if (dir->principals == NULL) {
        return parley_error_memory(err);
    }

    for (i = 0; i < n; i++) {
        parley_config_index(pointer, "/principals", i);

        r.arena = arena;
        r.object = json_array_get(array, i);
        r.pointer = pointer;
        r.principal = &dir->principals[i];
        r.err = err;

        dir->nprincipals = i + 1;

        if (parley_directory_principal(&r) != 0) {
            return -1;
        }
    }

    return 0;
}


static int
parley_directory_read(parley_directory_t *dir, parley_arena_t *arena,
    const json_t *tree, char first[PARLEY_POINTER_MAX], parley_error_t *err)
{
    json_t      *value;
    const char  *name;

    if (!json_is_object(tree)) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "the identities are not an object");
    }

    json_object_foreach((json_t *) (uintptr_t) tree, name, value) {
        if (strcmp(name, "principals") != 0) {
            return parley_directory_unknown(err, "", name);
        }
    }

    if (parley_directory_principals_read(dir, arena,
                                         json_object_get(tree, "principals"),
                                         err)
        != 0)
    {
        return -1;
    }

    return parley_directory_index(dir, arena, first, err);
}


/* Appends the line in text of the other principal of an error. */

static void
parley_directory_line(parley_arena_t *arena, parley_str_t text,
    const char *first, parley_error_t *err)
{
    char            place[PARLEY_PLACE_MAX];
    size_t          len;
    parley_error_t  other;

    parley_error_clear(&other);
    memcpy(other.field, first, sizeof(other.field));
    parley_config_locate(&arena->mem, text, &other);

    if (other.offset == PARLEY_NO_OFFSET) {
        return;
    }

    len = strlen(err->text);

    (void) snprintf(err->text + len, sizeof(err->text) - len, " (%s)",
                    parley_error_place(&other, text, place));
}


int
parley_directory_parse(parley_arena_t *arena, parley_str_t text,
    parley_party_pt party, parley_directory_t **ret, parley_error_t *err)
{
    int                  rc;
    char                 first[PARLEY_POINTER_MAX];
    json_t              *tree;
    parley_directory_t  *dir;

    *ret = NULL;
    first[0] = '\0';
    parley_error_clear(err);

    tree = parley_config_read(text, err);

    if (tree == NULL) {
        return -1;
    }

    dir = parley_arena_calloc(arena, sizeof(parley_directory_t));

    if (dir != NULL) {
        dir->party = party;
        rc = parley_directory_read(dir, arena, tree, first, err);

    } else {
        rc = parley_error_memory(err);
    }

    parley_config_wipe(tree);
    json_decref(tree);

    if (rc != 0) {
        parley_directory_free(dir);
        parley_config_locate(&arena->mem, text, err);

        if (first[0] != '\0') {
            parley_directory_line(arena, text, first, err);
        }

        return -1;
    }

    *ret = dir;

    return 0;
}


int
parley_directory_has_rates(const parley_directory_t *dir)
{
    size_t  i;

    for (i = 0; i < dir->nprincipals; i++) {

        if (dir->principals[i].rate.interval_us != 0) {
            return 1;
        }
    }

    return 0;
}


int
parley_directory_has_caps(const parley_directory_t *dir)
{
    size_t  i;

    for (i = 0; i < dir->nprincipals; i++) {

        if (dir->principals[i].max_priority.len > 0) {
            return 1;
        }
    }

    return 0;
}


int
parley_directory_has_surfaces(const parley_directory_t *dir)
{
    size_t  i;

    for (i = 0; i < dir->nprincipals; i++) {

        if (dir->principals[i].surface.n > 0) {
            return 1;
        }
    }

    return 0;
}


void
parley_directory_free(parley_directory_t *dir)
{
    size_t  i;

    if (dir == NULL) {
        return;
    }

    for (i = 0; i < dir->nprincipals; i++) {
        parley_jwks_free(&dir->principals[i].keys);
    }

    dir->nprincipals = 0;
}
