#include "core/parley_json_scan.h"
#include "core/parley_number.h"
#include "core/parley_utf8.h"


/* 2^53 - 1 has 16 digits */
#define PARLEY_JSON_SAFE_DIGITS  16
#define PARLEY_JSON_SAFE_MAX     9007199254740991ULL

/* below this many digits, and this exponent, no double overflows */
#define PARLEY_JSON_TAME         300


typedef struct {
    uint32_t  integer;      /* digits before the point */
    uint32_t  fraction;     /* digits after it */
    uint32_t  zeros;        /* leading zeros of the fraction */
    int32_t   exponent;     /* clamped at about +-100000 */
    unsigned  exponential:1;
} parley_json_literal_t;


static int parley_json_scan_escape(parley_json_scan_t *s, uint32_t *surplus);
static int parley_json_scan_hex(parley_json_scan_t *s, const uint8_t *start,
    uint32_t *ret);
static int parley_json_scan_malformed(parley_json_scan_t *s);
static int parley_json_scan_digits(parley_json_scan_t *s, uint32_t *ret);
static int parley_json_scan_literal(parley_json_scan_t *s,
    parley_json_literal_t *l);
static int parley_json_scan_exponent(parley_json_scan_t *s,
    parley_json_literal_t *l);
static int parley_json_scan_is_safe(const uint8_t *p, uint32_t len);


/* the octets that follow the backslash in a two-octet escape */
static const uint8_t  parley_json_scan_simple[256] = {
    ['"'] = 1, ['\\'] = 1, ['/'] = 1, ['b'] = 1,
    ['f'] = 1, ['n'] = 1, ['r'] = 1, ['t'] = 1
};


int
parley_json_scan_rest(parley_json_scan_t *s, parley_json_node_t *node,
    const uint8_t *p, const uint8_t *last)
{
    uint8_t         flags;
    uint32_t        surplus;
    const uint8_t  *start;

    start = s->p;
    flags = PARLEY_JSON_ASCII | PARLEY_JSON_CANONICAL;
    surplus = 0;

    while (p < last) {
        s->p = p;

        if (*p == '"') {
            s->p = p + 1;
            node->type = PARLEY_JSON_STRING;
            node->flags = flags;
            node->len = (uint32_t) (p - start);
            node->count = node->len - surplus;
            return 0;
        }

        if (*p == '\\') {
            flags = (flags & PARLEY_JSON_CANONICAL) | PARLEY_JSON_ESCAPED;

            if (s->end - p > 1 && parley_json_scan_simple[p[1]]) {
                s->p = p + 2;
                surplus++;

            } else if (parley_json_scan_escape(s, &surplus) != 0) {
                return -1;
            }

            if (p[1] == 'u' || p[1] == '/') {
                flags &= (uint8_t) ~PARLEY_JSON_CANONICAL;
                s->odd = p;
            }

        } else if (*p < 0x20) {
            return parley_json_fault(s, p, "control character in a string");

        } else if (*p == 0x7F) {
            flags &= (uint8_t) ~PARLEY_JSON_ASCII;
            s->p = p + 1;

        } else {
            flags &= (uint8_t) ~PARLEY_JSON_ASCII;
            s->p = parley_utf8_run(p, s->end, &surplus);

            if (s->p < s->end && *s->p >= 0x80) {
                return parley_json_scan_malformed(s);
            }
        }

        p = s->p;

        /* an escape may have ended after the limit */

        if (p < last) {
            p = parley_utf8_plain(p, last);
        }
    }

    if (last != s->end) {
        return parley_json_excess(s, start - 1, "string too long");
    }

    return parley_json_ended(s);
}


/*
 * Reads an escape of more than two octets from the backslash at s->p.
 * *surplus grows by its octets less its code points.
 */
static int
parley_json_scan_escape(parley_json_scan_t *s, uint32_t *surplus)
{
    uint32_t        high, low;
    const uint8_t  *start;

    start = s->p++;

    if (s->p == s->end) {
        return parley_json_ended(s);
    }

    if (*s->p++ != 'u') {
        return parley_json_fault(s, start, "invalid escape in a string");
    }

    if (parley_json_scan_hex(s, start, &high) != 0) {
        return -1;
    }

    *surplus += 5;

    if (high < 0xD800 || high > 0xDFFF) {
        return parley_utf8_is_noncharacter(high)
                   ? parley_json_fault(s, start, "noncharacter") : 0;
    }

    if (high > 0xDBFF) {
        return parley_json_fault(s, start, "lone surrogate");
    }

    if (s->p == s->end || (*s->p == '\\' && s->p + 1 == s->end)) {
        return parley_json_ended(s);
    }

    if (s->p[0] != '\\' || s->p[1] != 'u') {
        return parley_json_fault(s, start, "lone surrogate");
    }

    s->p += 2;

    if (parley_json_scan_hex(s, s->p - 2, &low) != 0) {
        return -1;
    }

    if (low < 0xDC00 || low > 0xDFFF) {
        return parley_json_fault(s, start, "lone surrogate");
    }

    *surplus += 6;

    if (parley_utf8_is_noncharacter(0x10000 + ((high - 0xD800) << 10)
                                    + (low - 0xDC00)))
    {
        return parley_json_fault(s, start, "noncharacter");
    }

    return 0;
}


/*
 * Reads four hexadecimal digits.  start, the backslash, is the fault's place.
 */
static int
parley_json_scan_hex(parley_json_scan_t *s, const uint8_t *start,
    uint32_t *ret)
{
    int       i;
    uint8_t   c;
    uint32_t  value;

    value = 0;

    for (i = 0; i < 4; i++) {
        if (s->p == s->end) {
            return parley_json_ended(s);
        }

        c = *s->p++;

        if (c >= '0' && c <= '9') {
            value = value << 4 | (uint32_t) (c - '0');
            continue;
        }

        c |= 0x20;

        if (c < 'a' || c > 'f') {
            return parley_json_fault(s, start, "invalid escape in a string");
        }

        value = value << 4 | (uint32_t) (c - 'a' + 10);
    }

    *ret = value;

    return 0;
}


/* Reports invalid UTF-8 or a noncharacter at s->p. */
static int
parley_json_scan_malformed(parley_json_scan_t *s)
{
    const uint8_t  *p;

    p = s->p;

    if (parley_utf8_len(p, s->end) != 0) {
        return parley_json_fault(s, p, "noncharacter");
    }

    return parley_json_fault(s, p,
                             (p[0] == 0xED && s->end - p >= 2
                              && p[1] >= 0xA0 && p[1] <= 0xBF)
                                 ? "lone surrogate" : "invalid UTF-8");
}


int
parley_json_scan_number(parley_json_scan_t *s, parley_json_node_t *node,
    int *ret_inexact)
{
    double                  d;
    uint8_t                 flags;
    uint32_t                len;
    const uint8_t          *start, *p;
    parley_json_literal_t   l;

    start = s->p;

    if (parley_json_scan_literal(s, &l) != 0) {
        return -1;
    }

    len = (uint32_t) (s->p - start);
    flags = 0;

    if (l.fraction == 0 && !l.exponential) {
        flags = PARLEY_JSON_INTEGER;

        p = (*start == '-') ? start + 1 : start;

        if (!parley_json_scan_is_safe(p, l.integer)) {
            *ret_inexact = 1;

        } else if (*p != '0' || p == start) {
            flags |= PARLEY_JSON_CANONICAL;
        }

    } else if (!l.exponential) {

        /*
         * Up to 15 significant digits survive a double; ECMAScript prints
         * values from 0.000001 on without an exponent.
         */

        p = (*start == '-') ? start + 1 : start;

        if (s->p[-1] != '0'
            && ((*p != '0' && l.integer + l.fraction <= 15)
                || (*p == '0' && l.zeros < 6 && l.fraction - l.zeros <= 15)))
        {
            flags = PARLEY_JSON_CANONICAL;
        }
    }

    if ((l.integer > PARLEY_JSON_TAME || l.exponent > 0)
        && (int64_t) l.integer + l.exponent > PARLEY_JSON_TAME
        && parley_number_parse(parley_str_make(start, len), &d) != 0)
    {
        return parley_json_fault(s, start, "number out of range");
    }

    if (!(flags & PARLEY_JSON_CANONICAL)) {
        s->odd = start;
    }

    node->type = PARLEY_JSON_NUMBER;
    node->flags = flags;
    node->len = len;
    node->count = 0;

    return 0;
}


static int
parley_json_scan_literal(parley_json_scan_t *s, parley_json_literal_t *l)
{
    const uint8_t  *p;

    l->fraction = 0;
    l->zeros = 0;
    l->exponent = 0;
    l->exponential = 0;

    if (*s->p == '-') {
        s->p++;
    }

    p = s->p;

    if (parley_json_scan_digits(s, &l->integer) != 0) {
        return -1;
    }

    if (*p == '0' && l->integer > 1) {
        return parley_json_fault(s, p, "number with a leading zero");
    }

    if (s->p < s->end && *s->p == '.') {
        p = ++s->p;

        if (parley_json_scan_digits(s, &l->fraction) != 0) {
            return -1;
        }

        while (p < s->p && *p == '0') {
            p++;
            l->zeros++;
        }
    }

    if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
        return parley_json_scan_exponent(s, l);
    }

    return 0;
}


static int
parley_json_scan_exponent(parley_json_scan_t *s, parley_json_literal_t *l)
{
    int             sign;
    uint32_t        digits;
    const uint8_t  *p;

    l->exponential = 1;
    sign = 1;
    s->p++;

    if (s->p < s->end && (*s->p == '+' || *s->p == '-')) {
        sign = (*s->p++ == '-') ? -1 : 1;
    }

    p = s->p;

    if (parley_json_scan_digits(s, &digits) != 0) {
        return -1;
    }

    for ( /* void */ ; p < s->p && l->exponent < 10000; p++) {
        l->exponent = l->exponent * 10 + (*p - '0');
    }

    l->exponent *= sign;

    return 0;
}


/* Reads one or more digits. */
static int
parley_json_scan_digits(parley_json_scan_t *s, uint32_t *ret)
{
    const uint8_t  *p;

    p = s->p;

    while (p < s->end && *p >= '0' && *p <= '9') {
        p++;
    }

    if (p == s->p) {
        return (p == s->end) ? parley_json_ended(s)
                             : parley_json_fault(s, p, "invalid number");
    }

    *ret = (uint32_t) (p - s->p);
    s->p = p;

    return 0;
}


/* Returns whether an integer without leading zeros is at most 2^53 - 1. */
static int
parley_json_scan_is_safe(const uint8_t *p, uint32_t len)
{
    uint32_t  i;
    uint64_t  value;

    if (len != PARLEY_JSON_SAFE_DIGITS) {
        return len < PARLEY_JSON_SAFE_DIGITS;
    }

    value = 0;

    for (i = 0; i < len; i++) {
        value = value * 10 + (uint64_t) (p[i] - '0');
    }

    return value <= PARLEY_JSON_SAFE_MAX;
}
