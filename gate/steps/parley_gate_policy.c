/*
 * The steps POLICY and DIRECTION check the rules of the operator and the
 * hierarchy of principals.
 */

#include <stdio.h>

#include "translate/parley_engine.h"
#include "gate/publish/parley_gate_deliver.h"
#include "gate/message/parley_gate_steps.h"
#include "translate/parley_intents.h"
#include "gate/party/parley_names.h"
#include "gate/settings/parley_settings.h"
#include "translate/parley_msg_field.h"


static parley_step_result_t parley_gate_ruled(parley_gate_t *g);
static int parley_gate_intent(const parley_gate_t *g);
static int parley_gate_recipient(const parley_gate_t *g);


parley_step_result_t
parley_gate_policy(parley_gate_t *g)
{
    parley_step_result_t  rc;

    if (g->conf.s->proves) {
        return parley_step_result(parley_gate_rules_check_caller(g));
    }

    rc = parley_gate_ruled(g);

    return rc != PARLEY_RESULT_REFUSED && parley_gate_response(g) != 0
           ? PARLEY_RESULT_REFUSED : rc;
}


static parley_step_result_t
parley_gate_ruled(parley_gate_t *g)
{
    int                     rc;
    const parley_policy_t  *policy;

    policy = g->conf.gate->policy;

    if (parley_gate_intent(g) != 0) {
        return PARLEY_RESULT_REFUSED;
    }

    if (policy == NULL || policy->n == 0) {
        return PARLEY_RESULT_NONE;
    }

    if (parley_engine_is_unruled(g->msg, g->conf.gate->speak)) {
        return parley_gate_rules_caller(g) == 0 ? PARLEY_RESULT_NONE
                                          : PARLEY_RESULT_REFUSED;
    }

    if (parley_gate_recipient(g) != 0) {
        return PARLEY_RESULT_REFUSED;
    }

    rc = parley_gate_rules_check(g);

    if (rc == 1) {
        return parley_gate_reach_has_all(g) == 0 ? PARLEY_RESULT_PASSED
                                               : PARLEY_RESULT_REFUSED;
    }

    if (rc != 0) {
        return PARLEY_RESULT_REFUSED;
    }

    /* some members of a group may be reached: PUBLISH omits the others */

    if ((g->report.rule == NULL || g->report.rule->allow)
        && (policy->given & (1u << PARLEY_POLICY_TO))
        && parley_gate_reach_has_some(g))
    {
        parley_error_clear(g->err);
        return PARLEY_RESULT_PASSED;
    }

    parley_gate_rules_lacks(g);

    (void) snprintf(g->err->field, sizeof(g->err->field), "%s",
                    g->err->code == PARLEY_E_INTENT_REFUSED
                    ? parley_at(g->msg, PARLEY_MSG_INTENT).pointer : "");

    return PARLEY_RESULT_REFUSED;
}


/*
 * Refuses a reserved intent (AEE-20), in any form that carries it.  Where rules
 * name intents, refuses an intent that a service could read as another one
 * (SEC-04).
 */

static int
parley_gate_intent(const parley_gate_t *g)
{
    const char             *why;
    const parley_policy_t  *policy;

    policy = g->conf.gate->policy;

    if (parley_intent_is_reserved(g->msg->intent)) {
        why = "the intent must not be in the reserved namespace aee.*";

    } else if (policy != NULL
               && (policy->given & (1u << PARLEY_POLICY_INTENT))
               && !parley_intent_is_plain(g->msg->intent)
               && !parley_engine_is_unruled(g->msg, g->conf.gate->speak))
    {
        why = "rules name intents here: an intent may only have the characters "
              "A-Z, a-z, 0-9, \".\", \"_\" and \"-\"";

    } else {
        return 0;
    }

    return parley_error_set(g->err, PARLEY_E_INTENT_REFUSED,
                            parley_at(g->msg, PARLEY_MSG_INTENT).pointer,
                            "%s", why);
}


/* Where rules name recipients, refuses a name that could be read as another one
   (SEC-04).  At a host the name may be that of a conversation, which may have
   any octets; the host asks the rules about each reader. */

static int
parley_gate_recipient(const parley_gate_t *g)
{
    parley_str_t  to;

    to = parley_gate_message_to(g);

    if (to.len == 0 || g->conf.s->host != NULL
        || !(g->conf.gate->policy->given & (1u << PARLEY_POLICY_TO))
        || parley_names_is_plain(g->who, to))
    {
        return 0;
    }

    return parley_error_set(g->err, PARLEY_E_POLICY_REFUSED,
                            parley_at(g->msg, PARLEY_MSG_RECIPIENT).pointer,
                            "rules name recipients here, and this name is "
                            "ambiguous");
}


/*
 * Checks the direction of the message in the hierarchy (VCP-30).  A principal
 * that an escalation went up to may acknowledge it, because it is above the
 * sender.
 */

parley_step_result_t
parley_gate_direction(const parley_gate_t *g)
{
    if (g->read.correlation.question != NULL && g->read.correlation.above
        && g->read.correlation.final)
    {
        return PARLEY_RESULT_PASSED;
    }

    return parley_step_result(parley_who_direction(g->who, g->err));
}
