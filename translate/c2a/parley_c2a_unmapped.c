/*
 * What an event says beyond the canonical fields, for the loss report of a
 * protocol that has no place for it.
 */

#include "parley_c2a_field.h"


/* of a lost member, so that its pointer is whole: PARLEY_POINTER_MAX */
#define PARLEY_C2A_NAME_MAX  64

/* by whom a member is said again: the canonical fields or, where the event
   carries another protocol's message, the gateway itself */
#define PARLEY_C2A_HELD  0x01
#define PARLEY_C2A_MADE  0x02


/* the members of one member of an event */
typedef struct {
    const char  *pointer;
    uint8_t      fields[PARLEY_C2A_FIELDS + 1];
} parley_c2a_unmapped_row_t;


static void parley_c2a_unmapped_event(const parley_msg_t *m, uint32_t params,
    parley_loss_t *loss);
static uint32_t parley_c2a_unmapped_unsaid(const parley_json_t *doc,
    uint32_t params);
static void parley_c2a_unmapped_member(const parley_json_t *doc,
    const parley_c2a_unmapped_row_t *row, uint32_t object, unsigned said,
    uint32_t unsaid, parley_loss_t *loss);
static void parley_c2a_unmapped_lost(const parley_json_t *doc,
    const parley_c2a_unmapped_row_t *row, uint32_t name, parley_loss_t *loss);
static void parley_c2a_unmapped_content(const parley_msg_t *m,
    uint32_t content, parley_loss_t *loss);
static void parley_c2a_unmapped_part(const parley_json_t *doc, uint32_t part,
    const uint8_t *fields, parley_loss_t *loss);


/* of the envelope, as parley_c2a_envelope */
static const parley_c2a_unmapped_row_t  parley_c2a_unmapped_rows[] = {
    { "/params/eventId", { 0 } },
    { "/params/source", {
        [PARLEY_C2A_FIELD_PLATFORM] = PARLEY_C2A_MADE } },
    { "/params/conversation", {
        [PARLEY_C2A_FIELD_ID] = PARLEY_C2A_HELD,
        [PARLEY_C2A_FIELD_THREAD_ID] = PARLEY_C2A_HELD,
        [PARLEY_C2A_FIELD_KIND] = PARLEY_C2A_MADE } },
    { "/params/author", {
        [PARLEY_C2A_FIELD_ID] = PARLEY_C2A_HELD,
        [PARLEY_C2A_FIELD_KIND] = PARLEY_C2A_HELD } },
    { "/params/target", {
        [PARLEY_C2A_FIELD_RECIPIENT] = PARLEY_C2A_HELD,
        [PARLEY_C2A_FIELD_DIRECTEDNESS] = PARLEY_C2A_MADE } },
    { "/params/timing", {
        [PARLEY_C2A_FIELD_CREATED_AT] = PARLEY_C2A_HELD } },
    { "/params/attention", {
        [PARLEY_C2A_FIELD_PRIORITY] = PARLEY_C2A_HELD,
        [PARLEY_C2A_FIELD_DEADLINE_MS] = PARLEY_C2A_HELD,
        [PARLEY_C2A_FIELD_POLICY] = PARLEY_C2A_MADE,
        [PARLEY_C2A_FIELD_REASON] = PARLEY_C2A_MADE } },
    { "/params/injection", {
        [PARLEY_C2A_FIELD_MODE] = PARLEY_C2A_MADE } },
    { "/params/reliability", {
        [PARLEY_C2A_FIELD_IDEMPOTENCY_KEY] = PARLEY_C2A_MADE,
        [PARLEY_C2A_FIELD_ATTEMPT] = PARLEY_C2A_MADE } },
};


static const uint8_t  parley_c2a_carrier_fields[PARLEY_C2A_FIELDS + 1] = {
    [PARLEY_C2A_FIELD_TYPE] = PARLEY_C2A_MADE,
    [PARLEY_C2A_FIELD_MEDIA_TYPE] = PARLEY_C2A_MADE,
    [PARLEY_C2A_FIELD_FORM] = PARLEY_C2A_HELD,
    [PARLEY_C2A_FIELD_DATA] = PARLEY_C2A_HELD,
    [PARLEY_C2A_FIELD_MEMBERS] = PARLEY_C2A_HELD,
    [PARLEY_C2A_FIELD_REFERENCE] = PARLEY_C2A_MADE,
};

static const uint8_t  parley_c2a_text_fields[PARLEY_C2A_FIELDS + 1] = {
    [PARLEY_C2A_FIELD_TYPE] = PARLEY_C2A_MADE,
    [PARLEY_C2A_FIELD_TEXT] = PARLEY_C2A_MADE,
};


/*
 * The id of a call is the exchange's; only an event has an envelope, and only
 * an event carries.
 */

void
parley_c2a_unmapped(const parley_msg_t *m, parley_loss_t *loss)
{
    uint32_t           i;
    parley_c2a_form_t  form;

    if (m->origin != m->wire) {
        parley_c2a_unmapped_event(m, parley_c2a_params(m->doc), loss);
        return;
    }

    if (m->envelope != NULL) {
        parley_c2a_unmapped_event(m, m->data.node, loss);
        return;
    }

    form = parley_c2a_form_find(m->form);

    /* what a tool returned has none of them */

    if (form == PARLEY_C2A_FORMS || !parley_c2a_form_info(form)->tool) {
        return;
    }

    for (i = 0; i < m->nmembers; i++) {
        if (!parley_str_is(m->members[i].name, "id")
            && m->members[i].value.doc == m->doc)
        {
            parley_loss_value(loss, m->members[i].value);
        }
    }
}


/* What is no envelope is the payload, unless the event carries another. */

static void
parley_c2a_unmapped_event(const parley_msg_t *m, uint32_t params,
    parley_loss_t *loss)
{
    unsigned              said;
    uint32_t              k, unsaid;
    parley_json_ref_t     value;
    parley_c2a_field_t    field;
    const parley_json_t  *doc;

    doc = m->doc;
    value.doc = doc;
    said = PARLEY_C2A_HELD;

    if (m->origin != m->wire) {
        said |= PARLEY_C2A_MADE;
    }

    unsaid = parley_c2a_unmapped_unsaid(doc, params);

    for (k = parley_json_first(params);
         k != parley_json_end(doc, params);
         k = parley_json_after(doc, k + 1))
    {
        field = parley_c2a_field(doc, k);

        if (field >= PARLEY_C2A_FIELD_EVENT_ID
            && field <= PARLEY_C2A_FIELD_RELIABILITY)
        {
            parley_c2a_unmapped_member(doc,
                                       &parley_c2a_unmapped_rows[field
                                                 - PARLEY_C2A_FIELD_EVENT_ID],
                                       k + 1, said, unsaid, loss);
            continue;
        }

        if (m->origin == m->wire) {
            continue;
        }

        if (field == PARLEY_C2A_FIELD_CONTENT) {
            parley_c2a_unmapped_content(m, k + 1, loss);
            continue;
        }

        /* beside what is carried it says again what that answers */

        if (parley_json_atom(doc, k) == PARLEY_ATOM_inReplyTo) {
            continue;
        }

        value.node = k + 1;
        parley_loss_value(loss, value);
    }
}


/*
 * The id of a conversation where its thread is the correlation and somebody is
 * named besides: then no canonical field has it.
 */

static uint32_t
parley_c2a_unmapped_unsaid(const parley_json_t *doc, uint32_t params)
{
    uint32_t  target, conversation;

    target = parley_json_member(doc, params, PARLEY_ATOM_target);
    conversation = parley_json_member(doc, params, PARLEY_ATOM_conversation);

    return parley_json_member(doc, target, PARLEY_ATOM_recipient)
           != PARLEY_JSON_NONE
           && parley_json_member(doc, conversation, PARLEY_ATOM_threadId)
              != PARLEY_JSON_NONE
           ? parley_json_member(doc, conversation, PARLEY_ATOM_id)
           : PARLEY_JSON_NONE;
}


static void
parley_c2a_unmapped_member(const parley_json_t *doc,
    const parley_c2a_unmapped_row_t *row, uint32_t object, unsigned said,
    uint32_t unsaid, parley_loss_t *loss)
{
    uint32_t  k, end;

    if (parley_json_type(doc, object) != PARLEY_JSON_OBJECT) {
        return;
    }

    end = parley_json_end(doc, object);

    for (k = parley_json_first(object); k != end;
         k = parley_json_after(doc, k + 1))
    {
        if (!(row->fields[parley_c2a_field(doc, k)] & said)
            || k + 1 == unsaid)
        {
            parley_c2a_unmapped_lost(doc, row, k, loss);
        }
    }
}


/* A name that is short and plain need not be looked for from the root. */

static void
parley_c2a_unmapped_lost(const parley_json_t *doc,
    const parley_c2a_unmapped_row_t *row, uint32_t name, parley_loss_t *loss)
{
    parley_json_ref_t          value;
    const parley_json_node_t  *node;

    node = parley_json_node(doc, name);

    if (!(node->flags & PARLEY_JSON_ESCAPED)
        && node->len <= PARLEY_C2A_NAME_MAX)
    {
        parley_loss_add(loss, row->pointer, parley_json_span(doc, name));
        return;
    }

    value.doc = doc;
    value.node = name + 1;

    parley_loss_value(loss, value);
}


/*
 * The carrier and the text before it are the gateway's, but for what somebody
 * has added to them.
 */

static void
parley_c2a_unmapped_content(const parley_msg_t *m, uint32_t content,
    parley_loss_t *loss)
{
    uint32_t              i, first, carrier;
    parley_json_ref_t     value;
    const parley_json_t  *doc;

    doc = m->doc;
    value.doc = doc;

    first = parley_json_first(content);

    /* the one around what is carried */

    for (carrier = first;
         carrier != parley_json_end(doc, content)
         && parley_json_after(doc, carrier) <= m->data.node;
         carrier = parley_json_after(doc, carrier))
    {
        /* void */
    }

    for (i = first;
         i != parley_json_end(doc, content);
         i = parley_json_after(doc, i))
    {
        if (i == carrier) {
            parley_c2a_unmapped_part(doc, i, parley_c2a_carrier_fields, loss);
            continue;
        }

        if (i == first && parley_json_after(doc, i) == carrier
            && parley_c2a_is(doc, parley_json_member(doc, i,
                                                     PARLEY_ATOM_type),
                             PARLEY_STR("text")))
        {
            parley_c2a_unmapped_part(doc, i, parley_c2a_text_fields, loss);
            continue;
        }

        value.node = i;
        parley_loss_value(loss, value);
    }
}


/* the members of a part beside these */

static void
parley_c2a_unmapped_part(const parley_json_t *doc, uint32_t part,
    const uint8_t *fields, parley_loss_t *loss)
{
    uint32_t           k;
    parley_json_ref_t  value;

    value.doc = doc;

    for (k = parley_json_first(part);
         k != parley_json_end(doc, part);
         k = parley_json_after(doc, k + 1))
    {
        if (!fields[parley_c2a_field(doc, k)]) {
            value.node = k + 1;
            parley_loss_value(loss, value);
        }
    }
}
