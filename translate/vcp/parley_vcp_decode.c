#include "translate/vcp/parley_vcp.h"
#include "translate/parley_severity_word.h"
#include "core/parley_time.h"


static int parley_vcp_version(const parley_vcp_dialect_t *dialect,
    const parley_json_t *doc, uint32_t value, parley_error_t *err);
static uint32_t parley_vcp_scan(const parley_json_t *doc,
    uint32_t fields[PARLEY_VCP_FIELDS]);
static int parley_vcp_members(parley_arena_t *arena, parley_msg_t *msg,
    uint32_t n);
static int parley_vcp_fill_peek(parley_msg_t *msg, const uint32_t *fields);
static int parley_vcp_fill(parley_msg_t *msg, const uint32_t *fields);
static int parley_vcp_fill_payload(parley_vcp_type_t type,
    parley_msg_t *msg, int aloud);
static int parley_vcp_fill_escalation(parley_msg_t *msg, int aloud);
static int parley_vcp_fill_severity(parley_msg_t *msg);
static int parley_vcp_fill_sig(parley_msg_t *msg, uint32_t value);


/* priority and deadline of the acknowledgment, by severity */
static const struct {
    parley_priority_t  priority;
    int64_t            timeout_ms;
} parley_vcp_rows[] = {
    [PARLEY_SEVERITY_NONE] = { PARLEY_PRIORITY_NORMAL, -1 },
    [PARLEY_SEVERITY_INFO] = { PARLEY_PRIORITY_LOW, -1 },
    [PARLEY_SEVERITY_WARNING] = { PARLEY_PRIORITY_NORMAL, -1 },
    [PARLEY_SEVERITY_CRITICAL] = { PARLEY_PRIORITY_HIGH, PARLEY_VCP_ACK_MS },
    [PARLEY_SEVERITY_EMERGENCY] = { PARLEY_PRIORITY_URGENT, PARLEY_VCP_ACK_MS },
};


int
parley_vcp_decode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, int mve5, parley_msg_t *msg,
    parley_error_t *err)
{
    uint32_t                     others, fields[PARLEY_VCP_FIELDS];
    const parley_vcp_dialect_t  *dialect;

    (void) mve5;

    dialect = parley_vcp_dialect(msg->wire);

    others = parley_vcp_scan(doc, fields);

    if (parley_vcp_fill_peek(msg, fields) != 0) {
        return parley_error_memory(err);
    }

    if (parley_vcp_version(dialect, doc, fields[PARLEY_VCP_MESSAGE], err) != 0
        || parley_validate(engine, dialect->proto, doc, err) != 0)
    {
        return -1;
    }

    if (parley_vcp_fill(msg, fields) != 0
        || (others > 0 && parley_vcp_members(arena, msg, others) != 0))
    {
        return parley_error_memory(err);
    }

    return 0;
}


static int
parley_vcp_version(const parley_vcp_dialect_t *dialect,
    const parley_json_t *doc, uint32_t value, parley_error_t *err)
{
    if (value == PARLEY_JSON_NONE
        || parley_json_string_is(doc, value, dialect->version))
    {
        return 0;
    }

    return parley_error_set(err, PARLEY_E_ENVELOPE_VERSION_UNSUPPORTED,
                            "/vcp_message", "/vcp_message must be the string "
                            "\"%s\"", (const char *) dialect->version.data);
}


int
parley_vcp_peek(parley_msg_t *msg)
{
    uint32_t  fields[PARLEY_VCP_FIELDS];

    (void) parley_vcp_scan(msg->doc, fields);

    return parley_vcp_fill_peek(msg, fields);
}


/*
 * Finds the values of the envelope's members, or PARLEY_JSON_NONE.  Returns the
 * number of other members.
 */

static uint32_t
parley_vcp_scan(const parley_json_t *doc, uint32_t fields[PARLEY_VCP_FIELDS])
{
    unsigned            i;
    uint32_t            k, others;
    parley_vcp_field_t  field;

    for (i = 0; i < PARLEY_VCP_FIELDS; i++) {
        fields[i] = PARLEY_JSON_NONE;
    }

    others = 0;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return 0;
    }

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        field = parley_vcp_field(doc, k);

        if (field != PARLEY_VCP_FIELDS) {
            fields[field] = k + 1;

        } else {
            others++;
        }
    }

    return others;
}


/* Collects the other members of an open envelope.  The schema allowed them. */

static int
parley_vcp_members(parley_arena_t *arena, parley_msg_t *msg, uint32_t n)
{
    uint32_t              k;
    parley_member_t      *member;
    const parley_json_t  *doc;

    doc = msg->doc;

    msg->members = parley_arena_alloc(arena, n * sizeof(parley_member_t));
    if (msg->members == NULL) {
        return -1;
    }

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        if (parley_vcp_field(doc, k) != PARLEY_VCP_FIELDS) {
            continue;
        }

        member = &msg->members[msg->nmembers++];

        member->value.doc = doc;
        member->value.node = k + 1;

        if (parley_json_string(doc, k, &member->name) != 0) {
            return -1;
        }
    }

    return 0;
}


static int
parley_vcp_fill_peek(parley_msg_t *msg, const uint32_t *fields)
{
    parley_str_t          name;
    parley_vcp_type_t     type;
    const parley_json_t  *doc;

    doc = msg->doc;

    if (parley_msg_string(doc, fields[PARLEY_VCP_MESSAGE_ID], &msg->id) != 0
        || parley_msg_string(doc, fields[PARLEY_VCP_SENDER], &msg->sender)
           != 0
        || parley_msg_string(doc, fields[PARLEY_VCP_RECIPIENT],
                             &msg->recipient)
           != 0
        || parley_msg_string(doc, fields[PARLEY_VCP_TYPE], &name) != 0)
    {
        return -1;
    }

    msg->corr = msg->id;

    type = parley_vcp_type_find(name);

    if (type != PARLEY_VCP_TYPES) {
        msg->form = parley_vcp_type_name(type);
        msg->intent = parley_vcp_type_intent(type);
    }

    return 0;
}


static int
parley_vcp_fill(parley_msg_t *msg, const uint32_t *fields)
{
    const parley_json_t  *doc;

    doc = msg->doc;

    if (parley_msg_string(doc, fields[PARLEY_VCP_TIMESTAMP], &msg->created)
        != 0)
    {
        return -1;
    }

    (void) parley_time_parse(msg->created, &msg->created_ms);

    msg->data.doc = doc;
    msg->data.node = fields[PARLEY_VCP_PAYLOAD];

    if (parley_vcp_says(msg) != 0) {
        return -1;
    }

    return parley_vcp_fill_sig(msg, fields[PARLEY_VCP_SIGNATURE]);
}


int
parley_vcp_says(parley_msg_t *msg)
{
    return parley_vcp_fill_payload(parley_vcp_type_find(msg->form), msg, 1);
}


int
parley_vcp_means(parley_vcp_type_t type, parley_msg_t *msg)
{
    return parley_vcp_fill_payload(type, msg, 0);
}


static int
parley_vcp_fill_payload(parley_vcp_type_t type, parley_msg_t *msg, int aloud)
{
    switch (type) {

    case PARLEY_VCP_CONTEXT_SHARE:
        msg->notice = PARLEY_NOTICE_OFFER;

        if (!aloud) {
            return 0;
        }

        msg->said[0] = parley_json_member(msg->data.doc, msg->data.node,
                                          PARLEY_ATOM_context);

        return parley_msg_string(msg->data.doc, msg->said[0], &msg->text);

    case PARLEY_VCP_CONSTITUTION_ANNOUNCE:
        msg->notice = PARLEY_NOTICE_OFFER;
        return 0;

    case PARLEY_VCP_CONSTRAINT_PROPAGATE:
        msg->act = PARLEY_ACT_REQUEST;
        msg->priority = PARLEY_PRIORITY_HIGH;
        msg->notice = PARLEY_NOTICE_ORDER;
        return 0;

    case PARLEY_VCP_ESCALATION:
        return parley_vcp_fill_escalation(msg, aloud);

    default:
        return 0;
    }
}


static int
parley_vcp_fill_escalation(parley_msg_t *msg, int aloud)
{
    int                   asked;
    uint32_t              value;
    parley_str_t          ack;
    const parley_json_t  *doc;

    doc = msg->data.doc;

    if (parley_vcp_fill_severity(msg) != 0) {
        return -1;
    }

    value = parley_json_member(doc, msg->data.node, PARLEY_ATOM_requires_ack);

    asked = value != PARLEY_JSON_NONE
            && parley_json_type(doc, value) == PARLEY_JSON_TRUE;

    if (aloud || !asked) {
        msg->said[0] = parley_json_member(doc, msg->data.node,
                                          PARLEY_ATOM_reason);

        if (parley_msg_string(doc, msg->said[0], &msg->text) != 0) {
            return -1;
        }
    }

    if (asked) {
        msg->act = PARLEY_ACT_REQUEST;
        msg->approval = PARLEY_APPROVAL_ANYBODY;
        msg->timeout_ms = parley_vcp_rows[msg->alarm].timeout_ms;

        if (parley_severity_escalates(msg->alarm)) {
            msg->notice = PARLEY_NOTICE_NOW;
        }

        return 0;
    }

    ack = parley_vcp_ack_id(parley_vcp_dialect(msg->origin), msg->text);

    if (ack.len > 0) {
        msg->act = PARLEY_ACT_REPLY;
        msg->reply_to = ack;
        msg->corr = ack;

    } else if (msg->alarm == PARLEY_SEVERITY_INFO) {
        msg->notice = PARLEY_NOTICE_RECORD;
    }

    return 0;
}


static int
parley_vcp_fill_severity(parley_msg_t *msg)
{
    uint32_t              value;
    parley_str_t          word;
    const parley_json_t  *doc;

    doc = msg->data.doc;

    value = parley_json_member(doc, msg->data.node, PARLEY_ATOM_severity);

    if (parley_msg_string(doc, value, &word) != 0) {
        return -1;
    }

    msg->alarm = parley_severity_find(word);
    msg->priority = parley_vcp_rows[msg->alarm].priority;

    return 0;
}


/* Reads a signature: "base64:...", always Ed25519 (section 7.2). */

static int
parley_vcp_fill_sig(parley_msg_t *msg, uint32_t value)
{
    parley_str_t  text;

    if (value == PARLEY_JSON_NONE) {
        return 0;
    }

    msg->sig.present = 1;

    if (parley_msg_string(msg->doc, value, &text) != 0) {
        return -1;
    }

    if (!parley_str_begins(text, "base64:")) {
        msg->sig.opaque = 1;
        return 0;
    }

    msg->sig.alg = PARLEY_STR("ed25519");
    msg->sig.value = parley_str_from(text, sizeof("base64:") - 1);

    return 0;
}
