#include "translate/moq/parley_moq.h"
#include "translate/parley_msg_field.h"
#include "translate/parley_plain_msg.h"

#include <stdio.h>


static int parley_moq_choose(parley_moq_encode_t *e);
static void parley_moq_write_member(parley_moq_encode_t *e,
    const parley_member_t *member);
static int parley_moq_write_payload(parley_moq_encode_t *e);
static int parley_moq_is_surely_valid(const parley_moq_encode_t *e);
static int parley_moq_check(const parley_engine_t *engine,
    parley_moq_encode_t *e, parley_encoded_t *ret);
static int parley_moq_map_error(parley_moq_encode_t *e);
static int parley_moq_compare(parley_moq_encode_t *e,
    const parley_msg_t *back);
static int parley_moq_compare_embedded(parley_moq_encode_t *e,
    const parley_msg_t *back);
static int parley_moq_write_native(parley_moq_encode_t *e);


int
parley_moq_encode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *m, const parley_encode_opts_t *opts,
    parley_encoded_t *ret, parley_loss_t *loss, parley_error_t *err)
{
    int                  rc;
    parley_moq_encode_t  e;

    memset(&e, 0, sizeof(parley_moq_encode_t));

    e.arena = arena;
    e.m = m;
    e.opts = opts;
    e.loss = loss;
    e.err = err;

    if (parley_moq_choose(&e) != 0) {
        return -1;
    }

    parley_buf_init(&e.b, arena, m->doc->input.len + 256);

    rc = m->origin == PARLEY_PROTO_MOQ ? parley_moq_write_native(&e)
                                       : parley_moq_write_embedded(&e);
    if (rc != 0) {
        return -1;
    }

    if (parley_buf_done(&e.b, &ret->body) != 0) {
        return parley_error_memory(err);
    }

    return parley_moq_check(engine, &e, ret);
}


/*
 * Chooses the action and the session.  An answer has the action and the session
 * of the answered command.
 */

static int
parley_moq_choose(parley_moq_encode_t *e)
{
    const parley_msg_t    *m, *answering;

    m = e->m;
    answering = e->opts->answering;

    /* A command without a status is a request: none can report an event. */

    if (m->act == PARLEY_ACT_EVENT) {
        return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(m, PARLEY_MSG_FORM).pointer,
                                "MoQ has no command for an event");
    }

    e->action = parley_moq_action(m->intent);
    e->session_id = m->corr;

    /*
     * An answer names the session of its command.  A conversation lasts long
     * and has many questions.
     */

    if (m->origin != PARLEY_PROTO_MOQ
        && (m->corr.len == 0 || parley_codecs[m->origin]->conversations))
    {
        e->session_id = m->id;
    }

    if (answering != NULL) {
        e->session_id = answering->corr;

        if (m->origin != PARLEY_PROTO_MOQ) {
            e->action = parley_moq_action(answering->intent);
        }
    }

    if (e->action.len == 0) {
        return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(m, PARLEY_MSG_INTENT).pointer,
                                "a command needs an action, and the intent "
                                "gives none");
    }

    if (parley_moq_is_local(e->action)) {
        return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(m, PARLEY_MSG_INTENT).pointer,
                                "this command is reserved for the gateway");
    }

    return 0;
}


/* Writes a command from another protocol's slot. */

static int
parley_moq_write_native(parley_moq_encode_t *e)
{
    uint32_t  i;

    parley_buf_octet(&e->b, '{');
    parley_buf_member(&e->b, PARLEY_STR("action"), e->action);

    if (e->opts->answering != NULL && e->session_id.len > 0) {
        parley_buf_member(&e->b, PARLEY_STR("session_id"), e->session_id);
    }

    for (i = 0; i < e->m->nmembers; i++) {
        parley_moq_write_member(e, &e->m->members[i]);
    }

    if (parley_moq_write_payload(e) != 0) {
        return parley_error_memory(e->err);
    }

    parley_buf_octet(&e->b, '}');

    return 0;
}


/*
 * Writes a member of a command that another protocol carries.  A capsule that
 * names a sender is lost: a reader would take it for one of the gateway.
 */

static void
parley_moq_write_member(parley_moq_encode_t *e, const parley_member_t *member)
{
    parley_proto_t     proto;
    parley_json_ref_t  at;

    at = member->value;
    proto = parley_proto_find(member->name);

    if (proto != PARLEY_PROTO_NONE && proto != PARLEY_PROTO_MOQ
        && parley_json_type(at.doc, at.node) == PARLEY_JSON_OBJECT
        && (parley_json_get(at.doc, at.node, PARLEY_STR("sender"))
            != PARLEY_JSON_NONE
            || parley_json_get(at.doc, at.node, PARLEY_STR("members"))
               != PARLEY_JSON_NONE))
    {
        parley_loss_value(e->loss, member->value);
        return;
    }

    switch (parley_moq_field_find(member->name)) {

    case PARLEY_MOQ_ACTION:
    case PARLEY_MOQ_AUTH_TOKEN:
        parley_loss_value(e->loss, member->value);
        return;

    case PARLEY_MOQ_PAYLOAD:
        return;

    case PARLEY_MOQ_SESSION_ID:

        if (e->opts->answering != NULL) {
            return;
        }

        break;

    default:
        break;
    }

    parley_buf_octet(&e->b, ',');
    parley_embed_member(&e->b, member);
}


/*
 * Writes the payload: the members of the data, or the value in the slot if the
 * data has no members.  Writes nothing if both are missing.
 */

static int
parley_moq_write_payload(parley_moq_encode_t *e)
{
    uint32_t             slot;
    parley_buf_t         b;
    parley_str_t         payload;
    parley_json_ref_t    value;
    const parley_msg_t  *m;

    m = e->m;

    value = parley_embed_find(m, PARLEY_STR("payload"));

    if (m->carried) {
        slot = parley_json_member(m->data.doc, m->data.node, PARLEY_ATOM_moq);

        value.doc = m->data.doc;
        value.node = parley_json_member(value.doc, slot, PARLEY_ATOM_payload);
    }

    parley_buf_init(&b, e->arena, 0);
    parley_embed_payload(&b, m, PARLEY_ATOM_NONE);

    if (parley_buf_done(&b, &payload) != 0) {
        return -1;
    }

    if (parley_str_is(payload, "{}")) {

        if (value.node == PARLEY_JSON_NONE) {
            return 0;
        }

        payload = parley_json_raw(value.doc, value.node);

    } else if (value.node != PARLEY_JSON_NONE
               && parley_json_type(value.doc, value.node)
                  != PARLEY_JSON_OBJECT)
    {
        parley_loss_value(e->loss, value);
    }

    parley_buf_lit(&e->b, ",\"payload\":");
    parley_buf_str(&e->b, payload);

    return 0;
}


/*
 * Returns whether an embedded message is certainly read back as it was.  0: the
 * command must be read to decide.
 */

static int
parley_moq_is_surely_valid(const parley_moq_encode_t *e)
{
    uint32_t             i, node;
    const parley_msg_t  *m;

    m = e->m;

    if (m->origin != PARLEY_PROTO_CANONICAL || m->wire != m->origin
        || e->session_id.len == 0
        || e->unnamed || m->form.len == 0 || m->id.len == 0
        || (e->opts->answering != NULL && m->act != PARLEY_ACT_REPLY
            && m->act != PARLEY_ACT_FAILURE))
    {
        return 0;
    }

    /* A value may become too deep for a reader. */

    for (i = 0; i < m->nmembers; i++) {
        node = m->members[i].value.node;

        if (parley_json_after(m->members[i].value.doc, node) - node
            > PARLEY_JSON_DEPTH_MAX / 2)
        {
            return 0;
        }
    }

    return 1;
}


/*
 * Reads the new command back.  Thus it is valid and has the intended meaning.
 * Its id matters only if no session matches an answer to it.
 */

static int
parley_moq_check(const parley_engine_t *engine, parley_moq_encode_t *e,
    parley_encoded_t *ret)
{
    parley_msg_t   back;
    parley_json_t  doc;

    if (parley_moq_is_surely_valid(e)) {
        ret->corr = e->session_id;
        ret->answerable = e->m->act == PARLEY_ACT_REQUEST;
        return 0;
    }

    if (parley_read_again(&doc, e->arena, e->m->doc->seed, ret->body, e->err)
        != 0)
    {
        return parley_moq_map_error(e);
    }

    parley_msg_init(&back, PARLEY_PROTO_MOQ, &doc);

    if (parley_moq_read(engine, e->arena, &doc, &back, e->err) != 0
        || parley_plain_msg(&back, e->err) != 0)
    {
        return parley_moq_map_error(e);
    }

    if (back.corr.len == 0 && parley_moq_identify(e->arena, &back) != 0) {
        return parley_error_memory(e->err);
    }

    ret->id = back.id;
    ret->corr = back.corr;
    ret->answerable = back.act == PARLEY_ACT_REQUEST;

    return parley_moq_compare(e, &back);
}


/*
 * Replaces a pointer into the new command by one into the caller's message: the
 * member of a command that another protocol carries, or the payload.
 */

static int
parley_moq_map_error(parley_moq_encode_t *e)
{
    char                 pointer[2 * PARLEY_POINTER_MAX];
    parley_at_t          at;
    const char          *field;
    parley_str_t         name;
    parley_json_ref_t    member;
    const parley_msg_t  *m;

    m = e->m;
    at = parley_at(m, PARLEY_MSG_DATA);
    field = e->err->field;

    name = parley_str_until(parley_str_c(field + (field[0] == '/')), '/');
    member = parley_embed_find(m, name);

    if (parley_str_is(name, "payload")) {
        field += sizeof("/payload") - 1;

    } else if (m->origin == PARLEY_PROTO_MOQ && member.doc == m->doc) {
        (void) parley_json_pointer(m->doc, member.node, at.pointer,
                                   sizeof(at.pointer));
        field += 1 + name.len;

    } else {
        field = "";
    }

    (void) snprintf(pointer, sizeof(pointer), "%s%s", at.pointer, field);

    return parley_embed_unsaid(pointer, "as a command", e->err);
}


/*
 * Reports differences as loss.  A command that carries the message loses only
 * the members that its own protocol does not list.  For a native command, the
 * session has the names, the id and the time.
 */

static int
parley_moq_compare(parley_moq_encode_t *e, const parley_msg_t *back)
{
    const parley_msg_t    *m;
    const parley_codec_t  *wire;

    m = e->m;
    wire = parley_codecs[m->wire];

    if (m->origin != PARLEY_PROTO_MOQ) {
        return parley_moq_compare_embedded(e, back);
    }

    if (m->act != PARLEY_ACT_REQUEST && back->act == PARLEY_ACT_REQUEST) {
        return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(m, PARLEY_MSG_FORM).pointer,
                                "a command without a status is a request");
    }

    if (m->act != back->act) {
        parley_loss_at(e->loss, m, PARLEY_MSG_FORM);
    }

    if (m->priority != back->priority) {
        parley_loss_at(e->loss, m, PARLEY_MSG_PRIORITY);
    }

    if (m->timeout_ms >= 0) {
        parley_loss_at(e->loss, m, PARLEY_MSG_TIMEOUT);
    }

    wire->unmapped(m, e->loss);

    if (e->opts->answering != NULL) {
        return 0;
    }

    if (!parley_embed_is_id(m->corr, back->corr)
        && !parley_engine_correlates(m, back->corr)
        && !(back->corr.len == 0 && parley_str_eq(m->corr, m->id)))
    {
        parley_loss_at(e->loss, m, PARLEY_MSG_CORR);
    }

    if (!parley_embed_is_id(m->reply_to, back->reply_to)) {
        parley_loss_at(e->loss, m, PARLEY_MSG_REPLY_TO);
    }

    return 0;
}


/*
 * Checks that a reader finds the embedded message.  Members of the carrier that
 * do not belong to the message are lost.
 */

static int
parley_moq_compare_embedded(parley_moq_encode_t *e, const parley_msg_t *back)
{
    const parley_msg_t  *m;

    m = e->m;

    if (back->origin != m->origin || back->act != m->act) {
        return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(m, PARLEY_MSG_FORM).pointer,
                                "a command cannot carry this message");
    }

    if (m->origin != m->wire) {
        parley_codecs[m->wire]->unmapped(m, e->loss);
    }

    return 0;
}
