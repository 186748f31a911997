/* The names that the codec of C2A looks for, however they are written. */

#include "parley_test.h"

#include "parley_c2a_field.h"

#include <stdio.h>


static const struct {
    const char          *name;
    parley_c2a_field_t   field;
} fields[] = {
    { "id", PARLEY_C2A_FIELD_ID },
    { "jsonrpc", PARLEY_C2A_FIELD_JSONRPC },
    { "method", PARLEY_C2A_FIELD_METHOD },
    { "params", PARLEY_C2A_FIELD_PARAMS },
    { "result", PARLEY_C2A_FIELD_RESULT },
    { "error", PARLEY_C2A_FIELD_ERROR },
    { "name", PARLEY_C2A_FIELD_NAME },
    { "arguments", PARLEY_C2A_FIELD_ARGUMENTS },
    { "_meta", PARLEY_C2A_FIELD_META },
    { "eventId", PARLEY_C2A_FIELD_EVENT_ID },
    { "source", PARLEY_C2A_FIELD_SOURCE },
    { "conversation", PARLEY_C2A_FIELD_CONVERSATION },
    { "author", PARLEY_C2A_FIELD_AUTHOR },
    { "target", PARLEY_C2A_FIELD_TARGET },
    { "timing", PARLEY_C2A_FIELD_TIMING },
    { "attention", PARLEY_C2A_FIELD_ATTENTION },
    { "injection", PARLEY_C2A_FIELD_INJECTION },
    { "reliability", PARLEY_C2A_FIELD_RELIABILITY },
    { "content", PARLEY_C2A_FIELD_CONTENT },
    { "knock", PARLEY_C2A_FIELD_KNOCK },
    { "platform", PARLEY_C2A_FIELD_PLATFORM },
    { "threadId", PARLEY_C2A_FIELD_THREAD_ID },
    { "kind", PARLEY_C2A_FIELD_KIND },
    { "recipient", PARLEY_C2A_FIELD_RECIPIENT },
    { "directedness", PARLEY_C2A_FIELD_DIRECTEDNESS },
    { "createdAt", PARLEY_C2A_FIELD_CREATED_AT },
    { "policy", PARLEY_C2A_FIELD_POLICY },
    { "reason", PARLEY_C2A_FIELD_REASON },
    { "priority", PARLEY_C2A_FIELD_PRIORITY },
    { "deadlineMs", PARLEY_C2A_FIELD_DEADLINE_MS },
    { "mode", PARLEY_C2A_FIELD_MODE },
    { "idempotencyKey", PARLEY_C2A_FIELD_IDEMPOTENCY_KEY },
    { "attempt", PARLEY_C2A_FIELD_ATTEMPT },
    { "type", PARLEY_C2A_FIELD_TYPE },
    { "text", PARLEY_C2A_FIELD_TEXT },
    { "mediaType", PARLEY_C2A_FIELD_MEDIA_TYPE },
    { "form", PARLEY_C2A_FIELD_FORM },
    { "data", PARLEY_C2A_FIELD_DATA },
    { "members", PARLEY_C2A_FIELD_MEMBERS },
    { "reference", PARLEY_C2A_FIELD_REFERENCE },
    { "accepted", PARLEY_C2A_FIELD_ACCEPTED },
    { "disposition", PARLEY_C2A_FIELD_DISPOSITION },
    { "message", PARLEY_C2A_FIELD_MESSAGE },
};


/* the field of the one name of {"name":0} */

static parley_c2a_field_t
field_of(const char *name)
{
    char                text[64];
    parley_json_t       doc;
    parley_error_t      err;
    parley_arena_t      arena;
    parley_c2a_field_t  field;

    (void) snprintf(text, sizeof(text), "{\"%s\":0}", name);

    parley_arena_init(&arena, &parley_mem_libc, 0);

    assert_int_equal(parley_json_read(&doc, &arena, NULL, 0,
                                      parley_str_c(text), &err),
                     0);

    field = parley_c2a_field(&doc, parley_json_first(0));

    parley_arena_reset(&arena);

    return field;
}


static void
test_fields(void **state)
{
    size_t    len;
    unsigned  i;
    char      name[64];

    (void) state;

    assert_int_equal(sizeof(fields) / sizeof(fields[0]), PARLEY_C2A_FIELDS);

    for (i = 0; i < PARLEY_C2A_FIELDS; i++) {
        assert_int_equal(field_of(fields[i].name), fields[i].field);

        /* the same with an escape in it */

        (void) snprintf(name, sizeof(name), "\\u%04x%s",
                        (unsigned) fields[i].name[0], fields[i].name + 1);
        assert_int_equal(field_of(name), fields[i].field);

        /* another one of the same length */

        len = (size_t) snprintf(name, sizeof(name), "%s", fields[i].name);
        name[len - 1] = '?';
        assert_int_equal(field_of(name), PARLEY_C2A_FIELDS);
    }

    assert_int_equal(field_of(""), PARLEY_C2A_FIELDS);
    assert_int_equal(field_of("\\u0069\\u0064s"), PARLEY_C2A_FIELDS);
    assert_int_equal(field_of("of an extraordinary length"),
                     PARLEY_C2A_FIELDS);
}


static const struct CMUnitTest  tests[] = {
    parley_test("names of C2A's members, plain and escaped", test_fields),
};


PARLEY_TEST_MAIN(tests)
