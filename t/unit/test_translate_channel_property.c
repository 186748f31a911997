/*
 * The promises of docs/mapping/channel.md, over messages made at random:
 * every frame comes back from AEE, every AEE envelope and VCP message comes
 * back from the text of a frame, and what is lost is reported.
 */

#include "parley_test_messages.h"

#include "parley_jcs.h"


#define MESSAGES  20000


static uint64_t  first_seed = 20260522;
static unsigned  messages = MESSAGES;


/*
 * Members of the kinds' payloads: "s" a text of 1 to so many octets, "t" of 0
 * to so many, "u" a UUIDv4, "n" a number up to, "r" an array of texts, "x"
 * this JSON; a capital letter: optional.
 */
static const struct {
    const char  *kind;
    const char  *members[9];
} kinds[] = {
    { "agent_advisory", { "s2048 advisory_text", "R file_refs",
      "T512 worktree", "T256 branch" } },
    { "agent_broadcast", { "s2048 broadcast_text",
      "x\"merged\" event_class", "R refs" } },
    { "agent_handover", { "s128 previous_session_id", "t9000 handover_body",
      "T128 next_session_id", "R pointer_refs" } },
    { "agent_lock_request", { "s512 resource", "u lease_id",
      "n3600000 ttl_ms", "T2048 intent" } },
    { "agent_lock_release", { "u lease_id", "T2048 reason" } },
    { "agent_lease_extend", { "u lease_id", "n3600000 ttl_ms" } },
    { "agent_query", { "s2048 query_text", "u query_id",
      "x\"~alice/cc-*\" response_scope", "n99999999 timeout_ms" } },
    { "agent_response", { "u query_id", "s128 responder_session_id",
      "s2048 response_text", "R refs" } },
    { "agent_return_event", { "s256 return_event_ref", "U query_id",
      "s2048 summary" } },
    { "agent_binding_moment", { "s2048 synopsis", "r findings",
      "r recommendations", "s2048 offer", "x{\"stem\":\"s\",\"options\":"
      "[{\"label\":\"a\",\"reasoning\":\"b\"},{\"label\":\"c\","
      "\"reasoning\":\"d\"}],\"recommended_idx\":1} question" } },
    { "peer_diagnostic_request", { "s2048 symptom", "u diagnostic_id",
      "R substrate_refs", "x\"degraded\" severity" } },
    { "peer_diagnostic_response", { "u diagnostic_id", "s2048 finding",
      "T2048 remediation", "R substrate_refs" } },
    { "intent_declare", { "s256 convergence_class", "s512 payload_ref",
      "x\"~alice\" acted_by", "x\"~cc-a\" drafted_with",
      "x\"2026-05-22T09:00:00Z\" declared_at", "n99999999 ttl",
      "xtrue withdrawable", "X\"urgent\" urgency" } },
    { "intent_withdraw", { "s256 convergence_class", "s512 intent_ref",
      "x\"2026-05-22T09:00:00Z\" withdrawn_at" } },
    { "flush_executed", { "s256 convergence_class", "s512 result_ref",
      "x\"2026-05-22T09:00:00Z\" executed_at", "R batch_refs" } },
};


/* the names at hand: whoever sends is ~alice, whoever receives ~bob */
typedef struct {
    const parley_msg_t  *m;
} names_t;


static int
resolve(void *ctx, parley_proto_t from, parley_str_t name, parley_proto_t to,
    parley_str_t *ret)
{
    names_t  *names = ctx;

    if (to == PARLEY_PROTO_CHANNEL) {
        *ret = parley_str_eq(name, names->m->sender) ? PARLEY_STR("~alice")
                                                     : PARLEY_STR("~bob");
        return 1;
    }

    if (from == PARLEY_PROTO_CHANNEL) {
        *ret = parley_str_is(name, "~alice") ? names->m->sender
                                             : names->m->recipient;
        return 1;
    }

    return 0;
}


static void
attribute(void *ctx, parley_proto_t proto, parley_str_t name,
    parley_str_t *ret_human, parley_str_t *ret_instrument)
{
    (void) ctx;
    (void) proto;
    (void) name;

    *ret_human = PARLEY_STR("~alice");
    *ret_instrument = PARLEY_STR("~cc-model@1.0");
}


/* "s2048 name" */
static void
gen_row(parley_test_gen_t *g, parley_test_object_t *o, const char *row)
{
    char          value[256];
    const char   *name;
    unsigned      n;
    parley_buf_t  b;

    name = strrchr(row, ' ') + 1;
    snprintf(value, sizeof(value), "%.*s", (int) (name - row - 2), row + 1);

    if (row[0] >= 'A' && row[0] <= 'Z' && gen_chance(g, 50)) {
        return;
    }

    /* the characters of gen_chars() have at most four octets */

    n = (unsigned) strtoul(value, NULL, 10);
    n = n < 160 ? n / 4 : 40;

    switch (row[0] | 0x20) {

    case 's':
        gen_member_string(g, o, name, 1, n);
        return;

    case 't':
        gen_member_string(g, o, name, 0, n);
        return;

    case 'u':
        gen_member_text(g, o, name, gen_uuid(g, 4));
        return;

    case 'n':
        gen_member(g, &b, name);
        parley_buf_int(&b, 1 + gen_below(g,
                           (unsigned) strtoul(value, NULL, 10)));
        gen_member_done(o, &b);
        return;

    case 'r':
        gen_member(g, &b, name);
        parley_buf_octet(&b, '[');
        if (gen_chance(g, 60)) {
            gen_string(g, &b, 0, 9);
        }
        parley_buf_octet(&b, ']');
        gen_member_done(o, &b);
        return;

    default:
        gen_member_raw(g, o, name, parley_str_c(value));
    }
}


static parley_str_t
gen_frame(parley_test_gen_t *g)
{
    unsigned              i, kind;
    parley_buf_t          b;
    parley_test_object_t  o = { .n = 0 }, payload = { .n = 0 };

    kind = gen_below(g, sizeof(kinds) / sizeof(kinds[0]));

    for (i = 0; i < 9 && kinds[kind].members[i] != NULL; i++) {
        gen_row(g, &payload, kinds[kind].members[i]);
    }

    gen_member_text(g, &o, "envelope_version", "1.0");
    gen_member_text(g, &o, "frame_id", gen_uuid(g, 4));
    gen_member_text(g, &o, "kind", kinds[kind].kind);
    gen_member_text(g, &o, "sender_handle", gen_one(g, "~alice", "~cc-a"));
    gen_member_text(g, &o, "recipient_handle", gen_one(g, "~bob", "~cc-b"));
    gen_member_text(g, &o, "created_at",
                    gen_one(g, "2026-05-22T09:00:00Z",
                            "2026-05-22T09:00:00.123456+10:00"));
    gen_member_text(g, &o, "acted_by", gen_one(g, "~alice", "~carol"));
    gen_member_text(g, &o, "drafted_with",
                    gen_one(g, "~cc-model", "~cc-model@1.0-rc:2", "~bot"));
    gen_member_text(g, &o, "provenance_compute_location",
                    gen_one(g, "server-active", "local-only"));
    gen_member_raw(g, &o, "provenance_method", PARLEY_STR("[\"a\", \"b\"]"));
    gen_member_text(g, &o, "provenance_context_check",
                    gen_one(g, "passed", "skipped"));
    gen_member_string(g, &o, "provenance_basis", 1, 12);
    gen_member_raw(g, &o, "payload", gen_object(g, &payload));

    if (gen_chance(g, 50)) {
        gen_member_string(g, &o, "provenance_return_ref", 0, 12);
    }

    if (gen_chance(g, 50)) {
        gen_member(g, &b, "ttl_ms");
        parley_buf_int(&b, gen_below(g, 100000));
        gen_member_done(&o, &b);
    }

    return gen_object(g, &o);
}


static void
assert_ok(int rc, const parley_error_t *err, parley_str_t text)
{
    if (rc != 0) {
        fail_msg("%s %s: %s\n%.*s",
                 (const char *) parley_error_info(err->code)->word.data,
                 err->field, err->text, (int) text.len,
                 (const char *) text.data);
    }
}


static void
assert_same_meaning(const parley_msg_t *a, const parley_msg_t *b)
{
    assert_int_equal(a->origin, b->origin);
    assert_int_equal(a->act, b->act);
    assert_int_equal(a->priority, b->priority);
    assert_int_equal(a->timeout_ms, b->timeout_ms);
    assert_int_equal(a->alarm, b->alarm);
    assert_int_equal(a->retryable, b->retryable);
    assert_true(parley_str_eq(a->form, b->form));
    assert_true(parley_str_eq(a->id, b->id));
    assert_true(parley_str_eq(a->intent, b->intent));
    assert_true(parley_str_eq(a->corr, b->corr));
    assert_true(parley_str_eq(a->reply_to, b->reply_to));
    assert_true(parley_str_eq(a->text, b->text));
    assert_true(parley_str_eq(a->code, b->code));
}


/* Any frame, through AEE and back, with a scope. */

static void
frame_message(parley_test_gen_t *g)
{
    parley_str_t           text;
    parley_loss_t          loss;
    parley_error_t         err;
    parley_encoded_t       aee, frame;
    parley_submission_t    submission;
    parley_encode_opts_t   opts;
    parley_test_message_t  m, carried;

    text = gen_frame(g);

    memset(&opts, 0, sizeof(opts));
    memset(&submission, 0, sizeof(submission));
    parley_loss_init(&loss, g->arena);

    assert_ok(parley_test_read(g->arena, PARLEY_PROTO_CHANNEL, text, 0, &m,
                               &err), &err, text);

    submission.instrument = PARLEY_STR("~bot@3");

    if (parley_str_is(m.msg.recipient, "~bob")) {
        submission.scope = parley_str_c(gen_one(g, "", "~bob/*",
            "~bob/cc-m@s:1", "org:~bob/members/*", "org:~bob/members/ops/*",
            "accord:~bob/grant:a.b"));
    }

    assert_ok(parley_submit(g->arena, &m.msg, &submission, &err), &err, text);
    assert_ok(parley_encode(parley_test_engine(), g->arena, PARLEY_PROTO_AEE,
                            &m.msg, &opts, &aee, &loss, &err), &err, text);
    assert_ok(parley_test_read(g->arena, PARLEY_PROTO_AEE, aee.body, 0,
                               &carried, &err), &err, aee.body);
    assert_ok(parley_encode(parley_test_engine(), g->arena,
                            PARLEY_PROTO_CHANNEL, &carried.msg, &opts, &frame,
                            &loss, &err), &err, aee.body);

    parley_test_assert_json(g->arena, frame.body, text);
    assert_true(parley_str_eq(frame.scope, submission.scope));

    if (loss.count != 0) {
        fail_msg("lost %s of %.*s",
                 (const char *) parley_test_loss(g->arena, &loss).data,
                 (int) text.len, (const char *) text.data);
    }
}


static parley_str_t
canonical(parley_arena_t *arena, const parley_json_t *doc, const char *skip)
{
    parley_buf_t  b;
    parley_str_t  ret;

    parley_buf_init(&b, arena, 0);
    parley_jcs_write(&b, (parley_json_ref_t) { doc, 0 },
                     parley_str_c(skip));
    assert_int_equal(parley_buf_done(&b, &ret), 0);

    return ret;
}


/* Any envelope of another protocol, through the text of a frame and back. */

static int
carried_message(parley_test_gen_t *g, parley_proto_t proto,
    parley_str_t text)
{
    names_t                names;
    parley_msg_t           origin;
    parley_str_t           a, b;
    parley_json_t          doc;
    parley_loss_t          loss;
    parley_error_t         err;
    parley_encoded_t       frame, back;
    parley_encode_opts_t   opts;
    parley_test_message_t  m, carried;

    memset(&opts, 0, sizeof(opts));
    parley_loss_init(&loss, g->arena);

    assert_ok(parley_test_read(g->arena, proto, text, 0, &m, &err), &err,
              text);

    names.m = &m.msg;
    opts.resolve = resolve;
    opts.attribute = attribute;
    opts.resolve_ctx = &names;

    if (parley_encode(parley_test_engine(), g->arena, PARLEY_PROTO_CHANNEL,
                      &m.msg, &opts, &frame, &loss, &err)
        != 0)
    {
        assert_int_equal(err.code, PARLEY_E_TRANSLATION_UNSUPPORTED);
        assert_true(parley_json_resolve(&m.doc, 0, parley_str_c(err.field))
                    != PARLEY_JSON_NONE);
        return 0;
    }

    assert_ok(parley_test_read(g->arena, PARLEY_PROTO_CHANNEL, frame.body, 0,
                               &carried, &err), &err, frame.body);
    assert_true(carried.msg.held);
    assert_true(parley_str_eq(carried.msg.id, frame.id));
    assert_true(parley_str_eq(carried.msg.corr, frame.corr));
    assert_true(parley_str_is(carried.msg.sender, "~alice"));

    if (m.msg.origin != proto) {
        return 0;
    }

    parley_msg_release(&carried.msg, &origin);
    assert_same_meaning(&m.msg, &origin);

    assert_ok(parley_encode(parley_test_engine(), g->arena, proto,
                            &carried.msg, &opts, &back, &loss, &err), &err,
              frame.body);
    assert_ok(parley_json_read(&doc, g->arena, NULL, 0, back.body, &err),
              &err, back.body);

    if (loss.count == 0) {
        a = canonical(g->arena, &m.doc,
                      proto == PARLEY_PROTO_AEE ? "sig" : "signature");
        b = canonical(g->arena, &doc, "");

        if (!parley_str_eq(a, b)) {
            fail_msg("%.*s\n%.*s", (int) a.len, (const char *) a.data,
                     (int) b.len, (const char *) b.data);
        }
    }

    return loss.count == 0;
}


static void
run(uint64_t prime, unsigned n, int (*message)(parley_test_gen_t *g))
{
    unsigned           i, exact;
    parley_arena_t     arena;
    parley_test_gen_t  g;

    exact = 0;

    for (i = 0; i < n; i++) {
        parley_arena_init(&arena, &parley_mem_libc, 16384);

        g.state = first_seed + prime * i;
        g.arena = &arena;
        exact += (unsigned) message(&g);

        parley_arena_reset(&arena);
    }

    /* the generator is worth something only where much comes back */

    assert_true(exact > n / 4);
}


static int
one_frame(parley_test_gen_t *g)
{
    frame_message(g);
    return 1;
}


static int
one_aee(parley_test_gen_t *g)
{
    return carried_message(g, PARLEY_PROTO_AEE, gen_aee(g));
}


static int
one_vcp(parley_test_gen_t *g)
{
    return carried_message(g, PARLEY_PROTO_VCP, gen_vcp(g));
}


static void
test_frames(void **state)
{
    (void) state;

    run(1, messages, one_frame);
}


static void
test_aee(void **state)
{
    (void) state;

    run(1000003, messages, one_aee);
}


static void
test_vcp(void **state)
{
    (void) state;

    run(7919, messages / 2, one_vcp);
}


int
main(void)
{
    static const struct CMUnitTest  tests[] = {
        parley_test("GW-06 agent-channel to AEE and back is exact",
                    test_frames),
        parley_test("GW-06 GW-10 AEE to agent-channel and back is exact, or "
                    "reported", test_aee),
        parley_test("GW-06 VCP to agent-channel and back is exact",
                    test_vcp),
    };

    if (getenv("PARLEY_TEST_SEED") != NULL) {
        first_seed = strtoull(getenv("PARLEY_TEST_SEED"), NULL, 0);
    }

    if (getenv("PARLEY_TEST_MESSAGES") != NULL) {
        messages = (unsigned) strtoul(getenv("PARLEY_TEST_MESSAGES"), NULL,
                                      0);
    }

    cmocka_set_message_output(CM_OUTPUT_TAP);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
