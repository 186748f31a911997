/*
 * The result of an attempt to deliver (VCP 5.2, 8.2): the meaning of the
 * recipient's answer, and the time of the next attempt.
 *
 *   delivered  the recipient took the message, or says that it had it
 *   again      no status; 408, 425, 429, 5xx; 409 if an earlier attempt is
 *              still under way there; 401, once; and a 2xx with an answer
 *              that asks for a retry ("busy")
 *   refused    every other answer: a refusal, a redirection, an invalid one
 *
 * The delays begin when an attempt has failed.  There are at most four
 * attempts.
 */

#ifndef PARLEY_ATTEMPT_H
#define PARLEY_ATTEMPT_H

#include "translate/parley_codec.h"
#include "state/parley_job.h"


#define PARLEY_ATTEMPTS      4
#define PARLEY_ATTEMPT_MS    5000       /* maximum duration of an attempt */
#define PARLEY_ATTEMPT_WAIT  60000      /* maximum delay that a recipient may
                                           ask for */

/* ms within which a delivery ends; VCP requires it for VCP messages */
#define PARLEY_ATTEMPT_LIVES  ((int64_t) 300 * 1000)

/* octets of an answer that are read */
#define PARLEY_ATTEMPT_ANSWER  (64 * 1024)


/* duration of a slow attempt, and ms for which its recipient then is slow */
#define PARLEY_ATTEMPT_SLOW_MS  1000
#define PARLEY_ATTEMPT_SLOW     30000

/* slow recipients that a process knows */
#define PARLEY_ATTEMPT_SLOWS  64


/* ms after the first, second and third attempt */
extern const int64_t  parley_attempt_delays[PARLEY_ATTEMPTS - 1];


/* the answer to an attempt */
typedef struct {
    int                     status;     /* HTTP status; 0: no answer */
    const parley_answer_t  *answer;     /* NULL: the body is not an answer of
                                           the protocol */
    unsigned                lacks:1;    /* memory to read the answer was
                                           exhausted */
    int64_t                 wait_ms;    /* ms of Retry-After; 0: none */
} parley_attempt_came_t;


/* the end of the attempt for the state, and its reason for the log */
typedef struct {
    parley_job_how_t   how;
    int64_t            after;           /* AGAIN: as in parley_job_end_t */
    unsigned           mark;            /* AGAIN: as in parley_job_end_t */
    unsigned           spent:1;         /* GIVEN_UP: after the last attempt; 0:
                                           the job's time is over */
    const char        *why;
} parley_attempted_t;


/* recipients of slow attempts of a process; zero at first */
typedef struct {
    struct {
        uint32_t  recipient;
        int64_t   until_ms;             /* 0: free */
        int64_t   took_ms;              /* its last slow attempt */
    } list[PARLEY_ATTEMPT_SLOWS];
} parley_attempt_slows_t;

/* the attempts of a process when it takes a job */
typedef struct {
    uint32_t  recipient;                /* of the job: any number */
    size_t    n;                        /* attempts of the recipient */
    size_t    max;                      /* ordinary attempts at once */
    int64_t   now_ms;                   /* of a clock that never goes back */
} parley_attempts_t;


/* Decides on the answer to an attempt of a job. */
void parley_attempt_came(const parley_taken_t *job,
    const parley_attempt_came_t *came, parley_attempted_t *ret);

/*
 * Returns whether a taken job is to be tried.  If 0, the job is past its time,
 * or the processes of all its attempts ended; *ret is its end.
 */
int parley_attempt_may(const parley_taken_t *job, parley_attempted_t *ret);

/* Notes how long an attempt took.  Of more slow recipients than SLOWS, the one
   that was slow first is forgotten. */
void parley_attempt_took(parley_attempt_slows_t *slows, uint32_t recipient,
    int64_t took_ms, int64_t now_ms);

/*
 * Returns 0: the taken job is to be tried; else the ms until it is due again,
 * one to two times the duration of the slow attempt.  A slow recipient gets a
 * quarter of the ordinary attempts, so that it delays no other recipient
 * (SEC-09).
 */
int64_t parley_attempt_waits(const parley_attempt_slows_t *slows,
    const parley_taken_t *job, const parley_attempts_t *attempts);


#endif /* PARLEY_ATTEMPT_H */
