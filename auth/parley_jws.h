/*
 * Signatures over octets with a parsed key (RFC 7515 section 5, RFC 7518
 * section 3, RFC 8037).  Signatures are raw octets: for ECDSA r
 *
 * s of fixed length, not DER.
 *
 * OpenSSL's error queue is left as found, so that nginx's TLS sees no stale
 * errors.
 */

#ifndef PARLEY_JWS_H
#define PARLEY_JWS_H

#include <stddef.h>
#include <stdint.h>

#include "auth/parley_alg.h"
#include "core/parley_error.h"
#include "auth/parley_jwk.h"
#include "core/parley_str.h"


#define PARLEY_JWS_SIGNATURE_MAX  (PARLEY_JWK_RSA_BITS_MAX / 8)


/*
 * Verifies signature over octets with alg.  Returns 0 if it is valid, else -1,
 * also if the key does not allow alg, the length is wrong or OpenSSL fails.
 * HMACs are compared in constant time; libsodium refuses Ed25519 keys of small
 * order and non-canonical signatures.
 */
int parley_jws_verify(const parley_jwk_t *jwk, parley_alg_id_t alg,
    parley_str_t octets, parley_str_t signature)
    __attribute__((warn_unused_result));

/*
 * Signs octets.  out has room for PARLEY_JWS_SIGNATURE_MAX octets.  Returns 0,
 * or -1 with *err filled, out zeroed and *ret_len 0.
 */
int parley_jws_sign(const parley_jwk_t *jwk, parley_alg_id_t alg,
    parley_str_t octets, uint8_t *out, size_t *ret_len, parley_error_t *err)
    __attribute__((warn_unused_result));


/*
 * Fetches the OpenSSL objects for jwk->verifies and jwk->signs.  Called once,
 * by parley_jwk_complete().  Returns 0 or -1; the key owns the objects in both
 * cases.
 */
int parley_jws_prepare(parley_jwk_t *jwk)
    __attribute__((warn_unused_result));


#endif /* PARLEY_JWS_H */
