/* Reads the members of a principal of the directory. */

#include <string.h>

#include "auth/parley_certificate.h"
#include "auth/parley_config.h"
#include "auth/parley_directory_parts.h"
#include "auth/parley_membership.h"
#include "auth/parley_signature.h"
#include "auth/parley_surface.h"
#include "core/parley_time.h"
#include "core/parley_url.h"


/* octets of a time */
#define PARLEY_DIRECTORY_TIME_MAX  64


typedef struct {
    const char            *name;
    int                  (*read)(parley_directory_reader_t *r,
                                 const char *name, size_t offset);
    size_t                 offset;      /* in parley_principal_t */
} parley_directory_member_t;


static int parley_directory_name(parley_directory_reader_t *r,
    const char *name, size_t offset);
static int parley_directory_handle(parley_directory_reader_t *r,
    const char *name, size_t offset);
static int parley_directory_instrument(parley_directory_reader_t *r,
    const char *name, size_t offset);
static int parley_directory_priority(parley_directory_reader_t *r,
    const char *name, size_t offset);
static int parley_directory_rate(parley_directory_reader_t *r,
    const char *name, size_t offset);
static int parley_directory_deliver(parley_directory_reader_t *r,
    const char *name, size_t offset);
static int parley_directory_speaks(parley_directory_reader_t *r,
    const char *name, size_t offset);
static int parley_directory_speaks_is(parley_str_t s);
static int parley_directory_roles(parley_directory_reader_t *r,
    const char *name, size_t offset);
static int parley_directory_orgs(parley_directory_reader_t *r,
    const char *name, size_t offset);
static int parley_directory_grants(parley_directory_reader_t *r,
    const char *name, size_t offset);
static int parley_directory_accounts_list(parley_directory_reader_t *r,
    const char *name, size_t offset);
static int parley_directory_sources_list(parley_directory_reader_t *r,
    const char *name, size_t offset);
static int parley_directory_instruments_list(parley_directory_reader_t *r,
    const char *name, size_t offset);
static int parley_directory_list(parley_directory_reader_t *r,
    const char *name, size_t offset, int (*is)(parley_str_t s),
    const char *why);
static int parley_directory_keys(parley_directory_reader_t *r,
    const char *name, size_t offset);
static int parley_directory_certificates(parley_directory_reader_t *r,
    const char *name, size_t offset);
static int parley_directory_tools_of(parley_directory_reader_t *r);


/* one member per protocol, checked according to the shape of its names */

#define PARLEY_DIRECTORY_TEXT(id, member)                                     \
    { member, parley_directory_name,                                          \
      offsetof(parley_principal_t, names[PARLEY_NAMESPACE_##id]) },
#define PARLEY_DIRECTORY_HANDLE(id, member)                                   \
    { member, parley_directory_handle,                                        \
      offsetof(parley_principal_t, names[PARLEY_NAMESPACE_##id]) },
#define PARLEY_DIRECTORY_SUB(id, member)
#define PARLEY_DIRECTORY_SAME(id, member)  PARLEY_DIRECTORY_TEXT(id, member)

/* the protocols that have names */
#define PARLEY_DIRECTORY_OF_TEXT(...)    __VA_ARGS__
#define PARLEY_DIRECTORY_OF_HANDLE(...)  __VA_ARGS__
#define PARLEY_DIRECTORY_OF_SUB(...)
#define PARLEY_DIRECTORY_OF_SAME(...)    __VA_ARGS__

/* " aee vcp" and so on */
#define PARLEY_DIRECTORY_WORD(id, word, member, shape, ...)                   \
    PARLEY_DIRECTORY_OF_##shape(" " #word)
#define PARLEY_DIRECTORY_WORDS  PARLEY_PROTOCOLS(PARLEY_DIRECTORY_WORD, , )


static const parley_directory_member_t  parley_directory_members[] = {
    { "sub", parley_directory_name, offsetof(parley_principal_t, sub) },
#define X(id, word, member, shape, ...)  PARLEY_DIRECTORY_##shape(id, #member)
    PARLEY_PROTOCOLS(X, , )
#undef X
    { "instrument", parley_directory_instrument,
      offsetof(parley_principal_t, instrument) },
    { "instruments", parley_directory_instruments_list,
      offsetof(parley_principal_t, instruments) },
    { "parent", parley_directory_name,
      offsetof(parley_principal_t, parent) },
    { "human", parley_directory_name,
      offsetof(parley_principal_t, human) },
    { "max_priority", parley_directory_priority,
      offsetof(parley_principal_t, max_priority) },
    { "rate", parley_directory_rate, offsetof(parley_principal_t, rate) },
    { "deliver", parley_directory_deliver,
      offsetof(parley_principal_t, deliver) },
    { "speaks", parley_directory_speaks,
      offsetof(parley_principal_t, speaks) },
    { "roles", parley_directory_roles, offsetof(parley_principal_t, roles) },
    { "streams", parley_directory_roles,
      offsetof(parley_principal_t, streams) },
    { "orgs", parley_directory_orgs, offsetof(parley_principal_t, orgs) },
    { "grants", parley_directory_grants,
      offsetof(parley_principal_t, grants) },
    { "reached", parley_directory_grants,
      offsetof(parley_principal_t, reached) },
    { "accounts", parley_directory_accounts_list,
      offsetof(parley_principal_t, accounts) },
    { "surface", parley_directory_sources_list,
      offsetof(parley_principal_t, surface) },
    { "keys", parley_directory_keys, offsetof(parley_principal_t, keys) },
    { "certificates", parley_directory_certificates,
      offsetof(parley_principal_t, certificates) },
    { NULL, NULL, 0 }
};


static int
parley_directory_fail(parley_directory_reader_t *r, const char *name,
    const char *text)
{
    char  field[PARLEY_POINTER_MAX];

    parley_config_pointer(field, r->pointer, name);

    return parley_error_set(r->err, PARLEY_E_FIELD_INVALID, field,
                            "\"%s\" %s", name, text);
}


static int
parley_directory_checked(parley_directory_reader_t *r, const char *name,
    size_t offset, int (*is)(parley_str_t s), const char *text)
{
    parley_str_t  *s;

    s = (void *) ((uint8_t *) r->principal + offset);

    if (parley_config_string(r->arena, r->object, r->pointer, name, 1,
                             PARLEY_NAME_MAX, s, r->err)
        != 0)
    {
        return -1;
    }

    return is(*s) ? 0 : parley_directory_fail(r, name, text);
}


static int
parley_directory_name_is(parley_str_t s)
{
    return parley_namespace_name_is(PARLEY_NAMESPACE_AEE, s);
}


static int
parley_directory_name(parley_directory_reader_t *r, const char *name,
    size_t offset)
{
    return parley_directory_checked(r, name, offset, parley_directory_name_is,
                                    "has spaces or control characters");
}


static int
parley_directory_handle(parley_directory_reader_t *r, const char *name,
    size_t offset)
{
    return parley_directory_checked(r, name, offset, parley_namespace_handle_is,
                                    "is not a canonical handle");
}


static int
parley_directory_instrument(parley_directory_reader_t *r, const char *name,
    size_t offset)
{
    return parley_directory_checked(r, name, offset, parley_instrument_is,
                                    "is not the handle of an instrument");
}


static int
parley_directory_priority(parley_directory_reader_t *r, const char *name,
    size_t offset)
{
    return parley_directory_checked(r, name, offset,
                                    parley_namespace_priority_is,
                                    "must be one of low, normal, high, urgent");
}


/* Reads "rate", a rate with an optional burst (GW-35). */

static int
parley_directory_rate(parley_directory_reader_t *r, const char *name,
    size_t offset)
{
    parley_str_t          s;
    parley_error_t        err;
    parley_limit_rate_t  *rate;

    rate = (void *) ((uint8_t *) r->principal + offset);

    if (parley_config_string(r->arena, r->object, r->pointer, name, 1,
                             PARLEY_NAME_MAX, &s, r->err)
        != 0)
    {
        return -1;
    }

    return parley_rate_limit(s, rate, &err) == 0 ? 0
           : parley_directory_fail(r, name, "is not a rate; expected Nr/s, "
                                   "Nr/m or Nr/h, with an optional :BURST, "
                                   "each number at most 1000000");
}


static int
parley_directory_deliver(parley_directory_reader_t *r, const char *name,
    size_t offset)
{
    const char    *why;
    parley_str_t  *s;
    parley_url_t   url;

    s = (void *) ((uint8_t *) r->principal + offset);

    if (parley_config_string(r->arena, r->object, r->pointer, name, 1,
                             PARLEY_URL_MAX, s, r->err)
        != 0)
    {
        return -1;
    }

    why = parley_url_parse(*s, &url);

    return why == NULL ? 0 : parley_directory_fail(r, name, why);
}


/*
 * Reads "speaks", a protocol.  The principal must have a name in it, since
 * messages are addressed by name.
 */

static int
parley_directory_speaks(parley_directory_reader_t *r, const char *name,
    size_t offset)
{
    return parley_directory_checked(r, name, offset,
                                    parley_directory_speaks_is,
                                    "must be one of" PARLEY_DIRECTORY_WORDS);
}


static int
parley_directory_speaks_is(parley_str_t s)
{
    unsigned  i;

    static const parley_str_t  words[] = {
#define X(id, word, member, shape, ...)                                       \
        PARLEY_DIRECTORY_OF_##shape(parley_str(#word),)
        PARLEY_PROTOCOLS(X, , )
#undef X
    };

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (parley_str_eq(s, words[i])) {
            return 1;
        }
    }

    return 0;
}


static const json_t *
parley_directory_array(parley_directory_reader_t *r, const char *name)
{
    const json_t  *array;

    array = json_object_get(r->object, name);

    if (!json_is_array(array)) {
        (void) parley_directory_fail(r, name, "is not an array");
        return NULL;
    }

    if (json_array_size(array) > PARLEY_LIST_MAX) {
        (void) parley_directory_fail(r, name, "has too many elements");
        return NULL;
    }

    return array;
}


static int
parley_directory_roles(parley_directory_reader_t *r, const char *name,
    size_t offset)
{
    return parley_directory_list(r, name, offset, parley_directory_name_is,
                                 "must be a string without spaces, neither "
                                 "empty nor too long");
}


static int
parley_directory_orgs(parley_directory_reader_t *r, const char *name,
    size_t offset)
{
    return parley_directory_list(r, name, offset, parley_membership_is_org,
                                 "is not an organisation, such as ~acme, or a "
                                 "role in one, such as ~acme/ops");
}


static int
parley_directory_instruments_list(parley_directory_reader_t *r,
    const char *name, size_t offset)
{
    return parley_directory_list(r, name, offset, parley_instrument_is,
                                 "is not the handle of an instrument, such as "
                                 "~cc-desk@1.2");
}


static int
parley_directory_grants(parley_directory_reader_t *r, const char *name,
    size_t offset)
{
    return parley_directory_list(r, name, offset, parley_membership_is_grant,
                                 "is not a grant of an organisation, such as "
                                 "~acme/billing.read");
}


static int
parley_directory_accounts_list(parley_directory_reader_t *r,
    const char *name, size_t offset)
{
    return parley_directory_list(r, name, offset, parley_surface_account_is,
                                 "is not an account, such as slack/T123/U9");
}


static int
parley_directory_sources_list(parley_directory_reader_t *r, const char *name,
    size_t offset)
{
    return parley_directory_list(r, name, offset, parley_surface_source_is,
                                 "is not a platform and a workspace, such as "
                                 "slack/T123")
           == 0 ? parley_directory_list(r, name, offset,
                                        parley_surface_is_free,
                                        "has the reserved platform \""
                                        PARLEY_SURFACE_OWN "\"")
                : -1;
}


static int
parley_directory_list(parley_directory_reader_t *r, const char *name,
    size_t offset, int (*is)(parley_str_t s), const char *why)
{
    char            field[PARLEY_POINTER_MAX], item[PARLEY_POINTER_MAX];
    size_t          i, n;
    parley_str_t    text, *list;
    parley_list_t  *ret;
    const json_t   *array, *value;

    array = parley_directory_array(r, name);

    if (array == NULL) {
        return -1;
    }

    n = json_array_size(array);
    list = parley_arena_alloc(r->arena, (n + 1) * sizeof(parley_str_t));

    if (list == NULL) {
        return parley_error_memory(r->err);
    }

    for (i = 0; i < n; i++) {
        value = json_array_get(array, i);
        text = parley_str_make(json_string_value(value),
                               json_string_length(value));

        if (!is(text)) {
            parley_config_pointer(field, r->pointer, name);
            parley_config_index(item, field, i);

            return parley_error_set(r->err, PARLEY_E_FIELD_INVALID, item,
                                    "an element of \"%s\" %s", name, why);
        }

        if (parley_arena_str(r->arena, text, &list[i]) != 0) {
            return parley_error_memory(r->err);
        }
    }

    ret = (void *) ((uint8_t *) r->principal + offset);
    ret->list = list;
    ret->n = n;

    return 0;
}


/* Reads a time of a key, RFC 3339; leaves *ret unchanged if it is absent. */

static int
parley_directory_time(parley_directory_reader_t *r, const json_t *key,
    const char *pointer, const char *name, int64_t *ret)
{
    char          field[PARLEY_POINTER_MAX];
    parley_str_t  text;

    if (parley_config_string(r->arena, key, pointer, name, 0,
                             PARLEY_DIRECTORY_TIME_MAX, &text, r->err)
        != 0)
    {
        return -1;
    }

    if (text.len == 0
        || (parley_time_parse(text, ret) == 0 && *ret > 0))
    {
        return 0;
    }

    parley_config_pointer(field, pointer, name);

    return parley_error_set(r->err, PARLEY_E_FIELD_INVALID, field,
                            "\"%s\" of the key must be an RFC 3339 time, such "
                            "as 2027-01-31T12:00:00Z", name);
}


static int
parley_directory_period(parley_directory_reader_t *r, const json_t *key,
    const char *pointer, parley_jwk_t *jwk)
{
    char  field[PARLEY_POINTER_MAX];

    if (parley_directory_time(r, key, pointer, "not_before",
                              &jwk->not_before)
        != 0
        || parley_directory_time(r, key, pointer, "expires", &jwk->expires)
           != 0)
    {
        return -1;
    }

    if (jwk->expires == 0 || jwk->expires > jwk->not_before) {
        return 0;
    }

    parley_config_pointer(field, pointer, "expires");

    return parley_error_set(r->err, PARLEY_E_FIELD_INVALID, field,
                            "the key expires before it is valid");
}


static int
parley_directory_keys(parley_directory_reader_t *r, const char *name,
    size_t offset)
{
    char            field[PARLEY_POINTER_MAX], item[PARLEY_POINTER_MAX];
    size_t          i;
    json_t         *array;
    parley_jwks_t  *keys;

    (void) offset;

    keys = &r->principal->keys;
    array = json_object_get(r->object, name);

    parley_config_pointer(field, r->pointer, name);

    if (parley_jwks_from_json(r->arena, array, field, keys, r->err)
        != 0)
    {
        return -1;
    }

    if (keys->skipped != 0) {
        return parley_directory_fail(r, name, "has a key of a kind that is "
                                     "not supported");
    }

    for (i = 0; i < keys->n; i++) {
        parley_config_index(item, field, i);

        if (parley_directory_period(r, json_array_get(array, i), item,
                                    &keys->keys[i])
            != 0)
        {
            return -1;
        }

        if (!parley_signature_key_is(&keys->keys[i])) {
            return parley_error_set(r->err, PARLEY_E_FIELD_INVALID, item,
                                    "the key cannot verify messages: it must "
                                    "be for Ed25519 or HS256, and for "
                                    "verification");
        }
    }

    return 0;
}


static int
parley_directory_certificates(parley_directory_reader_t *r, const char *name,
    size_t offset)
{
    char           field[PARLEY_POINTER_MAX];
    const json_t  *array;

    (void) offset;

    array = parley_directory_array(r, name);

    if (array == NULL) {
        return -1;
    }

    parley_config_pointer(field, r->pointer, name);

    return parley_certificate_names_from_json(r->arena, array, field,
                                              &r->principal->certificates,
                                              &r->principal->ncertificates,
                                              r->err);
}


int
parley_directory_unknown(parley_error_t *err, const char *pointer,
    const char *name)
{
    char  field[PARLEY_POINTER_MAX];

    parley_config_pointer(field, pointer, name);

    return parley_error_set(err, PARLEY_E_FIELD_UNKNOWN, field,
                            "unknown member \"%s\"",
                            name);
}


int
parley_directory_principal(parley_directory_reader_t *r)
{
    int                               known;
    char                              field[PARLEY_POINTER_MAX];
    json_t                           *value;
    const char                       *name;
    const parley_directory_member_t  *m;

    if (!json_is_object(r->object)) {
        return parley_error_set(r->err, PARLEY_E_FIELD_INVALID, r->pointer,
                                "a principal is not an object");
    }

    json_object_foreach((json_t *) (uintptr_t) r->object, name, value) {

        known = 0;

        for (m = parley_directory_members; m->name != NULL; m++) {

            if (strcmp(name, m->name) != 0) {
                continue;
            }

            known = 1;

            /* several protocols may share one member */

            if (m->read(r, m->name, m->offset) != 0) {
                return -1;
            }
        }

        if (!known) {
            return parley_directory_unknown(r->err, r->pointer, name);
        }
    }

    if (r->principal->sub.len == 0) {
        parley_config_pointer(field, r->pointer, "sub");

        return parley_error_set(r->err, PARLEY_E_FIELD_MISSING, field,
                                "\"sub\" is missing");
    }

    r->principal->names[PARLEY_NAMESPACE_SUB] = r->principal->sub;

    return parley_directory_tools_of(r);
}


/*
 * Puts "instrument" before "instruments".  Without "instrument", the first of
 * "instruments" drafts.
 */

static int
parley_directory_tools_of(parley_directory_reader_t *r)
{
    parley_str_t   *list;
    parley_list_t  *all;

    all = &r->principal->instruments;

    if (r->principal->instrument.len == 0) {
        r->principal->instrument = all->n > 0 ? all->list[0]
                                              : parley_str_none;
        return 0;
    }

    list = parley_arena_alloc(r->arena, (all->n + 1) * sizeof(parley_str_t));

    if (list == NULL) {
        return parley_error_memory(r->err);
    }

    list[0] = r->principal->instrument;

    if (all->n > 0) {
        memcpy(&list[1], all->list, all->n * sizeof(parley_str_t));
    }

    all->list = list;
    all->n++;

    return 0;
}
