/* state/parley_log.h: subscribers */

#include "t/unit/parley_test_state.h"

#include "state/parley_log.h"


#define SIZE   (256 * 1024)
#define LARGE  (4096 * 1024)        /* room for all selectors of an account */
#define T0    ((int64_t) 1000000)


static parley_test_state_t   t;
static parley_memory_t       other;         /* process 2 */
static parley_arena_t        arena;
static parley_appended_t     appended;
static parley_joined_t       joined;
static parley_roster_page_t  page;
static uint8_t               keys[8][PARLEY_KEY_LEN];
static unsigned              asks;          /* asks only, appends nothing */


static int
begin_of(size_t size)
{
    static const parley_process_t  two = { 2, 77 };

    unsigned      i;
    parley_str_t  part;

    parley_test_state_begin(&t, size, 250);
    parley_arena_init(&arena, &parley_mem_libc, 0);

    t.now = T0;
    asks = 0;

    other = t.s;
    parley_memory_adopt(&other, t.mem);
    parley_memory_enter(&other, &two);

    for (i = 0; i < 8; i++) {
        part = parley_str_make(&i, sizeof(i));
        parley_state_key(&t.s.state, PARLEY_KIND_LOG, &part, 1, keys[i]);
    }

    return 0;
}


static int
begin(void **state)
{
    (void) state;

    return begin_of(SIZE);
}


static int
begin_large(void **state)
{
    (void) state;

    return begin_of(LARGE);
}


static int
end(void **state)
{
    (void) state;

    parley_test_table_check(t.s.sh->table);
    parley_test_state_end(&t);
    parley_arena_reset(&arena);

    return 0;
}


static parley_join_verdict_t
join_of(parley_memory_t *s, const uint8_t *account, unsigned log,
    const char *selector, const char *session)
{
    parley_join_t  j;

    memset(&j, 0, sizeof(j));

    j.log = keys[log];
    j.account = account;
    j.selector = parley_str_c(selector);
    j.session = parley_str_c(session);
    j.card = PARLEY_STR("a card");

    assert_int_equal(s->state.ops->log->join(&s->state, &j, &joined, NULL),
                     PARLEY_STATE_DONE);
    return joined.verdict;
}


static parley_join_verdict_t
join(parley_memory_t *s, unsigned log, const char *selector,
    const char *session)
{
    return join_of(s, NULL, log, selector, session);
}


static uint64_t
joins(parley_memory_t *s, unsigned log, const char *selector,
    const char *session)
{
    assert_int_equal(join(s, log, selector, session), PARLEY_JOIN_OK);

    return joined.stamp;
}


static void
leave(parley_memory_t *s, unsigned log, const char *selector,
    const char *session, uint64_t stamp)
{
    parley_leave_t  l;

    l.log = keys[log];
    l.selector = parley_str_c(selector);
    l.session = parley_str_c(session);
    l.stamp = stamp;

    assert_int_equal(s->state.ops->log->leave(&s->state, &l, NULL),
                     PARLEY_STATE_DONE);
}


/*
 * Counts the subscribers that an append to n logs reaches by a selector, or by
 * one session.
 */

static unsigned
count(unsigned log, unsigned n, const char *selector, const char *session)
{
    size_t           i;
    unsigned         sum;
    parley_str_t     part;
    parley_append_t  a;

    memset(&a, 0, sizeof(a));

    part = PARLEY_STR("x");

    a.logs = &keys[log];
    a.nlogs = n;
    a.parts = &part;
    a.nparts = 1;
    a.retention.records = 1;
    a.retention.octets = 1;
    a.retention.ms = 1;
    a.session = parley_str_c(session);
    a.asks = asks;
    a.arena = &arena;

    (void) t.s.state.ops->log->append(&t.s.state, &a, &appended, NULL);
    assert_int_equal(appended.verdict, PARLEY_APPEND_OK);

    sum = 0;

    for (i = 0; i < appended.ngroups; i++) {
        assert_true(appended.groups[i].log < n);

        if (parley_str_eq(appended.groups[i].selector,
                          parley_str_c(selector)))
        {
            sum += appended.groups[i].count;
        }
    }

    return sum;
}


static unsigned
lists(unsigned log, size_t max, const char *session)
{
    int              i;
    unsigned         n;
    parley_roster_t  r;

    memset(&r, 0, sizeof(r));

    r.log = keys[log];
    r.max = max;
    r.arena = &arena;
    n = 0;

    do {
        (void) t.s.state.ops->log->roster(&t.s.state, &r, &page, NULL);
        assert_true(page.n >= 0);

        for (i = 0; i < page.n; i++) {
            parley_assert_str(page.list[i].card, "a card");

            n += *session == '\0'
                 || parley_str_eq(page.list[i].session,
                                  parley_str_c(session));
        }

        r.at = page.next;

    } while (r.at != 0);

    return n;
}


static size_t
entries(parley_kind_t kind)
{
    parley_state_room_t  stat;

    parley_memory_table(&t.s, &stat);

    return stat.entries[kind];
}


static void
test_count(void **state)
{
    uint64_t  a, b, c;

    (void) state;

    assert_int_equal(count(0, 1, "f", ""), 0);

    a = joins(&t.s, 0, "f", "one");
    b = joins(&t.s, 0, "f", "two");
    c = joins(&other, 0, "f", "three");
    joins(&other, 0, "", "four");
    joins(&other, 1, "f", "five");

    assert_int_equal(count(0, 1, "f", ""), 3);
    assert_int_equal(count(0, 1, "", ""), 1);
    assert_int_equal(count(0, 2, "f", ""), 4);
    assert_int_equal(count(2, 1, "f", ""), 0);
    assert_int_equal(entries(PARLEY_KIND_GROUP), 4);

    leave(&t.s, 0, "f", "one", a);
    assert_int_equal(count(0, 1, "f", ""), 2);

    leave(&other, 0, "f", "three", c);
    leave(&t.s, 0, "f", "two", b);
    assert_int_equal(count(0, 1, "f", ""), 0);
    assert_int_equal(count(0, 1, "", ""), 1);
    assert_int_equal(entries(PARLEY_KIND_GROUP), 2);
    assert_int_equal(entries(PARLEY_KIND_SESSION), 2);
}


static void
test_asks(void **state)
{
    parley_place_t  place;

    (void) state;

    joins(&t.s, 0, "f", "one");
    joins(&other, 0, "f", "two");
    place = joined.place;

    asks = 1;
    assert_int_equal(count(0, 1, "f", ""), 2);
    assert_int_equal(count(0, 1, "f", "one"), 1);
    assert_int_equal(count(1, 1, "f", ""), 0);
    assert_int_equal(appended.number, 0);
    assert_int_equal(entries(PARLEY_KIND_RECORD), 0);
    assert_int_equal(entries(PARLEY_KIND_PLACE), 0);
    assert_int_equal(entries(PARLEY_KIND_LOG), 1);

    asks = 0;
    assert_int_equal(count(0, 1, "f", ""), 2);
    assert_int_equal(appended.places[0].place.epoch, place.epoch);
    assert_int_equal(appended.places[0].place.offset, 1);
}


static void
test_place(void **state)
{
    parley_place_t  place;

    (void) state;

    joins(&t.s, 0, "", "one");
    place = joined.place;
    assert_int_not_equal(place.epoch, 0);
    assert_int_equal(place.offset, 0);

    assert_int_equal(count(0, 1, "", ""), 1);
    assert_int_equal(appended.places[0].place.epoch, place.epoch);

    joins(&t.s, 0, "", "two");
    assert_int_equal(joined.place.epoch, place.epoch);
    assert_int_equal(joined.place.offset, 1);
}


static void
test_session(void **state)
{
    (void) state;

    joins(&t.s, 0, "f", "one");
    joins(&t.s, 0, "f", "two");

    assert_int_equal(count(0, 1, "f", "one"), 1);
    assert_int_equal(count(0, 1, "f", "three"), 0);
}


static void
test_replaced(void **state)
{
    uint64_t  first, second;

    (void) state;

    first = joins(&t.s, 0, "f", "one");
    assert_false(joined.replaced);

    second = joins(&other, 0, "g", "one");
    assert_true(joined.replaced);
    assert_int_equal(lists(0, 100, "one"), 1);

    /* the first leaves, and the second's entry stays */

    leave(&t.s, 0, "f", "one", first);
    assert_int_equal(lists(0, 100, "one"), 1);
    assert_int_equal(count(0, 1, "g", "one"), 1);
    assert_int_equal(count(0, 1, "f", ""), 0);

    leave(&other, 0, "g", "one", second);
    assert_int_equal(lists(0, 100, "one"), 0);
}


static void
test_gone(void **state)
{
    static const parley_process_t  three = { 3, 77 };

    parley_memory_t  third;

    (void) state;

    joins(&t.s, 0, "f", "one");
    joins(&other, 0, "f", "two");
    joins(&other, 0, "f", "three");

    t.dead = 2;
    third = t.s;
    parley_memory_adopt(&third, t.mem);
    parley_memory_enter(&third, &three);

    assert_int_equal(count(0, 1, "f", ""), 1);
    assert_int_equal(count(0, 1, "f", "two"), 0);
    assert_int_equal(lists(0, 100, ""), 1);
    assert_int_equal(entries(PARLEY_KIND_GROUP), 1);
    assert_int_equal(entries(PARLEY_KIND_SESSION), 1);

    joins(&third, 0, "f", "two");
    assert_false(joined.replaced);
    assert_int_equal(count(0, 1, "f", ""), 2);
}


static void
test_many(void **state)
{
    char      name[16];
    unsigned  i, n;

    (void) state;

    n = 0;

    for (i = 0; i < 500; i++) {
        snprintf(name, sizeof(name), "s%u", i);
        joins(i % 2 ? &t.s : &other, 0, "f", name);
        n++;
    }

    assert_int_equal(count(0, 1, "f", ""), n);
    assert_int_equal(lists(0, 1, ""), n);
    assert_int_equal(lists(0, 100, ""), n);
    assert_int_equal(lists(0, 1000, "s77"), 1);
    assert_int_equal(entries(PARLEY_KIND_GROUP), 2);
}


static void
test_bounds(void **state)
{
    static char  text[PARLEY_SELECTOR_MAX + 2];

    char      name[16];
    unsigned  i;

    (void) state;

    memset(text, 'x', sizeof(text) - 1);
    assert_int_equal(join(&t.s, 0, text, "one"), PARLEY_JOIN_MANY);
    assert_int_equal(join(&t.s, 0, "", text), PARLEY_JOIN_MANY);
    assert_int_equal(entries(PARLEY_KIND_LOG), 0);

    for (i = 0; join(&t.s, 0, snprintf(name, sizeof(name), "f%u", i) > 0
                              ? name : "", name)
                == PARLEY_JOIN_OK; i++)
    {
        /* void */
    }

    assert_int_equal(joined.verdict, i == PARLEY_SELECTORS_MAX
                                     ? PARLEY_JOIN_MANY : PARLEY_JOIN_FULL);
    assert_int_equal(entries(PARLEY_KIND_SESSION), i);
    assert_int_equal(entries(PARLEY_KIND_GROUP), i);
}


/* A reader of another's log does not keep the owner out of it. */

static void
test_accounts(void **state)
{
    char            name[16];
    unsigned        i;
    const uint8_t  *owner = keys[6], *reader = keys[7];

    (void) state;

    for (i = 0; i < PARLEY_SELECTORS_MAX; i++) {
        snprintf(name, sizeof(name), "f%u", i);
        assert_int_equal(join_of(&t.s, reader, 0, name, name),
                         PARLEY_JOIN_OK);
    }

    assert_int_equal(join_of(&t.s, reader, 0, "more", "more"),
                     PARLEY_JOIN_MANY);
    assert_int_equal(join_of(&t.s, reader, 0, "f1", "more"), PARLEY_JOIN_OK);
    assert_int_equal(join_of(&t.s, owner, 0, "more", "own"), PARLEY_JOIN_OK);
    assert_int_equal(join(&t.s, 0, "other", "nobody"), PARLEY_JOIN_OK);
    assert_int_equal(join_of(&t.s, reader, 1, "more", "more"),
                     PARLEY_JOIN_OK);
}


/*
 * The octets that an append reads under the lock, for any number of processes.
 */

static void
test_octets(void **state)
{
    char             text[PARLEY_SELECTOR_MAX + 1], name[16];
    size_t           i, n, octets;
    uint64_t         stamp;
    const uint8_t   *tenant = keys[6], *friend = keys[7];

    (void) state;

    memset(text, 'x', sizeof(text) - 1);
    text[1000] = '\0';

    n = PARLEY_SELECTORS_OCTETS / 1000;
    stamp = 0;

    for (i = 0; i < n; i++) {
        snprintf(name, sizeof(name), "f%03u", (unsigned) i);
        memcpy(text, name, 4);

        assert_int_equal(join_of(i % 2 ? &t.s : &other, tenant, 0, text, name),
                         PARLEY_JOIN_OK);
        stamp = joined.stamp;
    }

    memcpy(text, "more", 4);
    assert_int_equal(join_of(&t.s, tenant, 0, text, "more"), PARLEY_JOIN_MANY);
    assert_int_equal(join_of(&other, tenant, 0, text, "more"),
                     PARLEY_JOIN_MANY);

    octets = 0;
    assert_int_equal(count(0, 1, text, ""), 0);

    for (i = 0; i < appended.ngroups; i++) {
        octets += appended.groups[i].selector.len;
    }

    assert_int_equal(octets, n * 1000);

    /* a selector that exists costs nothing; others are not kept out */

    memcpy(text, "f001", 4);
    assert_int_equal(join_of(&t.s, tenant, 0, text, "same"), PARLEY_JOIN_OK);

    memcpy(text, "more", 4);
    assert_int_equal(join_of(&t.s, tenant, 1, text, "more"), PARLEY_JOIN_OK);
    assert_int_equal(join_of(&t.s, friend, 0, text, "other"), PARLEY_JOIN_OK);

    memcpy(text, name, 4);
    leave((n - 1) % 2 ? &t.s : &other, 0, text, name, stamp);

    memcpy(text, "less", 4);
    assert_int_equal(join_of(&other, tenant, 0, text, "less"), PARLEY_JOIN_OK);
}


static const struct CMUnitTest  tests[] = {
    cmocka_unit_test_setup_teardown(test_place, begin, end),
    cmocka_unit_test_setup_teardown(test_session, begin, end),
    cmocka_unit_test_setup_teardown(test_replaced, begin, end),
    cmocka_unit_test_setup_teardown(test_gone, begin, end),
    cmocka_unit_test_setup_teardown(test_many, begin, end),
    cmocka_unit_test_setup_teardown(test_bounds, begin, end),
    { "SEC-09 selectors are counted to who listens", test_accounts, begin_large,
      end, NULL },
    { "SEC-09 the octets of selectors are bounded, in all processes",
      test_octets, begin_large, end, NULL },
    { "ACH-19 an append counts those who are subscribed, by their selectors",
      test_count, begin, end, NULL },
    { "one that only asks counts them, and appends nothing", test_asks, begin,
      end, NULL },
};


PARLEY_TEST_MAIN(tests)
