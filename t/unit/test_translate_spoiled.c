/*
 * Random messages made from the schemas and then changed.  A message is
 * refused and the error names the member.  Or it is accepted, all promises of
 * docs/mapping.md hold, and its canonical form has the same meaning.
 * PARLEY_TEST_MESSAGES is the number for each protocol, PARLEY_TEST_SEED the
 * seed.
 */

#include "t/unit/parley_test_run.h"


#define MESSAGES  10000     /* of each protocol */


static parley_test_run_t  run;


static void
test_protocol(parley_proto_t proto)
{
    unsigned  i;

    run.taken = 0;
    run.refused = 0;

    for (i = 0; i < run.messages; i++) {
        parley_test_run_spoiled(&run, proto, i);
    }

    print_message("# %s: %u taken, %u refused\n",
                  (const char *) parley_proto_name(proto).data, run.taken,
                  run.refused);

    if (run.messages >= PARLEY_TEST_RUN_ENOUGH) {
        assert_true(run.taken > run.messages / 10);
        assert_true(run.refused > run.messages / 10);
    }
}


static void
test_aee(void **state)
{
    (void) state;

    test_protocol(PARLEY_PROTO_AEE);
}


static void
test_vcp(void **state)
{
    (void) state;

    test_protocol(PARLEY_PROTO_VCP);
}


static void
test_vcp2(void **state)
{
    (void) state;

    test_protocol(PARLEY_PROTO_VCP2);
}


static void
test_c2a(void **state)
{
    (void) state;

    test_protocol(PARLEY_PROTO_C2A);
}


static void
test_channel(void **state)
{
    (void) state;

    test_protocol(PARLEY_PROTO_CHANNEL);
}


static void
test_moq(void **state)
{
    (void) state;

    test_protocol(PARLEY_PROTO_MOQ);
}


int
main(void)
{
    int  failed;

    static const struct CMUnitTest  tests[] = {
        parley_test("spoiled AEE envelopes", test_aee),
        parley_test("spoiled VCP messages", test_vcp),
        parley_test("spoiled VCP 2.0 messages", test_vcp2),
        parley_test("spoiled C2A messages", test_c2a),
        parley_test("spoiled agent-channel frames", test_channel),
        parley_test("spoiled commands of MoQ", test_moq),
    };

    parley_test_run_init(&run, MESSAGES);

    cmocka_set_message_output(CM_OUTPUT_TAP);
    failed = cmocka_run_group_tests(tests, NULL, NULL);

    parley_test_run_done(&run);

    return failed;
}
