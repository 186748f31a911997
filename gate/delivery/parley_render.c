#include <string.h>

#include "gate/delivery/parley_render.h"
#include "translate/parley_engine.h"
#include "translate/parley_loss.h"
#include "gate/settings/parley_settings.h"
#include "gate/correlation/parley_seal.h"
#include "gate/correlation/parley_correlation.h"
#include "gate/correlation/parley_question.h"


/* a message that one location accepted must be readable everywhere */
static const parley_json_limits_t  parley_deliver_limits = {
    .octets = UINT32_MAX,
    .depth = PARLEY_JSON_DEPTH_MAX,
    .string = UINT32_MAX,
    .members = UINT32_MAX
};


/* a publication and the question that it answers */
typedef struct {
    parley_who_t        who;
    parley_msg_t        msg;
    parley_json_t       doc;
    parley_question_t   question;
    parley_who_asker_t  asker;
    parley_msg_t        answering;
} parley_deliver_answer_t;


static int parley_render_answers(const parley_publication_t *p,
    parley_proto_t to, parley_deliver_answer_t *ret);


int
parley_deliver(const parley_render_t *d, const parley_publication_t *p,
    parley_proto_t to, parley_arena_t *arena, parley_str_t *ret,
    parley_loss_t *loss, parley_error_t *err)
{
    int               rc;
    parley_encoded_t  made;

    if (p->proto == to) {
        parley_loss_init(loss, arena);
        *ret = p->message;
        return 0;
    }

    rc = parley_render_made(d, p, to, arena, &made, loss, err);

    if (rc == 0) {
        *ret = made.body;
    }

    return rc;
}


int
parley_render_made(const parley_render_t *d, const parley_publication_t *p,
    parley_proto_t to, parley_arena_t *arena, parley_encoded_t *ret,
    parley_loss_t *loss, parley_error_t *err)
{
    parley_seal_t             seal;
    parley_encode_opts_t      opts;
    parley_deliver_answer_t   a;

    parley_error_clear(err);
    parley_loss_init(loss, arena);

    if (parley_render_read(d, p, arena, &a.msg, &a.doc, &a.who, err) != 0) {
        return err->code == PARLEY_E_CAPACITY ? -1 : 1;
    }

    memset(&opts, 0, sizeof(parley_encode_opts_t));
    memset(ret, 0, sizeof(parley_encoded_t));

    seal.arena = arena;
    seal.key = d->http->signing;

    parley_who_opts(&a.who, &opts);
    parley_seal_opts(&seal, &opts);

    parley_deliver_opts(d->http, to, &opts);

    if (parley_render_answers(p, to, &a)) {
        opts.answering = &a.answering;
    }

    opts.principal = p->sender;

    return parley_encode(d->engine, arena, to, &a.msg, &opts, ret, loss, err)
           == 0 ? 0 : err->code == PARLEY_E_CAPACITY ? -1 : 1;
}


int
parley_render_message(const parley_render_t *d,
    const parley_publication_t *p, parley_arena_t *arena, parley_msg_t *msg,
    parley_json_t *doc, parley_error_t *err)
{
    parley_who_t  who;

    return parley_render_read(d, p, arena, msg, doc, &who, err);
}


/* Without retention, records end at once. */

void
parley_render_retention(const parley_settings_http_t *http,
    parley_retention_t *ret)
{
    ret->records = 1;
    ret->octets = 1;
    ret->ms = 1;

    if (http->retain != 0) {
        ret->records = http->retain < UINT32_MAX ? (uint32_t) http->retain
                                                 : UINT32_MAX;
        ret->octets = INT32_MAX;
        ret->ms = http->retain_ms;
    }
}


void
parley_deliver_opts(const parley_settings_http_t *http, parley_proto_t to,
    parley_encode_opts_t *opts)
{
    const parley_settings_t  *s;

    s = http->listens[to] != NULL ? http->listens[to] : http->delivers;

    if (s != NULL) {
        opts->context = s->context.text;
        opts->constitution = s->constitution.text;
        opts->broadcast = s->broadcast;
    }

    opts->self = http->self_names[PARLEY_PROTO_CANONICAL];
}


int
parley_render_read(const parley_render_t *d, const parley_publication_t *p,
    parley_arena_t *arena, parley_msg_t *msg, parley_json_t *doc,
    parley_who_t *who, parley_error_t *err)
{
    parley_submission_t  submission;

    memset(msg, 0, sizeof(parley_msg_t));
    memset(who, 0, sizeof(parley_who_t));
    memset(&submission, 0, sizeof(parley_submission_t));

    who->directory = d->http->directory;
    parley_who_about(who, arena, msg);

    if (d->http->directory != NULL) {
        who->principal = parley_directory_by_sub(d->http->directory,
                                                 p->sender);
    }

    if (parley_json_read(doc, arena, &parley_deliver_limits, d->seed,
                         p->message, err)
        != 0
        || parley_decode(d->engine, arena, p->proto, doc, 0, msg, err) != 0)
    {
        return -1;
    }

    /* the sender was proven when the message was accepted */

    who->instrument = p->instrument;

    submission.scope = p->scope;
    submission.author = p->author;
    submission.sender = p->from;
    submission.recipient = p->to;
    submission.ms = p->ms;

    if (parley_submit(arena, msg, &submission, err) != 0) {
        return -1;
    }

    if (msg->dm && p->to.len > 0) {
        /* an answer that named its conversation in place of the asker */
        msg->recipient = p->to;
    }

    /* an embedded message is published unchanged, without the caps (AEE-28,
       AEE-29) */

    if (msg->priority > p->priority) {
        msg->priority = p->priority;
    }

    if (msg->timeout_ms > p->timeout_ms) {
        msg->timeout_ms = p->timeout_ms;
    }

    msg->owner = p->sender;

    if (p->id.len > 0) {
        msg->id = p->id;
    }

    return 0;
}


/*
 * Sets the asker of the question that msg answers (HUB-07).  Returns 1 with the
 * question in ret->answering if the asker reads the protocol; else 0.
 */

static int
parley_render_answers(const parley_publication_t *p, parley_proto_t to,
    parley_deliver_answer_t *ret)
{
    parley_correlation_t  r;

    if (p->question.len == 0) {
        return 0;
    }

    if (parley_question_split(p->question, &ret->question) != 0) {
        return 0;
    }

    parley_question_asked_by(&ret->question, &ret->asker);

    memset(&r, 0, sizeof(parley_correlation_t));

    r.msg = &ret->msg;
    r.who = &ret->who;
    r.question = &ret->question;
    r.own = p->own;
    r.asker_name = p->own ? p->to
             : ret->question.texts[PARLEY_QUESTION_SENT_FROM];
    r.asker = &ret->asker;

    if (ret->question.head.proto == to) {
        parley_msg_init(&ret->answering, to, ret->msg.doc);
        parley_question_message(&ret->question, &ret->answering);

        r.answering = &ret->answering;
    }

    parley_correlation_again(&r);

    return r.answering != NULL;
}
