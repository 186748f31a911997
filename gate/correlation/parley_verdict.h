/*
 * The two words that a message gets from the gate: what was decided of it
 * before anything was sent on, and what came of it where it was.  $status is
 * what the client got; these say whose doing that is (GW-26).
 */

#ifndef PARLEY_VERDICT_H
#define PARLEY_VERDICT_H

#include "gate/correlation/parley_exchange.h"


/* whose doing the answer is */
typedef enum {
    PARLEY_WHOSE_GATEWAY = 0,
    PARLEY_WHOSE_UPSTREAM,
    PARLEY_WHOSE_OTHER          /* another module's, or the client's, which
                                   left */
} parley_whose_t;


/* V(name, word of $parley_verdict, whose); docs/directives.md has them too */
#define PARLEY_VERDICTS(V)                                                    \
    V(PASSED, "passed", UPSTREAM)                                             \
    V(FAILED, "failed", UPSTREAM)           /* it passed, and g->err came */  \
    V(ANSWERED, "answered", GATEWAY)                                          \
    V(REFUSED, "refused", GATEWAY)          /* g->err */                      \
    V(DRY_PASSED, "dry-passed", UPSTREAM)                                     \
    V(DRY_REFUSED, "dry-refused", UPSTREAM) /* g->err */                      \
    V(OTHER, "nginx", OTHER)                /* the request ended before */


/* whether a verdict stands in the audit log */
typedef enum {
    PARLEY_RECORDED_NONE = 0,   /* there is no log */
    PARLEY_RECORDED_WRITTEN,
    PARLEY_RECORDED_UNWRITTEN   /* it cannot be written */
} parley_recorded_t;


typedef enum {
    PARLEY_VERDICT_NONE = 0,    /* not yet, or not yet again (GW-24) */
#define PARLEY_VERDICT(name, word, whose)  PARLEY_VERDICT_##name,
    PARLEY_VERDICTS(PARLEY_VERDICT)
#undef PARLEY_VERDICT
    PARLEY_VERDICT_COUNT
} parley_verdict_t;


/* what came of a message that went on */
typedef enum {
    PARLEY_OUTCOME_ANSWERED = 0,    /* whole, and in the caller's protocol */
    PARLEY_OUTCOME_FAILED,      /* g->err: no answer, or none of use */
    PARLEY_OUTCOME_REFUSED,     /* g->err: where it was to continue (GW-24) */
    PARLEY_OUTCOME_UNTOUCHED,   /* a dry run: it went on as it came, and its
                                   answer was not looked at */
    PARLEY_OUTCOME_LOST,        /* the request ended, and the gate was told of
                                   no answer: another module's, or none */
    PARLEY_OUTCOME_COUNT
} parley_outcome_kind_t;


typedef struct {
    parley_outcome_kind_t     kind;
    parley_settle_t           settle;   /* COMMIT: its id counts as seen;
                                           RELEASE: it may come again */
    const parley_answered_t  *answer;   /* of ANSWERED the last there was, as
                                           long as the call; else NULL */
} parley_outcome_t;


/* "passed"; empty for NONE */
parley_str_t parley_verdict_name(parley_verdict_t verdict);

/* Of NONE it is another's. */
parley_whose_t parley_verdict_whose(parley_verdict_t verdict);

/*
 * Whose doing a failure is of a message that had passed: the upstream's, by
 * code, or the gateway's, which breaks off what it may not send (SEC-15,
 * SEC-16) or has no room for.
 */
parley_whose_t parley_failure_whose(parley_code_t code);

/* "answered", "failed", "refused", "untouched", "lost" */
parley_str_t parley_outcome_name(parley_outcome_kind_t kind);


#endif /* PARLEY_VERDICT_H */
