/* Writes the fields of a capsule, and the payload that was read from one. */

#include "translate/parley_embed.h"


static void parley_embed_copy_all(parley_buf_t *b, const parley_json_t *doc,
    uint32_t object, int *comma);


void
parley_embed_init(parley_embed_t *ret)
{
    memset(ret, 0, sizeof(parley_embed_t));

    ret->at = parley_json_ref_none;
    ret->origin = PARLEY_PROTO_NONE;
    ret->timeout_ms = -1;
    ret->requires = parley_json_ref_none;
    ret->trace = parley_json_ref_none;
    ret->members = parley_json_ref_none;
    ret->data = parley_json_ref_none;
}


void
parley_embed_fill(parley_embed_t *ret, const parley_msg_t *m)
{
    parley_embed_init(ret);

    ret->origin = m->origin;
    ret->timeout_ms = m->timeout_ms;
    ret->data = m->data;

    ret->words[PARLEY_EMBED_FORM] = m->form;
    ret->words[PARLEY_EMBED_INTENT] = m->intent;
    ret->words[PARLEY_EMBED_ID] = m->id;
    ret->words[PARLEY_EMBED_CREATED] = m->created;
    ret->words[PARLEY_EMBED_CORR] = m->corr;
    ret->words[PARLEY_EMBED_REPLY_TO] = m->reply_to;

    if (m->priority != PARLEY_PRIORITY_NORMAL) {
        ret->words[PARLEY_EMBED_PRIORITY] = parley_priority_name(m->priority);
    }
}


void
parley_embed_items_write(parley_buf_t *b, const parley_embed_slot_t *slot,
    const parley_embed_t *c, const parley_msg_t *m)
{
    unsigned                    i;
    const parley_embed_item_t  *item;

    for (i = 0; i < slot->nitems; i++) {
        item = &slot->items[i];

        if (item->field < PARLEY_EMBED_WORDS) {

            if (c->words[item->field].len > 0 || item->required) {
                parley_buf_member(b, item->name, c->words[item->field]);
            }

        } else if (item->field == PARLEY_EMBED_TIMEOUT) {

            if (c->timeout_ms >= 0) {
                parley_buf_name(b, item->name);
                parley_buf_int(b, c->timeout_ms);
            }

        } else if (m->nmembers > 0) {
            parley_buf_name(b, item->name);
            parley_buf_octet(b, '{');
            parley_embed_members_write(b, m, 0);
            parley_buf_octet(b, '}');
        }
    }
}


void
parley_embed_members_write(parley_buf_t *b, const parley_msg_t *m, int comma)
{
    uint32_t  i;

    for (i = 0; i < m->nmembers; i++) {
        if (comma++) {
            parley_buf_octet(b, ',');
        }

        parley_embed_member(b, &m->members[i]);
    }
}


void
parley_embed_member(parley_buf_t *b, const parley_member_t *member)
{
    uint32_t              name;
    const parley_json_t  *doc;

    doc = member->value.doc;
    name = member->value.node - 1;

    /* A member from outside the message has its own document. */

    if (member->value.node > 0
        && (parley_json_node(doc, name)->flags
            & (PARLEY_JSON_KEY | PARLEY_JSON_ESCAPED)) == PARLEY_JSON_KEY
        && (member->name.data == parley_json_span(doc, name).data
            || parley_json_string_is(doc, name, member->name))
        && parley_json_member_is_tight(doc, name))
    {
        parley_buf_str(b, parley_json_member_raw(doc, name));
        return;
    }

    parley_buf_json_string(b, member->name);
    parley_buf_octet(b, ':');
    parley_buf_value(b, member->value);
}


void
parley_embed_payload(parley_buf_t *b, const parley_msg_t *m,
    parley_atom_t skip)
{
    int                   comma;
    uint32_t              k, object;
    const parley_json_t  *doc;

    comma = 0;
    doc = m->data.doc;
    object = m->data.node;

    parley_buf_octet(b, '{');

    if (object != PARLEY_JSON_NONE) {
        for (k = parley_json_first(object);
             k != parley_json_end(doc, object);
             k = parley_json_after(doc, k + 1))
        {
            if ((m->carried && parley_embed_displaces(m, k))
                || !parley_msg_is_payload(m, k)
                || (skip != PARLEY_ATOM_NONE
                    && parley_json_atom(doc, k) == skip))
            {
                continue;
            }

            parley_embed_copy(b, doc, k, &comma);
        }
    }

    parley_embed_copy_all(b, doc, parley_embed_displaced(m), &comma);

    parley_buf_octet(b, '}');
}


int
parley_embed_displaces(const parley_msg_t *m, uint32_t name)
{
    parley_atom_t  atom;

    atom = parley_json_atom(m->data.doc, name);

    if (atom == PARLEY_ATOM_references
        || atom == parley_proto_atom(m->origin))
    {
        return 1;
    }

    if (m->approves && atom == PARLEY_ATOM_approved) {
        return 1;
    }

    return m->act == PARLEY_ACT_FAILURE
           && (atom == PARLEY_ATOM_code || atom == PARLEY_ATOM_message
               || atom == PARLEY_ATOM_retryable);
}


void
parley_embed_copy(parley_buf_t *b, const parley_json_t *doc, uint32_t name,
    int *comma)
{
    if (*comma) {
        parley_buf_octet(b, ',');
    }

    *comma = 1;

    parley_buf_str(b, parley_json_member_raw(doc, name));
}


static void
parley_embed_copy_all(parley_buf_t *b, const parley_json_t *doc,
    uint32_t object, int *comma)
{
    uint32_t  k;

    if (object == PARLEY_JSON_NONE) {
        return;
    }

    for (k = parley_json_first(object);
         k != parley_json_end(doc, object);
         k = parley_json_after(doc, k + 1))
    {
        parley_embed_copy(b, doc, k, comma);
    }
}


void
parley_embed_object(parley_buf_t *b, parley_json_ref_t value,
    const parley_embed_fixed_t *fixed, unsigned nfixed)
{
    unsigned              i, comma, found;
    uint32_t              k;
    const parley_json_t  *doc;

    doc = value.doc;

    if (nfixed == 0
        || parley_json_type(doc, value.node) != PARLEY_JSON_OBJECT)
    {
        parley_buf_value(b, value);
        return;
    }

    comma = 0;
    found = 0;

    parley_buf_octet(b, '{');

    for (k = parley_json_first(value.node);
         k != parley_json_end(doc, value.node);
         k = parley_json_after(doc, k + 1))
    {
        for (i = 0; i < nfixed; i++) {
            if (fixed[i].name != PARLEY_ATOM_NONE
                && parley_json_atom(doc, k) == fixed[i].name)
            {
                found |= 1u << i;
                break;
            }
        }

        if (i < nfixed && fixed[i].value.len == 0) {
            continue;
        }

        if (comma++) {
            parley_buf_octet(b, ',');
        }

        parley_buf_str(b, parley_json_raw(doc, k));
        parley_buf_octet(b, ':');
        parley_buf_str(b, i < nfixed ? fixed[i].value
                                     : parley_json_raw(doc, k + 1));
    }

    for (i = 0; i < nfixed; i++) {
        if (!(found & 1u << i) && fixed[i].always && fixed[i].value.len > 0) {
            parley_buf_name(b, parley_atom_name(fixed[i].name));
            parley_buf_str(b, fixed[i].value);
        }
    }

    parley_buf_octet(b, '}');
}
