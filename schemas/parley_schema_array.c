#include "schemas/parley_schema_run.h"


static int parley_schema_items(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i, parley_schema_evaluated_t *evaluated);
static int parley_schema_contains(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i, parley_schema_evaluated_t *evaluated);


int
parley_schema_array(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated)
{
    int                           rc, bad;
    const parley_schema_array_t  *a;

    a = s->array;
    bad = PARLEY_SCHEMA_VALID;

    if (run->nodes[i].count < a->min) {
        rc = parley_schema_fail(run, s, PARLEY_SCHEMA_K_MIN_ITEMS, i);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (run->nodes[i].count > a->max) {
        rc = parley_schema_fail(run, s, PARLEY_SCHEMA_K_MAX_ITEMS, i);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (a->nprefix != 0 || a->items != NULL) {
        rc = parley_schema_items(run, s, i, evaluated);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (a->contains != NULL) {
        rc = parley_schema_contains(run, s, i, evaluated);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (a->unique) {
        rc = parley_schema_unique(run, i);
        if (rc <= 0) {
            return (rc < 0) ? rc
                            : parley_schema_fail(run, s,
                                                 PARLEY_SCHEMA_K_UNIQUE_ITEMS,
                                                 i);
        }
    }

    return bad;
}


static int
parley_schema_items(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated)
{
    int                           rc, bad;
    uint32_t                      k, n, end;
    const parley_schema_t        *item;
    const parley_schema_array_t  *a;

    a = s->array;
    bad = PARLEY_SCHEMA_VALID;
    end = run->nodes[i].next;

    for (k = i + 1, n = 0; k != end; k = run->nodes[k].next, n++) {

        item = (n < a->nprefix) ? a->prefix[n] : a->items;

        if (item == NULL) {
            break;
        }

        rc = parley_schema_visit(run, item, k, NULL);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }

        if (evaluated != NULL) {
            parley_schema_evaluated_mark(evaluated, n);
        }
    }

    return bad;
}


static int
parley_schema_contains(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated)
{
    int                           rc;
    uint32_t                      k, n, end, count;
    const parley_schema_array_t  *a;

    a = s->array;
    count = 0;
    end = run->nodes[i].next;

    for (k = i + 1, n = 0; k != end; k = run->nodes[k].next, n++) {

        if (evaluated == NULL && count >= a->min_contains
            && a->max_contains == UINT32_MAX)
        {
            break;
        }

        rc = parley_schema_try(run, a->contains, k, NULL);

        if (rc < 0) {
            return rc;
        }

        if (rc == PARLEY_SCHEMA_VALID) {
            count++;

            if (evaluated != NULL) {
                parley_schema_evaluated_mark(evaluated, n);
            }
        }
    }

    if (count < a->min_contains) {
        return parley_schema_fail(run, s, (a->min_contains == 1)
                                          ? PARLEY_SCHEMA_K_CONTAINS
                                          : PARLEY_SCHEMA_K_MIN_CONTAINS, i);
    }

    if (count > a->max_contains) {
        return parley_schema_fail(run, s, PARLEY_SCHEMA_K_MAX_CONTAINS, i);
    }

    return PARLEY_SCHEMA_VALID;
}
