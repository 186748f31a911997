#include "parley_channel.h"
#include "parley_carry.h"


#define PARLEY_CHANNEL_DETECTED  100    /* "envelope_version" is there */
#define PARLEY_CHANNEL_MEMBERS                                                \
    (sizeof(parley_channel_names) / sizeof(parley_channel_names[0]))


static int parley_channel_detect(const parley_json_t *doc);


const parley_codec_t  parley_channel_codec = {
    .proto = PARLEY_PROTO_CHANNEL,
    .schema = parley_str("urn:parley:schema:channel-1.0"),
    .discriminator = parley_str("envelope_version"),
    .media_type = parley_str("application/json"),

    .form_pointer = "/kind",
    .id_pointer = "/frame_id",
    .created_pointer = "/created_at",
    .sender_pointer = "/sender_handle",
    .recipient_pointer = "/recipient_handle",
    .intent_pointer = "/kind",
    .timeout_pointer = "/payload/timeout_ms",
    .data_pointer = "/payload",
    .replies_by_corr = 1,

    .spot = parley_channel_spot,
    .detect = parley_channel_detect,
    .decode = parley_channel_decode,
    .payload = parley_channel_says,
    .submit = parley_channel_submit,
    .residue = parley_channel_residue,
    .encode = parley_channel_encode,
    .direction = parley_carry_direction,
    .answer_decode = parley_channel_answer_decode,
    .answer_encode = parley_channel_answer_encode,
    .refuse = parley_channel_refuse,
};


/* section 3 */
static const parley_str_t  parley_channel_names[] = {
    parley_str("envelope_version"), parley_str("frame_id"),
    parley_str("kind"), parley_str("sender_handle"),
    parley_str("recipient_handle"), parley_str("created_at"),
    parley_str("ttl_ms"), parley_str("payload"), parley_str("acted_by"),
    parley_str("drafted_with"), parley_str("provenance_compute_location"),
    parley_str("provenance_method"), parley_str("provenance_return_ref"),
    parley_str("provenance_context_check"), parley_str("provenance_basis"),
};


static int
parley_channel_detect(const parley_json_t *doc)
{
    int       score;
    unsigned  i;
    uint32_t  k;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return 0;
    }

    score = 0;

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        i = parley_channel_find(doc, k, parley_channel_names,
                                PARLEY_CHANNEL_MEMBERS);

        if (i < PARLEY_CHANNEL_MEMBERS) {
            score += i == 0 ? PARLEY_CHANNEL_DETECTED : 1;
        }
    }

    return score;
}


unsigned
parley_channel_find(const parley_json_t *doc, uint32_t name,
    const parley_str_t *names, unsigned n)
{
    unsigned      i;
    parley_str_t  span;

    if (parley_json_node(doc, name)->flags & PARLEY_JSON_ESCAPED) {

        for (i = 0; i < n; i++) {
            if (parley_json_string_is(doc, name, names[i])) {
                break;
            }
        }

        return i;
    }

    span = parley_json_span(doc, name);

    for (i = 0; i < n; i++) {
        if (parley_str_eq(names[i], span)) {
            break;
        }
    }

    return i;
}
