/*
 * Writes escalations for messages with the same meaning in other protocols:
 * failures, requests that report a problem, and replies to escalations, which
 * become acknowledgments (section 6.2).
 */

#include "translate/vcp/parley_vcp.h"
#include "translate/parley_name.h"
#include "translate/parley_msg_field.h"
#include "translate/parley_severity_word.h"

#include <stdio.h>


static int parley_vcp_answers_child(const parley_vcp_encode_t *e);
static size_t parley_vcp_room(const parley_vcp_encode_t *e);
static parley_severity_t parley_vcp_severity_of(const parley_vcp_encode_t *e);
static int parley_vcp_context(parley_vcp_encode_t *e);
static int parley_vcp_misbound(const parley_vcp_encode_t *e,
    const char *member, const char *text);
static int parley_vcp_is_asked(const parley_vcp_encode_t *e);
static parley_severity_t parley_vcp_ack_severity(const parley_vcp_encode_t *e);


/* severity by priority, if the message has no severity */
static const parley_severity_t  parley_vcp_alarms[] = {
    [PARLEY_PRIORITY_LOW] = PARLEY_SEVERITY_INFO,
    [PARLEY_PRIORITY_NORMAL] = PARLEY_SEVERITY_WARNING,
    [PARLEY_PRIORITY_HIGH] = PARLEY_SEVERITY_CRITICAL,
    [PARLEY_PRIORITY_URGENT] = PARLEY_SEVERITY_EMERGENCY,
};


int
parley_vcp_escalate(parley_vcp_encode_t *e)
{
    char                 pointer[2 * PARLEY_POINTER_MAX];
    size_t               room;
    parley_buf_t        *b;
    parley_severity_t    alarm;
    const parley_msg_t  *m;

    b = &e->payload;
    m = e->m;
    alarm = parley_vcp_severity_of(e);

    e->type = PARLEY_VCP_ESCALATION;
    e->made = 1;

    if (e->opts->above != NULL
        && e->opts->above(e->opts->resolve_ctx, m->wire, m->sender,
                          m->recipient)
           < 0)
    {
        if (parley_vcp_answers_child(e)) {
            return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                    parley_at(m, PARLEY_MSG_FORM).pointer,
                                    "VCP has no form for a parent's refusal to "
                                    "its child");
        }

        return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(m, PARLEY_MSG_RECIPIENT).pointer,
                                "an escalation must go to the sender's own "
                                "parent");
    }

    if (m->code.len == 0 && m->text.len == 0) {
        (void) snprintf(pointer, sizeof(pointer), "%s/message",
                        parley_at(m, PARLEY_MSG_DATA).pointer);

        return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                pointer, "an escalation must give a reason");
    }

    parley_buf_lit(b, "{\"severity\":\"");
    parley_buf_str(b, parley_severity_name(alarm));
    parley_buf_lit(b, "\",\"reason\":\"");

    room = parley_vcp_room(e);

    if (m->code.len > 0) {
        room = parley_vcp_reason(e, m->code, m->said[1], room);

        if (m->text.len > 0) {
            room = parley_vcp_reason(e, PARLEY_STR(": "), m->said[0],
                                     room);
        }
    }

    (void) parley_vcp_reason(e, m->text, m->said[0], room);

    parley_buf_octet(b, '"');

    if (parley_vcp_context(e) != 0) {
        return -1;
    }

    /* VCP-12 */

    if (parley_severity_escalates(alarm)) {
        parley_buf_lit(b, ",\"requires_ack\":true}");

    } else {
        parley_buf_lit(b, ",\"requires_ack\":false}");
    }

    return 0;
}


int
parley_vcp_warning(parley_arena_t *arena, parley_str_t reason,
    parley_str_t context, parley_own_event_t *ret)
{
    parley_buf_t  b;

    ret->intent = PARLEY_STR("vcp.escalation");

    parley_buf_init(&b, arena, reason.len + context.len + 128);

    parley_buf_lit(&b, "{\"severity\":");
    parley_buf_json_string(&b, parley_severity_name(PARLEY_SEVERITY_WARNING));
    parley_buf_lit(&b, ",\"reason\":");
    parley_buf_json_string(&b, reason);
    parley_buf_lit(&b, ",\"context\":");
    parley_buf_json_string(&b, context);
    parley_buf_lit(&b, ",\"requires_ack\":false}");

    return parley_buf_done(&b, &ret->payload);
}


/*
 * Returns whether m is a failure that answers a child: its escalation, or
 * another message to its parent.
 */

static int
parley_vcp_answers_child(const parley_vcp_encode_t *e)
{
    const parley_msg_t  *m, *asked;

    m = e->m;
    asked = e->opts->answering;

    return m->act == PARLEY_ACT_FAILURE
           && ((asked != NULL && asked->alarm != PARLEY_SEVERITY_NONE)
               || e->opts->above(e->opts->resolve_ctx, m->wire, m->recipient,
                                 m->sender)
                  > 0);
}


/*
 * Returns the maximum characters of a new reason.  2.0 has no limit of its own.
 */

static size_t
parley_vcp_room(const parley_vcp_encode_t *e)
{
    return e->dialect->reason_max > 0 ? e->dialect->reason_max
                                      : PARLEY_VCP_REASON_MAX;
}


/*
 * Returns the severity; for a failure, that of its code by the operator's
 * settings (section 4.4).
 */

static parley_severity_t
parley_vcp_severity_of(const parley_vcp_encode_t *e)
{
    parley_severity_t  alarm;

    if (e->m->act == PARLEY_ACT_FAILURE) {
        alarm = parley_severity_word_of(e->opts->severities,
                                        e->opts->nseverities, e->m->code);

        if (alarm != PARLEY_SEVERITY_NONE) {
            return alarm;
        }
    }

    return e->m->alarm;
}


int
parley_vcp_acknowledge(parley_vcp_encode_t *e)
{
    size_t               room;
    parley_buf_t        *b;
    parley_str_t         id;
    const parley_msg_t  *m;

    b = &e->payload;
    m = e->m;

    e->type = PARLEY_VCP_ESCALATION;
    e->made = 1;

    id = e->opts->answering ? e->opts->answering->id : m->reply_to;

    parley_buf_lit(b, "{\"severity\":\"");
    parley_buf_str(b, parley_severity_name(parley_vcp_ack_severity(e)));
    parley_buf_lit(b, "\",\"reason\":\"ACK:");
    parley_buf_str(b, id);

    room = parley_vcp_room(e) - (sizeof("ACK:") - 1) - id.len;

    if (m->text.len > 0) {
        room = parley_vcp_reason(e, PARLEY_STR(" "), m->said[0], room);
        (void) parley_vcp_reason(e, m->text, m->said[0], room);
    }

    parley_buf_octet(b, '"');

    if (parley_vcp_context(e) != 0) {
        return -1;
    }

    parley_buf_lit(b, ",\"requires_ack\":false}");

    return 0;
}


/*
 * An acknowledgment is a reply to one escalation, from the recipient of that
 * escalation (VCP-25, SEC-08).  This also applies to an acknowledgment that a
 * payload contains.
 */

int
parley_vcp_is_bound(parley_vcp_encode_t *e, const parley_msg_t *back)
{
    const parley_msg_t  *asked;

    asked = e->opts->answering;

    if (e->m->act != PARLEY_ACT_REPLY) {
        return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(e->m, PARLEY_MSG_FORM).pointer,
                                "an acknowledgment must be a reply");
    }

    if (asked == NULL) {
        return 0;
    }

    /* An id of another form was replaced in VCP. */

    if (e->dialect->is_id(asked->id)
        && !parley_str_eq(back->reply_to, asked->id))
    {
        return parley_vcp_misbound(e, "reason",
                                   "the acknowledgment must name the answered "
                                   "message");
    }

    if (asked->alarm != PARLEY_SEVERITY_NONE && back->alarm != asked->alarm) {
        return parley_vcp_misbound(e, "severity",
                                   "an acknowledgment must have the severity "
                                   "of its escalation");
    }

    return parley_vcp_is_asked(e);
}


static int
parley_vcp_misbound(const parley_vcp_encode_t *e, const char *member,
    const char *text)
{
    char  pointer[2 * PARLEY_POINTER_MAX];

    (void) snprintf(pointer, sizeof(pointer), "%s/%s",
                    parley_at(e->m, PARLEY_MSG_DATA).pointer, member);

    return parley_error_set(e->err, PARLEY_E_FIELD_INVALID, pointer, "%s",
                            text);
}


/*
 * Checks that the parent that received the escalation acknowledges it (SEC-06,
 * VCP section 6.2).  If the parent is a human, no session of an instrument may
 * do so.
 */

static int
parley_vcp_is_asked(const parley_vcp_encode_t *e)
{
    parley_str_t         sender, own;
    parley_msg_t         plain;
    const parley_msg_t  *m, *asked;

    m = e->m;
    asked = e->opts->answering;

    if (m->author.len == 0 || asked == NULL
        || asked->wire != e->dialect->proto)
    {
        return 0;
    }

    plain = *m;
    plain.author = parley_str_none;

    if (parley_name_translate(e->arena, e->opts, m, m->sender,
                              PARLEY_MSG_SENDER, e->dialect->proto, &sender,
                              e->err)
        != 0
        || parley_name_translate(e->arena, e->opts, &plain, m->sender,
                                 PARLEY_MSG_SENDER, e->dialect->proto, &own,
                                 e->err)
           != 0)
    {
        return -1;
    }

    return parley_str_eq(sender, own)
           || !parley_str_eq(own, asked->recipient) ? 0
           : parley_msg_misrefers(m, PARLEY_E_REPLY_UNMATCHED,
                                  "an acknowledgment must come from the "
                                  "addressed parent itself", e->err);
}


/*
 * Returns the severity of the escalation (VCP-25), or, if that is unknown, one
 * by the priority.
 */

static parley_severity_t
parley_vcp_ack_severity(const parley_vcp_encode_t *e)
{
    const parley_msg_t  *answering;

    answering = e->opts->answering;

    if (answering != NULL && answering->alarm != PARLEY_SEVERITY_NONE) {
        return answering->alarm;
    }

    return parley_vcp_alarms[e->m->priority];
}


/* Writes the message's own context, or the configured one. */

static int
parley_vcp_context(parley_vcp_encode_t *e)
{
    char                  pointer[2 * PARLEY_POINTER_MAX];
    parley_json_ref_t     context;
    const parley_msg_t   *m;

    m = e->m;

    parley_buf_lit(&e->payload, ",\"context\":");

    if (m->data.node != PARLEY_JSON_NONE) {
        context.doc = m->data.doc;
        context.node = parley_json_member(context.doc, m->data.node,
                                          PARLEY_ATOM_context);

        if (context.node != PARLEY_JSON_NONE
            && parley_json_type(context.doc, context.node)
               == PARLEY_JSON_STRING
            && parley_json_node(context.doc, context.node)->count > 0)
        {
            e->context = 1;
            parley_buf_value(&e->payload, context);
            return 0;
        }
    }

    if (e->opts->context.len > 0) {
        parley_buf_json_string(&e->payload, e->opts->context);
        return 0;
    }

    (void) snprintf(pointer, sizeof(pointer), "%s/context",
                    parley_at(m, PARLEY_MSG_DATA).pointer);

    return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED, pointer,
                            "an escalation needs a context, and "
                            "parley_vcp_context gives none");
}


size_t
parley_vcp_reason(parley_vcp_encode_t *e, parley_str_t text, uint32_t value,
    size_t room)
{
    size_t             i;
    parley_json_ref_t  lost;

    for (i = 0; i < text.len; i++) {
        if ((text.data[i] & 0xC0) == 0x80) {
            continue;
        }

        if (room == 0) {
            break;
        }

        room--;
    }

    if (i < text.len && value != PARLEY_JSON_NONE) {
        lost.doc = e->m->data.doc;
        lost.node = value;

        parley_loss_value(e->loss, lost);
    }

    parley_buf_json_text(&e->payload, parley_str_make(text.data, i));

    return room;
}
