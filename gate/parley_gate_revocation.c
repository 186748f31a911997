/*
 * SEC-16: what proved a message is asked about again and again, as long as
 * there is something to be sent to whoever it proved.
 */

#include "parley_gate_steps.h"
#include "parley_revocation.h"
#include "parley_settings.h"


static int parley_gate_revoked_token(parley_gate_t *g,
    const parley_revocations_t *list);
static int parley_gate_revoked_sender(parley_gate_t *g,
    const parley_revocations_t *list);


parley_outcome_t
parley_gate_revocation(parley_gate_t *g)
{
    if (g->http->revocations_file.len == 0) {
        return PARLEY_OUTCOME_NONE;
    }

    return parley_outcome(parley_gate_revoked(g));
}


int
parley_gate_revoked(parley_gate_t *g)
{
    const parley_revocations_t  *list;

    if (g->http->revocations_lost) {
        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "what is revoked cannot be read");
    }

    list = g->http->revocations;

    if (parley_revocations_count(list) == 0 || g->who->principal == NULL) {
        return 0;
    }

    if (parley_who_is_caller(g->who)) {

        if (parley_gate_revoked_token(g, list) != 0) {
            return -1;
        }

        if (!g->who->sig_verified) {
            return 0;
        }
    }

    return parley_gate_revoked_sender(g, list);
}


/* the caller, by token or certificate */

static int
parley_gate_revoked_token(parley_gate_t *g, const parley_revocations_t *list)
{
    parley_str_t         actor;
    const char          *why;
    const parley_jwt_t  *jwt = g->who->jwt;

    why = parley_revocations_principal(list, g->who->principal->sub)
          ? "the principal is revoked" : NULL;

    if (why == NULL && jwt != NULL) {
        actor = parley_str_none;

        if (parley_who_acts(g->who, &actor) == -1) {
            return parley_error_memory(g->err);
        }

        if (parley_revocations_principal(list, actor)) {
            why = "whoever acts by the token is revoked";

        } else if (parley_revocations_token_key(list, jwt->any_issuer
                                                      ? parley_str_none
                                                      : jwt->iss, jwt->kid))
        {
            why = "the key of the token is revoked";

        } else if (parley_revocations_token(list, jwt->iss, jwt->jti)) {
            why = "the token is revoked";
        }
    }

    return why == NULL ? 0
           : parley_error_set(g->err, PARLEY_E_TOKEN_INVALID, NULL, "%s",
                              why);
}


/* who signed, or is believed without a proof */

static int
parley_gate_revoked_sender(parley_gate_t *g, const parley_revocations_t *list)
{
    parley_str_t  sub = g->who->principal->sub;

    if (parley_revocations_principal(list, sub)) {
        return parley_error_set(g->err, g->who->sig_verified
                                        ? PARLEY_E_KEY_UNKNOWN
                                        : PARLEY_E_POLICY_REFUSED, NULL,
                                "the sender is revoked");
    }

    return g->who->sig_verified
           && parley_revocations_message_key(list, sub, g->who->sig_kid)
           ? parley_error_set(g->err, PARLEY_E_KEY_UNKNOWN, NULL,
                              "the sender's key is revoked")
           : 0;
}
