#include "core/parley_base64.h"
#include "auth/parley_jws.h"
#include "auth/parley_signature.h"


/* the names in AEE section 8 and VCP 7.2, and their JOSE equivalents */

static const struct {
    parley_str_t     word;
    parley_alg_id_t  alg;
} parley_signature_words[] = {
    { parley_str("ed25519"), PARLEY_ALG_EDDSA },
    { parley_str("EdDSA"), PARLEY_ALG_EDDSA },
    { parley_str("HS256"), PARLEY_ALG_HS256 },
};


static int
parley_signature_alg(parley_str_t word, parley_alg_id_t *ret)
{
    size_t  i;

    for (i = 0; i < sizeof(parley_signature_words)
                    / sizeof(parley_signature_words[0]); i++)
    {
        if (parley_str_eq(word, parley_signature_words[i].word)) {
            *ret = parley_signature_words[i].alg;
            return 0;
        }
    }

    return -1;
}


int
parley_signature_key_is(const parley_jwk_t *jwk)
{
    size_t             i;
    parley_alg_mask_t  mask;

    mask = 0;

    for (i = 0; i < sizeof(parley_signature_words)
                    / sizeof(parley_signature_words[0]); i++)
    {
        mask |= PARLEY_ALG_BIT(parley_signature_words[i].alg);
    }

    return (jwk->verifies & mask) != 0;
}


/* Returns the reason why the key is outside its period, or NULL. */

static const char *
parley_signature_period(const parley_jwk_t *jwk, int64_t now_ms)
{
    if (jwk->not_before != 0 && now_ms < jwk->not_before) {
        return "the sender's key is not valid yet";
    }

    return jwk->expires != 0 && now_ms >= jwk->expires
           ? "the sender's key has expired" : NULL;
}


static int
parley_signature_by_kid(const parley_jwks_t *keys, parley_alg_id_t alg,
    parley_str_t kid, parley_str_t octets, parley_str_t sig, int64_t now_ms,
    const parley_jwk_t **ret_key, parley_error_t *err)
{
    int                  known;
    const char          *why;
    const parley_jwk_t  *jwk;

    jwk = parley_jwks_find(keys, parley_str_none, kid, alg, &known);

    if (jwk == NULL && !known) {
        return parley_error_set(err, PARLEY_E_KEY_UNKNOWN, NULL,
                                "the sender has no key of this id");
    }

    if (jwk == NULL) {
        return parley_error_set(err, PARLEY_E_SIGNATURE_INVALID, NULL,
                                "the key is for another algorithm");
    }

    why = parley_signature_period(jwk, now_ms);

    if (why != NULL) {
        return parley_error_set(err, PARLEY_E_KEY_UNKNOWN, NULL, "%s", why);
    }

    if (parley_jws_verify(jwk, alg, octets, sig) != 0) {
        return parley_error_set(err, PARLEY_E_SIGNATURE_INVALID, NULL,
                                "the signature does not verify");
    }

    *ret_key = jwk;

    return 0;
}


static int
parley_signature_by_trial(const parley_jwks_t *keys, parley_alg_id_t alg,
    parley_str_t octets, parley_str_t sig, int64_t now_ms,
    const parley_jwk_t **ret_key, parley_error_t *err)
{
    size_t       i, tried;
    const char  *why;

    tried = 0;
    why = NULL;

    for (i = 0; i < keys->n; i++) {

        if ((keys->keys[i].verifies & PARLEY_ALG_BIT(alg)) == 0) {
            continue;
        }

        if (parley_signature_period(&keys->keys[i], now_ms) != NULL) {
            why = parley_signature_period(&keys->keys[i], now_ms);
            continue;
        }

        if (tried++ == PARLEY_SIGNATURE_TRIES) {
            return parley_error_set(err, PARLEY_E_SIGNATURE_INVALID, NULL,
                                    "none of the sender's first %d keys "
                                    "verifies the signature, which must name "
                                    "its key",
                                    PARLEY_SIGNATURE_TRIES);
        }

        if (parley_jws_verify(&keys->keys[i], alg, octets, sig) == 0) {
            *ret_key = &keys->keys[i];
            return 0;
        }
    }

    if (tried == 0) {
        return parley_error_set(err, PARLEY_E_KEY_UNKNOWN, NULL, "%s",
                                why != NULL ? why
                                : "the sender has no key of this algorithm");
    }

    return parley_error_set(err, PARLEY_E_SIGNATURE_INVALID, NULL,
                            "the signature does not verify");
}


int
parley_signature_verify(const parley_jwks_t *keys, parley_str_t word,
    parley_str_t kid, parley_str_t octets, parley_str_t text, int64_t now_ms,
    const parley_jwk_t **ret_key, parley_error_t *err)
{
    size_t               len;
    uint8_t              sig[PARLEY_BASE64_DECODED(PARLEY_SIGNATURE_TEXT_MAX)];
    parley_str_t         octets_of_sig;
    parley_alg_id_t      alg;
    const parley_jwk_t  *ignored;

    if (ret_key == NULL) {
        ret_key = &ignored;
    }

    *ret_key = NULL;

    if (parley_signature_alg(word, &alg) != 0) {
        return parley_error_set(err, PARLEY_E_SIGNATURE_INVALID, NULL,
                                "the signature's algorithm is not supported");
    }

    /* strict, as a malleable encoding would make two signatures of one */

    if (text.len > PARLEY_SIGNATURE_TEXT_MAX
        || parley_base64_decode(text, sig, &len) != 0
        || len != parley_alg_get(alg)->signature_len)
    {
        return parley_error_set(err, PARLEY_E_SIGNATURE_INVALID, NULL,
                                "the signature is not padded base64 of the "
                                "right length");
    }

    octets_of_sig = parley_str_make(sig, len);

    if (kid.len != 0) {
        return parley_signature_by_kid(keys, alg, kid, octets, octets_of_sig,
                                       now_ms, ret_key, err);
    }

    return parley_signature_by_trial(keys, alg, octets, octets_of_sig, now_ms,
                                     ret_key, err);
}


static int
parley_signature_key_alg(const parley_jwk_t *jwk, parley_alg_id_t *ret)
{
    if (jwk->signs & PARLEY_ALG_BIT(PARLEY_ALG_EDDSA)) {
        *ret = PARLEY_ALG_EDDSA;
        return 0;
    }

    if (jwk->signs & PARLEY_ALG_BIT(PARLEY_ALG_HS256)) {
        *ret = PARLEY_ALG_HS256;
        return 0;
    }

    return -1;
}


parley_str_t
parley_signature_word(const parley_jwk_t *jwk)
{
    parley_alg_id_t  alg;

    if (parley_signature_key_alg(jwk, &alg) != 0) {
        return parley_str_none;
    }

    return alg == PARLEY_ALG_EDDSA ? PARLEY_STR("ed25519")
                                   : PARLEY_STR("HS256");
}


int
parley_signature_sign(const parley_jwk_t *jwk, parley_str_t octets,
    char out[PARLEY_SIGNATURE_TEXT_MAX], parley_str_t *ret,
    parley_error_t *err)
{
    size_t           len;
    uint8_t          sig[PARLEY_JWS_SIGNATURE_MAX];
    parley_alg_id_t  alg;

    out[0] = '\0';
    *ret = parley_str_none;

    if (parley_signature_key_alg(jwk, &alg) != 0) {
        return parley_error_set(err, PARLEY_E_KEY_UNKNOWN, NULL,
                                "the key cannot sign messages: it must be a "
                                "private Ed25519 or an HS256 key");
    }

    if (parley_jws_sign(jwk, alg, octets, sig, &len, err) != 0) {
        return -1;
    }

    *ret = parley_str_make(out, parley_base64_encode(parley_str_make(sig,
                                                                     len),
                                                     out));

    return 0;
}
