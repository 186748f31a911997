/*
 * Finds the members of a frame's envelope (agent-channel section 3).
 */

#include "translate/channel/parley_channel.h"


/* stored as the difference from PARLEY_CHANNEL_FIELDS: 0 for all other names */
#define PARLEY_CHANNEL_OF(field)                                              \
    (PARLEY_CHANNEL_FIELDS - PARLEY_CHANNEL_##field)

static const uint8_t  parley_channel_atoms[PARLEY_ATOMS] = {
    [PARLEY_ATOM_envelope_version] = PARLEY_CHANNEL_OF(VERSION),
    [PARLEY_ATOM_frame_id] = PARLEY_CHANNEL_OF(FRAME_ID),
    [PARLEY_ATOM_kind] = PARLEY_CHANNEL_OF(KIND),
    [PARLEY_ATOM_sender_handle] = PARLEY_CHANNEL_OF(SENDER),
    [PARLEY_ATOM_recipient_handle] = PARLEY_CHANNEL_OF(RECIPIENT),
    [PARLEY_ATOM_created_at] = PARLEY_CHANNEL_OF(CREATED),
    [PARLEY_ATOM_payload] = PARLEY_CHANNEL_OF(PAYLOAD),
    [PARLEY_ATOM_ttl_ms] = PARLEY_CHANNEL_OF(TTL),
    [PARLEY_ATOM_acted_by] = PARLEY_CHANNEL_OF(ACTED_BY),
    [PARLEY_ATOM_drafted_with] = PARLEY_CHANNEL_OF(DRAFTED_WITH),
    [PARLEY_ATOM_provenance_compute_location] = PARLEY_CHANNEL_OF(LOCATION),
    [PARLEY_ATOM_provenance_method] = PARLEY_CHANNEL_OF(METHOD),
    [PARLEY_ATOM_provenance_return_ref] = PARLEY_CHANNEL_OF(RETURN_REF),
    [PARLEY_ATOM_provenance_context_check] = PARLEY_CHANNEL_OF(CONTEXT_CHECK),
    [PARLEY_ATOM_provenance_basis] = PARLEY_CHANNEL_OF(BASIS),
};


void
parley_channel_fields(const parley_json_t *doc, parley_channel_fields_t *ret)
{
    uint32_t                k;
    parley_channel_field_t  field;

    for (field = 0; field < PARLEY_CHANNEL_FIELDS; field++) {
        ret->values[field] = PARLEY_JSON_NONE;
    }

    ret->nrest = 0;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return;
    }

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        field = parley_channel_field(doc, k);

        if (field == PARLEY_CHANNEL_FIELDS) {
            continue;
        }

        ret->values[field] = k + 1;

        if (field >= PARLEY_CHANNEL_TTL) {
            ret->rest[ret->nrest++] = (uint8_t) field;
        }
    }
}


parley_channel_field_t
parley_channel_field(const parley_json_t *doc, uint32_t name)
{
    return PARLEY_CHANNEL_FIELDS
           - parley_channel_atoms[parley_json_atom(doc, name)];
}


parley_channel_field_t
parley_channel_field_of(parley_str_t name)
{
    return PARLEY_CHANNEL_FIELDS - parley_channel_atoms[parley_atom_of(name)];
}
