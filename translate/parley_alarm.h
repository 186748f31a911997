/*
 * How grave the trouble is that a message tells of, and what follows from that:
 * what is critical or an emergency is an escalation that goes up until somebody
 * acknowledges it (VCP 5.2), an emergency at once; either may suspend its
 * sender (VCP-26).  Of the message at the gate parley_gate_alarm() says it.
 */

#ifndef PARLEY_ALARM_H
#define PARLEY_ALARM_H

#include "translate/parley_msg.h"
#include "translate/parley_severity.h"
#include "translate/parley_embed.h"


/*
 * The severity of an escalation, or of the one that an acknowledgment is of, by
 * the message's intent in whatever protocol it came; NONE: it is neither.
 * reports: it goes to its sender's parent, so that a trouble in the words of
 * its own protocol is an escalation, too, and the graver of both counts.
 */
parley_alarm_t parley_alarm_of(const parley_msg_t *m, int reports);

/* pauses: parley_vcp_critical pause */
static inline int
parley_alarm_suspends(parley_alarm_t alarm, int pauses)
{
    return pauses ? parley_alarm_escalates(alarm)
                  : parley_alarm_is_emergency(alarm);
}

parley_alarm_t parley_alarm_graver(const parley_msg_t *m,
    const parley_supervision_t *means, int reports);



#endif /* PARLEY_ALARM_H */
