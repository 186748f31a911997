/*
 * Finds the directive that decided a step, for a trace.  "parley explain" and
 * the debug log of nginx print it with its file and line.
 */

#ifndef PARLEY_TRACE_DIRECTIVE_H
#define PARLEY_TRACE_DIRECTIVE_H

#include "gate/message/parley_gate.h"
#include "gate/settings/parley_settings.h"


typedef struct {
    const char            *name;        /* "parley_rate"; static */
    const parley_where_t  *where;       /* valid as long as the settings */
} parley_trace_directive_t;


/*
 * Finds the directive that decided the last step of g, in a block with the
 * settings s.  For POLICY it is the rule that allowed or denied the message, or
 * that nearly matched.  Returns 1 and *ret.  Returns 0 and zeroes *ret if a
 * default or the protocol decided.
 */
int parley_gate_trace_directive(const parley_settings_http_t *http,
    const parley_settings_t *s, const parley_gate_t *g, parley_step_t step,
    parley_trace_directive_t *ret);


#endif /* PARLEY_TRACE_DIRECTIVE_H */
