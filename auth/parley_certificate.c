/* Reads a certificate with OpenSSL. */

#include <string.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "auth/parley_certificate.h"
#include "auth/parley_jwt_error.h"


/* days from the epoch, in milliseconds */
#define PARLEY_CERTIFICATE_DAY  86400000


static int
parley_certificate_wrong(parley_error_t *err, const char *text)
{
    return parley_jwt_refuse(err, PARLEY_E_TOKEN_INVALID, "", text);
}


static int
parley_certificate_add(parley_arena_t *arena, parley_certificate_t *c,
    parley_certificate_kind_t kind, parley_str_t text, parley_error_t *err)
{
    parley_certificate_name_t  *name;

    if (c->nnames == PARLEY_CERTIFICATE_NAMES_MAX) {
        return parley_certificate_wrong(err, "the client certificate has too "
                                        "many names");
    }

    if (text.len > PARLEY_CERTIFICATE_TEXT_MAX) {
        return parley_certificate_wrong(err, "the client certificate has a "
                                        "name that is too long");
    }

    name = &c->names[c->nnames];
    name->kind = kind;

    if (parley_arena_str(arena, text, &name->text) != 0) {
        return parley_error_memory(err);
    }

    if (kind == PARLEY_CERTIFICATE_DNS) {
        parley_str_lower(name->text, (uint8_t *) (uintptr_t)
                                             name->text.data);
    }

    c->nnames++;

    return 0;
}


static int
parley_certificate_subject(parley_arena_t *arena, X509 *x509,
    parley_certificate_t *c, parley_error_t *err)
{
    BIO         *bio;
    int          rc;
    long         len;
    char        *text;
    X509_NAME   *subject;

    subject = X509_get_subject_name(x509);

    if (subject == NULL || X509_NAME_entry_count(subject) == 0) {
        return 0;
    }

    bio = BIO_new(BIO_s_mem());

    if (bio == NULL) {
        return parley_error_memory(err);
    }

    if (X509_NAME_print_ex(bio, subject, 0, XN_FLAG_RFC2253) < 0) {
        rc = parley_error_memory(err);

    } else {
        len = BIO_get_mem_data(bio, &text);
        rc = parley_certificate_add(arena, c, PARLEY_CERTIFICATE_SUBJECT,
                                    parley_str_make(text, (size_t) len), err);
    }

    (void) BIO_free(bio);

    return rc;
}


static int
parley_certificate_others(parley_arena_t *arena, X509 *x509,
    parley_certificate_t *c, parley_error_t *err)
{
    int             i, rc, critical;
    parley_str_t    text;
    GENERAL_NAME   *name;
    GENERAL_NAMES  *names;

    names = X509_get_ext_d2i(x509, NID_subject_alt_name, &critical, NULL);

    if (names == NULL) {
        return critical == -1 ? 0
               : parley_certificate_wrong(err, "the client certificate's "
                                          "subjectAltName cannot be read");
    }

    rc = 0;

    for (i = 0; rc == 0 && i < sk_GENERAL_NAME_num(names); i++) {
        name = sk_GENERAL_NAME_value(names, i);

        if (name->type != GEN_DNS && name->type != GEN_URI) {
            continue;
        }

        text = parley_str_make(ASN1_STRING_get0_data(name->d.ia5),
                               (size_t) ASN1_STRING_length(name->d.ia5));

        rc = parley_certificate_add(arena, c,
                                    name->type == GEN_DNS
                                    ? PARLEY_CERTIFICATE_DNS
                                    : PARLEY_CERTIFICATE_URI, text, err);
    }

    GENERAL_NAMES_free(names);

    return rc;
}


static int
parley_certificate_time(const ASN1_TIME *t, int64_t *ret)
{
    int         days, seconds, ok;
    ASN1_TIME  *epoch;

    days = 0;
    seconds = 0;
    epoch = ASN1_TIME_set(NULL, 0);
    ok = epoch != NULL && ASN1_TIME_diff(&days, &seconds, epoch, t) == 1;

    ASN1_TIME_free(epoch);

    *ret = (int64_t) days * PARLEY_CERTIFICATE_DAY + (int64_t) seconds * 1000;

    return ok ? 0 : -1;
}


static int
parley_certificate_all(parley_arena_t *arena, X509 *x509,
    parley_certificate_t *ret, parley_error_t *err)
{
    unsigned  len;

    len = 0;

    if (X509_digest(x509, EVP_sha256(), ret->print, &len) != 1
        || len != sizeof(ret->print))
    {
        return parley_error_memory(err);
    }

    if (parley_certificate_time(X509_get0_notBefore(x509), &ret->not_before)
        != 0
        || parley_certificate_time(X509_get0_notAfter(x509), &ret->expires)
           != 0)
    {
        return parley_certificate_wrong(err, "the client certificate has no "
                                        "dates");
    }

    ret->names[0].kind = PARLEY_CERTIFICATE_SHA256;
    ret->names[0].text = parley_str_make(ret->print, sizeof(ret->print));
    ret->nnames = 1;

    if (parley_certificate_subject(arena, x509, ret, err) != 0) {
        return -1;
    }

    return parley_certificate_others(arena, x509, ret, err);
}


int
parley_certificate_read(parley_arena_t *arena, X509 *x509,
    parley_certificate_t *ret, parley_error_t *err)
{
    int  rc;

    memset(ret, 0, sizeof(parley_certificate_t));
    parley_error_clear(err);

    ERR_set_mark();

    rc = parley_certificate_all(arena, x509, ret, err);

    ERR_pop_to_mark();

    return rc;
}


int
parley_certificate_read_pem(parley_arena_t *arena, parley_str_t text,
    parley_certificate_t *ret, parley_error_t *err)
{
    int    rc;
    BIO   *bio;
    X509  *x509;

    memset(ret, 0, sizeof(parley_certificate_t));

    if (text.len > INT32_MAX) {
        return parley_error_memory(err);
    }

    bio = BIO_new_mem_buf(text.data, (int) text.len);

    if (bio == NULL) {
        return parley_error_memory(err);
    }

    ERR_set_mark();
    x509 = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    ERR_pop_to_mark();

    rc = x509 != NULL ? parley_certificate_read(arena, x509, ret, err)
         : parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                            "the input must have a certificate in PEM");

    X509_free(x509);
    (void) BIO_free(bio);

    return rc;
}
