/* Opaque tracks of agents over MoQ: their publisher and their subscribers. */

#include "t/unit/parley_test_link_opaque.h"


/* MOQ-07, MOQ-13: the right to publish. */

static void
test_publishes(void **state)
{
    size_t                 n;
    uint64_t               alias;
    parley_moqt_message_t  m;

    (void) state;

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);

    (void) publish("camera", "camera.1.video");
    refused(PARLEY_MOQT_REFUSE_UNAUTHORIZED);

    alias = publish("camera", "camera.0.cmd");
    send_cmd(alias, 5, 1, INIT("s1", "token"));
    prove(0, "camera", "camera");

    (void) publish("other", "other.1.video");
    refused(PARLEY_MOQT_REFUSE_UNAUTHORIZED);
    (void) publish("camera", "other.1.video");
    refused(PARLEY_MOQT_REFUSE_NOT_SUPPORTED);
    (void) publish("camera", "camera.video");
    refused(PARLEY_MOQT_REFUSE_NOT_SUPPORTED);
    (void) publish("camera", "camera.1.");
    refused(PARLEY_MOQT_REFUSE_NOT_SUPPORTED);
    assert_int_equal(w.ntaps, 0);

    (void) publish("camera", "camera.1.video");
    n = w.ngot;
    assert_int_equal(w.ntaps, 1);
    joined(403);
    assert_int_equal(w.ngot, n + 1);
    refused(PARLEY_MOQT_REFUSE_UNAUTHORIZED);
    assert_int_equal(w.got[w.ngot - 1].retry, 0);
    assert_int_equal(w.parted, 1);

    /* a limit: it may come again */

    (void) publish("camera", "camera.1.video");
    joined(429);
    refused(PARLEY_MOQT_REFUSE_INTERNAL_ERROR);
    assert_int_equal(w.got[w.ngot - 1].retry, 1001);
    assert_int_equal(w.parted, 2);

    /* one that ends before its answer */

    (void) publish("camera", "camera.1.video");
    memset(&m, 0, sizeof(m));
    m.type = PARLEY_MOQT_PUBLISH_DONE;
    m.request = w.client.next_out - 2;
    control(&m);
    refused(PARLEY_MOQT_REFUSE_UNINTERESTED);
    assert_int_equal(w.parted, 3);

    end();
}


/* Objects are asked for when there is a subscriber, and only then. */

static void
test_forwards(void **state)
{
    uint64_t  alias;

    (void) state;

    want();
    alias = camera();

    assert_int_equal(parley_moqt_pairs_integer(draft,
                         &last(PARLEY_MOQT_PUBLISH_OK)->params,
                         PARLEY_MOQT_PARAM_FORWARD, 1), 0);

    w.counts[0] = 1;
    record(0);

    assert_int_equal(w.nrecords, 1);        /* READY */
    assert_int_equal(w.publisher[0], 0);
    (void) last(PARLEY_MOQT_REQUEST_UPDATE);

    w.now += 2000;
    (void) parley_link_tick(w.link);
    look();
    w.now += 6000;
    (void) parley_link_tick(w.link);
    look();
    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_REQUEST_UPDATE);
    alias = w.ngot;

    w.counts[0] = 0;
    w.now += 2000;
    (void) parley_link_tick(w.link);
    w.now += 4000;
    (void) parley_link_tick(w.link);
    look();
    assert_int_equal(w.ngot, alias);

    w.now += 2000;
    (void) parley_link_tick(w.link);
    look();
    assert_int_equal(w.ngot, alias + 1);
    (void) last(PARLEY_MOQT_REQUEST_UPDATE);

    /* a later publisher has the track */

    joined(409);
    (void) last(PARLEY_MOQT_UNSUBSCRIBE);
    assert_int_equal(w.parted, 1);
    assert_int_equal(w.nrecords, 1);

    end();
}


/* MOQ-06, MOQ-16: objects that a publisher may send. */

static void
test_objects(void **state)
{
    size_t                 n;
    uint64_t               alias;
    parley_moq_frame_t     f[2];
    parley_link_stream_t  *st;

    (void) state;

    want();
    alias = camera();

    /* without a subscriber */

    f[0] = sample(PARLEY_MOQ_STREAM, 5, "one");
    f[1] = sample(PARLEY_MOQ_STREAM, 5, "two");
    parley_link_stream_free(send_frames(alias, f, 2));
    assert_int_equal(w.nrecords, 0);

    record(0);
    parley_link_stream_free(send_frames(alias, f, 2));
    assert_int_equal(w.nrecords, 4);        /* READY, two objects, FIN */

    /* another session, a command, no frame */

    f[1] = sample(PARLEY_MOQ_STREAM, 6, "two");
    parley_link_stream_free(send_frames(alias, f, 2));
    assert_int_equal(w.nrecords, 6);        /* one object, RESET */

    f[0] = sample(PARLEY_MOQ_CMD, 5, "{}");
    parley_link_stream_free(send_frames(alias, f, 1));
    f[0] = sample(PARLEY_MOQ_STREAM, 0, "one");
    parley_link_stream_free(send_frames(alias, f, 1));
    assert_int_equal(w.nrecords, 6);
    assert_false(w.closed);

    /* a publisher that dies in the middle */

    f[0] = sample(PARLEY_MOQ_DATA, 5, "one");
    w.later = 1;
    st = send_frames(alias, f, 1);
    assert_int_equal(w.nrecords, 7);
    assert_true(parley_link_waits(st));
    n = (size_t) w.resumed;
    parley_link_relayed(w.link, w.taps[0], w.op, 1);
    assert_true((size_t) w.resumed > n);
    parley_link_is_reset(st);
    parley_link_stream_free(st);
    assert_int_equal(w.nrecords, 8);        /* RESET */

    end();
    assert_int_equal(w.nrecords, 9);        /* DONE */
    assert_int_equal(w.parted, 1);
}


/* MOQ-07: an announced namespace. */

static void
test_announced(void **state)
{
    uint64_t               alias;
    parley_moqt_message_t  m;

    (void) state;

    want();

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);

    memset(&m, 0, sizeof(m));
    m.type = PARLEY_MOQT_PUBLISH_NAMESPACE;
    assert_int_equal(parley_moqt_namespace_add(&m.space, PARLEY_STR("a2a")),
                     0);
    assert_int_equal(parley_moqt_namespace_add(&m.space,
                                               PARLEY_STR("camera")), 0);
    control(&m);
    assert_int_equal(w.ntaps, 0);

    alias = publish("camera", "camera.0.cmd");
    send_cmd(alias, 5, 1, INIT("s1", "token"));
    prove(0, "camera", "camera");

    assert_int_equal(w.ntaps, 1);
    assert_int_equal(w.taps[0]->track.len, 0);
    joined(0);

    record(0);
    m = *last(PARLEY_MOQT_SUBSCRIBE);
    assert_string_equal(w.names[w.ngot - 1], "camera.1.video");

    alias = m.request;
    memset(&m, 0, sizeof(m));
    m.type = PARLEY_MOQT_REQUEST_ERROR;
    m.request = alias;
    control(&m);
    assert_int_equal(w.nrecords, 1);        /* ABSENT */
    assert_string_equal(w.tracks[0], "camera.1.video");

    record(0);
    alias = last(PARLEY_MOQT_SUBSCRIBE)->request;
    memset(&m, 0, sizeof(m));
    m.type = PARLEY_MOQT_SUBSCRIBE_OK;
    m.request = alias;
    m.alias = 77;
    control(&m);
    assert_int_equal(w.nrecords, 2);        /* READY */

    w.counts[0] = 0;
    w.now += 2000;
    (void) parley_link_tick(w.link);
    w.now += 6000;
    (void) parley_link_tick(w.link);
    look();
    (void) last(PARLEY_MOQT_UNSUBSCRIBE);
    assert_int_equal(w.parted, 0);

    end();
}


/* MOQ-07, MOQ-16: a subscription is refused, or has no publisher. */

static void
test_refused(void **state)
{
    (void) state;

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);
    subscribe("camera", "camera.1.video");
    refused(PARLEY_MOQT_REFUSE_UNAUTHORIZED);
    assert_int_equal(w.ntaps, 0);
    end();

    (void) open_session(SIZE_MAX);

    subscribe("camera", "camera.1.video");
    assert_int_equal(w.ntaps, 1);
    assert_false(w.taps[0]->publishes);
    joined(403);
    refused(PARLEY_MOQT_REFUSE_UNAUTHORIZED);
    assert_int_equal(w.parted, 1);
    assert_int_equal(w.nrecords, 0);

    subscribe("camera", "camera.1.video");
    joined(0);
    refused(PARLEY_MOQT_REFUSE_DOES_NOT_EXIST);
    assert_int_equal(w.nrecords, 2);        /* of the track, the namespace */
    assert_string_equal(w.tracks[1], "");

    w.counts[1] = 1;
    subscribe("camera", "camera.1.video");
    joined(0);
    subscribe("camera", "camera.1.video");
    refused(PARLEY_MOQT_REFUSE_DUPLICATE_SUBSCRIPTION);
    w.now += 5001;
    (void) parley_link_tick(w.link);
    look();
    refused(PARLEY_MOQT_REFUSE_TIMEOUT);
    assert_int_equal(w.parted, 3);

    subscribe("camera", "camera.1.cmd");
    refused(PARLEY_MOQT_REFUSE_DOES_NOT_EXIST);

    end();
}


/* Objects arrive as they were sent, each stream on its own. */

static void
test_reads(void **state)
{
    size_t  i;

    (void) state;

    samples(PARLEY_MOQ_DATA, 2);
    assert_int_equal(nkept, 5);             /* READY, object, FIN ... */

    (void) open_session(SIZE_MAX);
    w.counts[1] = 1;
    subscribe("camera", "camera.1.video");
    joined(0);
    record(0);
    (void) last(PARLEY_MOQT_SUBSCRIBE_OK);

    for (i = 1; i < nkept; i++) {
        record(i);
    }

    assert_int_equal(w.nobjects, 2);
    assert_int_equal(w.objects[0].frame.type, PARLEY_MOQ_DATA);
    assert_int_equal(w.objects[0].frame.payload.len, 2000);
    assert_int_equal(w.nstreams, 2);
    assert_true(w.streams[0]->finished && w.streams[1]->finished);

    /* octets that are not a record are ignored */

    lens[0] = 20;
    record(0);
    assert_false(w.closed);

    /* a gap */

    parley_link_record(w.link, w.taps[0], parley_str_none, 1);
    look();
    assert_int_equal(last(PARLEY_MOQT_PUBLISH_DONE)->code,
                     PARLEY_MOQT_DONE_TOO_FAR_BEHIND);
    assert_int_equal(w.parted, 1);

    end();
}


/* MOQ-10, MOQ-16: a subscriber that does not read. */

static void
test_slow(void **state)
{
    size_t             i;
    parley_moq_type_t  type;

    (void) state;

    for (type = PARLEY_MOQ_DATA; type <= PARLEY_MOQ_STREAM; type++) {

        samples(type, 12);

        (void) open_session(SIZE_MAX);
        w.counts[1] = 1;
        subscribe("camera", "camera.1.video");
        joined(0);
        record(0);
        (void) last(PARLEY_MOQT_SUBSCRIBE_OK);

        w.room = 0;

        for (i = 1; i < nkept && w.taps[w.ntaps - 1] != NULL; i++) {
            kept[i][16] = (uint8_t) i;      /* group */
            record(i);
        }

        if (type == PARLEY_MOQ_DATA) {
            assert_int_equal(last(PARLEY_MOQT_PUBLISH_DONE)->code,
                             PARLEY_MOQT_DONE_TOO_FAR_BEHIND);
            assert_int_equal(w.parted, 1);

        } else {
            (void) last(PARLEY_MOQT_SUBSCRIBE_OK);
            assert_int_equal(w.parted, 0);
        }

        assert_true(w.streams[0]->reset);
        assert_int_equal(w.streams[0]->code, 2);

        /* the newest group goes on */

        if (type == PARLEY_MOQ_STREAM) {
            w.room = SIZE_MAX;
            i = w.nstreams - 1;
            w.streams[i]->room = SIZE_MAX;
            parley_link_writable(w.link);
            look();
            assert_true(w.streams[i]->finished);
            assert_int_equal(w.objects[w.nobjects - 1].frame.payload.len,
                             2000);
        }

        end();
    }
}


/* MOQ-07: subscribe_request and unsubscribe_request. */

static void
test_commands(void **state)
{
    uint64_t  alias;

    (void) state;

    samples(PARLEY_MOQ_DATA, 1);

    alias = open_session(SIZE_MAX);
    (void) accept_publish("parley.s1.cmd", 1);
    w.counts[1] = 1;

#define REQUEST(action, more)                                                 \
    send_cmd(alias, 5, 2, "{\"action\":\"" action "\",\"session_id\":\"s1\","  \
                          "\"track_name\":\"camera.1.video\"" more "}")

    REQUEST("subscribe_request", ",\"subscriber_id\":\"bob\"");
    assert_int_equal(w.ntaps, 0);
    assert_non_null(strstr(w.objects[w.nobjects - 1].text, "denied"));

    REQUEST("subscribe_request", ",\"subscriber_id\":\"alice\"");
    assert_int_equal(w.ntaps, 1);
    joined(403);
    assert_non_null(strstr(w.objects[w.nobjects - 1].text, "track_ready"));
    assert_non_null(strstr(w.objects[w.nobjects - 1].text, "denied"));

    REQUEST("subscribe_request", ",\"subscriber_id\":\"alice\"");
    joined(0);
    assert_non_null(strstr(w.objects[w.nobjects - 1].text,
                           "moq://track/camera.1.video"));
    assert_int_equal(w.parted, 2);
    assert_int_equal(w.nposts, 0);

    REQUEST("unsubscribe_request", "");
    assert_non_null(strstr(w.objects[w.nobjects - 1].text, "404"));

    subscribe("camera", "camera.1.video");
    joined(0);
    record(0);
    (void) last(PARLEY_MOQT_SUBSCRIBE_OK);

    REQUEST("unsubscribe_request", "");
    assert_int_equal(last(PARLEY_MOQT_PUBLISH_DONE)->code,
                     PARLEY_MOQT_DONE_SUBSCRIPTION_ENDED);
    assert_non_null(strstr(w.objects[w.nobjects - 1].text, "approved"));
    assert_int_equal(w.parted, 3);

    end();
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_publishes),
        cmocka_unit_test(test_forwards),
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_announced),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_slow),
        cmocka_unit_test(test_commands),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
