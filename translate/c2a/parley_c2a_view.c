/*
 * Writes views: an event as one reader gets it, with its policy,
 *
 *   {"jsonrpc": "2.0", "id": "m3#1.5f0c77aa", "method": "chat/deliver",
 *    "params": {"eventId": "m3", ..., "attention": {"policy": "must_respond"},
 *               "injection": {"mode": "buffered"}, ...}}
 *
 * or as a knock, which has ids and a topic of the host, and no octet of text
 * from another party.
 */

#include <stdio.h>

#include "translate/c2a/parley_c2a_chat.h"
#include "core/parley_key.h"
#include "core/parley_time.h"


/* values of the newest event of a view */
typedef struct {
    const parley_chat_view_t  *view;
    const parley_json_t       *doc;
    parley_c2a_places_t        at;
    parley_str_t               id;          /* of the view */
    parley_str_t               author;      /* name */
    parley_str_t               kind;
    parley_str_t               place;       /* id of the conversation */
    parley_str_t               thread;
    unsigned                   knock:1;
} parley_c2a_view_t;


static void parley_c2a_view_find(parley_buf_t *b,
    const parley_chat_view_t *view, parley_c2a_view_t *ret);
static parley_str_t parley_c2a_view_text(parley_buf_t *b,
    const parley_json_t *doc, uint32_t value);
static parley_str_t parley_c2a_view_event_id(parley_buf_t *b,
    const parley_chat_stored_t *event);
static void parley_c2a_view_merged(parley_buf_t *b,
    const parley_c2a_view_t *v);
static void parley_c2a_view_where(parley_buf_t *b, const parley_c2a_view_t *v);
static void parley_c2a_view_target(parley_buf_t *b,
    const parley_c2a_view_t *v);
static void parley_c2a_view_content(parley_buf_t *b,
    const parley_c2a_view_t *v);
static void parley_c2a_view_window(parley_buf_t *b,
    const parley_c2a_view_t *v);
static unsigned parley_c2a_view_window_first(const parley_chat_view_t *view);
static void parley_c2a_view_knock(parley_buf_t *b, const parley_c2a_view_t *v);
static void parley_c2a_view_priority(parley_buf_t *b,
    const parley_c2a_view_t *v);
static void parley_c2a_view_topic(parley_buf_t *b, const parley_c2a_view_t *v);
static void parley_c2a_view_attention(parley_buf_t *b,
    const parley_c2a_view_t *v);
static void parley_c2a_view_reliability(parley_buf_t *b,
    const parley_c2a_view_t *v);


/* topics of knocks: no word of them is foreign (C2A-06, C2A-32) */
static const parley_str_t  parley_c2a_topics[PARLEY_CHAT_REASON_WORDS] = {
    [PARLEY_CHAT_REASON_NONE] = parley_str("message"),
    [PARLEY_CHAT_REASON_DM] = parley_str("direct message"),
    [PARLEY_CHAT_REASON_MENTION] = parley_str("mention"),
    [PARLEY_CHAT_REASON_ROLE] = parley_str("role mention"),
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
    [PARLEY_CHAT_REASON_ANSWER] = parley_str("answer to your message"),
    [PARLEY_CHAT_REASON_REACTION] = parley_str("reaction"),
    [PARLEY_CHAT_REASON_PART] = parley_str("message in your thread"),
    [PARLEY_CHAT_REASON_OTHER] = parley_str("message to another party"),
    [PARLEY_CHAT_REASON_AGENT] = parley_str("message of an agent"),
    [PARLEY_CHAT_REASON_AMBIENT] = parley_str("message"),
    [PARLEY_CHAT_REASON_REMINDER] = parley_str("reminder: no answer yet"),
    [PARLEY_CHAT_REASON_ESCALATED] = parley_str("escalated: no answer"),
    [PARLEY_CHAT_REASON_FREE] = parley_str("a claim ended without an answer"),
    [PARLEY_CHAT_REASON_SEND_FAILED] =
        parley_str("your message was not delivered"),
    [PARLEY_CHAT_REASON_SEND_UNCONFIRMED] =
        parley_str("your message has no confirmation of its delivery"),
    [PARLEY_CHAT_REASON_EDITED] = parley_str("message edited"),
    [PARLEY_CHAT_REASON_EDITED_LATE] =
        parley_str("message edited after your answer"),
    [PARLEY_CHAT_REASON_DELETED] = parley_str("part of the message deleted"),
    [PARLEY_CHAT_REASON_DIGEST] = parley_str("digest"),
    [PARLEY_CHAT_REASON_FAILED] = parley_str("failed"),
    [PARLEY_CHAT_REASON_UNDELIVERED] = parley_str("undelivered"),
};


void
parley_c2a_view(parley_buf_t *b, const parley_chat_view_t *view)
{
    uint32_t           params;
    parley_c2a_view_t  v;
    parley_json_ref_t  title;

    parley_c2a_view_find(b, view, &v);

    if (view->shape == PARLEY_CHAT_AS_REQUEST) {
        parley_c2a_view_begin(b, v.id, view->reader, view->source,
                              view->attempt);

    } else if (view->shape == PARLEY_CHAT_AS_NOTIFICATION) {
        parley_buf_lit(b, "{\"jsonrpc\":\"2.0\",\"method\":\"chat/deliver\","
                          "\"params\":");
    }

    parley_buf_lit(b, "{\"eventId\":");
    parley_buf_json_string(b, v.id);
    parley_c2a_view_given(b, PARLEY_STR("of"), view->of);
    parley_c2a_view_given(b, PARLEY_STR("escalatedFrom"), view->escalated);
    parley_c2a_view_merged(b, &v);

    params = parley_json_member(v.doc, v.at.at[PARLEY_C2A_AT_PARAMS],
                                PARLEY_ATOM_source);
    parley_buf_lit(b, ",\"source\":{");
    parley_c2a_view_raw(b, PARLEY_STR("platform"), v.doc,
                        parley_json_member(v.doc, params,
                                           PARLEY_ATOM_platform));
    parley_c2a_view_raw(b, PARLEY_STR("workspaceId"), v.doc,
                        parley_json_member(v.doc, params,
                                           PARLEY_ATOM_workspaceId));
    parley_buf_octet(b, '}');

    parley_c2a_view_where(b, &v);

    title.doc = v.doc;
    title.node = v.knock ? PARLEY_JSON_NONE
                         : v.at.at[PARLEY_C2A_AT_AUTHOR_NAME];

    parley_c2a_view_author(b, v.author, title);
    parley_c2a_view_target(b, &v);
    parley_c2a_view_act(b, view, v.doc, v.at.at[PARLEY_C2A_AT_PARAMS], v.knock);

    if (v.knock) {
        parley_c2a_view_knock(b, &v);

    } else {
        parley_c2a_view_content(b, &v);
        parley_c2a_view_window(b, &v);
    }

    if (v.at.at[PARLEY_C2A_AT_TIMING] != PARLEY_JSON_NONE) {
        parley_buf_lit(b, ",\"timing\":{");
        parley_c2a_view_raw(b, PARLEY_STR("createdAt"), v.doc,
                            v.at.at[PARLEY_C2A_AT_CREATED]);
        parley_c2a_view_raw(b, PARLEY_STR("sequence"), v.doc,
                            parley_json_member(v.doc,
                                               v.at.at[PARLEY_C2A_AT_TIMING],
                                               PARLEY_ATOM_sequence));
        parley_buf_octet(b, '}');
    }

    parley_c2a_view_attention(b, &v);
    parley_c2a_view_reliability(b, &v);

    parley_buf_str(b, view->shape == PARLEY_CHAT_AS_OBJECT ? PARLEY_STR("}")
                                                           : PARLEY_STR("}}"));
}


static void
parley_c2a_view_find(parley_buf_t *b, const parley_chat_view_t *view,
    parley_c2a_view_t *ret)
{
    const uint32_t              *at;
    const parley_chat_stored_t  *event;

    event = &view->events[view->nevents - 1];

    memset(ret, 0, sizeof(parley_c2a_view_t));

    ret->view = view;
    ret->doc = event->doc;
    ret->author = event->author;

    (void) parley_c2a_places_find(&ret->at, ret->doc);

    at = ret->at.at;

    ret->id = view->id.len > 0 ? view->id : parley_c2a_view_event_id(b, event);
    ret->kind = parley_c2a_view_text(b, ret->doc,
                                     at[PARLEY_C2A_AT_CONVERSATION_KIND]);
    ret->place = parley_c2a_view_text(b, ret->doc,
                                      at[PARLEY_C2A_AT_CONVERSATION_ID]);
    ret->thread = parley_c2a_view_text(b, ret->doc,
                                       at[PARLEY_C2A_AT_THREAD_ID]);
    ret->knock = view->knock || (view->mode == PARLEY_CHAT_NOTIFY
                                 && view->shape != PARLEY_CHAT_AS_OBJECT);
}


static parley_str_t
parley_c2a_view_text(parley_buf_t *b, const parley_json_t *doc, uint32_t value)
{
    parley_str_t  text;

    if (parley_msg_string(doc, value, &text) != 0) {
        b->failed = 1;
    }

    return text;
}


static parley_str_t
parley_c2a_view_event_id(parley_buf_t *b, const parley_chat_stored_t *event)
{
    return event->id.len > 0
           ? event->id
           : parley_c2a_view_text(b, event->doc,
                                  parley_json_member(event->doc,
                                      parley_mcp_params(event->doc),
                                      PARLEY_ATOM_eventId));
}


void
parley_c2a_view_begin(parley_buf_t *b, parley_str_t id, parley_str_t reader,
    parley_str_t source, unsigned attempt)
{
    int   n;
    char  offer[PARLEY_C2A_VIEW_OFFER];

    n = snprintf(offer, sizeof(offer), "#%u.%08x", attempt,
                 (unsigned) parley_c2a_view_tag(id, reader, source));

    parley_buf_lit(b, "{\"jsonrpc\":\"2.0\",\"id\":\"");
    parley_buf_json_text(b, id);
    parley_buf_put(b, offer, (size_t) n);
    parley_buf_lit(b, "\",\"method\":\"chat/deliver\",\"params\":");
}


/*
 * The key is public: the tag tells offers apart, and the host compares a
 * response with its own record.
 */

uint32_t
parley_c2a_view_tag(parley_str_t id, parley_str_t reader,
    parley_str_t source)
{
    uint8_t       hash[PARLEY_KEY_LEN];
    parley_str_t  parts[3];

    static const uint8_t  secret[PARLEY_KEY_SECRET];

    parts[0] = id;
    parts[1] = reader;
    parts[2] = source;

    parley_key_make(secret, parts, 3, hash);

    return (uint32_t) hash[0] << 24 | (uint32_t) hash[1] << 16
           | (uint32_t) hash[2] << 8 | hash[3];
}


static void
parley_c2a_view_merged(parley_buf_t *b, const parley_c2a_view_t *v)
{
    unsigned  i;

    if (v->view->nevents < 2 && !v->view->merged) {
        return;
    }

    parley_buf_lit(b, ",\"merged\":[");

    for (i = 0; i < v->view->nevents; i++) {
        parley_buf_str(b, i > 0 ? PARLEY_STR(",") : parley_str_none);
        parley_buf_json_string(b, parley_c2a_view_event_id(b,
                                      &v->view->events[i]));
    }

    parley_buf_octet(b, ']');
}


static void
parley_c2a_view_where(parley_buf_t *b, const parley_c2a_view_t *v)
{
    uint32_t         conversation;
    const uint32_t  *at;

    at = v->at.at;
    conversation = at[PARLEY_C2A_AT_CONVERSATION];

    parley_buf_lit(b, ",\"conversation\":{");
    parley_c2a_view_raw(b, PARLEY_STR("id"), v->doc,
                        at[PARLEY_C2A_AT_CONVERSATION_ID]);
    parley_c2a_view_raw(b, PARLEY_STR("kind"), v->doc,
                        at[PARLEY_C2A_AT_CONVERSATION_KIND]);
    parley_c2a_view_raw(b, PARLEY_STR("threadId"), v->doc,
                        at[PARLEY_C2A_AT_THREAD_ID]);
    parley_c2a_view_raw(b, PARLEY_STR("streamId"), v->doc,
                        parley_json_member(v->doc, conversation,
                                           PARLEY_ATOM_streamId));
    parley_buf_octet(b, '}');
}


void
parley_c2a_view_author(parley_buf_t *b, parley_str_t name,
    parley_json_ref_t title)
{
    parley_str_t  kind;

    kind = parley_str_until(name, ':');

    parley_buf_lit(b, ",\"author\":{");
    parley_buf_member(b, PARLEY_STR("id"),
                      kind.len < name.len ? parley_str_from(name, kind.len + 1)
                                          : name);
    parley_buf_member(b, PARLEY_STR("kind"), kind);
    parley_c2a_view_raw(b, PARLEY_STR("displayName"), title.doc, title.node);
    parley_buf_octet(b, '}');
}


static void
parley_c2a_view_target(parley_buf_t *b, const parley_c2a_view_t *v)
{
    uint32_t                   target;
    const parley_chat_view_t  *view;

    view = v->view;
    target = v->at.at[PARLEY_C2A_AT_TARGET];

    parley_buf_lit(b, ",\"target\":{");

    if (view->recipient.len > 0) {
        parley_buf_member(b, PARLEY_STR("recipient"), view->recipient);

    } else {
        parley_c2a_view_raw(b, PARLEY_STR("recipient"), v->doc,
                            v->at.at[PARLEY_C2A_AT_RECIPIENT]);
    }

    if (view->mentions != NULL) {
        parley_c2a_view_names(b, PARLEY_STR("mentions"), view->mentions,
                              view->nmentions);

    } else {
        parley_c2a_view_raw(b, PARLEY_STR("mentions"), v->doc,
                            parley_json_member(v->doc, target,
                                               PARLEY_ATOM_mentions));
    }

    if (view->replies) {
        parley_c2a_view_raw(b, PARLEY_STR("inReplyTo"), v->doc,
                            parley_json_member(v->doc, target,
                                               PARLEY_ATOM_inReplyTo));
    }

    parley_buf_member(b, PARLEY_STR("directedness"),
                      parley_c2a_directednesses[view->directedness]);
    parley_buf_octet(b, '}');
}


/* Writes the parts of all fragments as one array. */

static void
parley_c2a_view_content(parley_buf_t *b, const parley_c2a_view_t *v)
{
    int                   comma;
    unsigned              k;
    uint32_t              i, content;
    const parley_json_t  *doc;

    comma = 0;
    parley_buf_lit(b, ",\"content\":[");

    for (k = 0; k < v->view->nevents; k++) {
        doc = v->view->events[k].doc;
        content = parley_json_member(doc, parley_mcp_params(doc),
                                     PARLEY_ATOM_content);

        if (content == PARLEY_JSON_NONE
            || parley_json_type(doc, content) != PARLEY_JSON_ARRAY)
        {
            continue;
        }

        for (i = parley_json_first(content);
             i != parley_json_end(doc, content);
             i = parley_json_after(doc, i))
        {
            if (comma++) {
                parley_buf_octet(b, ',');
            }

            parley_buf_str(b, parley_json_raw(doc, i));
        }
    }

    parley_buf_octet(b, ']');
}


static void
parley_c2a_view_window(parley_buf_t *b, const parley_c2a_view_t *v)
{
    unsigned                     i, first;
    uint32_t                     params;
    parley_json_ref_t            none = parley_json_ref_none;
    const parley_json_t         *doc;
    const parley_chat_stored_t  *said;

    first = parley_c2a_view_window_first(v->view);

    if (first == v->view->nwindow) {
        return;
    }

    parley_buf_lit(b, ",\"context\":{\"window\":[");

    for (i = first; i < v->view->nwindow; i++) {
        said = &v->view->window[i];
        doc = said->doc;
        params = parley_mcp_params(doc);

        parley_buf_str(b, i > first ? PARLEY_STR(",{") : PARLEY_STR("{"));
        parley_c2a_view_raw(b, PARLEY_STR("eventId"), doc,
                            parley_json_member(doc, params,
                                               PARLEY_ATOM_eventId));
        parley_c2a_view_author(b, said->author, none);
        parley_c2a_view_raw(b, PARLEY_STR("content"), doc,
                            parley_json_member(doc, params,
                                               PARLEY_ATOM_content));
        parley_buf_octet(b, '}');
    }

    parley_buf_lit(b, "]}");
}


/* Returns the index of the first message of the window that is written, so that
   the contents of all written ones are not too long; nwindow: none. */

static unsigned
parley_c2a_view_window_first(const parley_chat_view_t *view)
{
    size_t                left, len;
    uint32_t              content;
    unsigned              i;
    const parley_json_t  *doc;

    left = view->window_max > 0 ? view->window_max : SIZE_MAX;

    for (i = view->nwindow; i > 0; i--) {
        doc = view->window[i - 1].doc;
        content = parley_json_member(doc, parley_mcp_params(doc),
                                     PARLEY_ATOM_content);

        len = content != PARLEY_JSON_NONE ? parley_json_raw(doc, content).len
                                          : 0;
        if (len > left) {
            break;
        }

        left -= len;
    }

    return i;
}


static void
parley_c2a_view_knock(parley_buf_t *b, const parley_c2a_view_t *v)
{
    const parley_chat_view_t  *view;

    view = v->view;

    parley_buf_lit(b, ",\"knock\":{\"from\":\"");
    parley_c2a_view_encoded(b, v->author);
    parley_buf_lit(b, "\",\"where\":\"");

    if (v->thread.len > 0) {
        parley_buf_lit(b, "thread:");
        parley_c2a_view_encoded(b, v->thread);

    } else {
        parley_buf_str(b, v->kind);
        parley_buf_octet(b, ':');
        parley_c2a_view_encoded(b, v->place);
    }

    parley_buf_octet(b, '"');
    parley_buf_member(b, PARLEY_STR("directedness"),
                      parley_c2a_directednesses[view->directedness]);
    parley_buf_member(b, PARLEY_STR("policy"),
                      parley_c2a_policy_words[view->policy]);
    parley_c2a_view_priority(b, v);
    parley_buf_lit(b, ",\"topic\":\"");
    parley_c2a_view_topic(b, v);
    parley_buf_lit(b, "\",\"pullWith\":\"chat.list_events\"}");
}


static void
parley_c2a_view_priority(parley_buf_t *b, const parley_c2a_view_t *v)
{
    uint32_t  value;

    value = v->at.at[PARLEY_C2A_AT_PRIORITY];

    if (value != PARLEY_JSON_NONE) {
        parley_c2a_view_raw(b, PARLEY_STR("priority"), v->doc, value);

    } else {
        parley_buf_member(b, PARLEY_STR("priority"), PARLEY_STR("normal"));
    }
}


static void
parley_c2a_view_topic(parley_buf_t *b, const parley_c2a_view_t *v)
{
    parley_buf_str(b, parley_c2a_topics[v->view->reason]);

    if (v->view->nevents > 1) {
        parley_buf_lit(b, ", ");
        parley_buf_int(b, v->view->nevents);
        parley_buf_lit(b, " messages");
    }
}


void
parley_c2a_view_encoded(parley_buf_t *b, parley_str_t s)
{
    size_t   i;
    uint8_t  c;

    static const char  digits[] = "0123456789ABCDEF";

    for (i = 0; i < s.len; i++) {
        c = s.data[i];

        if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')
            || (c >= '0' && c <= '9')
            || (c != '\0' && strchr("._:@/-", c) != NULL))
        {
            parley_buf_octet(b, c);
            continue;
        }

        parley_buf_octet(b, '%');
        parley_buf_octet(b, (uint8_t) digits[c >> 4]);
        parley_buf_octet(b, (uint8_t) digits[c & 15]);
    }
}


static void
parley_c2a_view_attention(parley_buf_t *b, const parley_c2a_view_t *v)
{
    parley_chat_mode_t         mode;
    const parley_chat_view_t  *view = v->view;

    parley_buf_lit(b, ",\"attention\":{");
    parley_buf_member(b, PARLEY_STR("policy"),
                      parley_c2a_policy_words[view->policy]);

    if (view->reason != PARLEY_CHAT_REASON_NONE) {
        parley_buf_member(b, PARLEY_STR("reason"),
                          parley_c2a_reasons[view->reason]);
    } else {
        parley_c2a_view_raw(b, PARLEY_STR("reason"), v->doc,
                            v->at.at[PARLEY_C2A_AT_WHY]);
    }

    parley_c2a_view_priority(b, v);

    if (view->deadline_ms >= 0) {
        parley_buf_name(b, PARLEY_STR("deadlineMs"));
        parley_buf_int(b, view->deadline_ms);
    }

    /* A tool that shows the content of a knock takes it from the mailbox. */

    mode = v->knock ? PARLEY_CHAT_NOTIFY
           : view->mode == PARLEY_CHAT_NOTIFY ? PARLEY_CHAT_MAILBOX
           : view->mode;

    parley_buf_lit(b, "},\"injection\":{");
    parley_buf_member(b, PARLEY_STR("mode"), parley_c2a_modes[mode]);

    if (!v->knock && parley_c2a_view_window_first(view) < view->nwindow) {
        parley_buf_member(b, PARLEY_STR("context"),
                          PARLEY_STR("thread_window"));
    }

    if (mode >= PARLEY_CHAT_BUFFERED) {
        parley_buf_member(b, PARLEY_STR("role"), PARLEY_STR("user"));
    }

    if (view->interrupt) {
        parley_buf_name(b, PARLEY_STR("interrupt"));
        parley_buf_lit(b, "true");
    }

    parley_buf_octet(b, '}');
}


static void
parley_c2a_view_reliability(parley_buf_t *b, const parley_c2a_view_t *v)
{
    uint32_t                   source;
    const parley_chat_view_t  *view;

    view = v->view;

    parley_buf_lit(b, ",\"reliability\":{\"attempt\":");
    parley_buf_int(b, view->attempt);

    if (view->key.len > 0) {
        parley_buf_member(b, PARLEY_STR("idempotencyKey"), view->key);
        parley_buf_octet(b, '}');
        return;
    }

    parley_buf_lit(b, ",\"idempotencyKey\":\"");

    if (view->qualified) {
        source = parley_json_member(v->doc, v->at.at[PARLEY_C2A_AT_PARAMS],
                                    PARLEY_ATOM_source);
        parley_buf_json_text(b, parley_c2a_view_text(b, v->doc,
                                    parley_json_member(v->doc, source,
                                                 PARLEY_ATOM_platform)));
        parley_buf_octet(b, '/');
        parley_buf_json_text(b, parley_c2a_view_text(b, v->doc,
                                    parley_json_member(v->doc, source,
                                                 PARLEY_ATOM_workspaceId)));
        parley_buf_octet(b, '/');
    }

    parley_buf_json_text(b, v->id);
    parley_buf_octet(b, ':');
    parley_buf_json_text(b, view->reader);
    parley_buf_lit(b, "\"}");
}


void
parley_c2a_view_render(parley_buf_t *b, const parley_chat_view_t *view)
{
    unsigned             i;
    uint32_t             content;
    parley_msg_t         said;
    parley_buf_t         topic;
    parley_str_t         more;
    parley_c2a_view_t    v;
    parley_c2a_heads_t   heads;

    parley_c2a_view_find(b, view, &v);
    memset(&heads, 0, sizeof(parley_c2a_heads_t));

    heads.id = v.id;
    heads.kind = v.kind;
    heads.conversation = v.place;
    heads.thread = v.thread;
    heads.author = v.author;
    heads.directedness = parley_c2a_directednesses[view->directedness];
    heads.policy = parley_c2a_policy_words[view->policy];
    heads.reason = parley_c2a_reasons[view->reason];
    heads.of = view->of;

    if (view->replies) {
        heads.in_reply_to = parley_c2a_view_text(b, v.doc,
            parley_json_member(v.doc, v.at.at[PARLEY_C2A_AT_TARGET],
                               PARLEY_ATOM_inReplyTo));
    }

    parley_c2a_view_act_heads(b, view, v.doc, v.at.at[PARLEY_C2A_AT_PARAMS],
                              &heads, &more);

    parley_c2a_render_heads(b, &heads, v.knock);

    if (v.knock) {
        parley_buf_init(&topic, b->arena, 0);
        parley_c2a_view_topic(&topic, &v);

        if (parley_buf_done(&topic, &heads.reason) != 0) {
            b->failed = 1;
        }

        parley_c2a_render_text(b, heads.reason);
        return;
    }

    for (i = 0; i < view->nevents; i++) {
        parley_msg_init(&said, PARLEY_PROTO_C2A, view->events[i].doc);

        content = parley_json_member(said.doc, parley_mcp_params(said.doc),
                                     PARLEY_ATOM_content);

        if (parley_c2a_text(&said, said.doc, content) != 0) {
            b->failed = 1;
        }

        parley_c2a_render_text(b, more.len > 0 ? more : said.text);
    }
}


void
parley_c2a_view_place(parley_buf_t *b, const parley_chat_place_t *place)
{
    parley_buf_octet(b, '{');
    parley_c2a_view_given(b, PARLEY_STR("id"), place->id);

    if (place->kind < PARLEY_CHAT_KINDS) {
        parley_buf_member(b, PARLEY_STR("kind"),
                          parley_c2a_kinds[place->kind]);
    }

    parley_c2a_view_given(b, PARLEY_STR("threadId"), place->thread);
    parley_c2a_view_given(b, PARLEY_STR("streamId"), place->stream);
    parley_c2a_view_given(b, PARLEY_STR("recipient"), place->name);

    if (place->platform.len > 0) {
        parley_buf_lit(b, ",\"source\":{");
        parley_buf_member(b, PARLEY_STR("platform"), place->platform);
        parley_buf_member(b, PARLEY_STR("workspaceId"), place->workspace);
        parley_buf_octet(b, '}');
    }

    parley_buf_octet(b, '}');
}


void
parley_c2a_view_names(parley_buf_t *b, parley_str_t name,
    const parley_str_t *names, unsigned n)
{
    unsigned  i;

    parley_buf_name(b, name);
    parley_buf_octet(b, '[');

    for (i = 0; i < n; i++) {
        if (i > 0) {
            parley_buf_octet(b, ',');
        }

        parley_buf_json_string(b, names[i]);
    }

    parley_buf_octet(b, ']');
}


void
parley_c2a_view_raw(parley_buf_t *b, parley_str_t name,
    const parley_json_t *doc, uint32_t value)
{
    if (value != PARLEY_JSON_NONE) {
        parley_buf_name(b, name);
        parley_buf_str(b, parley_json_raw(doc, value));
    }
}


void
parley_c2a_view_given(parley_buf_t *b, parley_str_t name, parley_str_t value)
{
    if (value.len > 0) {
        parley_buf_member(b, name, value);
    }
}


void
parley_c2a_view_time(parley_buf_t *b, parley_str_t name, int64_t ms)
{
    char    text[PARLEY_TIME_MAX];
    size_t  len;

    len = parley_time_format(ms, text);
    parley_buf_member(b, name, parley_str_make(text, len));
}
