/*
 * The directive by which a step decides, for a trace: "parley explain" and the
 * debug log of nginx name it with its file and line.
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
 * Finds the directive by which the step that g took last, at a block with the
 * settings s, decided; of the policy it is the rule that allowed, denied or was
 * the nearest miss.  Returns 1 and *ret, or 0 with *ret zeroed: no directive
 * stands anywhere, a default or the protocol decided.
 */
int parley_trace_directive(const parley_settings_http_t *http,
    const parley_settings_t *s, const parley_gate_t *g, parley_step_t step,
    parley_trace_directive_t *ret);


#endif /* PARLEY_TRACE_DIRECTIVE_H */
