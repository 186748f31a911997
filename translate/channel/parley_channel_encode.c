#include "translate/channel/parley_channel.h"
#include "translate/parley_embed_text.h"
#include "translate/parley_name.h"
#include "translate/parley_msg_field.h"


static int parley_channel_choose(parley_channel_encode_t *e);
static parley_severity_t parley_channel_severity(
    const parley_channel_encode_t *e);
static int parley_channel_choose_native(parley_channel_encode_t *e,
    int *ret);
static parley_channel_kind_t parley_channel_choose_kind(
    const parley_channel_encode_t *e);
static int parley_channel_plain(parley_channel_encode_t *e);
static int parley_channel_write(parley_channel_encode_t *e,
    parley_encoded_t *ret);
static void parley_channel_provenance(parley_buf_t *b,
    const parley_channel_encode_t *e);
static void parley_channel_provenance_carried(parley_buf_t *b,
    const parley_channel_encode_t *e);
static void parley_channel_ttl(parley_buf_t *b,
    const parley_channel_encode_t *e);
static void parley_channel_payload(parley_buf_t *b,
    const parley_channel_encode_t *e);
static void parley_channel_session(parley_buf_t *b, parley_str_t name,
    const parley_channel_encode_t *e);


int
parley_channel_encode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *m, const parley_encode_opts_t *opts,
    parley_encoded_t *ret, parley_loss_t *loss, parley_error_t *err)
{
    parley_channel_encode_t  e;

    memset(&e, 0, sizeof(parley_channel_encode_t));

    e.arena = arena;
    e.m = m;
    e.opts = opts;
    e.loss = loss;
    e.err = err;

    e.text.arena = arena;
    e.text.m = m;
    e.text.slot = &parley_channel_slot;
    e.text.err = err;
    e.text.spoken = PARLEY_JSON_NONE;

    if (parley_channel_choose(&e) != 0
        || parley_channel_head(&e) != 0
        || parley_channel_write(&e, ret) != 0)
    {
        return -1;
    }

    return parley_channel_check(engine, &e, ret);
}


/* Chooses the kind and its text: e->kind, e->native, e->text. */

static int
parley_channel_choose(parley_channel_encode_t *e)
{
    int  native;

    if (parley_channel_choose_native(e, &native) != 0) {
        return -1;
    }

    if (native) {
        return 0;
    }

    e->kind = parley_channel_kind(parley_channel_choose_kind(e));

    if (e->m->origin == PARLEY_PROTO_CHANNEL) {
        if (parley_channel_plain(e) != 0) {
            return -1;
        }

    } else {
        e->text.act = e->kind->act;

        if (parley_embed_text_write(&e->text) != 0) {
            return -1;
        }
    }

    if (e->text.text.len > PARLEY_CHANNEL_TEXT_MAX
        && parley_embed_text_len(e->text.text) > PARLEY_CHANNEL_TEXT_MAX)
    {
        e->kind = parley_channel_kind(PARLEY_CHANNEL_HANDOVER);

        /* The new kind has another default act. */

        if (e->m->origin != PARLEY_PROTO_CHANNEL) {
            e->text.act = e->kind->act;
            return parley_embed_text_write(&e->text);
        }
    }

    return 0;
}


/*
 * Chooses the kind of an agent-channel payload: the intent is channel.<kind>.
 */

static int
parley_channel_choose_native(parley_channel_encode_t *e, int *ret)
{
    parley_msg_t                       said;
    const parley_msg_t                *m;
    const parley_channel_kind_info_t  *kind;

    *ret = 0;

    m = e->m;

    if (!parley_str_begins(m->intent, "channel.")) {
        return 0;
    }

    kind = parley_channel_kind_find(parley_str_from(m->intent,
                                                    sizeof("channel.") - 1));
    if (kind == NULL) {
        return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(m, PARLEY_MSG_INTENT).pointer,
                                "agent-channel has no kind for this intent");
    }

    said = *m;
    said.form = kind->name;

    if (m->data.node != PARLEY_JSON_NONE && parley_channel_says(&said) != 0) {
        return parley_error_memory(e->err);
    }

    if (m->act != (m->data.node != PARLEY_JSON_NONE ? said.act : kind->act)
        || (m->act == PARLEY_ACT_FAILURE && m->origin != PARLEY_PROTO_CHANNEL))
    {
        return 0;
    }

    e->kind = kind;
    e->native = 1;
    *ret = 1;

    return 0;
}


/* Returns the severity of a message in its own words, also if it is carried. */

static parley_severity_t
parley_channel_severity(const parley_channel_encode_t *e)
{
    parley_msg_t           said;
    parley_supervision_t   means;
    const parley_codec_t  *codec;

    if (e->m->alarm != PARLEY_SEVERITY_NONE
        || e->m->data.node == PARLEY_JSON_NONE)
    {
        return e->m->alarm;
    }

    parley_embed_supervision(e->m, &means);

    if (means.alarm != PARLEY_SEVERITY_NONE) {
        return means.alarm;
    }

    said = *e->m;
    codec = parley_codecs[said.origin];

    if (codec == NULL || codec->payload == NULL || codec->payload(&said) != 0)
    {
        return PARLEY_SEVERITY_NONE;
    }

    return said.alarm;
}


static parley_channel_kind_t
parley_channel_choose_kind(const parley_channel_encode_t *e)
{
    int                  escalation;
    const parley_msg_t  *m, *answering;

    m = e->m;
    answering = e->opts->answering;

    escalation = parley_str_is(m->intent, "vcp.escalation");

    switch (m->act) {

    case PARLEY_ACT_REQUEST:
    case PARLEY_ACT_EVENT:

        if (escalation && parley_channel_severity(e) != PARLEY_SEVERITY_NONE) {
            return PARLEY_CHANNEL_DIAGNOSTIC_REQUEST;
        }

        if (m->act == PARLEY_ACT_REQUEST) {
            return PARLEY_CHANNEL_QUERY;
        }

        return parley_name_is_group(m->wire, m->recipient)
               ? PARLEY_CHANNEL_BROADCAST : PARLEY_CHANNEL_ADVISORY;

    case PARLEY_ACT_REPLY:
    case PARLEY_ACT_FAILURE:

        if (answering != NULL) {
            escalation = parley_str_is(answering->intent,
                                       "channel.peer_diagnostic_request");

        } else if (m->act == PARLEY_ACT_FAILURE) {
            escalation = 0;
        }

        return escalation ? PARLEY_CHANNEL_DIAGNOSTIC_RESPONSE
                          : PARLEY_CHANNEL_RESPONSE;

    default:
        return PARLEY_CHANNEL_ADVISORY;
    }
}


/*
 * Writes the plain text of an agent-channel payload that returns with another
 * act, such as an answer that repeats its question.  It needs no capsule,
 * because it does not belong to another protocol.
 */

static int
parley_channel_plain(parley_channel_encode_t *e)
{
    parley_buf_t         b;
    const parley_msg_t  *m;

    m = e->m;

    parley_buf_init(&b, e->arena, m->text.len + 64);

    if (m->act == PARLEY_ACT_FAILURE) {
        parley_buf_lit(&b, "error ");
        parley_embed_code_write(&b, m->code);
        parley_buf_lit(&b, ": ");
    }

    if (m->text.len > 0) {
        parley_buf_json_text(&b, m->text);

    } else if (parley_embed_text_data(&e->text, &b) != 0) {
        return -1;
    }

    return parley_buf_done(&b, &e->text.text) == 0
           ? 0 : parley_error_memory(e->err);
}


static int
parley_channel_write(parley_channel_encode_t *e, parley_encoded_t *ret)
{
    parley_buf_t  b;

    parley_buf_init(&b, e->arena, e->text.text.len + e->m->doc->input.len
                                  + 512);

    parley_buf_lit(&b, "{\"envelope_version\":\"1.0\",\"frame_id\":\"");
    parley_buf_str(&b, e->id);
    parley_buf_lit(&b, "\",\"kind\":\"");
    parley_buf_str(&b, e->kind->name);

    /* Handles and timestamps need no escape. */

    parley_buf_lit(&b, "\",\"sender_handle\":\"");
    parley_buf_str(&b, e->sender);
    parley_buf_lit(&b, "\",\"recipient_handle\":\"");
    parley_buf_str(&b, e->recipient);
    parley_buf_lit(&b, "\",\"created_at\":\"");
    parley_buf_str(&b, e->created);
    parley_buf_octet(&b, '"');

    parley_channel_ttl(&b, e);

    parley_buf_lit(&b, ",\"payload\":");
    parley_channel_payload(&b, e);

    parley_buf_member(&b, PARLEY_STR("acted_by"), e->acted_by);
    parley_buf_member(&b, PARLEY_STR("drafted_with"), e->drafted_with);

    parley_channel_provenance(&b, e);

    parley_buf_octet(&b, '}');

    ret->id = e->id;
    ret->scope = e->scope;

    return parley_buf_done(&b, &ret->body) == 0
           ? 0 : parley_error_memory(e->err);
}


/*
 * Writes the message's own ttl_ms.  A deadline is not a ttl_ms: it limits the
 * answer, not the frame.  The next gateway would refuse a late frame as stale.
 */

static void
parley_channel_ttl(parley_buf_t *b, const parley_channel_encode_t *e)
{
    parley_json_ref_t  own;

    own = parley_channel_member(e, PARLEY_STR("ttl_ms"));

    if (own.node != PARLEY_JSON_NONE) {
        parley_buf_name(b, PARLEY_STR("ttl_ms"));
        parley_buf_value(b, own);
    }
}


static void
parley_channel_provenance(parley_buf_t *b, const parley_channel_encode_t *e)
{
    if (e->native && e->m->origin == PARLEY_PROTO_CHANNEL) {
        parley_channel_provenance_carried(b, e);
        return;
    }

    parley_buf_lit(b, ",\"provenance_compute_location\":\"server-active\"");
    parley_buf_lit(b, ",\"provenance_method\":[\"gateway-translation\"]");
    parley_buf_lit(b, ",\"provenance_context_check\":\"skipped\"");
    parley_buf_lit(b, ",\"provenance_basis\":\"");
    parley_buf_str(b, parley_proto_name(e->m->origin));
    parley_buf_octet(b, '"');
}


/* Writes the provenance of a frame that was carried, as far as it has one. */

static void
parley_channel_provenance_carried(parley_buf_t *b,
    const parley_channel_encode_t *e)
{
    unsigned           i;
    parley_json_ref_t  own;

    static const struct {
        parley_str_t  name;
        const char   *value;
    } members[] = {
        { parley_str("provenance_compute_location"), "\"server-active\"" },
        { parley_str("provenance_method"), "[\"gateway-translation\"]" },
        { parley_str("provenance_return_ref"), NULL },
        { parley_str("provenance_context_check"), "\"skipped\"" },
        { parley_str("provenance_basis"), "\"channel\"" },
    };

    for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        own = parley_channel_member(e, members[i].name);

        if (own.node == PARLEY_JSON_NONE && members[i].value == NULL) {
            continue;
        }

        parley_buf_name(b, members[i].name);

        if (own.node != PARLEY_JSON_NONE) {
            parley_buf_value(b, own);

        } else {
            parley_buf_str(b, parley_str_c(members[i].value));
        }
    }
}


parley_json_ref_t
parley_channel_member(const parley_channel_encode_t *e, parley_str_t name)
{
    uint32_t             i;
    const parley_msg_t  *m;

    m = e->m;

    if (!e->native || m->origin != PARLEY_PROTO_CHANNEL) {
        return parley_json_ref_none;
    }

    for (i = 0; i < m->nmembers; i++) {
        if (parley_str_eq(m->members[i].name, name)) {
            return m->members[i].value;
        }
    }

    return parley_json_ref_none;
}


static void
parley_channel_payload(parley_buf_t *b, const parley_channel_encode_t *e)
{
    static const parley_str_t  severities[] = {
        [PARLEY_SEVERITY_NONE] = parley_str("info"),
        [PARLEY_SEVERITY_INFO] = parley_str("info"),
        [PARLEY_SEVERITY_WARNING] = parley_str("degraded"),
        [PARLEY_SEVERITY_CRITICAL] = parley_str("blocked"),
        [PARLEY_SEVERITY_EMERGENCY] = parley_str("blocked"),
    };

    if (e->native) {

        /* No payload of agent-channel has references. */

        parley_embed_payload(b, e->m, PARLEY_ATOM_references);
        return;
    }

    parley_buf_octet(b, '{');
    parley_buf_name(b, parley_atom_name(e->kind->text));
    parley_buf_octet(b, '"');
    parley_buf_str(b, e->text.text);
    parley_buf_octet(b, '"');

    if (e->kind->question != PARLEY_ATOM_NONE) {
        parley_buf_member(b, parley_atom_name(e->kind->question),
                          e->question);
    }

    switch (e->kind->kind) {

    case PARLEY_CHANNEL_BROADCAST:
        parley_buf_lit(b, ",\"event_class\":\"other\"");
        break;

    case PARLEY_CHANNEL_HANDOVER:
        parley_channel_session(b, PARLEY_STR("previous_session_id"), e);

        if (e->question.len > 0) {
            parley_channel_reference(b, e->question);
        }

        break;

    case PARLEY_CHANNEL_QUERY:
        parley_buf_lit(b, ",\"response_scope\":\"");
        parley_buf_str(b, e->sender);
        parley_buf_octet(b, '/');
        parley_buf_lit(b, "*\",\"timeout_ms\":");
        parley_buf_int(b, e->m->timeout_ms < 0 ? PARLEY_CHANNEL_WINDOW_MS
                                               : e->m->timeout_ms);
        break;

    case PARLEY_CHANNEL_RESPONSE:
        parley_channel_session(b, PARLEY_STR("responder_session_id"), e);
        break;

    case PARLEY_CHANNEL_DIAGNOSTIC_REQUEST:
        parley_buf_member(b, PARLEY_STR("severity"),
                          severities[parley_channel_severity(e)]);
        break;

    default:
        break;
    }

    parley_buf_octet(b, '}');
}


/*
 * Writes a session id: the name of the session's principal in the sender's
 * protocol.
 */

static void
parley_channel_session(parley_buf_t *b, parley_str_t name,
    const parley_channel_encode_t *e)
{
    parley_str_t  id;

    id = e->m->sender;

    if (id.len == 0 || id.len > PARLEY_CHANNEL_ID_MAX) {
        id = e->id;
    }

    parley_buf_member(b, name, id);
}
