/*
 * Writes all that a host says itself: digests, the end of an offer,
 *
 *   {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {
 *     "requestId": "m3#1.5f0c77aa", "reason": "edited_before_response"}}
 *
 * and the events of agents, in the form of a surface's submission.
 */

#include <stdio.h>

#include "translate/c2a/parley_c2a_chat.h"


static void parley_c2a_view_digest_row(parley_buf_t *b,
    const parley_chat_digest_row_t *row);
static void parley_c2a_view_digest_text(parley_buf_t *b,
    const parley_chat_digest_row_t *row);
static void parley_c2a_view_post_target(parley_buf_t *b,
    const parley_chat_post_t *post);
static void parley_c2a_view_post_said(parley_buf_t *b,
    const parley_chat_post_t *post);
static void parley_c2a_view_post_progress(parley_buf_t *b,
    const parley_chat_post_t *post);


/* A digest has ids and numbers, and no octet of text from another party. */

void
parley_c2a_view_digest(parley_buf_t *b, const parley_chat_digest_t *digest)
{
    unsigned  i;

    parley_c2a_view_begin(b, digest->id, digest->reader, parley_str_none,
                          digest->attempt);

    parley_buf_lit(b, "{\"eventId\":");
    parley_buf_json_string(b, digest->id);
    parley_buf_lit(b, ",\"conversation\":{\"kind\":\"system\"},\"target\":{"
                      "\"directedness\":\"to_me\"},\"content\":[{\"type\":"
                      "\"text\",\"text\":\"");

    for (i = 0; i < digest->nrows; i++) {
        if (i > 0) {
            parley_buf_lit(b, "\\n");
        }

        parley_c2a_view_digest_text(b, &digest->rows[i]);
    }

    parley_buf_lit(b, "\"},{\"type\":\"data\",\"data\":{"
                      "\"conversations\":[");

    for (i = 0; i < digest->nrows; i++) {
        if (i > 0) {
            parley_buf_octet(b, ',');
        }

        parley_c2a_view_digest_row(b, &digest->rows[i]);
    }

    parley_buf_lit(b, "]}}],\"timing\":{");
    parley_c2a_view_time(b, PARLEY_STR("createdAt"), digest->created_ms);
    parley_buf_lit(b, "},\"attention\":{\"policy\":\"must_not_respond\","
                      "\"reason\":\"digest\",\"priority\":\"low\"},"
                      "\"injection\":{\"mode\":\"digest\"},"
                      "\"reliability\":{\"attempt\":");
    parley_buf_int(b, digest->attempt);
    parley_buf_lit(b, ",\"idempotencyKey\":\"");
    parley_buf_json_text(b, digest->id);
    parley_buf_octet(b, ':');
    parley_buf_json_text(b, digest->reader);
    parley_buf_lit(b, "\"}}}");
}


static void
parley_c2a_view_digest_text(parley_buf_t *b,
    const parley_chat_digest_row_t *row)
{
    unsigned  i;

    parley_c2a_view_encoded(b, row->id);
    parley_buf_octet(b, ':');

    if (row->messages > 0) {
        parley_buf_octet(b, ' ');
        parley_buf_int(b, row->messages);
        parley_buf_lit(b, " messages by ");
        parley_buf_int(b, row->authors);
        parley_buf_lit(b, ", newest ");
        parley_c2a_view_encoded(b, row->newest);
        parley_buf_octet(b, '.');
    }

    for (i = 0; i < row->nprogress; i++) {
        parley_buf_lit(b, " Progress of ");
        parley_c2a_view_encoded(b, row->progress[i].of);
        parley_buf_lit(b, ": ");
        parley_c2a_progress_text(b, &row->progress[i]);
        parley_buf_octet(b, '.');
    }
}


static void
parley_c2a_view_digest_row(parley_buf_t *b,
    const parley_chat_digest_row_t *row)
{
    unsigned  i;

    parley_buf_octet(b, '{');
    parley_buf_member(b, PARLEY_STR("id"), row->id);
    parley_buf_lit(b, ",\"messages\":");
    parley_buf_int(b, row->messages);
    parley_buf_lit(b, ",\"authors\":");
    parley_buf_int(b, row->authors);
    parley_c2a_view_given(b, PARLEY_STR("newest"), row->newest);
    parley_buf_lit(b, ",\"progress\":[");

    for (i = 0; i < row->nprogress; i++) {
        if (i > 0) {
            parley_buf_octet(b, ',');
        }

        parley_c2a_progress_data(b, &row->progress[i]);
    }

    parley_buf_lit(b, "]}");
}


void
parley_c2a_view_cancel(parley_buf_t *b, const parley_chat_offer_t *offer,
    parley_chat_reason_t reason)
{
    int   n;
    char  text[PARLEY_C2A_VIEW_OFFER];

    n = snprintf(text, sizeof(text), "#%u.%08x", offer->attempt,
                 (unsigned) offer->tag);

    parley_buf_lit(b, "{\"jsonrpc\":\"2.0\",\"method\":"
                      "\"notifications/cancelled\",\"params\":{"
                      "\"requestId\":\"");
    parley_buf_json_text(b, offer->id);
    parley_buf_put(b, text, (size_t) n);
    parley_buf_octet(b, '"');
    parley_buf_member(b, PARLEY_STR("reason"),
                      reason == PARLEY_CHAT_REASON_NONE
                      ? PARLEY_STR("superseded")
                      : parley_c2a_reasons[reason]);
    parley_buf_lit(b, "}}");
}


void
parley_c2a_view_post(parley_buf_t *b, const parley_chat_post_t *post)
{
    parley_json_ref_t    none = parley_json_ref_none;
    parley_chat_place_t  place;

    memset(&place, 0, sizeof(parley_chat_place_t));

    place.id = post->conversation;
    place.kind = post->kind;
    place.thread = post->thread;
    place.stream = post->stream;

    parley_buf_lit(b, "{\"jsonrpc\":\"2.0\",\"method\":\"chat/deliver\","
                      "\"params\":{\"eventId\":");
    parley_buf_json_string(b, post->id);
    parley_buf_lit(b, ",\"source\":{");
    parley_buf_member(b, PARLEY_STR("platform"), post->platform);
    parley_buf_member(b, PARLEY_STR("workspaceId"), post->workspace);
    parley_buf_lit(b, "},\"conversation\":");
    parley_c2a_view_place(b, &place);
    parley_c2a_view_author(b, post->author, none);
    parley_c2a_view_post_target(b, post);
    parley_c2a_view_post_said(b, post);
    parley_buf_lit(b, ",\"timing\":{");
    parley_c2a_view_time(b, PARLEY_STR("createdAt"), post->created_ms);
    parley_buf_lit(b, "}}}");
}


static void
parley_c2a_view_post_target(parley_buf_t *b, const parley_chat_post_t *post)
{
    unsigned  i;

    parley_buf_lit(b, ",\"target\":{");
    parley_c2a_view_given(b, PARLEY_STR("recipient"), post->recipient);
    parley_c2a_view_given(b, PARLEY_STR("inReplyTo"), post->in_reply_to);

    for (i = 0; i < post->nmentions; i++) {
        if (i == 0) {
            parley_buf_name(b, PARLEY_STR("mentions"));
        }

        parley_buf_str(b, i == 0 ? PARLEY_STR("[\"") : PARLEY_STR(",\""));

        if (post->mentions[i].kind == PARLEY_CHAT_TARGET_ROLE) {
            parley_buf_lit(b, "role:");
        }

        parley_buf_json_text(b, post->mentions[i].text);
        parley_buf_octet(b, '"');
    }

    if (post->nmentions > 0) {
        parley_buf_octet(b, ']');
    }

    parley_buf_member(b, PARLEY_STR("directedness"),
                      parley_c2a_directednesses[post->directedness]);
    parley_buf_octet(b, '}');
}


/* Writes the content of a message, a reaction, or progress. */

static void
parley_c2a_view_post_said(parley_buf_t *b, const parley_chat_post_t *post)
{
    parley_str_t  signal;

    if (post->act == PARLEY_CHAT_REACTION) {
        signal = post->signal != PARLEY_CHAT_SIGNAL_NONE
             ? parley_c2a_signals[post->signal - 1].name : parley_str_none;

        parley_buf_lit(b, ",\"reaction\":{");
        parley_buf_member(b, PARLEY_STR("of"), post->of);
        parley_buf_member(b, PARLEY_STR("signal"), signal);
        parley_c2a_view_given(b, PARLEY_STR("reason"),
                              post->why != PARLEY_CHAT_REASON_NONE
                              ? parley_c2a_reasons[post->why]
                              : post->reason);
        parley_c2a_view_given(b, PARLEY_STR("eta"), post->eta);
        parley_c2a_view_given(b, PARLEY_STR("to"), post->to);
        parley_buf_octet(b, '}');
        return;
    }

    if (post->act == PARLEY_CHAT_PROGRESS) {
        parley_c2a_view_post_progress(b, post);
        return;
    }

    parley_buf_lit(b, ",\"content\":");

    if (post->content.node != PARLEY_JSON_NONE) {
        parley_buf_value(b, post->content);
        return;
    }

    parley_buf_lit(b, "[{\"type\":\"text\",\"text\":");
    parley_buf_json_string(b, post->text);
    parley_buf_lit(b, "}]");
}


static void
parley_c2a_view_post_progress(parley_buf_t *b, const parley_chat_post_t *post)
{
    parley_buf_lit(b, ",\"content\":[{\"type\":\"text\",\"text\":\"");
    parley_c2a_progress_text(b, &post->progress);

    if (post->text.len > 0) {
        parley_buf_lit(b, ": ");
        parley_buf_json_text(b, post->text);
    }

    parley_buf_lit(b, "\"},{\"type\":\"data\",\"data\":");
    parley_c2a_progress_data(b, &post->progress);
    parley_buf_lit(b, "}],\"attention\":{\"reason\":\"progress\"}");
}
