#include "parley_c2a_field.h"
#include "parley_embed.h"


#define PARLEY_C2A_DETECTED  100    /* "jsonrpc" is there */


static parley_atom_t parley_c2a_spoken(const parley_msg_t *m);
static int parley_c2a_detect(const parley_json_t *doc);
static parley_str_t parley_c2a_type(unsigned i);
static const parley_plain_t *parley_c2a_names_of(const parley_msg_t *msg);
static uint32_t parley_c2a_locate(const parley_msg_t *m,
    parley_msg_field_t field);
static uint32_t parley_c2a_locate_event(const parley_msg_t *m,
    parley_msg_field_t field);
static uint32_t parley_c2a_locate_embedded(const parley_msg_t *m,
    parley_msg_field_t field);
static uint32_t parley_c2a_locate_words(const parley_msg_t *m,
    parley_msg_field_t field);
static uint32_t parley_c2a_locate_conversation(const parley_json_t *doc,
    uint32_t conversation);
static int parley_c2a_submit(parley_arena_t *arena, parley_msg_t *msg,
    const parley_submission_t *submission, parley_error_t *err);


static const parley_plain_t  parley_c2a_place_names[] = {
    { PARLEY_ATOM_id, NULL },
    { PARLEY_ATOM_kind, NULL },
    { PARLEY_ATOM_streamId, NULL },
    { PARLEY_ATOM_threadId, NULL },
    { PARLEY_ATOM_recipient, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_author_names[] = {
    { PARLEY_ATOM_id, NULL },
    { PARLEY_ATOM_kind, NULL },
    { PARLEY_ATOM_displayName, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_target_names[] = {
    { PARLEY_ATOM_mentions, NULL },
    { PARLEY_ATOM_recipient, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_knock_names[] = {
    { PARLEY_ATOM_from, NULL },
    { PARLEY_ATOM_where, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_reliability_names[] = {
    { PARLEY_ATOM_idempotencyKey, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_client_names[] = {
    { PARLEY_ATOM_name, NULL },
    { PARLEY_ATOM_version, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_params_names[] = {
    { PARLEY_ATOM_eventId, NULL },
    { PARLEY_ATOM_conversation, parley_c2a_place_names },
    { PARLEY_ATOM_author, parley_c2a_author_names },
    { PARLEY_ATOM_target, parley_c2a_target_names },
    { PARLEY_ATOM_knock, parley_c2a_knock_names },
    { PARLEY_ATOM_reliability, parley_c2a_reliability_names },
    { PARLEY_ATOM_requestId, NULL },
    { PARLEY_ATOM_progressToken, NULL },
    { PARLEY_ATOM_protocolVersion, NULL },
    { PARLEY_ATOM_clientInfo, parley_c2a_client_names },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_names[] = {
    { PARLEY_ATOM_id, NULL },
    { PARLEY_ATOM_method, NULL },
    { PARLEY_ATOM_params, parley_c2a_params_names },
    { PARLEY_ATOM_NONE, NULL }
};

/* calls of the seven tools, whose target may be a text */

static const parley_plain_t  parley_c2a_arguments_names[] = {
    { PARLEY_ATOM_target, parley_c2a_place_names },
    { PARLEY_ATOM_inReplyTo, NULL },
    { PARLEY_ATOM_idempotencyKey, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_chat_names[] = {
    { PARLEY_ATOM_name, NULL },
    { PARLEY_ATOM_arguments, parley_c2a_arguments_names },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_call_names[] = {
    { PARLEY_ATOM_id, NULL },
    { PARLEY_ATOM_method, NULL },
    { PARLEY_ATOM_params, parley_c2a_chat_names },
    { PARLEY_ATOM_NONE, NULL }
};

/* what another tool or method takes is its own */

static const parley_plain_t  parley_c2a_tool_names[] = {
    { PARLEY_ATOM_name, NULL },
    { PARLEY_ATOM_NONE, NULL }
};

static const parley_plain_t  parley_c2a_other_names[] = {
    { PARLEY_ATOM_id, NULL },
    { PARLEY_ATOM_method, NULL },
    { PARLEY_ATOM_params, parley_c2a_tool_names },
    { PARLEY_ATOM_NONE, NULL }
};


/* of another try the attempt is another, and so is the call that it comes in */
static const char *const  parley_c2a_passing[] = {
    "/id", "/params/_meta", "/params/reliability/attempt", NULL
};


/* a group is a conversation, by its id */
static const parley_str_t  parley_c2a_prefixes[PARLEY_NAME_KINDS] = {
    [PARLEY_NAME_AGENT] = parley_str("agent:"),
    [PARLEY_NAME_HUMAN] = parley_str("human:"),
    [PARLEY_NAME_SERVICE] = parley_str("service:"),
    [PARLEY_NAME_GROUP] = parley_str("channel:"),
};

static const parley_name_syntax_t  parley_c2a_syntax = {
    .parse = parley_name_parse_prefixed,
    .format = parley_name_format_prefixed,
    .prefixes = parley_c2a_prefixes,
};


/* by parley_c2a_header_t */
static const parley_str_t  parley_c2a_reads[] = {
    [PARLEY_C2A_HEADER_MCP] = parley_str("mcp-protocol-version"),
    parley_str("")
};

static const parley_str_t  parley_c2a_sets[] = {
    parley_str("mcp-protocol-version"),
    parley_str("mcp-session-id"),
    parley_str("")
};


const parley_binding_t  parley_c2a_binding = {
    .methods = parley_binding_post,
    .media_type = parley_str("application/json"),
    .reads = parley_c2a_reads,
    .sets = parley_c2a_sets,
    .addressed = 1,
    .responds = 1,
    .local = parley_c2a_local,
    .unruled = parley_c2a_unruled,
};


const parley_codec_t  parley_c2a_codec = {
    .proto = PARLEY_PROTO_C2A,
    .binding = &parley_c2a_binding,
    .syntax = &parley_c2a_syntax,
    .schema = parley_str("urn:parley:schema:c2a-2026-06-02"),
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
    .passing = parley_c2a_passing,
    .first = PARLEY_FIRST_BODY,

    .text_ids = 1,
    .conversations = 1,

    .locate = parley_c2a_locate,
    .names_of = parley_c2a_names_of,

    .detect = parley_c2a_detect,
    .decode = parley_c2a_decode,
    .payload = parley_c2a_says,
    .spoken = parley_c2a_spoken,
    .spoken_in_parts = 1,
    .submit = parley_c2a_submit,
    .unmapped = parley_c2a_unmapped,
    .type = parley_c2a_type,
    .within = parley_c2a_within,
    .extract = parley_c2a_extract,
    .slot = &parley_c2a_slot,
    .encode = parley_c2a_encode,
    .corr_is = parley_c2a_corr_is,
    .answers = parley_c2a_answers,
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
    int       score;
    uint32_t  k;

    if (parley_json_type(doc, 0) == PARLEY_JSON_ARRAY) {

        /* a batch, which is refused as JSON-RPC refuses */

        k = parley_json_first(0);

        return k != parley_json_end(doc, 0)
               && parley_json_member(doc, k, PARLEY_ATOM_jsonrpc)
                  != PARLEY_JSON_NONE
               ? PARLEY_C2A_DETECTED : 0;
    }

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return 0;
    }

    score = 0;

    for (k = parley_json_first(0);
         k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        switch (parley_c2a_field(doc, k)) {

        case PARLEY_C2A_FIELD_JSONRPC:
            score += PARLEY_C2A_DETECTED;
            break;

        case PARLEY_C2A_FIELD_ID:
        case PARLEY_C2A_FIELD_METHOD:
        case PARLEY_C2A_FIELD_PARAMS:
            score++;
            break;

        default:
            break;
        }
    }

    return score;
}


static parley_str_t
parley_c2a_type(unsigned i)
{
    return i < PARLEY_C2A_FORMS
           ? parley_c2a_form_info((parley_c2a_form_t) i)->form
           : parley_str_none;
}


/* An event, or a message that is sent, has parts; but for a knock. */

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
 * A call of a tool, a notification and some events do not say who they are
 * from, a reaction not whom it is for, and hardly any when it was made.
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
 * Where a message says what its canonical fields hold: that depends on whether
 * it is an event, a tool call or a notification, and on what an event carries.
 */

static uint32_t
parley_c2a_locate(const parley_msg_t *m, parley_msg_field_t field)
{
    if (m->wire == PARLEY_PROTO_C2A
        && parley_c2a_form_of(m->doc) == PARLEY_C2A_DELIVER)
    {
        return parley_c2a_locate_event(m, field);
    }

    return m->origin == PARLEY_PROTO_C2A ? parley_c2a_locate_words(m, field)
                                         : PARLEY_JSON_NONE;
}


static uint32_t
parley_c2a_locate_event(const parley_msg_t *m, parley_msg_field_t field)
{
    uint32_t              params, target, conversation;
    const parley_json_t  *doc;

    doc = m->doc;
    params = parley_c2a_params(doc);
    conversation = parley_json_member(doc, params, PARLEY_ATOM_conversation);

    switch (field) {

    case PARLEY_MSG_CORR:
        return parley_c2a_locate_conversation(doc, conversation);

    case PARLEY_MSG_RECIPIENT:
        target = parley_json_member(doc, parley_json_member(doc, params,
                                                            PARLEY_ATOM_target),
                                    PARLEY_ATOM_recipient);

        /* what is for a channel may name that alone */

        return target != PARLEY_JSON_NONE
               ? target : parley_json_member(doc, conversation,
                                             PARLEY_ATOM_id);

    default:
        break;
    }

    return m->origin != PARLEY_PROTO_C2A ? parley_c2a_locate_embedded(m, field)
                                         : PARLEY_JSON_NONE;
}


static uint32_t
parley_c2a_locate_embedded(const parley_msg_t *m, parley_msg_field_t field)
{
    uint32_t              asked, content, intent;
    parley_str_t          name;
    parley_c2a_part_t     part;
    const parley_json_t  *doc;

    doc = m->doc;

    content = parley_json_member(doc, parley_c2a_params(doc),
                                 PARLEY_ATOM_content);

    if (parley_c2a_part(doc, content, &part) != 0
        || part.node == PARLEY_JSON_NONE)
    {
        return PARLEY_JSON_NONE;
    }

    switch (field) {

    case PARLEY_MSG_FORM:
        return part.form;

    case PARLEY_MSG_INTENT:
        intent = parley_json_member(doc, part.members, PARLEY_ATOM_intent);
        return intent != PARLEY_JSON_NONE ? intent : part.form;

    case PARLEY_MSG_REPLY_TO:
        name = parley_codecs[m->origin]->reply_to_member;
        asked = name.len > 0 ? parley_json_get(doc, part.members, name)
                             : PARLEY_JSON_NONE;
        return asked != PARLEY_JSON_NONE
               ? asked : parley_json_member(doc, parley_c2a_params(doc),
                                            PARLEY_ATOM_inReplyTo);

    default:
        return PARLEY_JSON_NONE;
    }
}


/* a tool call or a notification, also one that another protocol carries */

static uint32_t
parley_c2a_locate_words(const parley_msg_t *m, parley_msg_field_t field)
{
    uint32_t              target;
    parley_c2a_form_t     form;
    const parley_json_t  *doc;

    doc = m->doc;
    form = m->native ? parley_c2a_form_of(doc)
                     : parley_c2a_form_find(m->form);

    switch (field) {

    case PARLEY_MSG_FORM:
    case PARLEY_MSG_INTENT:
        return m->wire == PARLEY_PROTO_C2A && form != PARLEY_C2A_FORMS
               && parley_c2a_form_info(form)->tool
               ? parley_json_member(doc, parley_c2a_params(doc),
                                    PARLEY_ATOM_name)
               : PARLEY_JSON_NONE;

    case PARLEY_MSG_REPLY_TO:
        return parley_json_member(doc, m->data.node,
                                  form == PARLEY_C2A_CANCELLED
                                  ? PARLEY_ATOM_requestId
                                  : form == PARLEY_C2A_PROGRESS
                                  ? PARLEY_ATOM_progressToken
                                  : PARLEY_ATOM_inReplyTo);

    case PARLEY_MSG_ID:
        return parley_json_member(doc, m->data.node,
                                  PARLEY_ATOM_idempotencyKey);

    case PARLEY_MSG_CORR:

        if (form == PARLEY_C2A_PROGRESS) {
            return parley_json_member(doc, m->data.node,
                                      PARLEY_ATOM_progressToken);
        }

        /* fall through */

    case PARLEY_MSG_RECIPIENT:
        target = parley_json_member(doc, m->data.node, PARLEY_ATOM_target);

        return target != PARLEY_JSON_NONE
               && parley_json_type(doc, target) == PARLEY_JSON_STRING
               ? target : parley_c2a_locate_conversation(doc, target);

    default:
        return PARLEY_JSON_NONE;
    }
}


static uint32_t
parley_c2a_locate_conversation(const parley_json_t *doc, uint32_t conversation)
{
    uint32_t  thread;

    thread = parley_json_member(doc, conversation, PARLEY_ATOM_threadId);

    return thread != PARLEY_JSON_NONE
           ? thread : parley_json_member(doc, conversation, PARLEY_ATOM_id);
}


int
parley_c2a_code_number(parley_code_t code)
{
    switch (code) {

#define X(sym, number)                                                        \
    case PARLEY_E_##sym:                                                      \
        return number;
    PARLEY_C2A_CODES(X)
#undef X

    default:
        return PARLEY_C2A_NUMBERS - parley_error_info(code)->http;
    }
}
