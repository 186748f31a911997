/* Checks of a message before it is translated, and changes to it. */

#include "t/unit/parley_test_translate.h"

#include "translate/parley_rewrite.h"
#include "translate/parley_check.h"
#include "translate/parley_codec.h"


static const char  task[] =
    "{\"v\":\"1\",\"id\":\"caller-id-1\",\"ts\":\"2026-02-15T10:30:00Z\","
    "\"type\":\"task\",\"from\":\"agent.a\",\"to\":\"agent.b\","
    "\"intent\":\"ops.run\",\"corr\":\"caller-id-1\",\"reply_to\":null,"
    "\"priority\":\"urgent\",\"requires\":{\"timeout_ms\":90000},"
    "\"payload\":{\"secret\":1,\"kept\":2},"
    "\"sig\":{\"alg\":\"ed25519\",\"kid\":\"k\",\"value\":\"AAAA\"}}";


static parley_code_t
transport(parley_proto_t proto, parley_transport_t transport)
{
    parley_error_t  err;

    parley_error_clear(&err);

    return parley_check_transport(proto, &transport, &err) ? err.code
                                                     : PARLEY_E_NONE;
}


static parley_code_t
unsigned_one(parley_proto_t proto, parley_transport_t transport)
{
    parley_error_t  err;

    parley_error_clear(&err);

    if (parley_check_unsigned(proto, &transport, &err) == 0) {
        return PARLEY_E_NONE;
    }

    assert_string_equal(err.field, parley_codecs[proto]
                                       ->pointers[PARLEY_MSG_SIGNATURE]);

    return err.code;
}


static void
test_way(void **state)
{
    (void) state;

#define WAY(...)  ((parley_transport_t) { __VA_ARGS__ })
#define NO        PARLEY_E_SIGNATURE_MISSING

    assert_int_equal(transport(PARLEY_PROTO_AEE, WAY(0)), 0);
    assert_int_equal(transport(PARLEY_PROTO_VCP, WAY(0)),
                     PARLEY_E_POLICY_REFUSED);
    assert_int_equal(transport(PARLEY_PROTO_VCP, WAY(.tls = 1)), 0);
    assert_int_equal(transport(PARLEY_PROTO_VCP, WAY(.trusted = 1)), 0);

    assert_int_equal(unsigned_one(PARLEY_PROTO_AEE, WAY(0)), NO);
    assert_int_equal(unsigned_one(PARLEY_PROTO_AEE, WAY(.tls = 1)), NO);
    assert_int_equal(unsigned_one(PARLEY_PROTO_AEE, WAY(.token = 1)), NO);
    assert_int_equal(unsigned_one(PARLEY_PROTO_AEE,
                                  WAY(.tls = 1, .token = 1)), 0);
    assert_int_equal(unsigned_one(PARLEY_PROTO_AEE,
                                  WAY(.tls = 1, .token = 1, .must_sign = 1)),
                     NO);
    assert_int_equal(unsigned_one(PARLEY_PROTO_AEE,
                                  WAY(.trusted = 1, .must_sign = 1)), NO);
    assert_int_equal(unsigned_one(PARLEY_PROTO_VCP,
                                  WAY(.tls = 1, .token = 1)), NO);
    assert_int_equal(unsigned_one(PARLEY_PROTO_VCP, WAY(.trusted = 1)), 0);

#undef WAY
#undef NO
}


static parley_code_t
aged(parley_proto_t proto, int64_t created_ms, int64_t past_ms,
    int64_t future_ms)
{
    parley_msg_t    m;
    parley_error_t  err;

    parley_msg_init(&m, proto, NULL);
    parley_error_clear(&err);
    m.created = PARLEY_STR("x");
    m.created_ms = created_ms;

    if (parley_check_age(&m, past_ms, future_ms, PARLEY_TEST_NOW, &err)
        == 0)
    {
        return PARLEY_E_NONE;
    }

    assert_string_equal(err.field, parley_codecs[proto]
                                       ->pointers[PARLEY_MSG_CREATED]);

    return err.code;
}


static void
test_age(void **state)
{
    parley_msg_t    m;
    parley_error_t  err;

    const int64_t  now = PARLEY_TEST_NOW;

    (void) state;

#define AEE    PARLEY_PROTO_AEE
#define VCP    PARLEY_PROTO_VCP
#define STALE  PARLEY_E_MESSAGE_STALE

    assert_int_equal(aged(AEE, now - 5000, 5000, 0), 0);
    assert_int_equal(aged(AEE, now - 5001, 5000, 0), STALE);
    assert_int_equal(aged(AEE, now + 2000, 0, 2000), 0);
    assert_int_equal(aged(AEE, now + 2001, 0, 2000), STALE);
    assert_int_equal(aged(AEE, now - 3600000, 7200000, 0), 0);
    assert_int_equal(aged(AEE, -1, 5000, 5000), PARLEY_E_FIELD_INVALID);

    /* VCP has limits of its own, which no setting widens */

    assert_int_equal(aged(VCP, now - 300000, 7200000, 7200000), 0);
    assert_int_equal(aged(VCP, now - 300001, 7200000, 7200000), STALE);
    assert_int_equal(aged(VCP, now + 30001, 7200000, 7200000), STALE);
    assert_int_equal(aged(VCP, now - 1001, 1000, 0), STALE);

    /* a log record may lack the time */

    parley_msg_init(&m, AEE, NULL);
    m.partial = 1;
    assert_int_equal(parley_check_age(&m, 0, 0, now, &err), 0);

#undef AEE
#undef VCP
#undef STALE
}


/* Reads the task, and changes it by caps and edits. */
static int
amend(parley_arena_t *arena, const parley_caps_t *caps,
    const char *redacted, parley_test_message_t *m, parley_json_t *doc,
    int *rewritten, parley_error_t *err)
{
    uint32_t       n;
    parley_edit_t  edits[PARLEY_CAPS_MAX + 2];

    *rewritten = 0;

    if (parley_test_read(arena, PARLEY_PROTO_AEE, parley_str_c(task), 0, m,
                         err)
        != 0
        || parley_rewrite_caps(arena, &m->msg, caps, edits, &n, err) != 0)
    {
        return -1;
    }

    if (redacted != NULL) {
        edits[n].pointer = parley_str_c(redacted);
        edits[n++].value = parley_str_none;
    }

    return parley_rewrite(parley_test_engine(), arena, NULL, PARLEY_TEST_SEED,
                          0, edits, n, &m->msg, doc, rewritten, err);
}


static void
test_amend(void **state)
{
    int                     rewritten;
    parley_json_t           doc;
    parley_caps_t           caps = { .priority = PARLEY_PRIORITY_URGENT };
    parley_arena_t          arena;
    parley_error_t          err;
    parley_test_message_t   m;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    assert_int_equal(amend(&arena, &caps, "/payload/none", &m, &doc,
                           &rewritten, &err), 0);
    assert_false(rewritten);
    assert_ptr_equal(m.msg.doc, &m.doc);

    caps.priority = PARLEY_PRIORITY_HIGH;
    caps.max_priority = PARLEY_STR("normal");
    caps.timeout_ms = 1000;

    assert_int_equal(amend(&arena, &caps, "/payload/secret", &m, &doc,
                           &rewritten, &err), 0);
    assert_true(rewritten);
    assert_ptr_equal(m.msg.doc, &doc);
    assert_int_equal(m.msg.priority, PARLEY_PRIORITY_NORMAL);
    assert_int_equal(m.msg.timeout_ms, 1000);

    parley_test_assert_json(&arena, doc.input, PARLEY_STR(
        "{\"v\":\"1\",\"id\":\"caller-id-1\",\"ts\":\"2026-02-15T10:30:00Z\","
        "\"type\":\"task\",\"from\":\"agent.a\",\"to\":\"agent.b\","
        "\"intent\":\"ops.run\",\"corr\":\"caller-id-1\",\"reply_to\":null,"
        "\"priority\":\"normal\",\"requires\":{\"timeout_ms\":1000},"
        "\"payload\":{\"kept\":2}}"));

    /* the verified signature is still known */

    assert_true(m.msg.sig.present);
    parley_assert_str(m.msg.sig.kid, "k");

    /* a message that would become invalid is refused */

    assert_int_equal(amend(&arena, &caps, "/intent", &m, &doc, &rewritten,
                           &err), -1);
    assert_int_equal(err.code, PARLEY_E_POLICY_REFUSED);
    assert_string_equal(err.field, "/intent");

    parley_arena_reset(&arena);
}


/* Either all caps hold, or there is an error. */
static void
test_amend_memory(void **state)
{
    int                     rc, rewritten;
    size_t                  i;
    parley_mem_t            mem;
    parley_json_t           doc;
    parley_caps_t           caps = { .timeout_ms = 1000 };
    parley_arena_t          arena;
    parley_error_t          err;
    parley_test_mem_t       counter;
    parley_test_message_t   m;

    (void) state;

    (void) parley_test_engine();

    for (i = 1; ; i++) {
        mem = parley_test_mem(&counter, i);
        parley_arena_init(&arena, &mem, 64);

        rc = amend(&arena, &caps, "/payload/secret", &m, &doc, &rewritten,
                   &err);

        if (rc == 0) {
            assert_true(rewritten);
            assert_int_equal(m.msg.priority, PARLEY_PRIORITY_LOW);
            assert_int_equal(m.msg.timeout_ms, 1000);

        } else {
            assert_int_equal(err.code, PARLEY_E_CAPACITY);
        }

        parley_arena_reset(&arena);
        assert_int_equal(counter.live, 0);

        if (counter.allocations < i) {
            assert_int_equal(rc, 0);
            break;
        }
    }
}


static int
sign(void *ctx, parley_str_t octets, parley_msg_sig_t *ret,
    parley_error_t *err)
{
    (void) err;

    *(size_t *) ctx = octets.len;

    memset(ret, 0, sizeof(parley_msg_sig_t));
    ret->alg = PARLEY_STR("ed25519");
    ret->kid = PARLEY_STR("gateway");
    ret->value = PARLEY_STR("BBBB");
    ret->present = 1;

    return 0;
}


static void
test_amend_sign(void **state)
{
    int                     rewritten;
    size_t                  octets = 0;
    parley_json_t           doc;
    parley_caps_t           caps = { .priority = PARLEY_PRIORITY_LOW };
    parley_arena_t          arena;
    parley_error_t          err;
    parley_encoded_t        sent;
    parley_encode_opts_t    opts;
    parley_test_message_t   m;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    memset(&opts, 0, sizeof(opts));

    assert_int_equal(amend(&arena, &caps, NULL, &m, &doc, &rewritten, &err),
                     0);

    sent.body = doc.input;

    assert_int_equal(parley_rewrite_sign(&arena, PARLEY_PROTO_AEE, &doc, &opts,
                                         &sent, &err), 0);
    assert_ptr_equal(sent.body.data, doc.input.data);

    opts.sign = sign;
    opts.sign_ctx = &octets;

    assert_int_equal(parley_rewrite_sign(&arena, PARLEY_PROTO_AEE, &doc, &opts,
                                         &sent, &err), 0);
    assert_true(octets > 100);
    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_AEE, sent.body, 0,
                                      &m, &err), 0);
    parley_assert_str(m.msg.sig.kid, "gateway");

    parley_arena_reset(&arena);
}


/*
 * Returns a message decoded as that protocol, carrying another's, after the
 * caps.
 */
static parley_msg_t
clamped(parley_proto_t wire, parley_proto_t origin, const parley_caps_t *caps)
{
    parley_msg_t  m;

    parley_msg_init(&m, wire, NULL);

    m.origin = origin;
    m.priority = PARLEY_PRIORITY_URGENT;
    m.timeout_ms = 60000;

    parley_rewrite_clamp(&m, caps);

    return m;
}


static void
test_clamp(void **state)
{
    parley_msg_t   m;
    parley_caps_t  caps = { .priority = PARLEY_PRIORITY_URGENT };

    (void) state;

    m = clamped(PARLEY_PROTO_CHANNEL, PARLEY_PROTO_AEE, &caps);
    assert_int_equal(m.priority, PARLEY_PRIORITY_URGENT);
    assert_int_equal(m.timeout_ms, 60000);

    caps.priority = PARLEY_PRIORITY_HIGH;
    caps.max_priority = PARLEY_STR("normal");
    caps.timeout_ms = 1000;

    m = clamped(PARLEY_PROTO_CHANNEL, PARLEY_PROTO_AEE, &caps);
    assert_int_equal(m.priority, PARLEY_PRIORITY_NORMAL);
    assert_int_equal(m.timeout_ms, 1000);

    m = clamped(PARLEY_PROTO_MOQ, PARLEY_PROTO_AEE, &caps);
    assert_int_equal(m.priority, PARLEY_PRIORITY_NORMAL);

    /* a severity is not a priority */

    m = clamped(PARLEY_PROTO_VCP, PARLEY_PROTO_VCP, &caps);
    assert_int_equal(m.priority, PARLEY_PRIORITY_URGENT);
    assert_int_equal(m.timeout_ms, 1000);
}


/* A later answer, which came as a message of its own, in the terms of VCP. */

static void
test_severity(void **state)
{
    unsigned               i;
    parley_arena_t         arena;
    parley_error_t         err;
    parley_test_message_t  m;

    static const char  text[] =
        "{\"v\":\"1\",\"id\":\"later-ack-0001\","
        "\"ts\":\"2026-02-15T10:30:00Z\",\"type\":\"result\","
        "\"from\":\"agent.a\",\"to\":\"agent.b\","
        "\"intent\":\"vcp.escalation\",\"corr\":\"later-ack-0001\","
        "\"reply_to\":\"019502a4-ad0f-7000-8000-000000000004\","
        "\"priority\":\"normal\",\"payload\":{\"severity\":\"warning\","
        "\"reason\":\"ACK:019502a4-ad0f-7000-8000-000000000004\","
        "\"requires_ack\":false}}";

    static const struct {
        parley_severity_t  asked;
        parley_code_t      code;
    } rows[] = {
        { PARLEY_SEVERITY_NONE, PARLEY_E_NONE },
        { PARLEY_SEVERITY_WARNING, PARLEY_E_NONE },
        { PARLEY_SEVERITY_CRITICAL, PARLEY_E_FIELD_INVALID },
    };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        parley_error_clear(&err);

        assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_AEE,
                                          parley_str_c(text), 0, &m, &err),
                         0);
        assert_int_equal(parley_check_severity(&m.msg, rows[i].asked, &err),
                         rows[i].code == PARLEY_E_NONE ? 0 : -1);
        assert_int_equal(err.code, rows[i].code);

        if (err.code != PARLEY_E_NONE) {
            assert_string_equal(err.field, "/payload/severity");
        }
    }

    parley_arena_reset(&arena);
}


static const struct CMUnitTest  tests[] = {
    parley_test("VCP-25 an acknowledgment in VCP's words has its severity",
                test_severity),
    parley_test("VCP-19 VCP-17 AEE-37 how a message may come", test_way),
    parley_test("AEE-17 VCP-15 how old it may be", test_age),
    parley_test("AEE-28 AEE-29 AEE-32 caps and redaction", test_amend),
    parley_test("AEE-28 AEE-29 caps of what stands in no member", test_clamp),
    parley_test("AEE-28 a cap is not lost for want of memory",
                test_amend_memory),
    parley_test("GW-08 what was changed is signed by the gateway",
                test_amend_sign),
};


PARLEY_TEST_MAIN(tests)
