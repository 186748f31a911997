/* The id, the times and the counts of a digest. */

#include "t/unit/parley_test.h"

#include "core/parley_arena.h"
#include "gate/host/parley_host_digest_text.h"


/* C2A-08 */

static void
test_id(void **state)
{
    size_t          i;
    int64_t         ms;
    parley_str_t    id;
    parley_arena_t  arena;

    static const struct {
        const char  *id;
        unsigned     is:1;      /* of the form of a digest */
        unsigned     own:1;     /* of agent:ada */
    } cases[] = {
        { "digest:ada:1764184800000", 1, 1 },
        { "digest:ada:0", 1, 1 },
        { "digest:bo:1764184800000", 1, 0 },
        { "digest:agent:ada:1764184800000", 1, 0 },
        { "digest:ada:1764184800000000", 1, 0 },        /* 16 digits */
        { "digest::5", 1, 0 },
        { "digest:5", 0, 0 },
        { "digest:ada", 0, 0 },
        { "digest:ada:", 0, 0 },
        { "digest:ada:5x", 0, 0 },
        { "digest:ada5", 0, 0 },
        { "a digest:ada:5", 0, 0 },
        { "digest:", 0, 0 },
        { "digest", 0, 0 },
        { "5", 0, 0 },
        { "", 0, 0 },
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        id = parley_str_c(cases[i].id);

        if (parley_host_digest_is(id) != (int) cases[i].is
            || parley_host_digest_id_read(id, PARLEY_STR("agent:ada"), &ms)
               != (int) cases[i].own)
        {
            fail_msg("%s", cases[i].id);
        }
    }

    parley_arena_init(&arena, &parley_mem_libc, 0);

    assert_int_equal(parley_host_digest_id_write(&arena,
                                                 PARLEY_STR("agent:a:b"), 17,
                                                 &id), 0);
    assert_true(parley_str_is(id, "digest:a:b:17"));
    assert_int_equal(parley_host_digest_id_read(id, PARLEY_STR("agent:a:b"),
                                                &ms), 1);
    assert_int_equal(ms, 17);

    parley_arena_reset(&arena);
}


/* C2A-08 */

static void
test_due(void **state)
{
    size_t           i;
    parley_digest_t  digest;

    static const struct {
        const char  *what;
        int64_t      since, offered, now, due;
    } cases[] = {
        { "the first one", 1000, 1000, 1000, 61000 },
        { "after the acknowledged one", 1000, 1000, 31000, 61000 },
        { "after the offered one", 1000, 31000, 41000, 91000 },
        { "overdue", 1000, 1000, 99000, 99000 },
        { "exactly", 1000, 1000, 61000, 61000 },
        { "the clock was set back", 99000, 99000, 1000, 61000 },
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        memset(&digest, 0, sizeof(digest));

        digest.since_ms = cases[i].since;
        digest.offered_ms = cases[i].offered;

        if (parley_host_digest_due(&digest, 60000, cases[i].now)
            != cases[i].due)
        {
            fail_msg("%s", cases[i].what);
        }
    }
}


/* C2A-08 */

static void
test_count(void **state)
{
    char                   name[16];
    unsigned               i;
    parley_str_t           author;
    parley_arena_t         arena;
    parley_digest_count_t  count;

    (void) state;

    memset(&count, 0, sizeof(count));

    parley_host_digest_count(&count, PARLEY_STR("m3"), PARLEY_STR("will"));
    parley_host_digest_count(&count, PARLEY_STR("m2"), PARLEY_STR("amy"));
    parley_host_digest_count(&count, PARLEY_STR("m1"), PARLEY_STR("will"));

    assert_int_equal(count.row.messages, 3);
    assert_int_equal(count.row.authors, 2);
    assert_true(parley_str_is(count.row.newest, "m3"));

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < 2 * PARLEY_DIGEST_AUTHORS; i++) {
        (void) snprintf(name, sizeof(name), "u%u", i);

        assert_int_equal(parley_arena_str(&arena, parley_str_c(name), &author),
                         0);
        parley_host_digest_count(&count, PARLEY_STR("m"), author);
    }

    assert_int_equal(count.row.messages, 3 + 2 * PARLEY_DIGEST_AUTHORS);
    assert_int_equal(count.row.authors, PARLEY_DIGEST_AUTHORS);

    parley_arena_reset(&arena);
}


static const struct CMUnitTest  tests[] = {
    parley_test("C2A-08 the id of a digest", test_id),
    parley_test("C2A-08 the time of a digest", test_due),
    parley_test("C2A-08 the counts of a digest", test_count),
};


PARLEY_TEST_MAIN(tests)
