/*
 * Whether what was written is valid C2A.  It is read back, but for an event
 * of which that is plain without: all of it is fixed but for values that were
 * read and validated before, and strings.
 */

#include "parley_c2a.h"
#include "parley_msg_field.h"


/* levels that an event puts around a value of the message that it carries */
#define PARLEY_C2A_LEVELS        8
#define PARLEY_C2A_LEVELS_MAX    (PARLEY_JSON_DEPTH_MAX - PARLEY_C2A_LEVELS)


static int parley_c2a_is_plain(const parley_c2a_encode_t *e,
    parley_str_t body);
static int parley_c2a_answers_once(const parley_msg_t *m);
static int parley_c2a_is_shallow(const parley_json_t *doc);
static int parley_c2a_corr(const parley_c2a_encode_t *e, parley_str_t *ret);
static int parley_c2a_read_back(const parley_engine_t *engine,
    parley_c2a_encode_t *e, parley_str_t body, parley_json_t *doc,
    parley_msg_t *back);
static int parley_c2a_is_one_way(const parley_json_t *doc);


int
parley_c2a_check_event(const parley_engine_t *engine, parley_c2a_encode_t *e,
    parley_encoded_t *ret)
{
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

    /* who answers it in its thread names the conversation too */

    if (e->thread.len > 0 && parley_str_eq(ret->corr, e->thread)
        && parley_c2a_correlate(e->arena, e->conversation, e->thread,
                                &ret->corr)
           != 0)
    {
        return parley_error_memory(e->err);
    }

    ret->id = e->m->id;
    ret->call = e->m->id;

    /* also one that wants no answer: there are reactions */

    ret->answerable = 1;
    ret->one_way = parley_str_is(e->row->policy, "must_not_respond");

    return 0;
}


/*
 * What the schema and the reader ask of the values that are not fixed: no
 * empty ids and names, a deadline that is an integer everywhere, no name
 * twice, not too deep.  "No" means only that it has to be read.
 */

static int
parley_c2a_is_plain(const parley_c2a_encode_t *e, parley_str_t body)
{
    const uint8_t       *colon;
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

    /* the author has a kind and an id */

    colon = memchr(e->sender.data, ':', e->sender.len);

    return colon != NULL && colon != e->sender.data
           && colon != e->sender.data + e->sender.len - 1
           && parley_c2a_answers_once(m) && parley_c2a_is_shallow(m->doc);
}


/*
 * A message may have a member for what it answers that is null or empty, and
 * answer something all the same.
 */

static int
parley_c2a_answers_once(const parley_msg_t *m)
{
    uint32_t      i;
    parley_str_t  name;

    if (m->reply_to.len == 0) {
        return 1;
    }

    name = parley_codecs[m->origin]->reply_to_member;

    for (i = 0; i < m->nmembers; i++) {
        if (parley_str_eq(m->members[i].name, name)) {
            return 0;
        }
    }

    return 1;
}


/* What has few nodes has no more levels. */

static int
parley_c2a_is_shallow(const parley_json_t *doc)
{
    uint32_t  i;

    if (doc->nnodes <= PARLEY_C2A_LEVELS_MAX) {
        return 1;
    }

    for (i = 0; i < doc->nnodes; i++) {
        if (!(doc->nodes[i].flags & PARLEY_JSON_KEY)
            && doc->nodes[i].depth > PARLEY_C2A_LEVELS_MAX)
        {
            return 0;
        }
    }

    return 1;
}


/*
 * What reading would have as its correlation: the conversation, where the
 * payload that an event shows does not name something else.  What it names
 * is what the message was read with, and that stands in the event already,
 * but for an answer: that stands where what it answers does.
 */

static int
parley_c2a_corr(const parley_c2a_encode_t *e, parley_str_t *ret)
{
    parley_msg_t           back;
    const parley_codec_t  *codec;

    codec = parley_codecs[e->m->origin];

    *ret = e->thread.len > 0 ? e->thread : e->conversation;

    if ((e->opts->answering == NULL && e->m->corr.len > 0)
        || codec->payload == NULL)
    {
        return 0;
    }

    back = *e->m;
    back.corr = *ret;

    if (codec->payload(&back) != 0) {
        return parley_error_memory(e->err);
    }

    *ret = back.corr;

    return 0;
}


/*
 * What comes back from another protocol's slot must be from and for whom its
 * carrier said.
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
                                "what it carries is for somebody else");
    }

    ret->id = back.id;
    ret->corr = back.corr;
    ret->call = back.call;

    event = parley_c2a_form_of(&doc) == PARLEY_C2A_DELIVER;

    ret->answerable = event || back.act == PARLEY_ACT_REQUEST;
    ret->one_way = event && parley_c2a_is_one_way(&doc);

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


static int
parley_c2a_is_one_way(const parley_json_t *doc)
{
    uint32_t  attention;

    attention = parley_json_member(doc, parley_c2a_params(doc),
                                   PARLEY_ATOM_attention);

    return parley_json_string_is(doc, parley_json_member(doc, attention,
                                                         PARLEY_ATOM_policy),
                                 PARLEY_STR("must_not_respond"));
}
