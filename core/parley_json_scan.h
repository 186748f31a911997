/*
 * The lexical half of the JSON reader: one string or one number.  Private to
 * core.
 */

#ifndef PARLEY_JSON_SCAN_H
#define PARLEY_JSON_SCAN_H

#include <stdint.h>

#include "parley_error.h"
#include "parley_json.h"
#include "parley_utf8.h"


typedef struct {
    const uint8_t  *p;          /* the next octet */
    const uint8_t  *end;
    const uint8_t  *odd;        /* the last place known where the input is not
                                   in canonical form, or NULL */
    parley_code_t   code;       /* set by parley_json_fault() */
    const uint8_t  *fault;      /* the octet at fault */
    const char     *text;       /* what is wrong, a literal */
} parley_json_scan_t;


/* json-invalid: records what is wrong and where; returns -1 */
static inline int
parley_json_fault(parley_json_scan_t *s, const uint8_t *at, const char *text)
{
    s->code = PARLEY_E_JSON_INVALID;
    s->fault = at;
    s->text = text;

    return -1;
}


/* message-too-large, the same way */
static inline int
parley_json_excess(parley_json_scan_t *s, const uint8_t *at,
    const char *text)
{
    s->code = PARLEY_E_MESSAGE_TOO_LARGE;
    s->fault = at;
    s->text = text;

    return -1;
}


static inline int
parley_json_ended(parley_json_scan_t *s)
{
    return parley_json_fault(s, s->end, "unexpected end of the input");
}


/* Where white space from p on ends. */
static inline const uint8_t *
parley_json_scan_blanks(parley_json_scan_t *s, const uint8_t *p)
{
    while (p < s->end
           && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
    {
        s->odd = p++;
    }

    return p;
}


/*
 * The rest of a string from p on, the first octet that is not plain ASCII;
 * s->p stands behind the opening quote, last is where the limit ends.
 */
int parley_json_scan_rest(parley_json_scan_t *s, parley_json_node_t *node,
    const uint8_t *p, const uint8_t *last);


/*
 * A string whose opening quote stands before start; returns where the closing
 * one ends, or NULL, the fault recorded.  Sets len, count, type and flags of
 * the node; max is the limit of len.
 */
static inline __attribute__((always_inline)) const uint8_t *
parley_json_scan_string(parley_json_scan_t *s, parley_json_node_t *node,
    const uint8_t *start, uint32_t max)
{
    const uint8_t  *p, *last;

    p = parley_utf8_plain(start, s->end);

    if (p == s->end || *p != '"' || (size_t) (p - start) > max) {
        last = ((size_t) (s->end - start) > max) ? start + max + 1 : s->end;
        s->p = start;

        return (parley_json_scan_rest(s, node, (p < last) ? p : last, last)
                == 0)
                   ? s->p : NULL;
    }

    node->len = (uint32_t) (p - start);
    node->count = node->len;
    node->type = PARLEY_JSON_STRING;
    node->flags = PARLEY_JSON_ASCII | PARLEY_JSON_CANONICAL;

    return p + 1;
}


/*
 * s->p stands at the first octet of a number; afterwards behind the last.
 * Sets len, count, type and flags; *ret_inexact is set to 1 where the literal
 * is an integer outside +-(2^53 - 1), else left alone.
 */
int parley_json_scan_number(parley_json_scan_t *s, parley_json_node_t *node,
    int *ret_inexact);


/*
 * The common number: an integer other than zero of at most 15 digits.
 * -1: s->p stands at something else, and nothing was changed.
 */
static inline int
parley_json_scan_short(parley_json_scan_t *s, parley_json_node_t *node)
{
    const uint8_t  *p, *first, *end;

    first = s->p + (*s->p == '-');
    end = (s->end - first > 16) ? first + 16 : s->end;

    for (p = first; p < end && *p >= '0' && *p <= '9'; p++) { /* void */ }

    if (p == first || *first == '0' || p - first == 16
        || (p < end && (*p == '.' || (*p | 0x20) == 'e')))
    {
        return -1;
    }

    node->len = (uint32_t) (p - s->p);
    node->count = 0;
    node->type = PARLEY_JSON_NUMBER;
    node->flags = PARLEY_JSON_INTEGER | PARLEY_JSON_CANONICAL;
    s->p = p;

    return 0;
}


#endif /* PARLEY_JSON_SCAN_H */
