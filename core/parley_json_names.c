#include "core/parley_json_names.h"
#include "core/parley_json_string.h"

#include <sodium.h>


/* above this number of names, a hash table replaces pairwise comparison */
#define PARLEY_JSON_NAMES_FEW  16


static uint32_t parley_json_names_few(const parley_json_t *doc,
    uint32_t obj);
static unsigned parley_json_names_mark(const uint8_t *name, size_t len);
static int parley_json_names_repeated(const parley_json_t *doc, uint32_t obj,
    const parley_json_node_t *k);
static uint32_t *parley_json_names_slot(parley_json_names_t *names,
    const parley_json_t *doc, const parley_json_t *other, uint32_t k);
static int parley_json_names_room(parley_json_names_t *names, size_t need);
static int parley_json_names_hash(parley_json_names_t *names,
    const parley_json_t *doc, const parley_json_t *other, uint32_t k,
    uint64_t *ret);


int
parley_json_names_duplicate(parley_json_names_t *names,
    const parley_json_t *doc, uint32_t obj, uint32_t *ret)
{
    if (doc->nodes[obj].count <= PARLEY_JSON_NAMES_FEW) {
        *ret = parley_json_names_few(doc, obj);
        return 0;
    }

    return parley_json_names_index(names, doc, obj, ret);
}


/*
 * Names with an atom are compared by the atom.  Every other name sets one of 64
 * bits.  If its bit is already set, the name is compared with all names before
 * it.  An escaped name may equal one with any bit.
 */
static uint32_t
parley_json_names_few(const parley_json_t *doc, uint32_t obj)
{
    uint64_t                   seen, mark, *known;
    uint64_t                   atoms[(PARLEY_ATOMS_MAX + 63) / 64] = { 0 };
    const parley_json_node_t  *nodes, *k, *end;

    seen = 0;
    nodes = doc->nodes;
    end = &nodes[nodes[obj].next];

    for (k = &nodes[obj + 1]; k != end; k = &nodes[k[1].next]) {

        if (k->atom != PARLEY_ATOM_NONE) {
            known = &atoms[k->atom >> 6];
            mark = 1ULL << (k->atom & 63);

            if (*known & mark) {
                return (uint32_t) (k - nodes);
            }

            *known |= mark;
            continue;
        }

        mark = (k->flags & PARLEY_JSON_ESCAPED)
                   ? UINT64_MAX
                   : 1ULL << parley_json_names_mark(doc->input.data + k->off,
                                                    k->len);

        if ((seen & mark) && parley_json_names_repeated(doc, obj, k)) {
            return (uint32_t) (k - nodes);
        }

        seen |= mark;
    }

    return PARLEY_JSON_NONE;
}


/* for an empty name both octets are its quotes */
static unsigned
parley_json_names_mark(const uint8_t *name, size_t len)
{
    return (unsigned) (len + name[0] * 5u + name[(ptrdiff_t) len - 1] * 11u)
           & 63;
}


/* Returns whether a name before k in obj equals it. */
static int
parley_json_names_repeated(const parley_json_t *doc, uint32_t obj,
    const parley_json_node_t *k)
{
    const parley_json_node_t  *nodes, *other;

    nodes = doc->nodes;

    for (other = &nodes[obj + 1]; other != k; other = &nodes[other[1].next]) {
        if (other->count == k->count
            && parley_json_string_same(doc, (uint32_t) (k - nodes),
                                       doc, (uint32_t) (other - nodes)))
        {
            return 1;
        }
    }

    return 0;
}


int
parley_json_names_index(parley_json_names_t *names, const parley_json_t *doc,
    uint32_t obj, uint32_t *ret)
{
    uint32_t  k, end, *slot;

    *ret = PARLEY_JSON_NONE;

    names->used = 64;

    while (names->used < (size_t) doc->nodes[obj].count * 2) {
        names->used *= 2;
    }

    if (parley_json_names_room(names, names->used) != 0) {
        return -1;
    }

    memset(names->slots, 0xFF, names->used * sizeof(uint32_t));

    end = parley_json_end(doc, obj);

    for (k = parley_json_first(obj); k != end;
         k = parley_json_after(doc, k + 1))
    {
        slot = parley_json_names_slot(names, doc, doc, k);

        if (slot == NULL) {
            return -1;
        }

        if (*slot != PARLEY_JSON_NONE) {
            *ret = k;
            return 0;
        }

        *slot = k;
    }

    return 0;
}


int
parley_json_names_find(parley_json_names_t *names, const parley_json_t *doc,
    const parley_json_t *other, uint32_t k, uint32_t *ret)
{
    uint32_t  *slot;

    slot = parley_json_names_slot(names, doc, other, k);

    *ret = (slot == NULL) ? PARLEY_JSON_NONE : *slot;

    return (slot == NULL) ? -1 : 0;
}


/*
 * Returns the slot of the name in doc that equals name k of other, or the free
 * slot where it belongs; NULL if memory is exhausted.
 */
static uint32_t *
parley_json_names_slot(parley_json_names_t *names, const parley_json_t *doc,
    const parley_json_t *other, uint32_t k)
{
    size_t    i;
    uint64_t  hash;

    if (parley_json_names_hash(names, doc, other, k, &hash) != 0) {
        return NULL;
    }

    for (i = hash & (names->used - 1);
         names->slots[i] != PARLEY_JSON_NONE;
         i = (i + 1) & (names->used - 1))
    {
        if (parley_json_string_same(other, k, doc, names->slots[i])) {
            break;
        }
    }

    return &names->slots[i];
}


static int
parley_json_names_room(parley_json_names_t *names, size_t need)
{
    if (names->nslots >= need) {
        return 0;
    }

    names->slots = parley_arena_alloc(names->arena,
                                      need * sizeof(uint32_t));
    names->nslots = (names->slots == NULL) ? 0 : need;

    return (names->slots == NULL) ? -1 : 0;
}


static int
parley_json_names_hash(parley_json_names_t *names, const parley_json_t *doc,
    const parley_json_t *other, uint32_t k, uint64_t *ret)
{
    uint8_t       key[crypto_shorthash_KEYBYTES], out[crypto_shorthash_BYTES];
    uint64_t      tweak;
    parley_str_t  s;

    s = parley_json_span(other, k);

    if (other->nodes[k].flags & PARLEY_JSON_ESCAPED) {

        /* at least doubled: all allocations together stay linear */

        if (names->size < s.len) {
            names->size = s.len * 2;
            names->text = parley_arena_octets(names->arena, names->size);

            if (names->text == NULL) {
                names->size = 0;
                return -1;
            }
        }

        s = parley_str_make(names->text,
                            parley_json_unescape(s, names->text));
    }

    tweak = doc->seed ^ 0x9E3779B97F4A7C15ULL;
    memcpy(key, &doc->seed, 8);
    memcpy(key + 8, &tweak, 8);

    crypto_shorthash(out, s.data, s.len, key);
    memcpy(ret, out, 8);

    return 0;
}
