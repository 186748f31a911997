/*
 * The tool chat.send_message.  One key is one message (C2A-11, C2A-12).  An
 * event has one slot for the answer of each reader, which belongs to the first
 * key.  In this order:
 *
 *   claim          of an event that others may answer too (C2A-18)
 *   EVENT open     the id of the answer is taken
 *   slot           this id, before the answer is visible
 *   publish        to the conversation, the mailboxes and the surface
 *   disposition    responded; the knocks of others are cancelled
 */

#include <string.h>

#include "gate/host/parley_attention_parts.h"
#include "gate/host/parley_host_act.h"
#include "gate/host/parley_host_post.h"
#include "gate/settings/parley_settings.h"


#define PARLEY_HOST_SHORT  140      /* characters of an answer to an event that
                                       only wants an acknowledgment */

#define PARLEY_HOST_FLIGHT_MS  5000     /* a reaction that is not published by
                                           then was left by a process that
                                           died */

#define PARLEY_HOST_KEY     "/params/arguments/idempotencyKey"
#define PARLEY_HOST_REPLY   "/params/arguments/inReplyTo"
#define PARLEY_HOST_TARGET  "/params/arguments/target"
#define PARLEY_HOST_SEEN    "/params/arguments/visibility"


static int parley_host_send_cancels(parley_host_act_t *a);
static int parley_host_send_answer(parley_host_act_t *a,
    parley_chat_post_t *post);
static int parley_host_send_visible(parley_host_act_t *a,
    const parley_chat_post_t *post);
static int parley_host_send_permits(parley_host_act_t *a);
static int parley_host_send_is_short(const parley_host_act_t *a);
static int parley_host_slot_open(parley_host_act_t *a,
    const parley_chat_post_t *post);
static int parley_host_slot_take(parley_host_act_t *a, parley_str_t id);
static int parley_host_slot_taken(parley_host_act_t *a);
static int parley_host_send_target(parley_host_act_t *a,
    parley_chat_post_t *post);
static int parley_host_send_to(parley_host_act_t *a, parley_chat_post_t *post);
static int parley_host_act_known(parley_host_act_t *a,
    const parley_chat_event_t *e, parley_host_post_t *publish);
static int parley_host_act_failed(parley_host_act_t *a, parley_str_t id);


int
parley_host_send(parley_host_act_t *a)
{
    int                  rc;
    parley_chat_post_t   post;

    memset(&post, 0, sizeof(parley_chat_post_t));

    if (parley_host_act_id(a, "a-", &a->args->key, 1, &post.id) != 0) {
        return parley_error_memory(a->h->err);
    }

    post.act = PARLEY_CHAT_MESSAGE;
    post.mentions = a->args->mentions;
    post.nmentions = a->args->nmentions;
    post.content = a->args->content;
    post.text = a->args->text;
    post.directedness = a->args->directedness;

    rc = a->on.id.len > 0 ? parley_host_send_answer(a, &post)
                          : parley_host_send_target(a, &post);
    if (rc == 0) {
        rc = parley_host_act_post(a, &post);
    }

    a->result.place.id = post.conversation;
    a->result.place.kind = post.kind;
    a->result.place.thread = post.thread;

    if (rc == 0 && a->on.id.len > 0) {
        rc = parley_host_dispose(a, PARLEY_CHAT_RESPONDED);

        if (rc == 0) {
            rc = parley_host_send_cancels(a);
        }
    }

    return rc;
}


/* An answer to an event for a role or a thread ends the knocks of other agents.
   Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_send_cancels(parley_host_act_t *a)
{
    int                        rc;
    parley_str_t               rest;
    parley_host_row_t          row;
    parley_host_ends_t         ends;
    parley_host_views_t        views;
    const parley_principal_t  *to;

    if (a->on.row.verdict.directedness != PARLEY_CHAT_TO_ROLE
        || parley_host_views_read(a->on.p.views, &views, &rest) != 0)
    {
        return 0;
    }

    ends.id = a->on.id;
    ends.source = a->on.event.source;
    ends.disposition = PARLEY_CHAT_IGNORED;
    ends.reason = PARLEY_CHAT_REASON_NONE;

    while (parley_host_views_next(&rest, &row)) {
        to = parley_directory_by_sub(a->h->http->directory, row.sub);

        if (to == NULL || to == a->caller || parley_attention_is_human(to)
            || row.verdict.directedness != PARLEY_CHAT_TO_ROLE)
        {
            continue;
        }

        rc = parley_host_part_end(a->h, a->c->g, &ends, to);

        if (rc < 0) {
            return rc;
        }
    }

    return 0;
}


/* Prepares an answer.  Returns 0, PARLEY_WAIT or -1. */

static int
parley_host_send_answer(parley_host_act_t *a, parley_chat_post_t *post)
{
    int                    rc;
    parley_log_page_t      page;
    parley_host_event_t    known;
    parley_publication_t   p;

    if (a->args->placed && a->args->place.id.len > 0
        && !parley_str_eq(a->args->place.id, a->on.event.conversation))
    {
        return parley_error_set(a->h->err, PARLEY_E_FIELD_INVALID,
                                PARLEY_HOST_TARGET "/id", "the event of "
                                "inReplyTo is of another conversation");
    }

    post->in_reply_to = parley_host_event_base(a->on.id);
    post->conversation = a->on.event.conversation;
    post->kind = a->on.event.kind;
    post->thread = a->args->place.thread.len > 0 ? a->args->place.thread
                                                 : a->on.event.thread;

    rc = parley_host_send_visible(a, post);

    /* a key that belongs to a message takes no slot; without its message the
       claim may have ended since */

    if (rc == 0) {
        rc = parley_host_event_get(a->h, post->id, a->source.name, &known);
    }

    if (rc == 1 && (known.place.epoch != 0
                    || memcmp(known.print, a->c->g->admit.entrance.print,
                              PARLEY_PRINT_LEN) != 0))
    {
        return 0;
    }

    if (rc == 1) {
        rc = parley_host_event_read(a->h, post->id, &known, &page, &p);
    }

    if (rc != 0) {
        return rc < 0 ? rc : 0;
    }

    rc = parley_host_send_permits(a);

    return rc == 0 ? parley_host_slot_open(a, post) : rc;
}


/* Refuses a message that more readers would see than its sender wants. */

static int
parley_host_send_visible(parley_host_act_t *a, const parley_chat_post_t *post)
{
    if (post->kind == PARLEY_CHAT_DM
        || a->args->visibility == PARLEY_CHAT_CHANNEL
        || (a->args->visibility == PARLEY_CHAT_THREAD && post->thread.len > 0))
    {
        return 0;
    }

    return parley_error_set(a->h->err, PARLEY_E_FIELD_INVALID,
                            PARLEY_HOST_SEEN, "all of the channel would see "
                            "this message");
}


/* Takes the id of the answer, and the slot.  A slot with an id that is taken
   belongs to another key, also before its answer is published. */

static int
parley_host_slot_open(parley_host_act_t *a, const parley_chat_post_t *post)
{
    int                  rc;
    parley_host_event_t  known;

    memset(&known, 0, sizeof(parley_host_event_t));

    known.source = a->source.name;
    known.author = a->caller->sub;
    known.conversation = post->conversation;
    known.kind = post->kind;
    known.thread = post->thread;
    known.opened_ms = a->h->now_ms;
    memcpy(known.print, a->c->g->admit.entrance.print, PARLEY_PRINT_LEN);

    rc = parley_host_event_put(a->h, post->id, &known, 1);

    if (rc < 0) {
        return rc;
    }

    a->opened = rc == 0;
    rc = parley_host_slot_take(a, post->id);

    return rc == -1 && a->opened
           && parley_host_event_drop(a->h, post->id, known.source)
              == PARLEY_WAIT
           ? PARLEY_WAIT : rc;
}


/* Checks the policy of the event, and claims it if others may answer too. */

static int
parley_host_send_permits(parley_host_act_t *a)
{
    int                          rc;
    parley_attention_verdict_t  *v;

    v = &a->on.row.verdict;

    if (v->policy == PARLEY_CHAT_MUST_NOT
        && !parley_str_eq(a->on.event.author, a->caller->sub))
    {
        rc = parley_host_claims(a);

        if (rc < 0) {
            return rc;
        }

        if (rc == 0) {
            return parley_error_set(a->h->err, PARLEY_E_POLICY_REFUSED,
                                    PARLEY_HOST_REPLY, "the caller must not "
                                    "respond to this event");
        }
    }

    if (v->policy == PARLEY_CHAT_ACK && !parley_host_send_is_short(a)) {
        return parley_error_set(a->h->err, PARLEY_E_POLICY_REFUSED,
                                PARLEY_HOST_REPLY, "this event only wants an "
                                "acknowledgment, of at most %d characters of "
                                "text", PARLEY_HOST_SHORT);
    }

    return v->claims || v->directedness == PARLEY_CHAT_TO_ROLE
           ? parley_host_claim(a, a->args->ttl_ms) : 0;
}


static int
parley_host_send_is_short(const parley_host_act_t *a)
{
    size_t        i, characters;
    parley_str_t  text = a->args->text;

    if (a->args->content.node != PARLEY_JSON_NONE) {
        return 0;
    }

    characters = 0;

    for (i = 0; i < text.len; i++) {
        characters += (text.data[i] & 0xc0) != 0x80;
    }

    return characters <= PARLEY_HOST_SHORT;
}


/* Records the id of the answer.  The slot of a message that was never published
   is free. */

static int
parley_host_slot_take(parley_host_act_t *a, parley_str_t id)
{
    int                      rc;
    unsigned                 tries;
    parley_host_delivery_t  *part;

    part = &a->on.part;

    rc = 1;

    for (tries = 0; tries < PARLEY_HOST_TRIES; tries++) {

        if (part->answer.len > 0 && !parley_str_eq(part->answer, id)) {
            rc = parley_host_slot_taken(a);

            if (rc != 0) {
                return rc;
            }
        }

        part->answer = id;

        rc = parley_host_delivery_put(a->h, a->on.id, a->on.event.source,
                                      a->caller->sub, part);
        if (rc != 1) {
            break;
        }

        rc = parley_host_delivery_get(a->h, a->on.id, a->on.event.source,
                                      a->caller->sub, part);
        if (rc < 0) {
            return rc;
        }

        rc = 1;
    }

    if (rc == 1) {
        return parley_error_set(a->h->err, PARLEY_E_CAPACITY, NULL,
                                "other calls answer the event");
    }

    /* the put has changed the generation */

    rc = rc < 0 ? rc : parley_host_delivery_get(a->h, a->on.id,
                                                a->on.event.source,
                                                a->caller->sub, part);
    return rc < 0 ? rc : 0;
}


static int
parley_host_slot_taken(parley_host_act_t *a)
{
    int                  rc;
    parley_host_event_t  answer;

    rc = parley_host_event_get(a->h, a->on.part.answer, a->on.event.source,
                               &answer);
    if (rc != 1) {
        return rc;
    }

    a->c->refused.id = a->on.part.answer;

    return parley_error_set(a->h->err, PARLEY_E_MESSAGE_DUPLICATE,
                            PARLEY_HOST_KEY, "the caller has answered this "
                            "event under another key");
}


/* Prepares a message that answers no event. */

static int
parley_host_send_target(parley_host_act_t *a, parley_chat_post_t *post)
{
    int                         rc;
    parley_host_conversation_t  where;

    if (a->args->place.name.len > 0) {
        return parley_host_send_to(a, post);
    }

    post->kind = a->args->place.kind;
    post->thread = a->args->place.thread;
    post->stream = a->args->place.stream;

    /* the caller may write where it may read */

    rc = parley_host_place_reads(a->h, a->c->g, a->caller, &a->args->place,
                                 PARLEY_HOST_TARGET, &where, &post->kind);
    if (rc == 0) {
        a->c->refused.retryable = 1;

        return parley_error_set(a->h->err, PARLEY_E_REPLY_UNMATCHED,
                                PARLEY_HOST_TARGET, "the conversation is "
                                "unknown here");
    }

    if (rc == 1) {
        post->conversation = where.id;
        rc = parley_host_send_visible(a, post);
    }

    return rc < 0 ? rc
           : parley_host_source_find(a->h, where.source, &a->source) == 0
             ? 0 : parley_error_memory(a->h->err);
}


/* A message to a party is in the conversation of the two. */

static int
parley_host_send_to(parley_host_act_t *a, parley_chat_post_t *post)
{
    int                        order, first;
    size_t                     n;
    parley_buf_t               b;
    parley_str_t               own, other;
    const parley_principal_t  *to;

    to = parley_directory_listed(a->h->http->directory,
                                 (parley_namespace_t) a->h->proto,
                                 a->args->place.name);

    if (to == NULL || to == a->caller || !parley_attention_has_mailbox(to)) {
        return parley_error_set(a->h->err, PARLEY_E_IDENTITY_UNMAPPABLE,
                                PARLEY_HOST_TARGET, "no other principal with a "
                                "mailbox has this name");
    }

    own = a->caller->names[a->h->proto];
    other = to->names[a->h->proto];
    n = own.len < other.len ? own.len : other.len;
    order = memcmp(own.data, other.data, n);
    first = order != 0 ? order < 0 : own.len < other.len;

    parley_buf_init(&b, a->h->arena, 0);
    parley_buf_str(&b, first ? own : other);
    parley_buf_octet(&b, ' ');
    parley_buf_str(&b, first ? other : own);

    post->recipient = other;
    post->kind = PARLEY_CHAT_DM;
    post->thread = a->args->place.thread;

    return parley_buf_done(&b, &post->conversation) == 0
           && parley_host_source_find(a->h, PARLEY_STR(PARLEY_HOST_PLATFORM "."
                                      PARLEY_HOST_WORKSPACE), &a->source) == 0
           ? 0 : parley_error_memory(a->h->err);
}


int
parley_host_act_signal(parley_host_act_t *a, parley_chat_signal_t signal)
{
    parley_str_t        parts[5];
    parley_chat_post_t  post;

    memset(&post, 0, sizeof(parley_chat_post_t));


    (void) a->h->chat->signal(signal, &parts[0]);

    parts[1] = a->on.event.source;
    parts[2] = a->on.id;
    parts[3] = a->args->reason;
    parts[4] = a->args->eta;

    if (parley_host_act_id(a, "r-", parts, 5, &post.id) != 0) {
        return parley_error_memory(a->h->err);
    }

    post.act = PARLEY_CHAT_REACTION;
    post.of = parley_host_event_base(a->on.id);
    post.conversation = a->on.event.conversation;
    post.kind = a->on.event.kind;
    post.thread = a->on.event.thread;
    post.signal = signal;
    post.reason = a->args->reason;
    post.eta = a->args->eta;
    post.directedness = PARLEY_CHAT_TO_ME;

    return parley_host_act_post(a, &post);
}


int
parley_host_act_post(parley_host_act_t *a, parley_chat_post_t *post)
{
    int                   rc;
    parley_buf_t          b;
    parley_host_post_t   *publish;
    parley_chat_event_t  *e;

    publish = parley_arena_calloc(a->h->arena, sizeof(parley_host_post_t));
    e = parley_arena_calloc(a->h->arena, sizeof(parley_chat_event_t));

    if (publish == NULL || e == NULL) {
        return parley_error_memory(a->h->err);
    }

    a->result.id = post->id;

    post->platform = a->source.platform;
    post->workspace = a->source.workspace;
    post->author = a->caller->names[a->h->proto];
    post->created_ms = a->h->now_ms;

    /* progress is in the streams of the conversation alone */

    if (post->act == PARLEY_CHAT_PROGRESS) {
        a->source.surface = NULL;
    }

    if (a->source.surface != NULL
        && !parley_attention_has_mailbox(a->source.surface))
    {
        return parley_error_set(a->h->err, PARLEY_E_IDENTITY_UNMAPPABLE, NULL,
                                "the surface of the conversation has no "
                                "mailbox");
    }

    parley_host_post_event(post, e);

    rc = parley_host_act_known(a, e, publish);

    if (rc != 0) {
        return rc == 1 ? 0 : rc;
    }

    parley_buf_init(&b, a->h->arena, 0);
    a->h->chat->post(&b, post);

    if (parley_buf_done(&b, &publish->message) != 0) {
        return parley_error_memory(a->h->err);
    }

    publish->h = a->h;
    publish->g = a->c->g;
    publish->e = e;
    publish->member = post->act == PARLEY_CHAT_MESSAGE
                      ? PARLEY_HOST_KEY : parley_host_act_pointer(a);
    publish->source = a->source.name;
    publish->sub = a->caller->sub;
    publish->name = post->author;
    publish->author = a->caller;
    publish->sender = a->caller->sub;
    publish->surface = a->source.surface;
    publish->key = a->args->key;
    publish->print = a->c->g->admit.entrance.print;
    publish->obliged = a->on.row.verdict.policy == PARLEY_CHAT_MUST;

    return parley_host_publish(publish);
}


/* Returns 1: the event was published before; 0: not, or by a process that died
   before the append; PARLEY_WAIT; or -1: message-duplicate, or
   message-in-flight. */

static int
parley_host_act_known(parley_host_act_t *a, const parley_chat_event_t *e,
    parley_host_post_t *publish)
{
    int                    rc;
    parley_log_page_t      page;
    parley_host_event_t    known;
    parley_publication_t   p;

    if (a->opened) {
        publish->left = 1;
        return 0;
    }

    rc = parley_host_event_get(a->h, e->id, a->source.name, &known);

    if (rc != 1) {
        return rc;
    }

    if (e->act == PARLEY_CHAT_MESSAGE
        && memcmp(known.print, a->c->g->admit.entrance.print, PARLEY_PRINT_LEN)
           != 0)
    {
        a->c->refused.id = e->id;

        return parley_error_set(a->h->err, PARLEY_E_MESSAGE_DUPLICATE,
                                PARLEY_HOST_KEY, "this key belongs to a "
                                "message with other arguments");
    }

    rc = parley_host_act_failed(a, e->id);

    if (rc != 0) {
        return rc;
    }

    if (known.place.epoch != 0) {
        return 1;
    }

    rc = parley_host_event_read(a->h, e->id, &known, &page, &p);

    /* no admission excludes that equal reactions come at the same time */

    if (rc == 0 && e->act != PARLEY_CHAT_MESSAGE
        && a->h->now_ms - known.opened_ms < PARLEY_HOST_FLIGHT_MS)
    {
        return parley_error_set(a->h->err, PARLEY_E_MESSAGE_IN_FLIGHT,
                                parley_host_act_pointer(a), "an equal event is "
                                "being published");
    }

    if (rc == 0) {
        publish->left = 1;
        return 0;
    }

    if (rc == 1) {
        rc = parley_host_event_put(a->h, e->id, &known, 0);
    }

    return rc < 0 ? rc : 1;
}


/* Checks that the surface has not refused the message.  Returns 0, PARLEY_WAIT,
   or -1: send-failed. */

static int
parley_host_act_failed(parley_host_act_t *a, parley_str_t id)
{
    int                     rc;
    parley_host_delivery_t  delivery;

    if (a->source.surface == NULL) {
        return 0;
    }

    rc = parley_host_delivery_get(a->h, id, a->source.name,
                                  a->source.surface->sub, &delivery);

    if (rc < 0 || delivery.disposition != PARLEY_CHAT_FAILED) {
        return rc < 0 ? rc : 0;
    }

    a->c->refused.id = id;

    return parley_error_set(a->h->err, PARLEY_E_SEND_FAILED, NULL,
                            "the surface refused this message for good; send "
                            "another one under another key");
}
