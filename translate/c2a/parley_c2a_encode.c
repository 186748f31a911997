#include "parley_c2a.h"
#include "parley_carry.h"
#include "parley_name.h"
#include "parley_spot.h"
#include "parley_time.h"


#define PARLEY_C2A_ENVELOPE  1280    /* octets around what is carried */


static int parley_c2a_names(parley_c2a_encode_t *e);
static int parley_c2a_group(parley_str_t name, parley_str_t *ret);
static void parley_c2a_stand(parley_c2a_encode_t *e, parley_str_t group);
static int parley_c2a_write_event(parley_c2a_encode_t *e);
static void parley_c2a_write_head(parley_c2a_encode_t *e);
static void parley_c2a_write_id(parley_c2a_encode_t *e);
static void parley_c2a_write_author(parley_c2a_encode_t *e);
static void parley_c2a_write_conversation(parley_c2a_encode_t *e);
static void parley_c2a_write_attention(parley_c2a_encode_t *e);
static void parley_c2a_write_knock(parley_c2a_encode_t *e);
static void parley_c2a_withheld(parley_c2a_encode_t *e);


int
parley_c2a_encode(const parley_engine_t *engine, parley_arena_t *arena,
    const parley_msg_t *m, const parley_encode_opts_t *opts,
    parley_encoded_t *ret, parley_loss_t *loss, parley_error_t *err)
{
    int                  restored;
    parley_c2a_encode_t  e;

    memset(&e, 0, sizeof(parley_c2a_encode_t));

    e.arena = arena;
    e.m = m;
    e.opts = opts;
    e.loss = loss;
    e.err = err;

    restored = m->origin == PARLEY_PROTO_C2A;

    /* an event has the text twice */

    parley_buf_init(&e.b, arena, m->doc->input.len + m->text.len
                                 + PARLEY_C2A_ENVELOPE);

    if (parley_c2a_names(&e) != 0
        || (restored ? parley_c2a_write_restored(&e)
                     : parley_c2a_write_event(&e)) != 0)
    {
        return -1;
    }

    if (parley_buf_done(&e.b, &ret->body) != 0) {
        return parley_error_memory(err);
    }

    return restored ? parley_c2a_check_restored(engine, &e, ret)
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
                              PARLEY_SPOT_SENDER, PARLEY_PROTO_C2A,
                              &e->sender, e->err)
        != 0
        || parley_name_translate(e->arena, e->opts, m, m->recipient,
                                 PARLEY_SPOT_RECIPIENT, PARLEY_PROTO_C2A,
                                 &e->recipient, e->err)
           != 0)
    {
        return -1;
    }

    group = parley_c2a_group(e->recipient, &name);

    e->row = parley_c2a_row(m, group);

    parley_c2a_stand(e, name);

    return 0;
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
 * answer stands where the event stands that it answers.
 */

static void
parley_c2a_stand(parley_c2a_encode_t *e, parley_str_t group)
{
    const parley_msg_t  *answering;

    answering = e->opts->answering;

    e->conversation = group;
    e->thread = answering != NULL ? answering->corr : e->m->corr;

    if (group.len == 0) {
        e->conversation = e->thread;
        e->thread = parley_str_none;
    }

    if (e->conversation.len == 0) {
        e->conversation = e->m->id;
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

    if (parley_str_is(e->row->mode, "notify")) {
        parley_c2a_write_knock(e);
        parley_c2a_withheld(e);

    } else if (parley_c2a_write_content(e) != 0) {
        return parley_error_memory(e->err);
    }

    parley_c2a_write_attention(e);

    parley_buf_lit(b, ",\"reliability\":{\"idempotencyKey\":\"");
    parley_c2a_write_id(e);
    parley_buf_octet(b, ':');
    parley_buf_json_text(b, e->recipient);
    parley_buf_lit(b, "\"}}}");

    if (m->origin != m->wire) {
        parley_codecs[m->wire]->residue(m, e->loss);
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

    parley_buf_lit(b, "\"},\"conversation\":{\"id\":\"");
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

    parley_buf_json_text(b, e->conversation);
    parley_buf_str(b, e->row->in_conversation);

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


/*
 * C2A-06.  The topic is the gateway's, and not even the intent goes in: it is
 * the sender's text as well.
 */

static void
parley_c2a_write_knock(parley_c2a_encode_t *e)
{
    parley_buf_t  *b;

    b = &e->b;

    parley_buf_lit(b, ",\"knock\":{");
    parley_buf_member(b, PARLEY_STR("from"), e->sender);
    parley_buf_member(b, PARLEY_STR("where"), e->recipient);
    parley_buf_member(b, PARLEY_STR("directedness"), e->row->directedness);
    parley_buf_member(b, PARLEY_STR("policy"), e->row->policy);
    parley_buf_member(b, PARLEY_STR("priority"),
                      parley_priority_name(e->m->priority));
    parley_buf_member(b, PARLEY_STR("topic"), e->row->topic);
    parley_buf_lit(b, ",\"pullWith\":\"chat.read_thread\"}");
}


/* What a knock withholds this message does not carry. */

static void
parley_c2a_withheld(parley_c2a_encode_t *e)
{
    uint32_t             i;
    const parley_msg_t  *m;

    m = e->m;

    parley_loss_at(e->loss, m, PARLEY_SPOT_FORM);
    parley_loss_at(e->loss, m, PARLEY_SPOT_INTENT);
    parley_loss_at(e->loss, m, PARLEY_SPOT_DATA);

    if (m->reply_to.len > 0) {
        parley_loss_at(e->loss, m, PARLEY_SPOT_REPLY_TO);
    }

    for (i = 0; i < m->nmembers; i++) {
        if (parley_json_type(m->members[i].value.doc, m->members[i].value.node)
            != PARLEY_JSON_NULL)
        {
            parley_loss_value(e->loss, m->members[i].value);
        }
    }
}
