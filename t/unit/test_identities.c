/* The identities file and its schema: one list of members. */

#define _GNU_SOURCE

#include <stdio.h>
#include <string.h>

#include "gate/settings/parley_identities.h"
#include "schemas/parley_schema_text.h"
#include "t/unit/parley_test.h"
#include "t/unit/parley_test_instance.h"


#define INSTANCES  2000

#define P(text)  "{\"principals\":[" text "]}"


static int
read_text(parley_str_t text, parley_error_t *err)
{
    int                  rc;
    parley_arena_t       arena;
    parley_directory_t  *dir;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    rc = parley_identities_read(&arena, &parley_mem_libc, text, &dir, err);

    assert_true((rc == 0) == (dir != NULL));

    parley_directory_free(dir);
    parley_arena_reset(&arena);

    return rc;
}


static void
test_refused(void **state)
{
    unsigned        i;
    parley_error_t  err;

    static const struct {
        const char  *text;
        const char  *field;
        const char  *at;        /* text at the place of the error */
    } bad[] = {
        { "[]", "", "[" },
        { "{}", "/principals", "{}" },
        { "{\"principals\":{}}", "/principals", "{}}" },
        { "{\"principals\":[],\"x\":1}", "/x", "1" },
        { P("1"), "/principals/0", "1]" },
        { P("{}"), "/principals/0/sub", "{}" },
        { P("{\"sub\":\"a\",\"colour\":1}"), "/principals/0/colour", "1}" },
        { P("{\"sub\":\"\"}"), "/principals/0/sub", "\"\"" },
        { P("{\"sub\":\"a b\"}"), "/principals/0/sub", "\"a b\"" },
        { P("{\"sub\":\"a\\u0085\"}"), "/principals/0/sub", "\"a\\u0085\"" },
        { P("{\"sub\":\"a\"},{\"sub\":\"b\",\"aee\":7}"),
          "/principals/1/aee", "7}" },
        { P("{\"sub\":\"a\",\"handle\":\"~A\"}"), "/principals/0/handle",
          "\"~A\"" },
        { P("{\"sub\":\"a\",\"max_priority\":\"most\"}"),
          "/principals/0/max_priority", "\"most\"" },
        { P("{\"sub\":\"a\",\"roles\":[\"x\",null]}"),
          "/principals/0/roles/1", "null" },
        { P("{\"sub\":\"a\",\"keys\":[{\"x\":\"\"}]}"),
          "/principals/0/keys/0/kty", "{\"x\"" },

        /* errors that the schema cannot find */

        { P("{\"sub\":\"a\"},{\"sub\":\"a\"}"), "/principals/1/sub",
          "a\"}]" },
        { P("{\"sub\":\"a\",\"parent\":\"b\"}"), "/principals/0/parent",
          "b\"" },
    };

    (void) state;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (read_text(parley_str_c(bad[i].text), &err) == 0) {
            fail_msg("%s was taken", bad[i].text);
        }

        assert_string_equal(err.field, bad[i].field);
        assert_true(err.text[0] != '\0');
        assert_true(err.offset < strlen(bad[i].text));

        if (strncmp(bad[i].text + err.offset, bad[i].at, strlen(bad[i].at))
            != 0)
        {
            fail_msg("%s: at %zu", bad[i].text, err.offset);
        }
    }

    assert_int_equal(read_text(PARLEY_STR("{\"principals\":[],}"), &err), -1);
    assert_int_equal(err.code, PARLEY_E_JSON_INVALID);

    assert_int_equal(read_text(PARLEY_STR("{\"principals\":[]}"), &err), 0);
}


/* Returns whether the error is about the relation of two members. */

static int
said_of_another(const parley_error_t *err)
{
    unsigned  i;

    static const char *const  members[] = {
        "/keys", "/parent", "/human", "/instrument", "/handle", "/deliver"
    };

    if (err->code != PARLEY_E_FIELD_INVALID) {
        return 0;
    }

    for (i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
        if (strstr(err->field, members[i]) != NULL) {
            return 1;
        }
    }

    return strstr(err->text, "is also that of") != NULL
           || strstr(err->text, "is derived from") != NULL;
}


/* Returns the sub of a principal, or "". */

static const char *
sub_of(const parley_principal_t *p)
{
    static char  text[64];

    (void) snprintf(text, sizeof(text), "%.*s",
                    p != NULL ? (int) p->sub.len : 0,
                    p != NULL ? (const char *) p->sub.data : "");

    return text;
}


/* SEC-21: a derived name leads to a principal, or belongs to it alone. */

static void
test_derived(void **state)
{
    size_t               i;
    parley_str_t         name;
    parley_arena_t       arena;
    parley_error_t       err;
    parley_directory_t  *dir;

    static const struct {
        parley_namespace_t  space;
        const char         *name;
        const char         *means;
        const char         *owner;
    } names[] = {
        { PARLEY_NAMESPACE_AEE, "human.alice", "alice", "alice" },
        { PARLEY_NAMESPACE_VCP, "human://alice", "alice", "alice" },
        { PARLEY_NAMESPACE_VCP2, "human://alice", "alice", "alice" },
        { PARLEY_NAMESPACE_C2A, "human:alice", "alice", "alice" },
        { PARLEY_NAMESPACE_MOQ, "human.alice", "", "alice" },
        { PARLEY_NAMESPACE_HANDLE, "~alice", "alice", "alice" },

        /* a name of another kind, or on another host */
        { PARLEY_NAMESPACE_AEE, "agent.alice", "", "" },
        { PARLEY_NAMESPACE_AEE, "human.alicia", "", "" },
        { PARLEY_NAMESPACE_AEE, "agent.cc-v@h", "", "" },
        { PARLEY_NAMESPACE_VCP, "human.alice", "", "alice" },
        { PARLEY_NAMESPACE_AEE, "", "", "" },

        { PARLEY_NAMESPACE_AEE, "agent.cc-v", "v", "v" },
        { PARLEY_NAMESPACE_VCP, "cc-v", "v", "v" },
        { PARLEY_NAMESPACE_HANDLE, "~cc-v", "v", "v" },

        /* the principal lists another name in that protocol */
        { PARLEY_NAMESPACE_AEE, "agent.bob", "bob", "bob" },
        { PARLEY_NAMESPACE_VCP, "bob", "", "bob" },
        { PARLEY_NAMESPACE_VCP, "robert", "bob", "bob" },
        { PARLEY_NAMESPACE_C2A, "agent:robert", "bob", "bob" },
        { PARLEY_NAMESPACE_C2A, "agent:bob", "bob", "bob" },

        /* the sub is a name if the principal has no other */
        { PARLEY_NAMESPACE_AEE, "agent.sole", "agent.sole", "agent.sole" },
        { PARLEY_NAMESPACE_C2A, "agent:sole", "agent.sole", "agent.sole" },
        { PARLEY_NAMESPACE_AEE, "agent.some", "", "agent.some" },
        { PARLEY_NAMESPACE_MOQ, "agent.some", "agent.some", "agent.some" },
    };

    (void) state;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    assert_int_equal(parley_identities_read(&arena, &parley_mem_libc,
        PARLEY_STR(P("{\"sub\":\"alice\",\"handle\":\"~alice\"},"
                     "{\"sub\":\"v\",\"c2a\":\"agent:cc-v\"},"
                     "{\"sub\":\"bob\",\"aee\":\"agent.bob\","
                     "\"vcp\":\"robert\"},"
                     "{\"sub\":\"agent.sole\"},"
                     "{\"sub\":\"agent.some\",\"handle\":\"~some\"}")),
        &dir, &err), 0);

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        name = parley_str_c(names[i].name);

        assert_string_equal(sub_of(parley_directory_by_name(dir,
                                       names[i].space, name)),
                            names[i].means);
        assert_string_equal(sub_of(parley_directory_owner(dir,
                                       names[i].space, name)),
                            names[i].owner);
    }

    parley_directory_free(dir);
    parley_arena_reset(&arena);
}


/*
 * The directory knows the members that the schema allows.  jansson refuses a
 * zero octet, which may be anywhere in a JWK.
 */

static void
test_agree(void **state)
{
    unsigned                      i, taken;
    const char                   *unseen;
    parley_str_t                  text;
    parley_arena_t                arena;
    parley_error_t                err;
    parley_test_tree_t           *tree;
    parley_test_rules_t           rules;
    parley_test_source_t          s;
    parley_test_instance_t        in;
    const parley_schema_text_t   *schema;

    (void) state;

    schema = parley_schema_texts;

    while (!parley_str_is(schema->uri, PARLEY_SCHEMA_IDENTITIES)) {
        assert_true(schema->text.len > 0);
        schema++;
    }

    parley_test_rules_init(&rules, schema->text);

    memset(&in, 0, sizeof(in));
    in.rules = &rules;
    in.source = &s;

    taken = 0;

    for (i = 0; i < INSTANCES; i++) {
        parley_arena_init(&arena, &parley_mem_libc, 0);
        s.arena = &arena;
        s.random.state = i;

        tree = parley_test_instance(&in, parley_test_rule(&rules, ""));
        assert_non_null(tree);
        assert_true(parley_test_holds(&rules, parley_test_rule(&rules, ""),
                                      tree, 1));

        text = parley_test_tree_write(&arena, tree, NULL);

        if (read_text(text, &err) == 0) {
            taken++;

        } else if (memmem(text.data, text.len, "\\u0000", 6) != NULL) {
            assert_int_equal(err.code, PARLEY_E_JSON_INVALID);

        } else if (!said_of_another(&err)) {
            fail_msg("seed %u: %s %s: %.*s", i, err.field, err.text,
                     (int) text.len, (const char *) text.data);
        }

        parley_arena_reset(&arena);
    }

    assert_true(taken > INSTANCES / 100);

    unseen = parley_test_rules_unseen(&rules);

    if (unseen != NULL) {
        fail_msg("no instance has %s", unseen);
    }

    parley_test_rules_done(&rules);
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-11 what is wrong in the identities, and where",
                test_refused),
    parley_test("SEC-21 whose a derived name is", test_derived),
    parley_test("GW-03 the schema of identities and their reader agree",
                test_agree),
};

PARLEY_TEST_MAIN(tests)
