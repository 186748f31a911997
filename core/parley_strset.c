#include "parley_strset.h"


#define PARLEY_STRSET_FACTORS  512


static int parley_strset_place(parley_strset_t *words);


parley_strset_t *
parley_strset(parley_arena_t *arena, const parley_str_t *texts, uint32_t n)
{
    uint16_t               *slots;
    uint32_t                size;
    parley_strset_entry_t  *places;
    parley_strset_t        *words;

    for (size = 4; size < n * 4; size *= 2) { /* void */ }

    words = parley_arena_calloc(arena, sizeof(parley_strset_t));
    places = parley_arena_calloc(arena,
                                 (n + 1) * sizeof(parley_strset_entry_t));
    slots = parley_arena_calloc(arena, size * sizeof(uint16_t));

    if (words == NULL || places == NULL || slots == NULL) {
        return NULL;
    }

    parley_strset_fill(words, places, slots, size, texts, n);

    return words;
}


void
parley_strset_fill(parley_strset_t *words, parley_strset_entry_t *places,
    uint16_t *slots, uint32_t nslots, const parley_str_t *texts, uint32_t n)
{
    int       tries;
    uint32_t  i;

    words->words = places;
    words->slots = slots;
    words->n = n;
    words->mask = nslots - 1;
    words->shift = 64 - (unsigned) __builtin_ctz(nslots);
    words->factor = 0xC2B2AE3D27D4EB4F;

    for (i = 1; i <= n; i++) {
        places[i].text = texts[i - 1];
        places[i].ends = parley_strset_ends(texts[i - 1].data,
                                            texts[i - 1].len);
    }

    /* Looks for a factor without collisions, and settles for one with few. */

    for (tries = 0; parley_strset_place(words) != 0; tries++) {

        if (tries == PARLEY_STRSET_FACTORS) {
            break;
        }

        words->factor = (words->factor * 0xD6E8FEB86659FD93
                         + 0x2545F4914F6CDD1D) | 1;
    }
}


/*
 * Fills the slots.  Returns -1 if there were collisions, which linear probing
 * resolves.
 */
static int
parley_strset_place(parley_strset_t *words)
{
    int       rc;
    uint32_t  i, slot;

    rc = 0;
    memset(words->slots, 0, (words->mask + 1) * sizeof(uint16_t));

    for (i = 1; i <= words->n; i++) {
        slot = parley_strset_slot(words, words->words[i].ends,
                                  words->words[i].text.len);

        while (words->slots[slot] != 0) {
            slot = (slot + 1) & words->mask;
            rc = -1;
        }

        words->slots[slot] = (uint16_t) i;
    }

    return rc;
}


uint32_t
parley_strset_further(const parley_strset_t *words, const uint8_t *p,
    size_t len, uint32_t slot)
{
    uint32_t  n;

    while ((n = words->slots[slot]) != 0) {

        if (parley_str_eq(words->words[n].text, parley_str_make(p, len))) {
            return n;
        }

        slot = (slot + 1) & words->mask;
    }

    return 0;
}
