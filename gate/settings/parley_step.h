/*
 * The steps that a message takes, in their order, and what each can come to.
 * docs/architecture.md has the same table; parley_gate.c says what does them.
 */

#ifndef PARLEY_STEP_H
#define PARLEY_STEP_H

#include <stdint.h>


typedef enum {
    PARLEY_STEP_METHOD = 0,     /* the adapter's: POST */
    PARLEY_STEP_FAILURES,       /* of proofs from the address that it came
                                   from */
    PARLEY_STEP_PROOF,          /* a token, a client certificate; who->jwt,
                                   who->certified, who->principal */
    PARLEY_STEP_RATE,           /* of the caller */
    PARLEY_STEP_BODY,           /* the adapter's: its octets, their type */
    PARLEY_STEP_SERVE,          /* where no messages come to (parley_keys,
                                   parley_stream), and nowhere else: the
                                   gateway's answer */
    PARLEY_STEP_JSON,
    PARLEY_STEP_PROTOCOL,
    PARLEY_STEP_SCHEMA,
    PARLEY_STEP_PAYLOAD,        /* by its intent (AEE-33) */
    PARLEY_STEP_TRANSPORT,
    PARLEY_STEP_SENDER,
    PARLEY_STEP_SIGNATURE,
    PARLEY_STEP_REVOCATION,     /* of all that proved it, also where it
                                   continues */
    PARLEY_STEP_SENDER_RATE,    /* of whom only a signature proved */
    PARLEY_STEP_ARGUMENTS,      /* of the query: what they decide */
    PARLEY_STEP_SUBMISSION,     /* what stands beside the body */
    PARLEY_STEP_REFERENCE,      /* what it answers, to */
    PARLEY_STEP_POLICY,
    PARLEY_STEP_DIRECTION,
    PARLEY_STEP_LOCAL,          /* the gateway's answer to what only reads */
    PARLEY_STEP_SESSION,        /* a session of the service that it names is
                                   the caller's */
    PARLEY_STEP_AGE,
    PARLEY_STEP_ADMIT,          /* it is new, within quotas */
    PARLEY_STEP_REFUTE,         /* the gateway's answer to what changes
                                   something */
    PARLEY_STEP_REWRITE,        /* caps, redaction */
    PARLEY_STEP_TRANSLATE,      /* as the upstream speaks */
    PARLEY_STEP_LOSS,
    PARLEY_STEP_KEEP,           /* what it came from is remembered */
    PARLEY_STEP_SUSPEND,        /* its sender is suspended by it, or its
                                   recipient resumed (VCP-26, VCP-28) */
    PARLEY_STEP_RECORD,         /* that it passes is written, where it has to
                                   be; not in a dry run */
    PARLEY_STEP_PUBLISH,        /* where parley_submit stands: to streams, in
                                   place of FORWARD */
    PARLEY_STEP_ESCALATE,       /* to whoever is above its recipient, unless it
                                   is acknowledged in time (VCP-24) */
    PARLEY_STEP_FORWARD,        /* the adapter's: body and headers are those of
                                   g->sent; not in a dry run */
    PARLEY_STEP_ANSWER,         /* the way back: what came in response; taken
                                   for each event of a stream */
    PARLEY_STEP_SETTLE,         /* its id is taken: passed; or free again */
    PARLEY_STEP_COUNT
} parley_step_t;


/* a set of them */
typedef uint64_t  parley_plan_t;

#define PARLEY_PLAN(step)  (1ULL << (step))


/* what lets a message go on is below REFUSED */
typedef enum {
    PARLEY_RESULT_PASSED = 0,
    PARLEY_RESULT_NONE,         /* there is nothing to do here */
    PARLEY_RESULT_REFUSED,      /* *err */
    PARLEY_RESULT_SPARED,       /* refused, but for the dry run */
    PARLEY_RESULT_ANSWERED,     /* by the gateway itself: g->reply, or a
                                   stream that g->opening says */
    PARLEY_RESULT_WAIT,         /* the same step again, later */
    PARLEY_RESULT_FAILED        /* no memory, or a defect */
} parley_step_result_t;


/* "signature" */
const char *parley_step_name(parley_step_t step);

/* "passed"; "-" where there is nothing to do */
const char *parley_step_result_name(parley_step_result_t result);


#endif /* PARLEY_STEP_H */
