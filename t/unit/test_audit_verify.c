/* gate/audit/parley_audit_verify.h */

#include "t/unit/parley_test_audit.h"

#include "auth/parley_jwk.h"


#define LINES  64


static void
test_chain(void **state)
{
    size_t  i;

    (void) state;

    for (i = 0; i < LINES; i++) {
        assert_int_equal(say(&chain[i % 2], "m"), 0);
    }

    assert_int_equal(parley_audit_checkpoint(&chain[0], &arena, NULL), 0);
    assert_int_equal(disk.writes, LINES + 3);
    assert_int_equal(verify_octets(disk.octets, disk.len, NULL), 0);
    assert_string_equal(findings, "");
    assert_int_equal(v.records, LINES + 3);
    assert_int_equal(v.checkpoints, 1);
    assert_int_equal(parley_audit_seen_open(v.chains), 0);
    assert_int_equal(parley_audit_seen_open(v.chains->next), 0);

    parley_audit_verify_free(&v);
}


/*
 * Every octet of every line is changed, except in lines that no checkpoint
 * covers.
 */

static void
test_changed(void **state)
{
    size_t  i;
    char    was;

    (void) state;

    assert_int_equal(say(&chain[0], "one"), 0);
    assert_int_equal(say(&chain[1], "two"), 0);
    assert_int_equal(say(&chain[0], "three"), 0);
    assert_int_equal(parley_audit_checkpoint(&chain[1], &arena, NULL), 0);
    assert_int_equal(say(&chain[1], "four"), 0);
    assert_int_equal(say(&chain[0], "five"), 0);
    assert_int_equal(parley_audit_checkpoint(&chain[0], &arena, NULL), 0);

    /* no checkpoint covers the last line */

    for (i = 0; disk.octets + i < strrchr(disk.octets, '{')
                && disk.octets[i + 1] != '\0'; i++)
    {
        if (strchr(disk.octets + i, '\n')[1] == '\0') {
            break;
        }

        was = disk.octets[i];
        disk.octets[i] = was == '7' ? '8' : '7';

        if (verify() != 1) {
            fail_msg("octet %zu changed and not found: %.80s", i,
                     disk.octets + i);
        }

        disk.octets[i] = was;
    }

    assert_true(i > 1000);
    assert_int_equal(verify(), 0);
}


static void
test_removed(void **state)
{
    size_t  i, n;
    char    whole[ROOM];
    size_t  len;

    (void) state;

    for (i = 0; i < 6; i++) {
        assert_int_equal(say(&chain[i % 2], "m"), 0);
    }

    assert_int_equal(parley_audit_checkpoint(&chain[0], &arena, NULL), 0);
    assert_int_equal(say(&chain[0], "last"), 0);

    n = disk.writes;
    len = disk.len;
    memcpy(whole, disk.octets, sizeof(whole));

    /* a missing last line cannot be detected */

    for (i = 0; i < n - 1; i++) {
        drop(i);
        assert_int_equal(verify(), 1);

        memcpy(disk.octets, whole, sizeof(whole));
        disk.len = len;
    }

    drop(n - 1);
    assert_int_equal(verify(), 0);
}


static void
test_moved(void **state)
{
    char    copy[2048];
    size_t  first, second;
    char   *p, *q;

    (void) state;

    assert_int_equal(say(&chain[0], "one"), 0);
    assert_int_equal(say(&chain[0], "two"), 0);
    assert_int_equal(say(&chain[0], "six"), 0);

    /* lines 3 and 4 are swapped */

    p = line(2, &first);
    q = line(3, &second);
    assert_int_equal(first, second);

    memcpy(copy, p, first);
    memcpy(p, q, first);
    memcpy(q, copy, first);

    assert_int_equal(verify(), 1);
    assert_non_null(strstr(findings, "0.1.1795415120123:4:2: the line follows "
                           "line 3: it was repeated, moved or inserted"));

    memcpy(q, p, first);
    memcpy(p, copy, first);
    assert_int_equal(verify(), 0);

    /* a line is there twice */

    p = line(4, &first);
    memcpy(disk.octets + disk.len, p, first);
    disk.len += first;
    disk.octets[disk.len++] = '\n';

    assert_int_equal(verify(), 1);
    assert_non_null(strstr(findings, "repeated"));
}


/* Only a checkpoint reveals that the end of a chain is missing. */

static void
test_cut(void **state)
{
    (void) state;

    assert_int_equal(say(&chain[1], "one"), 0);
    assert_int_equal(say(&chain[1], "two"), 0);
    assert_int_equal(parley_audit_checkpoint(&chain[0], &arena, NULL), 0);

    drop(3);
    assert_int_equal(verify(), 1);
    assert_non_null(strstr(findings, "its end was cut off"));

    /* the whole chain */

    drop(2);
    drop(1);
    assert_int_equal(verify(), 1);
    assert_non_null(strstr(findings, "all lines of the chain are missing"));
}


static void
test_uncovered(void **state)
{
    parley_audit_seen_t  *s;

    (void) state;

    assert_int_equal(parley_audit_checkpoint(&chain[0], &arena, NULL), 0);
    assert_int_equal(say(&chain[1], "one"), 0);
    assert_int_equal(say(&chain[1], "two"), 0);
    drop(4);

    assert_int_equal(verify_octets(disk.octets, disk.len, NULL), 0);

    s = v.chains;
    assert_int_equal(s->name.slot, 1);
    assert_int_equal(parley_audit_seen_open(s), 1);
    assert_int_equal(parley_audit_seen_open(s->next), 0);

    parley_audit_verify_free(&v);
}


/* A log that was written again without the key. */

static void
test_signed(void **state)
{
    size_t          len;
    char           *p;
    parley_jwk_t    key, other;
    parley_jwks_t   keys;
    parley_error_t  err;

    (void) state;

    assert_int_equal(parley_jwk_generate(&arena, PARLEY_ALG_EDDSA,
                                         PARLEY_STR("gateway-1"), &key, &err),
                     0);

    memset(&keys, 0, sizeof(keys));
    keys.keys = &key;
    keys.n = 1;

    assert_int_equal(say(&chain[0], "one"), 0);
    assert_int_equal(parley_audit_checkpoint(&chain[0], &arena, &key), 0);
    assert_int_equal(say(&chain[1], "two"), 0);
    parley_audit_end(&chain[1], &key, &arena);
    parley_audit_end(&chain[0], &key, &arena);
    assert_int_equal(say(&chain[0], "after"), -1);

    assert_int_equal(verify_octets(disk.octets, disk.len, &keys), 0);
    assert_int_equal(v.checkpoints, 3);
    assert_int_equal(v.verified, 3);
    assert_true(v.chains->ended && v.chains->next->ended);
    parley_audit_verify_free(&v);

    /* a missing signature, one by another key, a changed one */

    p = strstr(disk.octets, ",\"sig\":\"");
    len = disk.len;

    p[10] = p[10] == 'A' ? 'B' : 'A';
    assert_int_equal(verify_octets(disk.octets, len, &keys), 1);
    assert_non_null(strstr(findings,
                           "the signature of the checkpoint does not verify"));
    parley_audit_verify_free(&v);

    memcpy(p, ",\"sog\":\"", 8);
    assert_int_equal(verify_octets(disk.octets, len, &keys), 1);
    assert_non_null(strstr(findings, "the checkpoint is not signed"));
    parley_audit_verify_free(&v);

    other = key;
    other.kid = PARLEY_STR("another");
    keys.keys = &other;
    memcpy(p, ",\"sig\":\"", 8);
    assert_int_equal(verify_octets(disk.octets, len, &keys), 1);
    assert_non_null(strstr(findings, "with a key that was not given"));
    parley_audit_verify_free(&v);

    parley_jwk_free(&key);
}


/* A log that begins and ends in the middle of chains, like a rotated one. */

static void
test_rotated(void **state)
{
    size_t  i, len;
    char    second[4096];

    (void) state;

    for (i = 0; i < 6; i++) {
        assert_int_equal(say(&chain[i % 2], "m"), 0);
    }

    assert_int_equal(parley_audit_checkpoint(&chain[0], &arena, NULL), 0);

    /* the second worker opens the new file later than the first */

    len = disk.len;
    assert_int_equal(say(&chain[0], "new"), 0);
    assert_int_equal(parley_audit_checkpoint(&chain[0], &arena, NULL), 0);
    memcpy(second, disk.octets + len, disk.len - len);
    i = disk.len - len;
    disk.len = len;

    assert_int_equal(say(&chain[1], "old"), 0);

    memcpy(disk.octets + disk.len, second, i);
    disk.len += i;

    assert_int_equal(verify_octets(disk.octets, disk.len, NULL), 0);
    assert_string_equal(findings, "");
    parley_audit_verify_free(&v);

    /* the new file alone, in which the second chain has no line yet */

    assert_int_equal(verify_octets(second, i, NULL), 0);
    assert_non_null(strstr(findings, "note 0.1.1795415120123:1:6: the chain's "
                           "lines up to 5 are not in the given files"));
    assert_non_null(strstr(findings, "note 1.1.1795415120123:0:0: the chain "
                           "has no line here: its lines up to 4"));
    parley_audit_verify_free(&v);
}


/*
 * A line that another worker writes after a part of a line is on the same
 * line.
 */

static void
test_glued(void **state)
{
    (void) state;

    disk.room = 100;
    assert_int_equal(say(&chain[0], "cut"), -1);
    disk.room = -1;

    /* and its writer is killed */

    assert_int_equal(say(&chain[1], "one"), 0);
    assert_int_equal(say(&chain[1], "two"), 0);

    assert_int_equal(verify_octets(disk.octets, disk.len, NULL), 0);
    assert_int_equal(v.records, 4);
    assert_int_equal(v.parts, 1);
    assert_non_null(strstr(findings, "a partial line"));
    parley_audit_verify_free(&v);

    memcpy(disk.octets + disk.len, "x\n", 2);
    disk.len += 2;
    assert_int_equal(verify(), 1);
    assert_non_null(strstr(findings, "this is not a line of an audit log"));
}


static const struct CMUnitTest  tests[] = {
    audit_test("OPS-06 a line is one write, a chain is whole", test_chain),
    audit_test("OPS-06 an octet that was changed is found", test_changed),
    audit_test("OPS-06 a line that was removed is found", test_removed),
    audit_test("OPS-06 a line that was moved or repeated is found",
               test_moved),
    audit_test("OPS-06 an end that a checkpoint knows cannot be cut off",
               test_cut),
    audit_test("OPS-06 what no checkpoint knows is counted", test_uncovered),
    audit_test("OPS-06 checkpoints are signed", test_signed),
    audit_test("OPS-06 files of a log that was rotated", test_rotated),
    audit_test("OPS-06 a part of a line before another", test_glued),
};

PARLEY_TEST_MAIN(tests)
