/* Turns: fragments of one author that a reader gets as one event.  Private to
   the host. */

#ifndef PARLEY_HOST_TURN_PARTS_H
#define PARLEY_HOST_TURN_PARTS_H

#include "gate/host/parley_host_parts.h"
#include "gate/host/parley_host_turn_text.h"


/* parley_host_turn_mark.c */

/* record of an event that is in a turn */
typedef struct {
    uint64_t      first;        /* offset of the turn's first fragment in the
                                   log of the conversation */
    parley_str_t  turn;         /* id of the turn */
    parley_str_t  by;           /* event of the job that composed it */
    parley_str_t  before;       /* id of the turn that it replaced; may be
                                   empty */
} parley_turn_mark_t;

/* Find the record, and put it.  Return as parley_host_thread_get() and
   _put(). */
int parley_turn_mark_get(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_turn_mark_t *ret);
int parley_turn_mark_put(parley_host_t *h, parley_str_t id,
    parley_str_t source, const parley_turn_mark_t *mark);

/*
 * The record that a job composes a turn of an author in a thread: by is the
 * event of the job.  _compose() puts the record before the job reads the
 * fragments.  The append of the turn closes it, and fails if a change has
 * closed it.  _stop() closes it for a change, after the record of the changed
 * message was put: an append after that has not the old text.  Return 0,
 * PARLEY_WAIT, or -1 with h->err.
 */
void parley_turn_composes(parley_host_t *h,
    const parley_host_thread_name_t *thread, parley_str_t author,
    parley_record_id_t *ret);
int parley_turn_compose(parley_host_t *h, const parley_record_id_t *composes,
    parley_str_t by);
int parley_turn_stop(parley_host_t *h, const parley_host_thread_name_t *thread,
    parley_str_t author, parley_str_t change);

/*
 * As these, for the rows of the readers of a turn.  They do not follow from its
 * fragments after one was deleted.
 */
int parley_turn_readers_get(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_str_t *ret);
int parley_turn_readers_put(parley_host_t *h, parley_str_t id,
    parley_str_t source, parley_buf_t *rows);

/*
 * Renews the record of an event, and that of the readers of its turn: they must
 * not expire before a change of the event.  Returns a negative number if the
 * state failed: PARLEY_WAIT, or -1 with h->err.
 */
int parley_turn_renew(parley_host_t *h, parley_str_t id, parley_str_t source);

/*
 * Finds the turn of an event in the mailbox of a reader, among its newest
 * records.  *id becomes the id of the turn.  Returns 1 with *p; 0: the reader
 * has no turn with this event; 2: a change has erased the turn, or the mailbox
 * has dropped it; PARLEY_WAIT, or -1 with h->err.
 */
int parley_turn_find(parley_host_t *h, parley_str_t *id, parley_str_t source,
    const parley_principal_t *reader, parley_publication_t *p,
    parley_host_views_t *views, parley_host_row_t *row);

/*
 * Fills the job that composes the turns of an author in a thread.  The jobs of
 * one author are done one after another.  Returns 0, or -1: no memory.
 */
int parley_turn_job(parley_host_t *h, const parley_host_thread_name_t *thread,
    parley_str_t author, int64_t after, parley_job_t *ret);

/* ms until the job is over, longer than any deadline and escalation */
#define PARLEY_TURN_LIVES  (5 * (int64_t) PARLEY_CHAT_DEADLINE_MAX)


/* parley_host_turn_read.c */

typedef struct {
    parley_str_t          id;           /* of the message */
    parley_str_t          event;        /* that has its text: the message, or
                                           its newest edit */
    uint64_t              at;           /* offset of the message */
    int64_t               begun_ms;     /* acceptance of the message */
    int64_t               lasts_ms;     /* its deadline */
    parley_publication_t  p;            /* of event; its views, */
    parley_host_views_t   views;
    parley_str_t          rows;         /* and their rows */
} parley_turn_fragment_t;

/* a turn that is composed, or that a change replaces */
typedef struct parley_turn_s {
    parley_host_t              *h;
    parley_host_thread_name_t   where;
    parley_str_t                author;     /* as threads know it */
    parley_str_t                by;         /* event of the job; empty: none */
    parley_str_t                before;     /* turn that a change replaces;
                                               empty: none */
    uint64_t                    first;      /* offset of the first fragment */
    uint64_t                    oldest;     /* offset of the first record that
                                               the log retains */
    uint64_t                    epoch;
    int64_t                     since_ms;   /* older messages are in no turn */

    unsigned                    n;
    unsigned                    full:1;     /* no fragment more fits */
    size_t                      octets;     /* of the messages, */
    size_t                      octets_rows;        /* and of the rows */
    parley_turn_fragment_t     *list;       /* in the order of their messages */
    unsigned                    nrows;
    parley_host_row_t          *rows;       /* of the readers of "before", and
                                               of those that wait for a
                                               fragment: of the first one */
} parley_turn_t;

/*
 * Reads the fragments from the log of the conversation: those of "before", else
 * those that are in no turn, or in one of the same job.  own is a fragment in
 * any case; NULL: none.  Returns 0; PARLEY_WAIT; or -1 with h->err.
 */
int parley_turn_read(parley_turn_t *t, const parley_turn_fragment_t *own);

/* Adds a fragment, or the new text of one, unless the turn is full. */
void parley_turn_add(parley_turn_t *t, const parley_turn_fragment_t *fragment);

/* Fills rows.  Returns 0, PARLEY_WAIT, or -1 with h->err. */
int parley_turn_rows(parley_turn_t *t);

/* Finds the row of a reader in a fragment.  Returns 1, or 0. */
int parley_turn_row(const parley_turn_fragment_t *fragment, parley_str_t sub,
    parley_host_row_t *ret);

/* Returns whether a reader waits for the fragment. */
int parley_turn_is_awaited(const parley_turn_fragment_t *fragment);

/* Returns whether a reader has a row, and whether it waits for a fragment. */
int parley_turn_has(const parley_turn_t *t, parley_str_t sub);
int parley_turn_has_waiting(const parley_turn_t *t, parley_str_t sub);


/* parley_host_typing.c */

/* Answers notifications/typing.  Returns as parley_host_accept(). */
int parley_host_typing(parley_host_call_t *c);

/* Finds the time until which an author types in a conversation, wall clock; 0:
   the author does not type.  Returns 0, PARLEY_WAIT, or -1 with h->err. */
int parley_host_typing_until(parley_host_t *h, parley_str_t source,
    parley_str_t conversation, parley_str_t author, int64_t *ret);


#endif /* PARLEY_HOST_TURN_PARTS_H */
