/*
 * AEE messages.  An accepted message is translated to VCP or refused there.
 * The VCP message is valid, always the same, and can be translated back.  A
 * command of MoQ gives back the same message.  The refusal of an invalid
 * message is a valid envelope.
 */

#include "t/fuzz/parley_fuzz_translate.h"


static const char  request[] =
    "{\"vcp_message\":\"1.2\",\"type\":\"escalation\","
    "\"message_id\":\"019502a4-7e5c-7000-8000-000000000001\","
    "\"sender\":\"agent://prod/child-007\",\"recipient\":\"b\","
    "\"timestamp\":\"2026-02-15T10:33:00Z\",\"payload\":{"
    "\"severity\":\"critical\",\"reason\":\"r\",\"context\":\"c\","
    "\"requires_ack\":true}}";


static void
translate(parley_arena_t *arena, const parley_msg_t *msg)
{
    parley_msg_t          there, back;
    parley_json_t         doc, home;
    parley_loss_t         loss, twin_loss;
    parley_error_t        err;
    parley_encoded_t      vcp, twin, aee;
    parley_encode_opts_t  opts;

    fuzz_opts(&opts);

    parley_loss_init(&loss, arena);
    parley_loss_init(&twin_loss, arena);

    if (parley_encode(fuzz_engine(), arena, PARLEY_PROTO_VCP, msg, &opts,
                      &vcp, &loss, &err)
        != 0)
    {
        check(err.code == PARLEY_E_TRANSLATION_UNSUPPORTED
              || err.code == PARLEY_E_IDENTITY_UNMAPPABLE);
        fuzz_refuse(arena, PARLEY_PROTO_AEE, msg, &err);
        return;
    }

    check(parley_encode(fuzz_engine(), arena, PARLEY_PROTO_VCP, msg, &opts,
                        &twin, &twin_loss, &err) == 0);
    check(parley_str_eq(vcp.body, twin.body));
    check(loss.count == twin_loss.count);

    fuzz_read(arena, PARLEY_PROTO_VCP, vcp.body, &doc, &there);
    check(parley_str_eq(there.id, vcp.id));
    check(parley_str_eq(there.corr, vcp.corr));

    parley_loss_init(&loss, arena);
    check(parley_encode(fuzz_engine(), arena, PARLEY_PROTO_AEE, &there, &opts,
                        &aee, &loss, &err) == 0);
    check(loss.count == 0);

    fuzz_read(arena, PARLEY_PROTO_AEE, aee.body, &home, &back);
    check(parley_str_eq(back.sender, msg->sender));
    check(parley_str_eq(back.id, vcp.id));
    check(back.created_ms == msg->created_ms);
}


static void
command(parley_arena_t *arena, const parley_json_t *doc,
    const parley_msg_t *msg)
{
    parley_msg_t          there, back;
    parley_json_t         command_doc, home;
    parley_loss_t         loss;
    parley_error_t        err;
    parley_encoded_t      made;
    parley_encode_opts_t  opts;

    fuzz_opts(&opts);
    parley_loss_init(&loss, arena);

    if (parley_encode(fuzz_engine(), arena, PARLEY_PROTO_MOQ, msg, &opts,
                      &made, &loss, &err)
        != 0)
    {
        check(err.code != PARLEY_E_NONE && err.code != PARLEY_E_CAPACITY);
        fuzz_refuse(arena, PARLEY_PROTO_AEE, msg, &err);
        return;
    }

    fuzz_read(arena, PARLEY_PROTO_MOQ, made.body, &command_doc, &there);
    check(there.origin == msg->origin);

    /* a session has the parties and the time of a command of its own */

    if (msg->origin == PARLEY_PROTO_MOQ) {
        return;
    }

    check(there.act == msg->act);
    check(parley_encode(fuzz_engine(), arena, PARLEY_PROTO_AEE, &there, &opts,
                        &made, &loss, &err) == 0);

    fuzz_read(arena, PARLEY_PROTO_AEE, made.body, &home, &back);
    check(back.origin == msg->origin && back.act == msg->act);
    check(parley_str_eq(back.intent, msg->intent));
    check(msg->origin != PARLEY_PROTO_AEE || msg->sig.present
          || parley_json_get(doc, 0, PARLEY_STR("sig")) != PARLEY_JSON_NONE
          || parley_json_equal((parley_json_ref_t) { doc, 0 },
                               (parley_json_ref_t) { &home, 0 }));
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parley_msg_t    msg;
    parley_json_t   doc;
    parley_str_t    text;
    parley_arena_t  arena;
    parley_error_t  err;

    text = parley_str_make(data, size);

    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (parley_json_read(&doc, &arena, NULL, FUZZ_SEED, text, &err) == 0) {

        if (parley_decode(fuzz_engine(), &arena, PARLEY_PROTO_AEE, &doc, 1,
                          &msg, &err)
            != 0)
        {
            fuzz_refuse(&arena, PARLEY_PROTO_AEE, &msg, &err);

        } else if (parley_decode(fuzz_engine(), &arena, PARLEY_PROTO_AEE,
                                 &doc, 0, &msg, &err)
                   == 0)
        {
            translate(&arena, &msg);
            command(&arena, &doc, &msg);
        }
    }

    fuzz_answer(&arena, PARLEY_PROTO_VCP, request, PARLEY_PROTO_AEE, text);

    parley_arena_reset(&arena);

    return 0;
}
