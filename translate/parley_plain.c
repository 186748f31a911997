#include "translate/parley_plain.h"


static const parley_plain_t *parley_plain_find(const parley_plain_t *table,
    parley_atom_t name);
static int parley_plain_short(const parley_json_t *doc, uint32_t value);
static int parley_plain_value(const parley_json_t *doc, uint32_t value,
    const parley_plain_t *members, parley_error_t *err);
static int parley_plain_string(const parley_json_t *doc, uint32_t value,
    parley_error_t *err);


int
parley_plain_check(const parley_json_t *doc, uint32_t object,
    const parley_plain_t *table, parley_error_t *err)
{
    uint32_t               key, end;
    const parley_plain_t  *row;

    if (doc->nodes[object].type != PARLEY_JSON_OBJECT) {
        return 0;
    }

    end = doc->nodes[object].next;

    for (key = object + 1; key < end; key = doc->nodes[key + 1].next) {

        if (parley_plain_short(doc, key + 1)) {
            continue;
        }

        row = parley_plain_find(table, parley_json_atom(doc, key));

        if (row != NULL
            && parley_plain_value(doc, key + 1, row->members, err) != 0)
        {
            return -1;
        }
    }

    return 0;
}


const parley_plain_t *
parley_plain_members(const parley_plain_t *table, parley_atom_t name)
{
    const parley_plain_t  *row;

    row = parley_plain_find(table, name);

    return row != NULL ? row->members : NULL;
}


static const parley_plain_t *
parley_plain_find(const parley_plain_t *table, parley_atom_t name)
{
    if (name == PARLEY_ATOM_NONE) {
        return NULL;
    }

    for ( /* void */ ; table->name != PARLEY_ATOM_NONE; table++) {
        if (table->name == name) {
            return table;
        }
    }

    return NULL;
}


/*
 * Returns whether a value is surely plain, or cannot contain names.  This
 * applies to most values, and needs no row of the table.
 */

static int
parley_plain_short(const parley_json_t *doc, uint32_t value)
{
    const parley_json_node_t  *node;

    node = &doc->nodes[value];

    switch (node->type) {

    case PARLEY_JSON_STRING:
        return (node->flags & PARLEY_JSON_ASCII) != 0;

    case PARLEY_JSON_OBJECT:
    case PARLEY_JSON_ARRAY:
        return 0;

    default:
        return 1;
    }
}


static int
parley_plain_value(const parley_json_t *doc, uint32_t value,
    const parley_plain_t *members, parley_error_t *err)
{
    uint32_t  i, end;

    switch (doc->nodes[value].type) {

    case PARLEY_JSON_STRING:
        return parley_plain_string(doc, value, err);

    case PARLEY_JSON_OBJECT:
        return members == NULL ? 0
               : parley_plain_check(doc, value, members, err);

    case PARLEY_JSON_ARRAY:
        end = doc->nodes[value].next;

        for (i = value + 1; i < end; i = doc->nodes[i].next) {

            if (doc->nodes[i].type != PARLEY_JSON_ARRAY
                && parley_plain_value(doc, i, members, err) != 0)
            {
                return -1;
            }
        }

        return 0;

    default:
        return 0;
    }
}


static int
parley_plain_string(const parley_json_t *doc, uint32_t value,
    parley_error_t *err)
{
    char          pointer[PARLEY_POINTER_MAX];
    parley_str_t  s;

    if (doc->nodes[value].flags & PARLEY_JSON_ASCII) {
        return 0;
    }

    if (parley_json_string(doc, value, &s) != 0) {
        return parley_error_memory(err);
    }

    if (parley_plain_is(s)) {
        return 0;
    }

    (void) parley_json_pointer(doc, value, pointer, sizeof(pointer));

    return parley_error_set(err, PARLEY_E_FIELD_INVALID, pointer,
                            "%s has control characters", pointer);
}


int
parley_plain_is(parley_str_t s)
{
    size_t   i;
    uint8_t  c;

    for (i = 0; i < s.len; i++) {
        c = s.data[i];

        if (c < 0x20 || c == 0x7F
            || (c == 0xC2 && i + 1 < s.len && s.data[i + 1] < 0xA0))
        {
            return 0;
        }
    }

    return 1;
}


int
parley_plain_is_word(parley_str_t s)
{
    size_t  i;

    for (i = 0; i + 2 < s.len; i++) {
        if (s.data[i] == 0xE2
            && ((s.data[i + 1] == 0x80
                 && s.data[i + 2] >= 0xA8 && s.data[i + 2] <= 0xAE)
                || (s.data[i + 1] == 0x81
                    && s.data[i + 2] >= 0xA6 && s.data[i + 2] <= 0xA9)))
        {
            return 0;
        }
    }

    return parley_plain_is(s);
}
