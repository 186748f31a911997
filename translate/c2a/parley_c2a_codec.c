#include "parley_c2a_field.h"
#include "parley_carry.h"


#define PARLEY_C2A_DETECTED  100    /* "jsonrpc" is there */


static int parley_c2a_detect(const parley_json_t *doc);
static int parley_c2a_submit(parley_arena_t *arena, parley_msg_t *msg,
    const parley_submission_t *submission, parley_error_t *err);


const parley_codec_t  parley_c2a_codec = {
    .proto = PARLEY_PROTO_C2A,
    .schema = parley_str("urn:parley:schema:c2a-2026-06-02"),
    .discriminator = parley_str("jsonrpc"),
    .media_type = parley_str("application/json"),

    .form_pointer = "/method",
    .id_pointer = "/params/eventId",
    .created_pointer = "/params/timing/createdAt",
    .sender_pointer = "/params/author",
    .recipient_pointer = "/params/target/recipient",
    .intent_pointer = "/method",
    .corr_pointer = "/params/conversation/id",
    .reply_to_pointer = "/params/arguments/inReplyTo",
    .priority_pointer = "/params/attention/priority",
    .timeout_pointer = "/params/attention/deadlineMs",
    .data_pointer = "/params",

    .text_ids = 1,
    .responds = 1,

    .spot = parley_c2a_spot,
    .detect = parley_c2a_detect,
    .decode = parley_c2a_decode,
    .payload = parley_c2a_says,
    .submit = parley_c2a_submit,
    .residue = parley_c2a_residue,
    .encode = parley_c2a_encode,
    .direction = parley_carry_direction,
    .answer_decode = parley_c2a_answer_decode,
    .answer_encode = parley_c2a_answer_encode,
    .refuse = parley_c2a_refuse,
};


static int
parley_c2a_detect(const parley_json_t *doc)
{
    int       score;
    uint32_t  k;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return 0;
    }

    score = 0;

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        switch (parley_c2a_field(doc, k)) {

        case PARLEY_C2A_FIELD_JSONRPC:
            score += PARLEY_C2A_DETECTED;
            break;

        case PARLEY_C2A_FIELD_ID:
        case PARLEY_C2A_FIELD_METHOD:
        case PARLEY_C2A_FIELD_PARAMS:
            score++;
            break;

        default:
            break;
        }
    }

    return score;
}


/*
 * A call of a tool, a notification and some events do not say who they are
 * from, a reaction not whom it is for, and hardly any when it was made.
 */

static int
parley_c2a_submit(parley_arena_t *arena, parley_msg_t *msg,
    const parley_submission_t *submission, parley_error_t *err)
{
    (void) arena;
    (void) err;

    if (msg->sender.len == 0) {
        msg->sender = submission->sender;
    }

    if (msg->recipient.len == 0) {
        msg->recipient = submission->recipient;
    }

    if (msg->created.len == 0 && submission->ms > 0) {
        msg->created_ms = submission->ms;
    }

    return 0;
}
