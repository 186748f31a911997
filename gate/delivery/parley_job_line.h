/*
 * What the error log has of jobs: an attempt to deliver, a delivery that nobody
 * could be told of, a deadline.  Pure: an adapter writes the line.
 *
 *     delivered: it took it, attempt 1, to "bob", from "alice", id "0195..."
 *
 * A line is printable ASCII: names and ids are percent-encoded, and cut where
 * they are long (SEC-01); one that is empty is left out.  No payload stands in
 * it (OPS-07).
 */

#ifndef PARLEY_JOB_LINE_H
#define PARLEY_JOB_LINE_H

#include "gate/delivery/parley_delivery.h"
#include "gate/delivery/parley_deadline.h"


#define PARLEY_JOB_LINE_TEXT  1024  /* of all, with its zero */


typedef enum {
    PARLEY_JOB_LINE_NONE = 0,       /* there is no line */
    PARLEY_JOB_LINE_INFO,
    PARLEY_JOB_LINE_WARN,
    PARLEY_JOB_LINE_ERR
} parley_job_line_level_t;


typedef struct {
    parley_job_line_level_t  level;
    char                     text[PARLEY_JOB_LINE_TEXT];
} parley_job_line_t;


/* An attempt came to that; delivery->err says what is wrong. */
void parley_job_line_attempt(const parley_delivery_t *delivery,
    const parley_taken_t *job, const parley_attempted_t *how,
    parley_job_line_t *ret);

/* It is over; untold: whoever was to be told of that could not be. */
void parley_job_line_over(const parley_delivery_t *delivery, int untold,
    parley_job_line_t *ret);

/* A deadline is over; untold as above. */
void parley_job_line_deadline(const parley_deadline_t *d, int untold,
    parley_job_line_t *ret);


#endif /* PARLEY_JOB_LINE_H */
