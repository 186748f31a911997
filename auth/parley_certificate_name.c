/* Reads the certificates that a principal of the directory lists. */

#include <string.h>

#include "core/parley_base64.h"
#include "auth/parley_certificate.h"
#include "auth/parley_config.h"
#include "core/parley_hex.h"


/* characters of a SHA-256 */
#define PARLEY_PRINT_HEX     64
#define PARLEY_PRINT_COLONS  95
#define PARLEY_PRINT_BASE64  43


typedef struct {
    parley_arena_t             *arena;
    const json_t               *item;
    const char                 *pointer;
    parley_certificate_name_t  *name;
    parley_error_t             *err;
} parley_certificate_reader_t;


static const struct {
    const char                 *member;
    parley_certificate_kind_t   kind;
} parley_certificate_members[] = {
    { "subject", PARLEY_CERTIFICATE_SUBJECT },
    { "dns", PARLEY_CERTIFICATE_DNS },
    { "uri", PARLEY_CERTIFICATE_URI },
    { NULL, PARLEY_CERTIFICATE_SHA256 }
};


/* Returns 0, or -1 if text is neither form of hexadecimal digits. */

static int
parley_certificate_hex(parley_str_t text, uint8_t *ret)
{
    int     high, low;
    size_t  i, step;

    step = text.len == PARLEY_PRINT_COLONS ? 3 : 2;

    for (i = 0; i < PARLEY_CERTIFICATE_PRINT; i++) {
        high = parley_hex_digit(text.data[i * step]);
        low = parley_hex_digit(text.data[i * step + 1]);

        if (high < 0 || low < 0
            || (step == 3 && i + 1 < PARLEY_CERTIFICATE_PRINT
                && text.data[i * step + 2] != ':'))
        {
            return -1;
        }

        ret[i] = (uint8_t) (high << 4 | low);
    }

    return 0;
}


static int
parley_certificate_print(parley_certificate_reader_t *r)
{
    int           rc;
    size_t        len;
    uint8_t      *p;
    parley_str_t  text;

    text = parley_str_make(json_string_value(r->item),
                           json_string_length(r->item));

    p = parley_arena_octets(r->arena,
                            PARLEY_BASE64_DECODED(PARLEY_PRINT_BASE64 + 1));
    if (p == NULL) {
        return parley_error_memory(r->err);
    }

    switch (text.len) {

    case PARLEY_PRINT_HEX:
    case PARLEY_PRINT_COLONS:
        rc = parley_certificate_hex(text, p);
        break;

    case PARLEY_PRINT_BASE64:
        rc = parley_base64url_decode(text, p, &len);
        break;

    default:
        rc = -1;
        break;
    }

    r->name->kind = PARLEY_CERTIFICATE_SHA256;
    r->name->text = parley_str_make(p, PARLEY_CERTIFICATE_PRINT);

    return rc == 0 ? 0
           : parley_error_set(r->err, PARLEY_E_FIELD_INVALID, r->pointer,
                              "the fingerprint must be a SHA-256 in 64 "
                              "hexadecimal digits or in base64url");
}


/*
 * RFC 2253 writes no blank after the first "=": a blank that begins a value is
 * escaped
 */

static const char *
parley_certificate_vet_subject(parley_str_t s)
{
    const uint8_t  *equal;

    equal = memchr(s.data, '=', s.len);

    if (equal == NULL || s.data[0] == '/') {
        return "is not a subject in the form of RFC 2253, such as CN=a,O=b";
    }

    if ((equal > s.data && equal[-1] == ' ')
        || (equal + 1 < s.data + s.len && equal[1] == ' '))
    {
        return "has blanks around \"=\": openssl x509 -noout -subject -nameopt "
               "RFC2253 prints the allowed form";
    }

    return NULL;
}


/*
 * Returns the fault of a name that no certificate has, or that is too weak to
 * identify one; NULL if there is no fault.
 */

static const char *
parley_certificate_vet(const parley_certificate_name_t *name)
{
    if (name->kind == PARLEY_CERTIFICATE_SUBJECT) {
        return parley_certificate_vet_subject(name->text);
    }

    if (name->kind == PARLEY_CERTIFICATE_DNS
        && memchr(name->text.data, '*', name->text.len) != NULL)
    {
        return "must be a whole name without \"*\"";
    }

    return name->kind == PARLEY_CERTIFICATE_URI
           && memchr(name->text.data, ':', name->text.len) == NULL
           ? "is not a URI" : NULL;
}


static int
parley_certificate_object(parley_certificate_reader_t *r)
{
    char         field[PARLEY_POINTER_MAX];
    size_t       i;
    void        *iter;
    const char  *member, *why;

    iter = json_object_iter((json_t *) (uintptr_t) r->item);

    if (json_object_size(r->item) != 1) {
        return parley_error_set(r->err, PARLEY_E_FIELD_INVALID, r->pointer,
                                "a certificate must be a fingerprint, or an "
                                "object with one of \"subject\", \"dns\", "
                                "\"uri\"");
    }

    member = json_object_iter_key(iter);

    for (i = 0; parley_certificate_members[i].member != NULL; i++) {
        if (strcmp(member, parley_certificate_members[i].member) == 0) {
            break;
        }
    }

    parley_config_pointer(field, r->pointer, member);

    if (parley_certificate_members[i].member == NULL) {
        return parley_error_set(r->err, PARLEY_E_FIELD_UNKNOWN, field,
                                "unknown member \"%s\", expected \"subject\", "
                                "\"dns\" or \"uri\"", member);
    }

    r->name->kind = parley_certificate_members[i].kind;

    if (parley_config_string(r->arena, r->item, r->pointer, member, 1,
                             PARLEY_CERTIFICATE_TEXT_MAX, &r->name->text,
                             r->err)
        != 0)
    {
        return -1;
    }

    why = parley_certificate_vet(r->name);

    if (why != NULL) {
        return parley_error_set(r->err, PARLEY_E_FIELD_INVALID, field,
                                "\"%s\" %s", member, why);
    }

    if (r->name->kind == PARLEY_CERTIFICATE_DNS) {
        parley_str_lower(r->name->text, (uint8_t *) (uintptr_t)
                                                r->name->text.data);
    }

    return 0;
}


int
parley_certificate_names_from_json(parley_arena_t *arena,
    const json_t *array, const char *pointer, parley_certificate_name_t **ret,
    size_t *ret_n, parley_error_t *err)
{
    int                          rc;
    char                         item[PARLEY_POINTER_MAX];
    size_t                       i, n;
    parley_certificate_reader_t  r;

    n = json_array_size(array);
    *ret_n = n;
    *ret = parley_arena_calloc(arena,
                               (n + 1) * sizeof(parley_certificate_name_t));
    if (*ret == NULL) {
        return parley_error_memory(err);
    }

    for (i = 0; i < n; i++) {
        parley_config_index(item, pointer, i);

        r.arena = arena;
        r.item = json_array_get(array, i);
        r.pointer = item;
        r.name = &(*ret)[i];
        r.err = err;

        rc = json_is_string(r.item) ? parley_certificate_print(&r)
                                    : parley_certificate_object(&r);

        if (rc != 0) {
            return -1;
        }
    }

    return 0;
}
