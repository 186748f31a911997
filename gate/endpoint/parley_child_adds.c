/*
 * Reads a request that adds keys of a child:
 *
 *     {"sub": "worker-7", "exp": 1771151400, "keys": [{...}]}
 */

#include <stdio.h>
#include <string.h>

#include "gate/party/parley_child_key.h"


static int parley_child_member(const parley_json_t *doc, const char *name,
    uint32_t *ret, parley_error_t *err);
static int parley_child_exp(const parley_json_t *doc, int64_t now_ms,
    int64_t *ret, parley_error_t *err);
static int parley_child_add_key(parley_arena_t *arena, const parley_json_t *doc,
    uint32_t node, parley_child_key_t *ret, parley_error_t *err);
static int parley_child_add_public(parley_arena_t *arena,
    const parley_json_t *doc, uint32_t node, parley_child_key_t *ret,
    parley_error_t *err);
static int parley_child_fail(const parley_json_t *doc, uint32_t node,
    const char *below, parley_error_t *err, parley_code_t code,
    const char *why);


int
parley_child_adds_sub(const parley_json_t *doc, parley_str_t *ret,
    parley_error_t *err)
{
    uint32_t  k, node;

    *ret = parley_str_none;

    if (parley_json_type(doc, 0) != PARLEY_JSON_OBJECT) {
        return parley_child_fail(doc, 0, "", err, PARLEY_E_FIELD_INVALID,
                                 "the body is not an object");
    }

    for (k = parley_json_first(0); k != parley_json_end(doc, 0);
         k = parley_json_after(doc, k + 1))
    {
        if (!parley_json_string_is(doc, k, PARLEY_STR("sub"))
            && !parley_json_string_is(doc, k, PARLEY_STR("keys"))
            && !parley_json_string_is(doc, k, PARLEY_STR("exp")))
        {
            return parley_child_fail(doc, k, "", err, PARLEY_E_FIELD_UNKNOWN,
                                     "is unknown, expected sub, keys or exp");
        }
    }

    if (parley_child_member(doc, "sub", &node, err) != 0) {
        return -1;
    }

    if (parley_json_type(doc, node) != PARLEY_JSON_STRING
        || parley_json_node(doc, node)->len == 0)
    {
        return parley_child_fail(doc, node, "", err, PARLEY_E_FIELD_INVALID,
                                 "must be the sub of a principal");
    }

    return parley_json_string(doc, node, ret) == 0
           ? 0 : parley_error_memory(err);
}


int
parley_child_adds_read(parley_arena_t *arena, const parley_json_t *doc,
    int64_t now_ms, parley_child_adds_t *ret, parley_error_t *err)
{
    size_t    i;
    int64_t   exp;
    uint32_t  keys, node;

    ret->n = 0;

    if (parley_child_exp(doc, now_ms, &exp, err) != 0
        || parley_child_member(doc, "keys", &keys, err) != 0)
    {
        return -1;
    }

    if (parley_json_type(doc, keys) != PARLEY_JSON_ARRAY
        || parley_json_node(doc, keys)->count == 0
        || parley_json_node(doc, keys)->count > PARLEY_CHILD_KEYS_MAX)
    {
        return parley_child_fail(doc, keys, "", err, PARLEY_E_FIELD_INVALID,
                                 "must be an array of 1 to 8 keys");
    }

    for (node = parley_json_first(keys); node != parley_json_end(doc, keys);
         node = parley_json_after(doc, node))
    {
        if (parley_child_add_key(arena, doc, node, &ret->list[ret->n], err)
            != 0)
        {
            return -1;
        }

        ret->list[ret->n].exp = exp;

        for (i = 0; i < ret->n; i++) {
            if (parley_str_eq(ret->list[i].kid, ret->list[ret->n].kid)) {
                return parley_child_fail(doc, node, "/kid", err,
                                         PARLEY_E_FIELD_INVALID,
                                         "is the kid of an earlier key");
            }
        }

        ret->n++;
    }

    return 0;
}


static int
parley_child_member(const parley_json_t *doc, const char *name,
    uint32_t *ret, parley_error_t *err)
{
    char  field[16];

    *ret = parley_json_get(doc, 0, parley_str_c(name));

    if (*ret != PARLEY_JSON_NONE) {
        return 0;
    }

    (void) snprintf(field, sizeof(field), "/%s", name);

    return parley_error_set(err, PARLEY_E_FIELD_MISSING, field,
                            "%s is missing", field);
}


static int
parley_child_exp(const parley_json_t *doc, int64_t now_ms, int64_t *ret,
    parley_error_t *err)
{
    uint32_t  node;

    if (parley_child_member(doc, "exp", &node, err) != 0) {
        return -1;
    }

    if (parley_json_type(doc, node) != PARLEY_JSON_NUMBER
        || !(parley_json_node(doc, node)->flags & PARLEY_JSON_INTEGER)
        || parley_json_integer(doc, node, ret) != 0)
    {
        return parley_child_fail(doc, node, "", err, PARLEY_E_FIELD_INVALID,
                                 "must be whole seconds since 1970");
    }

    if (*ret <= now_ms / 1000) {
        return parley_child_fail(doc, node, "", err, PARLEY_E_FIELD_INVALID,
                                 "is past");
    }

    if (*ret > now_ms / 1000 + PARLEY_CHILD_KEY_LONGEST) {
        return parley_child_fail(doc, node, "", err, PARLEY_E_FIELD_INVALID,
                                 "is more than 24 hours ahead");
    }

    return 0;
}


/*
 * Reads one key.  A member with a secret is refused before the key is parsed.
 */

static int
parley_child_add_key(parley_arena_t *arena, const parley_json_t *doc,
    uint32_t node, parley_child_key_t *ret, parley_error_t *err)
{
    uint32_t  d, k, kid;

    if (parley_json_type(doc, node) != PARLEY_JSON_OBJECT) {
        return parley_child_fail(doc, node, "", err, PARLEY_E_FIELD_INVALID,
                                 "must be a JWK");
    }

    d = parley_json_get(doc, node, PARLEY_STR("d"));
    k = parley_json_get(doc, node, PARLEY_STR("k"));

    if (d != PARLEY_JSON_NONE || k != PARLEY_JSON_NONE) {
        return parley_child_fail(doc, d != PARLEY_JSON_NONE ? d : k, "", err,
                                 PARLEY_E_FIELD_INVALID,
                                 "is the secret of a key: only public keys are "
                                 "allowed");
    }

    kid = parley_json_get(doc, node, PARLEY_STR("kid"));

    if (kid == PARLEY_JSON_NONE) {
        return parley_child_fail(doc, node, "/kid", err,
                                 PARLEY_E_FIELD_MISSING, "is missing");
    }

    return parley_child_add_public(arena, doc, node, ret, err);
}


static int
parley_child_add_public(parley_arena_t *arena, const parley_json_t *doc,
    uint32_t node, parley_child_key_t *ret, parley_error_t *err)
{
    int             okp;
    parley_jwk_t    jwk;
    parley_error_t  wrong;

    if (parley_jwk_parse(arena, parley_json_raw(doc, node), &jwk, &wrong) != 0)
    {
        return wrong.code == PARLEY_E_CAPACITY
               ? parley_error_memory(err)
               : parley_child_fail(doc, node, wrong.field, err, wrong.code,
                                   wrong.text);
    }

    okp = jwk.kty == PARLEY_KTY_OKP && parley_signature_key_is(&jwk);

    ret->kid = jwk.kid;
    memcpy(ret->octets, jwk.ed25519, PARLEY_CHILD_KEY_LEN);

    parley_jwk_free(&jwk);

    if (!okp) {
        return parley_child_fail(doc, node, "", err, PARLEY_E_FIELD_INVALID,
                                 "must be an Ed25519 key that verifies "
                                 "signatures");
    }

    return ret->kid.len > 0 ? 0
           : parley_child_fail(doc, node, "/kid", err, PARLEY_E_FIELD_INVALID,
                               "is empty");
}


/* Sets an error at a node, or at the pointer "below" relative to the node. */

static int
parley_child_fail(const parley_json_t *doc, uint32_t node, const char *below,
    parley_error_t *err, parley_code_t code, const char *why)
{
    char    field[PARLEY_POINTER_MAX];
    size_t  n;

    n = parley_json_pointer(doc, node, field, sizeof(field));

    (void) snprintf(field + n, sizeof(field) - n, "%s", below);

    return parley_error_set(err, code, field, "%s%s%s", field,
                            *field != '\0' ? " " : "", why);
}
