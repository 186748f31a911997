/*
 * Key sets.  An accepted set is written and read again as the same keys, and
 * its public form never has a private member.  As a published set, the text
 * gives the same keys, or the valid ones.
 */

#include <stdlib.h>
#include <string.h>

#include "auth/parley_jwk.h"
#include "t/fuzz/parley_fuzz.h"


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static void
round_trip(parley_arena_t *arena, const parley_jwk_t *jwk, int with_private)
{
    char            a[PARLEY_JWK_THUMBPRINT_LEN + 1];
    char            b[PARLEY_JWK_THUMBPRINT_LEN + 1];
    parley_buf_t    buf;
    parley_str_t    text;
    parley_jwk_t    again;
    parley_error_t  err;

    parley_buf_init(&buf, arena, 0);

    if (parley_jwk_write(&buf, jwk, with_private, &err) != 0) {
        return;
    }

    check(parley_buf_done(&buf, &text) == 0);
    check(parley_jwk_parse(arena, text, &again, &err) == 0);

    check(with_private || again.signs == 0);
    check((again.verifies & jwk->verifies) == jwk->verifies);
    check(parley_str_eq(again.kid, jwk->kid));

    check(parley_jwk_thumbprint(jwk, a, &err) == 0);
    check(parley_jwk_thumbprint(&again, b, &err) == 0);
    check(strcmp(a, b) == 0);

    parley_jwk_free(&again);
}


static void
use(parley_arena_t *arena, const parley_jwks_t *keys)
{
    size_t  i;

    check(keys->keys != NULL);
    check(parley_jwks_verifiers(keys) <= keys->n);

    for (i = 0; i < keys->n; i++) {
        check((keys->keys[i].verifies | keys->keys[i].signs) != 0);
        round_trip(arena, &keys->keys[i], 0);
        round_trip(arena, &keys->keys[i], 1);
    }
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int             rc;
    parley_str_t    text;
    parley_jwks_t   keys, published;
    parley_arena_t  arena;
    parley_error_t  err, first;

    text = parley_str_make(data, size);
    parley_arena_init(&arena, &parley_mem_libc, 0);

    rc = parley_jwks_parse(&arena, text, &keys, &err);

    if (parley_jwks_parse_published(&arena, text, &published, &first) == 0) {
        use(&arena, &published);
        check((published.refused != 0) == (rc != 0));
        check((published.refused != 0) == (first.code != PARLEY_E_NONE));

    } else {
        check(rc != 0);
        check(published.keys == NULL && published.refused == 0);
        check(first.code != PARLEY_E_NONE);
    }

    if (rc == 0) {
        use(&arena, &keys);
        check(published.n == keys.n && published.skipped == keys.skipped);

    } else {
        check(keys.n == 0 && keys.keys == NULL);
        check(err.code != PARLEY_E_NONE);
    }

    parley_jwks_free(&published);
    parley_jwks_free(&keys);
    parley_arena_reset(&arena);

    return 0;
}
