#include "parley_channel.h"


#define PARLEY_CHANNEL_DETECTED  100    /* "envelope_version" is there */


static int parley_channel_detect(const parley_json_t *doc);
static parley_str_t parley_channel_type(unsigned i);


/* what has a grammar of its own is not here: handles, UUIDs, scopes */

static const parley_plain_t  parley_channel_payload_names[] = {
    { PARLEY_ATOM_file_refs, NULL },
    { PARLEY_ATOM_worktree, NULL },
    { PARLEY_ATOM_branch, NULL },
    { PARLEY_ATOM_refs, NULL },
    { PARLEY_ATOM_previous_session_id, NULL },
    { PARLEY_ATOM_next_session_id, NULL },
    { PARLEY_ATOM_pointer_refs, NULL },
    { PARLEY_ATOM_resource, NULL },
    { PARLEY_ATOM_responder_session_id, NULL },
    { PARLEY_ATOM_return_event_ref, NULL },
    { PARLEY_ATOM_substrate_refs, NULL },
    { PARLEY_ATOM_convergence_class, NULL },
    { PARLEY_ATOM_payload_ref, NULL },
    { PARLEY_ATOM_intent_ref, NULL },
    { PARLEY_ATOM_result_ref, NULL },
    { PARLEY_ATOM_batch_refs, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_channel_names[] = {
    { PARLEY_ATOM_provenance_method, NULL },
    { PARLEY_ATOM_provenance_return_ref, NULL },
    { PARLEY_ATOM_provenance_basis, NULL },
    { PARLEY_ATOM_payload, parley_channel_payload_names },
    { PARLEY_ATOM_NONE, NULL }
};


const parley_codec_t  parley_channel_codec = {
    .proto = PARLEY_PROTO_CHANNEL,
    .schema = parley_str("urn:parley:schema:channel-1.0"),
    .discriminator = PARLEY_ATOM_envelope_version,
    .media_type = parley_str("application/json"),

    .form_pointer = "/kind",
    .id_pointer = "/frame_id",
    .created_pointer = "/created_at",
    .sender_pointer = "/sender_handle",
    .recipient_pointer = "/recipient_handle",
    .intent_pointer = "/kind",
    .timeout_pointer = "/payload/timeout_ms",
    .lifetime_pointer = "/ttl_ms",
    .data_pointer = "/payload",
    .scoped = 1,
    .replies_by_corr = 1,

    .spot = parley_channel_spot,
    .names = parley_channel_names,

    .detect = parley_channel_detect,
    .decode = parley_channel_decode,
    .payload = parley_channel_says,
    .sentence = parley_channel_sentence,
    .submit = parley_channel_submit,
    .residue = parley_channel_residue,
    .type = parley_channel_type,
    .within = parley_channel_within,
    .extract = parley_channel_extract,
    .slot = &parley_channel_slot,
    .encode = parley_channel_encode,
    .direction = parley_embed_direction,
    .answer_decode = parley_channel_answer_decode,
    .answer_encode = parley_channel_answer_encode,
    .duplicate = parley_channel_duplicate,
    .refuse = parley_channel_refuse,
};


static int
parley_channel_detect(const parley_json_t *doc)
{
    int                     score;
    uint32_t                k;
    parley_channel_field_t  field;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return 0;
    }

    score = 0;

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        field = parley_channel_field(doc, k);

        if (field != PARLEY_CHANNEL_FIELDS) {
            score += field == PARLEY_CHANNEL_VERSION
                     ? PARLEY_CHANNEL_DETECTED : 1;
        }
    }

    return score;
}


static parley_str_t
parley_channel_type(unsigned i)
{
    return i < PARLEY_CHANNEL_KINDS
           ? parley_channel_kind((parley_channel_kind_t) i)->name
           : parley_str_none;
}


parley_str_t
parley_channel_called(parley_code_t code)
{
    switch (code) {

#define X(sym, called)                                                        \
    case PARLEY_E_##sym:                                                      \
        code = PARLEY_E_##called;                                             \
        break;
    PARLEY_CHANNEL_CODES(X)
#undef X

    default:
        break;
    }

    return parley_error_info(code)->word;
}
