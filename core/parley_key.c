#include <string.h>

#include <sodium.h>

#include "core/parley_key.h"


#define PARLEY_KEY_BLOCK  512

/* first octet of the long form of a length; shorter lengths are one octet */
#define PARLEY_KEY_LONG   255


/*
 * libsodium has no incremental interface, so input longer than a block is
 * chained: the hash of a full block starts the next one.  The first octet
 * separates the first block from later ones.
 */

typedef struct {
    const uint8_t  *secret;
    size_t          used;
    uint8_t         block[PARLEY_KEY_BLOCK];
} parley_key_state_t;


static void parley_key_parts(parley_key_state_t *st, uint8_t *p,
    const parley_str_t *parts, size_t n, uint8_t out[PARLEY_KEY_LEN]);
static void parley_key_chain(parley_key_state_t *st, const uint8_t *p,
    size_t n);


static void
parley_key_put(parley_key_state_t *st, const uint8_t *p, size_t n)
{
    if (n > sizeof(st->block) - st->used) {
        parley_key_chain(st, p, n);
        return;
    }

    if (n != 0) {
        memcpy(st->block + st->used, p, n);
        st->used += n;
    }
}


/* One octet for short lengths. */
static void
parley_key_put_len(parley_key_state_t *st, uint64_t n)
{
    size_t   i;
    uint8_t  octet;

    octet = (n < PARLEY_KEY_LONG) ? (uint8_t) n : PARLEY_KEY_LONG;
    parley_key_put(st, &octet, 1);

    if (octet < PARLEY_KEY_LONG) {
        return;
    }

    for (i = 0; i < 8; i++) {
        octet = (uint8_t) (n >> 8 * i);
        parley_key_put(st, &octet, 1);
    }
}


void
parley_key_make(const uint8_t secret[PARLEY_KEY_SECRET],
    const parley_str_t *parts, size_t n, uint8_t out[PARLEY_KEY_LEN])
{
    parley_key_state_t  st;

    st.secret = secret;
    st.block[0] = 0;

    parley_key_parts(&st, st.block + 1, parts, n, out);
}


void
parley_key_make_kind(const uint8_t secret[PARLEY_KEY_SECRET], uint8_t kind,
    const parley_str_t *parts, size_t n, uint8_t out[PARLEY_KEY_LEN])
{
    parley_key_state_t  st;

    st.secret = secret;
    st.block[0] = 0;
    st.block[1] = sizeof(kind);
    st.block[2] = kind;

    parley_key_parts(&st, st.block + 3, parts, n, out);
}


/* Hashes the block up to p, and the parts.  The usual part is short and fits
   the block. */

static void
parley_key_parts(parley_key_state_t *st, uint8_t *p,
    const parley_str_t *parts, size_t n, uint8_t out[PARLEY_KEY_LEN])
{
    size_t  i, len;

    for (i = 0; i < n; i++) {
        len = parts[i].len;

        if (len < PARLEY_KEY_LONG
            && len < (size_t) (st->block + sizeof(st->block) - p))
        {
            *p++ = (uint8_t) len;
            p = parley_octets_copy(p, parts[i].data, len);
            continue;
        }

        st->used = (size_t) (p - st->block);

        parley_key_put_len(st, len);
        parley_key_put(st, parts[i].data, len);

        p = st->block + st->used;
    }

    (void) crypto_shorthash_siphashx24(out, st->block,
                                       (size_t) (p - st->block), st->secret);
}


static void
parley_key_chain(parley_key_state_t *st, const uint8_t *p, size_t n)
{
    size_t   take;
    uint8_t  hash[PARLEY_KEY_LEN];

    while (n != 0) {

        if (st->used == sizeof(st->block)) {
            (void) crypto_shorthash_siphashx24(hash, st->block,
                                               sizeof(st->block), st->secret);
            st->block[0] = 1;
            memcpy(st->block + 1, hash, sizeof(hash));
            st->used = 1 + sizeof(hash);
        }

        take = sizeof(st->block) - st->used;

        if (take > n) {
            take = n;
        }

        memcpy(st->block + st->used, p, take);

        st->used += take;
        p += take;
        n -= take;
    }
}
