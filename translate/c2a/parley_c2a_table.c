/*
 * What there is: forms of messages, reaction signals, dispositions, and the
 * attention that an event asks for which is made of another protocol's
 * message (the table of docs/mapping/c2a.md, which follows the draft's
 * default matrix where that has a row).
 */

#include "parley_c2a_field.h"


#define PARLEY_C2A_TOOL_MAX  32     /* octets of a tool's name */


typedef enum {
    PARLEY_C2A_ROW_MESSAGE = 0,
    PARLEY_C2A_ROW_URGENT,
    PARLEY_C2A_ROW_ROLE,
    PARLEY_C2A_ROW_ANSWER,
    PARLEY_C2A_ROW_NOTE,
    PARLEY_C2A_ROW_AMBIENT,
    PARLEY_C2A_ROW_PROGRESS,
    PARLEY_C2A_ROW_RECORD,
    PARLEY_C2A_ROW_RECORD_MINE,
    PARLEY_C2A_ROW_WARNING,
    PARLEY_C2A_ROW_ORDER
} parley_c2a_row_id_t;


static parley_c2a_row_id_t parley_c2a_row_request(const parley_msg_t *m,
    int group);
static parley_c2a_row_id_t parley_c2a_row_event(const parley_msg_t *m,
    int group);


#define parley_c2a_form_row(form, method, act, priority, tool, native)        \
    { parley_str(form), parley_str("c2a." form), parley_str(method),          \
      PARLEY_ACT_##act, PARLEY_PRIORITY_##priority, tool, native }


/* methods, the seven tools, notifications; then MCP's own, and all the rest */

static const parley_c2a_form_info_t  parley_c2a_forms[PARLEY_C2A_FORMS] = {
    [PARLEY_C2A_DELIVER] =
        parley_c2a_form_row("chat.deliver", "chat/deliver", EVENT, NORMAL,
                            0, 0),
    [PARLEY_C2A_LIST_EVENTS] =
        parley_c2a_form_row("chat.list_events", "tools/call", REQUEST, NORMAL,
                            1, 0),
    [PARLEY_C2A_READ_THREAD] =
        parley_c2a_form_row("chat.read_thread", "tools/call", REQUEST, NORMAL,
                            1, 0),
    [PARLEY_C2A_SEND_MESSAGE] =
        parley_c2a_form_row("chat.send_message", "tools/call", EVENT, NORMAL,
                            1, 0),
    [PARLEY_C2A_REACT] =
        parley_c2a_form_row("chat.react", "tools/call", PROGRESS, LOW, 1, 0),
    [PARLEY_C2A_CLAIM] =
        parley_c2a_form_row("chat.claim", "tools/call", PROGRESS, LOW, 1, 0),
    [PARLEY_C2A_DEFER] =
        parley_c2a_form_row("chat.defer", "tools/call", PROGRESS, LOW, 1, 0),
    [PARLEY_C2A_RESOLVE] =
        parley_c2a_form_row("chat.resolve", "tools/call", REPLY, NORMAL, 1,
                            0),
    [PARLEY_C2A_CANCELLED] =
        parley_c2a_form_row("notifications.cancelled",
                            "notifications/cancelled", EVENT, HIGH, 0, 0),
    [PARLEY_C2A_PROGRESS] =
        parley_c2a_form_row("notifications.progress",
                            "notifications/progress", PROGRESS, LOW, 0, 0),
    [PARLEY_C2A_INITIALIZE] =
        parley_c2a_form_row("initialize", "initialize", REQUEST, NORMAL, 0,
                            1),
    [PARLEY_C2A_INITIALIZED] =
        parley_c2a_form_row("notifications.initialized",
                            "notifications/initialized", EVENT, NORMAL, 0, 1),
    [PARLEY_C2A_PING] =
        parley_c2a_form_row("ping", "ping", REQUEST, NORMAL, 0, 1),
    [PARLEY_C2A_TOOLS_LIST] =
        parley_c2a_form_row("tools.list", "tools/list", REQUEST, NORMAL, 0,
                            1),
    [PARLEY_C2A_DISCOVER] =
        parley_c2a_form_row("server.discover", "server/discover", REQUEST,
                            NORMAL, 0, 1),
    [PARLEY_C2A_TOOL] =
        parley_c2a_form_row("tools.call", "tools/call", REQUEST, NORMAL, 1,
                            1),
    [PARLEY_C2A_METHOD] =
        parley_c2a_form_row("method", "", REQUEST, NORMAL, 0, 1),
    [PARLEY_C2A_RESPONSE] =
        parley_c2a_form_row("response", "", EVENT, NORMAL, 0, 1),
};


const uint8_t  parley_c2a_envelope[PARLEY_ATOMS] = {
    [PARLEY_ATOM_eventId] = 1,
    [PARLEY_ATOM_source] = 1,
    [PARLEY_ATOM_conversation] = 1,
    [PARLEY_ATOM_author] = 1,
    [PARLEY_ATOM_target] = 1,
    [PARLEY_ATOM_timing] = 1,
    [PARLEY_ATOM_attention] = 1,
    [PARLEY_ATOM_injection] = 1,
    [PARLEY_ATOM_reliability] = 1,
};


static const parley_str_t  parley_c2a_dispositions[] = {
    [PARLEY_C2A_UNDISPOSED] = parley_str(""),
    [PARLEY_C2A_RESPONDED] = parley_str("responded"),
    [PARLEY_C2A_ACKNOWLEDGED] = parley_str("acknowledged"),
    [PARLEY_C2A_DEFERRED] = parley_str("deferred"),
    [PARLEY_C2A_CLAIMED] = parley_str("claimed"),
    [PARLEY_C2A_IGNORED] = parley_str("ignored"),
    [PARLEY_C2A_SUPERSEDED] = parley_str("superseded"),
    [PARLEY_C2A_FAILED] = parley_str("failed"),
};


const parley_c2a_signal_t  parley_c2a_signals[PARLEY_C2A_SIGNALS] = {
    { .name = parley_str("seen"), .glyph = parley_str("\xF0\x9F\x91\x80"),
      .meaning = parley_str("read, no commitment"),
      .disposition = PARLEY_C2A_ACKNOWLEDGED, .act = PARLEY_ACT_PROGRESS },

    { .name = parley_str("agree"), .glyph = parley_str("\xF0\x9F\x91\x8D"),
      .meaning = parley_str("acknowledge or approve"),
      .disposition = PARLEY_C2A_ACKNOWLEDGED, .act = PARLEY_ACT_PROGRESS,
      .approves = 1 },

    { .name = parley_str("working"), .glyph = parley_str("\xF0\x9F\x94\xA7"),
      .meaning = parley_str("actively on it now"),
      .disposition = PARLEY_C2A_CLAIMED, .act = PARLEY_ACT_PROGRESS },

    { .name = parley_str("queued"), .glyph = parley_str("\xF0\x9F\x95\x90"),
      .meaning = parley_str("accepted, behind higher-priority work"),
      .disposition = PARLEY_C2A_DEFERRED, .act = PARLEY_ACT_PROGRESS },

    { .name = parley_str("claimed"), .glyph = parley_str(""),
      .meaning = parley_str("this agent owns the event"),
      .disposition = PARLEY_C2A_CLAIMED, .act = PARLEY_ACT_PROGRESS },

    { .name = parley_str("done"), .glyph = parley_str(""),
      .meaning = parley_str("resolved"),
      .disposition = PARLEY_C2A_RESPONDED, .act = PARLEY_ACT_REPLY },

    { .name = parley_str("declined"), .glyph = parley_str("\xF0\x9F\x99\x85"),
      .meaning = parley_str("not this agent, or will not act"),
      .disposition = PARLEY_C2A_IGNORED, .act = PARLEY_ACT_FAILURE,
      .code = parley_str("E_DECLINED") },

    { .name = parley_str("blocked"), .glyph = parley_str("\xF0\x9F\x9A\xA7"),
      .meaning = parley_str("cannot proceed, needs input"),
      .disposition = PARLEY_C2A_DEFERRED, .act = PARLEY_ACT_FAILURE,
      .code = parley_str("E_BLOCKED"), .alarm = PARLEY_ALARM_WARNING,
      .retryable = 1 },

    { .name = parley_str("unclear"), .glyph = parley_str(""),
      .meaning = parley_str("needs clarification"),
      .disposition = PARLEY_C2A_UNDISPOSED, .act = PARLEY_ACT_PROGRESS },
};


#define parley_c2a_row_of(kind, directedness, policy, mode, reason)           \
    { parley_str(kind), parley_str(directedness), parley_str(policy),         \
      parley_str(mode), parley_str(reason),                                   \
      parley_str("\"directedness\":\"" directedness "\"}"),                   \
      parley_str("\"policy\":\"" policy "\",\"reason\":\"" reason "\","),     \
      parley_str("\"injection\":{\"mode\":\"" mode "\"}") }


/*
 * What a group is asked, and a warning, is no knock here: nothing keeps the
 * content that a knock withholds.
 */

static const parley_c2a_row_t  parley_c2a_rows[] = {
    [PARLEY_C2A_ROW_MESSAGE] =
        parley_c2a_row_of("dm", "to_me", "must_respond", "buffered",
                          "direct_message"),
    [PARLEY_C2A_ROW_URGENT] =
        parley_c2a_row_of("dm", "to_me", "must_respond", "immediate",
                          "urgent"),
    [PARLEY_C2A_ROW_ROLE] =
        parley_c2a_row_of("channel", "to_my_role", "may_respond", "buffered",
                          "role_mention"),
    [PARLEY_C2A_ROW_ANSWER] =
        parley_c2a_row_of("thread", "to_me", "may_respond", "buffered",
                          "answer"),
    [PARLEY_C2A_ROW_NOTE] =
        parley_c2a_row_of("dm", "to_me", "must_not_respond", "tool_mailbox",
                          "notice"),
    [PARLEY_C2A_ROW_AMBIENT] =
        parley_c2a_row_of("channel", "ambient", "must_not_respond",
                          "tool_mailbox", "broadcast"),
    [PARLEY_C2A_ROW_PROGRESS] =
        parley_c2a_row_of("system", "ambient", "must_not_respond", "digest",
                          "progress"),
    [PARLEY_C2A_ROW_RECORD] =
        parley_c2a_row_of("system", "ambient", "must_not_respond",
                          "tool_mailbox", "record"),
    [PARLEY_C2A_ROW_RECORD_MINE] =
        parley_c2a_row_of("system", "to_me", "must_not_respond",
                          "tool_mailbox", "record"),
    [PARLEY_C2A_ROW_WARNING] =
        parley_c2a_row_of("system", "to_me", "must_not_respond", "buffered",
                          "warning"),
    [PARLEY_C2A_ROW_ORDER] =
        parley_c2a_row_of("system", "to_me", "ack_only", "immediate",
                          "directive"),
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

    if (parley_c2a_is(doc, method, PARLEY_STR("tools/call"))) {
        name = parley_json_member(doc, parley_c2a_params(doc),
                                  PARLEY_ATOM_name);
    }

    return parley_c2a_form_called(doc, method, name);
}


parley_c2a_form_t
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

        if (!parley_c2a_is(doc, method, parley_c2a_forms[i].method)) {
            continue;
        }

        if (!parley_c2a_forms[i].tool || i == PARLEY_C2A_TOOL
            || parley_c2a_tool_is(doc, name, parley_c2a_forms[i].form))
        {
            break;
        }
    }

    return (parley_c2a_form_t) i;
}


int
parley_c2a_tool_is(const parley_json_t *doc, uint32_t name,
    parley_str_t tool)
{
    char  alias[PARLEY_C2A_TOOL_MAX];

    memcpy(alias, tool.data, tool.len);
    alias[sizeof("chat") - 1] = '_';

    return parley_c2a_is(doc, name, tool)
           || parley_c2a_is(doc, name, parley_str_make(alias, tool.len));
}


uint32_t
parley_c2a_params(const parley_json_t *doc)
{
    return parley_json_member(doc, 0, PARLEY_ATOM_params);
}


uint32_t
parley_c2a_arguments(const parley_json_t *doc)
{
    return parley_json_member(doc, parley_c2a_params(doc),
                              PARLEY_ATOM_arguments);
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


parley_str_t
parley_c2a_disposition_name(parley_c2a_disposition_t d)
{
    return parley_c2a_dispositions[d];
}


parley_c2a_disposition_t
parley_c2a_disposition(const parley_msg_t *m)
{
    uint32_t                    policy, attention;
    const parley_json_t        *doc;
    const parley_c2a_signal_t  *signal;

    doc = m->doc;

    switch (parley_c2a_form_find(m->form)) {

    case PARLEY_C2A_REACT:
        signal = parley_c2a_signal(doc, parley_json_member(doc, m->data.node,
                                                         PARLEY_ATOM_signal));
        return signal ? signal->disposition : PARLEY_C2A_UNDISPOSED;

    case PARLEY_C2A_CLAIM:
        return PARLEY_C2A_CLAIMED;

    case PARLEY_C2A_DEFER:
        return PARLEY_C2A_DEFERRED;

    case PARLEY_C2A_RESOLVE:
        return PARLEY_C2A_RESPONDED;

    case PARLEY_C2A_SEND_MESSAGE:
        return m->act == PARLEY_ACT_REPLY ? PARLEY_C2A_RESPONDED
                                          : PARLEY_C2A_ACKNOWLEDGED;

    default:
        break;
    }

    /* an event, whoever's message it carries: its policy says what is due */

    attention = parley_json_member(doc, parley_c2a_params(doc),
                                   PARLEY_ATOM_attention);
    policy = parley_json_member(doc, attention, PARLEY_ATOM_policy);

    if (parley_json_string_is(doc, policy, PARLEY_STR("must_respond"))) {
        return PARLEY_C2A_DEFERRED;
    }

    if (parley_json_string_is(doc, policy, PARLEY_STR("must_not_respond"))) {
        return PARLEY_C2A_IGNORED;
    }

    return PARLEY_C2A_ACKNOWLEDGED;
}


const parley_c2a_row_t *
parley_c2a_row(const parley_msg_t *m, int group)
{
    parley_c2a_row_id_t  id;

    switch (m->act) {

    case PARLEY_ACT_REQUEST:
        id = parley_c2a_row_request(m, group);
        break;

    case PARLEY_ACT_REPLY:
    case PARLEY_ACT_FAILURE:
        id = PARLEY_C2A_ROW_ANSWER;
        break;

    case PARLEY_ACT_PROGRESS:
        id = PARLEY_C2A_ROW_PROGRESS;
        break;

    default: /* PARLEY_ACT_EVENT */
        id = parley_c2a_row_event(m, group);
    }

    return &parley_c2a_rows[id];
}


/* What tells of a trouble is for each of a group, not for whoever likes. */

static parley_c2a_row_id_t
parley_c2a_row_request(const parley_msg_t *m, int group)
{
    if (m->notice == PARLEY_NOTICE_ORDER) {
        return PARLEY_C2A_ROW_ORDER;
    }

    if (m->notice == PARLEY_NOTICE_NOW) {
        return PARLEY_C2A_ROW_URGENT;
    }

    if (group && m->alarm == PARLEY_ALARM_NONE) {
        return PARLEY_C2A_ROW_ROLE;
    }

    return m->priority == PARLEY_PRIORITY_URGENT ? PARLEY_C2A_ROW_URGENT
                                                 : PARLEY_C2A_ROW_MESSAGE;
}


/*
 * An AEE event that names somebody is for that one; what VCP shares and
 * agent-channel advises is for whoever works beside it.
 */

static parley_c2a_row_id_t
parley_c2a_row_event(const parley_msg_t *m, int group)
{
    if (m->notice == PARLEY_NOTICE_RECORD) {
        return group ? PARLEY_C2A_ROW_RECORD : PARLEY_C2A_ROW_RECORD_MINE;
    }

    if (m->alarm != PARLEY_ALARM_NONE) {
        return PARLEY_C2A_ROW_WARNING;
    }

    return group || m->origin != PARLEY_PROTO_AEE ? PARLEY_C2A_ROW_AMBIENT
                                                  : PARLEY_C2A_ROW_NOTE;
}
