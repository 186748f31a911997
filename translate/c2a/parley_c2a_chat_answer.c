/*
 * Writes the answers of a host to its callers: results, results of tools with a
 * text for the model (a sentence, the response rules, the events, with an empty
 * line between them),
 *
 *   {"content": [{"type": "text", "text": "1 event, 0 pending\n\nC2A ..."}],
 *    "structuredContent": {"events": [...]},
 *    "_meta": {"c2a/mailbox": {"pending": 0, "cursor": "3f09c2a1b47e.18"}}}
 *
 * and refusals, for a tool a result with "isError".
 */

#include "translate/c2a/parley_c2a_chat.h"
#include "core/parley_time.h"


static int parley_c2a_chat_tool(parley_buf_t *b,
    const parley_chat_call_t *call, const parley_chat_result_t *r);
static void parley_c2a_chat_says(parley_buf_t *b,
    const parley_chat_call_t *call, const parley_chat_result_t *r);
static void parley_c2a_chat_count(parley_buf_t *b, uint64_t n,
    parley_str_t word);
static void parley_c2a_chat_structure(parley_buf_t *b,
    const parley_chat_call_t *call, const parley_chat_result_t *r);
static void parley_c2a_chat_listed(parley_buf_t *b,
    const parley_chat_call_t *call, const parley_chat_result_t *r);
static void parley_c2a_chat_event_of(parley_buf_t *b,
    const parley_chat_listed_t *event, int sent);
static void parley_c2a_chat_readers(parley_buf_t *b, int sent,
    const parley_chat_reader_t *readers, unsigned n);
static void parley_c2a_chat_disposed(parley_buf_t *b,
    parley_chat_disposition_t disposition);
static void parley_c2a_chat_resolved(parley_buf_t *b,
    const parley_chat_result_t *r);
static void parley_c2a_chat_mailbox(parley_buf_t *b,
    const parley_chat_mailbox_t *mailbox);


int
parley_c2a_chat_answer(parley_arena_t *arena, const parley_chat_call_t *call,
    const parley_chat_result_t *r, parley_reply_t *ret)
{
    int           rc;
    parley_buf_t  b;

    if (!call->answers) {
        ret->status = 202;
        return 0;
    }

    rc = 0;

    parley_buf_init(&b, arena, 0);
    parley_mcp_result_begin(&b, call->doc);

    switch (call->kind) {

    case PARLEY_CHAT_CALL_DELIVER:
        parley_buf_name(&b, PARLEY_STR("accepted"));
        parley_buf_lit(&b, "true");
        parley_buf_member(&b, PARLEY_STR("eventId"), r->id);
        parley_buf_lit(&b, ",\"addressed\":");
        parley_c2a_chat_readers(&b, 0, r->readers, r->nreaders);
        break;

    case PARLEY_CHAT_CALL_MEMBERS:
        parley_c2a_view_names(&b, PARLEY_STR("added"), r->added, r->nadded);
        parley_c2a_view_names(&b, PARLEY_STR("removed"), r->removed,
                              r->nremoved);
        parley_c2a_view_names(&b, PARLEY_STR("unknown"), r->unknown,
                              r->nunknown);
        break;

    case PARLEY_CHAT_CALL_INITIALIZE:
        parley_c2a_write_initialize(&b, call->doc, NULL, r);
        break;

    case PARLEY_CHAT_CALL_DISCOVER:
        parley_c2a_write_discovered(&b);
        break;

    case PARLEY_CHAT_CALL_TOOLS:
        rc = parley_c2a_write_tools(&b, arena, call->doc, NULL, r->tools);
        break;

    case PARLEY_CHAT_CALL_TOOL:
        rc = parley_c2a_chat_tool(&b, call, r);
        break;

    default: /* PARLEY_CHAT_CALL_PING */
        break;
    }

    parley_buf_lit(&b, "}}");

    ret->status = 200;
    ret->content_type = parley_c2a_binding.media_type;

    return rc == 0 ? parley_buf_done(&b, &ret->body) : -1;
}


static int
parley_c2a_chat_tool(parley_buf_t *b, const parley_chat_call_t *call,
    const parley_chat_result_t *r)
{
    unsigned      i;
    parley_buf_t  text;
    parley_str_t  said;

    parley_buf_init(&text, b->arena, 0);
    parley_c2a_chat_says(&text, call, r);

    for (i = 0; i < r->nevents; i++) {
        parley_buf_str(&text, i == 0
                              ? PARLEY_STR("\n\n" PARLEY_C2A_RULES "\n\n")
                              : PARLEY_STR("\n\n"));
        parley_c2a_view_render(&text, r->events[i].view);

        if (text.len > 0 && text.data[text.len - 1] == '\n') {
            text.len--;
        }
    }

    if (parley_buf_done(&text, &said) != 0) {
        return -1;
    }

    parley_buf_name(b, PARLEY_STR("content"));
    parley_buf_lit(b, "[{\"type\":\"text\",\"text\":");
    parley_buf_json_string(b, said);
    parley_buf_lit(b, "}],\"structuredContent\":{");
    parley_c2a_chat_structure(b, call, r);
    parley_buf_octet(b, '}');
    parley_c2a_chat_mailbox(b, r->mailbox);

    return 0;
}


/* Writes the sentence with the result.  It has no octet of foreign text. */

static void
parley_c2a_chat_says(parley_buf_t *b, const parley_chat_call_t *call,
    const parley_chat_result_t *r)
{
    char    until[PARLEY_TIME_MAX];
    size_t  len;

    switch (call->tool) {

    case PARLEY_CHAT_LIST_EVENTS:
        parley_c2a_chat_count(b, r->nevents, PARLEY_STR(" event"));

        if (r->mailbox != NULL) {
            parley_buf_lit(b, ", ");
            parley_buf_int(b, (int64_t) r->mailbox->pending);
            parley_buf_lit(b, " pending");
        }

        return;

    case PARLEY_CHAT_READ_THREAD:
        parley_c2a_chat_count(b, r->nevents, PARLEY_STR(" message"));

        if (r->resolved) {
            parley_buf_lit(b, ", the thread is resolved");
        }

        return;

    case PARLEY_CHAT_CLAIM:
        parley_buf_lit(b, "claimed until ");
        len = parley_time_format(r->until_ms, until);
        parley_buf_put(b, until, len);
        return;

    default:
        parley_buf_lit(b, "accepted");

        if (r->disposition != PARLEY_CHAT_UNDISPOSED) {
            parley_buf_lit(b, ", ");
            parley_buf_str(b, parley_c2a_dispositions[r->disposition]);
        }
    }
}


static void
parley_c2a_chat_count(parley_buf_t *b, uint64_t n, parley_str_t word)
{
    parley_buf_int(b, (int64_t) n);
    parley_buf_str(b, word);

    if (n != 1) {
        parley_buf_octet(b, 's');
    }
}


static void
parley_c2a_chat_structure(parley_buf_t *b, const parley_chat_call_t *call,
    const parley_chat_result_t *r)
{
    switch (call->tool) {

    case PARLEY_CHAT_LIST_EVENTS:
    case PARLEY_CHAT_READ_THREAD:
        parley_c2a_chat_listed(b, call, r);
        return;

    case PARLEY_CHAT_CLAIM:
        parley_buf_lit(b, "\"claimed\":true");
        parley_buf_member(b, PARLEY_STR("owner"), r->owner);
        parley_c2a_view_time(b, PARLEY_STR("until"), r->until_ms);
        parley_buf_lit(b, ",\"generation\":");
        parley_buf_int(b, (int64_t) r->generation);

        if (r->nevents > 0) {
            parley_buf_lit(b, ",\"event\":");
            parley_c2a_view(b, r->events[0].view);
        }

        return;

    default:
        break;
    }

    parley_buf_lit(b, "\"accepted\":true");
    parley_c2a_view_given(b, PARLEY_STR("eventId"), r->id);

    if (call->tool == PARLEY_CHAT_SEND_MESSAGE) {
        parley_buf_lit(b, ",\"conversation\":");
        parley_c2a_view_place(b, &r->place);
    }

    if (r->resolved) {
        parley_c2a_chat_resolved(b, r);
    }

    parley_c2a_chat_disposed(b, r->disposition);
}


static void
parley_c2a_chat_listed(parley_buf_t *b, const parley_chat_call_t *call,
    const parley_chat_result_t *r)
{
    unsigned  i;

    parley_buf_lit(b, "\"events\":[");

    for (i = 0; i < r->nevents; i++) {
        if (i > 0) {
            parley_buf_octet(b, ',');
        }

        parley_c2a_chat_event_of(b, &r->events[i], (int) call->args.sent);
    }

    parley_buf_octet(b, ']');

    if (call->tool == PARLEY_CHAT_READ_THREAD) {
        parley_c2a_chat_resolved(b, r);
        return;
    }

    if (r->mailbox != NULL) {
        parley_buf_member(b, PARLEY_STR("cursor"), r->mailbox->cursor);
        parley_buf_lit(b, ",\"pending\":");
        parley_buf_int(b, (int64_t) r->mailbox->pending);
    }

    parley_buf_lit(b, ",\"conversations\":[");

    for (i = 0; i < r->nconversations; i++) {
        if (i > 0) {
            parley_buf_octet(b, ',');
        }

        parley_c2a_view_place(b, &r->conversations[i]);
    }

    parley_buf_octet(b, ']');
}


static void
parley_c2a_chat_event_of(parley_buf_t *b, const parley_chat_listed_t *event,
    int sent)
{
    parley_buf_octet(b, '{');
    parley_c2a_view_given(b, PARLEY_STR("place"), event->place);
    parley_c2a_chat_disposed(b, event->disposition);

    if (sent) {
        parley_buf_lit(b, ",\"readers\":");
        parley_c2a_chat_readers(b, 1, event->readers, event->nreaders);
    }

    parley_buf_lit(b, ",\"event\":");
    parley_c2a_view(b, event->view);
    parley_buf_octet(b, '}');
}


/* Writes readers of an event: as accepted, or as its author sees them. */

static void
parley_c2a_chat_readers(parley_buf_t *b, int sent,
    const parley_chat_reader_t *readers, unsigned n)
{
    unsigned                     i;
    const parley_chat_reader_t  *reader;

    parley_buf_octet(b, '[');

    for (i = 0; i < n; i++) {
        reader = &readers[i];

        parley_buf_str(b, i > 0 ? PARLEY_STR(",{") : PARLEY_STR("{"));
        parley_buf_member(b, PARLEY_STR("to"), reader->to);

        if (!sent) {
            parley_buf_member(b, PARLEY_STR("row"), reader->row);
            parley_buf_member(b, PARLEY_STR("directedness"),
                              parley_c2a_directednesses[
                                  reader->directedness]);
        }

        parley_buf_member(b, PARLEY_STR("policy"),
                          parley_c2a_policy_words[reader->policy]);

        if (sent) {
            parley_buf_str(b, reader->accepted
                              ? PARLEY_STR(",\"accepted\":true")
                              : PARLEY_STR(",\"accepted\":false"));
            parley_c2a_chat_disposed(b, reader->disposition);

        } else {
            parley_buf_member(b, PARLEY_STR("mode"),
                              parley_c2a_modes[reader->mode]);
        }

        parley_buf_octet(b, '}');
    }

    parley_buf_octet(b, ']');
}


static void
parley_c2a_chat_disposed(parley_buf_t *b,
    parley_chat_disposition_t disposition)
{
    if (disposition != PARLEY_CHAT_UNDISPOSED) {
        parley_buf_member(b, PARLEY_STR("disposition"),
                          parley_c2a_dispositions[disposition]);
        return;
    }

    parley_buf_name(b, PARLEY_STR("disposition"));
    parley_buf_lit(b, "null");
}


static void
parley_c2a_chat_resolved(parley_buf_t *b, const parley_chat_result_t *r)
{
    if (!r->resolved) {
        parley_buf_lit(b, ",\"resolved\":null");
        return;
    }

    parley_buf_lit(b, ",\"resolved\":{");
    parley_buf_member(b, PARLEY_STR("by"), r->by);
    parley_c2a_view_time(b, PARLEY_STR("at"), r->at_ms);
    parley_buf_octet(b, '}');
}


static void
parley_c2a_chat_mailbox(parley_buf_t *b, const parley_chat_mailbox_t *mailbox)
{
    if (mailbox == NULL) {
        return;
    }

    parley_buf_lit(b, ",\"_meta\":{\"c2a/mailbox\":{\"pending\":");
    parley_buf_int(b, (int64_t) mailbox->pending);
    parley_buf_member(b, PARLEY_STR("cursor"), mailbox->cursor);
    parley_buf_lit(b, "}}");
}


int
parley_c2a_chat_refused(parley_arena_t *arena,
    const parley_chat_refused_t *refused, parley_mcp_why_t *ret)
{
    parley_buf_t  more, meta;

    parley_buf_init(&more, arena, 0);
    parley_c2a_view_given(&more, PARLEY_STR("owner"), refused->owner);

    if (refused->until_ms >= 0) {
        parley_c2a_view_time(&more, PARLEY_STR("until"), refused->until_ms);
    }

    parley_c2a_view_given(&more, PARLEY_STR("eventId"), refused->id);

    if (refused->retryable) {
        ret->retryable = PARLEY_STR("true");
    }

    parley_buf_init(&meta, arena, 0);
    parley_c2a_chat_mailbox(&meta, refused->mailbox);

    return parley_buf_done(&more, &ret->more) == 0
           && parley_buf_done(&meta, &ret->meta) == 0 ? 0 : -1;
}
