/*
 * A document, its arena and its error, for the tests of the reader and of
 * documents.
 */

#ifndef PARLEY_TEST_JSON_H
#define PARLEY_TEST_JSON_H

#include "t/unit/parley_test.h"

#include "core/parley_json.h"


typedef struct {
    parley_arena_t  arena;
    parley_json_t   doc;
    parley_error_t  err;
} fixture_t;


static inline int
read_text(fixture_t *f, const parley_json_limits_t *limits, const char *text)
{
    parley_arena_init(&f->arena, &parley_mem_libc, 0);
    parley_error_clear(&f->err);

    return parley_json_read(&f->doc, &f->arena, limits, 42,
                            parley_str_c(text), &f->err);
}


static inline void
done(fixture_t *f)
{
    parley_arena_reset(&f->arena);
}


/* Returns the value at a pointer. */
static inline uint32_t
at(fixture_t *f, const char *pointer)
{
    return parley_json_resolve(&f->doc, 0, parley_str_c(pointer));
}


#endif /* PARLEY_TEST_JSON_H */
