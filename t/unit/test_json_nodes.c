/* core/parley_json.h: the nodes that the reader makes */

#include "t/unit/parley_test_json.h"


static void
assert_node(fixture_t *f, const char *pointer, parley_json_type_t type,
    unsigned flags, uint32_t count, unsigned depth, const char *raw)
{
    uint32_t                   i;
    const parley_json_node_t  *node;

    i = at(f, pointer);
    assert_int_not_equal(i, PARLEY_JSON_NONE);

    node = parley_json_node(&f->doc, i);

    assert_int_equal(node->type, type);
    assert_int_equal(node->flags, flags);
    assert_int_equal(node->count, count);
    assert_int_equal(node->depth, depth);
    parley_assert_str(parley_json_raw(&f->doc, i), raw);
}


static void
test_nodes(void **state)
{
    uint32_t   k;
    fixture_t  f;

    (void) state;

    assert_int_equal(read_text(&f, NULL,
        " {\"b\": [1, -2.5, 1.50, 1e2, -0, 9007199254740992, null],"
        " \"a\": {\"x\": \"plain\", \"y\": \"\\u00e9\\n\","
        " \"z\": \"\xC3\xA9\xF0\x9F\x98\x80\"}, \"e\": [ ], \"f\": true} "),
        0);

    assert_node(&f, "", PARLEY_JSON_OBJECT, 0, 4, 0,
        "{\"b\": [1, -2.5, 1.50, 1e2, -0, 9007199254740992, null],"
        " \"a\": {\"x\": \"plain\", \"y\": \"\\u00e9\\n\","
        " \"z\": \"\xC3\xA9\xF0\x9F\x98\x80\"}, \"e\": [ ], \"f\": true}");

    assert_node(&f, "/b", PARLEY_JSON_ARRAY, 0, 7, 1,
                "[1, -2.5, 1.50, 1e2, -0, 9007199254740992, null]");
    assert_node(&f, "/b/0", PARLEY_JSON_NUMBER,
                PARLEY_JSON_INTEGER | PARLEY_JSON_CANONICAL, 0, 2, "1");
    assert_node(&f, "/b/1", PARLEY_JSON_NUMBER, PARLEY_JSON_CANONICAL, 0, 2,
                "-2.5");
    assert_node(&f, "/b/2", PARLEY_JSON_NUMBER, 0, 0, 2, "1.50");
    assert_node(&f, "/b/3", PARLEY_JSON_NUMBER, 0, 0, 2, "1e2");
    assert_node(&f, "/b/4", PARLEY_JSON_NUMBER, PARLEY_JSON_INTEGER, 0, 2,
                "-0");
    assert_node(&f, "/b/5", PARLEY_JSON_NUMBER, PARLEY_JSON_INTEGER, 0, 2,
                "9007199254740992");
    assert_node(&f, "/b/6", PARLEY_JSON_NULL, PARLEY_JSON_CANONICAL, 0, 2,
                "null");

    assert_node(&f, "/a", PARLEY_JSON_OBJECT, PARLEY_JSON_SORTED, 3, 1,
        "{\"x\": \"plain\", \"y\": \"\\u00e9\\n\","
        " \"z\": \"\xC3\xA9\xF0\x9F\x98\x80\"}");
    assert_node(&f, "/a/x", PARLEY_JSON_STRING,
                PARLEY_JSON_ASCII | PARLEY_JSON_CANONICAL, 5, 2,
                "\"plain\"");
    assert_node(&f, "/a/y", PARLEY_JSON_STRING, PARLEY_JSON_ESCAPED, 2, 2,
                "\"\\u00e9\\n\"");
    assert_node(&f, "/a/z", PARLEY_JSON_STRING, PARLEY_JSON_CANONICAL, 2, 2,
                "\"\xC3\xA9\xF0\x9F\x98\x80\"");
    assert_node(&f, "/e", PARLEY_JSON_ARRAY, 0, 0, 1, "[ ]");
    assert_node(&f, "/f", PARLEY_JSON_TRUE, PARLEY_JSON_CANONICAL, 0, 1,
                "true");

    /* names are strings that are keys */

    k = at(&f, "/a/x") - 1;
    assert_int_equal(f.doc.nodes[k].flags,
                     PARLEY_JSON_ASCII | PARLEY_JSON_CANONICAL
                     | PARLEY_JSON_KEY);
    assert_int_equal(f.doc.nodes[k].atom, PARLEY_ATOM_NONE);
    parley_assert_str(parley_json_span(&f.doc, k), "x");

    /* the first integer outside +-(2^53 - 1) */

    assert_int_equal(f.doc.inexact, at(&f, "/b/5"));

    done(&f);
}


static void
test_flags(void **state)
{
    size_t     i;
    char       text[128];
    fixture_t  f;

    static const struct {
        const char  *text;
        unsigned     flags;
        int          inexact;
    } numbers[] = {
        { "0", PARLEY_JSON_INTEGER | PARLEY_JSON_CANONICAL, 0 },
        { "-0", PARLEY_JSON_INTEGER, 0 },
        { "0.0", 0, 0 },
        { "-0.0", 0, 0 },
        { "0.5", PARLEY_JSON_CANONICAL, 0 },
        { "-0.5", PARLEY_JSON_CANONICAL, 0 },
        { "0.50", 0, 0 },
        { "0.000001", PARLEY_JSON_CANONICAL, 0 },
        { "0.0000001", 0, 0 },
        { "0.00000123456789012345", PARLEY_JSON_CANONICAL, 0 },
        { "0.000001234567890123456", 0, 0 },
        { "12345678.1234567", PARLEY_JSON_CANONICAL, 0 },
        { "12345678.12345678", 0, 0 },
        { "123456789012345", PARLEY_JSON_INTEGER | PARLEY_JSON_CANONICAL, 0 },
        { "9007199254740991", PARLEY_JSON_INTEGER | PARLEY_JSON_CANONICAL,
          0 },
        { "-9007199254740991", PARLEY_JSON_INTEGER | PARLEY_JSON_CANONICAL,
          0 },
        { "9007199254740992", PARLEY_JSON_INTEGER, 1 },
        { "-9007199254740992", PARLEY_JSON_INTEGER, 1 },
        { "10000000000000000", PARLEY_JSON_INTEGER, 1 },
        { "1e30", 0, 0 },
        { "9007199254740993.0", 0, 0 },
        { "1E5", 0, 0 },
    };

    static const struct {
        const char  *text;
        unsigned     flags;
    } objects[] = {
        { "{}", PARLEY_JSON_SORTED | PARLEY_JSON_CANONICAL },
        { "{ }", PARLEY_JSON_SORTED },
        { "{\"a\":1}", PARLEY_JSON_SORTED | PARLEY_JSON_CANONICAL },
        { " {\"a\":1} ", PARLEY_JSON_SORTED | PARLEY_JSON_CANONICAL },
        { "{ \"a\":1}", PARLEY_JSON_SORTED },
        { "{\"a\" :1}", PARLEY_JSON_SORTED },
        { "{\"a\": 1}", PARLEY_JSON_SORTED },
        { "{\"a\":1 }", PARLEY_JSON_SORTED },
        { "{\"a\":1,\n\"b\":2}", PARLEY_JSON_SORTED },
        { "{\"a\":1e2}", PARLEY_JSON_SORTED },
        { "{\"a\":9007199254740992}", PARLEY_JSON_SORTED },
        { "{\"a\":\"\\n\\\\\\\"\"}",
          PARLEY_JSON_SORTED | PARLEY_JSON_CANONICAL },
        { "{\"a\":\"\\/\"}", PARLEY_JSON_SORTED },
        { "{\"a\":\"\\u0001\"}", PARLEY_JSON_SORTED },
        { "{\"a\":\"\xC3\xA9\"}",
          PARLEY_JSON_SORTED | PARLEY_JSON_CANONICAL },
        { "{\"a\":[true,null,-0.5,[],{\"b\":[]}],\"c\":{}}",
          PARLEY_JSON_SORTED | PARLEY_JSON_CANONICAL },
        { "{\"a\":[ ],\"c\":{}}", PARLEY_JSON_SORTED },
        { "{\"a\":[1.0],\"c\":{}}", PARLEY_JSON_SORTED },
        { "{\"a\":[{\"b\":1,\"a\":1}],\"c\":{}}", PARLEY_JSON_SORTED },
        { "{\"\":1,\"a\":1,\"aa\":2,\"b\":3}",
          PARLEY_JSON_SORTED | PARLEY_JSON_CANONICAL },
        { "{\"aa\":1,\"a\":2}", 0 },
        { "{\"a\":1,\"b\":{\"d\":1,\"c\":2},\"e\":3}", PARLEY_JSON_SORTED },
        { "{\"\\u0061\":1}", PARLEY_JSON_MASKED },
        { "{\"\xC3\xA9\":1}", 0 },
        { "{\"a\":1,\"c\":2,\"b\":3,\"d\":4}", 0 },
        { "[]", PARLEY_JSON_CANONICAL },
        { "[ ]", 0 },
        { "[{\"b\":1,\"a\":1},{\"a\":1}]", 0 },
        { "\"\"", PARLEY_JSON_ASCII | PARLEY_JSON_CANONICAL },
        { "\"a\x7F\"", PARLEY_JSON_CANONICAL },
        { "\"\\t\"", PARLEY_JSON_ESCAPED | PARLEY_JSON_CANONICAL },
        { "\"\\/\\t\"", PARLEY_JSON_ESCAPED },
        { "\"\\t\\u0009\"", PARLEY_JSON_ESCAPED },
    };

    (void) state;

    for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        (void) snprintf(text, sizeof(text), "[%s]", numbers[i].text);
        assert_int_equal(read_text(&f, NULL, text), 0);

        if (f.doc.nodes[1].flags != numbers[i].flags) {
            fail_msg("%s has flags %x", numbers[i].text,
                     f.doc.nodes[1].flags);
        }

        assert_int_equal(f.doc.inexact,
                         numbers[i].inexact ? 1 : PARLEY_JSON_NONE);
        done(&f);
    }

    for (i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        assert_int_equal(read_text(&f, NULL, objects[i].text), 0);

        if (f.doc.nodes[0].flags != objects[i].flags) {
            fail_msg("%s has flags %x", objects[i].text,
                     f.doc.nodes[0].flags);
        }

        done(&f);
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("nodes: type, flags, count, depth, octets", test_nodes),
    parley_test("flags of values: numbers, strings, arrays and objects",
                test_flags),
};


PARLEY_TEST_MAIN(tests)
