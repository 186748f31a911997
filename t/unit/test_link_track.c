/* A connection of an agent over MoQ: the mailbox, subscriptions and FETCH. */

#include "t/unit/parley_test_link.h"


/* A client that permits no requests. */

static void
test_subscribes(void **state)
{
    uint64_t               alias;
    parley_moqt_message_t  m;

    (void) state;

    begin(SIZE_MAX);
    setup("/moq", NULL, 0);
    alias = publish("alice", "alice.0.cmd");

    memset(&m, 0, sizeof(m));

    m.type = PARLEY_MOQT_SUBSCRIBE;
    m.name = PARLEY_STR("parley.s1.cmd");

    assert_int_equal(parley_moqt_namespace_add(&m.space, PARLEY_STR("a2a")),
                     0);
    assert_int_equal(parley_moqt_namespace_add(&m.space,
                                               PARLEY_STR("parley")), 0);
    control(&m);
    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_SUBSCRIBE_OK);

    send_cmd(alias, 5, 1, INIT("s1", "token"));
    prove(0, "alice", "alice");

    assert_int_equal(w.nobjects, 1);
    assert_non_null(strstr(w.objects[0].text, "approved"));

    m.name = PARLEY_STR("alice.000000000abc.mailbox");
    control(&m);
    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_SUBSCRIBE_OK);

    /* the same again is a duplicate, another name does not exist */

    control(&m);
    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_REQUEST_ERROR);
    assert_int_equal(w.got[w.ngot - 1].code,
                     PARLEY_MOQT_REFUSE_DUPLICATE_SUBSCRIPTION);

    m.name = PARLEY_STR("bob.000000000abc.mailbox");
    control(&m);
    assert_int_equal(w.got[w.ngot - 1].code,
                     PARLEY_MOQT_REFUSE_DOES_NOT_EXIST);

    end();
}


/* The mailbox. */

static void
test_mailbox(void **state)
{
    size_t          i;
    char            text[3000];
    uint64_t        mail;
    parley_place_t  place;

    (void) state;

    (void) open_session(SIZE_MAX);
    (void) accept_publish("parley.s1.cmd", 1);
    mail = accept_publish("alice.000000000abc.mailbox", 1);

    place.epoch = 0xabc;
    place.offset = 301;

    assert_int_equal(parley_link_mail(w.link, &place, PARLEY_STR("{}")), 1);
    look();

    assert_int_equal(w.objects[1].alias, mail);
    assert_int_equal(w.objects[1].group, 1);
    assert_int_equal(w.objects[1].id, 45 * 65536);
    assert_int_equal(w.objects[1].frame.session, 0);

    /* Fragments */

    memset(text, 'x', sizeof(text));
    place.offset = 302;
    assert_int_equal(parley_link_mail(w.link, &place,
                                      parley_str_make(text, sizeof(text))),
                     1);
    look();

    assert_int_equal(w.nobjects, 5);

    for (i = 0; i < 3; i++) {
        assert_int_equal(w.objects[2 + i].id, 46 * 65536 + i);
        assert_int_equal(w.objects[2 + i].frame.flags,
                         i < 2 ? PARLEY_MOQ_FRAGMENTED : 0);
    }

    /* a gap is told */

    place.offset = 899;
    parley_link_mailbox(w.link, &place, 1);
    place.offset = 900;
    assert_int_equal(parley_link_mail(w.link, &place, PARLEY_STR("{}")), 1);
    look();

    assert_int_equal(w.objects[5].group, 1);
    assert_int_equal(w.objects[5].id, w.objects[4].id + 1);
    assert_true(w.objects[5].ends);

    assert_int_equal(w.objects[6].group, 3);
    assert_int_equal(w.objects[6].group_gap, 1);
    assert_int_equal(w.objects[6].object_gap, w.objects[6].id);

    /* a peer that does not read holds a bounded memory */

    for (i = 0; i < w.nstreams; i++) {
        w.streams[i]->room = 0;
    }

    for (i = 0; i < 1000; i++) {
        place.offset = 901 + i;

        if (parley_link_mail(w.link, &place, parley_str_make(text, 1000))
            == 0)
        {
            break;
        }
    }

    assert_true(i > 10 && i < 150);

    /* a new log is a new track */

    place.epoch = 0xabd;
    place.offset = 5;

    for (i = 0; i < w.nstreams; i++) {
        w.streams[i]->room = SIZE_MAX;
    }

    parley_link_mailbox(w.link, &place, 0);
    parley_link_writable(w.link);
    look();

    for (i = w.ngot; i > 0 && w.types[i - 1] != PARLEY_MOQT_PUBLISH_DONE; i--)
    { /* void */ }

    assert_true(i > 0);
    (void) accept_publish("alice.000000000abd.mailbox", 1);

    end();
}


/* MOQ-12: a track with FORWARD 0 resumes what waits once, not for ever. */

static void
test_resumes_once(void **state)
{
    size_t                      i;
    uint64_t                    alias;
    parley_arena_t              arena;
    parley_moq_frame_t          f;
    parley_link_stream_t       *st;
    parley_moqt_message_t       m;
    parley_moqt_pairs_writer_t  p;

    (void) state;

    (void) open_session(SIZE_MAX);
    alias = accept_publish("parley.s1.cmd", 1);
    assert_int_equal(texts("session_ack"), 1);

    for (i = 0; i < w.ngot && w.got[i].alias != alias; i++) { /* void */ }

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_moqt_pairs_writer_init(&p, draft, &arena);
    parley_moqt_pairs_put_integer(&p, PARLEY_MOQT_PARAM_FORWARD, 0);

    memset(&m, 0, sizeof(m));

    m.type = PARLEY_MOQT_REQUEST_UPDATE;
    m.existing = w.got[i].request;
    assert_int_equal(parley_moqt_pairs_done(&p, &m.params), 0);
    control(&m);

    /* a stream waits: its alias is unknown */

    f = cmd(5, 1, "{\"action\":\"do\"}");
    w.resumed = 0;
    st = send_frames(999, &f, 1);
    assert_true(parley_link_waits(st));

    for (i = 0; i < 10; i++) {
        (void) parley_link_tick(w.link);
    }

    assert_int_equal(w.resumed, 0);

    parley_link_stream_free(st);
    parley_arena_reset(&arena);
    end();
}


static void
test_fetch(void **state)
{
    char                   text[3000];
    parley_place_t         place;
    parley_moqt_message_t  m;

    (void) state;

    (void) open_session(SIZE_MAX);
    (void) accept_publish("parley.s1.cmd", 1);

    memset(&m, 0, sizeof(m));

    m.type = PARLEY_MOQT_FETCH;
    m.fetch = PARLEY_MOQT_FETCH_STANDALONE;
    m.name = PARLEY_STR("alice.000000000abc.mailbox");
    m.start.group = 1;
    m.start.object = 10 * 65536;
    m.end.group = 1;

    assert_int_equal(parley_moqt_namespace_add(&m.space, PARLEY_STR("a2a")),
                     0);
    assert_int_equal(parley_moqt_namespace_add(&m.space,
                                               PARLEY_STR("parley")), 0);
    control(&m);

    assert_int_equal(w.nfetches, 1);
    assert_int_equal(w.fetches[0]->from.epoch, 0xabc);
    assert_int_equal(w.fetches[0]->from.offset, 256 + 9);
    assert_int_equal(w.fetches[0]->last, 300);

    place.epoch = 0xabc;
    place.offset = 256 + 10;
    assert_int_equal(parley_link_fetch_mail(w.link, w.fetches[0], &place,
                                            PARLEY_STR("{\"n\":1}")), 1);
    place.offset = 256 + 12;
    assert_int_equal(parley_link_fetch_mail(w.link, w.fetches[0], &place,
                                            PARLEY_STR("{\"n\":2}")), 1);
    parley_link_fetched(w.link, w.fetches[0], 0, 0);
    look();

    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_FETCH_OK);
    assert_int_equal(w.nobjects, 3);
    assert_int_equal(w.objects[1].request, m.request);
    assert_int_equal(w.objects[1].group, 1);
    assert_int_equal(w.objects[1].id, 10 * 65536);
    assert_string_equal(w.objects[2].text, "{\"n\":2}");
    assert_true(w.streams[w.nstreams - 1]->finished);

    /* places that are dropped */

    control(&m);
    parley_link_fetched(w.link, w.fetches[1], 1, 290);
    look();
    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_REQUEST_ERROR);
    assert_int_equal(w.got[w.ngot - 1].code,
                     PARLEY_MOQT_REFUSE_INVALID_RANGE);

    /* after the largest object */

    m.start.group = 2;
    m.end.group = 3;
    control(&m);
    assert_int_equal(w.nfetches, 2);
    assert_int_equal(w.got[w.ngot - 1].code,
                     PARLEY_MOQT_REFUSE_INVALID_RANGE);

    /* a fetch that is cancelled */

    m.start.group = 0;
    control(&m);
    assert_int_equal(w.nfetches, 3);
    m.type = PARLEY_MOQT_FETCH_CANCEL;
    control(&m);
    assert_int_equal(w.abandoned, 1);

    /* it is answered: its request ends on both sides */

    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_REQUEST_ERROR);
    assert_null(parley_moqt_session_request(&w.client, m.request));

    /* records are lost in the middle: no FIN */

    m.type = PARLEY_MOQT_FETCH;
    control(&m);
    place.offset = 266;
    assert_int_equal(parley_link_fetch_mail(w.link, w.fetches[3], &place,
                                            PARLEY_STR("{}")), 1);
    parley_link_fetched(w.link, w.fetches[3], 1, 290);
    assert_true(w.streams[w.nstreams - 1]->reset);

    /* a range that ends within the chunks of a message */

    m.start.group = 1;
    m.start.object = 10 * 65536;
    m.end.group = 1;
    m.end.object = 10 * 65536 + 1;
    control(&m);
    memset(text, 'x', sizeof(text));
    (void) parley_link_fetch_mail(w.link, w.fetches[4], &place,
                                  parley_str_make(text, sizeof(text)));
    parley_link_fetched(w.link, w.fetches[4], 0, 0);
    look();
    assert_int_equal(w.objects[w.nobjects - 1].id, 10 * 65536);
    assert_true(w.streams[w.nstreams - 1]->finished);

    end();
}


/* Object IDs above those of a group are not in the next group. */

static void
test_fetch_bounds(void **state)
{
    parley_moqt_message_t  m;

    (void) state;

    (void) open_session(SIZE_MAX);
    (void) accept_publish("parley.s1.cmd", 1);

    memset(&m, 0, sizeof(m));

    m.type = PARLEY_MOQT_FETCH;
    m.fetch = PARLEY_MOQT_FETCH_STANDALONE;
    m.name = PARLEY_STR("alice.000000000abc.mailbox");
    m.start.object = 1024 * 65536;
    m.end.group = 1;

    assert_int_equal(parley_moqt_namespace_add(&m.space, PARLEY_STR("a2a")),
                     0);
    assert_int_equal(parley_moqt_namespace_add(&m.space,
                                               PARLEY_STR("parley")), 0);
    control(&m);

    assert_int_equal(w.nfetches, 1);
    assert_int_equal(w.fetches[0]->from.offset, 254);
    assert_int_equal(w.fetches[0]->last, 300);

    m.start.object = 0;
    m.end.group = 0;
    m.end.object = 1024 * 65536;
    control(&m);

    assert_int_equal(w.nfetches, 2);
    assert_int_equal(w.fetches[1]->from.offset, 0);
    assert_int_equal(w.fetches[1]->last, 255);

    end();
}


/* A gap at the end of a group; records that come again; a subscription that
   ends while a record waits. */

static void
test_gaps(void **state)
{
    size_t                 i;
    char                   text[3000];
    parley_place_t         place;
    parley_moqt_message_t  m;

    (void) state;

    (void) open_session(SIZE_MAX);
    (void) accept_publish("alice.000000000abc.mailbox", 1);

    place.epoch = 0xabc;
    place.offset = 301;
    assert_int_equal(parley_link_mail(w.link, &place, PARLEY_STR("{}")), 1);

    /* another session gets the mailbox: 302 to 511 were not passed */

    place.offset = 511;
    parley_link_mailbox(w.link, &place, 0);
    place.offset = 512;
    assert_int_equal(parley_link_mail(w.link, &place, PARLEY_STR("{}")), 1);
    look();

    assert_int_equal(w.nobjects, 3);
    assert_int_equal(w.objects[1].group, 1);
    assert_int_equal(w.objects[1].id, w.objects[0].id + 1);
    assert_true(w.objects[1].ends);
    assert_int_equal(w.objects[2].group, 2);
    assert_int_equal(w.objects[2].id, 0);

    /* 511 and 512 once more */

    place.offset = 510;
    parley_link_mailbox(w.link, &place, 0);
    place.offset = 511;
    assert_int_equal(parley_link_mail(w.link, &place, PARLEY_STR("{}")), 1);
    place.offset = 512;
    assert_int_equal(parley_link_mail(w.link, &place, PARLEY_STR("{}")), 1);
    look();
    assert_int_equal(w.nobjects, 3);

    /* a record waits, and its subscription ends */

    memset(text, 'x', sizeof(text));

    for (i = 0; i < w.nstreams; i++) {
        w.streams[i]->room = 0;
    }

    do {
        place.offset++;
    } while (parley_link_mail(w.link, &place,
                              parley_str_make(text, sizeof(text))) == 1);

    w.resumed = 0;
    memset(&m, 0, sizeof(m));
    m.type = PARLEY_MOQT_UNSUBSCRIBE;

    for (i = 0; i < w.ngot; i++) {
        if (strcmp(w.names[i], "alice.000000000abc.mailbox") == 0) {
            m.request = w.got[i].request;
        }
    }

    control(&m);
    assert_true(w.resumed > 0);
    assert_int_equal(parley_link_mail(w.link, &place, PARLEY_STR("{}")), 1);

    end();
}


/* The range of a subscription ends before an answer. */

static void
test_range(void **state)
{
    uint64_t                    alias;
    parley_arena_t              arena;
    parley_moqt_filter_t        filter;
    parley_moqt_message_t       m;
    parley_moqt_pairs_writer_t  p;

    (void) state;

    begin(SIZE_MAX);
    setup("/moq", NULL, 0);
    alias = publish("alice", "alice.0.cmd");

    /* session_ack uses a place of the name */

    send_cmd(alias, 5, 1, INIT("s1", "token"));
    prove(0, "alice", "alice");
    send_cmd(alias, 5, 2, "{\"action\":\"session_bye\","
                          "\"session_id\":\"s1\"}");

    parley_arena_init(&arena, &parley_mem_libc, 0);
    memset(&m, 0, sizeof(m));
    memset(&filter, 0, sizeof(filter));

    m.type = PARLEY_MOQT_SUBSCRIBE;
    m.name = PARLEY_STR("parley.s1.cmd");
    assert_int_equal(parley_moqt_namespace_add(&m.space, PARLEY_STR("a2a")),
                     0);
    assert_int_equal(parley_moqt_namespace_add(&m.space,
                                               PARLEY_STR("parley")), 0);
    control(&m);
    assert_int_equal(w.nobjects, 1);
    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_PUBLISH_DONE);
    assert_int_equal(w.got[w.ngot - 1].streams, 1);

    send_cmd(alias, 5, 3, INIT("s1", "token"));
    prove(0, "alice", "alice");

    filter.type = PARLEY_MOQT_FILTER_RANGE;
    parley_moqt_pairs_writer_init(&p, draft, &arena);
    parley_moqt_pairs_put_filter(&p, PARLEY_MOQT_PARAM_FILTER, &filter);
    assert_int_equal(parley_moqt_pairs_done(&p, &m.params), 0);
    control(&m);
    assert_int_equal(w.nobjects, 1);
    assert_int_equal(w.types[w.ngot - 1], PARLEY_MOQT_PUBLISH_DONE);

    memset(&m.params, 0, sizeof(m.params));
    control(&m);
    assert_int_equal(w.nobjects, 2);
    assert_int_equal(w.objects[1].group, 1);

    parley_arena_reset(&arena);
    end();
}


/* SUBSCRIBE_NAMESPACE may overtake CLIENT_SETUP, and its peer may be slow. */

static void
test_early_request(void **state)
{
    uint64_t               code;
    stream_t              *out;
    parley_str_t           octets, in;
    parley_link_stream_t  *st;

    (void) state;

    begin(SIZE_MAX);
    out = calloc(1, sizeof(stream_t));
    assert_non_null(out);
    out->open = 1;
    out->room = 2;

    octets = moqt_octets("11 0008 00 | 01 03 \"a2a\" | 02 | 00");
    st = parley_link_stream(w.link, PARLEY_LINK_REQUEST, out);
    in = octets;
    assert_int_equal(parley_link_read(st, &in, 0, &code), 0);
    assert_true(parley_link_waits(st));
    assert_int_equal(in.len, octets.len);
    assert_false(w.closed);

    setup("/moq", NULL, 100);
    assert_true(w.resumed > 0);

    assert_int_equal(parley_link_read(st, &in, 0, &code), 0);
    assert_int_equal(in.len, 0);
    assert_int_equal(out->len, 2);
    assert_false(out->finished);

    out->room = SIZE_MAX;
    parley_link_writable(w.link);
    assert_true(out->len > 2);
    assert_true(out->finished);

    parley_link_stream_free(st);
    free((void *) (uintptr_t) octets.data);
    end();
    free(out);
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_subscribes),
        cmocka_unit_test(test_mailbox),
        cmocka_unit_test(test_resumes_once),
        cmocka_unit_test(test_fetch),
        cmocka_unit_test(test_fetch_bounds),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_early_request),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
