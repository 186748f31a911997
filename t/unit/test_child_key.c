/* gate/party/parley_child_key.h */

#include "t/unit/parley_test_auth.h"
#include "t/unit/parley_test_json.h"
#include "t/unit/parley_test_state.h"

#include "gate/party/parley_child_key.h"


#define NOW_MS  ((int64_t) 1700000000 * 1000)

#define KEY(kid)                                                              \
    "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"" kid "\","               \
    "\"x\":\"" RFC8037_X "\"}"


static parley_test_state_t  t;
static parley_ask_t         ask;
static parley_jwk_t         own = { .kid = parley_str("own") };
static parley_principal_t   child = {
    .sub = parley_str("w"), .parent = parley_str("lead"),
    .keys = { &own, 1, 0, 0 }
};


static int
begin(void **state)
{
    (void) state;

    parley_test_state_begin(&t, 64 * 1024, PARLEY_SHARE_ALL);
    parley_arena_init(&test_arena, &parley_mem_libc, 0);
    parley_ask_init(&ask, &t.s.state, &test_arena);

    child.parent = PARLEY_STR("lead");

    return 0;
}


static int
end(void **state)
{
    (void) state;

    parley_test_table_check(t.s.sh->table);
    parley_test_state_end(&t);
    parley_arena_reset(&test_arena);

    return 0;
}


static void
get(int64_t now_ms, parley_child_keys_t *ret)
{
    parley_ask_begin(&ask, 0);
    assert_int_equal(parley_child_key_get(&ask, &child, now_ms, ret), 0);
    parley_ask_end(&ask);
}


static void
put(const char *kid, int64_t exp, uint8_t octet)
{
    parley_child_key_t   key;
    parley_put_result_t  got;

    static const uint8_t  account[PARLEY_KEY_LEN] = { 1 };

    key.kid = parley_str_c(kid);
    key.exp = exp;
    memset(key.octets, octet, PARLEY_CHILD_KEY_LEN);

    parley_ask_begin(&ask, 0);
    assert_int_equal(parley_child_key_put(&ask, &child, &key, account, NOW_MS,
                                          &got), 0);
    parley_ask_end(&ask);

    assert_int_equal(got, PARLEY_PUT_OK);
}


static void
test_kept(void **state)
{
    parley_jwks_t        jwks;
    parley_child_keys_t  keys;

    (void) state;

    get(NOW_MS, &keys);
    assert_int_equal(keys.n, 0);

    put("a", 1700000010, 1);
    put("b", 1700000020, 2);
    put("b", 1700000030, 3);

    get(NOW_MS, &keys);
    assert_int_equal(keys.n, 2);
    assert_int_equal(parley_child_key_find(&keys, PARLEY_STR("b")), 0);
    assert_int_equal(keys.list[0].exp, 1700000030);
    assert_int_equal(keys.list[0].octets[31], 3);
    assert_int_equal(parley_child_key_find(&keys, PARLEY_STR("a")), 1);
    assert_int_equal(parley_child_key_find(&keys, PARLEY_STR("c")), 2);

    assert_int_equal(parley_child_key_jwks(&test_arena, &keys,
                                           parley_str_none, &jwks), 0);
    assert_int_equal(jwks.n, 2);
    assert_int_equal(parley_child_key_jwks(&test_arena, &keys,
                                           PARLEY_STR("a"), &jwks), 0);
    assert_int_equal(jwks.n, 1);
    assert_int_equal(jwks.keys[0].ed25519[0], 1);
    assert_int_equal(jwks.keys[0].expires, (int64_t) 1700000010 * 1000);
    assert_true(parley_signature_key_is(&jwks.keys[0]));

    /* by the wall clock, independent of the clock of the state */

    get((int64_t) 1700000010 * 1000, &keys);
    assert_int_equal(keys.n, 1);

    /* by the clock of the state */

    t.now += 30000;
    get(NOW_MS, &keys);
    assert_int_equal(keys.n, 0);
}


static void
test_whose(void **state)
{
    parley_child_keys_t  keys;

    (void) state;

    put("a", 1700000010, 1);
    put("own", 1700000010, 2);

    get(NOW_MS, &keys);
    assert_int_equal(keys.n, 1);
    assert_int_equal(parley_child_key_find(&keys, PARLEY_STR("a")), 0);

    child.parent = PARLEY_STR("leada");
    get(NOW_MS, &keys);
    assert_int_equal(keys.n, 0);

    child.parent = PARLEY_STR("other");
    get(NOW_MS, &keys);
    assert_int_equal(keys.n, 0);

    /* each takes its own place */

    put("a", 1700000010, 3);
    parley_ask_begin(&ask, 0);
    assert_int_equal(parley_child_key_drop(&ask, &child, PARLEY_STR("a")), 0);
    parley_ask_end(&ask);

    get(NOW_MS, &keys);
    assert_int_equal(keys.n, 0);

    child.parent = PARLEY_STR("lead");
    get(NOW_MS, &keys);
    assert_int_equal(keys.n, 1);
    assert_int_equal(keys.list[0].octets[0], 1);
}


static void
test_read(void **state)
{
    size_t               i;
    int                  rc;
    parley_str_t         sub;
    parley_json_t        doc;
    parley_error_t       err;
    parley_child_adds_t  adds;

    static const struct {
        const char     *text;
        parley_code_t   code;
        const char     *field;
    } rows[] = {
        { "{\"sub\":\"w\",\"exp\":1700086400,\"keys\":[" KEY("a") ","
          KEY("b") "]}", PARLEY_E_NONE, "" },
        { "{\"sub\":\"w\",\"exp\":1700000001,\"keys\":[" KEY("a") "]}",
          PARLEY_E_NONE, "" },
        { "{\"sub\":\"w\",\"exp\":1700000000,\"keys\":[" KEY("a") "]}",
          PARLEY_E_FIELD_INVALID, "/exp" },
        { "{\"sub\":\"w\",\"exp\":1700086401,\"keys\":[" KEY("a") "]}",
          PARLEY_E_FIELD_INVALID, "/exp" },
        { "{\"sub\":\"w\",\"exp\":-1,\"keys\":[" KEY("a") "]}",
          PARLEY_E_FIELD_INVALID, "/exp" },
        { "{\"sub\":\"w\",\"exp\":9223372036854775807,\"keys\":[" KEY("a")
          "]}", PARLEY_E_FIELD_INVALID, "/exp" },
        { "{\"sub\":\"w\",\"exp\":99999999999999999999,\"keys\":[" KEY("a")
          "]}", PARLEY_E_FIELD_INVALID, "/exp" },
        { "{\"sub\":\"\",\"exp\":1700000001,\"keys\":[" KEY("a") "]}",
          PARLEY_E_FIELD_INVALID, "/sub" },
        { "{\"sub\":\"w\",\"exp\":1700000001,\"keys\":[" KEY("a") ","
          KEY("a") "]}", PARLEY_E_FIELD_INVALID, "/keys/1/kid" },
        { "{\"sub\":\"w\",\"exp\":1700000001,\"keys\":["
          RFC8037_PRIVATE "]}", PARLEY_E_FIELD_INVALID, "/keys/0/d" },
        { "{\"sub\":\"w\",\"exp\":1700000001,\"keys\":["
          RFC8037_PUBLIC "]}", PARLEY_E_FIELD_MISSING, "/keys/0/kid" },
        { "{\"sub\":\"w\",\"exp\":1700000001,\"keys\":["
          RFC7515_HS256 "]}", PARLEY_E_FIELD_INVALID, "/keys/0/k" },
        { "{\"sub\":\"w\",\"exp\":1700000001,\"keys\":[{\"kty\":\"EC\"}]}",
          PARLEY_E_FIELD_MISSING, "/keys/0/kid" },
        { "{\"sub\":\"w\",\"exp\":1700000001,\"keys\":[null]}",
          PARLEY_E_FIELD_INVALID, "/keys/0" },
        { "{\"s/b\":1}", PARLEY_E_FIELD_UNKNOWN, "/s~1b" },
        { "7", PARLEY_E_FIELD_INVALID, "" },
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        parley_error_clear(&err);

        assert_int_equal(parley_json_read(&doc, &test_arena, NULL, 1,
                                          parley_str_c(rows[i].text), &err),
                         0);

        rc = parley_child_adds_sub(&doc, &sub, &err);

        if (rc == 0) {
            rc = parley_child_adds_read(&test_arena, &doc, NOW_MS, &adds,
                                        &err);
        }

        assert_int_equal(rc, rows[i].code == PARLEY_E_NONE ? 0 : -1);
        assert_int_equal(err.code, rows[i].code);
        assert_string_equal(err.field, rows[i].field);
    }
}


/* The n-th allocation fails: an error, and nothing is left. */

static void
test_memory(void **state)
{
    size_t               i;
    parley_mem_t         mem;
    parley_json_t        doc;
    parley_arena_t       arena;
    parley_error_t       err;
    parley_child_adds_t  adds;
    parley_test_mem_t    fails;

    (void) state;

    assert_int_equal(parley_json_read(&doc, &test_arena, NULL, 1,
                     PARLEY_STR("{\"sub\":\"w\",\"exp\":1700000001,\"keys\":["
                                KEY("a") "]}"), &err), 0);

    for (i = 1; i < 100; i++) {
        mem = parley_test_mem(&fails, i);
        parley_arena_init(&arena, &mem, 1);

        if (parley_child_adds_read(&arena, &doc, NOW_MS, &adds, &err) == 0) {
            parley_arena_reset(&arena);
            break;
        }

        assert_int_equal(err.code, PARLEY_E_CAPACITY);
        parley_arena_reset(&arena);
        assert_int_equal(fails.live, 0);
    }

    assert_in_range(i, 2, 99);
}


#define test(name, f)  { (name), (f), begin, end, NULL }

static const struct CMUnitTest  tests[] = {
    test("VCP-31 keys are kept until they end", test_kept),
    test("VCP-31 the parent of now, and the directory's kids", test_whose),
    test("VCP-31 SEC-18 what is asked to be added", test_read),
    test("VCP-31 without memory", test_memory),
};

PARLEY_TEST_MAIN(tests)
