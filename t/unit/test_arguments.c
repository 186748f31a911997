/* gate/settings/parley_arguments.h */

#include "t/unit/parley_test.h"

#include "gate/settings/parley_arguments.h"


static parley_arena_t  arena;


static int
test_read(const char *query, parley_arguments_t *a, parley_error_t *err)
{
    int     rc;
    char   *copy;
    size_t  len;

    /* an allocation of the exact size: a read beyond it is detected */

    len = strlen(query);
    copy = parley_arena_alloc(&arena, len ? len : 1);
    assert_non_null(copy);
    memcpy(copy, query, len);

    parley_arguments_init(a, PARLEY_PROTO_CHANNEL, PARLEY_PROTO_MOQ,
                          PARLEY_STR("t"));
    parley_error_clear(err);

    rc = parley_arguments_read(a, &arena, parley_str_make(copy, len), err);

    assert_int_equal(err->code, rc ? PARLEY_E_FIELD_INVALID : PARLEY_E_NONE);
    assert_int_equal(err->is_name, rc != 0);

    return rc;
}


static void
test_values(void **state)
{
    size_t              i;
    parley_error_t      err;
    parley_arguments_t  a;

    static const struct {
        const char  *query;
        const char  *scope;
        const char  *recipient;
        const char  *token;
    } rows[] = {
        { "", "", "", "" },
        { "&&", "", "", "" },
        { "a=b", "", "", "" },
        { "scope=x", "x", "", "" },
        { "a&SCOPE=x%20y&b", "x y", "", "" },
        { "t=1&recipient=a=b&scope=", "", "a=b", "1" },
        { "%74=%31+%2b", "", "", "1 +" },
        { "scop=x&scopes=y&xscope=z", "", "", "" },
        { "a=%&b%zz=%1&%=", "", "", "" },
        { "a;b=c;d=scope", "", "", "" },
        { "recipient=%C3%A9", "", "\xC3\xA9", "" },
    };

    static const char *const  refused[] = {
        "scope=1&scope=2", "scope=1&%73cope=2", "scope&SCOPE", "a;scope",
        "scope;", "scope[]", "scope%00", "%00scope", "+scope", "scope+=1",
        "scope=%", "scope=%0", "scope=%0g", "scope=%00", "scope=%0A",
        "scope=\x7F", "scope=%C2%80", "scope=%ff", "scope=\xC3",
        "t=1&t=1", "a=1;t=2", "recipient=1&x&recipient[a]=1"
    };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(test_read(rows[i].query, &a, &err), 0);
        parley_assert_str(a.list[PARLEY_ARGUMENT_SCOPE].value, rows[i].scope);
        parley_assert_str(a.list[PARLEY_ARGUMENT_RECIPIENT].value,
                          rows[i].recipient);
        parley_assert_str(a.list[PARLEY_ARGUMENT_TOKEN].value, rows[i].token);
    }

    for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        assert_int_equal(test_read(refused[i], &a, &err), -1);
    }

    parley_arena_reset(&arena);
}


static void
test_alone(void **state)
{
    size_t              i;
    parley_error_t      err;
    parley_arguments_t  a;

    static const struct {
        const char  *query;
        const char  *wrong;         /* NULL: none */
    } rows[] = {
        { "", NULL },
        { "&&", NULL },
        { "filter=x&&t=1&", NULL },
        { "FILTER=x&%66ilter", "filter" },
        { "_=1&_x&_filter=y", NULL },
        { "fliter=x", "fliter" },
        { "filter=x&session=y", "session" },
        { "a", "a" },
        { "a;filter=x", "filter" },
        { "a;b=c", "a" },
        { "=x", "" },
        { "%5F=x", "%5F" },
        { "\xff=x", "?" },
    };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        parley_arguments_of(&a, 1u << PARLEY_ARGUMENT_FILTER, PARLEY_STR("t"));
        parley_error_clear(&err);

        assert_int_equal(parley_arguments_read(&a, &arena,
                                               parley_str_c(rows[i].query),
                                               &err),
                         rows[i].wrong == NULL ? 0 : -1);

        if (rows[i].wrong != NULL) {
            assert_int_equal(err.code, PARLEY_E_FIELD_INVALID);
            assert_int_equal(err.is_name, 1);
            assert_string_equal(err.field, rows[i].wrong);
        }
    }

    /* all arguments are named, as far as there is room */

    parley_arguments_of(&a, ~0u, PARLEY_STR("t"));

    assert_int_equal(parley_arguments_read(&a, &arena, PARLEY_STR("x"), &err),
                     -1);
    assert_non_null(strstr(err.text, "expected one of scope, recipient, t, "));

    parley_arena_reset(&arena);
}


static void
test_write(void **state)
{
    size_t              i;
    parley_str_t        query, ret;
    parley_arguments_t  a;

    /* with the scope s/1, no recipient and the token T */

    static const struct {
        const char  *query;
        const char  *written;       /* NULL: unchanged */
    } rows[] = {
        { "", "scope=s%2F1&t=T" },
        { "a=1", "scope=s%2F1&t=T&a=1" },
        { "scope=s/1&t=T", NULL },
        { "&t=T&&scope=s%2f1&", NULL },
        { "t=T&scope=s%2F1;x=1", "scope=s%2F1&t=T" },
        { "t=T&Scope=s/1", "t=T&scope=s%2F1" },
        { "t=T&scope=other", "t=T&scope=s%2F1" },
        { "t=T&scope=s/1&scope=s/1&x", "t=T&scope=s/1&x" },
        { "t=T&scope=s/1&a;scope=2&scope[]=3&b", "t=T&scope=s/1&b" },
        { "t=T&scope=s/1&recipient=r&recipient", "t=T&scope=s/1" },
        { "t=%54&scope=s+1", "t=%54&scope=s%2F1" },
        { "t=%&scope=s/1", "t=T&scope=s/1" },
    };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    parley_arguments_init(&a, PARLEY_PROTO_CHANNEL, PARLEY_PROTO_MOQ,
                          PARLEY_STR("t"));
    a.list[PARLEY_ARGUMENT_SCOPE].value = PARLEY_STR("s/1");
    a.list[PARLEY_ARGUMENT_TOKEN].value = PARLEY_STR("T");

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        query = parley_str_c(rows[i].query);

        assert_int_equal(parley_arguments_write(&a, &arena, query, &ret), 0);

        if (rows[i].written == NULL) {
            assert_ptr_equal(ret.data, query.data);
            parley_assert_str(ret, rows[i].query);

        } else {
            parley_assert_str(ret, rows[i].written);
        }
    }

    parley_arena_reset(&arena);
}


static void
test_names(void **state)
{
    parley_arguments_t  a;

    (void) state;

    assert_true(parley_argument_is_known(PARLEY_STR("scope")));
    assert_true(parley_argument_is_known(PARLEY_STR("Recipient")));
    assert_true(parley_argument_is_known(PARLEY_STR("scope[]")));
    assert_false(parley_argument_is_known(PARLEY_STR("token")));
    assert_false(parley_argument_is_known(PARLEY_STR("")));

    parley_arguments_init(&a, PARLEY_PROTO_AEE, PARLEY_PROTO_VCP,
                          parley_str_none);
    assert_int_equal(a.list[PARLEY_ARGUMENT_SCOPE].name.len, 0);
    assert_int_equal(a.list[PARLEY_ARGUMENT_RECIPIENT].name.len, 0);

    parley_arguments_init(&a, PARLEY_PROTO_AEE, PARLEY_PROTO_CHANNEL,
                          parley_str_none);
    assert_int_equal(a.list[PARLEY_ARGUMENT_SCOPE].name.len, 5);
    assert_int_equal(a.list[PARLEY_ARGUMENT_RECIPIENT].name.len, 0);

    parley_arguments_init(&a, PARLEY_PROTO_C2A, PARLEY_PROTO_AEE,
                          parley_str_none);
    assert_int_equal(a.list[PARLEY_ARGUMENT_SCOPE].name.len, 0);
    assert_int_equal(a.list[PARLEY_ARGUMENT_RECIPIENT].name.len, 9);
}


static void
test_memory(void **state)
{
    parley_mem_t        mem;
    parley_str_t        ret;
    parley_error_t      err;
    parley_arguments_t  a;
    parley_test_mem_t   counter;

    (void) state;

    mem = parley_test_mem(&counter, 1);
    parley_arena_init(&arena, &mem, 64);

    parley_arguments_init(&a, PARLEY_PROTO_CHANNEL, PARLEY_PROTO_CHANNEL,
                          parley_str_none);
    assert_int_equal(parley_arguments_read(&a, &arena,
                                           PARLEY_STR("scope=%41"), &err),
                     -1);
    assert_int_equal(err.code, PARLEY_E_CAPACITY);

    a.list[PARLEY_ARGUMENT_SCOPE].value = PARLEY_STR("x");
    assert_int_equal(parley_arguments_write(&a, &arena, PARLEY_STR("a=1"),
                                            &ret), -1);

    parley_arena_reset(&arena);
}


static void
test_hide(void **state)
{
    char    query[64];
    size_t  i;

    static const struct {
        const char  *query;
        const char  *hidden;
    } rows[] = {
        { "", "" },
        { "t", "t" },
        { "t=", "t=" },
        { "a=b&tt=c", "a=b&tt=c" },
        { "t=secret", "t=******" },
        { "a=t&t=x=y&b=z", "a=t&t=***&b=z" },
        { "%74=%61b&T=c", "%74=****&T=*" },
        { "t[]=a&t;b&+t=c", "t[]=*&t;b&+t=*" },
        { "a=1;t=b&c", "a=*****&c" },
        { "t=#a", "t=**" },
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        strcpy(query, rows[i].query);

        parley_arguments_hide(PARLEY_STR("t"), (uint8_t *) query,
                              strlen(query));

        assert_string_equal(query, rows[i].hidden);
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("SEC-03 what they say", test_values),
    parley_test("ACH-22 there are no others", test_alone),
    parley_test("SEC-03 how they go on", test_write),
    parley_test("SEC-03 which they are", test_names),
    parley_test("a token is overwritten", test_hide),
    parley_test("no memory", test_memory),
};

PARLEY_TEST_MAIN(tests)
