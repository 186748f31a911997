/*
 * Escalation of an event that its reader did not decide in time: to one
 * principal, once (C2A-23).  The lead is the parent of an agent; the human is
 * the one for which the agent acts.
 *
 *   DELIVERY escalated   the reader may still answer
 *   EVENT                of the escalated event, for references to it
 *   the author is told   by a reaction of the gateway
 *   append               to the mailbox of the next principal, with the end of
 *                        the job
 */

#include <string.h>

#include "core/parley_hex.h"
#include "gate/host/parley_attention_parts.h"
#include "gate/host/parley_host_audit.h"
#include "gate/host/parley_host_end.h"
#include "gate/host/parley_host_follow_parts.h"
#include "gate/host/parley_host_post.h"
#include "gate/host/parley_host_said.h"
#include "gate/host/parley_host_turn_text.h"
#include "gate/settings/parley_settings.h"
#include "translate/parley_codec.h"


/* octets of the name of a reaction that are a hash */
#define PARLEY_ESCALATE_NAME    8


/* the first reader of an event */
typedef struct {
    parley_str_t  sub;
    parley_str_t  name;
} parley_escalate_from_t;


static const parley_principal_t *parley_escalate_above(
    const parley_follow_t *f, parley_str_t author, unsigned level,
    parley_escalate_from_t *from);
static int parley_escalate_is_replaced(parley_follow_t *f, parley_str_t id,
    const parley_host_event_t *event);
static int parley_escalate_is_erased(parley_follow_t *f);
static int parley_escalate_replaced(parley_follow_t *f);
static uint8_t parley_escalate_raiser(const parley_follow_t *f);
static int parley_escalate_is_done(parley_follow_t *f, parley_str_t base,
    unsigned level, const parley_principal_t *to);
static int parley_escalate_is_shared(parley_follow_t *f, unsigned level,
    const parley_host_event_t *own, parley_str_t id,
    const parley_principal_t *to);
static int parley_escalate_to(parley_follow_t *f, unsigned level,
    const parley_host_event_t *event, const parley_escalate_from_t *from,
    const parley_principal_t *to);
static int parley_escalate_renew(parley_follow_t *f, parley_str_t id,
    const parley_principal_t *to);
static int parley_escalate_tell(parley_follow_t *f, parley_chat_reason_t why,
    const parley_principal_t *to);
static int parley_escalate_told(parley_follow_t *f, parley_str_t id,
    int *left);
static int parley_escalate_name(parley_follow_t *f, parley_chat_reason_t why,
    parley_str_t *ret);
static int parley_escalate_post(parley_follow_t *f, parley_chat_event_t *e,
    parley_chat_reason_t why, const parley_principal_t *to,
    parley_str_t *ret);

static int parley_escalate_decided(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_str_t sub, int decided);


int
parley_follow_escalate(parley_follow_t *f)
{
    int                        rc;
    unsigned                   level;
    parley_str_t               base;
    parley_host_event_t        event;
    parley_escalate_from_t     from;
    const parley_principal_t  *to;

    base = parley_host_event_base(f->id);
    level = base.len == f->id.len ? 1 : 2;

    rc = parley_host_event_get(&f->h, base, f->views.source, &event);

    if (rc < 0) {
        return rc;
    }

    /* a job that acts at once keeps the text of a message that was deleted, or
       of an edit that was replaced */

    if (rc == 1) {
        rc = f->views.turn ? parley_escalate_is_erased(f)
                           : parley_escalate_is_replaced(f, base, &event);
    }

    if (rc != 0) {
        return rc < 0 ? rc : parley_escalate_replaced(f);
    }

    to = parley_escalate_above(f, event.author, level, &from);

    if (f->delivery.escalated > 0) {
        rc = parley_escalate_is_done(f, base, level, to);

        if (rc != 0) {
            return rc < 0 ? rc
                   : parley_follow_end(f->d, PARLEY_DEADLINE_ANSWERED, 0);
        }
    }

    f->delivery.escalated = (uint8_t) level;
    f->delivery.raiser = parley_escalate_raiser(f);

    rc = parley_host_delivery_put(&f->h, f->id, f->views.source, f->d->sub,
                                  &f->delivery);

    if (rc != 0) {
        return rc == 1 ? -1 : rc;
    }

    rc = parley_escalate_tell(f,
                              to == NULL ? PARLEY_CHAT_REASON_UNDELIVERED
                              : f->delivery.disposition == PARLEY_CHAT_FAILED
                              ? PARLEY_CHAT_REASON_FAILED
                              : PARLEY_CHAT_REASON_ESCALATED, to);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    f->d->to = to;

    if (to != NULL) {
        return parley_escalate_to(f, level, &event, &from, to);
    }

    parley_host_audit_step(&f->h, PARLEY_HOST_STEP_UNDELIVERED, f->id,
                           f->d->sub);

    return parley_follow_end(f->d, PARLEY_DEADLINE_UNACKNOWLEDGED, 0);
}


/* Returns whether the message was deleted, or, for an edit, edited again: the
   new edit obliges the reader.  Returns 1, 0, PARLEY_WAIT or -1. */

static int
parley_escalate_is_replaced(parley_follow_t *f, parley_str_t id,
    const parley_host_event_t *event)
{
    int                  rc;
    parley_str_t         now;
    parley_host_event_t  newest;

    if (event->act != PARLEY_CHAT_EDIT) {
        return event->now == PARLEY_CHAT_DELETE;
    }

    now = id;
    newest = *event;
    rc = parley_host_event_now(&f->h, &now, &newest);

    return rc < 0 ? rc : rc == 0 || !parley_str_eq(now, id);
}


/* Returns whether a change has erased a turn: the job of the change offers the
   rest of it.  Returns 1, 0, PARLEY_WAIT or -1. */

static int
parley_escalate_is_erased(parley_follow_t *f)
{
    int                    rc;
    parley_host_row_t      row;
    parley_host_views_t    views;
    parley_publication_t   p;

    rc = parley_host_said_replaced(&f->h, f->p, &f->views);

    if (rc != 1 || f->reader == NULL) {
        return rc < 0 ? rc : 0;
    }

    rc = parley_host_mailbox_find(&f->h, f->reader, f->id, f->views.source, &p,
                                  &views, &row);

    return rc < 0 ? rc : !(rc == 1 && views.turn);
}


/* Ends the event for its reader.  An open turn stays until the job of its
   change ends it.  Returns 0, PARLEY_WAIT, or -1: to be tried again. */

static int
parley_escalate_replaced(parley_follow_t *f)
{
    int  rc;

    if (parley_host_is_open(&f->delivery)) {

        if (f->views.turn) {
            return -1;
        }

        f->delivery.disposition = PARLEY_CHAT_SUPERSEDED;

        rc = parley_host_delivery_put(&f->h, f->id, f->views.source,
                                      f->d->sub, &f->delivery);
        if (rc != 0) {
            return rc == 1 ? -1 : rc;
        }
    }

    return parley_follow_end(f->d, PARLEY_DEADLINE_ANSWERED, 0);
}


/* Finds the next principal, and the first reader of the event.  If the reader
   has left the directory, the principals count that were above it. */

static const parley_principal_t *
parley_escalate_above(const parley_follow_t *f, parley_str_t author,
    unsigned level, parley_escalate_from_t *from)
{
    const parley_principal_t   *first, *to;
    const parley_directory_t   *dir;

    dir = f->h.http->directory;

    first = level == 1 ? f->reader
            : parley_directory_by_name(dir, (parley_namespace_t) f->h.proto,
                                       f->views.escalated);

    if (first != NULL) {
        from->sub = first->sub;
        from->name = first->names[f->h.proto];

        return parley_host_above(first, author, level);
    }

    from->name = level == 1 ? f->name : f->views.escalated;
    from->sub = level == 1 ? f->d->sub : from->name;

    if (level > 1 && f->reader != NULL) {
        return parley_host_above(f->reader, author, level);
    }

    to = parley_directory_by_sub(dir, f->lead);

    if (level > 1 || to == NULL || !parley_attention_has_mailbox(to)
        || parley_str_eq(to->sub, author))
    {
        to = parley_directory_by_sub(dir, f->human);
    }

    return to != NULL && parley_attention_has_mailbox(to)
           && !parley_str_eq(to->sub, author) ? to : NULL;
}


/* Returns the number of this job among those that may escalate the event: they
   have different lanes, so two of them may run at once. */

static uint8_t
parley_escalate_raiser(const parley_follow_t *f)
{
    return f->act == PARLEY_FOLLOW_AGAIN ? 4
           : f->act != PARLEY_FOLLOW_OPEN ? 1
           : f->p->id.len == f->id.len ? 2 : 3;
}


/*
 * Returns whether an escalation that was begun is done, or another job does it:
 * 1; 0: the process died, or the state was full; PARLEY_WAIT or -1.  Without a
 * principal above, the job that acted at once is to tell so.
 */

static int
parley_escalate_is_done(parley_follow_t *f, parley_str_t base, unsigned level,
    const parley_principal_t *to)
{
    parley_str_t           id;
    parley_host_row_t      row;
    parley_host_views_t    views;
    parley_publication_t   p;

    if (f->delivery.raiser != 0
        && f->delivery.raiser != parley_escalate_raiser(f))
    {
        return 1;
    }

    if (to == NULL) {
        return f->act != PARLEY_FOLLOW_ESCALATE && f->d->job->attempt == 1;
    }

    return parley_host_escalated_id(f->h.arena, base, level, &id) != 0
           ? -1 : parley_host_mailbox_find(&f->h, to, id, f->views.source, &p,
                                           &views, &row);
}


/*
 * Returns whether the job of another reader sends the event to the same
 * principal: a turn may oblige several readers.  Returns 1; 0: an earlier try
 * put the record, or the principals differ; PARLEY_WAIT or -1.
 */

static int
parley_escalate_is_shared(parley_follow_t *f, unsigned level,
    const parley_host_event_t *own, parley_str_t id,
    const parley_principal_t *to)
{
    int                        rc;
    parley_host_event_t        known;
    const parley_principal_t  *first;

    rc = parley_host_event_get(&f->h, id, own->source, &known);

    if (rc != 1 || parley_str_eq(known.escalated, own->escalated)) {
        return rc < 0 ? rc : 0;
    }

    first = parley_directory_by_sub(f->h.http->directory, known.escalated);

    if (first != NULL && parley_host_above(first, own->author, level) == to) {
        return 1;
    }

    rc = parley_host_event_put(&f->h, id, own, 0);

    return rc < 0 ? rc : 0;
}


/* Ends the job with the event of the next principal, which is followed too if
   it is an agent. */

static int
parley_escalate_to(parley_follow_t *f, unsigned level,
    const parley_host_event_t *event, const parley_escalate_from_t *from,
    const parley_principal_t *to)
{
    int                          rc;
    parley_append_t             *append;
    parley_host_row_t            row;
    parley_host_event_t          known;
    parley_host_views_t          views;
    parley_publication_t         p;
    parley_host_conversation_t   where;

    append = parley_arena_alloc(f->h.arena, sizeof(parley_append_t));
    p = *f->p;
    row = f->row;
    views = f->views;
    known = *event;

    if (append == NULL
        || parley_host_escalated_id(f->h.arena, parley_host_event_base(f->id),
                                    level, &p.id)
           != 0)
    {
        return -1;
    }

    known.source = views.source;
    known.escalated = from->sub;
    known.generation = 0;

    /* a turn may have the id of a change, but is a message */

    if (views.turn) {
        known.act = PARLEY_CHAT_MESSAGE;
        known.now = PARLEY_CHAT_MESSAGE;
        known.other = parley_str_none;
    }

    memset(&known.place, 0, sizeof(parley_place_t));

    rc = parley_host_event_put(&f->h, p.id, &known, 1);

    if (rc == 1) {
        rc = parley_escalate_is_shared(f, level, &known, p.id, to);
    }

    if (rc != 0) {
        return rc < 0 ? rc : parley_follow_end(f->d, PARLEY_DEADLINE_RAISED, 0);
    }

    where.source = views.source;
    where.id = views.conversation;

    rc = parley_host_may_read(&f->h, NULL, &where, to);

    if (rc < 0) {
        return rc;
    }

    p.ms = f->d->now_ms;

    views.reason = PARLEY_CHAT_REASON_ESCALATED;
    views.deadline_ms = f->deadline_ms;

    views.escalated = from->name;

    row.sub = to->sub;
    row.reads = rc == 1;
    row.attempt = 1;
    row.waits = 0;      /* a reader may decline a message before its turn */
    row.verdict.directedness = PARLEY_CHAT_TO_ME;
    row.verdict.policy = PARLEY_CHAT_MUST;
    row.verdict.mode = PARLEY_CHAT_BUFFERED;

    if (level == 2 || parley_attention_is_human(to)) {
        row.verdict.policy = PARLEY_CHAT_MAY;
        row.verdict.mode = PARLEY_CHAT_NOTIFY;
    }

    if (parley_follow_append(f, &p, &views, &row, to, append) != 0) {
        return -1;
    }

    rc = parley_host_follow_jobs(&f->h, &p, f->deadline_ms, append);

    if (rc == 0) {
        rc = parley_escalate_renew(f, p.id, to);
    }

    if (rc != 0) {
        return rc;
    }

    f->d->end.tells = append;

    parley_host_audit_escalated(&f->h, p.id, f->d->sub, &row);

    return parley_follow_end(f->d, PARLEY_DEADLINE_RAISED, 0);
}


/* Renews the part that an edit has put for the principal above.  Returns 0,
   PARLEY_WAIT or -1. */

static int
parley_escalate_renew(parley_follow_t *f, parley_str_t id,
    const parley_principal_t *to)
{
    int                      rc;
    parley_host_delivery_t   above;

    rc = parley_host_delivery_get(&f->h, id, f->views.source, to->sub, &above);

    if (rc == 1 && above.generation != 0) {
        rc = parley_host_delivery_put(&f->h, id, f->views.source, to->sub,
                                      &above);
    }

    return rc < 0 ? rc : 0;
}


/*
 * Tells the author by a reaction of the gateway.  Its id is always the same, so
 * it is published once.  An author that cannot be told does not stop the
 * escalation.  Returns 0, PARLEY_WAIT, or -1.
 */

static int
parley_escalate_tell(parley_follow_t *f, parley_chat_reason_t why,
    const parley_principal_t *to)
{
    int                        rc, left;
    uint8_t                    print[PARLEY_PRINT_LEN];
    parley_chat_event_t       *e;
    parley_host_post_t        *post;
    const parley_principal_t  *like;

    e = parley_arena_calloc(f->h.arena, sizeof(parley_chat_event_t));
    post = parley_arena_calloc(f->h.arena, sizeof(parley_host_post_t));

    if (e == NULL || post == NULL
        || parley_escalate_name(f, why, &e->id) != 0
        || parley_escalate_post(f, e, why, to, &post->message) != 0)
    {
        return -1;
    }

    left = 0;
    rc = parley_escalate_told(f, e->id, &left);

    if (rc != 0) {
        return rc == 1 ? 0 : rc;
    }

    post->left = left != 0;

    memset(print, 0, sizeof(print));

    post->h = &f->h;
    post->e = e;
    post->source = f->views.source;
    post->name = f->h.http->self_names[f->h.proto];
    post->sender = f->p->sender;
    post->print = print;

    /* the surface of the conversation shows it to a person */

    post->surface = parley_directory_by_account(f->h.http->directory,
                                                f->views.source, &like);

    if (post->surface != NULL
        && !parley_attention_has_mailbox(post->surface))
    {
        post->surface = NULL;
    }

    f->d->wakes = 1;

    return parley_host_publish(post);
}


/* Returns whether the reaction was published: 1; 0, with *left set if a process
   died before; PARLEY_WAIT or -1. */

static int
parley_escalate_told(parley_follow_t *f, parley_str_t id, int *left)
{
    int                    rc;
    parley_log_page_t      page;
    parley_host_event_t    known;
    parley_publication_t   p;

    rc = parley_host_event_get(&f->h, id, f->views.source, &known);

    if (rc != 1 || known.place.epoch != 0) {
        return rc;
    }

    *left = 1;
    rc = parley_host_event_read(&f->h, id, &known, &page, &p);

    if (rc != 1) {
        return rc;
    }

    rc = parley_host_event_put(&f->h, id, &known, 0);

    return rc < 0 ? rc : 1;
}


static int
parley_escalate_name(parley_follow_t *f, parley_chat_reason_t why,
    parley_str_t *ret)
{
    uint8_t       octet, key[PARLEY_KEY_LEN], text[2 * PARLEY_ESCALATE_NAME];
    parley_buf_t  b;
    parley_str_t  parts[4];

    octet = (uint8_t) why;

    parts[0] = f->id;
    parts[1] = f->views.source;
    parts[2] = f->d->sub;
    parts[3] = parley_str_make(&octet, 1);

    parley_state_key(f->h.ask->state, PARLEY_KIND_EVENT, parts, 4, key);
    (void) parley_hex_write(text, key, PARLEY_ESCALATE_NAME);

    parley_buf_init(&b, f->h.arena, 0);
    parley_buf_lit(&b, "e-");
    parley_buf_str(&b, parley_str_make(text, sizeof(text)));

    return parley_buf_done(&b, ret);
}


int
parley_follow_event(parley_follow_t *f, parley_chat_event_t *ret)
{
    parley_str_t    message;
    parley_json_t  *doc;

    message = f->views.turn ? parley_turn_text_last(f->p->message)
                            : f->p->message;

    doc = parley_arena_alloc(f->h.arena, sizeof(parley_json_t));

    return doc != NULL
           && parley_json_read(doc, f->h.arena, &parley_host_limits, f->h.seed,
                               message, &f->err)
              == 0
           && f->h.chat->read(f->d->deliver->engine, f->h.arena, doc, ret,
                              &f->err)
              == 0 ? 0 : -1;
}


/* Fills the reaction, in the conversation of the event, and writes its text. */

static int
parley_escalate_post(parley_follow_t *f, parley_chat_event_t *e,
    parley_chat_reason_t why, const parley_principal_t *to, parley_str_t *ret)
{
    parley_buf_t          b;
    parley_chat_post_t    post;
    parley_chat_event_t   of;

    if (parley_follow_event(f, &of) != 0) {
        return -1;
    }

    memset(&post, 0, sizeof(parley_chat_post_t));

    post.id = e->id;
    post.act = PARLEY_CHAT_REACTION;
    post.of = parley_host_event_base(f->id);
    post.platform = of.platform;
    post.workspace = of.workspace;
    post.conversation = of.conversation;
    post.kind = of.kind;
    post.thread = of.thread;
    post.stream = of.stream;
    post.author = f->h.http->self_names[f->h.proto];
    post.signal = PARLEY_CHAT_SIGNAL_BLOCKED;
    post.why = why;
    post.created_ms = f->d->now_ms;
    post.directedness = PARLEY_CHAT_TO_ME;

    if (to != NULL) {
        post.to = to->names[f->h.proto];
    }

    parley_host_post_event(&post, e);
    e->human = 1;

    parley_buf_init(&b, f->h.arena, 0);
    f->h.chat->post(&b, &post);

    return parley_buf_done(&b, ret);
}


int
parley_host_decided(parley_host_t *h, parley_str_t id,
    const parley_host_event_t *event, parley_str_t sub)
{
    int                        rc;
    unsigned                   level;
    parley_str_t               base, of;
    const parley_principal_t  *reader, *to;

    base = parley_host_event_base(id);
    id = parley_host_event_named(id);

    reader = parley_directory_by_sub(h->http->directory,
                                     event->escalated.len > 0
                                     ? event->escalated : sub);
    rc = 1;
    of = base;
    to = reader;

    for (level = 1; rc == 1; level++) {

        if (to == NULL) {
            return 0;
        }

        rc = parley_escalate_decided(h, of, event->source, to->sub,
                                     parley_str_eq(of, id));

        if (rc != 1 || level > PARLEY_HOST_LEVELS) {
            break;
        }

        to = parley_host_above(reader, event->author, level);

        if (parley_host_escalated_id(h->arena, base, level, &of) != 0) {
            return parley_error_memory(h->err);
        }
    }

    return rc < 0 ? rc : 0;
}


/*
 * Puts superseded for the part of a reader that is open, unless it is the one
 * that was decided.  Returns 1 if the event went up after this reader; 0;
 * PARLEY_WAIT or -1.
 */

static int
parley_escalate_decided(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_str_t sub, int decided)
{
    int                     rc;
    unsigned                tries;
    parley_host_delivery_t  delivery;

    rc = 1;

    for (tries = 0; rc == 1 && tries < PARLEY_HOST_TRIES; tries++) {

        rc = parley_host_delivery_get(h, id, source, sub, &delivery);

        if (rc < 0 || decided || !parley_host_is_open(&delivery)) {
            break;
        }

        delivery.disposition = PARLEY_CHAT_SUPERSEDED;
        rc = parley_host_delivery_put(h, id, source, sub, &delivery);

        if (rc == 0) {
            parley_host_end_for(h, id, source, sub, &delivery);
        }
    }

    return rc < 0 ? rc : delivery.escalated > 0;
}
