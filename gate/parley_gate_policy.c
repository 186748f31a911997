/* What the operator's rules let pass, and the hierarchy. */

#include <stdio.h>
#include <string.h>

#include "parley_gate_steps.h"


static void parley_gate_request(const parley_gate_t *g,
    parley_policy_request_t *ret);


parley_outcome_t
parley_gate_policy(parley_gate_t *g)
{
    const char               *pointer;
    parley_policy_request_t   request;

    if (g->conf->policy == NULL || g->conf->policy->n == 0
        || parley_is_unruled(g->msg, g->conf->speak))
    {
        return PARLEY_OUTCOME_NONE;
    }

    parley_gate_request(g, &request);

    if (parley_policy_check(g->conf->policy, &request, g->err) == 0) {
        return PARLEY_OUTCOME_PASSED;
    }

    pointer = parley_codecs[g->proto]->intent_pointer;

    (void) snprintf(g->err->field, sizeof(g->err->field), "%s",
                    g->err->code == PARLEY_E_INTENT_REFUSED && pointer != NULL
                    ? pointer : "");

    return PARLEY_OUTCOME_REFUSED;
}


static void
parley_gate_request(const parley_gate_t *g, parley_policy_request_t *ret)
{
    const parley_who_t  *who = g->who;

    memset(ret, 0, sizeof(parley_policy_request_t));

    if (who->jwt != NULL) {
        ret->scopes = who->jwt->scopes;
        ret->nscopes = who->jwt->nscopes;
    }

    if (who->principal != NULL) {
        ret->roles = who->principal->roles;
        ret->nroles = who->principal->nroles;
        ret->principal = who->principal->sub;
    }

    ret->protocol = parley_proto_name(g->proto);
    ret->type = g->msg->form;
    ret->intent = g->msg->intent;
    ret->to = parley_gate_to(g);
}


int
parley_gate_may(const parley_gate_t *g, parley_str_t form,
    parley_str_t intent)
{
    parley_error_t           err;
    parley_policy_request_t  request;

    if (g->conf->policy == NULL) {
        return 1;
    }

    parley_gate_request(g, &request);

    request.type = form;
    request.intent = intent;

    return parley_policy_check(g->conf->policy, &request, &err) == 0;
}


/* VCP-30 */

parley_outcome_t
parley_gate_direction(parley_gate_t *g)
{
    return parley_outcome(parley_who_direction(g->who, g->err));
}
