/*
 * A delivery to the URL of a principal: the request of an attempt, the result
 * of its answer, and the report of a failure to the sender's parent.  Pure: a
 * publication is translated as for a stream (parley_render.h), without anything
 * of its sender's request.  A delivery to the next connection of a principal
 * has no attempts: its job is taken when its time is over.
 */

#ifndef PARLEY_DELIVERY_H
#define PARLEY_DELIVERY_H

#include "hub/parley_attempt.h"
#include "gate/audit/parley_audit.h"
#include "gate/delivery/parley_render.h"
#include "translate/parley_chat.h"
#include "hub/parley_job_subject.h"
#include "state/parley_log.h"
#include "core/parley_url.h"


typedef struct {
    parley_job_subject_kind_t  kind;
    parley_str_t               sub;         /* sub of the recipient; for a
                                               delivery to a connection without
                                               "to", its handle */
    const parley_principal_t  *to;          /* recipient; NULL: the identities
                                               no longer have it */
    parley_publication_t       publication; /* publication of the record; zero
                                               if the record is gone */
    parley_url_t               url;
    parley_proto_t             speaks;
    parley_encoded_t           sent;
    parley_loss_t              loss;        /* members that sent lost */
    parley_str_t               media_type;
    parley_chat_outcome_t      outcome;     /* answer to a view; RETRY: the
                                               recipient did not answer */
    const char                *why;         /* reason of the end; NULL: not
                                               ended */
    parley_error_t             err;         /* error of the answer, or of the
                                               encoding */
} parley_delivery_t;


/*
 * Prepares an attempt of a job that was taken: *ret has the message and its
 * destination; spans belong to the arena, the job and the directory.  Returns
 * 1; or 0 without an attempt, and *over is the result of the job.
 */
int parley_delivery_begin(const parley_render_t *d, const parley_taken_t *job,
    parley_arena_t *arena, parley_delivery_t *ret, parley_attempted_t *over)
    __attribute__((warn_unused_result));

/*
 * Reads the answer of an attempt.  status is 0 without an answer.  whole is 0
 * if the body is cut.  wait_ms is the time of Retry-After.  Fills *ret with the
 * result.
 */
void parley_delivery_came(const parley_render_t *d,
    const parley_taken_t *job, parley_delivery_t *delivery, int status,
    parley_str_t body, int whole, int64_t wait_ms, parley_arena_t *arena,
    parley_attempted_t *ret);

/*
 * Makes the report of a failed delivery for the parent of its sender.  Only a
 * critical escalation or an emergency has a report (VCP 5.2).  *ret is in the
 * arena; NULL: no report, the parent has no suitable name, or no memory.
 */
void parley_delivery_tells(const parley_render_t *d,
    const parley_state_t *state, const parley_delivery_t *delivery,
    const char *why, int64_t now_ms, parley_arena_t *arena,
    const parley_append_t **ret);

/* Fills the audit line of a delivery after the end of its job (OPS-06); spans
   belong to delivery. */
void parley_delivery_line(const parley_delivery_t *delivery,
    const parley_taken_t *job, parley_job_how_t how,
    parley_audit_delivery_t *ret);


#endif /* PARLEY_DELIVERY_H */
