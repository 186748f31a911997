#include "parley_channel.h"
#include "parley_time.h"


static int parley_channel_fill(parley_arena_t *arena, parley_msg_t *msg);
static int parley_channel_says_urgency(parley_msg_t *msg,
    parley_channel_kind_t kind);
static int64_t parley_channel_ms(const parley_json_t *doc, uint32_t value);
static int parley_channel_members(parley_arena_t *arena, parley_msg_t *msg);


/* what no canonical field holds */
static const parley_str_t  parley_channel_envelope[] = {
    parley_str("ttl_ms"), parley_str("acted_by"), parley_str("drafted_with"),
    parley_str("provenance_compute_location"),
    parley_str("provenance_method"), parley_str("provenance_return_ref"),
    parley_str("provenance_context_check"), parley_str("provenance_basis"),
};

#define PARLEY_CHANNEL_ENVELOPE                                               \
    (sizeof(parley_channel_envelope) / sizeof(parley_channel_envelope[0]))


int
parley_channel_decode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_json_t *doc, int mve5, parley_msg_t *msg,
    parley_error_t *err)
{
    uint32_t                           value;
    parley_str_t                       name;
    const parley_channel_kind_info_t  *kind;

    (void) mve5;

    /* section 3.1: no partial parse of another version */

    value = parley_json_get(doc, 0, PARLEY_STR("envelope_version"));

    if (value != PARLEY_JSON_NONE
        && !parley_json_string_is(doc, value, PARLEY_STR("1.0")))
    {
        return parley_error_set(err, PARLEY_E_ENVELOPE_VERSION_UNSUPPORTED,
                                "/envelope_version", "/envelope_version must "
                                "be the string \"1.0\"");
    }

    value = parley_json_get(doc, 0, PARLEY_STR("kind"));

    if (parley_channel_peek(msg) != 0
        || parley_msg_string(doc, value, &name) != 0)
    {
        return parley_error_memory(err);
    }

    kind = parley_channel_kind_find(name);

    if (kind == NULL && value != PARLEY_JSON_NONE
        && parley_json_type(doc, value) == PARLEY_JSON_STRING)
    {
        return parley_error_set(err, PARLEY_E_KIND_UNKNOWN, "/kind",
                                "/kind is none of the fifteen of the "
                                "catalogue");
    }

    if (parley_validate(engine, PARLEY_PROTO_CHANNEL, doc, err) != 0) {

        value = parley_json_get(doc, 0, PARLEY_STR("payload"));

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

    if (parley_channel_fill(arena, msg) != 0
        || parley_channel_carried(arena, msg) != 0)
    {
        return parley_error_memory(err);
    }

    return 0;
}


int
parley_channel_peek(parley_msg_t *msg)
{
    unsigned                           i;
    parley_str_t                       name;
    const parley_json_t               *doc;
    const parley_channel_kind_info_t  *kind;

    struct {
        parley_str_t   name;
        parley_str_t  *to;
    } fields[] = {
        { parley_str("frame_id"), &msg->id },
        { parley_str("sender_handle"), &msg->sender },
        { parley_str("recipient_handle"), &msg->recipient },
        { parley_str("kind"), &name },
    };

    doc = msg->doc;

    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (parley_msg_string(doc, parley_json_get(doc, 0, fields[i].name),
                              fields[i].to)
            != 0)
        {
            return -1;
        }
    }

    kind = parley_channel_kind_find(name);

    if (kind != NULL) {
        msg->form = kind->name;
        msg->intent = kind->intent;
    }

    return 0;
}


static int
parley_channel_fill(parley_arena_t *arena, parley_msg_t *msg)
{
    uint32_t              ttl;
    const parley_json_t  *doc;

    doc = msg->doc;

    if (parley_msg_string(doc, parley_json_get(doc, 0,
                                               PARLEY_STR("created_at")),
                          &msg->created)
        != 0)
    {
        return -1;
    }

    (void) parley_time_parse(msg->created, &msg->created_ms);

    msg->data.doc = doc;
    msg->data.node = parley_json_get(doc, 0, PARLEY_STR("payload"));

    if (parley_channel_says(msg) != 0) {
        return -1;
    }

    if (msg->timeout_ms < 0
        && (parley_str_is(msg->form, "peer_diagnostic_request")
            || parley_str_is(msg->form, "agent_binding_moment")))
    {
        ttl = parley_json_get(doc, 0, PARLEY_STR("ttl_ms"));
        msg->timeout_ms = parley_channel_ms(doc, ttl);
    }

    return parley_channel_members(arena, msg);
}


int
parley_channel_says(parley_msg_t *msg)
{
    uint32_t                           value;
    const parley_json_t               *doc;
    const parley_channel_kind_info_t  *kind;

    doc = msg->data.doc;

    kind = parley_channel_kind_find(msg->form);
    if (kind == NULL) {
        return 0;
    }

    msg->act = kind->act;

    if (kind->text.len > 0) {
        msg->said[0] = parley_json_get(doc, msg->data.node, kind->text);

        if (parley_msg_string(doc, msg->said[0], &msg->text) != 0) {
            return -1;
        }
    }

    if (kind->corr.len > 0) {
        value = parley_json_get(doc, msg->data.node, kind->corr);

        if (parley_msg_string(doc, value, &msg->corr) != 0) {
            return -1;
        }

        if (kind->kind == PARLEY_CHANNEL_RETURN_EVENT && msg->corr.len > 0) {
            msg->act = PARLEY_ACT_REPLY;
        }

        if (msg->act == PARLEY_ACT_REPLY) {
            msg->reply_to = msg->corr;
        }
    }

    return parley_channel_says_urgency(msg, kind->kind);
}


static int
parley_channel_says_urgency(parley_msg_t *msg, parley_channel_kind_t kind)
{
    uint32_t              value;
    const parley_json_t  *doc;

    doc = msg->data.doc;

    switch (kind) {

    case PARLEY_CHANNEL_LOCK_REQUEST:
    case PARLEY_CHANNEL_LOCK_RELEASE:
    case PARLEY_CHANNEL_LEASE_EXTEND:
    case PARLEY_CHANNEL_RETURN_EVENT:
    case PARLEY_CHANNEL_INTENT_WITHDRAW:
    case PARLEY_CHANNEL_FLUSH_EXECUTED:
        msg->notice = PARLEY_NOTICE_RECORD;
        return 0;

    case PARLEY_CHANNEL_BINDING_MOMENT:
        msg->notice = PARLEY_NOTICE_NOW;
        return 0;

    case PARLEY_CHANNEL_QUERY:
        value = parley_json_get(doc, msg->data.node, PARLEY_STR("timeout_ms"));
        msg->timeout_ms = parley_channel_ms(doc, value);
        return 0;

    case PARLEY_CHANNEL_INTENT_DECLARE:
        msg->notice = PARLEY_NOTICE_RECORD;
        value = parley_json_get(doc, msg->data.node, PARLEY_STR("urgency"));

        if (parley_json_string_is(doc, value, PARLEY_STR("urgent"))) {
            msg->priority = PARLEY_PRIORITY_URGENT;
        }

        return 0;

    case PARLEY_CHANNEL_DIAGNOSTIC_REQUEST:
        value = parley_json_get(doc, msg->data.node, PARLEY_STR("severity"));
        msg->said[1] = value;

        if (parley_json_string_is(doc, value, PARLEY_STR("info"))) {
            msg->alarm = PARLEY_ALARM_INFO;

        } else if (parley_json_string_is(doc, value, PARLEY_STR("degraded"))) {
            msg->alarm = PARLEY_ALARM_WARNING;

        } else if (parley_json_string_is(doc, value, PARLEY_STR("blocked"))) {
            msg->alarm = PARLEY_ALARM_CRITICAL;
            msg->priority = PARLEY_PRIORITY_HIGH;
        }

        return 0;

    default:
        return 0;
    }
}


/* A number of milliseconds, or -1; what is too great stays great. */

static int64_t
parley_channel_ms(const parley_json_t *doc, uint32_t value)
{
    int64_t  ms;

    if (value == PARLEY_JSON_NONE
        || parley_json_type(doc, value) != PARLEY_JSON_NUMBER
        || parley_json_number(doc, value) < 0)
    {
        return -1;
    }

    if (parley_json_integer(doc, value, &ms) != 0
        || ms > PARLEY_CHANNEL_MS_MAX)
    {
        return PARLEY_CHANNEL_MS_MAX;
    }

    return ms;
}


static int
parley_channel_members(parley_arena_t *arena, parley_msg_t *msg)
{
    unsigned              i;
    uint32_t              k;
    parley_member_t      *member;
    const parley_json_t  *doc;

    doc = msg->doc;

    msg->members = parley_arena_alloc(arena, PARLEY_CHANNEL_ENVELOPE
                                             * sizeof(parley_member_t));
    if (msg->members == NULL) {
        return -1;
    }

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        i = parley_channel_find(doc, k, parley_channel_envelope,
                                PARLEY_CHANNEL_ENVELOPE);

        if (i == PARLEY_CHANNEL_ENVELOPE) {
            continue;
        }

        member = &msg->members[msg->nmembers++];

        member->value.doc = doc;
        member->value.node = k + 1;
        member->name = parley_channel_envelope[i];
    }

    return 0;
}


uint32_t
parley_channel_spot(const parley_msg_t *m, parley_spot_t spot)
{
    const parley_channel_kind_info_t  *kind;

    kind = parley_channel_kind_find(m->form);

    if (spot != PARLEY_SPOT_REPLY_TO || m->origin != PARLEY_PROTO_CHANNEL
        || kind == NULL || m->act != PARLEY_ACT_REPLY || kind->corr.len == 0)
    {
        return PARLEY_JSON_NONE;
    }

    return parley_json_get(m->data.doc, m->data.node, kind->corr);
}
