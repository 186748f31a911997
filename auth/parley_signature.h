/*
 * Signatures of messages (AEE-14, VCP-16), verified with the sender's keys.
 * Codecs determine the octets that are signed.
 */

#ifndef PARLEY_SIGNATURE_H
#define PARLEY_SIGNATURE_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_error.h"
#include "auth/parley_jwk.h"
#include "core/parley_str.h"


#define PARLEY_SIGNATURE_TRIES      8       /* keys tried without a kid */
#define PARLEY_SIGNATURE_TEXT_MAX   96      /* room for base64 and a NUL */


/*
 * Verifies text, a signature in canonical base64 (RFC 4648 section 4: standard
 * alphabet, padded, unused bits zero), over octets.  word is "ed25519", "EdDSA"
 * (as in an AEE sig) or "HS256", case-sensitive.  Without a kid up to
 * PARLEY_SIGNATURE_TRIES keys of that algorithm are tried in order.  keys must
 * be the sender's only: this binds the signature to the sender.  Keys count
 * within their period, from not_before up to expires, at now_ms.
 *
 * Returns 0 with the verifying key in *ret_key (which may be NULL), or -1 with
 * *err filled and *ret_key NULL: key-unknown if keys has no key with that kid
 * and algorithm within its period; else signature-invalid.
 */
int parley_signature_verify(const parley_jwks_t *keys, parley_str_t word,
    parley_str_t kid, parley_str_t octets, parley_str_t text, int64_t now_ms,
    const parley_jwk_t **ret_key, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Returns whether the key can verify signatures of messages. */
int parley_signature_key_is(const parley_jwk_t *jwk);

/*
 * Signs octets with a private Ed25519 key or an oct key that allows HS256.
 * *ret is the padded base64 text in out, which is NUL-terminated.  Returns 0,
 * or -1 with *err filled and out and *ret empty.
 */
int parley_signature_sign(const parley_jwk_t *jwk, parley_str_t octets,
    char out[PARLEY_SIGNATURE_TEXT_MAX], parley_str_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns the word for signatures of parley_signature_sign() with this key,
 * "ed25519" or "HS256"; empty if it cannot sign messages.
 */
parley_str_t parley_signature_word(const parley_jwk_t *jwk);


#endif /* PARLEY_SIGNATURE_H */
