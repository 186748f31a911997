#include <string.h>

#include "auth/parley_glob.h"


static int
parley_glob_fail(parley_error_t *err, const char *text)
{
    return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL, "%s", text);
}


static int
parley_glob_check_label(parley_str_t label, parley_error_t *err)
{
    size_t  i;

    if (label.len == 0) {
        return parley_glob_fail(err, "a pattern has an empty label");
    }

    if (parley_str_is(label, "**")) {
        return 0;
    }

    for (i = 0; i < label.len; i++) {

        if (label.data[i] <= ' ' || label.data[i] == 0x7f) {
            return parley_glob_fail(err, "a pattern has a space or control "
                                    "character");
        }

        if (i != 0 && label.data[i] == '*' && label.data[i - 1] == '*') {
            return parley_glob_fail(err, "\"**\" is not a label of its own");
        }
    }

    return 0;
}


static int
parley_glob_check(parley_str_t choice, parley_error_t *err)
{
    size_t  i, begin;

    if (choice.len == 0) {
        return parley_glob_fail(err, "a pattern is empty");
    }

    begin = 0;

    for (i = 0; i <= choice.len; i++) {

        if (i < choice.len && choice.data[i] != '.') {
            continue;
        }

        if (parley_glob_check_label(parley_str_make(choice.data + begin,
                                                    i - begin),
                                    err)
            != 0)
        {
            return -1;
        }

        begin = i + 1;
    }

    return 0;
}


int
parley_glob_compile(parley_arena_t *arena, parley_str_t pattern,
    parley_glob_t *ret, parley_error_t *err)
{
    size_t          i, n, begin;
    parley_str_t    copy, choice;
    parley_glob_t   glob;
    const uint8_t  *star;

    memset(ret, 0, sizeof(parley_glob_t));

    if (pattern.len > PARLEY_GLOB_MAX) {
        return parley_glob_fail(err, "a pattern is longer than 512 octets");
    }

    for (i = 0, n = 1; i < pattern.len; i++) {
        n += pattern.data[i] == '|';
    }

    if (n > PARLEY_GLOB_CHOICES) {
        return parley_glob_fail(err, "a pattern has more than 32 "
                                "alternatives");
    }

    glob.n = 0;
    glob.starred = 0;
    glob.tailed = 0;
    glob.fold = 0;
    glob.choices = parley_arena_alloc(arena, n * sizeof(parley_str_t));

    if (glob.choices == NULL || parley_arena_str(arena, pattern, &copy) != 0)
    {
        return parley_error_memory(err);
    }

    glob.text = copy;
    begin = 0;

    for (i = 0; i <= copy.len; i++) {

        if (i < copy.len && copy.data[i] != '|') {
            continue;
        }

        choice = parley_str_make(copy.data + begin, i - begin);

        if (parley_glob_check(choice, err) != 0) {
            return -1;
        }

        star = memchr(choice.data, '*', choice.len);

        if (star != NULL) {
            glob.starred |= 1U << glob.n;

            if (star == choice.data + choice.len - 1
                && (choice.len == 1 || star[-1] == '.'))
            {
                glob.tailed |= 1U << glob.n;
            }
        }

        glob.choices[glob.n++] = choice;
        begin = i + 1;
    }

    *ret = glob;

    return 0;
}


/* Returns the label that begins at at, at most s.len. */

static parley_str_t
parley_glob_label(parley_str_t s, size_t at)
{
    const uint8_t  *dot;

    dot = at == s.len ? NULL : memchr(s.data + at, '.', s.len - at);

    return parley_str_make(s.data + at, dot != NULL
                                        ? (size_t) (dot - s.data) - at
                                        : s.len - at);
}


/*
 * Matches one label.  On a mismatch the last '*' takes one more octet; earlier
 * ones need no backtracking, since the last can compensate.
 */

static int
parley_glob_label_match(parley_str_t label, parley_str_t text, int fold)
{
    int     starred;
    size_t  p, t, star, mark;

    if (parley_str_is(label, "*")) {
        return text.len != 0;
    }

    starred = 0;
    p = 0;
    t = 0;
    star = 0;
    mark = 0;

    while (t < text.len) {

        if (p < label.len && label.data[p] == '*') {
            starred = 1;
            star = ++p;
            mark = t;

        } else if (p < label.len
                   && (label.data[p] == text.data[t]
                       || (fold && parley_lower(label.data[p])
                                   == parley_lower(text.data[t]))))
        {
            p++;
            t++;

        } else if (starred) {
            p = star;
            t = ++mark;

        } else {
            return 0;
        }
    }

    while (p < label.len && label.data[p] == '*') {
        p++;
    }

    return p == label.len;
}


/*
 * Matches label by label in the same way, '**' taking any number of labels.  A
 * position of length + 1 means that no labels are left.
 */

static int
parley_glob_choice_match(parley_str_t choice, parley_str_t text, int fold)
{
    int           starred;
    size_t        p, t, star, mark;
    parley_str_t  pl, tl;

    if (parley_str_is(choice, "**")) {
        return 1;
    }

    if (text.len == 0) {
        return 0;
    }

    starred = 0;
    p = 0;
    t = 0;
    star = 0;
    mark = 0;

    while (t <= text.len) {
        tl = parley_glob_label(text, t);
        pl = p <= choice.len ? parley_glob_label(choice, p) : parley_str_none;

        if (parley_str_is(pl, "**")) {
            starred = 1;
            p += 3;
            star = p;
            mark = t;

        } else if (pl.len != 0 && parley_glob_label_match(pl, tl, fold)) {
            p += pl.len + 1;
            t += tl.len + 1;

        } else if (starred) {
            mark += parley_glob_label(text, mark).len + 1;
            p = star;
            t = mark;

        } else {
            return 0;
        }
    }

    while (p <= choice.len) {

        if (!parley_str_is(parley_glob_label(choice, p), "**")) {
            return 0;
        }

        p += 3;
    }

    return 1;
}


/* As parley_glob_choice_match(), for a choice such as "ops.*". */

static int
parley_glob_tail_match(parley_str_t choice, parley_str_t text, int fold)
{
    size_t        n;
    parley_str_t  head, start;

    n = choice.len - 1;

    if (text.len <= n) {
        return 0;
    }

    head = parley_str_make(choice.data, n);
    start = parley_str_make(text.data, n);

    return (parley_str_eq(head, start)
            || (fold && parley_str_eq_fold(head, start)))
           && memchr(text.data + n, '.', text.len - n) == NULL;
}


int
parley_glob_match_choice(const parley_glob_t *glob, size_t i,
    parley_str_t text)
{
    parley_str_t  choice;

    choice = glob->choices[i];

    /* most patterns are literal, or end with their only star */

    if (parley_str_eq(choice, text)
        || (glob->fold && parley_str_eq_fold(choice, text)))
    {
        return 1;
    }

    if (!(glob->starred & 1U << i)) {
        return 0;
    }

    return glob->tailed & 1U << i
           ? parley_glob_tail_match(choice, text, glob->fold)
           : parley_glob_choice_match(choice, text, glob->fold);
}


int
parley_glob_match(const parley_glob_t *glob, parley_str_t text)
{
    size_t  i;

    for (i = 0; i < glob->n; i++) {
        if (parley_glob_match_choice(glob, i, text)) {
            return 1;
        }
    }

    return 0;
}


/* Returns whether a label of choice is star, "*" or "**". */

static int
parley_glob_has_label(parley_str_t choice, parley_str_t star)
{
    size_t        at;
    parley_str_t  label;

    for (at = 0; at <= choice.len; at += label.len + 1) {
        label = parley_glob_label(choice, at);

        if (parley_str_eq(label, star)) {
            return 1;
        }
    }

    return 0;
}


/*
 * Matches the pattern as if it were a text: a '*' of it is then an octet that
 * only a '*' of glob matches.  Its label "**" must not be matched by "*".
 */

static int
parley_glob_covers_choice(const parley_glob_t *glob, parley_str_t pattern)
{
    size_t  i;

    for (i = 0; i < glob->n; i++) {
        if (parley_glob_match_choice(glob, i, pattern)
            && (parley_str_eq(glob->choices[i], pattern)
                || !parley_glob_has_label(pattern, PARLEY_STR("**"))
                || !parley_glob_has_label(glob->choices[i],
                                          PARLEY_STR("*"))))
        {
            return 1;
        }
    }

    return 0;
}


int
parley_glob_covers(const parley_glob_t *glob, const parley_glob_t *other)
{
    size_t  i;

    for (i = 0; i < other->n; i++) {
        if (!parley_glob_covers_choice(glob, other->choices[i])) {
            return 0;
        }
    }

    return 1;
}
