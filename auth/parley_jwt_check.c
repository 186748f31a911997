/* Applies the rules of a location to a token, on every request. */

#include <stdio.h>
#include <string.h>

#include "auth/parley_jwt.h"
#include "auth/parley_jwt_error.h"
#include "auth/parley_jwt_typ.h"


static int
parley_jwt_among(parley_str_t s, const parley_str_t *list, size_t n)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        if (parley_str_eq(s, list[i])) {
            return 1;
        }
    }

    return 0;
}


static int
parley_jwt_string_among(const parley_json_t *claims, uint32_t node,
    const parley_str_t *list, size_t n)
{
    size_t  i;

    for (i = 0; i < n; i++) {
        if (parley_json_string_is(claims, node, list[i])) {
            return 1;
        }
    }

    return 0;
}


static int
parley_jwt_for_us(const parley_jwt_t *jwt, const parley_jwt_rules_t *rules)
{
    uint32_t              i;
    const parley_json_t  *claims;

    claims = &jwt->claims;

    if (jwt->aud == PARLEY_JSON_NONE) {
        return 0;
    }

    if (parley_json_type(claims, jwt->aud) == PARLEY_JSON_STRING) {
        return parley_jwt_string_among(claims, jwt->aud, rules->audiences,
                                       rules->naudiences);
    }

    for (i = parley_json_first(jwt->aud);
         i != parley_json_end(claims, jwt->aud);
         i = parley_json_after(claims, i))
    {
        if (parley_jwt_string_among(claims, i, rules->audiences,
                                    rules->naudiences))
        {
            return 1;
        }
    }

    return 0;
}


static int
parley_jwt_scalar_is(const parley_json_t *claims, uint32_t node,
    parley_str_t value)
{
    switch (parley_json_type(claims, node)) {

    case PARLEY_JSON_STRING:
        return parley_json_string_is(claims, node, value);

    case PARLEY_JSON_FALSE:
    case PARLEY_JSON_TRUE:
    case PARLEY_JSON_NUMBER:
        return parley_str_eq(parley_json_raw(claims, node), value);

    default:
        return 0;
    }
}


static int
parley_jwt_has(const parley_jwt_t *jwt, const parley_jwt_require_t *require)
{
    uint32_t              i, node;
    const parley_json_t  *claims;

    claims = &jwt->claims;
    node = parley_jwt_claim_node(jwt, require->name);

    if (node == PARLEY_JSON_NONE
        || parley_json_type(claims, node) == PARLEY_JSON_NULL)
    {
        return 0;
    }

    if (!require->has_value) {
        return 1;
    }

    if (parley_json_type(claims, node) != PARLEY_JSON_ARRAY) {
        return parley_jwt_scalar_is(claims, node, require->value);
    }

    for (i = parley_json_first(node); i != parley_json_end(claims, node);
         i = parley_json_after(claims, i))
    {
        if (parley_jwt_scalar_is(claims, i, require->value)) {
            return 1;
        }
    }

    return 0;
}


static int
parley_jwt_required(const parley_jwt_t *jwt, const parley_jwt_rules_t *rules,
    parley_error_t *err)
{
    char                         name[PARLEY_POINTER_MAX];
    size_t                       i;
    const parley_jwt_require_t  *r;

    for (i = 0; i < rules->nrequired; i++) {
        r = &rules->required[i];

        if (!parley_jwt_has(jwt, r)) {
            (void) snprintf(name, sizeof(name), "%.*s", (int) r->name.len,
                            (const char *) r->name.data);

            return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, name,
                                     "a required claim is missing or has "
                                     "another value");
        }
    }

    return 0;
}


/*
 * Refuses tokens of other kinds signed with the same keys, such as logout
 * tokens (RFC 8725 section 2.8).
 */

static int
parley_jwt_check_typ(const parley_jwt_t *jwt, const parley_jwt_rules_t *rules)
{
    if (rules->typ.len != 0) {
        return parley_str_eq_fold(jwt->typ, rules->typ);
    }

    return jwt->typ.len == 0
           || parley_str_eq_fold(jwt->typ, PARLEY_STR("JWT"))
           || parley_str_eq_fold(jwt->typ, PARLEY_STR("at+jwt"));
}


/* Requires a jti that a log and a revocation list can hold. */

static int
parley_jwt_check_jti(const parley_jwt_t *jwt, parley_error_t *err)
{
    size_t  i;

    if (jwt->iss.len == 0) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "iss",
                                 "the token has no issuer, and its id is "
                                 "unique only for an issuer");
    }

    if (jwt->jti.len == 0) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "jti",
                                 "the token has no id");
    }

    if (jwt->jti.len > PARLEY_JWT_JTI_MAX) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "jti",
                                 "the id is too long");
    }

    for (i = 0; i < jwt->jti.len; i++) {
        if (jwt->jti.data[i] <= 0x20 || jwt->jti.data[i] >= 0x7f) {
            return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "jti",
                                     "the id is not printable ASCII without "
                                     "spaces");
        }
    }

    return 0;
}


/* bounds the use of a stolen token */

static int
parley_jwt_outlives_max(const parley_jwt_t *jwt,
    const parley_jwt_rules_t *rules, int64_t now_ms)
{
    int64_t  from_ms, max;

    from_ms = now_ms;
    max = rules->max_lifetime;

    if (jwt->has_iat) {
        from_ms = jwt->iat_ms;

    } else {
        max += rules->leeway;
    }

    return rules->max_lifetime != 0 && jwt->exp_ms - from_ms > max * 1000;
}


/* Time is checked last: token-expired invites a retry with a new token. */

int
parley_jwt_check(const parley_jwt_t *jwt, const parley_jwt_rules_t *rules,
    int64_t now_ms, parley_error_t *err)
{
    int64_t  leeway_ms = rules->leeway * 1000;

    if (jwt->claims.nodes == NULL) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "",
                                 "the token is not verified");
    }

    if (!parley_jwt_check_typ(jwt, rules)) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "typ",
                                 "the token has another type than required");
    }

    if (rules->nissuers != 0
        && (jwt->iss.len == 0
            || !parley_jwt_among(jwt->iss, rules->issuers, rules->nissuers)))
    {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "iss",
                                 "the issuer is missing or not accepted here");
    }

    if (rules->naudiences != 0 && !parley_jwt_for_us(jwt, rules)) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "aud",
                                 "the token is for another audience");
    }

    if (parley_jwt_required(jwt, rules, err) != 0) {
        return -1;
    }

    if (rules->jti_required && parley_jwt_check_jti(jwt, err) != 0) {
        return -1;
    }

    if (!jwt->has_exp && (!rules->exp_optional || rules->max_lifetime != 0)) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "exp",
                                 "the token has no time of expiry");
    }

    if (parley_jwt_outlives_max(jwt, rules, now_ms)) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "exp",
                                 "the token has a longer lifetime than allowed "
                                 "here");
    }

    if (jwt->has_nbf && jwt->nbf_ms > now_ms + leeway_ms) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "nbf",
                                 "the token is not valid yet");
    }

    if (jwt->has_iat && jwt->iat_ms > now_ms + leeway_ms) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "iat",
                                 "the token was issued in the future");
    }

    if (jwt->has_exp && now_ms >= jwt->exp_ms + leeway_ms) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_EXPIRED, "exp",
                                 "the token has expired");
    }

    return 0;
}


int
parley_jwt_check_binding(const parley_jwt_t *jwt, const uint8_t *print,
    parley_error_t *err)
{
    if (!jwt->bound) {
        return 0;
    }

    if (print == NULL) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "cnf",
                                 "the token is bound to a client certificate, "
                                 "and the connection has none");
    }

    return memcmp(print, jwt->certificate, sizeof(jwt->certificate)) == 0 ? 0
           : parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "cnf",
                               "the token is bound to another client "
                               "certificate");
}


int64_t
parley_jwt_expires(const parley_jwt_t *jwt, const parley_jwt_rules_t *rules)
{
    return jwt->has_exp ? jwt->exp_ms + rules->leeway * 1000 : INT64_MAX;
}
