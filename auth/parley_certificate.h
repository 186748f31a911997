/*
 * Client certificates (SEC-17): the names in a certificate, and the forms in
 * which a principal of the directory lists one:
 *
 *   "AB:CD:..."              SHA-256 of its DER, in hexadecimal digits,
 *                            with colons or without
 *   "bwcK0esc3A..."          SHA-256 of its DER in base64url, as in x5t#S256
 *   {"subject": "CN=a,O=b"}  its subject as RFC 2253 writes it, the value of
 *                            $ssl_client_s_dn
 *   {"dns": "a.example"}     a DNS name or a URI of its subjectAltName
 *   {"uri": "spiffe://..."}
 *
 * These functions do not check whether a certificate is trusted.
 */

#ifndef PARLEY_CERTIFICATE_H
#define PARLEY_CERTIFICATE_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "core/parley_str.h"


#define PARLEY_CERTIFICATE_PRINT      32        /* octets of SHA-256 */
#define PARLEY_CERTIFICATE_NAMES_MAX  64        /* limit of names in one
                                                   certificate */
#define PARLEY_CERTIFICATE_TEXT_MAX   1024      /* octets of a name */


typedef enum {
    PARLEY_CERTIFICATE_SHA256 = 0,
    PARLEY_CERTIFICATE_SUBJECT,
    PARLEY_CERTIFICATE_DNS,
    PARLEY_CERTIFICATE_URI
} parley_certificate_kind_t;


/* text: the octets of a SHA-256; a DNS name in lower case */
typedef struct parley_certificate_name_s {
    parley_certificate_kind_t  kind;
    parley_str_t               text;
} parley_certificate_name_t;


typedef struct parley_certificate_s {
    uint8_t                    print[PARLEY_CERTIFICATE_PRINT];
    parley_certificate_name_t  names[PARLEY_CERTIFICATE_NAMES_MAX];
    size_t                     nnames;      /* names[0] is the SHA-256 */
    int64_t                    not_before;  /* ms since the epoch */
    int64_t                    expires;
} parley_certificate_t;


struct x509_st;                 /* OpenSSL */
struct json_t;                  /* jansson */


/*
 * Reads the names and the validity of a certificate; text is in arena.  Returns
 * 0, or -1 with *err filled: token-invalid if it has too many names, a name
 * that is too long or an invalid date; or capacity.
 */
int parley_certificate_read(parley_arena_t *arena, struct x509_st *x509,
    parley_certificate_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * As parley_certificate_read(), for the first certificate of a text in PEM.
 * The code is also field-invalid if text has no certificate.
 */
int parley_certificate_read_pem(parley_arena_t *arena, parley_str_t text,
    parley_certificate_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Reads the names of a principal from a jansson array at pointer.  Returns 0,
 * or -1 with *err filled.
 */
int parley_certificate_names_from_json(parley_arena_t *arena,
    const struct json_t *array, const char *pointer,
    parley_certificate_name_t **ret, size_t *ret_n, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_CERTIFICATE_H */
