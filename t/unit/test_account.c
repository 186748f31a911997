/* gate/party/parley_account.h: cached keys are equal to computed keys */

#include "t/unit/parley_test_state.h"

#include "gate/party/parley_account.h"


static const uint8_t  secrets[2][PARLEY_KEY_SECRET] = { { 1 }, { 2 } };

static parley_state_t         states[2];
static parley_account_kept_t  kept;


static int
begin(void **state)
{
    (void) state;

    parley_state_init(&states[0], &parley_memory_ops, secrets[0]);
    parley_state_init(&states[1], &parley_memory_ops, secrets[1]);

    memset(&kept, 0, sizeof(kept));
    kept.sub = PARLEY_STR("child-7");

    return 0;
}


static void
test_account(void **state)
{
    size_t   i;
    uint8_t  made[PARLEY_KEY_LEN], found[PARLEY_KEY_LEN];

    (void) state;

    /* each state twice, then the first one again */

    for (i = 0; i < 6; i++) {
        parley_account_key(&states[i / 2 % 2], kept.sub, PARLEY_STR("::1"),
                           made);
        parley_account_kept_key(&states[i / 2 % 2], &kept, found);

        assert_memory_equal(found, made, PARLEY_KEY_LEN);
    }
}


static void
test_limit(void **state)
{
    size_t   i, k;
    uint8_t  made[PARLEY_KEY_LEN], found[PARLEY_KEY_LEN];

    static const parley_limit_rate_t  rates[] = {
        { 1000, 5 }, { 1000, 5 }, { 1000, 6 }, { 2000, 6 }, { 1000, 5 }
    };

    (void) state;

    for (i = 0; i < 2; i++) {
        for (k = 0; k < sizeof(rates) / sizeof(rates[0]); k++) {
            parley_account_rate_key(&states[i], PARLEY_COUNTED_PRINCIPAL,
                                    kept.sub, parley_str_none, &rates[k],
                                    made);
            parley_account_kept_rate_key(&states[i], &kept,
                                         PARLEY_COUNTED_PRINCIPAL, &rates[k],
                                         found);

            assert_memory_equal(found, made, PARLEY_KEY_LEN);
        }
    }
}


/* more names than the cache keeps, several times each; some are empty */

static void
test_places(void **state)
{
    size_t                    i, round;
    uint8_t                   octets[PARLEY_ACCOUNT_NAME + 1];
    uint8_t                   made[PARLEY_KEY_LEN], found[PARLEY_KEY_LEN];
    parley_str_t              address;
    parley_account_kept_t    *place;
    parley_account_places_t   places;

    static const parley_limit_rate_t  rate = { 1000, 5 };

    (void) state;

    memset(&places, 0, sizeof(places));

    for (i = 0; i < 6000; i++) {
        memset(octets, (int) (i % 251), sizeof(octets));
        address = parley_str_make(octets, i % (PARLEY_ACCOUNT_NAME + 1));

        for (round = 0; round < 2; round++) {
            place = parley_account_place(&places, address);
            assert_non_null(place);

            parley_account_rate_key(&states[0], PARLEY_COUNTED_FAILURES,
                                    address, parley_str_none, &rate, made);
            parley_account_kept_rate_key(&states[0], place,
                                         PARLEY_COUNTED_FAILURES, &rate,
                                         found);

            assert_memory_equal(found, made, PARLEY_KEY_LEN);
        }
    }

    assert_null(parley_account_place(&places,
                                     parley_str_make(octets,
                                                     sizeof(octets))));
}


static const struct CMUnitTest  tests[] = {
    { "SEC-11 the key of an account", test_account, begin, NULL, NULL },
    { "SEC-11 the key of a limit", test_limit, begin, NULL, NULL },
    { "SEC-11 the keys of addresses", test_places, begin, NULL, NULL },
};

PARLEY_TEST_MAIN(tests)
