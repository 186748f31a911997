#include "gate/correlation/parley_responders.h"
#include "core/parley_digest.h"


static int parley_responders_room(parley_responders_t *set,
    parley_arena_t *arena, parley_error_t *err);


int
parley_responders_add(parley_responders_t *set, parley_arena_t *arena,
    parley_str_t principal, parley_str_t session, parley_error_t *err)
{
    uint8_t       digest[PARLEY_SHA256_LEN];
    uint32_t      i;
    parley_str_t  parts[3];

    parts[0] = principal;
    parts[1] = PARLEY_STR("\0");
    parts[2] = session;

    if (parley_sha256_parts(parts, 3, digest) != 0) {
        return parley_error_memory(err);
    }

    for (i = 0; i < set->n; i++) {
        if (memcmp(set->items[i], digest, PARLEY_RESPONDER_LEN) == 0) {
            return 0;
        }
    }

    if (set->n == PARLEY_RESPONDERS_MAX) {
        return 0;
    }

    if (parley_responders_room(set, arena, err) != 0) {
        return -1;
    }

    memcpy(set->items[set->n++], digest, PARLEY_RESPONDER_LEN);

    return 1;
}


/* The array grows to the next power of two. */

static int
parley_responders_room(parley_responders_t *set, parley_arena_t *arena,
    parley_error_t *err)
{
    uint8_t  (*items)[PARLEY_RESPONDER_LEN];

    if ((set->n & (set->n - 1)) != 0) {
        return 0;
    }

    items = parley_arena_alloc(arena, (size_t) (set->n ? set->n * 2 : 1)
                                      * PARLEY_RESPONDER_LEN);
    if (items == NULL) {
        return parley_error_memory(err);
    }

    if (set->n > 0) {
        memcpy(items, set->items, (size_t) set->n * PARLEY_RESPONDER_LEN);
    }

    set->items = items;

    return 0;
}
