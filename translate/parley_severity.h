/*
 * The severity of the problem that a message reports, and its consequences.  A
 * critical or emergency message is an escalation that goes up until it is
 * acknowledged (VCP 5.2), an emergency immediately.  Both may suspend the
 * sender (VCP-26).  For the message at the gate, parley_gate_severity() returns
 * the severity.
 */

#ifndef PARLEY_SEVERITY_H
#define PARLEY_SEVERITY_H

#include "translate/parley_msg.h"
#include "translate/parley_severity_word.h"
#include "translate/parley_embed.h"


/*
 * Returns the severity of an escalation, or of the escalation that an
 * acknowledgment names, by the message's intent in any protocol.  NONE: the
 * message is neither.  reports: the message goes to its sender's parent, so
 * that a problem that another protocol reports is an escalation too.  The
 * higher severity counts.
 */
parley_severity_t parley_severity_of(const parley_msg_t *m, int reports);

/*
 * Returns whether an alarm suspends its sender.  pauses: parley_vcp_critical
 * pause.
 */
static inline int
parley_severity_suspends(parley_severity_t alarm, int pauses)
{
    return pauses ? parley_severity_escalates(alarm)
                  : parley_severity_is_emergency(alarm);
}

parley_severity_t parley_severity_graver(const parley_msg_t *m,
    const parley_supervision_t *means, int reports);



#endif /* PARLEY_SEVERITY_H */
