/*
 * The promises of docs/mapping.md, over messages made at random: the way
 * back is exact, output is deterministic and valid, what is lost is exactly
 * what is reported.  PARLEY_TEST_MESSAGES and PARLEY_TEST_SEED change how
 * many messages there are and which.
 */

#define _GNU_SOURCE     /* memmem() */

#include "parley_test_messages.h"
#include "parley_id.h"


#define MESSAGES  20000


static uint64_t  first_seed = 20260215;
static unsigned  messages = MESSAGES;


static void
opts_init(parley_encode_opts_t *opts)
{
    memset(opts, 0, sizeof(parley_encode_opts_t));

    opts->self = PARLEY_STR("service.parley");
    opts->context = PARLEY_STR("configured \"context\"");
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


/* Encodes twice: the same input gives the same octets. */

static int
encode_twice(parley_arena_t *arena, parley_proto_t to, const parley_msg_t *m,
    parley_encoded_t *ret, parley_loss_t *loss, parley_error_t *err)
{
    int                   rc, again;
    parley_loss_t         lost;
    parley_error_t        other;
    parley_encoded_t      twin;
    parley_encode_opts_t  opts;

    opts_init(&opts);

    parley_loss_init(loss, arena);
    parley_loss_init(&lost, arena);

    rc = parley_encode(parley_test_engine(), arena, to, m, &opts, ret, loss,
                       err);
    again = parley_encode(parley_test_engine(), arena, to, m, &opts, &twin,
                          &lost, &other);

    assert_int_equal(rc, again);

    if (rc == 0) {
        assert_true(parley_str_eq(ret->body, twin.body));
        assert_true(parley_str_eq(ret->id, twin.id));
        assert_true(parley_str_eq(ret->corr, twin.corr));
        assert_int_equal(loss->count, lost.count);

    } else {
        assert_int_equal(err->code, other.code);
        assert_string_equal(err->field, other.field);
    }

    return rc;
}


/* The text without a top-level member. */

static parley_str_t
without(parley_arena_t *arena, const parley_json_t *doc, const char *pointer)
{
    uint32_t        applied;
    parley_str_t    ret;
    parley_edit_t   edit;
    parley_error_t  err;

    edit.pointer = parley_str_c(pointer);
    edit.value = parley_str_none;

    assert_int_equal(parley_edit(arena, doc, &edit, 1, &ret, &applied, &err),
                     0);

    return ret;
}


static void
assert_same_meaning(const parley_msg_t *a, const parley_msg_t *b)
{
    assert_true(parley_str_eq(a->form, b->form));
    assert_true(parley_str_eq(a->id, b->id));
    assert_true(parley_str_eq(a->created, b->created));
    assert_true(parley_str_eq(a->intent, b->intent));
    assert_true(parley_str_eq(a->corr, b->corr));
    assert_true(parley_str_eq(a->reply_to, b->reply_to));
    assert_int_equal(a->origin, b->origin);
    assert_int_equal(a->act, b->act);
    assert_int_equal(a->created_ms, b->created_ms);
    assert_int_equal(a->priority, b->priority);
    assert_int_equal(a->timeout_ms, b->timeout_ms);
    assert_int_equal(a->nmembers, b->nmembers);
}


/* Promises 2 to 6 for one VCP message, through AEE and back. */

static void
vcp_message(parley_test_gen_t *g)
{
    parley_str_t           text;
    parley_loss_t          loss;
    parley_arena_t        *arena = g->arena;
    parley_error_t         err;
    parley_encoded_t       aee, vcp;
    parley_test_message_t  m, carried, back;

    text = gen_vcp(g);

    assert_ok(parley_test_read(arena, PARLEY_PROTO_VCP, text, 0, &m, &err),
              &err, text);

    assert_ok(encode_twice(arena, PARLEY_PROTO_AEE, &m.msg, &aee, &loss,
                           &err), &err, text);
    assert_int_equal(loss.count, 0);

    assert_ok(parley_test_read(arena, PARLEY_PROTO_AEE, aee.body, 0, &carried,
                               &err), &err, aee.body);

    assert_same_meaning(&m.msg, &carried.msg);
    assert_true(carried.msg.carried);
    assert_false(carried.msg.sig.present);
    assert_true(parley_str_eq(aee.id, carried.msg.id));
    assert_true(parley_str_eq(aee.corr, carried.msg.corr));

    /* never nested: the payload has one member more, the references */

    assert_int_equal(parley_json_node(&carried.doc,
                                      carried.msg.data.node)->count,
                     parley_json_node(&m.doc, m.msg.data.node)->count + 1);
    assert_null(memmem(aee.body.data, aee.body.len, "vcp_message", 11));

    assert_ok(encode_twice(arena, PARLEY_PROTO_VCP, &carried.msg, &vcp, &loss,
                           &err), &err, aee.body);

    if (loss.count != 0) {
        fail_msg("lost %s of %.*s",
                 (const char *) parley_test_loss(arena, &loss).data,
                 (int) aee.body.len, (const char *) aee.body.data);
    }

    parley_test_assert_json(arena, vcp.body,
                            without(arena, &m.doc, "/signature"));

    assert_ok(parley_test_read(arena, PARLEY_PROTO_VCP, vcp.body, 0, &back,
                               &err), &err, vcp.body);
    assert_same_meaning(&m.msg, &back.msg);
    assert_true(parley_str_eq(m.msg.sender, back.msg.sender));
    assert_true(parley_str_eq(m.msg.recipient, back.msg.recipient));
    assert_true(parley_str_eq(m.msg.text, back.msg.text));
}


static int
is_lost(const parley_loss_t *loss, const char *prefix)
{
    size_t    len;
    uint32_t  i;

    len = strlen(prefix);

    for (i = 0; i < loss->nitems; i++) {
        if (loss->items[i].len >= len
            && memcmp(loss->items[i].data, prefix, len) == 0
            && (loss->items[i].len == len
                || loss->items[i].data[len] == '/'))
        {
            return 1;
        }
    }

    return 0;
}


/* null, absent and, of what only holds members, empty are the same */

static int
is_nothing(const parley_json_t *doc, uint32_t value)
{
    return value == PARLEY_JSON_NONE
           || parley_json_type(doc, value) == PARLEY_JSON_NULL
           || (parley_json_type(doc, value) == PARLEY_JSON_OBJECT
               && parley_json_node(doc, value)->count == 0);
}


/*
 * A top-level member of an envelope is reported exactly if the way there and
 * back does not give the same.
 */

static void
assert_exact(parley_str_t text, const parley_test_message_t *m,
    const parley_test_message_t *back, const parley_loss_t *loss)
{
    int       same;
    unsigned  i;
    uint32_t  a, b;

    static const char *const  members[] = {
        "type", "to", "from", "intent", "corr", "reply_to", "trace",
        "priority", "requires", "x-unknown/~field"
    };

    static const char *const  pointers[] = {
        "/type", "/to", "/from", "/intent", "/corr", "/reply_to", "/trace",
        "/priority", "/requires", "/x-unknown~1~0field"
    };

    for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {

        a = parley_json_get(&m->doc, 0, parley_str_c(members[i]));
        b = parley_json_get(&back->doc, 0, parley_str_c(members[i]));

        if (i == 9) {
            same = a == PARLEY_JSON_NONE;

        } else if (is_nothing(&m->doc, a)) {
            same = 1;   /* nothing was there to be lost */

        } else {
            same = b != PARLEY_JSON_NONE
                   && parley_json_equal((parley_json_ref_t) { &m->doc, a },
                                        (parley_json_ref_t) { &back->doc, b });
        }

        /* a correlation that is the id follows it */

        if (i == 4 && parley_str_eq(m->msg.corr, m->msg.id)) {
            same = parley_str_eq(back->msg.corr, back->msg.id)
                   || parley_str_eq(back->msg.corr, m->msg.corr);
        }

        /* some of it may still be there */

        if (i == 6 && parley_trace_is_valid(m->msg.trace_id, m->msg.span_id))
        {
            same = parley_json_node(&m->doc, a)->count == 2;
        }

        if (same == is_lost(loss, pointers[i])) {
            fail_msg("%s %s\n%.*s\n%.*s", pointers[i],
                     same ? "is lost and is not" : "is lost and unsaid",
                     (int) text.len, (const char *) text.data,
                     (int) back->doc.input.len,
                     (const char *) back->doc.input.data);
        }
    }
}


/* What is said of an error: its words, no more. */

static void
assert_exact_error(const parley_test_message_t *m, const parley_loss_t *loss)
{
    unsigned              i;
    uint32_t              value;
    const parley_json_t  *doc;

    static const char *const  members[] = {
        "code", "message", "retryable", "text", "context", "backoff_ms",
        "references"
    };

    doc = &m->doc;

    for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {

        char                      pointer[64];
        int                       said;
        const parley_json_node_t *node;

        value = parley_json_get(doc, m->msg.data.node,
                                parley_str_c(members[i]));
        snprintf(pointer, sizeof(pointer), "/payload/%s", members[i]);

        if (value == PARLEY_JSON_NONE) {
            assert_false(is_lost(loss, pointer));
            continue;
        }

        node = parley_json_node(doc, value);

        switch (i) {
        case 0:
        case 1:
        case 4:
            said = node->type == PARLEY_JSON_STRING && node->count > 0;
            break;

        case 2:
            said = node->type != PARLEY_JSON_NUMBER;
            break;

        case 3:
            value = parley_json_get(doc, m->msg.data.node,
                                    PARLEY_STR("message"));
            said = node->count > 0
                   && (value == PARLEY_JSON_NONE
                       || parley_json_node(doc, value)->count == 0);
            break;

        default:
            said = 0;
        }

        assert_int_equal(said, !is_lost(loss, pointer));
    }

    assert_true(is_lost(loss, "/reply_to"));
}


/* Any AEE envelope: VCP says it, or the member at fault is named. */

static int
aee_message(parley_test_gen_t *g)
{
    int                    rc;
    parley_str_t           text, rest;
    parley_loss_t          loss, none;
    parley_arena_t        *arena = g->arena;
    parley_error_t         err;
    parley_encoded_t       vcp, aee;
    parley_encode_opts_t   opts;
    parley_test_message_t  m, there, back;

    text = gen_aee(g);

    assert_ok(parley_test_read(arena, PARLEY_PROTO_AEE, text, 0, &m, &err),
              &err, text);

    rc = encode_twice(arena, PARLEY_PROTO_VCP, &m.msg, &vcp, &loss, &err);

    if (rc != 0) {
        assert_true(err.code == PARLEY_E_TRANSLATION_UNSUPPORTED
                    || err.code == PARLEY_E_IDENTITY_UNMAPPABLE);
        assert_true(parley_json_resolve(&m.doc, 0, parley_str_c(err.field))
                    != PARLEY_JSON_NONE
                    || strncmp(err.field, "/payload/", 9) == 0);
        return 0;
    }

    assert_ok(parley_test_read(arena, PARLEY_PROTO_VCP, vcp.body, 0, &there,
                               &err), &err, vcp.body);
    assert_true(parley_str_eq(there.msg.id, vcp.id));
    assert_true(parley_str_eq(there.msg.corr, vcp.corr));
    assert_false(there.msg.sig.present);

    if (parley_uuid_is(m.msg.id, 7)) {
        assert_true(parley_str_eq(m.msg.id, there.msg.id));
    }

    opts_init(&opts);

    if (parley_trace_is_valid(m.msg.trace_id, m.msg.span_id)) {
        opts.trace_id = m.msg.trace_id;
        opts.span_id = m.msg.span_id;
    }

    parley_loss_init(&none, arena);

    assert_ok(parley_encode(parley_test_engine(), arena, PARLEY_PROTO_AEE,
                            &there.msg, &opts, &aee, &none, &err), &err,
              vcp.body);
    assert_int_equal(none.count, 0);

    assert_ok(parley_test_read(arena, PARLEY_PROTO_AEE, aee.body, 0, &back,
                               &err), &err, aee.body);

    assert_int_equal(back.msg.created_ms, m.msg.created_ms);

    if (m.msg.act == PARLEY_ACT_FAILURE) {
        assert_exact_error(&m, &loss);
        return 1;
    }

    if (m.msg.act == PARLEY_ACT_REPLY && back.msg.text.len == 0) {
        assert_true(back.msg.act == PARLEY_ACT_REPLY);
    }

    if (m.msg.act != PARLEY_ACT_REPLY) {
        assert_exact(text, &m, &back, &loss);

        rest = without(arena, &back.doc, "/payload/references");
        assert_true(parley_json_read(&back.doc, arena, NULL, 0, rest, &err)
                    == 0);
        assert_true(parley_json_equal(
            (parley_json_ref_t) { &m.doc, m.msg.data.node },
            (parley_json_ref_t) { &back.doc,
                parley_json_get(&back.doc, 0, PARLEY_STR("payload")) }));
    }

    return 1;
}


static void
test_vcp(void **state)
{
    unsigned           i;
    parley_arena_t     arena;
    parley_test_gen_t  g;

    (void) state;

    for (i = 0; i < messages / 2; i++) {
        parley_arena_init(&arena, &parley_mem_libc, 16384);

        g.state = first_seed + i;
        g.arena = &arena;
        vcp_message(&g);

        parley_arena_reset(&arena);
    }
}


static void
test_aee(void **state)
{
    unsigned           i, said;
    parley_arena_t     arena;
    parley_test_gen_t  g;

    (void) state;

    said = 0;

    for (i = 0; i < messages; i++) {
        parley_arena_init(&arena, &parley_mem_libc, 16384);

        g.state = first_seed + 1000003u * i;
        g.arena = &arena;
        said += (unsigned) aee_message(&g);

        parley_arena_reset(&arena);
    }

    /* the generator is worth something only where much can be said */

    assert_true(said > messages / 4);
}


int
main(void)
{
    static const struct CMUnitTest  tests[] = {
        parley_test("GW-06 VCP to AEE and back is exact", test_vcp),
        parley_test("GW-06 GW-10 AEE to VCP: valid, or the member named; "
                    "the loss report is exact", test_aee),
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
