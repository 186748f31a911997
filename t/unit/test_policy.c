/* auth/parley_policy.h */

#include "t/unit/parley_test_auth.h"

#include "auth/parley_policy.h"


/* Adds a rule from its words, separated by spaces. */

static int
add(parley_policy_t *policy, int allow, const char *line, parley_error_t *err)
{
    size_t        n, len;
    parley_str_t  words[16];

    for (n = 0; *line != '\0'; n++) {
        len = strcspn(line, " ");
        words[n] = parley_str_make(line, len);
        line += len + (line[len] == ' ');
    }

    return parley_policy_add(policy, &test_arena, allow, words, n, NULL,
                             err);
}


static void
rule(parley_policy_t *policy, int allow, const char *line)
{
    parley_error_t  err;

    if (add(policy, allow, line, &err) != 0) {
        fail_msg("%s: %s", line, err.text);
    }
}


static const parley_str_t  scopes[] = {
    parley_str("ops:run"), parley_str("read")
};

static const parley_str_t  roles[] = { parley_str("operator") };

#define name(text)        { parley_str(text), 0 }
#define loose(text)       { parley_str(text), 1 }
#define names(list)       { list, sizeof(list) / sizeof(list[0]) }

static const parley_policy_name_t  alice[] = { name("alice") };
static const parley_policy_name_t  types[] = { name("task") };
static const parley_policy_name_t  intents[] = { name("ops.backup.run") };
static const parley_policy_name_t  backup[] = { name("agent.backup") };

static const parley_policy_request_t  task = {
    scopes, 2, roles, 1, names(alice), parley_str("POST"), parley_str("aee"),
    names(types),
    names(intents), names(backup), parley_str("")
};


static void
expect(const parley_policy_t *policy, const parley_policy_request_t *request,
    parley_code_t code)
{
    int             rc;
    parley_error_t  err;

    parley_error_clear(&err);
    rc = parley_policy_check(policy, request, NULL, &err);

    assert_int_equal(rc, code == PARLEY_E_NONE ? 0 : -1);
    assert_int_equal(err.code, code);

    if (rc != 0) {
        assert_true(err.text[0] != '\0');
    }
}


static void
test_default(void **state)
{
    parley_policy_t  policy;

    (void) state;

    memset(&policy, 0, sizeof(policy));
    expect(&policy, &task, PARLEY_E_NONE);

    rule(&policy, 1, "principal=bob");
    expect(&policy, &task, PARLEY_E_POLICY_REFUSED);

    memset(&policy, 0, sizeof(policy));
    rule(&policy, 0, "principal=bob");
    expect(&policy, &task, PARLEY_E_POLICY_REFUSED);

    rule(&policy, 1, "principal=**");
    expect(&policy, &task, PARLEY_E_NONE);
}


static void
test_words(void **state)
{
    size_t                   i;
    parley_policy_t          policy;
    parley_policy_request_t  nobody;

    static const struct {
        const char    *line;
        parley_code_t  code;
    } cases[] = {
        { "scope=ops:run protocol=* type=task intent=ops.**", PARLEY_E_NONE },
        { "scope=read", PARLEY_E_NONE },
        { "scope=write|read", PARLEY_E_NONE },
        { "scope=write", PARLEY_E_SCOPE_UNAUTHORISED },
        { "scope=ops", PARLEY_E_SCOPE_UNAUTHORISED },
        { "scope=ops:*", PARLEY_E_NONE },
        { "role=operator", PARLEY_E_NONE },
        { "role=admin", PARLEY_E_POLICY_REFUSED },
        { "principal=alice", PARLEY_E_NONE },
        { "principal=Alice", PARLEY_E_POLICY_REFUSED },
        { "protocol=vcp|aee", PARLEY_E_NONE },
        { "protocol=vcp", PARLEY_E_POLICY_REFUSED },
        { "type=event", PARLEY_E_POLICY_REFUSED },
        { "intent=ops.*", PARLEY_E_INTENT_REFUSED },
        { "intent=ops.*.run", PARLEY_E_NONE },
        { "intent=OPS.*.Run", PARLEY_E_NONE },
        { "to=Agent.backup", PARLEY_E_POLICY_REFUSED },
        { "to=agent.*", PARLEY_E_NONE },
        { "to=human.**", PARLEY_E_POLICY_REFUSED },
        { "scope=write intent=ops.*", PARLEY_E_POLICY_REFUSED },
        { "scope=write type=event", PARLEY_E_POLICY_REFUSED },
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        memset(&policy, 0, sizeof(policy));
        rule(&policy, 1, cases[i].line);
        expect(&policy, &task, cases[i].code);
    }

    /* a principal without a scope and a role matches only '**' */

    memset(&nobody, 0, sizeof(nobody));

    memset(&policy, 0, sizeof(policy));
    rule(&policy, 1, "scope=*");
    expect(&policy, &nobody, PARLEY_E_SCOPE_UNAUTHORISED);
    memset(&policy, 0, sizeof(policy));
    rule(&policy, 1, "scope=** role=** to=**");
    expect(&policy, &nobody, PARLEY_E_NONE);
}


/*
 * A request of the gateway's own must be named: a rule for messages does not
 * allow it.
 */

static void
test_asked(void **state)
{
    size_t                   i;
    parley_policy_t          policy;
    parley_policy_request_t  request;

    static const parley_policy_name_t  types_asked[] = { name("subscribe") };

    static const struct {
        int            allow;
        const char    *line;
        parley_code_t  code;
    } cases[] = {
        { 1, "type=subscribe", PARLEY_E_NONE },
        { 1, "type=task|subscribe to=agent.*", PARLEY_E_NONE },
        { 1, "type=subscribe to=agent.x", PARLEY_E_POLICY_REFUSED },
        { 1, "type=roster", PARLEY_E_POLICY_REFUSED },
        { 1, "type=*", PARLEY_E_POLICY_REFUSED },
        { 1, "type=**", PARLEY_E_POLICY_REFUSED },
        { 1, "scope=ops:run", PARLEY_E_POLICY_REFUSED },
        { 0, "type=*", PARLEY_E_POLICY_REFUSED },
        { 0, "principal=alice", PARLEY_E_POLICY_REFUSED },
    };

    (void) state;

    request = task;
    request.type = (parley_policy_names_t) names(types_asked);
    request.asked = PARLEY_STR("subscribe");

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        memset(&policy, 0, sizeof(policy));
        rule(&policy, cases[i].allow, cases[i].line);

        if (!cases[i].allow) {
            rule(&policy, 1, "type=subscribe");
        }

        expect(&policy, &request, cases[i].code);
    }
}


/* A name that may be another principal's counts for deny rules only. */

static void
test_names(void **state)
{
    size_t                   i;
    parley_policy_t          policy;
    parley_policy_request_t  request;

    static const parley_policy_name_t  bob[] = {
        name("agent.bob"), name("~bob"), loose("human.bob")
    };

    static const struct {
        int            allow;
        const char    *line;
        parley_code_t  code;
    } cases[] = {
        { 1, "to=agent.bob", PARLEY_E_NONE },
        { 1, "to=~bob", PARLEY_E_NONE },
        { 1, "to=~*", PARLEY_E_NONE },
        { 1, "to=human.*", PARLEY_E_POLICY_REFUSED },
        { 1, "to=agent.BOB", PARLEY_E_POLICY_REFUSED },
        { 0, "to=~bob", PARLEY_E_POLICY_REFUSED },
        { 0, "to=human.bob", PARLEY_E_POLICY_REFUSED },
        { 0, "to=HUMAN.*", PARLEY_E_POLICY_REFUSED },
        { 0, "to=agent.bobby", PARLEY_E_NONE },
    };

    (void) state;

    request = task;
    request.to = (parley_policy_names_t) names(bob);

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        memset(&policy, 0, sizeof(policy));
        rule(&policy, cases[i].allow, cases[i].line);

        if (!cases[i].allow) {
            rule(&policy, 1, "principal=**");
        }

        expect(&policy, &request, cases[i].code);
    }
}


static void
test_order(void **state)
{
    parley_error_t               err;
    parley_policy_t              policy;
    const parley_policy_rule_t  *decided;

    (void) state;

    memset(&policy, 0, sizeof(policy));
    rule(&policy, 0, "intent=ops.backup.**");
    rule(&policy, 1, "intent=ops.**");
    expect(&policy, &task, PARLEY_E_POLICY_REFUSED);
    assert_int_equal(parley_policy_check(&policy, &task, &decided, &err), -1);
    assert_non_null(strstr(err.text, "rule 1"));
    assert_ptr_equal(decided, policy.first);

    memset(&policy, 0, sizeof(policy));
    rule(&policy, 1, "intent=ops.**");
    rule(&policy, 0, "intent=ops.backup.**");
    assert_int_equal(parley_policy_check(&policy, &task, &decided, &err), 0);
    assert_ptr_equal(decided, policy.first);
}


static void
test_nearest(void **state)
{
    parley_error_t               err;
    parley_policy_t              policy;
    const parley_policy_rule_t  *decided;

    (void) state;

    memset(&policy, 0, sizeof(policy));
    rule(&policy, 1, "principal=bob");
    rule(&policy, 1, "intent=notes.**");
    expect(&policy, &task, PARLEY_E_INTENT_REFUSED);

    rule(&policy, 1, "scope=ops:admin intent=ops.**");
    assert_int_equal(parley_policy_check(&policy, &task, &decided, &err), -1);
    assert_int_equal(err.code, PARLEY_E_SCOPE_UNAUTHORISED);
    assert_string_equal(err.field, "scope");
    assert_non_null(strstr(err.text, "rule 3"));
    assert_non_null(strstr(err.text, "ops:admin"));
    assert_ptr_equal(decided, policy.last);

    /* a deny rule is not a near match */

    memset(&policy, 0, sizeof(policy));
    rule(&policy, 0, "scope=ops:admin");
    rule(&policy, 1, "principal=bob");
    assert_int_equal(parley_policy_check(&policy, &task, &decided, &err), -1);
    assert_int_equal(err.code, PARLEY_E_POLICY_REFUSED);
    assert_null(decided);
}


static void
test_refused(void **state)
{
    size_t           i;
    parley_error_t   err;
    parley_policy_t  policy;

    static const struct {
        const char  *line;
        const char  *field;
    } bad[] = {
        { "", "principal" }, { "all", "all" }, { "=x", "" },
        { "Scope=x", "Scope" },
        { "audience=x", "audience" }, { "scope=", "scope" },
        { "scope=a scope=b", "scope" }, { "intent=a..b", "intent" },
        { "type=task intent=a**", "intent" }, { "to=|", "to" },
    };

    (void) state;

    memset(&policy, 0, sizeof(policy));

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (add(&policy, 1, bad[i].line, &err) == 0) {
            fail_msg("\"%s\" was taken", bad[i].line);
        }

        assert_string_equal(err.field, bad[i].field);
        assert_true(err.text[0] != '\0');
        assert_null(policy.first);
        assert_int_equal(policy.n, 0);
    }
}


/* A type or an intent that a rule has may be that of a later message. */

static void
test_reaches(void **state)
{
    size_t                   i;
    parley_policy_t          policy;
    parley_policy_request_t  request;

    static const struct {
        const char  *deny;
        const char  *allow;
        int          reaches;
    } cases[] = {
        { NULL, NULL, 1 },
        { NULL, "type=query", 1 },
        { NULL, "intent=other.**", 1 },
        { NULL, "to=agent.backup type=x", 1 },
        { NULL, "to=agent.other", 0 },
        { NULL, "scope=none", 0 },
        { "to=agent.backup", "principal=**", 0 },
        { "to=agent.backup type=query", "principal=**", 1 },
        { "principal=bob", "principal=**", 1 },
    };

    (void) state;

    request = task;
    memset(&request.type, 0, sizeof(request.type));
    memset(&request.intent, 0, sizeof(request.intent));

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        memset(&policy, 0, sizeof(policy));

        if (cases[i].deny != NULL) {
            rule(&policy, 0, cases[i].deny);
        }

        if (cases[i].allow != NULL) {
            rule(&policy, 1, cases[i].allow);
        }

        assert_int_equal(parley_policy_reaches(&policy, &request),
                         cases[i].reaches);
    }
}


static const struct CMUnitTest  tests[] = {
    parley_auth_test("GW-04 no rules pass, one rule refuses the rest",
                     test_default),
    parley_auth_test("GW-04 scope, principal, role, protocol, type, intent, "
                     "to", test_words),
    parley_auth_test("ACH-20 HUB-06 listening is allowed by name alone",
                     test_asked),
    parley_auth_test("SEC-04 any name matches, what is loose denies alone",
                     test_names),
    parley_auth_test("GW-04 the first match decides", test_order),
    parley_auth_test("AEE-19 GW-04 the code is that of the nearest miss",
                     test_nearest),
    parley_auth_test("GW-04 types and intents that are open",
                     test_reaches),
    parley_auth_test("GW-11 what is wrong with a word is said",
                     test_refused),
};


PARLEY_TEST_MAIN(tests)
