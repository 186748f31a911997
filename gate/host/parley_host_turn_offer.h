/* The job of a turn, and its last steps.  Private to
   gate/host/parley_host_turn*.c. */

#ifndef PARLEY_HOST_TURN_OFFER_H
#define PARLEY_HOST_TURN_OFFER_H

#include "gate/delivery/parley_deadline.h"
#include "gate/host/parley_host_turn_parts.h"


/* a job under way */
typedef struct {
    parley_deadline_t    *d;
    parley_host_t         h;
    parley_error_t        err;
    parley_host_event_t   event;    /* record of the job's event */
    parley_record_id_t    composes; /* see parley_turn_compose(); the append of
                                       the turn closes it */
    parley_admission_t    takes;
    parley_settlement_t   how;
    uint64_t              at;       /* offset of its message */
    parley_turn_t         turn;
    parley_str_t          id;       /* of the turn */
    parley_host_row_t    *rows;     /* of readers that get it */
    unsigned              nrows;
    int64_t               due_ms;   /* earliest deadline, wall clock; that of a
                                       fragment with */
    int64_t               lasts_ms; /* this one */
    parley_chat_reason_t  reason;
    unsigned              changed:1;        /* the text of the job's event was
                                               changed */
} parley_turn_job_t;

/* Records the turn, and ends the job with its append.  Returns 0, PARLEY_WAIT,
   or -1: to be tried again. */
int parley_turn_offer(parley_turn_job_t *j);


#endif /* PARLEY_HOST_TURN_OFFER_H */
