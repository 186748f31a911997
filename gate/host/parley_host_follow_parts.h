/* Private to gate/host/parley_host_follow*.c. */

#ifndef PARLEY_HOST_FOLLOW_PARTS_H
#define PARLEY_HOST_FOLLOW_PARTS_H

#include "gate/host/parley_host_follow.h"
#include "gate/host/parley_host_parts.h"


/* the text of a job: an action, the deadline of the event in ms, and the sub of
   the reader; for OPEN also the reader's name, and the subs of the principals
   above it, each after a zero octet */
typedef enum {
    PARLEY_FOLLOW_OPEN = 1,         /* follows an obligation */
    PARLEY_FOLLOW_ESCALATE,         /* escalates now: the reader failed or
                                       declined */
    PARLEY_FOLLOW_ACCEPTED,         /* the reader's URL accepted the event, */
    PARLEY_FOLLOW_REFUSED,          /* refused it, */
    PARLEY_FOLLOW_UNSUPPORTED,      /* or does not take events */
    PARLEY_FOLLOW_SEND_FAILED,      /* the surface refused an agent's message
                                       for good, */
    PARLEY_FOLLOW_UNCONFIRMED,      /* or its URL did not answer */
    PARLEY_FOLLOW_CLAIM,            /* looks for the end of a claim; the sub is
                                       its owner */
    PARLEY_FOLLOW_AGAIN             /* as OPEN, after a send failed */
} parley_follow_act_t;

#define PARLEY_FOLLOW_HEAD    9     /* octets before the sub */

/* octets after the head of a job that has them all */
#define PARLEY_FOLLOW_SUBS    900

/* ms after which the job of an obligation looks for the reader, which may have
   left the directory */
#define PARLEY_FOLLOW_LOOKS   60000

/* ms until a step that failed is tried again */
#define PARLEY_FOLLOW_LATER   1000

/* ms after the acceptance at which an event is offered again */
#define PARLEY_FOLLOW_OFFERS  3
extern const int64_t  parley_follow_offers[PARLEY_FOLLOW_OFFERS];


/* a job under way */
typedef struct {
    parley_deadline_t           *d;
    parley_host_t                h;
    parley_error_t               err;
    const parley_publication_t  *p;         /* of the record: the event, or its
                                               reminder */
    parley_follow_act_t          act;
    parley_str_t                 id;        /* of the event */
    parley_host_views_t          views;
    parley_host_row_t            row;       /* of the reader */
    const parley_principal_t    *reader;    /* NULL: the directory does not have
                                               it now */
    parley_host_delivery_t       delivery;
    parley_str_t                 name;      /* of a reader that has left the
                                               directory; */
    parley_str_t                 lead;      /* subs of the principals that were
                                               above it */
    parley_str_t                 human;
    int64_t                      deadline_ms;       /* from the acceptance */

    /* wall clock */
    int64_t                      begun_ms;  /* acceptance; of a turn: offer */
    int64_t                      half_ms;   /* reminder */
    int64_t                      due_ms;
} parley_follow_t;


/* parley_host_follow_jobs.c */

/* Ends the job; after: ms until the next step, for AGAIN.  Returns 0. */
int parley_follow_end(parley_deadline_t *d, parley_deadline_how_t how,
    int64_t after);

/* Writes an id of the host in the arena.  Returns 0, or -1: no memory. */
int parley_follow_id(parley_follow_t *f, parley_str_t id, const char *end,
    parley_str_t *ret);

/*
 * Fills an append of p with one row, to the mailbox of a reader; NULL: to no
 * log, for a job that keeps the record.  Sets p->views.  Returns 0, or -1: no
 * memory.
 */
int parley_follow_append(parley_follow_t *f, parley_publication_t *p,
    const parley_host_views_t *views, const parley_host_row_t *row,
    const parley_principal_t *to, parley_append_t *ret);

/* Returns whether the URL of a principal gets events. */
int parley_host_follow_has_url(const parley_host_t *h,
    const parley_publication_t *p, const parley_principal_t *to);

/* Finds out whether the stream of a mailbox is open.  Returns 1, 0, PARLEY_WAIT
   or -1. */
int parley_host_follow_listens(parley_host_t *h,
    const parley_principal_t *to);

/* Fill a job: that of a URL; that of an obligation, with its times, of the
   reader sub (reader NULL: the directory does not have it); that of an action.
   Return 0, or -1: no memory. */
int parley_host_follow_url_job(parley_host_t *h,
    const parley_publication_t *p, const parley_principal_t *to,
    parley_job_t *ret);
int parley_host_follow_job(parley_host_t *h, const parley_publication_t *p,
    const parley_host_views_t *views, parley_follow_act_t act,
    parley_str_t sub, const parley_principal_t *reader, int64_t deadline_ms,
    parley_job_t *ret);
int parley_host_follow_text(const parley_state_t *state,
    parley_arena_t *arena, parley_follow_act_t act, parley_str_t id,
    parley_str_t source, parley_str_t sub, int64_t deadline_ms,
    parley_job_t *ret);


/* Adds a job with a record that it keeps.  Returns as
   parley_host_escalate(). */
int parley_host_follow_add(parley_host_t *h, const parley_job_t *job,
    const parley_publication_t *p);

/* Adds the job of an obligation, with its record, after that of the first one
   ended.  Returns as parley_host_escalate(). */
int parley_host_follow_again(parley_host_t *h, const parley_publication_t *p,
    parley_str_t source, parley_str_t sub, int64_t deadline_ms);


/* parley_host_free.c */

/* After a claim that ended without an answer, the knock comes once more to the
   other readers.  Returns as parley_follow_escalate(). */
int parley_follow_claim(parley_follow_t *f);


/* parley_host_failed.c */

/* Frees the slot of a send that failed, and tells its sender.  Returns as
   parley_follow_escalate(). */
int parley_follow_send(parley_follow_t *f);


/* parley_host_escalate.c */

/* Reads the event of the job.  Returns 0, or -1. */
int parley_follow_event(parley_follow_t *f, parley_chat_event_t *ret);

/* Sends the event to the next principal.  Returns 0, PARLEY_WAIT, or -1: to be
   tried again. */
int parley_follow_escalate(parley_follow_t *f);


#endif /* PARLEY_HOST_FOLLOW_PARTS_H */
