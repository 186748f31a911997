/* http/parley_header.h */

#include "t/unit/parley_test.h"

#include "http/parley_header.h"


static void
test_own(void **state)
{
    size_t  i;

    static const char *const  own[] = {
        "Parley-Verified", "parley-", "PARLEY_VERIFIED", "pArLeY.x",
        "parley~x", "Parley Loss", "Parley\xC3\xA9"
    };

    static const char *const  others[] = {
        "", "P", "Parley", "ParleyX", "Parlez-Verified", "X-Parley-Verified",
        "-Parley-Verified", "0arley-x", "Parleyx-"
    };

    (void) state;

    for (i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        assert_true(parley_header_is_own(parley_str_c(own[i])));
        assert_true(parley_header_is_kept_back(parley_str_c(own[i]), 0));
    }

    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_false(parley_header_is_own(parley_str_c(others[i])));
        assert_false(parley_header_is_kept_back(parley_str_c(others[i]), 1));
    }
}


static void
test_kept_back(void **state)
{
    size_t  i;

    static const struct {
        const char  *name;
        int          passed;        /* held back from a body that passes */
        int          replaced;
    } rows[] = {
        { "Content-Type", 1, 1 },
        { "content_type", 1, 1 },
        { "CONTENT.TYPE", 1, 1 },
        { "Content-Encoding", 1, 1 },
        { "Content_Encoding", 1, 1 },
        { "Accept-Encoding", 1, 1 },
        { "Traceparent", 1, 1 },
        { "Content-Length", 0, 0 },
        { "content-length", 0, 0 },
        { "Content_Length", 1, 1 },
        { "Transfer-Encoding", 0, 0 },
        { "transfer_encoding", 1, 1 },
        { "Transfer.Encoding", 1, 1 },
        { "Content-MD5", 0, 1 },
        { "Digest", 0, 1 },
        { "Content-Digest", 0, 1 },
        { "Repr_Digest", 0, 1 },
        { "If-Match", 1, 1 },
        { "If-Modified-Since", 1, 1 },
        { "if_none_match", 1, 1 },
        { "If-Range", 1, 1 },
        { "If-Unmodified-Since", 1, 1 },
        { "Range", 1, 1 },
        { "If", 0, 0 },
        { "Ranges", 0, 0 },
        { "Accept", 0, 0 },
        { "Authorization", 0, 0 },
        { "Content-Typ", 0, 0 },
        { "Mcp-Session-Id", 0, 0 }
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(parley_header_is_kept_back(
                             parley_str_c(rows[i].name), 0), rows[i].passed);
        assert_int_equal(parley_header_is_kept_back(
                             parley_str_c(rows[i].name), 1),
                         rows[i].replaced);
    }
}


static void
test_of_body(void **state)
{
    size_t  i;

    static const char *const  body[] = {
        "Location", "location", "Content-Range", "Trailer",
        "WWW-Authenticate", "Content-Language", "ETag", "Digest",
        "Content-MD5", "Mcp-Session-Id", "Last-Modified"
    };

    static const char *const  others[] = {
        "Set-Cookie", "Cache-Control", "Retry-After", "Date", "Server",
        "Content-Type", "Content-Length", "X-Location", "Locations", ""
    };

    (void) state;

    for (i = 0; i < sizeof(body) / sizeof(body[0]); i++) {
        assert_true(parley_header_is_of_body(parley_str_c(body[i]),
                                              PARLEY_PROTO_NONE));
    }

    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_false(parley_header_is_of_body(parley_str_c(others[i]),
                                               PARLEY_PROTO_NONE));
    }
}


static void
test_wait(void **state)
{
    size_t   i;
    int64_t  ms;

    static const struct {
        const char  *value;
        int64_t      s;
    } rows[] = {
        { "0", 0 }, { "007", 7 }, { "86399", 86399 }, { "86400", 86400 },
        { "86401", 86400 },
        { "9223372036854775807", 86400 }, { "9223372036854775808", 86400 },
        { "18446744073709551616", 86400 },
        { "99999999999999999999", 86400 },
        { "00000000000000000000000000000000000000000000000001", 1 },
        { "", 0 }, { "-1", 0 }, { "+1", 0 }, { "1.5", 0 }, { "1 ", 0 },
        { "soon", 0 }, { "99999999999999999999x", 0 },
        { "Sun, 06 Nov 1994 08:49:38 GMT", 1 },
        { "Sunday, 06-Nov-94 08:50:37 GMT", 60 },
        { "Sun Nov  6 08:49:39 1994", 2 },
        { "Sun, 06 Nov 1994 08:49:37 GMT", 0 },
        { "Sun, 06 Nov 1994 08:49:36 GMT", 0 },
        { "Mon, 01 Jan 0001 00:00:00 GMT", 0 },
        { "Mon, 07 Nov 1994 08:49:36 GMT", 86399 },
        { "Fri, 31 Dec 9999 23:59:59 GMT", 86400 }
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ms = parley_header_wait(parley_str_c(rows[i].value), 784111777999);

        if (ms != rows[i].s * 1000) {
            fail_msg("%s: %lld", rows[i].value, (long long) ms);
        }
    }

    assert_true(parley_header_waits(429));
    assert_true(parley_header_waits(503));
    assert_false(parley_header_waits(200));
    assert_false(parley_header_waits(500));
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-29 what a Retry-After asks for", test_wait),
    parley_test("SEC-05 headers of the gateway's", test_own),
    parley_test("SEC-02 headers that do not go on", test_kept_back),
    parley_test("headers of a body", test_of_body),
};

PARLEY_TEST_MAIN(tests)
