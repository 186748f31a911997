/*
 * A location that proves the caller and reads no message (GW-30).  The request
 * passes, unchanged, to the content handler of the location if the step POLICY
 * allows it.
 */

#include "gate/message/parley_gate_steps.h"


/* Every method passes; rules with method= decide. */

parley_step_result_t
parley_gate_pass_method(parley_gate_t *g, parley_str_t method)
{
    (void) method;

    g->serve.request = PARLEY_STR("request");

    return PARLEY_RESULT_PASSED;
}


parley_step_result_t
parley_gate_pass(parley_gate_t *g)
{
    return parley_step_result(parley_gate_is_served(g));
}
