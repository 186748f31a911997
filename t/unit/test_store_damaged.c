/* state/store: values and replies that an engine has changed */

#include "state/store/parley_store_parts.h"
#include "t/unit/parley_test_nodes.h"


static uint64_t
skipped(parley_test_node_t *n)
{
    parley_store_stat_t  stat;

    parley_store_stat(n->store, &stat);

    return stat.lost[PARLEY_STORE_LOST_FORMAT];
}


/* Replaces the values of the keys of a letter by an expression of v. */

static void
damage(char letter, const char *expression)
{
    char  words[400];

    snprintf(words, sizeof(words), "eval \"for _, k in "
             "ipairs(redis.call('KEYS', '{parley}%c*')) do local v = "
             "redis.call('GET', k) redis.call('SET', k, %s) end return 'ok'\" "
             "0", letter, expression);

    assert_string_equal(parley_test_engine_do(&engine, words), "ok");
}


/* Values that were cut or changed are not used, but logged and counted. */

static void
test_damaged(void **state)
{
    char              name[16];
    size_t            i;
    uint64_t          before;
    parley_records_t  records;

    static const char *const  damages[] = {
        "v:sub(1, -2)", "v:sub(1, 20)", "v .. v:sub(2, 9)",
        "v:sub(1, 9) .. string.char(255) .. v:sub(11)",
        "v:sub(1, 11) .. string.rep(string.char(255), 8) .. v:sub(20)",
        "v:sub(1, 18) .. string.char(128) .. v:sub(20)",
        ("v:sub(1, 11) .. string.rep(string.char(255), 7) .. string.char(127) "
         ".. v:sub(20)"),
        "v:sub(1, 19) .. string.rep(string.char(255), 4) .. v:sub(24)",
    };

    (void) state;

    for (i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
        snprintf(name, sizeof(name), "damaged-%zu", i);
        before = skipped(&b);
        b.last[0] = '\0';

        assert_int_equal(put(&a, PARLEY_KIND_QUESTION, name, 1, "q"),
                         PARLEY_PUT_OK);
        parley_test_nodes(both, 2, NULL, 20);
        damage('r', damages[i]);
        (void) get(&b, PARLEY_KIND_QUESTION, name, &records);

        if (records.n != -1 || skipped(&b) != before + 1
            || strstr(b.last, "a value is skipped: it is damaged") == NULL)
        {
            fail_msg("%s: %d records, %s", damages[i], records.n, b.last);
        }

        parley_test_engine_do(&engine, "eval \"for _, k in "
            "ipairs(redis.call('KEYS', '{parley}r*')) do redis.call('DEL', k) "
            "end\" 0");
    }

    assert_true(parley_store_is_up(b.store));
}


/* So does a suspension that each zone has. */

static void
test_damaged_shared(void **state)
{
    uint64_t  before;

    (void) state;

    before = skipped(&b);
    assert_int_equal(put(&a, PARLEY_KIND_SUSPENSION, "ada", 3, "alarm"),
                     PARLEY_PUT_OK);
    until_records(&b, PARLEY_KIND_SUSPENSION, "ada", 1);
    parley_test_engine_do(&engine, "eval \"for _, f in "
        "ipairs(redis.call('HKEYS', '{parley}y')) do redis.call('HSET', "
        "'{parley}y', f, redis.call('HGET', '{parley}y', f):sub(1, -2)) "
        "redis.call('ZADD', '{parley}z', redis.call('INCR', '{parley}k'), f) "
        "end\" 0");
    parley_test_nodes(both, 2, NULL, 1000);

    assert_true(skipped(&b) > before);
    assert_non_null(strstr(b.last, "a value is skipped: it is damaged"));
    until_records(&b, PARLEY_KIND_SUSPENSION, "ada", 1);
}


/* An error that a call gets is logged: the operator finds the key. */

static void
test_call_refused(void **state)
{
    unsigned  logged;

    (void) state;

    logged = a.logged[PARLEY_STORE_ERROR];
    parley_test_engine_do(&engine, "set '{parley}k' x");
    (void) put(&a, PARLEY_KIND_SUSPENSION, "bo", 3, "alarm");
    assert_non_null(strstr(a.last, "the engine refuses a call: ERR "));
    assert_int_equal(a.logged[PARLEY_STORE_ERROR], logged + 1);

    parley_test_engine_do(&engine, "del '{parley}k'");
    parley_test_engine_do(&engine, "sadd '{parley}k' x");
    (void) put(&a, PARLEY_KIND_SUSPENSION, "bo", 3, "alarm");
    assert_non_null(strstr(a.last, "is not Parley's"));
    assert_true(parley_store_is_up(a.store));
}


/* The debt of a limit that the engine tells has the bounds of its rate. */

static void
test_debt(void **state)
{
    parley_limit_rate_t  rate = { .interval_us = 1000000, .burst = 5 };

    (void) state;

    assert_int_equal(parley_store_ahead(&rate, 7), 7);
    assert_int_equal(parley_store_ahead(&rate, (int64_t) 1 << 53), 16000000);
}


int
main(void)
{
    static const struct CMUnitTest  tests[] = {
        nodes_test("CLU-12: damaged values", test_damaged),
        nodes_test("CLU-12: a damaged suspension", test_damaged_shared),
        nodes_test("CLU-12: an error in reply to a call", test_call_refused),
        nodes_test("CLU-12: the debt of a limit has a bound", test_debt),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
