/* hub/parley_expand.h */

#include "t/unit/parley_test.h"

#include "hub/parley_expand.h"
#include "state/memory/parley_memory.h"


static parley_arena_t        arena;
static parley_state_t        state;
static parley_expansion_t    expansion;
static parley_error_t        err;
static parley_expand_conf_t  conf;

/* an organisation of that many members, each listed twice */
static size_t                members;


static int
begin(void **ctx)
{
    (void) ctx;

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_state_init(&state, &parley_memory_ops,
                      (const uint8_t *) "0123456789abcdef");

    memset(&conf, 0, sizeof(conf));
    conf.max = 100;
    members = 10;

    return 0;
}


static int
end(void **ctx)
{
    (void) ctx;

    parley_arena_reset(&arena);

    return 0;
}


static int
is_member(void *ctx, parley_str_t org)
{
    (void) ctx;

    return parley_str_is(org, "~acme");
}


static int
is_granted(void *ctx, parley_str_t org, parley_str_t grant)
{
    (void) ctx;

    return parley_str_is(org, "~peer") && parley_str_is(grant, "billing.read");
}


static int
next(void *ctx, const parley_channel_scope_t *scope, size_t *at,
    parley_str_t *ret)
{
    static char  name[32];

    size_t  n;

    (void) ctx;

    n = scope->role.len != 0 ? members / 2 : members;

    if (*at == 2 * n) {
        return 0;
    }

    *ret = parley_str_make(name, (size_t) snprintf(name, sizeof(name),
                                                   "~m%u",
                                                   (unsigned) (*at % n)));
    ++*at;

    return 1;
}


static const parley_expand_env_t  env = {
    .member = is_member,
    .granted = is_granted,
    .next = next,
};


static int
expand(const char *text)
{
    parley_channel_scope_t  scope;

    assert_int_equal(parley_channel_scope_parse(parley_str_c(text), &scope),
                     0);

    return parley_expand(&arena, &state, &scope, &conf, &env, &expansion,
                         &err);
}


static void
refused(const char *text, parley_code_t code)
{
    assert_int_equal(expand(text), -1);
    assert_int_equal(err.code, code);
    assert_string_equal(err.field, "scope");
    assert_int_equal(expansion.nlogs, 0);
}


static int
has(const char *handle)
{
    size_t   i, n;
    uint8_t  key[PARLEY_KEY_LEN];

    n = 0;
    parley_expand_log(&state, parley_str_c(handle), key);

    for (i = 0; i < expansion.nlogs; i++) {
        n += memcmp(expansion.logs[i], key, PARLEY_KEY_LEN) == 0;
    }

    assert_true(n <= 1);

    return (int) n;
}


static void
test_own(void **ctx)
{
    (void) ctx;

    assert_int_equal(expand("~alice"), 0);
    assert_int_equal(expansion.nlogs, 1);
    assert_true(has("~alice"));
    assert_int_equal(expansion.audience.form, PARLEY_AUDIENCE_ALL);
    assert_int_equal(expansion.org.len, 0);

    assert_int_equal(expand("~alice/*"), 0);
    assert_true(has("~alice"));
    assert_int_equal(expansion.audience.form, PARLEY_AUDIENCE_ALL);

    assert_int_equal(expand("~alice/cc-*"), 0);
    assert_true(has("~alice"));
    assert_int_equal(expansion.audience.form, PARLEY_AUDIENCE_PREFIX);
    parley_assert_str(expansion.audience.instrument, "cc-");

    assert_int_equal(expand("~alice/cc-a@s1"), 0);
    assert_true(has("~alice"));
    assert_int_equal(expansion.audience.form, PARLEY_AUDIENCE_SESSION);
    parley_assert_str(expansion.audience.instrument, "cc-a");
    parley_assert_str(expansion.audience.session, "s1");
}


static void
test_org(void **ctx)
{
    (void) ctx;

    assert_int_equal(expand("org:~acme/members/*"), 0);
    assert_int_equal(expansion.nlogs, 10);
    assert_true(has("~m0") && has("~m9"));
    parley_assert_str(expansion.org, "~acme");

    assert_int_equal(expand("org:~acme/members/ops/*"), 0);
    assert_int_equal(expansion.nlogs, 5);
    assert_false(has("~m9"));

    refused("org:~other/members/*", PARLEY_E_SCOPE_UNAUTHORISED);
    refused("org:~other/members/ops/*", PARLEY_E_SCOPE_UNAUTHORISED);

    members = 0;
    assert_int_equal(expand("org:~acme/members/*"), 0);
    assert_int_equal(expansion.nlogs, 0);
}


static void
test_accord(void **ctx)
{
    (void) ctx;

    assert_int_equal(expand("accord:~peer/grant:billing.read"), 0);
    assert_int_equal(expansion.nlogs, 10);

    refused("accord:~peer/grant:billing.write", PARLEY_E_SCOPE_UNAUTHORISED);
    refused("accord:~acme/grant:billing.read", PARLEY_E_SCOPE_UNAUTHORISED);
}


static void
test_off(void **ctx)
{
    static const char *const  scopes[] = {
        "~alice", "~alice/*", "~alice/cc-*", "~alice/cc-a@s1",
        "org:~acme/members/*", "org:~acme/members/ops/*",
        "accord:~peer/grant:billing.read"
    };

    unsigned  i;

    (void) ctx;

    for (i = 0; i < 7; i++) {
        conf.off = 1u << i;
        refused(scopes[i], PARLEY_E_SCOPE_UNIMPLEMENTED);

        conf.off = 0x7f & ~(1u << i);
        assert_int_equal(expand(scopes[i]), 0);
    }

    /* then the refusal must not reveal whether it is a member */

    conf.off = 1u << PARLEY_CHANNEL_SCOPE_MEMBERS;
    refused("org:~other/members/*", PARLEY_E_SCOPE_UNIMPLEMENTED);
}


static void
test_cap(void **ctx)
{
    (void) ctx;

    members = 100;
    assert_int_equal(expand("org:~acme/members/*"), 0);
    assert_int_equal(expansion.nlogs, 100);

    members = 101;
    refused("org:~acme/members/*", PARLEY_E_POLICY_REFUSED);
}


static void
test_memory(void **ctx)
{
    size_t             n;
    parley_mem_t       mem;
    parley_test_mem_t  counted;

    (void) ctx;

    members = 100;

    for (n = 1; /* void */ ; n++) {
        parley_arena_reset(&arena);

        mem = parley_test_mem(&counted, n);
        parley_arena_init(&arena, &mem, 64);

        if (expand("org:~acme/members/*") == 0) {
            break;
        }

        assert_int_equal(err.code, PARLEY_E_CAPACITY);
    }

    assert_true(n > 1);
    parley_arena_reset(&arena);
    assert_int_equal(counted.live, 0);
}


static const struct CMUnitTest  tests[] = {
    cmocka_unit_test_setup_teardown(test_own, begin, end),
    cmocka_unit_test_setup_teardown(test_memory, begin, end),
    { "ACH-16 an organisation's scope is its members', each once",
      test_org, begin, end, NULL },
    { "ACH-16 an accord needs its grant", test_accord, begin, end, NULL },
    { "ACH-17 a form that is off is said to be", test_off, begin, end, NULL },
    { "ACH-24 an expansion is capped", test_cap, begin, end, NULL },
};


PARLEY_TEST_MAIN(tests)
