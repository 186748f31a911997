/*
 * Lines of the error log for jobs: an attempt to deliver, a report of a failure
 * that could not be sent, a deadline.  Pure: an adapter writes the line.
 *
 *     delivered: the peer took the message, attempt 1, to "bob",
 *         from "alice", id "0195..."
 *
 * A line is printable ASCII: names and ids are percent-encoded, and cut if they
 * are long (SEC-01).  Empty ones are left out.  A line has no payload (OPS-07).
 */

#ifndef PARLEY_JOB_LINE_H
#define PARLEY_JOB_LINE_H

#include "gate/delivery/parley_delivery.h"
#include "gate/delivery/parley_deadline.h"


#define PARLEY_JOB_LINE_TEXT  1024  /* octets of a line with its zero */


typedef enum {
    PARLEY_JOB_LINE_NONE = 0,       /* no line */
    PARLEY_JOB_LINE_INFO,
    PARLEY_JOB_LINE_WARN,
    PARLEY_JOB_LINE_ERR
} parley_job_line_level_t;


typedef struct parley_job_line_s {
    parley_job_line_level_t  level;
    char                     text[PARLEY_JOB_LINE_TEXT];
} parley_job_line_t;


/* Writes the line of an attempt; delivery->err has the error. */
void parley_job_line_attempt(const parley_delivery_t *delivery,
    const parley_taken_t *job, const parley_attempted_t *how,
    parley_job_line_t *ret);

/* Writes the line of a delivery that is over.  untold: the report of its
   failure could not be sent. */
void parley_job_line_over(const parley_delivery_t *delivery, int untold,
    parley_job_line_t *ret);

/* Writes the line of a deadline that is over.  untold: its message could not be
   sent. */
void parley_job_line_deadline(const parley_deadline_t *d, int untold,
    parley_job_line_t *ret);


#endif /* PARLEY_JOB_LINE_H */
