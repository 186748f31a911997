/* core/parley_jcs.h and parley_buf.h */

#include "t/unit/parley_test.h"

#include <dirent.h>

#include "core/parley_buf.h"
#include "core/parley_decimal.h"
#include "core/parley_jcs.h"
#include "core/parley_number.h"


typedef struct {
    parley_arena_t  arena;
    parley_json_t   doc;
    parley_error_t  err;
    parley_buf_t    buf;
} fixture_t;


/* Checks the canonical form, and that it is the same within a string. */
static void
assert_text(fixture_t *f, parley_json_ref_t ref, parley_str_t form)
{
    parley_str_t   text;
    parley_buf_t   b;
    parley_json_t  doc;

    parley_buf_init(&b, &f->arena, 1);
    parley_buf_octet(&b, '"');
    parley_jcs_text(&b, ref);
    parley_buf_octet(&b, '"');
    assert_int_equal(parley_buf_done(&b, &text), 0);

    if (parley_json_read(&doc, &f->arena, NULL, 7, text, &f->err) != 0) {
        fail_msg("%s at %zu", f->err.text, f->err.offset);
    }

    assert_int_equal(parley_json_string(&doc, 0, &text), 0);
    assert_int_equal(text.len, form.len);
    assert_memory_equal(text.data, form.data, form.len);
}


/* Returns the canonical form of text; the caller resets f->arena. */
static parley_str_t
canonical(fixture_t *f, parley_str_t text, const char *pointer,
    const char *skip)
{
    parley_str_t       ret;
    parley_json_ref_t  ref;

    parley_arena_init(&f->arena, &parley_mem_libc, 0);

    if (parley_json_read(&f->doc, &f->arena, NULL, 7, text, &f->err) != 0) {
        fail_msg("%s at %zu", f->err.text, f->err.offset);
    }

    ref.doc = &f->doc;
    ref.node = parley_json_resolve(&f->doc, 0, parley_str_c(pointer));

    parley_buf_init(&f->buf, &f->arena, 1);
    parley_jcs_write(&f->buf, ref, parley_str_c(skip));
    assert_int_equal(parley_buf_done(&f->buf, &ret), 0);

    if (skip[0] == '\0' && ref.node != PARLEY_JSON_NONE) {
        assert_text(f, ref, ret);
    }

    return ret;
}


static void
assert_canonical(const char *text, const char *pointer, const char *skip,
    const char *expected)
{
    fixture_t     f;
    parley_str_t  got;

    got = canonical(&f, parley_str_c(text), pointer, skip);
    parley_assert_str(got, expected);
    parley_arena_reset(&f.arena);
}


static int
json_name(const struct dirent *entry)
{
    size_t  len;

    len = strlen(entry->d_name);

    return len > 5 && strcmp(entry->d_name + len - 5, ".json") == 0;
}


/* Returns whether the canonical form of a document has all digits. */
static int
exact(const parley_json_t *doc)
{
    char              text[PARLEY_NUMBER_MAX];
    size_t            n;
    uint32_t          i;
    parley_decimal_t  a, b;

    for (i = 0; i < doc->nnodes; i++) {
        if (parley_json_type(doc, i) != PARLEY_JSON_NUMBER) {
            continue;
        }

        n = parley_number_format(parley_json_number(doc, i), text);
        a = parley_decimal_make(parley_json_span(doc, i));
        b = parley_decimal_make(parley_str_make(text, n));

        if (parley_decimal_cmp(&a, &b) != 0) {
            return 0;
        }
    }

    return 1;
}


/* NAME.jcs is made from NAME.json by an independent implementation. */
static void
test_cases(void **state)
{
    int              i, n;
    char             dir[512], path[1024];
    fixture_t        f, g;
    const char      *root;
    parley_str_t     input, expected, got, again;
    struct dirent  **names;

    (void) state;

    root = getenv("PARLEY_T");
    (void) snprintf(dir, sizeof(dir), "%s/cases/json/accept",
                    (root == NULL) ? "t" : root);

    n = scandir(dir, &names, json_name, alphasort);
    assert_true(n > 20);

    for (i = 0; i < n; i++) {
        (void) snprintf(path, sizeof(path), "%s/%s", dir, names[i]->d_name);
        input = parley_test_file(path);

        (void) strcpy(strrchr(path, '.'), ".jcs");
        expected = parley_test_file(path);

        got = canonical(&f, input, "", "");

        if (!parley_str_eq(got, expected)) {
            fail_msg("%s: %.*s", names[i]->d_name, (int) got.len,
                     (const char *) got.data);
        }

        again = canonical(&g, got, "", "");
        assert_true(parley_str_eq(got, again));

        assert_int_equal(parley_json_equal((parley_json_ref_t) { &f.doc, 0 },
                                           (parley_json_ref_t) { &g.doc, 0 }),
                         exact(&f.doc));

        parley_arena_reset(&f.arena);
        parley_arena_reset(&g.arena);
        free((void *) input.data);
        free((void *) expected.data);
        free(names[i]);
    }

    free(names);
}


static void
test_skip(void **state)
{
    (void) state;

    assert_canonical("{\"signature\":\"x\",\"b\":1,\"a\":{\"signature\":2}}",
                     "", "signature", "{\"a\":{\"signature\":2},\"b\":1}");
    assert_canonical("{\"a\":1,\"signature\":\"x\"}", "", "signature",
                     "{\"a\":1}");
    assert_canonical("{\"a\":1,\"\\u0073ignature\":\"x\",\"0\":2}", "",
                     "signature", "{\"0\":2,\"a\":1}");
    assert_canonical("{\"signature\":\"x\"}", "", "signature", "{}");
    assert_canonical("{\"b\":1,\"a\":2}", "", "signature",
                     "{\"a\":2,\"b\":1}");
    assert_canonical("[{\"a\":1}]", "", "a", "[{\"a\":1}]");
    assert_canonical("{\"p\":{\"a\":1,\"b\":[ ]}}", "/p", "a", "{\"b\":[]}");
}


/* Member order, white space, escapes and number forms change nothing. */
static void
test_same(void **state)
{
    size_t              i;
    static const char  *texts[] = {
        "{\"a\":[1.5,\"\xC3\xA9/\"],\"b\":{\"c\":100,\"d\":null}}",
        "{\"b\":{\"d\":null,\"c\":1e2},\"a\":[15e-1,\"\\u00e9\\/\"]}",
        (" { \"\\u0062\" : {\"c\":100.0 , \"d\" : null} ,\n"
         "   \"a\":[ 1.50,\"\\u00E9/\" ] } "),
    };

    (void) state;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        assert_canonical(texts[i], "", "", texts[0]);
    }
}


/* The order of names does not depend on their number. */
static void
test_order(void **state)
{
    size_t        n, i, j, len;
    char          text[4096], expected[4096];
    fixture_t     f;
    parley_str_t  got;

    (void) state;

    for (n = 1; n <= 99; n++) {
        text[0] = '\0';
        expected[0] = '\0';

        for (i = 0; i < n; i++) {
            len = strlen(text);
            (void) snprintf(text + len, sizeof(text) - len,
                            "%s\"%s%03zu%s\":%zu", (i == 0) ? "{" : ",",
                            (n % 3 == 0) ? "abcdefgh" : "",
                            (i * 37 + 5) % 101,
                            (n % 3 == 1) ? "\xC3\xA9" : "",
                            (i * 37 + 5) % 101);
        }

        (void) strcat(text, "}");
        got = canonical(&f, parley_str_c(text), "", "");

        for (i = 0; i < 101; i++) {
            for (j = 0; j < n && (j * 37 + 5) % 101 != i; j++) { /* void */ }

            if (j == n) {
                continue;
            }

            len = strlen(expected);
            (void) snprintf(expected + len, sizeof(expected) - len,
                            "%s\"%s%03zu%s\":%zu", (len == 0) ? "{" : ",",
                            (n % 3 == 0) ? "abcdefgh" : "", i,
                            (n % 3 == 1) ? "\xC3\xA9" : "", i);
        }

        (void) strcat(expected, "}");

        parley_assert_str(got, expected);
        parley_arena_reset(&f.arena);
    }
}


/* A document of the largest depth, by the way that uses the most stack. */
static void
test_depth(void **state)
{
    char                  *text, *p, *q;
    size_t                 i;
    fixture_t              f;
    parley_str_t           ret;
    parley_json_limits_t   limits;

    (void) state;

    limits = parley_json_limits_default;
    limits.depth = PARLEY_JSON_DEPTH_MAX;

    text = malloc(PARLEY_JSON_DEPTH_MAX * 16);
    assert_non_null(text);

    p = text;

    for (i = 1; i < PARLEY_JSON_DEPTH_MAX; i++) {
        p = stpcpy(p, "{\"b\":1,\"a\":");
    }

    q = stpcpy(p, "{}");
    memset(q, '}', PARLEY_JSON_DEPTH_MAX - 1);
    q += PARLEY_JSON_DEPTH_MAX - 1;

    parley_arena_init(&f.arena, &parley_mem_libc, 0);
    assert_int_equal(parley_json_read(&f.doc, &f.arena, &limits, 1,
                                      parley_str_make(text,
                                                      (size_t) (q - text)),
                                      &f.err),
                     0);

    parley_buf_init(&f.buf, &f.arena, 0);
    parley_jcs_write(&f.buf, (parley_json_ref_t) { &f.doc, 0 },
                     parley_str_none);
    assert_int_equal(parley_buf_done(&f.buf, &ret), 0);
    assert_int_equal(ret.len, q - text);
    assert_memory_equal(ret.data, "{\"a\":{\"a\":", 10);
    assert_memory_equal(ret.data + ret.len - 14, ",\"b\":1},\"b\":1}", 14);

    parley_arena_reset(&f.arena);
    free(text);
}


static void
test_no_memory(void **state)
{
    int                 rc;
    size_t              n;
    char                text[8192];
    unsigned            i;
    parley_buf_t        b;
    parley_mem_t        mem;
    parley_str_t        ret;
    parley_json_t       doc;
    parley_arena_t      arena, other;
    parley_error_t      err;
    parley_test_mem_t   memory;

    (void) state;

    (void) strcpy(text, "{\"z\":{\"b\":1e3,\"a\":\"\\u0041\"}");

    for (i = 0; i < 200; i++) {
        (void) snprintf(text + strlen(text), sizeof(text) - strlen(text),
                        ",\"n%u\":[1.0,\"text\"]", 999 - i);
    }

    (void) strcat(text, "}");

    parley_arena_init(&arena, &parley_mem_libc, 0);
    assert_int_equal(parley_json_read(&doc, &arena, NULL, 1,
                                      parley_str_c(text), &err), 0);

    for (n = 1; ; n++) {
        mem = parley_test_mem(&memory, n);
        parley_arena_init(&other, &mem, 64);

        parley_buf_init(&b, &other, 16);
        parley_jcs_write(&b, (parley_json_ref_t) { &doc, 0 },
                         parley_str_none);
        rc = parley_buf_done(&b, &ret);

        parley_arena_reset(&other);
        assert_int_equal(memory.live, 0);

        if (memory.allocations < n) {
            assert_int_equal(rc, 0);
            break;
        }

        assert_int_equal(rc, -1);
        assert_null(ret.data);
        assert_int_equal(ret.len, 0);
    }

    assert_true(n > 4);
    parley_arena_reset(&arena);
}


static void
test_buf(void **state)
{
    size_t          i;
    parley_buf_t    b;
    parley_str_t    ret;
    parley_json_t   doc;
    parley_arena_t  arena;
    parley_error_t  err;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    assert_int_equal(parley_json_read(&doc, &arena, NULL, 1,
                                      PARLEY_STR("{\"x\" : [ 1, 2 ]}"), &err),
                     0);

    parley_buf_init(&b, &arena, 3);
    parley_buf_octet(&b, '{');
    parley_buf_member(&b, PARLEY_STR("a"), PARLEY_STR("q\"\\\n\x01\x1F\x7F/"));
    parley_buf_name(&b, PARLEY_STR("n"));
    parley_buf_int(&b, 0);
    parley_buf_name(&b, PARLEY_STR("m"));
    parley_buf_int(&b, INT64_MIN);
    parley_buf_name(&b, PARLEY_STR("v"));
    parley_buf_value(&b, (parley_json_ref_t) { &doc,
                              parley_json_get(&doc, 0, PARLEY_STR("x")) });
    parley_buf_value(&b, parley_json_ref_none);
    parley_buf_member(&b, PARLEY_STR("u"),
                      PARLEY_STR("\xC3\xA9\xC3(\xED\xA0\x80"));
    parley_buf_member(&b, PARLEY_STR("f"), PARLEY_STR("x\xEF\xBF\xBEy"));
    parley_buf_member(&b, PARLEY_STR("e"), parley_str_none);
    parley_buf_lit(&b, "}");
    assert_int_equal(parley_buf_done(&b, &ret), 0);

    parley_assert_str(ret,
        "{\"a\":\"q\\\"\\\\\\n\\u0001\\u001f\x7F/\",\"n\":0,"
        "\"m\":-9223372036854775808,\"v\":[ 1, 2 ],"
        "\"u\":\"\xC3\xA9\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\","
        "\"f\":\"x\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBDy\","
        "\"e\":\"\"}");
    assert_int_equal(ret.data[ret.len], '\0');

    /* the buffer continues to grow after a result */

    parley_buf_init(&b, &arena, 1);

    for (i = 0; i < 10000; i++) {
        parley_buf_octet(&b, (uint8_t) ('a' + i % 26));
        parley_buf_lit(&b, "0123456789");
    }

    assert_int_equal(parley_buf_done(&b, &ret), 0);
    assert_int_equal(ret.len, 110000);

    for (i = 0; i < 10000; i++) {
        assert_int_equal(ret.data[i * 11], 'a' + i % 26);
        assert_memory_equal(ret.data + i * 11 + 1, "0123456789", 10);
    }

    parley_buf_lit(&b, "x");
    assert_int_equal(parley_buf_done(&b, &ret), 0);
    assert_int_equal(ret.len, 110001);

    /* too much for any memory */

    parley_buf_put(&b, "", SIZE_MAX - 16);
    assert_int_equal(parley_buf_done(&b, &ret), -1);
    assert_null(ret.data);

    parley_arena_reset(&arena);
}


static const struct CMUnitTest  tests[] = {
    parley_test("VCP-16 the RFC 8785 form of every document of "
                "t/cases/json/accept", test_cases),
    parley_test("VCP-16 the signature is left out, of the envelope alone",
                test_skip),
    parley_test("VCP-16 order, spacing and escapes change nothing",
                test_same),
    parley_test("members are sorted however many there are", test_order),
    parley_test("members are sorted at any depth", test_depth),
    parley_test("canonical form where memory fails", test_no_memory),
    parley_test("the output buffer", test_buf),
};


PARLEY_TEST_MAIN(tests)
