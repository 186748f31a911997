#include "schemas/parley_schema_run.h"


/* integers up to this number of digits are exact doubles */
#define PARLEY_SCHEMA_EXACT_DIGITS  15


static int parley_schema_pattern(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i, parley_str_t text);
static double parley_schema_double(const parley_json_t *doc, uint32_t i);
static int parley_schema_bound(const parley_schema_run_t *run,
    const parley_schema_bound_t *bound, uint32_t i, double value);
static uint64_t parley_schema_power(int64_t exponent, uint64_t modulus);


int
parley_schema_string(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i)
{
    int                            rc, bad;
    parley_str_t                   text;
    const parley_json_node_t      *node;
    const parley_schema_string_t  *string;

    string = s->string;
    node = &run->nodes[i];
    bad = PARLEY_SCHEMA_VALID;

    if (node->count < string->min) {
        rc = parley_schema_fail(run, s, PARLEY_SCHEMA_K_MIN_LENGTH, i);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (node->count > string->max) {
        rc = parley_schema_fail(run, s, PARLEY_SCHEMA_K_MAX_LENGTH, i);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    /* an escape is never shorter than its UTF-8 */

    if (string->pattern == NULL && string->format == PARLEY_FORMAT_NONE
        && node->len <= string->octets)
    {
        return bad;
    }

    if (!(node->flags & PARLEY_JSON_ESCAPED)) {
        text = parley_json_span(run->doc, i);

    } else if (parley_json_string(run->doc, i, &text) != 0) {
        return PARLEY_SCHEMA_MEMORY;
    }

    if (text.len > string->octets) {
        rc = parley_schema_fail(run, s, PARLEY_SCHEMA_K_MAX_OCTETS, i);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (string->pattern != NULL) {
        rc = parley_schema_pattern(run, s, i, text);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (string->format != PARLEY_FORMAT_NONE
        && !parley_format_is((parley_format_t) string->format, text))
    {
        return parley_schema_fail(run, s, PARLEY_SCHEMA_K_FORMAT, i);
    }

    return bad;
}


static int
parley_schema_pattern(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_str_t text)
{
    switch (parley_schema_pattern_match(s->string->pattern, &run->matcher,
                                        text))
    {
    case 1:
        return PARLEY_SCHEMA_VALID;

    case 0:
        return parley_schema_fail(run, s, PARLEY_SCHEMA_K_PATTERN, i);

    case PARLEY_SCHEMA_MATCH_MEMORY:
        return PARLEY_SCHEMA_MEMORY;

    default:
        return PARLEY_SCHEMA_LIMIT;
    }
}


int
parley_schema_number(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i)
{
    int                            rc, bad;
    size_t                         b;
    double                         value;
    const parley_schema_bound_t   *bound;
    const parley_schema_number_t  *n;

    static const struct {
        size_t                   offset;
        parley_schema_keyword_t  keyword;
        int                      sign;      /* of value - bound if allowed */
        int                      equal;
    } bounds[] = {
        { offsetof(parley_schema_number_t, minimum),
          PARLEY_SCHEMA_K_MINIMUM, 1, 1 },
        { offsetof(parley_schema_number_t, exclusive_minimum),
          PARLEY_SCHEMA_K_EXCLUSIVE_MINIMUM, 1, 0 },
        { offsetof(parley_schema_number_t, maximum),
          PARLEY_SCHEMA_K_MAXIMUM, -1, 1 },
        { offsetof(parley_schema_number_t, exclusive_maximum),
          PARLEY_SCHEMA_K_EXCLUSIVE_MAXIMUM, -1, 0 }
    };

    n = s->number;
    bad = PARLEY_SCHEMA_VALID;
    value = parley_schema_double(run->doc, i);

    for (b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++) {

        bound = (const parley_schema_bound_t *)
                ((const uint8_t *) n + bounds[b].offset);

        if (!bound->set) {
            continue;
        }

        rc = parley_schema_bound(run, bound, i, value);

        if (rc == bounds[b].sign || (rc == 0 && bounds[b].equal)) {
            continue;
        }

        rc = parley_schema_fail(run, s, bounds[b].keyword, i);
        if (parley_schema_ends(run, rc, &bad)) {
            return rc;
        }
    }

    if (n->divisor != 0
        && !parley_schema_number_divides(n, parley_json_span(run->doc, i)))
    {
        return parley_schema_fail(run, s, PARLEY_SCHEMA_K_MULTIPLE_OF, i);
    }

    return bad;
}


static double
parley_schema_double(const parley_json_t *doc, uint32_t i)
{
    int64_t                    n;
    const parley_json_node_t  *node;

    node = &doc->nodes[i];

    if ((node->flags & PARLEY_JSON_INTEGER)
        && node->len <= PARLEY_SCHEMA_EXACT_DIGITS
        && parley_json_integer(doc, i, &n) == 0)
    {
        return (double) n;
    }

    return parley_json_number(doc, i);
}


/*
 * Returns less than, equal to or greater than zero as the number is to the
 * bound.  Rounding preserves order, so only equal doubles are compared
 * exactly.
 */
static int
parley_schema_bound(const parley_schema_run_t *run,
    const parley_schema_bound_t *bound, uint32_t i, double value)
{
    int               order;
    parley_decimal_t  exact;

    if (value != bound->value) {
        return (value < bound->value) ? -1 : 1;
    }

    exact = parley_decimal_make(parley_json_span(run->doc, i));
    order = parley_decimal_cmp(&exact, &bound->exact);

    return (order > 0) - (order < 0);
}


int
parley_schema_number_is_integer(const parley_json_t *doc, uint32_t i)
{
    parley_decimal_t  d;

    d = parley_decimal_make(parley_json_span(doc, i));

    return d.ndigits == 0 || d.point >= (int64_t) d.ndigits;
}


/*
 * Decides in decimal: for digits a and b without trailing zeros, a * 10^p is a
 * multiple of b * 10^q if p >= q and b divides a * 10^(p - q).
 */
int
parley_schema_number_divides(const parley_schema_number_t *n,
    parley_str_t literal)
{
    int64_t            exponent;
    uint64_t           rest;
    const uint8_t     *p;
    parley_decimal_t   d;

    d = parley_decimal_make(literal);

    if (d.ndigits == 0) {
        return 1;
    }

    exponent = d.point - (int64_t) d.ndigits - n->divisor_exponent;
    if (exponent < 0) {
        return 0;
    }

    rest = 0;

    for (p = d.first; p < d.end; p++) {
        if (*p != '.') {
            rest = (uint64_t) (((unsigned __int128) rest * 10
                                + (unsigned) (*p - '0'))
                               % n->divisor);
        }
    }

    rest = (uint64_t) ((unsigned __int128) rest
                       * parley_schema_power(exponent, n->divisor)
                       % n->divisor);

    return rest == 0;
}


/* Returns 10^exponent modulo modulus. */
static uint64_t
parley_schema_power(int64_t exponent, uint64_t modulus)
{
    uint64_t  base, power;

    base = 10 % modulus;
    power = 1 % modulus;

    for ( ; exponent > 0; exponent >>= 1) {
        if (exponent & 1) {
            power = (uint64_t) ((unsigned __int128) power * base % modulus);
        }

        base = (uint64_t) ((unsigned __int128) base * base % modulus);
    }

    return power;
}
