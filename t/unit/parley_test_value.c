#include "t/unit/parley_test_value.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>


#define PARLEY_TEST_VALUE_FEW   14      /* characters of most texts */
#define PARLEY_TEST_VALUE_LONG  3000    /* maximum of the others */


static uint32_t
parley_test_value_char(parley_test_random_t *r)
{
    switch (parley_test_below(r, 14)) {

    case 0:
        return parley_test_below(r, 0x20);

    case 1:
        return 0x80 + parley_test_below(r, 0x780);

    case 2:
        return 0x800 + parley_test_below(r, 0xD000);

    case 3:
        return 0x10000 + parley_test_below(r, 0x100000);

    default:
        return 0x20 + parley_test_below(r, 0x5F);
    }
}


static void
parley_test_value_put(parley_buf_t *b, uint32_t c)
{
    if (c < 0x80) {
        parley_buf_octet(b, (uint8_t) c);
        return;
    }

    if (c < 0x800) {
        parley_buf_octet(b, (uint8_t) (0xC0 | c >> 6));

    } else if (c < 0x10000) {
        parley_buf_octet(b, (uint8_t) (0xE0 | c >> 12));
        parley_buf_octet(b, (uint8_t) (0x80 | (c >> 6 & 63)));

    } else {
        parley_buf_octet(b, (uint8_t) (0xF0 | c >> 18));
        parley_buf_octet(b, (uint8_t) (0x80 | (c >> 12 & 63)));
        parley_buf_octet(b, (uint8_t) (0x80 | (c >> 6 & 63)));
    }

    parley_buf_octet(b, (uint8_t) (0x80 | (c & 63)));
}


parley_test_tree_t *
parley_test_value_text(parley_test_source_t *s, unsigned min, unsigned max,
    unsigned octets)
{
    int                   plain;
    unsigned              n, most;
    uint32_t              c;
    parley_buf_t          b;
    parley_str_t          text;
    parley_test_random_t *r = &s->random;

    n = max - min < PARLEY_TEST_VALUE_FEW ? max - min : PARLEY_TEST_VALUE_FEW;
    n = min + parley_test_below(r, n + 1);
    plain = parley_test_chance(r, 60);

    if (parley_test_chance(r, 3)) {

        /* a long text, often of the maximum length */

        plain = parley_test_chance(r, 80);
        most = max < octets ? max : octets;
        n = parley_test_chance(r, 60) && most < 5000
            ? most
            : min + parley_test_below(r, most - min < PARLEY_TEST_VALUE_LONG
                                         ? most - min + 1
                                         : PARLEY_TEST_VALUE_LONG);
    }

    parley_buf_init(&b, s->arena, n + 4);

    for (/* void */; n > 0; n--) {
        c = plain ? 0x20 + parley_test_below(r, 0x5F)
                  : parley_test_value_char(r);

        /* each missing character needs at least one octet */

        if (b.len + 4 + (b.len < min ? min - b.len : 0) > octets) {
            c = 0x20 + c % 0x5F;
        }

        if (b.len >= octets) {
            break;
        }

        parley_test_value_put(&b, c);
    }

    if (parley_buf_done(&b, &text) != 0) {
        abort();
    }

    return parley_test_tree_string(s->arena, text);
}


parley_test_tree_t *
parley_test_value_number(parley_test_source_t *s, double min, double max,
    int integer)
{
    char                   literal[40];
    double                 n, low, high;
    parley_test_random_t  *r = &s->random;

    low = min < -1e9 ? (parley_test_chance(r, 80) ? 0 : -1000) : min;
    high = max > 9007199254740991.0 ? 9007199254740991.0 : max;

    switch (parley_test_below(r, 8)) {

    case 0:
        n = ceil(low);
        break;

    case 1:
        n = floor(high);
        break;

    case 2:
    case 3:
        n = ceil(low) + floor(parley_test_below(r, 1u << 30) / 1073741824.0
                              * (high - low));
        break;

    default:
        n = ceil(low) + parley_test_below(r, high - low < 1000
                                             ? (unsigned) (high - low) + 1
                                             : 1000);
    }

    n = n < low ? low : n > high ? high : n;

    snprintf(literal, sizeof(literal), "%.0f", n);

    switch (parley_test_below(r, 12)) {

    case 0:
        snprintf(literal, sizeof(literal), "%.1f", n);
        break;

    case 1:
        if (fabs(n) >= 1000 && n < 1e9 && fmod(n, 100) == 0) {
            snprintf(literal, sizeof(literal), "%.0fe2", n / 100);
        } else {
            snprintf(literal, sizeof(literal), "%.0fE0", n);
        }
        break;

    case 2:
    case 3:
        if (!integer && n + 0.5 <= max && n < 1e12) {
            snprintf(literal, sizeof(literal), "%.0f.5", n < 0 ? 0 : n);
        }
        break;
    }

    return parley_test_tree_number(s->arena, literal);
}


parley_test_tree_t *
parley_test_value_any(parley_test_source_t *s, unsigned depth)
{
    unsigned              n;
    parley_test_tree_t   *tree;
    parley_test_random_t *r = &s->random;

    switch (parley_test_below(r, depth ? 9 : 6)) {

    case 0:
        return parley_test_tree(s->arena, PARLEY_JSON_NULL);

    case 1:
        return parley_test_tree(s->arena, PARLEY_JSON_TRUE);

    case 2:
        return parley_test_tree(s->arena, PARLEY_JSON_FALSE);

    case 3:
        if (parley_test_chance(r, 5)) {
            return parley_test_tree_number(s->arena,
                       (const char *) parley_test_one(r, "9007199254740993",
                           "-0", "1e-7", "1E+21", "123456789.125e-3",
                           "-18446744073709551617", "0.1e1").data);
        }

        return parley_test_value_number(s, -INFINITY, INFINITY, 0);

    case 4:
    case 5:
        return parley_test_value_text(s, 0, 1000000, 1000000);

    case 6:
        tree = parley_test_tree(s->arena, PARLEY_JSON_ARRAY);

        for (n = parley_test_below(r, 3); n > 0; n--) {
            parley_test_tree_add(tree, parley_test_value_any(s, depth - 1));
        }

        return tree;

    default:
        return parley_test_value_object(s, depth - 1);
    }
}


parley_test_tree_t *
parley_test_value_object(parley_test_source_t *s, unsigned depth)
{
    unsigned             n;
    parley_test_tree_t  *tree;

    tree = parley_test_tree(s->arena, PARLEY_JSON_OBJECT);

    for (n = parley_test_below(&s->random, 4); n > 0; n--) {
        parley_test_tree_set(tree, parley_test_value_name(s),
                             parley_test_value_any(s, depth));
    }

    return tree;
}


parley_str_t
parley_test_value_name(parley_test_source_t *s)
{
    if (parley_test_chance(&s->random, 50)) {
        return parley_test_value_print(s, "k%u",
                                       parley_test_below(&s->random, 9));
    }

    return parley_test_one(&s->random, "x-more/~1", "", "caf\303\251 \"\\",
                           "\360\237\221\213", "a\nb", "code", "message",
                           "text", "retryable", "context", "aee", "vcp",
                           "c2a", "channel", "moq", "payload", "members",
                           "data", "form", "reference", "scope", "priority",
                           "status", "error_code", "deadlineMs");
}


parley_str_t
parley_test_value_time(parley_test_source_t *s)
{
    unsigned               month;
    parley_str_t           zone;
    char                   fraction[16];
    parley_test_random_t  *r = &s->random;

    month = 1 + parley_test_below(r, 12);
    fraction[0] = '\0';

    if (parley_test_chance(r, 40)) {
        snprintf(fraction, sizeof(fraction), ".%0*u",
                 1 + (int) parley_test_below(r, 9), parley_test_below(r, 10));
    }

    zone = parley_test_one(r, "Z", "Z", "Z", "Z", "z", "+00:00", "-23:59",
                           "+05:30");

    return parley_test_value_print(s, "%04u-%02u-%02u%c%02u:%02u:%02u%s%s",
               1950 + parley_test_below(r, 200), month,
               1 + parley_test_below(r, month == 2 ? 28 : 30),
               parley_test_chance(r, 96) ? 'T' : 't',
               parley_test_below(r, 24), parley_test_below(r, 60),
               parley_test_below(r, 60), fraction,
               (const char *) zone.data);
}


parley_str_t
parley_test_value_uuid(parley_test_source_t *s, int version)
{
    uint64_t  a, c;

    a = parley_test_random(&s->random);
    c = parley_test_random(&s->random);

    return parley_test_value_print(s, "%08x-%04x-%d%03x-%c%03x-%012llx",
               (unsigned) a, (unsigned) (a >> 32 & 0xFFFF), version,
               (unsigned) (a >> 48 & 0xFFF), "89ab"[c & 3],
               (unsigned) (c >> 2 & 0xFFF),
               (unsigned long long) (c >> 14 & 0xFFFFFFFFFFFFULL));
}


parley_str_t
parley_test_value_print(parley_test_source_t *s, const char *format, ...)
{
    char          text[512];
    va_list       args;
    parley_str_t  ret;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);

    if (parley_arena_str(s->arena, parley_str_c(text), &ret) != 0) {
        abort();
    }

    return ret;
}
