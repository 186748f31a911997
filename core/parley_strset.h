/*
 * A fixed set of texts, to tell which of them a text is.  What a text is
 * found by is also what it is compared by: its ends, which of up to 16 octets
 * are all of it.
 */

#ifndef PARLEY_STRSET_H
#define PARLEY_STRSET_H

#include <stdint.h>
#include <string.h>

#include "parley_arena.h"
#include "parley_str.h"


#define PARLEY_STRSET_MAX  4095


/* the first and the last octets, as many as there are of 8, 4 or 1 */
typedef struct {
    uint64_t  first;
    uint64_t  last;
} parley_strset_ends_t;

typedef struct {
    parley_strset_ends_t  ends;
    parley_str_t          text;
} parley_strset_entry_t;

typedef struct {
    parley_strset_entry_t  *words;  /* from 1 to n */
    uint32_t                n;
    uint32_t                mask;
    unsigned                shift;
    uint64_t                factor;
    uint16_t               *slots;  /* indices; 0: free */
} parley_strset_t;


/*
 * Texts, no two of which are the same, at most PARLEY_STRSET_MAX; their octets
 * are not copied.  NULL: no memory.
 */
parley_strset_t *parley_strset(parley_arena_t *arena,
    const parley_str_t *texts, uint32_t n);

/*
 * The same where the caller lends the memory: n + 1 places, the first of them
 * zeroed, and nslots slots, a power of two that is more than n.
 */
void parley_strset_fill(parley_strset_t *words, parley_strset_entry_t *places,
    uint16_t *slots, uint32_t nslots, const parley_str_t *texts, uint32_t n);

/* what parley_strset_find() does, from a slot on */
uint32_t parley_strset_further(const parley_strset_t *words,
    const uint8_t *p, size_t len, uint32_t slot)
    __attribute__((cold));


static inline parley_strset_ends_t
parley_strset_ends(const uint8_t *p, size_t len)
{
    parley_strset_ends_t  ends;

    if (len >= 8) {
        ends.first = parley_octets_word(p);
        ends.last = parley_octets_word(p + len - 8);

    } else if (len >= 4) {
        ends.first = parley_octets_half(p);
        ends.last = parley_octets_half(p + len - 4);

    } else if (len > 0) {
        ends.first = (uint64_t) p[0] << 8 | p[len >> 1];
        ends.last = p[len - 1];

    } else {
        ends.first = 0;
        ends.last = 0;
    }

    return ends;
}


static inline uint32_t
parley_strset_slot(const parley_strset_t *words, parley_strset_ends_t ends,
    size_t len)
{
    return (uint32_t) (((ends.first + len) * words->factor
                        + ends.last * 0x9E3779B97F4A7C15) >> words->shift);
}


/* the index of a text, from 1, or 0 */
static inline uint32_t
parley_strset_find(const parley_strset_t *words, const uint8_t *p, size_t len)
{
    uint32_t                      slot, n;
    parley_strset_ends_t          ends;
    const parley_strset_entry_t  *word;

    ends = parley_strset_ends(p, len);
    slot = parley_strset_slot(words, ends, len);
    n = words->slots[slot];
    word = &words->words[n];

    if (n == 0
        || (word->text.len == len
            && word->ends.first == ends.first
            && word->ends.last == ends.last
            && (len <= 16
                || parley_octets_same(word->text.data + 8, p + 8, len - 16))))
    {
        return n;
    }

    return parley_strset_further(words, p, len, slot);
}


#endif /* PARLEY_STRSET_H */
