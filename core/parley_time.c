#include <string.h>

#include "core/parley_time.h"


#define PARLEY_TIME_DAY     86400
#define PARLEY_TIME_ERA     146097                  /* days of 400 years */
#define PARLEY_TIME_MIN_MS  (-62167219200000LL)     /* 0000-01-01T00:00:00Z */
#define PARLEY_TIME_END_MS  253402300800000LL       /* 10000-01-01T00:00:00Z */

#define PARLEY_TIME_PIVOT   70      /* a year of two digits below this one is
                                       20xx */


/* date and time of day as written; -1: the form lacks it */
typedef struct {
    int  century;
    int  year;                      /* of the century */
    int  month;
    int  day;
    int  hour;
    int  minute;
    int  second;
} parley_time_parts_t;


static inline int parley_time_of_parts(const parley_time_parts_t *parts,
    int64_t *ret_s);
static int parley_time_form(const char *form, parley_str_t s,
    parley_time_parts_t *ret);
static int parley_time_month(const uint8_t *p);
static inline int parley_time_one(const uint8_t *p);
static inline int parley_time_two(const uint8_t *p);
static int parley_time_fraction(parley_str_t *s);
static int parley_time_zone(parley_str_t s, int *ret_seconds);
static int parley_time_month_days(int year, int month);
static int64_t parley_time_days(int year, int month, int day);
static void parley_time_date(unsigned days, unsigned *ret_year,
    unsigned *ret_month, unsigned *ret_day);
static char *parley_time_put(char *p, unsigned value);


int
parley_time_parse(parley_str_t s, int64_t *ret_ms)
{
    int                   ms, zone;
    int64_t               t;
    parley_str_t          rest;
    const uint8_t        *p;
    parley_time_parts_t   parts;

    p = s.data;

    /* YYYY-MM-DDThh:mm:ss and at least one octet of offset */

    if (s.len < 20 || p[4] != '-' || p[7] != '-'
        || (p[10] != 'T' && p[10] != 't') || p[13] != ':' || p[16] != ':')
    {
        return -1;
    }

    parts.century = parley_time_two(p);
    parts.year = parley_time_two(p + 2);
    parts.month = parley_time_two(p + 5);
    parts.day = parley_time_two(p + 8);
    parts.hour = parley_time_two(p + 11);
    parts.minute = parley_time_two(p + 14);
    parts.second = parley_time_two(p + 17);

    if (parley_time_of_parts(&parts, &t) != 0) {
        return -1;
    }

    rest = parley_str_from(s, 19);

    ms = parley_time_fraction(&rest);

    if (ms < 0 || parley_time_zone(rest, &zone) != 0) {
        return -1;
    }

    t -= zone;

    /* a leap second can only be the last of a UTC day */

    if (parts.second == 60 && t % PARLEY_TIME_DAY != 0) {
        return -1;
    }

    *ret_ms = t * 1000 + ms;

    return 0;
}


int
parley_time_parse_http(parley_str_t s, int64_t *ret_ms)
{
    size_t               i, k;
    int64_t              t;
    parley_str_t         rest;
    parley_time_parts_t  parts;

    /* after the day of the week: RFC 5322, RFC 850, asctime() */

    static const char *const  forms[] = {
        ", D M CY h:m:s", ", D-M-Y h:m:s", " M D h:m:s CY"
    };

    for (k = 0; k < s.len && s.data[k] != ',' && s.data[k] != ' '; k++) {
        /* void */
    }

    rest = parley_str_from(s, k);

    for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {

        if (parley_time_form(forms[i], rest, &parts) != 0) {
            continue;
        }

        if (parts.century < 0) {
            parts.century = parts.year < PARLEY_TIME_PIVOT ? 20 : 19;
        }

        if (parley_time_of_parts(&parts, &t) != 0) {
            return -1;
        }

        *ret_ms = t * 1000;

        return 0;
    }

    return -1;
}


/* Reads s by a form.  A letter of the form is two digits; M is the name of a
   month; any other octet is itself. */
static int
parley_time_form(const char *form, parley_str_t s, parley_time_parts_t *ret)
{
    int     n, *to;
    size_t  len;

    ret->century = -1;

    for ( /* void */ ; *form != '\0'; form++, s = parley_str_from(s, len)) {

        to = *form == 'C' ? &ret->century : *form == 'Y' ? &ret->year
             : *form == 'M' ? &ret->month : *form == 'D' ? &ret->day
             : *form == 'h' ? &ret->hour : *form == 'm' ? &ret->minute
             : *form == 's' ? &ret->second : NULL;

        len = to == NULL ? 1 : *form == 'M' ? 3 : 2;

        if (s.len < len) {
            return -1;
        }

        if (to == NULL) {

            if (s.data[0] != (uint8_t) *form) {
                return -1;
            }

            continue;
        }

        n = *form == 'M' ? parley_time_month(s.data)
            : *form == 'D' && s.data[0] == ' ' ? parley_time_one(s.data + 1)
            : parley_time_two(s.data);

        if (n < 0) {
            return -1;
        }

        *to = n;
    }

    return 0;
}


/*
 * Returns -1 if p is not the name of a month, spelled exactly as in an HTTP
 * date.
 */
static int
parley_time_month(const uint8_t *p)
{
    int  i;

    static const char  names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

    for (i = 0; i < 12; i++) {
        if (memcmp(p, names + 3 * i, 3) == 0) {
            return i + 1;
        }
    }

    return -1;
}


/* Converts a date and time in UTC to seconds since the epoch.  Returns -1 if
   the date or the time does not exist. */
static inline int
parley_time_of_parts(const parley_time_parts_t *parts, int64_t *ret_s)
{
    int  year;

    year = 100 * parts->century + parts->year;

    if ((parts->century | parts->year) < 0 || parts->month < 1
        || parts->month > 12 || parts->day < 1
        || parts->day > parley_time_month_days(year, parts->month)
        || parts->hour < 0 || parts->hour > 23
        || parts->minute < 0 || parts->minute > 59
        || parts->second < 0 || parts->second > 60)
    {
        return -1;
    }

    *ret_s = parley_time_days(year, parts->month, parts->day)
             * PARLEY_TIME_DAY
             + parts->hour * 3600 + parts->minute * 60 + parts->second;

    return 0;
}


size_t
parley_time_format(int64_t ms, char buf[PARLEY_TIME_MAX])
{
    char      *p;
    unsigned   days, left, year, month, day;

    if (ms < PARLEY_TIME_MIN_MS || ms >= PARLEY_TIME_END_MS) {
        buf[0] = '\0';
        return 0;
    }

    ms -= PARLEY_TIME_MIN_MS;
    days = (unsigned) (ms / (PARLEY_TIME_DAY * 1000LL));
    left = (unsigned) (ms % (PARLEY_TIME_DAY * 1000LL));

    parley_time_date(days, &year, &month, &day);

    p = parley_time_put(buf, year / 100);
    p = parley_time_put(p, year % 100);
    *p++ = '-';
    p = parley_time_put(p, month);
    *p++ = '-';
    p = parley_time_put(p, day);
    *p++ = 'T';
    p = parley_time_put(p, left / 3600000);
    *p++ = ':';
    p = parley_time_put(p, left / 60000 % 60);
    *p++ = ':';
    p = parley_time_put(p, left / 1000 % 60);

    if (left % 1000 != 0) {
        *p++ = '.';
        *p++ = (char) ('0' + left % 1000 / 100);
        p = parley_time_put(p, left % 100);
    }

    *p++ = 'Z';
    *p = '\0';

    return (size_t) (p - buf);
}


/*
 * Converts days since 0000-01-01.  Years are counted from March: 400 of them
 * have 146097 days and 4 have 1461, but every century except each fourth lacks
 * its last day.
 */

static void
parley_time_date(unsigned days, unsigned *ret_year, unsigned *ret_month,
    unsigned *ret_day)
{
    unsigned  era, year, month;

    days += PARLEY_TIME_ERA - 60;       /* 400 years before 0000-03-01 */
    era = days / PARLEY_TIME_ERA;
    days %= PARLEY_TIME_ERA;

    year = (days - days / 1460 + days / 36524 - days / 146096) / 365;
    days -= year * 365 + year / 4 - year / 100;
    month = (days * 5 + 2) / 153;

    *ret_day = days - (month * 153 + 2) / 5 + 1;
    *ret_month = month < 10 ? month + 3 : month - 9;
    *ret_year = era * 400 + year + (month >= 10) - 400;
}


static inline int
parley_time_one(const uint8_t *p)
{
    return *p >= '0' && *p <= '9' ? *p - '0' : -1;
}


static inline int
parley_time_two(const uint8_t *p)
{
    unsigned  a, b;

    a = (unsigned) p[0] - '0';
    b = (unsigned) p[1] - '0';

    return a > 9 || b > 9 ? -1 : (int) (10 * a + b);
}


/*
 * Consumes a fraction at the beginning of s.  Returns its milliseconds, 0
 * without a fraction, or -1 if no digit follows the point.
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


/* s must be all of an offset: "Z", "z", "+hh:mm" or "-hh:mm". */
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

    hour = parley_time_two(s.data + 1);
    minute = parley_time_two(s.data + 4);

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
 * Returns days since 1970-01-01 in the proleptic Gregorian calendar, from year
 * 0.  Years are counted from March, so that a leap day comes last.
 */
static int64_t
parley_time_days(int year, int month, int day)
{
    int64_t  y, m;

    y = (month > 2) ? year : year - 1;
    m = (month > 2) ? month - 3 : month + 9;
    y += 400;                           /* keeps the sum non-negative */

    return y * 365 + y / 4 - y / 100 + y / 400
           + (m * 153 + 2) / 5 + day - 1 - 146097 - 719468;
}


static char *
parley_time_put(char *p, unsigned value)
{
    p[0] = (char) ('0' + value / 10);
    p[1] = (char) ('0' + value % 10);

    return p + 2;
}
