/*
 * Declarations shared by parley_gate_plan.c (the table of steps) and
 * parley_gate.c (the loop that runs them).  Private to them.
 */

#ifndef PARLEY_GATE_ROWS_H
#define PARLEY_GATE_ROWS_H

#include "gate/message/parley_gate.h"
#include "gate/settings/parley_settings.h"


/* Returns whether a step can have an effect at a location. */
typedef int (*parley_gate_applies_pt)(const parley_settings_http_t *http,
    const parley_settings_t *s);

/* A step that only reads the members of the gate.  It may change the message,
   the error and others that they point to. */
typedef parley_step_result_t (*parley_gate_check_pt)(const parley_gate_t *g);


typedef struct {
    const char              *name;
    parley_step_pt           run;       /* NULL: check, or the adapter's */
    parley_gate_check_pt     check;     /* the step, if it changes no member of
                                           the gate; else NULL */
    unsigned                 proves:1;  /* it proves the sender */
    unsigned                 again:1;   /* also for a message that continues */
    parley_gate_applies_pt   applies;   /* NULL: at every location */
} parley_gate_row_t;

extern const parley_gate_row_t  parley_gate_rows[PARLEY_STEP_COUNT];


/*
 * Returns the steps of a message that continues at another location.  REWRITE
 * is always one of them, because the redaction of the first location applies
 * everywhere.
 */
parley_plan_t parley_gate_plan_again(const parley_settings_http_t *http,
    const parley_settings_t *s);


#endif /* PARLEY_GATE_ROWS_H */
