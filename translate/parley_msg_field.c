#include "translate/parley_msg_field.h"


static uint32_t parley_msg_field_node(const parley_msg_t *m,
    parley_msg_field_t field);


parley_at_t
parley_at(const parley_msg_t *m, parley_msg_field_t field)
{
    size_t        len;
    uint32_t      node;
    parley_at_t   at;
    const char   *fixed;

    node = parley_msg_field_node(m, field);

    if (node != PARLEY_JSON_NONE) {
        (void) parley_json_pointer(m->doc, node, at.pointer,
                                   sizeof(at.pointer));
        return at;
    }

    fixed = parley_codecs[m->wire]->pointers[field];
    len = fixed != NULL ? strlen(fixed) : 0;

    memcpy(at.pointer, len > 0 ? fixed : "", len + 1);

    return at;
}


/* A payload that was read from a text has no place in the document. */

static uint32_t
parley_msg_field_node(const parley_msg_t *m, parley_msg_field_t field)
{
    const parley_codec_t  *codec;

    if (m->doc == NULL || m->data.doc != m->doc) {
        return PARLEY_JSON_NONE;
    }

    if (field == PARLEY_MSG_DATA) {
        return m->data.node;
    }

    codec = parley_codecs[m->recalls.len > 0
                          && field == PARLEY_MSG_REPLY_TO
                          ? m->origin : m->wire];

    return codec->locate != NULL ? codec->locate(m, field) : PARLEY_JSON_NONE;
}


void
parley_loss_at(parley_loss_t *loss, const parley_msg_t *m,
    parley_msg_field_t field)
{
    parley_json_ref_t  value;

    value.doc = m->doc;
    value.node = parley_msg_field_node(m, field);

    if (value.node != PARLEY_JSON_NONE) {
        parley_loss_value(loss, value);
        return;
    }

    parley_loss_field(loss, m->doc,
                      parley_codecs[m->wire]->pointers[field]);
}


void
parley_loss_unsaid(parley_loss_t *loss, const parley_msg_t *m,
    const uint32_t *said, unsigned n)
{
    unsigned              i;
    uint32_t              k;
    parley_json_ref_t     value;
    const parley_json_t  *doc;

    doc = m->data.doc;
    value.doc = doc;

    if (m->data.node != PARLEY_JSON_NONE) {
        for (k = parley_json_first(m->data.node);
             k != parley_json_end(doc, m->data.node);
             k = parley_json_after(doc, k + 1))
        {
            value.node = k + 1;

            for (i = 0; i < n && said[i] != value.node; i++) { /* void */ }

            if (i == n && parley_msg_is_payload(m, k)) {
                parley_loss_value(loss, value);
            }
        }
    }

    parley_codecs[m->wire]->unmapped(m, loss);

    for (k = 0; m->origin != m->wire && k < m->nmembers; k++) {
        parley_loss_value(loss, m->members[k].value);
    }
}


int
parley_msg_misrefers(const parley_msg_t *m, parley_code_t code,
    const char *text, parley_error_t *err)
{
    return parley_error_set(err, code,
                            parley_at(m, PARLEY_MSG_REPLY_TO).pointer,
                            "%s", text);
}
