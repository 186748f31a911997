/* Signatures of the gateway. */

#include <string.h>

#include "gate/correlation/parley_seal.h"
#include "auth/parley_signature.h"


static int parley_seal_sign(void *data, parley_str_t octets,
    parley_msg_sig_t *ret, parley_error_t *err);


void
parley_seal_opts(parley_seal_t *seal, parley_encode_opts_t *opts)
{
    opts->sign = seal->key != NULL ? parley_seal_sign : NULL;
    opts->sign_ctx = seal;
}


static int
parley_seal_sign(void *data, parley_str_t octets, parley_msg_sig_t *ret,
    parley_error_t *err)
{
    char            text[PARLEY_SIGNATURE_TEXT_MAX];
    parley_str_t    value;
    parley_seal_t  *seal = data;

    memset(ret, 0, sizeof(parley_msg_sig_t));

    if (parley_signature_sign(seal->key, octets, text, &value, err) != 0) {
        return -1;
    }

    ret->alg = parley_signature_word(seal->key);
    ret->kid = seal->key->kid;
    ret->present = 1;

    return parley_arena_str(seal->arena, value, &ret->value) == 0
           ? 0 : parley_error_memory(err);
}
