/*
 * VCP in both versions.  An accepted message comes back unchanged from AEE and
 * MoQ, unless a name has no equivalent there, or it is an event, which MoQ does
 * not have.  The way to the other version and back keeps the id and the text.
 */

#include "t/fuzz/parley_fuzz_translate.h"
#include "translate/parley_codec.h"


static const char  request[] =
    "{\"v\":\"1\",\"id\":\"019502a4-7e5c-7000-8000-000000000001\","
    "\"ts\":\"2026-02-15T10:33:00Z\",\"type\":\"task\","
    "\"from\":\"agent.child-007@prod\",\"to\":\"agent.b\","
    "\"intent\":\"vcp.escalation\",\"corr\":\"a-thread\","
    "\"priority\":\"high\",\"payload\":{\"severity\":\"critical\","
    "\"reason\":\"r\",\"context\":\"c\",\"requires_ack\":true}}";


/* Returns whether a member differs from a name of the envelope only by case. */

static int
alike(const parley_json_t *doc)
{
    parley_error_t  err;

    return parley_codecs[PARLEY_PROTO_VCP2]->spelling(doc, &err) != 0;
}


static void
around(parley_arena_t *arena, const parley_json_t *doc,
    const parley_msg_t *msg, parley_proto_t via)
{
    uint32_t              applied;
    parley_msg_t          there;
    parley_str_t          unsigned_text;
    parley_edit_t         edit;
    parley_json_t         made_doc, vcp_doc, own;
    parley_loss_t         loss;
    parley_error_t        err;
    parley_encoded_t      made, vcp;
    parley_encode_opts_t  opts;

    fuzz_opts(&opts);
    parley_loss_init(&loss, arena);

    if (parley_encode(fuzz_engine(), arena, via, msg, &opts, &made, &loss,
                      &err)
        != 0)
    {
        check(err.code == PARLEY_E_IDENTITY_UNMAPPABLE
              || (via == PARLEY_PROTO_MOQ && msg->act == PARLEY_ACT_EVENT
                  && err.code == PARLEY_E_TRANSLATION_UNSUPPORTED));
        fuzz_refuse(arena, msg->wire, msg, &err);
        return;
    }

    fuzz_read(arena, via, made.body, &made_doc, &there);
    check(there.carried == (via == PARLEY_PROTO_AEE));
    check(there.origin == msg->wire && there.act == msg->act);

    check(parley_encode(fuzz_engine(), arena, msg->wire, &there, &opts, &vcp,
                        &loss, &err) == 0);
    check(loss.count == 0);

    edit.pointer = PARLEY_STR("/signature");
    edit.value = parley_str_none;
    check(parley_edit(arena, doc, &edit, 1, &unsigned_text, &applied, &err)
          == 0);

    check(parley_read_again(&own, arena, FUZZ_SEED, unsigned_text, &err)
          == 0);
    check(parley_read_again(&vcp_doc, arena, FUZZ_SEED, vcp.body, &err) == 0);

    /*
     * timestamps with an offset, or with "t" or "z", come back in the usual
     * form
     */

    if (msg->created.data[10] == 'T'
        && msg->created.data[msg->created.len - 1] == 'Z')
    {
        check(parley_json_equal((parley_json_ref_t) { &own, 0 },
                                (parley_json_ref_t) { &vcp_doc, 0 }));
    }
}


static void
other_version(parley_arena_t *arena, const parley_msg_t *msg)
{
    parley_msg_t          there, back;
    parley_json_t         doc, home;
    parley_loss_t         loss;
    parley_proto_t        other;
    parley_error_t        err;
    parley_encoded_t      made;
    parley_encode_opts_t  opts;

    other = msg->wire == PARLEY_PROTO_VCP ? PARLEY_PROTO_VCP2
                                          : PARLEY_PROTO_VCP;

    fuzz_opts(&opts);
    parley_loss_init(&loss, arena);

    if (parley_encode(fuzz_engine(), arena, other, msg, &opts, &made, &loss,
                      &err)
        != 0)
    {
        /* every message of 1.2 but an acknowledgment has an equivalent in
           2.0, where the id must be a UUID of RFC 9562 */
        check(other == PARLEY_PROTO_VCP || msg->act == PARLEY_ACT_REPLY);
        check(err.code == PARLEY_E_TRANSLATION_UNSUPPORTED);
        fuzz_refuse(arena, msg->wire, msg, &err);
        return;
    }

    fuzz_read(arena, other, made.body, &doc, &there);

    check(there.act == msg->act && there.alarm == msg->alarm);
    check(parley_str_eq(there.intent, msg->intent));
    check(parley_str_eq(there.sender, msg->sender));
    check(parley_str_eq(there.recipient, msg->recipient));
    check(there.created_ms == msg->created_ms);

    parley_loss_init(&loss, arena);
    check(parley_encode(fuzz_engine(), arena, msg->wire, &there, &opts, &made,
                        &loss, &err) == 0);
    check(loss.count == 0);

    fuzz_read(arena, msg->wire, made.body, &home, &back);
    check(parley_str_eq(back.id, there.id));
    check(parley_str_eq(back.reply_to, msg->reply_to));
}


static void
take(parley_arena_t *arena, const parley_json_t *doc, parley_proto_t proto)
{
    parley_msg_t    msg;
    parley_error_t  err;

    if (parley_decode(fuzz_engine(), arena, proto, doc, 0, &msg, &err) != 0) {
        fuzz_refuse(arena, proto, &msg, &err);
        return;
    }

    if (proto == PARLEY_PROTO_VCP || !alike(doc)) {
        around(arena, doc, &msg, PARLEY_PROTO_AEE);
        around(arena, doc, &msg, PARLEY_PROTO_MOQ);
    }

    other_version(arena, &msg);
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    parley_json_t   doc;
    parley_str_t    text;
    parley_arena_t  arena;
    parley_error_t  err;

    text = parley_str_make(data, size);

    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (parley_json_read(&doc, &arena, NULL, FUZZ_SEED, text, &err) == 0) {
        take(&arena, &doc, PARLEY_PROTO_VCP);
        take(&arena, &doc, PARLEY_PROTO_VCP2);
    }

    fuzz_answer(&arena, PARLEY_PROTO_AEE, request, PARLEY_PROTO_VCP, text);
    fuzz_answer(&arena, PARLEY_PROTO_AEE, request, PARLEY_PROTO_VCP2, text);

    parley_arena_reset(&arena);

    return 0;
}
