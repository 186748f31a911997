/*
 * What the payload of an envelope says: to a person, of a failure, and on
 * behalf of another protocol.
 */

#include "parley_aee.h"
#include "parley_carry.h"


static int parley_aee_payload_says(parley_msg_t *msg);
static int parley_aee_payload_words(parley_msg_t *msg);
static int parley_aee_payload_failure(parley_msg_t *msg);
static int parley_aee_carried(parley_arena_t *arena, parley_msg_t *msg);
static int parley_aee_carried_notice(parley_msg_t *msg);


int
parley_aee_payload(parley_arena_t *arena, parley_msg_t *msg)
{
    if (parley_aee_payload_says(msg) != 0) {
        return -1;
    }

    return parley_aee_carried(arena, msg);
}


/* The type that another protocol gives as the form, and what follows. */

int
parley_aee_says(parley_msg_t *msg)
{
    unsigned  act;

    for (act = PARLEY_ACT_REQUEST; act <= PARLEY_ACT_PROGRESS; act++) {
        if (parley_str_eq(parley_aee_type((parley_act_t) act), msg->form)) {
            msg->act = (parley_act_t) act;
            break;
        }
    }

    return parley_aee_payload_says(msg);
}


/* "message" of an error, unless it has a "text" as well; else "text" */

parley_atom_t
parley_aee_spoken(const parley_msg_t *m)
{
    if (!parley_str_eq(m->form, parley_aee_type(PARLEY_ACT_FAILURE))) {
        return PARLEY_ATOM_text;
    }

    return parley_json_member(m->data.doc, m->data.node, PARLEY_ATOM_text)
           == PARLEY_JSON_NONE ? PARLEY_ATOM_message : PARLEY_ATOM_NONE;
}


static int
parley_aee_payload_says(parley_msg_t *msg)
{
    if (parley_aee_payload_words(msg) != 0) {
        return -1;
    }

    return msg->act == PARLEY_ACT_FAILURE ? parley_aee_payload_failure(msg)
                                          : 0;
}


/* "text"; of an error, first "message" (section 4). */

static int
parley_aee_payload_words(parley_msg_t *msg)
{
    unsigned              i;
    uint32_t              value;
    const parley_json_t  *doc;

    static const parley_atom_t  names[] = {
        PARLEY_ATOM_message, PARLEY_ATOM_text
    };

    doc = msg->data.doc;

    for (i = msg->act == PARLEY_ACT_FAILURE ? 0 : 1; i < 2; i++) {

        value = parley_json_member(doc, msg->data.node, names[i]);

        if (parley_msg_string(doc, value, &msg->text) != 0) {
            return -1;
        }

        if (msg->text.len > 0) {
            msg->said[0] = value;
            break;
        }
    }

    return 0;
}


static int
parley_aee_payload_failure(parley_msg_t *msg)
{
    uint32_t              value;
    parley_json_type_t    type;
    const parley_json_t  *doc;

    doc = msg->data.doc;

    value = parley_json_member(doc, msg->data.node, PARLEY_ATOM_code);

    if (parley_msg_string(doc, value, &msg->code) != 0) {
        return -1;
    }

    if (msg->code.len > 0) {
        msg->said[1] = value;
    }

    value = parley_json_member(doc, msg->data.node, PARLEY_ATOM_retryable);

    if (value != PARLEY_JSON_NONE) {
        type = parley_json_type(doc, value);

        if (type == PARLEY_JSON_TRUE || type == PARLEY_JSON_FALSE) {
            msg->said[2] = value;
            msg->retryable = type == PARLEY_JSON_TRUE;
        }
    }

    msg->alarm = PARLEY_ALARM_WARNING;

    return 0;
}


/* Another protocol's message, carried whole (parley_carry.h). */

static int
parley_aee_carried(parley_arena_t *arena, parley_msg_t *msg)
{
    uint32_t              k, object;
    int                   answers;
    parley_str_t          form, intent;
    parley_proto_t        proto;
    parley_member_t      *member;
    const parley_json_t  *doc;

    doc = msg->doc;
    intent = msg->intent;
    answers = 0;

    proto = parley_carry_intent(intent, &form);

    if (msg->act == PARLEY_ACT_REPLY || msg->act == PARLEY_ACT_FAILURE
        || msg->act == PARLEY_ACT_PROGRESS)
    {
        if (proto == PARLEY_PROTO_NONE
            || parley_carry_reference(doc, msg->data.node, proto)
               == PARLEY_JSON_NONE)
        {
            if (parley_carry_form(doc, msg->data.node, &proto, &intent, &form)
                != 0)
            {
                return -1;
            }

            answers = 1;
        }
    }

    if (proto == PARLEY_PROTO_NONE
        || parley_carry_reference(doc, msg->data.node, proto)
           == PARLEY_JSON_NONE)
    {
        return 0;
    }

    if (answers) {
        msg->outer_intent = msg->intent;
        msg->intent = intent;
    }

    msg->outer_form = msg->form;

    msg->carried = 1;
    msg->origin = proto;
    msg->form = form;

    if (parley_aee_carried_notice(msg) != 0) {
        return -1;
    }

    object = parley_json_member(doc, msg->data.node, parley_proto_atom(proto));

    if (object == PARLEY_JSON_NONE
        || parley_json_node(doc, object)->count == 0)
    {
        return 0;
    }

    msg->members = parley_arena_alloc(arena,
                                      parley_json_node(doc, object)->count
                                      * sizeof(parley_member_t));
    if (msg->members == NULL) {
        return -1;
    }

    for (k = parley_json_first(object);
         k != parley_json_end(doc, object);
         k = parley_json_after(doc, k + 1))
    {
        if (parley_json_atom(doc, k) == PARLEY_ATOM_payload
            || (answers && parley_json_atom(doc, k) == PARLEY_ATOM_form))
        {
            continue;
        }

        member = &msg->members[msg->nmembers++];

        member->value.doc = doc;
        member->value.node = k + 1;

        if (parley_json_string(doc, k, &member->name) != 0) {
            return -1;
        }
    }

    return 0;
}


/* What the envelope has no word for the payload says in its own. */

static int
parley_aee_carried_notice(parley_msg_t *msg)
{
    parley_msg_t           said;
    const parley_codec_t  *codec;

    codec = parley_codecs[msg->origin];

    if (codec == NULL || codec->payload == NULL) {
        return 0;
    }

    said = *msg;

    if (codec->payload(&said) != 0) {
        return -1;
    }

    /* what a person reads of it, where the envelope does not say it */

    if (msg->text.len == 0) {
        msg->text = said.text;
        msg->said[0] = said.said[0];
    }

    msg->notice = said.notice;
    msg->recalls = said.recalls;
    msg->approval |= said.approval;
    msg->approves = said.approves && msg->act == PARLEY_ACT_REPLY;

    if (msg->alarm == PARLEY_ALARM_NONE) {
        msg->alarm = said.alarm;
    }

    return 0;
}


int
parley_aee_nested(const parley_msg_t *m, parley_json_ref_t *ret)
{
    parley_str_t    form;
    parley_proto_t  proto;

    proto = parley_carry_intent(m->intent, &form);

    if (proto == PARLEY_PROTO_NONE || m->data.node == PARLEY_JSON_NONE) {
        return 0;
    }

    ret->doc = m->data.doc;
    ret->node = parley_carry_reference(ret->doc, m->data.node, proto);

    return ret->node != PARLEY_JSON_NONE;
}
