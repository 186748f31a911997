/* Keys and tags, which all states have in common. */

#include <string.h>

#include "core/parley_fold.h"
#include "state/parley_state.h"


static uint16_t parley_state_half(const parley_state_t *s,
    const parley_str_t *parts, size_t n);


/* prints have a seed of their own, derived from the secret */

void
parley_state_init(parley_state_t *s, const parley_state_ops_t *ops,
    const uint8_t secret[PARLEY_KEY_SECRET])
{
    uint8_t       key[PARLEY_KEY_LEN];
    uint64_t      seed;
    parley_str_t  what;

    s->ops = ops;
    s->near = NULL;
    s->format = PARLEY_STATE_FORMAT;
    memcpy(s->secret, secret, PARLEY_KEY_SECRET);

    what = PARLEY_STR("prints");
    parley_key_make(secret, &what, 1, key);
    memcpy(&seed, key, sizeof(seed));
    parley_json_print_seed(seed, &s->prints);
}


int
parley_state_reads_format(parley_str_t value)
{
    return value.len != 0 && value.data[0] >= PARLEY_STATE_OLDEST
           && value.data[0] <= PARLEY_STATE_FORMAT;
}


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
    uint32_t  at;

    parley_key_make_kind(s->secret, (uint8_t) kind, parts,
                         n < PARLEY_KEY_PARTS_MAX ? n : PARLEY_KEY_PARTS_MAX,
                         out);

    if (s->near != NULL) {
        memcpy(&at, out, sizeof(at));
        __builtin_prefetch(&s->near[at & s->near_mask]);
    }
}


uint32_t
parley_state_tag(const parley_state_t *s, const parley_str_t *owner,
    size_t nowner, const parley_str_t *parts, size_t nparts)
{
    return ((uint32_t) parley_state_half(s, owner, nowner) << 16)
           | parley_state_half(s, parts, nparts);
}


uint32_t
parley_state_text_tag(const parley_state_t *s, parley_str_t text)
{
    uint32_t  tag;
    uint8_t   key[PARLEY_KEY_LEN];

    parley_key_make(s->secret, &text, 1, key);
    memcpy(&tag, key, sizeof(tag));

    return tag;
}


/*
 * Hashes parts to half a tag.  A weaker hash than that of keys suffices: tags
 * are not visible outside.
 */

static uint16_t
parley_state_half(const parley_state_t *s, const parley_str_t *parts, size_t n)
{
    size_t    i;
    uint64_t  h, left, right;

    left = s->prints.secrets[PARLEY_PRINT_LEFT];
    right = s->prints.secrets[PARLEY_PRINT_RIGHT];
    h = s->prints.secrets[PARLEY_PRINT_TEXT] ^ n;

    for (i = 0; i < n; i++) {
        h = parley_fold_octets(h, left, right, parts[i].data, parts[i].len);
    }

    return (uint16_t) h;
}
