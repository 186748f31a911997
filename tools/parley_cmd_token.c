/* parley token verify. */

#include <string.h>

#include "auth/parley_jwt.h"
#include "tools/parley_tool.h"


typedef struct {
    parley_jwks_t           keys;
    parley_jwt_rules_t      rules;
    parley_str_t           *issuers;
    parley_str_t           *audiences;
    parley_jwt_require_t   *required;
    int64_t                 now_ms;
} parley_token_t;


static int tool_token_verify_run(parley_tool_t *tool);
static int tool_token_verify_init(parley_tool_t *tool, parley_token_t *t);
static int tool_token_words(parley_tool_t *tool, const char *option,
    parley_str_t **ret, size_t *n);
static int tool_token_required(parley_tool_t *tool, parley_token_t *t);
static int tool_token_verify_one(parley_tool_t *tool, parley_input_t *in,
    void *ctx);


static const parley_option_t  parley_token_verify_options[] = {
    { "keys", 0, "FILE", "the issuer's keys: a JWKS, or one JWK", 0 },
    { "typ", 0, "T", "the type that it must say, such as at+jwt", 0 },
    { "iss", 0, "I", "an issuer that will do; may be repeated", 1 },
    { "aud", 0, "A", "an audience that will do; may be repeated", 1 },
    { "leeway", 0, "TIME", "how far clocks may differ (default 0)", 0 },
    { "max-lifetime", 0, "TIME", "how long it may live, from iat to exp", 0 },
    { "require-jti", 0, NULL, "it must have an id and an issuer", 0 },
    { "require", 0, "NAME[=V]", "a claim that must be there, with this "
      "value", 1 },
    { "no-exp", 0, NULL, "a token that never expires will do", 0 },
    { "at", 0, "WHEN", "the time to judge by (default: now)", 0 },
    PARLEY_OPTIONS_TOKEN,
    tool_option_end
};


const parley_command_t  parley_cmd_token_verify = {
    .name = "token verify",
    .operands = "[FILE...]",
    .max = -1,
    .summary = "Verifies a token as the gateway does, and prints its claims",
    .text = "A TIME is 90, 30s, 5m, 1h30m; WHEN is seconds since 1970, an RFC "
            "3339 timestamp,\nor a time from now: +1h, -30s.\n",
    .options = parley_token_verify_options,
    .run = tool_token_verify_run
};


static int
tool_token_verify_run(parley_tool_t *tool)
{
    int             status;
    const char     *path;
    parley_token_t  t;

    memset(&t, 0, sizeof(t));

    if (tool_option_required(tool, "keys", &path) != 0
        || tool_token_verify_init(tool, &t) != 0
        || tool_file_keys(tool, path, &t.keys) != 0)
    {
        return PARLEY_EXIT_USAGE;
    }

    status = tool_token_each(tool, tool_token_verify_one, &t);

    parley_jwks_free(&t.keys);

    return status;
}


static int
tool_token_verify_init(parley_tool_t *tool, parley_token_t *t)
{
    const char  *value;

    if (tool_token_words(tool, "iss", &t->issuers, &t->rules.nissuers) != 0
        || tool_token_words(tool, "aud", &t->audiences,
                            &t->rules.naudiences)
           != 0
        || tool_token_required(tool, t) != 0)
    {
        return -1;
    }

    t->rules.issuers = t->issuers;
    t->rules.audiences = t->audiences;
    t->rules.required = t->required;
    t->rules.exp_optional = tool_option(tool, "no-exp") != NULL;
    t->rules.jti_required = tool_option(tool, "require-jti") != NULL;

    value = tool_option(tool, "typ");

    if (value != NULL
        && parley_jwt_typ_parse(parley_str_c(value), &t->rules.typ) != 0)
    {
        return tool_say_usage(tool, "--typ: \"%s\" is neither JWT nor a "
                              "name that ends in +jwt", value);
    }

    value = tool_option(tool, "max-lifetime");

    if (value != NULL
        && tool_option_duration("max-lifetime", value, 1, INT32_MAX,
                                &t->rules.max_lifetime)
           != 0)
    {
        return -1;
    }

    if (t->rules.exp_optional && t->rules.max_lifetime != 0) {
        return tool_say_usage(tool, "--no-exp goes not with "
                              "--max-lifetime");
    }

    t->now_ms = tool_host_ms();
    value = tool_option(tool, "at");

    if (value != NULL
        && tool_option_time("at", value, t->now_ms, &t->now_ms) != 0)
    {
        return -1;
    }

    value = tool_option(tool, "leeway");

    if (value != NULL
        && tool_option_duration("leeway", value, 0, 86400,
                                &t->rules.leeway)
           != 0)
    {
        return -1;
    }

    return 0;
}


static int
tool_token_words(parley_tool_t *tool, const char *option,
    parley_str_t **ret, size_t *n)
{
    size_t       i;
    const char  *value;

    *n = 0;
    *ret = parley_arena_calloc(&tool->arena,
                               (tool->ngiven + 1) * sizeof(parley_str_t));

    if (*ret == NULL) {
        tool_say("out of memory");
        return -1;
    }

    i = 0;

    while ((value = tool_option_next(tool, option, &i)) != NULL) {
        (*ret)[(*n)++] = parley_str_c(value);
    }

    return 0;
}


static int
tool_token_required(parley_tool_t *tool, parley_token_t *t)
{
    size_t                 i, n, len;
    parley_str_t          *words;
    parley_jwt_require_t  *require;

    if (tool_token_words(tool, "require", &words, &n) != 0) {
        return -1;
    }

    t->required = parley_arena_calloc(&tool->arena,
                                      (n + 1) * sizeof(*require));
    if (t->required == NULL) {
        tool_say("out of memory");
        return -1;
    }

    for (i = 0; i < n; i++) {
        require = &t->required[i];
        len = strcspn((const char *) words[i].data, "=");

        require->name = parley_str_make(words[i].data, len);

        if (len < words[i].len) {
            require->has_value = 1;
            require->value = parley_str_from(words[i], len + 1);
        }
    }

    t->rules.nrequired = n;

    return 0;
}


static int
tool_token_verify_one(parley_tool_t *tool, parley_input_t *in, void *ctx)
{
    parley_buf_t           b;
    parley_jwt_t           jwt;
    parley_str_t           token, text;
    parley_token_t        *t = ctx;
    parley_jwt_options_t   options = { PARLEY_JWT_TOKEN_CAP, tool->seed };

    token = tool_token_trim(in->text);

    if (parley_jwt_verify(&t->keys, in->arena, &options, token, &jwt,
                          &in->err)
        != 0
        || parley_jwt_check(&jwt, &t->rules, t->now_ms, &in->err) != 0)
    {
        return tool_output_error(tool, in);
    }

    if (tool->json) {
        tool_output_begin(&b, in, 1);
        parley_buf_member(&b, PARLEY_STR("alg"),
                          parley_alg_get(jwt.alg)->name);
        parley_buf_member(&b, PARLEY_STR("kid"), jwt.kid);
        parley_buf_lit(&b, ",\"claims\":");
        parley_buf_str(&b, jwt.claims.input);
        tool_output_end(&b);
        return PARLEY_EXIT_OK;
    }

    parley_buf_init(&b, in->arena, 1024);
    tool_output_pretty(&b, &jwt.claims, 0, 0);

    if (parley_buf_done(&b, &text) != 0) {
        (void) parley_error_memory(&in->err);
        return tool_output_error(tool, in);
    }

    tool_output_json(text);

    return PARLEY_EXIT_OK;
}
