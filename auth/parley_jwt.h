/*
 * JSON Web Tokens (RFC 7519) in the compact form of RFC 7515; GW-02, SEC-14.
 *
 * Verification runs on keys that were parsed once (parley_jwk.h) and not on
 * libjwt: libjwt 1.x reads the PEM again for every token, measured at 3.68 of
 * the 4.18 million instructions of an RS256 decode, where the verify alone is
 * 0.34 million.  libjwt mints and verifies the tokens of the unit tests, as
 * an independent implementation.
 *
 * Header and claims are read by parley_json: into the caller's arena, without
 * duplicate members, and in a tenth of the instructions that a tree costs.
 */

#ifndef PARLEY_JWT_H
#define PARLEY_JWT_H

#include <stddef.h>
#include <stdint.h>

#include "parley_alg.h"
#include "parley_arena.h"
#include "parley_error.h"
#include "parley_json.h"
#include "parley_jwk.h"
#include "parley_str.h"


#define PARLEY_JWT_TOKEN_MAX    8192            /* octets, default */
#define PARLEY_JWT_SCOPES_MAX   256             /* of one token */
#define PARLEY_JWT_DATE_MAX     253402300799    /* 9999-12-31T23:59:59Z */
#define PARLEY_JWT_JTI_MAX      255             /* octets, where one is asked */
#define PARLEY_JWT_TYP_MAX      127             /* octets (RFC 6838 4.2) */


typedef struct {
    size_t    token_max;    /* octets; 0: PARLEY_JWT_TOKEN_MAX */
    uint64_t  seed;         /* for parley_json_read(); unknown to senders */
} parley_jwt_options_t;


/* Spans point into the arena, token into what the caller gave. */
typedef struct {
    parley_str_t      token;
    parley_str_t      kid;          /* of the key that verified, or empty */
    parley_str_t      typ;          /* of the header, without application/;
                                       empty: absent */
    parley_alg_id_t   alg;
    parley_json_t     claims;       /* an object */

    parley_str_t      iss;          /* empty: absent */
    parley_str_t      sub;          /* empty: absent */
    parley_str_t      jti;          /* empty: absent, or no string */
    uint32_t          aud;          /* node of the claims, or NONE */
    double            exp;          /* seconds; 0 where has_exp is not set */
    double            nbf;
    double            iat;
    unsigned          has_exp:1;
    unsigned          has_nbf:1;
    unsigned          has_iat:1;
    unsigned          key_unknown:1;    /* see parley_jwt_verify() */

    parley_str_t     *scopes;       /* of "scope" (separated by spaces) and
                                       "scp" (array or the same) */
    size_t            nscopes;
} parley_jwt_t;


/* a claim that must be there, and perhaps have this value */
typedef struct {
    parley_str_t  name;
    parley_str_t  value;        /* a string, number or boolean as text; for
                                   an array: one of its elements */
    unsigned      has_value:1;
} parley_jwt_require_t;


/*
 * What a location asks of a verified token.  All zero: exp, and a typ that is
 * absent, JWT or at+jwt.
 */
typedef struct {
    const parley_str_t          *issuers;       /* none: iss not looked at */
    size_t                       nissuers;
    const parley_str_t          *audiences;     /* none: aud not looked at */
    size_t                       naudiences;
    parley_str_t                 typ;           /* of parley_jwt_typ_parse();
                                                   empty: see above */
    int64_t                      leeway;        /* seconds, not negative */
    int64_t                      max_lifetime;  /* seconds; 0: unbounded */
    const parley_jwt_require_t  *required;
    size_t                       nrequired;
    unsigned                     exp_optional:1;
    unsigned                     jti_required:1;
} parley_jwt_rules_t;


/*
 * Whether the token is one that a key of the set signed.  Says nothing of
 * type, time, issuer or audience: ask parley_jwt_check() next.  The claims are
 * read only after the signature held.  options may be NULL.
 *
 * The key: with "kid" exactly the key of that kid, without it the only key of
 * the set that allows the algorithm.  "crit" is refused.  Keys inside the
 * token (jwk, jku, x5c, x5u) are never used.
 *
 * Returns 0, or -1 with *err filled (token-invalid, field the header member
 * or claim; or capacity) and *jwt all zero, except that jwt->key_unknown is
 * set where the token names a kid that is not in the set: fetching the set
 * again may help.
 */
int parley_jwt_verify(const parley_jwks_t *keys, parley_arena_t *arena,
    const parley_jwt_options_t *options, parley_str_t token,
    parley_jwt_t *jwt, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Whether a verified token is good for these rules at now (seconds since
 * 1970).  Accepted while now < exp + leeway, nbf - leeway <= now and
 * iat - leeway <= now.  Dates may have fractions.  Cheap: done on every
 * request, also on a hit of the token cache.
 *
 * typ is compared as RFC 7515 section 4.1.9 says, in any case and with or
 * without application/.  A lifetime is exp - iat, both the issuer's; where
 * there is no iat it is what is left, exp - now, give or take the leeway.  A
 * jti that is required is of 1 to PARLEY_JWT_JTI_MAX printable ASCII
 * characters, and iss is there, within which it is unique.
 *
 * Returns 0, or -1: token-invalid or, where time alone is wrong,
 * token-expired; err->field is the claim's name.
 */
int parley_jwt_check(const parley_jwt_t *jwt,
    const parley_jwt_rules_t *rules, int64_t now, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * When these rules begin to refuse a token as expired, in milliseconds since
 * 1970; INT64_MAX: never.
 */
int64_t parley_jwt_expires(const parley_jwt_t *jwt,
    const parley_jwt_rules_t *rules);

/*
 * The type that rules ask for, from an operator's word: JWT, or a name that
 * ends in +jwt (RFC 8725 section 3.11), perhaps after application/.  Returns
 * 0 and *ret within word, or -1.
 */
int parley_jwt_typ_parse(parley_str_t word, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * The node of a claim, or PARLEY_JSON_NONE.  A name that begins with '/' is
 * a JSON Pointer (/realm_access/roles).
 */
uint32_t parley_jwt_claim_node(const parley_jwt_t *jwt, parley_str_t name);

/*
 * A claim as text: a string unescaped, a number or boolean as it is written,
 * an array or object as compact JSON.  What needs memory takes it from arena,
 * never from the token's own (which may be a cache's).  Returns 0, or -1
 * where there is no such claim, where it is null, or where memory is short.
 */
int parley_jwt_claim(const parley_jwt_t *jwt, parley_arena_t *arena,
    parley_str_t name, parley_str_t *ret)
    __attribute__((warn_unused_result));

/*
 * Copies a verified token, claims and all, into another arena, so that it
 * outlives the first.  Returns 0, or -1 (no memory) with *ret zero.
 */
int parley_jwt_copy(const parley_jwt_t *jwt, parley_arena_t *arena,
    parley_jwt_t *ret)
    __attribute__((warn_unused_result));

/*
 * Makes a token: header {"alg","kid","typ"} and claims (octets of a JSON
 * object, not checked) signed with the key.  For the tool and tests.
 */
int parley_jwt_mint(const parley_jwk_t *jwk, parley_alg_id_t alg,
    parley_arena_t *arena, parley_str_t typ, parley_str_t claims,
    parley_str_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_JWT_H */
