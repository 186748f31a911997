/*
 * VCP 2.0: the codec of 1.2 with another dialect, and with an open envelope.
 *
 *   {"vcp_message": "2.0", "type": "context_share",
 *    "message_id": "9b2e0c52-6a0d-4f0e-8a53-0f6f5d0a7c11",
 *    "sender": "agent://h/x1", "recipient": "agent://h/x2",
 *    "timestamp": "2026-03-08T12:00:00Z", "session": "s-4",
 *    "payload": {"context": "...", "constitution_ref": "creed://h/y",
 *                "personal_state": {"energy": 7, "mood": "calm"}}}
 */

#include "translate/vcp/parley_vcp.h"


#define PARLEY_VCP_NAME_MAX  11     /* octets of "vcp_message", the longest
                                       name */


static int parley_vcp2_detect(const parley_json_t *doc);
static int parley_vcp2_encode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *m,
    const parley_encode_opts_t *opts, parley_encoded_t *ret,
    parley_loss_t *loss, parley_error_t *err);
static int parley_vcp2_answer_decode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err);
static void parley_vcp2_unmapped(const parley_msg_t *m, parley_loss_t *loss);


/* schemas of payloads, indexed by parley_vcp_type_t */
static const parley_str_t  parley_vcp2_parts[PARLEY_VCP_TYPES] = {
    PARLEY_VCP_PARTS("2.0")
};


const parley_codec_t  parley_vcp2_codec = {
    .proto = PARLEY_PROTO_VCP2,
    .schema = parley_str("urn:parley:schema:vcp-2.0"),
    .parts = parley_vcp2_parts,
    .words = parley_str("vcp"),
    .detect = parley_vcp2_detect,
    .spelling = parley_vcp_spelling,
    .unmapped = parley_vcp2_unmapped,
    .encode = parley_vcp2_encode,
    .answer_decode = parley_vcp2_answer_decode,
    PARLEY_VCP_CODEC
};


static int
parley_vcp2_detect(const parley_json_t *doc)
{
    return parley_vcp_detect(parley_vcp_dialect(PARLEY_PROTO_VCP2), doc);
}


static int
parley_vcp2_encode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *m, const parley_encode_opts_t *opts,
    parley_encoded_t *ret, parley_loss_t *loss, parley_error_t *err)
{
    return parley_vcp_encode(parley_vcp_dialect(PARLEY_PROTO_VCP2), engine,
                             arena, m, opts, ret, loss, err);
}


static int
parley_vcp2_answer_decode(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err)
{
    return parley_vcp_answer_decode(parley_vcp_dialect(PARLEY_PROTO_VCP2),
                                    engine, arena, sent, answer, err);
}


/* Reports the envelope members that 1.2 does not have. */

static void
parley_vcp2_unmapped(const parley_msg_t *m, parley_loss_t *loss)
{
    uint32_t  i;

    for (i = 0; i < m->nmembers; i++) {
        parley_loss_value(loss, m->members[i].value);
    }
}


int
parley_vcp_is_reserved(parley_str_t name)
{
    uint8_t  lower[PARLEY_VCP_NAME_MAX];

    if (name.len > PARLEY_VCP_NAME_MAX) {
        return 0;
    }

    parley_str_lower(name, lower);

    return parley_vcp_field_name(parley_str_make(lower, name.len))
           != PARLEY_VCP_FIELDS;
}
