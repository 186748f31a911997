#include <string.h>

#include "core/parley_rate.h"


static const parley_str_t  parley_classes[PARLEY_CLASS_COUNT] = {
    [PARLEY_CLASS_LOW] = parley_str("low"),
    [PARLEY_CLASS_NORMAL] = parley_str("normal"),
    [PARLEY_CLASS_HIGH] = parley_str("high"),
    [PARLEY_CLASS_URGENT] = parley_str("urgent"),
};

static const struct {
    parley_str_t  suffix;
    int64_t       us;
} parley_rate_units[] = {
    { parley_str("r/s"), 1000000 },
    { parley_str("r/m"), 60 * (int64_t) 1000000 },
    { parley_str("r/h"), 3600 * (int64_t) 1000000 },
};


parley_class_t
parley_rate_class(parley_str_t word)
{
    unsigned  i;

    for (i = 0; i < PARLEY_CLASS_COUNT; i++) {
        if (parley_str_eq(word, parley_classes[i])) {
            break;
        }
    }

    return (parley_class_t) i;
}


static int
parley_rate_fail(parley_error_t *err, parley_str_t word, const char *text)
{
    return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL, "\"%.*s\" %s",
                            word.len < 64 ? (int) word.len : 64,
                            (const char *) word.data, text);
}


/* Reads 0 to max in digits without leading zeros, or returns -1. */

static int64_t
parley_rate_number(parley_str_t s, int64_t max)
{
    size_t   i;
    int64_t  n;

    if (s.len == 0 || s.len > 9 || (s.data[0] == '0' && s.len > 1)) {
        return -1;
    }

    n = 0;

    for (i = 0; i < s.len; i++) {

        if (s.data[i] < '0' || s.data[i] > '9') {
            return -1;
        }

        n = n * 10 + (s.data[i] - '0');
    }

    return n <= max ? n : -1;
}


int
parley_rate_parse(parley_str_t word, int64_t *ret_interval_us,
    parley_error_t *err)
{
    size_t        i;
    int64_t       n;
    parley_str_t  suffix;

    *ret_interval_us = 0;

    for (i = 0; i < sizeof(parley_rate_units) / sizeof(parley_rate_units[0]);
         i++)
    {
        suffix = parley_rate_units[i].suffix;

        if (word.len <= suffix.len
            || !parley_str_eq(parley_str_from(word, word.len - suffix.len),
                              suffix))
        {
            continue;
        }

        n = parley_rate_number(parley_str_make(word.data,
                                               word.len - suffix.len),
                               PARLEY_RATE_MAX);

        if (n <= 0) {
            break;
        }

        *ret_interval_us = parley_rate_units[i].us / n;

        return 0;
    }

    return parley_rate_fail(err, word, "is not a rate; expected Nr/s, Nr/m or "
                            "Nr/h with N from 1 to 1000000");
}


int
parley_rate_limit(parley_str_t word, parley_limit_rate_t *ret,
    parley_error_t *err)
{
    int64_t         burst;
    parley_str_t    rate;
    const uint8_t  *colon;

    rate = word;
    colon = word.len == 0 ? NULL : memchr(word.data, ':', word.len);

    if (colon != NULL) {
        rate.len = (size_t) (colon - word.data);
        burst = parley_rate_number(parley_str_from(word, rate.len + 1),
                                   PARLEY_RATE_BURST_MAX);
        if (burst < 0) {
            return parley_rate_fail(err, word, "is not a rate with a burst; "
                                    "expected 0 to 1000000 after the colon");
        }

        ret->burst = (uint32_t) burst;
    }

    return parley_rate_parse(rate, &ret->interval_us, err);
}


/* Reads ROLE:RATE.  A role may contain colons, and a rate contains a slash. */

static int
parley_rate_role(parley_str_t word, parley_str_t value, parley_rate_t *ret,
    parley_error_t *err)
{
    size_t               i, colon;
    parley_role_rate_t  *role;

    i = value.len;

    while (i > 0 && value.data[i - 1] != '/') {
        i--;
    }

    while (i > 0 && value.data[i - 1] != ':') {
        i--;
    }

    colon = i;

    if (colon < 2) {
        return parley_rate_fail(err, word, "is not a rate of a role; expected "
                                "role=NAME:RATE, such as role=trial:1r/s:5");
    }

    if (ret->nroles == PARLEY_RATE_ROLES_MAX) {
        return parley_rate_fail(err, word, "is one role too many; expected at "
                                "most 16");
    }

    role = &ret->roles[ret->nroles];
    role->role = parley_str_make(value.data, colon - 1);

    for (i = 0; i < ret->nroles; i++) {
        if (parley_str_eq(ret->roles[i].role, role->role)) {
            return parley_rate_fail(err, word, "is a second rate of a role; "
                                    "expected one");
        }
    }

    ret->nroles++;

    return parley_rate_limit(parley_str_from(value, colon), &role->rate, err);
}


static int
parley_rate_shared(parley_str_t word, parley_str_t value, parley_rate_t *ret,
    parley_error_t *err)
{
    size_t  i;

    static const parley_str_t  names[] = {
        [PARLEY_SHARED_NEAR] = parley_str("near"),
        [PARLEY_SHARED_EXACT] = parley_str("exact"),
        [PARLEY_SHARED_OFF] = parley_str("off"),
    };

    if (ret->has_shared) {
        return parley_rate_fail(err, word, "is a second shared=; expected "
                                "one");
    }

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (parley_str_eq(value, names[i])) {
            ret->shared = (parley_rate_shared_t) i;
            ret->has_shared = 1;

            return 0;
        }
    }

    return parley_rate_fail(err, word, "is not valid; expected shared=near, "
                            "shared=exact or shared=off");
}


static int
parley_rate_word(parley_str_t word, parley_rate_t *ret, int *has_burst,
    parley_error_t *err)
{
    int64_t         burst;
    parley_str_t    name, value;
    parley_class_t  class;
    const uint8_t  *equals;

    equals = word.len == 0 ? NULL : memchr(word.data, '=', word.len);

    if (equals == NULL && word.len > 0
        && memchr(word.data, '$', word.len) != NULL)
    {
        if (ret->variable.len > 0) {
            return parley_rate_fail(err, word, "is a second variable; "
                                    "expected one");
        }

        ret->variable = word;

        return 0;
    }

    if (equals == NULL) {

        if (ret->all.interval_us != 0) {
            return parley_rate_fail(err, word, "is a second rate; expected "
                                    "one");
        }

        return parley_rate_parse(word, &ret->all.interval_us, err);
    }

    name = parley_str_make(word.data, (size_t) (equals - word.data));
    value = parley_str_from(word, name.len + 1);

    if (parley_str_is(name, "burst")) {
        burst = parley_rate_number(value, PARLEY_RATE_BURST_MAX);

        if (burst < 0) {
            return parley_rate_fail(err, word, "is not a burst; expected 0 to "
                                    "1000000");
        }

        if (*has_burst) {
            return parley_rate_fail(err, word, "is a second burst; expected "
                                    "one");
        }

        *has_burst = 1;
        ret->all.burst = (uint32_t) burst;

        return 0;
    }

    if (parley_str_is(name, "role")) {
        return parley_rate_role(word, value, ret, err);
    }

    if (parley_str_is(name, "shared")) {
        return parley_rate_shared(word, value, ret, err);
    }

    class = parley_rate_class(name);

    if (class == PARLEY_CLASS_COUNT) {
        return parley_rate_fail(err, word, "is unknown; expected a rate, "
                                "a variable, burst=, role=, low=, normal=, "
                                "high=, urgent= or shared=");
    }

    if (ret->classes[class].interval_us != 0) {
        return parley_rate_fail(err, word, "is a second rate of a priority; "
                                "expected one");
    }

    return parley_rate_limit(value, &ret->classes[class], err);
}


int
parley_rate_compile(const parley_str_t *words, size_t n, parley_rate_t *ret,
    parley_error_t *err)
{
    int            has_burst;
    size_t         i, classes;
    parley_rate_t  rate;

    memset(ret, 0, sizeof(parley_rate_t));
    memset(&rate, 0, sizeof(parley_rate_t));
    has_burst = 0;
    classes = 0;

    for (i = 0; i < n; i++) {
        if (parley_rate_word(words[i], &rate, &has_burst, err) != 0) {
            return -1;
        }
    }

    for (i = 0; i < PARLEY_CLASS_COUNT; i++) {
        classes += rate.classes[i].interval_us != 0;
    }

    if (has_burst && rate.all.interval_us == 0) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "burst= needs a rate, such as 50r/s");
    }

    if (rate.all.interval_us == 0 && classes == 0 && rate.nroles == 0
        && rate.variable.len == 0 && !rate.has_shared)
    {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "the rate is missing; expected one, such as "
                                "50r/s");
    }

    *ret = rate;

    return 0;
}
