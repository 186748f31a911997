/*
 * Records of child keys: a head, the sub of the parent and the kid.
 */

#include <string.h>

#include "core/parley_octets.h"
#include "gate/party/parley_child_key.h"


/* octets of a head: format, time in s, key, length of the sub */
#define PARLEY_CHILD_HEAD  (1 + 8 + PARLEY_CHILD_KEY_LEN + 4)


static void parley_child_key_id(const parley_state_t *state,
    const parley_principal_t *child, parley_str_t kid,
    parley_record_id_t *ret);
static int parley_child_key_read(const parley_principal_t *child,
    parley_str_t value, parley_child_key_t *ret);


static void
parley_child_key_name(const parley_state_t *state,
    const parley_principal_t *child, uint8_t key[PARLEY_KEY_LEN])
{
    parley_state_key(state, PARLEY_KIND_CHILD_KEY, &child->sub, 1, key);
}


static void
parley_child_key_id(const parley_state_t *state,
    const parley_principal_t *child, parley_str_t kid,
    parley_record_id_t *ret)
{
    ret->kind = PARLEY_KIND_CHILD_KEY;
    ret->tag = parley_state_tag(state, &child->parent, 1, &kid, 1);

    parley_child_key_name(state, child, ret->key);
}


int
parley_child_key_get(parley_ask_t *q, const parley_principal_t *child,
    int64_t now_ms, parley_child_keys_t *ret)
{
    int                  i, rc;
    uint8_t              key[PARLEY_KEY_LEN];
    parley_records_t     records;
    parley_child_key_t  *k;

    ret->n = 0;

    parley_child_key_name(q->state, child, key);

    rc = parley_ask_get(q, PARLEY_KIND_CHILD_KEY, key, &records);

    if (rc != 0) {
        return rc;
    }

    for (i = 0; i < records.n; i++) {
        k = &ret->list[ret->n];

        if (parley_child_key_read(child, records.list[i].value, k) == 0
            && k->exp * 1000 > now_ms
            && !parley_child_key_is_listed(child, k->kid))
        {
            ret->n++;
        }
    }

    return 0;
}


/* Returns -1 if the current parent of the child did not add the key. */

static int
parley_child_key_read(const parley_principal_t *child, parley_str_t value,
    parley_child_key_t *ret)
{
    size_t          len;
    parley_str_t    parent;
    const uint8_t  *p;

    if (value.len < PARLEY_CHILD_HEAD || !parley_state_reads_format(value)) {
        return -1;
    }

    p = value.data + 1;
    value = parley_str_from(value, PARLEY_CHILD_HEAD);

    ret->exp = (int64_t) parley_octets_read64(p);
    p += 8;

    memcpy(ret->octets, p, PARLEY_CHILD_KEY_LEN);
    len = parley_octets_read32(p + PARLEY_CHILD_KEY_LEN);

    if (len > value.len) {
        return -1;
    }

    parent = parley_str_make(value.data, len);
    ret->kid = parley_str_from(value, len);

    return parley_str_eq(parent, child->parent) ? 0 : -1;
}


size_t
parley_child_key_find(const parley_child_keys_t *keys, parley_str_t kid)
{
    size_t  i;

    for (i = 0; i < keys->n; i++) {
        if (parley_str_eq(keys->list[i].kid, kid)) {
            break;
        }
    }

    return i;
}


int
parley_child_key_is_listed(const parley_principal_t *child, parley_str_t kid)
{
    size_t  i;

    for (i = 0; i < child->keys.n; i++) {
        if (parley_str_eq(child->keys.keys[i].kid, kid)) {
            return 1;
        }
    }

    return 0;
}


int
parley_child_key_put(parley_ask_t *q, const parley_principal_t *child,
    const parley_child_key_t *key, const uint8_t account[PARLEY_KEY_LEN],
    int64_t now_ms, parley_put_result_t *ret)
{
    uint8_t       *p, head[PARLEY_CHILD_HEAD];
    parley_put_t   put;
    parley_str_t   parts[3];

    memset(&put, 0, sizeof(parley_put_t));

    p = head;

    *p++ = q->state->format;
    p = parley_octets_write64(p, (uint64_t) key->exp);
    memcpy(p, key->octets, PARLEY_CHILD_KEY_LEN);
    (void) parley_octets_write32(p + PARLEY_CHILD_KEY_LEN,
                         (uint32_t) child->parent.len);

    parts[0] = parley_str_make(head, sizeof(head));
    parts[1] = child->parent;
    parts[2] = key->kid;

    parley_child_key_id(q->state, child, key->kid, &put.id);

    put.queue = PARLEY_EVICTABLE_NONE;
    put.account = account;
    put.parts = parts;
    put.nparts = 3;
    put.ttl = key->exp * 1000 - now_ms;

    return parley_ask_put(q, &put, ret);
}


int
parley_child_key_drop(parley_ask_t *q, const parley_principal_t *child,
    parley_str_t kid)
{
    parley_record_id_t  id;

    parley_child_key_id(q->state, child, kid, &id);

    return parley_ask_drop(q, &id, 0);
}


int
parley_child_key_jwks(parley_arena_t *arena, const parley_child_keys_t *keys,
    parley_str_t kid, parley_jwks_t *ret)
{
    size_t         i;
    parley_jwk_t  *jwk;

    memset(ret, 0, sizeof(parley_jwks_t));

    ret->keys = parley_arena_calloc(arena,
                                    (keys->n + 1) * sizeof(parley_jwk_t));
    if (ret->keys == NULL) {
        return -1;
    }

    for (i = 0; i < keys->n; i++) {

        if (kid.len > 0 && !parley_str_eq(kid, keys->list[i].kid)) {
            continue;
        }

        /* an Ed25519 key consists of its octets alone */

        jwk = &ret->keys[ret->n++];

        jwk->kty = PARLEY_KTY_OKP;
        jwk->crv = PARLEY_CRV_ED25519;
        jwk->kid = keys->list[i].kid;
        jwk->expires = keys->list[i].exp * 1000;
        jwk->alg = PARLEY_ALG_EDDSA;
        jwk->verifies = PARLEY_ALG_BIT(PARLEY_ALG_EDDSA);
        memcpy(jwk->ed25519, keys->list[i].octets, PARLEY_CHILD_KEY_LEN);
    }

    return 0;
}
