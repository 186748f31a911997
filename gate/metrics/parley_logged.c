/* Limits the lines of refusals in the error log. */

#include <stdio.h>
#include <string.h>

#include "gate/metrics/parley_logged.h"


static int parley_logged_len(int len);
static unsigned parley_logged_most(const parley_logged_t *l);


int
parley_logged_line(parley_logged_t *l, parley_code_t code, int64_t now,
    int64_t *ret_wait)
{
    if (l->hushed == 0
        && (l->begun == 0 || now - l->begun >= PARLEY_LOGGED_MS))
    {
        memset(l, 0, sizeof(parley_logged_t));
        l->begun = now != 0 ? now : 1;
    }

    if (l->n[code]++ < PARLEY_LOGGED_LINES) {
        return 1;
    }

    l->hushed++;

    *ret_wait = l->begun + PARLEY_LOGGED_MS - now;

    if (*ret_wait < 1) {
        *ret_wait = 1;
    }

    return 0;
}


uint64_t
parley_logged_sum(parley_logged_t *l, const char *of,
    char text[PARLEY_LOGGED_TEXT])
{
    int        len;
    uint64_t   hushed, left;
    unsigned   i, code;
    uint32_t   n;

    hushed = l->hushed;
    left = hushed;
    text[0] = '\0';

    if (hushed == 0) {
        return 0;
    }

    len = snprintf(text, PARLEY_LOGGED_TEXT, "%llu more %s within a second:",
                   (unsigned long long) hushed, of);
    len = parley_logged_len(len);

    for (i = 0; i < PARLEY_LOGGED_CODES && left > 0; i++) {
        code = parley_logged_most(l);
        n = l->n[code] - PARLEY_LOGGED_LINES;
        l->n[code] = 0;
        left -= n;

        len += snprintf(text + len, (size_t) (PARLEY_LOGGED_TEXT - len),
                        "%s %s %lu", i > 0 ? "," : "", code == PARLEY_E_NONE
                        ? "other" : (const char *)
                        parley_error_info((parley_code_t) code)->word.data,
                        (unsigned long) n);
        len = parley_logged_len(len);
    }

    if (left > 0) {
        (void) snprintf(text + len, (size_t) (PARLEY_LOGGED_TEXT - len),
                        ", others %llu", (unsigned long long) left);
    }

    memset(l, 0, sizeof(parley_logged_t));

    return hushed;
}


/*
 * Returns the length of the text from the return value of snprintf(), which may
 * be larger than the buffer.
 */

static int
parley_logged_len(int len)
{
    return len < 0 ? 0
           : len < PARLEY_LOGGED_TEXT ? len : PARLEY_LOGGED_TEXT - 1;
}


/*
 * Returns the code with the most refusals.  At least one refusal was counted.
 */

static unsigned
parley_logged_most(const parley_logged_t *l)
{
    unsigned  i, most;

    most = 0;

    for (i = 1; i < PARLEY_E_COUNT; i++) {
        if (l->n[i] > l->n[most]) {
            most = i;
        }
    }

    return most;
}
