/*
 * Recipient scopes: the seven forms, invalid ones, and agreement with the
 * schema.
 */

#include "t/unit/parley_test_translate.h"

#include "translate/channel/parley_channel_scope.h"


static const struct {
    const char                   *text;
    parley_channel_scope_form_t   form;
    const char                   *parts[5];     /* handle, instrument, session,
                                                   role, grant */
} forms[] = {
    { "~a", PARLEY_CHANNEL_SCOPE_HANDLE, { "~a", "", "", "", "" } },
    { "~alice", PARLEY_CHANNEL_SCOPE_HANDLE, { "~alice", "", "", "", "" } },
    { "~alice/*", PARLEY_CHANNEL_SCOPE_SESSIONS,
      { "~alice", "", "", "", "" } },
    { "~alice/cc-*", PARLEY_CHANNEL_SCOPE_PREFIX,
      { "~alice", "cc-", "", "", "" } },
    { "~alice/c*", PARLEY_CHANNEL_SCOPE_PREFIX,
      { "~alice", "c", "", "", "" } },
    { "~alice/cc-model@s1", PARLEY_CHANNEL_SCOPE_SESSION,
      { "~alice", "cc-model", "s1", "", "" } },
    { "~alice/cc-model@a:b~c+d", PARLEY_CHANNEL_SCOPE_SESSION,
      { "~alice", "cc-model", "a:b~c+d", "", "" } },
    { "org:~acme/members/*", PARLEY_CHANNEL_SCOPE_MEMBERS,
      { "~acme", "", "", "", "" } },
    { "org:~acme/members/ops/*", PARLEY_CHANNEL_SCOPE_ROLE,
      { "~acme", "", "", "ops", "" } },
    { "accord:~peer/grant:billing.read:1", PARLEY_CHANNEL_SCOPE_ACCORD,
      { "~peer", "", "", "", "billing.read:1" } },
};


static const char *const  none[] = {
    "", "alice", "~", "~a-", "~-a", "~A1", "~org", "~org/*", "~alice/",
    "~alice//", "~alice/**", "~alice/cc-**", "~alice/cc model*",
    "~alice/cc-model", "~alice/@s1", "~alice/cc-model@", "~alice/a@b@c",
    "~alice/a@b/c", "~alice/a@*", "~alice/*@s", "/~alice", " ~alice",
    "~alice ", "~alice\n", "org:acme/members/*", "org:~acme", "org:~acme/*",
    "org:~acme/members", "org:~acme/members/", "org:~acme/members/ops",
    "org:~acme/members//*", "org:~acme/members/ops/dev/*",
    "org:~acme/members/**", "org:~org/members/*", "Org:~acme/members/*",
    "accord:~peer", "accord:~peer/grant:", "accord:~peer/grants:x",
    "accord:~peer/grant:a b", "accord:~peer/grant:a/b", "accord:/grant:x",
    "accord:~org/grant:x", "*", "everyone", "~alice/cc-model@s1,~bob",
};


static void
test_forms(void **state)
{
    size_t                  i, k;
    parley_channel_scope_t  scope;

    (void) state;

    for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        assert_int_equal(parley_channel_scope_parse(
                             parley_str_c(forms[i].text), &scope), 0);
        assert_int_equal(scope.form, forms[i].form);

        const parley_str_t  got[5] = {
            scope.handle, scope.instrument, scope.session, scope.role,
            scope.grant
        };

        for (k = 0; k < 5; k++) {
            assert_true(parley_str_eq(got[k],
                                      parley_str_c(forms[i].parts[k])));
        }
    }
}


static void
test_none(void **state)
{
    size_t                  i;
    parley_channel_scope_t  scope;

    (void) state;

    for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        if (parley_channel_scope_parse(parley_str_c(none[i]), &scope) == 0) {
            fail_msg("\"%s\" is a scope", none[i]);
        }

        assert_int_equal(scope.handle.len, 0);
    }

    assert_int_equal(parley_channel_scope_parse(
                         parley_str_make("~al\0ce", 6), &scope), -1);
    assert_int_equal(parley_channel_scope_parse(
                         parley_str_make("~alice/a@b\0", 11), &scope), -1);
}


static void
test_bounds(void **state)
{
    char                    text[600];
    parley_channel_scope_t  scope;

    (void) state;

    snprintf(text, sizeof(text), "~alice/%0128d*", 1);
    assert_int_equal(parley_channel_scope_parse(parley_str_c(text), &scope),
                     0);

    snprintf(text, sizeof(text), "~alice/%0129d*", 1);
    assert_int_equal(parley_channel_scope_parse(parley_str_c(text), &scope),
                     -1);

    snprintf(text, sizeof(text), "~alice/%0128d@%0128d", 1, 1);
    assert_int_equal(parley_channel_scope_parse(parley_str_c(text), &scope),
                     0);

    snprintf(text, sizeof(text), "~%032d", 1);
    assert_int_equal(parley_channel_scope_parse(parley_str_c(text), &scope),
                     0);

    snprintf(text, sizeof(text), "~%033d", 1);
    assert_int_equal(parley_channel_scope_parse(parley_str_c(text), &scope),
                     -1);
}


/* response_scope is a pattern in the schema, and code here */

static void
test_schema(void **state)
{
    size_t                 i, n;
    parley_buf_t           b;
    parley_str_t           text;
    const char            *scope;
    parley_arena_t         arena;
    parley_error_t         err;
    parley_test_message_t  m;

    (void) state;

    n = sizeof(forms) / sizeof(forms[0]);

    for (i = 0; i < n + sizeof(none) / sizeof(none[0]); i++) {
        scope = i < n ? forms[i].text : none[i - n];

        parley_arena_init(&arena, &parley_mem_libc, 0);
        parley_buf_init(&b, &arena, 0);

        parley_buf_lit(&b,
            "{\"envelope_version\":\"1.0\",\"frame_id\":"
            "\"6f1c2b7e-0a51-4c55-9d0e-3b1f2a4c5d6e\",\"kind\":"
            "\"agent_query\",\"sender_handle\":\"~alice\","
            "\"recipient_handle\":\"~alice\",\"created_at\":"
            "\"2026-05-22T09:00:00Z\",\"acted_by\":\"~alice\","
            "\"drafted_with\":\"~cc-model\",\"provenance_compute_location\":"
            "\"local-only\",\"provenance_method\":[\"x\"],"
            "\"provenance_context_check\":\"skipped\",\"provenance_basis\":"
            "\"x\",\"payload\":{\"query_text\":\"?\",\"query_id\":"
            "\"6f1c2b7e-0a51-4c55-9d0e-3b1f2a4c5d6e\",\"timeout_ms\":1,"
            "\"response_scope\":");
        parley_buf_json_string(&b, parley_str_c(scope));
        parley_buf_lit(&b, "}}");
        assert_int_equal(parley_buf_done(&b, &text), 0);

        if (parley_test_read(&arena, PARLEY_PROTO_CHANNEL, text, 0, &m, &err)
            == 0)
        {
            if (i >= n) {
                fail_msg("the schema takes \"%s\"", scope);
            }

        } else {
            if (i < n) {
                fail_msg("the schema refuses \"%s\"", scope);
            }

            assert_int_equal(err.code, PARLEY_E_FIELD_INVALID);
            assert_string_equal(err.field, "/payload/response_scope");
        }

        parley_arena_reset(&arena);
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("ACH-15 the seven forms of a scope", test_forms),
    parley_test("ACH-15 what is no scope", test_none),
    parley_test("ACH-15 the bounds of a scope's parts", test_bounds),
    parley_test("ACH-15 the schema knows the same scopes", test_schema),
};

PARLEY_TEST_MAIN(tests)
