/*
 * The parts that are the same for every protocol: detection, passing through,
 * directions, loss reports, traces.
 */

#include "t/unit/parley_test_translate.h"


static const char  aee[] =
    "{\"v\":\"1\",\"id\":\"caller-id-1\",\"ts\":\"2026-02-15T10:33:00Z\","
    "\"type\":\"event\",\"from\":\"agent.a\",\"to\":\"agent.b\","
    "\"intent\":\"vcp.context_share\",\"corr\":\"caller-id-1\","
    "\"priority\":\"normal\",\"payload\":{\"context\":\"c\","
    "\"constitution_ref\":\"creed://a/b\"}}";

static const char  vcp[] =
    "{\"vcp_message\":\"1.2\",\"type\":\"constraint_propagate\","
    "\"message_id\":\"019502a4-7e5c-7000-8000-000000000001\","
    "\"sender\":\"a\",\"recipient\":\"b\","
    "\"timestamp\":\"2026-02-15T10:33:00Z\",\"payload\":{"
    "\"constraints\":[{\"type\":\"x\",\"value\":9007199254740993,"
    "\"source_constitution_ref\":\"creed://a/b\"}],"
    "\"propagation_mode\":\"merge\"}}";


#define VERSIONS  (BOTH | PARLEY_PROTO_BIT(PARLEY_PROTO_VCP2))
#define BOTH  (PARLEY_PROTO_BIT(PARLEY_PROTO_AEE)                             \
               | PARLEY_PROTO_BIT(PARLEY_PROTO_VCP))


static void
test_detect(void **state)
{
    size_t          i;
    parley_json_t   doc;
    parley_arena_t  arena;
    parley_error_t  err;

    static const struct {
        const char          *text;
        parley_proto_set_t   accepted;
        parley_proto_t       proto;
    } rows[] = {
        { aee, BOTH, PARLEY_PROTO_AEE },
        { vcp, BOTH, PARLEY_PROTO_VCP },
        { "{\"v\":\"2\",\"id\":1,\"to\":2}", BOTH, PARLEY_PROTO_AEE },
        { "{\"vcp_message\":\"9\"}", BOTH, PARLEY_PROTO_VCP },
        { "{\"vcp_mess\\u0061ge\":1}", BOTH, PARLEY_PROTO_VCP },
        { "{\"\\u0076\":1,\"i\\u0064\":1,\"corr\":1}", BOTH,
          PARLEY_PROTO_AEE },
        /* without a discriminator most members win, at least two */
        { "{\"id\":1,\"from\":1,\"to\":1,\"type\":1}", BOTH,
          PARLEY_PROTO_AEE },
        { "{\"message_id\":1,\"sender\":1,\"type\":1}", BOTH,
          PARLEY_PROTO_VCP },
        { "{\"sender\":1}", BOTH, PARLEY_PROTO_NONE },
        { "{\"v\":\"1\"}", BOTH, PARLEY_PROTO_NONE },
        { "{}", BOTH, PARLEY_PROTO_NONE },
        { "[]", BOTH, PARLEY_PROTO_NONE },
        { "3", BOTH, PARLEY_PROTO_NONE },
        { aee, 0, PARLEY_PROTO_NONE },
        /* the only accepted protocol always matches: its error is better */
        { "{}", PARLEY_PROTO_BIT(PARLEY_PROTO_VCP), PARLEY_PROTO_VCP },
        { vcp, PARLEY_PROTO_BIT(PARLEY_PROTO_AEE), PARLEY_PROTO_AEE },
        /* a version of VCP by its value alone */
        { vcp, VERSIONS, PARLEY_PROTO_VCP },
        { "{\"vcp_message\":\"2.0\"}", VERSIONS, PARLEY_PROTO_VCP2 },
        { "{\"vcp_message\":\"\\u0032.0\"}", VERSIONS, PARLEY_PROTO_VCP2 },
        { "{\"vcp_message\":\"2.1\"}", VERSIONS, PARLEY_PROTO_VCP2 },
        { "{\"vcp_message\":\"2\"}", VERSIONS, PARLEY_PROTO_VCP },
        { "{\"vcp_message\":2.0}", VERSIONS, PARLEY_PROTO_VCP },
        { "{\"vcp_message\":\"20\"}", VERSIONS, PARLEY_PROTO_VCP },
        { "{\"vcp_message\":\"1.2\",\"session\":1,\"message_id\":4}", VERSIONS,
          PARLEY_PROTO_VCP },
        { "{\"sender\":1,\"type\":1,\"payload\":1}", VERSIONS,
          PARLEY_PROTO_VCP },
        /* if that version is not accepted, the other one refuses it */
        { "{\"vcp_message\":\"2.0\",\"type\":1}", BOTH, PARLEY_PROTO_VCP },
        { "{\"vcp_message\":\"1.2\",\"type\":1}",
          PARLEY_PROTO_BIT(PARLEY_PROTO_AEE)
          | PARLEY_PROTO_BIT(PARLEY_PROTO_VCP2), PARLEY_PROTO_VCP2 },
        /* an unknown field of AEE, but not a field of VCP */
        { "{\"v\":\"1\",\"id\":1,\"ts\":1,\"type\":1,\"from\":1,"
          "\"vcp_message\":1}", BOTH, PARLEY_PROTO_AEE },
    };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(parley_json_read(&doc, &arena, NULL, 0,
                                          parley_str_c(rows[i].text), &err),
                         0);
        assert_int_equal(parley_detect(&doc, rows[i].accepted),
                         rows[i].proto);
    }

    parley_arena_reset(&arena);
}


/* AEE-08: a message that is not translated is unchanged. */

static void
test_through(void **state)
{
    size_t                 i;
    parley_loss_t          loss;
    parley_arena_t         arena;
    parley_error_t         err;
    parley_encoded_t       ret;
    parley_encode_opts_t   opts;
    parley_test_message_t  m;

    static const struct {
        parley_proto_t  proto;
        const char     *text;
    } rows[] = {
        { PARLEY_PROTO_AEE, aee },
        { PARLEY_PROTO_VCP, vcp },
        { PARLEY_PROTO_AEE, " {\"v\":\"1\",\"\\u0069d\":\"caller-id-1\","
          "\"ts\":\"2026-02-15T10:33:00Z\", \"x-a\" : [1.0, 1e2],"
          "\"type\":\"event\",\"from\":\"a\",\"to\":\"b\","
          "\"intent\":\"x.y\",\"corr\":\"caller-id-2\","
          "\"priority\":\"low\",\"payload\":{ }, \"sig\":null}\n" },
    };

    (void) state;

    memset(&opts, 0, sizeof(parley_encode_opts_t));

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        parley_arena_init(&arena, &parley_mem_libc, 0);
        parley_loss_init(&loss, &arena);

        assert_int_equal(parley_test_read(&arena, rows[i].proto,
                                          parley_str_c(rows[i].text), 0, &m,
                                          &err), 0);
        assert_int_equal(parley_encode(parley_test_engine(), &arena,
                                       rows[i].proto, &m.msg, &opts, &ret,
                                       &loss, &err), 0);

        assert_ptr_equal(ret.body.data, rows[i].text);
        assert_int_equal(ret.body.len, strlen(rows[i].text));
        assert_true(ret.copied);
        assert_true(parley_str_eq(ret.id, m.msg.id));
        assert_true(parley_str_eq(ret.corr, m.msg.corr));
        assert_int_equal(loss.count, 0);

        parley_arena_reset(&arena);
    }
}


static void
test_no_codec(void **state)
{
    parley_loss_t          loss;
    parley_arena_t         arena;
    parley_error_t         err;
    parley_encoded_t       ret;
    parley_encode_opts_t   opts;
    parley_test_message_t  m;

    (void) state;

    memset(&opts, 0, sizeof(parley_encode_opts_t));
    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_loss_init(&loss, &arena);

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_AEE,
                                      parley_str_c(aee), 0, &m, &err), 0);
    assert_int_equal(parley_encode(parley_test_engine(), &arena,
                                   PARLEY_PROTO_NONE, &m.msg, &opts, &ret,
                                   &loss, &err), -1);
    assert_int_equal(err.code, PARLEY_E_PROTOCOL_UNSUPPORTED);

    assert_int_equal(parley_decode(parley_test_engine(), &arena,
                                   PARLEY_PROTO_NONE, &m.doc, 0, &m.msg,
                                   &err), -1);
    assert_int_equal(err.code, PARLEY_E_PROTOCOL_UNSUPPORTED);

    parley_arena_reset(&arena);
}


/* A log record has no recipient. */

static void
test_partial(void **state)
{
    parley_loss_t          loss;
    parley_arena_t         arena;
    parley_error_t         err;
    parley_encoded_t       ret;
    parley_encode_opts_t   opts;
    parley_test_message_t  m;

    (void) state;

    memset(&opts, 0, sizeof(parley_encode_opts_t));
    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_loss_init(&loss, &arena);

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_AEE,
        parley_str_c("{\"v\":\"1\",\"id\":\"12345678\",\"type\":\"event\","
                     "\"from\":\"agent.x\",\"intent\":\"vcp.escalation\"}"),
        1, &m, &err), 0);
    assert_true(m.msg.partial);
    assert_int_equal(parley_encode(parley_test_engine(), &arena,
                                   PARLEY_PROTO_VCP, &m.msg, &opts, &ret,
                                   &loss, &err), -1);
    assert_int_equal(err.code, PARLEY_E_TRANSLATION_UNSUPPORTED);

    parley_arena_reset(&arena);
}


/* VCP-30: constraints go down, escalations up, acknowledgments down. */

static void
test_direction(void **state)
{
    size_t        i;
    parley_msg_t  m;

    static const struct {
        parley_proto_t      wire;
        const char         *intent;
        parley_act_t        act;
        parley_direction_t  direction;
    } rows[] = {
        { PARLEY_PROTO_VCP, "vcp.constraint_propagate", PARLEY_ACT_REQUEST,
          PARLEY_DIRECTION_DOWN },
        { PARLEY_PROTO_VCP, "vcp.escalation", PARLEY_ACT_REQUEST,
          PARLEY_DIRECTION_UP },
        { PARLEY_PROTO_VCP, "vcp.escalation", PARLEY_ACT_EVENT,
          PARLEY_DIRECTION_UP },
        { PARLEY_PROTO_VCP, "vcp.escalation", PARLEY_ACT_REPLY,
          PARLEY_DIRECTION_DOWN },
        { PARLEY_PROTO_VCP, "vcp.context_share", PARLEY_ACT_EVENT,
          PARLEY_DIRECTION_ANY },
        { PARLEY_PROTO_AEE, "vcp.constraint_propagate", PARLEY_ACT_REQUEST,
          PARLEY_DIRECTION_DOWN },
        { PARLEY_PROTO_AEE, "vcp.escalation", PARLEY_ACT_REQUEST,
          PARLEY_DIRECTION_UP },
        { PARLEY_PROTO_AEE, "vcp.escalation", PARLEY_ACT_FAILURE,
          PARLEY_DIRECTION_ANY },
        { PARLEY_PROTO_AEE, "ops.x", PARLEY_ACT_REQUEST,
          PARLEY_DIRECTION_ANY },
        { PARLEY_PROTO_AEE, "c2a.chat.deliver", PARLEY_ACT_REQUEST,
          PARLEY_DIRECTION_ANY },
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        parley_msg_init(&m, rows[i].wire, NULL);
        m.intent = parley_str_c(rows[i].intent);
        m.act = rows[i].act;

        assert_int_equal(parley_codecs[m.wire]->direction(&m),
                         rows[i].direction);
    }
}


static void
test_loss(void **state)
{
    char            name[32];
    unsigned        i;
    parley_str_t    ret;
    parley_loss_t   loss;
    parley_arena_t  arena;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_loss_init(&loss, &arena);

    assert_int_equal(parley_loss_text(&loss, &arena, PARLEY_LOSS_HEADER, &ret),
                     0);
    assert_int_equal(ret.len, 0);

    parley_loss_known(&loss, PARLEY_STR("/corr"));
    assert_int_equal(parley_loss_text(&loss, &arena, PARLEY_LOSS_HEADER, &ret),
                     0);
    parley_assert_str(ret, "request=/corr");

    parley_loss_add(&loss, "", PARLEY_STR("a/b~c"));
    assert_int_equal(parley_loss_text(&loss, &arena, PARLEY_LOSS_HEADER, &ret),
                     0);
    parley_assert_str(ret, "request=/corr, request=/a~1b~0c");

    parley_loss_add(&loss, "/payload", PARLEY_STR("x,y%z"));
    parley_loss_add(&loss, "", PARLEY_STR("a/b~c"));
    parley_loss_known(&loss, PARLEY_STR("/payload/x,y%z"));
    parley_loss_pointer(&loss, NULL);
    parley_loss_pointer(&loss, "/\xC3\xA9\r\n\x7F \";");
    parley_loss_add(&loss, "", PARLEY_STR(""));

    assert_int_equal(loss.count, 5);
    assert_int_equal(parley_loss_text(&loss, &arena, PARLEY_LOSS_HEADER, &ret),
                     0);
    parley_assert_str(ret, "request=/corr, request=/a~1b~0c, "
                           "request=/payload/x%2Cy%25z, "
                           "request=/%C3%A9%0D%0A%7F%20%22%3B, request=/");

    /*
     * the answer has losses of its own, and the empty pointer is a whole
     * document
     */

    parley_loss_turn(&loss);
    parley_loss_known(&loss, PARLEY_STR("/corr"));
    parley_loss_known(&loss, PARLEY_STR("/corr"));
    parley_loss_pointer(&loss, "");
    parley_loss_pointer(&loss, "");

    assert_int_equal(loss.count, 7);
    assert_int_equal(parley_loss_text(&loss, &arena, PARLEY_LOSS_HEADER,
                                      &ret),
                     0);
    parley_assert_str(ret, "request=/corr, request=/a~1b~0c, "
                           "request=/payload/x%2Cy%25z, "
                           "request=/%C3%A9%0D%0A%7F%20%22%3B, request=/, "
                           "answer=/corr, answer=\"\"");

    assert_int_equal(parley_loss_text(&loss, &arena, PARLEY_LOSS_VARIABLE,
                                      &ret),
                     0);
    parley_assert_str(ret, "request=/corr,request=/a~1b~0c,"
                           "request=/payload/x%2Cy%25z,"
                           "request=/%C3%A9%0D%0A%7F%20%22%3B,request=/,"
                           "answer=/corr,answer=%22%22");

    for (i = 0; i < 2 * PARLEY_LOSS_MAX; i++) {
        snprintf(name, sizeof(name), "n%u", i);
        parley_loss_add(&loss, "", parley_str_c(name));
    }

    assert_int_equal(loss.nitems, PARLEY_LOSS_MAX);
    assert_int_equal(loss.count, 2 * PARLEY_LOSS_MAX + 7);

    parley_arena_reset(&arena);
}


static void
test_loss_memory(void **state)
{
    parley_str_t       ret;
    parley_mem_t       mem;
    parley_loss_t      loss;
    parley_arena_t     arena;
    parley_test_mem_t  counter;

    (void) state;

    mem = parley_test_mem(&counter, 1);
    parley_arena_init(&arena, &mem, 64);
    parley_loss_init(&loss, &arena);
    parley_loss_pointer(&loss, "/a");

    assert_true(loss.failed);
    assert_int_equal(parley_loss_text(&loss, &arena, PARLEY_LOSS_HEADER, &ret),
                     -1);
    assert_int_equal(ret.len, 0);
}


static void
test_traceparent(void **state)
{
    size_t          i;
    parley_str_t    trace_id, span_id, ret;
    parley_arena_t  arena;

#define T  "4bf92f3577b34da6a3ce929d0e0e4736"
#define S  "00f067aa0ba902b7"

    static const struct {
        const char  *header;
        int          valid;
    } rows[] = {
        { "00-" T "-" S "-01", 1 },
        { "00-" T "-" S "-00", 1 },
        { "01-" T "-" S "-ff", 1 },
        { "01-" T "-" S "-01-more", 1 },
        { "00-" T "-" S "-01-more", 0 },
        { "01-" T "-" S "-01more", 0 },
        { "ff-" T "-" S "-01", 0 },
        { "00-" T "-" S, 0 },
        { "", 0 },
        { "00-4BF92F3577B34DA6A3CE929D0E0E4736-" S "-01", 0 },
        { "00-00000000000000000000000000000000-" S "-01", 0 },
        { "00-" T "-0000000000000000-01", 0 },
        { "00_" T "-" S "-01", 0 },
        { "00-" T "_" S "-01", 0 },
        { "00-" T "-" S "_01", 0 },
        { "00-" T "-" S "-0x", 0 },
        { "0x-" T "-" S "-01", 0 },
        { "00-" T "-00f067aa0ba902bg-01", 0 },
    };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(parley_traceparent_parse(
                             parley_str_c(rows[i].header), &trace_id,
                             &span_id),
                         rows[i].valid ? 0 : -1);

        if (rows[i].valid) {
            parley_assert_str(trace_id, T);
            parley_assert_str(span_id, S);
        } else {
            assert_int_equal(trace_id.len + span_id.len, 0);
        }
    }

    assert_int_equal(parley_traceparent_format(&arena, PARLEY_STR(T),
                                               PARLEY_STR(S), &ret), 0);
    parley_assert_str(ret, "00-" T "-" S "-01");
    assert_int_equal(parley_traceparent_format(&arena, PARLEY_STR("9f3c"),
                                               PARLEY_STR(S), &ret), -1);

    parley_arena_reset(&arena);
}


/* The engine frees all its memory. */

static void
test_engine_memory(void **state)
{
    size_t             i, n;
    parley_mem_t       mem;
    parley_error_t     err;
    parley_engine_t   *engine;
    parley_test_mem_t  counter;

    (void) state;

    mem = parley_test_mem(&counter, 0);
    engine = parley_engine_create(&mem, &err);
    assert_non_null(engine);
    n = counter.allocations;
    parley_engine_destroy(engine);
    assert_int_equal(counter.live, 0);

    for (i = 1; i <= n; i += 1 + i / 16) {
        mem = parley_test_mem(&counter, i);
        assert_null(parley_engine_create(&mem, &err));
        assert_int_equal(counter.live, 0);
    }

    parley_engine_destroy(NULL);
}


static void
test_words(void **state)
{
    unsigned           i;
    parley_priority_t  priority;

    (void) state;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        assert_int_equal(parley_proto_find(
                             parley_proto_name((parley_proto_t) i)), i);
    }

    assert_int_equal(parley_proto_name(PARLEY_PROTO_NONE).len, 0);
    assert_int_equal(parley_proto_find(PARLEY_STR("soap")),
                     PARLEY_PROTO_NONE);

    for (i = 0; i <= PARLEY_PRIORITY_URGENT; i++) {
        assert_int_equal(parley_priority_find(
                             parley_priority_name((parley_priority_t) i),
                             &priority), 0);
        assert_int_equal(priority, i);
    }

    assert_int_equal(parley_priority_find(PARLEY_STR("Low"), &priority), -1);
}


/*
 * Returns whether a member may differ in another attempt of a message: its
 * signature, its credential.
 */

static int
passes(const parley_codec_t *codec, parley_str_t member)
{
    const parley_atom_t  (*path)[PARLEY_CODEC_PASSING_NAMES];

    for (path = codec->passing;
         path != NULL && **path != PARLEY_ATOM_NONE;
         path++)
    {
        if ((*path)[1] == PARLEY_ATOM_NONE
            && (*path)[0] == parley_atom_of(member))
        {
            return 1;
        }
    }

    return 0;
}


static void
test_passing(void **state)
{
    unsigned               i, n;
    const parley_codec_t  *codec;

    (void) state;

    n = 0;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        codec = parley_codecs[i];

        if (codec->signature_member.len > 0) {
            assert_true(passes(codec, codec->signature_member));
            n++;
        }

        if (codec->secret_member.len > 0) {
            assert_true(passes(codec, codec->secret_member));
            n++;
        }
    }

    assert_int_equal(n, 4);
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-06 the protocol is detected", test_detect),
    parley_test("AEE-08 what is not translated is not touched", test_through),
    parley_test("a protocol without a codec", test_no_codec),
    parley_test("AEE-13 a log record is not translated", test_partial),
    parley_test("VCP-30 directions", test_direction),
    parley_test("loss reports", test_loss),
    parley_test("loss reports when memory ends", test_loss_memory),
    parley_test("AEE-12 traceparent", test_traceparent),
    parley_test("the engine when memory ends", test_engine_memory),
    parley_test("what another try may have otherwise", test_passing),
    parley_test("words", test_words),
};


PARLEY_TEST_MAIN(tests)
