/*
 * A schema, a zero octet, an instance: neither compiling nor validating may
 * crash, hang or leak, for any octets.
 */

#include <stdlib.h>

#include "schemas/parley_schema.h"
#include "schemas/parley_schema_program.h"


#define FUZZ_TEXT_MAX  16384


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
static void validate(const parley_schema_t *schema, parley_str_t text);


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parley_str_t              schema, instance;
    const uint8_t            *zero;
    parley_schema_set_t      *set;
    parley_schema_error_t     err;
    const parley_schema_t    *s;
    parley_schema_options_t   options = { 1, 1 };

    zero = size ? memchr(data, '\0', size) : NULL;

    if (zero == NULL || size > FUZZ_TEXT_MAX) {
        return 0;
    }

    schema = parley_str_make(data, (size_t) (zero - data));
    instance = parley_str_make(zero + 1, size - schema.len - 1);

    set = parley_schema_set_create(&parley_mem_libc, &options);
    if (set == NULL) {
        return 0;
    }

    if (parley_schema_set_add(set, PARLEY_STR("fuzz"), PARLEY_STR("fuzz:a"),
                              schema, &err)
        == 0
        && parley_schema_compile(set, PARLEY_STR("fuzz:a"), &s, &err) == 0)
    {
        validate(s, instance);
    }

    parley_schema_set_destroy(set);

    return 0;
}


static void
validate(const parley_schema_t *schema, parley_str_t text)
{
    int                    rc, bare, whole;
    parley_json_t          doc;
    parley_error_t         fault;
    parley_arena_t         arena;
    parley_schema_t        unplanned;
    parley_json_ref_t      instance;
    parley_schema_error_t  err;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (parley_json_read(&doc, &arena, NULL, 1, text, &fault) == 0) {
        instance.doc = &doc;
        instance.node = 0;

        rc = parley_schema_validate(schema, &arena, instance, &err);
        bare = parley_schema_validate(schema, &arena, instance, NULL);

        unplanned = *schema;
        unplanned.pred = NULL;

        whole = parley_schema_validate(&unplanned, &arena, instance, NULL);

        /*
         * the verdict is the same with an explanation and with a plan, and a
         * refusal has an explanation
         */

        if (rc != bare || rc != whole
            || (rc == 1 && (err.error.code == PARLEY_E_NONE
                            || err.error.text[0] == '\0')))
        {
            abort();
        }
    }

    parley_arena_reset(&arena);
}
