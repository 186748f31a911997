#include "core/parley_json.h"
#include "core/parley_decimal.h"
#include "core/parley_json_names.h"
#include "core/parley_json_string.h"


/* above this number of members, out-of-order names are found through an
   index */
#define PARLEY_JSON_EQUAL_FEW  32


static int parley_json_equal_node(const parley_json_t *a, uint32_t i,
    const parley_json_t *b, uint32_t j);
static int parley_json_equal_number(const parley_json_t *a, uint32_t i,
    const parley_json_t *b, uint32_t j);
static int parley_json_equal_array(const parley_json_t *a, uint32_t i,
    const parley_json_t *b, uint32_t j);
static int parley_json_equal_object(const parley_json_t *a, uint32_t i,
    const parley_json_t *b, uint32_t j);
static int parley_json_equal_index(const parley_json_t *a,
    const parley_json_t *b, uint32_t j, parley_json_names_t *names);
static uint32_t parley_json_equal_scan(const parley_json_t *a, uint32_t k,
    const parley_json_t *b, uint32_t j);


int
parley_json_equal(parley_json_ref_t a, parley_json_ref_t b)
{
    if (a.node == PARLEY_JSON_NONE || b.node == PARLEY_JSON_NONE) {
        return a.node == b.node;
    }

    return parley_json_equal_node(a.doc, a.node, b.doc, b.node);
}


/* Recurses once per level, at most PARLEY_JSON_DEPTH_MAX. */
static int
parley_json_equal_node(const parley_json_t *a, uint32_t i,
    const parley_json_t *b, uint32_t j)
{
    if (a->nodes[i].type != b->nodes[j].type) {
        return 0;
    }

    switch (a->nodes[i].type) {

    case PARLEY_JSON_NUMBER:
        return parley_json_equal_number(a, i, b, j);

    case PARLEY_JSON_STRING:
        return parley_json_string_same(a, i, b, j);

    case PARLEY_JSON_ARRAY:
        return parley_json_equal_array(a, i, b, j);

    case PARLEY_JSON_OBJECT:
        return parley_json_equal_object(a, i, b, j);

    default:
        return 1;
    }
}


static int
parley_json_equal_number(const parley_json_t *a, uint32_t i,
    const parley_json_t *b, uint32_t j)
{
    parley_str_t      s, t;
    parley_decimal_t  m, n;

    s = parley_json_span(a, i);
    t = parley_json_span(b, j);

    if (parley_str_eq(s, t)) {
        return 1;
    }

    m = parley_decimal_make(s);
    n = parley_decimal_make(t);

    return parley_decimal_cmp(&m, &n) == 0;
}


static int
parley_json_equal_array(const parley_json_t *a, uint32_t i,
    const parley_json_t *b, uint32_t j)
{
    uint32_t  k, l, end;

    if (a->nodes[i].count != b->nodes[j].count) {
        return 0;
    }

    end = parley_json_end(a, i);

    for (k = parley_json_first(i), l = parley_json_first(j);
         k != end;
         k = parley_json_after(a, k), l = parley_json_after(b, l))
    {
        if (!parley_json_equal_node(a, k, b, l)) {
            return 0;
        }
    }

    return 1;
}


/*
 * The search for a name starts after the previous match, so objects in the
 * same order are walked once.  Larger objects in different orders are indexed
 * to avoid quadratic time.
 */
static int
parley_json_equal_object(const parley_json_t *a, uint32_t i,
    const parley_json_t *b, uint32_t j)
{
    int                  tried, indexed;
    uint32_t             k, l, end;
    parley_json_names_t  names;

    if (a->nodes[i].count != b->nodes[j].count) {
        return 0;
    }

    tried = 0;
    indexed = 0;
    end = parley_json_end(a, i);
    l = parley_json_first(j);

    for (k = parley_json_first(i); k != end;
         k = parley_json_after(a, k + 1))
    {
        if (l == parley_json_end(b, j)) {
            l = parley_json_first(j);
        }

        if (!parley_json_string_same(a, k, b, l)) {

            if (!tried) {
                tried = 1;
                indexed = parley_json_equal_index(a, b, j, &names);
            }

            if (!indexed
                || parley_json_names_find(&names, b, a, k, &l) != 0)
            {
                l = parley_json_equal_scan(a, k, b, j);
            }

            if (l == PARLEY_JSON_NONE) {
                return 0;
            }
        }

        if (!parley_json_equal_node(a, k + 1, b, l + 1)) {
            return 0;
        }

        l = parley_json_after(b, l + 1);
    }

    return 1;
}


/* Indexes object j of b in a's arena; returns whether that succeeded. */
static int
parley_json_equal_index(const parley_json_t *a, const parley_json_t *b,
    uint32_t j, parley_json_names_t *names)
{
    uint32_t  duplicate;

    memset(names, 0, sizeof(parley_json_names_t));
    names->arena = a->arena;

    return b->nodes[j].count > PARLEY_JSON_EQUAL_FEW
           && parley_json_names_index(names, b, j, &duplicate) == 0;
}


/* Returns the name in object j of b that equals name k of a, or NONE. */
static uint32_t
parley_json_equal_scan(const parley_json_t *a, uint32_t k,
    const parley_json_t *b, uint32_t j)
{
    uint32_t  l, end;

    end = parley_json_end(b, j);

    for (l = parley_json_first(j); l != end;
         l = parley_json_after(b, l + 1))
    {
        if (parley_json_string_same(a, k, b, l)) {
            return l;
        }
    }

    return PARLEY_JSON_NONE;
}
