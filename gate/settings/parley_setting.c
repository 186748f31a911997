/* Reads the words of a directive: times, sizes, numbers, choices. */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gate/settings/parley_directive.h"


#define PARLEY_DIRECTIVE_NUMBER_MAX  1000000000000


/*
 * in descending order, as they must be used; without nginx's years and months
 */
static const struct {
    const char  *word;
    int64_t      ms;
} parley_setting_units[] = {
    { "w", 604800000 },
    { "d", 86400000 },
    { "h", 3600000 },
    { "m", 60000 },
    { "s", 1000 },
    { "ms", 1 },
    { NULL, 0 }
};


static int parley_setting_digits(parley_str_t *s, int64_t *ret);


int
parley_problem(parley_problem_t *problem, const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    (void) vsnprintf(problem->text, sizeof(problem->text), fmt, args);
    va_end(args);

    return -1;
}


int
parley_setting_bad(const parley_setting_t *d, parley_str_t word,
    const char *why)
{
    return parley_problem(d->problem, "\"%.*s\" in \"%s\" %s", (int) word.len,
                          (const char *) word.data, d->row->name, why);
}


int
parley_setting_wrong(const parley_setting_t *d, const char *why)
{
    return parley_problem(d->problem, "\"%s\" directive %s", d->row->name,
                          why);
}


int
parley_setting_twice(const parley_setting_t *d, size_t i)
{
    size_t          k, len;
    parley_str_t    word;
    const uint8_t  *equals;

    word = d->words[i];
    equals = memchr(word.data, '=', word.len);

    if (equals == NULL) {
        return 0;
    }

    len = (size_t) (equals + 1 - word.data);

    for (k = 1; k < i; k++) {
        if (d->words[k].len >= len
            && memcmp(d->words[k].data, word.data, len) == 0)
        {
            return 1;
        }
    }

    return 0;
}


int
parley_setting_param(parley_str_t word, const char *name, parley_str_t *ret)
{
    size_t  len;

    len = strlen(name);

    if (word.len <= len || memcmp(word.data, name, len) != 0
        || word.data[len] != '=')
    {
        return 0;
    }

    *ret = parley_str_from(word, len + 1);

    return 1;
}


int
parley_setting_choice(const parley_setting_t *d, const char *const *words,
    const char *choices)
{
    int  i;

    for (i = 0; words[i] != NULL; i++) {
        if (parley_str_eq_fold(d->words[1], parley_str_c(words[i]))) {
            return i;
        }
    }

    return parley_setting_bad(d, d->words[1], choices);
}


static int
parley_setting_digits(parley_str_t *s, int64_t *ret)
{
    int64_t  n;

    if (s->len == 0 || *s->data < '0' || *s->data > '9') {
        return -1;
    }

    for (n = 0; s->len > 0 && *s->data >= '0' && *s->data <= '9';
         *s = parley_str_from(*s, 1))
    {
        n = n * 10 + (*s->data - '0');

        if (n > PARLEY_DIRECTIVE_NUMBER_MAX) {
            return -1;
        }
    }

    *ret = n;

    return 0;
}


int
parley_setting_time(parley_str_t s, int64_t *ret_ms)
{
    size_t        len;
    int64_t       n, total;
    unsigned      i, next;
    parley_str_t  unit;

    total = 0;
    next = 0;

    while (s.len > 0 || next == 0) {

        if (parley_setting_digits(&s, &n) != 0) {
            return -1;
        }

        for (len = 0; len < s.len && (s.data[len] < '0' || s.data[len] > '9')
                      && s.data[len] != ' '; len++)
        {
            /* void */
        }

        unit = len > 0 ? parley_str_make(s.data, len) : PARLEY_STR("s");

        for (i = next; parley_setting_units[i].word != NULL; i++) {
            if (parley_str_eq(unit,
                              parley_str_c(parley_setting_units[i].word)))
            {
                break;
            }
        }

        if (parley_setting_units[i].word == NULL
            || n > PARLEY_SETTING_TIME_MAX / parley_setting_units[i].ms
            || (total += n * parley_setting_units[i].ms) >
               PARLEY_SETTING_TIME_MAX)
        {
            return -1;
        }

        next = i + 1;

        while (len < s.len && s.data[len] == ' ') {
            len++;
        }

        s = parley_str_from(s, len);
    }

    *ret_ms = total;

    return 0;
}


int
parley_setting_size(parley_str_t s, int64_t *ret)
{
    if (parley_setting_digits(&s, ret) != 0 || s.len > 1) {
        return -1;
    }

    if (s.len == 0) {
        return 0;
    }

    switch (*s.data) {

    case 'k':
    case 'K':
        *ret <<= 10;
        return 0;

    case 'm':
    case 'M':
        *ret <<= 20;
        return 0;

    default:
        return -1;
    }
}


int
parley_setting_number(parley_str_t s, int64_t *ret)
{
    return (parley_setting_digits(&s, ret) != 0 || s.len > 0) ? -1 : 0;
}


int
parley_setting_value(const parley_setting_t *d, parley_str_t text,
    parley_value_t *ret)
{
    ret->text = text;
    ret->varies = text.len > 0 && memchr(text.data, '$', text.len) != NULL;

    return ret->varies ? d->env->compile(d->env->ctx, text, &ret->compiled,
                                         d->problem)
                       : 0;
}


int
parley_set_file_wrong(parley_problem_t *problem, parley_str_t path,
    parley_str_t text, const parley_error_t *err)
{
    char  place[PARLEY_PLACE_MAX];

    (void) parley_error_place(err, text, place);

    return parley_problem(problem, "\"%.*s\"%s%s: %s%s%s", (int) path.len,
                          (const char *) path.data,
                          place[0] != '\0' ? " " : "", place, err->field,
                          err->field[0] != '\0' ? " " : "", err->text);
}
