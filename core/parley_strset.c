#include "core/parley_strset.h"


#define PARLEY_STRSET_FACTORS  512


static int parley_strset_place(parley_strset_t *set);


parley_strset_t *
parley_strset(parley_arena_t *arena, const parley_str_t *texts, uint32_t n)
{
    uint16_t               *slots;
    uint32_t                size;
    parley_strset_entry_t  *entries;
    parley_strset_t        *set;

    for (size = 4; size < n * 4; size *= 2) { /* void */ }

    set = parley_arena_calloc(arena, sizeof(parley_strset_t));
    entries = parley_arena_calloc(arena,
                                  (n + 1) * sizeof(parley_strset_entry_t));
    slots = parley_arena_calloc(arena, size * sizeof(uint16_t));

    if (set == NULL || entries == NULL || slots == NULL) {
        return NULL;
    }

    parley_strset_fill(set, entries, slots, size, texts, n);

    return set;
}


void
parley_strset_fill(parley_strset_t *set, parley_strset_entry_t *entries,
    uint16_t *slots, uint32_t nslots, const parley_str_t *texts, uint32_t n)
{
    int       tries;
    uint32_t  i;

    set->entries = entries;
    set->slots = slots;
    set->n = n;
    set->mask = nslots - 1;
    set->shift = 64 - (unsigned) __builtin_ctz(nslots);
    set->factor = 0xC2B2AE3D27D4EB4F;

    for (i = 1; i <= n; i++) {
        entries[i].text = texts[i - 1];
        entries[i].ends = parley_strset_ends(texts[i - 1].data,
                                             texts[i - 1].len);
    }

    /* Looks for a factor without collisions, and settles for one with few. */

    for (tries = 0; parley_strset_place(set) != 0; tries++) {

        if (tries == PARLEY_STRSET_FACTORS) {
            break;
        }

        set->factor = (set->factor * 0xD6E8FEB86659FD93
                       + 0x2545F4914F6CDD1D) | 1;
    }
}


/*
 * Fills the slots.  Returns -1 if there were collisions, which linear probing
 * resolves.
 */
static int
parley_strset_place(parley_strset_t *set)
{
    int       rc;
    uint32_t  i, slot;

    rc = 0;
    memset(set->slots, 0, (set->mask + 1) * sizeof(uint16_t));

    for (i = 1; i <= set->n; i++) {
        slot = parley_strset_slot(set, set->entries[i].ends,
                                  set->entries[i].text.len);

        while (set->slots[slot] != 0) {
            slot = (slot + 1) & set->mask;
            rc = -1;
        }

        set->slots[slot] = (uint16_t) i;
    }

    return rc;
}


uint32_t
parley_strset_probe(const parley_strset_t *set, const uint8_t *p,
    size_t len, uint32_t slot)
{
    uint32_t  n;

    while ((n = set->slots[slot]) != 0) {

        if (parley_str_eq(set->entries[n].text, parley_str_make(p, len))) {
            return n;
        }

        slot = (slot + 1) & set->mask;
    }

    return 0;
}
