/*
 * The steps of a message in their order, and their results.
 * docs/architecture.md has the same table.  parley_gate.c has the functions.
 */

#ifndef PARLEY_STEP_H
#define PARLEY_STEP_H

#include <stdint.h>


typedef enum {
    PARLEY_STEP_METHOD = 0,     /* the adapter's: the method is POST */
    PARLEY_STEP_FAILURES,       /* limit of failed proofs from the client's
                                   address */
    PARLEY_STEP_PROOF,          /* a token or a client certificate is verified;
                                   sets jwt, certified and principal of
                                   parley_who_t */
    PARLEY_STEP_RATE,           /* rate of the caller */
    PARLEY_STEP_BODY,           /* the adapter's: reads the body and checks its
                                   type */
    PARLEY_STEP_SERVE,          /* the gateway's answer at a location that takes
                                   no messages (parley_keys, parley_stream) */
    PARLEY_STEP_JSON,
    PARLEY_STEP_PROTOCOL,
    PARLEY_STEP_SCHEMA,
    PARLEY_STEP_PAYLOAD,        /* payload against the schema of its intent
                                   (AEE-33) */
    PARLEY_STEP_TRANSPORT,
    PARLEY_STEP_SENDER,
    PARLEY_STEP_SIGNATURE,
    PARLEY_STEP_REVOCATION,     /* revocation of each proof; checked again
                                   before a later answer */
    PARLEY_STEP_SENDER_RATE,    /* rate of a sender that only a signature
                                   proves */
    PARLEY_STEP_ARGUMENTS,      /* values of the query's arguments */
    PARLEY_STEP_SUBMISSION,     /* values outside the body */
    PARLEY_STEP_REFERENCE,      /* the message that this one answers */
    PARLEY_STEP_POLICY,
    PARLEY_STEP_DIRECTION,
    PARLEY_STEP_LOCAL,          /* the gateway's answer to a message that only
                                   reads */
    PARLEY_STEP_SESSION,        /* a session of the service that the message
                                   names is the caller's */
    PARLEY_STEP_AGE,
    PARLEY_STEP_ADMIT,          /* the id is new, within the quotas */
    PARLEY_STEP_REFUTE,         /* the gateway's answer to a message that
                                   changes state */
    PARLEY_STEP_REWRITE,        /* caps, redaction */
    PARLEY_STEP_TRANSLATE,      /* into the protocol of the upstream */
    PARLEY_STEP_LOSS,
    PARLEY_STEP_KEEP,           /* the original of a translated message is
                                   stored */
    PARLEY_STEP_SUSPEND,        /* suspends its sender, or resumes its recipient
                                   (VCP-26, VCP-28) */
    PARLEY_STEP_RECORD,         /* line of the audit log that the message
                                   passes, if the log is on; not in a dry run */
    PARLEY_STEP_HOST,           /* with parley_host: accepts an event of chat,
                                   or answers a call */
    PARLEY_STEP_PUBLISH,        /* with parley_submit: to streams, in place of
                                   FORWARD */
    PARLEY_STEP_ESCALATE,       /* job that tells the principal above the
                                   recipient, unless the message is acknowledged
                                   in time (VCP-24) */
    PARLEY_STEP_FORWARD,        /* the adapter's: sends body and headers of
                                   g->out.sent; not in a dry run */
    PARLEY_STEP_ANSWER,         /* the response, or one event of its stream */
    PARLEY_STEP_SETTLE,         /* keeps the id of a message that was taken, or
                                   frees it */
    PARLEY_STEP_COUNT
} parley_step_t;


/* a set of steps */
typedef uint64_t  parley_plan_t;

#define PARLEY_PLAN(step)  (1ULL << (step))

/*
 * Steps that do not run at a host of chat.  It has its own references, and
 * events of any age.  It answers each message, so none is translated or
 * forwarded.
 */
#define PARLEY_PLAN_UNHOSTED                                                  \
    (PARLEY_PLAN(PARLEY_STEP_REFERENCE) | PARLEY_PLAN(PARLEY_STEP_DIRECTION)  \
     | PARLEY_PLAN(PARLEY_STEP_LOCAL) | PARLEY_PLAN(PARLEY_STEP_SESSION)      \
     | PARLEY_PLAN(PARLEY_STEP_AGE) | PARLEY_PLAN(PARLEY_STEP_REFUTE)         \
     | PARLEY_PLAN(PARLEY_STEP_TRANSLATE) | PARLEY_PLAN(PARLEY_STEP_LOSS)     \
     | PARLEY_PLAN(PARLEY_STEP_KEEP) | PARLEY_PLAN(PARLEY_STEP_SUSPEND)       \
     | PARLEY_PLAN(PARLEY_STEP_ESCALATE) | PARLEY_PLAN(PARLEY_STEP_FORWARD))


/* results of a step; the message goes on if the result is below REFUSED */
typedef enum {
    PARLEY_RESULT_PASSED = 0,
    PARLEY_RESULT_NONE,         /* nothing to do here */
    PARLEY_RESULT_REFUSED,      /* refused with *err */
    PARLEY_RESULT_SPARED,       /* refused, but passes in the dry run */
    PARLEY_RESULT_ANSWERED,     /* answered by the gateway: g->out.reply, or the
                                   stream of g->serve.opening */
    PARLEY_RESULT_WAIT,         /* the step runs again later */
    PARLEY_RESULT_FAILED        /* no memory, or a defect */
} parley_step_result_t;


/* Returns the name of a step, such as "signature". */
const char *parley_step_name(parley_step_t step);

/* Returns the name of a result, such as "passed"; "-" for RESULT_NONE. */
const char *parley_step_result_name(parley_step_result_t result);


#endif /* PARLEY_STEP_H */
