/*
 * Any text as a C2A message and as a C2A service's answer, with its
 * translations to the other protocols.  Nothing crashes, the output is always
 * valid, and the way back from AEE and MoQ gives the same message.
 */

#include "t/fuzz/parley_fuzz.h"
#include "translate/c2a/parley_c2a.h"
#include "translate/parley_engine.h"

#include <stdlib.h>


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static const parley_engine_t *
fuzz_engine(void)
{
    parley_error_t           err;
    static parley_engine_t  *engine;

    if (engine == NULL) {
        engine = parley_engine_create(&parley_mem_libc, &err);
        if (engine == NULL) {
            abort();
        }
    }

    return engine;
}


static void
fuzz_options(parley_encode_opts_t *opts)
{
    memset(opts, 0, sizeof(parley_encode_opts_t));

    opts->self = PARLEY_STR("service.parley");
    opts->context = PARLEY_STR("context");
    opts->now_ms = 1771151400123;
}


/* Encodes a message and checks that the result is valid. */

static int
fuzz_encode(parley_arena_t *arena, const parley_msg_t *m, parley_proto_t to,
    parley_json_t *ret_doc, parley_msg_t *ret)
{
    parley_loss_t         loss;
    parley_error_t        err;
    parley_encoded_t      made;
    parley_encode_opts_t  opts;

    fuzz_options(&opts);
    parley_loss_init(&loss, arena);

    if (parley_encode(fuzz_engine(), arena, to, m, &opts, &made, &loss, &err)
        != 0)
    {
        if (err.code == PARLEY_E_NONE) {
            abort();
        }

        return -1;
    }

    if (parley_read_again(ret_doc, arena, 7, made.body, &err) != 0
        || parley_decode(fuzz_engine(), arena, to, ret_doc, 0, ret, &err)
           != 0)
    {
        abort();
    }

    return 0;
}


static int
fuzz_may(void *ctx, parley_str_t form, parley_str_t intent)
{
    (void) ctx;

    return form.len < intent.len;
}


/* Checks that the gateway's own answers and refusals are JSON. */

static void
fuzz_own(parley_arena_t *arena, const parley_msg_t *m, parley_proto_t speak)
{
    int               rc;
    parley_local_t    own;
    parley_json_t     doc;
    parley_reply_t    reply;
    parley_error_t    err, why;
    parley_refusal_t  refusal;

    memset(&own, 0, sizeof(parley_local_t));

    own.speak = speak;
    own.may = fuzz_may;
    own.ctx = NULL;

    rc = parley_engine_local(arena, m, &own, &reply, &why);

    if (rc == 0) {
        return;
    }

    if (rc < 0) {
        memset(&refusal, 0, sizeof(parley_refusal_t));

        refusal.error = &why;
        refusal.msg = m;
        refusal.headers[PARLEY_C2A_HEADER_MCP] = PARLEY_STR("2025-06-18");

        if (parley_refuse(arena, PARLEY_PROTO_C2A, &refusal, &reply) != 0) {
            abort();
        }
    }

    if (reply.body.len > 0
        && parley_json_read(&doc, arena, NULL, 0, reply.body, &err) != 0)
    {
        abort();
    }
}


static void
fuzz_message(parley_arena_t *arena, parley_json_t *doc)
{
    unsigned             to;
    parley_msg_t         m, other, back;
    parley_buf_t         b;
    parley_str_t         text;
    parley_json_t        docs[2];
    parley_error_t       err;
    parley_submission_t  submission;

    if (parley_decode(fuzz_engine(), arena, PARLEY_PROTO_C2A, doc, 0, &m,
                      &err)
        != 0)
    {
        return;
    }

    memset(&submission, 0, sizeof(parley_submission_t));

    submission.sender = PARLEY_STR("agent:worker");
    submission.recipient = PARLEY_STR("agent:lead");
    submission.ms = 1771151400123;

    parley_buf_init(&b, arena, 0);

    if (parley_c2a_render(&b, &m) < 0
        || parley_buf_done(&b, &text) != 0
        || parley_submit(arena, &m, &submission, &err) != 0)
    {
        abort();
    }

    for (to = 0; to < PARLEY_PROTO_COUNT; to++) {
        fuzz_own(arena, &m, (parley_proto_t) to);

        if (parley_codecs[to] == NULL || to == PARLEY_PROTO_C2A
            || fuzz_encode(arena, &m, (parley_proto_t) to, &docs[0], &other)
               != 0)
        {
            continue;
        }

        if (fuzz_encode(arena, &other, PARLEY_PROTO_C2A, &docs[1], &back) == 0
            && (to == PARLEY_PROTO_AEE || to == PARLEY_PROTO_MOQ)
            && m.origin == PARLEY_PROTO_C2A
            && !parley_json_equal((parley_json_ref_t) { doc, 0 },
                                  (parley_json_ref_t) { &docs[1], 0 }))
        {
            abort();
        }
    }
}


static void
fuzz_answer(parley_arena_t *arena, parley_str_t text)
{
    parley_error_t    err;
    parley_answer_t   answer;
    parley_encoded_t  sent;

    err.code = PARLEY_E_NONE;
    memset(&sent, 0, sizeof(parley_encoded_t));

    sent.body = PARLEY_STR("{\"jsonrpc\":\"2.0\",\"id\":\"deliver-456\"}");
    sent.id = PARLEY_STR("deliver-456");
    sent.corr = PARLEY_STR("C123");

    check(parley_answer_decode(fuzz_engine(), arena, PARLEY_PROTO_C2A, &sent,
                               200, text, NULL, 7, &answer, &err)
          == 0 || err.code != PARLEY_E_NONE);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parley_str_t    text;
    parley_json_t   doc;
    parley_error_t  err;
    parley_arena_t  arena;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    text = parley_str_make(data, size);

    if (parley_json_read(&doc, &arena, NULL, 7, text, &err) == 0) {
        fuzz_message(&arena, &doc);
    }

    fuzz_answer(&arena, text);

    parley_arena_reset(&arena);

    return 0;
}
