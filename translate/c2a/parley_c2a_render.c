/* Writes the structured text of an event, for a model (C2A-26). */

#include "translate/c2a/parley_c2a_chat.h"
#include "translate/parley_lines.h"


static void parley_c2a_head(parley_buf_t *b, const char *name,
    parley_str_t first, const char *between, parley_str_t second);


/* names that a line of source text must not begin with: headers and sections */
static const char *const  parley_c2a_names_of_lines[] = {
    "event_id", "conversation", "thread", "author", "author_id",
    "directedness", "response_policy", "reason", "in_reply_to", "of",
    "change", "reaction", "reply_target", "message", "knock", NULL
};


int
parley_c2a_render(parley_buf_t *b, const parley_msg_t *m)
{
    unsigned             i;
    parley_msg_t         said;
    parley_str_t         values[9];
    parley_c2a_heads_t   heads;
    parley_c2a_places_t  places;

    static const parley_c2a_place_t  of[] = {
        PARLEY_C2A_AT_EVENT_ID, PARLEY_C2A_AT_CONVERSATION_KIND,
        PARLEY_C2A_AT_CONVERSATION_ID, PARLEY_C2A_AT_THREAD_ID,
        PARLEY_C2A_AT_AUTHOR_KIND, PARLEY_C2A_AT_AUTHOR_ID,
        PARLEY_C2A_AT_DIRECTEDNESS, PARLEY_C2A_AT_POLICY, PARLEY_C2A_AT_WHY
    };

    if (m->wire != PARLEY_PROTO_C2A
        || parley_c2a_places_find(&places, m->doc) != PARLEY_C2A_DELIVER)
    {
        return 1;
    }

    for (i = 0; i < sizeof(of) / sizeof(of[0]); i++) {
        if (parley_msg_string(m->doc, places.at[of[i]], &values[i]) != 0) {
            return -1;
        }
    }

    memset(&heads, 0, sizeof(parley_c2a_heads_t));

    heads.id = values[0];
    heads.kind = values[1];
    heads.conversation = values[2];
    heads.thread = values[3];
    heads.author_kind = values[4];
    heads.author = values[5];
    heads.directedness = values[6];
    heads.policy = values[7];
    heads.reason = values[8];

    parley_msg_init(&said, PARLEY_PROTO_C2A, m->doc);

    if (parley_c2a_fill_text(&said, places.at) != 0) {
        return -1;
    }

    parley_c2a_render_heads(b, &heads,
                            places.at[PARLEY_C2A_AT_CONTENT]
                            == PARLEY_JSON_NONE);
    parley_c2a_render_text(b, said.text);

    return 0;
}


/*
 * The author is shown by the id that the gateway proved, not by displayName,
 * which the author chooses.
 */

void
parley_c2a_render_heads(parley_buf_t *b, const parley_c2a_heads_t *heads,
    int knock)
{
    parley_buf_lit(b, "C2A EVENT\n");

    parley_c2a_head(b, "event_id", heads->id, "", parley_str_none);
    parley_c2a_head(b, "conversation", heads->kind, " ", heads->conversation);
    parley_c2a_head(b, "thread", heads->thread, "", parley_str_none);
    parley_c2a_head(b, "author", heads->author_kind,
                    heads->author_kind.len > 0 ? ":" : "", heads->author);
    parley_c2a_head(b, "directedness", heads->directedness, "",
                    parley_str_none);
    parley_c2a_head(b, "response_policy", heads->policy, "", parley_str_none);
    parley_c2a_head(b, "reason", heads->reason, "", parley_str_none);

    parley_c2a_head(b, "in_reply_to", heads->in_reply_to, "", parley_str_none);
    parley_c2a_head(b, "of", heads->of, "", parley_str_none);

    if (heads->act.len > 0) {
        parley_c2a_head(b, (const char *) heads->act.data, heads->acts, "",
                        parley_str_none);
    }

    if (heads->thread.len > 0) {
        parley_c2a_head(b, "reply_target", PARLEY_STR("thread"), ":",
                        heads->thread);

    } else {
        parley_c2a_head(b, "reply_target", heads->kind, ":",
                        heads->conversation);
    }

    parley_buf_str(b, knock ? PARLEY_STR("\nKNOCK\n")
                            : PARLEY_STR("\nMESSAGE\n"));
}


void
parley_c2a_render_text(parley_buf_t *b, parley_str_t text)
{
    parley_lines_text(b, text, "c2a", parley_c2a_names_of_lines);
}


static void
parley_c2a_head(parley_buf_t *b, const char *name, parley_str_t first,
    const char *between, parley_str_t second)
{
    if (first.len + second.len == 0) {
        return;
    }

    parley_buf_put(b, name, strlen(name));
    parley_buf_lit(b, ": ");
    parley_lines_value(b, first);
    parley_buf_put(b, between, strlen(between));
    parley_lines_value(b, second);
    parley_buf_octet(b, '\n');
}


/* Reads the text of an event or a sent message; for a knock, its topic. */

int
parley_c2a_fill_text(parley_msg_t *msg, const uint32_t *at)
{
    uint32_t  value;

    if (at[PARLEY_C2A_AT_CONTENT] != PARLEY_JSON_NONE) {
        return parley_c2a_text(msg, msg->doc, at[PARLEY_C2A_AT_CONTENT]);
    }

    value = at[PARLEY_C2A_AT_TEXT];

    if (value != PARLEY_JSON_NONE) {
        msg->said[0] = value;

    } else {
        value = parley_json_member(msg->doc, at[PARLEY_C2A_AT_KNOCK],
                                   PARLEY_ATOM_topic);
    }

    return parley_msg_string(msg->doc, value, &msg->text);
}


int
parley_c2a_text(parley_msg_t *msg, const parley_json_t *doc, uint32_t content)
{
    int           whole;
    uint32_t      i, n, value;
    parley_buf_t  b;
    parley_str_t  text;

    if (content == PARLEY_JSON_NONE) {
        return 0;
    }

    msg->text = parley_str_none;

    if (parley_json_type(doc, content) != PARLEY_JSON_ARRAY) {
        return 0;
    }

    whole = 1;
    n = 0;

    for (i = parley_json_first(content);
         i != parley_json_end(doc, content);
         i = parley_json_after(doc, i))
    {
        value = parley_json_member(doc, i, PARLEY_ATOM_type);

        if (!parley_json_string_is(doc, value, PARLEY_STR("text"))) {
            whole = 0;
            continue;
        }

        if (parley_msg_member(doc, i, PARLEY_ATOM_text, &text) != 0) {
            return -1;
        }

        if (parley_json_node(doc, i)->count > 2) {
            whole = 0;
        }

        switch (n++) {

        case 0:
            msg->text = text;
            continue;

        case 1:
            parley_buf_init(&b, doc->arena, 0);
            parley_buf_str(&b, msg->text);

            /* fall through */

        default:
            parley_buf_octet(&b, '\n');
            parley_buf_str(&b, text);
        }
    }

    if (whole) {
        msg->said[0] = content;
    }

    return n > 1 ? parley_buf_done(&b, &msg->text) : 0;
}
