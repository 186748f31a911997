/* Schemas and instances as C strings, for tests of schemas/ in one line. */

#ifndef PARLEY_TEST_SCHEMA_H
#define PARLEY_TEST_SCHEMA_H

#include "t/unit/parley_test.h"

#include "schemas/parley_schema.h"
#include "schemas/parley_schema_program.h"
#include "schemas/parley_schema_text.h"


/*
 * Reads json and validates it; the caller checks the error.  The verdict must
 * be the same with and without an explanation, with the schema's predicate and
 * without it.
 */
static inline int
parley_test_validate(const parley_schema_t *s, const char *json,
    parley_schema_error_t *err)
{
    int                rc, bare;
    parley_json_t      doc;
    parley_error_t     fault;
    parley_arena_t     arena;
    parley_schema_t    interpreted;
    parley_json_ref_t  instance;

    memset(err, 0, sizeof(parley_schema_error_t));
    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (parley_json_read(&doc, &arena, NULL, 1, parley_str_c(json), &fault)
        != 0)
    {
        fail_msg("%s: %s", json, fault.text);
    }

    instance.doc = &doc;
    instance.node = 0;

    rc = parley_schema_validate(s, &arena, instance, err);
    bare = parley_schema_validate(s, &arena, instance, NULL);
    assert_int_equal(rc, bare);

    interpreted = *s;
    interpreted.pred = NULL;

    bare = parley_schema_validate(&interpreted, &arena, instance, NULL);
    assert_int_equal(rc, bare);

    parley_arena_reset(&arena);

    return rc;
}


static inline void
parley_test_accept(const parley_schema_t *s, const char *json)
{
    parley_schema_error_t  err;

    if (parley_test_validate(s, json, &err) != 0) {
        fail_msg("%s: %s %s (%s)", json, err.error.field, err.error.text,
                 err.location);
    }
}


/* Checks that json is refused for this field; text NULL: any text. */
static inline void
parley_test_refuse(const parley_schema_t *s, const char *json,
    parley_code_t code, const char *field, const char *keyword,
    const char *text)
{
    parley_schema_error_t  err;

    if (parley_test_validate(s, json, &err) != 1) {
        fail_msg("%s: was accepted", json);
    }

    if (err.error.code != code || strcmp(err.error.field, field) != 0
        || strcmp(err.keyword, keyword) != 0
        || (text != NULL && strcmp(err.error.text, text) != 0))
    {
        fail_msg("%s: code %d, %s %s: %s (%s)", json, (int) err.error.code,
                 err.keyword, err.error.field, err.error.text, err.location);
    }
}


/* Returns a set with all schemas of the library. */
static inline parley_schema_set_t *
parley_test_builtin(void)
{
    parley_schema_set_t    *set;
    parley_schema_error_t   err;

    set = parley_schema_set_create(&parley_mem_libc, NULL);

    if (set == NULL || parley_schema_set_add_builtin(set, &err) != 0) {
        fail_msg("the schemas of the library cannot be read");
    }

    return set;
}


static inline const parley_schema_t *
parley_test_compile(parley_schema_set_t *set, const char *uri)
{
    parley_schema_error_t   err;
    const parley_schema_t  *s;

    if (parley_schema_compile(set, parley_str_c(uri), &s, &err) != 0) {
        fail_msg("%s: %s", err.location, err.error.text);
    }

    return s;
}


/*
 * Returns an object of the members given as name, JSON, name, JSON, ..., NULL.
 * patch replaces the value of a member by value (NULL: removes it), or adds
 * it.
 */
static inline const char *
parley_test_object(const char *const *members, const char *patch,
    const char *value)
{
    int          found;
    size_t       n;
    const char  *v;

    static char  json[8192];

    found = 0;
    n = (size_t) sprintf(json, "{");

    for ( ; *members != NULL; members += 2) {
        v = members[1];

        if (patch != NULL && strcmp(*members, patch) == 0) {
            v = value;
            found = 1;
        }

        if (v != NULL) {
            n += (size_t) sprintf(json + n, "%s\"%s\":%s",
                                  n > 1 ? "," : "", *members, v);
        }
    }

    if (patch != NULL && !found && value != NULL) {
        n += (size_t) sprintf(json + n, ",\"%s\":%s", patch, value);
    }

    sprintf(json + n, "}");

    return json;
}


#endif /* PARLEY_TEST_SCHEMA_H */
