/* Declarations of the files of the host.  Private to them. */

#ifndef PARLEY_HOST_PARTS_H
#define PARLEY_HOST_PARTS_H

#include "auth/parley_surface.h"
#include "gate/host/parley_attention.h"
#include "gate/host/parley_host.h"
#include "gate/message/parley_gate_steps.h"
#include "state/parley_log.h"


/* tries to put a record that other processes change at the same time */
#define PARLEY_HOST_TRIES    4

/* tools that the host has */
#define PARLEY_HOST_TOOLS      ((1u << PARLEY_CHAT_TOOLS) - 1)

/* source of conversations that no surface has */
#define PARLEY_HOST_PLATFORM   PARLEY_SURFACE_OWN
#define PARLEY_HOST_WORKSPACE  "main"

#define PARLEY_HOST_ID        8     /* octets in the id of an agent's event, */
#define PARLEY_HOST_ID_PARTS  6     /* and facts that it is made of */

#define PARLEY_HOST_ENTRIES  32     /* parties that a thread remembers */
#define PARLEY_HOST_NEXT     4      /* records of the first page of an
                                       acknowledgment: most are in order */
#define PARLEY_HOST_ACKED    64     /* records of a page of an acknowledgment,
                                       and events that it acknowledges */
#define PARLEY_HOST_NEWEST   256    /* records of a mailbox that are searched */
#define PARLEY_HOST_PAGES    8      /* pages of a mailbox that a call reads */
#define PARLEY_HOST_OCTETS   (1 << 20)       /* octets of one read */
#define PARLEY_HOST_READS    512    /* conversations that a principal is added
                                       to, */
#define PARLEY_HOST_READS_LEN  65536        /* and octets of their record: of
                                               either, the channels of one
                                               source have a half */


/* octets that a remembered id and its source have at most */
#define PARLEY_HOST_NAMED  64

/* the name of the EVENT record that was used last: a call uses that record
   several times */
typedef struct {
    size_t              id;                 /* octets of the texts; 0: none */
    size_t              source;
    uint8_t             text[PARLEY_HOST_NAMED];
    parley_record_id_t  name;
} parley_host_event_name_t;


/* context of one piece of work of the host: a call, or a job */
typedef struct {
    parley_ask_t                          *ask;
    parley_arena_t                        *arena;
    parley_error_t                        *err;
    const parley_engine_t                 *engine;
    const struct parley_settings_http_s   *http;
    const struct parley_host_conf_s       *host;
    const parley_chat_t                   *chat;
    parley_proto_t                         proto;   /* of chat */
    const uint8_t                         *account; /* that pays */
    uint64_t                               seed;    /* for JSON */
    int64_t                                now_ms;  /* wall clock */
    struct parley_noted_s                 *noted;   /* steps for the audit log
                                                       and the counters */
    struct parley_noted_s                 *noted_last;
    struct parley_noted_s                 *noted_ends;      /* the first one
                                                               that happens with
                                                               the end of the
                                                               job; NULL:
                                                               none */
    parley_host_event_name_t               event;   /* kept from the last
                                                       call */
    unsigned                               full:1;  /* result: no room in the
                                                       state */
    unsigned                               ending:1;        /* steps happen with
                                                               the end of the
                                                               job now */
} parley_host_t;

/* Fills *ret for a call. */
void parley_host_of(parley_gate_t *g, parley_host_t *ret);


/* a call at the host */
typedef struct {
    parley_host_t              h;
    parley_gate_t             *g;
    const parley_chat_t       *chat;
    parley_chat_call_t         call;
    parley_chat_session_t      session;     /* of the caller */
    parley_chat_refused_t      refused;     /* facts of a refusal */
} parley_host_call_t;


/* parley_host_views.c: the text "views" of a publication */

/* deadline of an event of another protocol that has none */
#define PARLEY_HOST_NO_DEADLINE  (INT64_MAX / 2)

/* the common part of the views of an event */
typedef struct {
    parley_str_t                source;         /* "slack.T123" */
    parley_str_t                key;            /* idempotencyKey for the
                                                   surface; empty: none */
    parley_str_t                escalated;      /* name of the reader that did
                                                   not decide it; empty: none */
    parley_str_t                conversation;   /* its id */
    parley_str_t                thread;         /* may be empty, like */
    parley_str_t                stream;         /* the work stream */
    parley_str_t                glyph;          /* for the surface */
    parley_chat_signal_t        signal;         /* of a reaction */
    parley_chat_reason_t        reason;
    int64_t                     deadline_ms;    /* of the event */
    unsigned                    named:1;        /* the event that it answers is
                                                   of the same conversation */
    unsigned                    turn:1;         /* the message is the text of a
                                                   turn, see
                                                   parley_host_turn_text.h */
    unsigned                    other:1;        /* a message of another
                                                   protocol, not from the text
                                                   (parley_host_other.h), */
    parley_proto_t              proto;          /* the protocol, */
    parley_chat_kind_t          kind;           /* and the kind of its
                                                   conversation */
    parley_attention_verdict_t  others;         /* for readers without a row;
                                                   all 0: silent */
} parley_host_views_t;

/* verdict for a reader */
typedef struct {
    parley_str_t                sub;
    parley_attention_verdict_t  verdict;    /* without caps */
    unsigned                    qualified:1;    /* another source had the id
                                                   before */
    unsigned                    surface:1;      /* the surface of the
                                                   conversation */
    uint8_t                     attempt;        /* number of the offer; 0: 1 */
    unsigned                    reads:1;        /* the reader could read the
                                                   conversation */
    unsigned                    waits:1;        /* the reader gets the event in
                                                   a turn */
    unsigned                    edited:1;       /* an edit, */
    unsigned                    late:1;         /* after the reader answered */
} parley_host_row_t;

/* an event that the gateway accepted must be readable everywhere */
extern const parley_json_limits_t  parley_host_limits;

/* Write views: _begin(), then each row, then _done().  _done() returns 0, or -1
   if memory is exhausted. */
void parley_host_views_begin(parley_buf_t *b, parley_arena_t *arena,
    const parley_host_views_t *views);
void parley_host_views_row(parley_buf_t *b, const parley_host_row_t *row);

/*
 * Read views: _read() sets *rest to the rows; _next() returns 1 and the next
 * row, or 0.  Spans are borrowed.  _read() returns 0, or -1 if text is invalid.
 */
int parley_host_views_read(parley_str_t text, parley_host_views_t *ret,
    parley_str_t *rest);
int parley_host_views_next(parley_str_t *rest, parley_host_row_t *ret);

/* Finds the row of a reader.  Returns 1, or 0. */
int parley_host_views_find(parley_str_t text, parley_str_t sub,
    parley_host_views_t *views, parley_host_row_t *ret);

/*
 * Finds the row of a reader of the conversation, also if the event does not
 * concern it.  Returns 1; or 0: the event is silent (C2A-10), or no event.
 */
int parley_host_row_find(const parley_publication_t *p, parley_str_t sub,
    parley_host_views_t *views, parley_host_row_t *ret);

/* Finds the row of a reader for an event of a conversation.  Returns 1; or 0:
   it is silent (C2A-10), or the reader's own, unless own is set. */
int parley_host_row_read(const parley_publication_t *p, parley_str_t sub,
    int own, parley_host_views_t *views, parley_host_row_t *row);

/* Returns whether an event passes the filters of a call. */
int parley_host_row_fits(const parley_chat_args_t *args,
    const parley_publication_t *p, const parley_host_views_t *views,
    const parley_host_row_t *row);

/* Views of a record that tells the streams of a conversation that a principal
   has lost the permission: this octet, and its sub. */
#define PARLEY_HOST_REMOVED  0xff

/* Views of a notification to the owner of a mailbox: this octet, and its sub.
   The message is the notification. */
#define PARLEY_HOST_CANCELLED  0xfe

/* As PARLEY_HOST_CANCELLED, for a digest: only for a session that has them. */
#define PARLEY_HOST_DIGEST  0xfd

/* end of the id of the knock after a claim */
#define PARLEY_HOST_FREE         ":free"

/* end of the id of a reminder */
#define PARLEY_HOST_REMINDER  ":reminder"

/* ends of the ids of events that tell a sender about its message */
#define PARLEY_HOST_FAILED       ":failed"
#define PARLEY_HOST_UNCONFIRMED  ":unconfirmed"

/* Returns whether the row offers an agent's message to its surface. */
static inline int
parley_host_is_sent(const parley_host_row_t *row)
{
    return row->surface && row->verdict.row != PARLEY_ATTENTION_REACTION;
}

/* Returns whether the event is only about another one: a reminder, the end of a
   claim, or the news of a send that failed. */
int parley_host_is_told(const parley_host_views_t *views);

/* Returns whether the event answers one of the reader. */
int parley_host_row_answers(const parley_host_row_t *row);

/* Returns whether an event that came at ms, and is not addressed to the reader,
   is hidden from it.  hidden may be NULL. */
int parley_host_is_hidden(const parley_host_hidden_t *hidden,
    const parley_host_views_t *views, int64_t ms);


/*
 * Makes the view of an event from its row.  stored and doc belong to the caller
 * and live as long as the view.  Returns 0; 1: the message is not JSON; or -1:
 * no memory.
 */
int parley_host_view_make(const parley_publication_t *p, uint64_t seed,
    const parley_host_views_t *views, const parley_host_row_t *row,
    const parley_principal_t *owner, parley_arena_t *arena,
    parley_chat_stored_t *stored, parley_chat_view_t *ret);

/* Fills a reader in the answer to a surface.  p is its principal; NULL: the
   directory does not have it now. */
void parley_host_reader(const parley_host_t *h, const parley_host_row_t *row,
    const parley_principal_t *p, parley_chat_reader_t *ret);

/* Returns the event that an id of a reference means: "m1" for "m1:reminder" and
   "m1:free". */
parley_str_t parley_host_event_named(parley_str_t id);

/* Returns the event that went up as id: "m1" for "m1:escalated:1", too. */
parley_str_t parley_host_event_base(parley_str_t id);

/* Writes the id of an event at the principal of a level above its reader, in
   the arena.  Returns 0, or -1: no memory. */
int parley_host_escalated_id(parley_arena_t *arena, parley_str_t id,
    unsigned level, parley_str_t *ret);


/* parley_host_record.c: records of the state */

/* an accepted event, or one that is being accepted */
typedef struct {
    parley_str_t        source;
    parley_str_t        author;         /* sub */
    parley_str_t        conversation;
    parley_chat_kind_t  kind;
    parley_str_t        thread;
    parley_place_t      place;          /* in the conversation's log; epoch 0:
                                           the append is not known to be
                                           done */
    uint8_t             print[PARLEY_PRINT_LEN];
    parley_str_t        escalated;      /* sub of the reader that did not decide
                                           it; empty: none */
    parley_chat_act_t   act;
    parley_chat_act_t   now;            /* EDIT, DELETE: it was changed */
    parley_str_t        other;          /* EDIT, DELETE: the message; PROGRESS:
                                           the event; a changed message: the
                                           last change */
    parley_str_t        before;         /* changed message: the change before
                                           the last one; empty: none */
    int64_t             lasts_ms;       /* changed message: its deadline */
    int64_t             opened_ms;      /* without a place: when its append
                                           began, wall clock; else 0 */
    uint32_t            generation;     /* of its record; 0: none, or not
                                           read */
} parley_host_event_t;

/*
 * Find a record.  Return 1; 0 if it is missing, with *ret zeroed; PARLEY_WAIT;
 * or -1 with h->err.  _events_get() finds those of all sources, at most n, and
 * returns their number.
 */
int parley_host_event_get(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_host_event_t *ret);
int parley_host_events_get(parley_host_t *h, parley_str_t id,
    parley_host_event_t *ret, int n);

/*
 * Put a record, in place of the one of its generation.  Return 0; 1: stale, as
 * the record exists (fresh, generation 0), or has changed since it was read;
 * PARLEY_WAIT; or -1 with h->err: capacity, and h->full if it found no room.
 */
int parley_host_event_put(parley_host_t *h, parley_str_t id,
    const parley_host_event_t *event, int fresh);

/* Finds out whether another source has an event of this id.  Returns 1; 0;
   PARLEY_WAIT; or -1 with h->err. */
int parley_host_event_shared(parley_host_t *h, parley_str_t id,
    parley_str_t source);

/* Drops the record of an event.  Returns 0, PARLEY_WAIT or -1. */
int parley_host_event_drop(parley_host_t *h, parley_str_t id,
    parley_str_t source);

/* Names the record of a kind by the parts of its key. */
void parley_host_id(const parley_host_t *h, parley_kind_t kind,
    const parley_str_t *parts, size_t n, parley_record_id_t *ret);

/* Gets a record, as above. */
int parley_host_get(parley_host_t *h, const parley_record_id_t *id,
    parley_record_t *ret);

/*
 * Puts a record, as above.  It lives twice as long as the logs, which it is
 * about: a record that is older than all events means nothing.
 */
int parley_host_put(parley_host_t *h, const parley_record_id_t *id,
    parley_buf_t *b, int fresh, uint32_t replaces);

/* Puts a record that does not expire, as above.  generation 0: it is new. */
int parley_host_keep(parley_host_t *h, const parley_record_id_t *id,
    parley_buf_t *b, uint32_t generation);

/* Closes a record.  Returns 0, PARLEY_WAIT, or -1 with h->err: capacity. */
int parley_host_close(parley_host_t *h, const parley_record_id_t *id);

/* Returns rc, the result of a verb of the state.  If it is -1, sets h->err:
   capacity. */
int parley_host_answered(parley_host_t *h, int rc);

/* Writes a text of a record, and reads the next one; empty at the end. */
void parley_host_text(parley_buf_t *b, parley_str_t text);
parley_str_t parley_host_text_read(parley_str_t *rest);

/* Computes the key of the log of a conversation. */
void parley_host_conversation(const parley_state_t *state,
    parley_str_t source, parley_str_t id, uint8_t ret[PARLEY_KEY_LEN]);

/* Computes the key of the log of a mailbox.  Returns 0; 1 if the principal has
   no address; or -1 with h->err: no memory. */
int parley_host_mailbox_log(parley_host_t *h, const parley_principal_t *p,
    uint8_t ret[PARLEY_KEY_LEN]);

/*
 * Reads at most n records of a log, forward after a place or, backward, from
 * the end.  Returns 0, PARLEY_WAIT, or -1 with h->err.
 */
int parley_host_read(parley_host_t *h, const uint8_t *log,
    const parley_place_t *after, size_t n, int backward,
    parley_log_page_t *ret);

/*
 * Reads an event in the log of its conversation: at its place, or, if its
 * record has none, among the newest records; then sets the place.  Returns 1
 * with *p, which is in page; 0: the log does not have it; PARLEY_WAIT; or -1.
 */
int parley_host_event_read(parley_host_t *h, parley_str_t id,
    parley_host_event_t *event, parley_log_page_t *page,
    parley_publication_t *p);

/* an epoch that no log has: reading begins with the first record */
#define PARLEY_HOST_BEFORE  1


/* parley_host_thread.c: records of threads */

/* names a thread; thread empty: messages of the conversation in no thread */
typedef struct {
    parley_str_t  source;
    parley_str_t  conversation;
    parley_str_t  thread;
} parley_host_thread_name_t;

/* a party of a thread */
typedef struct {
    parley_str_t  sub;
    unsigned      author:1;         /* wrote a message, else only recipient */
    unsigned      agent:1;
    unsigned      reads:1;          /* may read the DM */
} parley_host_party_t;

/* the claim of an event or a thread */
typedef struct {
    parley_str_t  owner;            /* sub; empty: none */
    int64_t       until_ms;         /* wall clock */
    uint32_t      number;           /* of this claim, from 1 */
    uint32_t      generation;       /* of an event's claim */
} parley_host_claim_t;

/* facts of a thread; the oldest party comes first */
typedef struct {
    uint32_t             agents;    /* see parley_attention_thread_t */
    unsigned             n;
    parley_host_party_t  parties[PARLEY_HOST_ENTRIES];
    parley_host_claim_t  claim;
    parley_str_t         resolved_by;       /* sub; empty: not resolved */
    int64_t              resolved_ms;
    uint32_t             generation;        /* of its record; 0: none */
    parley_record_id_t   record;
} parley_host_thread_t;

/* Find a record, and put one that was found or missing.  Return as
   parley_host_event_get() and _put(). */
int parley_host_thread_get(parley_host_t *h,
    const parley_host_thread_name_t *thread, parley_host_thread_t *ret);
int parley_host_thread_put(parley_host_t *h,
    const parley_host_thread_t *thread);

/* Fills the mark of a thread that is resolved. */
void parley_host_thread_mark(const parley_host_t *h,
    const parley_host_thread_t *thread, parley_chat_result_t *ret);


/* parley_host_part.c: records of a reader */

/* a reader's part in an event */
typedef struct {
    parley_chat_disposition_t  disposition;
    unsigned                   accepted:1;
    unsigned                   reminded:1;
    unsigned                   extended:1;  /* a deferral or a claim has moved
                                               the deadline */
    uint8_t                    attempts;    /* offers after the first */
    uint8_t                    escalated;   /* principals that got it after the
                                               deadline */
    uint8_t                    failures;    /* answers that the surface refused
                                               for good */
    uint8_t                    raiser;      /* job that escalates it, see
                                               parley_host_escalate.c; 0: none,
                                               or unknown */
    int64_t                    due_ms;      /* deadline, wall clock; 0: that of
                                               the event */
    parley_str_t               answer;      /* id of the answer: the slot;
                                               empty: free */
    uint32_t                   generation;  /* of its record; 0: none */
} parley_host_delivery_t;

/* Returns whether the disposition ends an event for its reader. */
static inline int
parley_host_is_decided(parley_chat_disposition_t disposition)
{
    return disposition != PARLEY_CHAT_UNDISPOSED
           && disposition != PARLEY_CHAT_DEFERRED
           && disposition != PARLEY_CHAT_CLAIMED;
}

/* Returns the disposition that is shown.  An event that must not be answered is
   ignored from the beginning (C2A-14). */
static inline parley_chat_disposition_t
parley_host_disposition(const parley_attention_verdict_t *verdict,
    const parley_host_delivery_t *delivery)
{
    return delivery->disposition == PARLEY_CHAT_UNDISPOSED
           && verdict->policy == PARLEY_CHAT_MUST_NOT
           ? PARLEY_CHAT_IGNORED : delivery->disposition;
}

/* Returns whether a reader has not decided. */
static inline int
parley_host_is_open(const parley_host_delivery_t *delivery)
{
    return !parley_host_is_decided(delivery->disposition);
}

/* Finds an event among the newest records of a mailbox.  Returns 1 with *p, in
   the arena, and the owner's row; 0; PARLEY_WAIT, or -1 with h->err. */
int parley_host_mailbox_find(parley_host_t *h,
    const parley_principal_t *owner, parley_str_t id, parley_str_t source,
    parley_publication_t *p, parley_host_views_t *views,
    parley_host_row_t *row);

/* Find a record, and put one.  Return as parley_host_thread_get() and
   _put(). */
int parley_host_delivery_get(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_str_t sub, parley_host_delivery_t *ret);
int parley_host_claim_get(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_host_claim_t *ret);
int parley_host_cursor_get(parley_host_t *h, parley_str_t sub,
    parley_place_t *ret, uint32_t *generation);
int parley_host_delivery_put(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_str_t sub,
    const parley_host_delivery_t *delivery);
int parley_host_claim_put(parley_host_t *h, parley_str_t id,
    parley_str_t source, const parley_host_claim_t *claim);
int parley_host_cursor_put(parley_host_t *h, parley_str_t sub,
    const parley_place_t *cursor, uint32_t generation);


/* parley_host_follow_jobs.c */

/* principals above a reader that get its event */
#define PARLEY_HOST_LEVELS  2

/* Finds the principal that gets the event of a reader: at level 1 the lead,
   else the human; at level 2 the human.  NULL: none. */
const parley_principal_t *parley_host_above(const parley_principal_t *reader,
    parley_str_t author, unsigned level);

/*
 * Adds the jobs of the readers of p to its append: those of obligations, with
 * this deadline, and those of the URLs of readers without a stream.  Returns 0;
 * PARLEY_WAIT; or -1 with h->err: capacity.
 */
int parley_host_follow_jobs(parley_host_t *h, const parley_publication_t *p,
    int64_t deadline_ms, parley_append_t *append);

/*
 * Escalates an event at once, because a reader that it obliged failed, declined
 * or may not read it.  Call it after that was put.  Returns 0, PARLEY_WAIT, or
 * -1 with h->err: capacity; the event then goes up at its deadline.
 */
int parley_host_escalate(parley_host_t *h, const parley_publication_t *p,
    parley_str_t sub);

/* Adds the job that looks, after ms, whether the claim of the owner has ended
   without an answer.  Returns as parley_host_escalate(). */
int parley_host_follow_claim(parley_host_t *h, const parley_publication_t *p,
    parley_str_t owner, int64_t after);

/* Adds the job that frees the slot of a message that the surface sub refused.
   Returns as parley_host_escalate(). */
int parley_host_send_failed(parley_host_t *h, const parley_publication_t *p,
    parley_str_t sub);


/* parley_host_change.c */

/*
 * Follows an edited message to its last edit: *id and *event become those of
 * the edit, which has the text.  Returns 1; 0: the message was deleted, or the
 * edit is lost; PARLEY_WAIT; or -1 with h->err.
 */
int parley_host_event_now(parley_host_t *h, parley_str_t *id,
    parley_host_event_t *event);


/* parley_host_cancel.c */

/* the end of an event for readers that have not decided it */
typedef struct {
    parley_str_t               id;
    parley_str_t               source;
    parley_chat_disposition_t  disposition;
    parley_chat_reason_t       reason;      /* EDITED, or NONE */
} parley_host_ends_t;

/* Ends the open part of a reader, and cancels its offer.  g NULL: a job, which
   wakes the processes.  Returns 1 if the event went up after this principal; 0;
   PARLEY_WAIT or -1. */
int parley_host_part_end(parley_host_t *h, parley_gate_t *g,
    const parley_host_ends_t *ends, const parley_principal_t *to);


/* parley_host_escalate.c */

/*
 * Ends an event for the others after a reader has decided it: for the principal
 * that got it by escalation, or for the reader before.  id may be a form of the
 * host, event is its record.  Returns 0, PARLEY_WAIT or -1.
 */
int parley_host_decided(parley_host_t *h, parley_str_t id,
    const parley_host_event_t *event, parley_str_t sub);


/* parley_host_sent.c */

/* Fills the readers of an event for its author, with the principals that got it
   by escalation.  Returns 0, PARLEY_WAIT or -1. */
int parley_host_sent_readers(parley_host_t *h, const parley_publication_t *p,
    parley_chat_listed_t *ret);


/* parley_host_permission.c */

/*
 * Returns whether a principal may read a conversation, and so write there
 * (C2A-33): it is a party of the DM; the surface added it; a rule with
 * type=subscribe allows it; or it is the surface.  An event that is addressed
 * to it does not give the permission.  g NULL: a job, where rules do not count.
 * Returns 1, 0, PARLEY_WAIT, or -1 with h->err: capacity.
 */
int parley_host_may_read(parley_host_t *h, const parley_gate_t *g,
    const parley_host_conversation_t *conversation,
    const parley_principal_t *reader);

/* newest conversations of a reader in which a thread is sought that was named
   without its conversation */
#define PARLEY_HOST_THREAD_OF  64

/*
 * Finds the conversation of a place, which the reader may read: of the source
 * of place, else the one of this id, or with this thread, in the reader's list.
 * *kind is set if the list has it.  Returns 1; 0: it is unknown to the reader
 * (C2A-33); PARLEY_WAIT; or -1 with h->err, also if two conversations of the
 * list have the name: member is then at fault.
 */
int parley_host_place_reads(parley_host_t *h, const parley_gate_t *g,
    const parley_principal_t *reader, const parley_chat_place_t *place,
    const char *member, parley_host_conversation_t *ret,
    parley_chat_kind_t *kind);

/*
 * Notes that a principal may read a conversation: log is the key of its log,
 * place has its id, kind and source.  It takes the place of the oldest DMs of a
 * full list.  Returns 1; 0: the list is full; PARLEY_WAIT, or -1 with h->err.
 * _remove() returns 1.
 */
int parley_host_reads_add(parley_host_t *h, parley_str_t sub,
    const uint8_t log[PARLEY_KEY_LEN], const parley_chat_place_t *place);
int parley_host_reads_remove(parley_host_t *h, parley_str_t sub,
    const uint8_t log[PARLEY_KEY_LEN], const parley_chat_place_t *place);

/*
 * Lists the conversations of parley_host_reads_add(), the oldest first.  *ret
 * is in the arena.  Returns 0, PARLEY_WAIT, or -1 with h->err.
 */
int parley_host_reads_list(parley_host_t *h, parley_str_t sub,
    parley_chat_place_t **ret, unsigned *ret_n);

/* Returns whether a principal is the surface of a source. */
int parley_host_serves(const parley_host_t *h, const parley_principal_t *p,
    parley_str_t source);


/* parley_host_members.c */

/* Answers chat/members.  Returns as parley_host_accept(). */
int parley_host_members(parley_host_call_t *c);


/* parley_host_accept.c */

/* Accepts the event of a surface.  Returns 0 with the answer in g->out.reply,
   PARLEY_WAIT, or -1 with g->err. */
int parley_host_accept(parley_host_call_t *c);


/* parley_host_ack.c */

/* Acknowledges an offer.  Returns as parley_host_accept(). */
int parley_host_acknowledge(parley_host_call_t *c);

/* Notes the outcome of an event for a reader, and moves its cursor.  Returns 0
   or more; PARLEY_WAIT; or -1 with h->err. */
int parley_host_outcome(parley_host_t *h, const parley_principal_t *reader,
    const parley_publication_t *p, parley_chat_outcome_t outcome);

/* Moves the cursor of the caller over acknowledged events.  Returns 0,
   PARLEY_WAIT or -1. */
int parley_host_cursor_move(parley_host_call_t *c);


/* parley_host_list.c */

/* Lists events of the caller's mailbox or of a conversation, for list_events
   and read_thread.  Returns as parley_host_accept(). */
int parley_host_list(parley_host_call_t *c);

/* Counts the events of the caller that are not acknowledged.  Returns 0 with
   *ret, PARLEY_WAIT or -1. */
int parley_host_pending(parley_host_call_t *c,
    const parley_chat_mailbox_t **ret);


/* parley_host_act.c */

/* Runs a tool that acts, or takes progress.  Returns as
   parley_host_accept(). */
int parley_host_tool(parley_host_call_t *c);


#endif /* PARLEY_HOST_PARTS_H */
