/*
 * A delivery to the URL of a principal: what an attempt sends, what comes of
 * its answer, and whether the sender's parent is told that it failed.  Pure,
 * and of no request: a publication is translated as for a stream
 * (parley_render.h).  Nothing of its sender's request travels.  A delivery to
 * the next connection of a principal has no attempts: its job is taken when the
 * time is over.
 */

#ifndef PARLEY_DELIVERY_H
#define PARLEY_DELIVERY_H

#include "hub/parley_attempt.h"
#include "gate/audit/parley_audit.h"
#include "gate/delivery/parley_render.h"
#include "hub/parley_job_subject.h"
#include "state/parley_log.h"
#include "core/parley_url.h"


typedef struct {
    parley_job_subject_kind_t  kind;
    parley_str_t               sub;         /* of the recipient; its handle,
                                               where "to" is NULL and it was to
                                               connect */
    const parley_principal_t  *to;          /* NULL: the identities do not have
                                               that any more */
    parley_publication_t       publication; /* of the record; zero where that is
                                               gone */
    parley_url_t               url;
    parley_proto_t             speaks;
    parley_encoded_t           sent;
    parley_loss_t              loss;        /* what that lost */
    parley_str_t               media_type;
    const char                *why;         /* it ended; NULL: it has not */
    parley_error_t             err;         /* what is wrong with the answer, or
                                               why there is nothing to send */
} parley_delivery_t;


/*
 * An attempt of a job that was taken: *ret says what is sent and where; spans
 * are the arena's, the job's, and the directory's.  Returns 1; or 0: there is
 * none, and *over is what the job comes to.
 */
int parley_delivery_begin(const parley_render_t *d, const parley_taken_t *job,
    parley_arena_t *arena, parley_delivery_t *ret, parley_attempted_t *over)
    __attribute__((warn_unused_result));

/*
 * What came of it: a status (0: none came), the whole body, whole 0: of which
 * there is more, and the ms that Retry-After asks for.
 */
void parley_delivery_came(const parley_render_t *d,
    const parley_taken_t *job, parley_delivery_t *delivery, int status,
    parley_str_t body, int whole, int64_t wait_ms, parley_arena_t *arena,
    parley_attempted_t *ret);

/*
 * What is told of a delivery that ended without one: to the sender's parent,
 * where the message was a critical escalation or an emergency (VCP 5.2).
 * *ret is in the arena; NULL: nobody is to be told, or the parent has no name
 * for it, or there is no memory.
 */
void parley_delivery_tells(const parley_render_t *d,
    const parley_state_t *state, const parley_delivery_t *delivery,
    const char *why, int64_t now_ms, parley_arena_t *arena,
    const parley_append_t **ret);

/* What the audit log has of one whose job is over (OPS-06); spans are its. */
void parley_delivery_line(const parley_delivery_t *delivery,
    const parley_taken_t *job, parley_job_how_t how,
    parley_audit_delivery_t *ret);


#endif /* PARLEY_DELIVERY_H */
