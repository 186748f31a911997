/* auth/parley_directory.h and parley_principal.h */

#include "t/unit/parley_test_auth.h"

#include <jansson.h>

#include "auth/parley_actor.h"
#include "auth/parley_directory.h"


#define NOW  1700000000

#define KEY(more)                                                             \
    "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"x\":\"" RFC8037_X "\"," more "}"


static const char  fleet[] =
    "{\"principals\":["
    "{\"sub\":\"alice\",\"aee\":\"agent.alice\",\"vcp\":\"agent://h/alice\","
    "\"c2a\":\"agent:alice\",\"handle\":\"~alice\","
    "\"instrument\":\"~cc-alice@1.2\",\"parent\":\"bob\","
    "\"roles\":[\"operator\",\"reader\"],"
    "\"max_priority\":\"high\","
    "\"keys\":[" RFC8037_PUBLIC "," RFC7515_HS256 "]},"
    "{\"sub\":\"bob\",\"aee\":\"agent.bob\",\"parent\":\"carol\"},"
    "{\"sub\":\"carol\",\"vcp\":\"carol\",\"roles\":[]}]}";


static parley_directory_t *
parse(const char *text)
{
    parley_error_t       err;
    parley_directory_t  *dir;

    if (parley_directory_parse(&test_arena, parley_str_c(text), NULL, &dir,
                               &err)
        != 0)
    {
        fail_msg("%s: %s", err.field, err.text);
    }

    return dir;
}


static void
test_lookup(void **state)
{
    unsigned                   i;
    parley_directory_t        *dir;
    const parley_principal_t  *all, *alice;

    /* one name is hers in both versions of VCP */

    static const char  *names[PARLEY_NAMESPACE_COUNT] = {
        [PARLEY_NAMESPACE_AEE] = "agent.alice",
        [PARLEY_NAMESPACE_VCP] = "agent://h/alice",
        [PARLEY_NAMESPACE_VCP2] = "agent://h/alice",
        [PARLEY_NAMESPACE_C2A] = "agent:alice",
        [PARLEY_NAMESPACE_CHANNEL] = "~alice",
        [PARLEY_NAMESPACE_MOQ] = "alice"
    };

    (void) state;

    dir = parse(fleet);
    assert_int_equal(parley_directory_principals(dir, &all), 3);

    alice = parley_directory_by_sub(dir, PARLEY_STR("alice"));
    assert_ptr_equal(alice, &all[0]);

    for (i = 0; i < PARLEY_NAMESPACE_COUNT; i++) {
        assert_ptr_equal(parley_directory_by_name(dir, (parley_namespace_t) i,
                                                  parley_str_c(names[i])),
                         alice);
        assert_null(parley_directory_by_name(dir, (parley_namespace_t) i,
                                             parley_str_c(names[(i + 2)
                                                 % PARLEY_NAMESPACE_COUNT])));
        assert_null(parley_directory_by_name(dir, (parley_namespace_t) i,
                                             parley_str_none));
    }

    assert_null(parley_directory_by_sub(dir, PARLEY_STR("Alice")));
    assert_null(parley_directory_by_sub(dir, PARLEY_STR("alice ")));

    parley_assert_str(alice->instrument, "~cc-alice@1.2");
    parley_assert_str(alice->max_priority, "high");
    assert_int_equal(alice->roles.n, 2);
    parley_assert_str(alice->roles.list[1], "reader");
    assert_int_equal(alice->keys.n, 2);

    assert_ptr_equal(alice->above, &all[1]);
    assert_ptr_equal(alice->above->above, &all[2]);
    assert_null(alice->above->above->above);

    parley_directory_free(dir);
    parley_directory_free(NULL);
}


static void
test_broken(void **state)
{
    size_t               i;
    parley_error_t       err;
    parley_directory_t  *dir;

#define P(text)  "{\"principals\":[" text "]}"

    static const struct {
        const char  *text;
        const char  *field;
        const char  *says;
    } bad[] = {
        { "", "", "" },
        { "[]", "", "object" },
        { "{\"principals\":[],}", "", "invalid JSON" },
        { "{\n\"principals\":[],\n\"principals\":[]}", "/principals",
          "duplicate member" },
        { P("{\"sub\":\"a\",\"x/y\":1,\"x/y\":2}"), "/principals/0/x~1y",
          "duplicate member" },
        { "{}", "/principals", "missing" },
        { "{\"principal\":[]}", "/principal", "unknown" },
        { "{\"principals\":{}}", "/principals", "array" },
        { "{\"peers\":[]}", "/peers", "unknown" },
        { "{\"principals\":[],\"peers\":[]}", "/peers", "unknown" },
        { P("1"), "/principals/0", "object" },
        { P("{}"), "/principals/0/sub", "missing" },
        { P("{\"sub\":\"\"}"), "/principals/0/sub", "empty" },
        { P("{\"sub\":1}"), "/principals/0/sub", "string" },
        { P("{\"sub\":\"a b\"}"), "/principals/0/sub", "spaces" },
        { P("{\"sub\":\"a\",\"subject\":\"b\"}"), "/principals/0/subject",
          "unknown" },
        { P("{\"sub\":\"a\",\"x/y~z\":\"b\"}"), "/principals/0/x~1y~0z",
          "unknown" },
        { P("{\"sub\":\"a\",\"tool\":\"b\"}"), "/principals/0/tool",
          "unknown" },
        { P("{\"sub\":\"a\",\"lead\":\"a\"}"), "/principals/0/lead",
          "unknown" },
        { P("{\"sub\":\"a\",\"stream\":[]}"), "/principals/0/stream",
          "unknown" },
        { P("{\"sub\":\"a\",\"streams\":\"s1\"}"),
          "/principals/0/streams", "array" },
        { P("{\"sub\":\"a\",\"streams\":[\"s1\",\"s 2\"]}"),
          "/principals/0/streams/1", "without spaces" },
        { P("{\"sub\":\"a\",\"aee\":[\"b\"]}"), "/principals/0/aee",
          "string" },
        { P("{\"sub\":\"a\",\"handle\":\"bob\"}"), "/principals/0/handle",
          "handle" },
        { P("{\"sub\":\"a\",\"handle\":\"~Bob\"}"), "/principals/0/handle",
          "handle" },
        { P("{\"sub\":\"a\",\"handle\":\"~-bob\"}"), "/principals/0/handle",
          "handle" },
        { P("{\"sub\":\"a\",\"handle\":\"~b-\"}"), "/principals/0/handle",
          "handle" },
        { P("{\"sub\":\"a\",\"handle\":\"~bob@1\"}"),
          "/principals/0/handle", "handle" },
        { P("{\"sub\":\"a\",\"instrument\":\"~bob@\"}"),
          "/principals/0/instrument", "instrument" },
        { P("{\"sub\":\"a\",\"max_priority\":\"top\"}"),
          "/principals/0/max_priority", "low" },
        { P("{\"sub\":\"a\",\"deliver\":\"https://a.test/\","
            "\"speaks\":\"moq\"}"),
          "/principals/0/speaks", "must be one of aee vcp vcp2 c2a channel" },
        { P("{\"sub\":\"a\",\"roles\":\"x\"}"), "/principals/0/roles",
          "array" },
        { P("{\"sub\":\"a\",\"roles\":[\"x\",1]}"), "/principals/0/roles/1",
          "string" },
        { P("{\"sub\":\"a\",\"roles\":[\"\"]}"), "/principals/0/roles/0",
          "empty" },
        { P("{\"sub\":\"a\",\"orgs\":[{\"org\":\"x\"}]}"),
          "/principals/0/orgs/0", "~acme" },
        { P("{\"sub\":\"a\",\"orgs\":[\"~x\",\"~x/\"]}"),
          "/principals/0/orgs/1", "~acme/ops" },
        { P("{\"sub\":\"a\",\"grants\":[\"~x\"]}"),
          "/principals/0/grants/0", "grant" },
        { P("{\"sub\":\"a\",\"reached\":\"~x/y\"}"),
          "/principals/0/reached", "array" },
        { P("{\"sub\":\"a\",\"keys\":{}}"), "/principals/0/keys", "array" },
        { P("{\"sub\":\"a\",\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\"}]}"),
          "/principals/0/keys/0/x", "missing" },
        { P("{\"sub\":\"a\",\"keys\":[{\"kty\":\"AKP\"}]}"),
          "/principals/0/keys", "not supported" },
        { P("{\"sub\":\"a\",\"keys\":[" RFC8037_PUBLIC "," RFC7515_ES256
            "]}"), "/principals/0/keys/1", "cannot verify messages" },
        { P("{\"sub\":\"a\",\"keys\":[" RFC7515_RS256 "]}"),
          "/principals/0/keys/0", "cannot verify messages" },
        { P("{\"sub\":\"a\",\"keys\":[{\"kty\":\"oct\",\"alg\":\"HS384\","
            "\"k\":\"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75a"
            "KtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow\"}]}"),
          "/principals/0/keys/0", "cannot verify messages" },
        { P("{\"sub\":\"a\",\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\","
            "\"x\":\"" RFC8037_X "\",\"d\":\"" RFC8037_D "\","
            "\"key_ops\":[\"sign\"]}]}"), "/principals/0/keys/0",
          "cannot verify messages" },
        { P("{\"sub\":\"a\",\"keys\":[" KEY("\"not_before\":1") "]}"),
          "/principals/0/keys/0/not_before", "not a string" },
        { P("{\"sub\":\"a\",\"keys\":[" KEY("\"not_before\":\"\"") "]}"),
          "/principals/0/keys/0/not_before", "empty" },
        { P("{\"sub\":\"a\",\"keys\":[" KEY("\"expires\":\"2027-01-31\"")
            "]}"), "/principals/0/keys/0/expires", "RFC 3339" },
        { P("{\"sub\":\"a\",\"keys\":[" RFC8037_PUBLIC ","
            KEY("\"not_before\":\"2027-01-31T12:00:00Z\","
                "\"expires\":\"2027-01-31T13:00:00+01:00\"")
            "]}"), "/principals/0/keys/1/expires", "expires before" },
        { P("{\"sub\":\"a\",\"keys\":[" RFC8037_PUBLIC "],\"x\":1}"),
          "/principals/0/x", "unknown" },

        /* the error of a clash names both principals */

        { P("{\"sub\":\"a\"},{\"sub\":\"a\"}"), "/principals/1/sub",
          "/principals/0" },
        { P("{\"sub\":\"a\",\"vcp\":\"n\"},{\"sub\":\"b\"},"
            "{\"sub\":\"c\",\"vcp\":\"n\"}"), "/principals/2/vcp",
          "/principals/0" },
        { P("{\"sub\":\"a\",\"handle\":\"~nn\"},"
            "{\"sub\":\"b\",\"handle\":\"~nn\"}"), "/principals/1/handle",
          "/principals/0" },

        /* so does that of a work stream */

        { P("{\"sub\":\"a\",\"streams\":[\"s1\",\"s1\"]},"
            "{\"sub\":\"b\",\"streams\":[\"s2\",\"s1\"]}"),
          "/principals/1/streams/1", "/principals/0" },

        /* an instrument cannot be another principal's name */

        { P("{\"sub\":\"a\",\"handle\":\"~cc-a\"},"
            "{\"sub\":\"b\",\"instrument\":\"~cc-a@1\"}"),
          "/principals/1/instrument", "/principals/0" },
        { P("{\"sub\":\"b\",\"instrument\":\"~cc-a@1\"},"
            "{\"sub\":\"a\",\"aee\":\"agent.cc-a\"}"),
          "/principals/0/instrument", "/principals/1" },

        /* parents */

        { P("{\"sub\":\"a\",\"parent\":\"b\"}"), "/principals/0/parent",
          "not the sub of a principal" },
        { P("{\"sub\":\"a\",\"parent\":\"a\"}"), "/principals/0/parent",
          "circle" },
        { P("{\"sub\":\"x\",\"parent\":\"a\"},{\"sub\":\"a\",\"parent\":\"b\"},"
            "{\"sub\":\"b\",\"parent\":\"c\"},"
            "{\"sub\":\"c\",\"parent\":\"a\"}"),
          "/principals/1/parent", "circle" },

        /* humans */

        { P("{\"sub\":\"a\",\"human\":\"b\"}"), "/principals/0/human",
          "human \"b\" must be a human" },
        { P("{\"sub\":\"a\",\"human\":\"~cc-b\"}"), "/principals/0/human",
          "must be a human" },
        { P("{\"sub\":\"a\",\"human\":\"~b-\"}"), "/principals/0/human",
          "must be a human" },
        { P("{\"sub\":\"a\",\"human\":\"\"}"), "/principals/0/human",
          "empty" },
        { P("{\"sub\":\"a\",\"human\":\"a\",\"handle\":\"~a\"}"),
          "/principals/0/human", "must be a human" },
        { P("{\"sub\":\"b\",\"aee\":\"agent.b\",\"handle\":\"~b\"},"
            "{\"sub\":\"a\",\"human\":\"b\"}"), "/principals/1/human",
          "must be a human" },
        { P("{\"sub\":\"b\",\"aee\":\"human.b\"},"
            "{\"sub\":\"a\",\"human\":\"b\"}"), "/principals/1/human",
          "must be a human" },
        { P("{\"sub\":\"b\",\"handle\":\"~c\",\"human\":\"~b\"},"
            "{\"sub\":\"a\",\"human\":\"b\"}"), "/principals/1/human",
          "must be a human" },
    };

    (void) state;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        dir = (parley_directory_t *) &err;

        if (parley_directory_parse(&test_arena, parley_str_c(bad[i].text),
                                   NULL, &dir, &err)
            == 0)
        {
            fail_msg("%s was taken", bad[i].text);
        }

        assert_null(dir);
        assert_string_equal(err.field, bad[i].field);

        if (strstr(err.text, bad[i].says) == NULL) {
            fail_msg("%s: %s", bad[i].text, err.text);
        }

        /* and the place in the file */

        if (bad[i].field[0] != '\0') {
            assert_true(err.offset < strlen(bad[i].text));
        }
    }

    assert_int_equal(parley_directory_parse(&test_arena, parley_str_c(
                         "{\"principals\":[{\"sub\":\"a\"},\n"
                         "{\"sub\":\"a\"}]}"), NULL, &dir, &err), -1);
    assert_int_equal(err.offset, 36);
}


/* The principals of a role, and the owner of a work stream. */

static void
test_groups(void **state)
{
    uint32_t                   at;
    parley_directory_t        *dir;
    const parley_principal_t  *all;

    (void) state;

    dir = parse("{\"principals\":["
                "{\"sub\":\"a\",\"roles\":[\"ops\",\"x\",\"ops\"],"
                "\"streams\":[\"s1\",\"s1\"]},"
                "{\"sub\":\"b\",\"roles\":[\"x\"],\"streams\":[\"s2\"]},"
                "{\"sub\":\"c\",\"roles\":[\"ops\"]}]}");
    (void) parley_directory_principals(dir, &all);

    at = 0;
    assert_ptr_equal(parley_directory_next_role(dir, PARLEY_STR("ops"), &at),
                     &all[0]);
    assert_ptr_equal(parley_directory_next_role(dir, PARLEY_STR("ops"), &at),
                     &all[2]);
    assert_null(parley_directory_next_role(dir, PARLEY_STR("ops"), &at));

    at = 0;
    assert_null(parley_directory_next_role(dir, PARLEY_STR("Ops"), &at));
    assert_null(parley_directory_next_role(dir, parley_str_none, &at));

    assert_ptr_equal(parley_directory_by_stream(dir, PARLEY_STR("s1")),
                     &all[0]);
    assert_ptr_equal(parley_directory_by_stream(dir, PARLEY_STR("s2")),
                     &all[1]);
    assert_null(parley_directory_by_stream(dir, PARLEY_STR("S2")));

    parley_directory_free(dir);
}


/*
 * A parser of the gateway's own keys could reveal a secret in an error; this
 * one must not.
 */

static void
test_no_secret(void **state)
{
    parley_error_t       err;
    parley_directory_t  *dir;

    (void) state;

    assert_int_equal(parley_directory_parse(&test_arena, PARLEY_STR(
        "{\"principals\":[{\"sub\":\"a\",\"keys\":[{\"kty\":\"oct\","
        "\"k\":\"hunter2hunter2hunter2!\"}]}]}"), NULL, &dir, &err), -1);
    assert_null(strstr(err.text, "hunter2"));

    assert_int_equal(parley_directory_parse(&test_arena, PARLEY_STR(
        "{\"principals\":[{\"sub\":\"a\",\"keys\":[{\"kty\":\"oct\","
        "\"k\":\"hunter2\" hunter2}]}]}"), NULL, &dir, &err), -1);
    assert_null(strstr(err.text, "hunter2"));
}


static void
test_large(void **state)
{
    char                      *text, *p, name[32];
    unsigned                   i;
    parley_directory_t        *dir;
    const parley_principal_t  *all, *found;

    (void) state;

    text = malloc(8 * 1024 * 1024);
    assert_non_null(text);
    p = text + sprintf(text, "{\"principals\":[");

    for (i = 0; i < 20000; i++) {
        p += sprintf(p, "%s{\"sub\":\"s%u\",\"aee\":\"agent.a%u\"%s%u\"}",
                     i == 0 ? "" : ",", i, i,
                     i == 0 ? ",\"c2a\":\"agent:" : ",\"parent\":\"s",
                     i == 0 ? 0 : i - 1);
    }

    (void) strcpy(p, "]}");
    dir = parse(text);
    free(text);

    assert_int_equal(parley_directory_principals(dir, &all), 20000);

    for (i = 0; i < 20000; i++) {
        (void) snprintf(name, sizeof(name), "agent.a%u", i);
        found = parley_directory_by_name(dir, PARLEY_NAMESPACE_AEE,
                                         parley_str_c(name));
        assert_ptr_equal(found, &all[i]);
        assert_ptr_equal(found->above, i == 0 ? NULL : &all[i - 1]);
    }

    parley_directory_free(dir);
}


/* Makes a principal from a token with these claims. */

static int
from_claims(const char *claims, const parley_claim_map_t *map,
    const parley_directory_t *dir, parley_principal_t *principal,
    parley_error_t *err)
{
    int            rc;
    parley_jwk_t   jwk;
    parley_jwt_t   jwt;
    parley_jwks_t  keys;

    jwk = parley_test_jwk(RFC7515_HS256);
    keys = parley_test_set(&jwk, 1);
    jwt = taken(&keys, parley_test_token("{\"alg\":\"HS256\"}", claims, &jwk,
                                         PARLEY_ALG_HS256));
    memset(principal, 0xff, sizeof(*principal));
    rc = parley_principal_from_claims(&test_arena, &jwt, map, dir, principal,
                                      err);
    parley_jwk_free(&jwk);

    return rc;
}


static const parley_claim_map_t  claim_map = { {
    [PARLEY_MEMBER_AEE] = parley_str("aee"),
    [PARLEY_MEMBER_HANDLE] = parley_str("alter_handle"),
    [PARLEY_MEMBER_INSTRUMENT] = parley_str("instrument"),
    [PARLEY_MEMBER_ROLES] = parley_str("/realm/roles"),
} };


static void
test_claims(void **state)
{
    parley_error_t       err;
    parley_principal_t   p;
    parley_directory_t  *dir;

    (void) state;

    assert_int_equal(from_claims("{\"sub\":\"dave\"}", NULL, NULL, &p, &err),
                     0);
    parley_assert_str(p.sub, "dave");
    parley_assert_str(p.names[PARLEY_NAMESPACE_MOQ], "dave");
    assert_int_equal(p.names[PARLEY_NAMESPACE_AEE].len, 0);

    assert_int_equal(from_claims(
        "{\"sub\":\"dave\",\"aee\":\"agent.d\\u0061ve\","
        "\"alter_handle\":\"~dave\",\"instrument\":\"~cc-d@2\","
        "\"parent\":\"nobody\",\"max_priority\":\"low\","
        "\"realm\":{\"roles\":[\"a\",\"b\",\"a\"]}}",
        &claim_map, NULL, &p, &err), 0);
    parley_assert_str(p.names[PARLEY_NAMESPACE_AEE], "agent.dave");
    parley_assert_str(p.names[PARLEY_NAMESPACE_HANDLE], "~dave");
    assert_int_equal(p.parent.len, 0);
    assert_int_equal(p.max_priority.len, 0);
    assert_null(p.above);
    assert_int_equal(p.roles.n, 2);

    /*
     * with an entry: the names of the entry have priority, lists are joined,
     * the keys are the entry's
     */

    dir = parse(fleet);
    assert_int_equal(from_claims(
        "{\"sub\":\"alice\",\"aee\":\"agent.mallory\","
        "\"max_priority\":\"urgent\",\"realm\":{\"roles\":\"reader auditor\"}}",
        &claim_map, dir, &p, &err), 0);
    parley_assert_str(p.names[PARLEY_NAMESPACE_AEE], "agent.alice");
    parley_assert_str(p.max_priority, "high");
    assert_int_equal(p.roles.n, 3);
    parley_assert_str(p.roles.list[2], "auditor");
    assert_int_equal(p.keys.n, 2);
    assert_non_null(p.above);

    assert_int_equal(from_claims("{\"sub\":\"dave\",\"parent\":\"bob\"}",
                                 &claim_map, dir, &p, &err), 0);
    assert_null(p.above);
    parley_directory_free(dir);
}


static void
test_claims_refused(void **state)
{
    size_t               i, k;
    parley_error_t       err;
    parley_principal_t   p;
    parley_directory_t  *dir;

    static const struct {
        const char  *claims;
        const char  *field;
    } bad[] = {
        { "{}", "sub" },
        { "{\"sub\":\"\"}", "sub" },
        { "{\"sub\":\"a b\"}", "sub" },
        { "{\"sub\":\"a\\u0000b\"}", "sub" },
        { "{\"sub\":\"d\",\"aee\":1}", "aee" },
        { "{\"sub\":\"d\",\"aee\":[\"agent.d\"]}", "aee" },
        { "{\"sub\":\"d\",\"aee\":\"a\\nb\"}", "aee" },
        { "{\"sub\":\"d\",\"alter_handle\":\"dave\"}", "alter_handle" },
        { "{\"sub\":\"d\",\"instrument\":\"~x@y z\"}", "instrument" },
        { "{\"sub\":\"d\",\"realm\":{\"roles\":[1]}}", "/realm/roles" },
        { "{\"sub\":\"d\",\"realm\":{\"roles\":{}}}", "/realm/roles" },
        { "{\"sub\":\"d\",\"realm\":{\"roles\":[\"a b\"]}}",
          "/realm/roles" },

        /* a name of another principal */

        { "{\"sub\":\"d\",\"aee\":\"agent.alice\"}", "aee" },
        { "{\"sub\":\"bob\",\"alter_handle\":\"~alice\"}", "alter_handle" },
    };

    (void) state;

    dir = parse(fleet);

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        if (from_claims(bad[i].claims, &claim_map, dir, &p, &err) == 0) {
            fail_msg("%s was taken", bad[i].claims);
        }

        assert_int_equal(err.code, PARLEY_E_TOKEN_INVALID);
        assert_string_equal(err.field, bad[i].field);
        assert_int_equal(err.is_name, 1);

        for (k = 0; k < sizeof(p); k++) {
            assert_int_equal(((uint8_t *) &p)[k], 0);
        }
    }

    parley_directory_free(dir);
}


static void
test_humans(void **state)
{
    size_t               i;
    parley_str_t         human, instrument;
    parley_error_t       err;
    parley_directory_t  *dir;

    static const struct {
        const char  *sub;
        const char  *human;
        const char  *instrument;
        int          is_instrument;
    } all[] = {
        { "ada", "~ada", "", 0 },
        { "bare", "~bare", "", 0 },
        { "own", "~own", "~cc-own@1", 1 },
        { "lead", "~ada", "", 0 },
        { "deep", "~ada", "~cc-deep", 1 },
        { "named", "~bare", "", 1 },
        { "outside", "~zoe", "", 1 },
        { "below", "~zoe", "", 0 },
        { "tool", "~ada", "~tool@2", 1 },
        { "derived", "~ada", "", 0 },
        { "nobody", "", "", 0 },
        { "orphan", "", "~cc-o", 1 },
        { "agent", "", "", 0 },
    };

    (void) state;

    assert_int_equal(parley_directory_parse(&test_arena, PARLEY_STR(
        "{\"principals\":["
        "{\"sub\":\"ada\",\"aee\":\"human.ada\",\"handle\":\"~ada\"},"
        "{\"sub\":\"bare\",\"handle\":\"~bare\"},"
        "{\"sub\":\"own\",\"c2a\":\"human:own\",\"handle\":\"~own\","
        "\"instrument\":\"~cc-own@1\"},"

        /* a principal that is not a human is between them */
        "{\"sub\":\"lead\",\"aee\":\"agent.lead\",\"handle\":\"~lead\","
        "\"parent\":\"ada\"},"
        "{\"sub\":\"deep\",\"aee\":\"agent.deep\",\"parent\":\"lead\","
        "\"instrument\":\"~cc-deep\"},"

        /* an explicit human has priority over one found through the parents */
        "{\"sub\":\"named\",\"parent\":\"lead\",\"human\":\"bare\"},"
        "{\"sub\":\"outside\",\"parent\":\"lead\",\"human\":\"~zoe\"},"
        "{\"sub\":\"below\",\"vcp\":\"agent://below\","
        "\"parent\":\"outside\"},"

        "{\"sub\":\"tool\",\"handle\":\"~tool\",\"instrument\":\"~tool@2\","
        "\"parent\":\"ada\"},"
        "{\"sub\":\"derived\",\"handle\":\"~cc-d\",\"parent\":\"ada\"},"
        "{\"sub\":\"nobody\"},"
        "{\"sub\":\"orphan\",\"instrument\":\"~cc-o\"},"
        "{\"sub\":\"agent\",\"vcp\":\"agent://x\",\"handle\":\"~agent\"}"
        "]}"), NULL, &dir, &err), 0);

    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        const parley_principal_t  *p;

        p = parley_directory_by_sub(dir, parley_str_c(all[i].sub));

        assert_non_null(p);
        assert_int_equal(parley_actor_is_instrument(p), all[i].is_instrument);

        human = parley_actor_human(p);
        instrument = p->instrument;

        if (!parley_str_eq(human, parley_str_c(all[i].human))
            || !parley_str_eq(instrument, parley_str_c(all[i].instrument)))
        {
            fail_msg("%s: human %.*s, instrument %.*s", all[i].sub,
                     (int) human.len, (const char *) human.data,
                     (int) instrument.len, (const char *) instrument.data);
        }
    }

    parley_directory_free(dir);
}


static void
test_names(void **state)
{
    size_t  i;

    static const char  *handles[] = {
        "~ab", "~0a", "~a", "~0", "~a-b", "~cc-x",
        "~abcdefghijklmnopqrstuvwxyz012345"
    };
    static const char  *none[] = {
        "", "~", "~-", "~a-", "ab", "~-a", "~A1", "~a_b", "~a.b", "~ab ",
        "~~ab",
        "~org/x", "~abcdefghijklmnopqrstuvwxyz0123456", "~\xc3\xa4z"
    };

    (void) state;

    for (i = 0; i < sizeof(handles) / sizeof(handles[0]); i++) {
        assert_true(parley_namespace_handle_is(parley_str_c(handles[i])));
        assert_true(parley_instrument_is(parley_str_c(handles[i])));
    }

    for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        assert_false(parley_namespace_handle_is(parley_str_c(none[i])));
        assert_false(parley_instrument_is(parley_str_c(none[i])));
    }

    assert_true(parley_instrument_is(PARLEY_STR("~cc-x@1.0_b+2")));
    assert_false(parley_instrument_is(PARLEY_STR("~cc-x@1@2")));

    assert_int_equal(parley_member_find(PARLEY_STR("handle")),
                     PARLEY_MEMBER_HANDLE);
    assert_int_equal(parley_member_find(PARLEY_STR("keys")),
                     PARLEY_MEMBER_COUNT);
}


static size_t  jansson_left;


static void *
jansson_alloc(size_t size)
{
    if (jansson_left == 0) {
        return NULL;
    }

    jansson_left--;

    return malloc(size);
}


static void
test_memory(void **state)
{
    int                  rc;
    size_t               n;
    parley_mem_t         mem;
    parley_arena_t       arena;
    parley_error_t       err;
    parley_test_mem_t    mem_state;
    parley_directory_t  *dir;

    (void) state;

    rc = -1;

    for (n = 1; rc != 0; n++) {
        mem = parley_test_mem(&mem_state, n);
        parley_arena_init(&arena, &mem, 32);

        rc = parley_directory_parse(&arena, parley_str_c(fleet), NULL,
                                    &dir, &err);

        if (rc != 0) {
            assert_int_equal(err.code, PARLEY_E_CAPACITY);
            assert_null(dir);
        }

        parley_directory_free(dir);
        parley_arena_reset(&arena);
        assert_int_equal(mem_state.live, 0);
    }

    assert_true(n > 20);
    rc = -1;

    for (n = 0; rc != 0; n++) {
        jansson_left = n;
        json_set_alloc_funcs(jansson_alloc, free);
        parley_arena_init(&arena, &parley_mem_libc, 0);

        rc = parley_directory_parse(&arena, parley_str_c(fleet), NULL,
                                    &dir, &err);

        json_set_alloc_funcs(malloc, free);
        parley_directory_free(dir);
        parley_arena_reset(&arena);
    }

    assert_true(n > 20);
}


static const struct CMUnitTest  tests[] = {
    parley_auth_test("GW-03 one principal has its names in every protocol",
                     test_lookup),
    parley_auth_test("GW-03 GW-11 clashes, circles and whatever else is "
                     "wrong", test_broken),
    parley_auth_test("C2A-04 roles and streams lead to principals",
                     test_groups),
    parley_auth_test("GW-11 errors hold no secret", test_no_secret),
    parley_auth_test("GW-03 20 000 principals", test_large),
    parley_auth_test("GW-03 a principal from claims and directory",
                     test_claims),
    parley_auth_test("GW-03 claims that are refused", test_claims_refused),
    parley_auth_test("GW-03 ACH-10 whose human and whose instrument",
                     test_humans),
    parley_auth_test("GW-03 handles and other names", test_names),
    parley_auth_test("identities: every allocation may fail", test_memory),
};


PARLEY_TEST_MAIN(tests)
