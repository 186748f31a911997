/*
 * uniqueItems: elements are hashed and compared only if their hashes are
 * equal.  The hash is keyed, as senders choose the elements.
 */

#include "schemas/parley_schema_run.h"


/* larger elements, in nodes, are taken as equal if their hashes are */
#define PARLEY_SCHEMA_COMPARE_MAX  256

#define PARLEY_SCHEMA_KEY          0x9E3779B97F4A7C15ULL


static parley_schema_entry_t *parley_schema_slots(parley_schema_run_t *run,
    uint32_t size);
static int parley_schema_same(parley_schema_run_t *run, uint32_t i,
    uint32_t j);
static int parley_schema_hash(parley_schema_run_t *run, uint32_t i,
    uint64_t *ret);
static int parley_schema_hash_members(parley_schema_run_t *run, uint32_t i,
    uint64_t *ret);
static uint64_t parley_schema_hash_octets(const parley_schema_run_t *run,
    uint64_t h, parley_str_t s);
static uint64_t parley_schema_hash_number(const parley_schema_run_t *run,
    uint64_t h, uint32_t i);


static inline uint64_t
parley_schema_mix(const parley_schema_run_t *run, uint64_t h, uint64_t x)
{
    unsigned __int128  product;

    product = (unsigned __int128) (h ^ x)
              * ((run->set->options.seed ^ PARLEY_SCHEMA_KEY) | 1);

    return (uint64_t) product ^ (uint64_t) (product >> 64);
}


int
parley_schema_unique(parley_schema_run_t *run, uint32_t i)
{
    int                    rc;
    uint32_t               k, n, size, end, at;
    uint64_t               hash;
    parley_schema_entry_t  *slots;

    n = run->nodes[i].count;

    if (n < 2) {
        return 1;
    }

    if (run->steps < n) {
        return PARLEY_SCHEMA_LIMIT;
    }

    run->steps -= n;

    for (size = 4; size / 2 < n; size *= 2) { /* void */ }

    slots = parley_schema_slots(run, size);
    if (slots == NULL) {
        return PARLEY_SCHEMA_MEMORY;
    }

    end = run->nodes[i].next;

    for (k = i + 1; k != end; k = run->nodes[k].next) {

        if (parley_schema_hash(run, k, &hash) != 0) {
            return PARLEY_SCHEMA_MEMORY;
        }

        for (at = (uint32_t) hash & (size - 1); slots[at].node != 0;
             at = (at + 1) & (size - 1))
        {
            if (slots[at].hash != hash) {
                continue;
            }

            rc = parley_schema_same(run, slots[at].node, k);
            if (rc != 0) {
                return (rc < 0) ? rc : 0;
            }
        }

        slots[at].hash = hash;
        slots[at].node = k;
    }

    return 1;
}


/* One table serves all arrays of a run, as its uses never nest. */
static parley_schema_entry_t *
parley_schema_slots(parley_schema_run_t *run, uint32_t size)
{
    if (run->nslots < size) {
        run->slots = parley_arena_alloc(run->matcher.scratch,
                                        size * sizeof(parley_schema_entry_t));
        if (run->slots == NULL) {
            return NULL;
        }

        run->nslots = size;
    }

    memset(run->slots, 0, size * sizeof(parley_schema_entry_t));

    return run->slots;
}


static int
parley_schema_same(parley_schema_run_t *run, uint32_t i, uint32_t j)
{
    uint32_t           size;
    parley_json_ref_t  a, b;

    size = run->nodes[j].next - j;

    if (size > PARLEY_SCHEMA_COMPARE_MAX) {
        return 1;
    }

    if (run->steps < size) {
        return PARLEY_SCHEMA_LIMIT;
    }

    run->steps -= size;

    a.doc = run->doc;
    a.node = i;
    b.doc = run->doc;
    b.node = j;

    return parley_json_equal(a, b);
}


/* Equal values have equal hashes.  Recurses once per level. */
static int
parley_schema_hash(parley_schema_run_t *run, uint32_t i, uint64_t *ret)
{
    uint32_t      k, end;
    uint64_t      h, element;
    parley_str_t  text;

    h = parley_schema_mix(run, run->set->options.seed,
                          1 + (uint64_t) run->nodes[i].type);

    switch (run->nodes[i].type) {

    case PARLEY_JSON_NUMBER:
        h = parley_schema_hash_number(run, h, i);
        break;

    case PARLEY_JSON_STRING:
        if (parley_json_string(run->doc, i, &text) != 0) {
            return -1;
        }

        h = parley_schema_hash_octets(run, h, text);
        break;

    case PARLEY_JSON_ARRAY:
        end = run->nodes[i].next;

        for (k = i + 1; k != end; k = run->nodes[k].next) {
            if (parley_schema_hash(run, k, &element) != 0) {
                return -1;
            }

            h = parley_schema_mix(run, h, element);
        }

        h = parley_schema_mix(run, h, run->nodes[i].count);
        break;

    case PARLEY_JSON_OBJECT:
        if (parley_schema_hash_members(run, i, &element) != 0) {
            return -1;
        }

        h = parley_schema_mix(run, h, element);
        break;
    }

    *ret = h;

    return 0;
}


/* Independent of the members' order. */
static int
parley_schema_hash_members(parley_schema_run_t *run, uint32_t i,
    uint64_t *ret)
{
    uint32_t  k, end;
    uint64_t  name, value;

    *ret = run->nodes[i].count;
    end = run->nodes[i].next;

    for (k = i + 1; k != end; k = run->nodes[k + 1].next) {

        if (parley_schema_hash(run, k, &name) != 0
            || parley_schema_hash(run, k + 1, &value) != 0)
        {
            return -1;
        }

        *ret += parley_schema_mix(run, name, value);
    }

    return 0;
}


static uint64_t
parley_schema_hash_octets(const parley_schema_run_t *run, uint64_t h,
    parley_str_t s)
{
    size_t    n;
    uint64_t  x;

    for (n = s.len; n >= 8; n -= 8, s.data += 8) {
        memcpy(&x, s.data, 8);
        h = parley_schema_mix(run, h, x);
    }

    x = 0;

    if (n != 0) {
        memcpy(&x, s.data, n);
    }

    h = parley_schema_mix(run, h, x);

    return parley_schema_mix(run, h, s.len);
}


/* 1, 1.0 and 10e-1 are equal. */
static uint64_t
parley_schema_hash_number(const parley_schema_run_t *run, uint64_t h,
    uint32_t i)
{
    const uint8_t     *p;
    parley_decimal_t   d;

    d = parley_decimal_make(parley_json_span(run->doc, i));

    for (p = d.first; p < d.end; p++) {
        if (*p != '.') {
            h = parley_schema_mix(run, h, *p);
        }
    }

    return parley_schema_mix(run, h, (uint64_t) d.point << 1 | d.negative);
}
