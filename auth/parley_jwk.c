/* A JWK from JSON to a key that OpenSSL and libsodium can use. */

#include <string.h>

#include <openssl/err.h>
#include <sodium.h>

#include "core/parley_base64.h"
#include "auth/parley_config.h"
#include "auth/parley_jwk.h"
#include "auth/parley_jwk_source.h"


typedef struct {
    parley_str_t     name;
    int            (*read)(parley_jwk_source_t *src, parley_jwk_t *jwk);
} parley_jwk_kind_t;


static int parley_jwk_oct(parley_jwk_source_t *src, parley_jwk_t *jwk);
static int parley_jwk_okp(parley_jwk_source_t *src, parley_jwk_t *jwk);


static const parley_jwk_kind_t  parley_jwk_kinds[] = {
    { parley_str("oct"), parley_jwk_oct },
    { parley_str("RSA"), parley_jwk_rsa },
    { parley_str("EC"), parley_jwk_ec },
    { parley_str("OKP"), parley_jwk_okp },
    { parley_str_none, NULL }
};


int
parley_jwk_fail(parley_jwk_source_t *src, const char *name, const char *text)
{
    char  field[PARLEY_POINTER_MAX];

    parley_config_pointer(field, src->pointer, name);

    return parley_error_set(src->err, PARLEY_E_FIELD_INVALID, field,
                            "key member \"%s\" %s", name, text);
}


int
parley_jwk_skip(parley_jwk_source_t *src, const char *name, const char *text)
{
    (void) parley_jwk_fail(src, name, text);

    return 1;
}


int
parley_jwk_octets(parley_jwk_source_t *src, const char *name, int required,
    uint8_t buf[PARLEY_JWK_BUF], size_t *ret_len)
{
    char           field[PARLEY_POINTER_MAX];
    parley_str_t   text;
    const json_t  *value;

    *ret_len = 0;

    value = json_object_get(src->object, name);

    if (value == NULL) {

        if (!required) {
            return 1;
        }

        parley_config_pointer(field, src->pointer, name);

        return parley_error_set(src->err, PARLEY_E_FIELD_MISSING, field,
                                "key member \"%s\" is missing", name);
    }

    if (!json_is_string(value)) {
        return parley_jwk_fail(src, name, "is not a string");
    }

    text = parley_str_make(json_string_value(value),
                           json_string_length(value));

    if (PARLEY_BASE64_DECODED(text.len) > PARLEY_JWK_BUF) {
        return parley_jwk_fail(src, name, "is too long");
    }

    if (parley_base64url_decode(text, buf, ret_len) != 0) {
        return parley_jwk_fail(src, name, "is not base64url");
    }

    if (*ret_len == 0) {
        return parley_jwk_fail(src, name, "is empty");
    }

    return 0;
}


static int
parley_jwk_oct(parley_jwk_source_t *src, parley_jwk_t *jwk)
{
    int       rc;
    size_t    len;
    uint8_t   buf[PARLEY_JWK_BUF], *p;

    jwk->kty = PARLEY_KTY_OCT;

    if (parley_jwk_octets(src, "k", 1, buf, &len) != 0) {
        sodium_memzero(buf, sizeof(buf));
        return -1;
    }

    rc = 0;

    if (len < 32) {
        rc = parley_jwk_fail(src, "k", "is shorter than 32 octets");

    } else if (len > PARLEY_JWK_OCT_MAX) {
        rc = parley_jwk_fail(src, "k", "is longer than 1024 octets");

    } else {
        p = parley_arena_octets(src->arena, len);

        if (p == NULL) {
            rc = parley_error_memory(src->err);

        } else {
            memcpy(p, buf, len);
            jwk->secret = parley_str_make(p, len);
            jwk->bits = len * 8;
            jwk->is_private = 1;
        }
    }

    sodium_memzero(buf, sizeof(buf));

    return rc;
}


int
parley_jwk_crv(parley_jwk_source_t *src, parley_str_t *ret)
{
    return parley_config_string(src->arena, src->object, src->pointer, "crv",
                                1, 64, ret, src->err);
}


static int
parley_jwk_okp(parley_jwk_source_t *src, parley_jwk_t *jwk)
{
    int           rc;
    size_t        len;
    uint8_t       buf[PARLEY_JWK_BUF];
    parley_str_t  name;

    jwk->kty = PARLEY_KTY_OKP;

    if (parley_jwk_crv(src, &name) != 0) {
        return -1;
    }

    if (!parley_str_is(name, "Ed25519")) {
        return parley_jwk_skip(src, "crv", "is not a supported curve");
    }

    jwk->crv = PARLEY_CRV_ED25519;
    jwk->bits = 256;

    if (parley_jwk_octets(src, "x", 1, buf, &len) != 0) {
        return -1;
    }

    if (len != sizeof(jwk->ed25519)) {
        return parley_jwk_fail(src, "x", "is not 32 octets");
    }

    if (crypto_core_ed25519_is_valid_point(buf) != 1) {
        return parley_jwk_fail(src, "x",
                               "is not a point of the curve's main subgroup");
    }

    memcpy(jwk->ed25519, buf, len);

    rc = parley_jwk_octets(src, "d", 0, buf, &len);

    if (rc == 0) {
        if (len != sizeof(jwk->seed)) {
            rc = parley_jwk_fail(src, "d", "is not 32 octets");

        } else {
            memcpy(jwk->seed, buf, len);
            jwk->is_private = 1;
        }
    }

    sodium_memzero(buf, sizeof(buf));

    return rc == -1 ? -1 : 0;
}


/*
 * Reads use (RFC 7517 section 4.2) and key_ops (4.3).  Returns 0, 1 if the key
 * is not for signatures, or -1.
 */

static int
parley_jwk_usage(parley_jwk_source_t *src, int *ret_verify, int *ret_sign)
{
    size_t         i;
    json_t        *ops;
    const char    *op;
    parley_str_t   use;

    *ret_verify = 1;
    *ret_sign = 1;

    if (parley_config_string(src->arena, src->object, src->pointer, "use", 0,
                             64, &use, src->err)
        != 0)
    {
        return -1;
    }

    ops = json_object_get(src->object, "key_ops");

    if (ops != NULL) {

        if (!json_is_array(ops)) {
            return parley_jwk_fail(src, "key_ops", "is not an array");
        }

        *ret_verify = 0;
        *ret_sign = 0;

        for (i = 0; i < json_array_size(ops); i++) {
            op = json_string_value(json_array_get(ops, i));

            if (op == NULL) {
                return parley_jwk_fail(src, "key_ops",
                                       "is not an array of strings");
            }

            *ret_verify |= strcmp(op, "verify") == 0;
            *ret_sign |= strcmp(op, "sign") == 0;
        }
    }

    if ((use.len != 0 && !parley_str_is(use, "sig"))
        || (!*ret_verify && !*ret_sign))
    {
        return parley_jwk_skip(src, use.len != 0 ? "use" : "key_ops",
                               "is not for signatures");
    }

    return 0;
}


static int
parley_jwk_alg(parley_jwk_source_t *src, parley_jwk_t *jwk)
{
    parley_str_t         name;
    const parley_alg_t  *alg;

    jwk->alg = -1;

    if (parley_config_string(src->arena, src->object, src->pointer, "alg", 0,
                             64, &name, src->err)
        != 0)
    {
        return -1;
    }

    if (name.len == 0) {
        return 0;
    }

    alg = parley_alg_find(name);

    if (alg == NULL) {
        return parley_jwk_skip(src, "alg", "is not a supported algorithm");
    }

    jwk->alg = (int) alg->id;

    return 0;
}


static int
parley_jwk_read(parley_jwk_source_t *src, parley_jwk_t *jwk)
{
    int                       rc, may_verify, may_sign;
    parley_str_t              name;
    const parley_jwk_kind_t  *kind;

    if (!json_is_object(src->object)) {
        return parley_error_set(src->err, PARLEY_E_FIELD_INVALID,
                                src->pointer, "a key is not an object");
    }

    if (parley_config_string(src->arena, src->object, src->pointer, "kty", 1,
                             64, &name, src->err)
        != 0)
    {
        return -1;
    }

    for (kind = parley_jwk_kinds; kind->read != NULL; kind++) {
        if (parley_str_eq(kind->name, name)) {
            break;
        }
    }

    if (kind->read == NULL) {
        return parley_jwk_skip(src, "kty", "is not a supported key type");
    }

    rc = parley_jwk_usage(src, &may_verify, &may_sign);

    if (rc == 0) {
        rc = parley_jwk_alg(src, jwk);
    }

    if (rc == 0) {
        rc = parley_config_string(src->arena, src->object, src->pointer,
                                  "kid", 0, PARLEY_JWK_KID_MAX, &jwk->kid,
                                  src->err);
    }

    if (rc == 0) {
        rc = kind->read(src, jwk);
    }

    if (rc == 0) {
        rc = parley_jwk_complete(jwk, may_verify, may_sign, src->pointer,
                                 src->err);
    }

    return rc;
}


int
parley_jwk_from_json(parley_arena_t *arena, json_t *object,
    const char *pointer, parley_jwk_t *ret, parley_error_t *err)
{
    int                  rc;
    parley_jwk_source_t  src;

    memset(ret, 0, sizeof(parley_jwk_t));
    ret->alg = -1;

    src.arena = arena;
    src.object = object;
    src.pointer = pointer;
    src.err = err;

    ERR_set_mark();

    rc = parley_jwk_read(&src, ret);

    if (rc != 0) {
        parley_jwk_free(ret);
    }

    ERR_pop_to_mark();

    return rc;
}
