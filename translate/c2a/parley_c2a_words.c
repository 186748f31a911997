/*
 * What the form and the payload of a C2A message say, wherever it travels.
 */

#include "parley_c2a.h"


static int parley_c2a_words_react(parley_msg_t *msg);
static void parley_c2a_words_send(parley_msg_t *msg);
static int parley_c2a_words_reason(parley_msg_t *msg);


int
parley_c2a_words(parley_msg_t *msg, parley_c2a_form_t form)
{
    switch (form) {

    case PARLEY_C2A_SEND_MESSAGE:
        parley_c2a_words_send(msg);
        return 0;

    case PARLEY_C2A_REACT:
        return parley_c2a_words_react(msg);

    case PARLEY_C2A_CANCELLED:
        return parley_c2a_scalar(msg->data.doc,
                                 parley_json_member(msg->data.doc,
                                                    msg->data.node,
                                                    PARLEY_ATOM_requestId),
                                 &msg->recalls) != 0
               || parley_c2a_words_reason(msg) != 0
               ? -1 : 0;

    case PARLEY_C2A_DEFER:
    case PARLEY_C2A_RESOLVE:
    case PARLEY_C2A_PROGRESS:
        return parley_c2a_words_reason(msg);

    default:
        return 0;
    }
}


/* One that answers is a reply, one to somebody asks, the rest informs. */

static void
parley_c2a_words_send(parley_msg_t *msg)
{
    uint32_t  value;

    value = parley_json_member(msg->data.doc, msg->data.node,
                               PARLEY_ATOM_inReplyTo);

    if (value != PARLEY_JSON_NONE) {
        msg->act = PARLEY_ACT_REPLY;
        msg->said_aloud = 1;
        return;
    }

    value = parley_json_member(msg->data.doc, msg->data.node,
                               PARLEY_ATOM_directedness);

    msg->act = parley_json_string_is(msg->data.doc, value,
                                     PARLEY_STR("to_me"))
               ? PARLEY_ACT_REQUEST : PARLEY_ACT_EVENT;
}


static int
parley_c2a_words_react(parley_msg_t *msg)
{
    uint32_t                    value;
    const parley_c2a_signal_t  *signal;

    value = parley_json_member(msg->data.doc, msg->data.node,
                               PARLEY_ATOM_signal);

    signal = parley_c2a_signal(msg->data.doc, value);
    if (signal == NULL) {
        return 0;
    }

    msg->act = signal->act;
    msg->alarm = signal->alarm;
    msg->code = signal->code;
    msg->retryable = signal->retryable;
    msg->priority = signal->act == PARLEY_ACT_PROGRESS
                    ? PARLEY_PRIORITY_LOW : PARLEY_PRIORITY_NORMAL;

    /* the code says of a failure what the signal does */

    if (signal->code.len > 0) {
        msg->said[1] = value;
    }

    if (parley_c2a_words_reason(msg) != 0) {
        return -1;
    }

    if (msg->text.len == 0) {
        msg->text = signal->meaning;
    }

    return 0;
}


static int
parley_c2a_words_reason(parley_msg_t *msg)
{
    unsigned  i;
    uint32_t  value;

    static const parley_atom_t  names[] = {
        PARLEY_ATOM_reason, PARLEY_ATOM_text, PARLEY_ATOM_message,
        PARLEY_ATOM_eta
    };

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {

        value = parley_json_member(msg->data.doc, msg->data.node, names[i]);

        if (parley_msg_string(msg->data.doc, value, &msg->text) != 0) {
            return -1;
        }

        if (msg->text.len > 0) {
            msg->said[0] = value;
            break;
        }
    }

    return 0;
}


/*
 * Of an event only its envelope, which the carrier has, says more; its text
 * it has where it was read as C2A.
 */

int
parley_c2a_says(parley_msg_t *msg)
{
    int                whole;
    uint32_t           content;
    parley_c2a_form_t  form;

    form = parley_c2a_form_find(msg->form);

    if (form == PARLEY_C2A_FORMS) {
        return 0;
    }

    if (form != PARLEY_C2A_DELIVER) {
        msg->act = parley_c2a_form_info(form)->act;

    } else if (msg->wire == PARLEY_PROTO_C2A) {
        return 0;
    }

    content = parley_json_member(msg->data.doc, msg->data.node,
                                 PARLEY_ATOM_content);

    if (content != PARLEY_JSON_NONE
        && parley_c2a_text(msg->data.doc->arena, msg->data.doc, content,
                           &msg->text, &whole)
           != 0)
    {
        return -1;
    }

    return parley_c2a_words(msg, form);
}
