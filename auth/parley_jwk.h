/*
 * Keys in JSON (RFC 7517, 7518, 8037), parsed once.  A key determines the
 * algorithms it may be used with, from its kty and crv, and nothing in a token
 * can extend them; thus HMAC secrets and public keys are never confused
 * (GW-02).
 *
 * A key lives in the arena it was parsed into and owns OpenSSL objects: call
 * parley_jwk_free() or parley_jwks_free() before the arena is reset.  A key is
 * not thread-safe; worker processes each have their own copy.
 */

#ifndef PARLEY_JWK_H
#define PARLEY_JWK_H

#include <stddef.h>
#include <stdint.h>

#include "auth/parley_alg.h"
#include "core/parley_arena.h"
#include "core/parley_buf.h"
#include "core/parley_error.h"
#include "core/parley_str.h"


#define PARLEY_JWKS_MAX             256     /* per set */
#define PARLEY_JWK_RSA_BITS_MAX     8192    /* bounds the cost of a verify */
#define PARLEY_JWK_OCT_MAX          1024    /* octets of an HMAC secret */
#define PARLEY_JWK_KID_MAX          256     /* octets */
#define PARLEY_JWK_THUMBPRINT_LEN   43


typedef enum {
    PARLEY_KTY_OCT = 0,
    PARLEY_KTY_RSA,
    PARLEY_KTY_EC,
    PARLEY_KTY_OKP
} parley_kty_t;


typedef enum {
    PARLEY_CRV_NONE = 0,
    PARLEY_CRV_P256,
    PARLEY_CRV_P384,
    PARLEY_CRV_P521,
    PARLEY_CRV_ED25519
} parley_crv_t;


typedef struct parley_jwk_s {
    parley_kty_t              kty;
    parley_crv_t              crv;
    parley_str_t              kid;          /* empty: none */
    parley_str_t              issuer;       /* issuer of the only tokens that
                                               the key verifies; empty: tokens
                                               of any issuer */
    int64_t                   not_before;   /* ms since the epoch; both 0: no
                                               such bound */
    int64_t                   expires;
    int                       alg;          /* "alg" of the JWK, a
                                               parley_alg_id_t, or -1 */
    parley_alg_mask_t         verifies;     /* algorithms allowed to verify */
    parley_alg_mask_t         signs;        /* algorithms allowed to sign; 0 if
                                               public */
    size_t                    bits;         /* of modulus, curve or secret */
    unsigned                  is_private:1;

    uint8_t                   ed25519[32];  /* OKP: public key */
    uint8_t                   seed[32];     /* OKP: private key */
    parley_str_t              secret;       /* oct */

    /* OpenSSL objects, fetched when parsing rather than when verifying */
    struct evp_pkey_st       *pkey;                         /* RSA, EC */
    struct evp_pkey_ctx_st   *verifier[PARLEY_ALG_COUNT];   /* RSA, EC */
    struct evp_mac_ctx_st    *mac[PARLEY_ALG_COUNT];        /* oct */
    struct evp_md_st         *md[PARLEY_ALG_COUNT];         /* RSA, EC */
    struct evp_md_ctx_st     *md_ctx;                       /* RSA, EC */
} parley_jwk_t;


typedef struct {
    parley_jwk_t  *keys;
    size_t         n;
    size_t         skipped;     /* kty, crv or alg unknown, or not for
                                   signatures (RFC 7517 section 5) */
    size_t         refused;     /* invalid or weak, in a published set */
} parley_jwks_t;


struct json_t;                  /* jansson */


/*
 * Reads {"keys": [JWK, ...]}, a file of the operator, into arena.  A key is
 * skipped and counted if its kty, crv or alg is unknown, or if its use or
 * key_ops exclude signatures.  Any other fault is an error, such as a missing
 * or malformed member, an RSA modulus below 2048 bits or with the weakness of
 * CVE-2017-15361, an exponent that is even or 1, an oct key below 32 octets, an
 * alg that does not fit kty, a point not on its curve, a private part that does
 * not match the public one, or two keys with one kid and a common algorithm.
 * err->field is the JSON Pointer (/keys/3/n), err->offset its position in text.
 *
 * Returns 0, or -1 with *err filled, *ret empty and nothing to free.
 */
int parley_jwks_parse(parley_arena_t *arena, parley_str_t text,
    parley_jwks_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * As parley_jwks_parse(), but text may also be one JWK, which becomes a set of
 * one.  A key that a set would skip is an error then.
 */
int parley_jwks_parse_any(parley_arena_t *arena, parley_str_t text,
    parley_jwks_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * As parley_jwks_parse(), for a set published by a third party such as an
 * identity provider: an invalid key is left out and counted in ret->refused
 * instead of failing the set (RFC 7517 section 5).  *err then describes the
 * first one.
 *
 * Returns 0 even if no key is left.  {"keys": []} is valid and withdraws all
 * keys: n, skipped and refused are zero and keys is not NULL.  Returns -1 with
 * *err filled and *ret empty if text is not a key set or memory is exhausted.
 */
int parley_jwks_parse_published(parley_arena_t *arena, parley_str_t text,
    parley_jwks_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * As parley_jwks_parse(), from a jansson array of JWKs.  pointer is the JSON
 * Pointer of the array, for errors.
 */
int parley_jwks_from_json(parley_arena_t *arena, struct json_t *array,
    const char *pointer, parley_jwks_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Frees the OpenSSL objects, zeroes the secrets and empties *keys. */
void parley_jwks_free(parley_jwks_t *keys);

/* Returns the number of keys that may verify; the others can only sign. */
size_t parley_jwks_verifiers(const parley_jwks_t *keys);


/*
 * Reads one JWK, such as the gateway's signing key, into arena.  A key that a
 * set would skip is an error.  Returns 0, or -1 with *err filled, *ret empty
 * and nothing to free.
 *
 * The parsed tree is zeroed; text is the caller's to zero, and jansson's
 * internal read buffer is not zeroed.
 */
int parley_jwk_parse(parley_arena_t *arena, parley_str_t text,
    parley_jwk_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Reads one JWK from a jansson object at pointer.  Returns 0, 1 with *err
 * filled if a set would skip the key, or -1 with *err filled; *ret is empty
 * unless 0.
 */
int parley_jwk_from_json(parley_arena_t *arena, struct json_t *object,
    const char *pointer, parley_jwk_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Frees the OpenSSL objects, zeroes the secrets and empties *jwk. */
void parley_jwk_free(parley_jwk_t *jwk);


/*
 * Completes a key after its kty, crv, alg, is_private and octets or pkey are
 * set.  Computes verifies and signs from them and from the two permissions,
 * checks that a private part matches the public one, and calls
 * parley_jws_prepare().  pointer is the key's JSON Pointer, for errors.
 * Returns 0, 1 if the key cannot be used for signatures, or -1; *err is filled
 * unless 0.
 */
int parley_jwk_complete(parley_jwk_t *jwk, int may_verify, int may_sign,
    const char *pointer, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns the first key with this kid that may verify with alg, or NULL.
 * *ret_known: whether any key has this kid.  Keys of the issuer come first;
 * keys of any issuer count only if the issuer has no key of this kid.
 */
const parley_jwk_t *parley_jwks_find(const parley_jwks_t *keys,
    parley_str_t issuer, parley_str_t kid, parley_alg_id_t alg,
    int *ret_known);

/*
 * Returns the only key of the issuer, or of any issuer, that may verify with
 * alg.  Returns NULL if the number of such keys, *ret_count, is not 1.
 */
const parley_jwk_t *parley_jwks_only(const parley_jwks_t *keys,
    parley_str_t issuer, parley_alg_id_t alg, size_t *ret_count);


/* Restricts all keys to tokens of one issuer.  issuer must outlive the keys. */
void parley_jwks_of(parley_jwks_t *keys, parley_str_t issuer);

/*
 * Moves the keys of *more into *all.  Two keys with one kid and a common
 * algorithm that may verify tokens of one issuer are an error: err->field is
 * the JSON Pointer in the text of *more.  Returns 0, or -1 with *err filled and
 * both sets unchanged.
 */
int parley_jwks_join(parley_arena_t *arena, parley_jwks_t *all,
    parley_jwks_t *more, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Sets *ret to the keys of *fetched and the keys of *kept with another issuer
 * than issuer; if issuer is empty, the keys of *kept that have any issuer.
 * kept may be NULL.  *ret borrows the keys and must not be freed.  Returns 0,
 * or -1 if memory is exhausted.
 */
int parley_jwks_beside(parley_arena_t *arena, const parley_jwks_t *fetched,
    parley_str_t issuer, const parley_jwks_t *kept, parley_jwks_t *ret)
    __attribute__((warn_unused_result));


/*
 * Appends the key as a JWK in RFC 8785 order, without its private part if
 * with_private is 0.  The caller zeroes the private octets that remain in the
 * arena of b.  Returns 0, or -1 with *err filled and the contents of b
 * undefined if the key lacks the requested part; an oct key has no public part.
 */
int parley_jwk_write(parley_buf_t *b, const parley_jwk_t *jwk,
    int with_private, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Writes the thumbprint of RFC 7638 (SHA-256, base64url) and a NUL.  Returns
 * 0, or -1 with *err filled and out empty.
 */
int parley_jwk_thumbprint(const parley_jwk_t *jwk,
    char out[PARLEY_JWK_THUMBPRINT_LEN + 1], parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Generates a key for alg: an RSA key of 2048 bits, one on the curve of alg,
 * or a secret as long as its digest.  kid is copied; if empty it becomes the
 * thumbprint.  Random numbers are OpenSSL's.  For the command line tool.
 * Returns 0, or -1 with *err filled, *ret empty and nothing to free.
 */
int parley_jwk_generate(parley_arena_t *arena, parley_alg_id_t alg,
    parley_str_t kid, parley_jwk_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_JWK_H */
