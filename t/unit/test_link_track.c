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

    assert_int_equal(w.objects[5].group, 3);
    assert_int_equal(w.objects[5].group_gap, 1);
    assert_int_equal(w.objects[5].object_gap, w.objects[5].id);

    /* a peer that reads no more holds a bounded memory */

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


static void
test_fetch(void **state)
{
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

    /* places that are no longer retained */

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

    end();
}


int
main(void)
{
    const struct CMUnitTest  tests[] = {
        cmocka_unit_test(test_subscribes),
        cmocka_unit_test(test_mailbox),
        cmocka_unit_test(test_fetch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
