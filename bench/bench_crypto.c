/*
 * Cases: signatures and tokens, and the bare verification of each for
 * comparison.
 */

#include <openssl/evp.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_pure.h"
#include "core/parley_base64.h"
#include "auth/parley_directory.h"
#include "gate/settings/parley_identities.h"
#include "auth/parley_jwt.h"
#include "auth/parley_principal.h"
#include "auth/parley_signature.h"
#include "auth/parley_token_cache.h"


static parley_str_t         bench_body;
static parley_str_t         bench_canonical;
static parley_jwks_t        bench_keys;
static uint8_t              bench_signature[crypto_sign_BYTES];
static uint8_t              bench_public[crypto_sign_PUBLICKEYBYTES];

static parley_str_t         bench_token;
static parley_str_t         bench_signed;
static uint8_t              bench_rsa[1024];
static size_t               bench_rsa_len;
static parley_directory_t  *bench_directory;
static parley_token_cache_t  *bench_tokens;
static parley_jwt_rules_t   bench_rules;


static void bench_prepare_signature(const bench_case_t *c);
static void bench_prepare_token(const bench_case_t *c);
static int bench_run_ed25519(void);
static int bench_run_signature(void);
static int bench_run_rs256(void);
static int bench_run_first(void);
static int bench_run_again(void);


const bench_case_t  bench_crypto_cases[] = {
    { "ed25519-verify", 2, "vcp-signed", 0, bench_prepare_signature,
      bench_run_ed25519 },
    { "signature", 2, "vcp-signed", 0, bench_prepare_signature,
      bench_run_signature },
    { "rs256-verify", 4, NULL, 0, bench_prepare_token, bench_run_rs256 },
    { "token-first", 4, NULL, 0, bench_prepare_token, bench_run_first },
    { "token-again", 20, NULL, 0, bench_prepare_token, bench_run_again },
    { NULL, 0, NULL, 0, NULL, NULL }
};


static void
bench_prepare_signature(const bench_case_t *c)
{
    size_t                n;
    uint8_t               secret[crypto_sign_SECRETKEYBYTES];
    parley_str_t          text;
    static parley_jwk_t   key;
    static parley_arena_t arena;

    bench_body = bench_make(c, &bench_canonical, &text);

    parley_arena_reset(&arena);
    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (bench_read(bench_body, PARLEY_PROTO_VCP) != 0
        || parley_jwk_parse(&arena, bench_file("sender.pub.jwk"), &key,
                            &bench_request.err)
           != 0
        || sodium_base642bin(bench_signature, sizeof(bench_signature),
                             (const char *) text.data, text.len, NULL, &n,
                             NULL, sodium_base64_VARIANT_ORIGINAL)
           != 0
        || crypto_sign_seed_keypair(bench_public, secret,
                                    bench_file("seed").data)
           != 0)
    {
        bench_die(c->name);
    }

    bench_keys.keys = &key;
    bench_keys.n = 1;
}


static int
bench_run_ed25519(void)
{
    return crypto_sign_verify_detached(bench_signature, bench_canonical.data,
                                       bench_canonical.len, bench_public);
}


static int
bench_run_signature(void)
{
    parley_str_t         input;
    bench_request_t     *r;
    const parley_jwk_t  *key;

    r = &bench_request;

    if (parley_signing_input(&r->arena, PARLEY_PROTO_VCP, &r->doc, &input,
                             &r->err)
        != 0)
    {
        return -1;
    }

    return parley_signature_verify(&bench_keys, r->msg.sig.alg,
                                   r->msg.sig.kid, input, r->msg.sig.value,
                                   0, &key, &r->err);
}


static void
bench_prepare_token(const bench_case_t *c)
{
    size_t                     i, dot;
    static parley_arena_t      arena;
    parley_token_cache_conf_t  conf;

    static const parley_str_t  issuer = parley_str("https://id.example");
    static const parley_str_t  audience = parley_str("agents");

    parley_arena_init(&arena, &parley_mem_libc, 0);
    memset(&conf, 0, sizeof(parley_token_cache_conf_t));

    bench_token = bench_file("token");
    bench_token.len--;
    bench_tokens = parley_token_cache_create(&parley_mem_libc, &conf);

    bench_rules.issuers = &issuer;
    bench_rules.nissuers = 1;
    bench_rules.audiences = &audience;
    bench_rules.naudiences = 1;

    dot = 0;

    for (i = 0; i < bench_token.len; i++) {
        if (bench_token.data[i] == '.') {
            dot = i;
        }
    }

    bench_signed = parley_str_make(bench_token.data, dot);

    if (bench_tokens == NULL
        || parley_jwks_parse(&arena, bench_file("jwks.json"), &bench_keys,
                             &bench_request.err)
           != 0
        || parley_directory_parse(&arena, bench_file("identities.json"),
                                  parley_identities_party,
                                  &bench_directory, &bench_request.err)
           != 0
        || sodium_base642bin(bench_rsa, sizeof(bench_rsa),
                             (const char *) bench_token.data + dot + 1,
                             bench_token.len - dot - 1, NULL, &bench_rsa_len,
                             NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING)
           != 0)
    {
        bench_die(c->name);
    }
}


/* Verifies as in OpenSSL's documentation, with a key that was read before. */

static int
bench_run_rs256(void)
{
    int          rc;
    EVP_MD_CTX  *ctx;

    ctx = EVP_MD_CTX_new();

    rc = ctx != NULL
         && EVP_DigestVerifyInit(ctx, NULL, EVP_sha256(), NULL,
                                 bench_keys.keys[0].pkey)
            == 1
         && EVP_DigestVerify(ctx, bench_rsa, bench_rsa_len, bench_signed.data,
                             bench_signed.len)
            == 1;

    EVP_MD_CTX_free(ctx);

    return rc ? 0 : -1;
}


/* Does the gateway's work for a token that it does not know yet. */

static int
bench_run_first(void)
{
    parley_jwt_t           jwt;
    parley_error_t        *err;
    parley_arena_t        *arena;
    parley_principal_t    *principal;
    parley_token_entry_t  *entry;

    err = &bench_request.err;
    arena = &bench_request.arena;

    entry = parley_token_cache_get(bench_tokens, bench_token, 1, 1);

    if (entry != NULL) {
        parley_token_cache_drop(bench_tokens, entry);
    }

    parley_arena_reset(arena);

    if (parley_token_cache_get(bench_tokens, bench_token, 1, 1) != NULL
        || parley_jwt_verify(&bench_keys, arena, NULL, bench_token, &jwt, err)
           != 0)
    {
        return -1;
    }

    entry = parley_token_cache_put(bench_tokens, &jwt, 1, 1, 60);
    if (entry == NULL) {
        return -1;
    }

    principal = parley_arena_calloc(&entry->arena,
                                    sizeof(parley_principal_t));

    if (principal == NULL
        || parley_principal_from_claims(&entry->arena, &entry->jwt, NULL,
                                        bench_directory, principal, err)
           != 0)
    {
        return -1;
    }

    return parley_jwt_check(&entry->jwt, &bench_rules, jwt.iat_ms, err);
}


static int
bench_run_again(void)
{
    parley_token_entry_t  *entry;

    entry = parley_token_cache_get(bench_tokens, bench_token, 1, 1);

    if (entry == NULL) {
        return bench_run_first();
    }

    return parley_jwt_check(&entry->jwt, &bench_rules, entry->jwt.iat_ms,
                            &bench_request.err);
}
