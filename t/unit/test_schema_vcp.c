/*
 * The schema of VCP, rule by rule: valid messages pass, and the error of an
 * invalid one names the member.
 */

#include "t/unit/parley_test_schema.h"


#define MISSING  PARLEY_E_FIELD_MISSING
#define INVALID  PARLEY_E_FIELD_INVALID
#define UNKNOWN  PARLEY_E_FIELD_UNKNOWN

#define UUID       "019502a4-7e5c-7000-8000-000000000001"
#define CREED      "creed://creed.space/family.safe.guide@1.2.0"
#define HASH       "7f83b1657ff1fc53b92dc18148a1d65d" HASH_TAIL
#define HASH_TAIL  "fc2d4b1fa3d677284addd200126d9069"


static parley_schema_set_t    *set;
static const parley_schema_t  *vcp;


static int
setup(void **state)
{
    (void) state;

    set = parley_test_builtin();
    vcp = parley_test_compile(set, PARLEY_SCHEMA_VCP);

    return 0;
}


static int
teardown(void **state)
{
    (void) state;

    parley_schema_set_destroy(set);

    return 0;
}


static const char  *const vcp_members[] = {
    "vcp_message", "\"1.2\"", "type", "\"context_share\"",
    "message_id", "\"" UUID "\"", "sender", "\"agent://h/a\"",
    "recipient", "\"broadcast\"", "timestamp", "\"2026-02-15T10:30:00Z\"",
    "payload", "{\"context\":\"c\",\"constitution_ref\":\"" CREED "\"}", NULL
};


static const char *
message(const char *member, const char *value)
{
    return parley_test_object(vcp_members, member, value);
}


static const char *
message_of(const char *type, const char *payload)
{
    static char  json[16384];

    sprintf(json, "{\"payload\":%s,\"type\":\"%s\",\"vcp_message\":\"1.2\","
            "\"message_id\":\"" UUID "\",\"sender\":\"s\","
            "\"recipient\":\"r\",\"timestamp\":\"2026-02-15T10:30:00Z\"}",
            payload, type);

    return json;
}


static void
test_vcp_01(void **state)
{
    char                 field[32];
    const char  *const  *m;

    (void) state;

    parley_test_accept(vcp, message(NULL, NULL));

    for (m = vcp_members; *m != NULL; m += 2) {
        sprintf(field, "/%s", *m);
        parley_test_refuse(vcp, message(*m, NULL), MISSING, field,
                           "required", "is missing");
    }

    parley_test_refuse(vcp, message("vcp_message", "\"1.1\""), INVALID,
                       "/vcp_message", "const", "must be \"1.2\"");
    parley_test_refuse(vcp, message("extra", "null"), UNKNOWN, "/extra",
                       "additionalProperties", "is not allowed here");
}


static void
test_vcp_02(void **state)
{
    (void) state;

    parley_test_refuse(vcp, message("type", "\"ping\""), INVALID, "/type",
                       "enum",
                       "must be one of context_share, constitution_announce, "
                       "constraint_propagate, escalation");
    parley_test_refuse(vcp, message("type", "1"), INVALID, "/type", "type",
                       NULL);
}


static void
test_vcp_03(void **state)
{
    (void) state;

    parley_test_refuse(vcp, message("message_id",
                                    "\"019502A4-7e5c-7000-8000-000000000001\""
                                   ),
                       INVALID, "/message_id", "pattern", NULL);
    parley_test_refuse(vcp, message("message_id",
                                    "\"019502a4-7e5c-4000-8000-000000000001\""
                                   ),
                       INVALID, "/message_id", "pattern", NULL);
    parley_test_refuse(vcp, message("message_id",
                                    "\"019502a4-7e5c-7000-c000-000000000001\""
                                   ),
                       INVALID, "/message_id", "pattern", NULL);
    parley_test_refuse(vcp, message("message_id", "\"" UUID "\\n\""), INVALID,
                       "/message_id", "pattern", NULL);
    parley_test_refuse(vcp, message("message_id", "7"), INVALID,
                       "/message_id", "type", NULL);
}


static void
test_vcp_04(void **state)
{
    (void) state;

    parley_test_refuse(vcp, message("sender", "\"\""), INVALID, "/sender",
                       "minLength", "must be at least 1 character");
    parley_test_refuse(vcp, message("recipient", "\"\""), INVALID,
                       "/recipient", "minLength", NULL);
    parley_test_accept(vcp, message("recipient", "\"broadcast\""));
    parley_test_accept(vcp, message("recipient", "\"agent://h/b\""));
}


static void
test_vcp_05(void **state)
{
    (void) state;

    parley_test_accept(vcp, message("timestamp",
                                    "\"2026-02-15T10:30:00.123456Z\""));
    parley_test_accept(vcp, message("timestamp", "\"2024-02-29T10:30:00Z\""));
    parley_test_refuse(vcp, message("timestamp", "\"2026-02-29T10:30:00Z\""),
                       INVALID, "/timestamp", "format",
                       "must be an RFC 3339 date-time");
    parley_test_refuse(vcp, message("timestamp",
                                    "\"2026-02-15T10:30:00+00:00\""),
                       INVALID, "/timestamp", "pattern",
                       "must be a time in UTC, with Z at its end");
    parley_test_refuse(vcp, message("timestamp", "\"2026-02-15T10:30:00\""),
                       INVALID, "/timestamp", "pattern", NULL);
    parley_test_refuse(vcp, message("timestamp", "\"yesterday Z\""), INVALID,
                       "/timestamp", "format", NULL);
}


static void
test_vcp_06(void **state)
{
    (void) state;

    parley_test_refuse(vcp, message("payload", "[]"), INVALID, "/payload",
                       "type", "must be an object");
    parley_test_refuse(vcp, message("payload", "{\"context\":\"c\"}"),
                       MISSING, "/payload/constitution_ref", "required",
                       NULL);
    parley_test_refuse(vcp, message("payload", "{\"context\":\"c\","
                                    "\"constitution_ref\":\"" CREED "\","
                                    "\"more\":1}"),
                       UNKNOWN, "/payload/more", "additionalProperties",
                       NULL);
    parley_test_refuse(vcp, message("payload", "{\"context\":\"\","
                                    "\"constitution_ref\":\"" CREED "\"}"),
                       INVALID, "/payload/context", "minLength", NULL);

    /* each type has its own members */

    parley_test_refuse(vcp, message_of("escalation", "{\"context\":\"c\","
                                       "\"constitution_ref\":\"" CREED "\"}"),
                       UNKNOWN, "/payload/constitution_ref",
                       "additionalProperties", NULL);

    /* a payload can be validated alone */

    parley_test_accept(parley_test_compile(set, PARLEY_SCHEMA_VCP
                               "#/$defs/constraint_propagate_payload"),
                       "{\"constraints\":[{\"type\":\"t\",\"value\":null,"
                       "\"source_constitution_ref\":\"" CREED "\"}],"
                       "\"propagation_mode\":\"merge\"}");
}


static const char *
state_of(const char *personal_state)
{
    static char  json[1024];

    sprintf(json, "{\"context\":\"c\",\"constitution_ref\":\"" CREED "\","
            "\"personal_state\":%s}", personal_state);

    return message("payload", json);
}


static void
test_vcp_07(void **state)
{
    (void) state;

    parley_test_accept(vcp, state_of("{}"));
    parley_test_accept(vcp, state_of("{\"cognitive\":1,\"energy\":9.0,"
                                     "\"urgency\":2.5,\"emotional\":{"
                                     "\"valence\":1,\"arousal\":9},"
                                     "\"body\":{\"pain\":3}}"));
    parley_test_refuse(vcp, state_of("{\"cognitive\":0}"), INVALID,
                       "/payload/personal_state/cognitive", "minimum",
                       "must be at least 1");
    parley_test_refuse(vcp, state_of("{\"urgency\":9.5}"), INVALID,
                       "/payload/personal_state/urgency", "maximum", NULL);
    parley_test_refuse(vcp, state_of("{\"energy\":\"5\"}"), INVALID,
                       "/payload/personal_state/energy", "type", NULL);
    parley_test_refuse(vcp, state_of("{\"emotional\":{\"valence\":1}}"),
                       MISSING, "/payload/personal_state/emotional/arousal",
                       "required", NULL);
    parley_test_refuse(vcp, state_of("{\"emotional\":{\"valence\":1,"
                                     "\"arousal\":10}}"),
                       INVALID, "/payload/personal_state/emotional/arousal",
                       "maximum", NULL);
    parley_test_refuse(vcp, state_of("{\"body\":{\"itch\":1}}"), UNKNOWN,
                       "/payload/personal_state/body/itch",
                       "additionalProperties", NULL);
    parley_test_refuse(vcp, state_of("{\"mood\":1}"), UNKNOWN,
                       "/payload/personal_state/mood",
                       "additionalProperties", NULL);
}


static void
test_vcp_08(void **state)
{
    size_t  i;
    char    json[512];

    static const char  *const bad[] = {
        "http://creed.space/x", "creed:///x", "creed://Creed.space/x",
        "creed://creed.space", "creed://creed.space/", "creed://c/x y", ""
    };

    (void) state;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        sprintf(json, "{\"context\":\"c\",\"constitution_ref\":\"%s\"}",
                bad[i]);
        parley_test_refuse(vcp, message("payload", json), INVALID,
                           "/payload/constitution_ref", "pattern", NULL);

        sprintf(json, "{\"propagation_mode\":\"merge\",\"constraints\":[{"
                "\"type\":\"t\",\"value\":1,"
                "\"source_constitution_ref\":\"%s\"}]}", bad[i]);
        parley_test_refuse(vcp, message_of("constraint_propagate", json),
                           INVALID,
                           "/payload/constraints/0/source_constitution_ref",
                           "pattern", NULL);
    }
}


static const char *
announcement(const char *hash, const char *scope)
{
    static char  json[1024];

    sprintf(json, "{\"constitution_ref\":\"" CREED "\","
            "\"manifest_hash\":\"%s\",\"scope\":%s}", hash, scope);

    return message_of("constitution_announce", json);
}


static void
test_vcp_09(void **state)
{
    (void) state;

    parley_test_accept(vcp, announcement("sha256:" HASH, "{}"));
    parley_test_refuse(vcp, announcement("sha256:abc", "{}"), INVALID,
                       "/payload/manifest_hash", "pattern", NULL);
    parley_test_refuse(vcp, announcement("sha512:" HASH, "{}"), INVALID,
                       "/payload/manifest_hash", "pattern", NULL);
    parley_test_refuse(vcp, announcement("sha256:" HASH "0", "{}"), INVALID,
                       "/payload/manifest_hash", "pattern", NULL);
    parley_test_refuse(vcp, announcement("sha256:7F83B1657FF1FC53"
                                         "B92DC18148A1D65D" HASH_TAIL, "{}"),
                       INVALID, "/payload/manifest_hash", "pattern", NULL);
    parley_test_refuse(vcp, message_of("constitution_announce",
                                       "{\"constitution_ref\":\"" CREED
                                       "\"}"),
                       MISSING, "/payload/manifest_hash", "required", NULL);
}


static void
test_vcp_10(void **state)
{
    (void) state;

    parley_test_accept(vcp, announcement("sha256:" HASH,
                       "{\"model_families\":[\"gpt-*\"],"
                       "\"purposes\":[\"coding-assistant\"],"
                       "\"environments\":[\"production\",\"staging\","
                       "\"development\",\"testing\"]}"));
    parley_test_refuse(vcp, announcement("sha256:" HASH,
                       "{\"model_families\":[\"a\",\"b c\"]}"),
                       INVALID, "/payload/scope/model_families/1", "pattern",
                       NULL);
    parley_test_refuse(vcp, announcement("sha256:" HASH,
                       "{\"purposes\":[\"Coding\"]}"),
                       INVALID, "/payload/scope/purposes/0", "pattern", NULL);
    parley_test_refuse(vcp, announcement("sha256:" HASH,
                       "{\"environments\":[\"prod\"]}"),
                       INVALID, "/payload/scope/environments/0", "enum",
                       NULL);
    parley_test_refuse(vcp, announcement("sha256:" HASH,
                       "{\"environments\":\"production\"}"),
                       INVALID, "/payload/scope/environments", "type", NULL);
    parley_test_refuse(vcp, announcement("sha256:" HASH, "{\"region\":1}"),
                       UNKNOWN, "/payload/scope/region",
                       "additionalProperties", NULL);
}


static void
test_vcp_11(void **state)
{
    (void) state;

    parley_test_refuse(vcp, message_of("constraint_propagate",
                                       "{\"constraints\":[],"
                                       "\"propagation_mode\":\"merge\"}"),
                       INVALID, "/payload/constraints", "minItems",
                       "must have at least 1 element");
    parley_test_refuse(vcp, message_of("constraint_propagate",
                                       "{\"constraints\":[{\"type\":\"t\","
                                       "\"value\":1,"
                                       "\"source_constitution_ref\":\""
                                       CREED "\"}],"
                                       "\"propagation_mode\":\"mix\"}"),
                       INVALID, "/payload/propagation_mode", "enum",
                       "must be one of merge, override");
    parley_test_refuse(vcp, message_of("constraint_propagate",
                                       "{\"propagation_mode\":\"merge\","
                                       "\"constraints\":[{\"type\":\"t\","
                                       "\"source_constitution_ref\":\""
                                       CREED "\"}]}"),
                       MISSING, "/payload/constraints/0/value", "required",
                       NULL);
    parley_test_refuse(vcp, message_of("constraint_propagate",
                                       "{\"propagation_mode\":\"merge\","
                                       "\"constraints\":[{\"type\":\"\","
                                       "\"value\":false,\"x\":1,"
                                       "\"source_constitution_ref\":\""
                                       CREED "\"}]}"),
                       INVALID, "/payload/constraints/0/type", "minLength",
                       NULL);
}


static const char *
escalation(const char *severity, const char *reason, const char *ack)
{
    static char  json[8192];

    sprintf(json, "{\"severity\":\"%s\",\"reason\":\"%s\","
            "\"context\":\"c\",\"requires_ack\":%s}", severity, reason, ack);

    return message_of("escalation", json);
}


static void
test_vcp_12(void **state)
{
    char  reason[4098];

    (void) state;

    parley_test_accept(vcp, escalation("info", "r", "false"));
    parley_test_accept(vcp, escalation("warning", "r", "true"));
    parley_test_accept(vcp, escalation("critical", "r", "true"));
    parley_test_accept(vcp, escalation("emergency", "r", "true"));

    parley_test_refuse(vcp, escalation("critical", "r", "false"), INVALID,
                       "/payload/requires_ack", "const", "must be true");
    parley_test_refuse(vcp, escalation("emergency", "r", "false"), INVALID,
                       "/payload/requires_ack", "const", "must be true");
    parley_test_refuse(vcp, escalation("info", "r", "\"no\""), INVALID,
                       "/payload/requires_ack", "type", "must be a boolean");
    parley_test_refuse(vcp, escalation("bad", "r", "true"), INVALID,
                       "/payload/severity", "enum",
                       "must be one of info, warning, critical, emergency");
    parley_test_refuse(vcp, escalation("info", "", "true"), INVALID,
                       "/payload/reason", "minLength", NULL);

    memset(reason, 'x', sizeof(reason));
    reason[4096] = '\0';
    parley_test_accept(vcp, escalation("info", reason, "true"));

    reason[4096] = 'x';
    reason[4097] = '\0';
    parley_test_refuse(vcp, escalation("info", reason, "true"), INVALID,
                       "/payload/reason", "maxLength",
                       "must be at most 4096 characters");

    parley_test_refuse(vcp, message_of("escalation", "{\"severity\":\"info\","
                                       "\"reason\":\"r\",\"context\":\"c\"}"),
                       MISSING, "/payload/requires_ack", "required", NULL);
}


static void
test_vcp_16(void **state)
{
#define A16  "AAAAAAAAAAAAAAAA"
#define A85  A16 A16 A16 A16 A16 "AAAAA"

    size_t  i;

    /* 64 octets have only one text */

    static const char  *const bad[] = {
        "\"base64:\"", "\"base64:AAAA\"", "\"base64:" A85 "A\"",
        "\"base64:" A85 "B==\"", "\"base64:" A85 "A=\"",
        "\"base64:" A85 "AAA\"", "\"base64:" A85 "AA=\"",
        "\"base64:" A85 "AAAAA==\"", "\"" A85 "A==\"",
        "\"base64:-" A16 A16 A16 A16 A16 "AAAAA==\"",
        "\"base64url:" A85 "A==\"", "\"base64:" A85 "A==\\n\""
    };

    (void) state;

    parley_test_accept(vcp, message("signature", "\"base64:" A85 "A==\""));
    parley_test_accept(vcp, message("signature", "\"base64:/" A16 A16 A16 A16
                                                 A16 "++++w==\""));

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        parley_schema_error_t  err;

        assert_int_equal(parley_test_validate(vcp,
                                              message("signature", bad[i]),
                                              &err), 1);
        assert_string_equal(err.error.field, "/signature");
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("VCP-01 required fields, version 1.2, closed envelope",
                test_vcp_01),
    parley_test("VCP-02 type is one of four", test_vcp_02),
    parley_test("VCP-03 message_id is a lower-case UUIDv7", test_vcp_03),
    parley_test("VCP-04 sender and recipient are not empty", test_vcp_04),
    parley_test("VCP-05 timestamp is UTC, ends in Z and is a real date",
                test_vcp_05),
    parley_test("VCP-06 the payload has its type's closed form", test_vcp_06),
    parley_test("VCP-07 personal_state", test_vcp_07),
    parley_test("VCP-08 creed:// URIs", test_vcp_08),
    parley_test("VCP-09 manifest_hash", test_vcp_09),
    parley_test("VCP-10 scope", test_vcp_10),
    parley_test("VCP-11 constraints and propagation_mode", test_vcp_11),
    parley_test("VCP-12 escalation", test_vcp_12),
    parley_test("VCP-16 a signature is base64: and 64 octets", test_vcp_16)
};


int
main(void)
{
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, setup, teardown);
}
