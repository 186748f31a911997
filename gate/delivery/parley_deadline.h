/*
 * Deadlines: what becomes of a message that had no answer by then.
 *
 *  emergency    it goes to the parent of who was asked, at once and whatever
 *               that one says to it (VCP 6.3)
 *  escalation   nobody acknowledged what is critical, or an emergency, within 5
 *               s: it goes to the parent of who was asked last, who has 5 s in
 *               turn, up to whoever has none (VCP 6.2)
 *  timeout      nobody answered an AEE task within its requires.timeout_ms: who
 *               sent it is told so (AEE-29)
 *
 * A deadline is a job (parley_job.h) that is added with the record of what it
 * is about: a publication, whether it was published or sent on.  Whatever
 * becomes of the processes meanwhile, it is met: an escalation goes up at least
 * once, under its own id; a task fails once.
 */

#ifndef PARLEY_DEADLINE_H
#define PARLEY_DEADLINE_H

#include "gate/correlation/parley_question_raised.h"
#include "state/parley_ask.h"
#include "gate/audit/parley_audit.h"
#include "gate/delivery/parley_render.h"
#include "state/parley_job.h"
#include "hub/parley_job_subject.h"


#define PARLEY_ESCALATION_MS  5000      /* to acknowledge one (VCP 6.2) */

/* ms behind a deadline for which it is tried to meet it */
#define PARLEY_DEADLINE_LIVES  ((int64_t) 300 * 1000)


/* what a deadline came to */
typedef enum {
    PARLEY_DEADLINE_ANSWERED = 0,   /* in time */
    PARLEY_DEADLINE_RAISED,         /* it went to the next above */
    PARLEY_DEADLINE_UNACKNOWLEDGED, /* nobody is above who can be reached */
    PARLEY_DEADLINE_TIMED_OUT,      /* its sender is told */
    PARLEY_DEADLINE_LOST,           /* there is nothing left to go by */
    PARLEY_DEADLINE_AGAIN           /* it is not over: see end */
} parley_deadline_how_t;


/* one that is due */
typedef struct {
    /* the caller's; ask.resume is set, everything outlives what is asked */
    const parley_render_t     *deliver;
    const parley_taken_t      *job;
    parley_arena_t            *arena;       /* the job's */
    parley_ask_t               ask;
    int64_t                    now_ms;      /* of the wall clock, not changed
                                               between calls */

    /* what it is about */
    parley_job_subject_kind_t  kind;
    parley_record_id_t         question;
    parley_str_t               sub;         /* TIMEOUT: who asked; else who was
                                               asked last */
    parley_publication_t       publication;
    uint8_t                    account[PARLEY_KEY_LEN];     /* of who sent it:
                                               what it costs is counted to
                                               that (SEC-09) */

    /* what it came to */
    parley_deadline_how_t     how;
    const parley_principal_t  *to;          /* RAISED: to whom */
    parley_job_end_t           end;         /* of the job; id is not set */
} parley_deadline_t;


/*
 * A deadline whose job was taken.  Returns 0: how and end say what it came to;
 * or PARLEY_WAIT: it is called again when ask is resumed.
 */
int parley_deadline_run(parley_deadline_t *d)
    __attribute__((warn_unused_result));


/*
 * Its job is over, and what was to be told found no room for as long as it was
 * tried: nobody has it, whatever it came to.
 */
static inline void
parley_deadline_untold(parley_deadline_t *d)
{
    d->how = PARLEY_DEADLINE_LOST;
}


/* What the audit log has of one that is over (OPS-06); spans are its. */
void parley_deadline_line(const parley_deadline_t *d,
    parley_audit_delivery_t *ret);


/*
 * Who is above p, and is reached by a stream or a URL that the configuration
 * has: the nearest.  NULL: nobody.
 */
const parley_principal_t *parley_deadline_above(
    const struct parley_settings_http_s *http, const parley_principal_t *p);


#endif /* PARLEY_DEADLINE_H */
