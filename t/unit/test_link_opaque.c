/* Opaque tracks of agents over MoQ: their publisher and their subscribers.  The
   records that one link appends are given to another one. */

#include "t/unit/parley_test_link.h"


#define RECORDS  32

static uint8_t  kept[RECORDS][4096];
static size_t   lens[RECORDS];
static size_t   nkept;


static void
keep(void)
{
    memcpy(kept, w.records, sizeof(kept));
    memcpy(lens, w.lens, sizeof(lens));
    nkept = w.nrecords;
}


static void
record(size_t n)
{
    parley_link_record(w.link, w.taps[w.ntaps - 1],
                       parley_str_make(kept[n], lens[n]), 0);
    look();
}


static void
ask(uint64_t type, const char *agent, const char *name)
{
    parley_moqt_message_t  m;

    memset(&m, 0, sizeof(m));

    m.type = type;
    m.name = parley_str_c(name);

    assert_int_equal(parley_moqt_namespace_add(&m.space, PARLEY_STR("a2a")),
                     0);
    assert_int_equal(parley_moqt_namespace_add(&m.space, parley_str_c(agent)),
                     0);
    control(&m);
}


static void
subscribe(const char *agent, const char *name)
{
    ask(PARLEY_MOQT_SUBSCRIBE, agent, name);
}


static const parley_moqt_message_t *
last(uint64_t type)
{
    assert_true(w.ngot > 0);
    assert_int_equal(w.types[w.ngot - 1], type);

    return &w.got[w.ngot - 1];
}


static void
joined(int status)
{
    parley_link_joined(w.link, w.taps[w.ntaps - 1], status);
    look();
}


/* Keeps the record WANT of a subscriber as the first one. */

static void
want(void)
{
    (void) open_session(SIZE_MAX);
    w.counts[1] = 1;

    subscribe("camera", "camera.1.video");
    joined(0);

    assert_int_equal(w.nrecords, 1);
    assert_int_equal(w.publisher[0], 1);
    assert_string_equal(w.tracks[0], "camera.1.video");

    keep();
    end();
}


static parley_moq_frame_t
sample(parley_moq_type_t type, uint64_t session, const char *text)
{
    parley_moq_frame_t  f = cmd(session, 7, text);

    f.type = type;
    return f;
}


/* Begins as camera with the Session ID 5.  Returns the alias of its track,
   which is published. */

static uint64_t
camera(void)
{
    uint64_t  alias;

    begin(SIZE_MAX);
    setup("/moq", NULL, 100);

    alias = publish("camera", "camera.0.cmd");
    send_cmd(alias, 5, 1, INIT("s1", "token"));
    prove(0, "camera", "camera");

    alias = publish("camera", "camera.1.video");

    assert_int_equal(w.ntaps, 1);
    assert_true(w.taps[0]->publishes);

    joined(0);

    return alias;
}


/* Appends the records of streams of one frame each. */

static void
samples(parley_moq_type_t type, size_t n)
{
    size_t              i;
    uint64_t            alias;
    static char         text[2001];
    parley_moq_frame_t  f;

    want();
    alias = camera();

    record(0);
    memset(text, 'x', sizeof(text) - 1);

    for (i = 0; i < n; i++) {
        f = sample(type, 5, text);
        parley_link_stream_free(send_frames(alias, &f, 1));
    }

    keep();
    end();
}


/* Returns the number of requests that were answered with a code. */

static void
refused(parley_moqt_refuse_t code)
{
    assert_int_equal(last(PARLEY_MOQT_REQUEST_ERROR)->code, code);
}


/* MOQ-07, MOQ-13: the right to publish. */

static void
test_publishes(void **state)
{
    size_t    n;
    uint64_t  alias;

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
    assert_int_equal(w.parted, 1);

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
    setup("/moq", "token", 100);
    ask(PARLEY_MOQT_PUBLISH_NAMESPACE, "camera", "");
    prove(0, "alice", "alice");
    assert_int_equal(w.ntaps, 0);
    assert_int_equal(w.types[w.ngot - 2], PARLEY_MOQT_PUBLISH);
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
        cmocka_unit_test(test_publishes),
        cmocka_unit_test(test_forwards),
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_announced),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_reads),
        cmocka_unit_test(test_slow),
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_status),
        cmocka_unit_test(test_taken_over),
        cmocka_unit_test(test_malformed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
