/* core/parley_key.h */

#include "t/unit/parley_test_auth.h"

#include "core/parley_key.h"


static const uint8_t  secret[PARLEY_KEY_SECRET] = "0123456789abcdef";


static void
test_key(void **state)
{
    size_t        i, k;
    uint8_t       a[PARLEY_KEY_LEN], b[PARLEY_KEY_LEN], big[4096];
    parley_str_t  parts[3];

    static const uint8_t  other[PARLEY_KEY_SECRET] = "0123456789abcdeF";

    (void) state;

    parts[0] = PARLEY_STR("ab");
    parts[1] = PARLEY_STR("c");
    parley_key_make(secret, parts, 2, a);
    parley_key_make(secret, parts, 2, b);
    assert_memory_equal(a, b, sizeof(a));

    parts[0] = PARLEY_STR("a");
    parts[1] = PARLEY_STR("bc");
    parley_key_make(secret, parts, 2, b);
    assert_memory_not_equal(a, b, sizeof(a));

    parts[0] = PARLEY_STR("ab");
    parts[1] = PARLEY_STR("c");
    parts[2] = parley_str_none;
    parley_key_make(secret, parts, 3, b);
    assert_memory_not_equal(a, b, sizeof(a));

    parley_key_make(other, parts, 2, b);
    assert_memory_not_equal(a, b, sizeof(a));

    /* every length near the block size, every octet */

    memset(big, 'x', sizeof(big));

    for (i = 240; i < 1100; i += (i < 270) ? 1 : 7) {
        parts[0] = parley_str_make(big, i);
        parley_key_make(secret, parts, 1, a);

        parts[0] = parley_str_make(big, i + 1);
        parley_key_make(secret, parts, 1, b);
        assert_memory_not_equal(a, b, sizeof(a));

        parts[0] = parley_str_make(big, i);

        for (k = 0; k < i; k += 13) {
            big[k] ^= 1;
            parley_key_make(secret, parts, 1, b);
            assert_memory_not_equal(a, b, sizeof(a));
            big[k] ^= 1;
        }
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("AEE-16 keys of parts are told apart", test_key),
};

PARLEY_TEST_MAIN(tests)
