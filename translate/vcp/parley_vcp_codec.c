#include "translate/vcp/parley_vcp.h"
#include "translate/parley_sentence.h"
#include "translate/parley_severity_word.h"
#include "translate/parley_spelling.h"


static int parley_vcp_detect_12(const parley_json_t *doc);
static int parley_vcp_encode_12(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_msg_t *m,
    const parley_encode_opts_t *opts, parley_encoded_t *ret,
    parley_loss_t *loss, parley_error_t *err);
static int parley_vcp_answer_decode_12(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err);
static void parley_vcp_unmapped(const parley_msg_t *m, parley_loss_t *loss);
static int parley_vcp_supplies(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encode_opts_t *opts,
    parley_error_t *err);
static int parley_vcp_name_parse(const parley_name_syntax_t *syntax,
    parley_str_t s, parley_name_t *ret);
static int parley_vcp_name_format(const parley_name_syntax_t *syntax,
    parley_buf_t *b, const parley_name_t *n);
static void parley_vcp_supervises(const parley_msg_t *m,
    parley_supervision_t *ret);
static int parley_vcp_demands(const parley_msg_t *m);
static int parley_vcp_says_context(const parley_msg_t *m, parley_str_t *ret);


/* schemas of payloads, indexed by parley_vcp_type_t */
static const parley_str_t  parley_vcp_parts[PARLEY_VCP_TYPES] = {
    PARLEY_VCP_PARTS("1.2")
};


static const parley_plain_t  parley_vcp_constraint_names[] = {
    { PARLEY_ATOM_type, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_vcp_payload_names[] = {
    { PARLEY_ATOM_constraints, parley_vcp_constraint_names },
    { PARLEY_ATOM_NONE, NULL }
};

const parley_plain_t  parley_vcp_names[] = {
    { PARLEY_ATOM_message_id, NULL },
    { PARLEY_ATOM_sender, NULL },
    { PARLEY_ATOM_recipient, NULL },
    { PARLEY_ATOM_payload, parley_vcp_payload_names },
    { PARLEY_ATOM_NONE, NULL }
};

const parley_atom_t  parley_vcp_passing[][PARLEY_CODEC_PASSING_NAMES] = {
    { PARLEY_ATOM_signature }, { PARLEY_ATOM_NONE }
};


/* a group does not have a URI */
static const parley_str_t  parley_vcp_prefixes[PARLEY_NAME_KINDS] = {
    [PARLEY_NAME_AGENT] = parley_str("agent://"),
    [PARLEY_NAME_HUMAN] = parley_str("human://"),
    [PARLEY_NAME_SERVICE] = parley_str("service://"),
};

const parley_name_syntax_t  parley_vcp_syntax = {
    .parse = parley_vcp_name_parse,
    .format = parley_vcp_name_format,
    .prefixes = parley_vcp_prefixes,
    .human = 'h',
    .group = 'b',
    .peers = parley_str("broadcast"),
};


const parley_binding_t  parley_vcp_binding = {
    .methods = parley_binding_post,
    .media_type = parley_str("application/json; charset=utf-8"),
    .greeting = parley_str("vcp.context_share"),
    .single = 1,
};


const parley_codec_t  parley_vcp_codec = {
    .proto = PARLEY_PROTO_VCP,
    .schema = parley_str("urn:parley:schema:vcp-1.2"),
    .parts = parley_vcp_parts,
    .detect = parley_vcp_detect_12,
    .unmapped = parley_vcp_unmapped,
    .supplies = parley_vcp_supplies,
    .encode = parley_vcp_encode_12,
    .supervises = parley_vcp_supervises,
    .warning = parley_vcp_warning,
    .answer_decode = parley_vcp_answer_decode_12,
    PARLEY_VCP_CODEC
};


static const struct {
    parley_str_t  name;
    parley_str_t  intent;
} parley_vcp_types[PARLEY_VCP_TYPES] = {
    [PARLEY_VCP_CONTEXT_SHARE] = {
        parley_str("context_share"), parley_str("vcp.context_share")
    },
    [PARLEY_VCP_CONSTITUTION_ANNOUNCE] = {
        parley_str("constitution_announce"),
        parley_str("vcp.constitution_announce")
    },
    [PARLEY_VCP_CONSTRAINT_PROPAGATE] = {
        parley_str("constraint_propagate"),
        parley_str("vcp.constraint_propagate")
    },
    [PARLEY_VCP_ESCALATION] = {
        parley_str("escalation"), parley_str("vcp.escalation")
    },
};


/* stored as the difference from PARLEY_VCP_FIELDS: 0 for all other names */
#define PARLEY_VCP_OF(field)  (PARLEY_VCP_FIELDS - PARLEY_VCP_##field)

static const uint8_t  parley_vcp_atoms[PARLEY_ATOMS] = {
    [PARLEY_ATOM_vcp_message] = PARLEY_VCP_OF(MESSAGE),
    [PARLEY_ATOM_type] = PARLEY_VCP_OF(TYPE),
    [PARLEY_ATOM_message_id] = PARLEY_VCP_OF(MESSAGE_ID),
    [PARLEY_ATOM_sender] = PARLEY_VCP_OF(SENDER),
    [PARLEY_ATOM_recipient] = PARLEY_VCP_OF(RECIPIENT),
    [PARLEY_ATOM_timestamp] = PARLEY_VCP_OF(TIMESTAMP),
    [PARLEY_ATOM_payload] = PARLEY_VCP_OF(PAYLOAD),
    [PARLEY_ATOM_signature] = PARLEY_VCP_OF(SIGNATURE),
};


static int
parley_vcp_detect_12(const parley_json_t *doc)
{
    return parley_vcp_detect(parley_vcp_dialect(PARLEY_PROTO_VCP), doc);
}


static int
parley_vcp_encode_12(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *m, const parley_encode_opts_t *opts,
    parley_encoded_t *ret, parley_loss_t *loss, parley_error_t *err)
{
    return parley_vcp_encode(parley_vcp_dialect(PARLEY_PROTO_VCP), engine,
                             arena, m, opts, ret, loss, err);
}


static int
parley_vcp_answer_decode_12(const parley_engine_t *engine,
    parley_arena_t *arena, const parley_encoded_t *sent,
    parley_answer_t *answer, parley_error_t *err)
{
    return parley_vcp_answer_decode(parley_vcp_dialect(PARLEY_PROTO_VCP),
                                    engine, arena, sent, answer, err);
}


int
parley_vcp_spelling(const parley_json_t *doc, parley_error_t *err)
{
    return parley_spelling_check(doc, 0, parley_vcp_atoms, err);
}


parley_vcp_field_t
parley_vcp_field(const parley_json_t *doc, uint32_t name)
{
    return (parley_vcp_field_t)
           (PARLEY_VCP_FIELDS - parley_vcp_atoms[parley_json_atom(doc, name)]);
}


parley_vcp_field_t
parley_vcp_field_name(parley_str_t name)
{
    return (parley_vcp_field_t)
           (PARLEY_VCP_FIELDS - parley_vcp_atoms[parley_atom_of(name)]);
}


parley_atom_t
parley_vcp_spoken(const parley_msg_t *m)
{
    switch (parley_vcp_type_find(m->form)) {

    case PARLEY_VCP_CONTEXT_SHARE:
        return PARLEY_ATOM_context;

    case PARLEY_VCP_ESCALATION:
        return PARLEY_ATOM_reason;

    default:
        return PARLEY_ATOM_NONE;
    }
}


/* Writes the content of a message without a reason (section 5). */

int
parley_vcp_sentence(parley_buf_t *b, const parley_msg_t *m)
{
    static const parley_sentence_t  sentences[] = {
        { parley_str("constraint_propagate"), {
            { parley_str("propagates constraints: "), PARLEY_ATOM_constraints,
              0, 0 },
            { parley_str("; mode: "), PARLEY_ATOM_propagation_mode, 0,
              0 } } },
        { parley_str("constitution_announce"), {
            { parley_str("announces the constitution "),
              PARLEY_ATOM_constitution_ref, 0, 0 } } },
    };

    return parley_sentence_write(b, m, sentences,
                                 sizeof(sentences) / sizeof(sentences[0]));
}


/* Does nothing: the canonical fields contain the whole VCP envelope. */

static void
parley_vcp_unmapped(const parley_msg_t *m, parley_loss_t *loss)
{
    (void) m;
    (void) loss;
}


parley_str_t
parley_vcp_type(unsigned i)
{
    return i < PARLEY_VCP_TYPES ? parley_vcp_type_name((parley_vcp_type_t) i)
                                : parley_str_none;
}


/* Checks parley_vcp_context and parley_vcp_constitution. */

static int
parley_vcp_supplies(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_encode_opts_t *opts, parley_error_t *err)
{
    unsigned           i;
    parley_buf_t       b;
    parley_str_t       text;
    parley_json_t      doc;
    parley_str_t       given[2] = { opts->context, opts->constitution };
    parley_json_ref_t  ref;

    static const char *const  members[] = { "/context", "/constitution_ref" };

    /* Check each with a valid other one. */

    for (i = 0; i < 2; i++) {

        if (given[i].data == NULL) {
            continue;
        }

        parley_buf_init(&b, arena, 0);
        parley_buf_lit(&b, "{");
        parley_buf_member(&b, PARLEY_STR("context"),
                          i == 0 ? given[0] : PARLEY_STR("-"));
        parley_buf_member(&b, PARLEY_STR("constitution_ref"),
                          i == 1 ? given[1] : PARLEY_STR("creed://-/-"));
        parley_buf_lit(&b, "}");

        if (parley_buf_done(&b, &text) != 0) {
            return parley_error_memory(err);
        }

        ref.doc = &doc;
        ref.node = 0;

        if (parley_json_read(&doc, arena, NULL, 0, text, err) != 0
            || parley_validate_part(engine, PARLEY_PROTO_VCP,
                                    PARLEY_VCP_CONTEXT_SHARE, ref, NULL)
               != 0)
        {
            return parley_error_set(err, PARLEY_E_FIELD_INVALID, members[i],
                                    "does not fit the schema");
        }
    }

    return 0;
}



/*
 * Returns the direction: constraints go from parent to child, escalations from
 * child to parent, and their acknowledgments back (sections 4.3, 4.4, 6.2).  m
 * may be another protocol's message with such an intent.
 */

parley_direction_t
parley_vcp_direction(const parley_msg_t *m)
{
    if (parley_str_is(m->intent, "vcp.constraint_propagate")) {

        /* In AEE, an answer goes back to the sender of the constraint. */

        return m->act == PARLEY_ACT_REQUEST || m->act == PARLEY_ACT_EVENT
               ? PARLEY_DIRECTION_DOWN : PARLEY_DIRECTION_ANY;
    }

    if (!parley_str_is(m->intent, "vcp.escalation")) {
        return PARLEY_DIRECTION_ANY;
    }

    switch (m->act) {

    case PARLEY_ACT_REQUEST:
    case PARLEY_ACT_EVENT:
        return PARLEY_DIRECTION_UP;

    case PARLEY_ACT_REPLY:
        return PARLEY_DIRECTION_DOWN;

    default:
        return PARLEY_DIRECTION_ANY;
    }
}


/*
 * Fills the meaning of an escalation (section 6.3).  The severity of another
 * protocol's message is a member of its payload.
 */

static void
parley_vcp_supervises(const parley_msg_t *m, parley_supervision_t *ret)
{
    uint32_t      i;
    parley_str_t  severity;

    if (!parley_str_is(m->intent, "vcp.escalation")) {

        ret->resumes = (m->act == PARLEY_ACT_REQUEST
                        || m->act == PARLEY_ACT_EVENT)
                       && (parley_str_is(m->intent, "vcp.context_share")
                           || parley_str_is(m->intent,
                                            "vcp.constraint_propagate"));
        return;
    }

    if (m->act != PARLEY_ACT_REQUEST && m->act != PARLEY_ACT_EVENT
        && m->act != PARLEY_ACT_REPLY)
    {
        return;
    }

    ret->alarm = m->alarm;
    ret->acknowledges = m->act == PARLEY_ACT_REPLY;

    if (ret->alarm == PARLEY_SEVERITY_NONE && m->data.doc != NULL) {
        i = parley_json_member(m->data.doc, m->data.node,
                               PARLEY_ATOM_severity);

        if (i != PARLEY_JSON_NONE
            && parley_json_string(m->data.doc, i, &severity) == 0)
        {
            ret->alarm = parley_severity_find(severity);
        }
    }

    ret->asks = !ret->acknowledges && ret->alarm != PARLEY_SEVERITY_NONE
                && (parley_severity_escalates(ret->alarm)
                    || parley_vcp_demands(m));

    if (ret->alarm == PARLEY_SEVERITY_NONE
        || parley_vcp_says_context(m, &ret->context) != 0)
    {
        ret->context = parley_str_none;
    }
}


static int
parley_vcp_says_context(const parley_msg_t *m, parley_str_t *ret)
{
    uint32_t  i;

    if (m->data.doc == NULL) {
        return -1;
    }

    i = parley_json_member(m->data.doc, m->data.node, PARLEY_ATOM_context);

    return i != PARLEY_JSON_NONE
           && parley_json_type(m->data.doc, i) == PARLEY_JSON_STRING
           ? parley_msg_string(m->data.doc, i, ret) : -1;
}


/* Returns whether a message requires an acknowledgment.  A critical one needs
   it even if it does not say so (VCP-12). */

static int
parley_vcp_demands(const parley_msg_t *m)
{
    uint32_t  i;

    if (m->data.doc == NULL) {
        return 0;
    }

    i = parley_json_member(m->data.doc, m->data.node,
                           PARLEY_ATOM_requires_ack);

    return i != PARLEY_JSON_NONE
           && parley_json_type(m->data.doc, i) == PARLEY_JSON_TRUE;
}


int
parley_vcp_attach(parley_arena_t *arena, const parley_json_t *doc,
    const parley_msg_sig_t *sig, parley_str_t *ret, parley_error_t *err)
{
    parley_buf_t  b;
    parley_str_t  value;

    *ret = parley_str_none;

    parley_buf_init(&b, arena, sig->value.len + 16);
    parley_buf_lit(&b, "\"base64:");
    parley_buf_json_text(&b, sig->value);
    parley_buf_octet(&b, '"');

    if (parley_buf_done(&b, &value) != 0) {
        return parley_error_memory(err);
    }

    return parley_edit_append(arena, doc, PARLEY_STR("signature"), value, ret,
                              err);
}


parley_str_t
parley_vcp_type_name(parley_vcp_type_t type)
{
    return parley_vcp_types[type].name;
}


parley_str_t
parley_vcp_type_intent(parley_vcp_type_t type)
{
    return parley_vcp_types[type].intent;
}


parley_vcp_type_t
parley_vcp_type_find(parley_str_t name)
{
    unsigned  i;

    for (i = 0; i < PARLEY_VCP_TYPES; i++) {
        if (parley_str_eq(parley_vcp_types[i].name, name)) {
            break;
        }
    }

    return (parley_vcp_type_t) i;
}


/* agent://h/x, human://x, service://x, "broadcast", or an opaque x */

static int
parley_vcp_name_parse(const parley_name_syntax_t *syntax, parley_str_t s,
    parley_name_t *ret)
{
    unsigned        kind;
    const uint8_t  *slash;

    ret->name = s;

    if (parley_str_eq(s, syntax->peers)) {
        ret->kind = PARLEY_NAME_GROUP;
        return 0;
    }

    for (kind = PARLEY_NAME_AGENT; kind < PARLEY_NAME_GROUP; kind++) {
        if (parley_name_strip(&s, syntax->prefixes[kind])) {
            break;
        }
    }

    if (s.len == 0) {
        return -1;
    }

    if (kind == PARLEY_NAME_GROUP) {
        ret->kind = PARLEY_NAME_AGENT;
        ret->opaque = 1;
        return 0;
    }

    ret->kind = (parley_name_kind_t) kind;
    ret->name = s;

    if (kind != PARLEY_NAME_AGENT) {
        return 0;
    }

    slash = memchr(s.data, '/', s.len);
    if (slash == NULL) {
        return -1;
    }

    ret->host = parley_str_make(s.data, (size_t) (slash - s.data));
    ret->name = parley_str_from(s, ret->host.len + 1);

    return ret->host.len > 0 && ret->name.len > 0 ? 0 : -1;
}


static int
parley_vcp_name_format(const parley_name_syntax_t *syntax, parley_buf_t *b,
    const parley_name_t *n)
{
    if (n->kind == PARLEY_NAME_GROUP) {

        /* VCP has one group: all peers */

        if (!parley_str_eq(n->name, syntax->peers)) {
            return -1;
        }

    } else if (n->kind != PARLEY_NAME_AGENT) {
        parley_buf_str(b, syntax->prefixes[n->kind]);

    } else if (n->host.len > 0) {
        parley_buf_str(b, syntax->prefixes[n->kind]);
        parley_buf_str(b, n->host);
        parley_buf_octet(b, '/');
    }

    parley_buf_str(b, n->name);

    return 0;
}
