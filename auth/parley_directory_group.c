/*
 * Groups of principals by a name in a list: instruments, roles, streams.  The
 * hashes are those of all tables of the directory.
 */

#include <string.h>

#include "auth/parley_directory_group.h"


/* 2^64 divided by the golden ratio, odd */
#define PARLEY_DIRECTORY_PRIME  0x9E3779B97F4A7C15ULL


static uint32_t *parley_directory_group_slot(
    const parley_directory_group_t *group, parley_str_t name);


/*
 * Hashes words of eight octets; the last may overlap the one before.  Not
 * keyed, as the names are the operator's.
 */

uint32_t
parley_directory_hash(parley_str_t name)
{
    size_t          n;
    uint64_t        hash, word;
    const uint8_t  *p;

    p = name.data;
    hash = name.len * PARLEY_DIRECTORY_PRIME;

    for (n = name.len; n > 8; n -= 8, p += 8) {
        memcpy(&word, p, 8);
        hash = (hash ^ word) * PARLEY_DIRECTORY_PRIME;
        hash ^= hash >> 32;
    }

    word = 0;

    if (name.len >= 8) {
        memcpy(&word, name.data + name.len - 8, 8);

    } else {
        while (n > 0) {
            word = word << 8 | p[--n];
        }
    }

    hash = (hash ^ word) * PARLEY_DIRECTORY_PRIME;

    return (uint32_t) (hash >> 32);
}


uint32_t
parley_directory_hash_like(parley_str_t name)
{
    size_t    i;
    uint64_t  hash;

    hash = name.len;

    for (i = 0; i < name.len; i++) {
        hash = (hash ^ parley_lower(name.data[i])) * PARLEY_DIRECTORY_PRIME;
        hash ^= hash >> 32;
    }

    return (uint32_t) (hash >> 32 ^ hash);
}


int
parley_directory_group_init(parley_directory_group_t *group,
    parley_arena_t *arena, size_t n, parley_error_t *err)
{
    size_t  size;

    if (n > UINT32_MAX / 4) {
        return parley_error_memory(err);
    }

    for (size = 16; size < 2 * n; size *= 2) { /* void */ }

    group->nlinks = 0;
    group->mask = (uint32_t) size - 1;
    group->slots = parley_arena_calloc(arena, size * sizeof(uint32_t));
    group->links = parley_arena_calloc(arena,
                                       (n + 1)
                                       * sizeof(parley_directory_link_t));

    return group->slots != NULL && group->links != NULL
           ? 0 : parley_error_memory(err);
}


/* Returns the slot of a name, or the free one where it belongs. */

static uint32_t *
parley_directory_group_slot(const parley_directory_group_t *group,
    parley_str_t name)
{
    uint32_t   i;
    uint32_t  *slot;

    for (i = parley_directory_hash(name); /* void */ ; i++) {
        slot = &group->slots[i & group->mask];

        if (*slot == 0 || parley_str_eq(group->links[*slot - 1].name, name)) {
            return slot;
        }
    }
}


void
parley_directory_group_add(parley_directory_group_t *group,
    parley_str_t name, const struct parley_principal_s *principal)
{
    uint32_t                 *slot;
    parley_directory_link_t  *link;

    slot = parley_directory_group_slot(group, name);

    link = &group->links[group->nlinks++];
    link->name = name;
    link->principal = principal;
    link->next = *slot;

    *slot = group->nlinks;
}


const struct parley_principal_s *
parley_directory_group_next(const parley_directory_group_t *group,
    parley_str_t name, uint32_t *at)
{
    *at = *at != 0 ? group->links[*at - 1].next
                   : *parley_directory_group_slot(group, name);

    return *at != 0 ? group->links[*at - 1].principal : NULL;
}
