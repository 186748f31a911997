/* core/parley_utf8.h, compared with a check octet by octet */

#include "t/unit/parley_test.h"

#include "core/parley_utf8.h"


static size_t
slow_len(const uint8_t *p, size_t left)
{
    size_t    i, n;
    uint32_t  cp;

    static const uint32_t  least[] = { 0, 0, 0x80, 0x800, 0x10000 };

    n = (p[0] < 0x80) ? 1 : (p[0] >> 5 == 6) ? 2 : (p[0] >> 4 == 14) ? 3
        : (p[0] >> 3 == 30) ? 4 : 0;

    if (n <= 1 || n > left) {
        return (n == 1) ? 1 : 0;
    }

    cp = p[0] & (0x7Fu >> n);

    for (i = 1; i < n; i++) {
        if ((p[i] & 0xC0) != 0x80) {
            return 0;
        }

        cp = cp << 6 | (p[i] & 0x3F);
    }

    return (cp < least[n] || cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
               ? 0 : n;
}


static int
slow_noncharacter(const uint8_t *p, size_t n)
{
    uint32_t  cp;

    cp = (n == 3) ? (p[0] & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu)
         : (n == 4) ? (p[0] & 0x07u) << 18 | (p[1] & 0x3Fu) << 12
                      | (p[2] & 0x3Fu) << 6 | (p[3] & 0x3Fu)
         : 0;

    return (cp >= 0xFDD0 && cp <= 0xFDEF)
           || cp % 0x10000 == 0xFFFE || cp % 0x10000 == 0xFFFF;
}


static void
check_run(const uint8_t *text, size_t len)
{
    size_t    n, at, more;
    uint32_t  surplus;

    at = 0;
    more = 0;

    while (at < len && text[at] >= 0x80) {
        n = slow_len(text + at, len - at);

        if (n == 0 || slow_noncharacter(text + at, n)) {
            break;
        }

        at += n;
        more += n - 1;
    }

    surplus = 0;
    assert_ptr_equal(parley_utf8_run(text, text + len, &surplus), text + at);
    assert_int_equal(surplus, more);
}


/* Every first and second octet, before octets at the limits of the forms. */
static void
test_sequences(void **state)
{
    size_t   i, j, len;
    uint8_t  text[6] = { 0, 0, 0, 0, 0xC3, 0xA9 };
    int      first, second;

    static const uint8_t  others[] = { 0, 0x41, 0x7F, 0x80, 0xBF, 0xC0, 0xC2,
                                       0xE0, 0xF0, 0xFF };

    (void) state;

    for (first = 0; first < 256; first++) {
        for (second = 0; second < 256; second++) {
            text[0] = (uint8_t) first;
            text[1] = (uint8_t) second;

            for (i = 0; i < sizeof(others) * sizeof(others); i++) {
                text[2] = others[i / sizeof(others)];
                text[3] = others[i % sizeof(others)];

                for (len = 1; len <= sizeof(text); len++) {
                    if (parley_utf8_len(text, text + len)
                        != slow_len(text, len))
                    {
                        fail_msg("%02x %02x %02x %02x, %zu octets", text[0],
                                 text[1], text[2], text[3], len);
                    }
                }
            }

            for (j = 1; j <= sizeof(text); j++) {
                check_run(text, j);
            }
        }
    }
}


/* Every code point, with and without text after it. */
static void
test_runs(void **state)
{
    size_t    n, more;
    uint8_t   text[12];
    uint32_t  cp, refused;

    (void) state;

    refused = 0;

    for (cp = 0x80; cp <= 0x10FFFF; cp++) {
        if (cp >= 0xD800 && cp <= 0xDFFF) {
            continue;
        }

        n = parley_utf8_put(text, cp);
        memcpy(text + n, "\xC3\xA9\xE2\x82\xAC\"", 6);

        for (more = 0; more <= 6; more++) {
            check_run(text, n + more);
        }

        assert_int_equal(parley_utf8_get(text, n), cp);
        assert_int_equal(parley_utf8_is_noncharacter(cp),
                         slow_noncharacter(text, n));
        refused += (uint32_t) parley_utf8_is_noncharacter(cp);
    }

    /* as many as Unicode has */

    assert_int_equal(refused, 66);
}


/* Characters that are not plain, at every place of texts of every length. */
static void
test_plain(void **state)
{
    int             c;
    size_t          at, len;
    uint8_t         text[70], copy[72];
    const uint8_t  *end, *first;

    (void) state;

    for (len = 1; len <= sizeof(text); len++) {
        for (at = 0; at < len; at++) {
            for (c = 0; c < 256; c++) {
                memset(text, '~', sizeof(text));
                memset(copy, '#', sizeof(copy));
                text[at] = (uint8_t) c;

                end = text + len;
                first = (c < 0x20 || c >= 0x7F || c == '"' || c == '\\')
                            ? text + at : end;

                assert_ptr_equal(parley_utf8_plain(text, end), first);
                assert_ptr_equal(parley_utf8_plain_copy(text, end, copy),
                                 first);
                assert_memory_equal(copy, text, (size_t) (first - text));
                assert_int_equal(copy[len], '#');
            }
        }
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("sequences: their length, and runs of them", test_sequences),
    parley_test("runs end at noncharacters, and at no other code point",
                test_runs),
    parley_test("plain text is found and copied", test_plain),
};


PARLEY_TEST_MAIN(tests)
