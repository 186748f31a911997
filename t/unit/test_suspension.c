/* gate/parley_suspension.h, and what an admission asks of it */

#include "parley_account.h"
#include "parley_ask.h"
#include "parley_suspension.h"
#include "parley_test_state.h"


#define SIZE  (1024 * 1024)
#define T0    ((int64_t) 1000000)


static parley_test_state_t  t;
static parley_arena_t       arena;
static parley_ask_t         ask;


static void
resume(parley_ask_t *q)
{
    (void) q;
}


static int
begin(void **state)
{
    (void) state;

    parley_test_state_begin(&t, SIZE, 250);
    t.now = T0;

    parley_arena_init(&arena, &parley_mem_libc, 4096);
    parley_ask_init(&ask, &t.s.state, &arena);
    ask.resume = resume;
    parley_ask_begin(&ask, T0);

    return 0;
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


static void
put(const char *sub, parley_alarm_t alarm, const char *id)
{
    parley_put_result_t  got;
    parley_suspension_t  s;

    memset(&s, 0, sizeof(s));

    s.alarm = alarm;
    s.since_ms = 1764064800000;
    s.sub = parley_str_c(sub);
    s.id = parley_str_c(id);

    assert_int_equal(parley_suspension_put(&ask, &s, &got), 0);
    assert_int_equal(got, PARLEY_PUT_OK);
}


static parley_admit_t
admit(const char *sub, int suspends, const char *id, parley_admission_t *ret,
    parley_admitted_t *got)
{
    static uint8_t  account[PARLEY_KEY_LEN], key[PARLEY_KEY_LEN];

    parley_str_t    part;

    parley_account_key(&t.s.state, parley_str_c(sub), parley_str_none,
                       account);
    part = parley_str_c(id);
    parley_state_key(&t.s.state, PARLEY_KIND_ID, &part, 1, key);

    memset(ret, 0, sizeof(*ret));

    ret->account = account;
    ret->id = key;
    ret->print = (const uint8_t *) "print...";
    ret->ttl = 600000;
    ret->suspends = suspends != 0;

    assert_int_equal(parley_ask_admit(&ask, ret, got), 0);

    return got->verdict;
}


/* VCP-26: whoever is suspended enters nothing but what is asked for freely */

static void
test_admission(void **state)
{
    parley_admitted_t   got;
    parley_admission_t  a;

    (void) state;

    put("alice", PARLEY_ALARM_EMERGENCY, "m1");

    assert_int_equal(admit("alice", 1, "a", &a, &got),
                     PARLEY_ADMIT_SUSPENDED);
    assert_int_equal(got.stamp, 0);
    assert_int_equal(admit("alice", 0, "b", &a, &got), PARLEY_ADMIT_OK);
    assert_int_equal(admit("bob", 1, "c", &a, &got), PARLEY_ADMIT_OK);

    /* it comes before its id is looked at, and lasts */

    assert_int_equal(admit("alice", 1, "b", &a, &got),
                     PARLEY_ADMIT_SUSPENDED);

    t.now += (int64_t) 365 * 24 * 3600 * 1000;
    assert_int_equal(admit("alice", 1, "d", &a, &got),
                     PARLEY_ADMIT_SUSPENDED);
}


/* both of one principal are told, as they were put, the newest in place */

static void
test_get(void **state)
{
    parley_suspensions_t  there;

    (void) state;

    put("alice", PARLEY_ALARM_EMERGENCY, "m1");
    put("alice", PARLEY_ALARM_CRITICAL, "m2");
    put("alice", PARLEY_ALARM_EMERGENCY, "m3");
    put("bob", PARLEY_ALARM_EMERGENCY, "m4");

    assert_int_equal(parley_suspension_get(&ask, parley_str_c("alice"),
                                           &there), 0);
    assert_int_equal(there.n, 2);
    assert_int_equal(there.list[0].alarm, PARLEY_ALARM_EMERGENCY);
    assert_true(parley_str_is(there.list[0].id, "m3"));
    assert_true(parley_str_is(there.list[0].sub, "alice"));
    assert_int_equal(there.list[0].since_ms, 1764064800000);
    assert_int_equal(there.list[1].alarm, PARLEY_ALARM_CRITICAL);
    assert_true(parley_str_is(parley_suspension_name(&there.list[0]),
                              "suspended"));
    assert_true(parley_str_is(parley_suspension_name(&there.list[1]),
                              "paused"));

    assert_int_equal(parley_suspension_get(&ask, parley_str_c("carol"),
                                           &there), 0);
    assert_int_equal(there.n, 0);
}


/* a message ends what it saw, and nothing that came in its place, and only
   where it is taken */

static void
test_lifts(void **state)
{
    int                    kept;
    parley_admitted_t      got;
    parley_admission_t     a, other;
    parley_settlement_t    how;
    parley_suspensions_t   there;

    (void) state;

    put("alice", PARLEY_ALARM_EMERGENCY, "m1");
    assert_int_equal(parley_suspension_get(&ask, parley_str_c("alice"),
                                           &there), 0);
    assert_int_equal(there.n, 1);

    assert_int_equal(admit("lead", 1, "x", &a, &got), PARLEY_ADMIT_OK);

    memset(&how, 0, sizeof(how));
    how.stamp = got.stamp;
    how.lifts = &there.list[0].lift;
    how.nlifts = 1;

    assert_int_equal(parley_ask_settle(&ask, &a, &how, &kept), 0);
    assert_int_equal(admit("alice", 1, "a", &other, &got),
                     PARLEY_ADMIT_SUSPENDED);

    put("alice", PARLEY_ALARM_EMERGENCY, "m2");

    assert_int_equal(admit("lead", 1, "x", &a, &got), PARLEY_ADMIT_OK);
    how.stamp = got.stamp;
    how.taken = 1;

    assert_int_equal(parley_ask_settle(&ask, &a, &how, &kept), 0);
    assert_int_equal(admit("alice", 1, "a", &other, &got),
                     PARLEY_ADMIT_SUSPENDED);

    assert_int_equal(parley_suspension_get(&ask, parley_str_c("alice"),
                                           &there), 0);
    assert_int_equal(there.n, 1);

    assert_int_equal(admit("lead", 1, "y", &a, &got), PARLEY_ADMIT_OK);
    how.stamp = got.stamp;
    how.lifts = &there.list[0].lift;

    assert_int_equal(parley_ask_settle(&ask, &a, &how, &kept), 0);
    assert_int_equal(admit("alice", 1, "a", &other, &got), PARLEY_ADMIT_OK);
}


/* all of them are listed once, however many there are, and nothing else is */

static void
test_list(void **state)
{
    int                  i;
    char                 sub[16];
    size_t               n, parts;
    uint8_t              seen[300];
    parley_listed_t      listed;
    parley_admitted_t    got;
    parley_admission_t   a;
    parley_suspension_t  s;

    (void) state;

    memset(seen, 0, sizeof(seen));

    for (i = 0; i < 300; i++) {
        (void) snprintf(sub, sizeof(sub), "p%d", i);
        put(sub, PARLEY_ALARM_EMERGENCY, "m");
        assert_int_equal(admit("lead", 1, sub, &a, &got), PARLEY_ADMIT_OK);
    }

    n = 0;
    parts = 0;
    listed.at = 0;

    do {
        assert_int_equal(parley_ask_list(&ask, PARLEY_KIND_SUSPENSION,
                                         listed.at, &listed), 0);
        parts++;

        for (i = 0; i < listed.records.n; i++) {
            assert_int_equal(parley_suspension_read(&t.s.state,
                                                    &listed.records.list[i],
                                                    &s), 0);
            assert_true(s.sub.len > 1 && s.sub.data[0] == 'p');

            (void) snprintf(sub, sizeof(sub), "%.*s", (int) s.sub.len - 1,
                            (const char *) s.sub.data + 1);
            seen[atoi(sub)]++;
            n++;

            assert_int_equal(parley_suspension_drop(&ask, &s), 0);
        }

    } while (listed.at != 0);

    assert_int_equal(n, 300);
    assert_true(parts > 1);

    for (i = 0; i < 300; i++) {
        assert_int_equal(seen[i], 1);
    }

    listed.at = 0;
    assert_int_equal(parley_ask_list(&ask, PARLEY_KIND_SUSPENSION, 0,
                                     &listed), 0);
    assert_int_equal(listed.records.n, 0);
    assert_int_equal(listed.at, 0);
}


/* what is no suspension is none */

static void
test_read(void **state)
{
    parley_record_t      record;
    parley_suspension_t  s;

    static const uint8_t  octets[16] = { 1, 2, 3, 4, 5, 6, 7, 8,
                                         4, 0, 0, 0, 9, 0, 0, 0 };

    (void) state;

    memset(&record, 0, sizeof(record));

    record.value = parley_str_make(octets, 15);
    assert_int_equal(parley_suspension_read(&t.s.state, &record, &s), -1);

    record.value = parley_str_make(octets, 16);
    assert_int_equal(parley_suspension_read(&t.s.state, &record, &s), -1);
}


#define test(name, f)  { (name), (f), begin, end, NULL }

static const struct CMUnitTest  tests[] = {
    test("VCP-26 who is suspended enters nothing", test_admission),
    test("VCP-26 VCP-28 what is there of one principal", test_get),
    test("VCP-26 what ends with a message that is taken", test_lifts),
    test("VCP-26 all are listed", test_list),
    test("VCP-26 what is none", test_read),
};

PARLEY_TEST_MAIN(tests)
