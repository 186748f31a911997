/*
 * Tokens.  The first octet chooses.  Either the rest is a token, which cannot
 * have a valid signature and must be refused.  Or it is a header and, after a
 * zero octet, claims; these are signed here, so that they are read.
 */

#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#include "core/parley_base64.h"
#include "auth/parley_jws.h"
#include "auth/parley_jwt.h"
#include "auth/parley_principal.h"
#include "t/fuzz/parley_fuzz.h"


#define FUZZ_NOW  INT64_C(1700000000000)    /* milliseconds */


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static const char  secret[] =
    "{\"keys\":[{\"kty\":\"oct\",\"k\":\"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-"
    "EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow\"}]}";

static const parley_claim_map_t  map = { {
    [PARLEY_MEMBER_AEE] = parley_str("aee"),
    [PARLEY_MEMBER_HANDLE] = parley_str("handle"),
    [PARLEY_MEMBER_ROLES] = parley_str("/a/b"),
} };


static parley_str_t
sign(parley_arena_t *arena, const parley_jwk_t *jwk, parley_str_t header,
    parley_str_t claims)
{
    char            *token;
    size_t           n, len;
    uint8_t          sig[PARLEY_JWS_SIGNATURE_MAX];
    parley_error_t   err;

    token = (char *) parley_arena_octets(arena,
                                         PARLEY_BASE64_ENCODED(header.len)
                                         + PARLEY_BASE64_ENCODED(claims.len)
                                         + 64);
    check(token != NULL);

    n = parley_base64url_encode(header, token);
    token[n++] = '.';
    n += parley_base64url_encode(claims, token + n);

    check(parley_jws_sign(jwk, PARLEY_ALG_HS256, parley_str_make(token, n),
                          sig, &len, &err) == 0);
    token[n++] = '.';
    n += parley_base64url_encode(parley_str_make(sig, len), token + n);

    return parley_str_make(token, n);
}


/* Checks an accepted token against the requirements of a location. */

static void
ask(const parley_jwt_t *jwt, const parley_jwt_t *copy)
{
    int                   rc;
    int64_t               from;
    unsigned              mask;
    parley_error_t        err;
    parley_jwt_rules_t    rules;

    for (mask = 0; mask < 8; mask++) {
        memset(&rules, 0, sizeof(rules));
        rules.exp_optional = 1;
        rules.jti_required = mask & 1;
        rules.max_lifetime = (mask & 2) != 0 ? 3600 : 0;

        if ((mask & 4) != 0) {
            check(parley_jwt_typ_parse(PARLEY_STR("at+jwt"), &rules.typ)
                  == 0);
        }

        rc = parley_jwt_check(jwt, &rules, FUZZ_NOW, &err);
        check(parley_jwt_check(copy, &rules, FUZZ_NOW, &err) == rc);

        if (rc != 0) {
            check(err.code == PARLEY_E_TOKEN_INVALID
                  || err.code == PARLEY_E_TOKEN_EXPIRED);
            continue;
        }

        if (rules.jti_required) {
            check(jwt->iss.len != 0 && jwt->jti.len != 0
                  && jwt->jti.len <= PARLEY_JWT_JTI_MAX);
        }

        if (rules.max_lifetime != 0) {
            from = jwt->has_iat ? jwt->iat_ms : FUZZ_NOW;
            check(jwt->has_exp && jwt->exp_ms <= from + 3600000);
        }

        check(rules.typ.len == 0 || jwt->typ.len == 6);
    }
}


/* Reads a verified token in every way, and its copy. */

static void
use(parley_arena_t *arena, const parley_jwt_t *jwt)
{
    uint32_t              k;
    parley_str_t          name, a, b;
    parley_jwt_t          copy;
    parley_error_t        err;
    parley_principal_t    principal;

    check(parley_jwt_copy(jwt, arena, &copy) == 0);
    check(copy.nscopes == jwt->nscopes);
    check(parley_str_eq(copy.sub, jwt->sub));
    check(parley_str_eq(copy.jti, jwt->jti));
    check(parley_str_eq(copy.typ, jwt->typ));

    ask(jwt, &copy);

    for (k = parley_json_first(0); k != parley_json_end(&jwt->claims, 0);
         k = parley_json_after(&jwt->claims, k + 1))
    {
        check(parley_json_string(&jwt->claims, k, &name) == 0);

        if (name.len != 0 && name.data[0] == '/') {
            continue;
        }

        check(parley_jwt_claim(jwt, arena, name, &a)
              == parley_jwt_claim(&copy, arena, name, &b));
        check(parley_str_eq(a, b));
    }

    if (parley_principal_from_claims(arena, &copy, &map, NULL, &principal,
                                     &err)
        == 0)
    {
        check(parley_namespace_name_is(PARLEY_NAMESPACE_MOQ, principal.sub));
        check(principal.names[PARLEY_NAMESPACE_HANDLE].len == 0
              || parley_namespace_handle_is(
                     principal.names[PARLEY_NAMESPACE_HANDLE]));

    } else {
        check(principal.sub.len == 0);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int              mine;
    parley_jwt_t     jwt;
    parley_str_t     typ, token;
    parley_jwks_t    keys;
    const uint8_t   *zero;
    parley_arena_t   arena;
    parley_error_t   err;

    if (size == 0) {
        return 0;
    }

    parley_arena_init(&arena, &parley_mem_libc, 0);
    check(parley_jwks_parse(&arena, parley_str_c(secret), &keys, &err) == 0);

    token = parley_str_make(data + 1, size - 1);

    /* an operator may write this word too */

    if (parley_jwt_typ_parse(token, &typ) == 0) {
        check(typ.len >= 3 && memchr(typ.data, '/', typ.len) == NULL);
    }

    zero = memchr(token.data, 0, token.len);
    mine = (data[0] & 1) && zero != NULL;

    if (mine) {
        token = sign(&arena, &keys.keys[0],
                     parley_str_make(token.data,
                                     (size_t) (zero - token.data)),
                     parley_str_make(zero + 1,
                                     (size_t) (data + size - zero - 1)));
    }

    if (parley_jwt_verify(&keys, &arena, NULL, token, &jwt, &err) == 0) {
        check(mine);
        use(&arena, &jwt);

    } else {
        check(err.code == PARLEY_E_TOKEN_INVALID);
        check(jwt.claims.nodes == NULL);
    }

    parley_jwks_free(&keys);
    parley_arena_reset(&arena);

    return 0;
}
