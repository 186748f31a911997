/* Reads the text of the revocation list. */

#include <stdio.h>
#include <string.h>

#include "auth/parley_config.h"
#include "core/parley_json.h"
#include "auth/parley_revocation_parts.h"


#define PARLEY_REVOCATION_DEPTH   8     /* nesting limit of the text; a valid
                                           one has three levels */


typedef struct {
    const parley_json_t   *doc;
    parley_error_t        *err;
    parley_revocations_t  *list;
    uint32_t               used;        /* octets used in texts */
    uint32_t               nentries;
} parley_revocation_reader_t;


typedef struct {
    parley_str_t   name;
    unsigned       kept;                /* number of entries that one entry of
                                           the text makes */
    int          (*read)(parley_revocation_reader_t *r, uint32_t item,
                         parley_revocation_t *ret);
} parley_revocation_member_t;


static int parley_revocation_read(parley_revocation_reader_t *r,
    parley_arena_t *arena);
static int parley_revocation_known(parley_revocation_reader_t *r,
    size_t *ret_entries);
static int parley_revocation_room(parley_revocation_reader_t *r,
    parley_arena_t *arena, size_t n);
static int parley_revocation_array(parley_revocation_reader_t *r,
    const parley_revocation_member_t *member);
static int parley_revocation_sub(parley_revocation_reader_t *r, uint32_t item,
    parley_revocation_t *ret);
static int parley_revocation_kid(parley_revocation_reader_t *r, uint32_t item,
    parley_revocation_t *ret);
static int parley_revocation_jti(parley_revocation_reader_t *r, uint32_t item,
    parley_revocation_t *ret);
static int parley_revocation_pair(parley_revocation_reader_t *r,
    uint32_t item, parley_str_t of, parley_str_t id, parley_revocation_t *ret);
static int parley_revocation_member(parley_revocation_reader_t *r,
    uint32_t item, parley_str_t name, parley_str_t *ret);
static int parley_revocation_text(parley_revocation_reader_t *r,
    uint32_t node, parley_str_t *ret);
static void parley_revocation_add(parley_revocation_reader_t *r,
    const parley_revocation_t *revoked);
static int parley_revocation_lacks(parley_revocation_reader_t *r,
    uint32_t object, parley_str_t name);
static int parley_revocation_unknown(parley_revocation_reader_t *r,
    uint32_t name);
static int parley_revocation_fail(parley_revocation_reader_t *r,
    parley_code_t code, uint32_t node, const char *text);


static const parley_revocation_member_t  parley_revocation_members[] = {
    { parley_str("principals"), 1, parley_revocation_sub },
    { parley_str("kids"), 2, parley_revocation_kid },
    { parley_str("tokens"), 1, parley_revocation_jti },
};

#define PARLEY_REVOCATION_MEMBERS  (sizeof(parley_revocation_members)         \
                                    / sizeof(parley_revocation_members[0]))


int
parley_revocations_parse(parley_arena_t *arena, parley_str_t text,
    uint64_t seed, parley_revocations_t **ret, parley_error_t *err)
{
    int                         rc;
    parley_json_t               doc;
    parley_arena_t              scratch;
    parley_json_limits_t        limits;
    parley_revocation_reader_t  r;

    *ret = NULL;
    parley_error_clear(err);

    if (text.len > PARLEY_REVOCATIONS_OCTETS) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "the list is larger than %d octets",
                                PARLEY_REVOCATIONS_OCTETS);
    }

    if (text.len == 0) {
        return parley_error_set(err, PARLEY_E_JSON_INVALID, NULL, "empty");
    }

    limits.octets = PARLEY_REVOCATIONS_OCTETS;
    limits.depth = PARLEY_REVOCATION_DEPTH;
    limits.string = PARLEY_REVOCATIONS_OCTETS;
    limits.members = PARLEY_REVOCATIONS_OCTETS;

    /*
     * The tree is freed after reading.  An arena that cannot free is used for
     * the list only.
     */

    parley_arena_init(&scratch, arena->mem.free != NULL ? &arena->mem
                                                        : &parley_mem_libc,
                      0);

    memset(&r, 0, sizeof(parley_revocation_reader_t));

    r.doc = &doc;
    r.err = err;

    rc = parley_json_read(&doc, &scratch, &limits, seed, text, err);

    if (rc != 0) {
        rc = parley_config_invalid(err);

    } else {
        r.list = parley_arena_calloc(arena, sizeof(parley_revocations_t));

        if (r.list == NULL) {
            rc = parley_error_memory(err);
        }
    }

    if (rc == 0) {
        r.list->seed = seed;
        rc = parley_revocation_read(&r, arena);
    }

    parley_arena_reset(&scratch);

    if (rc == 0) {
        *ret = r.list;
    }

    return rc;
}


static int
parley_revocation_read(parley_revocation_reader_t *r, parley_arena_t *arena)
{
    size_t  i, n;

    if (parley_revocation_known(r, &n) != 0
        || parley_revocation_room(r, arena, n) != 0)
    {
        return -1;
    }

    for (i = 0; i < PARLEY_REVOCATION_MEMBERS; i++) {
        if (parley_revocation_array(r, &parley_revocation_members[i]) != 0) {
            return -1;
        }
    }

    return 0;
}


/* *ret_entries is the maximum of entries */

static int
parley_revocation_known(parley_revocation_reader_t *r, size_t *ret_entries)
{
    size_t                i;
    uint32_t              k;
    const parley_json_t  *doc;

    doc = r->doc;
    *ret_entries = 0;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return parley_error_set(r->err, PARLEY_E_FIELD_INVALID, NULL,
                                "the revocations are not an object");
    }

    for (k = parley_json_first(0); k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        for (i = 0; i < PARLEY_REVOCATION_MEMBERS; i++) {
            if (parley_json_string_is(doc, k,
                                      parley_revocation_members[i].name))
            {
                break;
            }
        }

        if (i == PARLEY_REVOCATION_MEMBERS) {
            return parley_revocation_unknown(r, k);
        }

        if (parley_json_type(doc, k + 1) == PARLEY_JSON_ARRAY) {
            *ret_entries += parley_revocation_members[i].kept
                            * (size_t) parley_json_node(doc, k + 1)->count;
        }
    }

    return 0;
}


static int
parley_revocation_room(parley_revocation_reader_t *r, parley_arena_t *arena,
    size_t n)
{
    size_t                 slots;
    parley_revocations_t  *list;

    list = r->list;

    for (slots = 4; slots < n + n / 2; slots *= 2) {
        /* void */
    }

    list->mask = (uint32_t) (slots - 1);

    list->texts = parley_arena_octets(arena, r->doc->input.len + 1);
    list->entries = parley_arena_alloc(arena, (n + 1)
                                       * sizeof(parley_revocation_entry_t));
    list->slots = parley_arena_calloc(arena, slots * sizeof(uint32_t));

    return list->texts != NULL && list->entries != NULL && list->slots != NULL
           ? 0 : parley_error_memory(r->err);
}


/* Reads the array of one member; appends to the existing entries. */

static int
parley_revocation_array(parley_revocation_reader_t *r,
    const parley_revocation_member_t *member)
{
    uint32_t              array, i;
    parley_revocation_t   revoked;
    const parley_json_t  *doc;

    doc = r->doc;
    array = parley_json_get(doc, 0, member->name);

    if (array == PARLEY_JSON_NONE) {
        return parley_revocation_lacks(r, 0, member->name);
    }

    if (parley_json_type(doc, array) != PARLEY_JSON_ARRAY) {
        return parley_revocation_fail(r, PARLEY_E_FIELD_INVALID, array,
                                      "is not an array");
    }

    for (i = parley_json_first(array); i != parley_json_end(doc, array);
         i = parley_json_after(doc, i))
    {
        if (member->read(r, i, &revoked) != 0) {
            return -1;
        }

        parley_revocation_add(r, &revoked);
        r->list->n++;

        if (revoked.kind == PARLEY_REVOKED_TOKEN_KEY) {
            revoked.kind = PARLEY_REVOKED_ANY_KEY;
            revoked.of = parley_str_none;

            parley_revocation_add(r, &revoked);
        }
    }

    return 0;
}


static int
parley_revocation_sub(parley_revocation_reader_t *r, uint32_t item,
    parley_revocation_t *ret)
{
    ret->kind = PARLEY_REVOKED_PRINCIPAL;
    ret->of = parley_str_none;

    return parley_revocation_text(r, item, &ret->id);
}


static int
parley_revocation_kid(parley_revocation_reader_t *r, uint32_t item,
    parley_revocation_t *ret)
{
    int  sub;

    sub = parley_json_get(r->doc, item, PARLEY_STR("sub")) != PARLEY_JSON_NONE;

    ret->kind = sub ? PARLEY_REVOKED_MESSAGE_KEY : PARLEY_REVOKED_TOKEN_KEY;

    return parley_revocation_pair(r, item, sub ? PARLEY_STR("sub")
                                               : PARLEY_STR("iss"),
                                  PARLEY_STR("kid"), ret);
}


static int
parley_revocation_jti(parley_revocation_reader_t *r, uint32_t item,
    parley_revocation_t *ret)
{
    ret->kind = PARLEY_REVOKED_TOKEN;

    return parley_revocation_pair(r, item, PARLEY_STR("iss"),
                                  PARLEY_STR("jti"), ret);
}


/* Reads an object with exactly these two members. */

static int
parley_revocation_pair(parley_revocation_reader_t *r, uint32_t item,
    parley_str_t of, parley_str_t id, parley_revocation_t *ret)
{
    uint32_t              k;
    const parley_json_t  *doc;

    doc = r->doc;

    if (parley_json_type(doc, item) != PARLEY_JSON_OBJECT) {
        return parley_revocation_fail(r, PARLEY_E_FIELD_INVALID, item,
                                      "an entry is not an object");
    }

    for (k = parley_json_first(item); k != parley_json_end(doc, item);
         k = parley_json_after(doc, k + 1))
    {
        if (!parley_json_string_is(doc, k, of)
            && !parley_json_string_is(doc, k, id))
        {
            return parley_revocation_unknown(r, k);
        }
    }

    if (parley_revocation_member(r, item, of, &ret->of) != 0) {
        return -1;
    }

    return parley_revocation_member(r, item, id, &ret->id);
}


static int
parley_revocation_member(parley_revocation_reader_t *r, uint32_t item,
    parley_str_t name, parley_str_t *ret)
{
    uint32_t  node;

    node = parley_json_get(r->doc, item, name);

    return node == PARLEY_JSON_NONE
           ? parley_revocation_lacks(r, item, name)
           : parley_revocation_text(r, node, ret);
}


/* Reads a string; U+0000 is refused, since names and tokens never have it. */

static int
parley_revocation_text(parley_revocation_reader_t *r, uint32_t node,
    parley_str_t *ret)
{
    if (parley_json_type(r->doc, node) != PARLEY_JSON_STRING) {
        return parley_revocation_fail(r, PARLEY_E_FIELD_INVALID, node,
                                      "is not a string");
    }

    if (parley_json_string(r->doc, node, ret) != 0) {
        return parley_error_memory(r->err);
    }

    if (ret->len == 0 || ret->len > PARLEY_REVOCATION_TEXT_MAX
        || memchr(ret->data, '\0', ret->len) != NULL)
    {
        return parley_revocation_fail(r, PARLEY_E_FIELD_INVALID, node,
                                      ret->len == 0 ? "is empty"
                                      : ret->len > PARLEY_REVOCATION_TEXT_MAX
                                      ? "is longer than 1024 octets"
                                      : "has U+0000 in it");
    }

    return 0;
}


/*
 * Appends an entry.  There is room: texts is as large as all strings of the
 * text.
 */

static void
parley_revocation_add(parley_revocation_reader_t *r,
    const parley_revocation_t *revoked)
{
    uint32_t                   *slot;
    parley_revocations_t       *list;
    parley_revocation_entry_t  *e;

    list = r->list;
    slot = parley_revocation_slot(list, revoked);

    if (*slot != 0) {
        return;
    }

    e = &list->entries[r->nentries++];

    *slot = r->nentries;

    e->at = r->used;
    e->id = (uint16_t) revoked->id.len;
    e->of = (uint16_t) revoked->of.len;
    e->kind = revoked->kind;

    /* reuse the text of the preceding entry: the same key with its issuer */

    if (revoked->kind == PARLEY_REVOKED_ANY_KEY) {
        e->at = list->entries[r->nentries - 2].at;
        return;
    }

    (void) parley_octets_copy(parley_octets_copy(list->texts + e->at,
                                                 revoked->id.data, e->id),
                              revoked->of.data, e->of);

    r->used += (uint32_t) e->id + e->of;
}


static int
parley_revocation_lacks(parley_revocation_reader_t *r, uint32_t object,
    parley_str_t name)
{
    char    field[PARLEY_POINTER_MAX];
    size_t  len;

    len = parley_json_pointer(r->doc, object, field,
                              sizeof(field) - name.len - 1);

    field[len] = '/';
    *parley_octets_copy((uint8_t *) field + len + 1, name.data, name.len)
        = '\0';

    (void) parley_error_set(r->err, PARLEY_E_FIELD_MISSING, field,
                            "\"%.*s\" is missing", (int) name.len,
                            (const char *) name.data);

    r->err->offset = parley_json_node(r->doc, object)->off;

    return -1;
}


static int
parley_revocation_unknown(parley_revocation_reader_t *r, uint32_t name)
{
    char          text[PARLEY_TEXT_MAX];
    parley_str_t  span;

    span = parley_json_span(r->doc, name);

    (void) snprintf(text, sizeof(text), "unknown member \"%.*s\""
                    "", (int) (span.len < 64 ? span.len : 64),
                    (const char *) span.data);

    return parley_revocation_fail(r, PARLEY_E_FIELD_UNKNOWN, name, text);
}


/* node may be a name node */

static int
parley_revocation_fail(parley_revocation_reader_t *r, parley_code_t code,
    uint32_t node, const char *text)
{
    char  field[PARLEY_POINTER_MAX];

    (void) parley_json_pointer(r->doc, node, field, sizeof(field));
    (void) parley_error_set(r->err, code, field, "%s", text);

    r->err->offset = parley_json_node(r->doc, node)->off;

    return -1;
}
