/*
 * A retained message as it is read, and shared functions.  Private to
 * parley_retain.c and parley_refute.c.
 */

#ifndef PARLEY_RETAIN_PARTS_H
#define PARLEY_RETAIN_PARTS_H

#include "gate/admission/parley_retain.h"


/* a retained message, read from its record */
typedef struct {
    parley_record_t  record;
    parley_json_t    doc;           /* document of its value */
    parley_str_t     protocol;
    parley_str_t     sub;
    parley_str_t     to;
    parley_str_t     sender;
    parley_str_t     recipient;
    parley_str_t     corr;
    parley_str_t     sent_corr;
    uint32_t         refutations;   /* number of refutations */
    parley_str_t     refuted;       /* refutations as JSON, without
                                       brackets */
    parley_str_t     message;
} parley_kept_t;


/* messages with the id of a task that its sender is a party of, the oldest
   first */
typedef struct {
    parley_str_t     id;
    size_t           n;
    size_t           which;         /* index of the one that the task
                                       means */
    parley_kept_t    kept[PARLEY_RECORDS_MAX + 2 * PARLEY_RECORDS_OWNED];
} parley_found_t;


/*
 * Finds the message that the payload of the task names.  Returns 1 and *ret; 0
 * and *fault; PARLEY_WAIT; or -1: no memory.
 */
int parley_retain_find(const parley_retain_t *r, parley_found_t **ret,
    parley_task_fault_t *fault)
    __attribute__((warn_unused_result));

/*
 * Writes the record of a message.  refuted has its refutations as JSON without
 * brackets.  Returns 0, or -1: no memory.
 */
int parley_retain_write(const parley_retain_t *r, const parley_retained_t *m,
    parley_str_t refuted, parley_str_t *ret)
    __attribute__((warn_unused_result));

/* Returns a member that is a string; empty if it is missing or another type. */
parley_str_t parley_retain_text(const parley_json_t *doc, uint32_t object,
    const char *name);


#endif /* PARLEY_RETAIN_PARTS_H */
