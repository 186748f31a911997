/*
 * Changes of a message by its author: an edit or a deletion (C2A-25).
 * Private to the host.
 *
 * The old text is erased in all logs, and its open offers are cancelled.  An
 * edit is an event of its own in place of the old one: for a reader that has
 * not answered with the deadline of the old one, else as a knock.
 *
 *   _begin()   the record of the message names the change; a job that composes
 *              a turn with the old text cannot append it; the event ends for
 *              its readers
 *   append     the change, with the job of the turn
 *   _end()     the turn is erased, and then the text in the conversation
 *
 * An edit is appended before _begin(), so that no obligation is lost if the
 * process dies.  A repeated change does all again.  Changes of one message may
 * come at the same time (parley_host_change_order.c).
 */

#ifndef PARLEY_HOST_CHANGE_H
#define PARLEY_HOST_CHANGE_H

#include "gate/host/parley_host_parts.h"


/* a change that is being accepted */
typedef struct parley_host_change_s {
    parley_host_t              *h;
    parley_gate_t              *g;          /* NULL: a job, which wakes the
                                               processes */
    const parley_chat_event_t  *e;
    parley_host_event_t         first;      /* record of the message */
    parley_str_t                id;         /* that has its text until now: the
                                               message, or its newest edit */
    parley_host_event_t         old;        /* record of id */
    parley_publication_t        p;          /* as id is stored; its views, */
    parley_host_views_t         views;
    parley_str_t                rows;       /* and their rows */
    struct parley_turn_s       *turn;       /* turn that has the message; NULL:
                                               none */
    uint8_t                     own_log[PARLEY_KEY_LEN];
    parley_place_t              own;        /* of id in the mailbox own_log;
                                               epoch 0: not found there */
    int64_t                     lasts_ms;   /* deadline of the message */
    parley_place_t              place;      /* of the change; epoch 0: it is not
                                               appended */
    parley_record_id_t          changes;    /* in parley_host_change_order.c */
    uint32_t                    generation; /* of its record; 0: none */
    parley_admission_t          none;
    parley_settlement_t         how;
    unsigned                    stored:1;   /* the log has id */
    unsigned                    waits:1;    /* the message may be in a turn */
    unsigned                    turned:1;   /* a turn already has the edit */
    unsigned                    begun:1;    /* an earlier try has begun it */
    unsigned                    done:1;     /* nothing is left to be done: the
                                               message was changed again */
    unsigned                    forms:1;    /* id is that of a turn, and maybe
                                               of a message that stays */
    unsigned                    keeps:1;    /* id is erased after its forms */
    unsigned                    sweeps:1;   /* the log may have another text of
                                               the message */
} parley_host_change_t;


static inline int
parley_host_is_change(const parley_chat_event_t *e)
{
    return e->act == PARLEY_CHAT_EDIT || e->act == PARLEY_CHAT_DELETE;
}

/*
 * Finds the message that e changes.  author is that of e, as threads know it;
 * place is that of e if it was accepted before.  Returns 0 with *ret;
 * PARLEY_WAIT; or -1 with c->h.err: reply-unmatched, also for another author;
 * field-invalid.
 */
int parley_host_change_find(parley_host_call_t *c, parley_str_t source,
    parley_str_t author, const parley_place_t *place,
    parley_host_change_t *ret);

/* Reads the texts that a change of a->first replaces.  Returns 0, PARLEY_WAIT
   or -1. */
int parley_host_change_load(parley_host_change_t *a);

/* Refuses a change, as another one of the message is being accepted.  Returns
   -1. */
int parley_host_change_meets(const parley_host_change_t *change);

/*
 * Finds the deadline of an edit, as ms from now, at least 1, and that of its
 * message.  They are equal if no reader is obliged.  Returns 0, PARLEY_WAIT or
 * -1.
 */
int parley_host_change_due(const parley_host_change_t *change, int64_t *left_ms,
    int64_t *lasts_ms);

/* Makes the row of an edit a knock if its reader has answered the message.
   Returns 0, PARLEY_WAIT or -1. */
int parley_host_change_row(const parley_host_change_t *change,
    parley_host_row_t *row);

/* Returns whether a reader gets an edit in a turn instead of a knock: a turn
   that it has not decided has the message, and comes under the id of the
   edit. */
int parley_host_change_in_turn(const parley_host_change_t *change,
    const parley_host_row_t *row);

/*
 * Returns whether the reader, or the principal above that got the event from
 * it, has decided it: 1; 0, with the reader's part; PARLEY_WAIT or -1.
 */
int parley_host_change_answered(const parley_host_change_t *change,
    const parley_host_row_t *row, parley_host_delivery_t *part);

/* Keeps a deadline that the reader moved, and that of the principal above.
   Returns 0, PARLEY_WAIT or -1. */
int parley_host_change_keep(const parley_host_change_t *change,
    const parley_host_row_t *row, const parley_host_delivery_t *part);

/* Finds the turn that has the message.  Returns 0, PARLEY_WAIT or -1. */
int parley_host_change_turn(parley_host_change_t *change);

/* Renews the records of the message's turn, which jobs read as long as the log
   has the change.  Returns 0, PARLEY_WAIT or -1. */
int parley_host_change_renew(const parley_host_change_t *change);

/* parley_host_change_erase.c */

/*
 * Ends the event for a reader, and for the principals above that got it: the
 * part is superseded, its offer is cancelled, and its forms in the mailbox are
 * erased.  Returns 0, PARLEY_WAIT or -1.
 */
int parley_host_change_reader(parley_host_change_t *change,
    const parley_host_row_t *row);

/* Begin and end the change: see above.  Return 0, PARLEY_WAIT, or -1:
   message-in-flight or capacity. */
int parley_host_change_begin(parley_host_change_t *change);
int parley_host_change_end(parley_host_change_t *change);

/* parley_host_change_order.c */

/*
 * _opens() reads CHANGES for an edit, before the record of the message is read;
 * _open() opens it, and _close() closes it for a deletion.  Return 0; 1:
 * another change came first; PARLEY_WAIT or -1.
 */
int parley_host_change_opens(parley_host_change_t *change, parley_str_t source);
int parley_host_change_open(parley_host_change_t *change);
int parley_host_change_close(parley_host_change_t *change);

/* Makes the append of an edit close CHANGES. */
void parley_host_change_closes(parley_host_change_t *change,
    parley_append_t *append);

/* Returns whether the change is before another edit of its message: 1, 0,
   PARLEY_WAIT or -1. */
int parley_host_change_is_before(parley_host_change_t *change, parley_str_t id);

/* Returns whether the change is later than the last one in the record of its
   message: 1, 0, PARLEY_WAIT or -1. */
int parley_host_change_is_later(parley_host_change_t *change,
    const parley_host_event_t *first);

/* Returns whether the edit id was appended after the last one in the record of
   its message: 1; 0, also if one of them is lost; PARLEY_WAIT or -1. */
int parley_host_change_follows(parley_host_t *h, parley_str_t id,
    const parley_host_event_t *first);


#endif /* PARLEY_HOST_CHANGE_H */
