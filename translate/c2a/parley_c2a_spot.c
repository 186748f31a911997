/*
 * Where a C2A message says what its canonical fields hold: that depends on
 * whether it is an event, a tool call or a notification, and on what an event
 * carries.
 */

#include "parley_c2a_field.h"


static uint32_t parley_c2a_spot_event(const parley_msg_t *m,
    parley_spot_t spot);
static uint32_t parley_c2a_spot_carried(const parley_msg_t *m,
    parley_spot_t spot);
static uint32_t parley_c2a_spot_words(const parley_msg_t *m,
    parley_spot_t spot);
static uint32_t parley_c2a_spot_conversation(const parley_json_t *doc,
    uint32_t conversation);


uint32_t
parley_c2a_spot(const parley_msg_t *m, parley_spot_t spot)
{
    int  tool;

    if (m->wire == PARLEY_PROTO_C2A
        && parley_c2a_form_of(m->doc, &tool) == PARLEY_C2A_DELIVER)
    {
        return parley_c2a_spot_event(m, spot);
    }

    return m->origin == PARLEY_PROTO_C2A ? parley_c2a_spot_words(m, spot)
                                         : PARLEY_JSON_NONE;
}


static uint32_t
parley_c2a_spot_event(const parley_msg_t *m, parley_spot_t spot)
{
    uint32_t              params, target, conversation;
    const parley_json_t  *doc;

    doc = m->doc;
    params = parley_c2a_params(doc);
    conversation = parley_json_member(doc, params, PARLEY_ATOM_conversation);

    switch (spot) {

    case PARLEY_SPOT_CORR:
        return parley_c2a_spot_conversation(doc, conversation);

    case PARLEY_SPOT_RECIPIENT:
        target = parley_json_member(doc, parley_json_member(doc, params,
                                                            PARLEY_ATOM_target),
                                    PARLEY_ATOM_recipient);

        /* what is for a channel may name that alone */

        return target != PARLEY_JSON_NONE
               ? target : parley_json_member(doc, conversation,
                                             PARLEY_ATOM_id);

    default:
        break;
    }

    return m->origin != PARLEY_PROTO_C2A ? parley_c2a_spot_carried(m, spot)
                                         : PARLEY_JSON_NONE;
}


static uint32_t
parley_c2a_spot_carried(const parley_msg_t *m, parley_spot_t spot)
{
    uint32_t              content, intent;
    parley_str_t          name;
    parley_proto_t        proto;
    parley_c2a_part_t     part;
    const parley_json_t  *doc;

    doc = m->doc;

    content = parley_json_member(doc, parley_c2a_params(doc),
                                 PARLEY_ATOM_content);

    if (parley_c2a_carrier(doc, content, &proto, &part) == PARLEY_JSON_NONE) {
        return PARLEY_JSON_NONE;
    }

    switch (spot) {

    case PARLEY_SPOT_FORM:
        return part.form;

    case PARLEY_SPOT_INTENT:
        intent = parley_json_member(doc, part.members, PARLEY_ATOM_intent);
        return intent != PARLEY_JSON_NONE ? intent : part.form;

    case PARLEY_SPOT_REPLY_TO:
        name = parley_codecs[m->origin]->reply_to_member;
        return name.len > 0 ? parley_json_get(doc, part.members, name)
                            : PARLEY_JSON_NONE;

    default:
        return PARLEY_JSON_NONE;
    }
}


/* a tool call or a notification, also one that another protocol carries */

static uint32_t
parley_c2a_spot_words(const parley_msg_t *m, parley_spot_t spot)
{
    uint32_t              target;
    parley_c2a_form_t     form;
    const parley_json_t  *doc;

    doc = m->doc;
    form = parley_c2a_form_find(m->form);

    switch (spot) {

    case PARLEY_SPOT_FORM:
    case PARLEY_SPOT_INTENT:
        return m->wire == PARLEY_PROTO_C2A && form != PARLEY_C2A_FORMS
               && parley_c2a_form_info(form)->tool
               ? parley_json_member(doc, parley_c2a_params(doc),
                                    PARLEY_ATOM_name)
               : PARLEY_JSON_NONE;

    case PARLEY_SPOT_REPLY_TO:
        return parley_json_member(doc, m->data.node,
                                  form == PARLEY_C2A_CANCELLED
                                  ? PARLEY_ATOM_requestId
                                  : form == PARLEY_C2A_PROGRESS
                                  ? PARLEY_ATOM_progressToken
                                  : PARLEY_ATOM_inReplyTo);

    case PARLEY_SPOT_CORR:

        if (form == PARLEY_C2A_PROGRESS) {
            return parley_json_member(doc, m->data.node,
                                      PARLEY_ATOM_progressToken);
        }

        /* fall through */

    case PARLEY_SPOT_RECIPIENT:
        target = parley_json_member(doc, m->data.node, PARLEY_ATOM_target);

        return target != PARLEY_JSON_NONE
               && parley_json_type(doc, target) == PARLEY_JSON_STRING
               ? target : parley_c2a_spot_conversation(doc, target);

    default:
        return PARLEY_JSON_NONE;
    }
}


static uint32_t
parley_c2a_spot_conversation(const parley_json_t *doc, uint32_t conversation)
{
    uint32_t  thread;

    thread = parley_json_member(doc, conversation, PARLEY_ATOM_threadId);

    return thread != PARLEY_JSON_NONE
           ? thread : parley_json_member(doc, conversation, PARLEY_ATOM_id);
}
