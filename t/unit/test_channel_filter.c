/* Filters of a stream: valid and invalid ones; every clause must hold. */

#include "t/unit/parley_test.h"

#include "translate/channel/parley_channel_filter.h"


static parley_arena_t           arena;
static parley_channel_filter_t  filter;
static parley_error_t           err;


static int
parse(const char *text)
{
    return parley_channel_filter_parse(&arena, parley_str_c(text), &filter,
                                       &err);
}


static int
setup(void **state)
{
    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    return 0;
}


static int
teardown(void **state)
{
    (void) state;

    parley_arena_reset(&arena);

    return 0;
}


static void
test_read(void **state)
{
    (void) state;

    assert_int_equal(parse(""), 0);
    assert_int_equal(filter.nclauses, 0);

    assert_int_equal(parse("kind:agent_query,sender:~alice,"
                           "content_type:text/plain; a:b,tool:ide,org:~acme"),
                     0);
    assert_int_equal(filter.nclauses, 5);
    assert_int_equal(filter.clauses[0].axis, PARLEY_CHANNEL_AXIS_KIND);
    parley_assert_str(filter.clauses[0].value, "agent_query");
    parley_assert_str(filter.clauses[1].value, "~alice");
    parley_assert_str(filter.clauses[2].value, "text/plain; a:b");
    assert_int_equal(filter.clauses[3].axis, PARLEY_CHANNEL_AXIS_TOOL);
    parley_assert_str(filter.clauses[4].value, "~acme");
}


static void
test_refused(void **state)
{
    size_t  i;
    char    text[2048];

    static const struct {
        const char     *text;
        parley_code_t   code;
    } rows[] = {
        { "kinds:agent_query", PARLEY_E_FILTER_AXIS_UNKNOWN },
        { "Kind:agent_query", PARLEY_E_FILTER_AXIS_UNKNOWN },
        { " kind:agent_query", PARLEY_E_FILTER_AXIS_UNKNOWN },
        { "agent_query", PARLEY_E_FILTER_AXIS_UNKNOWN },
        { ",", PARLEY_E_FILTER_AXIS_UNKNOWN },
        { ":", PARLEY_E_FILTER_AXIS_UNKNOWN },
        { "kind:agent_query,", PARLEY_E_FILTER_AXIS_UNKNOWN },
        { "tool:a,,tool:b", PARLEY_E_FILTER_AXIS_UNKNOWN },
        { "kind", PARLEY_E_FILTER_VALUE_INVALID },
        { "kind:", PARLEY_E_FILTER_VALUE_INVALID },
        { "kind:agent_querry", PARLEY_E_FILTER_VALUE_INVALID },
        { "kind: agent_query", PARLEY_E_FILTER_VALUE_INVALID },
        { "kind:agent_*", PARLEY_E_FILTER_VALUE_INVALID },
        { "sender:alice", PARLEY_E_FILTER_VALUE_INVALID },
        { "sender:~org", PARLEY_E_FILTER_VALUE_INVALID },
        { "sender:~alice/*", PARLEY_E_FILTER_VALUE_INVALID },
        { "org:acme", PARLEY_E_FILTER_VALUE_INVALID },
        { "tool:", PARLEY_E_FILTER_VALUE_INVALID },
        { "content_type:", PARLEY_E_FILTER_VALUE_INVALID },
        { "kind:agent_query,sender:x", PARLEY_E_FILTER_VALUE_INVALID },
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (parse(rows[i].text) == 0) {
            fail_msg("\"%s\" is a filter", rows[i].text);
        }

        assert_int_equal(err.code, rows[i].code);
        assert_string_equal(err.field, "filter");
        assert_true(err.is_name);
        assert_int_equal(filter.nclauses, 0);
    }

    text[0] = '\0';

    for (i = 0; i < PARLEY_CHANNEL_FILTER_MAX; i++) {
        strcat(text, i ? ",tool:a" : "tool:a");
    }

    assert_int_equal(parse(text), 0);

    strcat(text, ",tool:a");
    assert_int_equal(parse(text), -1);
    assert_int_equal(err.code, PARLEY_E_FILTER_VALUE_INVALID);
}


static void
test_admits(void **state)
{
    parley_channel_facts_t  facts;

    (void) state;

    memset(&facts, 0, sizeof(facts));
    facts.values[PARLEY_CHANNEL_AXIS_KIND] = PARLEY_STR("agent_query");
    facts.values[PARLEY_CHANNEL_AXIS_SENDER] = PARLEY_STR("~alice");

    assert_int_equal(parse(""), 0);
    assert_true(parley_channel_filter_admits(&filter, &facts));

    assert_int_equal(parse("kind:agent_query,sender:~alice"), 0);
    assert_true(parley_channel_filter_admits(&filter, &facts));

    assert_int_equal(parse("kind:agent_query,sender:~bob"), 0);
    assert_false(parley_channel_filter_admits(&filter, &facts));

    /* no clause matches a missing member of a frame */

    assert_int_equal(parse("content_type:text/plain"), 0);
    assert_false(parley_channel_filter_admits(&filter, &facts));

    assert_int_equal(parse("org:~acme"), 0);
    assert_false(parley_channel_filter_admits(&filter, &facts));
}


static void
test_memory(void **state)
{
    parley_mem_t       mem;
    parley_arena_t     small;
    parley_test_mem_t  counter;

    (void) state;

    mem = parley_test_mem(&counter, 1);
    parley_arena_init(&small, &mem, 64);

    assert_int_equal(parley_channel_filter_parse(&small,
                                                 PARLEY_STR("tool:a"),
                                                 &filter, &err), -1);
    assert_int_equal(err.code, PARLEY_E_CAPACITY);
}


static const struct CMUnitTest  tests[] = {
    parley_test("ACH-22 clauses are read", test_read),
    parley_test("ACH-22 ACH-23 unknown axes and bad values are refused",
                test_refused),
    parley_test("ACH-22 every clause must hold", test_admits),
    parley_test("ACH-22 memory that ends refuses", test_memory),
};


int
main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, setup, teardown);
}
