/* What the audit log says of a message, as the gate knows it. */

#ifndef PARLEY_AUDIT_MESSAGE_H
#define PARLEY_AUDIT_MESSAGE_H

#include "gate/audit/parley_audit.h"
#include "gate/message/parley_gate.h"


/*
 * Fills what the gate knows for a verdict, which may be one that is about to
 * be: all but connection, remote and location.  arena gets the canonical form
 * and is as long as *ret; digest gets PARLEY_SHA256_LEN octets.
 *
 * There is no payload but that of a VCP escalation of severity emergency, whose
 * sender is known, as parley_redact leaves it (VCP-29); none where it cannot be
 * redacted.
 */
void parley_audit_message(const parley_gate_t *g, parley_verdict_t verdict,
    parley_arena_t *arena, uint8_t *digest, parley_audit_verdict_t *ret);

/* Whether anybody can cause such a line, see parley_audit_may(). */
int parley_audit_is_anybodys(const parley_gate_t *g,
    parley_verdict_t verdict);

/* Fills an outcome but for of and left; status: what is known of it. */
void parley_audit_message_outcome(const parley_gate_t *g,
    const parley_outcome_t *outcome, unsigned status,
    parley_audit_outcome_t *ret);


#endif /* PARLEY_AUDIT_MESSAGE_H */
