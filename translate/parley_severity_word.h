/*
 * Severities of problems: their words, and the operator's severities of
 * failures by code (parley_vcp_severity).
 */

#ifndef PARLEY_SEVERITY_WORD_H
#define PARLEY_SEVERITY_WORD_H

#include "core/parley_error.h"
#include "translate/parley_msg.h"
#include "core/parley_str.h"


#define PARLEY_SEVERITIES_MAX  64   /* codes at one location */


typedef struct {
    parley_str_t       code;    /* "E_TIMEOUT" */
    parley_severity_t  alarm;
} parley_severity_word_t;


/* "info", "warning", "critical", "emergency"; empty for NONE */
parley_str_t parley_severity_name(parley_severity_t alarm);

/* Finds a severity.  NONE: the word is unknown. */
parley_severity_t parley_severity_find(parley_str_t word);


static inline int
parley_severity_is_emergency(parley_severity_t alarm)
{
    return alarm == PARLEY_SEVERITY_EMERGENCY;
}


/* Returns whether an alarm goes up and precedes other messages, and whether the
   sender's parent is told if it is not delivered. */
static inline int
parley_severity_escalates(parley_severity_t alarm)
{
    return alarm >= PARLEY_SEVERITY_CRITICAL;
}


/*
 * Reads "CODE=severity", where CODE has at most 64 of A-Z, 0-9 and "_".  *ret
 * points into word.  set has the earlier ones: a code must not occur twice.
 * Returns 0, or -1 with *err filled; its text is for the operator.
 */
int parley_severity_word_parse(parley_str_t word,
    const parley_severity_word_t *set,
    uint32_t n, parley_severity_word_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Finds the severity of a code.  NONE: set does not have the code. */
parley_severity_t parley_severity_word_of(const parley_severity_word_t *set,
    uint32_t n, parley_str_t code);


#endif /* PARLEY_SEVERITY_WORD_H */
