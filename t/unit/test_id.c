/* core/parley_id.h and parley_digest.h */

#include <sodium.h>

#include "core/parley_hex.h"
#include "t/unit/parley_test.h"

#include "core/parley_digest.h"
#include "core/parley_id.h"


static void
test_is(void **state)
{
    size_t              i;
    char                text[64];
    static const char  *bad[] = {
        "", "3f2b8c1e-9d4a-4c7b-8e21-5a6f7b8c9d0",
        "3f2b8c1e-9d4a-4c7b-8e21-5a6f7b8c9d0e0",
        "3F2b8c1e-9d4a-4c7b-8e21-5a6f7b8c9d0e",
        "3f2b8c1e-9d4a-4c7b-8e21-5a6f7b8c9d0g",
        "3f2b8c1e-9d4a-4c7b-ce21-5a6f7b8c9d0e",
        "3f2b8c1e-9d4a-4c7b-7e21-5a6f7b8c9d0e",
        "3f2b8c1e-9d4a-1c7b-8e21-5a6f7b8c9d0e",
        "3f2b8c1e09d4a04c7b08e2105a6f7b8c9d0e",
        "3f2b8c1e-9d4a-4c7b-8e215-a6f7b8c9d0e",
        "{f2b8c1e-9d4a-4c7b-8e21-5a6f7b8c9d0}",
    };

    (void) state;

    assert_true(parley_uuid_is(
        PARLEY_STR("3f2b8c1e-9d4a-4c7b-8e21-5a6f7b8c9d0e"), 4));
    assert_true(parley_uuid_is(
        PARLEY_STR("018f2b8c-9d4a-7c7b-be21-5a6f7b8c9d0e"), 7));
    assert_false(parley_uuid_is(
        PARLEY_STR("018f2b8c-9d4a-7c7b-be21-5a6f7b8c9d0e"), 4));

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (parley_uuid_is(parley_str_c(bad[i]), 4)) {
            fail_msg("\"%s\" was taken", bad[i]);
        }
    }

    (void) strcpy(text, "3f2b8c1e-9d4a-4c7b-8e21-5a6f7b8c9d0e");

    for (i = 0; i < PARLEY_UUID_LEN; i++) {
        text[i] ^= 0x40;
        assert_false(parley_uuid_is(parley_str_c(text), 4));
        text[i] ^= 0x40;
    }
}


/* RFC 9562 section 4: read in any case, written in lower case. */
static void
test_any_case(void **state)
{
    int     c;
    char    text[PARLEY_UUID_LEN + 1], out[PARLEY_UUID_LEN + 1];
    size_t  i;

    static const char  lower[] = "018f2b8c-9d4a-7c7b-be21-5a6f7b8c9d0e";
    static const char  *same[] = {
        "018f2b8c-9d4a-7c7b-be21-5a6f7b8c9d0e",
        "018F2B8C-9D4A-7C7B-BE21-5A6F7B8C9D0E",
        "018f2B8c-9D4a-7C7b-Be21-5A6f7b8C9d0E",
    };
    static const char  *bad[] = {
        "", "018F2B8C-9D4A-7C7B-BE21-5A6F7B8C9D0",
        "018F2B8C-9D4A-7C7B-BE21-5A6F7B8C9D0E0",
        "018F2B8C-9D4A-4C7B-BE21-5A6F7B8C9D0E",
        "018F2B8C-9D4A-7C7B-CE21-5A6F7B8C9D0E",
        "018F2B8C-9D4A-7C7B-BE21-5A6F7B8C9D0G",
        "{18F2B8C-9D4A-7C7B-BE21-5A6F7B8C9D0}",
    };

    (void) state;

    for (i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
        assert_true(parley_uuid_is_any_case(parley_str_c(same[i]), 7));
        assert_false(parley_uuid_is_any_case(parley_str_c(same[i]), 4));
        assert_int_equal(parley_uuid_is(parley_str_c(same[i]), 7), i == 0);

        parley_uuid_lower(parley_str_c(same[i]), out);
        assert_string_equal(out, lower);
    }

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (parley_uuid_is_any_case(parley_str_c(bad[i]), 7)) {
            fail_msg("\"%s\" was taken", bad[i]);
        }
    }

    /* an octet in any place is accepted exactly if its lower case is valid */

    for (i = 0; i < PARLEY_UUID_LEN; i++) {
        (void) strcpy(text, lower);

        for (c = 0; c < 256; c++) {
            text[i] = (char) c;
            (void) memcpy(out, text, sizeof(out));

            if (c >= 'A' && c <= 'Z') {
                out[i] = (char) (c - 'A' + 'a');
            }

            assert_int_equal(
                parley_uuid_is_any_case(
                    parley_str_make(text, PARLEY_UUID_LEN), 7),
                parley_uuid_is(parley_str_make(out, PARLEY_UUID_LEN), 7));
        }
    }
}


static void
derive(int version, int64_t ms, const char *id, const char *purpose,
    char out[PARLEY_UUID_LEN + 1])
{
    parley_str_t  fields[3] = {
        PARLEY_STR("vcp"), parley_str_c(id), parley_str_c(purpose)
    };

    assert_int_equal(parley_uuid_derive(version, ms, fields, 3, out), 0);
    assert_true(parley_uuid_is(parley_str_c(out), version));
}


static void
test_derive(void **state)
{
    int   i;
    char  a[PARLEY_UUID_LEN + 1], b[PARLEY_UUID_LEN + 1];
    char  hex[2 * PARLEY_SHA256_LEN + 1], longer[2000];
    char  expected[PARLEY_UUID_LEN + 1];

    static const int  versions[] = { 4, 7, 8 };

    uint8_t  digest[PARLEY_SHA256_LEN];

    (void) state;

    for (i = 0; i < 3; i++) {
        derive(versions[i], 1771151400123, "id-1", "envelope", a);
        derive(versions[i], 1771151400123, "id-1", "envelope", b);
        assert_string_equal(a, b);

        derive(versions[i], 1771151400123, "id-2", "envelope", b);
        assert_string_not_equal(a, b);

        derive(versions[i], 1771151400123, "id-1", "reply", b);
        assert_string_not_equal(a, b);
    }

    /* SEC-11: parts with their lengths cannot be confused */

    derive(8, 0, "id", "1envelope", a);
    derive(8, 0, "id1", "envelope", b);
    assert_string_not_equal(a, b);

    /* the first 16 octets of the digest, except for version and variant */

    derive(4, 0, "id-1", "envelope", a);

    assert_int_equal(parley_sha256(PARLEY_STR("\0\0\0\6parley"
                                              "\0\0\0\3vcp"
                                              "\0\0\0\4id-1"
                                              "\0\0\0\10envelope"),
                                   digest), 0);
    parley_hex(digest, 16, hex);

    (void) snprintf(expected, sizeof(expected), "%.8s-%.4s-4%.3s-%c%.3s-%.12s",
                    hex, hex + 8, hex + 13,
                    "89ab"[strtol((char[]) { hex[16], 0 }, NULL, 16) & 3],
                    hex + 17, hex + 20);
    assert_string_equal(a, expected);

    /* a UUIDv7 begins with the milliseconds */

    derive(7, 1771151400123, "id-1", "envelope", a);
    (void) snprintf(expected, sizeof(expected), "%012llx", 1771151400123ULL);
    assert_memory_equal(a, expected, 8);
    assert_memory_equal(a + 9, expected + 8, 4);

    /* names of any length */

    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    derive(8, 0, longer, "envelope", a);
    derive(8, 0, longer + 1, "envelope", b);
    assert_string_not_equal(a, b);
    derive(8, 0, "", "", a);
}


static void
test_random(void **state)
{
    int      i;
    char     out[PARLEY_UUID_LEN + 1];
    uint8_t  octets[16];

    (void) state;

    for (i = 0; i < 256; i++) {
        memset(octets, i, 16);
        parley_uuid_random(octets, out);
        assert_true(parley_uuid_is(parley_str_c(out), 4));
        assert_int_equal(octets[6], i);
    }

    memset(octets, 0xFF, 16);
    parley_uuid_random(octets, out);
    assert_string_equal(out, "ffffffff-ffff-4fff-bfff-ffffffffffff");
}


static void
test_digest(void **state)
{
    char          hex[2 * PARLEY_SHA256_LEN + 1];
    uint8_t       a[PARLEY_SHA256_LEN], b[PARLEY_SHA256_LEN];
    parley_str_t  parts[4] = {
        parley_str("a"), { NULL, 0 }, parley_str("bc"), parley_str("")
    };

    (void) state;

    assert_int_equal(parley_sha256(PARLEY_STR("abc"), a), 0);
    parley_hex(a, sizeof(a), hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223"
                             "b00361a396177a9cb410ff61f20015ad");

    assert_int_equal(parley_sha256_parts(parts, 4, b), 0);
    assert_memory_equal(a, b, sizeof(a));

    assert_int_equal(parley_sha256(parley_str_none, a), 0);
    parley_hex(a, sizeof(a), hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb924"
                             "27ae41e4649b934ca495991b7852b855");

    parley_hex(a, 0, hex);
    assert_string_equal(hex, "");
}


/* Inputs around each multiple of a block, in one part and in three. */
static void
test_digest_lengths(void **state)
{
    size_t        len;
    uint8_t       octets[400], got[PARLEY_SHA256_LEN];
    uint8_t       expected[PARLEY_SHA256_LEN];
    parley_str_t  parts[3];

    (void) state;

    for (len = 0; len < sizeof(octets); len++) {
        octets[len] = (uint8_t) (len * 7 + 1);
    }

    for (len = 0; len <= sizeof(octets); len++) {
        assert_int_equal(crypto_hash_sha256(expected, octets, len), 0);

        assert_int_equal(parley_sha256(parley_str_make(octets, len), got), 0);
        assert_memory_equal(got, expected, sizeof(got));

        parts[0] = parley_str_make(octets, len / 3);
        parts[1] = parley_str_make(octets + len / 3, len / 3);
        parts[2] = parley_str_make(octets + 2 * (len / 3),
                                   len - 2 * (len / 3));

        assert_int_equal(parley_sha256_parts(parts, 3, got), 0);
        assert_memory_equal(got, expected, sizeof(got));
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("a UUID is lower-case, of its version and variant", test_is),
    parley_test("a UUID of any case is recognised, and written in lower case",
                test_any_case),
    parley_test("AEE-35 derived ids are UUIDs, the same for a retry",
                test_derive),
    parley_test("AEE-35 random ids are UUIDs", test_random),
    parley_test("SHA-256", test_digest),
    parley_test("SHA-256 of inputs of every length", test_digest_lengths),
};


PARLEY_TEST_MAIN(tests)
