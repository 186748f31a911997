/*
 * Signatures over octets, with a parsed key (RFC 7515 section 5, RFC 7518
 * section 3, RFC 8037).  Signatures here are raw octets: ECDSA is r || s of
 * fixed length, not DER.
 *
 * Nothing is left in OpenSSL's error queue, so that nginx's TLS does not find
 * stale errors there.
 */

#ifndef PARLEY_JWS_H
#define PARLEY_JWS_H

#include <stddef.h>
#include <stdint.h>

#include "parley_alg.h"
#include "parley_error.h"
#include "parley_jwk.h"
#include "parley_str.h"


#define PARLEY_JWS_SIGNATURE_MAX  (PARLEY_JWK_RSA_BITS_MAX / 8)


/*
 * Whether signature is alg's over octets with this key.  Returns 0 where it
 * is, else -1: also where the key does not allow alg, where the length is
 * wrong, and where OpenSSL fails.  HMACs are compared in constant time;
 * Ed25519 keys of small order and non-canonical signatures are refused by
 * libsodium.
 */
int parley_jws_verify(const parley_jwk_t *jwk, parley_alg_id_t alg,
    parley_str_t octets, parley_str_t signature)
    __attribute__((warn_unused_result));

/*
 * Signs octets; out has room for PARLEY_JWS_SIGNATURE_MAX octets.  Returns 0,
 * or -1 with *err filled, out cleared and *ret_len 0.
 */
int parley_jws_sign(const parley_jwk_t *jwk, parley_alg_id_t alg,
    parley_str_t octets, uint8_t *out, size_t *ret_len, parley_error_t *err)
    __attribute__((warn_unused_result));


/*
 * Makes what OpenSSL needs for the algorithms in jwk->verifies.  Called once
 * by the parser.  Returns 0 or -1; what was made belongs to the key either
 * way.
 */
int parley_jws_prepare(parley_jwk_t *jwk)
    __attribute__((warn_unused_result));


#endif /* PARLEY_JWS_H */
