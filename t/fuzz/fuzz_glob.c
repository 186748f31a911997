/*
 * Globs, compared with a matcher that has one line for each sign.  The pattern
 * ends at the first zero octet; the rest is the text.
 */

#include <stdlib.h>
#include <string.h>

#include "auth/parley_glob.h"
#include "t/fuzz/parley_fuzz.h"


/* the simple matcher takes exponential time */
#define MAX_TEXT  16


int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);


static int
label(parley_str_t p, parley_str_t t)
{
    if (p.len == 0) {
        return t.len == 0;
    }

    if (p.data[0] == '*') {
        return label(parley_str_from(p, 1), t)
               || (t.len != 0 && label(p, parley_str_from(t, 1)));
    }

    return t.len != 0 && p.data[0] == t.data[0]
           && label(parley_str_from(p, 1), parley_str_from(t, 1));
}


/* Removes the first label of *s, which has *left labels; returns it. */

static parley_str_t
cut(parley_str_t *s, size_t *left)
{
    size_t        n;
    parley_str_t  first;

    for (n = 0; n < s->len && s->data[n] != '.'; n++) { /* void */ }

    first = parley_str_make(s->data, n);
    *s = parley_str_from(*s, n < s->len ? n + 1 : n);
    (*left)--;

    return first;
}


static size_t
labels(parley_str_t s)
{
    size_t  i, n;

    for (n = 1, i = 0; i < s.len; i++) {
        n += s.data[i] == '.';
    }

    return n;
}


static int
whole(parley_str_t p, size_t pn, parley_str_t t, size_t tn)
{
    size_t        n;
    parley_str_t  first, rest, word;

    if (pn == 0) {
        return tn == 0;
    }

    rest = p;
    n = pn;
    first = cut(&rest, &n);

    if (parley_str_is(first, "**")) {

        if (whole(rest, n, t, tn)) {
            return 1;
        }

        if (tn == 0) {
            return 0;
        }

        (void) cut(&t, &tn);

        return whole(p, pn, t, tn);
    }

    if (tn == 0) {
        return 0;
    }

    word = cut(&t, &tn);

    return (parley_str_is(first, "*") ? word.len != 0 : label(first, word))
           && whole(rest, n, t, tn);
}


static int
plain(const parley_glob_t *glob, parley_str_t text)
{
    size_t  i;

    for (i = 0; i < glob->n; i++) {
        if (text.len == 0 ? parley_str_is(glob->choices[i], "**")
            : whole(glob->choices[i], labels(glob->choices[i]), text,
                    labels(text)))
        {
            return 1;
        }
    }

    return 0;
}


int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int              matches;
    parley_str_t     pattern, text;
    parley_glob_t    glob;
    const uint8_t   *zero;
    parley_arena_t   arena;
    parley_error_t   err;

    zero = size == 0 ? NULL : memchr(data, 0, size);

    if (zero == NULL) {
        return 0;
    }

    pattern = parley_str_make(data, (size_t) (zero - data));
    text = parley_str_make(zero + 1, size - pattern.len - 1);

    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (parley_glob_compile(&arena, pattern, &glob, &err) == 0) {
        matches = parley_glob_match(&glob, text);

        if (text.len <= MAX_TEXT && pattern.len <= 2 * MAX_TEXT) {
            check(matches == plain(&glob, text));
        }

    } else {
        check(glob.n == 0);
    }

    parley_arena_reset(&arena);

    return 0;
}
