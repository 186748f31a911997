/* gate/party/parley_names.h, gate/settings/parley_rules.h */

#include "t/unit/parley_test_auth.h"

#include "gate/party/parley_names.h"
#include "gate/settings/parley_reserved.h"
#include "gate/settings/parley_rules.h"


static const char  directory_text[] =
    "{\"principals\":["
    "{\"sub\":\"u1\",\"aee\":\"agent.secret\",\"handle\":\"~secret\","
    "\"vcp\":\"agent://ops.example/secret\"},"
    "{\"sub\":\"u2\",\"aee\":\"agent.bob\",\"vcp\":\"robert\"},"
    "{\"sub\":\"agent.eve\",\"aee\":\"agent.mallory\"},"
    "{\"sub\":\"u4\",\"aee\":\"agent.eve\"}]}";


static void
setup(parley_who_t *who, parley_msg_t *m, parley_proto_t wire,
    const char *sender, const char *to)
{
    parley_error_t       err;
    parley_directory_t  *directory;

    memset(who, 0, sizeof(parley_who_t));
    parley_msg_init(m, wire, NULL);

    m->sender = parley_str_c(sender);
    m->recipient = parley_str_c(to);

    if (parley_directory_parse(&test_arena, parley_str_c(directory_text), NULL,
                               &directory, &err)
        != 0)
    {
        fail_msg("%s", err.text);
    }

    who->directory = directory;
    parley_who_about(who, &test_arena, m);
}


/* Returns ' ': missing; '+': a name; '-': a loose name. */
static int
has(const parley_names_t *names, const char *text)
{
    size_t  i;

    for (i = 0; i < names->n; i++) {
        if (parley_str_eq(names->list[i].text, parley_str_c(text))) {
            return names->list[i].loose ? '-' : '+';
        }
    }

    return ' ';
}


static void
test_recipient(void **state)
{
    size_t          i;
    parley_who_t    who;
    parley_msg_t    m;
    parley_names_t  names;

    static const struct {
        parley_proto_t  wire;
        const char     *to;
        const char     *name;
        int             is;
    } cases[] = {

        /* a listed principal has all its names, by any of them */

        { PARLEY_PROTO_AEE, "agent.secret", "u1", '+' },
        { PARLEY_PROTO_AEE, "agent.secret", "~secret", '+' },
        { PARLEY_PROTO_VCP, "agent://ops.example/secret", "agent.secret",
          '+' },
        { PARLEY_PROTO_CHANNEL, "~secret", "agent.secret", '+' },
        { PARLEY_PROTO_CHANNEL, "~secret", "agent:secret", '+' },
        { PARLEY_PROTO_MOQ, "u1", "agent.secret", '+' },

        /*
         * the name of an unlisted principal is mapped; a name of another
         * principal is loose
         */

        { PARLEY_PROTO_C2A, "agent:secret", "agent:secret", '+' },
        { PARLEY_PROTO_C2A, "agent:secret", "agent.secret", '-' },
        { PARLEY_PROTO_C2A, "agent:other", "agent.other", '+' },
        { PARLEY_PROTO_C2A, "agent:other", "~other", '-' },
        { PARLEY_PROTO_C2A, "agent:cc-other", "~cc-other", '+' },
        { PARLEY_PROTO_VCP, "bob", "agent.bob", '-' },
        { PARLEY_PROTO_VCP, "agent://h/other", "agent.other@h", '+' },
        { PARLEY_PROTO_VCP, "agent://h/other", "agent.other", '-' },
        { PARLEY_PROTO_CHANNEL, "~other", "human.other", '+' },
        { PARLEY_PROTO_CHANNEL, "~other", "agent.other", '-' },
        { PARLEY_PROTO_CHANNEL, "~other", "agent:other", '-' },
        { PARLEY_PROTO_CHANNEL, "~cc-other", "human://cc-other", '-' },
        { PARLEY_PROTO_AEE, "bus.ops", "channel:ops", '+' },
        { PARLEY_PROTO_AEE, "bus.ops", "~ops", '+' },
        { PARLEY_PROTO_C2A, "channel:ops", "~ops", '+' },
        { PARLEY_PROTO_AEE, "bus.ops.night", "~ops", ' ' },
        { PARLEY_PROTO_AEE, "agent.other", "agent.bob", ' ' },
        { PARLEY_PROTO_AEE, "no name at all", "no name at all", '+' },

        /*
         * written for another protocol, or in other case, it counts for deny
         * rules
         */

        { PARLEY_PROTO_AEE, "agent:secret", "agent.secret", '-' },
        { PARLEY_PROTO_AEE, "agent:secret", "u1", '-' },
        { PARLEY_PROTO_AEE, "Agent.Secret", "~secret", '-' },
        { PARLEY_PROTO_AEE, "~SECRET", "u1", '-' },
        { PARLEY_PROTO_AEE, "U1", "agent.secret", '-' },
        { PARLEY_PROTO_AEE, "agent://h/other", "agent.other", '-' },
        { PARLEY_PROTO_AEE, "other", "agent.other", '-' },
        { PARLEY_PROTO_AEE, "bus.ops", "agent.bus.ops", ' ' },

        /*
         * a name that two principals have, for one as its sub, belongs to
         * neither alone
         */

        { PARLEY_PROTO_AEE, "agent.eve", "agent.eve", '-' },
        { PARLEY_PROTO_AEE, "agent.eve", "u4", '+' },
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        setup(&who, &m, cases[i].wire, "x", cases[i].to);

        assert_int_equal(parley_names_recipient(&who, m.recipient, &names),
                         0);

        if (has(&names, cases[i].name) != cases[i].is) {
            fail_msg("%s: %s is '%c'", cases[i].to, cases[i].name,
                     has(&names, cases[i].name));
        }
    }

    assert_int_equal(parley_names_recipient(&who, parley_str_none, &names),
                     0);
    assert_int_equal(names.n, 0);
}


static void
test_group(void **state)
{
    parley_who_t    who;
    parley_msg_t    m;
    parley_names_t  names;

    (void) state;

    setup(&who, &m, PARLEY_PROTO_CHANNEL, "~x", "org:~acme/members/*");
    m.scope = PARLEY_STR("org:~acme/members/ops/*");
    m.handle = PARLEY_STR("~acme");

    assert_int_equal(parley_names_recipient(&who, m.recipient, &names), 0);
    assert_int_equal(has(&names, "~acme"), '+');
    assert_int_equal(has(&names, "org:~acme/members/*"), '+');
    assert_int_equal(has(&names, "org:~acme/members/ops/*"), '+');
    assert_int_equal(has(&names, "bus.acme"), '+');
}


static void
test_sender(void **state)
{
    parley_who_t        who;
    parley_msg_t        m;
    parley_names_t      names;
    parley_principal_t  token;

    (void) state;

    /* a listed principal */

    setup(&who, &m, PARLEY_PROTO_AEE, "agent.secret", "x");
    who.principal = parley_directory_by_sub(who.directory, PARLEY_STR("u1"));

    assert_int_equal(parley_names_sender(&who, &names), 0);
    assert_int_equal(has(&names, "u1"), '+');
    assert_int_equal(has(&names, "agent.secret"), '+');
    assert_int_equal(has(&names, "~secret"), '+');
    assert_int_equal(has(&names, "agent:secret"), '+');

    /*
     * an unlisted principal of a token: its sub is a name, unless another
     * principal has it
     */

    memset(&token, 0, sizeof(token));
    token.sub = PARLEY_STR("agent.new");
    who.principal = &token;

    assert_int_equal(parley_names_sender(&who, &names), 0);
    assert_int_equal(has(&names, "agent.new"), '+');
    assert_int_equal(has(&names, "agent:new"), '+');

    token.sub = PARLEY_STR("agent.bob");

    assert_int_equal(parley_names_sender(&who, &names), 0);
    assert_int_equal(has(&names, "agent.bob"), '-');

    /* no principal: a claimed name counts for deny rules only */

    who.principal = NULL;

    assert_int_equal(parley_names_sender(&who, &names), 0);
    assert_int_equal(has(&names, "agent.secret"), '-');
    assert_int_equal(has(&names, "agent:secret"), '-');
}


static void
test_rules(void **state)
{
    size_t           i;
    parley_str_t     words[3], line;
    parley_error_t   err;
    parley_policy_t  policy;

    static const struct {
        const char  *words[2];
        const char  *wrong;         /* NULL: valid */
    } cases[] = {
        { { "protocol=aee", NULL }, NULL },
        { { "protocol=v*|c2a", NULL }, NULL },
        { { "protocol=**", NULL }, NULL },
        { { "protocol=vpc", NULL }, "\"protocol=vpc\" is not a protocol" },
        { { "protocol=vcp|vpc", NULL }, "\"protocol=vpc\" is not a protocol" },
        { { "type=task|escalation|chat.deliver|agent_query", NULL }, NULL },
        { { "type=esc*", NULL }, NULL },
        { { "type=taks", NULL }, "\"type=taks\" is not a type" },
        { { "type=task|taks", NULL }, "\"type=taks\" is not a type" },
        { { "type=taks", "protocol=*" }, "\"type=taks\" is not a type" },
        { { "type=build_run", "protocol=moq" }, NULL },
        { { "type=build_run", "protocol=aee|moq" }, NULL },
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        memset(&policy, 0, sizeof(policy));

        words[0] = parley_str_c(cases[i].words[0]);
        line = words[0];

        if (cases[i].words[1] != NULL) {
            words[1] = parley_str_c(cases[i].words[1]);
        }

        parley_error_clear(&err);

        assert_int_equal(parley_rules_add(&policy, &test_arena, 0, words,
                                          cases[i].words[1] != NULL ? 2 : 1,
                                          &err),
                         cases[i].wrong == NULL ? 0 : -1);
        assert_int_equal(policy.n, cases[i].wrong == NULL ? 1 : 0);

        if (cases[i].wrong != NULL && strstr(err.text, cases[i].wrong) == NULL)
        {
            fail_msg("%.*s: %s", (int) line.len, (const char *) line.data,
                     err.text);
        }
    }
}


static void
test_reserved(void **state)
{
    size_t  i;

    static const parley_str_t  self[PARLEY_PROTO_COUNT] = {
        [PARLEY_PROTO_AEE] = parley_str("agent.gate@h"),
        [PARLEY_PROTO_VCP] = parley_str("agent://h/gate"),
        [PARLEY_PROTO_C2A] = parley_str("agent:gate@h"),
        [PARLEY_PROTO_MOQ] = parley_str("agent.gate@h"),
    };

    static const struct {
        parley_proto_t  proto;
        const char     *name;
        int             is;
    } cases[] = {
        { PARLEY_PROTO_AEE, "agent.gate@h", 1 },
        { PARLEY_PROTO_AEE, "AGENT.Gate@H", 1 },
        { PARLEY_PROTO_AEE, "agent://H/gate", 1 },
        { PARLEY_PROTO_CHANNEL, "agent:gate@h", 1 },
        { PARLEY_PROTO_MOQ, "agent.gate@h", 1 },
        { PARLEY_PROTO_AEE, "agent.gate", 0 },
        { PARLEY_PROTO_AEE, "agent.gate@other", 0 },
        { PARLEY_PROTO_AEE, "service.gate@h", 0 },
        { PARLEY_PROTO_CHANNEL, "~gate", 0 },
        { PARLEY_PROTO_AEE, "", 0 },
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (parley_reserved_like(&test_arena, cases[i].proto,
                                 parley_str_c(cases[i].name), self)
            != cases[i].is)
        {
            fail_msg("%s", cases[i].name);
        }
    }
}


static const struct CMUnitTest  tests[] = {
    parley_auth_test("SEC-04 whom a message is for, by any name",
                     test_recipient),
    parley_auth_test("SEC-04 a group of agent-channel", test_group),
    parley_auth_test("SEC-04 who sent it, by any name", test_sender),
    parley_auth_test("SEC-08 what reads as a name that nobody else has",
                     test_reserved),
    parley_auth_test("SEC-04 closed vocabularies are checked", test_rules),
};


PARLEY_TEST_MAIN(tests)
