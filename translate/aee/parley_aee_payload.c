/*
 * The payload of an envelope: its text for a person, its failure, and a message
 * of another protocol that it embeds:
 *
 *   {native payload's members...,
 *    "references": [{"id", "type": "<x>.message", "hash",
 *                    "locator": "parley:<x>:<id>", "verified"}],
 *    "<x>": {"form", native envelope members..., "payload": {...}}}
 *
 * An error also has "code", "message" and "retryable", and a result that
 * approves has "approved".  Only an answer with the intent of its task has
 * "form" (AEE-33).  Native payload members with one of these names move to
 * "payload".  "<x>" is absent if it would be empty.
 */

#include "translate/aee/parley_aee.h"
#include "translate/parley_embed.h"


static int parley_aee_payload_says(parley_msg_t *msg);
static int parley_aee_payload_words(parley_msg_t *msg);
static int parley_aee_payload_failure(parley_msg_t *msg);
static uint32_t parley_aee_extract_kin(const parley_msg_t *m,
    parley_proto_t *proto);
static int parley_aee_extract_form(const parley_msg_t *m,
    parley_proto_t *ret_proto, parley_str_t *ret_intent,
    parley_str_t *ret_form);
static void parley_aee_embed_failure(parley_buf_t *b, const parley_msg_t *m);
static void parley_aee_embed_members(parley_buf_t *b, const parley_msg_t *m,
    parley_str_t form, int displaces);


const parley_embed_slot_t  parley_aee_slot = {
    .proto = PARLEY_PROTO_AEE,
    .says = PARLEY_EMBED_SAYS_ALL,
};


int
parley_aee_payload(parley_arena_t *arena, parley_msg_t *msg)
{
    return parley_aee_payload_says(msg) == 0 ? parley_embed_read(arena, msg)
                                             : -1;
}


/* Reads the form that another protocol gives, and the payload. */

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


/* Returns "message" for an error, unless it also has a "text"; else "text". */

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


/* Reads "text"; for an error, first "message" (section 4). */

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

    msg->alarm = PARLEY_SEVERITY_WARNING;

    return 0;
}


/*
 * Finds the embedded message.  The gateway's reference names another protocol
 * <x>, and the intent is <x>.<form>.  An answer has the intent of its task, and
 * its own in the member <x> (AEE-33).
 */

int
parley_aee_extract(const parley_msg_t *m, parley_embed_t *ret)
{
    uint32_t              node;
    parley_str_t          intent, form;
    parley_proto_t        proto;
    const parley_json_t  *doc;

    doc = m->data.doc;
    intent = parley_str_none;

    /* Nothing is embedded without a reference. */

    if (m->data.node == PARLEY_JSON_NONE
        || parley_json_member(doc, m->data.node, PARLEY_ATOM_references)
           == PARLEY_JSON_NONE)
    {
        return 0;
    }

    proto = parley_embed_intent(m->intent, &form);

    node = PARLEY_JSON_NONE;

    if (proto != PARLEY_PROTO_NONE) {
        node = parley_aee_extract_kin(m, &proto);
    }

    if (node == PARLEY_JSON_NONE
        && (m->act == PARLEY_ACT_REPLY || m->act == PARLEY_ACT_FAILURE
            || m->act == PARLEY_ACT_PROGRESS))
    {
        if (parley_aee_extract_form(m, &proto, &intent, &form) != 0) {
            return -1;
        }

        if (proto != PARLEY_PROTO_NONE) {
            node = parley_embed_reference(doc, m->data.node, proto);
        }
    }

    if (node == PARLEY_JSON_NONE) {
        return 0;
    }

    parley_embed_init(ret);

    ret->at.doc = doc;
    ret->at.node = node;
    ret->origin = proto;
    ret->data = m->data;
    ret->words[PARLEY_EMBED_FORM] = form;
    ret->words[PARLEY_EMBED_INTENT] = intent;
    ret->timeout_ms = m->timeout_ms;
    ret->members.doc = doc;
    ret->members.node = parley_json_member(doc, m->data.node,
                                           parley_proto_atom(proto));

    ret->taken[0] = PARLEY_ATOM_payload;

    if (intent.len > 0) {
        ret->taken[1] = PARLEY_ATOM_form;
    }

    return 1;
}


/*
 * Finds the reference for an intent of *proto.  It names *proto, or another
 * version of it, which becomes *proto.
 */

static uint32_t
parley_aee_extract_kin(const parley_msg_t *m, parley_proto_t *proto)
{
    uint32_t        node;
    parley_proto_t  kin;

    node = parley_embed_reference(m->data.doc, m->data.node, *proto);

    for (kin = 0; node == PARLEY_JSON_NONE && kin < PARLEY_PROTO_COUNT; kin++)
    {
        if (parley_codecs[kin]->words.len == 0
            || parley_embed_kin(kin) != *proto)
        {
            continue;
        }

        node = parley_embed_reference(m->data.doc, m->data.node, kin);

        if (node != PARLEY_JSON_NONE) {
            *proto = kin;
            break;
        }
    }

    return node;
}


static int
parley_aee_extract_form(const parley_msg_t *m, parley_proto_t *ret_proto,
    parley_str_t *ret_intent, parley_str_t *ret_form)
{
    uint32_t              value;
    parley_proto_t        proto;
    const parley_json_t  *doc;

    doc = m->data.doc;
    *ret_proto = PARLEY_PROTO_NONE;

    for (proto = 0; proto < PARLEY_PROTO_COUNT; proto++) {

        value = parley_json_member(doc, m->data.node,
                                   parley_proto_atom(proto));
        value = parley_json_member(doc, value, PARLEY_ATOM_form);

        if (parley_msg_string(doc, value, ret_intent) != 0) {
            return -1;
        }

        if (ret_intent->len > 0
            && parley_embed_intent(*ret_intent, ret_form)
               == parley_embed_kin(proto))
        {
            *ret_proto = proto;
            return 0;
        }
    }

    *ret_intent = parley_str_none;

    return 0;
}


int
parley_aee_embed_write(parley_buf_t *b, const parley_msg_t *m,
    parley_str_t form, const parley_encode_opts_t *opts)
{
    int                   comma, displaces;
    uint32_t              k;
    const parley_json_t  *doc;

    comma = 0;
    displaces = 0;
    doc = m->data.doc;

    parley_buf_octet(b, '{');

    if (m->data.node != PARLEY_JSON_NONE) {
        for (k = parley_json_first(m->data.node);
             k != parley_json_end(doc, m->data.node);
             k = parley_json_after(doc, k + 1))
        {
            if (parley_embed_displaces(m, k)) {
                displaces = 1;

            } else if (parley_msg_is_payload(m, k)) {
                parley_embed_copy(b, doc, k, &comma);
            }
        }
    }

    if (comma) {
        parley_buf_octet(b, ',');
    }

    if (m->act == PARLEY_ACT_FAILURE) {
        parley_aee_embed_failure(b, m);
    }

    if (m->approves) {
        parley_buf_lit(b, "\"approved\":true,");
    }

    parley_buf_lit(b, "\"references\":[");

    if (parley_embed_reference_write(b, m, opts) != 0) {
        return -1;
    }

    parley_buf_octet(b, ']');

    if (m->nmembers > 0 || form.len > 0 || displaces) {
        parley_aee_embed_members(b, m, form, displaces);
    }

    parley_buf_octet(b, '}');

    return 0;
}


/* Writes the members that AEE section 4 requires in the payload of an error. */

static void
parley_aee_embed_failure(parley_buf_t *b, const parley_msg_t *m)
{
    parley_buf_lit(b, "\"code\":");
    parley_buf_json_string(b, m->code.len > 0 ? m->code
                                              : PARLEY_STR("E_FAILED"));
    parley_buf_lit(b, ",\"message\":");
    parley_buf_json_string(b, m->text);

    if (m->retryable) {
        parley_buf_lit(b, ",\"retryable\":true,");

    } else {
        parley_buf_lit(b, ",\"retryable\":false,");
    }
}


/*
 * Writes the native envelope members without an AEE field, and the payload
 * members with names that the gateway uses.
 */

static void
parley_aee_embed_members(parley_buf_t *b, const parley_msg_t *m,
    parley_str_t form, int displaces)
{
    int                   comma;
    uint32_t              k;
    const parley_json_t  *doc;

    parley_buf_octet(b, ',');
    parley_buf_json_string(b, parley_proto_name(m->origin));
    parley_buf_lit(b, ":{");

    if (form.len > 0) {
        parley_buf_member(b, PARLEY_STR("form"), form);
    }

    parley_embed_members_write(b, m, form.len > 0);

    if (displaces) {
        parley_buf_name(b, PARLEY_STR("payload"));
        parley_buf_octet(b, '{');

        comma = 0;
        doc = m->data.doc;

        for (k = parley_json_first(m->data.node);
             k != parley_json_end(doc, m->data.node);
             k = parley_json_after(doc, k + 1))
        {
            if (parley_embed_displaces(m, k)) {
                parley_embed_copy(b, doc, k, &comma);
            }
        }

        parley_buf_octet(b, '}');
    }

    parley_buf_octet(b, '}');
}
