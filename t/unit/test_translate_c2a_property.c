/*
 * The promises of the mapping for C2A, over messages made at random: the way
 * back is exact, the same input gives the same octets, nothing is nested.
 * PARLEY_TEST_MESSAGES and PARLEY_TEST_SEED change how many and which.
 */

#define _GNU_SOURCE     /* memmem() */

#include "parley_test_c2a.h"


#define MESSAGES  10000


static uint64_t  first_seed = 20260602;
static unsigned  messages = MESSAGES;


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
read_message(parley_test_gen_t *g, parley_proto_t proto, parley_str_t text,
    parley_test_message_t *m)
{
    parley_error_t       err;
    parley_submission_t  submission;

    memset(&submission, 0, sizeof(submission));

    submission.sender = PARLEY_STR("agent:caller");
    submission.recipient = PARLEY_STR("agent:lead");
    submission.ms = PARLEY_TEST_NOW;

    assert_ok(parley_test_read(g->arena, proto, text, 0, m, &err), &err,
              text);
    assert_ok(parley_submit(g->arena, &m->msg, &submission, &err), &err,
              text);
}


/* Encodes twice, and reads what was made. */

static int
convert(parley_test_gen_t *g, const parley_msg_t *m, parley_proto_t to,
    parley_test_message_t *ret, uint32_t *ret_lost, parley_error_t *err)
{
    int                   rc;
    parley_loss_t         loss, again;
    parley_error_t        other;
    parley_encoded_t      made, twin;
    parley_encode_opts_t  opts;

    memset(&opts, 0, sizeof(opts));

    opts.self = PARLEY_STR("service.parley");
    opts.context = PARLEY_STR("configured");

    parley_loss_init(&loss, g->arena);
    parley_loss_init(&again, g->arena);

    rc = parley_encode(parley_test_engine(), g->arena, to, m, &opts, &made,
                       &loss, err);

    assert_int_equal(rc, parley_encode(parley_test_engine(), g->arena, to, m,
                                       &opts, &twin, &again, &other));

    if (rc != 0) {
        assert_int_equal(err->code, other.code);
        assert_string_equal(err->field, other.field);
        return -1;
    }

    assert_true(parley_str_eq(made.body, twin.body));
    assert_int_equal(loss.count, again.count);

    read_message(g, to, made.body, ret);

    assert_true(parley_str_eq(made.id, ret->msg.id));
    assert_true(parley_str_eq(made.corr, ret->msg.corr));

    *ret_lost = loss.count;

    return 0;
}


/* Whether two documents are the same but for one member. */

static void
assert_same_but(parley_test_gen_t *g, const parley_test_message_t *a,
    const parley_test_message_t *b, const char *pointer)
{
    uint32_t        applied;
    parley_str_t    left, right;
    parley_edit_t   edit;
    parley_error_t  err;

    edit.pointer = parley_str_c(pointer);
    edit.value = parley_str_none;

    assert_int_equal(parley_edit(g->arena, &a->doc, &edit, 1, &left, &applied,
                                 &err), 0);
    assert_int_equal(parley_edit(g->arena, &b->doc, &edit, 1, &right,
                                 &applied, &err), 0);

    parley_test_assert_json(g->arena, right, left);
}


static void
assert_meaning(const parley_msg_t *a, const parley_msg_t *b)
{
    assert_int_equal(a->origin, b->origin);
    assert_int_equal(a->act, b->act);
    assert_int_equal(a->priority, b->priority);
    assert_int_equal(a->timeout_ms, b->timeout_ms);
    assert_int_equal(a->alarm, b->alarm);
    assert_int_equal(a->retryable, b->retryable);
    assert_int_equal(a->nmembers, b->nmembers);
    assert_true(parley_str_eq(a->form, b->form));
    assert_true(parley_str_eq(a->id, b->id));
    assert_true(parley_str_eq(a->created, b->created));
    assert_true(parley_str_eq(a->intent, b->intent));
    assert_true(parley_str_eq(a->reply_to, b->reply_to));
    assert_true(parley_str_eq(a->code, b->code));
}


static void
c2a_message(parley_test_gen_t *g)
{
    uint32_t               lost;
    parley_str_t           text;
    parley_error_t         err;
    parley_test_message_t  m, aee, back;

    text = gen_c2a(g);
    read_message(g, PARLEY_PROTO_C2A, text, &m);

    assert_ok(convert(g, &m.msg, PARLEY_PROTO_AEE, &aee, &lost, &err), &err,
              text);
    assert_int_equal(lost, 0);
    assert_true(aee.msg.carried);
    assert_int_equal(aee.msg.act, m.msg.act);

    assert_ok(convert(g, &aee.msg, PARLEY_PROTO_C2A, &back, &lost, &err),
              &err, aee.doc.input);
    assert_int_equal(lost, 0);

    parley_test_assert_json(g->arena, back.doc.input, text);

    (void) convert(g, &m.msg, PARLEY_PROTO_VCP, &aee, &lost, &err);
}


static void
vcp_message(parley_test_gen_t *g)
{
    uint32_t               lost;
    parley_str_t           text;
    parley_error_t         err;
    parley_test_message_t  m, c2a, back, aee;

    text = gen_vcp(g);
    read_message(g, PARLEY_PROTO_VCP, text, &m);

    assert_ok(convert(g, &m.msg, PARLEY_PROTO_C2A, &c2a, &lost, &err), &err,
              text);
    assert_int_equal(lost, 0);
    assert_meaning(&m.msg, &c2a.msg);
    assert_null(memmem(c2a.doc.input.data, c2a.doc.input.len, "vcp_message",
                       11));

    assert_ok(convert(g, &c2a.msg, PARLEY_PROTO_VCP, &back, &lost, &err),
              &err, c2a.doc.input);
    assert_int_equal(lost, 0);
    assert_same_but(g, &m, &back, "/signature");

    /* the way through AEE and C2A is the way home as well */

    assert_ok(convert(g, &c2a.msg, PARLEY_PROTO_AEE, &aee, &lost, &err),
              &err, c2a.doc.input);
    assert_int_equal(lost, 0);
    assert_ok(convert(g, &aee.msg, PARLEY_PROTO_C2A, &c2a, &lost, &err),
              &err, aee.doc.input);
    assert_int_equal(lost, 0);
    assert_ok(convert(g, &c2a.msg, PARLEY_PROTO_VCP, &back, &lost, &err),
              &err, c2a.doc.input);
    assert_same_but(g, &m, &back, "/signature");
}


/* Returns whether it is one whose content a knock withholds. */

static int
aee_message(parley_test_gen_t *g)
{
    int                    knocks;
    uint32_t               lost;
    parley_str_t           text;
    parley_error_t         err;
    parley_test_message_t  m, c2a, back;

    text = gen_aee(g);
    read_message(g, PARLEY_PROTO_AEE, text, &m);

    assert_ok(convert(g, &m.msg, PARLEY_PROTO_C2A, &c2a, &lost, &err), &err,
              text);

    knocks = parley_json_resolve(&c2a.doc, 0, PARLEY_STR("/params/knock"))
             != PARLEY_JSON_NONE;

    if (knocks) {
        assert_true(lost > 0);
        assert_int_equal(m.msg.act, PARLEY_ACT_REQUEST);
        return 1;
    }

    assert_int_equal(lost, 0);
    assert_meaning(&m.msg, &c2a.msg);

    assert_ok(convert(g, &c2a.msg, PARLEY_PROTO_AEE, &back, &lost, &err),
              &err, c2a.doc.input);
    assert_int_equal(lost, 0);
    assert_same_but(g, &m, &back, "/sig");

    return 0;
}


static void
each(unsigned n, uint64_t step, int (*one)(parley_test_gen_t *g),
    void (*other)(parley_test_gen_t *g), unsigned *ret)
{
    unsigned           i;
    parley_arena_t     arena;
    parley_test_gen_t  g;

    *ret = 0;

    for (i = 0; i < n; i++) {
        parley_arena_init(&arena, &parley_mem_libc, 16384);

        g.state = first_seed + step * i;
        g.arena = &arena;

        if (one != NULL) {
            *ret += (unsigned) one(&g);
        } else {
            other(&g);
        }

        parley_arena_reset(&arena);
    }
}


static void
test_c2a(void **state)
{
    unsigned  n;

    (void) state;

    each(messages, 1000003, NULL, c2a_message, &n);
}


static void
test_vcp(void **state)
{
    unsigned  n;

    (void) state;

    each(messages / 2, 1000033, NULL, vcp_message, &n);
}


static void
test_aee(void **state)
{
    unsigned  n;

    (void) state;

    each(messages, 1000037, aee_message, NULL, &n);

    assert_true(n < messages / 5);
}


int
main(void)
{
    static const struct CMUnitTest  tests[] = {
        parley_test("GW-06 C2A to AEE and back is exact", test_c2a),
        parley_test("GW-06 VCP to C2A and back, also by AEE, is exact",
                    test_vcp),
        parley_test("GW-06 C2A-06 AEE to C2A and back is exact, but for "
                    "knocks", test_aee),
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
