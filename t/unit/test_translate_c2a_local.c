/*
 * The gateway's own answers to C2A callers, and the form of its refusals for a
 * client of MCP.
 */

#include "t/unit/parley_test_translate.h"

#include "translate/c2a/parley_c2a.h"


#define CALL(method, params)                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"" method "\",\"params\":"     \
    params "}"

#define REACT                                                                 \
    CALL("tools/call", "{\"name\":\"chat_react\",\"arguments\":{"             \
         "\"inReplyTo\":\"evt_1\",\"signal\":\"%s\"}}")

#define MODERN                                                                \
    "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}"


typedef struct {
    parley_arena_t         arena;
    parley_test_message_t  m;
    parley_reply_t         reply;
    parley_error_t         err;
    parley_json_t          doc;
    const char            *granted;     /* NULL: every tool */
} own_t;


static int
may(void *ctx, parley_str_t form, parley_str_t intent)
{
    const own_t  *o = ctx;

    assert_true(parley_str_begins(intent, "c2a."));
    assert_true(parley_str_eq(parley_str_from(intent, 4), form));

    return o->granted == NULL
           || parley_str_eq(intent, parley_str_c(o->granted));
}


static void
own_begin(own_t *o, const char *text)
{
    memset(o, 0, sizeof(own_t));
    parley_arena_init(&o->arena, &parley_mem_libc, 0);

    if (parley_test_read(&o->arena, PARLEY_PROTO_C2A, parley_str_c(text), 0,
                         &o->m, &o->err) != 0)
    {
        fail_msg("%s %s", o->err.field, o->err.text);
    }
}


static int
own(own_t *o, parley_proto_t speak)
{
    parley_local_t  env;

    memset(&env, 0, sizeof(parley_local_t));

    env.speak = speak;
    env.may = may;
    env.ctx = o;

    return parley_engine_local(&o->arena, &o->m.msg, &env, &o->reply, &o->err);
}


static parley_str_t
at(own_t *o, const char *pointer)
{
    uint32_t      node;
    parley_str_t  text;

    node = parley_json_resolve(&o->doc, 0, parley_str_c(pointer));

    if (node == PARLEY_JSON_NONE) {
        fail_msg("no %s in %s", pointer, (const char *) o->reply.body.data);
    }

    if (parley_json_type(&o->doc, node) != PARLEY_JSON_STRING) {
        return parley_json_raw(&o->doc, node);
    }

    assert_int_equal(parley_json_string(&o->doc, node, &text), 0);

    return text;
}


static int
has(own_t *o, const char *pointer)
{
    return parley_json_resolve(&o->doc, 0, parley_str_c(pointer))
           != PARLEY_JSON_NONE;
}


static void
read_reply(own_t *o)
{
    assert_int_equal(parley_json_read(&o->doc, &o->arena, NULL, 0,
                                      o->reply.body, &o->err), 0);
}


/* Answers a text; the body is in o->doc. */

static void
answered(own_t *o, const char *text)
{
    own_begin(o, text);

    assert_int_equal(own(o, PARLEY_PROTO_AEE), 1);
    assert_int_equal(o->reply.status, 200);
    read_reply(o);
    parley_assert_str(at(o, "/id"), "7");
}


/* C2A-01: the requested version, if it is known. */

static void
test_initialize(void **state)
{
    char      text[512];
    unsigned  i;
    own_t     o;

    static const struct {
        const char  *version;
        const char  *capabilities;
        const char  *want;
    } rows[] = {
        { "2025-11-25", "{}", "2025-11-25" },
        { "2025-06-18", "{}", "2025-06-18" },
        { "2024-11-05", "{}", "2024-11-05" },
        { "2031-01-01", "{}", "2025-11-25" },
        { "2026-07-28", "{\"roots\":{}}", "2025-11-25" },
        { "2026-06-02", "{}", "2026-06-02" },
        { "2031-01-01", "{\"delivery\":{}}", "2026-06-02" },
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        snprintf(text, sizeof(text), CALL("initialize",
                 "{\"protocolVersion\":\"%s\",\"capabilities\":%s,"
                 "\"clientInfo\":{\"name\":\"x\",\"version\":\"1\"}}"),
                 rows[i].version, rows[i].capabilities);

        answered(&o, text);

        parley_assert_str(at(&o, "/result/protocolVersion"), rows[i].want);
        parley_assert_str(at(&o, "/result/capabilities/tools"), "{}");
        parley_assert_str(at(&o, "/result/serverInfo/name"), "parley");
        parley_assert_str(at(&o, "/result/serverInfo/version"),
                          PARLEY_VERSION);
        assert_false(has(&o, "/result/resultType"));

        parley_arena_reset(&o.arena);
    }
}


/* C2A-01: the capabilities of both sides, and nothing that was not offered. */

static void
test_capabilities(void **state)
{
    own_t  o;

    (void) state;

    answered(&o, CALL("initialize", "{\"protocolVersion\":\"2026-06-02\","
             "\"capabilities\":{\"delivery\":{\"ack\":true,\"redelivery\":"
             "true,\"other\":true},\"injection\":{\"interrupt\":true,"
             "\"digest\":true,\"notify\":true,\"tool_mailbox\":true,"
             "\"buffered\":true},\"chatTools\":{\"claim\":true,"
             "\"react\":true},\"utilities\":{\"logging\":true,\"progress\":"
             "true},\"future\":{\"x\":true}}}"));

    parley_test_assert_json(&o.arena, at(&o, "/result/capabilities"),
        PARLEY_STR("{\"tools\":{},\"delivery\":{\"ack\":true,\"redelivery\":"
                   "false},\"injection\":{\"buffered\":true,\"notify\":"
                   "false,\"tool_mailbox\":false,\"digest\":false,"
                   "\"interrupt\":false},\"chatTools\":{\"react\":true,"
                   "\"claim\":true},\"utilities\":{\"progress\":true,"
                   "\"logging\":"
                   "false}}"));

    parley_arena_reset(&o.arena);
}


static void
test_tools(void **state)
{
    char      pointer[64];
    unsigned  i;
    own_t     o;

    static const char *const  names[] = {
        "chat_list_events", "chat_read_thread", "chat_send_message",
        "chat_react", "chat_claim", "chat_defer", "chat_resolve",
    };

    (void) state;

    answered(&o, CALL("tools/list", "{}"));

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(pointer, sizeof(pointer), "/result/tools/%u/name", i);
        parley_assert_str(at(&o, pointer), names[i]);

        snprintf(pointer, sizeof(pointer), "/result/tools/%u/description", i);
        assert_true(at(&o, pointer).len > 20);

        /* an object, without alternatives at the top */

        snprintf(pointer, sizeof(pointer),
                 "/result/tools/%u/inputSchema/type", i);
        parley_assert_str(at(&o, pointer), "object");

        snprintf(pointer, sizeof(pointer),
                 "/result/tools/%u/inputSchema/anyOf", i);
        assert_false(has(&o, pointer));
    }

    assert_false(has(&o, "/result/tools/7"));
    assert_false(has(&o, "/result/ttlMs"));

    /* each schema is complete */

    assert_null(strstr((const char *) o.reply.body.data, "$ref"));

    parley_test_assert_json(&o.arena,
        at(&o, "/result/tools/3/inputSchema/required"),
        PARLEY_STR("[\"inReplyTo\",\"signal\"]"));
    parley_assert_str(at(&o, "/result/tools/3/inputSchema/properties/signal"
                             "/enum/5"), "done");
    parley_assert_str(at(&o, "/result/tools/2/inputSchema/properties/target"
                             "/properties/kind/enum/0"), "dm");

    parley_arena_reset(&o.arena);
}


/* Only the tools that the caller's rules allow. */

static void
test_tools_granted(void **state)
{
    own_t  o;

    (void) state;

    own_begin(&o, CALL("tools/list", "{}"));
    o.granted = "c2a.chat.resolve";

    assert_int_equal(own(&o, PARLEY_PROTO_VCP), 1);
    read_reply(&o);

    parley_assert_str(at(&o, "/result/tools/0/name"), "chat_resolve");
    assert_false(has(&o, "/result/tools/1"));

    o.granted = "c2a.chat.none";
    assert_int_equal(own(&o, PARLEY_PROTO_VCP), 1);
    read_reply(&o);
    parley_assert_str(at(&o, "/result/tools"), "[]");

    parley_arena_reset(&o.arena);
}


/* MCP since 2026-07-28. */

static void
test_modern(void **state)
{
    own_t  o;

    (void) state;

    answered(&o, CALL("server/discover", MODERN));

    parley_assert_str(at(&o, "/result/resultType"), "complete");
    parley_assert_str(at(&o, "/result/supportedVersions/0"), "2026-07-28");
    parley_assert_str(at(&o, "/result/cacheScope"), "private");
    parley_assert_str(at(&o, "/result/ttlMs"), "0");
    parley_assert_str(at(&o, "/result/_meta/io.modelcontextprotocol~1"
                             "serverInfo/name"), "parley");
    parley_arena_reset(&o.arena);

    answered(&o, CALL("tools/list", MODERN));

    parley_assert_str(at(&o, "/result/resultType"), "complete");
    parley_assert_str(at(&o, "/result/cacheScope"), "private");
    parley_assert_str(at(&o, "/result/tools/6/name"), "chat_resolve");
    parley_arena_reset(&o.arena);
}


static void
test_empty(void **state)
{
    unsigned  i;
    own_t     o;

    static const char *const  taken[] = {
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"error\":{\"code\":-32601}}",
    };

    (void) state;

    answered(&o, CALL("ping", "{}"));
    parley_assert_str(at(&o, "/result"), "{}");
    parley_arena_reset(&o.arena);

    for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
        own_begin(&o, taken[i]);
        assert_int_equal(own(&o, PARLEY_PROTO_AEE), 1);
        assert_int_equal(o.reply.status, 202);
        assert_int_equal(o.reply.body.len, 0);
        parley_arena_reset(&o.arena);
    }
}


/* Methods that no service behind the gateway can answer. */

static void
test_unknown(void **state)
{
    unsigned  i;
    own_t     o;

    static const struct {
        const char  *text;
        const char  *field;
    } rows[] = {
        { CALL("resources/list", "{}"), "/method" },
        { CALL("chat.deliver", "{}"), "/method" },
        { CALL("tools/call", "{\"name\":\"chat.deliver\"}"), "/params/name" },
        { CALL("tools/call", "{\"name\":\"initialize\",\"arguments\":{}}"),
          "/params/name" },
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        own_begin(&o, rows[i].text);

        assert_int_equal(own(&o, PARLEY_PROTO_AEE), -1);
        assert_int_equal(o.err.code, PARLEY_E_KIND_UNKNOWN);
        assert_string_equal(o.err.field, rows[i].field);
        assert_false(parley_engine_is_unruled(&o.m.msg, PARLEY_PROTO_AEE));

        parley_arena_reset(&o.arena);
    }
}


/* Both sides speak C2A: everything goes to the service, except responses. */

static void
test_passes(void **state)
{
    unsigned              i;
    own_t                 o;
    parley_loss_t         loss;
    parley_encoded_t      made;
    parley_encode_opts_t  opts;

    static const struct {
        const char  *text;
        int          answered;
        int          unruled;       /* with C2A, and with AEE behind */
        int          unruled_aee;
    } rows[] = {
        { CALL("initialize", "{\"protocolVersion\":\"2025-11-25\"}"),
          0, 1, 1 },
        { CALL("ping", "{}"), 0, 1, 1 },
        { "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
          0, 1, 1 },
        { CALL("tools/list", "{}"), 0, 0, 1 },
        { CALL("server/discover", "{}"), 0, 0, 0 },
        { CALL("resources/list", "{}"), 0, 0, 0 },
        { CALL("tools/call", "{\"name\":\"ping\"}"), 0, 0, 0 },
        { CALL("tools/call", "{\"name\":\"chat.list_events\"}"), 0, 0, 0 },
        { "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", 1, 1, 1 },
    };

    (void) state;

    memset(&opts, 0, sizeof(opts));

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        own_begin(&o, rows[i].text);
        parley_loss_init(&loss, &o.arena);

        assert_int_equal(own(&o, PARLEY_PROTO_C2A), rows[i].answered);
        assert_int_equal(parley_engine_is_unruled(&o.m.msg, PARLEY_PROTO_C2A),
                         rows[i].unruled);
        assert_int_equal(parley_engine_is_unruled(&o.m.msg, PARLEY_PROTO_AEE),
                         rows[i].unruled_aee);

        assert_int_equal(parley_encode(parley_test_engine(), &o.arena,
                                       PARLEY_PROTO_C2A, &o.m.msg, &opts,
                                       &made, &loss, &o.err),
                         rows[i].answered ? -1 : 0);

        if (!rows[i].answered) {
            assert_true(made.copied);
            parley_assert_str(made.body, rows[i].text);
        }

        parley_arena_reset(&o.arena);
    }
}


/* Encodes a refusal of the message read so far. */

static void
refuse(own_t *o, const char *text, parley_code_t code, int mcp)
{
    parley_error_t    why;
    parley_refusal_t  refusal;

    memset(o, 0, sizeof(own_t));
    memset(&refusal, 0, sizeof(refusal));
    parley_arena_init(&o->arena, &parley_mem_libc, 0);

    (void) parley_error_set(&why, code, "/x", "because");

    refusal.error = &why;
    if (mcp) {
        refusal.headers[PARLEY_C2A_HEADER_MCP] = PARLEY_STR("2025-06-18");
    }

    if (text != NULL) {
        assert_int_equal(parley_json_read(&o->m.doc, &o->arena, NULL, 0,
                                          parley_str_c(text), &o->err), 0);
        refusal.doc = &o->m.doc;
    }

    assert_int_equal(parley_refuse(&o->arena, PARLEY_PROTO_C2A, &refusal,
                                   &o->reply), 0);
    read_reply(o);
}


static void
test_refused(void **state)
{
    char   react[512];
    own_t  o;

    (void) state;

    snprintf(react, sizeof(react), REACT, "done");

    /* for clients that read the status and the body */

    refuse(&o, react, PARLEY_E_POLICY_REFUSED, 0);
    assert_int_equal(o.reply.status, 403);
    parley_assert_str(at(&o, "/error/code"), "-31403");
    parley_arena_reset(&o.arena);

    /* a tool call: a model reads the text */

    refuse(&o, react, PARLEY_E_POLICY_REFUSED, 1);
    assert_int_equal(o.reply.status, 200);
    parley_test_assert_json(&o.arena, o.reply.body, PARLEY_STR(
        "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":"
        "\"text\",\"text\":\"policy-refused: because\"}],"
        "\"structuredContent\":{\"code\":\"policy-refused\",\"field\":\"/x\","
        "\"message\":\"because\"},\"isError\":true}}"));
    parley_arena_reset(&o.arena);

    /* another request */

    refuse(&o, CALL("tools/list", "{}"), PARLEY_E_RATE_LIMITED, 1);
    assert_int_equal(o.reply.status, 200);
    parley_assert_str(at(&o, "/error/code"), "-31429");
    parley_assert_str(at(&o, "/error/data/code"), "rate-limited");
    parley_arena_reset(&o.arena);

    /* known by this initialize request; the draft's own method is not MCP's */

    refuse(&o, CALL("initialize", "{\"protocolVersion\":\"2025-11-25\"}"),
           PARLEY_E_POLICY_REFUSED, 0);
    assert_int_equal(o.reply.status, 200);
    parley_arena_reset(&o.arena);

    refuse(&o, CALL("initialize", "{\"protocolVersion\":\"2026-06-02\"}"),
           PARLEY_E_POLICY_REFUSED, 0);
    assert_int_equal(o.reply.status, 403);
    parley_arena_reset(&o.arena);

    refuse(&o, CALL("initialize", "{\"protocolVersion\":\"a date ...\"}"),
           PARLEY_E_POLICY_REFUSED, 0);
    assert_int_equal(o.reply.status, 403);
    parley_arena_reset(&o.arena);
}


/*
 * Refusals that stay an HTTP status: a client reacts to it, or has nothing
 * else.
 */

static void
test_refused_by_status(void **state)
{
    char      react[512];
    unsigned  i;
    own_t     o;

    static const struct {
        parley_code_t  code;
        int            status;
    } rows[] = {
        { PARLEY_E_TOKEN_MISSING, 401 }, { PARLEY_E_TOKEN_EXPIRED, 401 },
        { PARLEY_E_SCOPE_UNAUTHORISED, 403 },
    };

    (void) state;

    snprintf(react, sizeof(react), REACT, "done");

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        refuse(&o, react, rows[i].code, 1);
        assert_int_equal(o.reply.status, rows[i].status);
        assert_true(has(&o, "/error/data/code"));
        parley_arena_reset(&o.arena);
    }

    refuse(&o, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}",
           PARLEY_E_INTENT_REFUSED, 1);
    assert_int_equal(o.reply.status, 403);
    parley_assert_str(at(&o, "/id"), "null");
    parley_arena_reset(&o.arena);

    refuse(&o, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]",
           PARLEY_E_FIELD_INVALID, 1);
    assert_int_equal(o.reply.status, 400);
    parley_arena_reset(&o.arena);

    refuse(&o, NULL, PARLEY_E_RATE_LIMITED, 1);
    assert_int_equal(o.reply.status, 429);
    parley_arena_reset(&o.arena);
}


static const struct CMUnitTest  tests[] = {
    parley_test("C2A-01 MCP-01 initialize negotiates the version",
                test_initialize),
    parley_test("C2A-01 initialize negotiates capabilities",
                test_capabilities),
    parley_test("MCP-01 C2A-17 the seven tools and their input", test_tools),
    parley_test("MCP-01 a caller sees the tools that it may use",
                test_tools_granted),
    parley_test("MCP-01 what has no session is discovered", test_modern),
    parley_test("MCP-01 ping, initialized and responses", test_empty),
    parley_test("MCP-01 C2A-28 what there is not", test_unknown),
    parley_test("MCP-01 what a service of the same protocol is asked",
                test_passes),
    parley_test("MCP-01 GW-10 a refusal that a model reads", test_refused),
    parley_test("MCP-01 GW-10 a refusal that a client acts on",
                test_refused_by_status),
};


PARLEY_TEST_MAIN(tests)
