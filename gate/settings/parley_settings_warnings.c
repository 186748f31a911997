/* Warnings of nginx -t about settings that are valid and probably a mistake. */

#include "translate/parley_codec.h"
#include "gate/settings/parley_jwt_conf.h"
#include "gate/settings/parley_settings_parts.h"


static void parley_settings_unheld(const parley_settings_env_t *env,
    const parley_settings_t *s, parley_problem_t *problem);
static void parley_settings_unserved(const parley_settings_env_t *env,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_problem_t *problem);
static void parley_settings_astray(const parley_settings_env_t *env,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_problem_t *problem);
static void parley_settings_keyless(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    parley_problem_t *problem);
static void parley_settings_clear(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, parley_directive_id_t by,
    parley_problem_t *problem);
static void parley_settings_unsigned(const parley_settings_env_t *env,
    const parley_settings_http_t *http, const parley_settings_t *s);
static void parley_settings_unsigned_read(const parley_settings_env_t *env,
    const parley_settings_http_t *http);
static void parley_settings_unsigned_warn(const parley_settings_env_t *env,
    const parley_settings_t *s, parley_directive_id_t by, parley_proto_t proto,
    const char *noun);
static int parley_settings_is_unsigned(const parley_settings_http_t *http,
    parley_proto_t to, parley_proto_set_t from);
static int parley_settings_has_keys(const parley_settings_http_t *http,
    parley_str_t issuer);


void
parley_settings_warnings(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, parley_directive_id_t by,
    parley_problem_t *problem)
{
    parley_settings_keyless(env, http, s, problem);
    parley_settings_clear(env, http, s, block, by, problem);
    parley_settings_unsigned(env, http, s);
    parley_settings_unheld(env, s, problem);
    parley_settings_unserved(env, s, block, problem);
    parley_settings_astray(env, s, block, problem);
    parley_settings_warnings_returns(env, s, block, by, problem);
}


void
parley_settings_warnings_returns(const parley_settings_env_t *env,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_directive_id_t by, parley_problem_t *problem)
{
    /* an inherited directive may be for other locations */

    if (!(block->returns || block->returned) || block->frame
        || !parley_settings_has(s, by))
    {
        return;
    }

    problem->where = s->where[by];

    (void) parley_problem(problem, "\"%s\" is in a %s with "
                          PARLEY_SETTINGS_RETURN ": no request reaches it",
                          parley_directives[by].name,
                          block->returned ? "server" : "location");
    parley_settings_warn(env, problem);
}


void
parley_settings_warnings_served(const parley_settings_env_t *env,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_directive_id_t by, parley_problem_t *problem)
{
    /* parley_keys does not require TLS */

    if (by == PARLEY_DIRECTIVE_KEYS || s->gate.trusted || !block->plain) {
        return;
    }

    problem->where = s->where[by];

    (void) parley_problem(problem, "\"%s\" is in a server that only listens "
                          "without TLS: every request is refused; "
                          PARLEY_SETTINGS_TLS, parley_directives[by].name);
    parley_settings_warn(env, problem);
}


void
parley_settings_warnings_proof(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, parley_directive_id_t by,
    parley_problem_t *problem)
{
    parley_settings_keyless(env, http, s, problem);
    parley_settings_clear(env, http, s, block, by, problem);
}


/* GW-28: warns of tickets= where no stream takes tickets. */

void
parley_settings_http_doubt(const parley_settings_env_t *env,
    const parley_settings_http_t *http)
{
    parley_problem_t          problem;
    const parley_jwt_conf_t  *jwt;

    for (jwt = http->tickets; jwt != NULL; jwt = jwt->next) {

        if (jwt->streams) {
            continue;
        }

        problem.where = jwt->where;

        (void) parley_problem(&problem, "\"parley_jwt\" has \"tickets=\" "
                              "without effect; expected \"parley_stream\" or "
                              "\"parley_websocket\" here, or in a nested "
                              "location without its own \"parley_jwt\"");
        parley_settings_warn(env, &problem);
    }

    if (http->shared_rates.line != 0 && http->store == NULL) {
        problem.where = http->shared_rates;

        (void) parley_problem(&problem, "\"parley_rate\" has \"shared=\", "
                              "which has no effect without \"parley_store\"");
        parley_settings_warn(env, &problem);
    }

    parley_settings_unused(env, http);
    parley_settings_warnings_rules(env, http);
    parley_settings_warnings_host(env, http);
    parley_settings_moq_endpoints(env, http);
    parley_settings_unsigned_read(env, http);
}


/*
 * GW-28, HUB-07: warns of hold= without effect: answers to frames come by
 * streams.
 */

static void
parley_settings_unheld(const parley_settings_env_t *env,
    const parley_settings_t *s, parley_problem_t *problem)
{
    if (s->submit == NULL || s->mcp != NULL || s->submit->hold == 0
        || s->gate.accept != PARLEY_PROTO_BIT(PARLEY_PROTO_STREAMS))
    {
        return;
    }

    problem->where = s->where[PARLEY_DIRECTIVE_SUBMIT];

    (void) parley_problem(problem, "\"parley_submit\" has \"hold=\" without "
                          "effect: answers to frames of agent-channel come by "
                          "streams");
    parley_settings_warn(env, problem);
}


/* Warns if messages that pass are not forwarded (SEC-07). */

static void
parley_settings_unserved(const parley_settings_env_t *env,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_problem_t *problem)
{
    int  named;

    if (s->submit != NULL || s->host != NULL || !block->unserved) {
        return;
    }

    problem->where = s->where[PARLEY_DIRECTIVE_ACCEPT];

    named = block->name.len > 0;

    (void) parley_problem(problem, "\"parley_accept\" of %s%.*s%s has no "
                          "content handler: no message is forwarded; expected "
                          "\"proxy_pass\", \"parley_submit\" or another",
                          named ? "location \"" : "a server",
                          (int) block->name.len,
                          (const char *) block->name.data, named ? "\"" : "");
    parley_settings_warn(env, problem);
}


static void
parley_settings_astray(const parley_settings_env_t *env,
    const parley_settings_t *s, const parley_block_facts_t *block,
    parley_problem_t *problem)
{
    /* GW-24 */

    if (block->error_location.len == 0) {
        return;
    }

    problem->where = s->where[PARLEY_DIRECTIVE_ACCEPT];

    (void) parley_problem(problem, "\"error_page\" of location \"%.*s\" leads "
                          "to \"%.*s\", which has no \"parley_accept\": no "
                          "message reaches it", (int) block->name.len,
                          (const char *) block->name.data,
                          (int) block->error_location.len,
                          (const char *) block->error_location.data);
    parley_settings_warn(env, problem);
}


/* Warns of an issuer without keys, once for each directive. */

static void
parley_settings_keyless(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    parley_problem_t *problem)
{
    size_t                i;
    parley_str_t          issuer;
    const parley_where_t  *where = &s->where[PARLEY_DIRECTIVE_JWT];

    if (s->jwt == NULL || parley_settings_is_same(&http->keyless, where)) {
        return;
    }

    for (i = 0; i < s->jwt->rules.nissuers; i++) {
        issuer = s->jwt->rules.issuers[i];

        if (parley_settings_has_keys(http, issuer)) {
            continue;
        }

        http->keyless = *where;
        problem->where = *where;

        (void) parley_problem(problem, "\"parley_jwt\" accepts the issuer "
                              "\"%.*s\", but no \"parley_jwks\" has its keys: "
                              "its tokens are refused",
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


/* Warns of tokens that come over plain HTTP, once for each directive. */

static void
parley_settings_clear(const parley_settings_env_t *env,
    parley_settings_http_t *http, const parley_settings_t *s,
    const parley_block_facts_t *block, parley_directive_id_t by,
    parley_problem_t *problem)
{
    if (s->jwt == NULL || s->gate.trusted || !block->plain
        || parley_settings_is_same(&http->plain, &s->where[by]))
    {
        return;
    }

    http->plain = s->where[by];
    problem->where = s->where[by];

    (void) parley_problem(problem, "\"%s\" has \"parley_jwt on\" in a server "
                          "that only listens without TLS: tokens come "
                          "unencrypted, and a message without a signature is "
                          "refused; " PARLEY_SETTINGS_TLS,
                          parley_directives[by].name);
    parley_settings_warn(env, problem);
}


/*
 * VCP-17: warns where the service gets unsigned messages of a protocol with
 * signatures, and where the caller gets such acknowledgments.
 */

static void
parley_settings_unsigned(const parley_settings_env_t *env,
    const parley_settings_http_t *http, const parley_settings_t *s)
{
    unsigned        i;
    parley_proto_t  speak = s->gate.speak;

    /* held requests: parley_settings_unsigned_read() */

    if (s->submit != NULL) {
        return;
    }

    if (parley_settings_is_unsigned(http, speak, s->gate.accept)) {
        parley_settings_unsigned_warn(env, s, PARLEY_DIRECTIVE_SPEAK, speak,
                                      "messages");
    }

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if ((s->gate.accept & PARLEY_PROTO_BIT(i))
            && parley_settings_is_unsigned(http, (parley_proto_t) i,
                                           PARLEY_PROTO_BIT(speak)))
        {
            parley_settings_unsigned_warn(env, s, PARLEY_DIRECTIVE_ACCEPT,
                                          (parley_proto_t) i,
                                          "acknowledgments");
        }
    }
}


/*
 * As parley_settings_unsigned(), for readers of publications and for held
 * requests.
 */

static void
parley_settings_unsigned_read(const parley_settings_env_t *env,
    const parley_settings_http_t *http)
{
    unsigned                  i;
    parley_proto_t            proto;
    const parley_settings_t  *s;

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        proto = (parley_proto_t) i;

        if (!parley_settings_is_unsigned(http, proto, http->published)) {
            continue;
        }

        s = http->listens[i];

        if (s != NULL) {
            parley_settings_unsigned_warn(env, s, s->websocket != NULL
                                                  ? PARLEY_DIRECTIVE_WEBSOCKET
                                                  : PARLEY_DIRECTIVE_STREAM,
                                          proto, "messages");
        }

        s = http->holds[i];

        if (s != NULL) {
            parley_settings_unsigned_warn(env, s, PARLEY_DIRECTIVE_SUBMIT,
                                          proto, "acknowledgments");
        }
    }
}


static void
parley_settings_unsigned_warn(const parley_settings_env_t *env,
    const parley_settings_t *s, parley_directive_id_t by, parley_proto_t proto,
    const char *noun)
{
    parley_problem_t  problem;

    problem.where = s->where[by];

    (void) parley_problem(&problem, "\"%s %s\" needs \"parley_signing_key\": "
                          "translated %s have no signature, which %s requires",
                          parley_directives[by].name,
                          (const char *) parley_proto_name(proto).data, noun,
                          (const char *) parley_proto_title(proto).data);
    parley_settings_warn(env, &problem);
}


/*
 * Returns whether messages of other protocols become unsigned messages of to.
 */

static int
parley_settings_is_unsigned(const parley_settings_http_t *http,
    parley_proto_t to, parley_proto_set_t from)
{
    unsigned  i;

    if (http->signing != NULL || !parley_codecs[to]->needs_signature) {
        return 0;
    }

    for (i = 0; i < PARLEY_PROTO_COUNT; i++) {
        if (i != to && (from & PARLEY_PROTO_BIT(i))) {
            return 1;
        }
    }

    return 0;
}
