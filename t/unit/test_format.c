/* schemas/parley_format.h, and the formats in a schema */

#include "t/unit/parley_test_schema.h"

#include "schemas/parley_format.h"


#define INVALID  PARLEY_E_FIELD_INVALID


static parley_schema_set_t    *set;
static parley_schema_error_t   fault;


/*
 * Compiles "test:schema": a string of that format.  Its metaschema has this
 * vocabulary (NULL: the draft's), in a set that asserts formats by itself or
 * not.
 */
static int
compile_format(const char *format, const char *vocabulary, int formats,
    const parley_schema_t **s)
{
    char                     text[512];
    parley_schema_options_t  options = { 7, 0 };

    options.formats = formats & 1;

    parley_schema_set_destroy(set);
    set = parley_schema_set_create(&parley_mem_libc, &options);
    assert_non_null(set);

    if (vocabulary != NULL) {
        (void) snprintf(text, sizeof(text),
            "{\"$vocabulary\":{"
            "\"https://json-schema.org/draft/2020-12/vocab/core\":true,"
            "\"https://json-schema.org/draft/2020-12/vocab/applicator\":true,"
            "\"https://json-schema.org/draft/2020-12/vocab/%s}}", vocabulary);

        assert_int_equal(parley_schema_set_add(set, parley_str_none,
                                               PARLEY_STR("test:meta"),
                                               parley_str_c(text), &fault), 0);
    }

    (void) snprintf(text, sizeof(text),
                    "{\"$schema\":\"%s\","
                    "\"properties\":{\"a\":{\"format\":\"%s\"}}}",
                    vocabulary ? "test:meta"
                        : "https://json-schema.org/draft/2020-12/schema",
                    format);

    assert_int_equal(parley_schema_set_add(set, PARLEY_STR("file.json"),
                                           PARLEY_STR("test:schema"),
                                           parley_str_c(text), &fault), 0);

    return parley_schema_compile(set, PARLEY_STR("test:schema"), s, &fault);
}


/* JSON Schema validation, sections 7.2.1 to 7.2.3. */
static void
test_format_vocabulary(void **state)
{
    size_t                  i, k;
    const parley_schema_t  *s;

    static const char  *asserting[] = {
        "format-assertion\":true", "format-assertion\":false"
    };
    static const char  *supported[] = {
        "date-time", "uuid", "uri", "ipv4", "ipv6"
    };
    static const char  *others[] = {
        "email", "date", "hostname", "regex", "x-own", "", "URI", "uri "
    };

    (void) state;

    /* for each value of the vocabulary and each set */

    for (i = 0; i < 4; i++) {
        for (k = 0; k < sizeof(supported) / sizeof(supported[0]); k++) {
            assert_int_equal(compile_format(supported[k], asserting[i & 1],
                                            i >> 1, &s), 0);
            parley_test_refuse(s, "{\"a\":\"x y\"}", INVALID, "/a", "format",
                               NULL);
        }

        for (k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
            assert_int_equal(compile_format(others[k], asserting[i & 1],
                                            i >> 1, &s), -1);
            assert_null(s);
            assert_string_equal(fault.error.text,
                                "must be a supported format, as the vocabulary "
                                "asserts formats");
            assert_string_equal(fault.error.field, "/properties/a/format");
            assert_string_equal(fault.location,
                                "file.json#/properties/a/format");
        }
    }

    /* in other schemas an unsupported format is an annotation */

    for (i = 0; i < 4; i++) {
        for (k = 0; k < sizeof(others) / sizeof(others[0]); k++) {
            assert_int_equal(compile_format(others[k],
                                            (i & 1)
                                                ? "format-annotation\":true"
                                                : NULL,
                                            i >> 1, &s), 0);
            parley_test_accept(s, "{\"a\":\"x y\"}");
        }
    }

    assert_int_equal(compile_format("uri", NULL, 0, &s), 0);
    parley_test_accept(s, "{\"a\":\"x y\"}");
    assert_int_equal(compile_format("uri", NULL, 1, &s), 0);
    parley_test_refuse(s, "{\"a\":\"x y\"}", INVALID, "/a", "format", NULL);

    /* a vocabulary without the keyword */

    assert_int_equal(compile_format("email", "validation\":true", 1, &s), 0);
    parley_test_accept(s, "{\"a\":\"x y\"}");
}


static void
test_formats(void **state)
{
    parley_format_t  uri, uuid, ipv4, ipv6;

    (void) state;

    uri = parley_format(PARLEY_STR("uri"));
    uuid = parley_format(PARLEY_STR("uuid"));
    ipv4 = parley_format(PARLEY_STR("ipv4"));
    ipv6 = parley_format(PARLEY_STR("ipv6"));

    assert_int_equal(parley_format(PARLEY_STR("email")), PARLEY_FORMAT_NONE);

    assert_true(parley_format_is(uri, PARLEY_STR("creed://a.b/c@1?q#f")));
    assert_true(parley_format_is(uri, PARLEY_STR("urn:uuid:x")));
    assert_true(parley_format_is(uri, PARLEY_STR("http://[::1]:80/")));
    assert_true(parley_format_is(uri,
                                 PARLEY_STR("http://[1:2:3:4:5:6:1.2.3.4]")));
    assert_true(parley_format_is(uri, PARLEY_STR("http://u:p@h:/%41")));
    assert_false(parley_format_is(uri, PARLEY_STR("")));
    assert_false(parley_format_is(uri, PARLEY_STR("//a")));
    assert_false(parley_format_is(uri, PARLEY_STR("a:b c")));
    assert_false(parley_format_is(uri, PARLEY_STR("a:%4")));
    assert_false(parley_format_is(uri, PARLEY_STR("1a:b")));
    assert_false(parley_format_is(uri, PARLEY_STR("a:\xC3\xA9")));
    assert_false(parley_format_is(uri, PARLEY_STR("http://[1::2::3]")));
    assert_false(parley_format_is(uri, PARLEY_STR("http://[::1")));
    assert_false(parley_format_is(uri, PARLEY_STR("http://h:8x")));
    assert_false(parley_format_is(uri, PARLEY_STR("a:b#c#d")));

    assert_true(parley_format_is(uuid,
                PARLEY_STR("2EB8AA08-aa98-11ea-b4aa-73b441d16380")));
    assert_false(parley_format_is(uuid,
                 PARLEY_STR("2eb8aa08-aa98-11ea-b4aa-73b441d1638")));
    assert_false(parley_format_is(uuid,
                 PARLEY_STR("2eb8aa08-aa98-11ea-b4aa73b441d163800")));

    assert_true(parley_format_is(ipv4, PARLEY_STR("192.168.0.1")));
    assert_false(parley_format_is(ipv4, PARLEY_STR("")));
    assert_false(parley_format_is(ipv4, PARLEY_STR("192.168.0")));
    assert_false(parley_format_is(ipv4, PARLEY_STR("192.168.0.01")));
    assert_false(parley_format_is(ipv4, PARLEY_STR("192.168.0.256")));

    assert_true(parley_format_is(ipv6, PARLEY_STR("::")));
    assert_true(parley_format_is(ipv6, PARLEY_STR("2001:db8::192.0.2.1")));
    assert_false(parley_format_is(ipv6, PARLEY_STR("")));
    assert_false(parley_format_is(ipv6, PARLEY_STR("[::1]")));
    assert_false(parley_format_is(ipv6, PARLEY_STR("fe80::1%eth0")));
    assert_false(parley_format_is(ipv6, PARLEY_STR("1:2:3:4:5:6:7:8::")));
}


/* Frees the sets of the tests. */
static int
teardown(void **state)
{
    (void) state;

    parley_schema_set_destroy(set);

    return 0;
}


static const struct CMUnitTest  tests[] = {
    parley_test("formats uri, uuid, ipv4 and ipv6", test_formats),
    parley_test("a format that is not supported fails a schema whose "
                "vocabulary asserts formats", test_format_vocabulary),
};


int
main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);

    return cmocka_run_group_tests(tests, NULL, teardown);
}
