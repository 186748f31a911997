/*
 * Fits a payload of the other version.  A valid payload is unchanged.
 * Otherwise optional parts are omitted and reported: members that the schema of
 * 2.0 does not name, and values of a personal state that the target cannot
 * express.  A text that is too long loses its end.  Anything else that the
 * target cannot express is refused when the new message is read back: a scope
 * never becomes wider, and a constraint never changes.
 *
 *   2.0  {"personal_state": {"energy": 7, "mood": "calm"}}
 *   1.2  {"personal_state": {"energy": 7}}, /payload/personal_state/mood
 */

#include "translate/vcp/parley_vcp.h"
#include "core/parley_id.h"
#include "translate/parley_msg_field.h"


/* known members of an object; an empty row ends a table */
typedef struct parley_vcp_known_s  parley_vcp_known_t;

struct parley_vcp_known_s {
    parley_atom_t              name;
    unsigned                   number:1;    /* number of a personal state */
    unsigned                   whole:1;     /* 1.2 has either all of the members
                                               or not the object: a partial
                                               object must not be made */
    const parley_vcp_known_t  *members;     /* of an object, or of each object
                                               in an array */
};


static int parley_vcp_fit_ack(const parley_vcp_encode_t *e,
    parley_str_t *ret_id);
static void parley_vcp_fit_member(parley_vcp_encode_t *e,
    parley_json_ref_t value, parley_str_t id);
static void parley_vcp_fit_text(parley_vcp_encode_t *e,
    parley_json_ref_t value, size_t max, parley_str_t id);
static void parley_vcp_fit_value(parley_vcp_encode_t *e,
    parley_json_ref_t value, const parley_vcp_known_t *known);
static int parley_vcp_can_express(const parley_vcp_encode_t *e,
    parley_json_ref_t value, const parley_vcp_known_t *known);
static const parley_vcp_known_t *parley_vcp_known(
    const parley_vcp_known_t *known, parley_atom_t name);


static const parley_vcp_known_t  parley_vcp_emotional[] = {
    { PARLEY_ATOM_valence, 1, 0, NULL },
    { PARLEY_ATOM_arousal, 1, 0, NULL },
    { PARLEY_ATOM_NONE, 0, 0, NULL }
};

static const parley_vcp_known_t  parley_vcp_body[] = {
    { PARLEY_ATOM_pain, 1, 0, NULL },
    { PARLEY_ATOM_comfort, 1, 0, NULL },
    { PARLEY_ATOM_NONE, 0, 0, NULL }
};

static const parley_vcp_known_t  parley_vcp_state[] = {
    { PARLEY_ATOM_cognitive, 1, 0, NULL },
    { PARLEY_ATOM_emotional, 0, 1, parley_vcp_emotional },
    { PARLEY_ATOM_energy, 1, 0, NULL },
    { PARLEY_ATOM_urgency, 1, 0, NULL },
    { PARLEY_ATOM_body, 0, 0, parley_vcp_body },
    { PARLEY_ATOM_NONE, 0, 0, NULL }
};

/* 1.2 refuses audiences, which narrow the scope in 2.0 */
static const parley_vcp_known_t  parley_vcp_scope[] = {
    { PARLEY_ATOM_model_families, 0, 0, NULL },
    { PARLEY_ATOM_purposes, 0, 0, NULL },
    { PARLEY_ATOM_environments, 0, 0, NULL },
    { PARLEY_ATOM_audiences, 0, 0, NULL },
    { PARLEY_ATOM_NONE, 0, 0, NULL }
};

static const parley_vcp_known_t  parley_vcp_constraint[] = {
    { PARLEY_ATOM_type, 0, 0, NULL },
    { PARLEY_ATOM_value, 0, 0, NULL },
    { PARLEY_ATOM_source_constitution_ref, 0, 0, NULL },
    { PARLEY_ATOM_NONE, 0, 0, NULL }
};

/* objects in payloads */
static const parley_vcp_known_t  parley_vcp_objects[] = {
    { PARLEY_ATOM_personal_state, 0, 0, parley_vcp_state },
    { PARLEY_ATOM_scope, 0, 0, parley_vcp_scope },
    { PARLEY_ATOM_constraints, 0, 0, parley_vcp_constraint },
    { PARLEY_ATOM_NONE, 0, 0, NULL }
};


int
parley_vcp_fit(parley_vcp_encode_t *e)
{
    int                   comma;
    uint32_t              k;
    parley_str_t          id;
    parley_json_ref_t     value;
    const parley_msg_t   *m;
    const parley_json_t  *doc;

    m = e->m;
    doc = m->data.doc;

    if (parley_vcp_fit_ack(e, &id) != 0) {
        return -1;
    }

    if (id.len == 0 && !m->carried && m->data.node != PARLEY_JSON_NONE
        && parley_validate_part(e->engine, e->dialect->proto, e->type,
                                m->data, NULL)
           == 0)
    {
        e->whole = 1;
        return 0;
    }

    comma = 0;
    value.doc = doc;

    parley_buf_octet(&e->payload, '{');

    for (k = m->data.node != PARLEY_JSON_NONE
             ? parley_json_first(m->data.node) : PARLEY_JSON_NONE;
         k != PARLEY_JSON_NONE && k != parley_json_end(doc, m->data.node);
         k = parley_json_after(doc, k + 1))
    {
        if (!parley_msg_is_payload(m, k)) {
            continue;
        }

        if (comma++) {
            parley_buf_octet(&e->payload, ',');
        }

        parley_buf_str(&e->payload, parley_json_raw(doc, k));
        parley_buf_octet(&e->payload, ':');

        value.node = k + 1;
        parley_vcp_fit_member(e, value, id);
    }

    parley_buf_octet(&e->payload, '}');

    return 0;
}


/*
 * Finds the id that an acknowledgment must name in the target, if it differs.
 * The answered message is known, and its id depends on the version.  Returns 0;
 * -1 if memory is exhausted, or if the target cannot express the id.
 */

static int
parley_vcp_fit_ack(const parley_vcp_encode_t *e, parley_str_t *ret_id)
{
    uint32_t             reason;
    parley_str_t         text, id;
    const parley_msg_t  *m, *asked;

    *ret_id = parley_str_none;

    m = e->m;
    asked = e->opts->answering;

    if (m->act != PARLEY_ACT_REPLY || e->type != PARLEY_VCP_ESCALATION) {
        return 0;
    }

    reason = parley_json_member(m->data.doc, m->data.node,
                                PARLEY_ATOM_reason);

    if (parley_msg_string(m->data.doc, reason, &text) != 0) {
        return parley_error_memory(e->err);
    }

    id = parley_vcp_ack_id(parley_vcp_dialect(m->origin), text);

    if (asked != NULL && e->dialect->is_id(asked->id)) {

        if (!parley_str_eq(id, asked->id)) {
            *ret_id = asked->id;
        }

        return 0;
    }

    return e->dialect->is_id(id)
           ? 0
           : parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                              parley_at(m, PARLEY_MSG_REPLY_TO).pointer,
                              "the acknowledged escalation has another id in "
                              "VCP %s",
                              (const char *) e->dialect->version.data);
}


static void
parley_vcp_fit_member(parley_vcp_encode_t *e, parley_json_ref_t value,
    parley_str_t id)
{
    parley_atom_t              name;
    const parley_vcp_known_t  *known;

    name = parley_json_atom(value.doc, value.node - 1);

    if (name == PARLEY_ATOM_reason) {
        parley_vcp_fit_text(e, value, e->dialect->reason_max, id);
        return;
    }

    if (name == PARLEY_ATOM_blocked_action) {
        parley_vcp_fit_text(e, value, e->dialect->action_max,
                            parley_str_none);
        return;
    }

    known = parley_vcp_known(parley_vcp_objects, name);

    if (known == NULL) {
        parley_buf_value(&e->payload, value);
        return;
    }

    parley_vcp_fit_value(e, value, known->members);
}


/* Writes a text with a limit, with id in place of the acknowledged id. */

static void
parley_vcp_fit_text(parley_vcp_encode_t *e, parley_json_ref_t value,
    size_t max, parley_str_t id)
{
    parley_str_t  text;

    if ((max == 0 && id.len == 0)
        || parley_json_type(value.doc, value.node) != PARLEY_JSON_STRING
        || parley_msg_string(value.doc, value.node, &text) != 0)
    {
        parley_buf_value(&e->payload, value);
        return;
    }

    if (max == 0) {
        max = text.len;
    }

    parley_buf_octet(&e->payload, '"');

    if (id.len > 0) {
        parley_buf_lit(&e->payload, "ACK:");
        parley_buf_str(&e->payload, id);

        text = parley_str_from(text, sizeof("ACK:") - 1 + id.len);
        max -= max < PARLEY_UUID_LEN + sizeof("ACK:") - 1
               ? max : PARLEY_UUID_LEN + sizeof("ACK:") - 1;
    }

    (void) parley_vcp_reason(e, text, value.node, max);

    parley_buf_octet(&e->payload, '"');
}


static void
parley_vcp_fit_value(parley_vcp_encode_t *e, parley_json_ref_t value,
    const parley_vcp_known_t *known)
{
    int                        comma;
    uint32_t                   k, end;
    parley_json_ref_t          member;
    parley_json_type_t         type;
    const parley_json_t       *doc;
    const parley_vcp_known_t  *row;

    doc = value.doc;
    member.doc = doc;
    type = parley_json_type(doc, value.node);

    if (type != PARLEY_JSON_OBJECT && type != PARLEY_JSON_ARRAY) {
        parley_buf_value(&e->payload, value);
        return;
    }

    comma = 0;
    end = parley_json_end(doc, value.node);

    parley_buf_octet(&e->payload, type == PARLEY_JSON_OBJECT ? '{' : '[');

    for (k = parley_json_first(value.node); k != end;
         k = parley_json_after(doc, member.node))
    {
        member.node = type == PARLEY_JSON_OBJECT ? k + 1 : k;
        row = type == PARLEY_JSON_OBJECT
              ? parley_vcp_known(known, parley_json_atom(doc, k)) : NULL;

        if (type == PARLEY_JSON_OBJECT
            && (row == NULL ? !e->dialect->open
                            : !parley_vcp_can_express(e, member, row)))
        {
            parley_loss_value(e->loss, member);
            continue;
        }

        if (comma++) {
            parley_buf_octet(&e->payload, ',');
        }

        if (type == PARLEY_JSON_ARRAY) {
            parley_vcp_fit_value(e, member, known);
            continue;
        }

        parley_buf_str(&e->payload, parley_json_raw(doc, k));
        parley_buf_octet(&e->payload, ':');

        if (row != NULL && row->members != NULL) {
            parley_vcp_fit_value(e, member, row->members);

        } else {
            parley_buf_value(&e->payload, member);
        }
    }

    parley_buf_octet(&e->payload, type == PARLEY_JSON_OBJECT ? '}' : ']');
}


/*
 * Returns whether the target can express an optional value.  If known->whole is
 * set, this must apply to each of its members.
 */

static int
parley_vcp_can_express(const parley_vcp_encode_t *e, parley_json_ref_t value,
    const parley_vcp_known_t *known)
{
    int64_t                    n;
    parley_json_ref_t          member;
    const parley_vcp_known_t  *row;

    if (known->number) {
        return !e->dialect->integers
               || parley_json_type(value.doc, value.node)
                  != PARLEY_JSON_NUMBER
               || parley_json_integer(value.doc, value.node, &n) == 0;
    }

    if (!known->whole
        || parley_json_type(value.doc, value.node) != PARLEY_JSON_OBJECT)
    {
        return 1;
    }

    member.doc = value.doc;

    for (row = known->members; row->name != PARLEY_ATOM_NONE; row++) {
        member.node = parley_json_member(value.doc, value.node, row->name);

        if (member.node == PARLEY_JSON_NONE
            ? !e->dialect->open : !parley_vcp_can_express(e, member, row))
        {
            return 0;
        }
    }

    return 1;
}


static const parley_vcp_known_t *
parley_vcp_known(const parley_vcp_known_t *known, parley_atom_t name)
{
    for ( /* void */ ; known->name != PARLEY_ATOM_NONE; known++) {
        if (known->name == name) {
            return known;
        }
    }

    return NULL;
}
