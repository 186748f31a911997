/*
 * Steps of an event of chat that the adapter counts, and writes to the audit
 * log, after the request or the job has ended (C2A-27).  The steps of a request
 * that waits for the state run again, and then note the same; only the last run
 * counts.
 */

#ifndef PARLEY_NOTED_H
#define PARLEY_NOTED_H


struct parley_audit_chat_s;


#define PARLEY_NOTED_NONE  (~0u)

/* a step; all is in the arena of its request or job */
typedef struct parley_noted_s {
    struct parley_noted_s             *next;
    unsigned                           cell;    /* of parley_counters.h; NONE:
                                                   not counted */
    unsigned                           n;       /* number to add */
    const struct parley_audit_chat_s  *line;    /* NULL: no line */
} parley_noted_t;


#endif /* PARLEY_NOTED_H */
