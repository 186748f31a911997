/* auth/parley_certificate.h, and the principal of a certificate */

#include "t/unit/parley_test_auth.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "auth/parley_directory.h"


#define HEX  "aabbccddeeff00112233445566778899aabbccddeeff00112233445566778899"

#define COLONS                                                                \
    "AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99:"                        \
    "AA:BB:CC:DD:EE:FF:00:11:22:33:44:55:66:77:88:99"

#define B64  "qrvM3e7_ABEiM0RVZneImaq7zN3u_wARIjNEVWZ3iJk"


/*
 * Returns a certificate of this subject and these names, from 1970 for n days.
 */

static X509 *
certificate(const char *cn, const char *org, const char *names, long days)
{
    X509            *x509;
    EVP_PKEY        *key;
    X509_NAME       *subject;
    X509_EXTENSION  *ext;

    key = EVP_EC_gen("P-256");
    x509 = X509_new();
    assert_non_null(key);
    assert_non_null(x509);

    (void) X509_set_version(x509, 2);
    (void) ASN1_INTEGER_set(X509_get_serialNumber(x509), 1);
    (void) ASN1_TIME_set(X509_getm_notBefore(x509), 0);
    (void) ASN1_TIME_set(X509_getm_notAfter(x509), days * 86400);
    (void) X509_set_pubkey(x509, key);

    subject = X509_get_subject_name(x509);

    if (org != NULL) {
        (void) X509_NAME_add_entry_by_txt(subject, "O", MBSTRING_UTF8,
                                          (const uint8_t *) org, -1, -1, 0);
    }

    if (cn != NULL) {
        (void) X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                                          (const uint8_t *) cn, -1, -1, 0);
    }

    (void) X509_set_issuer_name(x509, subject);

    if (names != NULL) {
        ext = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, names);
        assert_non_null(ext);
        (void) X509_add_ext(x509, ext, -1);
        X509_EXTENSION_free(ext);
    }

    assert_true(X509_sign(x509, key, EVP_sha256()) > 0);
    EVP_PKEY_free(key);

    return x509;
}


/* Reads into a fixed place: the fingerprint is among the names. */

static parley_certificate_t *
read_one(const char *cn, const char *org, const char *names)
{
    X509                  *x509;
    parley_error_t         err;
    parley_certificate_t  *c;

    c = parley_arena_calloc(&test_arena, sizeof(parley_certificate_t));
    assert_non_null(c);

    x509 = certificate(cn, org, names, 30);

    if (parley_certificate_read(&test_arena, x509, c, &err) != 0) {
        fail_msg("%s", err.text);
    }

    X509_free(x509);

    return c;
}


static parley_directory_t *
directory(const char *text)
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


static const char *
whose(const parley_directory_t *dir, const parley_certificate_t *c)
{
    const parley_principal_t  *p, *other;

    if (parley_directory_by_certificate(dir, c, &p, &other) != 0) {
        assert_ptr_not_equal(p, other);
        return "several";
    }

    assert_null(other);

    return p != NULL ? (const char *) p->sub.data : "nobody";
}


static void
test_read(void **state)
{
    size_t                 len;
    unsigned               n;
    uint8_t                print[32];
    char                  *text;
    BIO                   *bio;
    X509                  *x509;
    parley_error_t         err;
    parley_certificate_t   c;

    (void) state;

    x509 = certificate("build \"a\", b", "Acme",
                       "DNS:Build.Example,URI:spiffe://acme/build,"
                       "email:a@b.example,IP:10.0.0.1", 30);

    assert_int_equal(X509_digest(x509, EVP_sha256(), print, &n), 1);

    bio = BIO_new(BIO_s_mem());
    assert_int_equal(PEM_write_bio_X509(bio, x509), 1);
    len = (size_t) BIO_get_mem_data(bio, &text);

    assert_int_equal(parley_certificate_read_pem(&test_arena,
                                                 parley_str_make(text, len),
                                                 &c, &err),
                     0);

    assert_memory_equal(c.print, print, sizeof(print));
    assert_int_equal(c.not_before, 0);
    assert_int_equal(c.expires, 30 * (int64_t) 86400000);

    assert_int_equal(c.nnames, 4);
    assert_int_equal(c.names[0].kind, PARLEY_CERTIFICATE_SHA256);
    assert_ptr_equal(c.names[0].text.data, c.print);
    assert_int_equal(c.names[1].kind, PARLEY_CERTIFICATE_SUBJECT);
    parley_assert_str(c.names[1].text, "CN=build \\\"a\\\"\\, b,O=Acme");
    assert_int_equal(c.names[2].kind, PARLEY_CERTIFICATE_DNS);
    parley_assert_str(c.names[2].text, "build.example");
    assert_int_equal(c.names[3].kind, PARLEY_CERTIFICATE_URI);
    parley_assert_str(c.names[3].text, "spiffe://acme/build");

    assert_int_equal(parley_certificate_read_pem(&test_arena,
                                                 PARLEY_STR("nonsense"), &c,
                                                 &err),
                     -1);
    assert_int_equal(err.code, PARLEY_E_FIELD_INVALID);

    (void) BIO_free(bio);
    X509_free(x509);
}


static void
test_many(void **state)
{
    char                  names[2048], *p;
    int                   i;
    X509                 *x509;
    parley_error_t        err;
    parley_certificate_t  c;

    (void) state;

    p = names;

    for (i = 0; i < PARLEY_CERTIFICATE_NAMES_MAX; i++) {
        p += sprintf(p, "%sDNS:a%d.example", i > 0 ? "," : "", i);
    }

    x509 = certificate("a", NULL, names, 30);

    assert_int_equal(parley_certificate_read(&test_arena, x509, &c, &err), -1);
    assert_int_equal(err.code, PARLEY_E_TOKEN_INVALID);

    X509_free(x509);
}


static void
test_whose(void **state)
{
    parley_directory_t    *dir;
    parley_certificate_t  *c;

    (void) state;

    dir = directory("{\"principals\":["
        "{\"sub\":\"a\",\"certificates\":[{\"subject\":\"CN=a,O=Acme\"},"
        "\"" HEX "\"]},"
        "{\"sub\":\"b\",\"certificates\":[{\"dns\":\"B.example\"},"
        "{\"uri\":\"spiffe://acme/b\"}]},"
        "{\"sub\":\"c\"}]}");

    assert_true(parley_directory_has_certificates(dir));

    assert_string_equal(whose(dir, read_one("a", "Acme", NULL)), "a");
    assert_string_equal(whose(dir, read_one("a", "Acme", "DNS:x.example")),
                        "a");
    assert_string_equal(whose(dir, read_one("z", NULL, "DNS:b.EXAMPLE")),
                        "b");
    assert_string_equal(whose(dir, read_one("z", NULL,
                                            "DNS:q.example,"
                                            "URI:spiffe://acme/b")),
                        "b");

    /* two names of one principal */

    assert_string_equal(whose(dir, read_one(NULL, NULL,
                                            "DNS:b.example,"
                                            "URI:spiffe://acme/b")),
                        "b");

    /* names are compared as a whole, and with their kind */

    assert_string_equal(whose(dir, read_one("a", NULL, NULL)), "nobody");
    assert_string_equal(whose(dir, read_one("a", "acme", NULL)), "nobody");
    assert_string_equal(whose(dir, read_one("B.example", NULL, NULL)),
                        "nobody");
    assert_string_equal(whose(dir, read_one("z", NULL, "DNS:*.example")),
                        "nobody");
    assert_string_equal(whose(dir, read_one("z", NULL, "DNS:a.b.example")),
                        "nobody");
    assert_string_equal(whose(dir, read_one("z", NULL, "URI:b.example")),
                        "nobody");
    assert_string_equal(whose(dir, read_one("z", NULL,
                                            "URI:spiffe://acme/B")),
                        "nobody");
    assert_string_equal(whose(dir, read_one("c", NULL, NULL)), "nobody");

    /* several principals match, so none is chosen */

    assert_string_equal(whose(dir, read_one("a", "Acme", "DNS:b.example")),
                        "several");

    /* by its fingerprint */

    c = read_one("z", NULL, NULL);
    assert_string_equal(whose(dir, c), "nobody");
    memcpy(c->print, "\xaa\xbb\xcc\xdd\xee\xff\x00\x11\x22\x33\x44\x55\x66"
           "\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff\x00\x11\x22\x33\x44\x55\x66"
           "\x77\x88\x99", 32);
    assert_string_equal(whose(dir, c), "a");

    dir = directory("{\"principals\":[{\"sub\":\"a\",\"certificates\":[]}]}");
    assert_false(parley_directory_has_certificates(dir));
    assert_string_equal(whose(dir, c), "nobody");

    dir = directory("{\"principals\":[{\"sub\":\"a\",\"certificates\":"
                    "[\"" B64 "\"]}]}");
    assert_string_equal(whose(dir, c), "a");

    dir = directory("{\"principals\":[{\"sub\":\"a\",\"certificates\":"
                    "[\"" COLONS "\"]}]}");
    assert_string_equal(whose(dir, c), "a");
}


#define ONE(certificates)                                                     \
    "{\"principals\":[{\"sub\":\"a\",\"certificates\":" certificates "}]}"

#define TWO(one, two)                                                         \
    "{\"principals\":[{\"sub\":\"a\",\"certificates\":[" one "]},"            \
    "{\"sub\":\"b\",\"certificates\":[{\"dns\":\"x\"}," two "]}]}"

static const struct {
    const char     *text;
    parley_code_t   code;
    const char     *field;
} broken[] = {
    { ONE("{}"), PARLEY_E_FIELD_INVALID, "/principals/0/certificates" },
    { ONE("\"" HEX "\""), PARLEY_E_FIELD_INVALID,
      "/principals/0/certificates" },
    { ONE("[7]"), PARLEY_E_FIELD_INVALID, "/principals/0/certificates/0" },
    { ONE("[\"\"]"), PARLEY_E_FIELD_INVALID, "/principals/0/certificates/0" },
    { ONE("[\"aabb\"]"), PARLEY_E_FIELD_INVALID,
      "/principals/0/certificates/0" },
    { ONE("[\"" HEX "0\"]"), PARLEY_E_FIELD_INVALID,
      "/principals/0/certificates/0" },
    { ONE("[\"gg" HEX "\"]"), PARLEY_E_FIELD_INVALID,
      "/principals/0/certificates/0" },
    { ONE("[{}]"), PARLEY_E_FIELD_INVALID, "/principals/0/certificates/0" },
    { ONE("[{\"subject\":\"CN=a\",\"dns\":\"a\"}]"), PARLEY_E_FIELD_INVALID,
      "/principals/0/certificates/0" },
    { ONE("[{\"email\":\"a@b\"}]"), PARLEY_E_FIELD_UNKNOWN,
      "/principals/0/certificates/0/email" },
    { ONE("[{\"subject\":\"/O=b/CN=a\"}]"), PARLEY_E_FIELD_INVALID,
      "/principals/0/certificates/0/subject" },
    { ONE("[{\"subject\":\"CN = a, O = b\"}]"), PARLEY_E_FIELD_INVALID,
      "/principals/0/certificates/0/subject" },
    { ONE("[{\"subject\":\"CN= a\"}]"), PARLEY_E_FIELD_INVALID,
      "/principals/0/certificates/0/subject" },
    { ONE("[{\"subject\":\"a\"}]"), PARLEY_E_FIELD_INVALID,
      "/principals/0/certificates/0/subject" },
    { ONE("[{\"dns\":\"*.example\"}]"), PARLEY_E_FIELD_INVALID,
      "/principals/0/certificates/0/dns" },
    { ONE("[{\"dns\":\"\"}]"), PARLEY_E_FIELD_INVALID,
      "/principals/0/certificates/0/dns" },
    { ONE("[{\"uri\":\"acme\"}]"), PARLEY_E_FIELD_INVALID,
      "/principals/0/certificates/0/uri" },
    { TWO("\"" HEX "\"", "\"" B64 "\""), PARLEY_E_FIELD_INVALID,
      "/principals/1/certificates/1" },
    { TWO("\"" COLONS "\"", "\"" HEX "\""), PARLEY_E_FIELD_INVALID,
      "/principals/1/certificates/1" },
    { TWO("{\"subject\":\"CN=a\"}", "{\"subject\":\"CN=a\"}"),
      PARLEY_E_FIELD_INVALID, "/principals/1/certificates/1" },
    { TWO("{\"dns\":\"A.example\"}", "{\"dns\":\"a.EXAMPLE\"}"),
      PARLEY_E_FIELD_INVALID, "/principals/1/certificates/1" },
};


static void
test_broken(void **state)
{
    size_t               i;
    parley_error_t       err;
    parley_directory_t  *dir;

    (void) state;

    for (i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {

        if (parley_directory_parse(&test_arena, parley_str_c(broken[i].text),
                                   NULL, &dir, &err)
            == 0)
        {
            fail_msg("taken: %s", broken[i].text);
        }

        if (err.code != broken[i].code
            || strcmp(err.field, broken[i].field) != 0)
        {
            fail_msg("%s: \"%s\" %s", broken[i].text, err.field, err.text);
        }
    }
}


static void
test_large(void **state)
{
    char                *text, *p, host[64];
    int                  i;
    parley_directory_t  *dir;

    enum { N = 2000 };

    (void) state;

    text = malloc(N * 96 + 64);
    assert_non_null(text);

    p = text + sprintf(text, "{\"principals\":[");

    for (i = 0; i < N; i++) {
        p += sprintf(p, "%s{\"sub\":\"a%d\",\"certificates\":"
                     "[{\"dns\":\"a%d.example\"}]}", i > 0 ? "," : "", i, i);
    }

    (void) sprintf(p, "]}");
    dir = directory(text);

    for (i = 0; i < N; i += 199) {
        (void) snprintf(host, sizeof(host), "DNS:a%d.example", i);
        assert_int_equal(atoi(whose(dir, read_one("x", NULL, host)) + 1), i);
    }

    free(text);
}


static void
test_period(void **state)
{
    parley_directory_t        *dir;
    const parley_principal_t  *all;

    (void) state;

    dir = directory("{\"principals\":[{\"sub\":\"a\",\"keys\":["
                    RFC8037_PUBLIC ","
                    "{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"kid\":\"k\","
                    "\"x\":\"" RFC8037_X "\","
                    "\"not_before\":\"2027-01-31T12:00:00Z\","
                    "\"expires\":\"2027-01-31T13:00:00.5Z\"}]}]}");

    (void) parley_directory_principals(dir, &all);

    assert_int_equal(all[0].keys.keys[0].not_before, 0);
    assert_int_equal(all[0].keys.keys[0].expires, 0);
    assert_int_equal(all[0].keys.keys[1].not_before, 1801396800000);
    assert_int_equal(all[0].keys.keys[1].expires, 1801400400500);

    parley_directory_free(dir);
}


static const struct CMUnitTest  tests[] = {
    parley_auth_test("SEC-17 what a certificate says", test_read),
    parley_auth_test("SEC-17 a certificate of too many names", test_many),
    parley_auth_test("SEC-17 whose certificate it is", test_whose),
    parley_auth_test("SEC-17 GW-11 a certificate is one principal's, and "
                     "whatever else is wrong", test_broken),
    parley_auth_test("SEC-17 2 000 principals", test_large),
    parley_auth_test("VCP-31 when a key of the identities is valid",
                     test_period),
};


PARLEY_TEST_MAIN(tests)
