/*
 * hub/parley_publication.c, hub/parley_selector.c: the contents and the
 * audience of a record
 */

#include "t/unit/parley_test.h"

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


static void
fill(parley_publication_t *p)
{
    unsigned  i;

    memset(p, 0, sizeof(parley_publication_t));

    p->kind = PARLEY_PUBLICATION_MESSAGE;
    p->proto = PARLEY_PROTO_VCP;
    p->audience.form = PARLEY_AUDIENCE_SESSION;
    p->audience.instrument = PARLEY_STR("cc-model");
    p->audience.session = PARLEY_STR("s1");
    p->sender = PARLEY_STR("alice");
    p->author = PARLEY_STR("~alice");
    p->scope = PARLEY_STR("~bob/cc-model@s1");
    p->from = PARLEY_STR("agent:alice");
    p->to = PARLEY_STR("agent:bob");
    p->id = PARLEY_STR("f6f0bb7e-7a52-4d0b-9d36-2a6ab8a4a1d2");
    p->ms = 1764000000123;
    p->priority = PARLEY_PRIORITY_HIGH;
    p->timeout_ms = -1;
    p->answers = PARLEY_STR("00ff");
    p->question = PARLEY_STR("the record of a question\0with octets");
    p->own = 1;
    p->views = PARLEY_STR("one view\0another");
    p->message = PARLEY_STR("{\"v\":\"1\"}");
    p->stamp = 77;

    for (i = 0; i < PARLEY_CHANNEL_AXES; i++) {
        p->facts.values[i] = parley_str_make(&"abcdefgh"[i], 3);
    }

    memset(p->log, 5, PARLEY_KEY_LEN);
}


/* Returns the record as one text. */

static parley_str_t
record(const parley_publication_t *p)
{
    uint8_t       *octets;
    parley_str_t   parts[2];

    assert_int_equal(parley_publication_write(&arena, p, parts), 0);

    octets = parley_arena_octets(&arena, parts[0].len + parts[1].len);
    assert_non_null(octets);

    memcpy(octets, parts[0].data, parts[0].len);
    memcpy(octets + parts[0].len, parts[1].data, parts[1].len);

    return parley_str_make(octets, parts[0].len + parts[1].len);
}


static void
test_round_trip(void **state)
{
    unsigned              i;
    parley_publication_t  p, q;

    (void) state;

    fill(&p);
    assert_int_equal(parley_publication_read(record(&p), &q), 0);

    assert_int_equal(q.kind, p.kind);
    assert_int_equal(q.proto, p.proto);
    assert_int_equal(q.priority, p.priority);
    assert_int_equal(q.timeout_ms, p.timeout_ms);
    assert_int_equal(q.audience.form, p.audience.form);
    assert_true(parley_str_eq(q.audience.instrument, p.audience.instrument));
    assert_true(parley_str_eq(q.audience.session, p.audience.session));
    assert_true(parley_str_eq(q.sender, p.sender));
    assert_true(parley_str_eq(q.author, p.author));
    assert_true(parley_str_eq(q.scope, p.scope));
    assert_true(parley_str_eq(q.from, p.from));
    assert_true(parley_str_eq(q.to, p.to));
    assert_true(parley_str_eq(q.id, p.id));
    assert_true(parley_str_eq(q.answers, p.answers));
    assert_true(parley_str_eq(q.question, p.question));
    assert_true(parley_str_eq(q.views, p.views));
    assert_true(parley_str_eq(q.message, p.message));
    assert_int_equal(q.own, 1);
    assert_true(q.ms == p.ms);
    assert_true(q.stamp == p.stamp);
    assert_memory_equal(q.log, p.log, PARLEY_KEY_LEN);

    for (i = 0; i < PARLEY_CHANNEL_AXES; i++) {
        assert_true(parley_str_eq(q.facts.values[i], p.facts.values[i]));
    }
}


static void
test_cut(void **state)
{
    size_t                i;
    parley_str_t          text;
    parley_publication_t  p, q;

    (void) state;

    fill(&p);
    text = record(&p);

    for (i = 0; i < text.len - p.message.len; i++) {
        assert_int_equal(parley_publication_read(parley_str_make(text.data, i),
                                                 &q), -1);
    }
}


static void
test_too_long(void **state)
{
    uint8_t              *octets;
    parley_str_t          parts[2];
    parley_publication_t  p, q;

    (void) state;

    octets = parley_arena_octets(&arena, 70000);
    assert_non_null(octets);
    memset(octets, 'x', 70000);

    fill(&p);
    p.scope = parley_str_make(octets, PARLEY_PUBLICATION_TEXT_MAX + 1);
    assert_int_equal(parley_publication_write(&arena, &p, parts), -1);

    fill(&p);
    p.question = parley_str_make(octets, 65535);
    assert_int_equal(parley_publication_read(record(&p), &q), 0);
    assert_int_equal(q.question.len, 65535);

    p.question.len++;
    assert_int_equal(parley_publication_write(&arena, &p, parts), -1);

    fill(&p);
    p.views = parley_str_make(octets, 65535);
    assert_int_equal(parley_publication_read(record(&p), &q), 0);
    assert_int_equal(q.views.len, 65535);

    p.views.len++;
    assert_int_equal(parley_publication_write(&arena, &p, parts), -1);
}


/* HUB-07 */

static void
test_held(void **state)
{
    uint8_t               name[1 + PARLEY_PUBLICATION_QUESTION];
    parley_str_t          text, session;
    parley_selector_t     selector;
    parley_record_id_t    id;
    parley_publication_t  p;

    (void) state;

    memset(&id, 0, sizeof(parley_record_id_t));
    memset(id.key, 0xab, PARLEY_KEY_LEN);
    id.tag = 0x01020304;

    name[0] = PARLEY_SELECTOR_HELD;
    parley_publication_question(&id, &name[1]);
    session = parley_str_make(name, sizeof(name));

    assert_true(parley_selector_is_held(session));
    assert_false(parley_selector_is_held(PARLEY_STR("s1")));
    assert_false(parley_selector_is_held(parley_str_none));
    assert_false(parley_selector_is_held(PARLEY_STR("=")));

    name[9] = '/';
    assert_false(parley_selector_is_held(session));
    parley_publication_question(&id, &name[1]);

    assert_int_equal(parley_selector_text(&arena, PARLEY_PROTO_NONE, session,
                                          parley_str_none, &text), 0);
    assert_int_equal(parley_selector_read(&arena, text, &selector), 0);

    fill(&p);
    p.audience.form = PARLEY_AUDIENCE_ALL;
    assert_int_equal(parley_selector_admits(&selector, &p), 0);

    p.answers = parley_str_none;
    assert_int_equal(parley_selector_admits(&selector, &p), 0);

    p.answers = parley_str_from(session, 1);
    assert_int_equal(parley_selector_admits(&selector, &p), 1);

    id.tag++;
    parley_publication_question(&id, &name[1]);
    p.answers = parley_str_make(&name[1], PARLEY_PUBLICATION_QUESTION);
    assert_int_equal(parley_selector_read(&arena, text, &selector), 0);
    assert_int_equal(parley_selector_admits(&selector, &p), 0);

    /* a stream gets an answer by its audience */

    assert_int_equal(parley_selector_text(&arena, PARLEY_PROTO_AEE,
                                          PARLEY_STR("cc"), parley_str_none,
                                          &text), 0);
    assert_int_equal(parley_selector_read(&arena, text, &selector), 0);
    assert_int_equal(parley_selector_admits(&selector, &p), 1);
}


#define test(name, f)  { (name), (f), begin, end, NULL }

static const struct CMUnitTest  tests[] = {
    test("HUB-06: a record is read as it was written", test_round_trip),
    test("one that is cut off is none", test_cut),
    test("texts that are too long", test_too_long),
    test("HUB-07: a held request is for its answer alone", test_held),
};

PARLEY_TEST_MAIN(tests)
