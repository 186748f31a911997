/* Opaque tracks of agents over MoQ: TRACK_STATUS, a namespace that is taken
   over, and tracks that are malformed. */

#include "t/unit/parley_test_link_opaque.h"


/* MOQ-16: TRACK_STATUS is answered as SUBSCRIBE, and nothing stays of it. */

static void
test_status(void **state)
{
#define STATUS()  ask(PARLEY_MOQT_TRACK_STATUS, "camera", "camera.1.video")

    (void) state;

    samples(PARLEY_MOQ_DATA, 1);

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);
    STATUS();
    refused(PARLEY_MOQT_REFUSE_UNAUTHORIZED);
    end();

    (void) open_session(SIZE_MAX);

    STATUS();
    assert_int_equal(w.ntaps, 1);
    assert_false(w.taps[0]->publishes);
    joined(403);
    refused(PARLEY_MOQT_REFUSE_UNAUTHORIZED);

    /* neither the track nor the namespace has a publisher */

    STATUS();
    joined(0);
    refused(PARLEY_MOQT_REFUSE_DOES_NOT_EXIST);
    assert_int_equal(w.nrecords, 1);

    /* the track has one, which is not asked to send */

    w.counts[1] = 1;
    STATUS();
    joined(0);
    assert_int_equal(last(PARLEY_MOQT_REQUEST_OK)->params.count, 0);
    assert_int_equal(w.nrecords, 1);
    assert_int_equal(w.parted, 3);

    /* beside a subscription */

    subscribe("camera", "camera.1.video");
    joined(0);
    record(0);
    (void) last(PARLEY_MOQT_SUBSCRIBE_OK);
    STATUS();
    joined(0);
    (void) last(PARLEY_MOQT_REQUEST_OK);
    assert_int_equal(w.parted, 4);

    end();

    /* a namespace: its agent is asked */

    (void) open_session(SIZE_MAX);
    w.later = 1;
    STATUS();
    joined(0);
    parley_link_relayed(w.link, w.taps[0], 2, 1);
    record(0);                              /* READY */
    (void) last(PARLEY_MOQT_REQUEST_OK);
    assert_int_equal(w.parted, 1);

    STATUS();
    joined(0);
    parley_link_relayed(w.link, w.taps[1], 2, 1);
    w.now += 5001;
    (void) parley_link_tick(w.link);
    look();
    refused(PARLEY_MOQT_REFUSE_TIMEOUT);

    end();
}


/* MOQ-16: a later connection announces the namespace. */

static void
test_taken_over(void **state)
{
    uint64_t               alias;
    parley_moqt_message_t  m;

    (void) state;

    want();

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);

    alias = publish("camera", "camera.0.cmd");
    send_cmd(alias, 5, 1, INIT("s1", "token"));
    prove(0, "camera", "camera");

    ask(PARLEY_MOQT_PUBLISH_NAMESPACE, "camera", "");
    joined(0);
    record(0);
    alias = last(PARLEY_MOQT_SUBSCRIBE)->request;
    memset(&m, 0, sizeof(m));
    m.type = PARLEY_MOQT_SUBSCRIBE_OK;
    m.request = alias;
    m.alias = 77;
    control(&m);

    joined(409);
    assert_int_equal(w.types[w.ngot - 2], PARLEY_MOQT_UNSUBSCRIBE);
    assert_int_equal(last(PARLEY_MOQT_PUBLISH_NAMESPACE_CANCEL)->code,
                     PARLEY_MOQT_REFUSE_UNINTERESTED);
    assert_int_equal(w.parted, 1);

    /* it may be announced again */

    ask(PARLEY_MOQT_PUBLISH_NAMESPACE, "camera", "");
    assert_int_equal(w.ntaps, 2);
    joined(403);
    assert_int_equal(last(PARLEY_MOQT_PUBLISH_NAMESPACE_CANCEL)->code,
                     PARLEY_MOQT_REFUSE_UNAUTHORIZED);
    assert_false(w.closed);

    end();

    /* the namespace of another agent, before the proof */

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);
    alias = publish("alice", "alice.0.cmd");
    ask(PARLEY_MOQT_PUBLISH_NAMESPACE, "camera", "");
    send_cmd(alias, 5, 1, INIT("s1", "token"));
    prove(0, "alice", "alice");
    assert_int_equal(w.ntaps, 0);
    assert_int_equal(last(PARLEY_MOQT_PUBLISH_NAMESPACE_CANCEL)->code,
                     PARLEY_MOQT_REFUSE_UNAUTHORIZED);

    end();
}


/* MOQ-12, MOQ-16: a malformed track ends, and its subscribers know why. */

static void
test_malformed(void **state)
{
    uint64_t               alias;
    parley_str_t           octets;
    parley_link_stream_t  *st;

    (void) state;

    samples(PARLEY_MOQ_DATA, 1);            /* READY, object, FIN */
    want();
    alias = camera();
    record(0);

    st = parley_link_stream(w.link, PARLEY_LINK_DATA, NULL);
    octets = moqt_octets("11 00 00 80 | 00 02 3e 05 01 \"x\"");
    assert_true(alias < 64);
    ((uint8_t *) (uintptr_t) octets.data)[1] = (uint8_t) alias;
    assert_int_equal(give(st, octets, 0), -1);
    free((void *) (uintptr_t) octets.data);
    parley_link_stream_free(st);
    look();

    assert_false(w.closed);
    (void) last(PARLEY_MOQT_UNSUBSCRIBE);
    assert_int_equal(w.parted, 1);
    assert_int_equal(w.nrecords, 2);        /* READY, DONE */
    keep();
    end();

    (void) open_session(SIZE_MAX);
    w.counts[1] = 1;
    subscribe("camera", "camera.1.video");
    joined(0);
    record(0);
    record(1);
    assert_int_equal(last(PARLEY_MOQT_PUBLISH_DONE)->code,
                     PARLEY_MOQT_DONE_MALFORMED_TRACK);
    end();
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_status),
        cmocka_unit_test(test_taken_over),
        cmocka_unit_test(test_malformed),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
