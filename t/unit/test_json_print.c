/* core/parley_json_print.h */

#include "t/unit/parley_test.h"

#include "core/parley_json_print.h"


static parley_arena_t           arena;
static parley_json_print_seed_t  seed;


static void
read_doc(parley_json_t *doc, const char *text)
{
    parley_error_t  err;

    parley_error_clear(&err);
    assert_int_equal(parley_json_read(doc, &arena, NULL, 1,
                                      parley_str_c(text), &err), 0);
}


static uint64_t
print(const char *text)
{
    uint64_t           h;
    parley_json_t      doc;
    parley_json_ref_t  root = { &doc, 0 };

    read_doc(&doc, text);
    assert_int_equal(parley_json_print(root, NULL, 0, &seed, (uint8_t *) &h),
                     0);

    return h;
}


/* Prints a text without the values of the members named, at the top or inside
   "in". */
static uint64_t
print_without(const char *text, const char *const *names)
{
    size_t             n;
    uint32_t           in, skip[PARLEY_JSON_PRINT_SKIP];
    uint64_t           h;
    parley_json_t      doc;
    parley_json_ref_t  root = { &doc, 0 };

    read_doc(&doc, text);

    for (n = 0; names[n] != NULL; n++) {
        skip[n] = parley_json_get(&doc, 0, parley_str_c(names[n]));

        if (skip[n] == PARLEY_JSON_NONE) {
            in = parley_json_get(&doc, 0, PARLEY_STR("in"));
            skip[n] = parley_json_get(&doc, in, parley_str_c(names[n]));
        }

        assert_int_not_equal(skip[n], PARLEY_JSON_NONE);
    }

    assert_int_equal(parley_json_print(root, skip, n, &seed, (uint8_t *) &h),
                     0);

    return h;
}


static void
test_equal(void **state)
{
    size_t  i;

    static const char *const  pairs[][2] = {
        { "{\"a\":1,\"b\":[true,null]}", " { \"b\" : [true, null], \"a\":1 }" },
        { "\"a/\\u00e9\\n\"", "\"a\\/\xC3\xA9\\u000a\"" },
        { "{\"type\":\"x\"}", "{\"t\\u0079pe\":\"x\"}" },
        { "[1,100,0.5]", "[1.0,1e2,5e-1]" },
    };

    (void) state;

    for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        assert_true(print(pairs[i][0]) == print(pairs[i][1]));
    }
}


static void
test_different(void **state)
{
    size_t  i, k;

    static const char *const  texts[] = {
        "{}", "[]", "\"\"", "0", "1", "\"1\"", "true", "false", "null",
        "[null]", "[null,null]", "[[],[]]", "[[[]]]", "{\"a\":{}}",
        "{\"a\":[]}", "{\"a\":\"b\"}", "{\"b\":\"a\"}",
        "{\"a\":1,\"b\":2}", "{\"a\":2,\"b\":1}", "[1,2]", "[2,1]", "[12]",
        "{\"a\":{\"b\":1}}", "{\"a\":1,\"b\":{}}",
        "9007199254740993", "9007199254740992",
        "\"a text of more than sixteen octets\"",
        "\"a text of more than sixteen Octets\"",
    };

    (void) state;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        for (k = 0; k < i; k++) {
            if (print(texts[i]) == print(texts[k])) {
                fail_msg("%s is %s", texts[i], texts[k]);
            }
        }
    }
}


static void
test_skip(void **state)
{
    size_t  i;

    static const struct {
        const char  *text;
        const char  *names[4];
        const char  *rest;
    } cases[] = {
        { "{\"a\":1,\"b\":2,\"c\":3}", { "b" }, "{\"c\":3,\"a\":1}" },
        { "{\"a\":1,\"b\":2,\"c\":3}", { "c", "a" }, "{\"b\":2}" },
        { "{\"a\":1,\"b\":2,\"c\":3}", { "b", "b" }, "{\"a\":1,\"c\":3}" },
        { "{\"a\":1,\"b\":2}", { "b", "a" }, "{}" },
        { "{\"in\":{\"x\":[1],\"y\":2},\"z\":3}", { "z", "x" },
          "{\"in\":{\"y\":2}}" },
        { "{\"in\":{\"x\":[1],\"y\":2},\"z\":3,\"a\":4}",
          { "x", "z", "in" }, "{\"a\":4}" },
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (print_without(cases[i].text, cases[i].names)
            != print(cases[i].rest))
        {
            fail_msg("case %zu", i);
        }
    }
}


/* One octet more, for each pair of last octets: each of these lengths is read
   in its own way. */

static void
test_lengths(void **state)
{
    int           i, k, last, more;
    char          one[32], other[32];
    static const int  lengths[] = { 1, 2, 3, 4, 7, 8, 9, 15, 16, 17 };

    (void) state;

    for (k = 0; k < (int) (sizeof(lengths) / sizeof(lengths[0])); k++) {
        i = lengths[k];

        for (last = '0'; last <= 'z'; last++) {
            for (more = '0'; more <= 'z'; more++) {
                if (last == '\\' || more == '\\') {
                    continue;
                }

                memset(one, last, sizeof(one));
                one[0] = '"';
                one[i + 1] = '"';
                one[i + 2] = '\0';

                memset(other, last, sizeof(other));
                other[0] = '"';
                other[i + 1] = (char) more;
                other[i + 2] = '"';
                other[i + 3] = '\0';
                assert_true(print(one) != print(other));

                other[i + 1] = (char) last;
                other[1] = (char) more;
                assert_true(print(one) != print(other));
            }
        }
    }
}


static int
setup(void **state)
{
    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_json_print_seed(7, &seed);

    return 0;
}


static int
teardown(void **state)
{
    (void) state;

    parley_arena_reset(&arena);

    return 0;
}


static const struct CMUnitTest  tests[] = {
    parley_test("equal values in other spellings have equal prints",
                test_equal),
    parley_test("different values have different prints", test_different),
    parley_test("texts of two lengths have different prints", test_lengths),
    parley_test("a print leaves out the members to skip", test_skip),
};


int
main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, setup, teardown);
}
