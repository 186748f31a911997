/*
 * A state over memory each of whose verbs completes later, when its host says
 * so: for tests, in any order.  What is asked is copied, and takes effect when
 * it completes, also where its caller has gone; what an admission took is given
 * back then by a verb of its own.
 *
 * Those of logs may take effect at once, and tell so later.  Where the caller
 * has gone before, an append, a join and what only reads take none.
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
    PARLEY_LATER_APPEND,        /* those of logs from here on */
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


/* one that is under way */
typedef struct parley_late_s  parley_late_t;

/* Has it completed by parley_later_complete(), later.  1: one of a log takes
   effect now. */
typedef int (*parley_later_start_pt)(parley_late_t *late,
    parley_later_verb_t verb);


/* "admit" */
const char *parley_later_name(parley_later_verb_t verb);

/* Has all verbs of a state complete later; of one host in a process. */
void parley_later(parley_memory_t *s, parley_later_start_pt start);

/*
 * Only what a hub asks of logs completes later: read, feed, join and leave.
 * The state is at_once to whoever asks for anything else.
 */
void parley_later_hub(parley_memory_t *s, parley_later_start_pt start);

/* It completes now, and is freed. */
void parley_later_complete(parley_late_t *late);

/* What is under way of a state is freed, and has no effect that it has not. */
void parley_later_forget(parley_memory_t *s);


#endif /* PARLEY_LATER_H */
