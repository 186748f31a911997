/* lib/parley.h, in a program that includes no other header */

#include "t/unit/parley_test.h"

#include "parley.h"


#define TASK                                                                  \
    "{\"v\":\"1\",\"id\":\"task-0001\",\"ts\":\"2026-02-15T10:30:00Z\","      \
    "\"type\":\"task\",\"from\":\"agent.x1\",\"to\":\"agent.x2\","            \
    "\"intent\":\"ops.tea.make\",\"corr\":\"corr-0001\",\"reply_to\":null,"   \
    "\"priority\":\"high\",\"requires\":{\"timeout_ms\":5000},"               \
    "\"payload\":{\"cups\":1}}"

#define KEYS                                                                  \
    "{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"k1\","         \
    "\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\","                  \
    "\"d\":\"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A\"}]}"


typedef struct {
    parley_library  *library;
    parley_keys     *keys;
    parley_failure   err;
} fixture_t;


static void
begin(fixture_t *f)
{
    assert_int_equal(parley_library_new(&f->library, &f->err), 0);
    assert_int_equal(parley_keys_new(f->library, KEYS, strlen(KEYS), &f->keys,
                                     &f->err), 0);
}


static void
end(fixture_t *f)
{
    parley_keys_free(f->keys);
    parley_library_free(f->library);
}


static parley_message *
message(fixture_t *f, const char *text)
{
    parley_message  *m;

    if (parley_message_new(f->library, NULL, text, strlen(text), &m, &f->err)
        != 0)
    {
        fail_msg("%s %s", f->err.field, f->err.text);
    }

    return m;
}


static void
test_message(void **state)
{
    size_t           i;
    fixture_t        f;
    const char      *proto;
    parley_message  *m;

    static const struct {
        parley_field   field;
        const char    *value;
    } rows[] = {
        { PARLEY_FIELD_PROTOCOL, "aee" },
        { PARLEY_FIELD_TYPE, "task" },
        { PARLEY_FIELD_ACT, "request" },
        { PARLEY_FIELD_ID, "task-0001" },
        { PARLEY_FIELD_SENDER, "agent.x1" },
        { PARLEY_FIELD_RECIPIENT, "agent.x2" },
        { PARLEY_FIELD_INTENT, "ops.tea.make" },
        { PARLEY_FIELD_CORRELATION, "corr-0001" },
        { PARLEY_FIELD_REPLY_TO, "" },
        { PARLEY_FIELD_CREATED, "2026-02-15T10:30:00Z" },
        { PARLEY_FIELD_PRIORITY, "high" },
        { PARLEY_FIELD_TEXT, "" },
        { PARLEY_FIELD_PAYLOAD, "{\"cups\":1}" },
    };

    (void) state;

    begin(&f);

    assert_int_equal(parley_detect_text(f.library, TASK, strlen(TASK), &proto,
                                        NULL), 0);
    assert_string_equal(proto, "aee");
    assert_int_equal(parley_detect_text(f.library, "{}", 2, &proto, NULL), 0);
    assert_null(proto);
    assert_int_equal(parley_detect_text(f.library, "{", 1, &proto, NULL), -1);

    m = message(&f, TASK);

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_string_equal(parley_message_get(m, rows[i].field).data,
                            rows[i].value);
    }

    assert_int_equal(parley_message_get(m, (parley_field) 99).len, 0);
    assert_int_equal(parley_message_created(m), 1771151400000);
    assert_int_equal(parley_message_timeout(m), 5000);
    assert_string_equal(parley_message_value(m, "/payload/cups").data, "1");
    assert_int_equal(parley_message_value(m, "/payload/pots").len, 0);

    parley_message_free(m);
    end(&f);
}


static void
test_failures(void **state)
{
    fixture_t        f;
    parley_keys     *keys;
    parley_made     *made;
    parley_message  *m;

    (void) state;

    begin(&f);

    assert_int_equal(parley_message_new(f.library, "aee", "{}", 2, &m, &f.err),
                     -1);
    assert_null(m);
    assert_int_equal(f.err.code, PARLEY_ERR_FIELD_MISSING);
    assert_string_equal(f.err.word, "field-missing");

    assert_int_equal(parley_message_new(f.library, "aee", "{\"v\":1,", 7, &m,
                                        &f.err), -1);
    assert_int_equal(f.err.code, PARLEY_ERR_JSON_INVALID);
    assert_int_equal(f.err.offset, 7);

    assert_int_equal(parley_message_new(f.library, "morse", TASK, strlen(TASK),
                                        &m, &f.err), -1);
    assert_int_equal(f.err.code, PARLEY_ERR_PROTOCOL_UNSUPPORTED);

    assert_int_equal(parley_keys_new(f.library, "[]", 2, &keys, NULL), -1);
    assert_null(keys);

    m = message(&f, TASK);

    assert_int_equal(parley_message_translate(m, "vcp", NULL, &made, &f.err),
                     -1);
    assert_null(made);
    assert_int_equal(f.err.code, PARLEY_ERR_TRANSLATION_UNSUPPORTED);
    assert_string_equal(f.err.field, "/intent");

    parley_message_free(m);
    end(&f);
}


static void
test_translate(void **state)
{
    unsigned         i;
    fixture_t        f;
    parley_made     *made, *back, *canonical, *again;
    parley_message  *m, *other;

    (void) state;

    begin(&f);

    for (i = 0; parley_protocol(i) != NULL; i++) {
        assert_true(strlen(parley_protocol(i)) >= 3);
    }

    m = message(&f, TASK);
    assert_int_equal(parley_message_canonical(m, &canonical, &f.err), 0);
    assert_int_equal(parley_message_translate(m, "c2a", NULL, &made, &f.err),
                     0);

    /* a result outlives its message */

    parley_message_free(m);
    assert_null(parley_made_lost(made, 0).data);

    other = message(&f, parley_made_text(made).data);
    assert_string_equal(parley_message_get(other, PARLEY_FIELD_PROTOCOL).data,
                        "c2a");

    assert_int_equal(parley_message_translate(other, "aee", NULL, &back,
                                              &f.err), 0);
    parley_message_free(other);

    other = message(&f, parley_made_text(back).data);
    assert_int_equal(parley_message_canonical(other, &again, &f.err), 0);
    assert_string_equal(parley_made_text(again).data,
                        parley_made_text(canonical).data);

    parley_made_free(again);
    parley_made_free(canonical);
    parley_made_free(back);
    parley_message_free(other);
    parley_made_free(made);
    end(&f);
}


static void
test_sign(void **state)
{
    char            *text;
    fixture_t        f;
    parley_made     *made, *canonical;
    parley_message  *m, *sealed;

    (void) state;

    begin(&f);

    m = message(&f, TASK);

    assert_int_equal(parley_message_verify(m, f.keys, &f.err), -1);
    assert_int_equal(f.err.code, PARLEY_ERR_SIGNATURE_MISSING);
    assert_int_equal(parley_message_sign(m, f.keys, "k2", &made, &f.err), -1);
    assert_int_equal(f.err.code, PARLEY_ERR_KEY_UNKNOWN);
    assert_int_equal(parley_message_sign(m, f.keys, NULL, &made, &f.err), 0);

    sealed = message(&f, parley_made_text(made).data);
    assert_int_equal(parley_message_verify(sealed, f.keys, &f.err), 0);
    assert_int_equal(parley_message_canonical(sealed, &canonical, &f.err), 0);
    assert_memory_equal(parley_made_text(canonical).data, "{\"corr\"", 7);
    parley_made_free(canonical);
    parley_message_free(sealed);

    /* another cup */

    text = strdup(parley_made_text(made).data);
    strstr(text, "cups\":1")[6] = '2';
    sealed = message(&f, text);
    assert_int_equal(parley_message_verify(sealed, f.keys, &f.err), -1);
    assert_int_equal(f.err.code, PARLEY_ERR_SIGNATURE_INVALID);
    parley_message_free(sealed);
    free(text);

    parley_made_free(made);
    parley_message_free(m);
    end(&f);
}


static void
test_token(void **state)
{
    fixture_t            f;
    parley_text          text;
    parley_made         *made;
    parley_token        *token;
    parley_token_rules   rules = { "https://id.example", "agents", 0, 1000 };

    static const char  claims[] =
        "{\"iss\":\"https://id.example\",\"sub\":\"x1\",\"aud\":\"agents\","
        "\"exp\":2000,\"realm\":{\"roles\":[\"tea\"]}}";

    (void) state;

    begin(&f);
    assert_int_equal(parley_keys_count(f.keys), 1);

    assert_int_equal(parley_token_make(f.library, f.keys, NULL, "[]", 2, &made,
                                       NULL), -1);
    assert_int_equal(parley_token_make(f.library, f.keys, "k1", claims,
                                       strlen(claims), &made, &f.err), 0);

    text = parley_made_text(made);

    assert_int_equal(parley_token_new(f.library, f.keys, text.data, text.len,
                                      &rules, &token, &f.err), 0);
    assert_string_equal(parley_token_claim(token, "sub").data, "x1");
    assert_string_equal(parley_token_claim(token, "/realm/roles").data,
                        "[\"tea\"]");
    assert_int_equal(parley_token_claim(token, "jti").len, 0);
    parley_token_free(token);

    assert_int_equal(parley_token_new(f.library, f.keys, text.data, text.len,
                                      NULL, &token, &f.err), -1);
    assert_null(token);
    assert_int_equal(f.err.code, PARLEY_ERR_TOKEN_EXPIRED);

    rules.audience = "others";
    assert_int_equal(parley_token_new(f.library, f.keys, text.data, text.len,
                                      &rules, &token, &f.err), -1);
    assert_int_equal(f.err.code, PARLEY_ERR_TOKEN_INVALID);
    assert_string_equal(f.err.field, "aud");

    parley_made_free(made);
    end(&f);
}


static const struct CMUnitTest  tests[] = {
    parley_test("a message says what it is", test_message),
    parley_test("what is wrong has a number, a word, a place", test_failures),
    parley_test("it is translated there and back", test_translate),
    parley_test("signed, and verified", test_sign),
    parley_test("tokens are made and verified", test_token),
};


PARLEY_TEST_MAIN(tests)
