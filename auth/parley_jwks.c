#include <string.h>

#include "auth/parley_config.h"
#include "auth/parley_jwk.h"


/* kinds of a text */
typedef enum {
    PARLEY_JWKS_SET,            /* set in a file of the operator */
    PARLEY_JWKS_ANY,            /* set or one key, in a file of the operator */
    PARLEY_JWKS_PUBLISHED       /* set that a third party published */
} parley_jwks_form_t;


/*
 * Refuses two keys with one kid that could verify the same token, which would
 * make the choice arbitrary.
 */

static int
parley_jwks_unique(const parley_jwks_t *keys, const parley_jwk_t *jwk,
    const char *pointer, parley_error_t *err)
{
    char               field[PARLEY_POINTER_MAX];
    size_t             i;
    parley_alg_mask_t  both;

    for (i = 0; jwk->kid.len != 0 && i < keys->n; i++) {
        both = (jwk->verifies | jwk->signs)
               & (keys->keys[i].verifies | keys->keys[i].signs);

        if (both != 0 && parley_str_eq(jwk->kid, keys->keys[i].kid)) {
            parley_config_pointer(field, pointer, "kid");
            return parley_error_set(err, PARLEY_E_FIELD_INVALID, field,
                                    "an earlier key has the same kid and "
                                    "algorithm");
        }
    }

    return 0;
}


/* Appends the key at index i.  Returns 0, 1 if it is skipped, or -1. */

static int
parley_jwks_add(parley_arena_t *arena, json_t *array, const char *pointer,
    size_t i, parley_jwks_t *ret, parley_error_t *err)
{
    int            rc;
    char           item[PARLEY_POINTER_MAX];
    parley_jwk_t  *jwk;

    jwk = &ret->keys[ret->n];
    parley_config_index(item, pointer, i);

    rc = parley_jwk_from_json(arena, json_array_get(array, i), item, jwk,
                              err);

    if (rc != 0) {
        return rc;
    }

    if (parley_jwks_unique(ret, jwk, item, err) != 0) {
        parley_jwk_free(jwk);
        return -1;
    }

    ret->n++;

    return 0;
}


/* If published, invalid keys are counted and *err describes the first. */

static int
parley_jwks_array(parley_arena_t *arena, json_t *array, const char *pointer,
    int published, parley_jwks_t *ret, parley_error_t *err)
{
    int              rc;
    size_t           i, n;
    parley_error_t   wrong, first;

    memset(ret, 0, sizeof(parley_jwks_t));
    parley_error_clear(&first);

    if (!json_is_array(array)) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                                "keys are not an array");
    }

    n = json_array_size(array);

    if (n > PARLEY_JWKS_MAX) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                                "more than %d keys", PARLEY_JWKS_MAX);
    }

    ret->keys = parley_arena_calloc(arena, (n + 1) * sizeof(parley_jwk_t));

    if (ret->keys == NULL) {
        return parley_error_memory(err);
    }

    for (i = 0; i < n; i++) {
        rc = parley_jwks_add(arena, array, pointer, i, ret, &wrong);

        if (rc == 1) {
            ret->skipped++;

        } else if (rc == -1 && published
                   && wrong.code != PARLEY_E_CAPACITY)
        {
            if (ret->refused++ == 0) {
                first = wrong;
            }

        } else if (rc == -1) {
            *err = wrong;
            parley_jwks_free(ret);
            return -1;
        }
    }

    *err = first;

    return 0;
}


int
parley_jwks_from_json(parley_arena_t *arena, json_t *array,
    const char *pointer, parley_jwks_t *ret, parley_error_t *err)
{
    return parley_jwks_array(arena, array, pointer, 0, ret, err);
}


void
parley_jwks_free(parley_jwks_t *keys)
{
    size_t  i;

    for (i = 0; i < keys->n; i++) {
        parley_jwk_free(&keys->keys[i]);
    }

    memset(keys, 0, sizeof(parley_jwks_t));
}


static int
parley_jwks_one(parley_arena_t *arena, json_t *object, parley_jwks_t *ret,
    parley_error_t *err)
{
    ret->keys = parley_arena_calloc(arena, sizeof(parley_jwk_t));

    if (ret->keys == NULL) {
        return parley_error_memory(err);
    }

    if (parley_jwk_from_json(arena, object, "", ret->keys, err) != 0) {
        ret->keys = NULL;
        return -1;
    }

    ret->n = 1;

    return 0;
}


static int
parley_jwks_read(parley_arena_t *arena, parley_str_t text,
    parley_jwks_form_t form, parley_jwks_t *ret, parley_error_t *err)
{
    int      rc;
    json_t  *tree, *keys;

    memset(ret, 0, sizeof(parley_jwks_t));
    parley_error_clear(err);

    tree = parley_config_read(text, err);

    if (tree == NULL) {
        return -1;
    }

    keys = json_object_get(tree, "keys");

    if (!json_is_object(tree)) {
        rc = parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                              "a key set must be an object with \"keys\"");

    } else if (keys == NULL && form == PARLEY_JWKS_ANY) {
        rc = parley_jwks_one(arena, tree, ret, err);

    } else if (keys == NULL) {
        rc = parley_error_set(err, PARLEY_E_FIELD_MISSING, "/keys",
                              json_object_get(tree, "kty") != NULL
                              ? "\"keys\" is missing: this is a single key, "
                                "\"parley jwks FILE\" makes a set of it"
                              : "\"keys\" is missing");

    } else {
        rc = parley_jwks_array(arena, keys, "/keys",
                               form == PARLEY_JWKS_PUBLISHED, ret, err);
    }

    parley_config_wipe(tree);
    json_decref(tree);

    if (rc != 0) {
        parley_config_locate(&arena->mem, text, err);
    }

    return rc;
}


int
parley_jwks_parse(parley_arena_t *arena, parley_str_t text,
    parley_jwks_t *ret, parley_error_t *err)
{
    return parley_jwks_read(arena, text, PARLEY_JWKS_SET, ret, err);
}


int
parley_jwks_parse_any(parley_arena_t *arena, parley_str_t text,
    parley_jwks_t *ret, parley_error_t *err)
{
    return parley_jwks_read(arena, text, PARLEY_JWKS_ANY, ret, err);
}


int
parley_jwks_parse_published(parley_arena_t *arena, parley_str_t text,
    parley_jwks_t *ret, parley_error_t *err)
{
    return parley_jwks_read(arena, text, PARLEY_JWKS_PUBLISHED, ret, err);
}


size_t
parley_jwks_verifiers(const parley_jwks_t *keys)
{
    size_t  i, n;

    n = 0;

    for (i = 0; i < keys->n; i++) {
        n += keys->keys[i].verifies != 0;
    }

    return n;
}


int
parley_jwk_parse(parley_arena_t *arena, parley_str_t text, parley_jwk_t *ret,
    parley_error_t *err)
{
    int      rc;
    json_t  *tree;

    memset(ret, 0, sizeof(parley_jwk_t));
    ret->alg = -1;
    parley_error_clear(err);

    tree = parley_config_read(text, err);

    if (tree == NULL) {
        return -1;
    }

    rc = parley_jwk_from_json(arena, tree, "", ret, err);

    parley_config_wipe(tree);
    json_decref(tree);

    if (rc != 0) {
        parley_config_locate(&arena->mem, text, err);
        return -1;
    }

    return 0;
}


/* Returns whether the key may verify tokens of the issuer. */

static int
parley_jwks_is_for(const parley_jwk_t *jwk, parley_str_t issuer)
{
    return jwk->issuer.len == 0 || parley_str_eq(jwk->issuer, issuer);
}


/* Returns the first fitting key with this issuer; empty: with no issuer. */

static const parley_jwk_t *
parley_jwks_find_in(const parley_jwks_t *keys, parley_str_t issuer,
    parley_str_t kid, parley_alg_id_t alg, int *ret_known)
{
    size_t               i;
    const parley_jwk_t  *jwk;

    for (i = 0; i < keys->n; i++) {
        jwk = &keys->keys[i];

        if (!parley_str_eq(issuer, jwk->issuer)
            || !parley_str_eq(kid, jwk->kid))
        {
            continue;
        }

        *ret_known = 1;

        if (jwk->verifies & PARLEY_ALG_BIT(alg)) {
            return jwk;
        }
    }

    return NULL;
}


const parley_jwk_t *
parley_jwks_find(const parley_jwks_t *keys, parley_str_t issuer,
    parley_str_t kid, parley_alg_id_t alg, int *ret_known)
{
    const parley_jwk_t  *jwk;

    *ret_known = 0;
    jwk = NULL;

    if (issuer.len != 0) {
        jwk = parley_jwks_find_in(keys, issuer, kid, alg, ret_known);
    }

    return *ret_known ? jwk
           : parley_jwks_find_in(keys, parley_str_none, kid, alg, ret_known);
}


const parley_jwk_t *
parley_jwks_only(const parley_jwks_t *keys, parley_str_t issuer,
    parley_alg_id_t alg, size_t *ret_count)
{
    size_t               i;
    const parley_jwk_t  *found;

    found = NULL;
    *ret_count = 0;

    for (i = 0; i < keys->n; i++) {
        if ((keys->keys[i].verifies & PARLEY_ALG_BIT(alg))
            && parley_jwks_is_for(&keys->keys[i], issuer))
        {
            found = &keys->keys[i];
            (*ret_count)++;
        }
    }

    return *ret_count == 1 ? found : NULL;
}


void
parley_jwks_of(parley_jwks_t *keys, parley_str_t issuer)
{
    size_t  i;

    for (i = 0; i < keys->n; i++) {
        keys->keys[i].issuer = issuer;
    }
}


/* Refuses a key that cannot be told from another one. */

static int
parley_jwks_clash(const parley_jwks_t *keys, const parley_jwk_t *jwk,
    size_t at, parley_error_t *err)
{
    char                 field[PARLEY_POINTER_MAX];
    size_t               i;
    const parley_jwk_t  *other;

    for (i = 0; jwk->kid.len != 0 && i < keys->n; i++) {
        other = &keys->keys[i];

        if ((jwk->verifies & other->verifies) != 0
            && parley_str_eq(jwk->kid, other->kid)
            && (jwk->issuer.len == 0
                || parley_jwks_is_for(other, jwk->issuer)))
        {
            parley_config_index(field, "/keys", at);
            parley_config_pointer(field, field, "kid");

            return parley_error_set(err, PARLEY_E_FIELD_INVALID, field,
                                    "another file has a key of the same kid "
                                    "and algorithm for the same issuer");
        }
    }

    return 0;
}


int
parley_jwks_join(parley_arena_t *arena, parley_jwks_t *all,
    parley_jwks_t *more, parley_error_t *err)
{
    size_t         i;
    parley_jwk_t  *keys;

    for (i = 0; i < more->n; i++) {
        if (parley_jwks_clash(all, &more->keys[i], i, err) != 0) {
            return -1;
        }
    }

    keys = parley_arena_calloc(arena, (all->n + more->n + 1)
                                      * sizeof(parley_jwk_t));
    if (keys == NULL) {
        return parley_error_memory(err);
    }

    if (all->n > 0) {
        memcpy(keys, all->keys, all->n * sizeof(parley_jwk_t));
    }

    if (more->n > 0) {
        memcpy(keys + all->n, more->keys, more->n * sizeof(parley_jwk_t));
    }

    all->keys = keys;
    all->n += more->n;
    all->skipped += more->skipped;
    all->refused += more->refused;

    memset(more, 0, sizeof(parley_jwks_t));

    return 0;
}


int
parley_jwks_beside(parley_arena_t *arena, const parley_jwks_t *fetched,
    parley_str_t issuer, const parley_jwks_t *kept, parley_jwks_t *ret)
{
    size_t  i;

    static const parley_jwks_t  none;

    if (kept == NULL) {
        kept = &none;
    }

    *ret = none;
    ret->keys = parley_arena_calloc(arena, (fetched->n + kept->n + 1)
                                           * sizeof(parley_jwk_t));
    if (ret->keys == NULL) {
        return -1;
    }

    for (i = 0; i < fetched->n; i++) {
        ret->keys[ret->n++] = fetched->keys[i];
    }

    for (i = 0; i < kept->n; i++) {
        if (!parley_str_eq(kept->keys[i].issuer, issuer)) {
            ret->keys[ret->n++] = kept->keys[i];
        }
    }

    return 0;
}
