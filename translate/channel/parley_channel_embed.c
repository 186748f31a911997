/*
 * A frame embeds another protocol's message in the text for a person
 * (parley_embed_text.h).  A translation wrote this text.  The reader attributes
 * it to the frame's submitter: sender and recipient stay those of the frame.
 */

#include "translate/channel/parley_channel.h"
#include "translate/parley_embed_redact.h"
#include "translate/parley_embed_text.h"
#include "translate/parley_plain.h"


static int parley_channel_is_marked(const parley_msg_t *m,
    parley_proto_t *ret_basis);
static int parley_channel_extract_from(const parley_msg_t *m, uint32_t value,
    parley_proto_t basis, parley_embed_t *ret);
static int parley_channel_agrees(const parley_msg_t *outer,
    const parley_embed_t *c, const parley_msg_t *inner);
static int parley_channel_is_translated(const parley_msg_t *m,
    const parley_embed_t *c);


static const parley_embed_item_t  parley_channel_items[] = {
    { parley_str("id: "), PARLEY_EMBED_ID, 1 },
    { parley_str("corr: "), PARLEY_EMBED_CORR, 0 },
    { parley_str("act: "), PARLEY_EMBED_ACT, 0 },
    { parley_str("priority: "), PARLEY_EMBED_PRIORITY, 0 },
    { parley_str("reply_to: "), PARLEY_EMBED_REPLY_TO, 0 },
    { parley_str("requires: "), PARLEY_EMBED_REQUIRES, 0 },
    { parley_str("trace: "), PARLEY_EMBED_TRACE, 0 },
    { parley_str("members: "), PARLEY_EMBED_MEMBERS, 0 },
};


const parley_embed_slot_t  parley_channel_slot = {
    .proto = PARLEY_PROTO_CHANNEL,
    .items = parley_channel_items,
    .nitems = sizeof(parley_channel_items) / sizeof(parley_channel_items[0]),
    .says = PARLEY_EMBED_SAYS_NOTHING,
    .act = PARLEY_ACT_EVENT,
    .agrees = parley_channel_agrees,
};


int
parley_channel_extract(const parley_msg_t *m, parley_embed_t *ret)
{
    int                   rc;
    unsigned              i;
    uint32_t              k, objects[2];
    parley_proto_t        basis;
    const parley_json_t  *doc;

    rc = parley_channel_is_marked(m, &basis);

    if (rc != 1 || m->data.node == PARLEY_JSON_NONE) {
        return rc < 0 ? -1 : 0;
    }

    doc = m->data.doc;

    objects[0] = m->data.node;
    objects[1] = parley_embed_displaced(m);

    for (i = 0; i < 2; i++) {

        if (objects[i] == PARLEY_JSON_NONE) {
            continue;
        }

        for (k = parley_json_first(objects[i]);
             k != parley_json_end(doc, objects[i]);
             k = parley_json_after(doc, k + 1))
        {
            rc = parley_channel_extract_from(m, k + 1, basis, ret);

            if (rc != 0) {
                return rc;
            }
        }
    }

    return 0;
}


/*
 * Returns whether the frame's members say that a translation made it.  If they
 * are missing, the encoder would write such members (parley_channel_encode.c).
 */

static int
parley_channel_is_marked(const parley_msg_t *m, parley_proto_t *ret_basis)
{
    parley_str_t       text;
    parley_json_ref_t  method, basis;

    method = parley_embed_find(m, PARLEY_STR("provenance_method"));

    if (method.node != PARLEY_JSON_NONE
        && (parley_json_type(method.doc, method.node) != PARLEY_JSON_ARRAY
            || parley_json_node(method.doc, method.node)->count != 1
            || !parley_json_string_is(method.doc,
                                      parley_json_first(method.node),
                                      PARLEY_STR("gateway-translation"))))
    {
        return 0;
    }

    basis = parley_embed_find(m, PARLEY_STR("provenance_basis"));

    if (parley_msg_string(basis.doc, basis.node, &text) != 0) {
        return -1;
    }

    *ret_basis = parley_proto_find(text);

    return *ret_basis != PARLEY_PROTO_NONE;
}


static int
parley_channel_extract_from(const parley_msg_t *m, uint32_t value,
    parley_proto_t basis, parley_embed_t *ret)
{
    int                   rc;
    parley_str_t          text;
    const parley_json_t  *doc;

    doc = m->data.doc;

    if (parley_msg_string(doc, value, &text) != 0) {
        return -1;
    }

    if (text.len == 0) {
        return 0;
    }

    rc = parley_embed_text_read(doc->arena, doc->seed, &parley_channel_slot,
                                text, ret);

    if (rc != 1 || ret->origin != basis) {
        return rc < 0 ? -1 : 0;
    }

    ret->at.doc = doc;
    ret->at.node = value;

    if (ret->words[PARLEY_EMBED_CORR].len == 0) {
        ret->words[PARLEY_EMBED_CORR] = ret->words[PARLEY_EMBED_ID];
    }

    /*
     * Only AEE has requires; for other protocols, it contains just the
     * deadline.
     */

    if (basis == PARLEY_PROTO_CANONICAL) {
        ret->members = parley_json_ref_none;

    } else {
        ret->requires = parley_json_ref_none;
        ret->trace = parley_json_ref_none;
    }

    return 1;
}


static int
parley_channel_agrees(const parley_msg_t *outer, const parley_embed_t *c,
    const parley_msg_t *inner)
{
    const parley_str_t  *words;

    words = c->words;

    if ((c->origin != PARLEY_PROTO_CANONICAL && !parley_embed_is_usual(inner))
        || (c->members.node != PARLEY_JSON_NONE
            && parley_json_type(c->members.doc, c->members.node)
               != PARLEY_JSON_OBJECT)
        || (inner->act == PARLEY_ACT_FAILURE) != (c->code.len > 0))
    {
        return 0;
    }

    /* A message cannot have such names (SEC-01): the text only quotes one. */

    return parley_plain_is_word(words[PARLEY_EMBED_INTENT])
           && parley_plain_is(words[PARLEY_EMBED_ID])
           && parley_plain_is(words[PARLEY_EMBED_CORR])
           && parley_plain_is(words[PARLEY_EMBED_REPLY_TO])
           && parley_channel_is_translated(outer, c);
}


/*
 * Returns whether a payload is as parley_channel_encode() writes it, without
 * other members than the text.
 */

static int
parley_channel_is_translated(const parley_msg_t *m, const parley_embed_t *c)
{
    unsigned                           n;
    const parley_channel_kind_info_t  *kind;

    kind = parley_channel_kind_find(m->form);
    n = kind->nrequired;

    switch (kind->kind) {

    case PARLEY_CHANNEL_ADVISORY:
    case PARLEY_CHANNEL_BROADCAST:
    case PARLEY_CHANNEL_QUERY:
    case PARLEY_CHANNEL_RESPONSE:
    case PARLEY_CHANNEL_DIAGNOSTIC_REQUEST:
    case PARLEY_CHANNEL_DIAGNOSTIC_RESPONSE:
        break;

    case PARLEY_CHANNEL_HANDOVER:
        n += m->question.len > 0;
        break;

    default:
        return 0;
    }

    return parley_json_node(m->doc, m->data.node)->count == n
           && c->at.node == m->said[0];
}


int
parley_channel_within(parley_redact_t *r, const parley_msg_t *m)
{
    uint32_t              k, payload;
    parley_buf_t          b;
    parley_str_t          text, name, pointer;
    const parley_json_t  *doc;

    doc = m->doc;
    payload = parley_json_member(doc, 0, PARLEY_ATOM_payload);

    if (payload == PARLEY_JSON_NONE
        || parley_json_type(doc, payload) != PARLEY_JSON_OBJECT)
    {
        return 0;
    }

    for (k = parley_json_first(payload);
         k != parley_json_end(doc, payload);
         k = parley_json_after(doc, k + 1))
    {
        if (parley_msg_string(doc, k + 1, &text) != 0
            || parley_msg_string(doc, k, &name) != 0)
        {
            return -1;
        }

        if (text.len == 0) {
            continue;
        }

        parley_buf_init(&b, r->arena, name.len + 10);
        parley_buf_lit(&b, "/payload/");
        parley_buf_str(&b, name);

        if (parley_buf_done(&b, &pointer) != 0
            || parley_embed_redact_text(r, m, text, pointer) != 0)
        {
            return -1;
        }
    }

    return 0;
}
