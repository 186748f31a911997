/*
 * Signatures of messages (AEE-14, VCP-16): which octets are signed is the
 * codec's business; here they are verified with the sender's own keys.
 */

#ifndef PARLEY_SIGNATURE_H
#define PARLEY_SIGNATURE_H

#include <stddef.h>
#include <stdint.h>

#include "parley_error.h"
#include "parley_jwk.h"
#include "parley_str.h"


#define PARLEY_SIGNATURE_TRIES      8       /* keys, where no kid is given */
#define PARLEY_SIGNATURE_TEXT_MAX   96      /* room for the text and a zero */


/*
 * Verifies text, the base64 of a signature, over octets.  The text is
 * canonical (RFC 4648 section 4: standard alphabet, padded, unused bits zero):
 * one signature has one text.
 *
 * word is "ed25519" (also "EdDSA", as JOSE spells it in an AEE sig) or
 * "HS256", in just this spelling.  kid empty: every key of that algorithm is
 * tried, in order, up to PARLEY_SIGNATURE_TRIES.  keys are the sender's and
 * nobody else's, which is what binds the signature to the sender.
 *
 * Returns 0 and the key that verified in *ret_key (may be NULL), or -1 with
 * *ret_key NULL: key-unknown (no such kid, or no key of that algorithm),
 * signature-invalid (everything else).
 */
int parley_signature_verify(const parley_jwks_t *keys, parley_str_t word,
    parley_str_t kid, parley_str_t octets, parley_str_t text,
    const parley_jwk_t **ret_key, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Whether the key can verify the signature of any message. */
int parley_signature_key_is(const parley_jwk_t *jwk);

/*
 * Signs octets with a private Ed25519 key or an oct key that allows HS256;
 * the text is standard base64 with padding, zero-terminated in out.  Returns
 * 0, or -1 with out and *ret empty.
 */
int parley_signature_sign(const parley_jwk_t *jwk, parley_str_t octets,
    char out[PARLEY_SIGNATURE_TEXT_MAX], parley_str_t *ret,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * The word for what parley_signature_sign() makes with this key: "ed25519",
 * "HS256", or empty where it cannot sign messages.
 */
parley_str_t parley_signature_word(const parley_jwk_t *jwk);


#endif /* PARLEY_SIGNATURE_H */
