/*
 * The proof of a message is checked for revocation as long as something can be
 * sent to the principal that it proves (SEC-16).
 */

#include <string.h>

#include "gate/message/parley_gate_steps.h"
#include "auth/parley_jwt.h"
#include "auth/parley_revocation.h"
#include "gate/settings/parley_settings.h"
#include "gate/party/parley_bearer.h"


parley_step_result_t
parley_gate_revocation(const parley_gate_t *g)
{
    return parley_step_result(parley_gate_revocation_is_hit(g));
}


int
parley_gate_revocation_is_hit(const parley_gate_t *g)
{
    parley_bearer_t                  bearer;
    const parley_revocations_now_t  *now = g->conf.http->revocations;

    /* common case: no revocation is listed */

    if (now == NULL
        || (!now->lost && parley_revocations_count(now->list) == 0))
    {
        return 0;
    }

    return parley_gate_revocation_bearer(g, &bearer) == 0
           ? parley_bearer_revoked(g->conf.http, &bearer, g->err)
           : parley_error_memory(g->err);
}


int
parley_gate_revocation_bearer(const parley_gate_t *g, parley_bearer_t *ret)
{
    const parley_jwt_t  *jwt = g->who->jwt;

    memset(ret, 0, sizeof(parley_bearer_t));

    if (g->who->principal == NULL) {
        return 0;
    }

    ret->sub = g->who->principal->sub;

    if (g->who->surface != NULL) {
        ret->author = ret->sub;
        ret->sub = g->who->surface->sub;
    }

    ret->caller = parley_who_is_caller(g->who) ? 1 : 0;
    ret->sig = g->who->sig_verified;
    ret->sig_kid = g->who->sig_kid;

    if (jwt == NULL) {
        return 0;
    }

    ret->token = 1;
    ret->key_issuer = jwt->any_issuer ? parley_str_none : jwt->iss;
    ret->kid = jwt->kid;
    ret->iss = jwt->iss;
    ret->jti = jwt->jti;

    return parley_who_acts(g->who, &ret->actor) == -1 ? -1 : 0;
}
