/* Tokens: verification, claims, creation. */

#include <stdlib.h>
#include <string.h>

#include "lib/parley_lib.h"


static int parley_lib_token_check(parley_token *token, const parley_keys *keys,
    uint64_t seed, parley_str_t text, const parley_token_rules *asked,
    parley_error_t *error);
static int parley_lib_token_signs(const parley_jwk_t *key);


int
parley_token_new(parley_library *library, const parley_keys *keys,
    const char *text, size_t len, const parley_token_rules *rules,
    parley_token **ret, parley_failure *err)
{
    parley_str_t     copy;
    parley_token    *token;
    parley_error_t   error;

    *ret = NULL;

    token = calloc(1, sizeof(parley_token));

    if (token == NULL) {
        (void) parley_error_memory(&error);
        return parley_lib_fail(&error, err);
    }

    parley_arena_init(&token->arena, &parley_mem_libc, 0);

    if (parley_arena_str(&token->arena, parley_str_make(text, len), &copy)
        != 0)
    {
        (void) parley_error_memory(&error);

    } else if (parley_lib_token_check(token, keys, library->seed, copy, rules,
                                      &error)
               == 0)
    {
        *ret = token;
        return 0;
    }

    parley_token_free(token);

    return parley_lib_fail(&error, err);
}


static int
parley_lib_token_check(parley_token *token, const parley_keys *keys,
    uint64_t seed, parley_str_t text, const parley_token_rules *asked,
    parley_error_t *error)
{
    int64_t               now;
    parley_str_t          issuer, audience;
    parley_jwt_rules_t    rules;
    parley_jwt_options_t  options;

    memset(&rules, 0, sizeof(parley_jwt_rules_t));
    memset(&options, 0, sizeof(parley_jwt_options_t));

    options.seed = seed;
    now = 0;

    if (asked != NULL) {
        now = asked->now;
        rules.leeway = asked->leeway < PARLEY_JWT_DATE_MAX
                       ? asked->leeway : PARLEY_JWT_DATE_MAX;

        if (asked->issuer != NULL) {
            issuer = parley_str_c(asked->issuer);
            rules.issuers = &issuer;
            rules.nissuers = 1;
        }

        if (asked->audience != NULL) {
            audience = parley_str_c(asked->audience);
            rules.audiences = &audience;
            rules.naudiences = 1;
        }
    }

    if (parley_jwt_verify(&keys->jwks, &token->arena, &options, text,
                          &token->jwt, error)
        != 0)
    {
        return -1;
    }

    return parley_jwt_check(&token->jwt, &rules,
                            now != 0 ? now * 1000 : parley_lib_now(), error);
}


parley_text
parley_token_claim(parley_token *token, const char *name)
{
    parley_str_t  value;

    if (parley_jwt_claim(&token->jwt, &token->arena, parley_str_c(name),
                         &value)
        != 0)
    {
        value = parley_str_none;
    }

    return parley_lib_text(&token->arena, value);
}


void
parley_token_free(parley_token *token)
{
    if (token != NULL) {
        parley_arena_reset(&token->arena);
        free(token);
    }
}


int
parley_token_make(parley_library *library, const parley_keys *keys,
    const char *kid, const char *claims, size_t len, parley_made **ret,
    parley_failure *err)
{
    unsigned             alg;
    parley_made         *made;
    parley_str_t         text;
    parley_json_t        doc;
    parley_error_t       error;
    const parley_jwk_t  *key;

    *ret = NULL;

    key = parley_lib_key(keys, kid, parley_lib_token_signs);

    if (key == NULL) {
        (void) parley_error_set(&error, PARLEY_E_KEY_UNKNOWN, NULL,
                                "no key with this id can sign tokens");
        return parley_lib_fail(&error, err);
    }

    made = parley_lib_made_new();

    if (made == NULL) {
        (void) parley_error_memory(&error);
        return parley_lib_fail(&error, err);
    }

    for (alg = key->alg >= 0 ? (unsigned) key->alg : 0;
         !(key->signs & PARLEY_ALG_BIT(alg));
         alg++)
    { /* void */ }

    text = parley_str_make(claims, len);

    if (parley_json_read(&doc, &made->arena, NULL, library->seed, text,
                         &error)
        != 0)
    {
        parley_made_free(made);
        return parley_lib_fail(&error, err);
    }

    if (parley_json_type(&doc, 0) != PARLEY_JSON_OBJECT) {
        parley_made_free(made);
        (void) parley_error_set(&error, PARLEY_E_FIELD_INVALID, NULL,
                                "claims are an object");
        return parley_lib_fail(&error, err);
    }

    if (parley_jwt_mint(key, (parley_alg_id_t) alg, &made->arena,
                        PARLEY_STR("JWT"), text, &text, &error)
        != 0)
    {
        parley_made_free(made);
        return parley_lib_fail(&error, err);
    }

    return parley_lib_made(made, text, ret, err);
}


static int
parley_lib_token_signs(const parley_jwk_t *key)
{
    return key->is_private && key->signs != 0;
}
