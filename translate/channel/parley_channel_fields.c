/*
 * The members of a frame's envelope (agent-channel section 3).
 */

#include "parley_channel.h"


#define PARLEY_CHANNEL_NAME_SHORT  15   /* octets */


static parley_channel_field_t parley_channel_field_short(parley_str_t name);
static parley_channel_field_t parley_channel_field_long(parley_str_t name);
static parley_channel_field_t parley_channel_field_escaped(
    const parley_json_t *doc, uint32_t name);


const parley_str_t  parley_channel_names[PARLEY_CHANNEL_FIELDS] = {
    [PARLEY_CHANNEL_VERSION] = parley_str("envelope_version"),
    [PARLEY_CHANNEL_FRAME_ID] = parley_str("frame_id"),
    [PARLEY_CHANNEL_KIND] = parley_str("kind"),
    [PARLEY_CHANNEL_SENDER] = parley_str("sender_handle"),
    [PARLEY_CHANNEL_RECIPIENT] = parley_str("recipient_handle"),
    [PARLEY_CHANNEL_CREATED] = parley_str("created_at"),
    [PARLEY_CHANNEL_PAYLOAD] = parley_str("payload"),
    [PARLEY_CHANNEL_TTL] = parley_str("ttl_ms"),
    [PARLEY_CHANNEL_ACTED_BY] = parley_str("acted_by"),
    [PARLEY_CHANNEL_DRAFTED_WITH] = parley_str("drafted_with"),
    [PARLEY_CHANNEL_LOCATION] = parley_str("provenance_compute_location"),
    [PARLEY_CHANNEL_METHOD] = parley_str("provenance_method"),
    [PARLEY_CHANNEL_RETURN_REF] = parley_str("provenance_return_ref"),
    [PARLEY_CHANNEL_CONTEXT_CHECK] = parley_str("provenance_context_check"),
    [PARLEY_CHANNEL_BASIS] = parley_str("provenance_basis"),
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
    return parley_json_node(doc, name)->flags & PARLEY_JSON_ESCAPED
           ? parley_channel_field_escaped(doc, name)
           : parley_channel_field_of(parley_json_span(doc, name));
}


parley_channel_field_t
parley_channel_field_of(parley_str_t name)
{
    return name.len <= PARLEY_CHANNEL_NAME_SHORT
           ? parley_channel_field_short(name)
           : parley_channel_field_long(name);
}


#define parley_channel_field_is(name, lit, field)                             \
    (memcmp((name).data, (lit), sizeof(lit) - 1) == 0 ? (field)               \
                                                      : PARLEY_CHANNEL_FIELDS)


static parley_channel_field_t
parley_channel_field_short(parley_str_t name)
{
    switch (name.len) {

    case sizeof("kind") - 1:
        return parley_channel_field_is(name, "kind", PARLEY_CHANNEL_KIND);

    case sizeof("ttl_ms") - 1:
        return parley_channel_field_is(name, "ttl_ms", PARLEY_CHANNEL_TTL);

    case sizeof("payload") - 1:
        return parley_channel_field_is(name, "payload",
                                       PARLEY_CHANNEL_PAYLOAD);

    case sizeof("frame_id") - 1:
        return name.data[0] == 'f'
               ? parley_channel_field_is(name, "frame_id",
                                         PARLEY_CHANNEL_FRAME_ID)
               : parley_channel_field_is(name, "acted_by",
                                         PARLEY_CHANNEL_ACTED_BY);

    case sizeof("created_at") - 1:
        return parley_channel_field_is(name, "created_at",
                                       PARLEY_CHANNEL_CREATED);

    case sizeof("drafted_with") - 1:
        return parley_channel_field_is(name, "drafted_with",
                                       PARLEY_CHANNEL_DRAFTED_WITH);

    case sizeof("sender_handle") - 1:
        return parley_channel_field_is(name, "sender_handle",
                                       PARLEY_CHANNEL_SENDER);

    default:
        return PARLEY_CHANNEL_FIELDS;
    }
}


static parley_channel_field_t
parley_channel_field_long(parley_str_t name)
{
    switch (name.len) {

    case sizeof("envelope_version") - 1:
        return name.data[0] == 'e'
               ? parley_channel_field_is(name, "envelope_version",
                                         PARLEY_CHANNEL_VERSION)
               : name.data[0] == 'r'
               ? parley_channel_field_is(name, "recipient_handle",
                                         PARLEY_CHANNEL_RECIPIENT)
               : parley_channel_field_is(name, "provenance_basis",
                                         PARLEY_CHANNEL_BASIS);

    case sizeof("provenance_method") - 1:
        return parley_channel_field_is(name, "provenance_method",
                                       PARLEY_CHANNEL_METHOD);

    case sizeof("provenance_return_ref") - 1:
        return parley_channel_field_is(name, "provenance_return_ref",
                                       PARLEY_CHANNEL_RETURN_REF);

    case sizeof("provenance_context_check") - 1:
        return parley_channel_field_is(name, "provenance_context_check",
                                       PARLEY_CHANNEL_CONTEXT_CHECK);

    case sizeof("provenance_compute_location") - 1:
        return parley_channel_field_is(name, "provenance_compute_location",
                                       PARLEY_CHANNEL_LOCATION);

    default:
        return PARLEY_CHANNEL_FIELDS;
    }
}


static parley_channel_field_t
parley_channel_field_escaped(const parley_json_t *doc, uint32_t name)
{
    parley_channel_field_t  field;

    for (field = 0; field < PARLEY_CHANNEL_FIELDS; field++) {
        if (parley_json_string_is(doc, name, parley_channel_names[field])) {
            break;
        }
    }

    return field;
}
