#include "schemas/parley_schema_run.h"


static int parley_schema_all(parley_schema_run_t *run,
    const parley_schema_list_t *list, uint32_t i,
    parley_schema_evaluated_t *evaluated);
static int parley_schema_choice(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i, parley_schema_evaluated_t *evaluated,
    parley_schema_keyword_t keyword, const parley_schema_list_t *list);
static void parley_schema_explain_choice(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i, parley_schema_keyword_t keyword,
    const parley_schema_list_t *list);
static int parley_schema_condition(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i, parley_schema_evaluated_t *evaluated);
static int parley_schema_branch(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i, parley_schema_evaluated_t *evaluated);
static const parley_schema_t *parley_schema_dynamic(
    const parley_schema_run_t *run, const parley_schema_dynamic_t *dynamic);


int
parley_schema_apply(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated)
{
    int                           rc, bad;
    const parley_schema_apply_t  *a;

    a = s->apply;
    bad = PARLEY_SCHEMA_VALID;

    if (a->ref != NULL) {
        rc = parley_schema_visit(run, a->ref, i, evaluated);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (a->dynamic != NULL) {
        rc = parley_schema_visit(run, parley_schema_dynamic(run, a->dynamic),
                                 i, evaluated);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (a->when != NULL) {
        rc = parley_schema_condition(run, s, i, evaluated);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (a->all.n != 0) {
        rc = parley_schema_all(run, &a->all, i, evaluated);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (a->any.n != 0) {
        rc = parley_schema_choice(run, s, i, evaluated, PARLEY_SCHEMA_K_ANY_OF,
                                  &a->any);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (a->one.n != 0) {
        rc = parley_schema_choice(run, s, i, evaluated, PARLEY_SCHEMA_K_ONE_OF,
                                  &a->one);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (a->not != NULL) {
        rc = parley_schema_try(run, a->not, i, NULL);

        if (rc < 0) {
            return rc;
        }

        if (rc == PARLEY_SCHEMA_VALID) {
            return parley_schema_fail(run, s, PARLEY_SCHEMA_K_NOT, i);
        }
    }

    return bad;
}


static int
parley_schema_all(parley_schema_run_t *run, const parley_schema_list_t *list,
    uint32_t i, parley_schema_evaluated_t *evaluated)
{
    int       rc, bad;
    uint32_t  n;

    bad = PARLEY_SCHEMA_VALID;

    for (n = 0; n < list->n; n++) {
        rc = parley_schema_visit(run, list->schemas[n], i, evaluated);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    return bad;
}


/*
 * anyOf and oneOf.  If evaluated members are collected, all branches are
 * tried, else as many as decide the result.
 */
static int
parley_schema_choice(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated,
    parley_schema_keyword_t keyword, const parley_schema_list_t *list)
{
    int                      rc;
    uint32_t                 n, count;
    parley_schema_finding_t  several;

    count = 0;

    for (n = 0; n < list->n; n++) {
        rc = parley_schema_branch(run, list->schemas[n], i, evaluated);

        if (rc < 0) {
            return rc;
        }

        if (rc != PARLEY_SCHEMA_VALID) {
            continue;
        }

        if (++count > 1 && keyword == PARLEY_SCHEMA_K_ONE_OF) {
            break;
        }

        if (keyword == PARLEY_SCHEMA_K_ANY_OF && evaluated == NULL) {
            break;
        }
    }

    if (count == 1 || (count > 1 && keyword == PARLEY_SCHEMA_K_ANY_OF)) {
        return PARLEY_SCHEMA_VALID;
    }

    if (run->explain) {
        if (count == 0) {
            parley_schema_explain_choice(run, s, i, keyword, list);

        } else {
            memset(&several, 0, sizeof(parley_schema_finding_t));
            several.schema = s;
            several.keyword = keyword;
            several.node = i;
            several.place = 2 * (uint64_t) i;
            several.count = count;
            parley_schema_offer(run, &several);
        }
    }

    return PARLEY_SCHEMA_INVALID;
}


/*
 * No branch is valid: reports the error of the branch that got furthest or, if
 * the branches differ only in the type they require, the union of the types.
 */
static void
parley_schema_explain_choice(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i, parley_schema_keyword_t keyword,
    const parley_schema_list_t *list)
{
    int                      only_types;
    uint8_t                  types;
    uint32_t                 n;
    parley_schema_finding_t  outer, best, f;

    outer = run->found;
    memset(&best, 0, sizeof(parley_schema_finding_t));
    only_types = 1;
    types = 0;

    for (n = 0; n < list->n; n++) {
        memset(&run->found, 0, sizeof(parley_schema_finding_t));

        if (parley_schema_visit(run, list->schemas[n], i, NULL) < 0) {
            break;
        }

        f = run->found;

        if (f.schema == NULL) {
            continue;
        }

        if (f.keyword == PARLEY_SCHEMA_K_TYPE && f.node == i) {
            types |= f.schema->types;

            if (best.schema == NULL) {
                best = f;
            }

            continue;
        }

        if (only_types || f.place > best.place) {
            best = f;
        }

        only_types = 0;
    }

    run->found = outer;

    if (best.schema == NULL || only_types) {
        best.schema = s;
        best.keyword = keyword;
        best.node = i;
        best.place = 2 * (uint64_t) i;
        best.types = types;
    }

    parley_schema_offer(run, &best);
}


static int
parley_schema_condition(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated)
{
    int                     rc;
    const parley_schema_t  *next;

    if (s->apply->then == NULL && s->apply->otherwise == NULL
        && evaluated == NULL)
    {
        return PARLEY_SCHEMA_VALID;
    }

    rc = parley_schema_branch(run, s->apply->when, i, evaluated);
    if (rc < 0) {
        return rc;
    }

    next = (rc == PARLEY_SCHEMA_VALID) ? s->apply->then
                                       : s->apply->otherwise;

    return (next == NULL) ? PARLEY_SCHEMA_VALID
                          : parley_schema_visit(run, next, i, evaluated);
}


/* Tries a schema; evaluated is extended only if it is valid. */
static int
parley_schema_branch(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated)
{
    int                         rc;
    parley_schema_evaluated_t  *own;

    if (evaluated == NULL) {
        return parley_schema_try(run, s, i, NULL);
    }

    own = parley_schema_evaluated_get(run, run->nodes[i].count);
    if (own == NULL) {
        return PARLEY_SCHEMA_MEMORY;
    }

    rc = parley_schema_try(run, s, i, own);

    if (rc == PARLEY_SCHEMA_VALID) {
        parley_schema_evaluated_add(evaluated, own);
    }

    parley_schema_evaluated_put(run, own);

    return rc;
}


/* Returns the target in the outermost resource that has one. */
static const parley_schema_t *
parley_schema_dynamic(const parley_schema_run_t *run,
    const parley_schema_dynamic_t *dynamic)
{
    uint32_t                      n;
    const parley_schema_t        *target;
    const parley_schema_scope_t  *scope;

    target = dynamic->initial;

    for (scope = run->scope; scope != NULL; scope = scope->outer) {
        for (n = 0; n < dynamic->ntargets; n++) {
            if (dynamic->targets[n].resource == scope->resource) {
                target = dynamic->targets[n].schema;
            }
        }
    }

    return target;
}
