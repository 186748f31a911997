/*
 * The step that proves a caller: the place of the token, and the rules for it.
 */

#include "gate/message/parley_gate_steps.h"
#include "gate/settings/parley_jwt_conf.h"
#include "gate/settings/parley_settings.h"
#include "auth/parley_token_cache.h"
#include "t/unit/parley_test_auth.h"


#define NOW  1771151400         /* seconds */

#define TOKENS_MAX  4


typedef struct {
    parley_gate_t           gate;
    parley_error_t          err;
    parley_who_t            who;
    parley_msg_t            msg;
    parley_settings_http_t  http;
    parley_settings_t       s;
    parley_jwt_conf_t       jwt;
    parley_jwks_t           keys;       /* current keys */
    parley_jwks_t           newer;      /* fetched keys; keys NULL: none */
    const char             *name;       /* name of this header */
    const char             *values[TOKENS_MAX];
    const char             *cookie;     /* cookie value from nginx */
    unsigned                fetches;
} test_token_t;


static int64_t
now(parley_gate_t *g)
{
    (void) g;

    return (int64_t) NOW * 1000;
}


static void
headers(parley_gate_t *g, parley_str_t name,
    void (*found)(void *data, parley_str_t value), void *data)
{
    size_t        i;
    test_token_t *t = g->ctx;

    if (!parley_str_eq(name, parley_str_c(t->name))) {
        return;
    }

    for (i = 0; i < TOKENS_MAX && t->values[i] != NULL; i++) {
        found(data, parley_str_c(t->values[i]));
    }
}


static int
value(parley_gate_t *g, const parley_value_t *v, parley_str_t *ret)
{
    test_token_t *t = g->ctx;

    (void) v;

    if (t->cookie == NULL) {
        return -1;
    }

    *ret = parley_str_c(t->cookie);

    return 0;
}


/* Returns the keys; fetched ones are current from the next call on. */

static int
keys(parley_gate_t *g, int64_t age, parley_keys_t *ret)
{
    test_token_t *t = g->ctx;

    if (age == 0) {
        ret->set = &t->keys;
        ret->number = t->fetches;
        return 0;
    }

    if (t->newer.keys == NULL) {
        return 0;
    }

    t->fetches++;
    t->keys = t->newer;
    memset(&t->newer, 0, sizeof(t->newer));

    return PARLEY_WAIT;
}


static const parley_gate_env_t  env = {
    .now = now,
    .headers = headers,
    .value = value,
    .keys = keys,
};


static void
read_keys(const char *text, parley_jwks_t *ret)
{
    parley_error_t  err;

    assert_int_equal(parley_jwks_parse(&test_arena, parley_str_c(text), ret,
                                       &err), 0);
}


static const char *
mint(const char *claims)
{
    parley_jwk_t    jwk;
    parley_str_t    token, text;
    parley_error_t  err;

    assert_int_equal(parley_jwk_parse(&test_arena,
                                      PARLEY_STR(RFC8037_PRIVATE), &jwk, &err),
                     0);
    assert_int_equal(parley_jwt_mint(&jwk, PARLEY_ALG_EDDSA, &test_arena,
                                     PARLEY_STR("JWT"), parley_str_c(claims),
                                     &token, &err), 0);
    parley_jwk_free(&jwk);

    assert_int_equal(parley_arena_str(&test_arena, token, &text), 0);

    return (const char *) text.data;
}


static void
begin(test_token_t *t, parley_token_source_t source)
{
    parley_gate_t  *g = &t->gate;

    memset(t, 0, sizeof(*t));
    parley_error_clear(&t->err);
    read_keys("{\"keys\":[" RFC8037_PUBLIC "]}", &t->keys);

    t->name = "authorization";
    t->s.jwt = &t->jwt;
    t->jwt.place.source = source;
    t->jwt.place.name = PARLEY_STR("t");
    t->s.gate.token = source == PARLEY_TOKEN_ARGUMENT ? t->jwt.place.name
                                                      : parley_str_none;

    g->env = &env;
    g->ctx = t;
    g->arena = &test_arena;
    g->err = &t->err;
    g->who = &t->who;
    g->msg = &t->msg;

    parley_gate_configure(g, &t->http, &t->s);
    parley_gate_init(g);
}


static parley_step_result_t
prove(test_token_t *t)
{
    return parley_gate_token(&t->gate);
}


static void
end(test_token_t *t)
{
    parley_jwks_free(&t->keys);
    parley_jwks_free(&t->newer);
}


static void
test_header(void **state)
{
    test_token_t  t;
    const char   *token;
    char          bearer[2048];

    (void) state;

    token = mint("{\"sub\":\"alice\",\"exp\":1771151460}");
    (void) snprintf(bearer, sizeof(bearer), "bEARER   %s", token);

    begin(&t, PARLEY_TOKEN_HEADER);
    t.values[0] = bearer;
    assert_int_equal(prove(&t), PARLEY_RESULT_PASSED);
    parley_assert_str(t.who.principal->sub, "alice");
    assert_int_equal(parley_gate_message_expires(&t.gate),
                     INT64_C(1771151460) * 1000);

    t.values[1] = bearer;
    assert_int_equal(prove(&t), PARLEY_RESULT_REFUSED);
    assert_int_equal(t.err.code, PARLEY_E_TOKEN_INVALID);

    t.values[0] = "Basic YTpi";
    t.values[1] = NULL;
    assert_int_equal(prove(&t), PARLEY_RESULT_REFUSED);
    assert_int_equal(t.err.code, PARLEY_E_TOKEN_MISSING);

    t.values[0] = "Bearer ";
    assert_int_equal(prove(&t), PARLEY_RESULT_REFUSED);
    assert_int_equal(t.err.code, PARLEY_E_TOKEN_MISSING);

    t.values[0] = NULL;
    t.gate.in.supplied_token = parley_str_c(token);
    assert_int_equal(prove(&t), PARLEY_RESULT_PASSED);
    end(&t);

    begin(&t, PARLEY_TOKEN_HEADER);
    t.s.jwt = NULL;
    assert_int_equal(prove(&t), PARLEY_RESULT_NONE);
    assert_int_equal(parley_gate_message_expires(&t.gate), INT64_MAX);
    end(&t);
}


static void
test_cookie(void **state)
{
    test_token_t  t;

    (void) state;

    begin(&t, PARLEY_TOKEN_COOKIE);
    t.name = "cookie";
    t.cookie = mint("{\"sub\":\"alice\",\"exp\":1771151460}");
    t.values[0] = "a=b; t=x";
    assert_int_equal(prove(&t), PARLEY_RESULT_PASSED);

    t.values[1] = "c=d; T=y";
    assert_int_equal(prove(&t), PARLEY_RESULT_REFUSED);
    assert_int_equal(t.err.code, PARLEY_E_TOKEN_INVALID);

    t.values[1] = NULL;
    t.cookie = NULL;
    parley_error_clear(&t.err);
    assert_int_equal(prove(&t), PARLEY_RESULT_FAILED);
    end(&t);
}


static void
test_argument(void **state)
{
    test_token_t  t;
    char          query[2048];
    const char   *token;

    (void) state;

    token = mint("{\"sub\":\"alice\",\"exp\":1771151460}");
    (void) snprintf(query, sizeof(query), "a=b&%%54=%s", token);

    begin(&t, PARLEY_TOKEN_ARGUMENT);
    t.gate.in.raw_query = parley_str_c(query);
    assert_int_equal(prove(&t), PARLEY_RESULT_PASSED);

    t.gate.in.raw_query = PARLEY_STR("t=x&T=y");
    assert_int_equal(prove(&t), PARLEY_RESULT_REFUSED);
    assert_int_equal(t.err.code, PARLEY_E_FIELD_INVALID);
    end(&t);
}


static void
test_keys(void **state)
{
    test_token_t  t;

    (void) state;

    /* without keys the step waits for them, once */

    begin(&t, PARLEY_TOKEN_HEADER);
    t.gate.in.supplied_token = parley_str_c(mint("{\"sub\":\"alice\","
                                                 "\"exp\":1771151460}"));
    t.newer = t.keys;
    memset(&t.keys, 0, sizeof(t.keys));
    assert_int_equal(prove(&t), PARLEY_RESULT_WAIT);
    assert_int_equal(prove(&t), PARLEY_RESULT_PASSED);
    assert_int_equal(t.fetches, 1);

    /* if they cannot be fetched, the token is not at fault */

    end(&t);
    memset(&t.keys, 0, sizeof(t.keys));
    assert_int_equal(prove(&t), PARLEY_RESULT_REFUSED);
    assert_int_equal(t.err.code, PARLEY_E_CAPACITY);
    assert_int_equal(t.gate.report.wait, 1000);
}


static void
test_rules(void **state)
{
    test_token_t  t;

    (void) state;

    begin(&t, PARLEY_TOKEN_HEADER);
    t.gate.in.supplied_token = parley_str_c(mint("{\"sub\":\"alice\","
                                                 "\"exp\":1771151300}"));
    assert_int_equal(prove(&t), PARLEY_RESULT_REFUSED);
    assert_int_equal(t.err.code, PARLEY_E_TOKEN_EXPIRED);

    t.jwt.rules.leeway = 200;
    assert_int_equal(prove(&t), PARLEY_RESULT_PASSED);
    end(&t);
}


static void
test_cache(void **state)
{
    test_token_t                t;
    parley_claims_conf_t        claims;
    parley_token_cache_conf_t   conf;
    parley_token_cache_stat_t   stat;
    const parley_principal_t   *first;

    (void) state;

    memset(&conf, 0, sizeof(conf));

    begin(&t, PARLEY_TOKEN_HEADER);
    t.gate.in.tokens = parley_token_cache_create(&parley_mem_libc, &conf);
    t.gate.in.supplied_token = parley_str_c(mint("{\"sub\":\"alice\","
                                                 "\"exp\":1771151460}"));

    assert_int_equal(prove(&t), PARLEY_RESULT_PASSED);
    first = t.who.principal;
    parley_gate_token_release(&t.gate);

    assert_int_equal(prove(&t), PARLEY_RESULT_PASSED);
    assert_ptr_equal(t.who.principal, first);
    parley_gate_token_release(&t.gate);

    /* the rules apply each time */

    t.jwt.rules.jti_required = 1;
    assert_int_equal(prove(&t), PARLEY_RESULT_REFUSED);
    parley_gate_token_release(&t.gate);
    t.jwt.rules.jti_required = 0;

    /* a principal of another claim map is not used */

    memset(&claims, 0, sizeof(claims));
    claims.number = 1;
    t.s.claims = &claims;
    assert_int_equal(prove(&t), PARLEY_RESULT_PASSED);
    assert_ptr_not_equal(t.who.principal, first);
    parley_gate_token_release(&t.gate);

    parley_token_cache_stat(t.gate.in.tokens, &stat);
    assert_int_equal(stat.hits, 2);

    parley_token_cache_destroy(t.gate.in.tokens);
    end(&t);
}


/*
 * GW-38: a principal that has no room beside its token lives with the message.
 */

static void
test_cache_full(void **state)
{
    char                       *claims, *p;
    size_t                      i;
    test_token_t                t;
    parley_claims_conf_t        map;
    parley_token_cache_conf_t   conf;
    parley_token_cache_stat_t   stat;

    (void) state;

    claims = (char *) parley_arena_octets(&test_arena, 8192);
    p = claims + sprintf(claims, "{\"sub\":\"alice\",\"exp\":1771151460,"
                         "\"roles\":\"");

    for (i = 0; i < 1000; i++) {
        p += sprintf(p, "r%zu ", i);
    }

    (void) strcpy(p, "r7\"}");

    memset(&map, 0, sizeof(map));
    memset(&conf, 0, sizeof(conf));
    parley_principal_claim_map(&map.map, PARLEY_MEMBER_ROLES,
                               PARLEY_STR("roles"));

    begin(&t, PARLEY_TOKEN_HEADER);
    t.s.claims = &map;
    t.gate.in.supplied_token = parley_str_c(mint(claims));

    for (i = 0; i < 2; i++) {
        conf.octets = i == 0 ? 64 * 1024 : 1024 * 1024;
        t.gate.in.tokens = parley_token_cache_create(&parley_mem_libc, &conf);

        assert_int_equal(prove(&t), PARLEY_RESULT_PASSED);
        assert_int_equal(t.who.principal->roles.n, 1000);
        parley_assert_str(t.who.principal->roles.list[999], "r999");

        parley_token_cache_stat(t.gate.in.tokens, &stat);
        assert_int_equal(stat.entries, i);

        parley_gate_token_release(&t.gate);
        parley_token_cache_destroy(t.gate.in.tokens);
    }

    end(&t);
}


static const struct CMUnitTest  tests[] = {
    parley_auth_test("GW-02 one bearer token in one header", test_header),
    parley_auth_test("GW-02 a cookie that is there once", test_cookie),
    parley_auth_test("SEC-03 an argument that is there once", test_argument),
    parley_auth_test("GW-02 keys that are waited for", test_keys),
    parley_auth_test("SEC-14 the rules of the place", test_rules),
    parley_auth_test("GW-02 what was verified once", test_cache),
    parley_auth_test("GW-38 a principal that the cache has no room for",
                     test_cache_full),
};

PARLEY_TEST_MAIN(tests)
