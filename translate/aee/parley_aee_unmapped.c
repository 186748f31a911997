/*
 * What an envelope says beyond the canonical fields, for the loss report of
 * a protocol that has no place for it.
 */

#include "parley_aee.h"
#include "parley_embed.h"


static void parley_aee_unmapped_member(const parley_msg_t *m,
    parley_aee_field_t field, uint32_t node, parley_loss_t *loss);
static void parley_aee_unmapped_requires(const parley_msg_t *m,
    uint32_t object, parley_loss_t *loss);
static void parley_aee_unmapped_trace(const parley_msg_t *m, uint32_t object,
    parley_loss_t *loss);
static void parley_aee_unmapped_references(const parley_msg_t *m,
    parley_loss_t *loss);


void
parley_aee_unmapped(const parley_msg_t *m, parley_loss_t *loss)
{
    uint32_t              i, k;
    parley_aee_field_t    field;
    const parley_json_t  *doc;

    if (!m->carried) {

        /* the members are what the decode found of this kind */

        for (i = 0; i < m->nmembers; i++) {
            field = parley_aee_field_name(m->members[i].name);
            parley_aee_unmapped_member(m, field, m->members[i].value.node,
                                       loss);
        }

        return;
    }

    doc = m->doc;

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        parley_aee_unmapped_member(m, parley_aee_field(doc, k), k + 1, loss);
    }

    parley_aee_unmapped_references(m, loss);
}


static void
parley_aee_unmapped_member(const parley_msg_t *m, parley_aee_field_t field,
    uint32_t node, parley_loss_t *loss)
{
    parley_json_ref_t  value;

    switch (field) {

    case PARLEY_AEE_REQUIRES:
        parley_aee_unmapped_requires(m, node, loss);
        break;

    case PARLEY_AEE_TRACE:
        parley_aee_unmapped_trace(m, node, loss);
        break;

    case PARLEY_AEE_FIELDS:
        value.doc = m->doc;
        value.node = node;
        parley_loss_value(loss, value);
        break;

    default:
        break;
    }
}


/* timeout_ms, where it is whole, is the deadline */

static void
parley_aee_unmapped_requires(const parley_msg_t *m, uint32_t object,
    parley_loss_t *loss)
{
    int64_t               ms;
    uint32_t              k;
    parley_json_ref_t     value;
    const parley_json_t  *doc;

    doc = m->doc;
    value.doc = doc;

    if (parley_json_type(doc, object) != PARLEY_JSON_OBJECT) {
        return;
    }

    for (k = parley_json_first(object);
         k != parley_json_end(doc, object);
         k = parley_json_after(doc, k + 1))
    {
        if (parley_json_atom(doc, k) == PARLEY_ATOM_timeout_ms
            && parley_json_integer(doc, k + 1, &ms) == 0
            && ms >= 0 && ms == m->timeout_ms)
        {
            continue;
        }

        value.node = k + 1;
        parley_loss_value(loss, value);
    }
}


/* ids that a traceparent can carry travel in that header */

static void
parley_aee_unmapped_trace(const parley_msg_t *m, uint32_t object,
    parley_loss_t *loss)
{
    uint32_t              k;
    parley_json_ref_t     value;
    const parley_json_t  *doc;

    doc = m->doc;
    value.doc = doc;

    if (parley_json_type(doc, object) != PARLEY_JSON_OBJECT
        || parley_json_node(doc, object)->count == 0)
    {
        return;
    }

    if (!parley_trace_is_valid(m->trace_id, m->span_id)) {
        value.node = object;
        parley_loss_value(loss, value);
        return;
    }

    for (k = parley_json_first(object);
         k != parley_json_end(doc, object);
         k = parley_json_after(doc, k + 1))
    {
        if (parley_json_atom(doc, k) == PARLEY_ATOM_trace_id
            || parley_json_atom(doc, k) == PARLEY_ATOM_span_id)
        {
            continue;
        }

        value.node = k + 1;
        parley_loss_value(loss, value);
    }
}


/* all but the gateway's own */

static void
parley_aee_unmapped_references(const parley_msg_t *m, parley_loss_t *loss)
{
    uint32_t              i, own, refs;
    parley_json_ref_t     value;
    const parley_json_t  *doc;

    doc = m->doc;
    value.doc = doc;

    own = parley_embed_reference(doc, m->data.node, m->origin);
    refs = parley_json_member(doc, m->data.node, PARLEY_ATOM_references);

    for (i = parley_json_first(refs);
         i != parley_json_end(doc, refs);
         i = parley_json_after(doc, i))
    {
        if (i != own) {
            value.node = i;
            parley_loss_value(loss, value);
        }
    }
}
