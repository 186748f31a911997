/*
 * A state over memory whose verbs complete later, when the host says so: in
 * any order, for tests.  The arguments are copied, and a verb takes effect
 * when it completes, even if its caller was cancelled.  In that case a second
 * verb gives back the result of an admission.
 *
 * A verb of logs may take effect at once and complete later.  If the caller is
 * cancelled before the effect, an append, a join and verbs that only read have
 * no effect.
 */

#ifndef PARLEY_LATER_H
#define PARLEY_LATER_H

#include "state/memory/parley_memory.h"


typedef enum {
    PARLEY_LATER_ADMIT = 0,
    PARLEY_LATER_SETTLE,
    PARLEY_LATER_RATE,
    PARLEY_LATER_PUT,
    PARLEY_LATER_GET,
    PARLEY_LATER_LIST,
    PARLEY_LATER_DROP,
    PARLEY_LATER_STAT,
    PARLEY_LATER_JOB_ADD,
    PARLEY_LATER_JOB_TAKE,
    PARLEY_LATER_JOB_END,
    PARLEY_LATER_JOB_DROP,
    PARLEY_LATER_JOB_LIST,
    PARLEY_LATER_APPEND,        /* verbs of logs from here on */
    PARLEY_LATER_READ,
    PARLEY_LATER_FEED,
    PARLEY_LATER_ERASE,
    PARLEY_LATER_HAD,
    PARLEY_LATER_KEEP,
    PARLEY_LATER_JOIN,
    PARLEY_LATER_LEAVE,
    PARLEY_LATER_ROSTER,
    PARLEY_LATER_COUNT
} parley_later_verb_t;


/* a verb in progress */
typedef struct parley_late_s  parley_late_t;

/*
 * Called when a verb begins.  The host calls parley_later_complete() later.
 * Returns 1 if a verb of logs must take effect now.
 */
typedef int (*parley_later_start_pt)(parley_late_t *late,
    parley_later_verb_t verb);


/* Returns the name of a verb, "admit". */
const char *parley_later_name(parley_later_verb_t verb);

/*
 * Makes all verbs of a state complete later; start is the same for all states
 * of a process.
 */
void parley_later(parley_memory_t *s, parley_later_start_pt start);

/*
 * Makes only the hub's verbs of logs complete later: read, feed, join and
 * leave.  All other verbs complete at once.
 */
void parley_later_hub(parley_memory_t *s, parley_later_start_pt start);

/* Completes a verb and frees it. */
void parley_later_complete(parley_late_t *late);

/* Frees the verbs in progress of a state; they have no further effect. */
void parley_later_forget(parley_memory_t *s);


#endif /* PARLEY_LATER_H */
