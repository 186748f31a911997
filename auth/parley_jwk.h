/*
 * Keys as JSON (RFC 7517, 7518, 8037), parsed once: a key knows the
 * algorithms that it may be used with, and nothing a token says can widen
 * them (GW-02).  HMAC secrets and public keys never mix, because the set
 * comes from kty and crv.
 *
 * A key lives in the arena that it was parsed into and holds OpenSSL objects
 * besides: parley_jwk_free() or parley_jwks_free() must be called before the
 * arena is reset.  A key is used by one thread at a time (worker processes
 * have their own copy).
 */

#ifndef PARLEY_JWK_H
#define PARLEY_JWK_H

#include <stddef.h>
#include <stdint.h>

#include "parley_alg.h"
#include "parley_arena.h"
#include "parley_buf.h"
#include "parley_error.h"
#include "parley_str.h"


#define PARLEY_JWKS_MAX             256     /* keys of one set */
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


typedef struct {
    parley_kty_t              kty;
    parley_crv_t              crv;
    parley_str_t              kid;          /* empty: none */
    int                       alg;          /* the key's own "alg", a
                                               parley_alg_id_t; -1: none */
    parley_alg_mask_t         verifies;     /* may verify with these */
    parley_alg_mask_t         signs;        /* may sign with these; 0 without
                                               the private part */
    size_t                    bits;         /* of modulus, curve, secret */
    unsigned                  is_private:1;

    uint8_t                   ed25519[32];  /* OKP: the public key */
    uint8_t                   seed[32];     /* OKP, private */
    parley_str_t              secret;       /* oct; in the arena */

    /* OpenSSL's, prepared at parse time so that a verify fetches nothing */
    struct evp_pkey_st       *pkey;                         /* RSA, EC */
    struct evp_pkey_ctx_st   *verifier[PARLEY_ALG_COUNT];   /* RSA, EC */
    struct evp_mac_ctx_st    *mac[PARLEY_ALG_COUNT];        /* oct */
    struct evp_md_st         *md[PARLEY_ALG_COUNT];         /* RSA, EC */
    struct evp_md_ctx_st     *md_ctx;                       /* RSA, EC */
} parley_jwk_t;


typedef struct {
    parley_jwk_t  *keys;
    size_t         n;
    size_t         skipped;     /* of unknown kty, crv or alg, or not for
                                   signatures (RFC 7517 section 5) */
    size_t         refused;     /* broken or weak; of a published set only */
} parley_jwks_t;


struct json_t;                  /* jansson's */


/*
 * Reads {"keys": [JWK, ...]}, a file of the operator: untrusted as to form.
 *
 * Skipped and counted: keys of unknown kty, crv or alg, keys whose use or
 * key_ops exclude signatures.  Errors: anything else wrong, such as a missing
 * or ill-formed member, an RSA modulus below 2048 bits or of the kind that
 * CVE-2017-15361 factors, an exponent that is even or 1, an oct key below 32
 * octets, an alg that contradicts kty, a point that is not on its curve, a
 * private part that does not belong to the public one, two keys with one kid
 * and an algorithm in common.  err->field is the JSON Pointer (/keys/3/n),
 * err->offset its place in text.
 *
 * Returns 0, or -1 with *ret empty; nothing is then left to free.
 */
int parley_jwks_parse(parley_arena_t *arena, parley_str_t text,
    parley_jwks_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * The same of a set that somebody else publishes, such as an identity
 * provider: a key that is an error above is left out and counted in
 * ret->refused, since it is not the operator's to mend and takes nothing from
 * the others (RFC 7517 section 5).  *err then says what is wrong with the
 * first of them.
 *
 * Returns 0 also where nothing is left.  {"keys": []} alone leaves n, skipped
 * and refused zero, and its keys are not NULL: it is read, and withdraws
 * every key.  Returns -1 with *ret empty where the text is no key set.
 */
int parley_jwks_parse_published(parley_arena_t *arena, parley_str_t text,
    parley_jwks_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * The same as the first from an array of JWKs in a tree of jansson's.  pointer
 * is the array's own JSON Pointer, for errors.
 */
int parley_jwks_from_json(parley_arena_t *arena, struct json_t *array,
    const char *pointer, parley_jwks_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/* Frees what OpenSSL holds, clears secrets; *keys is empty. */
void parley_jwks_free(parley_jwks_t *keys);

/* How many keys of the set may verify; others can sign alone. */
size_t parley_jwks_verifiers(const parley_jwks_t *keys);


/*
 * Reads one JWK, such as the gateway's signing key.  A key that a set would
 * skip is an error here.
 *
 * The tree is cleared after use; the text is the caller's to clear, and what
 * jansson's own reader buffered of it is freed as it was.
 */
int parley_jwk_parse(parley_arena_t *arena, parley_str_t text,
    parley_jwk_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * One JWK of a jansson tree.  Returns 0; 1 where a set skips the key, *ret
 * empty and *err saying why; -1 on error.
 */
int parley_jwk_from_json(parley_arena_t *arena, struct json_t *object,
    const char *pointer, parley_jwk_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

void parley_jwk_free(parley_jwk_t *jwk);


/*
 * Computes what the key may be used with from kty, crv, size, alg and the two
 * permissions, prepares it, and tests that a private part fits its public
 * one.  For those who make a key: kty, crv, alg, is_private and the octets or
 * pkey are set.  Returns 0, 1 where the key is of no use for signatures, -1;
 * err->field is then pointer, perhaps with a member.
 */
int parley_jwk_complete(parley_jwk_t *jwk, int may_verify, int may_sign,
    const char *pointer, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * The first key with this kid that may verify with alg, or NULL;
 * *ret_known says whether the kid exists at all.
 */
const parley_jwk_t *parley_jwks_find(const parley_jwks_t *keys,
    parley_str_t kid, parley_alg_id_t alg, int *ret_known);

/*
 * The only key that may verify with alg, or NULL where there is none or more
 * than one; *ret_count says how many.
 */
const parley_jwk_t *parley_jwks_only(const parley_jwks_t *keys,
    parley_alg_id_t alg, size_t *ret_count);


/*
 * Appends the key as a JWK, members in RFC 8785 order.  with_private 0: the
 * public part alone; of an oct key there is none, which is an error.
 * Private octets then stand in the arena of b: it is for the caller to clear.
 */
int parley_jwk_write(parley_buf_t *b, const parley_jwk_t *jwk,
    int with_private, parley_error_t *err)
    __attribute__((warn_unused_result));

/* RFC 7638, SHA-256, base64url; zero-terminated. */
int parley_jwk_thumbprint(const parley_jwk_t *jwk,
    char out[PARLEY_JWK_THUMBPRINT_LEN + 1], parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Makes a key pair or secret for alg (RSA 2048 bits, or the alg's curve, or
 * as many octets as its digest), with OpenSSL's random numbers.  kid is
 * copied; empty: the thumbprint.  For the command line tool.
 */
int parley_jwk_generate(parley_arena_t *arena, parley_alg_id_t alg,
    parley_str_t kid, parley_jwk_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_JWK_H */
