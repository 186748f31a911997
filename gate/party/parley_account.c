#include <string.h>

#include "gate/party/parley_account.h"


void
parley_account_key(const parley_state_t *state, parley_str_t sub,
    parley_str_t address, uint8_t out[PARLEY_KEY_LEN])
{
    uint8_t       proven;
    parley_str_t  parts[2];

    proven = sub.len > 0;

    parts[0] = parley_str_make(&proven, 1);
    parts[1] = proven ? sub : address;

    parley_state_key(state, PARLEY_KIND_ACCOUNT, parts, 2, out);
}


void
parley_account_kept_key(const parley_state_t *state,
    parley_account_kept_t *kept, uint8_t out[PARLEY_KEY_LEN])
{
    if (kept->state != state) {
        parley_account_key(state, kept->sub, parley_str_none, kept->account);
        kept->state = state;
    }

    memcpy(out, kept->account, PARLEY_KEY_LEN);
}


void
parley_account_rate_key(const parley_state_t *state, parley_counted_t whose,
    parley_str_t who, parley_str_t what, const parley_limit_rate_t *rate,
    uint8_t out[PARLEY_KEY_LEN])
{
    uint8_t       head;
    uint64_t      numbers[2];
    parley_str_t  parts[4];

    head = (uint8_t) whose;
    numbers[0] = (uint64_t) rate->interval_us;
    numbers[1] = (uint64_t) rate->burst;

    parts[0] = parley_str_make(&head, 1);
    parts[1] = who;
    parts[2] = what;
    parts[3] = parley_str_make(numbers, sizeof(numbers));

    parley_state_key(state, PARLEY_KIND_RATE, parts, 4, out);
}


void
parley_account_kept_rate_key(const parley_state_t *state,
    parley_account_kept_t *kept, parley_counted_t whose,
    const parley_limit_rate_t *rate, uint8_t out[PARLEY_KEY_LEN])
{
    if (kept->limits != state || kept->rate.interval_us != rate->interval_us
        || kept->rate.burst != rate->burst)
    {
        parley_account_rate_key(state, whose, kept->sub, parley_str_none, rate,
                                kept->limit);
        kept->limits = state;
        kept->rate = *rate;
    }

    memcpy(out, kept->limit, PARLEY_KEY_LEN);
}


parley_account_kept_t *
parley_account_place(parley_account_places_t *places, parley_str_t name)
{
    size_t                  i;
    unsigned                hash;
    uint8_t                *octets;
    parley_account_kept_t  *kept;

    if (name.len > PARLEY_ACCOUNT_NAME) {
        return NULL;
    }

    hash = 0;

    for (i = 0; i < name.len; i++) {
        hash = hash * 31 + name.data[i];
    }

    hash %= PARLEY_ACCOUNT_PLACES;

    octets = places->list[hash].name;
    kept = &places->list[hash].kept;

    if (!parley_str_eq(kept->sub, name)) {
        memset(kept, 0, sizeof(parley_account_kept_t));
        parley_octets_copy(octets, name.data, name.len);
        kept->sub = parley_str_make(octets, name.len);
    }

    return kept;
}


void
parley_account_declared_key(const parley_state_t *state,
    const uint8_t account[PARLEY_KEY_LEN], uint8_t out[PARLEY_KEY_LEN])
{
    uint8_t       head;
    parley_str_t  parts[2];

    head = (uint8_t) PARLEY_COUNTED_DECLARED;

    parts[0] = parley_str_make(&head, 1);
    parts[1] = parley_str_make(account, PARLEY_KEY_LEN);

    parley_state_key(state, PARLEY_KIND_RATE, parts, 2, out);
}
