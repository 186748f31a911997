/*
 * Commands.  An accepted command is translated to every other protocol, or
 * refused there.  The translation is valid.  From AEE, C2A and agent-channel
 * the same command comes back, without its credential.  A message that the
 * command carries comes to its own protocol, and back into a command.
 */

#include "t/fuzz/parley_fuzz_translate.h"
#include "translate/parley_embed.h"


#define FUZZ_TEXT_MAX  16384


static void
attribute(void *ctx, parley_proto_t proto, parley_str_t name,
    parley_str_t *ret_human, parley_str_t *ret_instrument)
{
    (void) ctx;
    (void) proto;
    (void) name;

    *ret_human = PARLEY_STR("~alice");
    *ret_instrument = PARLEY_STR("~cc-a");
}


static int
encode(parley_arena_t *arena, parley_proto_t to, const parley_msg_t *m,
    parley_encoded_t *ret, parley_loss_t *loss)
{
    parley_error_t        err;
    parley_encode_opts_t  opts;

    fuzz_opts(&opts);
    opts.attribute = attribute;
    parley_loss_init(loss, arena);

    if (parley_encode(fuzz_engine(), arena, to, m, &opts, ret, loss, &err)
        == 0)
    {
        return 0;
    }

    check(err.code != PARLEY_E_NONE && err.code != PARLEY_E_CAPACITY);
    check(err.text[0] != '\0');
    fuzz_refuse(arena, m->wire, m, &err);

    return -1;
}


/* Reads a translation, which must be valid, with the scope that it needs. */

static void
decode(parley_arena_t *arena, parley_proto_t proto,
    const parley_encoded_t *made, parley_json_t *doc, parley_msg_t *ret)
{
    parley_error_t       err;
    parley_submission_t  submission;

    memset(&submission, 0, sizeof(submission));

    submission.scope = made->scope;
    submission.human = PARLEY_STR("~alice");
    submission.instrument = PARLEY_STR("~cc-a");

    fuzz_read(arena, proto, made->body, doc, ret);
    check(parley_submit(arena, ret, &submission, &err) == 0);
}


static int
has(const parley_json_t *doc, const char *name)
{
    return parley_json_get(doc, 0, parley_str_c(name)) != PARLEY_JSON_NONE;
}


/* A capsule that names a sender, and embeds no message, is lost on the way
   back. */

static int
names_sender(const parley_json_t *doc)
{
    unsigned  i;
    uint32_t  node;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        node = parley_json_get(doc, 0, parley_proto_name((parley_proto_t) i));

        if (i != PARLEY_PROTO_MOQ && node != PARLEY_JSON_NONE
            && parley_json_type(doc, node) == PARLEY_JSON_OBJECT
            && (parley_json_get(doc, node, PARLEY_STR("sender"))
                != PARLEY_JSON_NONE
                || parley_json_get(doc, node, PARLEY_STR("members"))
                   != PARLEY_JSON_NONE))
        {
            return 1;
        }
    }

    return 0;
}


static void
there_and_back(parley_arena_t *arena, const parley_json_t *doc,
    const parley_msg_t *m, parley_proto_t to)
{
    parley_msg_t      there, back;
    parley_loss_t     loss;
    parley_json_t     there_doc, back_doc;
    parley_encoded_t  made;

    if (encode(arena, to, m, &made, &loss) != 0) {
        return;
    }

    check(!has(doc, "auth_token") || loss.count > 0);
    decode(arena, to, &made, &there_doc, &there);

    if (m->origin != PARLEY_PROTO_MOQ) {
        check(to != m->origin || there.origin == to);

        if (encode(arena, PARLEY_PROTO_MOQ, &there, &made, &loss) == 0) {
            decode(arena, PARLEY_PROTO_MOQ, &made, &back_doc, &back);
            check(back.origin == there.origin);
        }

        return;
    }

    /* VCP has another message in place of the command */

    if (parley_embed_kin(to) == PARLEY_PROTO_VCP) {
        return;
    }

    check(encode(arena, PARLEY_PROTO_MOQ, &there, &made, &loss) == 0);

    /* the session of a frame is the correlation, and does not come back */

    check(loss.count == 0 || !has(doc, "session_id") || names_sender(doc));

    decode(arena, PARLEY_PROTO_MOQ, &made, &back_doc, &back);
    check(back.act == m->act);
    check(has(doc, "auth_token") || names_sender(doc)
          || parley_json_equal((parley_json_ref_t) { doc, 0 },
                               (parley_json_ref_t) { &back_doc, 0 }));
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned              i;
    parley_msg_t          m;
    parley_json_t         doc;
    parley_error_t        err;
    parley_arena_t        arena;
    parley_submission_t   submission;

    if (size > FUZZ_TEXT_MAX) {
        return 0;
    }

    memset(&submission, 0, sizeof(submission));

    submission.sender = PARLEY_STR("agent.cc-a");
    submission.recipient = PARLEY_STR("agent.cc-b");
    submission.ms = FUZZ_NOW;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (parley_json_read(&doc, &arena, NULL, 1, parley_str_make(data, size),
                         &err)
        == 0
        && parley_decode(fuzz_engine(), &arena, PARLEY_PROTO_MOQ, &doc, 0, &m,
                         &err)
           == 0)
    {
        /* only a capsule can name another sender */

        if (parley_submit(&arena, &m, &submission, &err) != 0) {
            check(err.code == PARLEY_E_SENDER_IDENTITY_MISMATCH);
            check(names_sender(&doc));
            parley_arena_reset(&arena);

            return 0;
        }

        for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
            if (i != PARLEY_PROTO_MOQ) {
                there_and_back(&arena, &doc, &m, (parley_proto_t) i);
            }
        }
    }

    parley_arena_reset(&arena);

    return 0;
}
