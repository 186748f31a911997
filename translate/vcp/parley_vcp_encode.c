#include "translate/vcp/parley_vcp.h"
#include "translate/parley_embed.h"
#include "translate/parley_name.h"
#include "translate/parley_plain_msg.h"
#include "translate/parley_msg_field.h"

#include <stdio.h>


static int parley_vcp_choose(parley_vcp_encode_t *e);
static int parley_vcp_native(parley_vcp_encode_t *e);
static int parley_vcp_lacks(const parley_vcp_encode_t *e, parley_str_t name);
static void parley_vcp_complete(parley_vcp_encode_t *e);
static int parley_vcp_is_ack(const parley_vcp_encode_t *e, int *ret);
static int parley_vcp_answers_escalation(const parley_vcp_encode_t *e);
static int parley_vcp_write(parley_vcp_encode_t *e, parley_encoded_t *ret);
static void parley_vcp_write_members(const parley_vcp_encode_t *e,
    parley_buf_t *b);
static int parley_vcp_keeps(const parley_vcp_encode_t *e,
    const parley_member_t *member);
static int parley_vcp_check(parley_vcp_encode_t *e, parley_encoded_t *ret);
static int parley_vcp_view(const parley_vcp_encode_t *e,
    const parley_encoded_t *ret, parley_msg_t *back);
static int parley_vcp_map_error(parley_vcp_encode_t *e);
static void parley_vcp_compare(parley_vcp_encode_t *e,
    const parley_msg_t *back);
static int parley_vcp_is_intent(const parley_vcp_encode_t *e,
    parley_str_t intent);
static void parley_vcp_compare_data(parley_vcp_encode_t *e);


int
parley_vcp_encode(const parley_vcp_dialect_t *dialect,
    const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *m, const parley_encode_opts_t *opts,
    parley_encoded_t *ret, parley_loss_t *loss, parley_error_t *err)
{
    parley_vcp_encode_t  e;

    memset(&e, 0, sizeof(parley_vcp_encode_t));

    e.dialect = dialect;
    e.engine = engine;
    e.arena = arena;
    e.m = m;
    e.opts = opts;
    e.loss = loss;
    e.err = err;

    parley_buf_init(&e.payload, arena, 0);

    if (parley_vcp_choose(&e) != 0 || parley_vcp_write(&e, ret) != 0) {
        return -1;
    }

    return parley_vcp_check(&e, ret);
}


/* Chooses the one of the four types that expresses the message. */

static int
parley_vcp_choose(parley_vcp_encode_t *e)
{
    int                    ack;
    const parley_msg_t    *m;

    m = e->m;
    e->type = PARLEY_VCP_TYPES;

    if (parley_str_begins(m->intent, "vcp.")) {
        e->type = parley_vcp_type_find(parley_str_from(m->intent, 4));

        if (e->type == PARLEY_VCP_TYPES) {
            return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                    parley_at(m, PARLEY_MSG_INTENT).pointer,
                                    "VCP has no message type for this intent");
        }
    }

    switch (m->act) {

    case PARLEY_ACT_REQUEST:
    case PARLEY_ACT_EVENT:

        if (e->type != PARLEY_VCP_TYPES) {
            return parley_vcp_native(e);
        }

        if (m->alarm != PARLEY_SEVERITY_NONE) {
            return parley_vcp_escalate(e);
        }

        return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(m, PARLEY_MSG_INTENT).pointer,
                                "VCP cannot express a message with this "
                                "intent");

    case PARLEY_ACT_REPLY:

        if (parley_vcp_is_ack(e, &ack) != 0) {
            return parley_error_memory(e->err);
        }

        if (e->type == PARLEY_VCP_ESCALATION && ack) {
            return parley_vcp_native(e);
        }

        if (parley_vcp_answers_escalation(e)) {
            return parley_vcp_acknowledge(e);
        }

        break;

    case PARLEY_ACT_FAILURE:

        if (m->alarm != PARLEY_SEVERITY_NONE) {
            return parley_vcp_escalate(e);
        }

        break;

    default:
        break;
    }

    return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                            parley_at(m, PARLEY_MSG_FORM).pointer,
                            "VCP cannot express a message of this type");
}


/* Writes a payload in VCP's own words: the intent is vcp.<type>. */

static int
parley_vcp_native(parley_vcp_encode_t *e)
{
    parley_json_ref_t  references;

    references = parley_json_ref_none;

    if (parley_vcp_is_sibling(e->dialect, e->m->origin)) {
        return parley_vcp_fit(e);
    }

    if (!e->m->carried && e->m->data.node != PARLEY_JSON_NONE) {

        /*
         * A VCP payload never has references, but any AEE payload may (section
         * 10).
         */

        references.doc = e->m->data.doc;
        references.node = parley_json_member(references.doc, e->m->data.node,
                                             PARLEY_ATOM_references);

        if (references.node == PARLEY_JSON_NONE
            && !parley_vcp_lacks(e, PARLEY_STR("context"))
            && !parley_vcp_lacks(e, PARLEY_STR("constitution_ref")))
        {
            e->whole = 1;
            return 0;
        }

        if (references.node != PARLEY_JSON_NONE) {
            parley_loss_value(e->loss, references);
        }
    }

    parley_embed_payload(&e->payload, e->m, PARLEY_ATOM_references);
    parley_vcp_complete(e);

    return 0;
}


/*
 * Returns whether the payload lacks a member of its type for which the operator
 * supplies a value (parley_vcp_context, parley_vcp_constitution).
 */

static int
parley_vcp_lacks(const parley_vcp_encode_t *e, parley_str_t name)
{
    int  context;

    context = parley_str_is(name, "context");

    if (e->m->carried || e->m->data.node == PARLEY_JSON_NONE
        || (context ? e->opts->context : e->opts->constitution).len == 0)
    {
        return 0;
    }

    if (e->type != PARLEY_VCP_CONTEXT_SHARE
        && e->type != (context ? PARLEY_VCP_ESCALATION
                               : PARLEY_VCP_CONSTITUTION_ANNOUNCE))
    {
        return 0;
    }

    return parley_json_get(e->m->data.doc, e->m->data.node, name)
           == PARLEY_JSON_NONE;
}


static void
parley_vcp_complete(parley_vcp_encode_t *e)
{
    size_t        i;
    parley_str_t  name;

    for (i = 0; i < 2; i++) {
        name = i == 0 ? PARLEY_STR("context") : PARLEY_STR("constitution_ref");

        if (!parley_vcp_lacks(e, name)) {
            continue;
        }

        /* Continue the object after its last member. */

        if (e->payload.len > 0) {
            e->payload.len--;
        }

        parley_buf_member(&e->payload, name, i == 0 ? e->opts->context
                                                    : e->opts->constitution);
        parley_buf_octet(&e->payload, '}');
    }
}


/*
 * Returns whether the payload is an acknowledgment, in its own version.
 * Returns 0 with *ret, or -1 if memory is exhausted.
 */

static int
parley_vcp_is_ack(const parley_vcp_encode_t *e, int *ret)
{
    uint32_t                     ack, reason;
    parley_str_t                 text;
    const parley_msg_t          *m;
    const parley_json_t         *doc;
    const parley_vcp_dialect_t  *dialect;

    *ret = 0;

    m = e->m;
    doc = m->data.doc;
    dialect = parley_vcp_is_sibling(e->dialect, m->origin)
              ? parley_vcp_dialect(m->origin) : e->dialect;

    if (m->data.node == PARLEY_JSON_NONE) {
        return 0;
    }

    ack = parley_json_member(doc, m->data.node, PARLEY_ATOM_requires_ack);
    reason = parley_json_member(doc, m->data.node, PARLEY_ATOM_reason);

    if (ack == PARLEY_JSON_NONE
        || parley_json_type(doc, ack) != PARLEY_JSON_FALSE)
    {
        return 0;
    }

    if (parley_msg_string(doc, reason, &text) != 0) {
        return -1;
    }

    *ret = parley_vcp_ack_id(dialect, text).len > 0;

    return 0;
}


static int
parley_vcp_answers_escalation(const parley_vcp_encode_t *e)
{
    const parley_msg_t  *answering;

    answering = e->opts->answering;

    if (answering != NULL) {
        return parley_str_is(answering->intent, "vcp.escalation")
               && answering->act != PARLEY_ACT_REPLY
               && e->dialect->is_id(answering->id);
    }

    return e->type == PARLEY_VCP_ESCALATION
           && e->dialect->is_id(e->m->reply_to);
}


static int
parley_vcp_write(parley_vcp_encode_t *e, parley_encoded_t *ret)
{
    parley_buf_t  b;
    parley_str_t  timestamp, sender, recipient, payload;

    if (parley_vcp_encode_time(e, &timestamp) != 0
        || parley_vcp_encode_id(e, &ret->id) != 0
        || parley_name_translate(e->arena, e->opts, e->m, e->m->sender,
                                 PARLEY_MSG_SENDER, e->dialect->proto,
                                 &sender, e->err)
           != 0
        || parley_vcp_encode_recipient(e, &recipient) != 0)
    {
        return -1;
    }

    if (e->whole) {
        payload = parley_json_raw(e->m->data.doc, e->m->data.node);

    } else if (parley_buf_done(&e->payload, &payload) != 0) {
        return parley_error_memory(e->err);
    }

    parley_buf_init(&b, e->arena, payload.len + sender.len + recipient.len
                                  + 256);

    parley_buf_lit(&b, "{\"vcp_message\":\"");
    parley_buf_str(&b, e->dialect->version);
    parley_buf_lit(&b, "\",\"type\":\"");
    parley_buf_str(&b, parley_vcp_type_name(e->type));
    parley_buf_lit(&b, "\",\"message_id\":\"");
    parley_buf_str(&b, ret->id);
    parley_buf_lit(&b, "\",\"sender\":\"");
    parley_buf_json_text(&b, sender);
    parley_buf_lit(&b, "\",\"recipient\":\"");
    parley_buf_json_text(&b, recipient);
    parley_buf_lit(&b, "\",\"timestamp\":\"");
    parley_buf_str(&b, timestamp);
    parley_buf_lit(&b, "\",\"payload\":");
    parley_buf_str(&b, payload);

    parley_vcp_write_members(e, &b);
    parley_buf_octet(&b, '}');

    return parley_buf_done(&b, &ret->body) == 0
           ? 0 : parley_error_memory(e->err);
}


/*
 * Writes the other members of an open envelope that another protocol carried.
 * A member with the name of an envelope member is omitted.
 */

static void
parley_vcp_write_members(const parley_vcp_encode_t *e, parley_buf_t *b)
{
    uint32_t  i;

    for (i = 0; i < e->m->nmembers; i++) {
        if (parley_vcp_keeps(e, &e->m->members[i])) {
            parley_buf_octet(b, ',');
            parley_embed_member(b, &e->m->members[i]);
        }
    }
}


static int
parley_vcp_keeps(const parley_vcp_encode_t *e, const parley_member_t *member)
{
    return e->m->origin == e->dialect->proto && e->dialect->open
           && !parley_vcp_is_reserved(member->name);
}


/*
 * Reads the new message back.  Thus it is valid, and its differences from m are
 * the loss.  An unchanged payload is validated at its place in m instead, and
 * the envelope around it is valid by construction.  If that validation fails,
 * the whole message is read back for the error.
 */

static int
parley_vcp_check(parley_vcp_encode_t *e, parley_encoded_t *ret)
{
    parley_msg_t   back;
    parley_json_t  doc;

    if (parley_vcp_view(e, ret, &back) != 0
        && (parley_read_again(&doc, e->arena, e->m->doc->seed, ret->body,
                              e->err)
            != 0
            || parley_decode(e->engine, e->arena, e->dialect->proto, &doc, 0,
                             &back, e->err)
               != 0))
    {
        return parley_vcp_map_error(e);
    }

    if (back.act == PARLEY_ACT_REPLY && parley_vcp_is_bound(e, &back) != 0) {
        return -1;
    }

    ret->corr = back.corr;
    ret->alarm = back.alarm;

    /* An acknowledgment may answer any escalation, requested or not (6.1). */
    ret->answerable = back.alarm != PARLEY_SEVERITY_NONE
                      && back.act != PARLEY_ACT_REPLY;

    parley_vcp_compare(e, &back);

    return 0;
}


static int
parley_vcp_view(const parley_vcp_encode_t *e, const parley_encoded_t *ret,
    parley_msg_t *back)
{
    if (!e->whole
        || parley_validate_part(e->engine, e->dialect->proto, e->type,
                                e->m->data, NULL)
           != 0
        || parley_plain_payload(parley_codecs[e->dialect->proto], e->m->data,
                                e->err)
           != 0)
    {
        return -1;
    }

    parley_msg_init(back, e->dialect->proto, e->m->data.doc);

    back->form = parley_vcp_type_name(e->type);
    back->intent = parley_vcp_type_intent(e->type);
    back->id = ret->id;
    back->corr = ret->id;
    back->data = e->m->data;

    return parley_vcp_means(e->type, back);
}


/* Replaces a pointer into the new message by one into the caller's. */

static int
parley_vcp_map_error(parley_vcp_encode_t *e)
{
    char         pointer[2 * PARLEY_POINTER_MAX];
    char         text[PARLEY_TEXT_MAX];
    const char  *field;

    if (e->err->code == PARLEY_E_CAPACITY) {
        return -1;
    }

    field = e->err->field;

    if (strncmp(field, "/payload", sizeof("/payload") - 1) == 0) {
        (void) snprintf(pointer, sizeof(pointer), "%s%s",
                        parley_at(e->m, PARLEY_MSG_DATA).pointer,
                        field + sizeof("/payload") - 1);

    } else if (strcmp(field, "/timestamp") == 0) {
        (void) snprintf(pointer, sizeof(pointer), "%s",
                        parley_at(e->m, PARLEY_MSG_CREATED).pointer);

    } else {
        (void) snprintf(pointer, sizeof(pointer), "%s",
                        parley_at(e->m, PARLEY_MSG_DATA).pointer);
    }

    memcpy(text, e->err->text, sizeof(text));

    return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED, pointer,
                            "in VCP, %s", text);
}


static void
parley_vcp_compare(parley_vcp_encode_t *e, const parley_msg_t *back)
{
    uint32_t               i;
    parley_loss_t         *loss;
    const parley_msg_t    *m, *answering;
    const parley_codec_t  *wire;

    m = e->m;
    loss = e->loss;
    answering = e->opts->answering;
    wire = parley_codecs[m->wire];

    if (m->act != back->act) {
        parley_loss_at(loss, m, PARLEY_MSG_FORM);

        if (m->origin == m->wire) {
            parley_loss_field(loss, m->doc, wire->pointers[PARLEY_MSG_FORM]);
        }
    }

    if (e->made && !parley_vcp_is_intent(e, back->intent)) {
        parley_loss_at(loss, m, PARLEY_MSG_INTENT);
    }

    /*
     * The exchange carries an answer's correlation.  A derived id replaces its
     * origin.
     */

    if (answering == NULL && m->corr.len > 0
        && !parley_str_eq(m->corr, back->corr)
        && !(parley_str_eq(m->corr, m->id)
             && parley_str_eq(back->corr, back->id)))
    {
        parley_loss_at(loss, m, PARLEY_MSG_CORR);
    }

    if (m->reply_to.len > 0 && !parley_str_eq(m->reply_to, back->reply_to)
        && (answering == NULL
            || (m->act != PARLEY_ACT_REPLY && m->act != PARLEY_ACT_FAILURE)))
    {
        parley_loss_at(loss, m, PARLEY_MSG_REPLY_TO);
    }

    if (m->priority != back->priority) {
        parley_loss_at(loss, m, PARLEY_MSG_PRIORITY);
    }

    if (m->timeout_ms >= 0 && m->timeout_ms != back->timeout_ms) {
        parley_loss_at(loss, m, PARLEY_MSG_TIMEOUT);
    }

    wire->unmapped(m, loss);

    for (i = 0; m->origin != m->wire && i < m->nmembers; i++) {
        if (!parley_vcp_keeps(e, &m->members[i])) {
            parley_loss_value(loss, m->members[i].value);
        }
    }

    if (e->made) {
        parley_vcp_compare_data(e);
    }
}


/*
 * Returns whether the message has this intent.  The action of a command is
 * another name of its intent.
 */

static int
parley_vcp_is_intent(const parley_vcp_encode_t *e, parley_str_t intent)
{
    parley_str_t           other;
    const parley_codec_t  *codec;

    other = e->m->intent;
    codec = parley_codecs[e->m->origin];

    if (parley_str_eq(other, intent)) {
        return 1;
    }

    return codec->reading != NULL
           && codec->reading(e->arena, e->m->intent, &other) == 0
           && parley_str_eq(other, intent);
}


/* Reports the members of a payload except those in the reason. */

static void
parley_vcp_compare_data(parley_vcp_encode_t *e)
{
    uint32_t              k;
    parley_json_ref_t     value;
    const parley_msg_t   *m;
    const parley_json_t  *doc;

    m = e->m;
    doc = m->data.doc;
    value.doc = doc;

    if (m->data.node == PARLEY_JSON_NONE) {
        return;
    }

    for (k = parley_json_first(m->data.node);
         k != parley_json_end(doc, m->data.node);
         k = parley_json_after(doc, k + 1))
    {
        value.node = k + 1;

        /* The code of a reaction is the gateway's name for its signal. */

        if (value.node == m->said[0]
            || (value.node == m->said[1]
                && (m->act != PARLEY_ACT_FAILURE
                    || parley_json_string_is(doc, value.node, m->code))))
        {
            continue;
        }

        if (e->context && parley_json_atom(doc, k) == PARLEY_ATOM_context) {
            continue;
        }

        /*
         * The report of the envelope contains the members that carrying added.
         */

        if (m->carried
            && (parley_json_atom(doc, k) == PARLEY_ATOM_references
                || parley_json_atom(doc, k) == parley_proto_atom(m->origin)))
        {
            continue;
        }

        parley_loss_value(e->loss, value);
    }
}
