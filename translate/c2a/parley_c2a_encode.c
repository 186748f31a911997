/*
 * Writes another protocol's message as an event:
 *
 *   {"jsonrpc": "2.0", "id": "evt-1", "method": "chat/deliver", "params": {
 *     "eventId": "evt-1", "source": {"platform": "aee"},
 *     "author": {"id": "alice", "kind": "agent"},
 *     "timing": {"createdAt": "2026-06-02T19:10:00Z"},
 *     "conversation": {"id": "C1", "kind": "thread", "threadId": "T1"},
 *     "target": {"recipient": "agent:bob", "directedness": "to_me"},
 *     "inReplyTo": "evt-0", "content": [...], "attention": {...},
 *     "injection": {...}, "reliability": {...}}}
 *
 * and progress for a caller as notifications/progress.
 */

#include "translate/c2a/parley_c2a.h"
#include "translate/parley_sentence.h"
#include "translate/parley_embed.h"
#include "translate/parley_name.h"
#include "translate/parley_msg_field.h"
#include "core/parley_time.h"


#define PARLEY_C2A_ENVELOPE  1280    /* octets around the carried message */


/* levels that an event adds around a value of the carried message */
#define PARLEY_C2A_LEVELS    8


static int parley_c2a_names(parley_c2a_encode_t *e);
static int parley_c2a_read_channel(parley_str_t name, parley_str_t *ret);
static int parley_c2a_set_place(parley_c2a_encode_t *e, parley_str_t group);
static int parley_c2a_use_place(parley_c2a_encode_t *e,
    parley_str_t place);
static void parley_c2a_use_place_name(parley_c2a_encode_t *e,
    parley_str_t name);
static int parley_c2a_write_event(parley_c2a_encode_t *e);
static void parley_c2a_write_head(parley_c2a_encode_t *e);
static void parley_c2a_write_id(parley_c2a_encode_t *e);
static void parley_c2a_write_author(parley_c2a_encode_t *e);
static void parley_c2a_write_conversation(parley_c2a_encode_t *e);
static void parley_c2a_write_in_reply_to(parley_c2a_encode_t *e);
static void parley_c2a_write_attention(parley_c2a_encode_t *e);
static int parley_c2a_write_progress(parley_c2a_encode_t *e);
static void parley_c2a_write_number(parley_c2a_encode_t *e,
    parley_atom_t name, const char *otherwise);
static void parley_c2a_report_lost(parley_c2a_encode_t *e);
static int parley_c2a_is_plain(const parley_c2a_encode_t *e,
    parley_str_t body);
static int parley_c2a_read_back(const parley_engine_t *engine,
    parley_c2a_encode_t *e, parley_str_t body, parley_json_t *doc,
    parley_msg_t *back);


int
parley_c2a_encode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *m, const parley_encode_opts_t *opts,
    parley_encoded_t *ret, parley_loss_t *loss, parley_error_t *err)
{
    int                  restored, progress;
    parley_c2a_encode_t  e;

    memset(&e, 0, sizeof(parley_c2a_encode_t));

    e.arena = arena;
    e.m = m;
    e.opts = opts;
    e.loss = loss;
    e.err = err;

    restored = m->origin == PARLEY_PROTO_C2A;
    progress = !restored && m->act == PARLEY_ACT_PROGRESS
               && opts->answering != NULL
               && opts->answering->wire == PARLEY_PROTO_C2A;

    /* An event has the text twice. */

    parley_buf_init(&e.b, arena, m->doc->input.len + m->text.len
                                 + PARLEY_C2A_ENVELOPE);

    if (parley_c2a_names(&e) != 0
        || (restored ? parley_c2a_write_restored(&e)
            : progress ? parley_c2a_write_progress(&e)
                       : parley_c2a_write_event(&e)) != 0)
    {
        return -1;
    }

    if (parley_buf_done(&e.b, &ret->body) != 0) {
        return parley_error_memory(err);
    }

    return restored || progress
           ? parley_c2a_check_restored(engine, &e, ret)
           : parley_c2a_check_event(engine, &e, ret);
}


static int
parley_c2a_names(parley_c2a_encode_t *e)
{
    int                  group;
    parley_str_t         name;
    const parley_msg_t  *m;

    m = e->m;

    if (parley_name_translate(e->arena, e->opts, m, m->sender,
                              PARLEY_MSG_SENDER, PARLEY_PROTO_C2A,
                              &e->sender, e->err)
        != 0
        || parley_name_translate(e->arena, e->opts, m, m->recipient,
                                 PARLEY_MSG_RECIPIENT, PARLEY_PROTO_C2A,
                                 &e->recipient, e->err)
           != 0)
    {
        return -1;
    }

    group = parley_c2a_read_channel(e->recipient, &name);

    e->row = parley_c2a_row(m, group);

    if (e->opts->answering != NULL
        && e->opts->answering->wire == PARLEY_PROTO_C2A)
    {
        e->asked = e->opts->answering;
    }

    return parley_c2a_set_place(e, name) == 0 ? 0 : parley_error_memory(e->err);
}


/*
 * Returns whether a name is "channel:x", a conversation without a single
 * recipient.
 */

static int
parley_c2a_read_channel(parley_str_t name, parley_str_t *ret)
{
    if (!parley_str_begins(name, "channel:")) {
        *ret = parley_str_none;
        return 0;
    }

    *ret = parley_str_from(name, sizeof("channel:") - 1);

    return 1;
}


/*
 * Chooses the conversation and the thread.  For a channel, the correlation is
 * its thread; for a single recipient, it is the conversation.  An answer has
 * the place of its question.  Returns 0, or -1 if memory is exhausted.
 */

static int
parley_c2a_set_place(parley_c2a_encode_t *e, parley_str_t group)
{
    const parley_msg_t  *answering;

    answering = e->opts->answering;

    if (e->asked != NULL && e->asked->place.len > 0
        && parley_c2a_use_place(e, e->asked->place) != 0)
    {
        return -1;
    }

    if (e->placed) {
        return 0;
    }

    e->conversation = group;
    e->thread = answering != NULL ? answering->corr : e->m->corr;

    if (group.len == 0) {
        e->conversation = e->thread;
        e->thread = parley_str_none;
    }

    if (e->conversation.len == 0) {
        e->conversation = parley_c2a_event(e);
    }

    return 0;
}


/*
 * Uses the place of the question: a conversation as in an event, or the target
 * of a tool.  A target that names a party is not a place.
 */

static int
parley_c2a_use_place(parley_c2a_encode_t *e, parley_str_t place)
{
    parley_str_t    name;
    parley_json_t  *doc;

    doc = parley_arena_alloc(e->arena, sizeof(parley_json_t));

    if (doc == NULL
        || parley_read_again(doc, e->arena, e->m->doc->seed, place, e->err)
           != 0)
    {
        return -1;
    }

    if (parley_json_type(doc, 0) == PARLEY_JSON_STRING) {
        if (parley_msg_string(doc, 0, &name) != 0) {
            return -1;
        }

        parley_c2a_use_place_name(e, name);

        return 0;
    }

    if (parley_msg_member(doc, 0, PARLEY_ATOM_id, &e->conversation) != 0
        || parley_msg_member(doc, 0, PARLEY_ATOM_threadId, &e->thread) != 0
        || parley_msg_member(doc, 0, PARLEY_ATOM_kind, &e->kind) != 0)
    {
        return -1;
    }

    e->placed = e->conversation.len > 0 || e->thread.len > 0
                || e->kind.len > 0;

    return 0;
}


/* Uses a place "channel:C" or "thread:T". */

static void
parley_c2a_use_place_name(parley_c2a_encode_t *e, parley_str_t name)
{
    parley_str_t  kind;

    kind = parley_str_until(name, ':');

    if (kind.len < name.len
        && (parley_str_is(kind, "channel") || parley_str_is(kind, "thread")))
    {
        e->kind = kind;
        e->conversation = parley_str_from(name, kind.len + 1);
        e->placed = e->conversation.len > 0;
    }
}


static int
parley_c2a_write_event(parley_c2a_encode_t *e)
{
    parley_buf_t        *b;
    const parley_msg_t  *m;

    b = &e->b;
    m = e->m;

    parley_c2a_write_head(e);
    parley_c2a_write_conversation(e);
    parley_c2a_write_in_reply_to(e);

    if (parley_c2a_write_content(e) != 0) {
        return parley_error_memory(e->err);
    }

    parley_c2a_write_attention(e);

    parley_buf_lit(b, ",\"reliability\":{\"idempotencyKey\":\"");
    parley_c2a_write_id(e);
    parley_buf_octet(b, ':');
    parley_buf_json_text(b, e->recipient);
    parley_buf_lit(b, "\"}}}");

    if (m->origin != m->wire) {
        parley_codecs[m->wire]->unmapped(m, e->loss);
    }

    return 0;
}


static void
parley_c2a_write_head(parley_c2a_encode_t *e)
{
    char                 text[PARLEY_TIME_MAX];
    parley_buf_t        *b;
    const parley_msg_t  *m;

    b = &e->b;
    m = e->m;

    parley_buf_lit(b, "{\"jsonrpc\":\"2.0\",\"id\":\"");
    e->id_at = b->len;
    parley_buf_json_text(b, parley_c2a_event(e));
    e->id_len = b->len - e->id_at;
    parley_buf_lit(b, "\",\"method\":\"chat/deliver\",\"params\":{"
                      "\"eventId\":\"");
    parley_c2a_write_id(e);
    parley_buf_lit(b, "\",\"source\":{\"platform\":\"");
    parley_buf_str(b, parley_proto_name(m->origin));

    parley_c2a_write_author(e);

    if (m->created.len > 0) {
        parley_buf_lit(b, "\"},\"timing\":{\"createdAt\":\"");
        parley_buf_json_text(b, m->created);

    } else if (m->created_ms >= 0) {
        parley_buf_lit(b, "\"},\"timing\":{\"createdAt\":\"");
        parley_buf_put(b, text, parley_time_format(m->created_ms, text));
    }

    parley_buf_lit(b, "\"},\"conversation\":{");
}


/* Writes the id again, as before. */

static void
parley_c2a_write_id(parley_c2a_encode_t *e)
{
    if (!e->b.failed) {
        parley_buf_put(&e->b, e->b.data + e->id_at, e->id_len);
    }
}


/* Writes the author: "agent:x@h" is the agent "x@h". */

static void
parley_c2a_write_author(parley_c2a_encode_t *e)
{
    size_t         n;
    parley_buf_t  *b;

    b = &e->b;

    n = parley_str_until(e->sender, ':').len;

    parley_buf_lit(b, "\"},\"author\":{\"id\":\"");
    parley_buf_json_text(b, parley_str_from(e->sender,
                                            n + (n < e->sender.len)));
    parley_buf_lit(b, "\",\"kind\":\"");
    parley_buf_json_text(b, parley_str_make(e->sender.data, n));
}


static void
parley_c2a_write_conversation(parley_c2a_encode_t *e)
{
    parley_buf_t  *b;
    parley_str_t   group;

    b = &e->b;

    if (e->conversation.len > 0) {
        parley_buf_lit(b, "\"id\":\"");
        parley_buf_json_text(b, e->conversation);
        parley_buf_lit(b, "\",");
    }

    parley_buf_lit(b, "\"kind\":\"");
    parley_buf_str(b, e->kind.len > 0 ? e->kind : e->row->kind);

    if (e->thread.len > 0) {
        parley_buf_lit(b, "\",\"threadId\":\"");
        parley_buf_json_text(b, e->thread);
    }

    parley_buf_lit(b, "\"},\"target\":{");

    if (!parley_c2a_read_channel(e->recipient, &group)) {
        parley_buf_lit(b, "\"recipient\":\"");
        parley_buf_json_text(b, e->recipient);
        parley_buf_lit(b, "\",");
    }

    parley_buf_lit(b, "\"directedness\":\"");
    parley_buf_str(b, e->row->directedness);
    parley_buf_lit(b, "\"}");
}


/* An id that the asker did not choose is unknown to it. */

static void
parley_c2a_write_in_reply_to(parley_c2a_encode_t *e)
{
    if (e->asked != NULL && e->asked->id.len > 0 && !e->asked->anonymous
        && (e->m->act == PARLEY_ACT_REPLY || e->m->act == PARLEY_ACT_FAILURE))
    {
        parley_buf_member(&e->b, PARLEY_STR("inReplyTo"), e->asked->id);
    }
}


static void
parley_c2a_write_attention(parley_c2a_encode_t *e)
{
    parley_buf_t  *b;

    b = &e->b;

    parley_buf_lit(b, ",\"attention\":{\"policy\":\"");
    parley_buf_str(b, e->row->policy);
    parley_buf_lit(b, "\",\"reason\":\"");
    parley_buf_str(b, e->row->reason);
    parley_buf_lit(b, "\",\"priority\":\"");
    parley_buf_str(b, parley_priority_name(e->m->priority));

    if (e->m->timeout_ms >= 0) {
        parley_buf_lit(b, "\",\"deadlineMs\":");
        parley_buf_int(b, e->m->timeout_ms);
        parley_buf_lit(b, "},\"injection\":{\"mode\":\"");

    } else {
        parley_buf_lit(b, "\"},\"injection\":{\"mode\":\"");
    }

    parley_buf_str(b, e->row->mode);
    parley_buf_lit(b, "\"}");
}


/*
 * Writes a progress notification ("Cancellation And Progress"): it is never an
 * event, and only for a caller that asked for it.
 */

static int
parley_c2a_write_progress(parley_c2a_encode_t *e)
{
    parley_buf_t        *b;
    parley_str_t         text;
    const parley_msg_t  *m;

    b = &e->b;
    m = e->m;

    if (e->asked->token.len == 0
        && !parley_str_is(e->asked->form, "chat.deliver"))
    {
        return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(m, PARLEY_MSG_FORM).pointer,
                                "the answered call did not request progress");
    }

    parley_buf_lit(b, "{\"jsonrpc\":\"2.0\",\"method\":"
                      "\"notifications/progress\",\"params\":{"
                      "\"progressToken\":");

    parley_c2a_write_token(e);

    parley_c2a_write_number(e, PARLEY_ATOM_progress, "0");
    parley_c2a_write_number(e, PARLEY_ATOM_total, "");

    if (parley_msg_member(m->data.doc, m->data.node, PARLEY_ATOM_status,
                          &text)
        != 0)
    {
        return parley_error_memory(e->err);
    }

    parley_buf_lit(b, ",\"message\":\"");

    if (m->text.len == 0 && text.len > 0) {
        parley_buf_json_text(b, text);

    } else {
        parley_sentence_words(b, m, e->sender);
    }

    parley_buf_lit(b, "\"}}");

    parley_c2a_report_lost(e);

    return 0;
}


static void
parley_c2a_write_number(parley_c2a_encode_t *e, parley_atom_t name,
    const char *otherwise)
{
    parley_str_t          number;
    uint32_t              value;
    const parley_json_t  *doc;

    doc = e->m->data.doc;
    value = parley_json_member(doc, e->m->data.node, name);

    number = value != PARLEY_JSON_NONE
             && parley_json_type(doc, value) == PARLEY_JSON_NUMBER
             ? parley_json_raw(doc, value) : parley_str_c(otherwise);

    if (number.len > 0) {
        parley_buf_name(&e->b, parley_atom_name(name));
        parley_buf_str(&e->b, number);
    }
}


/* Reports members without a place in a progress notification. */

static void
parley_c2a_report_lost(parley_c2a_encode_t *e)
{
    uint32_t             i, k;
    parley_atom_t        name;
    parley_json_ref_t    value;
    const parley_msg_t  *m;

    m = e->m;
    value.doc = m->data.doc;

    for (k = parley_json_first(m->data.node);
         m->data.node != PARLEY_JSON_NONE
         && k != parley_json_end(value.doc, m->data.node);
         k = parley_json_after(value.doc, k + 1))
    {
        name = parley_json_atom(value.doc, k);
        value.node = k + 1;

        if (name != PARLEY_ATOM_progress && name != PARLEY_ATOM_total
            && name != PARLEY_ATOM_status && value.node != m->said[0]
            && parley_msg_is_payload(m, k))
        {
            parley_loss_value(e->loss, value);
        }
    }

    for (i = 0; i < m->nmembers; i++) {
        value = m->members[i].value;

        if (parley_json_type(value.doc, value.node) != PARLEY_JSON_NULL) {
            parley_loss_value(e->loss, value);
        }
    }
}


int
parley_c2a_check_event(const parley_engine_t *engine, parley_c2a_encode_t *e,
    parley_encoded_t *ret)
{
    int            there;
    parley_msg_t   back;
    parley_json_t  doc;

    if (parley_c2a_is_plain(e, ret->body)) {
        if (parley_c2a_corr(e, &ret->corr) != 0) {
            return -1;
        }

    } else {
        if (parley_c2a_read_back(engine, e, ret->body, &doc, &back) != 0) {
            return -1;
        }

        ret->corr = back.corr;
    }

    /* An answer in the event's thread also names the conversation. */

    there = parley_str_eq(ret->corr, e->thread.len > 0 ? e->thread
                                                       : e->conversation);

    if (parley_c2a_correlate(e->arena, there ? e->conversation : ret->corr,
                             there ? e->thread : parley_str_none, &ret->corr)
        != 0)
    {
        return parley_error_memory(e->err);
    }

    ret->id = parley_c2a_event(e);
    ret->call = ret->id;

    /* Reactions can answer every event, also one that needs no answer. */

    ret->answerable = 1;
    ret->one_way = parley_str_is(e->row->policy, "must_not_respond");

    return 0;
}


/*
 * Returns whether the variable values are surely valid for the schema and the
 * reader: no empty ids and names, an exact integer as deadline, no duplicate
 * name, an allowed depth.  0: the event must be read to decide.
 */

static int
parley_c2a_is_plain(const parley_c2a_encode_t *e, parley_str_t body)
{
    size_t               kind;
    const parley_msg_t  *m;

    m = e->m;

    if (m->origin != m->wire || m->carried || m->data.doc != m->doc
        || m->id.len == 0 || m->created.len == 0
        || m->timeout_ms > PARLEY_C2A_DEADLINE_MAX
        || e->sender.len == 0 || e->recipient.len == 0
        || body.len >= PARLEY_JSON_NONE)
    {
        return 0;
    }

    /* The author must have a kind and an id. */

    kind = parley_str_until(e->sender, ':').len;

    return kind > 0 && kind + 1 < e->sender.len
           && parley_embed_is_simple(m, PARLEY_C2A_LEVELS);
}


/*
 * Checks that a message that was carried has the carrier's sender and
 * recipient.
 */

int
parley_c2a_check_restored(const parley_engine_t *engine,
    parley_c2a_encode_t *e, parley_encoded_t *ret)
{
    int            event;
    parley_msg_t   back;
    parley_json_t  doc;

    if (parley_c2a_read_back(engine, e, ret->body, &doc, &back) != 0) {
        return -1;
    }

    if ((back.sender.len > 0 && !parley_str_eq(back.sender, e->sender))
        || (back.recipient.len > 0 && e->opts->answering == NULL
            && !parley_str_eq(back.recipient, e->recipient)))
    {
        return parley_error_set(e->err, PARLEY_E_TRANSLATION_UNSUPPORTED,
                                parley_at(e->m, PARLEY_MSG_RECIPIENT).pointer,
                                "the carried message has another sender or "
                                "recipient");
    }

    /* The members repeat the correlation as conversation and thread. */

    if (e->opts->answering == NULL && e->m->corr.len > 0
        && !parley_str_eq(e->m->corr, e->m->id)
        && !parley_embed_is_id(e->m->corr, back.corr)
        && !parley_c2a_corr_is(&back, e->m->corr)
        && !parley_str_eq(parley_c2a_thread(back.corr), e->m->corr))
    {
        parley_loss_at(e->loss, e->m, PARLEY_MSG_CORR);
    }

    ret->id = back.id;
    ret->corr = back.corr;
    ret->call = back.call;

    event = parley_c2a_form_of(&doc) == PARLEY_C2A_DELIVER;

    ret->answerable = event || back.act == PARLEY_ACT_REQUEST;
    ret->one_way = event
                   && parley_json_string_is(&doc,
                          parley_json_resolve(&doc, 0,
                              PARLEY_STR("/params/attention/policy")),
                          PARLEY_STR("must_not_respond"));

    return 0;
}


static int
parley_c2a_read_back(const parley_engine_t *engine, parley_c2a_encode_t *e,
    parley_str_t body, parley_json_t *doc, parley_msg_t *back)
{
    if (parley_read_again(doc, e->arena, e->m->doc->seed, body, e->err) != 0
        || parley_decode(engine, e->arena, PARLEY_PROTO_C2A, doc, 0, back,
                         e->err)
           != 0)
    {
        return parley_embed_unsaid(parley_at(e->m, PARLEY_MSG_DATA).pointer,
                                   "in C2A", e->err);
    }

    return 0;
}
