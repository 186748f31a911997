/*
 * How grave a trouble is: the words for it, and what the operator says of
 * failures by their code (parley_vcp_severity).
 */

#ifndef PARLEY_SEVERITY_H
#define PARLEY_SEVERITY_H

#include "core/parley_error.h"
#include "translate/parley_msg.h"
#include "core/parley_str.h"


#define PARLEY_SEVERITIES_MAX  64   /* codes at one location */


typedef struct {
    parley_str_t    code;       /* "E_TIMEOUT" */
    parley_alarm_t  alarm;
} parley_severity_t;


/* "info", "warning", "critical", "emergency"; NONE has no name */
parley_str_t parley_alarm_name(parley_alarm_t alarm);

/* NONE: there is no such word. */
parley_alarm_t parley_alarm_find(parley_str_t word);


static inline int
parley_alarm_is_emergency(parley_alarm_t alarm)
{
    return alarm == PARLEY_ALARM_EMERGENCY;
}


/* It goes up, goes before others, and its sender's parent hears where it is
   not delivered. */
static inline int
parley_alarm_escalates(parley_alarm_t alarm)
{
    return alarm >= PARLEY_ALARM_CRITICAL;
}


/*
 * Reads "CODE=severity", CODE of A-Z, 0-9 and "_", 64 at most; *ret points
 * into word.  set has those read before: a code stands once.  Returns 0, or -1
 * with *err, whose text is for the operator.
 */
int parley_severity_parse(parley_str_t word, const parley_severity_t *set,
    uint32_t n, parley_severity_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/* NONE: nothing is said of the code. */
parley_alarm_t parley_severity_of(const parley_severity_t *set, uint32_t n,
    parley_str_t code);


#endif /* PARLEY_SEVERITY_H */
