/*
 * Commands.  An accepted command becomes an AEE envelope or is refused.  It
 * comes back as the same command without its credential.  A command that
 * carries an envelope gives an envelope that comes back unchanged through a
 * command.
 */

#include <stdlib.h>

#include "translate/parley_engine.h"
#include "t/fuzz/parley_fuzz.h"


#define FUZZ_TEXT_MAX  16384


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static int
encode(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t to, const parley_msg_t *m, parley_encoded_t *ret)
{
    parley_loss_t         loss;
    parley_error_t        err;
    parley_encode_opts_t  opts;

    memset(&opts, 0, sizeof(opts));
    parley_loss_init(&loss, arena);

    if (parley_encode(engine, arena, to, m, &opts, ret, &loss, &err) == 0) {
        return 0;
    }

    check(err.code != PARLEY_E_NONE && err.code != PARLEY_E_CAPACITY);

    return -1;
}


static void
decode(const parley_engine_t *engine, parley_arena_t *arena,
    parley_proto_t proto, parley_str_t text, parley_json_t *doc,
    parley_msg_t *m)
{
    parley_error_t  err;

    check(parley_read_again(doc, arena, 1, text, &err) == 0);
    check(parley_decode(engine, arena, proto, doc, 0, m, &err) == 0);
}


static int
same(const parley_json_t *a, const parley_json_t *b)
{
    return parley_json_equal((parley_json_ref_t) { a, 0 },
                             (parley_json_ref_t) { b, 0 });
}


static void
there_and_back(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, const parley_msg_t *m)
{
    parley_msg_t      aee, back;
    parley_json_t     aee_doc, back_doc;
    parley_encoded_t  made;

    if (encode(engine, arena, PARLEY_PROTO_AEE, m, &made) != 0) {
        return;
    }

    decode(engine, arena, PARLEY_PROTO_AEE, made.body, &aee_doc, &aee);

    if (encode(engine, arena, PARLEY_PROTO_MOQ, &aee, &made) != 0) {
        check(m->origin != PARLEY_PROTO_MOQ || aee.origin != m->origin);
        return;
    }

    decode(engine, arena, PARLEY_PROTO_MOQ, made.body, &back_doc, &back);

    if (m->origin == PARLEY_PROTO_MOQ) {
        check(parley_json_get(doc, 0, PARLEY_STR("auth_token"))
              != PARLEY_JSON_NONE || same(doc, &back_doc));
        return;
    }

    check(encode(engine, arena, PARLEY_PROTO_AEE, &back, &made) == 0);

    decode(engine, arena, PARLEY_PROTO_AEE, made.body, &back_doc, &back);

    check(same(&aee_doc, &back_doc));
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parley_msg_t              m;
    parley_json_t             doc;
    parley_error_t            err;
    parley_arena_t            arena;
    parley_submission_t       submission;
    static parley_engine_t   *engine;

    if (size > FUZZ_TEXT_MAX) {
        return 0;
    }

    if (engine == NULL) {
        engine = parley_engine_create(&parley_mem_libc, &err);
        check(engine != NULL);
    }

    memset(&submission, 0, sizeof(submission));

    submission.sender = PARLEY_STR("agent.a");
    submission.recipient = PARLEY_STR("agent.b");
    submission.ms = 1771151400123;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (parley_json_read(&doc, &arena, NULL, 1, parley_str_make(data, size),
                         &err)
        == 0
        && parley_decode(engine, &arena, PARLEY_PROTO_MOQ, &doc, 0, &m, &err)
           == 0)
    {
        check(parley_submit(&arena, &m, &submission, &err) == 0);
        there_and_back(engine, &arena, &doc, &m);
    }

    parley_arena_reset(&arena);

    return 0;
}
