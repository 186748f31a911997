/*
 * The promises of docs/mapping.md, for random messages made from the schemas
 * and every ordered pair of protocols.  PARLEY_TEST_MESSAGES is the number for
 * each protocol, PARLEY_TEST_SEED the seed.
 */

#include "t/unit/parley_test_run.h"


#define MESSAGES  20000     /* of each protocol */


static parley_test_run_t  run;


/* least percentage of messages that the target can express */
static const double  least[PARLEY_PROTO_COUNT][PARLEY_PROTO_COUNT] = {
    [PARLEY_PROTO_AEE] = {
        [PARLEY_PROTO_VCP] = 8, [PARLEY_PROTO_VCP2] = 8,
        [PARLEY_PROTO_C2A] = 80, [PARLEY_PROTO_CHANNEL] = 50,
        [PARLEY_PROTO_MOQ] = 70
    },
    [PARLEY_PROTO_VCP] = {
        [PARLEY_PROTO_AEE] = 90, [PARLEY_PROTO_VCP2] = 99,
        [PARLEY_PROTO_C2A] = 90, [PARLEY_PROTO_CHANNEL] = 50,
        [PARLEY_PROTO_MOQ] = 35
    },
    [PARLEY_PROTO_VCP2] = {
        [PARLEY_PROTO_AEE] = 90, [PARLEY_PROTO_VCP] = 50,
        [PARLEY_PROTO_C2A] = 90, [PARLEY_PROTO_CHANNEL] = 50,
        [PARLEY_PROTO_MOQ] = 35
    },
    [PARLEY_PROTO_C2A] = {
        [PARLEY_PROTO_AEE] = 80, [PARLEY_PROTO_VCP] = 0.1,
        [PARLEY_PROTO_VCP2] = 0.1, [PARLEY_PROTO_CHANNEL] = 40,
        [PARLEY_PROTO_MOQ] = 40
    },
    [PARLEY_PROTO_CHANNEL] = {
        [PARLEY_PROTO_AEE] = 99, [PARLEY_PROTO_VCP] = 2,
        [PARLEY_PROTO_VCP2] = 2, [PARLEY_PROTO_C2A] = 99,
        [PARLEY_PROTO_MOQ] = 30
    },
    [PARLEY_PROTO_MOQ] = {
        [PARLEY_PROTO_AEE] = 40, [PARLEY_PROTO_VCP] = 2,
        [PARLEY_PROTO_VCP2] = 2, [PARLEY_PROTO_C2A] = 40,
        [PARLEY_PROTO_CHANNEL] = 25
    },
};


#define ACT(act)  (1u << PARLEY_ACT_##act)

/* acts of the messages of a protocol */
static const unsigned  acts[PARLEY_PROTO_COUNT] = {
    [PARLEY_PROTO_AEE] = ACT(REQUEST) | ACT(REPLY) | ACT(FAILURE) | ACT(EVENT)
                         | ACT(PROGRESS),
    [PARLEY_PROTO_VCP] = ACT(REQUEST) | ACT(REPLY) | ACT(EVENT),
    [PARLEY_PROTO_VCP2] = ACT(REQUEST) | ACT(REPLY) | ACT(EVENT),
    [PARLEY_PROTO_C2A] = ACT(REQUEST) | ACT(REPLY) | ACT(FAILURE) | ACT(EVENT)
                         | ACT(PROGRESS),
    [PARLEY_PROTO_CHANNEL] = ACT(REQUEST) | ACT(REPLY) | ACT(EVENT),
    [PARLEY_PROTO_MOQ] = ACT(REQUEST) | ACT(REPLY) | ACT(FAILURE)
                         | ACT(PROGRESS),
};


static void
worth(parley_proto_t proto)
{
    unsigned     act, to, said, unsaid;
    const char  *unseen;

    for (to = 0; to < PARLEY_PROTO_COUNT; to++) {
        if (to == (unsigned) proto) {
            continue;
        }

        said = run.said[proto][to];
        unsaid = run.unsaid[proto][to];

        print_message("# %s to %s: %u said, %u not\n",
                      (const char *) parley_proto_name(proto).data,
                      (const char *)
                      parley_proto_name((parley_proto_t) to).data, said,
                      unsaid);

        if (run.messages >= PARLEY_TEST_RUN_ENOUGH) {
            assert_true(100.0 * said > least[proto][to] * (said + unsaid));
        }
    }

    if (run.messages < PARLEY_TEST_RUN_ENOUGH) {
        return;
    }

    for (act = 0; act <= PARLEY_ACT_PROGRESS; act++) {
        if ((acts[proto] & (1u << act)) && run.acts[proto][act] == 0) {
            fail_msg("no message does %u", act);
        }
    }

    unseen = parley_test_rules_unseen(&run.forms.rules[proto]);

    if (unseen != NULL) {
        fail_msg("no message shows %s", unseen);
    }
}


static void
test_protocol(parley_proto_t proto)
{
    unsigned  i;

    run.forms.made = 0;
    run.forms.rejected = 0;

    for (i = 0; i < run.messages; i++) {
        parley_test_run_message(&run, proto, i);
    }

    print_message("# %u made, %u begun in vain\n", run.forms.made,
                  run.forms.rejected);

    assert_true(run.forms.rejected < run.forms.made / 10 + 1);

    worth(proto);
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
        parley_test("MOQ-19 GW-06 GW-10 AEE to every other protocol and back",
                    test_aee),
        parley_test("MOQ-19 GW-06 GW-10 VCP to every other protocol and back",
                    test_vcp),
        parley_test("MOQ-19 GW-06 GW-10 VCP 2.0 to every other protocol and "
                    "back", test_vcp2),
        parley_test("MOQ-19 GW-06 GW-10 C2A to every other protocol and back",
                    test_c2a),
        parley_test("MOQ-19 GW-06 GW-10 agent-channel to every other "
                    "protocol and back", test_channel),
        parley_test("MOQ-19 GW-06 GW-10 commands of MoQ to every other "
                    "protocol and back", test_moq),
    };

    parley_test_run_init(&run, MESSAGES);

    cmocka_set_message_output(CM_OUTPUT_TAP);
    failed = cmocka_run_group_tests(tests, NULL, NULL);

    parley_test_run_done(&run);

    return failed;
}
