/* hub/: publications, selectors, ids of events */

#include "t/unit/parley_test.h"

#include "hub/parley_hub_object.h"
#include "hub/parley_hub_parts.h"
#include "hub/parley_event_id.h"
#include "hub/parley_publication.h"
#include "hub/parley_selector.h"


static parley_arena_t  arena;


static int
begin(void **state)
{
    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    return 0;
}


static int
end(void **state)
{
    (void) state;

    parley_arena_reset(&arena);

    return 0;
}


static parley_publication_t
query(void)
{
    parley_publication_t  p;

    memset(&p, 0, sizeof(p));

    p.proto = PARLEY_PROTO_CHANNEL;
    p.sender = PARLEY_STR("alice");
    p.facts.values[PARLEY_CHANNEL_AXIS_KIND] = PARLEY_STR("agent_query");
    p.facts.values[PARLEY_CHANNEL_AXIS_SENDER] = PARLEY_STR("~alice");
    p.message = PARLEY_STR("{}");
    p.stamp = 7;

    return p;
}


static void
test_publication(void **state)
{
    size_t                 len;
    uint8_t               *octets;
    parley_str_t           parts[2], all;
    parley_publication_t   p, got;

    (void) state;

    p = query();
    p.audience.form = PARLEY_AUDIENCE_SESSION;
    p.audience.instrument = PARLEY_STR("cc-a");
    p.audience.session = PARLEY_STR("s1");

    assert_int_equal(parley_publication_write(&arena, &p, parts), 0);

    len = parts[0].len + parts[1].len;
    octets = malloc(len);
    memcpy(octets, parts[0].data, parts[0].len);
    memcpy(octets + parts[0].len, parts[1].data, parts[1].len);
    all = parley_str_make(octets, len);

    assert_int_equal(parley_publication_read(all, &got), 0);
    assert_int_equal(got.proto, PARLEY_PROTO_CHANNEL);
    assert_int_equal(got.audience.form, PARLEY_AUDIENCE_SESSION);
    parley_assert_str(got.audience.instrument, "cc-a");
    parley_assert_str(got.audience.session, "s1");
    parley_assert_str(got.sender, "alice");
    parley_assert_str(got.facts.values[PARLEY_CHANNEL_AXIS_KIND],
                      "agent_query");
    parley_assert_str(got.message, "{}");
    assert_int_equal(got.stamp, 7);

    /* a cut publication is invalid */

    for (len = 0; len < parts[0].len; len++) {
        assert_int_equal(parley_publication_read(
                             parley_str_make(octets, len), &got), -1);
    }

    octets[0] ^= 1;
    assert_int_equal(parley_publication_read(all, &got), -1);

    free(octets);
}


static void
test_publication_long(void **state)
{
    static uint8_t  text[PARLEY_PUBLICATION_TEXT_MAX + 1];

    parley_str_t          parts[2];
    parley_publication_t  p;

    (void) state;

    p = query();
    p.audience.instrument = parley_str_make(text, sizeof(text) - 1);
    assert_int_equal(parley_publication_write(&arena, &p, parts), 0);

    p.audience.instrument.len++;
    assert_int_equal(parley_publication_write(&arena, &p, parts), -1);
}


static int
admits(const char *instrument, const char *filter,
    const parley_publication_t *p)
{
    parley_str_t       text;
    parley_selector_t  selector;

    assert_int_equal(parley_selector_text(&arena, PARLEY_PROTO_CHANNEL,
                                          parley_str_c(instrument),
                                          parley_str_c(filter), &text), 0);
    assert_int_equal(parley_selector_read(&arena, text, &selector), 0);

    return parley_selector_admits(&selector, p);
}


static void
test_selector(void **state)
{
    parley_str_t          text;
    parley_selector_t     selector;
    parley_publication_t  p;

    (void) state;

    p = query();

    assert_int_equal(admits("cc-a", "", &p), 1);
    assert_int_equal(admits("", "kind:agent_query,sender:~alice", &p), 1);
    assert_int_equal(admits("", "kind:agent_query,sender:~bob", &p), 0);
    assert_int_equal(admits("", "tool:editor", &p), 0);

    p.audience.form = PARLEY_AUDIENCE_PREFIX;
    p.audience.instrument = PARLEY_STR("cc-");
    assert_int_equal(admits("cc-a", "", &p), 1);
    assert_int_equal(admits("cc", "", &p), 0);
    assert_int_equal(admits("vs-cc-", "", &p), 0);
    assert_int_equal(admits("cc-a", "kind:agent_advisory", &p), 0);

    p.audience.form = PARLEY_AUDIENCE_SESSION;
    p.audience.instrument = PARLEY_STR("cc-a");
    assert_int_equal(admits("cc-a", "", &p), 2);
    assert_int_equal(admits("cc-ab", "", &p), 0);
    assert_int_equal(admits("cc-a", "kind:agent_advisory", &p), 0);

    text = parley_str_none;
    assert_int_equal(parley_selector_read(&arena, text, &selector), -1);
    text = PARLEY_STR("-cc-a");
    assert_int_equal(parley_selector_read(&arena, text, &selector), -1);
    text = PARLEY_STR("zcc-a\n");
    assert_int_equal(parley_selector_read(&arena, text, &selector), -1);
    text = PARLEY_STR("-cc-a\nkind:none");
    assert_int_equal(parley_selector_read(&arena, text, &selector), -1);
}


/* HUB-06, ACH-19 */

static void
test_count(void **state)
{
    unsigned              i;
    int64_t               counts[PARLEY_PROTO_COUNT];
    parley_group_t        groups[5];
    parley_appended_t     appended;
    parley_publication_t  p;

    static const struct {
        parley_proto_t   proto;
        const char      *filter;
    } of[] = {
        { PARLEY_PROTO_CHANNEL, "" },
        { PARLEY_PROTO_VCP, "" },
        { PARLEY_PROTO_VCP, "kind:agent_advisory" },
        { PARLEY_PROTO_VCP, "kind:agent_query" },
        { PARLEY_PROTO_NONE, "" },
    };

    (void) state;

    memset(&appended, 0, sizeof(appended));
    p = query();
    p.proto = PARLEY_PROTO_AEE;

    for (i = 0; i < 5; i++) {
        groups[i].log = 0;
        groups[i].count = 1u << i;

        assert_int_equal(parley_selector_text(&arena, of[i].proto,
                                              parley_str_none,
                                              parley_str_c(of[i].filter),
                                              &groups[i].selector), 0);
    }

    appended.groups = groups;
    appended.ngroups = 5;

    assert_int_equal(parley_selector_count(&arena, &p, &appended, counts), 0);

    assert_int_equal(counts[PARLEY_PROTO_CHANNEL], 1);
    assert_int_equal(counts[PARLEY_PROTO_VCP], 2 + 8);
    assert_int_equal(counts[PARLEY_PROTO_AEE], 16);
    assert_int_equal(counts[PARLEY_PROTO_C2A], 0);

    groups[3].selector = PARLEY_STR("?");
    assert_int_equal(parley_selector_count(&arena, &p, &appended, counts), -1);
}


static void
test_coarse(void **state)
{
    (void) state;

    assert_int_equal(parley_selector_coarse(0), 0);
    assert_int_equal(parley_selector_coarse(1), 1);
    assert_int_equal(parley_selector_coarse(2), 2);
    assert_int_equal(parley_selector_coarse(9), 2);
    assert_int_equal(parley_selector_coarse(10), 10);
    assert_int_equal(parley_selector_coarse(12345), 10);
}


static void
test_id(void **state)
{
    static const char *const  none[] = {
        "", "3f09c2a1b47e", "3f09c2a1b47e.", "3f09c2a1b47e.x", ".17",
        "3F09c2a1b47e.17", "3f09c2a1b47.177", "000000000000.1",
        "3f09c2a1b47e.17 ", "3f09c2a1b47e.-1",
        "3f09c2a1b47e.1234567890123456789"
    };

    static const parley_retention_t  retention = {
        .records = 1000, .octets = 1, .ms = 3600000
    };

    size_t          i;
    parley_buf_t    b;
    parley_str_t    text;
    parley_place_t  place;

    (void) state;

    place.epoch = 0x3f09c2a1b47eULL;
    place.offset = 17;

    parley_buf_init(&b, &arena, 0);
    parley_event_id_write(&b, &place);
    assert_int_equal(parley_buf_done(&b, &text), 0);
    parley_assert_str(text, "3f09c2a1b47e.17");

    memset(&place, 0, sizeof(place));
    assert_int_equal(parley_event_id_read(text, &place), 0);
    assert_int_equal(place.epoch, 0x3f09c2a1b47eULL);
    assert_int_equal(place.offset, 17);

    for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        place.epoch = 1;
        assert_int_equal(parley_event_id_read(parley_str_c(none[i]), &place),
                         -1);
        assert_int_equal(place.epoch, 0);
    }

    place.epoch = 0xa1;
    place.offset = 4;

    parley_buf_init(&b, &arena, 0);
    parley_event_open(&b, &place, 2500, &retention);
    parley_event_gap(&b, &place);
    assert_int_equal(parley_buf_done(&b, &text), 0);
    parley_assert_str(text, "id: 0000000000a1.4\nevent: ready\n"
                            "retry: 2500\ndata: {\"retention\":{\"count\":1000,"
                            "\"ms\":3600000}}\n\n"
                            "id: 0000000000a1.4\nevent: gap\n"
                            "data: {\"first\":\"0000000000a1.5\"}\n\n");
}


/* Entries for MoQ: each has its place, and a part of one is not read. */

static void
test_objects(void **state)
{
    size_t               i, n;
    parley_buf_t         b;
    parley_str_t         octets, written;
    parley_place_t       place;
    parley_stream_t      stream;
    parley_retention_t   retention;
    parley_hub_object_t  object;

    static const parley_hub_object_kind_t  kinds[] = {
        PARLEY_HUB_OBJECT_OPEN, PARLEY_HUB_OBJECT_MESSAGE,
        PARLEY_HUB_OBJECT_GAP, PARLEY_HUB_OBJECT_ALIVE
    };

    (void) state;

    memset(&stream, 0, sizeof(stream));
    memset(&retention, 0, sizeof(retention));

    stream.form = PARLEY_FORM_OBJECTS;
    place.epoch = 0x3f09c2a1b47e;
    place.offset = 7;

    parley_buf_init(&b, &arena, 0);
    parley_hub_form_open(&b, &stream, &place, 0, &retention);

    place.offset++;
    assert_int_equal(parley_hub_form_message(stream.form, PARLEY_STR("{}"),
                                             &arena, &written), 0);
    parley_hub_form_event(&b, &stream, &place, written);

    place.offset++;
    parley_hub_form_gap(&b, stream.form, &place);

    place.offset++;
    parley_hub_form_alive(&b, stream.form, &place);

    assert_int_equal(parley_buf_done(&b, &octets), 0);

    for (i = 0; i < 4; i++) {
        n = parley_hub_object_read(octets, &object);

        assert_true(n > 0);
        assert_int_equal(parley_hub_object_read(parley_str_make(octets.data,
                                                                n - 1),
                                                &object), 0);
        assert_int_equal(parley_hub_object_read(octets, &object), n);

        assert_int_equal(object.kind, kinds[i]);
        assert_true(object.place.epoch == place.epoch);
        assert_int_equal(object.place.offset, 7 + i);
        assert_int_equal(object.message.len, i == 1 ? 2 : 0);

        octets = parley_str_from(octets, n);
    }

    assert_int_equal(octets.len, 0);
}


static const struct CMUnitTest  tests[] = {
    cmocka_unit_test_setup_teardown(test_publication, begin, end),
    cmocka_unit_test_setup_teardown(test_publication_long, begin, end),
    { "ACH-22 a selector admits what its filter and the scope's instrument do",
      test_selector, begin, end, NULL },
    { "ACH-19: those that a message is for, by the protocol that they read",
      test_count, begin, end, NULL },
    cmocka_unit_test_setup_teardown(test_coarse, begin, end),
    { "HUB-02 ids are epoch and offset, and a gap names the first there is",
      test_id, begin, end, NULL },
    cmocka_unit_test(test_objects),
};


PARLEY_TEST_MAIN(tests)
