#include <string.h>

#include "hub/parley_attempt.h"


/* mark of a job: its answer was 401, which is retried only once */
#define PARLEY_ATTEMPT_DENIED  1


static int parley_attempt_is(const parley_attempt_came_t *came,
    const char *code, const char *other);
static void parley_attempt_taken(const parley_attempt_came_t *came,
    parley_attempted_t *ret);
static void parley_attempt_failed(const parley_taken_t *job, int64_t wait,
    parley_attempted_t *ret);


const int64_t  parley_attempt_delays[PARLEY_ATTEMPTS - 1] = {
    1000, 2000, 4000
};


static void
parley_attempt_says(parley_attempted_t *ret, parley_job_how_t how,
    const char *why)
{
    ret->how = how;
    ret->why = why;
}


int
parley_attempt_may(const parley_taken_t *job, parley_attempted_t *ret)
{
    memset(ret, 0, sizeof(parley_attempted_t));

    if (job->gone || job->left <= 0) {
        parley_attempt_says(ret, PARLEY_JOB_GIVEN_UP, job->gone
                            ? "the message was erased or has expired"
                            : "the message has expired");
        return 0;
    }

    if (job->attempt > PARLEY_ATTEMPTS) {
        ret->spent = 1;
        parley_attempt_says(ret, PARLEY_JOB_GIVEN_UP,
                            "the worker of the last attempt is gone");
        return 0;
    }

    return 1;
}


void
parley_attempt_came(const parley_taken_t *job,
    const parley_attempt_came_t *came, parley_attempted_t *ret)
{
    int64_t  wait;

    memset(ret, 0, sizeof(parley_attempted_t));

    ret->mark = job->mark;
    wait = 0;

    if (came->status >= 200 && came->status < 300) {
        parley_attempt_taken(came, ret);

        if (came->answer != NULL && came->answer->waits) {
            wait = came->answer->wait_ms;
        }

    } else if (came->status == 0) {
        parley_attempt_says(ret, PARLEY_JOB_AGAIN, "the peer did not answer");

    } else if (came->status == 401 && !(job->mark & PARLEY_ATTEMPT_DENIED)) {
        ret->mark |= PARLEY_ATTEMPT_DENIED;
        parley_attempt_says(ret, PARLEY_JOB_AGAIN,
                            "the peer does not accept the credential");

    } else if (came->status == 409
               && parley_attempt_is(came, "message-in-flight",
                                    "E_MESSAGE_IN_FLIGHT"))
    {
        parley_attempt_says(ret, PARLEY_JOB_AGAIN,
                            "the peer has not finished an earlier attempt");

    } else if (came->status == 409
               && parley_attempt_is(came, "message-duplicate",
                                    "E_MESSAGE_DUPLICATE"))
    {
        parley_attempt_says(ret, PARLEY_JOB_DELIVERED,
                            "the peer has the message already");

    } else if (came->status == 408 || came->status == 425
               || came->status == 429 || came->status >= 500)
    {
        parley_attempt_says(ret, PARLEY_JOB_AGAIN, came->status == 429
                            ? "the peer accepts no messages for now"
                            : "the peer failed and may succeed later");

    } else {
        parley_attempt_says(ret, PARLEY_JOB_REFUSED,
                            "the peer refused the message");
    }

    if (ret->how == PARLEY_JOB_AGAIN) {
        parley_attempt_failed(job, came->wait_ms > wait ? came->wait_ms : wait,
                              ret);
    }
}


/*
 * Returns whether the answer has a code of the protocol or its AEE equivalent.
 */

static int
parley_attempt_is(const parley_attempt_came_t *came, const char *code,
    const char *other)
{
    parley_str_t  said;

    if (came->answer == NULL) {
        return 0;
    }

    said = came->answer->kind == PARLEY_ANSWER_MESSAGE
           ? came->answer->msg.code : came->answer->code;

    return parley_str_eq(said, parley_str_c(code))
           || parley_str_eq(said, parley_str_c(other));
}


/* Decides on a complete 2xx: delivered, unless its body says otherwise. */

static void
parley_attempt_taken(const parley_attempt_came_t *came, parley_attempted_t *ret)
{
    int                     again;
    const parley_answer_t  *answer;

    answer = came->answer;

    if (answer == NULL) {
        parley_attempt_says(ret, came->lacks ? PARLEY_JOB_AGAIN
                                             : PARLEY_JOB_REFUSED,
                            came->lacks ? "there is too little memory for the "
                                          "answer"
                                        : "the answer is not of the peer's "
                                          "protocol");
        return;
    }

    if (answer->kind == PARLEY_ANSWER_REFUSED) {
        again = answer->retryable;

    } else if (answer->kind == PARLEY_ANSWER_MESSAGE
               && answer->msg.act == PARLEY_ACT_FAILURE)
    {
        again = answer->msg.retryable;

    } else {
        parley_attempt_says(ret, PARLEY_JOB_DELIVERED,
                            answer->kind == PARLEY_ANSWER_MESSAGE
                            && answer->msg.act == PARLEY_ACT_REPLY
                            ? "the peer took the message; its answer in the "
                              "response is not used, it must be submitted"
                            : "the peer took the message");
        return;
    }

    parley_attempt_says(ret, again ? PARLEY_JOB_AGAIN : PARLEY_JOB_REFUSED,
                        again ? "the peer accepts no messages for now"
                              : "the peer refused the message");
}


/* Plans the next attempt, or gives up if the job would be past its time. */

static void
parley_attempt_failed(const parley_taken_t *job, int64_t wait,
    parley_attempted_t *ret)
{
    if (job->attempt >= PARLEY_ATTEMPTS) {
        ret->how = PARLEY_JOB_GIVEN_UP;
        ret->spent = 1;
        return;
    }

    ret->after = parley_attempt_delays[job->attempt - 1];

    if (wait > ret->after) {
        ret->after = wait < PARLEY_ATTEMPT_WAIT ? wait : PARLEY_ATTEMPT_WAIT;
    }

    if (ret->after >= job->left) {
        ret->how = PARLEY_JOB_GIVEN_UP;
    }
}


void
parley_attempt_took(parley_attempt_slows_t *slows, uint32_t recipient,
    int64_t took_ms, int64_t now_ms)
{
    unsigned  i, at;

    if (took_ms < PARLEY_ATTEMPT_SLOW_MS) {
        return;
    }

    for (at = 0, i = 0; i < PARLEY_ATTEMPT_SLOWS; i++) {

        if (slows->list[i].recipient == recipient) {
            at = i;
            break;
        }

        if (slows->list[i].until_ms < slows->list[at].until_ms) {
            at = i;
        }
    }

    slows->list[at].recipient = recipient;
    slows->list[at].until_ms = now_ms + PARLEY_ATTEMPT_SLOW;
    slows->list[at].took_ms = took_ms < PARLEY_ATTEMPT_MS ? took_ms
                                                          : PARLEY_ATTEMPT_MS;
}


int64_t
parley_attempt_waits(const parley_attempt_slows_t *slows,
    const parley_taken_t *job, const parley_attempts_t *attempts)
{
    int64_t   took_ms;
    unsigned  i, spread;

    if (job->class != PARLEY_JOB_ORDINARY || job->gone || job->left <= 0
        || attempts->n < (attempts->max + 3) / 4)
    {
        return 0;
    }

    for (i = 0; i < PARLEY_ATTEMPT_SLOWS; i++) {
        if (slows->list[i].recipient == attempts->recipient
            && slows->list[i].until_ms > attempts->now_ms)
        {
            break;
        }
    }

    if (i == PARLEY_ATTEMPT_SLOWS) {
        return 0;
    }

    /* the jobs of the recipient are not all due at the same time */

    spread = (unsigned) job->id.lane[0] << 8 | job->id.lane[1];

    took_ms = slows->list[i].took_ms;

    return took_ms + spread % took_ms;
}
