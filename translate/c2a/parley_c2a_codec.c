/*
 * The codec: detection, the places of fields and names, and the members that
 * cannot be translated.
 *
 *   {"jsonrpc": "2.0", "id": "evt_1", "method": "chat/deliver", "params": {
 *     "eventId": "evt_1", "conversation": {"id": "C1", "threadId": "T1"},
 *     "target": {"recipient": "agent:bob"}, ...}}
 *
 * has the correlation "C1/T1".
 */

#include "translate/c2a/parley_c2a.h"
#include "translate/parley_embed_redact.h"
#include "translate/parley_unmapped.h"


#define PARLEY_C2A_DETECTED  100    /* "jsonrpc" is present */

/* mappings of a member: by a canonical field (HELD), by a canonical field with
   the id of the conversation (NAMED), by a known form (KNOWN), or by the
   gateway for a carried message (MADE) */
#define PARLEY_C2A_HELD   0x01
#define PARLEY_C2A_MADE   0x02
#define PARLEY_C2A_NAMED  0x04
#define PARLEY_C2A_KNOWN  0x08


static parley_atom_t parley_c2a_spoken(const parley_msg_t *m);
static int parley_c2a_detect(const parley_json_t *doc);
static parley_str_t parley_c2a_type(unsigned i);
static const parley_plain_t *parley_c2a_names_of(const parley_msg_t *msg);
static uint32_t parley_c2a_locate(const parley_msg_t *m,
    parley_msg_field_t field);
static uint32_t parley_c2a_locate_event(const parley_msg_t *m,
    const uint32_t *at, parley_msg_field_t field);
static uint32_t parley_c2a_locate_embedded(const parley_msg_t *m,
    const uint32_t *at, parley_msg_field_t field);
static uint32_t parley_c2a_locate_conversation(const uint32_t *at);
static int parley_c2a_submit(parley_arena_t *arena, parley_msg_t *msg,
    const parley_submission_t *submission, parley_error_t *err);
static void parley_c2a_unmapped(const parley_msg_t *m, parley_loss_t *loss);
static int parley_c2a_has_form(const parley_msg_t *m, uint32_t params);
static void parley_c2a_unmapped_event(const parley_msg_t *m, uint32_t params,
    parley_loss_t *loss);
static int parley_c2a_unmapped_own(const parley_msg_t *m, uint32_t value,
    unsigned by, parley_loss_t *loss);
static void parley_c2a_unmapped_content(const parley_msg_t *m,
    uint32_t content, unsigned by, parley_loss_t *loss);


static const parley_plain_t  parley_c2a_place_names[] = {
    { PARLEY_ATOM_id, NULL }, { PARLEY_ATOM_kind, NULL },
    { PARLEY_ATOM_streamId, NULL }, { PARLEY_ATOM_threadId, NULL },
    { PARLEY_ATOM_recipient, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_author_names[] = {
    { PARLEY_ATOM_id, NULL }, { PARLEY_ATOM_kind, NULL },
    { PARLEY_ATOM_displayName, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_target_names[] = {
    { PARLEY_ATOM_mentions, NULL }, { PARLEY_ATOM_recipient, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_knock_names[] = {
    { PARLEY_ATOM_from, NULL }, { PARLEY_ATOM_where, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_reliability_names[] = {
    { PARLEY_ATOM_idempotencyKey, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_client_names[] = {
    { PARLEY_ATOM_name, NULL }, { PARLEY_ATOM_version, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_params_names[] = {
    { PARLEY_ATOM_eventId, NULL },
    { PARLEY_ATOM_conversation, parley_c2a_place_names },
    { PARLEY_ATOM_author, parley_c2a_author_names },
    { PARLEY_ATOM_target, parley_c2a_target_names },
    { PARLEY_ATOM_knock, parley_c2a_knock_names },
    { PARLEY_ATOM_reliability, parley_c2a_reliability_names },
    { PARLEY_ATOM_requestId, NULL }, { PARLEY_ATOM_progressToken, NULL },
    { PARLEY_ATOM_protocolVersion, NULL },
    { PARLEY_ATOM_clientInfo, parley_c2a_client_names },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_names[] = {
    { PARLEY_ATOM_id, NULL }, { PARLEY_ATOM_method, NULL },
    { PARLEY_ATOM_params, parley_c2a_params_names },
    { PARLEY_ATOM_NONE, NULL }
};

/* calls of the seven tools; the target may be a text */

static const parley_plain_t  parley_c2a_arguments_names[] = {
    { PARLEY_ATOM_target, parley_c2a_place_names },
    { PARLEY_ATOM_inReplyTo, NULL }, { PARLEY_ATOM_idempotencyKey, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_chat_names[] = {
    { PARLEY_ATOM_name, NULL },
    { PARLEY_ATOM_arguments, parley_c2a_arguments_names },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_call_names[] = {
    { PARLEY_ATOM_id, NULL }, { PARLEY_ATOM_method, NULL },
    { PARLEY_ATOM_params, parley_c2a_chat_names },
    { PARLEY_ATOM_NONE, NULL }
};

/* other tools and methods have members of their own */

static const parley_plain_t  parley_c2a_tool_names[] = {
    { PARLEY_ATOM_name, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_other_names[] = {
    { PARLEY_ATOM_id, NULL }, { PARLEY_ATOM_method, NULL },
    { PARLEY_ATOM_params, parley_c2a_tool_names },
    { PARLEY_ATOM_NONE, NULL }
};


/* another attempt has another number and another call */
static const parley_atom_t
    parley_c2a_passing[][PARLEY_CODEC_PASSING_NAMES] = {
    { PARLEY_ATOM_id },
    { PARLEY_ATOM_params, PARLEY_ATOM__meta },
    { PARLEY_ATOM_params, PARLEY_ATOM_reliability, PARLEY_ATOM_attempt },
    { PARLEY_ATOM_NONE }
};


/* indexed by parley_c2a_envelope */
static const parley_mapped_t  parley_c2a_mapped_in[] = {
    { .pointer = "/params/eventId" },
    { .pointer = "/params/source", .names = {
        [PARLEY_ATOM_platform] = PARLEY_C2A_MADE } },
    { .pointer = "/params/conversation", .names = {
        [PARLEY_ATOM_id] = PARLEY_C2A_NAMED,
        [PARLEY_ATOM_threadId] = PARLEY_C2A_HELD,
        [PARLEY_ATOM_kind] = PARLEY_C2A_MADE } },
    { .pointer = "/params/author", .names = {
        [PARLEY_ATOM_id] = PARLEY_C2A_HELD,
        [PARLEY_ATOM_kind] = PARLEY_C2A_HELD } },
    { .pointer = "/params/target", .names = {
        [PARLEY_ATOM_recipient] = PARLEY_C2A_HELD,
        [PARLEY_ATOM_directedness] = PARLEY_C2A_MADE } },
    { .pointer = "/params/timing", .names = {
        [PARLEY_ATOM_createdAt] = PARLEY_C2A_HELD } },
    { .pointer = "/params/attention", .names = {
        [PARLEY_ATOM_priority] = PARLEY_C2A_HELD,
        [PARLEY_ATOM_deadlineMs] = PARLEY_C2A_HELD,
        [PARLEY_ATOM_policy] = PARLEY_C2A_MADE,
        [PARLEY_ATOM_reason] = PARLEY_C2A_MADE } },
    { .pointer = "/params/injection", .names = {
        [PARLEY_ATOM_mode] = PARLEY_C2A_MADE } },
    { .pointer = "/params/reliability", .names = {
        [PARLEY_ATOM_idempotencyKey] = PARLEY_C2A_MADE,
        [PARLEY_ATOM_attempt] = PARLEY_C2A_MADE } },
};

/* an event with a carried message repeats the id that this message answers */
static const parley_mapped_t  parley_c2a_mapped = {
    .own = parley_c2a_unmapped_own,
    .names = { [PARLEY_ATOM_inReplyTo] = PARLEY_C2A_MADE },
    .objects = parley_c2a_envelope,
    .inner = parley_c2a_mapped_in,
};

static const parley_mapped_t  parley_c2a_mapped_part = {
    .names = {
        [PARLEY_ATOM_type] = PARLEY_C2A_MADE,
        [PARLEY_ATOM_mediaType] = PARLEY_C2A_MADE,
        [PARLEY_ATOM_form] = PARLEY_C2A_KNOWN,
        [PARLEY_ATOM_data] = PARLEY_C2A_HELD,
        [PARLEY_ATOM_members] = PARLEY_C2A_HELD,
        [PARLEY_ATOM_reference] = PARLEY_C2A_MADE }
};

static const parley_mapped_t  parley_c2a_mapped_text = {
    .names = {
        [PARLEY_ATOM_type] = PARLEY_C2A_MADE,
        [PARLEY_ATOM_text] = PARLEY_C2A_MADE }
};


/* indexed by parley_c2a_header_t */
static const parley_str_t  parley_c2a_reads[] = {
    [PARLEY_C2A_HEADER_MCP] = parley_str("mcp-protocol-version"),
    parley_str("")
};

static const parley_str_t  parley_c2a_sets[] = {
    parley_str("mcp-protocol-version"), parley_str("mcp-session-id"),
    parley_str("c2a-session"), parley_str("")
};


static const parley_str_t  parley_c2a_relays[] = {
    parley_str("GET"), parley_str("DELETE"), parley_str("")
};


const parley_binding_t  parley_c2a_binding = {
    .methods = parley_binding_post,
    .relays = parley_c2a_relays,
    .media_type = parley_str("application/json"),
    .reads = parley_c2a_reads,
    .sets = parley_c2a_sets,
    .sessions = &parley_c2a_sets[1],    /* all except the version */
    .addressed = 1,
    .responds = 1,
    .looks = 1,
    .local = parley_c2a_local,
    .unruled = parley_c2a_unruled,
};


static const parley_str_t  parley_c2a_inputs[] = {
    [PARLEY_C2A_SUBMISSION] = parley_str("urn:parley:schema:c2a-submission"),
    [PARLEY_C2A_HOST] = parley_str("urn:parley:schema:c2a-host"),
};

/* params of a request, and arguments of a call */
static const parley_str_t  parley_c2a_payloads[] = {
    parley_str("/params"), parley_str("/params/arguments"), parley_str("")
};


const parley_codec_t  parley_c2a_codec = {
    .proto = PARLEY_PROTO_C2A,
    .binding = &parley_c2a_binding,
    .syntax = &parley_c2a_syntax,
    .schema = parley_str("urn:parley:schema:c2a-2026-06-02"),
    .parts = parley_c2a_inputs,
    .nparts = sizeof(parley_c2a_inputs) / sizeof(parley_c2a_inputs[0]),
    .discriminator = PARLEY_ATOM_jsonrpc,

    .pointers[PARLEY_MSG_FORM] = "/method",
    .pointers[PARLEY_MSG_ID] = "/params/eventId",
    .pointers[PARLEY_MSG_CREATED] = "/params/timing/createdAt",
    .pointers[PARLEY_MSG_SENDER] = "/params/author",
    .pointers[PARLEY_MSG_RECIPIENT] = "/params/target/recipient",
    .pointers[PARLEY_MSG_INTENT] = "/method",
    .pointers[PARLEY_MSG_CORR] = "/params/conversation/id",
    .pointers[PARLEY_MSG_REPLY_TO] = "/params/arguments/inReplyTo",
    .pointers[PARLEY_MSG_PRIORITY] = "/params/attention/priority",
    .pointers[PARLEY_MSG_TIMEOUT] = "/params/attention/deadlineMs",
    .pointers[PARLEY_MSG_DATA] = "/params",
    .payloads = parley_c2a_payloads,
    .passing = parley_c2a_passing,
    .first = PARLEY_FIRST_BODY,

    .sender_ids = 1,
    .replies_to_id = 1,
    .conversations = 1,

    .locate = parley_c2a_locate,
    .names_of = parley_c2a_names_of,

    .detect = parley_c2a_detect,
    .decode = parley_c2a_decode,
    .spelling = parley_c2a_spelling,
    .payload = parley_c2a_says,
    .spoken = parley_c2a_spoken,
    .spoken_in_parts = 1,
    .submit = parley_c2a_submit,
    .account = parley_c2a_account,
    .author = parley_c2a_author,
    .chat = &parley_c2a_chat,
    .unmapped = parley_c2a_unmapped,
    .type = parley_c2a_type,
    .within = parley_c2a_within,
    .extract = parley_c2a_extract,
    .slot = &parley_c2a_slot,
    .encode = parley_c2a_encode,
    .corr_is = parley_c2a_corr_is,
    .answers = parley_c2a_answers,
    .render = parley_c2a_render,
    .direction = parley_embed_direction,
    .answer_decode = parley_c2a_answer_decode,
    .answer_encode = parley_c2a_answer_encode,
    .duplicate = parley_c2a_duplicate,
    .refuse = parley_c2a_refuse,
};


static const parley_plain_t *
parley_c2a_names_of(const parley_msg_t *msg)
{
    switch (parley_c2a_form_of(msg->doc)) {

    case PARLEY_C2A_DELIVER:
    case PARLEY_C2A_CANCELLED:
    case PARLEY_C2A_PROGRESS:
    case PARLEY_C2A_INITIALIZE:
        return parley_c2a_names;

    case PARLEY_C2A_LIST_EVENTS:
    case PARLEY_C2A_READ_THREAD:
    case PARLEY_C2A_SEND_MESSAGE:
    case PARLEY_C2A_REACT:
    case PARLEY_C2A_CLAIM:
    case PARLEY_C2A_DEFER:
    case PARLEY_C2A_RESOLVE:
        return parley_c2a_call_names;

    default:
        return parley_c2a_other_names;
    }
}


static int
parley_c2a_detect(const parley_json_t *doc)
{
    uint32_t              k;
    const uint32_t       *at;
    parley_c2a_places_t   places;

    if (parley_json_type(doc, 0) == PARLEY_JSON_ARRAY) {

        /* JSON-RPC's batch, which is refused */

        k = parley_json_first(0);

        return k != parley_json_end(doc, 0)
               && parley_json_member(doc, k, PARLEY_ATOM_jsonrpc)
                  != PARLEY_JSON_NONE
               ? PARLEY_C2A_DETECTED : 0;
    }

    (void) parley_c2a_places_find(&places, doc);

    at = places.at;

    return (at[PARLEY_C2A_AT_JSONRPC] != PARLEY_JSON_NONE
            ? PARLEY_C2A_DETECTED : 0)
           + (at[PARLEY_C2A_AT_ID] != PARLEY_JSON_NONE)
           + (at[PARLEY_C2A_AT_METHOD] != PARLEY_JSON_NONE)
           + (at[PARLEY_C2A_AT_PARAMS] != PARLEY_JSON_NONE);
}


static parley_str_t
parley_c2a_type(unsigned i)
{
    return i < PARLEY_C2A_FORMS
           ? parley_c2a_form_info((parley_c2a_form_t) i)->form
           : parley_str_none;
}


/* Returns the content for an event or a sent message, except a knock. */

static parley_atom_t
parley_c2a_spoken(const parley_msg_t *m)
{
    parley_c2a_form_t  form;

    form = parley_c2a_form_find(m->form);

    return (form == PARLEY_C2A_DELIVER || form == PARLEY_C2A_SEND_MESSAGE)
           && parley_json_member(m->data.doc, m->data.node, PARLEY_ATOM_text)
              == PARLEY_JSON_NONE
           && parley_json_member(m->data.doc, m->data.node, PARLEY_ATOM_knock)
              == PARLEY_JSON_NONE
           ? PARLEY_ATOM_content : PARLEY_ATOM_NONE;
}


/*
 * Fills values that are missing in many messages: the sender of a tool call, of
 * a notification and of some events; the recipient of a reaction; and the time.
 */

static int
parley_c2a_submit(parley_arena_t *arena, parley_msg_t *msg,
    const parley_submission_t *submission, parley_error_t *err)
{
    (void) arena;
    (void) err;

    if (msg->sender.len == 0) {
        msg->sender = submission->sender;
    }

    if (msg->recipient.len == 0) {
        msg->recipient = submission->recipient;
    }

    if (msg->created.len == 0 && submission->ms > 0) {
        msg->created_ms = submission->ms;
    }

    msg->mcp = submission->headers[PARLEY_C2A_HEADER_MCP].data != NULL
               || (msg->native && parley_c2a_is_mcp(msg->doc));

    return 0;
}


/*
 * Finds the place of a canonical field.  It depends on the kind of message
 * (event, tool call or notification), also if another protocol carries it, and
 * on the message that an event carries.
 */

static uint32_t
parley_c2a_locate(const parley_msg_t *m, parley_msg_field_t field)
{
    int                   tool, native;
    uint32_t              target;
    const uint32_t       *at;
    parley_c2a_form_t     form;
    parley_c2a_places_t   places;

    at = places.at;
    native = m->wire == PARLEY_PROTO_C2A;

    if (native) {
        form = parley_c2a_places_find(&places, m->doc);

        if (form == PARLEY_C2A_DELIVER) {
            return parley_c2a_locate_event(m, at, field);
        }

    } else {
        form = m->origin == PARLEY_PROTO_C2A ? parley_c2a_form_find(m->form)
                                             : PARLEY_C2A_FORMS;

        if (form == PARLEY_C2A_FORMS) {
            return PARLEY_JSON_NONE;
        }

        parley_c2a_places_payload(&places, m->doc, m->data.node, form);
    }

    tool = form != PARLEY_C2A_FORMS && parley_c2a_form_info(form)->tool;

    switch (field) {

    case PARLEY_MSG_FORM:
    case PARLEY_MSG_INTENT:
        return native && tool ? at[PARLEY_C2A_AT_NAME] : PARLEY_JSON_NONE;

    case PARLEY_MSG_REPLY_TO:
        return at[form == PARLEY_C2A_CANCELLED ? PARLEY_C2A_AT_REQUEST
                  : form == PARLEY_C2A_PROGRESS ? PARLEY_C2A_AT_TOKEN
                  : PARLEY_C2A_AT_IN_REPLY_TO];

    case PARLEY_MSG_ID:
        return tool ? at[PARLEY_C2A_AT_EVENT_ID] : PARLEY_JSON_NONE;

    case PARLEY_MSG_CORR:

        if (form == PARLEY_C2A_PROGRESS) {
            return at[PARLEY_C2A_AT_TOKEN];
        }

        /* fall through */

    case PARLEY_MSG_RECIPIENT:
        target = tool ? at[PARLEY_C2A_AT_CONVERSATION] : PARLEY_JSON_NONE;

        return target != PARLEY_JSON_NONE
               && parley_json_type(m->doc, target) == PARLEY_JSON_STRING
               ? target : parley_c2a_locate_conversation(at);

    default:
        return PARLEY_JSON_NONE;
    }
}


/* The recipient may be only a channel. */

static uint32_t
parley_c2a_locate_event(const parley_msg_t *m, const uint32_t *at,
    parley_msg_field_t field)
{
    switch (field) {

    case PARLEY_MSG_CORR:
        return parley_c2a_locate_conversation(at);

    case PARLEY_MSG_RECIPIENT:
        return at[at[PARLEY_C2A_AT_RECIPIENT] != PARLEY_JSON_NONE
                  ? PARLEY_C2A_AT_RECIPIENT : PARLEY_C2A_AT_CONVERSATION_ID];

    case PARLEY_MSG_REPLY_TO:

        if (m->origin == PARLEY_PROTO_C2A) {
            return at[PARLEY_C2A_AT_IN_REPLY_TO];
        }

        /* fall through */

    default:
        return m->origin != PARLEY_PROTO_C2A
               ? parley_c2a_locate_embedded(m, at, field) : PARLEY_JSON_NONE;
    }
}


static uint32_t
parley_c2a_locate_embedded(const parley_msg_t *m, const uint32_t *at,
    parley_msg_field_t field)
{
    uint32_t              said;
    parley_str_t          name;
    parley_c2a_part_t     part;
    const parley_json_t  *doc;

    doc = m->doc;

    if (parley_c2a_part(doc, at[PARLEY_C2A_AT_CONTENT], &part) != 0
        || part.node == PARLEY_JSON_NONE)
    {
        return PARLEY_JSON_NONE;
    }

    switch (field) {

    case PARLEY_MSG_FORM:
        return part.form;

    case PARLEY_MSG_INTENT:
        said = parley_json_member(doc, part.members, PARLEY_ATOM_intent);
        return said != PARLEY_JSON_NONE ? said : part.form;

    case PARLEY_MSG_REPLY_TO:
        name = parley_codecs[m->origin]->reply_to_member;
        said = name.len > 0 ? parley_json_get(doc, part.members, name)
                            : PARLEY_JSON_NONE;
        return said != PARLEY_JSON_NONE ? said
                                        : at[PARLEY_C2A_AT_IN_REPLY_TO];

    default:
        return PARLEY_JSON_NONE;
    }
}


static uint32_t
parley_c2a_locate_conversation(const uint32_t *at)
{
    return at[at[PARLEY_C2A_AT_THREAD_ID] != PARLEY_JSON_NONE
              ? PARLEY_C2A_AT_THREAD_ID : PARLEY_C2A_AT_CONVERSATION_ID];
}


/*
 * Reports members without a canonical field.  The id of a call belongs to the
 * exchange.  Only an event has an envelope and can carry a message; the result
 * of a tool has neither.
 */

static void
parley_c2a_unmapped(const parley_msg_t *m, parley_loss_t *loss)
{
    uint32_t           i;
    parley_c2a_form_t  form;

    if (m->origin != m->wire || m->envelope != NULL) {
        parley_c2a_unmapped_event(m, parley_mcp_params(m->doc), loss);
        return;
    }

    form = parley_c2a_form_find(m->form);

    for (i = 0;
         i < m->nmembers && form != PARLEY_C2A_FORMS
         && parley_c2a_form_info(form)->tool;
         i++)
    {
        if (!parley_str_is(m->members[i].name, "id")
            && m->members[i].value.doc == m->doc)
        {
            parley_loss_value(loss, m->members[i].value);
        }
    }
}


/* Returns whether the protocol of a carried message has its form. */

static int
parley_c2a_has_form(const parley_msg_t *m, uint32_t params)
{
    uint32_t           content;
    parley_c2a_part_t  part;

    content = parley_json_member(m->doc, params, PARLEY_ATOM_content);

    /* an unknown form of AEE is replaced when the message is read */

    return parley_embed_is_form(m->origin, m->form)
           && parley_c2a_part(m->doc, content, &part) == 0
           && part.node != PARLEY_JSON_NONE
           && parley_json_string_is(m->doc, part.form, m->form);
}


/*
 * Reports the members of an event.  The id of the conversation has no canonical
 * field if the thread is the correlation and a recipient is named.
 */

static void
parley_c2a_unmapped_event(const parley_msg_t *m, uint32_t params,
    parley_loss_t *loss)
{
    unsigned              by;
    uint32_t              value;
    const parley_json_t  *doc;

    doc = m->doc;
    by = PARLEY_C2A_HELD;

    if (m->origin != m->wire) {
        by |= PARLEY_C2A_MADE
              | (parley_c2a_has_form(m, params) ? PARLEY_C2A_KNOWN : 0);
    }

    value = parley_json_member(doc, params, PARLEY_ATOM_conversation);
    value = parley_json_member(doc, value, PARLEY_ATOM_threadId);

    if (value != PARLEY_JSON_NONE) {
        value = parley_json_member(doc, params, PARLEY_ATOM_target);
        value = parley_json_member(doc, value, PARLEY_ATOM_recipient);
    }

    if (value == PARLEY_JSON_NONE) {
        by |= PARLEY_C2A_NAMED;
    }

    parley_unmapped(m, params, &parley_c2a_mapped, by, loss);
}


/*
 * Handles members that are not envelope members: they are the payload, or the
 * carrier.
 */

static int
parley_c2a_unmapped_own(const parley_msg_t *m, uint32_t value, unsigned by,
    parley_loss_t *loss)
{
    if (m->origin == m->wire) {
        return 1;
    }

    if (parley_json_atom(m->doc, value - 1) != PARLEY_ATOM_content) {
        return 0;
    }

    parley_c2a_unmapped_content(m, value, by, loss);

    return 1;
}


/*
 * Reports additions of others to the capsule and to the text before it.  All
 * other members of these parts come from the gateway.
 */

static void
parley_c2a_unmapped_content(const parley_msg_t *m, uint32_t content,
    unsigned by, parley_loss_t *loss)
{
    uint32_t              i, next, end;
    parley_json_ref_t     value;
    const parley_json_t  *doc;

    doc = m->doc;
    value.doc = doc;
    end = parley_json_end(doc, content);

    for (i = parley_json_first(content); i != end; i = next) {

        next = parley_json_after(doc, i);

        if (i <= m->data.node && m->data.node < next) {
            parley_unmapped(m, i, &parley_c2a_mapped_part, by, loss);

        } else if (i == parley_json_first(content)
                   && next <= m->data.node
                   && m->data.node < parley_json_after(doc, next)
                   && parley_json_string_is(doc,
                               parley_json_member(doc, i, PARLEY_ATOM_type),
                               PARLEY_STR("text")))
        {
            parley_unmapped(m, i, &parley_c2a_mapped_text, by, loss);

        } else {
            value.node = i;
            parley_loss_value(loss, value);
        }
    }
}


int
parley_c2a_within(parley_redact_t *r, const parley_msg_t *m)
{
    return parley_embed_redact_parts(r, m->doc, "/params/content") != 0
           || parley_embed_redact_parts(r, m->doc,
                                      "/params/arguments/content")
              != 0 ? -1 : 0;
}
