/* http/parley_media.h */

#include "t/unit/parley_test.h"

#include "http/parley_media.h"


static int
test_header(const char *name, const char *value, parley_error_t *err)
{
    int              rc;
    char            *copy;
    size_t           len;
    parley_media_t   media;

    /* an allocation of the exact size: a read beyond it is detected */

    len = strlen(value);
    copy = malloc(len + 1);
    assert_non_null(copy);
    memcpy(copy, value, len);

    copy = realloc(copy, len ? len : 1);
    assert_non_null(copy);

    memset(&media, 0, sizeof(media));
    parley_error_clear(err);

    rc = parley_media_header(&media, parley_str_c(name),
                             parley_str_make(copy, len), err);
    free(copy);

    return rc;
}


static void
test_values(void **state)
{
    size_t          i;
    parley_error_t  err;

    static const struct {
        const char  *name;
        const char  *value;
        int          rc;
    } rows[] = {
        { "content-type", "application/json", 0 },
        { "content-type", "application/JSON;charset=\"utf-8\"", 0 },
        { "content-type", "application/a+json;", 0 },
        { "content-type", "application/json; x=\"\\\"\"", 0 },
        { "content-type", "application/json; x=\"\\", -1 },
        { "content-type", "application/json; x=\"", -1 },
        { "content-type", "application/json; x=", -1 },
        { "content-type", "application/json; x", -1 },
        { "content-type", "application/json; =x", -1 },
        { "content-type", "application/json; charset=utf8", -1 },
        { "content-type", "application/json\x01", -1 },
        { "content-type", "application", -1 },
        { "content-type", "application/", -1 },
        { "content-type", "", -1 },
        { "content-encoding", "", 0 },
        { "content-encoding", " ,\t, ", 0 },
        { "content-encoding", "identity\t", 0 },
        { "content-encoding", "identityx", -1 },
        { "content-encoding", ",gzip", -1 },
        { "content-language", "gzip", 0 },
        { "content", "text/plain", 0 },
        { "", "", 0 }
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(test_header(rows[i].name, rows[i].value, &err),
                         rows[i].rc);
        assert_int_equal(err.code, rows[i].rc ? PARLEY_E_PROTOCOL_UNSUPPORTED
                                              : PARLEY_E_NONE);
    }
}


static void
test_twice(void **state)
{
    parley_media_t  media;
    parley_error_t  err;

    (void) state;

    memset(&media, 0, sizeof(media));

    assert_int_equal(parley_media_header(&media, PARLEY_STR("content-type"),
                                         PARLEY_STR("application/json"),
                                         &err), 0);
    assert_int_equal(parley_media_header(&media,
                                         PARLEY_STR("content-encoding"),
                                         PARLEY_STR("identity"), &err), 0);
    assert_int_equal(parley_media_header(&media,
                                         PARLEY_STR("content-encoding"),
                                         PARLEY_STR("identity"), &err), 0);
    assert_int_equal(parley_media_header(&media, PARLEY_STR("content-type"),
                                         PARLEY_STR("application/json"),
                                         &err), -1);
    assert_int_equal(err.code, PARLEY_E_PROTOCOL_UNSUPPORTED);
}


static void
test_charset(void **state)
{
    size_t  i;

    static const struct {
        const char        *value;
        parley_charset_t   charset;
    } rows[] = {
        { "", PARLEY_CHARSET_UTF8 },
        { "application/json", PARLEY_CHARSET_UTF8 },
        { "text/html", PARLEY_CHARSET_UTF8 },
        { "application/json; charset=utf-8", PARLEY_CHARSET_UTF8 },
        { "application/json; charset=\"UTF-8\"", PARLEY_CHARSET_UTF8 },
        { "text/event-stream;charset=utf8", PARLEY_CHARSET_UTF8 },
        { "application/json; charset", PARLEY_CHARSET_UTF8 },
        { "application/json; charset=\"utf-7", PARLEY_CHARSET_UTF8 },
        { "text/html; charset=ISO-8859-1", PARLEY_CHARSET_ASCII },
        { "text/html; charset=us-ascii", PARLEY_CHARSET_ASCII },
        { "text/html; x=y; charset=windows-1252", PARLEY_CHARSET_ASCII },
        { "application/json; charset=utf-7", PARLEY_CHARSET_OTHER },
        { "application/json; charset=utf-16", PARLEY_CHARSET_OTHER },
        { "application/json; charset=iso-2022-jp", PARLEY_CHARSET_OTHER },

        /* the first of two, and one before an invalid parameter */
        { "application/json; charset=utf-16; charset=utf-8",
          PARLEY_CHARSET_OTHER },
        { "application/json; charset=utf-8; charset=utf-8",
          PARLEY_CHARSET_UTF8 },
        { "application/json; charset=utf-16; x", PARLEY_CHARSET_OTHER },
        { "application/json; x; charset=utf-16", PARLEY_CHARSET_UTF8 }
    };

    (void) state;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(parley_media_charset(parley_str_c(rows[i].value)),
                         rows[i].charset);
    }
}


static const struct CMUnitTest  tests[] = {
    parley_test("GW-39 the charset of an answer", test_charset),
    parley_test("SEC-02 types and codings", test_values),
    parley_test("SEC-02 one type", test_twice),
};

PARLEY_TEST_MAIN(tests)
