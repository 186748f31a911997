/* core/parley_url.h */

#include "t/unit/parley_test.h"

#include "core/parley_url.h"


static void
test_url(void **state)
{
    size_t        i;
    parley_url_t  u;

    static const struct {
        const char  *text, *host, *rest;
        unsigned     port;
    } right[] = {
        { "https://a.example/x", "a.example", "/x", 443 },
        { "https://a.example", "a.example", "", 443 },
        { "HTTPS://A.example:8443/x?y=1/2", "A.example", "/x?y=1/2", 8443 },
        { "https://192.0.2.1:1/", "192.0.2.1", "/", 1 },
        { "https://[2001:db8::1]:65535/", "[2001:db8::1]", "/", 65535 },
        { "https://a-b.c3?q", "a-b.c3", "?q", 443 },
        { "wss://a.example/vcp/ws", "a.example", "/vcp/ws", 443 },
        { "WSS://A.example:1", "A.example", "", 1 },
    };

    static const char *const  wrong[] = {
        "", "http://a.example/", "https:/a.example/", "https://", "https:///x",
        "https://u@a.example/", "https://u:p@a.example/",
        "https://a.example/#x", "https://a.example:0/", "https://a.example:/",
        "https://a.example:65536/", "https://a.example:8x/",
        "https://a..b/", "https://-a.b/", "https://a-/", "https://.a/",
        "https://1.2.3/", "https://0x7f.1/", "https://127.1/",
        "https://2130706433/", "https://[::1/", "https://[::1]x/",
        "https://[::g]/", "https://a.example /", "https://a.example/\"",
        "https://a.example/\x7f", "https://a.example\\@b/", "https://a,b/",
        "https://a.example,/", "https://a%2eb/", "ftp://a.example/",
        "ws://a.example/", "wss:/a.example/", "wss://", "wss://u@a.example/",
    };

    (void) state;

    for (i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
        assert_null(parley_url_parse(parley_str_c(right[i].text), &u));
        assert_true(parley_str_eq(u.host, parley_str_c(right[i].host)));
        assert_true(parley_str_eq(u.rest, parley_str_c(right[i].rest)));
        assert_int_equal(u.port, right[i].port);
        assert_int_equal(u.dials, right[i].text[0] == 'w'
                                  || right[i].text[0] == 'W');
    }

    for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        if (parley_url_parse(parley_str_c(wrong[i]), &u) == NULL) {
            fail_msg("%s", wrong[i]);
        }
    }
}


static void
test_hosts(void **state)
{
    parley_str_t  list;

    (void) state;

    list = PARLEY_STR("a.example,b.example:8443,[::1]:1,10.0.0.1");

    assert_true(parley_hosts_have(list, PARLEY_STR("A.example"), 443));
    assert_true(parley_hosts_have(list, PARLEY_STR("b.example"), 8443));
    assert_true(parley_hosts_have(list, PARLEY_STR("[::1]"), 1));
    assert_true(parley_hosts_have(list, PARLEY_STR("10.0.0.1"), 443));
    assert_false(parley_hosts_have(list, PARLEY_STR("b.example"), 443));
    assert_false(parley_hosts_have(list, PARLEY_STR("example"), 443));
    assert_false(parley_hosts_have(list, PARLEY_STR("a.example.evil"), 443));
    assert_false(parley_hosts_have(parley_str_none, PARLEY_STR("a"), 443));
}


static void
test_address(void **state)
{
    size_t   i, n;
    uint8_t  octets[16];

    static const struct {
        const char  *host;
        int          public;
    } list[] = {
        { "8.8.8.8", 1 }, { "127.0.0.1", 0 }, { "127.255.255.255", 0 },
        { "128.0.0.1", 1 }, { "10.1.2.3", 0 }, { "172.15.0.1", 1 },
        { "172.16.0.1", 0 }, { "172.31.255.255", 0 }, { "172.32.0.1", 1 },
        { "192.168.1.1", 0 }, { "192.167.1.1", 1 }, { "169.254.169.254", 0 },
        { "0.0.0.0", 0 }, { "100.64.0.1", 0 }, { "100.128.0.1", 1 },
        { "224.0.0.1", 0 }, { "255.255.255.255", 0 }, { "223.0.0.1", 1 },
        { "[::1]", 0 }, { "[::]", 0 }, { "[fe80::1]", 0 }, { "[fd00::1]", 0 },
        { "[fc00::1]", 0 }, { "[ff02::1]", 0 }, { "[2600::1]", 1 },
        { "[::ffff:127.0.0.1]", 0 }, { "[::ffff:8.8.8.8]", 1 },
        { "[64:ff9b::7f00:1]", 0 }, { "[64:ff9b::808:808]", 1 },
        { "[2002:7f00:1::]", 0 }, { "[2002:808:808::]", 1 },
        { "[::127.0.0.1]", 0 }, { "[2001:db8::1]", 0 },
    };

    (void) state;

    for (i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
        n = parley_url_host_address(parley_str_c(list[i].host), octets);
        assert_true(n == 4 || n == 16);

        if (parley_url_is_public(octets, n) != list[i].public) {
            fail_msg("%s", list[i].host);
        }
    }

    assert_int_equal(parley_url_host_address(PARLEY_STR("a.example"), octets),
                     0);
    assert_int_equal(parley_url_host_address(PARLEY_STR("1.2.3"), octets), 0);
    assert_int_equal(parley_url_host_address(PARLEY_STR("::1"), octets), 0);
}


static const struct CMUnitTest  tests[] = {
    parley_test("VCP-21 URLs that something is delivered to", test_url),
    parley_test("VCP-21 hosts and ports that are listed", test_hosts),
    parley_test("VCP-21 addresses of one's own", test_address),
};

PARLEY_TEST_MAIN(tests)
