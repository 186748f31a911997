/*
 * Deadlines of messages without an answer.
 *
 *  emergency    goes to the parent of its recipient at once, independently of
 *               the recipient's answer (VCP 6.3)
 *  escalation   a critical message or an emergency that no recipient
 *               acknowledged within 5 s: it goes to the parent of its last
 *               recipient, which also has 5 s, until a principal has no parent
 *               (VCP 6.2)
 *  timeout      an AEE task without an answer within its requires.timeout_ms:
 *               its sender gets an error (AEE-29)
 *
 * A deadline is a job (parley_job.h).  It is added with the record of its
 * message, as a publication, even if the message is sent to a service.  It is
 * met even if processes end: an escalation goes up at least once, with its own
 * id, and a task fails once.
 */

#ifndef PARLEY_DEADLINE_H
#define PARLEY_DEADLINE_H

#include "gate/correlation/parley_question_raised.h"
#include "state/parley_ask.h"
#include "gate/audit/parley_audit.h"
#include "gate/delivery/parley_render.h"
#include "state/parley_job.h"
#include "hub/parley_job_subject.h"


#define PARLEY_ESCALATION_MS  5000      /* ms to acknowledge an escalation (VCP
                                           6.2) */

/* ms after a deadline for which the gateway tries to meet it */
#define PARLEY_DEADLINE_LIVES  ((int64_t) 300 * 1000)


/* result of a deadline */
typedef enum {
    PARLEY_DEADLINE_ANSWERED = 0,   /* answered in time */
    PARLEY_DEADLINE_RAISED,         /* sent to the next principal above */
    PARLEY_DEADLINE_UNACKNOWLEDGED, /* no principal above can be reached */
    PARLEY_DEADLINE_TIMED_OUT,      /* the sender gets an error */
    PARLEY_DEADLINE_LOST,           /* the publication or the sender is
                                       unknown */
    PARLEY_DEADLINE_AGAIN           /* not over: see end */
} parley_deadline_how_t;


/* deadline that is due */
typedef struct {
    /* set by the caller, including ask.resume; must outlive the deadline */
    const parley_render_t     *deliver;
    const parley_taken_t      *job;
    parley_arena_t            *arena;       /* arena of the job */
    parley_ask_t               ask;
    int64_t                    now_ms;      /* wall clock, the same in each
                                               call */

    /* subject of the deadline */
    parley_job_subject_kind_t  kind;
    parley_record_id_t         question;
    parley_str_t               sub;         /* TIMEOUT: sender of the task; else
                                               the last recipient */
    parley_publication_t       publication;
    uint8_t                    account[PARLEY_KEY_LEN];     /* account of the
                                                               sender, which
                                                               pays for the
                                                               records
                                                               (SEC-09) */

    /* result */
    parley_deadline_how_t     how;
    const parley_principal_t  *to;          /* RAISED: the recipient */
    parley_str_t               id;          /* for the log, of the event that
                                               the message reminds of; empty:
                                               the id of the message */
    parley_job_end_t           end;         /* end of the job, without id */
    const struct parley_noted_s *noted;     /* steps of events of chat; NULL:
                                               none */
    const struct parley_noted_s *noted_ends;        /* the first one that
                                                       happens with the end of
                                                       the job; the steps before
                                                       it were done */
    unsigned                   wakes:1;     /* something was appended before the
                                               end: wake the processes */
} parley_deadline_t;


/*
 * Runs a deadline after its job was taken.  Returns 0 with the result in how
 * and end; or PARLEY_WAIT: call again when ask is resumed.
 */
int parley_deadline_run(parley_deadline_t *d)
    __attribute__((warn_unused_result));


/*
 * Sets the result LOST, because the message of the deadline found no room until
 * the job ended.
 */
static inline void
parley_deadline_untold(parley_deadline_t *d)
{
    d->how = PARLEY_DEADLINE_LOST;
}


/* Fills the audit line of a finished deadline (OPS-06); spans belong to d. */
void parley_deadline_line(const parley_deadline_t *d,
    parley_audit_delivery_t *ret);


/*
 * Returns the nearest principal above p that can be reached by a stream or a
 * URL of the configuration, or NULL.
 */
const parley_principal_t *parley_deadline_above(
    const struct parley_settings_http_s *http, const parley_principal_t *p);


#endif /* PARLEY_DEADLINE_H */
