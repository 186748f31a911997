/*
 * What a job is about (parley_job.h), in its text: of which kind it is, and
 * whom it is for.  Jobs that deliver are about the record of a publication;
 * other kinds have a text of their own.
 */

#ifndef PARLEY_LOAD_H
#define PARLEY_LOAD_H

#include "core/parley_arena.h"
#include "core/parley_str.h"


typedef enum {
    PARLEY_LOAD_NONE = 0,
    PARLEY_LOAD_DELIVER,        /* to the URL of a principal: its sub */
    PARLEY_LOAD_NOTICE,         /* the same, of what the gateway tells:
                                   nobody is told that it was not reached */
    PARLEY_LOAD_AWAIT,          /* to the next connection of the owner of a
                                   handle, which the text has in place of a
                                   sub; it is due when it is too late */
    PARLEY_LOAD_AWAIT_NOTICE,   /* the same, of what the gateway tells */
    PARLEY_LOAD_EMERGENCY,      /* deadlines, see parley_overdue.h */
    PARLEY_LOAD_ESCALATION,
    PARLEY_LOAD_TIMEOUT,
    PARLEY_LOAD_KINDS
} parley_load_kind_t;


/* Returns 0 and *ret, in the arena; or -1: no memory, or it is too long. */
int parley_load_write(parley_arena_t *arena, parley_load_kind_t kind,
    parley_str_t sub, parley_str_t *ret)
    __attribute__((warn_unused_result));

/* *ret is the rest of the text.  NONE: nobody knows that kind. */
parley_load_kind_t parley_load_read(parley_str_t text, parley_str_t *ret);


/* Whether such a job delivers a publication: to a URL, or to a connection. */
static inline int
parley_load_delivers(parley_load_kind_t kind)
{
    return kind >= PARLEY_LOAD_DELIVER && kind <= PARLEY_LOAD_AWAIT_NOTICE;
}


static inline int
parley_load_awaits(parley_load_kind_t kind)
{
    return kind == PARLEY_LOAD_AWAIT || kind == PARLEY_LOAD_AWAIT_NOTICE;
}


#endif /* PARLEY_LOAD_H */
