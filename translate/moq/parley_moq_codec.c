#include "translate/moq/parley_moq.h"
#include "translate/parley_unmapped.h"


#define PARLEY_MOQ_DETECTED  50     /* "action" is present: less than the score
                                       of other discriminators */


static int parley_moq_detect(const parley_json_t *doc);
static int parley_moq_reading(parley_arena_t *arena, parley_str_t intent,
    parley_str_t *ret);
static parley_atom_t parley_moq_spoken(const parley_msg_t *m);
static void parley_moq_unmapped(const parley_msg_t *m, parley_loss_t *loss);
static int parley_moq_unmapped_own(const parley_msg_t *m, uint32_t value,
    unsigned by, parley_loss_t *loss);


static const parley_plain_t  parley_moq_names[] = {
    { PARLEY_ATOM_action, NULL },
    { PARLEY_ATOM_session_id, NULL },
    { PARLEY_ATOM_status, NULL },
    { PARLEY_ATOM_track_name, NULL },
    { PARLEY_ATOM_subscriber_id, NULL },
    { PARLEY_ATOM_track_url, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_atom_t
    parley_moq_passing[][PARLEY_CODEC_PASSING_NAMES] = {
    { PARLEY_ATOM_auth_token }, { PARLEY_ATOM_NONE }
};


const parley_binding_t  parley_moq_binding = {
    .methods = parley_binding_post,
    .media_type = parley_str("application/json"),
    .addressed = 1,
};


const parley_codec_t  parley_moq_codec = {
    .proto = PARLEY_PROTO_MOQ,
    .binding = &parley_moq_binding,
    .syntax = &parley_name_canonical,
    .schema = parley_str("urn:parley:schema:moq-cmd-1"),
    .discriminator = PARLEY_ATOM_action,
    .secret_member = parley_str("auth_token"),
    .intents = parley_str("moq.cmd"),
    .unstreamed = 1,
    .first = PARLEY_FIRST_BODY,

    .pointers[PARLEY_MSG_FORM] = "/action",
    .pointers[PARLEY_MSG_INTENT] = "/action",
    .pointers[PARLEY_MSG_CORR] = "/session_id",
    .pointers[PARLEY_MSG_REPLY_TO] = "/session_id",
    .pointers[PARLEY_MSG_DATA] = "/payload",
    .pointers[PARLEY_MSG_SECRET] = "/auth_token",

    .replies_by_corr = 1,

    .names = parley_moq_names,
    .passing = parley_moq_passing,

    .detect = parley_moq_detect,
    .decode = parley_moq_decode,
    .payload = parley_moq_says,
    .spoken = parley_moq_spoken,
    .submit = parley_moq_submit,
    .unmapped = parley_moq_unmapped,
    .within = parley_moq_within,
    .extract = parley_moq_extract,
    .slot = &parley_moq_slot,
    .reading = parley_moq_reading,
    .encode = parley_moq_encode,
    .locate = parley_moq_locate,
    .direction = parley_embed_direction,
    .answer_decode = parley_moq_answer_decode,
    .answer_encode = parley_moq_answer_encode,
    .refuse = parley_moq_refuse,
};


/* stored as the difference from PARLEY_MOQ_FIELDS: 0 for all other names */
#define PARLEY_MOQ_OF(field)  (PARLEY_MOQ_FIELDS - PARLEY_MOQ_##field)

static const parley_mapped_t  parley_moq_mapped = {
    .pointer = "",
    .own = parley_moq_unmapped_own,
    .names = {
        [PARLEY_ATOM_action] = PARLEY_MOQ_OF(ACTION),
        [PARLEY_ATOM_session_id] = PARLEY_MOQ_OF(SESSION_ID),
        [PARLEY_ATOM_auth_token] = PARLEY_MOQ_OF(AUTH_TOKEN),
        [PARLEY_ATOM_status] = PARLEY_MOQ_OF(STATUS),
        [PARLEY_ATOM_error_code] = PARLEY_MOQ_OF(ERROR_CODE),
        [PARLEY_ATOM_payload] = PARLEY_MOQ_OF(PAYLOAD) }
};


static const parley_str_t  parley_moq_statuses[] = {
    [PARLEY_MOQ_UNSAID] = parley_str(""),
    [PARLEY_MOQ_APPROVED] = parley_str("approved"),
    [PARLEY_MOQ_DENIED] = parley_str("denied"),
    [PARLEY_MOQ_ERROR] = parley_str("error"),
    [PARLEY_MOQ_ACCEPTED] = parley_str("accepted"),
    [PARLEY_MOQ_PENDING] = parley_str("pending"),
    [PARLEY_MOQ_WORKING] = parley_str("working"),
};


static const parley_str_t  parley_moq_local[] = {
    parley_str("session_init"),
    parley_str("session_ack"),
    parley_str("session_bye"),
    parley_str("subscribe_request"),
    parley_str("unsubscribe_request"),
    parley_str("track_ready"),
};


static int
parley_moq_detect(const parley_json_t *doc)
{
    int       score;
    uint32_t  k;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return 0;
    }

    score = 0;

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        switch (parley_json_atom(doc, k)) {

        case PARLEY_ATOM_action:
            score += PARLEY_MOQ_DETECTED;
            break;

        /*
         * The draft also names "status" and "payload", but other protocols have
         * them too.
         */

        case PARLEY_ATOM_session_id:
        case PARLEY_ATOM_auth_token:
        case PARLEY_ATOM_error_code:
        case PARLEY_ATOM_track_name:
        case PARLEY_ATOM_quality_params:
        case PARLEY_ATOM_subscriber_id:
            score++;
            break;

        default:
            break;
        }
    }

    return score;
}


parley_moq_field_t
parley_moq_field_find(parley_str_t name)
{
    return (parley_moq_field_t)
           (PARLEY_MOQ_FIELDS - parley_moq_mapped.names[parley_atom_of(name)]);
}


parley_moq_status_t
parley_moq_status(const parley_json_t *doc, uint32_t value)
{
    unsigned  i;

    if (value == PARLEY_JSON_NONE) {
        return PARLEY_MOQ_UNSAID;
    }

    for (i = PARLEY_MOQ_APPROVED; i <= PARLEY_MOQ_WORKING; i++) {
        if (parley_json_string_is(doc, value, parley_moq_statuses[i])) {
            return (parley_moq_status_t) i;
        }
    }

    return PARLEY_MOQ_UNSAID;
}


parley_str_t
parley_moq_status_name(parley_moq_status_t status)
{
    return parley_moq_statuses[status];
}


int
parley_moq_is_local(parley_str_t action)
{
    size_t  i;

    for (i = 0;
         i < sizeof(parley_moq_local) / sizeof(parley_moq_local[0]);
         i++)
    {
        if (parley_str_eq(parley_moq_local[i], action)) {
            return 1;
        }
    }

    return 0;
}


int
parley_moq_recipient(const parley_json_t *doc, parley_str_t *ret)
{
    size_t    i;
    uint32_t  value;

    static const parley_str_t  names[] = {
        parley_str("vcp"), parley_str("vcp2"), parley_str("c2a"),
        parley_str("channel")
    };

    *ret = parley_str_none;

    value = parley_json_get(doc, 0, PARLEY_STR("aee"));

    if (value != PARLEY_JSON_NONE) {
        value = parley_json_get(doc, value, PARLEY_STR("recipient"));

        if (value != PARLEY_JSON_NONE
            && parley_json_type(doc, value) == PARLEY_JSON_STRING
            && parley_json_string(doc, value, ret) != 0)
        {
            *ret = parley_str_none;
        }

        return 1;
    }

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (parley_json_get(doc, 0, names[i]) != PARLEY_JSON_NONE) {
            return 1;
        }
    }

    return 0;
}


parley_str_t
parley_moq_action(parley_str_t intent)
{
    const size_t  len = sizeof(PARLEY_MOQ_INTENT) - 1;

    return intent.len >= len
           && parley_str_eq_fold(parley_str_make(intent.data, len),
                                 PARLEY_STR(PARLEY_MOQ_INTENT))
           ? parley_str_from(intent, len) : intent;
}


/* Finds the second name of an intent: the action for a "moq.cmd." intent, and
   this intent for an action. */

static int
parley_moq_reading(parley_arena_t *arena, parley_str_t intent,
    parley_str_t *ret)
{
    parley_buf_t  b;
    parley_str_t  action;

    action = parley_moq_action(intent);

    if (action.len != intent.len) {
        *ret = action;
        return 0;
    }

    parley_buf_init(&b, arena, sizeof(PARLEY_MOQ_INTENT) + intent.len);
    parley_buf_lit(&b, PARLEY_MOQ_INTENT);
    parley_buf_str(&b, intent);

    return parley_buf_done(&b, ret);
}


/* Returns the member of the payload with the text for a person. */

static parley_atom_t
parley_moq_spoken(const parley_msg_t *m)
{
    (void) m;

    return PARLEY_ATOM_text;
}


/*
 * Reports members that canonical fields do not contain: also a payload that is
 * not an object, and the number of a command that is not a failure.
 */

static void
parley_moq_unmapped(const parley_msg_t *m, parley_loss_t *loss)
{
    int64_t               code;
    parley_json_ref_t     value;
    const parley_json_t  *doc;

    doc = m->doc;
    value.doc = doc;

    parley_unmapped(m, 0, &parley_moq_mapped, UINT8_MAX, loss);

    value.node = parley_json_member(doc, 0, PARLEY_ATOM_payload);

    if (value.node != PARLEY_JSON_NONE
        && parley_json_type(doc, value.node) != PARLEY_JSON_NULL
        && (parley_json_type(doc, value.node) != PARLEY_JSON_OBJECT
            || parley_json_node(doc, value.node)->count > 0)
        && (m->data.doc != doc || m->data.node != value.node))
    {
        parley_loss_value(loss, value);
    }

    value.node = parley_json_member(doc, 0, PARLEY_ATOM_error_code);

    if (value.node != PARLEY_JSON_NONE
        && (m->act != PARLEY_ACT_FAILURE
            || parley_json_integer(doc, value.node, &code) != 0 || code < 0))
    {
        parley_loss_value(loss, value);
    }
}


static int
parley_moq_unmapped_own(const parley_msg_t *m, uint32_t value, unsigned by,
    parley_loss_t *loss)
{
    parley_json_ref_t  object;

    (void) by;

    if (parley_json_atom(m->doc, value - 1) != parley_proto_atom(m->origin)) {
        return 0;
    }

    object.doc = m->doc;
    object.node = value;

    parley_embed_items_unread(&parley_moq_slot, object, m->origin, loss);

    return 1;
}
