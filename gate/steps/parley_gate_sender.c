/*
 * The steps TRANSPORT, SENDER and SIGNATURE find the sender of the message and
 * prove it.
 */

#include <stdio.h>

#include "gate/party/parley_child_key.h"
#include "translate/parley_engine.h"
#include "gate/message/parley_gate_steps.h"
#include "auth/parley_revocation.h"
#include "gate/settings/parley_settings.h"
#include "auth/parley_signature.h"
#include "gate/party/parley_reserved_sender.h"
#include "translate/parley_check.h"


static int parley_gate_verify(parley_gate_t *g);
static int parley_gate_verify_added(parley_gate_t *g, parley_str_t input,
    const parley_jwk_t **ret);
static int parley_gate_added(parley_gate_t *g, parley_jwks_t *ret);


parley_step_result_t
parley_gate_transport(const parley_gate_t *g)
{
    parley_transport_t  transport;

    parley_gate_message_arrived(g, &transport);

    return parley_step_result(parley_check_transport(g->read.proto, &transport,
                                                     g->err));
}


parley_step_result_t
parley_gate_sender(const parley_gate_t *g)
{
    int  rc;

    rc = parley_who_delivers(g->who, g->err);

    if (rc == 0) {
        rc = parley_who_sender(g->who, g->conf.gate->trusted, g->err);
    }

    if (rc >= 0
        && parley_reserved_name_sender(g->who, g->conf.self, g->err) == 0)
    {
        parley_gate_author(g);
        return PARLEY_RESULT_PASSED;
    }

    return parley_who_is_caller(g->who) ? PARLEY_RESULT_REFUSED
                                        : parley_gate_disproved(g);
}


parley_step_result_t
parley_gate_disproved(const parley_gate_t *g)
{
    g->who->jwt = NULL;
    g->who->principal = NULL;

    return PARLEY_RESULT_REFUSED;
}


parley_step_result_t
parley_gate_signature(parley_gate_t *g)
{
    int                 rc;
    parley_transport_t  transport;

    if (g->msg->sig.present && g->conf.gate->signature != PARLEY_DEMAND_OFF) {
        rc = parley_gate_verify(g);

    } else {
        parley_gate_message_arrived(g, &transport);
        rc = parley_check_unsigned(g->read.proto, &transport, g->err);
    }

    if (rc == PARLEY_WAIT) {
        return PARLEY_RESULT_WAIT;
    }

    if (rc != 0) {

        return parley_who_is_caller(g->who) ? PARLEY_RESULT_REFUSED
                                            : parley_gate_disproved(g);
    }

    g->proof.proven = 1;

    return PARLEY_RESULT_PASSED;
}


/* Verifies the signature of the message, also if it is optional here. */

static int
parley_gate_verify(parley_gate_t *g)
{
    int                      rc;
    const char              *pointer;
    parley_str_t             input;
    parley_who_t            *who = g->who;
    const parley_jwk_t      *key;
    const parley_msg_sig_t  *sig = &g->msg->sig;

    static const parley_jwks_t  none;

    pointer = parley_codecs[g->read.proto]->pointers[PARLEY_MSG_SIGNATURE];

    if (sig->opaque) {
        return parley_error_set(g->err, PARLEY_E_SIGNATURE_INVALID, pointer,
                                "a signature of this form cannot be "
                                "verified");
    }

    if (parley_signing_input(g->arena, g->read.proto, g->doc, &input, g->err)
        != 0)
    {
        return -1;
    }

    rc = parley_signature_verify(who->principal != NULL
                                 ? &who->principal->keys : &none,
                                 sig->alg, sig->kid, input, sig->value,
                                 g->in.now_ms, &key, g->err);

    if (rc != 0 && g->conf.http->child_keys) {
        rc = parley_gate_verify_added(g, input, &key);
    }

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc != 0 && g->err->code != PARLEY_E_CAPACITY) {
        (void) snprintf(g->err->field, sizeof(g->err->field), "%s", pointer);
    }

    if (rc != 0) {
        return -1;
    }

    who->sig_verified = 1;
    who->sig_kid = key->kid;

    return 0;
}


/*
 * Verifies the signature with the keys that the sender's parent added (VCP-31),
 * if the directory has no key of that kid.  g->err has the error from the keys
 * of the directory.
 */

static int
parley_gate_verify_added(parley_gate_t *g, parley_str_t input,
    const parley_jwk_t **ret)
{
    int                      rc;
    parley_jwks_t            keys;
    parley_error_t           why;
    const parley_msg_sig_t  *sig = &g->msg->sig;

    if (g->who->principal == NULL
        || (sig->kid.len > 0
            && parley_child_key_is_listed(g->who->principal, sig->kid)))
    {
        return -1;
    }

    why = *g->err;
    parley_error_clear(g->err);

    rc = parley_gate_added(g, &keys);

    if (rc != 0) {
        return rc;
    }

    if (keys.n == 0) {
        *g->err = why;
        return -1;
    }

    return parley_signature_verify(&keys, sig->alg, sig->kid, input,
                                   sig->value, g->in.now_ms, ret, g->err);
}


/*
 * Finds the added keys of the sender that may have signed the message.  n may
 * be 0.
 */

static int
parley_gate_added(parley_gate_t *g, parley_jwks_t *ret)
{
    int                        rc;
    parley_child_keys_t        keys;
    const parley_principal_t  *child;

    ret->n = 0;

    child = parley_directory_by_sub(g->conf.http->directory,
                                    g->who->principal->sub);

    if (child == NULL || child->parent.len == 0
        || parley_revocations_principal(
               parley_settings_revocations(g->conf.http), child->parent))
    {
        return 0;
    }

    rc = parley_child_key_get(&g->ask, child, g->in.now_ms, &keys);

    if (rc == PARLEY_WAIT) {
        return rc;
    }

    if (rc != 0) {
        return parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                "the state did not answer");
    }

    return parley_child_key_jwks(g->arena, &keys, g->msg->sig.kid, ret) == 0
           ? 0 : parley_error_memory(g->err);
}
