/* Fills the facts of a message for the audit log. */

#ifndef PARLEY_AUDIT_MESSAGE_H
#define PARLEY_AUDIT_MESSAGE_H

#include "gate/audit/parley_audit.h"
#include "gate/message/parley_gate.h"


/*
 * Fills the facts of a verdict, which may still be pending: all members except
 * connection, remote and location.  arena gets the canonical form and must
 * outlive *ret; digest gets PARLEY_SHA256_LEN octets.
 *
 * The payload is empty except for a VCP escalation of severity emergency with a
 * known sender.  parley_redact applies to it (VCP-29).  If the payload cannot
 * be redacted, it is left out.
 */
void parley_audit_message(const parley_gate_t *g, parley_verdict_t verdict,
    parley_arena_t *arena, uint8_t *digest, parley_audit_verdict_t *ret);

/*
 * Returns whether an unproven sender can cause this line; see
 * parley_audit_may().
 */
int parley_audit_message_is_anybodys(const parley_gate_t *g,
    parley_verdict_t verdict);

/*
 * Fills the facts of an outcome, except of and left.  status is the HTTP
 * status, or 0 if it is unknown.
 */
void parley_audit_message_outcome(const parley_gate_t *g,
    const parley_outcome_t *outcome, unsigned status,
    parley_audit_outcome_t *ret);


#endif /* PARLEY_AUDIT_MESSAGE_H */
