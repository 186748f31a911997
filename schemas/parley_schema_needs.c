/* Requirements common to all valid instances. */

#include "schemas/parley_schema_program.h"


/* longer chains of references add nothing */
#define PARLEY_SCHEMA_NEEDS_DEPTH  16


static int parley_schema_needs_in(const parley_schema_t *s,
    parley_arena_t *scratch, parley_str_t pointer,
    const parley_json_ref_t *value, unsigned depth);
static int parley_schema_needs_name(const parley_schema_name_t *name,
    parley_arena_t *scratch, parley_str_t rest,
    const parley_json_ref_t *value, unsigned depth);
static int parley_schema_needs_is(parley_str_t name, parley_str_t token);


int
parley_schema_needs(const parley_schema_t *schema, parley_arena_t *scratch,
    parley_str_t pointer, const parley_json_ref_t *value)
{
    return parley_schema_needs_in(schema, scratch, pointer, value, 0);
}


/* Follows unconditional requirements: the schema itself, $ref and allOf. */

static int
parley_schema_needs_in(const parley_schema_t *s, parley_arena_t *scratch,
    parley_str_t pointer, const parley_json_ref_t *value, unsigned depth)
{
    uint32_t        i;
    parley_str_t    token, rest;
    const uint8_t  *slash;

    if (pointer.len < 2 || depth == PARLEY_SCHEMA_NEEDS_DEPTH) {
        return 0;
    }

    rest = parley_str_from(pointer, 1);
    slash = memchr(rest.data, '/', rest.len);
    token = parley_str_make(rest.data, slash != NULL
                                       ? (size_t) (slash - rest.data)
                                       : rest.len);
    rest = parley_str_from(rest, token.len);

    for (i = 0; s->object != NULL && i < s->object->nnames; i++) {
        if (parley_schema_needs_is(s->object->names[i].text, token)
            && parley_schema_needs_name(&s->object->names[i], scratch, rest,
                                        value, depth))
        {
            return 1;
        }
    }

    if (s->apply == NULL) {
        return 0;
    }

    if (s->apply->ref != NULL
        && parley_schema_needs_in(s->apply->ref, scratch, pointer, value,
                                  depth + 1))
    {
        return 1;
    }

    for (i = 0; i < s->apply->all.n; i++) {
        if (parley_schema_needs_in(s->apply->all.schemas[i], scratch, pointer,
                                   value, depth + 1))
        {
            return 1;
        }
    }

    return 0;
}


static int
parley_schema_needs_name(const parley_schema_name_t *name,
    parley_arena_t *scratch, parley_str_t rest,
    const parley_json_ref_t *value, unsigned depth)
{
    if (!name->required) {
        return 0;
    }

    if (rest.len > 0) {
        return name->schema != NULL
               && parley_schema_needs_in(name->schema, scratch, rest, value,
                                         depth);
    }

    return value == NULL
           || (name->schema != NULL
               && parley_schema_validate(name->schema, scratch, *value, NULL)
                  == 1);
}


/* Compares a name with a token of a JSON Pointer (RFC 6901). */

static int
parley_schema_needs_is(parley_str_t name, parley_str_t token)
{
    size_t   i, k;
    uint8_t  c;

    for (i = 0, k = 0; i < name.len && k < token.len; i++, k++) {
        c = token.data[k];

        if (c == '~' && k + 1 < token.len) {
            c = token.data[++k] == '1' ? '/' : '~';
        }

        if (c != name.data[i]) {
            return 0;
        }
    }

    return i == name.len && k == token.len;
}
