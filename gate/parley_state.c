/* What every state has: its keys, and what is told of how full it is. */

#include <string.h>

#include "parley_memory_parts.h"


/* 1 part in so many left is little */
#define PARLEY_STATE_LITTLE  16


int
parley_share_parse(parley_str_t word, unsigned *ret)
{
    size_t    i;
    unsigned  n;

    if (word.len < 2 || word.len > 4 || word.data[word.len - 1] != '%'
        || word.data[0] == '0')
    {
        return -1;
    }

    n = 0;

    for (i = 0; i < word.len - 1; i++) {

        if (word.data[i] < '0' || word.data[i] > '9') {
            return -1;
        }

        n = n * 10 + (unsigned) (word.data[i] - '0');
    }

    if (n > 100) {
        return -1;
    }

    *ret = n * (PARLEY_SHARE_ALL / 100);

    return 0;
}


void
parley_state_key(const parley_state_t *s, parley_kind_t kind,
    const parley_str_t *parts, size_t n, uint8_t out[PARLEY_KEY_LEN])
{
    uint8_t       octet;
    parley_str_t  all[PARLEY_KEY_PARTS_MAX + 1];

    octet = (uint8_t) kind;
    n = n < PARLEY_KEY_PARTS_MAX ? n : PARLEY_KEY_PARTS_MAX;

    all[0] = parley_str_make(&octet, 1);
    memcpy(all + 1, parts, n * sizeof(parley_str_t));

    parley_key_make(s->sh->secret, all, n + 1, out);
}


uint32_t
parley_state_tag(const parley_state_t *s, const parley_str_t *parts, size_t n)
{
    uint32_t  tag;
    uint8_t   key[PARLEY_KEY_LEN];

    parley_key_make(s->sh->secret, parts, n, key);
    memcpy(&tag, key, sizeof(tag));

    return tag;
}


parley_state_level_t
parley_state_level(const parley_state_stat_t *stat)
{
    size_t  left;

    left = stat->table.free + stat->table.loose;

    if (left < PARLEY_TABLE_FLOOR) {
        return PARLEY_STATE_FULL;
    }

    return left < stat->table.blocks / PARLEY_STATE_LITTLE ? PARLEY_STATE_LOW
                                                           : PARLEY_STATE_OK;
}
