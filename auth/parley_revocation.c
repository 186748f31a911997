/* The revocation list: an immutable hash table. */

#include "core/parley_fold.h"
#include "auth/parley_revocation_parts.h"


static uint64_t parley_revocation_hash(const parley_revocations_t *list,
    const parley_revocation_t *wanted);
static int parley_revocation_is(const parley_revocations_t *list,
    const parley_revocation_entry_t *e, const parley_revocation_t *wanted);
static int parley_revocation_find(const parley_revocations_t *list,
    parley_revoked_t kind, parley_str_t id, parley_str_t of);


/* Returns the slot of an entry, or the free one where it belongs. */

uint32_t *
parley_revocation_slot(const parley_revocations_t *list,
    const parley_revocation_t *wanted)
{
    uint32_t  *slot;
    uint64_t   at;

    for (at = parley_revocation_hash(list, wanted); /* void */ ; at++) {
        slot = &list->slots[at & list->mask];

        if (*slot == 0
            || parley_revocation_is(list, &list->entries[*slot - 1], wanted))
        {
            return slot;
        }
    }
}


static uint64_t
parley_revocation_hash(const parley_revocations_t *list,
    const parley_revocation_t *wanted)
{
    uint64_t  h, seed, left, right;

    seed = list->seed;
    left = parley_fold_secret(&seed);
    right = parley_fold_secret(&seed);

    h = parley_fold_octets(parley_fold_secret(&seed) ^ wanted->kind, left,
                           right, wanted->id.data, wanted->id.len);

    return parley_fold_octets(h, left, right, wanted->of.data,
                              wanted->of.len);
}


static int
parley_revocation_is(const parley_revocations_t *list,
    const parley_revocation_entry_t *e, const parley_revocation_t *wanted)
{
    const uint8_t  *text;

    text = list->texts + e->at;

    return e->kind == wanted->kind
           && parley_str_eq(parley_str_make(text, e->id), wanted->id)
           && parley_str_eq(parley_str_make(text + e->id, e->of), wanted->of);
}


static int
parley_revocation_find(const parley_revocations_t *list,
    parley_revoked_t kind, parley_str_t id, parley_str_t of)
{
    parley_revocation_t  wanted;

    if (list == NULL || list->n == 0 || id.len == 0) {
        return 0;
    }

    wanted.kind = kind;
    wanted.id = id;
    wanted.of = of;

    return *parley_revocation_slot(list, &wanted) != 0;
}


int
parley_revocations_principal(const parley_revocations_t *list,
    parley_str_t sub)
{
    return parley_revocation_find(list, PARLEY_REVOKED_PRINCIPAL, sub,
                                  parley_str_none);
}


int
parley_revocations_token_key(const parley_revocations_t *list,
    parley_str_t issuer, parley_str_t kid)
{
    return parley_revocation_find(list, issuer.len == 0
                                        ? PARLEY_REVOKED_ANY_KEY
                                        : PARLEY_REVOKED_TOKEN_KEY,
                                  kid, issuer);
}


int
parley_revocations_message_key(const parley_revocations_t *list,
    parley_str_t sub, parley_str_t kid)
{
    return parley_revocation_find(list, PARLEY_REVOKED_MESSAGE_KEY, kid, sub);
}


int
parley_revocations_token(const parley_revocations_t *list, parley_str_t iss,
    parley_str_t jti)
{
    return parley_revocation_find(list, PARLEY_REVOKED_TOKEN, jti, iss);
}


size_t
parley_revocations_count(const parley_revocations_t *list)
{
    return list != NULL ? list->n : 0;
}
