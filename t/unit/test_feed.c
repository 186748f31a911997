/* state/parley_log.h: records that processes are fed */

#include "t/unit/parley_test_log.h"


static void
test_feed(void **state)
{
    uint64_t  position;

    (void) state;

    say(0, "before");

    feed(&other, 0, 10, 1000);
    assert_int_equal(fed.n, 0);
    position = fed.position;

    say(0, "one");
    say(1, "two");
    say(0, "three");

    feed(&other, position, 2, 1000);
    assert_string_equal(feeds(), "one/1 two/1");
    assert_true(fed.more);

    feed(&other, fed.position, 2, 1000);
    assert_string_equal(feeds(), "three/1");
    assert_false(fed.more);
    assert_false(fed.behind);

    feed(&other, fed.position, 2, 1000);
    assert_int_equal(fed.n, 0);

    say(0, "12345");
    say(0, "12345");
    position = fed.position;

    feed(&other, position, 10, 9);
    assert_string_equal(feeds(), "12345/1");
    assert_true(fed.more);
}


static void
test_waits(void **state)
{
    unsigned  i;
    uint64_t  position;

    (void) state;

    feed(&t.s, 0, 10, 1000);
    feed(&other, 0, 10, 1000);
    position = fed.position;

    retention.records = 1;

    for (i = 0; i < 20; i++) {
        say(0, "x");
    }

    /* a record stays until both were fed, regardless of the retention */

    assert_int_equal(entries(PARLEY_KIND_RECORD), 20);
    assert_int_equal(entries(PARLEY_KIND_PLACE), 1);

    feed(&t.s, position, 100, 1000);
    assert_int_equal(fed.n, 20);
    assert_int_equal(entries(PARLEY_KIND_RECORD), 20);

    feed(&other, position, 100, 1000);
    assert_int_equal(fed.n, 20);
    assert_int_equal(entries(PARLEY_KIND_RECORD), 1);
}


static void
test_slow(void **state)
{
    unsigned  i;
    uint64_t  position;

    (void) state;

    feed(&other, 0, 10, 1000);
    position = fed.position;

    retention.records = 1;

    for (i = 0; i < 5; i++) {
        say(0, "x");
    }

    t.now += PARLEY_FEED_GRACE;

    /* a slower process does not delay the removal */

    say(0, "y");
    assert_int_equal(entries(PARLEY_KIND_RECORD), 1);

    feed(&other, position, 100, 1000);
    assert_true(fed.behind);
    assert_int_equal(fed.n, 0);

    say(0, "z");
    feed(&other, fed.position, 100, 1000);
    assert_false(fed.behind);
    assert_string_equal(feeds(), "z/1");
}


static void
test_gone(void **state)
{
    static const parley_process_t  three = { 3, 77 };

    parley_memory_t  third;

    (void) state;

    feed(&t.s, 0, 10, 1000);
    feed(&other, 0, 10, 1000);

    retention.records = 1;
    say(0, "x");
    say(0, "y");
    feed(&t.s, fed.position, 10, 1000);
    assert_int_equal(fed.n, 2);
    assert_int_equal(entries(PARLEY_KIND_RECORD), 2);

    /* a dead process is not waited for, nor is the one that takes its place */

    t.dead = 2;
    third = t.s;
    parley_memory_adopt(&third, t.mem);
    parley_memory_enter(&third, &three);

    say(0, "z");
    feed(&t.s, fed.position, 10, 1000);
    assert_int_equal(entries(PARLEY_KIND_RECORD), 1);
}


static void
test_tell(void **state)
{
    uint64_t         position;
    parley_str_t     part;
    parley_append_t  a;

    (void) state;

    feed(&other, 0, 10, 1000);
    position = fed.position;

    a = text(0, &part, "listen");
    a.nlogs = 0;
    assert_int_equal(append(&a), PARLEY_APPEND_OK);

    feed(&other, position, 10, 1000);
    assert_string_equal(feeds(), "listen/0");
    assert_int_equal(entries(PARLEY_KIND_RECORD), 0);
}


static const struct CMUnitTest  tests[] = {
    cmocka_unit_test_setup_teardown(test_feed, begin, end),
    cmocka_unit_test_setup_teardown(test_slow, begin, end),
    cmocka_unit_test_setup_teardown(test_gone, begin, end),
    cmocka_unit_test_setup_teardown(test_tell, begin, end),
    { "HUB-01 a record waits for every process that is fed",
      test_waits, begin, end, NULL },
};


PARLEY_TEST_MAIN(tests)
