/* state/parley_state.h: records */

#include "t/unit/parley_test_state.h"


#define SIZE  (64 * 1024)
#define T0    ((int64_t) 1000000)


static parley_test_state_t  t;
static parley_arena_t       arena;
static parley_records_t     records;
static parley_record_t     *got = records.list;


static int
begin(void **state)
{
    unsigned  i;

    (void) state;

    parley_test_state_begin(&t, SIZE, 250);
    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < PARLEY_EVICTABLE_COUNT; i++) {
        parley_memory_bound(&t.s, (parley_evictable_t) i, SIZE / 4, 0);
    }

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


static parley_record_id_t
id(const char *owner, const char *name)
{
    parley_str_t        part;
    parley_record_id_t  ret;

    part = parley_str_c(name);

    ret.kind = PARLEY_KIND_MESSAGE;
    parley_state_key(&t.s.state, ret.kind, &part, 1, ret.key);
    part = parley_str_c(owner);
    ret.tag = parley_state_tag(&t.s.state, &part, 1, NULL, 0);

    return ret;
}


static parley_put_result_t
put(const char *owner, const char *name, const char *value,
    parley_evictable_t queue, uint32_t replaces)
{
    uint8_t              account[PARLEY_KEY_LEN];
    parley_put_t         p;
    parley_str_t         part, parts[2];
    parley_put_result_t  rc;

    part = parley_str_c(owner);
    parley_state_key(&t.s.state, PARLEY_KIND_ACCOUNT, &part, 1, account);

    parts[0] = PARLEY_STR("v:");
    parts[1] = parley_str_c(value);

    memset(&p, 0, sizeof(p));
    p.id = id(owner, name);
    p.queue = queue;
    p.account = account;
    p.parts = parts;
    p.nparts = 2;
    p.ttl = 1000;
    t.now = T0;
    p.replaces = replaces;

    (void) parley_memory_ops.put(&t.s.state, &p, &rc, NULL);

    return rc;
}


static int
get(const char *name, int64_t now)
{
    parley_lookup_t  l;

    l.mask = 0;
    l.kind = PARLEY_KIND_MESSAGE;
    memcpy(l.key, id("", name).key, PARLEY_KEY_LEN);
    l.arena = &arena;

    t.now = now;
    (void) parley_memory_ops.get(&t.s.state, &l, &records, NULL);

    return records.n;
}


static void
test_life(void **state)
{
    parley_record_id_t  r;

    (void) state;

    assert_int_equal(get("x", T0), 0);
    assert_int_equal(put("alice", "x", "one", PARLEY_EVICTABLE_NONE, 0),
                     PARLEY_PUT_OK);
    assert_int_equal(get("x", T0 + 999), 1);
    parley_assert_str(got[0].value, "v:one");
    assert_int_equal(got[0].left, 1);
    assert_int_equal(got[0].queue, PARLEY_EVICTABLE_NONE);
    assert_int_equal(get("x", T0 + 1000), 0);

    assert_int_equal(put("alice", "x", "two", PARLEY_EVICTABLE_MESSAGE, 0),
                     PARLEY_PUT_OK);
    assert_int_equal(get("x", T0), 1);
    parley_assert_str(got[0].value, "v:two");
    assert_int_equal(got[0].queue, PARLEY_EVICTABLE_MESSAGE);

    r = id("bob", "x");
    (void) parley_memory_ops.drop(&t.s.state, &r, 0, NULL);
    assert_int_equal(get("x", T0), 1);

    r = id("alice", "x");
    (void) parley_memory_ops.drop(&t.s.state, &r, 0, NULL);
    assert_int_equal(get("x", T0), 0);
    assert_int_equal(t.s.sh->table->used, 0);
}


/* SEC-11: the record of one owner does not hide another's. */

static void
test_owners(void **state)
{
    (void) state;

    assert_int_equal(put("mallory", "order-000001", "hers",
                         PARLEY_EVICTABLE_MESSAGE, 0), PARLEY_PUT_OK);
    assert_int_equal(put("alice", "order-000001", "mine",
                         PARLEY_EVICTABLE_MESSAGE, 0), PARLEY_PUT_OK);

    assert_int_equal(get("order-000001", T0), 2);
    parley_assert_str(got[0].value, "v:mine");
    parley_assert_str(got[1].value, "v:hers");
    assert_true(got[0].tag != got[1].tag);

    assert_int_equal(put("mallory", "order-000001", "new",
                         PARLEY_EVICTABLE_MESSAGE, 0), PARLEY_PUT_OK);
    assert_int_equal(get("order-000001", T0), 2);
    parley_assert_str(got[0].value, "v:new");
    parley_assert_str(got[1].value, "v:mine");
}


static void
test_many_owners(void **state)
{
    unsigned  i;
    char      name[16];

    (void) state;

    for (i = 0; i < 3 * PARLEY_RECORDS_MAX; i++) {
        (void) snprintf(name, sizeof(name), "m%u", i);
        assert_int_equal(put(name, "x", "v", PARLEY_EVICTABLE_MESSAGE, 0),
                         PARLEY_PUT_OK);
    }

    assert_int_equal(get("x", T0), PARLEY_RECORDS_MAX);
}


static void
test_one_owner(void **state)
{
    unsigned            i;
    parley_put_t        p;
    parley_put_result_t rc;

    (void) state;

    assert_int_equal(put("alice", "x", "hers", PARLEY_EVICTABLE_NONE, 0),
                     PARLEY_PUT_OK);

    for (i = 0; i < 2 * PARLEY_RECORDS_MAX; i++) {
        memset(&p, 0, sizeof(p));
        p.id = id("mallory", "x");
        p.id.tag ^= i & PARLEY_TAG_WHICH;
        p.queue = PARLEY_EVICTABLE_NONE;
        p.ttl = 1000;
        t.now = T0;

        (void) parley_memory_ops.put(&t.s.state, &p, &rc, NULL);
        assert_int_equal(rc, i < PARLEY_RECORDS_OWNED ? PARLEY_PUT_OK
                                                      : PARLEY_PUT_SHARE);
    }

    assert_int_equal(get("x", T0), PARLEY_RECORDS_OWNED + 1);
    parley_assert_str(got[PARLEY_RECORDS_OWNED].value, "v:hers");

    /* an existing record may be put again */

    p.id.tag ^= i - 1;
    (void) parley_memory_ops.put(&t.s.state, &p, &rc, NULL);
    assert_int_equal(rc, PARLEY_PUT_OK);

    /* expired records are not counted */

    t.now = T0 + 1000;
    p.id.tag ^= PARLEY_RECORDS_OWNED;
    (void) parley_memory_ops.put(&t.s.state, &p, &rc, NULL);
    assert_int_equal(rc, PARLEY_PUT_OK);
}


static void
test_one_owner_loose(void **state)
{
    unsigned            i;
    parley_put_t        p;
    parley_put_result_t rc;

    (void) state;

    for (i = 0; i < 2 * PARLEY_RECORDS_MAX; i++) {
        memset(&p, 0, sizeof(p));
        p.id = id("mallory", "x");
        p.id.tag ^= i & PARLEY_TAG_WHICH;
        p.queue = i == 0 ? PARLEY_EVICTABLE_NONE : PARLEY_EVICTABLE_MESSAGE;
        p.ttl = 1000;
        t.now = T0;

        (void) parley_memory_ops.put(&t.s.state, &p, &rc, NULL);
        assert_int_equal(rc, PARLEY_PUT_OK);
    }

    assert_int_equal(get("x", T0), PARLEY_RECORDS_OWNED);
    assert_int_equal(got[PARLEY_RECORDS_OWNED - 1].queue,
                     PARLEY_EVICTABLE_NONE);
}


static void
test_generation(void **state)
{
    uint32_t  first;

    (void) state;

    assert_int_equal(put("alice", "x", "one", PARLEY_EVICTABLE_MESSAGE, 5),
                     PARLEY_PUT_STALE);
    assert_int_equal(put("alice", "x", "one", PARLEY_EVICTABLE_MESSAGE, 0),
                     PARLEY_PUT_OK);
    assert_int_equal(get("x", T0), 1);
    first = got[0].generation;
    assert_int_not_equal(first, 0);

    assert_int_equal(put("alice", "x", "two", PARLEY_EVICTABLE_MESSAGE, first),
                     PARLEY_PUT_OK);
    assert_int_equal(put("alice", "x", "three", PARLEY_EVICTABLE_MESSAGE,
                         first),
                     PARLEY_PUT_STALE);

    assert_int_equal(get("x", T0), 1);
    parley_assert_str(got[0].value, "v:two");
    assert_int_not_equal(got[0].generation, first);
}


/* a fresh put takes effect only while there is no record of its id */

static void
test_fresh(void **state)
{
    parley_put_t         p;
    parley_str_t         text;
    parley_put_result_t  rc;

    (void) state;

    memset(&p, 0, sizeof(p));
    text = PARLEY_STR("first");

    p.id = id("alice", "x");
    p.queue = PARLEY_EVICTABLE_NONE;
    p.parts = &text;
    p.nparts = 1;
    p.ttl = 1000;
    p.fresh = 1;
    t.now = T0;

    (void) parley_memory_ops.put(&t.s.state, &p, &rc, NULL);
    assert_int_equal(rc, PARLEY_PUT_OK);

    text = PARLEY_STR("second");
    t.now = T0 + 999;
    (void) parley_memory_ops.put(&t.s.state, &p, &rc, NULL);
    assert_int_equal(rc, PARLEY_PUT_STALE);

    assert_int_equal(get("x", T0 + 999), 1);
    parley_assert_str(got[0].value, "first");

    /* another owner's record does not count, nor does an expired one */

    p.id = id("bob", "x");
    (void) parley_memory_ops.put(&t.s.state, &p, &rc, NULL);
    assert_int_equal(rc, PARLEY_PUT_OK);

    p.id = id("alice", "x");
    t.now = T0 + 1000;
    (void) parley_memory_ops.put(&t.s.state, &p, &rc, NULL);
    assert_int_equal(rc, PARLEY_PUT_OK);
}


/* A put without room leaves the old record. */

static void
test_no_room(void **state)
{
    char  *big;

    (void) state;

    big = malloc(SIZE);
    memset(big, 'x', SIZE - 1);
    big[SIZE - 1] = '\0';

    assert_int_equal(put("alice", "x", "one", PARLEY_EVICTABLE_MESSAGE, 0),
                     PARLEY_PUT_OK);
    assert_int_equal(put("alice", "x", big, PARLEY_EVICTABLE_MESSAGE, 0),
                     PARLEY_PUT_FULL);
    assert_int_equal(put("alice", "y", "one", PARLEY_EVICTABLE_NONE, 0),
                     PARLEY_PUT_OK);

    big[SIZE / 2] = '\0';
    assert_int_equal(put("alice", "y", big, PARLEY_EVICTABLE_NONE, 0),
                     PARLEY_PUT_SHARE);

    assert_int_equal(get("x", T0), 1);
    assert_int_equal(get("y", T0), 1);
    parley_assert_str(got[0].value, "v:one");

    /* a record may use the room of the one that it replaces */

    big[SIZE / 6] = '\0';
    assert_int_equal(put("alice", "y", big, PARLEY_EVICTABLE_NONE, 0),
                     PARLEY_PUT_OK);
    assert_int_not_equal(put("alice", "z", big, PARLEY_EVICTABLE_NONE, 0),
                         PARLEY_PUT_OK);
    big[0] = 'y';
    assert_int_equal(put("alice", "y", big, PARLEY_EVICTABLE_NONE, 0),
                     PARLEY_PUT_OK);
    assert_int_equal(get("y", T0), 1);
    assert_int_equal(got[0].value.len, SIZE / 6 + 2);
    assert_int_equal(got[0].value.data[2], 'y');

    free(big);
}


static void
test_close(void **state)
{
    parley_record_id_t  r;

    (void) state;

    assert_int_equal(put("alice", "x", "a question of some length, which "
                         "takes more than a single block of the table",
                         PARLEY_EVICTABLE_NONE, 0), PARLEY_PUT_OK);
    r = id("alice", "x");

    parley_memory_lock(&t.s);
    assert_int_equal(parley_record_close_locked(&t.s, &r), 0);
    parley_memory_unlock(&t.s);

    assert_int_equal(get("x", T0 + 500), 1);
    assert_int_equal(got[0].closed, 1);
    assert_int_equal(got[0].value.len, 0);
    assert_int_equal(got[0].tag, r.tag);
    assert_int_equal(t.s.sh->table->used, 2);

    /* put again, it is open */

    assert_int_equal(put("alice", "x", "again", PARLEY_EVICTABLE_NONE, 0),
                     PARLEY_PUT_OK);
    assert_int_equal(get("x", T0), 1);
    assert_int_equal(got[0].closed, 0);
}


static void
test_closed_with_settlement(void **state)
{
    parley_admitted_t    admitted;
    parley_admission_t   a;
    parley_record_id_t   r;
    parley_settlement_t  how;

    (void) state;

    assert_int_equal(put("alice", "x", "question", PARLEY_EVICTABLE_NONE, 0),
                     PARLEY_PUT_OK);
    r = id("alice", "x");

    memset(&a, 0, sizeof(a));
    memset(&how, 0, sizeof(how));
    a.account = (const uint8_t *) "bob.............";
    a.ttl = 1000;
    t.now = T0;
    (void) parley_memory_ops.admit(&t.s.state, &a, &admitted, NULL);
    assert_int_equal(admitted.verdict, PARLEY_ADMIT_OK);

    how.stamp = admitted.stamp;
    t.now = T0;
    how.closes[0] = &r;
    (void) parley_memory_ops.settle(&t.s.state, &a, &how, NULL, NULL);
    assert_int_equal(get("x", T0), 1);
    assert_int_equal(got[0].closed, 0);

    how.taken = 1;
    (void) parley_memory_ops.settle(&t.s.state, &a, &how, NULL, NULL);
    assert_int_equal(get("x", T0), 1);
    assert_int_equal(got[0].closed, 1);
}


static void
test_no_memory(void **state)
{
    parley_mem_t       mem;
    parley_arena_t     none;
    parley_lookup_t    l;
    parley_test_mem_t  mem_state;
    parley_record_id_t r;

    (void) state;

    assert_int_equal(put("alice", "x", "one", PARLEY_EVICTABLE_NONE, 0),
                     PARLEY_PUT_OK);
    r = id("alice", "x");

    mem = parley_test_mem(&mem_state, 1);
    parley_arena_init(&none, &mem, 0);

    l.mask = 0;
    l.kind = PARLEY_KIND_MESSAGE;
    memcpy(l.key, r.key, PARLEY_KEY_LEN);
    l.arena = &none;

    (void) parley_memory_ops.get(&t.s.state, &l, &records, NULL);
    assert_int_equal(records.n, -1);
    parley_arena_reset(&none);
}


/* SEC-23: records without a value or an account, the oldest evicted first */

static void
test_tokens(void **state)
{
    unsigned             i;
    parley_put_t         p;
    parley_lookup_t      l;
    parley_test_stat_t   stat;
    parley_put_result_t  rc;

    (void) state;

    parley_memory_bound(&t.s, PARLEY_EVICTABLE_TOKEN, SIZE / 16, 0);

    t.now = T0;
    l.kind = PARLEY_KIND_TOKEN;
    l.mask = PARLEY_TAG_WHOLE;
    l.tag = 0;
    l.arena = &arena;

    memset(&p, 0, sizeof(p));
    p.id.kind = PARLEY_KIND_TOKEN;
    p.queue = PARLEY_EVICTABLE_TOKEN;
    p.ttl = 1000;

    for (i = 0; i < 1000; i++) {
        memcpy(p.id.key, &i, sizeof(i));
        (void) parley_memory_ops.put(&t.s.state, &p, &rc, NULL);
        assert_int_equal(rc, PARLEY_PUT_OK);
    }

    parley_test_stat(&t, T0, &stat);
    assert_int_equal(stat.table.queued[PARLEY_EVICTABLE_TOKEN],
                     SIZE / 16 / PARLEY_BLOCK);
    assert_int_equal(stat.table.entries[PARLEY_TABLE_ACCOUNT], 0);

    memcpy(l.key, p.id.key, PARLEY_KEY_LEN);
    (void) parley_memory_ops.get(&t.s.state, &l, &records, NULL);
    assert_int_equal(records.n, 1);
    assert_int_equal(got[0].value.len, 0);

    t.now = T0 + 1000;
    (void) parley_memory_ops.get(&t.s.state, &l, &records, NULL);
    assert_int_equal(records.n, 0);

    t.now = T0;
    memset(l.key, 0, PARLEY_KEY_LEN);
    (void) parley_memory_ops.get(&t.s.state, &l, &records, NULL);
    assert_int_equal(records.n, 0);
}


#define test(name, f)  { (name), (f), begin, end, NULL }

static const struct CMUnitTest  tests[] = {
    test("a record comes, is replaced, ends", test_life),
    test("SEC-11 records of several owners", test_owners),
    test("SEC-11 of very many", test_many_owners),
        test("SEC-11 one owner has so many under a key, and hides nobody",
             test_one_owner),
    test("SEC-11 nor of what gives way, the oldest first",
         test_one_owner_loose),
    test("a put that names what it replaces", test_generation),
    test("a fresh put does not replace a record", test_fresh),
    test("GW-12 what finds no room leaves what there is", test_no_room),
    test("SEC-08 a question is closed, and known", test_close),
    test("SEC-08 closed by what answers it", test_closed_with_settlement),
    test("no memory for what is there", test_no_memory),
    test("SEC-23 records of tokens", test_tokens),
};

PARLEY_TEST_MAIN(tests)
