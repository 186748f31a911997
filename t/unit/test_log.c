/* state/parley_log.h: logs */

#include "t/unit/parley_test_log.h"


static void
test_order(void **state)
{
    parley_place_t  one, two;

    (void) state;

    one = say(0, "one");
    two = say(0, "two");
    say(1, "else");
    say(0, "three");

    assert_int_not_equal(one.epoch, 0);
    assert_int_equal(one.epoch, two.epoch);
    assert_int_not_equal(one.epoch, say(1, "more").epoch);
    assert_int_equal(one.offset, 1);
    assert_int_equal(two.offset, 2);

    read_from(0, one.epoch, 0, 10, 1000, 0);
    assert_string_equal(reads(), "1:one 2:two 3:three");
    assert_int_equal(page.first, 1);
    assert_int_equal(page.last, 3);
    assert_int_equal(page.at, 3);
    assert_int_equal(page.behind, 0);
    assert_false(page.lost);

    read_from(0, one.epoch, 1, 10, 1000, 0);
    assert_string_equal(reads(), "2:two 3:three");

    read_from(0, one.epoch, 3, 10, 1000, 0);
    assert_string_equal(reads(), "");
    assert_int_equal(page.at, 3);
    assert_false(page.lost);

    read_from(2, one.epoch, 3, 10, 1000, 0);
    assert_int_equal(page.epoch, 0);
    assert_int_equal(page.n, 0);
}


static void
test_pieces(void **state)
{
    parley_place_t  one;

    (void) state;

    one = say(0, "one");
    say(0, "twoo");
    say(0, "three");

    read_from(0, one.epoch, 0, 2, 1000, 0);
    assert_string_equal(reads(), "1:one 2:twoo");
    assert_int_equal(page.at, 2);
    assert_int_equal(page.behind, 5);

    read_from(0, one.epoch, 0, 10, 7, 0);
    assert_string_equal(reads(), "1:one 2:twoo");

    read_from(0, one.epoch, 0, 10, 6, 0);
    assert_string_equal(reads(), "1:one");
    assert_int_equal(page.behind, 9);

    /* one record is read, regardless of its size */

    read_from(0, one.epoch, 2, 10, 1, 0);
    assert_string_equal(reads(), "3:three");
}


static void
test_backward(void **state)
{
    parley_place_t  one;

    (void) state;

    one = say(0, "one");
    say(0, "two");
    say(0, "three");

    read_from(0, 0, 0, 2, 1000, 1);
    assert_string_equal(reads(), "3:three 2:two");
    assert_int_equal(page.at, 2);

    read_from(0, one.epoch, page.at, 2, 1000, 1);
    assert_string_equal(reads(), "1:one");
    assert_int_equal(page.at, 1);

    read_from(0, one.epoch, page.at, 2, 1000, 1);
    assert_string_equal(reads(), "");
}


static void
test_gap(void **state)
{
    unsigned        i;
    parley_place_t  place;

    (void) state;

    retention.records = 3;

    for (i = 0; i < 10; i++) {
        place = say(0, "x");
    }

    read_from(0, place.epoch, 6, 10, 1000, 0);
    assert_true(page.lost);
    assert_int_equal(page.first, 8);
    assert_string_equal(reads(), "8:x 9:x 10:x");

    /* nothing was missed after the last removed record */

    read_from(0, place.epoch, 7, 10, 1000, 0);
    assert_false(page.lost);
    assert_string_equal(reads(), "8:x 9:x 10:x");

    read_from(0, place.epoch ^ 1, 9, 10, 1000, 0);
    assert_true(page.lost);
    assert_string_equal(reads(), "8:x 9:x 10:x");

    /* no client can have a place in the future */

    read_from(0, place.epoch, 11, 10, 1000, 0);
    assert_true(page.lost);

    assert_int_equal(entries(PARLEY_KIND_RECORD), 3);
    assert_int_equal(entries(PARLEY_KIND_PLACE), 3);
}


static void
test_octets(void **state)
{
    parley_place_t  place;

    (void) state;

    retention.octets = 10;

    say(0, "12345");
    say(0, "12345");
    place = say(0, "1");

    read_from(0, place.epoch, 0, 10, 1000, 0);
    assert_true(page.lost);
    assert_string_equal(reads(), "2:12345 3:1");

    /* the newest record is retained, regardless of its size */

    say(0, "123456789012345");

    read_from(0, place.epoch, 3, 10, 1000, 0);
    assert_false(page.lost);
    assert_string_equal(reads(), "4:123456789012345");
}


static void
test_time(void **state)
{
    parley_place_t  place;

    (void) state;

    retention.ms = 60000;

    place = say(0, "one");
    t.now += 40000;
    say(0, "two");
    t.now += 30000;

    read_from(0, place.epoch, 0, 10, 1000, 0);
    assert_true(page.lost);
    assert_int_equal(page.first, 2);
    assert_string_equal(reads(), "2:two");

    /* nothing is left, and nothing was missed */

    t.now += 40000;

    read_from(0, place.epoch, 2, 10, 1000, 0);
    assert_false(page.lost);
    assert_int_equal(page.first, 3);

    read_from(0, place.epoch, 1, 10, 1000, 0);
    assert_true(page.lost);
    assert_int_equal(page.first, 3);
    assert_int_equal(page.at, 2);
    assert_string_equal(reads(), "");

    /* the offsets continue */

    assert_int_equal(say(0, "three").offset, 3);
}


static void
test_shorter(void **state)
{
    parley_place_t  place;

    (void) state;

    place = say(0, "one");
    t.now += 40000;

    retention.ms = 30000;
    say(0, "two");

    read_from(0, place.epoch, 0, 10, 1000, 0);
    assert_true(page.lost);
    assert_string_equal(reads(), "2:two");
}


static void
test_epoch(void **state)
{
    parley_place_t  place, again;

    (void) state;

    retention.ms = 1000;

    place = say(0, "one");
    t.now += PARLEY_LOG_LEASE;

    read_from(0, place.epoch, 1, 10, 1000, 0);
    assert_int_equal(page.epoch, 0);

    again = say(0, "two");
    assert_int_equal(again.offset, 1);
    assert_int_not_equal(again.epoch, place.epoch);

    read_from(0, place.epoch, 1, 10, 1000, 0);
    assert_true(page.lost);
    assert_string_equal(reads(), "1:two");
}


static void
test_keep(void **state)
{
    parley_place_t  place;

    (void) state;

    retention.ms = 1000;

    place = say(0, "one");
    t.now += PARLEY_LOG_LEASE - 1;

    (void) t.s.state.ops->log->keep(&t.s.state, keys, 2, NULL);
    t.now += PARLEY_LOG_LEASE - 1;

    assert_int_equal(say(0, "two").epoch, place.epoch);
}


static void
test_ttl(void **state)
{
    parley_str_t     part;
    parley_place_t   place;
    parley_append_t  a;

    (void) state;

    place = say(0, "one");

    a = text(0, &part, "brief");
    a.ttl = 500;
    assert_int_equal(append(&a), PARLEY_APPEND_OK);

    a = text(0, &part, "none");
    a.ttl = 0;
    assert_int_equal(append(&a), PARLEY_APPEND_OK);

    a = text(0, &part, "long");
    a.ttl = PARLEY_FEED_LEAST + 1;
    assert_int_equal(append(&a), PARLEY_APPEND_OK);

    say(0, "last");

    /* a reader that was not connected gets records that have not expired */

    late = 1;
    read_from(0, place.epoch, 0, 10, 1000, 0);
    assert_string_equal(reads(), "1:one 2:brief 4:long 5:last");
    assert_int_equal(page.list[1].left, 500);

    t.now += 500;

    read_from(0, place.epoch, 0, 10, 1000, 0);
    assert_string_equal(reads(), "1:one 4:long 5:last");
    assert_false(page.lost);
    assert_int_equal(page.at, 5);

    /* a connected reader has one second more */

    late = 0;
    read_from(0, place.epoch, 0, 10, 1000, 0);
    assert_string_equal(reads(), "1:one 2:brief 3:none 4:long 5:last");
    assert_int_equal(page.list[1].left, PARLEY_FEED_LEAST - 500);
    assert_int_equal(page.list[3].left, PARLEY_FEED_LEAST - 499);

    t.now += PARLEY_FEED_LEAST - 500;

    read_from(0, place.epoch, 0, 10, 1000, 0);
    assert_string_equal(reads(), "1:one 4:long 5:last");
    assert_int_equal(page.list[1].left, 1);
}


static void
test_erase(void **state)
{
    parley_place_t  place;
    parley_erase_t  erase;

    (void) state;

    feed(&other, 0, 10, 1000);

    place = say(0, "one");
    say(0, "secret");
    say(0, "three");

    erase.log = keys[0];
    erase.epoch = place.epoch ^ 1;
    erase.offset = 2;
    (void) t.s.state.ops->log->erase(&t.s.state, &erase, NULL);

    read_from(0, place.epoch, 0, 10, 1000, 0);
    assert_string_equal(reads(), "1:one 2:secret 3:three");

    erase.epoch = place.epoch;
    (void) t.s.state.ops->log->erase(&t.s.state, &erase, NULL);

    read_from(0, place.epoch, 0, 10, 1000, 0);
    assert_string_equal(reads(), "1:one 3:three");
    assert_false(page.lost);

    feed(&other, fed.position, 10, 1000);
    assert_string_equal(feeds(), "one/1 three/1");
    assert_false(fed.behind);

    t.now += PARLEY_FEED_GRACE + 2000;
    assert_int_equal(entries(PARLEY_KIND_RECORD), 2);
}


static void
test_several(void **state)
{
    unsigned         i;
    parley_str_t     part;
    parley_append_t  a;

    (void) state;

    feed(&other, 0, 10, 1000);
    say(1, "before");

    a = text(0, &part, "all");
    a.nlogs = 3;
    assert_int_equal(append(&a), PARLEY_APPEND_OK);

    for (i = 0; i < 3; i++) {
        assert_memory_equal(appended.places[i].log, keys[i], PARLEY_KEY_LEN);
        assert_int_equal(appended.places[i].place.offset, i == 1 ? 2 : 1);

        read_from(i, appended.places[i].place.epoch,
                  appended.places[i].place.offset - 1, 10, 1000, 0);
        assert_string_equal(reads(), i == 1 ? "2:all" : "1:all");
    }

    assert_int_equal(entries(PARLEY_KIND_RECORD), 2);

    feed(&other, fed.position, 10, 1000);
    assert_string_equal(feeds(), "before/1 all/3");
    assert_memory_equal(fed.list[1].places[2].log, keys[2], PARLEY_KEY_LEN);

    /* it stays as long as one log has it */

    retention.records = 1;
    say(0, "next");
    say(1, "next");
    assert_int_equal(entries(PARLEY_KIND_RECORD), 3);

    read_from(2, appended.places[0].place.epoch, 0, 10, 1000, 0);
    assert_string_equal(reads(), "1:all");

    say(2, "next");
    assert_int_equal(entries(PARLEY_KIND_RECORD), 3);
    assert_int_equal(entries(PARLEY_KIND_PLACE), 3);
}


static void
test_closed(void **state)
{
    parley_str_t     part;
    parley_append_t  a;

    (void) state;

    feed(&other, 0, 10, 1000);

    a = text(0, &part, "end");
    a.closes = 1;
    assert_int_equal(append(&a), PARLEY_APPEND_OK);

    read_from(0, appended.places[0].place.epoch, 0, 10, 1000, 0);
    assert_true(page.closed);

    feed(&other, fed.position, 10, 1000);
    assert_true(fed.list[0].closes);

    /* one of several is enough */

    a = text(0, &part, "more");
    a.nlogs = 2;
    assert_int_equal(append(&a), PARLEY_APPEND_CLOSED);

    read_from(1, 1, 0, 10, 1000, 0);
    assert_int_equal(page.n, 0);
}


static void
test_room(void **state)
{
    char             long_text[4001];
    size_t           records;
    uint8_t          account[PARLEY_KEY_LEN];
    parley_str_t     part, who;
    parley_append_t  a;

    (void) state;

    who = PARLEY_STR("alice");
    parley_state_key(&t.s.state, PARLEY_KIND_ACCOUNT, &who, 1, account);

    memset(long_text, 'x', sizeof(long_text) - 1);
    long_text[sizeof(long_text) - 1] = '\0';

    a = text(0, &part, long_text);
    a.account = account;
    a.nlogs = 2;

    while (append(&a) == PARLEY_APPEND_OK) {
        /* void */
    }

    assert_int_equal(appended.verdict, PARLEY_APPEND_SHARE);
    records = entries(PARLEY_KIND_RECORD);
    assert_true(records > 5 && records < 20);

    /* refused records left nothing */

    assert_int_equal(entries(PARLEY_KIND_PLACE), 2 * records);

    a.account = NULL;

    while (append(&a) == PARLEY_APPEND_OK) {
        /* void */
    }

    assert_int_equal(appended.verdict, PARLEY_APPEND_FULL);
    records = entries(PARLEY_KIND_RECORD);
    assert_int_equal(entries(PARLEY_KIND_PLACE), 2 * records);

    read_from(0, 0, 0, 1, 10000, 1);
    assert_int_equal(page.last, records);

    t.now += DAY;
    say(0, "again");
    assert_int_equal(entries(PARLEY_KIND_RECORD), 1);
}


static void
test_many(void **state)
{
    unsigned        i, n;
    parley_place_t  place;

    (void) state;

    retention.ms = 100000;

    for (i = 0; i < 1000; i++) {
        retention.records = 1 + i % 97;
        t.now += 1000;
        place = say(0, "x");

        read_from(0, place.epoch, 0, 1000, 100000, 0);

        n = (unsigned) (page.last - page.first + 1);
        assert_int_equal(page.n, n);
        assert_true(n <= 100);
        assert_int_equal(page.list[0].offset, page.first);
        assert_int_equal(entries(PARLEY_KIND_RECORD), n);
    }
}


static const struct CMUnitTest  tests[] = {
    cmocka_unit_test_setup_teardown(test_order, begin, end),
    cmocka_unit_test_setup_teardown(test_pieces, begin, end),
    cmocka_unit_test_setup_teardown(test_backward, begin, end),
    cmocka_unit_test_setup_teardown(test_octets, begin, end),
    cmocka_unit_test_setup_teardown(test_time, begin, end),
    cmocka_unit_test_setup_teardown(test_shorter, begin, end),
    cmocka_unit_test_setup_teardown(test_epoch, begin, end),
    cmocka_unit_test_setup_teardown(test_keep, begin, end),
    cmocka_unit_test_setup_teardown(test_erase, begin, end),
    cmocka_unit_test_setup_teardown(test_several, begin, end),
    cmocka_unit_test_setup_teardown(test_closed, begin, end),
    cmocka_unit_test_setup_teardown(test_room, begin, end),
    cmocka_unit_test_setup_teardown(test_many, begin, end),
    { "HUB-02 what is not retained any more is said to be lost",
      test_gap, begin, end, NULL },
    { "ACH-26 what has ended is passed over, and for who was not there at once",
      test_ttl, begin, end, NULL },
};


PARLEY_TEST_MAIN(tests)
