/*
 * The steps of an event of chat in the audit log and in the counters (C2A-27).
 * A step is noted after it was done, or if the end of the job does it, and
 * written after the request or the job has ended (parley_noted.h).  A line has
 * ids and fixed words, and never a text or a displayName.  Private to the host.
 */

#ifndef PARLEY_HOST_AUDIT_H
#define PARLEY_HOST_AUDIT_H

#include "gate/host/parley_host_parts.h"


struct parley_host_post_s;      /* parley_host_post.h */


typedef enum {
    PARLEY_HOST_STEP_ACCEPTED = 0,       /* a surface's event is stored */
    PARLEY_HOST_STEP_SENT,               /* an agent's event is stored */
    PARLEY_HOST_STEP_ADDRESSED,          /* to a reader */
    PARLEY_HOST_STEP_ACKNOWLEDGED,       /* by the reader */
    PARLEY_HOST_STEP_AGAIN,              /* offered again */
    PARLEY_HOST_STEP_FAILED,             /* refused for good */
    PARLEY_HOST_STEP_CLAIMED,
    PARLEY_HOST_STEP_DISPOSED,
    PARLEY_HOST_STEP_REMINDED,
    PARLEY_HOST_STEP_ESCALATED,
    PARLEY_HOST_STEP_UNDELIVERED,   /* no principal is left */
    PARLEY_HOST_STEP_UNCONFIRMED,   /* the URL of a surface did not answer */
    PARLEY_HOST_STEPS
} parley_host_step_t;

/* paths of offers, in the order of PARLEY_LABELS(PATH) */
typedef enum {
    PARLEY_HOST_BY_STREAM = 0,
    PARLEY_HOST_BY_URL,
    PARLEY_HOST_BY_TOOL
} parley_host_path_t;

/* results of claims, in the order of PARLEY_LABELS(CLAIM) */
typedef enum {
    PARLEY_HOST_CLAIM_NEW = 0,
    PARLEY_HOST_CLAIM_RENEWED,
    PARLEY_HOST_CLAIM_HELD
} parley_host_claim_result_t;


/* Notes an event that was appended, and each of its readers. */
void parley_host_audit_post(const struct parley_host_post_s *post);

/* These three note steps that the end of the job does. */

/* Notes the readers of a turn, which wait for it until then. */
void parley_host_audit_turn(parley_host_t *h, parley_str_t id,
    const parley_host_row_t *rows, unsigned n);

/* Notes the step REMINDED, UNDELIVERED or UNCONFIRMED for a reader. */
void parley_host_audit_step(parley_host_t *h, parley_host_step_t step,
    parley_str_t id, parley_str_t reader);

/* Notes that an event went up, after the reader sub, to the reader of a row. */
void parley_host_audit_escalated(parley_host_t *h, parley_str_t id,
    parley_str_t sub, const parley_host_row_t *row);

/* Notes an event of the host for a reader, which no row counts. */
void parley_host_audit_addressed(parley_host_t *h, parley_str_t id,
    const parley_host_row_t *row);

/* Notes an outcome of an offer. */
void parley_host_audit_outcome(parley_host_t *h, parley_str_t id,
    const parley_host_row_t *row, parley_host_path_t path,
    parley_chat_outcome_t outcome);

/* Notes a disposition that was put for a reader. */
void parley_host_audit_disposed(parley_host_t *h, parley_str_t id,
    parley_str_t reader, parley_chat_disposition_t disposition);

/* Notes the result of a claim.  id is empty for the claim of a thread. */
void parley_host_audit_claim(parley_host_t *h, parley_str_t id,
    parley_str_t actor, parley_host_claim_result_t result);

/* Notes that an event was offered to a reader again. */
void parley_host_audit_again(parley_host_t *h, parley_str_t id,
    parley_str_t reader, parley_host_path_t path);

/* Count an obligation that was decided in time, and n events that a tool
   listed. */
void parley_host_audit_answered(parley_host_t *h);
void parley_host_audit_listed(parley_host_t *h, unsigned n);

/* Hands over the steps of a request that has ended, or waits for events. */
void parley_host_audit_end(const parley_host_t *h, parley_gate_t *g,
    int waits);


#endif /* PARLEY_HOST_AUDIT_H */
