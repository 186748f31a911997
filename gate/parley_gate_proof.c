/* Who sent the message, and what proves it. */

#include <stdio.h>

#include "parley_gate_steps.h"
#include "parley_reserved.h"
#include "parley_signature.h"


static int parley_gate_verify(parley_gate_t *g);


parley_outcome_t
parley_gate_transport(parley_gate_t *g)
{
    parley_transport_t  transport;

    parley_gate_arrived(g, &transport);

    return parley_outcome(parley_check_transport(g->proto, &transport, g->err));
}


parley_outcome_t
parley_gate_sender(parley_gate_t *g)
{
    if (parley_who_sender(g->who, g->conf->trusted, g->err) != 0) {
        return PARLEY_OUTCOME_REFUSED;
    }

    return parley_outcome(parley_reserved_sender(g->who, g->self, g->err));
}


parley_outcome_t
parley_gate_signature(parley_gate_t *g)
{
    int                 rc;
    parley_transport_t  transport;

    if (g->msg->sig.present && g->conf->signature != PARLEY_DEMAND_OFF) {
        rc = parley_gate_verify(g);

    } else {
        parley_gate_arrived(g, &transport);
        rc = parley_check_unsigned(g->proto, &transport, g->err);
    }

    if (rc != 0) {

        if (g->who->jwt == NULL) {
            /* a claim is not yet an identity, for logs and variables too */
            g->who->principal = NULL;
        }

        return PARLEY_OUTCOME_REFUSED;
    }

    g->proven = 1;

    return PARLEY_OUTCOME_PASSED;
}


/* a signature that is there is verified, whatever is required */

static int
parley_gate_verify(parley_gate_t *g)
{
    const char              *pointer;
    parley_str_t             input;
    parley_who_t            *who = g->who;
    const parley_jwk_t      *key;
    const parley_msg_sig_t  *sig = &g->msg->sig;

    static const parley_jwks_t  none;

    pointer = parley_codecs[g->proto]->pointers[PARLEY_MSG_SIGNATURE];

    if (sig->opaque) {
        return parley_error_set(g->err, PARLEY_E_SIGNATURE_INVALID, pointer,
                                "a signature of this form cannot be "
                                "verified");
    }

    if (parley_signing_input(g->arena, g->proto, g->doc, &input, g->err)
        != 0)
    {
        return -1;
    }

    if (parley_signature_verify(who->principal != NULL ? &who->principal->keys
                                                       : &none,
                                sig->alg, sig->kid, input, sig->value, &key,
                                g->err)
        != 0)
    {
        (void) snprintf(g->err->field, sizeof(g->err->field), "%s", pointer);
        return -1;
    }

    who->sig_verified = 1;
    who->sig_kid = key->kid;

    return 0;
}
