/*
 * The parties of a message: the sender and its principal, directions, names in
 * other protocols.
 */

#include "t/unit/parley_test_translate.h"

#include "translate/parley_agent.h"


typedef struct {
    const char    *sub;
    const char    *parent;
    parley_str_t   names[PARLEY_PROTO_COUNT];
} parley_test_entry_t;


static const parley_test_entry_t  entries[] = {
    { "alice", "lead", {
        [PARLEY_PROTO_AEE] = parley_str("agent.alice"),
        [PARLEY_PROTO_VCP] = parley_str("agent://ops/alice") } },
    { "lead", "", {
        [PARLEY_PROTO_AEE] = parley_str("agent.lead"),
        [PARLEY_PROTO_VCP] = parley_str("agent://ops/lead") } },
    { "half", "", { [PARLEY_PROTO_AEE] = parley_str("agent.half@ops") } },
};


static void
agent(const parley_test_entry_t *entry, parley_agent_t *ret)
{
    ret->sub = parley_str_c(entry->sub);
    ret->parent = parley_str_c(entry->parent);
    ret->names = entry->names;
    ret->data = entry;
}


static int
find(void *ctx, parley_proto_t proto, parley_str_t name, parley_agent_t *ret)
{
    size_t  i;

    (void) ctx;

    for (i = 0; i < sizeof(entries) / sizeof(entries[0]); i++) {
        if (name.len > 0 && parley_str_eq(entries[i].names[proto], name)) {
            agent(&entries[i], ret);
            return 1;
        }
    }

    return 0;
}


static void
setup(parley_arena_t *arena, parley_agents_t *agents)
{
    parley_arena_init(arena, &parley_mem_libc, 0);

    agents->arena = arena;
    agents->find = find;
    agents->ctx = NULL;
}


/*
 * Returns whether the sender of a message of proto is this principal, with the
 * token of caller.
 */
static int
sender_is(parley_proto_t proto, const char *name,
    const parley_test_entry_t *caller, int trusted, const char *sub,
    parley_code_t code)
{
    int              rc;
    parley_msg_t     m;
    parley_arena_t   arena;
    parley_agent_t   own, got;
    parley_error_t   err;
    parley_agents_t  agents;

    setup(&arena, &agents);
    parley_msg_init(&m, proto, NULL);
    parley_error_clear(&err);
    m.sender = parley_str_c(name);

    if (caller != NULL) {
        agent(caller, &own);
    }

    rc = parley_agent_sender(&agents, &m, caller ? &own : NULL, trusted,
                             &got, &err);

    parley_arena_reset(&arena);

    if (rc != 0) {
        return err.code == code && code != PARLEY_E_NONE
               && strcmp(err.field, parley_codecs[proto]
                                        ->pointers[PARLEY_MSG_SENDER])
                  == 0;
    }

    return code == PARLEY_E_NONE && parley_str_eq(got.sub, parley_str_c(sub));
}


static void
test_sender(void **state)
{
    const parley_test_entry_t  unlisted = { "carol", "", { { NULL, 0 } } };
    const parley_test_entry_t  claimed = { "dev", "", {
        [PARLEY_PROTO_AEE] = parley_str("agent.dave@h") } };

    (void) state;

#define AEE  PARLEY_PROTO_AEE
#define VCP  PARLEY_PROTO_VCP
#define NO   PARLEY_E_SENDER_IDENTITY_MISMATCH

    /* with a token: only the names of its principal */

    assert_true(sender_is(AEE, "agent.alice", &entries[0], 0, "alice", 0));
    assert_true(sender_is(VCP, "agent://ops/alice", &entries[0], 0, "alice",
                          0));
    assert_true(sender_is(AEE, "agent.lead", &entries[0], 0, "", NO));
    assert_true(sender_is(AEE, "agent.lead", &entries[0], 1, "", NO));
    assert_true(sender_is(AEE, "alice", &entries[0], 0, "", NO));
    assert_true(sender_is(AEE, "agent.alice", &unlisted, 0, "", NO));

    /* a name of another protocol that maps; without any, the sub */

    assert_true(sender_is(VCP, "agent://h/dave", &claimed, 0, "dev", 0));
    assert_true(sender_is(VCP, "agent://h/dev", &claimed, 0, "", NO));
    assert_true(sender_is(AEE, "dev", &claimed, 0, "", NO));
    assert_true(sender_is(AEE, "carol", &unlisted, 0, "carol", 0));
    assert_true(sender_is(AEE, "carola", &unlisted, 0, "", NO));

    /* without a token: a listed principal, or none if the location allows it */

    assert_true(sender_is(AEE, "agent.lead", NULL, 0, "lead", 0));
    assert_true(sender_is(AEE, "agent.x", NULL, 0, "", PARLEY_E_KEY_UNKNOWN));
    assert_true(sender_is(AEE, "agent.x", NULL, 1, "", 0));

#undef AEE
#undef VCP
#undef NO
}


static int
may_pass(const char *type, const char *payload, const char *from,
    const char *to)
{
    int                     rc, known;
    char                    text[700];
    parley_arena_t          arena;
    parley_agent_t          sender;
    parley_error_t          err;
    parley_agents_t         agents;
    parley_test_message_t   m;

    setup(&arena, &agents);

    snprintf(text, sizeof(text), "{\"vcp_message\":\"1.2\",\"type\":\"%s\","
             "\"message_id\":\"019502a4-7e5c-7000-8000-000000000001\","
             "\"sender\":\"%s\",\"recipient\":\"%s\","
             "\"timestamp\":\"2026-02-15T10:33:00Z\",\"payload\":%s}", type,
             from, to, payload);

    assert_int_equal(parley_test_read(&arena, PARLEY_PROTO_VCP,
                                      parley_str_c(text), 0, &m, &err), 0);

    known = find(NULL, PARLEY_PROTO_VCP, m.msg.sender, &sender);
    rc = parley_agent_direction(&agents, &m.msg, known ? &sender : NULL,
                                &err);

    if (rc != 0) {
        assert_int_equal(err.code, PARLEY_E_DIRECTION_REFUSED);
        assert_string_equal(err.field, "/recipient");
    }

    parley_arena_reset(&arena);

    return rc == 0;
}


static void
test_direction(void **state)
{
    static const char  down[] = "{\"constraints\":[{\"type\":\"x\","
        "\"value\":1,\"source_constitution_ref\":\"creed://a/b\"}],"
        "\"propagation_mode\":\"merge\"}";
    static const char  up[] = "{\"severity\":\"warning\",\"reason\":\"r\","
        "\"context\":\"c\",\"requires_ack\":false}";
    static const char  lead[] = "agent://ops/lead";
    static const char  alice[] = "agent://ops/alice";

    (void) state;

    assert_true(may_pass("constraint_propagate", down, lead, alice));
    assert_false(may_pass("constraint_propagate", down, alice, lead));
    assert_false(may_pass("constraint_propagate", down, "x", alice));
    assert_true(may_pass("constraint_propagate", down, "x", "y"));
    assert_true(may_pass("constraint_propagate", down, lead, "y"));

    assert_true(may_pass("escalation", up, alice, lead));
    assert_false(may_pass("escalation", up, lead, alice));
    assert_false(may_pass("escalation", up, alice, "y"));
    assert_true(may_pass("escalation", up, "x", lead));
}


/*
 * Checks the name from parley_agent_resolve(), or its return value if that is
 * not 1.
 */
static void
resolves(const char *name, const parley_agent_t *sender,
    parley_proto_t from, parley_proto_t to, int want, const char *image)
{
    parley_msg_t     m;
    parley_str_t     got;
    parley_arena_t   arena;
    parley_agents_t  agents;

    setup(&arena, &agents);
    parley_msg_init(&m, from, NULL);
    m.sender = PARLEY_STR("agent.me");

    assert_int_equal(parley_agent_resolve(&agents, &m, sender, from,
                                          parley_str_c(name), to, &got),
                     want);

    if (want == 1) {
        parley_assert_str(got, image);
    }

    parley_arena_reset(&arena);
}


static void
test_resolve(void **state)
{
    parley_agent_t             me;
    const parley_test_entry_t  own = { "me", "", {
        [PARLEY_PROTO_VCP] = parley_str("agent://far/me") } };

    (void) state;

#define AEE  PARLEY_PROTO_AEE
#define VCP  PARLEY_PROTO_VCP

    resolves("agent.alice", NULL, AEE, VCP, 1, "agent://ops/alice");
    resolves("agent://ops/lead", NULL, VCP, AEE, 1, "agent.lead");
    resolves("agent.half@ops", NULL, AEE, VCP, 1, "agent://ops/half");
    resolves("agent.x@h", NULL, AEE, VCP, 1, "agent://h/x");

    /* never the name of a listed principal */

    resolves("agent.alice@ops", NULL, AEE, VCP, -1, "");
    resolves("agent://ops/half", NULL, VCP, AEE, -1, "");

    /*
     * no name in the other protocol; a name without a principal, such as a
     * group
     */

    resolves("no name at all", NULL, AEE, VCP, 0, "");

    /* the sender's own names count, listed or not */

    agent(&own, &me);
    resolves("agent.me", &me, AEE, VCP, 1, "agent://far/me");
    resolves("agent.you@h", &me, AEE, VCP, 1, "agent://h/you");

#undef AEE
#undef VCP
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-03 AEE-18 the sender is the caller", test_sender),
    parley_test("VCP-30 messages pass between a child and its parent",
                test_direction),
    parley_test("GW-03 names in another protocol", test_resolve),
};


PARLEY_TEST_MAIN(tests)
