#include "schemas/parley_schema_run.h"


/*
 * Sets are returned in reverse order, so there are never more than nested
 * schemas.
 */
parley_schema_evaluated_t *
parley_schema_evaluated_get(parley_schema_run_t *run, uint32_t n)
{
    uint32_t                    words;
    parley_schema_evaluated_t  *evaluated, **p;

    words = n / 64 + 1;

    for (p = &run->free; *p != NULL; p = &(*p)->next) {
        if ((*p)->room >= words) {
            break;
        }
    }

    evaluated = *p;

    if (evaluated != NULL) {
        *p = evaluated->next;

    } else {
        evaluated = parley_arena_alloc(run->matcher.scratch,
                                       sizeof(parley_schema_evaluated_t)
                                       + words * sizeof(uint64_t));
        if (evaluated == NULL) {
            return NULL;
        }

        evaluated->bits = (uint64_t *) (evaluated + 1);
        evaluated->room = words;
    }

    evaluated->words = words;
    memset(evaluated->bits, 0, words * sizeof(uint64_t));

    return evaluated;
}


void
parley_schema_evaluated_put(parley_schema_run_t *run,
    parley_schema_evaluated_t *evaluated)
{
    evaluated->next = run->free;
    run->free = evaluated;
}
