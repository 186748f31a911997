/* state/store/parley_store_sentinel.h */

#include "state/store/parley_store_sentinel.h"
#include "t/unit/parley_test.h"


#define QUESTION                                                              \
    "*3\r\n$8\r\nSENTINEL\r\n$23\r\nGET-MASTER-ADDR-BY-NAME\r\n"              \
    "$6\r\nparley\r\n"


static const parley_store_sentinel_conf_t  plain = {
    .primary = { .data = (const uint8_t *) "parley", .len = 6 }
};

static const parley_store_sentinel_conf_t  secret = {
    .primary = { .data = (const uint8_t *) "parley", .len = 6 },
    .user = { .data = (const uint8_t *) "gate", .len = 4 },
    .password = { .data = (const uint8_t *) "pass word", .len = 9 }
};


/* Feeds a reply in pieces of n octets; returns the last result. */

static int
answers(parley_store_sentinel_t *q, const parley_store_sentinel_conf_t *conf,
    const char *reply, size_t n)
{
    int             rc;
    size_t          at, len;
    parley_str_t    octets;
    parley_arena_t  arena;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    assert_int_equal(parley_store_sentinel_begin(q, conf, &arena, &octets), 0);

    rc = 0;

    for (at = 0; reply[at] != '\0' && rc == 0; at += len) {
        len = strlen(reply + at) < n ? strlen(reply + at) : n;
        rc = parley_store_sentinel_fed(q, (const uint8_t *) reply + at, len);
    }

    parley_store_sentinel_end(q);
    parley_store_sentinel_end(q);
    parley_arena_reset(&arena);

    return rc;
}


static void
test_question(void **state)
{
    parley_str_t                  octets;
    parley_arena_t                arena;
    parley_store_sentinel_t       q;
    parley_store_sentinel_conf_t  conf = secret;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    assert_int_equal(parley_store_sentinel_begin(&q, &plain, &arena, &octets),
                     0);
    assert_true(parley_str_is(octets, QUESTION));
    parley_store_sentinel_end(&q);

    assert_int_equal(parley_store_sentinel_begin(&q, &conf, &arena, &octets),
                     0);
    assert_true(parley_str_is(octets, "*3\r\n$4\r\nAUTH\r\n$4\r\ngate\r\n"
                                      "$9\r\npass word\r\n" QUESTION));
    parley_store_sentinel_end(&q);

    conf.user = parley_str_none;
    assert_int_equal(parley_store_sentinel_begin(&q, &conf, &arena, &octets),
                     0);
    assert_true(parley_str_begins(octets, "*3\r\n$4\r\nAUTH\r\n$7\r\n"
                                          "default\r\n"));
    parley_store_sentinel_end(&q);

    parley_arena_reset(&arena);
}


static void
test_named(void **state)
{
    size_t                   i, n;
    parley_store_sentinel_t  q;

    static const struct {
        const char  *reply, *host;
        unsigned     port;
    } right[] = {
        { "*2\r\n$9\r\n127.0.0.1\r\n$4\r\n6379\r\n", "127.0.0.1", 6379 },
        { "*2\r\n$3\r\n::1\r\n$5\r\n65535\r\n", "::1", 65535 },
        { "*2\r\n$39\r\n2001:0db8:0000:0000:0000:ff00:0042:8329\r\n"
          "$1\r\n1\r\n", "2001:0db8:0000:0000:0000:ff00:0042:8329", 1 },
        { "*2\r\n+10.0.0.1\r\n:6379\r\n", "10.0.0.1", 6379 },
    };

    (void) state;

    for (i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
        for (n = 1; n < 100; n++) {
            assert_int_equal(answers(&q, &plain, right[i].reply, n), 1);
            assert_string_equal(q.host, right[i].host);
            assert_int_equal(q.port, right[i].port);
        }

        /* no octet of the reply may be missing */

        for (n = 1; n < strlen(right[i].reply); n++) {
            char  part[128];

            snprintf(part, sizeof(part), "%.*s", (int) n, right[i].reply);
            assert_int_equal(answers(&q, &plain, part, 100), 0);
        }
    }

    for (n = 1; n < 100; n++) {
        assert_int_equal(answers(&q, &secret, "+OK\r\n*2\r\n$8\r\n10.0.0.1\r\n"
                                              "$4\r\n6379\r\n", n), 1);
        assert_string_equal(q.host, "10.0.0.1");
    }
}


static void
test_refused(void **state)
{
    char                     large[8192];
    size_t                   i, n;
    parley_str_t             octets;
    parley_arena_t           arena;
    parley_store_sentinel_t  q;

    static const struct {
        const char  *reply, *why;
    } wrong[] = {
        { "*-1\r\n", "it does not know the primary" },
        { "$-1\r\n", "it does not know the primary" },
        { "-NOAUTH Authentication required.\r\n", "NOAUTH: set sentinel_user" },
        { "-NOPERM this user\r\n", "NOPERM: give the user the rules" },
        { "-ERR unknown command 'SENTINEL'\r\n", "it refuses the question" },
        { "-NOAUTHORITY x\r\n", "it refuses the question" },
        { "*0\r\n", "another form" },
        { "*1\r\n$9\r\n127.0.0.1\r\n", "another form" },
        { "*3\r\n$9\r\n127.0.0.1\r\n$1\r\n1\r\n$1\r\n1\r\n", "another form" },
        { "*2\r\n:1\r\n$1\r\n1\r\n", "another form" },
        { "*2\r\n$9\r\n127.0.0.1\r\n$1\r\n0\r\n", "another form" },
        { "*2\r\n$9\r\n127.0.0.1\r\n$5\r\n65536\r\n", "another form" },
        { "*2\r\n$9\r\n127.0.0.1\r\n$2\r\n-1\r\n", "another form" },
        { "*2\r\n$9\r\n127.0.0.1\r\n$2\r\n1x\r\n", "another form" },
        { "*2\r\n$9\r\n127.0.0.1\r\n$0\r\n\r\n", "another form" },
        { "*2\r\n$0\r\n\r\n$1\r\n1\r\n", "by a host name" },
        { "*2\r\n$5\r\nstore\r\n$1\r\n1\r\n", "by a host name" },
        { "*2\r\n$11\r\n127.0.0.1.5\r\n$1\r\n1\r\n", "by a host name" },
        { "*2\r\n$7\r\n::1%eth\r\n$1\r\n1\r\n", "by a host name" },
        { "*2\r\n$46\r\n0000:0000:0000:0000:0000:0000:0000:0000:0000:0\r\n"
          "$1\r\n1\r\n", "by a host name" },
        { "+OK\r\n", "another form" },
        { "HTTP/1.1 400\r\n", "not valid RESP" },
        { "*2\r\n*1\r\n$1\r\nx\r\n$1\r\n1\r\n", "not valid RESP" },
        { "*1000000\r\n", "not valid RESP" },
    };

    (void) state;

    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        for (n = 1; n < 100; n += 7) {
            assert_int_equal(answers(&q, &plain, wrong[i].reply, n), -1);
            assert_non_null(strstr(q.why, wrong[i].why));
        }
    }

    /* an octet in the address that ends a text of C */

    parley_arena_init(&arena, &parley_mem_libc, 0);
    assert_int_equal(parley_store_sentinel_begin(&q, &plain, &arena, &octets),
                     0);
    assert_int_equal(parley_store_sentinel_fed(&q,
        (const uint8_t *) "*2\r\n$10\r\n10.0.0.1\0x\r\n$1\r\n1\r\n", 28), -1);
    parley_store_sentinel_end(&q);
    parley_arena_reset(&arena);

    /* AUTH: the error may have the password */

    assert_int_equal(answers(&q, &secret, "-ERR unknown command 'AUTH', with "
                                          "args: 'pass word'\r\n", 100), -1);
    assert_string_equal(q.why, "it refuses AUTH");
    assert_int_equal(answers(&q, &secret, "-WRONGPASS invalid\r\n", 100), -1);
    assert_non_null(strstr(q.why, "WRONGPASS: correct sentinel_user="));

    /* a reply without an end */

    memset(large, 'x', sizeof(large));
    memcpy(large, "*2\r\n$9999\r\n", 11);
    large[sizeof(large) - 1] = '\0';
    assert_int_equal(answers(&q, &plain, large, 100), -1);
    assert_string_equal(q.why, "its reply is too large");
}


static const struct CMUnitTest  tests[] = {
    parley_test("CLU-10 the question to a Sentinel", test_question),
    parley_test("CLU-10 the address that a Sentinel names", test_named),
    parley_test("CLU-12 answers of a Sentinel that are refused", test_refused),
};

PARLEY_TEST_MAIN(tests)
