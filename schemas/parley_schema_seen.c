#include "parley_schema_run.h"


/*
 * Sets are given back in the reverse of the order in which they were taken,
 * so that there are never more of them than schemas inside one another.
 */
parley_schema_seen_t *
parley_schema_seen_get(parley_schema_run_t *run, uint32_t n)
{
    uint32_t               words;
    parley_schema_seen_t  *seen, **p;

    words = n / 64 + 1;

    for (p = &run->free; *p != NULL; p = &(*p)->next) {
        if ((*p)->room >= words) {
            break;
        }
    }

    seen = *p;

    if (seen != NULL) {
        *p = seen->next;

    } else {
        seen = parley_arena_alloc(run->matcher.scratch,
                                  sizeof(parley_schema_seen_t)
                                  + words * sizeof(uint64_t));
        if (seen == NULL) {
            return NULL;
        }

        seen->bits = (uint64_t *) (seen + 1);
        seen->room = words;
    }

    seen->words = words;
    memset(seen->bits, 0, words * sizeof(uint64_t));

    return seen;
}


void
parley_schema_seen_put(parley_schema_run_t *run, parley_schema_seen_t *seen)
{
    seen->next = run->free;
    run->free = seen;
}
