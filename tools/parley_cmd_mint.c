/* parley token mint: tokens for tests and for small installations. */

#include <stdio.h>
#include <string.h>

#include "auth/parley_jwt.h"
#include "tools/parley_tool.h"


#define PARLEY_MINT_LIFETIME      3600
#define PARLEY_MINT_LIFETIME_MAX  ((int64_t) 36500 * 24 * 3600)


static int tool_mint_run(parley_tool_t *tool);
static int tool_mint_token(parley_tool_t *tool, parley_jwk_t *key,
    int *ret_status);
static int tool_mint_alg(const parley_tool_t *tool,
    const parley_jwk_t *key, parley_alg_id_t *ret);
static int tool_mint_claims(parley_tool_t *tool, parley_str_t *ret);
static int tool_mint_times(parley_tool_t *tool, parley_buf_t *b);
static void tool_mint_audience(const parley_tool_t *tool, parley_buf_t *b);
static int tool_mint_claim(parley_tool_t *tool, parley_buf_t *b,
    const char *text);


static const parley_option_t  parley_mint_options[] = {
    { "key", 0, "FILE", "the issuer's private key, a JWK", 0 },
    { "alg", 0, "A", "RS256, PS256, ES256, EdDSA, ... (default: the key's)",
      0 },
    { "typ", 0, "T", "its type: JWT (the default), at+jwt, ...", 0 },
    { "sub", 0, "S", "the principal", 0 },
    { "iss", 0, "I", "the issuer", 0 },
    { "aud", 0, "A", "an audience; may be repeated", 1 },
    { "scope", 0, "S", "scopes, separated by spaces", 0 },
    { "exp", 0, "TIME", "how long it is good: 90, 30s, 5m, 1h (default)", 0 },
    { "exp-at", 0, "WHEN", "when it expires", 0 },
    { "no-exp", 0, NULL, "it does not expire", 0 },
    { "nbf", 0, "WHEN", "when it begins", 0 },
    { "iat", 0, "WHEN", "when it was made (default: now)", 0 },
    { "jti", 0, "ID", "its id", 0 },
    { "claim", 0, "NAME=VALUE",
    "another claim: JSON, or text if it is not JSON;\nmay be repeated", 1 },
    tool_option_end
};


const parley_command_t  parley_cmd_token_mint = {
    .name = "token mint",
    .operands = "",
    .max = 0,
    .summary = "Makes a token (JWT)",
    .text = "WHEN is seconds since 1970, an RFC 3339 timestamp, or a time "
            "from\nnow: +1h, -30s.\n",
    .options = parley_mint_options,
    .run = tool_mint_run
};


static int
tool_mint_run(parley_tool_t *tool)
{
    int           status;
    const char   *path, *sub;
    parley_jwk_t  key;

    if (tool_option_required(tool, "key", &path) != 0
        || tool_option_required(tool, "sub", &sub) != 0
        || tool_file_key(tool, path, 1, &key) != 0)
    {
        return PARLEY_EXIT_USAGE;
    }

    if (tool_mint_token(tool, &key, &status) != 0) {
        status = PARLEY_EXIT_USAGE;
    }

    parley_jwk_free(&key);

    return status;
}


static int
tool_mint_token(parley_tool_t *tool, parley_jwk_t *key, int *ret_status)
{
    const char      *value;
    parley_str_t     typ, claims, token;
    parley_error_t   err;
    parley_alg_id_t  alg;

    typ = PARLEY_STR("JWT");
    value = tool_option(tool, "typ");

    if (value != NULL && parley_jwt_typ_parse(parley_str_c(value), &typ) != 0)
    {
        return tool_say_usage(tool, "--typ: \"%s\" is neither JWT nor a "
                              "name that ends in +jwt", value);
    }

    if (tool_mint_alg(tool, key, &alg) != 0
        || tool_mint_claims(tool, &claims) != 0)
    {
        return -1;
    }

    parley_error_clear(&err);

    if (parley_jwt_mint(key, alg, &tool->arena, typ, claims, &token, &err)
        != 0)
    {
        tool_say_error("token mint", &err);
        return -1;
    }

    tool_output_line(token);
    *ret_status = PARLEY_EXIT_OK;

    return 0;
}


/*
 * Chooses the algorithm: --alg, else the alg of the key, else the first
 * algorithm that the key allows.
 */
static int
tool_mint_alg(const parley_tool_t *tool, const parley_jwk_t *key,
    parley_alg_id_t *ret)
{
    unsigned             i;
    const char          *value;
    const parley_alg_t  *alg;

    value = tool_option(tool, "alg");

    if (value != NULL) {
        alg = parley_alg_find(parley_str_c(value));

        if (alg == NULL || !(key->signs & PARLEY_ALG_BIT(alg->id))) {
            tool_say("--alg: this key cannot sign with \"%s\"", value);
            return -1;
        }

        *ret = alg->id;
        return 0;
    }

    if (key->alg >= 0) {
        *ret = (parley_alg_id_t) key->alg;
        return 0;
    }

    for (i = 0; !(key->signs & PARLEY_ALG_BIT(i)); i++) { /* void */ }

    *ret = (parley_alg_id_t) i;

    return 0;
}


static int
tool_mint_claims(parley_tool_t *tool, parley_str_t *ret)
{
    size_t           i;
    const char      *value;
    parley_buf_t     b;
    parley_json_t    doc;
    parley_error_t   err;

    static const char *const  texts[] = { "sub", "iss", "scope", "jti" };

    parley_buf_init(&b, &tool->arena, 1024);
    parley_buf_octet(&b, '{');

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        value = tool_option(tool, texts[i]);

        if (value != NULL) {
            parley_buf_member(&b, parley_str_c(texts[i]),
                              parley_str_c(value));
        }
    }

    tool_mint_audience(tool, &b);

    if (tool_mint_times(tool, &b) != 0) {
        return -1;
    }

    i = 0;

    while ((value = tool_option_next(tool, "claim", &i)) != NULL) {
        if (tool_mint_claim(tool, &b, value) != 0) {
            return -1;
        }
    }

    parley_buf_octet(&b, '}');

    if (parley_buf_done(&b, ret) != 0) {
        tool_say("out of memory");
        return -1;
    }

    parley_error_clear(&err);

    /* refuses two claims with one name, and octets that are not UTF-8 */

    if (parley_json_read(&doc, &tool->arena, NULL, tool->seed, *ret, &err)
        != 0)
    {
        tool_say_error("claims", &err);
        return -1;
    }

    return 0;
}


static void
tool_mint_audience(const parley_tool_t *tool, parley_buf_t *b)
{
    size_t       i, n;
    const char  *value;

    for (i = 0, n = 0; tool_option_next(tool, "aud", &i) != NULL; n++) {
        /* void */
    }

    if (n == 0) {
        return;
    }

    parley_buf_name(b, PARLEY_STR("aud"));

    if (n == 1) {
        parley_buf_json_string(b, parley_str_c(tool_option(tool, "aud")));
        return;
    }

    parley_buf_octet(b, '[');

    for (i = 0, n = 0;
         (value = tool_option_next(tool, "aud", &i)) != NULL;
         n++)
    {
        if (n > 0) {
            parley_buf_octet(b, ',');
        }

        parley_buf_json_string(b, parley_str_c(value));
    }

    parley_buf_octet(b, ']');
}


static int
tool_mint_times(parley_tool_t *tool, parley_buf_t *b)
{
    int          forms;
    int64_t      now, t;
    const char  *exp, *exp_at, *no_exp, *value;

    now = tool_host_ms();

    exp = tool_option(tool, "exp");
    exp_at = tool_option(tool, "exp-at");
    no_exp = tool_option(tool, "no-exp");

    forms = (exp != NULL) + (exp_at != NULL) + (no_exp != NULL);

    if (forms > 1) {
        tool_say_usage(tool, "--exp, --exp-at and --no-exp exclude each "
                       "other");
        return -1;
    }

    value = tool_option(tool, "iat");
    t = now;

    if (value != NULL && tool_option_time("iat", value, now, &t) != 0) {
        return -1;
    }

    parley_buf_name(b, PARLEY_STR("iat"));
    parley_buf_int(b, t / 1000);

    value = tool_option(tool, "nbf");

    if (value != NULL) {
        if (tool_option_time("nbf", value, now, &t) != 0) {
            return -1;
        }

        parley_buf_name(b, PARLEY_STR("nbf"));
        parley_buf_int(b, t / 1000);
    }

    t = PARLEY_MINT_LIFETIME;           /* seconds */

    if (exp != NULL
        && tool_option_duration("exp", exp, -PARLEY_MINT_LIFETIME_MAX,
                                PARLEY_MINT_LIFETIME_MAX, &t)
           != 0)
    {
        return -1;
    }

    t = now + t * 1000;

    if (exp_at != NULL
        && tool_option_time("exp-at", exp_at, now, &t) != 0)
    {
        return -1;
    }

    if (no_exp == NULL) {
        parley_buf_name(b, PARLEY_STR("exp"));
        parley_buf_int(b, t / 1000);
    }

    return 0;
}


static int
tool_mint_claim(parley_tool_t *tool, parley_buf_t *b, const char *text)
{
    size_t          len;
    parley_str_t    value;
    parley_json_t   doc;
    parley_error_t  err;

    len = strcspn(text, "=");

    if (len == 0 || text[len] != '=') {
        tool_say_usage(tool, "--claim: \"%s\" is not NAME=VALUE", text);
        return -1;
    }

    value = parley_str_c(text + len + 1);

    parley_buf_octet(b, ',');
    parley_buf_json_string(b, parley_str_make(text, len));
    parley_buf_octet(b, ':');

    parley_error_clear(&err);

    if (parley_json_read(&doc, &tool->arena, NULL, tool->seed, value, &err)
        == 0)
    {
        parley_buf_str(b, value);

    } else {
        parley_buf_json_string(b, value);
    }

    return 0;
}
