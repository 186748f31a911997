/*
 * The step PROOF.  The certificate of the connection (SEC-17), a token, or both
 * prove the caller.  If both are there, they must name the same principal.  A
 * peer that the gateway dialled is proven by its host name (VCP-32).
 */

#include "auth/parley_certificate.h"
#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_settings.h"


static parley_step_result_t parley_gate_prove(parley_gate_t *g);
static int parley_gate_dialled(parley_gate_t *g);
static int parley_gate_certificate(parley_gate_t *g);
static int parley_gate_certificate_period(parley_gate_t *g);
static int parley_gate_holder(parley_gate_t *g);
static int parley_gate_both(parley_gate_t *g);


/*
 * Proves the caller, then records a token that the cache did not have.  A step
 * that waited for the record has proven the caller already.
 */

parley_step_result_t
parley_gate_proof(parley_gate_t *g)
{
    parley_step_result_t  result;

    result = g->proof.renewed ? PARLEY_RESULT_PASSED : parley_gate_prove(g);

    return result == PARLEY_RESULT_PASSED && g->proof.renewed
           && parley_gate_token_record(g) == PARLEY_WAIT
           ? PARLEY_RESULT_WAIT : result;
}


static parley_step_result_t
parley_gate_prove(parley_gate_t *g)
{
    parley_step_result_t  result;

    if (g->in.dialled.len > 0) {
        return parley_step_result(parley_gate_dialled(g));
    }

    if (parley_gate_certificate(g) != 0) {
        return PARLEY_RESULT_REFUSED;
    }

    result = parley_gate_token(g);

    if (result > PARLEY_RESULT_NONE) {
        return result;
    }

    if (result == PARLEY_RESULT_PASSED) {

        if (parley_gate_both(g) != 0) {
            return parley_gate_disproved(g);
        }

    } else if (g->proof.holder != NULL) {

        if (parley_gate_origin(g) != 0) {
            return parley_gate_disproved(g);
        }

        g->who->principal = g->proof.holder;
        result = PARLEY_RESULT_PASSED;
    }

    if (g->proof.holder != NULL) {
        g->who->certified = 1;
    }

    return result == PARLEY_RESULT_PASSED
           ? parley_step_result(parley_gate_revocation_is_hit(g)) : result;
}


/* Finds the principal of a peer that the gateway dialled. */

static int
parley_gate_dialled(parley_gate_t *g)
{
    if (g->conf.http->directory != NULL) {
        g->who->principal = parley_directory_by_sub(g->conf.http->directory,
                                                    g->in.dialled);
    }

    g->who->certified = g->who->principal != NULL;

    return g->who->certified ? parley_gate_revocation_is_hit(g)
           : parley_error_set(g->err, PARLEY_E_TOKEN_INVALID, NULL,
                              "the identities do not list the peer");
}


/*
 * The certificate of a connection was proven by its handshake, and a token in
 * the cache or with a record was verified before.  Where both are required,
 * both must be known.
 */

int
parley_gate_proof_known(parley_gate_t *g)
{
    parley_step_result_t  result;

    if (g->in.dialled.len > 0) {
        return 1;
    }

    if (parley_gate_certificate(g) != 0) {
        parley_error_clear(g->err);
        return 0;
    }

    result = g->conf.s->jwt != NULL ? parley_gate_token_known(g)
                                    : PARLEY_RESULT_NONE;

    if (result == PARLEY_RESULT_WAIT) {
        return PARLEY_WAIT;
    }

    return result == PARLEY_RESULT_PASSED
           || (result == PARLEY_RESULT_NONE && g->proof.holder != NULL);
}


/*
 * Finds the holder of the certificate, if the location asks for certificates.
 */

static int
parley_gate_certificate(parley_gate_t *g)
{
    g->proof.certificate = NULL;
    g->proof.holder = NULL;

    if (g->conf.gate->certificate == PARLEY_DEMAND_OFF) {
        return 0;
    }

    if (parley_gate_shown(g, &g->proof.certificate) != 0) {
        return -1;
    }

    if (g->proof.certificate != NULL) {
        return parley_gate_holder(g);
    }

    return g->conf.gate->certificate == PARLEY_DEMAND_OPTIONAL ? 0
           : parley_error_set(g->err, PARLEY_E_TOKEN_MISSING, NULL,
                              "a client certificate is required");
}


int
parley_gate_shown(parley_gate_t *g, const parley_certificate_t **ret)
{
    *ret = NULL;

    return g->env->certificate != NULL ? g->env->certificate(g, ret) : 0;
}


static int
parley_gate_holder(parley_gate_t *g)
{
    const parley_principal_t  *other;

    if (parley_gate_certificate_period(g) != 0) {
        return -1;
    }

    if (parley_directory_by_certificate(g->conf.http->directory,
                                        g->proof.certificate,
                                        &g->proof.holder, &other)
        != 0)
    {
        g->proof.holder = NULL;

        return parley_error_set(g->err, PARLEY_E_TOKEN_INVALID, NULL,
                                "the client certificate names several "
                                "principals");
    }

    /*
     * where a token may prove the caller, an optional certificate of an unknown
     * principal is ignored
     */

    if (g->proof.holder != NULL
        || (g->conf.s->jwt != NULL
            && g->conf.gate->certificate == PARLEY_DEMAND_OPTIONAL))
    {
        return 0;
    }

    return parley_error_set(g->err, PARLEY_E_TOKEN_INVALID, NULL,
                            "the client certificate names no known principal");
}


/* Checks the validity period.  A connection may outlive its certificate. */

static int
parley_gate_certificate_period(parley_gate_t *g)
{
    int64_t  now;

    now = g->env->now(g);

    if (now >= g->proof.certificate->expires) {
        return parley_error_set(g->err, PARLEY_E_TOKEN_EXPIRED, NULL,
                                "the client certificate has expired");
    }

    return now >= g->proof.certificate->not_before ? 0
           : parley_error_set(g->err, PARLEY_E_TOKEN_INVALID, NULL,
                              "the client certificate is not valid yet");
}


static int
parley_gate_both(parley_gate_t *g)
{
    return g->proof.holder == NULL
           || parley_str_eq(g->proof.holder->sub, g->who->principal->sub)
           ? 0
           : parley_error_set(g->err, PARLEY_E_TOKEN_INVALID, NULL,
                              "the token has another principal than the client "
                              "certificate");
}
