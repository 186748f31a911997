/*
 * Changes by the gateway to messages that pass: caps and redaction, and its
 * own signature.
 */

#include "t/unit/parley_test_translate.h"


/* 64 octets, as in a signature of VCP */
#define SIGNATURE                                                            \
    "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB"                           \
    "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQQ=="


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


static void
test_signing_input(void **state)
{
    parley_str_t    ret;
    parley_json_t   doc;
    parley_arena_t  arena;
    parley_error_t  err;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    assert_int_equal(parley_json_read(&doc, &arena, NULL, 0, parley_str_c(
        "{\"z\":{\"sig\":1, \"signature\":2},\"sig\":{\"alg\":\"x\"},"
        "\"a\":1.50,\"signature\":\"s\"}"), &err), 0);

    /* AEE-15: the whole envelope except its own signature */

    assert_int_equal(parley_signing_input(&arena, PARLEY_PROTO_AEE, &doc,
                                          &ret, &err), 0);
    parley_assert_str(ret, "{\"a\":1.5,\"signature\":\"s\","
                           "\"z\":{\"sig\":1,\"signature\":2}}");

    assert_int_equal(parley_signing_input(&arena, PARLEY_PROTO_VCP, &doc,
                                          &ret, &err), 0);
    parley_assert_str(ret, "{\"a\":1.5,\"sig\":{\"alg\":\"x\"},"
                           "\"z\":{\"sig\":1,\"signature\":2}}");

    /* a message without an exact canonical form cannot be verified */

    assert_int_equal(parley_json_read(&doc, &arena, NULL, 0,
                                      parley_str_c(vcp), &err), 0);
    assert_int_equal(parley_signing_input(&arena, PARLEY_PROTO_VCP, &doc,
                                          &ret, &err), -1);
    assert_int_equal(err.code, PARLEY_E_SIGNATURE_INVALID);
    assert_string_equal(err.field, "/payload/constraints/0/value");
    assert_int_equal(ret.len, 0);

    parley_arena_reset(&arena);
}


static void
test_attach(void **state)
{
    size_t            i;
    parley_str_t      ret;
    parley_arena_t    arena;
    parley_error_t    err;
    parley_msg_sig_t  sig;

    static const struct {
        parley_proto_t  proto;
        const char     *kid;
        const char     *body;
        const char     *ret;
    } rows[] = {
        { PARLEY_PROTO_AEE, "k\"1", "{\"v\":\"1\"}",
          "{\"v\":\"1\",\"sig\":{\"alg\":\"ed25519\",\"kid\":\"k\\\"1\","
          "\"value\":\"QUFBQUFBQUE=\"}}" },
        { PARLEY_PROTO_AEE, "", "{}",
          "{\"sig\":{\"alg\":\"ed25519\",\"value\":\"QUFBQUFBQUE=\"}}" },
        { PARLEY_PROTO_AEE, "", " { \"sig\" : null , \"v\":1 } \n",
          " { \"sig\" : {\"alg\":\"ed25519\",\"value\":\"QUFBQUFBQUE=\"} , "
          "\"v\":1 } \n" },
        { PARLEY_PROTO_VCP, "k", "{\"vcp_message\":\"1.2\" }",
          "{\"vcp_message\":\"1.2\" ,\"signature\":\"base64:QUFBQUFBQUE=\"}" },
        { PARLEY_PROTO_AEE, "", "{\"sig\":\"x\"}", NULL },
        { PARLEY_PROTO_VCP, "", "{\"signature\":\"x\"}", NULL },
        { PARLEY_PROTO_AEE, "", "[]", NULL },
        { PARLEY_PROTO_AEE, "", "{", NULL },
        { PARLEY_PROTO_C2A, "", "{}", NULL },
    };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {

        memset(&sig, 0, sizeof(parley_msg_sig_t));
        sig.alg = PARLEY_STR("ed25519");
        sig.kid = parley_str_c(rows[i].kid);
        sig.value = PARLEY_STR("QUFBQUFBQUE=");

        if (rows[i].ret == NULL) {
            assert_int_equal(parley_signing_attach(&arena, rows[i].proto,
                                                   parley_str_c(rows[i].body),
                                                   &sig, &ret, &err), -1);
            assert_int_equal(ret.len, 0);
            continue;
        }

        assert_int_equal(parley_signing_attach(&arena, rows[i].proto,
                                               parley_str_c(rows[i].body), &sig,
                                               &ret, &err), 0);
        parley_assert_str(ret, rows[i].ret);
    }

    parley_arena_reset(&arena);
}


static parley_str_t  signed_octets;


static int
test_sign(void *ctx, parley_str_t octets, parley_msg_sig_t *ret,
    parley_error_t *err)
{
    if (ctx != NULL) {
        return parley_error_set(err, PARLEY_E_CAPACITY, NULL, "no key");
    }

    signed_octets = octets;

    memset(ret, 0, sizeof(parley_msg_sig_t));
    ret->alg = PARLEY_STR("ed25519");
    ret->kid = PARLEY_STR("gateway");
    ret->value = PARLEY_STR(SIGNATURE);

    return 0;
}


/* GW-08: a message that the gateway makes has the gateway's signature. */

static void
test_signed(void **state)
{
    parley_str_t           input;
    parley_loss_t          loss;
    parley_arena_t         arena;
    parley_error_t         err;
    parley_encoded_t       ret;
    parley_encode_opts_t   opts;
    parley_test_message_t  m, made;

    (void) state;

    memset(&opts, 0, sizeof(parley_encode_opts_t));
    opts.sign = test_sign;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_loss_init(&loss, &arena);

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_AEE,
                                      parley_str_c(aee), 0, &m, &err), 0);
    assert_int_equal(parley_encode(parley_test_engine(), &arena,
                                   PARLEY_PROTO_VCP, &m.msg, &opts, &ret,
                                   &loss, &err), 0);

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_VCP, ret.body, 0,
                                      &made, &err), 0);
    parley_assert_str(made.msg.sig.value, SIGNATURE);
    assert_int_equal(parley_signing_input(&arena, PARLEY_PROTO_VCP, &made.doc,
                                          &input, &err), 0);
    assert_true(parley_str_eq(input, signed_octets));

    /* a message that passes keeps its own */

    assert_int_equal(parley_encode(parley_test_engine(), &arena,
                                   PARLEY_PROTO_AEE, &m.msg, &opts, &ret,
                                   &loss, &err), 0);
    assert_true(ret.copied);

    /* a message that cannot be signed is not sent unsigned */

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_VCP,
                                      parley_str_c(vcp), 0, &m, &err), 0);
    assert_int_equal(parley_encode(parley_test_engine(), &arena,
                                   PARLEY_PROTO_AEE, &m.msg, &opts, &ret,
                                   &loss, &err), -1);
    assert_int_equal(err.code, PARLEY_E_TRANSLATION_UNSUPPORTED);
    assert_string_equal(err.field, "/payload/constraints/0/value");

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_AEE,
                                      parley_str_c(aee), 0, &m, &err), 0);
    opts.sign_ctx = &opts;
    assert_int_equal(parley_encode(parley_test_engine(), &arena,
                                   PARLEY_PROTO_VCP, &m.msg, &opts, &ret,
                                   &loss, &err), -1);

    parley_arena_reset(&arena);
}


static void
test_edit(void **state)
{
    size_t          i;
    uint32_t        n, applied;
    parley_str_t    ret;
    parley_json_t   doc;
    parley_edit_t   edits[4];
    parley_arena_t  arena;
    parley_error_t  err;

    static const char  text[] =
        " {\"a\": 1, \"b\" : {\"c\":[1, 2,{\"d\":null}] , \"e\":\"x\"},"
        "\"f~/\":{}} ";

    static const struct {
        const char  *edits[8];      /* pointer, value */
        uint32_t     applied;
        const char  *ret;
    } rows[] = {
        { { "/a", "2" }, 1,
          "{\"a\":2,\"b\":{\"c\":[1, 2,{\"d\":null}] , \"e\":\"x\"},"
          "\"f~/\":{}}" },
        { { "/a", "" }, 1, "{\"b\":{\"c\":[1, 2,{\"d\":null}] , \"e\":\"x\"},"
          "\"f~/\":{}}" },
        { { "/f~0~1", "" }, 1,
          "{\"a\":1,\"b\":{\"c\":[1, 2,{\"d\":null}] , \"e\":\"x\"}}" },
        { { "/b/c/1", "", "/b/e", "\"[redacted]\"" }, 2,
          "{\"a\":1,\"b\":{\"c\":[1,{\"d\":null}],\"e\":\"[redacted]\"},"
          "\"f~/\":{}}" },
        { { "/b/c/0", "", "/b/c/1", "", "/b/c/2", "" }, 3,
          "{\"a\":1,\"b\":{\"c\":[],\"e\":\"x\"},\"f~/\":{}}" },
        { { "/b/e", "", "/b/c", "", "/a", "" }, 3,
          "{\"b\":{},\"f~/\":{}}" },
        /* a member inside a removed one is ignored */
        { { "/b/c/2/d", "1", "/b", "", "/b/e", "2" }, 1,
          "{\"a\":1,\"f~/\":{}}" },
        { { "/b/c/2/d", "1", "/b", "0" }, 1, "{\"a\":1,\"b\":0,\"f~/\":{}}" },
        { { "/a", "2", "/a", "3" }, 1,
          "{\"a\":2,\"b\":{\"c\":[1, 2,{\"d\":null}] , \"e\":\"x\"},"
          "\"f~/\":{}}" },
        { { "/b/c/2/d", "{\"x\":1}" }, 1,
          "{\"a\":1,\"b\":{\"c\":[1,2,{\"d\":{\"x\":1}}],\"e\":\"x\"},"
          "\"f~/\":{}}" },
        /* a pointer to a missing member changes nothing */
        { { "/x", "1", "/b/c/3", "", "/b/c/-", "", "", "1" }, 0, text },
        { { NULL }, 0, text },
    };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {

        assert_int_equal(parley_json_read(&doc, &arena, NULL, 0,
                                          parley_str_c(text), &err), 0);

        for (n = 0; n < 4 && rows[i].edits[2 * n] != NULL; n++) {
            edits[n].pointer = parley_str_c(rows[i].edits[2 * n]);
            edits[n].value = parley_str_c(rows[i].edits[2 * n + 1]);
        }

        assert_int_equal(parley_edit(&arena, &doc, edits, n, &ret, &applied,
                                     &err), 0);
        assert_int_equal(applied, rows[i].applied);
        parley_assert_str(ret, rows[i].ret);
    }

    parley_arena_reset(&arena);
}


static void
test_edit_memory(void **state)
{
    size_t             i;
    uint32_t           applied;
    parley_str_t       ret;
    parley_mem_t       mem;
    parley_json_t      doc;
    parley_edit_t      edit;
    parley_arena_t     arena, small;
    parley_error_t     err;
    parley_test_mem_t  counter;

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    assert_int_equal(parley_json_read(&doc, &arena, NULL, 0,
                                      parley_str_c(aee), &err), 0);

    edit.pointer = PARLEY_STR("/payload/context");
    edit.value = PARLEY_STR("\"x\"");

    for (i = 1; ; i++) {
        mem = parley_test_mem(&counter, i);
        parley_arena_init(&small, &mem, 16);

        if (parley_edit(&small, &doc, &edit, 1, &ret, &applied, &err) == 0) {
            parley_arena_reset(&small);
            break;
        }

        assert_int_equal(err.code, PARLEY_E_CAPACITY);
        parley_arena_reset(&small);
    }

    assert_true(i > 2);
    parley_arena_reset(&arena);
}


static const struct CMUnitTest  tests[] = {
    parley_test("AEE-15 VCP-16 what a signature covers", test_signing_input),
    parley_test("GW-08 a signature is put in", test_attach),
    parley_test("GW-08 what is made is signed", test_signed),
    parley_test("AEE-28 AEE-29 AEE-32 members are replaced and removed",
                test_edit),
    parley_test("AEE-32 edits when memory ends", test_edit_memory),
};


PARLEY_TEST_MAIN(tests)
