#include "translate/channel/parley_channel.h"
#include "core/parley_time.h"


static int parley_channel_peek(const parley_channel_fields_t *fields,
    parley_msg_t *msg, const parley_channel_kind_info_t **ret);
static int parley_channel_fill(parley_arena_t *arena,
    const parley_channel_fields_t *fields,
    const parley_channel_kind_info_t *kind, parley_msg_t *msg);
static int parley_channel_members(parley_arena_t *arena,
    const parley_channel_fields_t *fields, parley_msg_t *msg);


int
parley_channel_decode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, int mve5, parley_msg_t *msg,
    parley_error_t *err)
{
    uint32_t                           value;
    parley_channel_fields_t            fields;
    const parley_channel_kind_info_t  *kind;

    (void) mve5;

    parley_channel_fields(doc, &fields);

    /* Another version must not be parsed in part (section 3.1). */

    value = fields.values[PARLEY_CHANNEL_VERSION];

    if (value != PARLEY_JSON_NONE
        && !parley_json_string_is(doc, value, PARLEY_STR("1.0")))
    {
        return parley_error_set(err, PARLEY_E_ENVELOPE_VERSION_UNSUPPORTED,
                                "/envelope_version", "/envelope_version must "
                                "be the string \"1.0\"");
    }

    if (parley_channel_peek(&fields, msg, &kind) != 0) {
        return parley_error_memory(err);
    }

    value = fields.values[PARLEY_CHANNEL_KIND];

    if (kind == NULL && value != PARLEY_JSON_NONE
        && parley_json_type(doc, value) == PARLEY_JSON_STRING)
    {
        return parley_error_set(err, PARLEY_E_KIND_UNKNOWN, "/kind",
                                "/kind must be one of the fifteen kinds of "
                                "agent-channel");
    }

    if (parley_validate(engine, PARLEY_PROTO_CHANNEL, doc, err) != 0) {
        value = fields.values[PARLEY_CHANNEL_PAYLOAD];

        if (kind != NULL
            && strncmp(err->field, "/payload/", sizeof("/payload/") - 1) == 0
            && parley_channel_kind_mismatch(kind, doc, value))
        {
            return parley_error_set(err, PARLEY_E_PAYLOAD_KIND_MISMATCH,
                                    "/payload", "/payload has the shape of "
                                    "another kind than %s",
                                    (const char *) kind->name.data);
        }

        return -1;
    }

    if (parley_channel_fill(arena, &fields, kind, msg) != 0
        || parley_embed_read(arena, msg) != 0)
    {
        return parley_error_memory(err);
    }

    /*
     * The id in a handover names the question, for the question and for its
     * answer.
     */

    if (msg->held && msg->question.len > 0
        && (msg->act == PARLEY_ACT_REPLY || msg->act == PARLEY_ACT_FAILURE))
    {
        msg->reply_to = msg->question;
        msg->question = parley_str_none;
    }

    return 0;
}


/*
 * Fills frame_id, handles, kind and intent, as far as they are strings.  The
 * frame need not be valid.  *ret is NULL if the catalogue does not have the
 * kind.  Returns 0, or -1 if memory is exhausted.
 */

static int
parley_channel_peek(const parley_channel_fields_t *fields, parley_msg_t *msg,
    const parley_channel_kind_info_t **ret)
{
    parley_str_t          name;
    const uint32_t       *values;
    const parley_json_t  *doc;

    doc = msg->doc;
    values = fields->values;

    if (parley_channel_id(doc, values[PARLEY_CHANNEL_FRAME_ID], &msg->id)
        || parley_msg_string(doc, values[PARLEY_CHANNEL_SENDER], &msg->sender)
        || parley_msg_string(doc, values[PARLEY_CHANNEL_RECIPIENT],
                             &msg->recipient)
        || parley_msg_string(doc, values[PARLEY_CHANNEL_KIND], &name))
    {
        return -1;
    }

    *ret = parley_channel_kind_find(name);

    if (*ret != NULL) {
        msg->form = (*ret)->name;
        msg->intent = (*ret)->intent;
    }

    return 0;
}


static int
parley_channel_fill(parley_arena_t *arena,
    const parley_channel_fields_t *fields,
    const parley_channel_kind_info_t *kind, parley_msg_t *msg)
{
    const parley_json_t  *doc;

    doc = msg->doc;

    if (parley_msg_string(doc, fields->values[PARLEY_CHANNEL_CREATED],
                          &msg->created)
        != 0)
    {
        return -1;
    }

    (void) parley_time_parse(msg->created, &msg->created_ms);

    msg->data.doc = doc;
    msg->data.node = fields->values[PARLEY_CHANNEL_PAYLOAD];

    if (parley_channel_says(msg) != 0) {
        return -1;
    }

    if (kind->kind == PARLEY_CHANNEL_DIAGNOSTIC_REQUEST
        || kind->kind == PARLEY_CHANNEL_BINDING_MOMENT)
    {
        msg->timeout_ms = parley_channel_ms(doc,
                                          fields->values[PARLEY_CHANNEL_TTL]);
    }

    msg->sessions = kind->kind == PARLEY_CHANNEL_QUERY;

    if (kind->kind == PARLEY_CHANNEL_RESPONSE
        && parley_msg_string(doc, parley_json_member(doc,
                                     fields->values[PARLEY_CHANNEL_PAYLOAD],
                                     PARLEY_ATOM_responder_session_id),
                             &msg->session)
           != 0)
    {
        return -1;
    }

    return parley_channel_members(arena, fields, msg);
}


/* Collects the members without a canonical field. */

static int
parley_channel_members(parley_arena_t *arena,
    const parley_channel_fields_t *fields, parley_msg_t *msg)
{
    unsigned          i;
    uint32_t          value;
    parley_member_t  *member;

    msg->members = parley_arena_alloc(arena, fields->nrest
                                             * sizeof(parley_member_t));
    if (msg->members == NULL) {
        return -1;
    }

    for (i = 0; i < fields->nrest; i++) {
        member = &msg->members[i];
        value = fields->values[fields->rest[i]];

        member->name = parley_atom_name(parley_json_atom(msg->doc, value - 1));
        member->value.doc = msg->doc;
        member->value.node = value;
    }

    msg->nmembers = fields->nrest;

    return 0;
}
