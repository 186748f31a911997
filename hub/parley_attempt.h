/*
 * What an attempt to deliver comes to (VCP 5.2, 8.2): what the answer of whom
 * it was for means, and when the next one is.
 *
 *  delivered    it took the message, or says that it had it
 *  again        no status; 408, 425, 429, 5xx; 409 where an earlier attempt is
 *               still under way there; 401, once; and what says of itself, in a
 *               2xx, that it may come again ("busy")
 *  refused      every other answer: a refusal, a redirection, one that is none
 *
 * The delays begin when an attempt has failed.  There is never a fifth.
 */

#ifndef PARLEY_ATTEMPT_H
#define PARLEY_ATTEMPT_H

#include "translate/parley_codec.h"
#include "state/parley_job.h"


#define PARLEY_ATTEMPTS      4
#define PARLEY_ATTEMPT_MS    5000       /* that one takes, at most */
#define PARLEY_ATTEMPT_WAIT  60000      /* that who is asked may ask for */

/* what is delivered takes no longer than this; VCP says it of its own */
#define PARLEY_ATTEMPT_LIVES  ((int64_t) 300 * 1000)

/* octets of an answer that are read */
#define PARLEY_ATTEMPT_ANSWER  (64 * 1024)


/* ms after the first attempt, the second and the third */
extern const int64_t  parley_attempt_delays[PARLEY_ATTEMPTS - 1];


/* what came back */
typedef struct {
    int                     status;     /* of HTTP; 0: none came */
    const parley_answer_t  *answer;     /* NULL: it has none that is one of the
                                           protocol */
    unsigned                lacks:1;    /* there was no memory to read it */
    int64_t                 wait_ms;    /* of Retry-After; 0: none */
} parley_attempt_came_t;


/* what is to be said of the job, and why, for the log */
typedef struct {
    parley_job_how_t   how;
    int64_t            after;           /* AGAIN */
    unsigned           mark;            /* the same */
    unsigned           spent:1;         /* GIVEN_UP: after the last attempt;
                                           else its time is over */
    const char        *why;
} parley_attempted_t;


/* What came of an attempt of a job. */
void parley_attempt_came(const parley_taken_t *job,
    const parley_attempt_came_t *came, parley_attempted_t *ret);

/*
 * Whether a job that was taken is to be tried: 1; or 0: it is over, or the
 * processes of all its attempts are gone, and *ret says what it ends in.
 */
int parley_attempt_may(const parley_taken_t *job, parley_attempted_t *ret);


#endif /* PARLEY_ATTEMPT_H */
