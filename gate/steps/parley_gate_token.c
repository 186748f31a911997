/*
 * The token of the step PROOF.  It is found and verified, and its principal is
 * looked up.  The cache keeps only the result of the verification.
 * parley_gate_token_check() makes the checks that each message needs.
 */

#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_jwt_conf.h"
#include "auth/parley_token_cache.h"
#include "gate/party/parley_verified.h"
#include "http/parley_header.h"
#include "gate/settings/parley_settings.h"


/* seconds that a token without exp stays in the cache */
#define PARLEY_GATE_TOKEN_TTL  60

/* milliseconds between fetches if no keys are loaded */
#define PARLEY_GATE_NO_KEYS    1000


/* principal of a token; data of its cache entry */
typedef struct {
    parley_principal_t     principal;
    parley_account_kept_t  account;
} parley_gate_bearer_t;


typedef struct {
    parley_str_t  name;         /* name of a cookie */
    parley_str_t  value;        /* value of the last header field */
    unsigned      n;
} parley_gate_found_t;


static parley_step_result_t parley_gate_token_find(parley_gate_t *g,
    parley_str_t *ret);
static int parley_gate_token_place(parley_gate_t *g,
    const parley_token_place_t *place, parley_str_t *ret);
static int parley_gate_token_several(parley_gate_t *g,
    const parley_token_place_t **ret_place, parley_str_t *ret);
static int parley_gate_token_header(parley_gate_t *g, parley_str_t *ret);
static int parley_gate_token_field(parley_gate_t *g,
    const parley_token_place_t *place, parley_str_t *ret);
static void parley_gate_token_count(void *data, parley_str_t value);
static int parley_gate_token_cookie(parley_gate_t *g,
    const parley_token_place_t *place, parley_str_t *ret);
static void parley_gate_token_cookies(void *data, parley_str_t value);
static parley_step_result_t parley_gate_token_keys(parley_gate_t *g,
    parley_str_t token);
static parley_token_entry_t *parley_gate_token_cached(parley_gate_t *g,
    const parley_keys_t *keys, parley_str_t token);
static uint64_t parley_gate_token_number(const parley_gate_t *g,
    const parley_keys_t *keys);
static int parley_gate_token_verify(parley_gate_t *g,
    const parley_keys_t *keys, parley_str_t token);
static int parley_gate_token_keep(parley_gate_t *g, const parley_jwt_t *jwt,
    uint64_t number);
static int parley_gate_token_own(parley_gate_t *g, const parley_jwt_t *jwt);
static int parley_gate_token_principal(parley_gate_t *g,
    parley_token_entry_t *entry);
static void parley_gate_token_is(parley_gate_t *g,
    parley_token_entry_t *entry);
static int parley_gate_token_check(parley_gate_t *g);


parley_step_result_t
parley_gate_token(parley_gate_t *g)
{
    parley_str_t          token;
    parley_step_result_t  result;

    if (g->conf.s->jwt == NULL) {
        return PARLEY_RESULT_NONE;
    }

    result = parley_gate_token_find(g, &token);

    if (result == PARLEY_RESULT_PASSED) {
        g->proof.shown = token;
        result = parley_gate_token_keys(g, token);
    }

    return result == PARLEY_RESULT_PASSED && parley_gate_token_check(g) != 0
           ? parley_gate_disproved(g) : result;
}


static parley_step_result_t
parley_gate_token_find(parley_gate_t *g, parley_str_t *ret)
{
    int                          rc;
    const parley_token_place_t  *place;

    *ret = parley_str_none;

    /* the token that opened the WebSocket, which may have come in a ticket */

    if (g->in.framed && g->in.supplied_token.len > 0) {
        *ret = g->in.supplied_token;
        return PARLEY_RESULT_PASSED;
    }

    if (parley_gate_ticket_token(g, ret) != 0) {
        return parley_gate_disproved(g);
    }

    if (ret->len > 0) {
        return PARLEY_RESULT_PASSED;
    }

    place = &g->conf.s->jwt->place;

    rc = place->source == PARLEY_TOKEN_SEVERAL
         ? parley_gate_token_several(g, &place, ret)
         : parley_gate_token_place(g, place, ret);

    if (rc == 0 && place->source == PARLEY_TOKEN_COOKIE && ret->len > 0) {
        rc = parley_gate_origin(g);
    }

    if (rc != 0) {
        return g->err->code == PARLEY_E_NONE ? PARLEY_RESULT_FAILED
                                             : PARLEY_RESULT_REFUSED;
    }

    if (g->in.supplied_token.len > 0) {
        *ret = g->in.supplied_token;
    }

    if (ret->len == 0 && g->proof.holder != NULL
        && g->conf.gate->certificate == PARLEY_DEMAND_OPTIONAL)
    {
        return PARLEY_RESULT_NONE;
    }

    return ret->len > 0 ? PARLEY_RESULT_PASSED
           : parley_step_result(parley_error_set(g->err, PARLEY_E_TOKEN_MISSING,
                                                 NULL,
                                                 "a bearer token is required"));
}


/*
 * Reads the token in a place; empty: none.  Returns 0, or -1 with g->err, which
 * is unset if nginx failed.
 */

static int
parley_gate_token_place(parley_gate_t *g, const parley_token_place_t *place,
    parley_str_t *ret)
{
    switch (place->source) {

    case PARLEY_TOKEN_HEADER:
        return parley_gate_token_header(g, ret);

    case PARLEY_TOKEN_FIELD:
        return parley_gate_token_field(g, place, ret);

    case PARLEY_TOKEN_ARGUMENT:
        return parley_gate_message_token(g, ret);

    case PARLEY_TOKEN_COOKIE:
        return parley_gate_token_cookie(g, place, ret);

    default: /* PARLEY_TOKEN_VARIABLE */
        return g->env->value(g, &place->value, ret);
    }
}


/*
 * Reads the token in one of several places, and sets *ret_place to its place.
 * Two tokens are refused: the service might read the one that was not verified.
 */

static int
parley_gate_token_several(parley_gate_t *g,
    const parley_token_place_t **ret_place, parley_str_t *ret)
{
    size_t                    i;
    parley_str_t              token;
    const parley_jwt_conf_t  *jwt = g->conf.s->jwt;

    for (i = 0; i < jwt->nplaces; i++) {
        token = parley_str_none;

        if (parley_gate_token_place(g, &jwt->places[i], &token) != 0) {
            return -1;
        }

        if (token.len > 0 && ret->len > 0) {
            return parley_error_set(g->err, PARLEY_E_TOKEN_INVALID, NULL,
                                    "the request has two tokens; expected "
                                    "one");
        }

        if (token.len > 0) {
            *ret = token;
            *ret_place = &jwt->places[i];
        }
    }

    return 0;
}


/*
 * Reads the field Authorization (RFC 6750, section 2.1).  Two fields are
 * refused, because it is unclear which one is meant.
 */

static int
parley_gate_token_header(parley_gate_t *g, parley_str_t *ret)
{
    parley_str_t         s;
    parley_gate_found_t  found = { parley_str_none, parley_str_none, 0 };

    static const parley_str_t  bearer = parley_str("Bearer");

    g->env->headers(g, PARLEY_STR("authorization"), parley_gate_token_count,
                    &found);

    if (found.n > 1) {
        return parley_error_set(g->err, PARLEY_E_TOKEN_INVALID, NULL,
                                "more than one Authorization header");
    }

    s = found.value;

    if (s.len < bearer.len
        || !parley_str_eq_fold(parley_str_make(s.data, bearer.len), bearer))
    {
        return 0;
    }

    s = parley_str_from(s, bearer.len);

    /* a lenient service may end the scheme at any octet outside of names */

    if (s.len > 0
        && (parley_is_alnum(s.data[0])
            || memchr("!#$%&'*+-.^_`|~", s.data[0], 15) != NULL))
    {
        return 0;
    }

    while (s.len > 0 && s.data[0] == ' ') {
        s = parley_str_from(s, 1);
    }

    *ret = s;

    return 0;
}


/*
 * Reads a token that is the whole value of a header field.  Two such fields are
 * refused: the service might read the one that was not verified.
 */

static int
parley_gate_token_field(parley_gate_t *g, const parley_token_place_t *place,
    parley_str_t *ret)
{
    parley_gate_found_t  found = { parley_str_none, parley_str_none, 0 };

    g->env->headers(g, place->name, parley_gate_token_count, &found);

    if (!parley_str_eq(place->name, place->alias)) {
        g->env->headers(g, place->alias, parley_gate_token_count, &found);
    }

    if (found.n > 1) {
        return parley_error_set(g->err, PARLEY_E_TOKEN_INVALID, NULL,
                                "more than one header of the token's name");
    }

    *ret = found.value;

    return 0;
}


static void
parley_gate_token_count(void *data, parley_str_t value)
{
    parley_gate_found_t *found = data;

    found->value = value;
    found->n++;
}


/*
 * Reads a token in a cookie.  Two cookies are refused, because RFC 6265 does
 * not define their order.
 */

static int
parley_gate_token_cookie(parley_gate_t *g, const parley_token_place_t *place,
    parley_str_t *ret)
{
    parley_gate_found_t  found = { place->name, parley_str_none, 0 };

    g->env->headers(g, PARLEY_STR("cookie"), parley_gate_token_cookies,
                    &found);

    if (found.n > 1) {
        return parley_error_set(g->err, PARLEY_E_TOKEN_INVALID, NULL,
                                "more than one cookie of the token's name");
    }

    return g->env->value(g, &place->value, ret);
}


static void
parley_gate_token_cookies(void *data, parley_str_t value)
{
    parley_gate_found_t *found = data;

    found->n += parley_header_cookies(value, found->name);
}


parley_step_result_t
parley_gate_token_known(parley_gate_t *g)
{
    parley_str_t          token;
    parley_keys_t         keys;
    parley_step_result_t  result;

    result = parley_gate_token_find(g, &token);
    parley_error_clear(g->err);

    keys.set = NULL;

    if (result != PARLEY_RESULT_PASSED) {
        return result;
    }

    if (g->env->keys(g, 0, &keys) == 0 && keys.set->keys != NULL
        && parley_gate_token_cached(g, &keys, token) != NULL)
    {
        return PARLEY_RESULT_PASSED;
    }

    switch (parley_verified_get(&g->ask, token)) {

    case 1:
        return PARLEY_RESULT_PASSED;

    case PARLEY_WAIT:
        return PARLEY_RESULT_WAIT;

    default:
        return PARLEY_RESULT_REFUSED;
    }
}


int
parley_gate_token_record(parley_gate_t *g)
{
    int64_t              ttl;
    const parley_jwt_t  *jwt = g->who->jwt;

    if (g->conf.gate->failures.interval_us == 0) {
        return 0;
    }

    ttl = jwt->has_exp
          ? parley_jwt_expires(jwt, g->proof.rules) - g->env->now(g)
          : PARLEY_VERIFIED_TTL;

    return parley_verified_put(&g->ask, jwt->token, ttl);
}


static parley_token_entry_t *
parley_gate_token_cached(parley_gate_t *g, const parley_keys_t *keys,
    parley_str_t token)
{
    return g->in.tokens == NULL ? NULL
           : parley_token_cache_get(g->in.tokens, token,
                                    parley_gate_token_number(g, keys),
                                    g->env->now(g));
}


/*
 * Numbers a set of keys and a map of claims.  The principal of a token depends
 * on both.
 */

static uint64_t
parley_gate_token_number(const parley_gate_t *g, const parley_keys_t *keys)
{
    return keys->number << 16
           | (g->conf.s->claims != NULL ? g->conf.s->claims->number : 0);
}


int
parley_gate_awaits_keys(parley_gate_t *g)
{
    parley_str_t          token;
    parley_keys_t         keys;
    parley_step_result_t  result;

    if (g->where.begun || g->conf.s->jwt == NULL
        || (g->env->keys(g, 0, &keys) == 0 && keys.set->keys != NULL))
    {
        return 0;
    }

    result = parley_gate_token_find(g, &token);
    parley_error_clear(g->err);

    return result == PARLEY_RESULT_PASSED
           && g->env->keys(g, PARLEY_GATE_NO_KEYS, &keys) == PARLEY_WAIT;
}


/* Verifies the token with the keys that are loaded, or waits for some. */

static parley_step_result_t
parley_gate_token_keys(parley_gate_t *g, parley_str_t token)
{
    parley_keys_t  keys;

    keys.set = NULL;

    if (g->env->keys(g, 0, &keys) == 0 && keys.set->keys != NULL) {
        return parley_step_result(parley_gate_token_verify(g, &keys, token));
    }

    /*
     * the identity provider has not answered yet; this is not the caller's
     * fault
     */

    if (g->env->keys(g, PARLEY_GATE_NO_KEYS, &keys) == PARLEY_WAIT) {
        return PARLEY_RESULT_WAIT;
    }

    g->report.wait = PARLEY_GATE_NO_KEYS;

    return parley_step_result(parley_error_set(g->err, PARLEY_E_CAPACITY, NULL,
                                               "no keys that verify tokens "
                                               "were loaded yet"));
}


static int
parley_gate_token_verify(parley_gate_t *g, const parley_keys_t *keys,
    parley_str_t token)
{
    parley_jwt_t           jwt;
    parley_keys_t          newer;
    parley_jwt_options_t   options;
    parley_token_entry_t  *entry;

    entry = parley_gate_token_cached(g, keys, token);

    if (entry != NULL) {
        parley_token_cache_hold(g->in.tokens, entry);
        g->proof.token = entry;
        parley_gate_token_is(g, entry);
        return 0;
    }

    options.token_max = g->conf.s->jwt->max_size;
    options.seed = g->in.seed;

    if (parley_jwt_verify(keys->set, g->arena, &options, token, &jwt, g->err)
        != 0)
    {
        if (!jwt.key_unknown
            || g->env->keys(g, g->conf.http->jwks_interval_ms, &newer)
               != PARLEY_WAIT)
        {
            return -1;
        }

        parley_error_clear(g->err);

        return PARLEY_WAIT;
    }

    g->proof.renewed = 1;

    return parley_gate_token_keep(g, &jwt, parley_gate_token_number(g, keys));
}


/*
 * Enters a verified token and its principal into the cache.  If the cache has
 * no room for both, only the message keeps them.
 */

static int
parley_gate_token_keep(parley_gate_t *g, const parley_jwt_t *jwt,
    uint64_t number)
{
    parley_token_entry_t  *entry;

    entry = g->in.tokens == NULL ? NULL
            : parley_token_cache_put(g->in.tokens, jwt, number,
                                     g->env->now(g), PARLEY_GATE_TOKEN_TTL);

    if (entry == NULL) {
        return parley_gate_token_own(g, jwt);
    }

    parley_token_cache_hold(g->in.tokens, entry);
    g->proof.token = entry;

    if (parley_gate_token_principal(g, entry) == 0) {
        return 0;
    }

    parley_token_cache_drop(g->in.tokens, entry);

    if (g->err->code != PARLEY_E_CAPACITY) {
        return -1;
    }

    parley_gate_token_release(g);
    parley_error_clear(g->err);

    return parley_gate_token_own(g, jwt);
}


static int
parley_gate_token_own(parley_gate_t *g, const parley_jwt_t *jwt)
{
    parley_token_entry_t  *entry;

    entry = parley_arena_calloc(g->arena, sizeof(parley_token_entry_t));

    if (entry == NULL) {
        return parley_error_memory(g->err);
    }

    entry->jwt = *jwt;

    return parley_gate_token_principal(g, entry);
}


/* Finds the principal of a token and keeps it with the token. */

static int
parley_gate_token_principal(parley_gate_t *g, parley_token_entry_t *entry)
{
    parley_arena_t        *arena;
    parley_gate_bearer_t  *bearer;

    arena = entry == g->proof.token ? &entry->arena : g->arena;

    bearer = parley_arena_calloc(arena, sizeof(parley_gate_bearer_t));

    if (bearer == NULL) {
        return parley_error_memory(g->err);
    }

    if (parley_principal_from_claims(arena, &entry->jwt,
                                     g->conf.s->claims != NULL
                                     ? &g->conf.s->claims->map : NULL,
                                     g->conf.http->directory,
                                     &bearer->principal, g->err)
        != 0)
    {
        return -1;
    }

    bearer->account.sub = bearer->principal.sub;
    entry->data = bearer;
    parley_gate_token_is(g, entry);

    return 0;
}


static void
parley_gate_token_is(parley_gate_t *g, parley_token_entry_t *entry)
{
    parley_gate_bearer_t  *bearer = entry->data;

    g->who->jwt = &entry->jwt;
    g->who->principal = &bearer->principal;
    g->proof.kept = &bearer->account;
}


/* Makes the checks of a token and its principal that each message needs. */

static int
parley_gate_token_check(parley_gate_t *g)
{
    const parley_jwt_t          *jwt = g->who->jwt;
    const parley_certificate_t  *certificate;

    g->proof.rules = &g->conf.s->jwt->rules;

    if (parley_jwt_check(jwt, g->proof.rules, g->env->now(g), g->err) != 0) {
        return -1;
    }

    if (!jwt->bound) {
        return 0;
    }

    certificate = g->proof.certificate;

    if (certificate == NULL && parley_gate_shown(g, &certificate) != 0) {
        return -1;
    }

    return parley_jwt_check_binding(jwt, certificate != NULL
                                         ? certificate->print : NULL, g->err);
}


void
parley_gate_token_release(parley_gate_t *g)
{
    if (g->proof.token != NULL) {
        parley_token_cache_release(g->in.tokens, g->proof.token);
        g->proof.token = NULL;
        g->proof.kept = NULL;
    }
}
