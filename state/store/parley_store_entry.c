/*
 * Names and values of keys, and entries of records.
 */

#include <string.h>

#include "state/store/parley_store_parts.h"


#define PARLEY_STORE_CLOSED  9  /* place of '1' in the entry of a closed one */


int
parley_store_is_shared(parley_kind_t kind)
{
    return kind == PARLEY_KIND_QUESTION || kind == PARLEY_KIND_CALL
           || kind == PARLEY_KIND_MESSAGE || kind == PARLEY_KIND_ANSWER;
}


int
parley_store_in_zones(parley_kind_t kind)
{
    return kind == PARLEY_KIND_SUSPENSION || kind == PARLEY_KIND_CHILD_KEY;
}


parley_str_t
parley_store_name(const parley_store_t *s, uint8_t kind, const uint8_t *key,
    uint8_t room[PARLEY_STORE_PREFIX + 1 + PARLEY_KEY_LEN])
{
    memcpy(room, s->prefix, s->prefix_len);
    room[s->prefix_len] = kind;
    memcpy(room + s->prefix_len + 1, key, PARLEY_KEY_LEN);

    return parley_str_make(room, s->prefix_len + 1 + PARLEY_KEY_LEN);
}


void
parley_store_holder(const parley_store_t *s, uint64_t stamp,
    uint8_t out[PARLEY_STORE_HOLDER])
{
    memcpy(out, s->conf->node, PARLEY_STORE_NODE);
    parley_store_write32(out + PARLEY_STORE_NODE, (uint32_t) (stamp >> 32));
    parley_store_write32(out + PARLEY_STORE_NODE + 4, (uint32_t) stamp);
}


void
parley_store_value(const parley_store_t *s, uint8_t state,
    const uint8_t *print, uint64_t stamp, uint8_t out[PARLEY_STORE_PRINTED])
{
    out[0] = '1';
    out[1] = state;
    memcpy(out + 2, print, PARLEY_PRINT_LEN);
    parley_store_holder(s, stamp, out + 2 + PARLEY_PRINT_LEN);
}


void
parley_store_field(const parley_record_id_t *id,
    uint8_t out[PARLEY_STORE_FIELD])
{
    out[0] = (uint8_t) id->kind;
    memcpy(out + 1, id->key, PARLEY_KEY_LEN);
    parley_store_write32(out + 1 + PARLEY_KEY_LEN, id->tag);
}


/* Writes tag, generation, queue (0: guaranteed) and '0': not closed. */

void
parley_store_entry(const parley_put_t *put, uint32_t generation,
    uint8_t out[PARLEY_STORE_ENTRY])
{
    parley_store_write32(out, put->id.tag);
    parley_store_write32(out + 4, generation);

    out[8] = put->queue == PARLEY_EVICTABLE_NONE ? 0
                                                 : (uint8_t) (put->queue + 1);
    out[PARLEY_STORE_CLOSED] = '0';
}


/*
 * Reads the next entry.  Returns 1, 0 at the end or if the rest has another
 * form, or -1 if memory is exhausted.
 */

int
parley_store_parse(parley_store_t *s, parley_str_t *rest,
    parley_arena_t *arena, parley_record_t *ret)
{
    size_t          len;
    int64_t         till;
    const uint8_t  *p = rest->data;

    if (rest->len < PARLEY_STORE_HEAD) {
        return 0;
    }

    len = parley_store_read32(p + PARLEY_STORE_ENTRY + 8);

    if (len > rest->len - PARLEY_STORE_HEAD
        || p[8] > PARLEY_EVICTABLE_COUNT)
    {
        return 0;
    }

    till = (int64_t) ((uint64_t) parley_store_read32(p + PARLEY_STORE_ENTRY)
                      << 32
                      | parley_store_read32(p + PARLEY_STORE_ENTRY + 4));

    ret->tag = parley_store_read32(p);
    ret->generation = parley_store_read32(p + 4);
    ret->queue = p[8] == 0 ? PARLEY_EVICTABLE_NONE
                           : (parley_evictable_t) (p[8] - 1);
    ret->closed = p[PARLEY_STORE_CLOSED] == '1';
    ret->left = till - s->env->now(s->env->ctx) - s->offset;
    ret->value = parley_str_none;

    if (!ret->closed
        && parley_arena_str(arena, parley_str_make(p + PARLEY_STORE_HEAD, len),
                            &ret->value)
           != 0)
    {
        return -1;
    }

    *rest = parley_str_from(*rest, PARLEY_STORE_HEAD + len);

    return 1;
}


parley_str_t
parley_store_join_parts(parley_arena_t *arena, const parley_str_t *parts,
    size_t n)
{
    size_t    i, len;
    uint8_t  *p;

    if (n == 1) {
        return parts[0];
    }

    len = 0;

    for (i = 0; i < n; i++) {
        len += parts[i].len;
    }

    p = parley_arena_octets(arena, len + 1);

    if (p == NULL) {
        return parley_str_none;
    }

    len = 0;

    for (i = 0; i < n; i++) {
        if (parts[i].len != 0) {
            memcpy(p + len, parts[i].data, parts[i].len);
            len += parts[i].len;
        }
    }

    return parley_str_make(p, len);
}


void
parley_store_admission(parley_store_call_t *call, const parley_admission_t *a,
    uint64_t stamp)
{
    parley_store_admission_t  *copy = &call->u.admit;

    copy->a = *a;
    copy->stamp = stamp;

    if (a->account != NULL) {
        memcpy(copy->account, a->account, PARLEY_KEY_LEN);
        copy->a.account = copy->account;
    }

    if (a->id != NULL) {
        memcpy(copy->id, a->id, PARLEY_KEY_LEN);
        memcpy(copy->print, a->print, PARLEY_PRINT_LEN);
        copy->a.id = copy->id;
        copy->a.print = copy->print;
    }

    if (a->slot != NULL) {
        memcpy(copy->slot, a->slot, PARLEY_KEY_LEN);
        copy->a.slot = copy->slot;
    }
}
