/*
 * The tools by which an agent acts on an event: react, defer, claim and
 * resolve; and progress of its work, which has no effect on the event.  A tool
 * names an event, which it acknowledges, or a thread
 * (parley_host_act_thread.c).  An act is also published, as a reaction, so that
 * the author of the event and the surface learn it (C2A-15, C2A-16).
 * chat.send_message is in parley_host_send.c.
 */

#include <string.h>

#include "gate/host/parley_host_act.h"
#include "gate/host/parley_host_digest_text.h"
#include "gate/host/parley_host_other.h"
#include "gate/host/parley_host_said.h"
#include "gate/settings/parley_settings.h"


static int parley_host_act_named(parley_host_act_t *a);
static int parley_host_act(parley_host_act_t *a);
static int parley_host_act_react(parley_host_act_t *a,
    parley_chat_signal_t signal);
static parley_chat_disposition_t parley_host_act_means(
    const parley_host_act_t *a, parley_chat_signal_t signal);
static int parley_host_act_claim(parley_host_act_t *a);
static int parley_host_act_whole(parley_host_act_t *a);
static int parley_host_act_resolve(parley_host_act_t *a);
static int parley_host_act_progress(parley_host_act_t *a);


int
parley_host_tool(parley_host_call_t *c)
{
    int                 rc;
    parley_host_act_t  *a;

    a = parley_arena_calloc(c->g->arena, sizeof(parley_host_act_t));

    if (a == NULL) {
        return parley_error_memory(c->g->err);
    }

    a->c = c;
    a->h = &c->h;
    a->args = &c->call.args;
    a->caller = parley_directory_by_sub(c->h.http->directory,
                                        c->g->who->principal->sub);

    if (a->caller == NULL || !parley_attention_has_mailbox(a->caller)) {
        return parley_error_set(c->g->err, PARLEY_E_SCOPE_UNAUTHORISED, NULL,
                                "the caller has no mailbox");
    }

    rc = parley_host_act_named(a);

    if (rc < 0) {
        return rc;
    }

    if (rc == 1 && a->on.views.other) {
        return parley_host_other_act(a);
    }

    if (c->call.kind == PARLEY_CHAT_CALL_PROGRESS) {
        rc = parley_host_act_progress(a);

    } else if (c->call.tool == PARLEY_CHAT_SEND_MESSAGE) {
        rc = parley_host_send(a);

    } else if (rc == 0 && a->args->placed) {
        rc = parley_host_act_thread(a);

    } else if (rc == 0) {
        return parley_error_set(c->g->err, PARLEY_E_FIELD_MISSING,
                                "/params/arguments/inReplyTo", "the call must "
                                "name an event");

    } else {
        rc = parley_host_act(a);
    }

    if (rc == 0 && c->call.kind == PARLEY_CHAT_CALL_TOOL) {
        rc = parley_host_pending(c, &a->result.mailbox);
    }

    return rc < 0 ? rc
           : c->chat->answer(c->g->arena, &c->call, &a->result,
                             &c->g->out.reply)
             == 0 ? 0 : parley_error_memory(c->g->err);
}


/* Finds the event that inReplyTo names: of chat, else of another protocol.
   Returns as parley_host_act_find(). */

static int
parley_host_act_named(parley_host_act_t *a)
{
    int  rc, other;

    rc = parley_host_act_find(a);

    if (rc != -1 || a->h->err->code != PARLEY_E_REPLY_UNMATCHED
        || a->on.event.source.len > 0)
    {
        return rc;
    }

    other = parley_host_other_find(a);

    if (other == 1) {
        a->c->refused.retryable = 0;
        parley_error_clear(a->h->err);
    }

    if (other == 0 && a->c->call.tool == PARLEY_CHAT_SEND_MESSAGE
        && parley_host_digest_is(a->args->in_reply_to))
    {
        a->c->refused.retryable = 0;

        return parley_error_set(a->h->err, PARLEY_E_POLICY_REFUSED,
                                "/params/arguments/inReplyTo",
                                "the caller must not respond to a digest");
    }

    return other == 0 ? rc : other;
}


static int
parley_host_act(parley_host_act_t *a)
{
    switch (a->c->call.tool) {

    case PARLEY_CHAT_REACT:
        return parley_host_act_react(a, a->args->signal);

    case PARLEY_CHAT_DEFER:
        return parley_host_act_react(a, PARLEY_CHAT_SIGNAL_QUEUED);

    case PARLEY_CHAT_CLAIM:
        return parley_host_act_claim(a);

    default:
        return parley_host_act_resolve(a);
    }
}


static int
parley_host_act_react(parley_host_act_t *a, parley_chat_signal_t signal)
{
    int                        rc;
    parley_chat_disposition_t  disposition;

    disposition = parley_host_act_means(a, signal);

    if (disposition == PARLEY_CHAT_CLAIMED) {
        rc = parley_host_claim(a, a->args->ttl_ms);

        if (rc != 0) {
            return rc;
        }
    }

    rc = parley_host_act_signal(a, signal);

    return rc == 0 ? parley_host_dispose(a, disposition) : rc;
}


/*
 * Returns the disposition of a signal.  An event that obliges the caller is
 * not ended by a signal that it was seen, and by an agreement only if it asked
 * for an approval.
 */

static parley_chat_disposition_t
parley_host_act_means(const parley_host_act_t *a, parley_chat_signal_t signal)
{
    parley_str_t  word;

    if (a->on.row.verdict.policy == PARLEY_CHAT_MUST
        && (signal == PARLEY_CHAT_SIGNAL_SEEN
            || (signal == PARLEY_CHAT_SIGNAL_AGREE
                && a->on.views.reason != PARLEY_CHAT_REASON_APPROVAL)))
    {
        return PARLEY_CHAT_UNDISPOSED;
    }

    return a->h->chat->signal(signal, &word);
}


static int
parley_host_act_claim(parley_host_act_t *a)
{
    int  rc;

    rc = parley_host_claim(a, a->args->ttl_ms);

    if (rc == 0) {
        rc = parley_host_act_react(a, PARLEY_CHAT_SIGNAL_CLAIMED);
    }

    if (rc != 0) {
        return rc;
    }

    a->result.owner = a->caller->names[a->h->proto];
    a->result.until_ms = a->claim.until_ms;
    a->result.generation = a->claim.number;

    return parley_host_act_whole(a);
}


/* The owner of a claim gets the whole event, also after a knock.  An event that
   went up stays a knock for an owner that may not read its conversation. */

static int
parley_host_act_whole(parley_host_act_t *a)
{
    int                    rc;
    parley_chat_view_t    *v;
    parley_chat_listed_t  *event;
    parley_chat_stored_t  *stored;

    v = parley_arena_alloc(a->h->arena, sizeof(parley_chat_view_t));
    event = parley_arena_calloc(a->h->arena, sizeof(parley_chat_listed_t));
    stored = parley_arena_alloc(a->h->arena, sizeof(parley_chat_stored_t));

    rc = v == NULL || event == NULL || stored == NULL
         ? -1 : parley_host_view_make(&a->on.p, a->h->seed, &a->on.views,
                                      &a->on.row, a->caller, a->h->arena,
                                      stored, v);
    if (rc != 0) {
        return rc < 0 ? parley_error_memory(a->h->err) : 0;
    }

    rc = parley_host_said_gone(a->h, &a->on.p, &a->on.views);

    if (rc < 0) {
        return rc;
    }

    /* the draft: "then claimant gets buffered"; it may answer */

    v->shape = PARLEY_CHAT_AS_OBJECT;
    v->knock = rc == 1 || (v->escalated.len > 0 && !a->on.row.reads);
    event->view = v;

    if (v->mode < PARLEY_CHAT_BUFFERED) {
        v->mode = PARLEY_CHAT_BUFFERED;
    }

    if (v->policy == PARLEY_CHAT_MUST_NOT) {
        v->policy = PARLEY_CHAT_MAY;
    }

    a->result.events = event;
    a->result.nevents = 1;

    return 0;
}


static int
parley_host_act_resolve(parley_host_act_t *a)
{
    int  rc;

    rc = parley_host_act_react(a, PARLEY_CHAT_SIGNAL_DONE);

    if (rc == 0) {
        a->result.resolved = 1;
        a->result.by = a->caller->names[a->h->proto];
        a->result.at_ms = a->h->now_ms;
    }

    return rc;
}


/*
 * Publishes progress to the conversation of the event (C2A-24).  It is not an
 * act on the event: it neither acknowledges nor keeps it open.  Equal progress
 * is one event.
 */

static int
parley_host_act_progress(parley_host_act_t *a)
{
    parley_str_t        parts[5];
    parley_chat_post_t  post;

    memset(&post, 0, sizeof(parley_chat_post_t));

    post.act = PARLEY_CHAT_PROGRESS;
    post.progress = a->c->call.progress;
    post.progress.of = parley_host_event_base(a->on.id);
    post.conversation = a->on.event.conversation;
    post.kind = a->on.event.kind;
    post.thread = a->on.event.thread;
    post.text = a->args->text;
    post.directedness = PARLEY_CHAT_AMBIENT;

    parts[0] = a->on.event.source;
    parts[1] = post.progress.of;

    /* -0 is 0 */

    post.progress.done += 0.0;
    post.progress.total += 0.0;

    parts[2] = parley_str_make(&post.progress.done, sizeof(double));
    parts[3] = parley_str_make(&post.progress.total, sizeof(double));
    parts[4] = post.text;

    return parley_host_act_id(a, "p-", parts, 5, &post.id) == 0
           ? parley_host_act_post(a, &post)
           : parley_error_memory(a->h->err);
}
