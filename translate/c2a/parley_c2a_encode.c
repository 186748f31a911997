/*
 * Writes another protocol's message as an event:
 *
 *     {"jsonrpc": "2.0", "id": "evt-1", "method": "chat/deliver", "params": {
 *         "eventId": "evt-1", "source": {"platform": "aee"},
 *         "author": {"id": "alice", "kind": "agent"},
 *         "timing": {"createdAt": "2026-06-02T19:10:00Z"},
 *         "conversation": {"id": "C1", "kind": "thread", "threadId": "T1"},
 *         "target": {"recipient": "agent:bob", "directedness": "to_me"},
 *         "inReplyTo": "evt-0", "content": [...], "attention": {...},
 *         "injection": {...}, "reliability": {...}}}
 *
 * and progress for somebody who called as notifications/progress.
 */

#include "parley_c2a.h"
#include "parley_embed.h"
#include "parley_name.h"
#include "parley_msg_field.h"
#include "parley_time.h"


#define PARLEY_C2A_ENVELOPE  1280    /* octets around what is carried */


static int parley_c2a_names(parley_c2a_encode_t *e);
static int parley_c2a_group(parley_str_t name, parley_str_t *ret);
static int parley_c2a_stand(parley_c2a_encode_t *e, parley_str_t group);
static int parley_c2a_stand_there(parley_c2a_encode_t *e,
    parley_str_t place);
static int parley_c2a_stand_by_name(parley_c2a_encode_t *e,
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
static void parley_c2a_untold(parley_c2a_encode_t *e);


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

    /* an event has the text twice */

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

    group = parley_c2a_group(e->recipient, &name);

    e->row = parley_c2a_row(m, group);

    if (e->opts->answering != NULL
        && e->opts->answering->wire == PARLEY_PROTO_C2A)
    {
        e->asked = e->opts->answering;
    }

    return parley_c2a_stand(e, name) == 0 ? 0 : parley_error_memory(e->err);
}


/* "channel:x": a conversation, nobody in particular */

static int
parley_c2a_group(parley_str_t name, parley_str_t *ret)
{
    if (!parley_str_begins(name, "channel:")) {
        *ret = parley_str_none;
        return 0;
    }

    *ret = parley_str_from(name, sizeof("channel:") - 1);

    return 1;
}


/*
 * The channel is the conversation and the correlation its thread; what is
 * for somebody has no channel: the correlation is the conversation.  An
 * answer stands where its question does.  -1: no memory.
 */

static int
parley_c2a_stand(parley_c2a_encode_t *e, parley_str_t group)
{
    const parley_msg_t  *answering;

    answering = e->opts->answering;

    if (e->asked != NULL && e->asked->place.len > 0
        && parley_c2a_stand_there(e, e->asked->place) != 0)
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
        e->conversation = e->m->id;
    }

    return 0;
}


/*
 * A conversation as in an event, or the target of a tool; one that names
 * somebody is none.
 */

static int
parley_c2a_stand_there(parley_c2a_encode_t *e, parley_str_t place)
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
        return parley_msg_string(doc, 0, &name) != 0
               || parley_c2a_stand_by_name(e, name) != 0 ? -1 : 0;
    }

    if (parley_msg_string(doc, parley_json_member(doc, 0, PARLEY_ATOM_id),
                          &e->conversation)
        != 0
        || parley_msg_string(doc, parley_json_member(doc, 0,
                                                     PARLEY_ATOM_threadId),
                             &e->thread)
           != 0
        || parley_msg_string(doc, parley_json_member(doc, 0,
                                                     PARLEY_ATOM_kind),
                             &e->kind)
           != 0)
    {
        return -1;
    }

    e->placed = e->conversation.len > 0 || e->thread.len > 0
                || e->kind.len > 0;

    return 0;
}


/* "channel:C", "thread:T" */

static int
parley_c2a_stand_by_name(parley_c2a_encode_t *e, parley_str_t name)
{
    const uint8_t  *colon;

    colon = name.len > 0 ? memchr(name.data, ':', name.len) : NULL;

    if (colon == NULL) {
        return 0;
    }

    e->kind = parley_str_make(name.data, (size_t) (colon - name.data));

    if (!parley_str_is(e->kind, "channel") && !parley_str_is(e->kind, "thread"))
    {
        e->kind = parley_str_none;
        return 0;
    }

    e->conversation = parley_str_from(name, e->kind.len + 1);

    e->placed = e->conversation.len > 0;

    return 0;
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
    parley_buf_json_text(b, m->id);
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


/* The id as it was written before. */

static void
parley_c2a_write_id(parley_c2a_encode_t *e)
{
    if (!e->b.failed) {
        parley_buf_put(&e->b, e->b.data + e->id_at, e->id_len);
    }
}


/* "agent:x@h" is the agent "x@h" */

static void
parley_c2a_write_author(parley_c2a_encode_t *e)
{
    size_t         n;
    parley_buf_t  *b;

    b = &e->b;

    for (n = 0; n < e->sender.len && e->sender.data[n] != ':'; n++) {
        /* void */
    }

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

    if (!parley_c2a_group(e->recipient, &group)) {
        parley_buf_lit(b, "\"recipient\":\"");
        parley_buf_json_text(b, e->recipient);
        parley_buf_lit(b, "\",");
    }

    parley_buf_str(b, e->row->in_target);
}


/* an id that its sender never gave means nothing to it */

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

    parley_buf_lit(b, ",\"attention\":{");
    parley_buf_str(b, e->row->in_attention);
    parley_buf_lit(b, "\"priority\":\"");
    parley_buf_str(b, parley_priority_name(e->m->priority));

    if (e->m->timeout_ms >= 0) {
        parley_buf_lit(b, "\",\"deadlineMs\":");
        parley_buf_int(b, e->m->timeout_ms);
        parley_buf_lit(b, "},");

    } else {
        parley_buf_lit(b, "\"},");
    }

    parley_buf_str(b, e->row->in_injection);
}


/* "Cancellation And Progress": never an event, and to nobody who did not ask */

static int
parley_c2a_write_progress(parley_c2a_encode_t *e)
{
    uint32_t             status;
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
                                "nobody asked for progress of it");
    }

    parley_buf_lit(b, "{\"jsonrpc\":\"2.0\",\"method\":"
                      "\"notifications/progress\",\"params\":{"
                      "\"progressToken\":");

    parley_c2a_write_token(e);

    parley_c2a_write_number(e, PARLEY_ATOM_progress, "0");
    parley_c2a_write_number(e, PARLEY_ATOM_total, NULL);

    status = parley_json_member(m->data.doc, m->data.node,
                                PARLEY_ATOM_status);

    if (parley_msg_string(m->data.doc, status, &text) != 0) {
        return parley_error_memory(e->err);
    }

    parley_buf_lit(b, ",\"message\":\"");

    if (m->text.len == 0 && text.len > 0) {
        parley_buf_json_text(b, text);

    } else {
        parley_c2a_write_words(b, m, e->sender);
    }

    parley_buf_lit(b, "\"}}");

    parley_c2a_untold(e);

    return 0;
}


/* An event, which has no place for a token, stands for itself. */

void
parley_c2a_write_token(parley_c2a_encode_t *e)
{
    if (e->asked->token.len > 0) {
        parley_buf_str(&e->b, e->asked->token);

    } else {
        parley_buf_json_string(&e->b, e->asked->id);
    }
}


static void
parley_c2a_write_number(parley_c2a_encode_t *e, parley_atom_t name,
    const char *otherwise)
{
    parley_json_ref_t  value;

    value.doc = e->m->data.doc;
    value.node = parley_json_member(value.doc, e->m->data.node, name);

    if (value.node != PARLEY_JSON_NONE
        && parley_json_type(value.doc, value.node) == PARLEY_JSON_NUMBER)
    {
        parley_buf_name(&e->b, parley_atom_name(name));
        parley_buf_value(&e->b, value);

    } else if (otherwise != NULL) {
        parley_buf_name(&e->b, parley_atom_name(name));
        parley_buf_put(&e->b, otherwise, strlen(otherwise));
    }
}


/* What progress has no member for. */

static void
parley_c2a_untold(parley_c2a_encode_t *e)
{
    uint32_t             i, k;
    parley_json_ref_t    value;
    const parley_msg_t  *m;

    m = e->m;
    value.doc = m->data.doc;

    if (m->data.node != PARLEY_JSON_NONE) {
        for (k = parley_json_first(m->data.node);
             k != parley_json_end(value.doc, m->data.node);
             k = parley_json_after(value.doc, k + 1))
        {
            value.node = k + 1;

            switch (parley_json_atom(value.doc, k)) {

            case PARLEY_ATOM_progress:
            case PARLEY_ATOM_total:
            case PARLEY_ATOM_status:
                break;

            default:
                if (value.node != m->said[0]
                    && parley_msg_is_payload(m, k))
                {
                    parley_loss_value(e->loss, value);
                }
            }
        }
    }

    for (i = 0; i < m->nmembers; i++) {
        if (parley_json_type(m->members[i].value.doc, m->members[i].value.node)
            != PARLEY_JSON_NULL)
        {
            parley_loss_value(e->loss, m->members[i].value);
        }
    }
}
