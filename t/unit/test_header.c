/* gate/parley_header.h */

#include "parley_test.h"

#include "parley_header.h"


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
        int          passed;        /* kept back of a body that passes */
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
        assert_true(parley_header_is_of_body(parley_str_c(body[i])));
    }

    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_false(parley_header_is_of_body(parley_str_c(others[i])));
    }
}


static void
test_seconds(void **state)
{
    size_t  i;

    static const struct {
        const char  *value;
        int64_t      n;
    } rows[] = {
        { "0", 0 }, { "007", 7 }, { "59", 59 }, { "60", 60 }, { "61", 60 },
        { "9223372036854775807", 60 }, { "9223372036854775808", 60 },
        { "99999999999999999999", 60 },
        { "00000000000000000000000000000000000000000000000001", 1 },
        { "", -1 }, { "-1", -1 }, { "+1", -1 }, { "1.5", -1 }, { "1 ", -1 },
        { "soon", -1 }, { "99999999999999999999x", -1 },
        { "Sun, 06 Nov 1994 08:49:37 GMT", -1 }
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(parley_header_seconds(parley_str_c(rows[i].value),
                                               60),
                         rows[i].n);
    }

    assert_int_equal(parley_header_seconds(PARLEY_STR("18446744073709551616"),
                                           INT64_MAX / 10 - 1),
                     INT64_MAX / 10 - 1);
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-29 the seconds of a Retry-After", test_seconds),
    parley_test("SEC-05 headers of the gateway's", test_own),
    parley_test("SEC-02 headers that do not go on", test_kept_back),
    parley_test("headers of a body", test_of_body),
};

PARLEY_TEST_MAIN(tests)
