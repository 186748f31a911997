#include <string.h>

#include "core/parley_base64.h"
#include "core/parley_buf.h"
#include "core/parley_jcs.h"
#include "auth/parley_jwt.h"
#include "auth/parley_jwt_claims.h"
#include "auth/parley_jwt_error.h"


/* characters of a SHA-256 in base64url */
#define PARLEY_JWT_PRINT_TEXT  43


static int
parley_jwt_string(parley_jwt_t *jwt, parley_str_t name, const char *text,
    parley_str_t *ret, parley_error_t *err)
{
    uint32_t  node;

    node = parley_json_get(&jwt->claims, 0, name);

    if (node == PARLEY_JSON_NONE) {
        return 0;
    }

    if (parley_json_type(&jwt->claims, node) != PARLEY_JSON_STRING) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, text,
                                 "the claim is not a string");
    }

    if (parley_json_string(&jwt->claims, node, ret) != 0) {
        return parley_error_memory(err);
    }

    return 0;
}


/*
 * Reads jti.  A malformed one is not an error here: rules that require jti
 * refuse it.
 */

static int
parley_jwt_id(parley_jwt_t *jwt, parley_error_t *err)
{
    uint32_t  node;

    node = parley_json_get(&jwt->claims, 0, PARLEY_STR("jti"));

    if (node != PARLEY_JSON_NONE
        && parley_json_type(&jwt->claims, node) == PARLEY_JSON_STRING
        && parley_json_string(&jwt->claims, node, &jwt->jti) != 0)
    {
        return parley_error_memory(err);
    }

    return 0;
}


/*
 * Reads a NumericDate, seconds within 1970 to 9999, possibly with a fraction.
 * Digits beyond milliseconds are cut off.  The product can be up to 0.03 ms
 * too small (in 9999), so that 0.04 ms are added before.
 */

static int
parley_jwt_date(parley_jwt_t *jwt, parley_str_t name, const char *text,
    int64_t *ret, int *ret_has, parley_error_t *err)
{
    double    d;
    uint32_t  node;

    *ret_has = 0;

    node = parley_json_get(&jwt->claims, 0, name);

    if (node == PARLEY_JSON_NONE) {
        return 0;
    }

    if (parley_json_type(&jwt->claims, node) != PARLEY_JSON_NUMBER) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, text,
                                 "the claim is not a number");
    }

    d = parley_json_number(&jwt->claims, node);

    if (!(d >= 0 && d <= (double) PARLEY_JWT_DATE_MAX)) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, text,
                                 "the date is out of range");
    }

    *ret = (int64_t) (d * 1000 + 0.04);
    *ret_has = 1;

    return 0;
}


static int
parley_jwt_audience(parley_jwt_t *jwt, parley_error_t *err)
{
    uint32_t  i, node;

    node = parley_json_get(&jwt->claims, 0, PARLEY_STR("aud"));
    jwt->aud = node;

    if (node == PARLEY_JSON_NONE
        || parley_json_type(&jwt->claims, node) == PARLEY_JSON_STRING)
    {
        return 0;
    }

    if (parley_json_type(&jwt->claims, node) == PARLEY_JSON_ARRAY) {

        for (i = parley_json_first(node);
             i != parley_json_end(&jwt->claims, node);
             i = parley_json_after(&jwt->claims, i))
        {
            if (parley_json_type(&jwt->claims, i) != PARLEY_JSON_STRING) {
                break;
            }
        }

        if (i == parley_json_end(&jwt->claims, node)) {
            return 0;
        }
    }

    return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "aud",
                             "the claim is not a string or an array of "
                             "strings");
}


/* Splits text at spaces (RFC 8693 section 4.2). */

static int
parley_jwt_scope_words(parley_jwt_t *jwt, parley_str_t text, const char *name,
    parley_error_t *err)
{
    parley_str_t  word;

    while ((word = parley_str_word(&text)).len > 0) {
        if (jwt->nscopes == PARLEY_JWT_SCOPES_MAX) {
            return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, name,
                                     "too many scopes");
        }

        jwt->scopes[jwt->nscopes++] = word;
    }

    return 0;
}


/* Returns an upper bound of the scopes in a string or an array of strings. */

static size_t
parley_jwt_scope_bound(const parley_jwt_t *jwt, uint32_t node)
{
    size_t  n;

    if (node == PARLEY_JSON_NONE) {
        return 0;
    }

    n = parley_json_node(&jwt->claims, node)->len / 2 + 1;

    return n < PARLEY_JWT_SCOPES_MAX ? n : PARLEY_JWT_SCOPES_MAX;
}


static int
parley_jwt_scope_claim(parley_jwt_t *jwt, uint32_t node, const char *name,
    parley_error_t *err)
{
    uint32_t      i, end;
    parley_str_t  text;

    if (node == PARLEY_JSON_NONE) {
        return 0;
    }

    i = node;
    end = parley_json_after(&jwt->claims, node);

    if (parley_json_type(&jwt->claims, node) == PARLEY_JSON_ARRAY) {
        i = parley_json_first(node);
    }

    for ( /* void */ ; i != end; i = parley_json_after(&jwt->claims, i)) {

        if (parley_json_type(&jwt->claims, i) != PARLEY_JSON_STRING) {
            return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, name,
                                     "the claim is not a string or an array of "
                                     "strings");
        }

        if (parley_json_string(&jwt->claims, i, &text) != 0) {
            return parley_error_memory(err);
        }

        if (parley_jwt_scope_words(jwt, text, name, err) != 0) {
            return -1;
        }
    }

    return 0;
}


static int
parley_jwt_scopes(parley_jwt_t *jwt, parley_arena_t *arena,
    parley_error_t *err)
{
    size_t    n;
    uint32_t  scope, scp;

    scope = parley_json_get(&jwt->claims, 0, PARLEY_STR("scope"));
    scp = parley_json_get(&jwt->claims, 0, PARLEY_STR("scp"));

    n = parley_jwt_scope_bound(jwt, scope) + parley_jwt_scope_bound(jwt, scp);

    if (n == 0) {
        return 0;
    }

    jwt->scopes = parley_arena_alloc(arena, n * sizeof(parley_str_t));

    if (jwt->scopes == NULL) {
        return parley_error_memory(err);
    }

    if (parley_jwt_scope_claim(jwt, scope, "scope", err) != 0) {
        return -1;
    }

    return parley_jwt_scope_claim(jwt, scp, "scp", err);
}


/*
 * Reads the confirmation claim (RFC 7800, RFC 8705).  Only x5t#S256 is
 * supported.  Any other method (jkt of RFC 9449, jwk) binds the token too, so
 * that it is refused.
 */

static int
parley_jwt_binding(parley_jwt_t *jwt, parley_error_t *err)
{
    size_t         len;
    uint8_t        print[PARLEY_BASE64_DECODED(PARLEY_JWT_PRINT_TEXT + 1)];
    uint32_t       cnf, node;
    parley_str_t   text;
    parley_json_t *claims = &jwt->claims;

    cnf = parley_json_get(claims, 0, PARLEY_STR("cnf"));

    if (cnf == PARLEY_JSON_NONE) {
        return 0;
    }

    node = parley_json_type(claims, cnf) == PARLEY_JSON_OBJECT
           ? parley_json_get(claims, cnf, PARLEY_STR("x5t#S256"))
           : PARLEY_JSON_NONE;

    if (node == PARLEY_JSON_NONE || parley_json_first(cnf) + 1 != node
        || parley_json_after(claims, node) != parley_json_end(claims, cnf)) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "cnf",
                                 "the token has a binding that is not "
                                 "supported, only a certificate's x5t#S256 is");
    }

    text = parley_str_none;

    if (parley_json_type(claims, node) == PARLEY_JSON_STRING
        && parley_json_string(claims, node, &text) != 0)
    {
        return parley_error_memory(err);
    }

    if (text.len != PARLEY_JWT_PRINT_TEXT
        || parley_base64url_decode(text, print, &len) != 0
        || len != sizeof(jwt->certificate))
    {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "cnf",
                                 "x5t#S256 is not a SHA-256 in base64url");
    }

    memcpy(jwt->certificate, print, sizeof(jwt->certificate));
    jwt->bound = 1;

    return 0;
}


int
parley_jwt_claims_read(parley_jwt_t *jwt, parley_arena_t *arena,
    parley_error_t *err)
{
    int  exp, nbf, iat;

    jwt->act = parley_json_get(&jwt->claims, 0, PARLEY_STR("act"));

    if (parley_jwt_string(jwt, PARLEY_STR("iss"), "iss", &jwt->iss, err) != 0
        || parley_jwt_string(jwt, PARLEY_STR("sub"), "sub", &jwt->sub, err)
           != 0
        || parley_jwt_id(jwt, err) != 0
        || parley_jwt_binding(jwt, err) != 0
        || parley_jwt_audience(jwt, err) != 0
        || parley_jwt_date(jwt, PARLEY_STR("exp"), "exp", &jwt->exp_ms,
                           &exp, err)
           != 0
        || parley_jwt_date(jwt, PARLEY_STR("nbf"), "nbf", &jwt->nbf_ms,
                           &nbf, err)
           != 0
        || parley_jwt_date(jwt, PARLEY_STR("iat"), "iat", &jwt->iat_ms,
                           &iat, err)
           != 0)
    {
        return -1;
    }

    jwt->has_exp = exp != 0;
    jwt->has_nbf = nbf != 0;
    jwt->has_iat = iat != 0;

    return parley_jwt_scopes(jwt, arena, err);
}


uint32_t
parley_jwt_claim_node(const parley_jwt_t *jwt, parley_str_t name)
{
    if (jwt->claims.nodes == NULL) {
        return PARLEY_JSON_NONE;
    }

    if (name.len != 0 && name.data[0] == '/') {
        return parley_json_resolve(&jwt->claims, 0, name);
    }

    return parley_json_get(&jwt->claims, 0, name);
}


int
parley_jwt_claim(const parley_jwt_t *jwt, parley_arena_t *arena,
    parley_str_t name, parley_str_t *ret)
{
    uint32_t           node;
    parley_buf_t       b;
    parley_json_t      doc;
    parley_json_ref_t  ref;

    *ret = parley_str_none;

    node = parley_jwt_claim_node(jwt, name);

    if (node == PARLEY_JSON_NONE) {
        return -1;
    }

    /* unescaped strings must go to the caller's arena */

    doc = jwt->claims;
    doc.arena = arena;

    switch (parley_json_type(&doc, node)) {

    case PARLEY_JSON_NULL:
        return -1;

    case PARLEY_JSON_STRING:
        return parley_json_string(&doc, node, ret);

    case PARLEY_JSON_ARRAY:
    case PARLEY_JSON_OBJECT:
        ref.doc = &doc;
        ref.node = node;

        parley_buf_init(&b, arena, parley_json_node(&doc, node)->len + 1);
        parley_jcs_write(&b, ref, parley_str_none);

        return parley_buf_done(&b, ret);

    default: /* PARLEY_JSON_FALSE, PARLEY_JSON_TRUE, PARLEY_JSON_NUMBER */
        *ret = parley_json_raw(&doc, node);
        return 0;
    }
}


/* Rebases a span of old to its copy; a span elsewhere is copied. */

static int
parley_jwt_move(parley_arena_t *arena, parley_str_t old, const uint8_t *copy,
    parley_str_t s, parley_str_t *ret)
{
    uintptr_t  at, begin;

    at = (uintptr_t) s.data;
    begin = (uintptr_t) old.data;

    if (s.len != 0 && at >= begin && at < begin + old.len) {
        *ret = parley_str_make(copy + (at - begin), s.len);
        return 0;
    }

    if (s.len == 0) {
        *ret = parley_str_none;
        return 0;
    }

    return parley_arena_str(arena, s, ret);
}


static int
parley_jwt_copy_all(const parley_jwt_t *jwt, parley_arena_t *arena,
    parley_jwt_t *ret)
{
    size_t               i;
    parley_str_t         input;
    parley_json_node_t  *nodes;

    if (parley_arena_str(arena, jwt->token, &ret->token) != 0
        || parley_arena_str(arena, jwt->kid, &ret->kid) != 0
        || parley_arena_str(arena, jwt->typ, &ret->typ) != 0
        || parley_arena_str(arena, jwt->claims.input, &input) != 0)
    {
        return -1;
    }

    nodes = parley_arena_alloc(arena, jwt->claims.nnodes
                                      * sizeof(parley_json_node_t));
    ret->scopes = parley_arena_alloc(arena, (jwt->nscopes + 1)
                                            * sizeof(parley_str_t));

    if (nodes == NULL || ret->scopes == NULL) {
        return -1;
    }

    memcpy(nodes, jwt->claims.nodes,
           jwt->claims.nnodes * sizeof(parley_json_node_t));

    ret->claims.input = input;
    ret->claims.nodes = nodes;
    ret->claims.arena = arena;

    for (i = 0; i < jwt->nscopes; i++) {
        if (parley_jwt_move(arena, jwt->claims.input, input.data,
                            jwt->scopes[i], &ret->scopes[i])
            != 0)
        {
            return -1;
        }
    }

    if (parley_jwt_move(arena, jwt->claims.input, input.data, jwt->iss,
                        &ret->iss)
        != 0
        || parley_jwt_move(arena, jwt->claims.input, input.data, jwt->jti,
                           &ret->jti)
           != 0)
    {
        return -1;
    }

    return parley_jwt_move(arena, jwt->claims.input, input.data, jwt->sub,
                           &ret->sub);
}


int
parley_jwt_copy(const parley_jwt_t *jwt, parley_arena_t *arena,
    parley_jwt_t *ret)
{
    *ret = *jwt;

    if (parley_jwt_copy_all(jwt, arena, ret) != 0) {
        memset(ret, 0, sizeof(parley_jwt_t));
        ret->aud = PARLEY_JSON_NONE;

        return -1;
    }

    return 0;
}
