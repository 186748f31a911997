/*
 * Frames whose text is another protocol's message, written by a translation.
 * They are read as the words of whoever submitted the frame: sender and
 * recipient stay those of the frame, whatever the text says.
 */

#include "parley_channel.h"
#include "parley_carry.h"


static int parley_channel_is_translated(
    const parley_channel_fields_t *fields,
    const parley_channel_kind_info_t *kind, const parley_msg_t *msg);
static int parley_channel_take(parley_arena_t *arena, parley_msg_t *msg,
    const parley_channel_carrier_t *c);
static int parley_channel_take_words(parley_arena_t *arena,
    parley_msg_t *msg, const parley_channel_carrier_t *c);
static int parley_channel_take_act(parley_msg_t *msg,
    const parley_channel_carrier_t *c);
static int parley_channel_take_envelope(parley_arena_t *arena,
    parley_msg_t *msg, const parley_channel_carrier_t *c);
static int parley_channel_take_members(parley_arena_t *arena,
    parley_msg_t *msg, parley_json_ref_t members);


const parley_str_t  parley_channel_acts[] = {
    [PARLEY_ACT_REQUEST] = parley_str("request"),
    [PARLEY_ACT_REPLY] = parley_str("reply"),
    [PARLEY_ACT_FAILURE] = parley_str("failure"),
    [PARLEY_ACT_EVENT] = parley_str("event"),
    [PARLEY_ACT_PROGRESS] = parley_str("progress"),
};


int
parley_channel_carried(parley_arena_t *arena,
    const parley_channel_fields_t *fields,
    const parley_channel_kind_info_t *kind, parley_msg_t *msg)
{
    int                       rc;
    parley_str_t              origin, text;
    parley_msg_t              carried;
    parley_channel_carrier_t  c;

    if (!parley_channel_is_translated(fields, kind, msg)) {
        return 0;
    }

    if (parley_msg_string(msg->doc, fields->values[PARLEY_CHANNEL_BASIS],
                          &origin)
        != 0
        || parley_msg_string(msg->doc, msg->said[0], &text) != 0)
    {
        return -1;
    }

    rc = parley_channel_text_read(arena, msg->doc->seed, text, &c);

    if (rc != 1 || c.origin != parley_proto_find(origin)) {
        return rc < 0 ? -1 : 0;
    }

    carried = *msg;

    rc = parley_channel_take(arena, &carried, &c);

    if (rc == 1) {
        *msg = carried;
    }

    return rc < 0 ? -1 : 0;
}


/* As parley_channel_encode() writes it, with nothing beside the text. */

static int
parley_channel_is_translated(const parley_channel_fields_t *fields,
    const parley_channel_kind_info_t *kind, const parley_msg_t *msg)
{
    uint32_t              method, n;
    const parley_json_t  *doc;

    doc = msg->doc;
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
        n += msg->question.len > 0;
        break;

    default:
        return 0;
    }

    method = fields->values[PARLEY_CHANNEL_METHOD];

    return parley_json_node(doc, msg->data.node)->count == n
           && parley_json_node(doc, method)->count == 1
           && parley_json_string_is(doc, parley_json_first(method),
                                    PARLEY_STR("gateway-translation"));
}


/* Returns 1; 0 where the parts do not go together; -1: no memory. */

static int
parley_channel_take(parley_arena_t *arena, parley_msg_t *msg,
    const parley_channel_carrier_t *c)
{
    parley_str_t  form;

    if (c->origin != PARLEY_PROTO_AEE
        && (parley_carry_intent(c->intent, &form) != c->origin
            || !parley_str_eq(form, c->form)))
    {
        return 0;
    }

    /* SEC-01: no message has such names, so it is a text about one */

    if (!parley_plain_is(c->intent) || !parley_plain_is(c->id)
        || !parley_plain_is(c->corr) || !parley_plain_is(c->reply_to))
    {
        return 0;
    }

    if (c->priority.len == 0) {
        msg->priority = PARLEY_PRIORITY_NORMAL;

    } else if (parley_priority_find(c->priority, &msg->priority) != 0) {
        return 0;
    }

    msg->outer_form = msg->form;
    msg->outer_intent = msg->intent;

    msg->origin = c->origin;
    msg->form = c->form;
    msg->intent = c->intent;
    msg->data = c->payload;

    if (parley_channel_take_words(arena, msg, c) != 0
        || parley_channel_take_act(msg, c) != 0)
    {
        return -1;
    }

    if ((msg->act == PARLEY_ACT_FAILURE) != (c->code.len > 0)) {
        return 0;
    }

    msg->held = 1;
    msg->held_id = c->id;
    msg->held_corr = c->corr.len > 0 ? c->corr : c->id;
    msg->held_reply_to = c->reply_to;

    /* what a handover names is the question, whichever of the two it is */

    if (msg->question.len > 0
        && (msg->act == PARLEY_ACT_REPLY || msg->act == PARLEY_ACT_FAILURE))
    {
        msg->reply_to = msg->question;
        msg->question = parley_str_none;
    }

    return parley_channel_take_envelope(arena, msg, c);
}


/* What a person reads first goes back to where it stood.  -1: no memory. */

static int
parley_channel_take_words(parley_arena_t *arena, parley_msg_t *msg,
    const parley_channel_carrier_t *c)
{
    parley_buf_t           b;
    parley_atom_t          name;
    parley_str_t           text;
    parley_json_t         *doc;
    parley_error_t         err;
    const parley_codec_t  *codec;

    codec = parley_codecs[c->origin];

    if (c->words.len == 0 || codec == NULL || codec->spoken == NULL) {
        return 0;
    }

    name = codec->spoken(msg);

    if (name == PARLEY_ATOM_NONE
        || parley_json_member(c->payload.doc, 0, name) != PARLEY_JSON_NONE)
    {
        return 0;
    }

    doc = parley_arena_alloc(arena, sizeof(parley_json_t));
    if (doc == NULL) {
        return -1;
    }

    parley_buf_init(&b, arena, c->words.len + c->text.len + 64);

    parley_buf_octet(&b, '{');
    parley_buf_name(&b, parley_atom_name(name));

    if (codec->spoken_in_parts) {
        parley_buf_lit(&b, "[{\"type\":\"text\",\"text\":");
        parley_buf_json_string(&b, c->words);
        parley_buf_lit(&b, "}]");

    } else {
        parley_buf_json_string(&b, c->words);
    }

    if (parley_json_node(c->payload.doc, 0)->count > 0) {
        parley_buf_octet(&b, ',');
    }

    parley_buf_str(&b, parley_str_from(c->text, 1));

    if (parley_buf_done(&b, &text) != 0
        || parley_read_again(doc, arena, msg->doc->seed, text, &err) != 0)
    {
        return -1;
    }

    msg->data.doc = doc;
    msg->data.node = 0;

    return 0;
}


/*
 * The kind says what act it is, the payload knows better, and a line says it
 * where both are wrong.  -1: no memory.
 */

static int
parley_channel_take_act(parley_msg_t *msg, const parley_channel_carrier_t *c)
{
    unsigned               act;
    parley_str_t           corr, reply_to;
    parley_priority_t      priority;
    const parley_codec_t  *codec;

    msg->text = parley_str_none;
    msg->said[0] = PARLEY_JSON_NONE;
    msg->said[1] = PARLEY_JSON_NONE;

    codec = parley_codecs[c->origin];

    if (codec == NULL || codec->payload == NULL) {

        if (c->code.len > 0) {
            msg->act = PARLEY_ACT_FAILURE;
            msg->code = c->code;
        }

    } else {
        corr = msg->corr;
        reply_to = msg->reply_to;
        priority = msg->priority;

        msg->alarm = PARLEY_ALARM_NONE;
        msg->notice = PARLEY_NOTICE_USUAL;
        msg->act = PARLEY_ACT_EVENT;

        if (codec->payload(msg) != 0) {
            return -1;
        }

        msg->corr = corr;
        msg->reply_to = reply_to;
        msg->priority = priority;
    }

    for (act = PARLEY_ACT_REQUEST; act <= PARLEY_ACT_PROGRESS; act++) {
        if (parley_str_eq(parley_channel_acts[act], c->act)) {
            msg->act = (parley_act_t) act;
        }
    }

    return 0;
}


/*
 * What the canonical fields do not hold.  Of requires the deadline alone is
 * meant, unless AEE's it is.  Returns 1, or -1: no memory.
 */

static int
parley_channel_take_envelope(parley_arena_t *arena, parley_msg_t *msg,
    const parley_channel_carrier_t *c)
{
    unsigned              i;
    const parley_json_t  *trace;

    const parley_member_t  members[] = {
        { parley_str("trace"), c->trace },
        { parley_str("requires"), c->requires },
    };

    msg->timeout_ms = parley_channel_timeout(c->requires);
    msg->members = NULL;
    msg->nmembers = 0;

    if (c->origin != PARLEY_PROTO_AEE) {
        return parley_channel_take_members(arena, msg, c->members);
    }

    msg->members = parley_arena_alloc(arena, sizeof(members));
    if (msg->members == NULL) {
        return -1;
    }

    for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (members[i].value.node != PARLEY_JSON_NONE) {
            msg->members[msg->nmembers++] = members[i];
        }
    }

    trace = c->trace.doc;

    if (c->trace.node == PARLEY_JSON_NONE) {
        return 1;
    }

    return parley_msg_string(trace,
                             parley_json_member(trace, 0,
                                                PARLEY_ATOM_trace_id),
                             &msg->trace_id)
           || parley_msg_string(trace,
                                parley_json_member(trace, 0,
                                                   PARLEY_ATOM_span_id),
                                &msg->span_id)
           ? -1 : 1;
}


/* Returns 1; 0 where they are no object; -1: no memory. */

static int
parley_channel_take_members(parley_arena_t *arena, parley_msg_t *msg,
    parley_json_ref_t members)
{
    uint32_t              k;
    parley_member_t      *member;
    const parley_json_t  *doc;

    if (members.node == PARLEY_JSON_NONE) {
        return 1;
    }

    doc = members.doc;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return 0;
    }

    msg->members = parley_arena_alloc(arena, (parley_json_node(doc, 0)->count
                                              + 1)
                                             * sizeof(parley_member_t));
    if (msg->members == NULL) {
        return -1;
    }

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        member = &msg->members[msg->nmembers++];

        member->value.doc = doc;
        member->value.node = k + 1;

        if (parley_json_string(doc, k, &member->name) != 0) {
            return -1;
        }
    }

    return 1;
}


/* A fraction of a millisecond counts as one, so that a cap holds. */

int64_t
parley_channel_timeout(parley_json_ref_t requires)
{
    if (requires.node == PARLEY_JSON_NONE) {
        return -1;
    }

    return parley_channel_ms(requires.doc,
                             parley_json_member(requires.doc, requires.node,
                                                PARLEY_ATOM_timeout_ms));
}
