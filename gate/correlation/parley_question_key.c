/* Keys, tags and slots of questions. */

#include <string.h>

#include "gate/correlation/parley_question.h"


/* the last octet does not select the bucket */

void
parley_question_key(const parley_state_t *state, parley_proto_t proto,
    parley_str_t id, uint8_t out[PARLEY_KEY_LEN])
{
    parley_state_key(state, PARLEY_KIND_QUESTION, &id, 1, out);

    out[PARLEY_KEY_LEN - 1] ^= (uint8_t) proto;
}


void
parley_question_key_in(const uint8_t key[PARLEY_KEY_LEN], parley_proto_t from,
    parley_proto_t to, uint8_t out[PARLEY_KEY_LEN])
{
    memcpy(out, key, PARLEY_KEY_LEN);

    out[PARLEY_KEY_LEN - 1] ^= (uint8_t) (from ^ to);
}


void
parley_question_call_key(const parley_state_t *state,
    const parley_who_t *who, parley_str_t call, uint8_t out[PARLEY_KEY_LEN])
{
    uint8_t       octets[2];
    parley_str_t  parts[3];

    parts[1] = parley_who_proven(who);

    octets[0] = (uint8_t) who->msg->wire;
    octets[1] = parts[1].len > 0;

    if (parts[1].len == 0) {
        parts[1] = who->msg->sender;
    }

    parts[0] = parley_str_make(octets, sizeof(octets));
    parts[2] = call;

    parley_state_key(state, PARLEY_KIND_CALL, parts, 3, out);
}


uint32_t
parley_question_tag(const parley_state_t *state, parley_str_t asker,
    parley_str_t id)
{
    return parley_state_tag(state, &asker, 1, &id, 1);
}


void
parley_question_slot(const parley_state_t *state,
    const parley_record_id_t *question, int several, parley_str_t responder,
    parley_str_t session, uint8_t out[PARLEY_KEY_LEN])
{
    parley_str_t  parts[3];

    parts[0] = parley_str_make(question, sizeof(parley_record_id_t));
    parts[1] = several ? responder : parley_str_none;
    parts[2] = several ? session : parley_str_none;

    parley_state_key(state, PARLEY_KIND_SLOT, parts, 3, out);
}


parley_str_t
parley_question_session(const parley_msg_t *answer)
{
    uint32_t      i;
    parley_str_t  session;

    if (answer->data.doc == NULL) {
        return parley_str_none;
    }

    i = parley_json_get(answer->data.doc, answer->data.node,
                        PARLEY_STR("responder_session_id"));

    return i != PARLEY_JSON_NONE
           && parley_json_string(answer->data.doc, i, &session) == 0
           ? session : parley_str_none;
}
