#include "schemas/parley_schema_run.h"
#include "schemas/parley_schema_lookup.h"


/* the schema's names found in an object, as bits; above 64 an array */
typedef struct {
    uint64_t   few;
    uint64_t  *many;
} parley_schema_met_t;


static int parley_schema_by_name(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i);
static int parley_schema_members(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i, parley_schema_evaluated_t *evaluated,
    parley_schema_met_t *met);
static int parley_schema_member(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t k, const parley_schema_name_t *name,
    int *ret_known);
static int parley_schema_member_name(parley_schema_run_t *run,
    const parley_schema_object_t *o, uint32_t k,
    const parley_schema_name_t **ret);
static int parley_schema_member_patterns(parley_schema_run_t *run,
    const parley_schema_object_t *o, uint32_t k, int *ret_known);
static int parley_schema_required(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i, const parley_schema_met_t *met);
static int parley_schema_dependencies(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i, parley_schema_evaluated_t *evaluated,
    const parley_schema_met_t *met);


static inline int
parley_schema_met(const parley_schema_met_t *met, uint32_t index)
{
    return (index < 64) ? met->few >> index & 1
                        : met->many[index >> 6] >> (index & 63) & 1;
}


int
parley_schema_object(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated)
{
    int                            rc, bad;
    parley_schema_met_t            met;
    const parley_schema_object_t  *o;

    o = s->object;
    bad = PARLEY_SCHEMA_VALID;

    if (run->nodes[i].count < o->min) {
        rc = parley_schema_fail(run, s, PARLEY_SCHEMA_K_MIN_PROPERTIES, i);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (run->nodes[i].count > o->max) {
        rc = parley_schema_fail(run, s, PARLEY_SCHEMA_K_MAX_PROPERTIES, i);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (o->by_name && evaluated == NULL) {
        rc = parley_schema_by_name(run, s, i);
        return rc ? rc : bad;
    }

    met.few = 0;
    met.many = NULL;

    if (o->nnames > 64) {
        met.many = parley_arena_calloc(run->matcher.scratch,
                                       (o->nnames / 64 + 1)
                                       * sizeof(uint64_t));
        if (met.many == NULL) {
            return PARLEY_SCHEMA_MEMORY;
        }
    }

    rc = parley_schema_members(run, s, i, evaluated, &met);
    if (parley_schema_ends(run, rc, &bad)) {
        return rc;
    }

    if ((met.few & o->required) != o->required || o->nnames > 64) {
        rc = parley_schema_required(run, s, i, &met);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (o->dependencies != NULL) {
        rc = parley_schema_dependencies(run, s, i, evaluated, &met);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    return bad;
}


/* Only one or two names matter: looks them up in the object. */
static int
parley_schema_by_name(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i)
{
    int                            rc, bad;
    uint32_t                       n, value;
    const parley_schema_name_t    *name;
    const parley_schema_object_t  *o;

    o = s->object;
    bad = PARLEY_SCHEMA_VALID;

    for (n = 0; n < o->nnames; n++) {

        name = &o->names[n];
        value = parley_schema_find_member(run, i, name->text);

        if (value == PARLEY_JSON_NONE) {
            if (!name->required) {
                continue;
            }

            rc = parley_schema_fail_missing(run, s, PARLEY_SCHEMA_K_REQUIRED,
                                            i, name);

        } else if (name->schema != NULL) {
            rc = parley_schema_visit(run, name->schema, value, NULL);

        } else {
            continue;
        }

        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    return bad;
}


uint32_t
parley_schema_find_member(const parley_schema_run_t *run, uint32_t i,
    parley_str_t name)
{
    uint32_t                   k, end;
    const uint8_t             *input;
    const parley_json_node_t  *nodes;

    nodes = run->nodes;
    input = run->doc->input.data;
    end = nodes[i].next;

    for (k = i + 1; k != end; k = nodes[k + 1].next) {

        if (nodes[k].flags & PARLEY_JSON_ESCAPED) {
            if (parley_json_string_is(run->doc, k, name)) {
                return k + 1;
            }

        } else if (nodes[k].len == name.len
                   && parley_schema_same_octets(input + nodes[k].off,
                                                name.data, name.len))
        {
            return k + 1;
        }
    }

    return PARLEY_JSON_NONE;
}


static int
parley_schema_members(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated, parley_schema_met_t *met)
{
    int                            rc, bad, known;
    uint32_t                       k, n, end;
    const parley_schema_name_t    *name;
    const parley_schema_object_t  *o;

    o = s->object;
    bad = PARLEY_SCHEMA_VALID;
    end = run->nodes[i].next;

    for (k = i + 1, n = 0; k != end; k = run->nodes[k + 1].next, n++) {

        rc = parley_schema_member_name(run, o, k, &name);
        if (rc != 0) {
            return rc;
        }

        if (name != NULL) {
            if (name->index < 64) {
                met->few |= (uint64_t) 1 << name->index;

            } else {
                met->many[name->index >> 6] |=
                    (uint64_t) 1 << (name->index & 63);
            }
        }

        rc = parley_schema_member(run, s, k, name, &known);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }

        if (evaluated != NULL && known) {
            parley_schema_evaluated_mark(evaluated, n);
        }
    }

    return bad;
}


/*
 * *ret_known: whether properties, patternProperties or additionalProperties
 * applied.
 */
static int
parley_schema_member(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t k, const parley_schema_name_t *name, int *ret_known)
{
    int                            rc, bad;
    const parley_schema_object_t  *o;

    o = s->object;
    bad = PARLEY_SCHEMA_VALID;
    *ret_known = 0;

    if (o->property_names != NULL) {
        rc = parley_schema_visit(run, o->property_names, k, NULL);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (name != NULL && name->property) {
        *ret_known = 1;

        rc = parley_schema_visit(run, name->schema, k + 1, NULL);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (o->npatterns != 0) {
        rc = parley_schema_member_patterns(run, o, k, ret_known);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (o->additional != NULL && !*ret_known) {
        *ret_known = 1;

        rc = parley_schema_visit(run, o->additional, k + 1, NULL);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    return bad;
}


static int
parley_schema_member_name(parley_schema_run_t *run,
    const parley_schema_object_t *o, uint32_t k,
    const parley_schema_name_t **ret)
{
    parley_str_t  text;

    text = parley_json_span(run->doc, k);

    if ((run->nodes[k].flags & PARLEY_JSON_ESCAPED)
        && parley_json_string(run->doc, k, &text) != 0)
    {
        return PARLEY_SCHEMA_MEMORY;
    }

    *ret = parley_schema_lookup(o, text.data, text.len);

    return 0;
}


static int
parley_schema_member_patterns(parley_schema_run_t *run,
    const parley_schema_object_t *o, uint32_t k, int *ret_known)
{
    int           rc, bad;
    uint32_t      p;
    parley_str_t  text;

    bad = PARLEY_SCHEMA_VALID;

    if (parley_json_string(run->doc, k, &text) != 0) {
        return PARLEY_SCHEMA_MEMORY;
    }

    for (p = 0; p < o->npatterns; p++) {

        rc = parley_schema_pattern_match(o->patterns[p].pattern,
                                         &run->matcher, text);
        if (rc == 0) {
            continue;
        }

        if (rc < 0) {
            return (rc == PARLEY_SCHEMA_MATCH_MEMORY) ? PARLEY_SCHEMA_MEMORY
                                                      : PARLEY_SCHEMA_LIMIT;
        }

        *ret_known = 1;

        rc = parley_schema_visit(run, o->patterns[p].schema, k + 1, NULL);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    return bad;
}


/* Reports the first name that is missing. */
static int
parley_schema_required(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, const parley_schema_met_t *met)
{
    const parley_schema_name_t    *name, *last;
    const parley_schema_object_t  *o;

    o = s->object;
    last = o->names + o->nnames;

    for (name = o->names; name < last; name++) {
        if (name->required && !parley_schema_met(met, name->index)) {
            return parley_schema_fail_missing(run, s,
                                              PARLEY_SCHEMA_K_REQUIRED, i,
                                              name);
        }
    }

    return PARLEY_SCHEMA_VALID;
}


static int
parley_schema_dependencies(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated,
    const parley_schema_met_t *met)
{
    int                                rc, bad;
    const parley_schema_dependency_t  *d;

    bad = PARLEY_SCHEMA_VALID;

    for (d = s->object->dependencies; d != NULL; d = d->next) {

        if (!parley_schema_met(met, d->trigger)) {
            continue;
        }

        if (d->schema != NULL) {
            rc = parley_schema_visit(run, d->schema, i, evaluated);

        } else if (!parley_schema_met(met, d->needed)) {
            rc = parley_schema_fail_missing(run, s,
                                            PARLEY_SCHEMA_K_DEPENDENT_REQUIRED,
                                            i, &s->object->names[d->needed]);
        } else {
            continue;
        }

        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    return bad;
}
