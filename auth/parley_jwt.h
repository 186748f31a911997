/*
 * JSON Web Tokens (RFC 7519) in the compact serialisation of RFC 7515 (GW-02,
 * SEC-14).
 *
 * Verification uses keys parsed once (parley_jwk.h), not libjwt: libjwt 1.x
 * parses the PEM for every token, 3.68 of the 4.18 million instructions of an
 * RS256 decode, of which the verification itself is 0.34 million.  The unit
 * tests use libjwt as an independent implementation.
 *
 * Header and claims are read by parley_json_read() into the caller's arena, a
 * tenth of the instructions of building a tree.
 */

#ifndef PARLEY_JWT_H
#define PARLEY_JWT_H

#include <stddef.h>
#include <stdint.h>

#include "auth/parley_alg.h"
#include "core/parley_arena.h"
#include "auth/parley_certificate.h"
#include "core/parley_error.h"
#include "core/parley_json.h"
#include "auth/parley_jwk.h"
#include "core/parley_str.h"


#define PARLEY_JWT_TOKEN_MAX    65536           /* octets; the default */
#define PARLEY_JWT_TOKEN_CAP    1048576         /* octets; the most that can
                                                   be configured */
#define PARLEY_JWT_SCOPES_MAX   4096            /* per token */
#define PARLEY_JWT_DATE_MAX     253402300799    /* seconds; 9999-12-31 */
#define PARLEY_JWT_JTI_MAX      255             /* octets, if jti is required */
#define PARLEY_JWT_TYP_MAX      127             /* octets (RFC 6838 4.2) */


typedef struct {
    size_t    token_max;    /* octets; 0: PARLEY_JWT_TOKEN_MAX */
    uint64_t  seed;         /* for parley_json_read() */
} parley_jwt_options_t;


/* token is borrowed from the caller; all else is in the arena. */
typedef struct parley_jwt_s {
    parley_str_t      token;
    parley_str_t      kid;          /* of the verifying key, or empty */
    parley_str_t      typ;          /* of the header, without "application/";
                                       empty: absent */
    parley_alg_id_t   alg;
    parley_json_t     claims;       /* an object */

    parley_str_t      iss;          /* empty: absent */
    parley_str_t      sub;          /* empty: absent */
    parley_str_t      jti;          /* empty: absent or not a string */
    uint32_t          aud;          /* node in claims, or PARLEY_JSON_NONE */
    uint32_t          act;          /* node in claims, or PARLEY_JSON_NONE; only
                                       in a verified token */
    int64_t           exp_ms;       /* milliseconds since the epoch, if
                                       has_exp */
    int64_t           nbf_ms;
    int64_t           iat_ms;
    unsigned          has_exp:1;
    unsigned          has_nbf:1;
    unsigned          has_iat:1;
    unsigned          key_unknown:1;    /* see parley_jwt_verify() */
    unsigned          any_issuer:1;     /* the key verifies tokens of any
                                           issuer */
    unsigned          bound:1;          /* bound to the certificate with this
                                           SHA-256 (RFC 8705) */
    uint8_t           certificate[PARLEY_CERTIFICATE_PRINT];

    parley_str_t     *scopes;       /* from "scope" (space-separated) and
                                       "scp" (an array or space-separated) */
    size_t            nscopes;
} parley_jwt_t;


/* A claim that must be present and, if has_value, equal value. */
typedef struct {
    parley_str_t  name;
    parley_str_t  value;        /* string, number or boolean as text;
                                   an array must contain it */
    unsigned      has_value:1;
} parley_jwt_require_t;


/*
 * The requirements of a location on a verified token.  Zeroed: exp is
 * required, typ must be absent, JWT or at+jwt.
 */
typedef struct parley_jwt_rules_s {
    const parley_str_t          *issuers;       /* none: iss is not checked */
    size_t                       nissuers;
    const parley_str_t          *audiences;     /* none: aud is not checked */
    size_t                       naudiences;
    parley_str_t                 typ;           /* by parley_jwt_typ_parse();
                                                   empty: as zeroed */
    int64_t                      leeway;        /* seconds, not negative */
    int64_t                      max_lifetime;  /* seconds; 0: unlimited */
    const parley_jwt_require_t  *required;
    size_t                       nrequired;
    unsigned                     exp_optional:1;
    unsigned                     jti_required:1;
} parley_jwt_rules_t;


/*
 * Verifies the signature of a token with a key of the set; claims are believed
 * only after that.  A key with an issuer verifies only tokens of that iss.  A
 * token that is bound (cnf) to anything other than a certificate is refused,
 * since the binding cannot be checked here.  Does not check type, time, issuer
 * and audience: call parley_jwt_check() next.  options may be NULL for the
 * defaults.  token is borrowed and must outlive *jwt.
 *
 * A token with a "kid" is verified with the key of that kid, a token without
 * "kid" with the only key that allows the algorithm.  "crit" is refused; keys
 * in the token (jwk, jku, x5c, x5u) are ignored.
 *
 * Returns 0, or -1 with *err filled (token-invalid with the header member or
 * claim as field, or capacity) and *jwt zeroed, except that jwt->key_unknown is
 * set if the kid is not in the set, so that fetching the set again may help.
 */
int parley_jwt_verify(const parley_jwks_t *keys, parley_arena_t *arena,
    const parley_jwt_options_t *options, parley_str_t token,
    parley_jwt_t *jwt, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Reads the unverified key id and issuer of a token, for the operator's log
 * only.  Each is empty if the token lacks it or cannot be read, or if memory is
 * exhausted.
 */
void parley_jwt_claimed(parley_arena_t *arena, uint64_t seed,
    parley_str_t token, parley_str_t *ret_kid, parley_str_t *ret_iss);

/*
 * Checks a verified token against rules at now, in milliseconds since the
 * epoch: now < exp + leeway, nbf - leeway <= now, iat - leeway <= now.  Dates
 * may have fractions of a second, of which whole milliseconds count (GW-38).
 * Cheap, and required on every request, also after a hit in the token cache.
 *
 * typ is compared as RFC 7515 section 4.1.9 requires, ignoring case and
 * "application/".  The lifetime is exp - iat or, without iat, exp - now within
 * the leeway.  A required jti has 1 to PARLEY_JWT_JTI_MAX printable ASCII
 * characters and is accompanied by an iss, in which it is unique.
 *
 * Returns 0, or -1 with *err filled: token-expired if only the time is wrong,
 * else token-invalid; err->field is the claim.
 */
int parley_jwt_check(const parley_jwt_t *jwt,
    const parley_jwt_rules_t *rules, int64_t now_ms, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Checks the binding of a token to a certificate (RFC 8705 section 3.1): a
 * bound token is valid only on a connection with that certificate.  print is
 * the SHA-256 of the connection's verified certificate, or NULL without one.
 * Required on every request, like parley_jwt_check().  Returns 0, or -1 with
 * *err filled: token-invalid.
 */
int parley_jwt_check_binding(const parley_jwt_t *jwt, const uint8_t *print,
    parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns when a token expires under rules, in milliseconds since the epoch;
 * INT64_MAX if never.
 */
int64_t parley_jwt_expires(const parley_jwt_t *jwt,
    const parley_jwt_rules_t *rules);

/*
 * Parses an operator's token type: JWT, or a name that ends in +jwt (RFC 8725
 * section 3.11), optionally after "application/".  Returns 0 with *ret a part
 * of word, or -1.
 */
int parley_jwt_typ_parse(parley_str_t word, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Returns the node of a claim, or PARLEY_JSON_NONE.  A name that begins with
 * '/' is a JSON Pointer (/realm_access/roles).
 */
uint32_t parley_jwt_claim_node(const parley_jwt_t *jwt, parley_str_t name);

/*
 * Returns a claim as text in *ret: a string unescaped, a number or boolean as
 * written, an array or object in RFC 8785 form.  *ret is borrowed from the
 * token or allocated from arena, never from the token's own arena, which may
 * be a cache's.  Returns 0, or -1 with *ret empty if the claim is absent or
 * null or memory is exhausted.
 */
int parley_jwt_claim(const parley_jwt_t *jwt, parley_arena_t *arena,
    parley_str_t name, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Copies a verified token and its claims into arena.  Returns 0, or -1 with
 * *ret zeroed if memory is exhausted.
 */
int parley_jwt_copy(const parley_jwt_t *jwt, parley_arena_t *arena,
    parley_jwt_t *ret)
    __attribute__((warn_unused_result));

/*
 * Makes a token with the header {"alg","kid","typ"} and claims, the octets of
 * a JSON object (not checked).  *ret is in arena.  For the tool and tests.
 * Returns 0, or -1 with *err filled and *ret empty.
 */
int parley_jwt_mint(const parley_jwk_t *jwk, parley_alg_id_t alg,
    parley_arena_t *arena, parley_str_t typ, parley_str_t claims,
    parley_str_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_JWT_H */
