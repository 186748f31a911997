#include "t/unit/parley_test_pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>


#define PARLEY_TEST_PATTERN_MORE  6     /* repetitions beyond the minimum */


typedef struct {
    const uint8_t         *p;
    const uint8_t         *end;
    parley_str_t           pattern;
    parley_buf_t          *b;
    parley_test_random_t  *random;
} parley_test_pattern_t;


static void parley_test_pattern_choice(parley_test_pattern_t *w, int emit);
static void parley_test_pattern_item(parley_test_pattern_t *w, int emit);
static void parley_test_pattern_atom(parley_test_pattern_t *w, int emit);
static void parley_test_pattern_class(parley_test_pattern_t *w, int emit);
static unsigned parley_test_pattern_character(parley_test_pattern_t *w);
static void parley_test_pattern_times(parley_test_pattern_t *w,
    unsigned *min, unsigned *max);
static void parley_test_pattern_noise(parley_buf_t *b,
    parley_test_random_t *random);


static void
parley_test_pattern_unknown(const parley_test_pattern_t *w)
{
    fprintf(stderr, "a pattern that the generator does not know, at octet "
            "%u: %.*s\n", (unsigned) (w->p - w->pattern.data),
            (int) w->pattern.len, (const char *) w->pattern.data);
    abort();
}


void
parley_test_pattern_put(parley_buf_t *b, parley_test_random_t *random,
    parley_str_t pattern)
{
    parley_test_pattern_t  w;

    w.p = pattern.data;
    w.end = pattern.data + pattern.len;
    w.pattern = pattern;
    w.b = b;
    w.random = random;

    if (pattern.len == 0 || pattern.data[0] != '^') {
        parley_test_pattern_noise(b, random);
    }

    parley_test_pattern_choice(&w, 1);

    if (w.p != w.end) {
        parley_test_pattern_unknown(&w);
    }

    if (pattern.len == 0 || pattern.data[pattern.len - 1] != '$') {
        parley_test_pattern_noise(b, random);
    }
}


/* Makes one of several alternatives, up to the end or the closing bracket. */

static void
parley_test_pattern_choice(parley_test_pattern_t *w, int emit)
{
    unsigned        i, n, chosen;
    const uint8_t  *start;

    start = w->p;
    chosen = 0;

    if (emit) {
        parley_test_pattern_choice(w, 0);

        for (n = 1, i = 0; start + i < w->p; i++) {
            /*
             * an upper bound is enough: a number beyond the last one is drawn
             * again
             */
            n += start[i] == '|';
        }

        chosen = parley_test_below(w->random, n);
    }

    do {
        w->p = start;

        for (i = 0; ; i++) {
            while (w->p < w->end && *w->p != '|' && *w->p != ')') {
                parley_test_pattern_item(w, emit && i == chosen);
            }

            if (w->p == w->end || *w->p == ')') {
                break;
            }

            w->p++;
        }

        if (!emit || chosen <= i) {
            return;
        }

        chosen = parley_test_below(w->random, i + 1);

    } while (1);
}


static void
parley_test_pattern_item(parley_test_pattern_t *w, int emit)
{
    unsigned        n, min, max;
    const uint8_t  *start, *end;

    start = w->p;

    parley_test_pattern_atom(w, 0);
    parley_test_pattern_times(w, &min, &max);

    if (!emit) {
        return;
    }

    end = w->p;
    n = min;

    if (max > min) {
        n += parley_test_chance(w->random, 2)
             && max - min < 256
             ? max - min
             : parley_test_below(w->random,
                                 max - min < PARLEY_TEST_PATTERN_MORE
                                 ? max - min + 1 : PARLEY_TEST_PATTERN_MORE);
    }

    for (/* void */; n > 0; n--) {
        w->p = start;
        parley_test_pattern_atom(w, 1);
    }

    w->p = end;
}


/* Reads "?", "*", "+", "{n}", "{n,}", "{n,m}" or nothing. */

static void
parley_test_pattern_times(parley_test_pattern_t *w, unsigned *min,
    unsigned *max)
{
    char  *after;

    *min = 1;
    *max = 1;

    if (w->p == w->end) {
        return;
    }

    switch (*w->p) {

    case '?':
        *min = 0;
        break;

    case '*':
        *min = 0;
        *max = 1000;
        break;

    case '+':
        *max = 1000;
        break;

    case '{':
        *min = (unsigned) strtoul((const char *) w->p + 1, &after, 10);
        *max = *min;

        if (*after == ',') {
            *max = after[1] == '}' ? *min + 1000
                                   : (unsigned) strtoul(after + 1, &after, 10);
            if (*after == ',') {
                after++;
            }
        }

        w->p = (const uint8_t *) after;

        if (*w->p != '}' || *max < *min) {
            parley_test_pattern_unknown(w);
        }

        break;

    default:
        return;
    }

    w->p++;
}


static void
parley_test_pattern_atom(parley_test_pattern_t *w, int emit)
{
    int      looks;
    uint8_t  c;

    c = *w->p++;
    looks = 0;

    switch (c) {

    case '^':
    case '$':
        return;

    case '[':
        parley_test_pattern_class(w, emit);
        return;

    case '(':
        if (w->p + 1 < w->end && *w->p == '?') {
            looks = w->p[1] == '=' || w->p[1] == '!';

            if (!looks && w->p[1] != ':') {
                parley_test_pattern_unknown(w);
            }

            w->p += 2;
        }

        parley_test_pattern_choice(w, emit && !looks);

        if (w->p == w->end) {
            parley_test_pattern_unknown(w);
        }

        w->p++;
        return;

    case '\\':
        c = *w->p++;

        if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
            || (c >= '0' && c <= '9'))
        {
            parley_test_pattern_unknown(w);
        }

        break;

    case '.':
        c = (uint8_t) ('!' + parley_test_below(w->random, 94));
        break;

    case '?':
    case '*':
    case '+':
    case '{':
        parley_test_pattern_unknown(w);
    }

    if (emit) {
        parley_buf_octet(w->b, c);
    }
}


/*
 * Reads a class after its "[": single characters and ranges.  Makes an ASCII
 * character of it, which is printable for a negated class.
 */

static void
parley_test_pattern_class(parley_test_pattern_t *w, int emit)
{
    int       is_not;
    unsigned  c, n, from, to;
    uint8_t   members[256], named[256];

    memset(named, 0, sizeof(named));
    is_not = w->p < w->end && *w->p == '^';
    w->p += is_not;

    while (w->p < w->end && *w->p != ']') {
        from = parley_test_pattern_character(w);
        to = from;

        if (w->p + 1 < w->end && *w->p == '-' && w->p[1] != ']') {
            w->p++;
            to = parley_test_pattern_character(w);
        }

        if (from > to || to > (is_not ? 0xFF : 0x7F)) {
            parley_test_pattern_unknown(w);
        }

        memset(named + from, 1, to - from + 1);
    }

    for (n = 0, c = is_not ? '!' : 0; c < 0x7F; c++) {
        if (named[c] != is_not) {
            members[n++] = (uint8_t) c;
        }
    }

    if (w->p == w->end || n == 0) {
        parley_test_pattern_unknown(w);
    }

    w->p++;

    if (emit) {
        parley_buf_octet(w->b, members[parley_test_below(w->random, n)]);
    }
}


/* Reads a character of a class: plain, escaped, or \uXXXX. */

static unsigned
parley_test_pattern_character(parley_test_pattern_t *w)
{
    char  hex[5];

    if (*w->p != '\\') {
        return *w->p++;
    }

    if (w->end - w->p < 6 || w->p[1] != 'u') {
        w->p += 2;
        return w->p[-1];
    }

    memcpy(hex, w->p + 2, 4);
    hex[4] = '\0';
    w->p += 6;

    return (unsigned) strtoul(hex, NULL, 16);
}


static void
parley_test_pattern_noise(parley_buf_t *b, parley_test_random_t *random)
{
    unsigned  n;

    for (n = parley_test_below(random, 5); n > 0; n--) {
        parley_buf_octet(b, (uint8_t) (' ' + parley_test_below(random, 95)));
    }
}
