/*
 * A fixed set of strings, mapped to their indices.  Strings are hashed, and
 * compared, by their ends: for up to 16 octets these are the whole string.
 */

#ifndef PARLEY_STRSET_H
#define PARLEY_STRSET_H

#include <stdint.h>
#include <string.h>

#include "core/parley_arena.h"
#include "core/parley_str.h"


#define PARLEY_STRSET_MAX  4095


/* The first and last 8, 4 or 1 octets, as many as the length allows. */
typedef struct {
    uint64_t  first;
    uint64_t  last;
} parley_strset_ends_t;

typedef struct {
    parley_strset_ends_t  ends;
    parley_str_t          text;
} parley_strset_entry_t;

typedef struct {
    parley_strset_entry_t  *entries;   /* 1 to n */
    uint32_t                n;
    uint32_t                mask;
    unsigned                shift;
    uint64_t                factor;
    uint16_t               *slots;     /* indices of entries; 0: free */
} parley_strset_t;


/*
 * Builds a set of n distinct strings, at most PARLEY_STRSET_MAX, in arena.
 * The octets are borrowed and must outlive the set.  Returns NULL if memory is
 * exhausted.
 */
parley_strset_t *parley_strset(parley_arena_t *arena,
    const parley_str_t *texts, uint32_t n);

/*
 * As parley_strset(), in the caller's memory, which must outlive the set: n +
 * 1 entries, of which the first is zeroed, and nslots slots, where nslots is a
 * power of two above n.
 */
void parley_strset_fill(parley_strset_t *set, parley_strset_entry_t *entries,
    uint16_t *slots, uint32_t nslots, const parley_str_t *texts, uint32_t n);

/* The out-of-line part of parley_strset_find(), probing from slot on. */
uint32_t parley_strset_probe(const parley_strset_t *set,
    const uint8_t *p, size_t len, uint32_t slot)
    __attribute__((cold));


/* Returns the ends of a string; reads no octet outside it. */
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
parley_strset_slot(const parley_strset_t *set, parley_strset_ends_t ends,
    size_t len)
{
    return (uint32_t) (((ends.first + len) * set->factor
                        + ends.last * 0x9E3779B97F4A7C15) >> set->shift);
}


/* Returns the index of a string, from 1, or 0 if it is not in the set. */
static inline uint32_t
parley_strset_find(const parley_strset_t *set, const uint8_t *p, size_t len)
{
    uint32_t                      slot, n;
    parley_strset_ends_t          ends;
    const parley_strset_entry_t  *entry;

    ends = parley_strset_ends(p, len);
    slot = parley_strset_slot(set, ends, len);
    n = set->slots[slot];
    entry = &set->entries[n];

    if (n == 0
        || (entry->text.len == len
            && entry->ends.first == ends.first
            && entry->ends.last == ends.last
            && (len <= 16
                || parley_octets_same(entry->text.data + 8, p + 8, len - 16))))
    {
        return n;
    }

    return parley_strset_probe(set, p, len, slot);
}


#endif /* PARLEY_STRSET_H */
