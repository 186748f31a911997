/* Differences between the versions of VCP. */

#include "translate/vcp/parley_vcp.h"
#include "schemas/parley_format.h"
#include "core/parley_id.h"


#define PARLEY_VCP_DETECTED  100    /* "vcp_message" is present, with this
                                       version */
#define PARLEY_VCP_ANOTHER   50     /* "vcp_message" has another version */


static int parley_vcp_is_v7(parley_str_t s);
static int parley_vcp_is_uuid(parley_str_t s);
static int parley_vcp_is_version(const parley_vcp_dialect_t *dialect,
    const parley_json_t *doc, uint32_t value);


static const parley_vcp_dialect_t  parley_vcp_12 = {
    .proto = PARLEY_PROTO_VCP,
    .version = parley_str("1.2"),
    .reason_max = PARLEY_VCP_REASON_MAX,
    .action_max = PARLEY_VCP_ACTION_MAX,
    .is_id = parley_vcp_is_v7,
};

static const parley_vcp_dialect_t  parley_vcp_20 = {
    .proto = PARLEY_PROTO_VCP2,
    .version = parley_str("2.0"),
    .open = 1,
    .integers = 1,
    .is_id = parley_vcp_is_uuid,
};


const parley_vcp_dialect_t *
parley_vcp_dialect(parley_proto_t proto)
{
    return proto == PARLEY_PROTO_VCP2 ? &parley_vcp_20 : &parley_vcp_12;
}


int
parley_vcp_is_sibling(const parley_vcp_dialect_t *dialect,
    parley_proto_t proto)
{
    return proto != dialect->proto
           && (proto == PARLEY_PROTO_VCP || proto == PARLEY_PROTO_VCP2);
}


static int
parley_vcp_is_v7(parley_str_t s)
{
    return parley_uuid_is(s, 7);
}


/* Checks the format of the schema: a UUID of any version, in either case. */

static int
parley_vcp_is_uuid(parley_str_t s)
{
    return parley_format_is(PARLEY_FORMAT_UUID, s);
}


int
parley_vcp_detect(const parley_vcp_dialect_t *dialect,
    const parley_json_t *doc)
{
    int                 score;
    uint32_t            k;
    parley_vcp_field_t  field;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return 0;
    }

    score = 0;

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        field = parley_vcp_field(doc, k);

        if (field == PARLEY_VCP_MESSAGE) {
            score += parley_vcp_is_version(dialect, doc, k + 1)
                     ? PARLEY_VCP_DETECTED : PARLEY_VCP_ANOTHER;

        } else if (field != PARLEY_VCP_FIELDS) {
            score++;
        }
    }

    return score;
}


/*
 * Returns whether a value is this version.  2.0 takes "2.0" with any escapes,
 * and refuses other texts that begin with "2.".
 */

static int
parley_vcp_is_version(const parley_vcp_dialect_t *dialect,
    const parley_json_t *doc, uint32_t value)
{
    int  second;

    second = parley_json_string_is(doc, value, PARLEY_STR("2.0"))
             || (parley_json_type(doc, value) == PARLEY_JSON_STRING
                 && parley_str_begins(parley_json_span(doc, value), "2."));

    return second == (dialect->proto == PARLEY_PROTO_VCP2);
}


parley_str_t
parley_vcp_ack_id(const parley_vcp_dialect_t *dialect, parley_str_t reason)
{
    parley_str_t  id;

    if (!parley_str_begins(reason, "ACK:")
        || reason.len < sizeof("ACK:") - 1 + PARLEY_UUID_LEN)
    {
        return parley_str_none;
    }

    id = parley_str_make(reason.data + sizeof("ACK:") - 1, PARLEY_UUID_LEN);

    return dialect->is_id(id) ? id : parley_str_none;
}
