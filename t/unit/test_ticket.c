/* auth/parley_ticket.h (GW-02) */

#include "t/unit/parley_test_auth.h"

#include "auth/parley_ticket.h"


#define EXPIRES  1795512345678


static const uint8_t  secret[PARLEY_KEY_SECRET] = "secret of a zone";
static const uint8_t  other[PARLEY_KEY_SECRET] = "secret of anothe";
static const uint8_t  nonce[PARLEY_TICKET_NONCE] = "random octets of a nonce";


static parley_str_t
sealed(const char *place, const char *token)
{
    parley_str_t     text;
    parley_ticket_t  t;

    t.nonce = parley_str_make(nonce, sizeof(nonce));
    t.token = parley_str_c(token);
    t.expires = EXPIRES;

    assert_int_equal(parley_ticket_seal(&test_arena, secret,
                                        parley_str_c(place), &t, &text), 0);

    return text;
}


static int
opened(const uint8_t *with, const char *place, parley_str_t text,
    parley_ticket_t *ret)
{
    int             rc;
    parley_error_t  err;

    parley_error_clear(&err);

    rc = parley_ticket_open(&test_arena, with, parley_str_c(place), text, ret,
                            &err);
    assert_int_equal(err.code, rc == 0 ? PARLEY_E_NONE
                                       : PARLEY_E_TOKEN_INVALID);

    return rc;
}


static void
test_opens(void **state)
{
    parley_str_t     text;
    parley_ticket_t  t;

    (void) state;

    text = sealed("/stream/~alice", "aaa.bbb.ccc");

    assert_int_equal(opened(secret, "/stream/~alice", text, &t), 0);
    assert_true(parley_str_is(t.token, "aaa.bbb.ccc"));
    assert_true(t.expires == EXPIRES);
    assert_true(parley_str_eq(t.nonce,
                              parley_str_make(nonce, sizeof(nonce))));

    assert_int_equal(opened(secret, "/stream/~bob", text, &t), -1);
    assert_int_equal(opened(secret, "", text, &t), -1);
    assert_int_equal(opened(other, "/stream/~alice", text, &t), -1);
}


/* No octet of it can be changed, and it contains no octet of the token. */

static void
test_changed(void **state)
{
    size_t           i;
    uint8_t         *copy;
    parley_str_t     text;
    parley_ticket_t  t;

    (void) state;

    text = sealed("/", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    copy = parley_arena_octets(&test_arena, text.len + 1);

    for (i = 0; i < text.len; i++) {
        memcpy(copy, text.data, text.len);
        copy[i] = copy[i] == 'A' ? 'B' : 'A';

        assert_int_equal(opened(secret, "/", parley_str_make(copy, text.len),
                                &t), -1);
        assert_int_equal(opened(secret, "/", parley_str_make(text.data, i),
                                &t), -1);
    }

    memcpy(copy, text.data, text.len);
    copy[text.len] = 'A';

    assert_int_equal(opened(secret, "/", parley_str_make(copy, text.len + 1),
                            &t), -1);
    assert_int_equal(opened(secret, "/", parley_str_c("?"), &t), -1);
}


static const struct CMUnitTest  tests[] = {
    parley_auth_test("GW-02 a ticket opens at its place", test_opens),
    parley_auth_test("GW-02 a ticket cannot be changed", test_changed),
};


PARLEY_TEST_MAIN(tests)
