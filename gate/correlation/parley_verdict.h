/*
 * The two results of a message at the gate: the verdict, before anything is
 * sent on, and the outcome of a message that was sent on.  $status is the
 * status that the client got; a verdict says which party caused it (GW-26).
 */

#ifndef PARLEY_VERDICT_H
#define PARLEY_VERDICT_H

#include "core/parley_error.h"


struct parley_answered_s;       /* parley_answered.h */


/*
 * Settlement of the message's id; the first decision is final.  A whole 2xx
 * answer takes the id, even if it is invalid, unless it says that the message
 * may be sent again.  Another status, a cut answer, a deadline or an expired
 * token frees the id (parley_upstream_error.h).
 */
typedef enum {
    PARLEY_SETTLE_OPEN = 0,     /* not decided yet */
    PARLEY_SETTLE_COMMIT,       /* the id counts as seen */
    PARLEY_SETTLE_RELEASE       /* the message may be sent again */
} parley_settle_t;


/* party that caused the answer */
typedef enum {
    PARLEY_WHOSE_GATEWAY = 0,
    PARLEY_WHOSE_UPSTREAM,
    PARLEY_WHOSE_OTHER          /* another module, or a client that left */
} parley_whose_t;


/* V(name, word of $parley_verdict, party); docs/directives.md lists them,
   too */
#define PARLEY_VERDICTS(V)                                                    \
    V(PASSED, "passed", UPSTREAM)                                             \
    V(FAILED, "failed", UPSTREAM)           /* passed, then g->err */         \
    V(ANSWERED, "answered", GATEWAY)                                          \
    V(REFUSED, "refused", GATEWAY)          /* g->err */                      \
    V(DRY_PASSED, "dry-passed", UPSTREAM)                                     \
    V(DRY_REFUSED, "dry-refused", UPSTREAM) /* g->err */                      \
    V(OTHER, "nginx", OTHER)                /* the request ended first */


/* result of writing a verdict to the audit log */
typedef enum {
    PARLEY_RECORDED_NONE = 0,   /* no audit log is configured */
    PARLEY_RECORDED_WRITTEN,
    PARLEY_RECORDED_UNWRITTEN   /* the log cannot be written */
} parley_recorded_t;


typedef enum {
    PARLEY_VERDICT_NONE = 0,    /* not decided, or not again (GW-24) */
#define PARLEY_VERDICT(name, word, whose)  PARLEY_VERDICT_##name,
    PARLEY_VERDICTS(PARLEY_VERDICT)
#undef PARLEY_VERDICT
    PARLEY_VERDICT_COUNT
} parley_verdict_t;


/* outcome of a message that went on */
typedef enum {
    PARLEY_OUTCOME_ANSWERED = 0,    /* whole, and in the caller's protocol */
    PARLEY_OUTCOME_FAILED,      /* g->err: no answer, or an unusable one */
    PARLEY_OUTCOME_REFUSED,     /* g->err: refused where it was to continue
                                   (GW-24) */
    PARLEY_OUTCOME_UNTOUCHED,   /* a dry run: neither the message nor its answer
                                   was changed */
    PARLEY_OUTCOME_LOST,        /* the request ended without an answer that the
                                   gate saw: another module's, or none */
    PARLEY_OUTCOME_COUNT
} parley_outcome_kind_t;


typedef struct {
    parley_outcome_kind_t     kind;
    parley_settle_t           settle;   /* COMMIT: the id counts as seen;
                                           RELEASE: the message may be sent
                                           again */
    const struct parley_answered_s  *answer;    /* last answer of ANSWERED,
                                                   valid during the call; else
                                                   NULL */
} parley_outcome_t;


/* Returns the word of a verdict: "passed"; empty for NONE. */
parley_str_t parley_verdict_name(parley_verdict_t verdict);

/* Returns the party that caused the answer of a verdict; OTHER for NONE. */
parley_whose_t parley_verdict_whose(parley_verdict_t verdict);

/*
 * Returns the party that caused the failure of a message that had passed.  It
 * is the upstream, by the code, or the gateway, if it stops an answer that it
 * may not send (SEC-15, SEC-16) or has no room for.
 */
parley_whose_t parley_verdict_failure_whose(parley_code_t code);

/* Returns the word of an outcome: "answered", "failed", "refused", "untouched",
   "lost". */
parley_str_t parley_outcome_name(parley_outcome_kind_t kind);


#endif /* PARLEY_VERDICT_H */
