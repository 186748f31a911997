/*
 * What may be as it stands, and hardly is what the operator wants: nginx -t
 * warns of it.
 */

#include "parley_directive.h"


static void parley_settings_keyless(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    parley_problem_t *problem);
static int parley_settings_has_keys(const parley_settings_http_t *http,
    parley_str_t issuer);


void
parley_settings_doubt(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, parley_problem_t *problem)
{
    parley_settings_keyless(env, http, s, problem);

    /* GW-24 */

    if (block->astray.len == 0) {
        return;
    }

    problem->where = s->where[PARLEY_DIRECTIVE_ACCEPT];

    (void) parley_problem(problem, "\"error_page\" of location \"%.*s\" leads "
                          "to \"%.*s\", which has no \"parley_accept\": no "
                          "message gets there", (int) block->name.len,
                          (const char *) block->name.data,
                          (int) block->astray.len,
                          (const char *) block->astray.data);
    parley_settings_warn(env, problem);
}


/* Of an issuer without keys no token verifies: once of each directive. */

static void
parley_settings_keyless(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    parley_problem_t *problem)
{
    size_t                i;
    parley_str_t          issuer;
    const parley_where_t  *where = &s->where[PARLEY_DIRECTIVE_JWT];

    if (s->jwt == NULL
        || (where->line == http->keyless.line
            && parley_str_eq(where->file, http->keyless.file)))
    {
        return;
    }

    for (i = 0; i < s->jwt->rules.nissuers; i++) {
        issuer = s->jwt->rules.issuers[i];

        if (parley_settings_has_keys(http, issuer)) {
            continue;
        }

        http->keyless = *where;
        problem->where = *where;

        (void) parley_problem(problem, "\"parley_jwt\" takes tokens of the "
                              "issuer \"%.*s\", and no \"parley_jwks\" has "
                              "keys of it: none verifies",
                              issuer.len < 128 ? (int) issuer.len : 128,
                              (const char *) issuer.data);
        parley_settings_warn(env, problem);
    }
}


static int
parley_settings_has_keys(const parley_settings_http_t *http,
    parley_str_t issuer)
{
    size_t               i;
    const parley_jwk_t  *jwk;

    if (http->jwks_uri.len > 0
        && (http->jwks_issuer.len == 0
            || parley_str_eq(http->jwks_issuer, issuer)))
    {
        return 1;
    }

    for (i = 0; http->jwks != NULL && i < http->jwks->n; i++) {
        jwk = &http->jwks->keys[i];

        if (jwk->verifies != 0
            && (jwk->issuer.len == 0 || parley_str_eq(jwk->issuer, issuer)))
        {
            return 1;
        }
    }

    return 0;
}


void
parley_settings_warn(const parley_settings_env_t *env,
    const parley_problem_t *problem)
{
    if (env->warn != NULL) {
        env->warn(env->ctx, problem);
    }
}
