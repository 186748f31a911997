/* gate/audit/parley_audit.h */

#include "t/unit/parley_test_audit.h"


/*
 * A killed worker: the next checkpoint covers its last line.  After that
 * another worker may have its slot.
 */

static void
test_killed(void **state)
{
    char  *p;

    (void) state;

    assert_int_equal(say(&chain[1], "last words"), 0);

    dead = 101;
    begin(&chain[2], 102);
    assert_int_equal(chain[2].head.name.slot, 2);

    assert_int_equal(parley_audit_checkpoint(&chain[0], &arena, NULL), 0);

    p = strstr(disk.octets, "\"heads\"");
    assert_non_null(strstr(p, "{\"chain\":\"1.1.1795415120123\",\"seq\":2,"));

    begin(&chain[1], 103);
    assert_int_equal(chain[1].head.name.slot, 1);
    assert_int_equal(chain[1].head.name.generation, 2);

    p = strstr(p, "\"event\":\"start\"");
    assert_non_null(strstr(p, "\"after\":{\"chain\":\"1.1.1795415120123\","
                           "\"seq\":2,"));

    assert_int_equal(verify(), 0);

    drop(2);
    assert_int_equal(verify(), 1);
}


/*
 * The other half of a head is written first, so a head is complete or not in
 * force.
 */

static void
test_published(void **state)
{
    uint64_t             turn;
    parley_audit_head_t  head, before;

    (void) state;

    assert_int_equal(parley_audit_slot_head(chain[0].slot, &before, &turn), 0);
    assert_int_equal(turn, 1);

    memset(&chain[0].slot->heads[0], 0xFF, sizeof(head));
    assert_int_equal(parley_audit_slot_head(chain[0].slot, &head, &turn), 0);
    assert_memory_equal(&head, &before, sizeof(head));

    assert_int_equal(parley_audit_slot_head(&table.slots[9], &head, &turn),
                     -1);
}


static void
test_slots(void **state)
{
    size_t            i;
    parley_audit_t    a;
    parley_process_t  self = { 5000, 1 };

    (void) state;

    for (i = 2; i < PARLEY_AUDIT_SLOTS; i++) {
        begin(&a, (uint32_t) (1000 + i));
        assert_int_equal(a.head.name.slot, i);
    }

    assert_int_equal(parley_audit_begin_locked(&a, &table, &self, &host),
                     -1);
    assert_int_equal(parley_audit_start(&a, &arena), -1);
    assert_int_equal(say(&a, "m"), -1);
    assert_int_equal(parley_audit_checkpoint(&a, &arena, NULL), -1);

    /* without a free slot, a slot that no checkpoint covers is used */

    dead = 1077;
    begin(&a, 5000);
    assert_int_equal(a.head.name.slot, 77);
    assert_int_equal(verify(), 0);
}


/* The disk becomes full at every octet of a line. */

static void
test_full(void **state)
{
    size_t  room, len, whole;

    (void) state;

    assert_int_equal(say(&chain[0], "whole"), 0);
    len = disk.len;
    assert_int_equal(say(&chain[0], "whole"), 0);
    whole = disk.len - len;

    teardown(NULL);

    for (room = 0; room <= whole; room++) {
        setup(NULL);
        disk.room = (int64_t) room;

        /* a line counts if only its newline is missing */

        assert_int_equal(say(&chain[0], "whole"), room + 1 >= whole ? 0 : -1);

        disk.room = -1;

        assert_int_equal(say(&chain[1], "other"), 0);
        assert_int_equal(say(&chain[0], "next"), 0);
        assert_int_equal(say(&chain[0], "more"), 0);
        assert_int_equal(parley_audit_checkpoint(&chain[1], &arena, NULL), 0);

        assert_int_equal(verify_octets(disk.octets, disk.len, NULL), 0);
        assert_int_equal(v.parts, room > 0 && room + 1 < whole);
        assert_int_equal(v.records, room + 1 >= whole ? 7 : 6);
        assert_int_equal(v.chains->lost + v.chains->next->lost,
                         room + 1 < whole);
        parley_audit_verify_free(&v);
        teardown(NULL);
    }

    setup(NULL);
}


/* The disk is full when a worker starts. */

static void
test_full_start(void **state)
{
    size_t  len;

    (void) state;

    disk.room = 0;
    begin(&chain[2], 102);
    assert_int_equal(say(&chain[2], "lost"), -1);

    disk.room = -1;
    assert_int_equal(say(&chain[2], "first"), 0);
    assert_int_equal(chain[2].head.seq, 2);

    assert_non_null(strstr(line(2, &len), "\"seq\":1,"));
    assert_non_null(strstr(line(2, &len),
                           "\"lost\":2,\"event\":\"start\""));
    assert_non_null(strstr(line(3, &len), "\"id\":\"first\""));

    assert_int_equal(verify(), 0);
    assert_string_equal(findings, "");
}


static void
test_lost(void **state)
{
    (void) state;

    disk.room = 0;
    assert_int_equal(say(&chain[0], "a"), -1);
    assert_int_equal(say(&chain[0], "b"), -1);
    disk.room = -1;
    assert_int_equal(say(&chain[0], "c"), 0);
    assert_int_equal(say(&chain[0], "d"), 0);

    assert_non_null(strstr(disk.octets, "\"lost\":2,\"event\":\"verdict\","
                           "\"id\":\"c\""));
    assert_null(strstr(strstr(disk.octets, "\"id\":\"c\""), "\"lost\""));
    assert_int_equal(verify(), 0);
}


/*
 * Text of a message cannot become a line or a member, and is written in ASCII.
 */

static void
test_text(void **state)
{
    size_t                  i, lines;
    uint64_t                seq;
    parley_audit_verdict_t  verdict;

    static const char  evil[] =
        "\",\"verdict\":\"passed\"}\n{\"audit\":1,\"chain\":\"0.1.1\""
        "\r\x1b[2J\x7f\xc2\x85\xe2\x80\xae\xff\xf0\x9f\x98\x80\xef\xbf\xbe";

    (void) state;

    memset(&verdict, 0, sizeof(verdict));
    verdict.id = parley_str_make(evil, sizeof(evil) - 1);
    verdict.payload = verdict.id;
    verdict.verdict = PARLEY_STR("refused");
    verdict.code = PARLEY_E_CAPACITY;

    assert_int_equal(parley_audit_verdict(&chain[0], &arena, &verdict, &seq),
                     0);
    assert_int_equal(seq, 2);

    for (i = 0, lines = 0; i < disk.len; i++) {
        assert_true((disk.octets[i] >= 0x20 && disk.octets[i] < 0x7F)
                    || disk.octets[i] == '\n');
        lines += disk.octets[i] == '\n';
    }

    assert_int_equal(lines, 3);
    assert_non_null(strstr(disk.octets, "\"id\":\"\\\",\\\"verdict\\\":"));
    assert_non_null(strstr(disk.octets, "\\u000d\\u001b[2J\\u007f\\u0085"
                           "\\u202e\\ufffd\\ud83d\\ude00\\ufffd\""));

    assert_int_equal(verify_octets(disk.octets, disk.len, NULL), 0);
    assert_int_equal(v.records, 3);
    parley_audit_verify_free(&v);
}


static void
test_long(void **state)
{
    char                   *text;
    uint64_t                seq;
    parley_audit_verdict_t  verdict;

    (void) state;

    text = malloc(100000);
    assert_non_null(text);
    memset(text, 'x', 100000);
    memcpy(text + PARLEY_AUDIT_TEXT_MAX - 1, "\xc3\xa4", 2);

    memset(&verdict, 0, sizeof(verdict));
    verdict.intent = parley_str_make(text, 100000);

    assert_int_equal(parley_audit_verdict(&chain[0], &arena, &verdict, &seq),
                     0);
    assert_non_null(strstr(disk.octets, "xxx\",\"cut\":true}\n"));
    assert_true(disk.len < 2048);

    /* a payload is not cut, and is written at once */

    disk.writes = 0;
    verdict.intent = parley_str_none;
    verdict.payload = parley_str_make(text, 100000);

    assert_int_equal(parley_audit_verdict(&chain[0], &arena, &verdict, &seq),
                     0);
    assert_int_equal(disk.writes, 1);
    assert_true(disk.len > 100000);
    assert_int_equal(verify(), 0);

    free(text);
}


static void
test_outcome(void **state)
{
    parley_audit_outcome_t  o;

    (void) state;

    memset(&o, 0, sizeof(o));
    o.of = 17;
    o.id = PARLEY_STR("m-1");
    o.outcome = PARLEY_STR("failed");
    o.code = PARLEY_E_UPSTREAM_TIMEOUT;
    o.status = 504;
    o.left = 1;

    assert_int_equal(parley_audit_outcome(&chain[0], &arena, &o), 0);
    assert_non_null(strstr(disk.octets, "\"event\":\"outcome\",\"of\":17,"
                           "\"id\":\"m-1\",\"outcome\":\"failed\","
                           "\"code\":\"upstream-timeout\",\"status\":504,"
                           "\"left\":true}\n"));
}


/*
 * Any client can cause refusals: their lines are limited, and the rest is
 * summed up.
 */

static void
test_flood(void **state)
{
    size_t  i, n;

    (void) state;

    for (i = 0, n = 0; i < 10000; i++) {
        n += (size_t) parley_audit_may(&chain[0], i % 2
                                       ? PARLEY_E_TOKEN_MISSING
                                       : PARLEY_E_TOKEN_INVALID);
    }

    assert_int_equal(n, PARLEY_AUDIT_BURST);
    assert_int_equal(parley_audit_suppressed(&chain[0], &arena), 0);
    assert_non_null(strstr(disk.octets, "\"event\":\"suppressed\",\"since\":"
                           "\"2026-11-23T"));
    assert_non_null(strstr(disk.octets, "\"count\":9968,\"codes\":{"
                           "\"token-missing\":4984,\"token-invalid\":4984}}"));

    /* counted refusals are not counted again; one line a second */

    n = disk.len;
    assert_int_equal(parley_audit_suppressed(&chain[0], &arena), 0);
    assert_int_equal(disk.len, n);

    disk.now += 2999;
    assert_true(parley_audit_may(&chain[0], PARLEY_E_TOKEN_MISSING));
    assert_true(parley_audit_may(&chain[0], PARLEY_E_TOKEN_MISSING));
    assert_false(parley_audit_may(&chain[0], PARLEY_E_TOKEN_MISSING));

    /* a clock that goes back allows no lines */

    disk.now -= 100000;
    assert_false(parley_audit_may(&chain[0], PARLEY_E_TOKEN_MISSING));
    disk.now += 1000;
    assert_true(parley_audit_may(&chain[0], PARLEY_E_TOKEN_MISSING));

    /* refusals without a line are summed up later */

    disk.room = 0;
    assert_int_equal(parley_audit_suppressed(&chain[0], &arena), -1);
    disk.room = -1;
    assert_int_equal(parley_audit_suppressed(&chain[0], &arena), 0);
    assert_non_null(strstr(disk.octets, "\"count\":2,"));
    assert_int_equal(verify(), 0);
}


static void
test_due(void **state)
{
    int64_t  wait;

    (void) state;

    table.checkpointed = 1000;

    assert_false(parley_audit_due(&table, 1000, 60000, &wait));
    assert_int_equal(wait, 60000);
    assert_false(parley_audit_due(&table, 60999, 60000, &wait));
    assert_int_equal(wait, 1);
    assert_true(parley_audit_due(&table, 61000, 60000, &wait));
    assert_int_equal(wait, 60000);
    assert_false(parley_audit_due(&table, 61000, 60000, &wait));

    /* the host was restarted */

    assert_true(parley_audit_due(&table, 5, 60000, &wait));
}


static void
test_names(void **state)
{
    size_t               i;
    parley_audit_name_t  name;

    static const char *const  bad[] = {
        "", ".", "..", "1", "1.2", "1.2.", "1.2.3.4", "01.2.3", "1.2.x",
        "-1.2.3", "256.2.3", "1.2.99999999999999999999", " 1.2.3", "1..3"
    };

    (void) state;

    assert_int_equal(parley_audit_name_parse(PARLEY_STR("255.2.3"), &name), 0);
    assert_int_equal(name.slot, 255);

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(parley_audit_name_parse(parley_str_c(bad[i]), &name),
                         -1);
    }
}


static void
test_memory(void **state)
{
    size_t             i;
    parley_mem_t       mem;
    parley_test_mem_t  test;

    (void) state;

    for (i = 1; i < 20; i++) {
        mem = parley_test_mem(&test, i);
        parley_arena_reset(&arena);
        parley_arena_init(&arena, &mem, 64);

        (void) say(&chain[0], "m");
        (void) (parley_audit_checkpoint(&chain[0], &arena, NULL) == 0);

        parley_arena_reset(&arena);
    }

    parley_arena_init(&arena, &parley_mem_libc, 0);

    assert_int_equal(verify(), 0);
}


static const struct CMUnitTest  tests[] = {
    audit_test("OPS-06 the last line of a worker that was killed is known",
               test_killed),
    audit_test("OPS-06 a head is in force or it is not", test_published),
    audit_test("OPS-06 slots are bounded", test_slots),
    audit_test("OPS-06 a full disk at every octet", test_full),
    audit_test("OPS-06 a disk that is full when a worker starts",
               test_full_start),
    audit_test("OPS-06 lines that could not be written are counted",
               test_lost),
    audit_test("SEC-01 OPS-06 text stays text", test_text),
    audit_test("OPS-06 lines are bounded", test_long),
    audit_test("OPS-06 an outcome names its verdict", test_outcome),
    audit_test("OPS-06 refusals of nobody are bounded and summed up",
               test_flood),
    audit_test("OPS-06 one worker writes a checkpoint", test_due),
    audit_test("OPS-06 names of chains", test_names),
    audit_test("OPS-06 out of memory", test_memory),
};

PARLEY_TEST_MAIN(tests)
