/* gate/admission/parley_suspension.h, and its check by an admission */

#include "gate/party/parley_account.h"
#include "state/parley_ask.h"
#include "gate/admission/parley_suspended.h"
#include "gate/admission/parley_suspension.h"
#include "t/unit/parley_test_state.h"


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
put(const char *sub, parley_severity_t alarm, const char *id)
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


/*
 * VCP-26: a suspended principal cannot enter a message, except those that are
 * always allowed.
 */

static void
test_admission(void **state)
{
    parley_admitted_t   got;
    parley_admission_t  a;

    (void) state;

    put("alice", PARLEY_SEVERITY_EMERGENCY, "m1");

    assert_int_equal(admit("alice", 1, "a", &a, &got),
                     PARLEY_ADMIT_SUSPENDED);
    assert_int_equal(got.stamp, 0);
    assert_int_equal(admit("alice", 0, "b", &a, &got), PARLEY_ADMIT_OK);
    assert_int_equal(admit("bob", 1, "c", &a, &got), PARLEY_ADMIT_OK);

    /* it has priority over the id, and has no time limit */

    assert_int_equal(admit("alice", 1, "b", &a, &got),
                     PARLEY_ADMIT_SUSPENDED);

    t.now += (int64_t) 365 * 24 * 3600 * 1000;
    assert_int_equal(admit("alice", 1, "d", &a, &got),
                     PARLEY_ADMIT_SUSPENDED);
}


/*
 * Both suspensions of a principal are returned in their order; a new one
 * replaces the old one in its place.
 */

static void
test_get(void **state)
{
    parley_suspensions_t  there;

    (void) state;

    put("alice", PARLEY_SEVERITY_EMERGENCY, "m1");
    put("alice", PARLEY_SEVERITY_CRITICAL, "m2");
    put("alice", PARLEY_SEVERITY_EMERGENCY, "m3");
    put("bob", PARLEY_SEVERITY_EMERGENCY, "m4");

    assert_int_equal(parley_suspension_get(&ask, parley_str_c("alice"),
                                           &there), 0);
    assert_int_equal(there.n, 2);
    assert_int_equal(there.list[0].alarm, PARLEY_SEVERITY_EMERGENCY);
    assert_true(parley_str_is(there.list[0].id, "m3"));
    assert_true(parley_str_is(there.list[0].sub, "alice"));
    assert_int_equal(there.list[0].since_ms, 1764064800000);
    assert_int_equal(there.list[1].alarm, PARLEY_SEVERITY_CRITICAL);
    assert_true(parley_str_is(parley_suspension_name(&there.list[0]),
                              "suspended"));
    assert_true(parley_str_is(parley_suspension_name(&there.list[1]),
                              "paused"));

    assert_int_equal(parley_suspension_get(&ask, parley_str_c("carol"),
                                           &there), 0);
    assert_int_equal(there.n, 0);
}


/*
 * An accepted message ends the suspension that it read, but not a newer one.
 * A refused message ends none.
 */

static void
test_lifts(void **state)
{
    int                    kept;
    parley_admitted_t      got;
    parley_admission_t     a, other;
    parley_settlement_t    how;
    parley_suspensions_t   there;

    (void) state;

    put("alice", PARLEY_SEVERITY_EMERGENCY, "m1");
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

    put("alice", PARLEY_SEVERITY_EMERGENCY, "m2");

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


/* All of them are listed once, for any number, and nothing else. */

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
        put(sub, PARLEY_SEVERITY_EMERGENCY, "m");
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


static void
assert_held(uint64_t suspended, uint64_t paused)
{
    parley_state_stat_t  stat;

    assert_int_equal(t.s.state.ops->stat(&t.s.state, &stat, NULL),
                     PARLEY_STATE_DONE);
    assert_int_equal(stat.held[PARLEY_SEVERITY_EMERGENCY], suspended);
    assert_int_equal(stat.held[PARLEY_SEVERITY_CRITICAL], paused);
    assert_int_equal(stat.entries[PARLEY_KIND_SUSPENSION],
                     suspended + paused);
}


/*
 * OPS-02: each kind is counted, for any end of a suspension and any death of a
 * process.
 */

static void
test_counts(void **state)
{
    parley_suspensions_t  got;

    (void) state;

    assert_held(0, 0);

    put("alice", PARLEY_SEVERITY_EMERGENCY, "m1");
    put("alice", PARLEY_SEVERITY_EMERGENCY, "m2");
    put("alice", PARLEY_SEVERITY_CRITICAL, "m3");
    put("bob", PARLEY_SEVERITY_CRITICAL, "m4");
    assert_held(1, 2);

    t.s.sh->held[PARLEY_SEVERITY_EMERGENCY] = 77;
    t.s.sh->busy = 1;
    assert_held(1, 2);
    assert_int_equal(t.s.sh->repairs, 1);

    assert_int_equal(parley_suspension_get(&ask, parley_str_c("alice"), &got),
                     0);
    assert_int_equal(got.n, 2);
    assert_int_equal(parley_suspension_drop(&ask, &got.list[0]), 0);
    assert_int_equal(parley_suspension_drop(&ask, &got.list[1]), 0);
    assert_int_equal(parley_suspension_drop(&ask, &got.list[1]), 0);
    assert_held(0, 1);
}


/*
 * Returns the status with at most max suspensions, read in at most that many
 * short parts.
 */

static char *
told(size_t max, unsigned parts)
{
    char                *copy;
    size_t               at;
    unsigned             n;
    parley_buf_t         b;
    parley_str_t         text;
    parley_listed_t      listed;
    parley_listing_t     listing;
    parley_suspended_t   who;
    parley_state_stat_t  stat;

    assert_int_equal(parley_suspension_init(&who, &arena, max), 0);

    at = 0;

    for (n = 0; n < parts; n++) {
        listing.kind = PARLEY_KIND_SUSPENSION;
        listing.at = at;
        listing.arena = &arena;
        listing.brief = 1;

        assert_int_equal(t.s.state.ops->list(&t.s.state, &listing, &listed,
                                             NULL), PARLEY_STATE_DONE);

        if (!parley_suspension_add(&who, &t.s.state, &listed)) {
            break;
        }

        at = listed.at;
    }

    assert_int_equal(t.s.state.ops->stat(&t.s.state, &stat, NULL),
                     PARLEY_STATE_DONE);

    parley_buf_init(&b, &arena, 64);
    parley_suspension_tell_all(&who, &b, stat.held[PARLEY_SEVERITY_EMERGENCY]
                                         + stat.held[PARLEY_SEVERITY_CRITICAL]);
    assert_int_equal(parley_buf_done(&b, &text), 0);

    copy = strndup((const char *) text.data, text.len);
    assert_non_null(copy);

    return copy;
}


static void
assert_told(size_t max, unsigned parts, const char *want)
{
    char  *text;

    text = told(max, parts);
    assert_string_equal(text, want);
    free(text);
}


/*
 * OPS-01: the suspended principals, as many as requested, and the number of
 * the others.
 */

static void
test_told(void **state)
{
    int     i;
    char    sub[16], *text, *more;
    size_t  n;

    (void) state;

    assert_told(2, 100000, "{\"list\":[],\"more\":0}");

    put("bob", PARLEY_SEVERITY_EMERGENCY, "m2");
    put("alice", PARLEY_SEVERITY_CRITICAL, "m\"1");

    assert_told(2, 100000, "{\"list\":["
        "{\"sub\":\"alice\",\"state\":\"paused\","
        "\"since\":\"2025-11-25T10:00:00Z\",\"message_id\":\"m\\\"1\"},"
        "{\"sub\":\"bob\",\"state\":\"suspended\","
        "\"since\":\"2025-11-25T10:00:00Z\",\"message_id\":\"m2\"}],"
        "\"more\":0}");

    /* without waiting for it */

    assert_told(2, 0, "{\"list\":[],\"more\":2}");

    for (i = 0; i < 3000; i++) {
        (void) snprintf(sub, sizeof(sub), "p%d", i);
        put(sub, PARLEY_SEVERITY_EMERGENCY, "m");
    }

    text = told(10, 100000);
    n = 0;

    for (more = text; (more = strstr(more, "\"sub\"")) != NULL; more++) {
        n++;
    }

    assert_int_equal(n, 10);
    assert_non_null(strstr(text, "],\"more\":2992}"));
    free(text);
}


/* The octets are limited, and one more fits if it is shorter. */

static void
test_told_octets(void **state)
{
    char  *id, *text;

    (void) state;

    id = calloc(1, PARLEY_SUSPENDED_OCTETS + 1);
    assert_non_null(id);
    memset(id, 'x', PARLEY_SUSPENDED_OCTETS);

    put("alice", PARLEY_SEVERITY_EMERGENCY, id);
    assert_told(2, 100000, "{\"list\":[],\"more\":1}");

    id[PARLEY_SUSPENDED_OCTETS - 5] = '\0';
    put("alice", PARLEY_SEVERITY_EMERGENCY, id);
    text = told(2, 100000);
    assert_non_null(strstr(text, "],\"more\":0}"));
    assert_non_null(strstr(text, "alice"));

    free(text);
    free(id);
}


/* Other text is not read as a suspension. */

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
    test("VCP-26 OPS-02 those of each kind are counted", test_counts),
    test("VCP-26 OPS-01 as many are told as are asked for", test_told),
    test("VCP-26 OPS-01 no more octets than there may be", test_told_octets),
    test("VCP-26 what is none", test_read),
};

PARLEY_TEST_MAIN(tests)
