#include "translate/parley_plain_msg.h"
#include "translate/parley_msg_field.h"

#include <stddef.h>
#include <string.h>


/* fields of a message with their places; DATA: anywhere in the payload */
typedef struct {
    size_t              offset;
    parley_msg_field_t  field;
} parley_plain_field_t;


static const parley_plain_field_t  parley_plain_fields[] = {
    { offsetof(parley_msg_t, id), PARLEY_MSG_DATA },
    { offsetof(parley_msg_t, sender), PARLEY_MSG_SENDER },
    { offsetof(parley_msg_t, recipient), PARLEY_MSG_RECIPIENT },
    { offsetof(parley_msg_t, intent), PARLEY_MSG_INTENT },
    { offsetof(parley_msg_t, corr), PARLEY_MSG_CORR },
    { offsetof(parley_msg_t, reply_to), PARLEY_MSG_REPLY_TO },
    { offsetof(parley_msg_t, question), PARLEY_MSG_DATA },
    { offsetof(parley_msg_t, call), PARLEY_MSG_DATA },
    { offsetof(parley_msg_t, recalls), PARLEY_MSG_REPLY_TO },
    { offsetof(parley_msg_t, session), PARLEY_MSG_DATA },
    { offsetof(parley_msg_t, form), PARLEY_MSG_FORM },
    { offsetof(parley_msg_t, held_id), PARLEY_MSG_ID },
    { offsetof(parley_msg_t, held_corr), PARLEY_MSG_CORR },
    { offsetof(parley_msg_t, held_reply_to), PARLEY_MSG_REPLY_TO },
};


static int parley_plain_words(const parley_msg_t *msg, parley_error_t *err);
static int parley_plain_carried(const parley_msg_t *msg,
    parley_error_t *err);


int
parley_plain_msg(const parley_msg_t *msg, parley_error_t *err)
{
    size_t                       i;
    parley_at_t                  at;
    const uint8_t               *base;
    const parley_codec_t        *codec;
    const parley_plain_field_t  *field;

    codec = parley_codecs[msg->wire];

    if (parley_plain_check(msg->doc, 0, codec->names_of != NULL
                                        ? codec->names_of(msg)
                                        : codec->names, err)
        != 0)
    {
        return -1;
    }

    if (parley_plain_words(msg, err) != 0) {
        return -1;
    }

    /* These fields are plain, except for those of a carried message. */

    if (msg->origin == msg->wire && !msg->carried && !msg->held) {
        return 0;
    }

    if (parley_plain_carried(msg, err) != 0) {
        return -1;
    }

    base = (const uint8_t *) msg;

    for (i = 0;
         i < sizeof(parley_plain_fields) / sizeof(parley_plain_fields[0]);
         i++)
    {
        field = &parley_plain_fields[i];

        if (!parley_plain_is(*(const parley_str_t *)
                             (const void *) (base + field->offset)))
        {
            /* A text contains all fields of its message. */

            at = parley_at(msg, msg->held && msg->data.doc != msg->doc
                                ? PARLEY_MSG_DATA : field->field);

            return parley_error_set(err, PARLEY_E_FIELD_INVALID, at.pointer,
                                    "%s has a name with control characters",
                                    at.pointer[0] != '\0' ? at.pointer
                                    : "the carried message");
        }
    }

    return 0;
}


/* Checks the words that a text for people contains: the form, the intent. */

static int
parley_plain_words(const parley_msg_t *msg, parley_error_t *err)
{
    size_t       i;
    parley_at_t  at;

    const struct {
        parley_str_t        word;
        parley_msg_field_t  field;
    } words[] = {
        { msg->form, PARLEY_MSG_FORM },
        { msg->intent, PARLEY_MSG_INTENT },
        { msg->outer_intent, PARLEY_MSG_INTENT },
    };

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {

        if (words[i].word.len == 0
            || memchr(words[i].word.data, 0xE2, words[i].word.len) == NULL
            || parley_plain_is_word(words[i].word))
        {
            continue;
        }

        at = parley_at(msg, msg->held && msg->data.doc != msg->doc
                            ? PARLEY_MSG_DATA : words[i].field);

        return parley_error_set(err, PARLEY_E_FIELD_INVALID, at.pointer,
                                "%s has a name with control characters",
                                at.pointer[0] != '\0' ? at.pointer
                                : "the carried message");
    }

    return 0;
}


/* Checks the names in the members of the carried message. */

static int
parley_plain_carried(const parley_msg_t *msg, parley_error_t *err)
{
    uint32_t               i;
    parley_json_ref_t      value;
    const parley_codec_t  *codec;
    const parley_plain_t  *names;

    codec = parley_codecs[msg->origin];

    if (codec == NULL || codec->names == NULL) {
        return 0;
    }

    for (i = 0; i < msg->nmembers; i++) {

        value = msg->members[i].value;
        names = parley_plain_members(codec->names,
                                     parley_atom_of(msg->members[i].name));

        if (names != NULL && value.doc != NULL
            && parley_plain_check(value.doc, value.node, names, err) != 0)
        {
            return -1;
        }
    }

    return 0;
}


int
parley_plain_payload(const parley_codec_t *codec,
    parley_json_ref_t payload, parley_error_t *err)
{
    return parley_plain_check(payload.doc, payload.node,
                              parley_plain_members(codec->names,
                                                   PARLEY_ATOM_payload),
                              err);
}
