#include <string.h>

#include "core/parley_base64.h"
#include "auth/parley_jws.h"
#include "auth/parley_jwt.h"
#include "auth/parley_jwt_claims.h"
#include "auth/parley_jwt_error.h"
#include "auth/parley_jwt_typ.h"


#define PARLEY_JWT_HEADER_DEPTH  8


typedef struct {
    parley_str_t  header;       /* parts in base64url */
    parley_str_t  payload;
    parley_str_t  signature;
    parley_str_t  signed_part;  /* header "." payload */
} parley_jwt_parts_t;


static void parley_jwt_claimed_text(const parley_json_t *doc,
    parley_str_t name, parley_str_t *ret);


static int
parley_jwt_split(parley_str_t token, size_t max, parley_jwt_parts_t *parts,
    parley_error_t *err)
{
    const uint8_t  *p, *first, *second, *end;

    if (token.len == 0) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "",
                                 "the token is empty");
    }

    if (token.len > max) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "",
                                 "the token is too long");
    }

    p = token.data;
    end = p + token.len;
    second = NULL;

    first = memchr(p, '.', token.len);

    if (first != NULL) {
        second = memchr(first + 1, '.', (size_t) (end - first - 1));
    }

    if (second == NULL
        || memchr(second + 1, '.', (size_t) (end - second - 1)) != NULL)
    {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "",
                                 "the token does not have three parts");
    }

    parts->header = parley_str_make(p, (size_t) (first - p));
    parts->payload = parley_str_make(first + 1, (size_t) (second - first - 1));
    parts->signature = parley_str_make(second + 1,
                                       (size_t) (end - second - 1));
    parts->signed_part = parley_str_make(p, (size_t) (second - p));

    return 0;
}


/* Decodes one part and parses the JSON object in it. */

static int
parley_jwt_object(parley_arena_t *arena, uint64_t seed, uint32_t depth,
    parley_str_t part, parley_json_t *doc, const char *text,
    parley_error_t *err)
{
    size_t                len;
    uint8_t              *p;
    parley_json_limits_t  limits;

    p = parley_arena_octets(arena, PARLEY_BASE64_DECODED(part.len));

    if (p == NULL) {
        return parley_error_memory(err);
    }

    if (parley_base64url_decode(part, p, &len) != 0) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "", text);
    }

    limits.octets = len;
    limits.depth = depth;
    limits.string = (uint32_t) len;
    limits.members = parley_json_limits_default.members;

    if (parley_json_read(doc, arena, &limits, seed, parley_str_make(p, len),
                         err)
        != 0)
    {
        if (err->code == PARLEY_E_CAPACITY) {
            return -1;
        }

        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "", text);
    }

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "", text);
    }

    return 0;
}


/* Checks syntax only; which type a location accepts is a rule. */

static int
parley_jwt_typ(const parley_json_t *header, parley_str_t *ret,
    parley_error_t *err)
{
    uint32_t      node;
    parley_str_t  typ;

    *ret = parley_str_none;
    node = parley_json_get(header, 0, PARLEY_STR("typ"));

    if (node == PARLEY_JSON_NONE) {
        return 0;
    }

    if (parley_json_type(header, node) != PARLEY_JSON_STRING) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "typ",
                                 "the type is not a string");
    }

    if (parley_json_string(header, node, &typ) != 0) {
        return parley_error_memory(err);
    }

    *ret = parley_jwt_typ_bare(typ);

    if (ret->len == 0 || ret->len > PARLEY_JWT_TYP_MAX) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "typ",
                                 "the type is empty or too long");
    }

    return 0;
}


/* Reads alg and kid; members that carry keys are ignored. */

static int
parley_jwt_header(const parley_json_t *header, const parley_alg_t **ret_alg,
    parley_str_t *ret_kid, int *ret_has_kid, parley_error_t *err)
{
    uint32_t      node;
    parley_str_t  name;

    if (parley_json_get(header, 0, PARLEY_STR("crit")) != PARLEY_JSON_NONE) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "crit",
                                 "critical extensions are not supported");
    }

    node = parley_json_get(header, 0, PARLEY_STR("alg"));

    if (node == PARLEY_JSON_NONE
        || parley_json_type(header, node) != PARLEY_JSON_STRING)
    {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "alg",
                                 "the algorithm is missing or not a string");
    }

    if (parley_json_string(header, node, &name) != 0) {
        return parley_error_memory(err);
    }

    *ret_alg = parley_alg_find(name);

    if (*ret_alg == NULL) {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "alg",
                                 "the algorithm is not accepted here");
    }

    *ret_kid = parley_str_none;
    node = parley_json_get(header, 0, PARLEY_STR("kid"));
    *ret_has_kid = node != PARLEY_JSON_NONE;

    if (!*ret_has_kid) {
        return 0;
    }

    if (parley_json_type(header, node) != PARLEY_JSON_STRING
        || parley_json_node(header, node)->len == 0)
    {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "kid",
                                 "the key id is empty or not a string");
    }

    if (parley_json_string(header, node, ret_kid) != 0) {
        return parley_error_memory(err);
    }

    return 0;
}


/*
 * Selects the key by kid, or the only one for alg.  The token chooses among
 * keys, never the algorithms of a key.
 */

static const parley_jwk_t *
parley_jwt_key(const parley_jwks_t *keys, parley_str_t issuer,
    const parley_alg_t *alg, parley_str_t kid, int has_kid, int *ret_unknown,
    parley_error_t *err)
{
    int                  known;
    size_t               n;
    const parley_jwk_t  *jwk;

    *ret_unknown = 0;

    if (has_kid) {
        jwk = parley_jwks_find(keys, issuer, kid, alg->id, &known);

        if (jwk == NULL) {
            *ret_unknown = !known;
            (void) parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID,
                                     known ? "alg" : "kid",
                                     known ? "the key does not allow this "
                                             "algorithm"
                                           : "the key is unknown");
        }

        return jwk;
    }

    jwk = parley_jwks_only(keys, issuer, alg->id, &n);

    if (jwk == NULL) {
        (void) parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID,
                                 n == 0 ? "alg" : "kid",
                                 n == 0 ? "no key allows this algorithm"
                                        : "the token must name its key, as "
                                          "several allow this algorithm");
    }

    return jwk;
}


static int
parley_jwt_signature(const parley_jwk_t *jwk, const parley_alg_t *alg,
    const parley_jwt_parts_t *parts, parley_error_t *err)
{
    size_t   len;
    uint8_t  sig[PARLEY_BASE64_DECODED(PARLEY_JWS_SIGNATURE_MAX / 3 * 4 + 4)];

    if (PARLEY_BASE64_DECODED(parts->signature.len) > sizeof(sig)
        || parley_base64url_decode(parts->signature, sig, &len) != 0
        || parley_jws_verify(jwk, alg->id, parts->signed_part,
                             parley_str_make(sig, len))
           != 0)
    {
        return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "",
                                 "the signature does not verify");
    }

    return 0;
}


/*
 * Reads the unverified issuer of the token, which selects the keys.  The
 * signature covers the octets that are read here.
 */

static int
parley_jwt_issuer(const parley_jwks_t *keys, parley_arena_t *arena,
    uint64_t seed, const parley_jwt_parts_t *parts, parley_jwt_t *jwt,
    parley_str_t *ret, parley_error_t *err)
{
    size_t    i;
    uint32_t  node;

    *ret = parley_str_none;

    for (i = 0; i < keys->n && keys->keys[i].issuer.len == 0; i++) {
        /* void */
    }

    if (i == keys->n) {
        return 0;
    }

    if (parley_jwt_object(arena, seed, parley_json_limits_default.depth,
                          parts->payload, &jwt->claims,
                          "the claims are not a JSON object", err)
        != 0)
    {
        return -1;
    }

    node = parley_json_get(&jwt->claims, 0, PARLEY_STR("iss"));

    if (node == PARLEY_JSON_NONE
        || parley_json_type(&jwt->claims, node) != PARLEY_JSON_STRING)
    {
        return 0;
    }

    return parley_json_string(&jwt->claims, node, ret) == 0
           ? 0 : parley_error_memory(err);
}


static int
parley_jwt_read(const parley_jwks_t *keys, parley_arena_t *arena,
    const parley_jwt_options_t *options, parley_str_t token,
    parley_jwt_t *jwt, int *ret_unknown, parley_error_t *err)
{
    int                  has_kid;
    size_t               max;
    uint64_t             seed;
    parley_str_t         kid, issuer;
    parley_json_t        header;
    parley_jwt_parts_t   parts;
    const parley_alg_t  *alg;
    const parley_jwk_t  *jwk;

    max = PARLEY_JWT_TOKEN_MAX;
    seed = 0;
    alg = NULL;
    has_kid = 0;

    if (options != NULL) {
        seed = options->seed;

        if (options->token_max != 0) {
            max = options->token_max;
        }
    }

    if (parley_jwt_split(token, max, &parts, err) != 0
        || parley_jwt_object(arena, seed, PARLEY_JWT_HEADER_DEPTH,
                             parts.header, &header,
                             "the header is not a JSON object", err)
           != 0
        || parley_jwt_typ(&header, &jwt->typ, err) != 0
        || parley_jwt_header(&header, &alg, &kid, &has_kid, err) != 0
        || parley_jwt_issuer(keys, arena, seed, &parts, jwt, &issuer, err)
           != 0)
    {
        return -1;
    }

    jwk = parley_jwt_key(keys, issuer, alg, kid, has_kid, ret_unknown, err);

    if (jwk == NULL || parley_jwt_signature(jwk, alg, &parts, err) != 0) {
        return -1;
    }

    jwt->token = token;
    jwt->alg = alg->id;
    jwt->any_issuer = jwk->issuer.len == 0;

    if (parley_arena_str(arena, jwk->kid, &jwt->kid) != 0) {
        return parley_error_memory(err);
    }

    if (jwt->claims.nodes == NULL
        && parley_jwt_object(arena, seed, parley_json_limits_default.depth,
                             parts.payload, &jwt->claims,
                             "the claims are not a JSON object", err)
           != 0)
    {
        return -1;
    }

    return parley_jwt_claims_read(jwt, arena, err);
}


int
parley_jwt_verify(const parley_jwks_t *keys, parley_arena_t *arena,
    const parley_jwt_options_t *options, parley_str_t token,
    parley_jwt_t *jwt, parley_error_t *err)
{
    int  unknown;

    memset(jwt, 0, sizeof(parley_jwt_t));
    jwt->aud = PARLEY_JSON_NONE;
    unknown = 0;

    if (parley_jwt_read(keys, arena, options, token, jwt, &unknown, err) != 0)
    {
        memset(jwt, 0, sizeof(parley_jwt_t));
        jwt->aud = PARLEY_JSON_NONE;
        jwt->key_unknown = unknown != 0;

        return -1;
    }

    return 0;
}


void
parley_jwt_claimed(parley_arena_t *arena, uint64_t seed, parley_str_t token,
    parley_str_t *ret_kid, parley_str_t *ret_iss)
{
    parley_json_t       doc;
    parley_error_t      err;
    parley_jwt_parts_t  parts;

    *ret_kid = parley_str_none;
    *ret_iss = parley_str_none;

    if (parley_jwt_split(token, PARLEY_JWT_TOKEN_CAP, &parts, &err) != 0) {
        return;
    }

    if (parley_jwt_object(arena, seed, PARLEY_JWT_HEADER_DEPTH, parts.header,
                          &doc, "", &err)
        == 0)
    {
        parley_jwt_claimed_text(&doc, PARLEY_STR("kid"), ret_kid);
    }

    if (parley_jwt_object(arena, seed, parley_json_limits_default.depth,
                          parts.payload, &doc, "", &err)
        == 0)
    {
        parley_jwt_claimed_text(&doc, PARLEY_STR("iss"), ret_iss);
    }
}


static void
parley_jwt_claimed_text(const parley_json_t *doc, parley_str_t name,
    parley_str_t *ret)
{
    uint32_t  node;

    node = parley_json_get(doc, 0, name);

    if (node != PARLEY_JSON_NONE
        && parley_json_type(doc, node) == PARLEY_JSON_STRING
        && parley_json_string(doc, node, ret) != 0)
    {
        *ret = parley_str_none;
    }
}
