#include "parley_time.h"


#define PARLEY_TIME_DAY     86400
#define PARLEY_TIME_MIN_MS  (-62167219200000LL)     /* 0000-01-01T00:00:00Z */
#define PARLEY_TIME_END_MS  253402300800000LL       /* 10000-01-01T00:00:00Z */


static int parley_time_digits(const uint8_t *p, int n);
static int parley_time_fraction(parley_str_t *s);
static int parley_time_zone(parley_str_t s, int *ret_seconds);
static int parley_time_month_days(int year, int month);
static int64_t parley_time_days(int year, int month, int day);
static char *parley_time_put(char *p, int64_t value, int digits);


int
parley_time_parse(parley_str_t s, int64_t *ret_ms)
{
    int             year, month, day, hour, minute, second, ms, zone;
    int64_t         t;
    parley_str_t    rest;
    const uint8_t  *p;

    p = s.data;

    /* YYYY-MM-DDThh:mm:ss and at least a "Z" */

    if (s.len < 20 || p[4] != '-' || p[7] != '-'
        || (p[10] != 'T' && p[10] != 't') || p[13] != ':' || p[16] != ':')
    {
        return -1;
    }

    year = parley_time_digits(p, 4);
    month = parley_time_digits(p + 5, 2);
    day = parley_time_digits(p + 8, 2);
    hour = parley_time_digits(p + 11, 2);
    minute = parley_time_digits(p + 14, 2);
    second = parley_time_digits(p + 17, 2);

    if (year < 0 || month < 1 || month > 12 || day < 1
        || day > parley_time_month_days(year, month)
        || hour < 0 || hour > 23 || minute < 0 || minute > 59
        || second < 0 || second > 60)
    {
        return -1;
    }

    rest = parley_str_from(s, 19);

    ms = parley_time_fraction(&rest);

    if (ms < 0 || parley_time_zone(rest, &zone) != 0) {
        return -1;
    }

    t = parley_time_days(year, month, day) * PARLEY_TIME_DAY
        + hour * 3600 + minute * 60 + second - zone;

    /* second 60 has become the next day's first second, or is none */

    if (second == 60 && t % PARLEY_TIME_DAY != 0) {
        return -1;
    }

    *ret_ms = t * 1000 + ms;

    return 0;
}


size_t
parley_time_format(int64_t ms, char buf[PARLEY_TIME_MAX])
{
    char     *p;
    int       year, month;
    int64_t   days, left;

    if (ms < PARLEY_TIME_MIN_MS || ms >= PARLEY_TIME_END_MS) {
        buf[0] = '\0';
        return 0;
    }

    left = ms - PARLEY_TIME_MIN_MS;
    days = left / (PARLEY_TIME_DAY * 1000LL);
    left -= days * (PARLEY_TIME_DAY * 1000LL);

    /* 146097 days are 400 years; the estimate is at most one year early */

    year = (int) (days * 400 / 146097);
    days += parley_time_days(0, 1, 1);

    while (parley_time_days(year + 1, 1, 1) <= days) {
        year++;
    }

    while (parley_time_days(year, 1, 1) > days) {
        year--;
    }

    month = 1;
    days -= parley_time_days(year, 1, 1);

    while (days >= parley_time_month_days(year, month)) {
        days -= parley_time_month_days(year, month++);
    }

    p = parley_time_put(buf, year, 4);
    *p++ = '-';
    p = parley_time_put(p, month, 2);
    *p++ = '-';
    p = parley_time_put(p, days + 1, 2);
    *p++ = 'T';
    p = parley_time_put(p, left / 3600000, 2);
    *p++ = ':';
    p = parley_time_put(p, left / 60000 % 60, 2);
    *p++ = ':';
    p = parley_time_put(p, left / 1000 % 60, 2);

    if (left % 1000 != 0) {
        *p++ = '.';
        p = parley_time_put(p, left % 1000, 3);
    }

    *p++ = 'Z';
    *p = '\0';

    return (size_t) (p - buf);
}


static int
parley_time_digits(const uint8_t *p, int n)
{
    int  value;

    for (value = 0; n > 0; n--, p++) {
        if (*p < '0' || *p > '9') {
            return -1;
        }

        value = value * 10 + (*p - '0');
    }

    return value;
}


/*
 * Takes a fraction, where there is one, from the beginning of s.  Returns its
 * milliseconds, or -1 where no digit follows the point.
 */
static int
parley_time_fraction(parley_str_t *s)
{
    int     ms, unit;
    size_t  i;

    if (s->len == 0 || s->data[0] != '.') {
        return 0;
    }

    ms = 0;
    unit = 100;

    for (i = 1; i < s->len && s->data[i] >= '0' && s->data[i] <= '9'; i++) {
        ms += (s->data[i] - '0') * unit;
        unit /= 10;
    }

    if (i == 1) {
        return -1;
    }

    *s = parley_str_from(*s, i);

    return ms;
}


/* The whole of s: "Z", "z" or "+hh:mm", "-hh:mm". */
static int
parley_time_zone(parley_str_t s, int *ret_seconds)
{
    int  hour, minute;

    if (s.len == 1 && (s.data[0] == 'Z' || s.data[0] == 'z')) {
        *ret_seconds = 0;
        return 0;
    }

    if (s.len != 6 || (s.data[0] != '+' && s.data[0] != '-')
        || s.data[3] != ':')
    {
        return -1;
    }

    hour = parley_time_digits(s.data + 1, 2);
    minute = parley_time_digits(s.data + 4, 2);

    if (hour < 0 || hour > 23 || minute < 0 || minute > 59) {
        return -1;
    }

    *ret_seconds = hour * 3600 + minute * 60;

    if (s.data[0] == '-') {
        *ret_seconds = -*ret_seconds;
    }

    return 0;
}


static int
parley_time_month_days(int year, int month)
{
    static const int8_t  days[] = { 31, 28, 31, 30, 31, 30,
                                    31, 31, 30, 31, 30, 31 };

    if (month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)) {
        return 29;
    }

    return days[month - 1];
}


/*
 * Days since 1970-01-01 in the Gregorian calendar, year 0 and later.  The
 * year is taken to begin in March, so that a leap day is its last.
 */
static int64_t
parley_time_days(int year, int month, int day)
{
    int64_t  y, m;

    y = (month > 2) ? year : year - 1;
    m = (month > 2) ? month - 3 : month + 9;
    y += 400;                           /* never negative below */

    return y * 365 + y / 4 - y / 100 + y / 400
           + (m * 153 + 2) / 5 + day - 1 - 146097 - 719468;
}


static char *
parley_time_put(char *p, int64_t value, int digits)
{
    int  i;

    for (i = digits - 1; i >= 0; i--) {
        p[i] = (char) ('0' + value % 10);
        value /= 10;
    }

    return p + digits;
}
