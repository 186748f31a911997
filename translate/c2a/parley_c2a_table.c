/*
 * The tables: forms of messages with the places of their members, reaction
 * signals, dispositions, and words of attention.
 */

#include "translate/c2a/parley_c2a_chat.h"


static parley_c2a_form_t parley_c2a_form_called(const parley_json_t *doc,
    uint32_t method, uint32_t name);
static void parley_c2a_places_add(parley_c2a_places_t *places,
    const parley_json_t *doc, uint32_t value, parley_c2a_object_t of);
static void parley_c2a_places_add_all(parley_c2a_places_t *places,
    const parley_json_t *doc, parley_c2a_form_t form);


#define parley_c2a_form_row(f, m, a, p)                                       \
    .form = parley_str(f), .intent = parley_str("c2a." f),                    \
    .method = parley_str(m), .act = PARLEY_ACT_##a,                           \
    .priority = PARLEY_PRIORITY_##p

#define parley_c2a_tool_row(f, a, p, disposed, text)                          \
    parley_c2a_form_row("chat." f, "tools/call", a, p),                       \
    .disposition = PARLEY_CHAT_##disposed, .tool = 1,                          \
    .alias = parley_str("chat_" f), .input = parley_str("/$defs/chat_" f),    \
    .description = parley_str(text)


/* methods, the seven tools, notifications; MCP's own methods, and all others */

static const parley_c2a_form_info_t  parley_c2a_forms[PARLEY_C2A_FORMS] = {
    [PARLEY_C2A_DELIVER] = {
        parley_c2a_form_row("chat.deliver", "chat/deliver", EVENT, NORMAL),
        .acts = PARLEY_ACT_BIT(PARLEY_ACT_REQUEST), .carries = 1 },
    [PARLEY_C2A_LIST_EVENTS] = {
        parley_c2a_tool_row("list_events", REQUEST, NORMAL, UNDISPOSED,
            "List chat events available to this session, filtered by stream, "
            "conversation, policy, or time."),
        .reads = 1, .repeats = 1 },
    [PARLEY_C2A_READ_THREAD] = {
        parley_c2a_tool_row("read_thread", REQUEST, NORMAL, UNDISPOSED,
            "Read a thread or conversation window."),
        .reads = 1, .repeats = 1 },
    [PARLEY_C2A_SEND_MESSAGE] = {
        parley_c2a_tool_row("send_message", EVENT, NORMAL, ACKNOWLEDGED,
            "Send an idempotent chat message with its content in text or "
            "content."),
        .acts = PARLEY_ACT_BIT(PARLEY_ACT_REQUEST)
                | PARLEY_ACT_BIT(PARLEY_ACT_REPLY),
        .carries = 1,
        .repeats = 1 },     /* by its required idempotencyKey */
    [PARLEY_C2A_REACT] = {
        parley_c2a_tool_row("react", PROGRESS, LOW, UNDISPOSED,
            "Send a typed reaction signal as a zero-turn disposition."),
        .acts = PARLEY_ACT_BIT(PARLEY_ACT_REPLY)
                | PARLEY_ACT_BIT(PARLEY_ACT_FAILURE) },
    [PARLEY_C2A_CLAIM] = {
        parley_c2a_tool_row("claim", PROGRESS, LOW, ACKNOWLEDGED,
            "Tell the service that this session claims responsibility for "
            "responding to a channel event (inReplyTo) or thread (target).") },
    [PARLEY_C2A_DEFER] = {
        parley_c2a_tool_row("defer", PROGRESS, LOW, DEFERRED,
            "Record that a must-respond event is deferred with a reason.") },
    [PARLEY_C2A_RESOLVE] = {
        parley_c2a_tool_row("resolve", REPLY, NORMAL, RESPONDED,
            "Mark an event or assignment (inReplyTo) or a thread (target) "
            "resolved.") },
    [PARLEY_C2A_CANCELLED] = {
        parley_c2a_form_row("notifications.cancelled",
                            "notifications/cancelled", EVENT, HIGH) },
    [PARLEY_C2A_PROGRESS] = {
        parley_c2a_form_row("notifications.progress",
                            "notifications/progress", PROGRESS, LOW) },
    [PARLEY_C2A_INITIALIZE] = {
        parley_c2a_form_row("initialize", "initialize", REQUEST, NORMAL),
        .native = 1 },
    [PARLEY_C2A_INITIALIZED] = {
        parley_c2a_form_row("notifications.initialized",
                            "notifications/initialized", EVENT, NORMAL),
        .native = 1 },
    [PARLEY_C2A_PING] = {
        parley_c2a_form_row("ping", "ping", REQUEST, NORMAL), .native = 1 },
    [PARLEY_C2A_TOOLS_LIST] = {
        parley_c2a_form_row("tools.list", "tools/list", REQUEST, NORMAL),
        .native = 1 },
    [PARLEY_C2A_DISCOVER] = {
        parley_c2a_form_row("server.discover", "server/discover", REQUEST,
                            NORMAL),
        .native = 1 },
    [PARLEY_C2A_TOOL] = {
        parley_c2a_form_row("tools.call", "tools/call", REQUEST, NORMAL),
        .tool = 1, .native = 1 },
    [PARLEY_C2A_METHOD] = {
        parley_c2a_form_row("method", "", REQUEST, NORMAL), .native = 1 },
    [PARLEY_C2A_RESPONSE] = {
        parley_c2a_form_row("response", "", EVENT, NORMAL), .native = 1 },
};


const uint8_t  parley_c2a_envelope[PARLEY_ATOMS] = {
    [PARLEY_ATOM_eventId] = 1,
    [PARLEY_ATOM_source] = 2,
    [PARLEY_ATOM_conversation] = 3,
    [PARLEY_ATOM_author] = 4,
    [PARLEY_ATOM_target] = 5,
    [PARLEY_ATOM_timing] = 6,
    [PARLEY_ATOM_attention] = 7,
    [PARLEY_ATOM_injection] = 8,
    [PARLEY_ATOM_reliability] = 9,
};


static const uint8_t
    parley_c2a_place[PARLEY_C2A_OBJECTS][PARLEY_ATOMS] = {

    [PARLEY_C2A_OF_MESSAGE] = {
        [PARLEY_ATOM_id] = PARLEY_C2A_AT_ID,
        [PARLEY_ATOM_jsonrpc] = PARLEY_C2A_AT_JSONRPC,
        [PARLEY_ATOM_method] = PARLEY_C2A_AT_METHOD,
        [PARLEY_ATOM_params] = PARLEY_C2A_AT_PARAMS,
        [PARLEY_ATOM_result] = PARLEY_C2A_AT_RESULT,
        [PARLEY_ATOM_error] = PARLEY_C2A_AT_ERROR,
    },
    [PARLEY_C2A_OF_PARAMS] = {
        [PARLEY_ATOM_name] = PARLEY_C2A_AT_NAME,
        [PARLEY_ATOM_arguments] = PARLEY_C2A_AT_ARGUMENTS,
        [PARLEY_ATOM__meta] = PARLEY_C2A_AT_META,
        [PARLEY_ATOM_eventId] = PARLEY_C2A_AT_EVENT_ID,
        [PARLEY_ATOM_source] = PARLEY_C2A_AT_SOURCE,
        [PARLEY_ATOM_conversation] = PARLEY_C2A_AT_CONVERSATION,
        [PARLEY_ATOM_author] = PARLEY_C2A_AT_AUTHOR,
        [PARLEY_ATOM_target] = PARLEY_C2A_AT_TARGET,
        [PARLEY_ATOM_timing] = PARLEY_C2A_AT_TIMING,
        [PARLEY_ATOM_attention] = PARLEY_C2A_AT_ATTENTION,
        [PARLEY_ATOM_injection] = PARLEY_C2A_AT_INJECTION,
        [PARLEY_ATOM_reliability] = PARLEY_C2A_AT_RELIABILITY,
        [PARLEY_ATOM_content] = PARLEY_C2A_AT_CONTENT,
        [PARLEY_ATOM_knock] = PARLEY_C2A_AT_KNOCK,
        [PARLEY_ATOM_reason] = PARLEY_C2A_AT_REASON,
        [PARLEY_ATOM_text] = PARLEY_C2A_AT_TEXT,
        [PARLEY_ATOM_message] = PARLEY_C2A_AT_MESSAGE,
        [PARLEY_ATOM_eta] = PARLEY_C2A_AT_ETA,
        [PARLEY_ATOM_inReplyTo] = PARLEY_C2A_AT_IN_REPLY_TO,
        [PARLEY_ATOM_requestId] = PARLEY_C2A_AT_REQUEST,
        [PARLEY_ATOM_progressToken] = PARLEY_C2A_AT_TOKEN,
    },
    [PARLEY_C2A_OF_ARGUMENTS] = {
        [PARLEY_ATOM_idempotencyKey] = PARLEY_C2A_AT_EVENT_ID,
        [PARLEY_ATOM_target] = PARLEY_C2A_AT_CONVERSATION,
        [PARLEY_ATOM_directedness] = PARLEY_C2A_AT_DIRECTEDNESS,
        [PARLEY_ATOM_content] = PARLEY_C2A_AT_CONTENT,
        [PARLEY_ATOM_knock] = PARLEY_C2A_AT_KNOCK,
        [PARLEY_ATOM_reason] = PARLEY_C2A_AT_REASON,
        [PARLEY_ATOM_text] = PARLEY_C2A_AT_TEXT,
        [PARLEY_ATOM_message] = PARLEY_C2A_AT_MESSAGE,
        [PARLEY_ATOM_eta] = PARLEY_C2A_AT_ETA,
        [PARLEY_ATOM_signal] = PARLEY_C2A_AT_SIGNAL,
        [PARLEY_ATOM_inReplyTo] = PARLEY_C2A_AT_IN_REPLY_TO,
    },
    [PARLEY_C2A_OF_CONVERSATION] = {
        [PARLEY_ATOM_id] = PARLEY_C2A_AT_CONVERSATION_ID,
        [PARLEY_ATOM_threadId] = PARLEY_C2A_AT_THREAD_ID,
        [PARLEY_ATOM_kind] = PARLEY_C2A_AT_CONVERSATION_KIND,
    },
    [PARLEY_C2A_OF_PLACE] = {
        [PARLEY_ATOM_id] = PARLEY_C2A_AT_CONVERSATION_ID,
        [PARLEY_ATOM_threadId] = PARLEY_C2A_AT_THREAD_ID,
        [PARLEY_ATOM_kind] = PARLEY_C2A_AT_CONVERSATION_KIND,
        [PARLEY_ATOM_recipient] = PARLEY_C2A_AT_RECIPIENT,
    },
    [PARLEY_C2A_OF_AUTHOR] = {
        [PARLEY_ATOM_id] = PARLEY_C2A_AT_AUTHOR_ID,
        [PARLEY_ATOM_kind] = PARLEY_C2A_AT_AUTHOR_KIND,
        [PARLEY_ATOM_displayName] = PARLEY_C2A_AT_AUTHOR_NAME,
    },
    [PARLEY_C2A_OF_TARGET] = {
        [PARLEY_ATOM_recipient] = PARLEY_C2A_AT_RECIPIENT,
        [PARLEY_ATOM_directedness] = PARLEY_C2A_AT_DIRECTEDNESS,
    },
    [PARLEY_C2A_OF_TIMING] = {
        [PARLEY_ATOM_createdAt] = PARLEY_C2A_AT_CREATED,
    },
    [PARLEY_C2A_OF_ATTENTION] = {
        [PARLEY_ATOM_policy] = PARLEY_C2A_AT_POLICY,
        [PARLEY_ATOM_reason] = PARLEY_C2A_AT_WHY,
        [PARLEY_ATOM_priority] = PARLEY_C2A_AT_PRIORITY,
        [PARLEY_ATOM_deadlineMs] = PARLEY_C2A_AT_DEADLINE,
    },
    [PARLEY_C2A_OF_RESULT] = {
        [PARLEY_ATOM_accepted] = PARLEY_C2A_AT_ACCEPTED,
        [PARLEY_ATOM_disposition] = PARLEY_C2A_AT_DISPOSITION,
        [PARLEY_ATOM_message] = PARLEY_C2A_AT_MESSAGE,
        [PARLEY_ATOM_reason] = PARLEY_C2A_AT_REASON,
        [PARLEY_ATOM_content] = PARLEY_C2A_AT_CONTENT,
    },
};


/* objects in an event's payload */
static const struct {
    parley_c2a_place_t   at;
    parley_c2a_object_t  of;
} parley_c2a_within_event[] = {
    { PARLEY_C2A_AT_CONVERSATION, PARLEY_C2A_OF_CONVERSATION },
    { PARLEY_C2A_AT_AUTHOR, PARLEY_C2A_OF_AUTHOR },
    { PARLEY_C2A_AT_TARGET, PARLEY_C2A_OF_TARGET },
    { PARLEY_C2A_AT_TIMING, PARLEY_C2A_OF_TIMING },
    { PARLEY_C2A_AT_ATTENTION, PARLEY_C2A_OF_ATTENTION },
};


const parley_str_t  parley_c2a_dispositions[PARLEY_CHAT_DISPOSITIONS] = {
    [PARLEY_CHAT_UNDISPOSED] = parley_str(""),
    [PARLEY_CHAT_RESPONDED] = parley_str("responded"),
    [PARLEY_CHAT_ACKNOWLEDGED] = parley_str("acknowledged"),
    [PARLEY_CHAT_DEFERRED] = parley_str("deferred"),
    [PARLEY_CHAT_CLAIMED] = parley_str("claimed"),
    [PARLEY_CHAT_IGNORED] = parley_str("ignored"),
    [PARLEY_CHAT_SUPERSEDED] = parley_str("superseded"),
    [PARLEY_CHAT_FAILED] = parley_str("failed"),
};


const parley_c2a_signal_t  parley_c2a_signals[PARLEY_C2A_SIGNALS] = {
    { .name = parley_str("seen"), .glyph = parley_str("\xF0\x9F\x91\x80"),
      .meaning = parley_str("read, no commitment"),
      .disposition = PARLEY_CHAT_ACKNOWLEDGED, .act = PARLEY_ACT_PROGRESS },

    { .name = parley_str("agree"), .glyph = parley_str("\xF0\x9F\x91\x8D"),
      .meaning = parley_str("acknowledge or approve"),
      .disposition = PARLEY_CHAT_ACKNOWLEDGED, .act = PARLEY_ACT_PROGRESS,
      .approves = 1 },

    { .name = parley_str("working"), .glyph = parley_str("\xF0\x9F\x94\xA7"),
      .meaning = parley_str("actively on it now"),
      .disposition = PARLEY_CHAT_CLAIMED, .act = PARLEY_ACT_PROGRESS },

    { .name = parley_str("queued"), .glyph = parley_str("\xF0\x9F\x95\x90"),
      .meaning = parley_str("accepted, behind higher-priority work"),
      .disposition = PARLEY_CHAT_DEFERRED, .act = PARLEY_ACT_PROGRESS },

    { .name = parley_str("claimed"), .glyph = parley_str("\xE2\x9C\x8B"),
      .meaning = parley_str("this agent owns the event"),
      .disposition = PARLEY_CHAT_CLAIMED, .act = PARLEY_ACT_PROGRESS },

    { .name = parley_str("done"), .glyph = parley_str("\xE2\x9C\x85"),
      .meaning = parley_str("resolved"),
      .disposition = PARLEY_CHAT_RESPONDED, .act = PARLEY_ACT_REPLY },

    { .name = parley_str("declined"), .glyph = parley_str("\xF0\x9F\x99\x85"),
      .meaning = parley_str("not this agent, or will not act"),
      .disposition = PARLEY_CHAT_IGNORED, .act = PARLEY_ACT_FAILURE,
      .code = parley_str("E_DECLINED") },

    { .name = parley_str("blocked"), .glyph = parley_str("\xF0\x9F\x9A\xA7"),
      .meaning = parley_str("cannot proceed, needs input"),
      .disposition = PARLEY_CHAT_DEFERRED, .act = PARLEY_ACT_FAILURE,
      .code = parley_str("E_BLOCKED"), .alarm = PARLEY_SEVERITY_WARNING,
      .retryable = 1 },

    { .name = parley_str("unclear"), .glyph = parley_str("\xE2\x9D\x93"),
      .meaning = parley_str("needs clarification"),
      .disposition = PARLEY_CHAT_UNDISPOSED, .act = PARLEY_ACT_PROGRESS },
};


/* dispositions of an event by its policy; otherwise: acknowledged */
static const struct {
    parley_str_t              policy;
    parley_chat_disposition_t  disposition;
} parley_c2a_policies[] = {
    { parley_str("must_respond"), PARLEY_CHAT_DEFERRED },
    { parley_str("must_not_respond"), PARLEY_CHAT_IGNORED },
};


const parley_str_t  parley_c2a_directednesses[] = {
    [PARLEY_CHAT_AMBIENT] = parley_str("ambient"),
    [PARLEY_CHAT_TO_OTHER] = parley_str("to_other"),
    [PARLEY_CHAT_TO_ROLE] = parley_str("to_my_role"),
    [PARLEY_CHAT_TO_ME] = parley_str("to_me"),
};

const parley_str_t  parley_c2a_policy_words[] = {
    [PARLEY_CHAT_MUST_NOT] = parley_str("must_not_respond"),
    [PARLEY_CHAT_ACK] = parley_str("ack_only"),
    [PARLEY_CHAT_MAY] = parley_str("may_respond"),
    [PARLEY_CHAT_MUST] = parley_str("must_respond"),
};

const parley_str_t  parley_c2a_modes[] = {
    [PARLEY_CHAT_SILENT] = parley_str("silent"),
    [PARLEY_CHAT_DIGEST] = parley_str("digest"),
    [PARLEY_CHAT_MAILBOX] = parley_str("tool_mailbox"),
    [PARLEY_CHAT_NOTIFY] = parley_str("notify"),
    [PARLEY_CHAT_BUFFERED] = parley_str("buffered"),
    [PARLEY_CHAT_IMMEDIATE] = parley_str("immediate"),
};

const parley_str_t  parley_c2a_kinds[] = {
    [PARLEY_CHAT_DM] = parley_str("dm"),
    [PARLEY_CHAT_CHANNEL] = parley_str("channel"),
    [PARLEY_CHAT_THREAD] = parley_str("thread"),
    [PARLEY_CHAT_SYSTEM] = parley_str("system"),
    [PARLEY_CHAT_TOOL] = parley_str("tool"),
};

const parley_str_t  parley_c2a_reasons[] = {
    [PARLEY_CHAT_REASON_NONE] = parley_str(""),
    [PARLEY_CHAT_REASON_DM] = parley_str("direct_message"),
    [PARLEY_CHAT_REASON_MENTION] = parley_str("mention"),
    [PARLEY_CHAT_REASON_ROLE] = parley_str("role_mention"),
    [PARLEY_CHAT_REASON_ASSIGNMENT] = parley_str("assignment"),
    [PARLEY_CHAT_REASON_APPROVAL] = parley_str("approval"),
    [PARLEY_CHAT_REASON_BLOCKER] = parley_str("blocker"),
    [PARLEY_CHAT_REASON_QUESTION] = parley_str("question"),
    [PARLEY_CHAT_REASON_THANKS] = parley_str("thanks"),
    [PARLEY_CHAT_REASON_STATUS] = parley_str("status"),
    [PARLEY_CHAT_REASON_PROGRESS] = parley_str("progress"),
    [PARLEY_CHAT_REASON_LOG] = parley_str("log"),
    [PARLEY_CHAT_REASON_CANCELLATION] = parley_str("cancellation"),
    [PARLEY_CHAT_REASON_SAFETY] = parley_str("safety"),
    [PARLEY_CHAT_REASON_ANSWER] = parley_str("answer"),
    [PARLEY_CHAT_REASON_REACTION] = parley_str("reaction"),
    [PARLEY_CHAT_REASON_PART] = parley_str("participation"),
    [PARLEY_CHAT_REASON_OTHER] = parley_str("addressed_to_other"),
    [PARLEY_CHAT_REASON_AGENT] = parley_str("agent_message"),
    [PARLEY_CHAT_REASON_AMBIENT] = parley_str("ambient"),
    [PARLEY_CHAT_REASON_REMINDER] = parley_str("reminder"),
    [PARLEY_CHAT_REASON_ESCALATED] = parley_str("escalated"),
    [PARLEY_CHAT_REASON_FREE] = parley_str("claim_ended"),
    [PARLEY_CHAT_REASON_SEND_FAILED] = parley_str("send_failed"),
    [PARLEY_CHAT_REASON_SEND_UNCONFIRMED] = parley_str("send_unconfirmed"),
    [PARLEY_CHAT_REASON_EDITED] = parley_str("edited_before_response"),
    [PARLEY_CHAT_REASON_EDITED_LATE] = parley_str("edited_after_response"),
    [PARLEY_CHAT_REASON_DELETED] = parley_str("fragment_deleted"),
    [PARLEY_CHAT_REASON_DIGEST] = parley_str("digest"),
    [PARLEY_CHAT_REASON_FAILED] = parley_str("failed"),
    [PARLEY_CHAT_REASON_UNDELIVERED] = parley_str("undelivered"),
};


/* a group is a conversation, named by its id */
static const parley_str_t  parley_c2a_prefixes[PARLEY_NAME_KINDS] = {
    [PARLEY_NAME_AGENT] = parley_str("agent:"),
    [PARLEY_NAME_HUMAN] = parley_str("human:"),
    [PARLEY_NAME_SERVICE] = parley_str("service:"),
    [PARLEY_NAME_GROUP] = parley_str("channel:"),
};

const parley_name_syntax_t  parley_c2a_syntax = {
    .parse = parley_name_parse_prefixed,
    .format = parley_name_format_prefixed,
    .prefixes = parley_c2a_prefixes,
    .human = 'h',
    .group = 'c',
};


const parley_c2a_form_info_t *
parley_c2a_form_info(parley_c2a_form_t form)
{
    return &parley_c2a_forms[form];
}


parley_c2a_form_t
parley_c2a_form_find(parley_str_t form)
{
    unsigned  i;

    for (i = 0; i < PARLEY_C2A_NATIVE; i++) {
        if (parley_str_eq(parley_c2a_forms[i].form, form)) {
            return (parley_c2a_form_t) i;
        }
    }

    return PARLEY_C2A_FORMS;
}


parley_c2a_form_t
parley_c2a_form_of(const parley_json_t *doc)
{
    uint32_t  method, name;

    method = parley_json_member(doc, 0, PARLEY_ATOM_method);
    name = PARLEY_JSON_NONE;

    if (parley_json_string_is(doc, method, PARLEY_STR("tools/call"))) {
        name = parley_json_member(doc, parley_mcp_params(doc),
                                  PARLEY_ATOM_name);
    }

    return parley_c2a_form_called(doc, method, name);
}


static parley_c2a_form_t
parley_c2a_form_called(const parley_json_t *doc, uint32_t method,
    uint32_t name)
{
    unsigned  i;

    if (method == PARLEY_JSON_NONE
        || parley_json_type(doc, method) != PARLEY_JSON_STRING)
    {
        return PARLEY_C2A_FORMS;
    }

    for (i = 0; i < PARLEY_C2A_METHOD; i++) {
        if (parley_json_string_is(doc, method, parley_c2a_forms[i].method)
            && (!parley_c2a_forms[i].tool || i == PARLEY_C2A_TOOL
                || parley_c2a_tool_is(doc, name, (parley_c2a_form_t) i)))
        {
            break;
        }
    }

    return (parley_c2a_form_t) i;
}


int
parley_c2a_tool_is(const parley_json_t *doc, uint32_t name,
    parley_c2a_form_t form)
{
    return parley_json_string_is(doc, name, parley_c2a_forms[form].form)
           || parley_json_string_is(doc, name, parley_c2a_forms[form].alias);
}


const parley_c2a_signal_t *
parley_c2a_signal(const parley_json_t *doc, uint32_t value)
{
    unsigned  i;

    for (i = 0; i < PARLEY_C2A_SIGNALS; i++) {
        if (parley_json_string_is(doc, value, parley_c2a_signals[i].name)) {
            return &parley_c2a_signals[i];
        }
    }

    return NULL;
}


parley_chat_disposition_t
parley_c2a_disposition(const parley_msg_t *m)
{
    unsigned                    i;
    uint32_t                    policy;
    parley_c2a_form_t           form;
    const parley_json_t        *doc;
    const parley_c2a_signal_t  *signal;

    doc = m->doc;
    form = parley_c2a_form_find(m->form);

    if (form == PARLEY_C2A_REACT) {
        signal = parley_c2a_signal(doc, parley_json_member(doc, m->data.node,
                                                         PARLEY_ATOM_signal));
        return signal ? signal->disposition : PARLEY_CHAT_UNDISPOSED;
    }

    if (form == PARLEY_C2A_SEND_MESSAGE && m->act == PARLEY_ACT_REPLY) {
        return PARLEY_CHAT_RESPONDED;
    }

    if (form != PARLEY_C2A_FORMS
        && parley_c2a_forms[form].disposition != PARLEY_CHAT_UNDISPOSED)
    {
        return parley_c2a_forms[form].disposition;
    }

    /* The policy of an event decides, also if it carries a message. */

    policy = parley_json_member(doc, parley_json_member(doc,
                                              parley_mcp_params(doc),
                                              PARLEY_ATOM_attention),
                                PARLEY_ATOM_policy);

    for (i = 0;
         i < sizeof(parley_c2a_policies) / sizeof(parley_c2a_policies[0]);
         i++)
    {
        if (parley_json_string_is(doc, policy, parley_c2a_policies[i].policy))
        {
            return parley_c2a_policies[i].disposition;
        }
    }

    return PARLEY_CHAT_ACKNOWLEDGED;
}


parley_c2a_form_t
parley_c2a_places_find(parley_c2a_places_t *places, const parley_json_t *doc)
{
    uint32_t          *at;
    parley_c2a_form_t  form;

    at = places->at;

    memset(places, 0xFF, sizeof(parley_c2a_places_t));

    parley_c2a_places_add(places, doc, 0, PARLEY_C2A_OF_MESSAGE);
    parley_c2a_places_add(places, doc, at[PARLEY_C2A_AT_PARAMS],
                          PARLEY_C2A_OF_PARAMS);

    if (at[PARLEY_C2A_AT_METHOD] == PARLEY_JSON_NONE
        && (at[PARLEY_C2A_AT_RESULT] != PARLEY_JSON_NONE
            || at[PARLEY_C2A_AT_ERROR] != PARLEY_JSON_NONE))
    {
        return PARLEY_C2A_RESPONSE;
    }

    form = parley_c2a_form_called(doc, at[PARLEY_C2A_AT_METHOD],
                                  at[PARLEY_C2A_AT_NAME]);

    if (form < PARLEY_C2A_NATIVE && parley_c2a_forms[form].tool) {

        /* Members outside the arguments are not arguments. */

        memset(&at[PARLEY_C2A_AT_EVENT_ID], 0xFF,
               (PARLEY_C2A_PLACES - PARLEY_C2A_AT_EVENT_ID)
               * sizeof(uint32_t));

        parley_c2a_places_add(places, doc, at[PARLEY_C2A_AT_ARGUMENTS],
                              PARLEY_C2A_OF_ARGUMENTS);
    }

    parley_c2a_places_add_all(places, doc, form);

    return form;
}


void
parley_c2a_places_payload(parley_c2a_places_t *places,
    const parley_json_t *doc, uint32_t payload, parley_c2a_form_t form)
{
    memset(places, 0xFF, sizeof(parley_c2a_places_t));

    parley_c2a_places_add(places, doc, payload,
                          parley_c2a_forms[form].tool
                          ? PARLEY_C2A_OF_ARGUMENTS : PARLEY_C2A_OF_PARAMS);
    parley_c2a_places_add_all(places, doc, form);
}


/*
 * Finds the values in the objects of a payload.  A notification has no such
 * objects.
 */

static void
parley_c2a_places_add_all(parley_c2a_places_t *places,
    const parley_json_t *doc, parley_c2a_form_t form)
{
    unsigned  i;

    if (form == PARLEY_C2A_DELIVER) {
        for (i = 0;
             i < sizeof(parley_c2a_within_event)
                 / sizeof(parley_c2a_within_event[0]);
             i++)
        {
            parley_c2a_places_add(places, doc,
                                  places->at[parley_c2a_within_event[i].at],
                                  parley_c2a_within_event[i].of);
        }

    } else if (form < PARLEY_C2A_NATIVE && parley_c2a_forms[form].tool) {
        parley_c2a_places_add(places, doc,
                              places->at[PARLEY_C2A_AT_CONVERSATION],
                              PARLEY_C2A_OF_PLACE);
    }
}


void
parley_c2a_places_answer(parley_c2a_places_t *places,
    const parley_json_t *doc)
{
    memset(places, 0xFF, sizeof(parley_c2a_places_t));

    parley_c2a_places_add(places, doc, 0, PARLEY_C2A_OF_MESSAGE);
    parley_c2a_places_add(places, doc, places->at[PARLEY_C2A_AT_RESULT],
                          PARLEY_C2A_OF_RESULT);
}


static void
parley_c2a_places_add(parley_c2a_places_t *places, const parley_json_t *doc,
    uint32_t value, parley_c2a_object_t of)
{
    uint32_t        k, end;
    const uint8_t  *place;

    if (value >= doc->nnodes
        || parley_json_type(doc, value) != PARLEY_JSON_OBJECT)
    {
        return;
    }

    place = parley_c2a_place[of];
    end = parley_json_end(doc, value);

    for (k = parley_json_first(value); k != end;
         k = parley_json_after(doc, k + 1))
    {
        places->at[place[parley_json_atom(doc, k)]] = k + 1;
    }
}
