/* Values of directives. */

#include <string.h>

#include "parley_conf.h"
#include "parley_location.h"


#define PARLEY_CONF_NUMBER_MAX  1000000000000


/* from the longest, as they must stand; years and months nginx has not here */
static const struct {
    const char  *word;
    int64_t      ms;
} parley_conf_units[] = {
    { "w", 604800000 },
    { "d", 86400000 },
    { "h", 3600000 },
    { "m", 60000 },
    { "s", 1000 },
    { "ms", 1 },
    { NULL, 0 }
};


static int parley_conf_digits(parley_str_t *s, int64_t *ret);


static int
parley_conf_digits(parley_str_t *s, int64_t *ret)
{
    int64_t  n;

    if (s->len == 0 || *s->data < '0' || *s->data > '9') {
        return -1;
    }

    for (n = 0; s->len > 0 && *s->data >= '0' && *s->data <= '9';
         *s = parley_str_from(*s, 1))
    {
        n = n * 10 + (*s->data - '0');

        if (n > PARLEY_CONF_NUMBER_MAX) {
            return -1;
        }
    }

    *ret = n;

    return 0;
}


/* "1h30m", "90s", "90", "500ms" */
int
parley_conf_time(parley_str_t s, int64_t *ret_ms)
{
    size_t        len;
    int64_t       n, total;
    unsigned      i, next;
    parley_str_t  unit;

    total = 0;
    next = 0;

    while (s.len > 0 || next == 0) {

        if (parley_conf_digits(&s, &n) != 0) {
            return -1;
        }

        for (len = 0; len < s.len && (s.data[len] < '0' || s.data[len] > '9')
                      && s.data[len] != ' '; len++)
        {
            /* void */
        }

        unit = len > 0 ? parley_str_make(s.data, len) : PARLEY_STR("s");

        for (i = next; parley_conf_units[i].word != NULL; i++) {
            if (parley_str_eq(unit, parley_str_c(parley_conf_units[i].word)))
            {
                break;
            }
        }

        if (parley_conf_units[i].word == NULL
            || n > PARLEY_LOCATION_TIME_MAX / parley_conf_units[i].ms
            || (total += n * parley_conf_units[i].ms) >
               PARLEY_LOCATION_TIME_MAX)
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


/* "512", "64k", "1m" */
int
parley_conf_size(parley_str_t s, int64_t *ret)
{
    if (parley_conf_digits(&s, ret) != 0 || s.len > 1) {
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
parley_conf_number(parley_str_t s, int64_t *ret)
{
    return (parley_conf_digits(&s, ret) != 0 || s.len > 0) ? -1 : 0;
}


int
parley_conf_param(parley_str_t word, const char *name, parley_str_t *ret)
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
parley_conf_twice(const parley_directive_t *d, size_t i)
{
    size_t          k, len;
    const uint8_t  *equals;

    equals = memchr(d->words[i].data, '=', d->words[i].len);

    if (equals == NULL) {
        return 0;
    }

    len = (size_t) (equals + 1 - d->words[i].data);

    for (k = 1; k < i; k++) {
        if (d->words[k].len >= len
            && memcmp(d->words[k].data, d->words[i].data, len) == 0)
        {
            return 1;
        }
    }

    return 0;
}
