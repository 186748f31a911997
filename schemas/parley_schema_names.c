#include "schemas/parley_schema_compile.h"
#include "schemas/parley_schema_lookup.h"


#define PARLEY_SCHEMA_NAMES_MAX    4096
#define PARLEY_SCHEMA_FACTORS      512


static parley_schema_name_t *parley_schema_name(parley_schema_compiler_t *c,
    parley_schema_t *s, uint32_t node);
static int parley_schema_names_list(parley_schema_compiler_t *c,
    parley_schema_t *s, uint32_t value, const parley_schema_name_t *trigger);
static int parley_schema_names_depend(parley_schema_compiler_t *c,
    parley_schema_t *s, const parley_schema_name_t *trigger,
    const parley_schema_name_t *needed, uint32_t value);
static int parley_schema_names_table(parley_schema_compiler_t *c,
    parley_schema_object_t *o);
static int parley_schema_names_factor(parley_schema_object_t *o);
static int parley_schema_names_place(parley_schema_object_t *o);


int
parley_schema_names_read(parley_schema_compiler_t *c, parley_schema_t *s,
    parley_schema_keyword_t keyword, uint32_t value)
{
    uint32_t               k, end;
    const parley_json_t   *json;
    parley_schema_name_t  *name;

    if (parley_schema_object_part(c, s) == NULL) {
        return -1;
    }

    if (keyword == PARLEY_SCHEMA_K_REQUIRED) {
        return parley_schema_names_list(c, s, value, NULL);
    }

    json = &s->resource->doc->json;

    if (parley_json_type(json, value) != PARLEY_JSON_OBJECT) {
        return parley_schema_refuse(c, s, value, "must be an object");
    }

    end = parley_json_end(json, value);

    for (k = parley_json_first(value); k != end;
         k = parley_json_after(json, k + 1))
    {
        name = parley_schema_name(c, s, k);
        if (name == NULL) {
            return -1;
        }

        switch (keyword) {

        case PARLEY_SCHEMA_K_PROPERTIES:
            name->property = 1;
            name->value = k + 1;
            continue;

        case PARLEY_SCHEMA_K_DEPENDENT_REQUIRED:
            if (parley_schema_names_list(c, s, k + 1, name) != 0) {
                return -1;
            }

            continue;

        default:
            if (parley_schema_names_depend(c, s, name, NULL, k + 1) != 0) {
                return -1;
            }
        }
    }

    return 0;
}


/*
 * Returns the entry of the name at node, made if new; NULL with *c->err
 * filled.
 */
static parley_schema_name_t *
parley_schema_name(parley_schema_compiler_t *c, parley_schema_t *s,
    uint32_t node)
{
    parley_str_t             text;
    parley_schema_name_t    *name;
    parley_schema_object_t  *o;

    o = s->object;

    if (parley_schema_read_string(c, s, node, &text) != 0) {
        return NULL;
    }

    for (name = o->list; name != NULL; name = name->next) {
        if (parley_str_eq(name->text, text)) {
            return name;
        }
    }

    if (o->nnames == PARLEY_SCHEMA_NAMES_MAX) {
        (void) parley_schema_refuse(c, s, node, "too many names");
        return NULL;
    }

    name = parley_schema_alloc(c, sizeof(parley_schema_name_t));

    if (name != NULL) {
        name->text = text;
        name->value = PARLEY_JSON_NONE;
        name->index = o->nnames++;
        name->next = o->list;
        o->list = name;
    }

    return name;
}


/* Reads an array of names: required, or needed if trigger is a member. */
static int
parley_schema_names_list(parley_schema_compiler_t *c, parley_schema_t *s,
    uint32_t value, const parley_schema_name_t *trigger)
{
    uint32_t               i, end;
    const parley_json_t   *json;
    parley_schema_name_t  *name;

    json = &s->resource->doc->json;

    if (parley_json_type(json, value) != PARLEY_JSON_ARRAY) {
        return parley_schema_refuse(c, s, value, "must be an array of names");
    }

    end = parley_json_end(json, value);

    for (i = parley_json_first(value); i != end;
         i = parley_json_after(json, i))
    {
        name = parley_schema_name(c, s, i);
        if (name == NULL) {
            return -1;
        }

        if (trigger == NULL) {
            name->required = 1;

        } else if (parley_schema_names_depend(c, s, trigger, name, 0) != 0) {
            return -1;
        }
    }

    return 0;
}


/* needed NULL: the schema at value applies instead */
static int
parley_schema_names_depend(parley_schema_compiler_t *c, parley_schema_t *s,
    const parley_schema_name_t *trigger, const parley_schema_name_t *needed,
    uint32_t value)
{
    parley_schema_dependency_t  *d, **last;

    d = parley_schema_alloc(c, sizeof(parley_schema_dependency_t));
    if (d == NULL) {
        return -1;
    }

    d->trigger = trigger->index;

    for (last = &s->object->dependencies; *last != NULL;
         last = &(*last)->next)
    {
        /* void */
    }

    *last = d;

    if (needed != NULL) {
        d->needed = needed->index;
        return 0;
    }

    return parley_schema_link(c, s, value, PARLEY_SCHEMA_K_DEPENDENT_SCHEMAS,
                              &d->schema);
}


int
parley_schema_names_finish(parley_schema_compiler_t *c, parley_schema_t *s)
{
    uint32_t                 i;
    parley_schema_name_t    *name;
    parley_schema_object_t  *o;

    o = s->object;

    o->by_name = (o->nnames <= PARLEY_SCHEMA_BY_NAME_MAX && o->npatterns == 0
                  && o->additional == NULL && o->property_names == NULL
                  && o->dependencies == NULL);

    if (o->nnames == 0) {
        return 0;
    }

    o->names = parley_schema_alloc(c,
                                   o->nnames * sizeof(parley_schema_name_t));
    if (o->names == NULL) {
        return -1;
    }

    for (name = o->list; name != NULL; name = name->next) {
        o->names[name->index] = *name;
    }

    for (i = 0; i < o->nnames; i++) {
        name = &o->names[i];

        if (name->required && i < 64) {
            o->required |= (uint64_t) 1 << i;
        }

        if (name->property
            && parley_schema_link(c, s, name->value,
                                  PARLEY_SCHEMA_K_PROPERTIES, &name->schema)
               != 0)
        {
            return -1;
        }
    }

    return parley_schema_names_table(c, o);
}


static int
parley_schema_names_table(parley_schema_compiler_t *c,
    parley_schema_object_t *o)
{
    uint32_t  size;

    for (size = 4; size < o->nnames * 4; size *= 2) { /* void */ }

    o->slots = parley_schema_alloc(c, size * sizeof(uint16_t));
    if (o->slots == NULL) {
        return -1;
    }

    o->mask = size - 1;
    o->shift = 32 - (unsigned) __builtin_ctz(size);

    if (parley_schema_names_factor(o) != 0) {
        o->factor = 0;
        (void) parley_schema_names_place(o);
    }

    return 0;
}


/* Searches for a factor without collisions. */
static int
parley_schema_names_factor(parley_schema_object_t *o)
{
    int  i;

    if (o->nnames > 64) {
        return -1;
    }

    o->factor = 0x9E3779B1;

    for (i = 0; i < PARLEY_SCHEMA_FACTORS; i++) {
        if (parley_schema_names_place(o) == 0) {
            return 0;
        }

        o->factor = (o->factor * 0x2C1B3C6D + 0x297A2D39) | 1;
    }

    return -1;
}


/*
 * Fills the slots.  Returns -1 if there were collisions, which linear probing
 * resolves.
 */
static int
parley_schema_names_place(parley_schema_object_t *o)
{
    int       rc;
    uint32_t  i, slot;

    rc = 0;
    memset(o->slots, 0, (o->mask + 1) * sizeof(uint16_t));

    for (i = 0; i < o->nnames; i++) {
        slot = parley_schema_slot(o, o->names[i].text.data,
                                  o->names[i].text.len);

        while (o->slots[slot] != 0) {
            slot = (slot + 1) & o->mask;
            rc = -1;
        }

        o->slots[slot] = (uint16_t) (i + 1);
    }

    return rc;
}
