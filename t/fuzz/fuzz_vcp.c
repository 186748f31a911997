/*
 * VCP: what is taken goes to AEE and comes back exactly, unless a name has
 * no image there.
 */

#include "parley_fuzz_translate.h"


static const char  request[] =
    "{\"v\":\"1\",\"id\":\"019502a4-7e5c-7000-8000-000000000001\","
    "\"ts\":\"2026-02-15T10:33:00Z\",\"type\":\"task\","
    "\"from\":\"agent.child-007@prod\",\"to\":\"agent.b\","
    "\"intent\":\"vcp.escalation\",\"corr\":\"a-thread\","
    "\"priority\":\"high\",\"payload\":{\"severity\":\"critical\","
    "\"reason\":\"r\",\"context\":\"c\",\"requires_ack\":true}}";


static void
translate(parley_arena_t *arena, const parley_json_t *doc,
    const parley_msg_t *msg)
{
    uint32_t              applied;
    parley_msg_t          there;
    parley_str_t          unsigned_text;
    parley_edit_t         edit;
    parley_json_t         aee_doc, vcp_doc, own;
    parley_loss_t         loss;
    parley_error_t        err;
    parley_encoded_t      aee, vcp;
    parley_encode_opts_t  opts;

    fuzz_opts(&opts);
    parley_loss_init(&loss, arena);

    if (parley_encode(fuzz_engine(), arena, PARLEY_PROTO_AEE, msg, &opts,
                      &aee, &loss, &err)
        != 0)
    {
        check(err.code == PARLEY_E_IDENTITY_UNMAPPABLE);
        fuzz_refuse(arena, PARLEY_PROTO_VCP, msg, &err);
        return;
    }

    fuzz_read(arena, PARLEY_PROTO_AEE, aee.body, &aee_doc, &there);
    check(there.carried && there.origin == PARLEY_PROTO_VCP);

    check(parley_encode(fuzz_engine(), arena, PARLEY_PROTO_VCP, &there, &opts,
                        &vcp, &loss, &err) == 0);
    check(loss.count == 0);

    edit.pointer = PARLEY_STR("/signature");
    edit.value = parley_str_none;
    check(parley_edit(arena, doc, &edit, 1, &unsigned_text, &applied, &err)
          == 0);

    check(parley_read_again(&own, arena, FUZZ_SEED, unsigned_text, &err)
          == 0);
    check(parley_read_again(&vcp_doc, arena, FUZZ_SEED, vcp.body, &err) == 0);

    /* a lower-case "t" or "z" of a timestamp becomes the usual one */

    if (msg->created.data[10] == 'T') {
        check(parley_json_equal((parley_json_ref_t) { &own, 0 },
                                (parley_json_ref_t) { &vcp_doc, 0 }));
    }
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

        if (parley_decode(fuzz_engine(), &arena, PARLEY_PROTO_VCP, &doc, 0,
                          &msg, &err)
            != 0)
        {
            fuzz_refuse(&arena, PARLEY_PROTO_VCP, &msg, &err);

        } else {
            translate(&arena, &doc, &msg);
        }
    }

    fuzz_answer(&arena, PARLEY_PROTO_AEE, request, PARLEY_PROTO_VCP, text);

    parley_arena_reset(&arena);

    return 0;
}
