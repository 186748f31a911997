/* Reads the words of a directive: times, sizes, numbers, choices. */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gate/settings/parley_directive.h"


#define PARLEY_DIRECTIVE_NUMBER_MAX  1000000000000

/* result of a parser: the value is above all that a directive takes */
#define PARLEY_SETTING_LARGE  1


/* a suffix, and the factor that it means: milliseconds, octets or 1 */
typedef struct {
    const char  *word;
    int64_t      factor;
} parley_setting_unit_t;


/*
 * in descending order, as they must be used; without nginx's years and months
 */
static const parley_setting_unit_t  parley_setting_units[] = {
    { "w", 604800000 },
    { "d", 86400000 },
    { "h", 3600000 },
    { "m", 60000 },
    { "s", 1000 },
    { "ms", 1 },
    { NULL, 0 }
};

static const parley_setting_unit_t  parley_setting_sizes[] = {
    { "m", 1 << 20 },
    { "k", 1 << 10 },
    { "", 1 }
};


/* a kind of value: its name in errors, its syntax, and its units */
typedef struct {
    const char                   *noun;
    int                         (*parse)(parley_str_t s, int64_t *ret);
    const parley_setting_unit_t  *units;
} parley_setting_kind_t;


static const parley_setting_kind_t  parley_setting_kind_time = {
    "a time", parley_setting_time, parley_setting_units
};

static const parley_setting_kind_t  parley_setting_kind_seconds = {
    "a time of whole seconds", parley_setting_time, parley_setting_units
};

static const parley_setting_kind_t  parley_setting_kind_size = {
    "a size", parley_setting_size, parley_setting_sizes
};

static const parley_setting_kind_t  parley_setting_kind_number = {
    "a number", parley_setting_number, parley_setting_sizes + 2
};


static int parley_setting_in_range(const parley_setting_t *d,
    parley_str_t word, const parley_setting_kind_t *kind,
    const parley_range_t *range, int64_t *ret);
static int parley_setting_out_of_range(const parley_setting_t *d,
    parley_str_t word, const char *noun, const parley_setting_kind_t *kind,
    const parley_range_t *range);
static size_t parley_setting_write(char *out, size_t size,
    const parley_setting_unit_t *unit, int64_t n);
static parley_str_t parley_setting_after(parley_str_t word);
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


void
parley_settings_warn(const parley_settings_env_t *env,
    parley_problem_t *problem)
{
    if (env->warn != NULL) {
        env->warn(env->ctx, problem);
    }

    problem->text[0] = '\0';
}


int
parley_setting_bad(const parley_setting_t *d, parley_str_t word,
    const char *why)
{
    return parley_problem(d->problem, "\"%s\": \"%.*s\" %s", d->row->name,
                          (int) word.len, (const char *) word.data, why);
}


int
parley_setting_not(const parley_setting_t *d, parley_str_t word,
    const char *noun, const char *expected)
{
    return parley_problem(d->problem, "\"%s\": \"%.*s\" is not %s; expected "
                          "%s", d->row->name, (int) word.len,
                          (const char *) word.data, noun, expected);
}


int
parley_setting_unknown(const parley_setting_t *d, parley_str_t word,
    const char *expected)
{
    return parley_problem(d->problem, "\"%s\": \"%.*s\" is unknown; expected "
                          "%s", d->row->name, (int) word.len,
                          (const char *) word.data, expected);
}


int
parley_setting_wrong(const parley_setting_t *d, const char *why)
{
    return parley_problem(d->problem, "\"%s\" directive %s", d->row->name,
                          why);
}


int
parley_setting_once(const parley_setting_t *d, size_t i)
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
            return parley_setting_bad(d, word, PARLEY_SETTING_DUPLICATE);
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
parley_setting_choice(const parley_setting_t *d, const char *const *words)
{
    int     i;
    char    expected[128];
    size_t  len;

    for (i = 0; words[i] != NULL; i++) {
        if (parley_str_eq_fold(d->words[1], parley_str_c(words[i]))) {
            return i;
        }
    }

    len = 0;

    for (i = 0; words[i] != NULL; i++) {
        len += (size_t) snprintf(expected + len, sizeof(expected) - len,
                                 "%s%s", i == 0 ? ""
                                         : words[i + 1] == NULL ? " or " : ", ",
                                 words[i]);
    }

    return parley_setting_unknown(d, d->words[1], expected);
}


int
parley_setting_read_time(const parley_setting_t *d, parley_str_t word,
    const parley_range_t *range, int64_t *ret_ms)
{
    return parley_setting_in_range(d, word, &parley_setting_kind_time, range,
                                   ret_ms);
}


int
parley_setting_read_seconds(const parley_setting_t *d, parley_str_t word,
    const parley_range_t *range, int64_t *ret_s)
{
    int64_t                       ms;
    const parley_setting_kind_t  *kind = &parley_setting_kind_seconds;

    if (parley_setting_in_range(d, word, kind, range, &ms) != 0) {
        return -1;
    }

    *ret_s = ms / 1000;

    return ms % 1000 == 0
           ? 0 : parley_setting_out_of_range(d, word, kind->noun, kind, range);
}


int
parley_setting_read_size(const parley_setting_t *d, parley_str_t word,
    const parley_range_t *range, int64_t *ret)
{
    return parley_setting_in_range(d, word, &parley_setting_kind_size, range,
                                   ret);
}


int
parley_setting_read_number(const parley_setting_t *d, parley_str_t word,
    const parley_range_t *range, int64_t *ret)
{
    return parley_setting_in_range(d, word, &parley_setting_kind_number, range,
                                   ret);
}


static int
parley_setting_in_range(const parley_setting_t *d, parley_str_t word,
    const parley_setting_kind_t *kind, const parley_range_t *range,
    int64_t *ret)
{
    int  rc;

    rc = kind->parse(parley_setting_after(word), ret);

    /* a range without a maximum has none to name in the error */

    if (rc < 0 || (rc == PARLEY_SETTING_LARGE && range->max == INT64_MAX)) {
        return parley_setting_out_of_range(d, word, kind->noun, kind, range);
    }

    return rc == 0 && *ret >= range->min && *ret <= range->max
           ? 0 : parley_setting_out_of_range(d, word, "in the range", kind,
                                             range);
}


static int
parley_setting_out_of_range(const parley_setting_t *d, parley_str_t word,
    const char *noun, const parley_setting_kind_t *kind,
    const parley_range_t *range)
{
    char    text[64];
    size_t  len;

    len = parley_setting_write(text, sizeof(text), kind->units, range->min);

    if (range->max == INT64_MAX) {
        (void) snprintf(text + len, sizeof(text) - len, " or more");

    } else {
        len += (size_t) snprintf(text + len, sizeof(text) - len, " to ");
        (void) parley_setting_write(text + len, sizeof(text) - len,
                                    kind->units, range->max);
    }

    return parley_setting_not(d, word, noun, text);
}


/* Writes n in the largest unit that divides it.  Returns the length. */

static size_t
parley_setting_write(char *out, size_t size, const parley_setting_unit_t *unit,
    int64_t n)
{
    while (n % unit->factor != 0) {
        unit++;
    }

    return (size_t) snprintf(out, size, "%lld%s",
                             (long long) (n / unit->factor),
                             n == 0 ? "" : unit->word);
}


/* Returns the value of a word NAME=VALUE, or the whole word. */

static parley_str_t
parley_setting_after(parley_str_t word)
{
    const uint8_t  *equals;

    equals = word.len > 0 ? memchr(word.data, '=', word.len) : NULL;

    return equals == NULL ? word
           : parley_str_from(word, (size_t) (equals + 1 - word.data));
}


static int
parley_setting_digits(parley_str_t *s, int64_t *ret)
{
    int      rc;
    int64_t  n;

    if (s->len == 0 || *s->data < '0' || *s->data > '9') {
        return -1;
    }

    rc = 0;

    for (n = 0; s->len > 0 && *s->data >= '0' && *s->data <= '9';
         *s = parley_str_from(*s, 1))
    {
        n = n * 10 + (*s->data - '0');

        if (n > PARLEY_DIRECTIVE_NUMBER_MAX) {
            n = PARLEY_DIRECTIVE_NUMBER_MAX;
            rc = PARLEY_SETTING_LARGE;
        }
    }

    *ret = n;

    return rc;
}


int
parley_setting_time(parley_str_t s, int64_t *ret_ms)
{
    int           rc, large;
    size_t        len;
    int64_t       n, total;
    unsigned      i, next;
    parley_str_t  unit;

    large = 0;
    total = 0;
    next = 0;

    while (s.len > 0 || next == 0) {

        rc = parley_setting_digits(&s, &n);

        if (rc < 0) {
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

        if (parley_setting_units[i].word == NULL) {
            return -1;
        }

        if (rc != 0
            || n > PARLEY_SETTING_TIME_MAX / parley_setting_units[i].factor
            || (total += n * parley_setting_units[i].factor) >
               PARLEY_SETTING_TIME_MAX)
        {
            large = PARLEY_SETTING_LARGE;
            total = PARLEY_SETTING_TIME_MAX;
        }

        next = i + 1;

        while (len < s.len && s.data[len] == ' ') {
            len++;
        }

        s = parley_str_from(s, len);
    }

    *ret_ms = total;

    return large;
}


int
parley_setting_size(parley_str_t s, int64_t *ret)
{
    int  rc;

    rc = parley_setting_digits(&s, ret);

    if (rc < 0 || s.len > 1) {
        return -1;
    }

    if (s.len == 0) {
        return rc;
    }

    switch (*s.data) {

    case 'k':
    case 'K':
        *ret <<= 10;
        return rc;

    case 'm':
    case 'M':
        *ret <<= 20;
        return rc;

    default:
        return -1;
    }
}


int
parley_setting_number(parley_str_t s, int64_t *ret)
{
    int  rc;

    rc = parley_setting_digits(&s, ret);

    return s.len > 0 ? -1 : rc;
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
