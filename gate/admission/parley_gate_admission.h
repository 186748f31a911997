/* The parts of parley_gate_t about the id of the message, and suspensions. */

#ifndef PARLEY_GATE_ADMISSION_H
#define PARLEY_GATE_ADMISSION_H

#include "core/parley_error.h"
#include "gate/admission/parley_reservation.h"
#include "gate/admission/parley_suspension.h"
#include "gate/admission/parley_window.h"
#include "gate/correlation/parley_correlation.h"


typedef struct {
    parley_reservation_t  entrance;
    parley_asked_t        asked;            /* records by which others may refer
                                               to the message */
    parley_asked_t        before;           /* records from its previous
                                               location, if the message
                                               continues */
    parley_first_t        first;            /* first message of a duplicate
                                               (GW-19) */
    parley_error_t       *stale;            /* error of a message that is too
                                               old; NULL: it is not */
    const char           *not_resumed;      /* why a message of the parent to a
                                               suspended child does not resume
                                               it; NULL: it resumes, or is
                                               another message */
    const uint8_t        *call;             /* see parley_reservation_t */
    unsigned              id_not_kept:1;    /* the window did not keep the
                                               accepted id */
} parley_gate_admission_t;


/* not cleared: set before they are read */
typedef struct {
    parley_suspensions_t  resumes;          /* suspensions of the recipient */
    parley_lift_t         lifts[PARLEY_SUSPENSIONS_MAX];
} parley_gate_suspend_t;


#endif /* PARLEY_GATE_ADMISSION_H */
