/* state/memory/parley_memory_append.c: appends that settle an admission */

#include "t/unit/parley_test_log.h"


static parley_admission_t   a;
static parley_settlement_t  how;
static parley_record_id_t   question;
static uint8_t              id[PARLEY_KEY_LEN];


static parley_admit_t
admit(void)
{
    parley_admitted_t  got;

    (void) t.s.state.ops->admit(&t.s.state, &a, &got, NULL);

    if (got.verdict == PARLEY_ADMIT_OK) {
        how.stamp = got.stamp;
    }

    return got.verdict;
}


static int
put(const parley_record_id_t *record, uint64_t stamp)
{
    parley_put_t         p;
    parley_str_t         value;
    parley_put_result_t  got;

    memset(&p, 0, sizeof(p));

    value = PARLEY_STR("value");
    p.id = *record;
    p.queue = PARLEY_EVICTABLE_NONE;
    p.parts = &value;
    p.nparts = 1;
    p.ttl = DAY;
    p.under = stamp != 0 ? id : NULL;
    p.stamp = stamp;

    (void) t.s.state.ops->put(&t.s.state, &p, &got, NULL);

    return got == PARLEY_PUT_OK;
}


/* Returns 1 if the record exists, 0 if not, -1 if it is closed. */

static int
there(const parley_record_id_t *record)
{
    static parley_records_t  got;

    parley_lookup_t  l;

    memset(&l, 0, sizeof(l));

    l.kind = record->kind;
    memcpy(l.key, record->key, PARLEY_KEY_LEN);
    l.arena = &arena;

    (void) t.s.state.ops->get(&t.s.state, &l, &got, NULL);

    return got.n == 0 ? 0 : got.list[0].closed ? -1 : 1;
}


static int
gives_back(void)
{
    int                        rc;
    parley_settlement_t        back;
    const parley_record_id_t  *drop;

    drop = how.closes[0];

    memset(&back, 0, sizeof(back));
    back.stamp = how.stamp;
    back.drops[0] = drop;

    (void) t.s.state.ops->settle(&t.s.state, &a, &back, &rc, NULL);

    return rc;
}


/*
 * Makes a message that lives for a minute, with an id that is known for a day.
 */

static parley_append_t
message(parley_str_t *part)
{
    parley_append_t  append;

    memset(&a, 0, sizeof(a));
    memset(&how, 0, sizeof(how));
    memset(&question, 0, sizeof(question));

    memcpy(id, keys[7], PARLEY_KEY_LEN);

    a.id = id;
    a.print = id;
    a.slot = keys[6];
    a.account = keys[5];
    a.ttl = DAY;
    a.slot_ttl = DAY;
    a.nquotas = 1;
    memcpy(a.quotas[0].key, keys[4], PARLEY_KEY_LEN);
    a.quotas[0].rate.interval_us = 60 * 1000000;
    a.quotas[0].rate.burst = 0;

    question.kind = PARLEY_KIND_QUESTION;
    memcpy(question.key, keys[3], PARLEY_KEY_LEN);

    how.taken = 1;
    how.closes[0] = &question;

    append = text(0, part, "hello");
    append.takes = &a;
    append.how = &how;

    return append;
}


static void
test_taken(void **state)
{
    parley_str_t        part;
    parley_append_t     m;
    parley_record_id_t  kept;

    (void) state;

    m = message(&part);

    assert_true(put(&question, 0));
    assert_int_equal(admit(), PARLEY_ADMIT_OK);

    memset(&kept, 0, sizeof(kept));
    kept.kind = PARLEY_KIND_MESSAGE;
    memcpy(kept.key, keys[2], PARLEY_KEY_LEN);

    assert_true(put(&kept, how.stamp));
    assert_int_equal(append(&m), PARLEY_APPEND_OK);

    assert_int_equal(admit(), PARLEY_ADMIT_DUPLICATE);
    assert_int_equal(there(&question), -1);

    /* its gateway, which got no answer, gives the admission back */

    how.closes[0] = &kept;
    assert_int_equal(gives_back(), 0);

    assert_int_equal(admit(), PARLEY_ADMIT_DUPLICATE);
    assert_int_equal(there(&kept), 1);

    /* the slot and the rate stay used */

    a.id = NULL;
    assert_int_equal(admit(), PARLEY_ADMIT_ANSWERED);
    a.slot = NULL;
    assert_int_equal(admit(), PARLEY_ADMIT_LIMITED);

    read_from(0, 0, 0, 10, 100, 1);
    assert_string_equal(reads(), "1:hello");
}


static void
test_given_back(void **state)
{
    parley_str_t     part;
    parley_append_t  m;

    (void) state;

    m = message(&part);

    assert_int_equal(admit(), PARLEY_ADMIT_OK);
    assert_int_equal(gives_back(), 0);
    assert_int_equal(append(&m), PARLEY_APPEND_STALE);

    /* another attempt has the id: its admission does not fit */

    assert_int_equal(admit(), PARLEY_ADMIT_OK);
    how.stamp--;
    assert_int_equal(append(&m), PARLEY_APPEND_STALE);
    how.stamp++;
    assert_int_equal(append(&m), PARLEY_APPEND_OK);

    /*
     * it was already taken with that admission: nothing is appended a second
     * time
     */

    assert_int_equal(append(&m), PARLEY_APPEND_STALE);

    read_from(0, 0, 0, 10, 100, 1);
    assert_string_equal(reads(), "1:hello");
}


static void
test_late(void **state)
{
    int                  rc;
    parley_str_t         part;
    parley_append_t      m;
    parley_admission_t   none;
    parley_settlement_t  other_answer;

    (void) state;

    m = message(&part);

    assert_true(put(&question, 0));
    assert_int_equal(admit(), PARLEY_ADMIT_OK);

    memset(&none, 0, sizeof(none));
    memset(&other_answer, 0, sizeof(other_answer));
    other_answer.taken = 1;
    other_answer.closes[0] = &question;

    (void) t.s.state.ops->settle(&t.s.state, &none, &other_answer, &rc, NULL);
    assert_int_equal(rc, 0);

    assert_int_equal(append(&m), PARLEY_APPEND_LATE);
    assert_int_equal(entries(PARLEY_KIND_RECORD), 0);

    /* a message that is not appended is not taken */

    assert_int_equal(admit(), PARLEY_ADMIT_IN_FLIGHT);
    how.closes[0] = NULL;
    assert_int_equal(gives_back(), 0);
    assert_int_equal(admit(), PARLEY_ADMIT_OK);
}


static void
test_full(void **state)
{
    char            *big;
    parley_str_t     part;
    parley_append_t  m;

    (void) state;

    m = message(&part);
    how.closes[0] = NULL;

    big = calloc(1, SIZE);
    assert_non_null(big);
    part = parley_str_make(big, SIZE);

    assert_int_equal(admit(), PARLEY_ADMIT_OK);
    assert_int_not_equal(append(&m), PARLEY_APPEND_OK);
    assert_int_equal(admit(), PARLEY_ADMIT_IN_FLIGHT);

    /* it may come again, shorter */

    part = PARLEY_STR("short");
    assert_int_equal(append(&m), PARLEY_APPEND_OK);
    assert_int_equal(admit(), PARLEY_ADMIT_DUPLICATE);

    free(big);
}


static const struct CMUnitTest  tests[] = {
    { "HUB-10 an append takes its admission, for good", test_taken, begin, end,
      NULL },
    { "HUB-10 a message that was given back is not appended",
      test_given_back, begin, end, NULL },
    { "SEC-08 a second answer is not appended", test_late, begin, end, NULL },
    { "HUB-10 a message that finds no room is not taken", test_full, begin,
      end, NULL },
};


PARLEY_TEST_MAIN(tests)
