/* core/parley_json.h: functions that read a document */

#include "t/unit/parley_test_json.h"


static void
test_get(void **state)
{
    fixture_t  f;

    (void) state;

    assert_int_equal(read_text(&f, NULL,
        "{\"a\":{\"a\":1},\"b\":[{\"c\":2}],\"\\u0063\":3,\"\":4,"
        "\"\xC3\xA9\":5}"), 0);

    assert_int_equal(parley_json_get(&f.doc, 0, PARLEY_STR("a")),
                     at(&f, "/a"));
    assert_int_equal(parley_json_get(&f.doc, 0, PARLEY_STR("c")),
                     at(&f, "/c"));
    parley_assert_str(parley_json_raw(&f.doc, at(&f, "/c")), "3");
    parley_assert_str(parley_json_raw(&f.doc, parley_json_get(&f.doc, 0,
                                              parley_str_none)), "4");
    parley_assert_str(parley_json_raw(&f.doc, parley_json_get(&f.doc, 0,
                                              PARLEY_STR("\xC3\xA9"))), "5");

    assert_int_equal(parley_json_get(&f.doc, 0, PARLEY_STR("d")),
                     PARLEY_JSON_NONE);
    assert_int_equal(parley_json_get(&f.doc, at(&f, "/b"), PARLEY_STR("c")),
                     PARLEY_JSON_NONE);
    assert_int_equal(parley_json_get(&f.doc, PARLEY_JSON_NONE,
                                     PARLEY_STR("a")),
                     PARLEY_JSON_NONE);

    done(&f);
}


static void
assert_string(fixture_t *f, const char *pointer, const char *text, size_t len)
{
    uint32_t      i;
    parley_str_t  s, longer;

    i = at(f, pointer);

    assert_int_equal(parley_json_string(&f->doc, i, &s), 0);
    assert_int_equal(s.len, len);
    assert_memory_equal(s.data, text, len);

    assert_true(parley_json_string_is(&f->doc, i, s));

    longer = s;
    longer.len--;
    assert_false(parley_json_string_is(&f->doc, i, longer));

    assert_int_equal(parley_json_node(&f->doc, i)->flags
                     & PARLEY_JSON_ESCAPED,
                     s.data == parley_json_span(&f->doc, i).data
                     ? 0 : PARLEY_JSON_ESCAPED);
}


static void
test_string(void **state)
{
    fixture_t     f;
    parley_str_t  s;

    (void) state;

    assert_int_equal(read_text(&f, NULL,
        "[\"plain\",\"a\\\"\\\\\\/\\b\\f\\n\\r\\tz\",\"\\u0041\\u00E9\\u20ac\","
        "\"\\ud83d\\uDE00\",\"\\u0000\",\"\xC3\xA9\\n\",1]"), 0);

    assert_string(&f, "/0", "plain", 5);
    assert_string(&f, "/1", "a\"\\/\b\f\n\r\tz", 10);
    assert_string(&f, "/2", "A\xC3\xA9\xE2\x82\xAC", 6);
    assert_string(&f, "/3", "\xF0\x9F\x98\x80", 4);
    assert_string(&f, "/4", "\0", 1);
    assert_string(&f, "/5", "\xC3\xA9\n", 3);

    assert_false(parley_json_string_is(&f.doc, at(&f, "/1"),
                                       PARLEY_STR("plain")));
    assert_false(parley_json_string_is(&f.doc, at(&f, "/4"),
                                       PARLEY_STR("\0\0")));
    assert_false(parley_json_string_is(&f.doc, at(&f, "/6"),
                                       PARLEY_STR("1")));
    assert_int_equal(parley_json_string(&f.doc, at(&f, "/6"), &s), -1);
    assert_int_equal(s.len, 0);
    assert_int_equal(parley_json_string(&f.doc, PARLEY_JSON_NONE, &s), -1);

    done(&f);
}


static void
test_integer(void **state)
{
    size_t     i;
    char       text[256];
    int64_t    value;
    fixture_t  f;

    static const struct {
        const char  *text;
        int64_t      value;
    } cases[] = {
        { "0", 0 },
        { "-0", 0 },
        { "0.000", 0 },
        { "0e999", 0 },
        { "-17", -17 },
        { "1.0", 1 },
        { "1e2", 100 },
        { "-1.5E1", -15 },
        { "1200e-2", 12 },
        { "0.00012e5", 12 },
        { "100.00", 100 },
        { "123456789012345678", 123456789012345678 },
        { "9223372036854775807", INT64_MAX },
        { "-9223372036854775808", INT64_MIN },
        { "9223372036854775807.0", INT64_MAX },
        { "92233720368547758070e-1", INT64_MAX },
        { "9.223372036854775807e18", INT64_MAX },
    };

    static const char  *others[] = {
        "0.5", "1e-1", "15e-1", "9223372036854775808",
        "-9223372036854775809", "9999999999999999999", "1e19", "1e300",
        "1e-999999999999999999999", "\"1\"", "null", "1.0000000000000000001"
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        (void) snprintf(text, sizeof(text), "[%s]", cases[i].text);
        assert_int_equal(read_text(&f, NULL, text), 0);

        value = 4711;
        assert_int_equal(parley_json_integer(&f.doc, 1, &value), 0);
        assert_true(value == cases[i].value);

        done(&f);
    }

    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        (void) snprintf(text, sizeof(text), "[%s]", others[i]);
        assert_int_equal(read_text(&f, NULL, text), 0);

        value = 4711;

        if (parley_json_integer(&f.doc, 1, &value) == 0) {
            fail_msg("%s is an integer", others[i]);
        }

        assert_int_equal(value, 4711);
        done(&f);
    }

    assert_int_equal(read_text(&f, NULL, "[0.96,-1e400,true]") , -1);
    done(&f);

    assert_int_equal(read_text(&f, NULL, "[0.96,1e-400,true]"), 0);
    assert_true(parley_json_number(&f.doc, 1) == 0.96);
    assert_true(parley_json_number(&f.doc, 2) == 0);
    assert_true(parley_json_number(&f.doc, 3) == 0);
    done(&f);
}


static void
test_pointer(void **state)
{
    size_t                 i, len;
    char                   buf[256];
    uint32_t               node;
    fixture_t              f;
    static const char     *pointers[] = {
        "", "/a", "/a/0", "/a/1", "/a/1/b~1c", "/a/1/b~1c/0", "/a/1/~0",
        "/a/2", "/", "//", "/\xC3\xA9", "/q\"\n"
    };

    (void) state;

    assert_int_equal(read_text(&f, NULL,
        "{\"a\":[1,{\"b/c\":[2],\"~\":3},4],\"\":{\"\":5},\"\\u00e9\":6,"
        "\"q\\\"\\n\":7}"), 0);

    for (i = 0; i < sizeof(pointers) / sizeof(pointers[0]); i++) {
        node = at(&f, pointers[i]);
        assert_int_not_equal(node, PARLEY_JSON_NONE);

        len = parley_json_pointer(&f.doc, node, buf, sizeof(buf));
        assert_int_equal(len, strlen(pointers[i]));
        assert_string_equal(buf, pointers[i]);

        if (f.doc.nodes[node - (node > 0)].flags & PARLEY_JSON_KEY) {
            (void) parley_json_pointer(&f.doc, node - 1, buf, sizeof(buf));
            assert_string_equal(buf, pointers[i]);
        }
    }

    /* cut, and always terminated */

    for (i = 1; i < 12; i++) {
        memset(buf, 'x', sizeof(buf));
        len = parley_json_pointer(&f.doc, at(&f, "/a/1/b~1c/0"), buf, i);
        assert_int_equal(len, (i - 1 < 11) ? i - 1 : 11);
        assert_memory_equal(buf, "/a/1/b~1c/0", len);
        assert_int_equal(buf[len], '\0');
    }

    done(&f);
}


static void
test_resolve(void **state)
{
    size_t              i;
    fixture_t           f;
    static const char  *nothing[] = {
        "a", "/b", "/a/3", "/a/-", "/a/01", "/a/", "/a/1x", "/a/0/0",
        "/a/99999999999", "/a/1/b~c", "/a/1/b~2c", "/a/1/b~", "/a/1/~",
        "/a/1/~0~0", "/a/1/~0/x"
    };

    (void) state;

    assert_int_equal(read_text(&f, NULL,
        "{\"a\":[1,{\"b/c\":[2],\"~\":3},4]}"), 0);

    for (i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++) {
        if (at(&f, nothing[i]) != PARLEY_JSON_NONE) {
            fail_msg("%s names something", nothing[i]);
        }
    }

    assert_int_equal(parley_json_resolve(&f.doc, at(&f, "/a/1"),
                                         PARLEY_STR("/b~1c/0")),
                     at(&f, "/a/1/b~1c/0"));
    assert_int_equal(parley_json_resolve(&f.doc, PARLEY_JSON_NONE,
                                         PARLEY_STR("")),
                     PARLEY_JSON_NONE);

    done(&f);
}


static void
test_equal(void **state)
{
    int                equal;
    size_t             i;
    fixture_t          f, g;
    parley_json_ref_t  a, b;

    static const struct {
        const char  *a, *b;
        int          equal;
    } cases[] = {
        { "null", "null", 1 },
        { "null", "false", 0 },
        { "1", "1.0", 1 },
        { "1", "1e0", 1 },
        { "100", "1E2", 1 },
        { "0", "-0.0e5", 1 },
        { "0.1", "10e-2", 1 },
        { "1", "-1", 0 },
        { "1", "2", 0 },
        { "12", "1.2", 0 },
        { "0.1", "0.1000000000000000000001", 0 },
        { "9007199254740992", "9007199254740993", 0 },
        { "1", "true", 0 },
        { "1", "\"1\"", 0 },
        { "\"a\\u0062\"", "\"ab\"", 1 },
        { "\"\\ud83d\\ude00\"", "\"\xF0\x9F\x98\x80\"", 1 },
        { "\"a\"", "\"b\"", 0 },
        { "\"a\\u0062\"", "\"ac\"", 0 },
        { "[1,2]", "[1.0,2e0]", 1 },
        { "[1,2]", "[2,1]", 0 },
        { "[1,2]", "[1,2,3]", 0 },
        { "[]", "{}", 0 },
        { "{}", "{ }", 1 },
        { "{\"a\":1,\"b\":[2]}", "{\"b\":[2],\"\\u0061\":1.0}", 1 },
        { "{\"a\":1,\"b\":2}", "{\"a\":1,\"c\":2}", 0 },
        { "{\"a\":1,\"b\":2}", "{\"a\":2,\"b\":1}", 0 },
        { "{\"a\":1}", "{\"a\":1,\"b\":2}", 0 },
        { "{\"a\":{\"b\":{\"c\":[]}},\"d\":0}",
          "{\"d\":0,\"a\":{\"b\":{\"c\":[]}}}", 1 },
        { "{\"a\":{\"b\":{\"c\":[]}}}", "{\"a\":{\"b\":{\"c\":{}}}}", 0 },
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(read_text(&f, NULL, cases[i].a), 0);
        assert_int_equal(read_text(&g, NULL, cases[i].b), 0);

        a = (parley_json_ref_t) { &f.doc, 0 };
        b = (parley_json_ref_t) { &g.doc, 0 };

        equal = parley_json_equal(a, b);
        assert_int_equal(equal, parley_json_equal(b, a));

        if (equal != cases[i].equal) {
            fail_msg("%s and %s: %d", cases[i].a, cases[i].b, equal);
        }

        assert_true(parley_json_equal(a, a));
        assert_false(parley_json_equal(a, parley_json_ref_none));

        done(&f);
        done(&g);
    }

    assert_true(parley_json_equal(parley_json_ref_none,
                                  parley_json_ref_none));
}


/*
 * Returns [{...}, {...}] with n members each, the second object in reverse
 * order.
 */
static char *
reversed(unsigned n, unsigned changed)
{
    char      *text, *p;
    unsigned   i, round;

    text = malloc((size_t) n * 64 + 64);
    assert_non_null(text);

    p = text;

    for (round = 0; round < 2; round++) {
        *p++ = (round == 0) ? '[' : ',';

        for (i = 0; i < n; i++) {
            p += sprintf(p, "%c\"%s%u\":%u", (i == 0) ? '{' : ',',
                         (i % 5 == round) ? "\\u0078" : "x",
                         (round == 0) ? i : n - 1 - i,
                         (round == 0) ? i : n - 1 - i
                                            + (n - 1 - i == changed));
        }

        *p++ = '}';
    }

    (void) strcpy(p, "]");

    return text;
}


/* Objects of any size with members in another order. */
static void
test_equal_order(void **state)
{
    char               *text;
    size_t              fail_at;
    unsigned            n;
    fixture_t           f;
    parley_mem_t        mem;
    parley_json_t       other;
    parley_arena_t      arena;
    parley_json_ref_t   a, b;
    parley_test_mem_t   memory;

    (void) state;

    for (n = 1; n < 20000; n += (n < 100) ? 11 : 9000) {
        text = reversed(n, n);
        assert_int_equal(read_text(&f, NULL, text), 0);

        a = (parley_json_ref_t) { &f.doc, 1 };
        b = (parley_json_ref_t) { &f.doc, f.doc.nodes[1].next };
        assert_true(parley_json_equal(a, b));
        assert_true(parley_json_equal(b, a));

        done(&f);
        free(text);

        text = reversed(n, n / 2);
        assert_int_equal(read_text(&f, NULL, text), 0);
        b.node = f.doc.nodes[1].next;
        assert_false(parley_json_equal(a, b));
        assert_false(parley_json_equal(b, a));

        done(&f);
        free(text);
    }

    /* the answer is the same without memory; the arena of b has none */

    text = reversed(100, 100);
    assert_int_equal(read_text(&f, NULL, text), 0);

    other = f.doc;
    a = (parley_json_ref_t) { &other, 1 };
    b = (parley_json_ref_t) { &f.doc, f.doc.nodes[1].next };

    f.doc.arena = NULL;
    other.arena = &arena;

    for (fail_at = 1; fail_at < 5; fail_at++) {
        mem = parley_test_mem(&memory, fail_at);
        parley_arena_init(&arena, &mem, 16);

        assert_true(parley_json_equal(a, b));
        assert_true(memory.allocations > 0);

        parley_arena_reset(&arena);
    }

    done(&f);
    free(text);
}


/* A part is equal to the document that its octets make, node for node. */

static void
test_part(void **state)
{
    size_t         k;
    uint32_t       i, n;
    fixture_t      f;
    parley_json_t  part, again;

    static const char  *pointers[] = { "", "/a", "/b", "/b/1", "/b/1/x\\y",
                                       "/c", "/c/big", "/d" };

    (void) state;

    assert_int_equal(read_text(&f, NULL,
                               "{\"a\" : \"q\\u00e4\", \"b\": [ 1, {\"x\\\\y\":"
                               " [true, null]} ], \"c\": {\"big\":"
                               " 9007199254740993}, \"d\": -0.5}"), 0);

    for (k = 0; k < sizeof(pointers) / sizeof(pointers[0]); k++) {
        i = at(&f, pointers[k]);
        assert_int_not_equal(i, PARLEY_JSON_NONE);

        assert_int_equal(parley_json_part(&f.doc, i, &f.arena, &part), 0);
        assert_int_equal(parley_json_read(&again, &f.arena, NULL, 42,
                                          parley_json_raw(&f.doc, i), &f.err),
                         0);

        assert_true(parley_str_eq(part.input, again.input));
        assert_int_equal(part.nnodes, again.nnodes);
        assert_int_equal(part.seed, again.seed);

        for (n = 0; n < part.nnodes; n++) {
            assert_int_equal(part.nodes[n].off, again.nodes[n].off);
            assert_int_equal(part.nodes[n].len, again.nodes[n].len);
            assert_int_equal(part.nodes[n].next, again.nodes[n].next);
            assert_int_equal(part.nodes[n].count, again.nodes[n].count);
            assert_int_equal(part.nodes[n].type, again.nodes[n].type);
            assert_int_equal(part.nodes[n].flags, again.nodes[n].flags);
            assert_int_equal(part.nodes[n].depth, again.nodes[n].depth);
        }

        /* flags after the number may differ */

        assert_int_equal(part.inexact,
                         strcmp(pointers[k], "/d") == 0 ? 0 : again.inexact);
    }

    done(&f);
}


static const struct CMUnitTest  tests[] = {
    parley_test("a member is found by its name", test_get),
    parley_test("strings are unescaped", test_string),
    parley_test("integers, however they are written", test_integer),
    parley_test("the JSON Pointer of a node", test_pointer),
    parley_test("what a JSON Pointer cannot name", test_resolve),
    parley_test("equality of values", test_equal),
    parley_test("a part is a document of its own", test_part),
    parley_test("equality of large objects in another order",
                test_equal_order),
};


PARLEY_TEST_MAIN(tests)
