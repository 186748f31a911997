/*
 * The lexer of the JSON reader: white space, strings and numbers.  Private to
 * core.
 */

#ifndef PARLEY_JSON_SCAN_H
#define PARLEY_JSON_SCAN_H

#include <stdint.h>

#include "core/parley_error.h"
#include "core/parley_json.h"
#include "core/parley_utf8.h"


typedef struct {
    const uint8_t  *p;          /* next octet */
    const uint8_t  *end;
    const uint8_t  *odd;        /* the last place known not to be in
                                   canonical form, or NULL */
    parley_code_t   code;       /* set by parley_json_fault() */
    const uint8_t  *fault;      /* the octet at fault */
    const char     *text;       /* a string literal */
} parley_json_scan_t;


/* Records a fault, json-invalid, at an octet.  Returns -1. */
static inline int
parley_json_fault(parley_json_scan_t *s, const uint8_t *at, const char *text)
{
    s->code = PARLEY_E_JSON_INVALID;
    s->fault = at;
    s->text = text;

    return -1;
}


/* As parley_json_fault(), message-too-large. */
static inline int
parley_json_excess(parley_json_scan_t *s, const uint8_t *at,
    const char *text)
{
    s->code = PARLEY_E_MESSAGE_TOO_LARGE;
    s->fault = at;
    s->text = text;

    return -1;
}


/* As parley_json_fault(), at the end of the input. */
static inline int
parley_json_ended(parley_json_scan_t *s)
{
    return parley_json_fault(s, s->end, "unexpected end of the input");
}


/* Returns the end of the white space at p. */
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
 * Continues parley_json_scan_string() at p, the first octet that is not plain
 * ASCII.  s->p is after the opening quote, last is where the length limit ends
 * the search.  Returns 0 with s->p after the closing quote, or -1 with the
 * fault recorded.
 */
int parley_json_scan_rest(parley_json_scan_t *s, parley_json_node_t *node,
    const uint8_t *p, const uint8_t *last);


/*
 * Reads a string after its opening quote, from start on, and sets len, count,
 * type and flags of node; max limits len.  Returns the position after the
 * closing quote, or NULL with the fault recorded.
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
 * Reads a number from s->p and moves s->p behind it; sets len, count, type and
 * flags of node.  Sets *ret_inexact to 1 for an integer outside +-(2^53 - 1),
 * else leaves it unchanged.  Returns 0, or -1 with the fault recorded.
 */
int parley_json_scan_number(parley_json_scan_t *s, parley_json_node_t *node,
    int *ret_inexact);


/*
 * The common case of parley_json_scan_number(): an integer other than zero
 * with at most 15 digits.  Returns -1 with nothing changed for anything else.
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
