/*
 * Lookup of a name in an object's schema.  Up to 64 names are hashed by length
 * and three octets, with a factor chosen to avoid collisions; more names are
 * hashed whole (FNV-1a).  Private to schemas.
 */

#ifndef PARLEY_SCHEMA_LOOKUP_H
#define PARLEY_SCHEMA_LOOKUP_H

#include "schemas/parley_schema_program.h"


/* Names are short, and a call of memcmp() costs more than the comparison. */
static inline int
parley_schema_same_octets(const uint8_t *a, const uint8_t *b, size_t len)
{
    uint32_t  c, d, e, f;
    uint64_t  w, x, y, z;

    if (len > 16) {
        return memcmp(a, b, len) == 0;
    }

    if (len >= 8) {
        memcpy(&w, a, 8);
        memcpy(&x, b, 8);
        memcpy(&y, a + len - 8, 8);
        memcpy(&z, b + len - 8, 8);

        return ((w ^ x) | (y ^ z)) == 0;
    }

    if (len >= 4) {
        memcpy(&c, a, 4);
        memcpy(&d, b, 4);
        memcpy(&e, a + len - 4, 4);
        memcpy(&f, b + len - 4, 4);

        return ((c ^ d) | (e ^ f)) == 0;
    }

    return len == 0 || (a[0] == b[0] && a[len - 1] == b[len - 1]
                        && a[len >> 1] == b[len >> 1]);
}


static inline uint32_t
parley_schema_slot(const parley_schema_object_t *o, const uint8_t *p,
    size_t len)
{
    size_t    i;
    uint32_t  h;

    if (o->factor != 0) {
        if (len == 0) {
            return 0;
        }

        h = (uint32_t) (len & 0xFF) | (uint32_t) p[0] << 8
            | (uint32_t) p[len >> 1] << 16 | (uint32_t) p[len - 1] << 24;

        return (h * o->factor) >> o->shift;
    }

    h = 0x811C9DC5;

    for (i = 0; i < len; i++) {
        h = (h ^ p[i]) * 0x01000193;
    }

    return (h ^ h >> 15) & o->mask;
}


/* Returns the entry of a name, or NULL. */
static inline const parley_schema_name_t *
parley_schema_lookup(const parley_schema_object_t *o, const uint8_t *p,
    size_t len)
{
    uint32_t                     slot;
    const parley_schema_name_t  *name;

    if (o->nnames == 0) {
        return NULL;
    }

    slot = parley_schema_slot(o, p, len);

    while (o->slots[slot] != 0) {
        name = &o->names[o->slots[slot] - 1];

        if (name->text.len == len
            && parley_schema_same_octets(name->text.data, p, len))
        {
            return name;
        }

        slot = (slot + 1) & o->mask;
    }

    return NULL;
}


#endif /* PARLEY_SCHEMA_LOOKUP_H */
