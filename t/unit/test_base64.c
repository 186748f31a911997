/* core/parley_base64.h */

#include "t/unit/parley_test.h"

#include "core/parley_base64.h"


static void
test_rfc4648(void **state)
{
    size_t   i, len;
    char     text[32];
    uint8_t  out[32];

    static const struct {
        const char  *octets;
        const char  *padded;
        const char  *bare;
    } vectors[] = {
        { "", "", "" },
        { "f", "Zg==", "Zg" },
        { "fo", "Zm8=", "Zm8" },
        { "foo", "Zm9v", "Zm9v" },
        { "foob", "Zm9vYg==", "Zm9vYg" },
        { "fooba", "Zm9vYmE=", "Zm9vYmE" },
        { "foobar", "Zm9vYmFy", "Zm9vYmFy" },
        { "\xfb\xff", "+/8=", "-_8" },
    };

    (void) state;

    for (i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        assert_int_equal(parley_base64_encode(parley_str_c(vectors[i].octets),
                                              text),
                         strlen(vectors[i].padded));
        assert_string_equal(text, vectors[i].padded);

        (void) parley_base64url_encode(parley_str_c(vectors[i].octets), text);
        assert_string_equal(text, vectors[i].bare);

        assert_int_equal(parley_base64url_decode(
                             parley_str_c(vectors[i].bare), out, &len), 0);
        assert_int_equal(len, strlen(vectors[i].octets));
        assert_memory_equal(out, vectors[i].octets, len);

        assert_int_equal(parley_base64_decode(parley_str_c(vectors[i].padded),
                                              out, &len), 0);
        assert_int_equal(len, strlen(vectors[i].octets));
        assert_memory_equal(out, vectors[i].octets, len);
    }
}


static void
test_strict(void **state)
{
    size_t   i, len;
    uint8_t  out[64];

    static const char  *bad[] = {
        "A", "AAAAA", "Zh", "Zm9", "Zm 9v", "Zm9v\n", "Z===", "Zg=", "Zg===",
        "====", "=", "Zm8==", "Zg==Zg==", "-_+/", "+_8=", "Zm9v.", "Zm9v=",
        "\200AAA", "Zm9v%3D", "Zg", "Zm8", "Zm9vYg", "Zh==", "Zm9=", "-_8=",
        "Zg==\n", "Z g=", "==Zg", "Zm9vZg=A", "Zg==AAAA",
    };
    static const char  *bad_url[] = {
        "Zg==", "Zm8=", "+/8", "Zh", "Zm9", "A", " Zg",
    };

    (void) state;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        len = 7;

        if (parley_base64_decode(parley_str_c(bad[i]), out, &len) == 0) {
            fail_msg("\"%s\" was taken", bad[i]);
        }

        assert_int_equal(len, 0);
    }

    for (i = 0; i < sizeof(bad_url) / sizeof(bad_url[0]); i++) {
        len = 7;

        if (parley_base64url_decode(parley_str_c(bad_url[i]), out, &len) == 0)
        {
            fail_msg("\"%s\" was taken", bad_url[i]);
        }

        assert_int_equal(len, 0);
    }
}


/* Accepted text is written back unchanged: octets have only one text. */

static void
test_canonical_padded(void **state)
{
    char     text[4], back[8];
    size_t   c, len, taken;
    uint8_t  out[8];
    int      a, b;

    static const char  last[] = "=AQgw8/+-_ \n";

    (void) state;

    taken = 0;

    for (a = 0; a < 256; a++) {
        for (b = 0; b < 256; b++) {
            for (c = 0; c < sizeof(last) - 1; c++) {
                text[0] = 'Q';
                text[1] = (char) a;
                text[2] = (char) b;
                text[3] = last[c];

                if (parley_base64_decode(parley_str_make(text, 4), out, &len)
                    == 0)
                {
                    taken++;
                    (void) parley_base64_encode(parley_str_make(out, len),
                                                back);
                    assert_memory_equal(text, back, 4);
                }
            }
        }
    }

    /* Q?==, Q??= and Q??? with seven letters at the end */

    assert_int_equal(taken, 4 + 64 * 16 + 64 * 64 * 7);
}


static void
test_canonical(void **state)
{
    char     text[8], back[8];
    size_t   len;
    uint8_t  out[8];
    int      a, b, c;

    (void) state;

    for (a = 0; a < 256; a++) {
        for (b = 0; b < 256; b += 3) {
            for (c = -1; c < 256; c += 7) {
                text[0] = 'Q';
                text[1] = (char) a;
                text[2] = (char) b;
                text[3] = (char) c;

                len = c < 0 ? 3 : 4;

                if (parley_base64url_decode(parley_str_make(text, len), out,
                                            &len)
                    == 0)
                {
                    len = parley_base64url_encode(parley_str_make(out, len),
                                                  back);
                    assert_int_equal(len, c < 0 ? 3 : 4);
                    assert_memory_equal(text, back, len);
                }
            }
        }
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("base64: vectors of RFC 4648", test_rfc4648),
    parley_test("base64: junk, padding and trailing bits are refused",
                test_strict),
    parley_test("base64: no two texts of the same octets", test_canonical),
    parley_test("base64: the same with padding", test_canonical_padded),
};


PARLEY_TEST_MAIN(tests)
