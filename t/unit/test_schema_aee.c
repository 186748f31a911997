/*
 * The schemas of AEE, rule by rule: valid messages pass, and the error of an
 * invalid one names the member.
 */

#include "t/unit/parley_test_schema.h"


#define MISSING  PARLEY_E_FIELD_MISSING
#define INVALID  PARLEY_E_FIELD_INVALID


static parley_schema_set_t    *set;
static const parley_schema_t  *aee, *mve5;


static int
setup(void **state)
{
    (void) state;

    set = parley_test_builtin();
    aee = parley_test_compile(set, PARLEY_SCHEMA_AEE);
    mve5 = parley_test_compile(set, PARLEY_SCHEMA_AEE_MVE5);

    return 0;
}


static int
teardown(void **state)
{
    (void) state;

    parley_schema_set_destroy(set);

    return 0;
}


static const char  *const aee_members[] = {
    "v", "\"1\"", "id", "\"01JFB2R1\"", "ts", "\"2025-12-14T03:45:12Z\"",
    "type", "\"task\"", "from", "\"a\"", "to", "\"b\"", "intent", "\"o.p\"",
    "corr", "\"01JFB2QX\"", "priority", "\"high\"", "payload", "{}", NULL
};


static const char *
envelope(const char *member, const char *value)
{
    return parley_test_object(aee_members, member, value);
}


static void
test_aee_01(void **state)
{
    char                 field[32];
    const char  *const  *m;

    (void) state;

    parley_test_accept(aee, envelope(NULL, NULL));

    for (m = aee_members; *m != NULL; m += 2) {
        sprintf(field, "/%s", *m);
        parley_test_refuse(aee, envelope(*m, NULL), MISSING, field,
                           "required", "is missing");
        parley_test_refuse(aee, envelope(*m, "[1]"), INVALID, field, "type",
                           NULL);
    }

    parley_test_refuse(aee, "[]", INVALID, "", "type", "must be an object");
}


static void
test_aee_02(void **state)
{
    (void) state;

    parley_test_refuse(aee, envelope("v", "\"2\""), INVALID, "/v", "const",
                       "must be \"1\"");
    parley_test_refuse(aee, envelope("v", "1"), INVALID, "/v", "type",
                       "must be a string");
    parley_test_accept(aee, envelope("v", "\"\\u0031\""));
}


static void
test_aee_03(void **state)
{
    size_t  i;
    char    field[16];

    static const struct {
        const char  *member;
        const char  *least;     /* in characters, not in octets */
        const char  *less;
    } cases[] = {
        { "id", "\"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\"",
          "\"\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\"" },
        { "ts", "\"2025-12-14\"", "\"2025-12-1\"" },
        { "from", "\"x\"", "\"\"" },
        { "to", "\"x\"", "\"\"" },
        { "intent", "\"a.b\"", "\"ab\"" },
        { "corr", "\"12345678\"", "\"1234567\"" }
    };

    (void) state;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        sprintf(field, "/%s", cases[i].member);
        parley_test_accept(aee, envelope(cases[i].member, cases[i].least));
        parley_test_refuse(aee, envelope(cases[i].member, cases[i].less),
                           INVALID, field, "minLength", NULL);
    }
}


static void
test_aee_04(void **state)
{
    (void) state;

    parley_test_accept(aee, envelope("type", "\"event\""));
    parley_test_accept(aee, envelope("type", "\"stream\""));
    parley_test_refuse(aee, envelope("type", "\"Task\""), INVALID, "/type",
                       "enum",
                       "must be one of task, result, event, error, stream");
}


static void
test_aee_05(void **state)
{
    size_t  i;
    char    json[1024];

    static const char  *const types[] = { "\"result\"", "\"error\"" };

    (void) state;

    for (i = 0; i < 2; i++) {
        parley_test_refuse(aee, envelope("type", types[i]), MISSING,
                           "/reply_to", "required", "is missing");

        strcpy(json, envelope("type", types[i]));
        strcpy(strrchr(json, '}'), ",\"reply_to\":null}");
        parley_test_refuse(aee, json, INVALID, "/reply_to", "type",
                           "must be a string");

        strcpy(strstr(json, ":null}"), ":\"1234567\"}");
        parley_test_refuse(aee, json, INVALID, "/reply_to", "minLength",
                           "must be at least 8 characters");

        strcpy(strstr(json, ":\"1234567\"}"), ":\"12345678\"}");
        parley_test_accept(aee, json);
    }

    parley_test_accept(aee, envelope("reply_to", "null"));
    parley_test_accept(aee, envelope("reply_to", "\"x\""));
    parley_test_refuse(aee, envelope("reply_to", "1"), INVALID, "/reply_to",
                       "type", "must be a string or null");
}


static void
test_aee_06(void **state)
{
    (void) state;

    parley_test_accept(aee, envelope("priority", "\"urgent\""));
    parley_test_refuse(aee, envelope("priority", "\"medium\""), INVALID,
                       "/priority", "enum",
                       "must be one of low, normal, high, urgent");
}


static void
test_aee_07(void **state)
{
    (void) state;

    parley_test_accept(aee, envelope("payload", "{\"any\":[1,{\"x\":null}]}"));
    parley_test_refuse(aee, envelope("payload", "\"text\""), INVALID,
                       "/payload", "type", "must be an object");
    parley_test_refuse(aee, envelope("payload", "null"), INVALID, "/payload",
                       "type", NULL);
}


static void
test_aee_08(void **state)
{
    (void) state;

    parley_test_accept(aee, envelope("x_vendor", "{\"a\":[1,2]}"));
}


static void
test_aee_09(void **state)
{
    (void) state;

    parley_test_accept(aee, envelope("requires", "null"));
    parley_test_accept(aee, envelope("requires", "{\"x\":1,\"timeout_ms\":1.5,"
                                     "\"human_approval\":false,"
                                     "\"evidence\":true,\"format\":\"json\","
                                     "\"min_confidence\":1}"));

    parley_test_refuse(aee, envelope("requires", "{\"timeout_ms\":\"5\"}"),
                       INVALID, "/requires/timeout_ms", "type",
                       "must be a number");
    parley_test_refuse(aee, envelope("requires", "{\"human_approval\":1}"),
                       INVALID, "/requires/human_approval", "type", NULL);
    parley_test_refuse(aee, envelope("requires", "{\"evidence\":\"yes\"}"),
                       INVALID, "/requires/evidence", "type", NULL);
    parley_test_refuse(aee, envelope("requires", "{\"format\":null}"),
                       INVALID, "/requires/format", "type", NULL);
    parley_test_refuse(aee, envelope("requires", "{\"min_confidence\":1.01}"),
                       INVALID, "/requires/min_confidence", "maximum",
                       "must be at most 1");
    parley_test_refuse(aee, envelope("requires", "{\"min_confidence\":-0.1}"),
                       INVALID, "/requires/min_confidence", "minimum", NULL);
}


static void
test_aee_10(void **state)
{
    (void) state;

    parley_test_accept(aee, envelope("trace", "null"));
    parley_test_accept(aee, envelope("trace", "{\"trace_id\":\"9f\","
                                     "\"span_id\":\"a1\",\"x\":1}"));
    parley_test_refuse(aee, envelope("trace", "\"9f\""), INVALID, "/trace",
                       "type", "must be an object or null");
    parley_test_refuse(aee, envelope("trace", "{\"trace_id\":1}"), INVALID,
                       "/trace/trace_id", "type", NULL);
    parley_test_refuse(aee, envelope("trace", "{\"span_id\":null}"), INVALID,
                       "/trace/span_id", "type", NULL);
    parley_test_refuse(aee, envelope("requires", "[]"), INVALID, "/requires",
                       "type", "must be an object or null");
    parley_test_accept(aee, envelope("sig", "null"));
    parley_test_accept(aee, envelope("sig", "\"x\""));
    parley_test_accept(aee, envelope("sig", "{\"alg\":\"ed25519\"}"));
    parley_test_refuse(aee, envelope("sig", "true"), INVALID, "/sig", "type",
                       "must be an object or a string or null");
}


static const char *
line(const char *member, const char *value)
{
    static const char  *const members[] = {
        "v", "\"1\"", "id", "\"01JFB2R1\"", "type", "\"event\"",
        "from", "\"a\"", "intent", "\"o.p\"", NULL
    };

    return parley_test_object(members, member, value);
}


static void
test_aee_13(void **state)
{
    (void) state;

    parley_test_accept(mve5, line(NULL, NULL));
    parley_test_accept(mve5, envelope(NULL, NULL));
    parley_test_refuse(aee, line(NULL, NULL), MISSING, "/ts", "required",
                       NULL);
    parley_test_refuse(mve5, line("intent", NULL), MISSING, "/intent",
                       "required", NULL);
    parley_test_refuse(mve5, line("v", "\"2\""), INVALID, "/v", "const",
                       NULL);
    parley_test_refuse(mve5, line("priority", "\"now\""), INVALID,
                       "/priority", "enum", NULL);
}


static void
test_aee_30(void **state)
{
    (void) state;

    parley_test_accept(aee, envelope("payload", "{\"references\":["
                                     "{\"id\":\"01JFB2R1\","
                                     "\"type\":\"aee.envelope\","
                                     "\"hash\":\"sha256:00\"},"
                                     "{\"id\":\"x\",\"type\":\"vcp.message\"},"
                                     "{\"id\":\"x\",\"type\":\"aee.ext.y\"}"
                                     "]}"));
    parley_test_refuse(aee, envelope("payload", "{\"references\":["
                                     "{\"type\":\"aee.envelope\"}]}"),
                       MISSING, "/payload/references/0/id", "required", NULL);
    parley_test_refuse(aee, envelope("payload", "{\"references\":["
                                     "{\"id\":\"x\"}]}"),
                       MISSING, "/payload/references/0/type", "required",
                       NULL);
    parley_test_refuse(aee, envelope("payload", "{\"references\":["
                                     "{\"id\":\"x\",\"type\":\"a\"},\"y\"]}"),
                       INVALID, "/payload/references/1", "type", NULL);
    parley_test_refuse(aee, envelope("payload", "{\"references\":["
                                     "{\"id\":\"x\","
                                     "\"type\":\"aee.message\"}]}"),
                       INVALID, "/payload/references/0/type", "const",
                       "must be \"aee.envelope\"");
}


static const struct CMUnitTest  tests[] = {
    parley_test("AEE-01 the ten fields are present, a missing one is named",
                test_aee_01),
    parley_test("AEE-02 v is the string \"1\"", test_aee_02),
    parley_test("AEE-03 minimum lengths, in characters", test_aee_03),
    parley_test("AEE-04 type is one of five", test_aee_04),
    parley_test("AEE-05 a result or error carries reply_to", test_aee_05),
    parley_test("AEE-06 priority is one of four", test_aee_06),
    parley_test("AEE-07 payload is an object", test_aee_07),
    parley_test("AEE-08 unknown top-level fields are accepted", test_aee_08),
    parley_test("AEE-09 requires: unknown keys pass, known ones are checked",
                test_aee_09),
    parley_test("AEE-10 trace, requires and sig", test_aee_10),
    parley_test("AEE-13 MVE-5 has a schema of its own", test_aee_13),
    parley_test("AEE-30 references have id and type", test_aee_30)
};


int
main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, setup, teardown);
}
