/*
 * Matching of simple patterns: leading characters are compared as a string,
 * patterns of fixed length such as UUIDs by words of eight octets.
 */

#include "schemas/parley_schema_pattern.h"
#include "schemas/parley_schema_lookup.h"


#define PARLEY_SCHEMA_FIXED_MAX  128

#define PARLEY_SCHEMA_HIGH_BITS  0x8080808080808080


/* the bounds of two ranges for each of eight octets */
struct parley_schema_fixed_s {
    uint8_t  least[2][8];
    uint8_t  greatest[2][8];
};


static int parley_schema_simple_table(parley_arena_t *arena,
    parley_schema_step_t *step);
static int parley_schema_simple_fixed(parley_arena_t *arena,
    parley_schema_simple_t *simple);
static int parley_schema_simple_ranges(const uint64_t set[2],
    uint8_t least[2], uint8_t greatest[2]);
static int parley_schema_simple_excludes(const parley_schema_simple_t *simple,
    const uint8_t *p, const uint8_t *end);
static int parley_schema_fixed_match(const parley_schema_simple_t *simple,
    const uint8_t *p);


int
parley_schema_simple_prepare(parley_arena_t *arena,
    parley_schema_simple_t *simple)
{
    uint32_t               n;
    uint8_t               *text;
    parley_schema_step_t  *step;

    text = parley_arena_alloc(arena, simple->nsteps + 1);
    if (text == NULL) {
        return -1;
    }

    simple->prefix.data = text;

    for (n = 0; n < simple->nsteps && simple->start; n++) {

        step = &simple->steps[n];

        if (step->min != 1 || step->max != 1 || n == simple->lookahead_at
            || n == simple->optional
            || __builtin_popcountll(step->set[0])
               + __builtin_popcountll(step->set[1]) != 1)
        {
            break;
        }

        text[n] = (uint8_t) (step->set[0] ? __builtin_ctzll(step->set[0])
                                          : 64 + __builtin_ctzll(step->set[1]));
    }

    simple->prefix.len = n;

    for ( /* void */ ; n < simple->nsteps; n++) {
        if (parley_schema_simple_table(arena, &simple->steps[n]) != 0) {
            return -1;
        }
    }

    return parley_schema_simple_fixed(arena, simple);
}


static int
parley_schema_simple_table(parley_arena_t *arena, parley_schema_step_t *step)
{
    int  c;

    step->table = parley_arena_calloc(arena, 256);
    if (step->table == NULL) {
        return -1;
    }

    for (c = 0; c < 128; c++) {
        step->table[c] = step->set[c >> 6] >> (c & 63) & 1;
    }

    return 0;
}


/* Prepares patterns in which every position has at most two ranges. */
static int
parley_schema_simple_fixed(parley_arena_t *arena,
    parley_schema_simple_t *simple)
{
    int                      r;
    size_t                   at, k;
    uint8_t                  least[PARLEY_SCHEMA_FIXED_MAX][2];
    uint8_t                  greatest[PARLEY_SCHEMA_FIXED_MAX][2];
    uint32_t                 n, m;
    parley_schema_step_t    *step;
    parley_schema_fixed_t   *fixed;

    if (!simple->start || !simple->end || simple->optional < simple->nsteps
        || simple->lookahead_at < simple->nsteps || simple->len < 8
        || simple->len > PARLEY_SCHEMA_FIXED_MAX)
    {
        return 0;
    }

    for (n = 0, at = 0; n < simple->nsteps; n++) {

        step = &simple->steps[n];

        if (step->min != step->max) {
            return 0;
        }

        for (m = 0; m < step->min; m++, at++) {
            if (parley_schema_simple_ranges(step->set, least[at],
                                            greatest[at])
                != 0)
            {
                return 0;
            }
        }
    }

    fixed = parley_arena_alloc(arena, (simple->len + 7) / 8
                                      * sizeof(parley_schema_fixed_t));
    if (fixed == NULL) {
        return -1;
    }

    simple->fixed = fixed;

    for (at = 0; at < simple->len; at += 8, fixed++) {
        for (k = 0; k < 8; k++) {

            /* the last word may overlap the one before */

            n = (uint32_t) ((at + 8 <= simple->len ? at : simple->len - 8)
                            + k);

            for (r = 0; r < 2; r++) {
                fixed->least[r][k] = least[n][r];
                fixed->greatest[r][k] = (uint8_t) (greatest[n][r] | 0x80);
            }
        }
    }

    return 0;
}


/* Splits a set into one range, stored twice, or two; else returns -1. */
static int
parley_schema_simple_ranges(const uint64_t set[2], uint8_t least[2],
    uint8_t greatest[2])
{
    int  c, n, in, before;

    n = 0;
    before = 0;

    for (c = 0; c < 128; c++, before = in) {

        in = set[c >> 6] >> (c & 63) & 1;

        if (in && !before) {
            if (n == 2) {
                return -1;
            }

            least[n++] = (uint8_t) c;
        }

        if (in) {
            greatest[n - 1] = (uint8_t) c;
        }
    }

    if (n == 1) {
        least[1] = least[0];
        greatest[1] = greatest[0];
    }

    return (n == 0) ? -1 : 0;
}


int
parley_schema_simple_match(const parley_schema_simple_t *simple,
    parley_str_t s)
{
    uint32_t                     n;
    const uint8_t               *p, *end, *from, *limit;
    const parley_schema_step_t  *step;

    if (s.len < simple->len) {
        return 0;
    }

    if (simple->fixed != NULL) {
        return s.len == simple->len
               && parley_schema_fixed_match(simple, s.data);
    }

    end = s.data + s.len;
    p = simple->start ? s.data : end - simple->len;

    if (!parley_schema_same_octets(simple->prefix.data, p,
                                   simple->prefix.len))
    {
        return 0;
    }

    p += simple->prefix.len;

    for (n = (uint32_t) simple->prefix.len; n < simple->nsteps; n++) {

        if (n == simple->lookahead_at
            && parley_schema_simple_excludes(simple, p, end))
        {
            return 0;
        }

        if (n == simple->optional && p == end) {
            return 1;
        }

        step = &simple->steps[n];
        from = p;
        limit = ((size_t) (end - p) > step->max) ? p + step->max : end;

        while (p < limit && step->table[*p]) {
            p++;
        }

        if ((size_t) (p - from) < step->min) {
            return 0;
        }
    }

    return p == end || !simple->end;
}


static int
parley_schema_simple_excludes(const parley_schema_simple_t *simple,
    const uint8_t *p, const uint8_t *end)
{
    size_t  len;

    len = simple->lookahead.len;

    if ((size_t) (end - p) < len
        || memcmp(p, simple->lookahead.data, len) != 0)
    {
        return 0;
    }

    p += len;

    return simple->lookahead_then == 0 || p == end
           || *p == simple->lookahead_then;
}


/*
 * For ASCII octets: with bit 7 set in the minuend no octet borrows from the
 * next, and the bit remains set if it is not less than the subtrahend.
 */
static int
parley_schema_fixed_match(const parley_schema_simple_t *simple,
    const uint8_t *p)
{
    size_t                        at;
    uint64_t                      octets, least[2], greatest[2], in;
    const parley_schema_fixed_t  *fixed;

    for (at = 0, fixed = simple->fixed; at < simple->len; at += 8, fixed++) {

        memcpy(&octets, p + (at + 8 <= simple->len ? at : simple->len - 8),
               8);
        memcpy(least, fixed->least, sizeof(least));
        memcpy(greatest, fixed->greatest, sizeof(greatest));

        if (octets & PARLEY_SCHEMA_HIGH_BITS) {
            return 0;
        }

        in = (((octets | PARLEY_SCHEMA_HIGH_BITS) - least[0])
              & (greatest[0] - octets))
             | (((octets | PARLEY_SCHEMA_HIGH_BITS) - least[1])
                & (greatest[1] - octets));

        if ((in & PARLEY_SCHEMA_HIGH_BITS) != PARLEY_SCHEMA_HIGH_BITS) {
            return 0;
        }
    }

    return 1;
}
