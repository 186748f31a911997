#include <string.h>

#include "translate/parley_severity_word.h"


#define PARLEY_SEVERITY_WORD_CODE_MAX  64


static int parley_severity_word_is_code(parley_str_t code);


static const parley_str_t  parley_severity_names[] = {
    [PARLEY_SEVERITY_NONE] = parley_str(""),
    [PARLEY_SEVERITY_INFO] = parley_str("info"),
    [PARLEY_SEVERITY_WARNING] = parley_str("warning"),
    [PARLEY_SEVERITY_CRITICAL] = parley_str("critical"),
    [PARLEY_SEVERITY_EMERGENCY] = parley_str("emergency"),
};


parley_str_t
parley_severity_name(parley_severity_t alarm)
{
    return parley_severity_names[alarm];
}


parley_severity_t
parley_severity_find(parley_str_t word)
{
    unsigned  alarm;

    for (alarm = PARLEY_SEVERITY_EMERGENCY; alarm > PARLEY_SEVERITY_NONE;
         alarm--)
    {
        if (parley_str_eq(parley_severity_names[alarm], word)) {
            break;
        }
    }

    return (parley_severity_t) alarm;
}


int
parley_severity_word_parse(parley_str_t word, const parley_severity_word_t *set,
    uint32_t n, parley_severity_word_t *ret, parley_error_t *err)
{
    const uint8_t  *equals;

    parley_error_clear(err);

    equals = word.len > 0 ? memchr(word.data, '=', word.len) : NULL;

    if (equals == NULL) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "\"%.*s\" is not a severity; expected "
                                "CODE=SEVERITY",
                                (int) word.len, (const char *) word.data);
    }

    ret->code = parley_str_make(word.data, (size_t) (equals - word.data));
    ret->alarm = parley_severity_find(parley_str_from(word, ret->code.len + 1));

    if (!parley_severity_word_is_code(ret->code)) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "\"%.*s\" is not a code; expected A-Z, 0-9 "
                                "and \"_\"", (int) ret->code.len,
                                (const char *) ret->code.data);
    }

    if (ret->alarm == PARLEY_SEVERITY_NONE) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "\"%.*s\" has an unknown severity; expected "
                                "info, warning, critical or emergency",
                                (int) word.len, (const char *) word.data);
    }

    if (parley_severity_word_of(set, n, ret->code) != PARLEY_SEVERITY_NONE) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "\"%.*s\" is duplicate", (int) ret->code.len,
                                (const char *) ret->code.data);
    }

    if (n >= PARLEY_SEVERITIES_MAX) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "too many codes; expected at most %d",
                                PARLEY_SEVERITIES_MAX);
    }

    return 0;
}


static int
parley_severity_word_is_code(parley_str_t code)
{
    size_t   i;
    uint8_t  c;

    if (code.len == 0 || code.len > PARLEY_SEVERITY_WORD_CODE_MAX) {
        return 0;
    }

    for (i = 0; i < code.len; i++) {
        c = code.data[i];

        if ((c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_') {
            return 0;
        }
    }

    return 1;
}


parley_severity_t
parley_severity_word_of(const parley_severity_word_t *set, uint32_t n,
    parley_str_t code)
{
    uint32_t  i;

    for (i = 0; i < n; i++) {
        if (parley_str_eq(set[i].code, code)) {
            return set[i].alarm;
        }
    }

    return PARLEY_SEVERITY_NONE;
}
