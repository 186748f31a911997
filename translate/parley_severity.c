#include <string.h>

#include "translate/parley_severity.h"


#define PARLEY_SEVERITY_CODE_MAX  64


static int parley_severity_is_code(parley_str_t code);


static const parley_str_t  parley_alarm_names[] = {
    [PARLEY_ALARM_NONE] = parley_str(""),
    [PARLEY_ALARM_INFO] = parley_str("info"),
    [PARLEY_ALARM_WARNING] = parley_str("warning"),
    [PARLEY_ALARM_CRITICAL] = parley_str("critical"),
    [PARLEY_ALARM_EMERGENCY] = parley_str("emergency"),
};


parley_str_t
parley_alarm_name(parley_alarm_t alarm)
{
    return parley_alarm_names[alarm];
}


parley_alarm_t
parley_alarm_find(parley_str_t word)
{
    unsigned  alarm;

    for (alarm = PARLEY_ALARM_EMERGENCY; alarm > PARLEY_ALARM_NONE; alarm--) {
        if (parley_str_eq(parley_alarm_names[alarm], word)) {
            break;
        }
    }

    return (parley_alarm_t) alarm;
}


int
parley_severity_parse(parley_str_t word, const parley_severity_t *set,
    uint32_t n, parley_severity_t *ret, parley_error_t *err)
{
    const uint8_t  *equals;

    parley_error_clear(err);

    equals = word.len > 0 ? memchr(word.data, '=', word.len) : NULL;

    if (equals == NULL) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "\"%.*s\" is not of the form CODE=severity",
                                (int) word.len, (const char *) word.data);
    }

    ret->code = parley_str_make(word.data, (size_t) (equals - word.data));
    ret->alarm = parley_alarm_find(parley_str_from(word, ret->code.len + 1));

    if (!parley_severity_is_code(ret->code)) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "\"%.*s\" is no code: that is of A-Z, 0-9 "
                                "and \"_\"", (int) ret->code.len,
                                (const char *) ret->code.data);
    }

    if (ret->alarm == PARLEY_ALARM_NONE) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "\"%.*s\" names no severity: info, warning, "
                                "critical, emergency", (int) word.len,
                                (const char *) word.data);
    }

    if (parley_severity_of(set, n, ret->code) != PARLEY_ALARM_NONE) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "\"%.*s\" is duplicate", (int) ret->code.len,
                                (const char *) ret->code.data);
    }

    if (n >= PARLEY_SEVERITIES_MAX) {
        return parley_error_set(err, PARLEY_E_FIELD_INVALID, NULL,
                                "more than %d codes", PARLEY_SEVERITIES_MAX);
    }

    return 0;
}


static int
parley_severity_is_code(parley_str_t code)
{
    size_t   i;
    uint8_t  c;

    if (code.len == 0 || code.len > PARLEY_SEVERITY_CODE_MAX) {
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


parley_alarm_t
parley_severity_of(const parley_severity_t *set, uint32_t n,
    parley_str_t code)
{
    uint32_t  i;

    for (i = 0; i < n; i++) {
        if (parley_str_eq(set[i].code, code)) {
            return set[i].alarm;
        }
    }

    return PARLEY_ALARM_NONE;
}
