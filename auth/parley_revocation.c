#include <stdlib.h>
#include <string.h>

#include "parley_config.h"
#include "parley_revocation.h"


typedef enum {
    PARLEY_REVOKED_PRINCIPAL = 0,
    PARLEY_REVOKED_TOKEN_KEY,
    PARLEY_REVOKED_MESSAGE_KEY,
    PARLEY_REVOKED_TOKEN
} parley_revoked_t;


typedef struct {
    parley_revoked_t  kind;
    parley_str_t      id;           /* sub, kid or jti */
    parley_str_t      of;           /* whose: an issuer, a sub; or empty */
} parley_revocation_t;


/* sorted by parley_revocation_compare() */
struct parley_revocations_s {
    parley_revocation_t  *list;
    size_t                n;
};


typedef struct {
    parley_arena_t        *arena;
    parley_revocations_t  *list;
    const json_t          *tree;
    parley_error_t        *err;
} parley_revocation_reader_t;


typedef struct {
    const char  *name;
    int        (*read)(parley_revocation_reader_t *r, const json_t *item,
                       const char *pointer, parley_revocation_t *ret);
} parley_revocation_member_t;


static int parley_revocation_sub(parley_revocation_reader_t *r,
    const json_t *item, const char *pointer, parley_revocation_t *ret);
static int parley_revocation_kid(parley_revocation_reader_t *r,
    const json_t *item, const char *pointer, parley_revocation_t *ret);
static int parley_revocation_jti(parley_revocation_reader_t *r,
    const json_t *item, const char *pointer, parley_revocation_t *ret);


static const parley_revocation_member_t  parley_revocation_members[] = {
    { "principals", parley_revocation_sub },
    { "kids", parley_revocation_kid },
    { "tokens", parley_revocation_jti },
    { NULL, NULL }
};


static int
parley_revocation_text(parley_revocation_reader_t *r, const json_t *object,
    const char *pointer, const char *name, parley_str_t *ret)
{
    return parley_config_string(r->arena, object, pointer, name, 1,
                                PARLEY_REVOCATION_TEXT_MAX, ret, r->err);
}


/* Refuses an object that has another member than these two. */

static int
parley_revocation_pair(parley_revocation_reader_t *r, const json_t *item,
    const char *pointer, const char *first, const char *second)
{
    char         field[PARLEY_POINTER_MAX];
    json_t      *value;
    const char  *name;

    if (!json_is_object(item)) {
        return parley_error_set(r->err, PARLEY_E_FIELD_INVALID, pointer,
                                "an entry is not an object");
    }

    json_object_foreach((json_t *) (uintptr_t) item, name, value) {

        if (strcmp(name, first) != 0 && strcmp(name, second) != 0) {
            parley_config_pointer(field, pointer, name);

            return parley_error_set(r->err, PARLEY_E_FIELD_UNKNOWN, field,
                                    "unknown member \"%s\", which nothing "
                                    "uses", name);
        }
    }

    return 0;
}


static int
parley_revocation_sub(parley_revocation_reader_t *r, const json_t *item,
    const char *pointer, parley_revocation_t *ret)
{
    parley_str_t  text;

    text = parley_str_make(json_string_value(item), json_string_length(item));

    if (text.len == 0 || text.len > PARLEY_REVOCATION_TEXT_MAX) {
        return parley_error_set(r->err, PARLEY_E_FIELD_INVALID, pointer,
                                "a principal is no string, empty or too "
                                "long");
    }

    ret->kind = PARLEY_REVOKED_PRINCIPAL;

    return parley_arena_str(r->arena, text, &ret->id) == 0
           ? 0 : parley_error_memory(r->err);
}


static int
parley_revocation_kid(parley_revocation_reader_t *r, const json_t *item,
    const char *pointer, parley_revocation_t *ret)
{
    const char  *of;

    of = json_object_get(item, "sub") != NULL ? "sub" : "iss";

    ret->kind = *of == 's' ? PARLEY_REVOKED_MESSAGE_KEY
                           : PARLEY_REVOKED_TOKEN_KEY;

    if (parley_revocation_pair(r, item, pointer, of, "kid") != 0
        || parley_revocation_text(r, item, pointer, of, &ret->of) != 0)
    {
        return -1;
    }

    return parley_revocation_text(r, item, pointer, "kid", &ret->id);
}


static int
parley_revocation_jti(parley_revocation_reader_t *r, const json_t *item,
    const char *pointer, parley_revocation_t *ret)
{
    ret->kind = PARLEY_REVOKED_TOKEN;

    if (parley_revocation_pair(r, item, pointer, "iss", "jti") != 0
        || parley_revocation_text(r, item, pointer, "iss", &ret->of) != 0)
    {
        return -1;
    }

    return parley_revocation_text(r, item, pointer, "jti", &ret->id);
}


static int
parley_revocation_octets(parley_str_t a, parley_str_t b)
{
    int     rc;
    size_t  n;

    n = a.len < b.len ? a.len : b.len;
    rc = n > 0 ? memcmp(a.data, b.data, n) : 0;

    return rc != 0 ? rc : (a.len > b.len) - (a.len < b.len);
}


/* an empty issuer comes before all others of its kid */

static int
parley_revocation_compare(const void *one, const void *two)
{
    int                         rc;
    const parley_revocation_t  *a = one, *b = two;

    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }

    rc = parley_revocation_octets(a->id, b->id);

    return rc != 0 ? rc : parley_revocation_octets(a->of, b->of);
}


/* The place of the first entry that is not below what is looked for. */

static size_t
parley_revocation_place(const parley_revocations_t *list,
    const parley_revocation_t *wanted)
{
    size_t  low, high, mid;

    low = 0;
    high = list->n;

    while (low < high) {
        mid = low + (high - low) / 2;

        if (parley_revocation_compare(&list->list[mid], wanted) < 0) {
            low = mid + 1;

        } else {
            high = mid;
        }
    }

    return low;
}


static int
parley_revocation_find(const parley_revocations_t *list,
    parley_revoked_t kind, parley_str_t id, parley_str_t of, int any)
{
    size_t                      i;
    parley_revocation_t         wanted;
    const parley_revocation_t  *found;

    if (list == NULL || list->n == 0 || id.len == 0) {
        return 0;
    }

    wanted.kind = kind;
    wanted.id = id;
    wanted.of = of;

    i = parley_revocation_place(list, &wanted);

    if (i == list->n) {
        return 0;
    }

    found = &list->list[i];

    return found->kind == kind && parley_str_eq(found->id, id)
           && (any || parley_str_eq(found->of, of));
}


int
parley_revocations_principal(const parley_revocations_t *list,
    parley_str_t sub)
{
    return parley_revocation_find(list, PARLEY_REVOKED_PRINCIPAL, sub,
                                  parley_str_none, 0);
}


int
parley_revocations_token_key(const parley_revocations_t *list,
    parley_str_t issuer, parley_str_t kid)
{
    return parley_revocation_find(list, PARLEY_REVOKED_TOKEN_KEY, kid, issuer,
                                  issuer.len == 0);
}


int
parley_revocations_message_key(const parley_revocations_t *list,
    parley_str_t sub, parley_str_t kid)
{
    return parley_revocation_find(list, PARLEY_REVOKED_MESSAGE_KEY, kid, sub,
                                  0);
}


int
parley_revocations_token(const parley_revocations_t *list, parley_str_t iss,
    parley_str_t jti)
{
    return parley_revocation_find(list, PARLEY_REVOKED_TOKEN, jti, iss, 0);
}


size_t
parley_revocations_count(const parley_revocations_t *list)
{
    return list != NULL ? list->n : 0;
}


/* Reads the array of one member behind the entries that are there. */

static int
parley_revocation_array(parley_revocation_reader_t *r,
    const parley_revocation_member_t *member)
{
    char           field[PARLEY_POINTER_MAX], item[PARLEY_POINTER_MAX];
    size_t         i;
    const json_t  *array;

    array = json_object_get(r->tree, member->name);

    parley_config_pointer(field, "", member->name);

    if (array == NULL) {
        return parley_error_set(r->err, PARLEY_E_FIELD_MISSING, field,
                                "\"%s\" is missing", member->name);
    }

    if (!json_is_array(array)) {
        return parley_error_set(r->err, PARLEY_E_FIELD_INVALID, field,
                                "\"%s\" is not an array", member->name);
    }

    for (i = 0; i < json_array_size(array); i++) {
        parley_config_index(item, field, i);

        if (member->read(r, json_array_get(array, i), item,
                         &r->list->list[r->list->n])
            != 0)
        {
            return -1;
        }

        r->list->n++;
    }

    return 0;
}


static int
parley_revocation_known(parley_revocation_reader_t *r, size_t *ret_entries)
{
    char                               field[PARLEY_POINTER_MAX];
    json_t                            *value;
    const char                        *name;
    const parley_revocation_member_t  *m;

    *ret_entries = 0;

    if (!json_is_object(r->tree)) {
        return parley_error_set(r->err, PARLEY_E_FIELD_INVALID, NULL,
                                "the revocations are not an object");
    }

    json_object_foreach((json_t *) (uintptr_t) r->tree, name, value) {

        for (m = parley_revocation_members; m->name != NULL; m++) {
            if (strcmp(name, m->name) == 0) {
                break;
            }
        }

        if (m->name == NULL) {
            parley_config_pointer(field, "", name);

            return parley_error_set(r->err, PARLEY_E_FIELD_UNKNOWN, field,
                                    "unknown member \"%s\", which nothing "
                                    "uses", name);
        }

        *ret_entries += json_array_size(value);
    }

    return 0;
}


static int
parley_revocation_read(parley_revocation_reader_t *r)
{
    size_t                             n;
    const parley_revocation_member_t  *m;

    if (parley_revocation_known(r, &n) != 0) {
        return -1;
    }

    r->list = parley_arena_calloc(r->arena, sizeof(parley_revocations_t));

    if (r->list == NULL) {
        return parley_error_memory(r->err);
    }

    r->list->list = parley_arena_calloc(r->arena,
                                        (n + 1) * sizeof(parley_revocation_t));
    if (r->list->list == NULL) {
        return parley_error_memory(r->err);
    }

    for (m = parley_revocation_members; m->name != NULL; m++) {
        if (parley_revocation_array(r, m) != 0) {
            return -1;
        }
    }

    qsort(r->list->list, r->list->n, sizeof(parley_revocation_t),
          parley_revocation_compare);

    return 0;
}


int
parley_revocations_parse(parley_arena_t *arena, parley_str_t text,
    parley_revocations_t **ret, parley_error_t *err)
{
    int                         rc;
    json_t                     *tree;
    parley_revocation_reader_t  r;

    *ret = NULL;
    parley_error_clear(err);

    if (text.len > PARLEY_REVOCATIONS_OCTETS) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "the list is larger than %d octets",
                                PARLEY_REVOCATIONS_OCTETS);
    }

    tree = parley_config_read(text, err);

    if (tree == NULL) {
        return -1;
    }

    r.arena = arena;
    r.list = NULL;
    r.tree = tree;
    r.err = err;

    rc = parley_revocation_read(&r);

    json_decref(tree);

    if (rc != 0) {
        parley_config_locate(&arena->mem, text, err);
        return -1;
    }

    *ret = r.list;

    return 0;
}
