/*
 * The text of a job (parley_job.h): its kind, and its recipient.  A job that
 * delivers is about the record of a publication; other kinds have a text of
 * their own.
 */

#ifndef PARLEY_JOB_SUBJECT_H
#define PARLEY_JOB_SUBJECT_H

#include "core/parley_arena.h"
#include "core/parley_str.h"


typedef enum {
    PARLEY_SUBJECT_NONE = 0,
    PARLEY_SUBJECT_DELIVER,        /* to the URL of a principal, whose sub is in
                                   the text */
    PARLEY_SUBJECT_NOTICE,         /* as DELIVER, for a notice of the gateway: a
                                   failure is not reported */
    PARLEY_SUBJECT_AWAIT,          /* to the next connection of the owner of a
                                   handle, which is in the text in place of a
                                   sub; the job is due when it is too late */
    PARLEY_SUBJECT_AWAIT_NOTICE,   /* as AWAIT, for a notice of the gateway */
    PARLEY_SUBJECT_EMERGENCY,      /* deadlines, see parley_deadline.h */
    PARLEY_SUBJECT_ESCALATION,
    PARLEY_SUBJECT_TIMEOUT,
    PARLEY_SUBJECT_FOLLOW,         /* work of a host of chat about an event and
                                      a reader, see parley_host_follow.c */
    PARLEY_SUBJECT_TURN,           /* composes a turn of a host of chat, see
                                      parley_host_turn.h */
    PARLEY_SUBJECT_DIAL,           /* opens the WebSocket of a principal, whose
                                      sub is in the text, and keeps it open */
    PARLEY_SUBJECT_DIGEST,         /* sends the digests of a reader, see
                                      parley_host_digest.h */
    PARLEY_SUBJECT_KINDS
} parley_job_subject_kind_t;


/*
 * Writes the text in the arena.  Returns 0, or -1 if it is too long or memory
 * is exhausted.
 */
int parley_job_subject_write(parley_arena_t *arena,
    parley_job_subject_kind_t kind, parley_str_t sub, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Reads the kind; *ret is the rest of the text.  Returns NONE for an unknown
 * kind.
 */
parley_job_subject_kind_t parley_job_subject_read(parley_str_t text,
    parley_str_t *ret);


/* Returns whether a job delivers a publication, to a URL or a connection. */
static inline int
parley_job_subject_delivers(parley_job_subject_kind_t kind)
{
    return kind >= PARLEY_SUBJECT_DELIVER
           && kind <= PARLEY_SUBJECT_AWAIT_NOTICE;
}


/* Returns whether a job is work of a host of chat. */
static inline int
parley_job_subject_hosted(parley_job_subject_kind_t kind)
{
    return kind == PARLEY_SUBJECT_FOLLOW || kind == PARLEY_SUBJECT_TURN
           || kind == PARLEY_SUBJECT_DIGEST;
}


static inline int
parley_job_subject_awaits(parley_job_subject_kind_t kind)
{
    return kind == PARLEY_SUBJECT_AWAIT || kind == PARLEY_SUBJECT_AWAIT_NOTICE;
}


#endif /* PARLEY_JOB_SUBJECT_H */
