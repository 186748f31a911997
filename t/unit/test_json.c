/* core/parley_json.h: valid texts, invalid texts and the place of the error */

#include "t/unit/parley_test_json.h"

#include <dirent.h>

#include "core/parley_utf8.h"


static const char *
cases_root(void)
{
    const char  *root;

    root = getenv("PARLEY_T");

    return (root == NULL) ? "t" : root;
}


static int
json_name(const struct dirent *entry)
{
    size_t  len;

    len = strlen(entry->d_name);

    return len > 5 && strcmp(entry->d_name + len - 5, ".json") == 0;
}


/*
 * Returns the octets of ROOT/cases/json/DIR/NAME with another suffix; the
 * caller frees them.
 */
static parley_str_t
case_file(const char *dir, const char *name, const char *suffix)
{
    char  path[1024];

    (void) snprintf(path, sizeof(path), "%s/cases/json/%s/%.*s%s",
                    cases_root(), dir, (int) strlen(name) - 5, name, suffix);

    return parley_test_file(path);
}


static int
case_list(const char *dir, struct dirent ***names)
{
    int   n;
    char  path[1024];

    (void) snprintf(path, sizeof(path), "%s/cases/json/%s", cases_root(),
                    dir);

    n = scandir(path, names, json_name, alphasort);
    assert_true(n > 20);

    return n;
}


static void
assert_refused(const parley_json_limits_t *limits, const char *text,
    parley_code_t code, size_t offset, const char *field, const char *why)
{
    fixture_t  f;

    assert_int_equal(read_text(&f, limits, text), -1);
    assert_int_equal(f.err.code, code);
    assert_int_equal(f.err.offset, offset);
    assert_string_equal(f.err.field, field);
    assert_string_equal(f.err.text, why);
    assert_int_equal(f.err.is_name, 0);

    assert_null(f.doc.nodes);
    assert_int_equal(f.doc.nnodes, 0);
    assert_int_equal(parley_json_get(&f.doc, 0, PARLEY_STR("a")),
                     PARLEY_JSON_NONE);

    done(&f);
}


static void
test_accepted(void **state)
{
    int              i, n;
    parley_str_t     input;
    fixture_t        f;
    struct dirent  **names;

    (void) state;

    n = case_list("accept", &names);

    for (i = 0; i < n; i++) {
        input = case_file("accept", names[i]->d_name, ".json");

        parley_arena_init(&f.arena, &parley_mem_libc, 0);

        if (parley_json_read(&f.doc, &f.arena, NULL, 1, input, &f.err) != 0) {
            fail_msg("%s: %s at %zu", names[i]->d_name, f.err.text,
                     f.err.offset);
        }

        assert_int_equal(f.doc.nodes[0].next, f.doc.nnodes);

        done(&f);
        free((void *) input.data);
        free(names[i]);
    }

    free(names);
}


static void
test_refused(void **state)
{
    int              i, n, len;
    char             got[1024];
    fixture_t        f;
    parley_str_t     input, expected;
    struct dirent  **names;

    (void) state;

    n = case_list("refuse", &names);

    for (i = 0; i < n; i++) {
        input = case_file("refuse", names[i]->d_name, ".json");
        expected = case_file("refuse", names[i]->d_name, ".error");

        parley_arena_init(&f.arena, &parley_mem_libc, 0);

        if (parley_json_read(&f.doc, &f.arena, NULL, 1, input, &f.err) == 0) {
            fail_msg("%s was accepted", names[i]->d_name);
        }

        len = snprintf(got, sizeof(got), "%s\t%zu\t%s\t%s\n",
                       parley_error_info(f.err.code)->word.data,
                       f.err.offset, f.err.field, f.err.text);

        if ((size_t) len != expected.len
            || memcmp(got, expected.data, expected.len) != 0)
        {
            fail_msg("%s: %.*s", names[i]->d_name, len - 1, got);
        }

        done(&f);
        free((void *) input.data);
        free((void *) expected.data);
        free(names[i]);
    }

    free(names);
}


/* A cut document is invalid, and the reader does not read beyond its end. */
static void
test_truncated(void **state)
{
    size_t        len;
    uint8_t      *copy;
    fixture_t     f;
    parley_str_t  input;

    (void) state;

    input = case_file("accept", "aee.json", ".json");

    for (len = 0; len < input.len; len++) {
        copy = malloc(len ? len : 1);
        assert_non_null(copy);
        memcpy(copy, input.data, len);

        parley_arena_init(&f.arena, &parley_mem_libc, 0);

        assert_int_equal(parley_json_read(&f.doc, &f.arena, NULL, 1,
                                          parley_str_make(copy, len),
                                          &f.err),
                         -1);

        assert_int_equal(f.err.code, PARLEY_E_JSON_INVALID);
        assert_int_equal(f.err.offset, len);
        assert_string_equal(f.err.text, "unexpected end of the input");

        done(&f);
        free(copy);
    }

    free((void *) input.data);
}


static void
test_limits(void **state)
{
    fixture_t             f;
    parley_json_limits_t  limits;

    (void) state;

    limits = parley_json_limits_default;
    limits.octets = 8;
    limits.depth = 2;
    limits.string = 3;
    limits.members = 2;

    assert_refused(&limits, "[1,2,3,4]", PARLEY_E_MESSAGE_TOO_LARGE, 8, "",
                   "more than 8 octets");

    limits.octets = 100;

    assert_refused(&limits, "[1,[2,[3]]]", PARLEY_E_MESSAGE_TOO_LARGE, 6,
                   "/1/1", "nested too deeply");
    assert_refused(&limits, "[1,\"abcd\"]", PARLEY_E_MESSAGE_TOO_LARGE, 3,
                   "/1", "string too long");
    assert_refused(&limits, "{\"a\":{\"abcd\":1}}",
                   PARLEY_E_MESSAGE_TOO_LARGE, 6, "/a", "string too long");
    assert_refused(&limits, "[1,\"a\\u0062\"]", PARLEY_E_MESSAGE_TOO_LARGE, 3,
                   "/1", "string too long");
    assert_refused(&limits, "[1,\"a\xF0\x9F\x98\x80\"]",
                   PARLEY_E_MESSAGE_TOO_LARGE, 3, "/1", "string too long");
    assert_refused(&limits, "[1,2,3]", PARLEY_E_MESSAGE_TOO_LARGE, 5, "",
                   "too many elements");
    assert_refused(&limits, "{\"a\":1,\"b\":2,\"c\":3}",
                   PARLEY_E_MESSAGE_TOO_LARGE, 13, "", "too many members");

    assert_int_equal(read_text(&f, &limits,
                               "{\"abc\":\"def\",\"b\":[123,1.5]}"), 0);
    done(&f);

    limits.depth = 0;

    assert_refused(&limits, "[]", PARLEY_E_MESSAGE_TOO_LARGE, 0, "",
                   "nested too deeply");
    assert_int_equal(read_text(&f, &limits, "123"), 0);
    done(&f);
}


/* The depth is limited in any configuration. */
static void
test_depth(void **state)
{
    size_t                n;
    char                 *text;
    fixture_t             f;
    parley_json_ref_t     root;
    parley_json_limits_t  limits;

    (void) state;

    limits = parley_json_limits_default;
    limits.depth = UINT32_MAX;

    n = PARLEY_JSON_DEPTH_MAX;
    text = calloc(2, n + 2);
    assert_non_null(text);

    memset(text, '[', n);
    memset(text + n, ']', n);

    assert_int_equal(read_text(&f, &limits, text), 0);
    assert_int_equal(f.doc.nnodes, n);
    assert_int_equal(f.doc.nodes[n - 1].depth, n - 1);

    root.doc = &f.doc;
    root.node = 0;
    assert_true(parley_json_equal(root, root));
    done(&f);

    text[n] = '[';
    assert_int_equal(read_text(&f, &limits, text), -1);
    assert_int_equal(f.err.code, PARLEY_E_MESSAGE_TOO_LARGE);
    assert_int_equal(f.err.offset, n);
    done(&f);

    free(text);
}


/* The defaults are those of the header. */
static void
test_defaults(void **state)
{
    char       *text;
    size_t      n;
    fixture_t   f;

    (void) state;

    n = parley_json_limits_default.octets;
    assert_int_equal(n, 1024 * 1024);

    text = malloc(n + 2);
    assert_non_null(text);

    memset(text, ' ', n + 1);
    text[0] = '1';
    text[n] = '\0';
    assert_int_equal(read_text(&f, NULL, text), 0);
    done(&f);

    text[n] = ' ';
    text[n + 1] = '\0';
    assert_int_equal(read_text(&f, NULL, text), -1);
    assert_int_equal(f.err.code, PARLEY_E_MESSAGE_TOO_LARGE);
    done(&f);

    n = parley_json_limits_default.string;
    assert_int_equal(n, 256 * 1024);

    memset(text, 'a', n + 2);
    text[0] = '"';
    text[n + 1] = '"';
    text[n + 2] = '\0';
    assert_int_equal(read_text(&f, NULL, text), 0);
    assert_int_equal(f.doc.nodes[0].len, n);
    done(&f);

    text[n + 1] = 'a';
    text[n + 2] = '"';
    text[n + 3] = '\0';
    assert_int_equal(read_text(&f, NULL, text), -1);
    assert_string_equal(f.err.text, "string too long");
    assert_int_equal(f.err.offset, 0);
    done(&f);

    free(text);
}


/*
 * Objects below and above the number of members where the search changes, with
 * a duplicate at any two places, escaped or not.
 */
static void
test_duplicates(void **state)
{
    char       text[2048];
    size_t     len;
    unsigned   n, first, second, i;
    fixture_t  f;

    (void) state;

    for (n = 2; n <= 40; n += (n < 20) ? 1 : 7) {
        for (first = 0; first < n; first++) {
            for (second = first + 1; second < n; second += 3) {
                len = 0;
                text[len++] = '{';

                for (i = 0; i < n; i++) {
                    len += (size_t) snprintf(text + len, sizeof(text) - len,
                                             "%s\"%s%u\":%u",
                                             (i == 0) ? "" : ",",
                                             (i % 3 == 0) ? "\\u0078" : "x",
                                             (i == second) ? 99 - first
                                                           : 99 - i, i);
                }

                (void) snprintf(text + len, sizeof(text) - len, "}");

                assert_int_equal(read_text(&f, NULL, text), -1);
                assert_string_equal(f.err.text, "duplicate member");

                (void) snprintf(text, sizeof(text), "/x%u", 99 - first);
                assert_string_equal(f.err.field, text);
                done(&f);
            }
        }
    }
}


/* An object of 60 000 members: a quadratic search would take too long. */
static void
test_many_members(void **state)
{
    char      *text, *p;
    unsigned   i;
    fixture_t  f;

    (void) state;

    text = malloc(60000 * 16 + 16);
    assert_non_null(text);

    p = text;
    *p++ = '{';

    for (i = 0; i < 60000; i++) {
        p += sprintf(p, "%s\"%u\":0", (i == 0) ? "" : ",",
                     i * 7919 % 60000);
    }

    (void) strcpy(p, "}");
    assert_int_equal(read_text(&f, NULL, text), 0);
    assert_int_equal(f.doc.nodes[0].count, 60000);
    done(&f);

    (void) strcpy(p, ",\"4711\":1}");
    assert_int_equal(read_text(&f, NULL, text), -1);
    assert_string_equal(f.err.field, "/4711");
    assert_int_equal(f.err.offset, p - text + 1);
    done(&f);

    free(text);
}


/* The n-th allocation fails, for every n. */
static void
test_no_memory(void **state)
{
    int                 rc;
    size_t              n, failures;
    char                text[4096];
    unsigned            i;
    fixture_t           f;
    parley_mem_t        mem;
    parley_str_t        s;
    parley_test_mem_t   memory;

    (void) state;

    /* many nodes, many members, an escaped name */

    (void) strcpy(text, "{\"b\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"
                        "\"a\":\"x\\n\"");

    for (i = 0; i < 30; i++) {
        (void) snprintf(text + strlen(text), sizeof(text) - strlen(text),
                        ",\"\\u0063%u\":{}", 50 - i);
    }

    (void) strcat(text, "}");

    failures = 0;

    for (n = 1; ; n++) {
        mem = parley_test_mem(&memory, n);
        parley_arena_init(&f.arena, &mem, 64);

        rc = parley_json_read(&f.doc, &f.arena, NULL, 1, parley_str_c(text),
                              &f.err);

        if (rc == 0) {
            rc = parley_json_string(&f.doc, at(&f, "/a"), &s);

            if (rc != 0) {
                assert_null(s.data);
            }

        } else {
            assert_int_equal(f.err.code, PARLEY_E_CAPACITY);
            assert_string_equal(f.err.text, "out of memory");
            assert_int_equal(f.err.offset, PARLEY_NO_OFFSET);
            assert_string_equal(f.err.field, "");
            assert_null(f.doc.nodes);
        }

        done(&f);
        assert_int_equal(memory.live, 0);

        if (memory.allocations < n) {
            assert_int_equal(rc, 0);
            break;
        }

        assert_int_equal(rc, -1);
        failures++;
    }

    assert_true(failures >= 3);
}


/* Checks a string and a name of one code point, plain and escaped. */
static void
check_rune(uint32_t cp)
{
    int            i, bad;
    char           text[64], escaped[16], raw[5];
    fixture_t      f;
    parley_str_t   s;
    const char    *forms[] = { "{\"a\":\"%s\"}", "{\"%s\":[]}" };

    bad = (cp & 0xFFFE) == 0xFFFE || (cp >= 0xFDD0 && cp <= 0xFDEF);
    raw[parley_utf8_put((uint8_t *) raw, cp)] = '\0';

    if (cp < 0x10000) {
        (void) snprintf(escaped, sizeof(escaped), "\\u%04X", (unsigned) cp);

    } else {
        (void) snprintf(escaped, sizeof(escaped), "\\u%04x\\u%04X",
                        (unsigned) (0xD800 + ((cp - 0x10000) >> 10)),
                        (unsigned) (0xDC00 + (cp & 0x3FF)));
    }

    for (i = 0; i < 4; i++) {
        (void) snprintf(text, sizeof(text), forms[i & 1],
                        (i & 2) ? escaped : raw);

        if (bad) {
            assert_refused(NULL, text, PARLEY_E_JSON_INVALID,
                           (i & 1) ? 2 : 6, (i & 1) ? "" : "/a",
                           "noncharacter");
            continue;
        }

        if (read_text(&f, NULL, text) != 0) {
            fail_msg("%s: %s", text, f.err.text);
        }

        assert_int_equal(parley_json_string(&f.doc, (i & 1) ? 1 : 2, &s), 0);
        parley_assert_str(s, raw);
        done(&f);
    }
}


/* RFC 7493 section 2.1. */
static void
test_noncharacters(void **state)
{
    uint32_t  cp, plane;

    (void) state;

    for (cp = 0x80; cp < 0x10000; cp++) {
        if (cp < 0xD800 || cp > 0xDFFF) {
            check_rune(cp);
        }
    }

    for (plane = 1; plane <= 16; plane++) {
        for (cp = 0; cp < 0x100; cp++) {
            check_rune(plane * 0x10000 + cp);
            check_rune(plane * 0x10000 + 0xFD80 + cp);
            check_rune(plane * 0x10000 + 0xFF00 + cp);
        }
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("every document of t/cases/json/accept is read",
                test_accepted),
    parley_test("every document of t/cases/json/refuse is refused: code, "
                "offset, member, text", test_refused),
    parley_test("a document cut at any octet is refused there",
                test_truncated),
    parley_test("limits are refusals with their place", test_limits),
    parley_test("the depth is bounded whatever was configured", test_depth),
    parley_test("the default limits are exact", test_defaults),
    parley_test("duplicate members at any place", test_duplicates),
    parley_test("very many members are no burden", test_many_members),
    parley_test("GW-10 noncharacters are refused, and their neighbours read",
                test_noncharacters),
    parley_test("reading and unescaping where memory fails",
                test_no_memory),
};


PARLEY_TEST_MAIN(tests)
