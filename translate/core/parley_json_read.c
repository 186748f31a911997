/* The reader's grammar: a loop over the input that fills the tape. */

#include "parley_json.h"
#include "parley_json_scan.h"
#include "parley_json_string.h"
#include "parley_json_tape.h"


#define PARLEY_JSON_DONE  0
#define PARLEY_JSON_MORE  1


static int parley_json_read_bounds(const parley_json_limits_t *limits,
    parley_str_t input, parley_error_t *err);
static int parley_json_read_tape(parley_json_reader_t *r);
static int parley_json_read_step(parley_json_reader_t *r);
static int parley_json_read_blanks(parley_json_reader_t *r, uint8_t *ret);
static int parley_json_read_name(parley_json_reader_t *r);
static int parley_json_read_value(parley_json_reader_t *r);
static int parley_json_read_number(parley_json_reader_t *r,
    parley_json_node_t *node);
static int parley_json_read_word(parley_json_reader_t *r,
    parley_json_node_t *node, parley_str_t word, parley_json_type_t type);
static int parley_json_read_open(parley_json_reader_t *r,
    parley_json_node_t *node, parley_json_type_t type);


const parley_json_limits_t  parley_json_limits_default = {
    .octets = 1024 * 1024,
    .depth = 32,
    .string = 256 * 1024,
    .members = 65536,
    .number = 64
};


/* Whether an octet is left after white space; *ret is it. */
static inline int
parley_json_read_space(parley_json_reader_t *r, uint8_t *ret)
{
    if (r->s.p < r->s.end && *r->s.p > ' ') {
        *ret = *r->s.p;
        return 1;
    }

    return parley_json_read_blanks(r, ret);
}


int
parley_json_read(parley_json_t *doc, parley_arena_t *arena,
    const parley_json_limits_t *limits, uint64_t seed, parley_str_t input,
    parley_error_t *err)
{
    parley_json_reader_t  r;

    memset(doc, 0, sizeof(parley_json_t));
    doc->inexact = PARLEY_JSON_NONE;

    if (limits == NULL) {
        limits = &parley_json_limits_default;
    }

    if (parley_json_read_bounds(limits, input, err) != 0) {
        return -1;
    }

    doc->input = input;
    doc->arena = arena;
    doc->seed = seed;

    memset(&r, 0, sizeof(parley_json_reader_t));

    r.s.p = input.data;
    r.s.end = input.data + input.len;
    r.doc = doc;
    r.open = PARLEY_JSON_NONE;
    r.at = PARLEY_JSON_NONE;
    r.limits = limits;
    r.names.arena = arena;
    r.max_depth = (limits->depth < PARLEY_JSON_DEPTH_MAX)
                      ? limits->depth : PARLEY_JSON_DEPTH_MAX;

    if (parley_json_read_tape(&r) != 0) {
        return parley_json_tape_failed(&r, err);
    }

    return 0;
}


static int
parley_json_read_bounds(const parley_json_limits_t *limits,
    parley_str_t input, parley_error_t *err)
{
    size_t  max;

    /* offsets into the input are 32 bits wide */

    max = (limits->octets < PARLEY_JSON_NONE) ? limits->octets
                                              : PARLEY_JSON_NONE - 1;

    if (input.len > max) {
        parley_error_set(err, PARLEY_E_MESSAGE_TOO_LARGE, NULL,
                         "more than %zu octets", max);
        err->offset = max;
        return -1;
    }

    if (input.len == 0) {
        parley_error_set(err, PARLEY_E_JSON_INVALID, NULL,
                         "unexpected end of the input");
        err->offset = 0;
        return -1;
    }

    return 0;
}


static int
parley_json_read_tape(parley_json_reader_t *r)
{
    int      rc;
    uint8_t  c;

    if (r->s.end - r->s.p >= 3 && memcmp(r->s.p, "\xEF\xBB\xBF", 3) == 0) {
        return parley_json_fault(&r->s, r->s.p, "byte order mark");
    }

    do {
        rc = parley_json_read_step(r);
    } while (rc == PARLEY_JSON_MORE);

    if (rc == PARLEY_JSON_DONE && parley_json_read_space(r, &c)) {
        return parley_json_fault(&r->s, r->s.p,
                                 "trailing octets after the value");
    }

    return rc;
}


/*
 * One member, element or root and the brackets that close behind it.  An
 * array or object that is not empty only opens: it is no whole step.
 */
static int
parley_json_read_step(parley_json_reader_t *r)
{
    int                  rc;
    uint8_t              c;
    parley_json_node_t  *open;

    if (r->open != PARLEY_JSON_NONE) {
        open = &r->doc->nodes[r->open];

        rc = (open->type == PARLEY_JSON_OBJECT) ? parley_json_read_name(r)
                                                : parley_json_tape_count(r);
        if (rc != 0) {
            return -1;
        }
    }

    rc = parley_json_read_value(r);

    if (rc != PARLEY_JSON_DONE) {
        return rc;
    }

    while (r->open != PARLEY_JSON_NONE) {
        open = &r->doc->nodes[r->open];

        if (!parley_json_read_space(r, &c)) {
            return parley_json_ended(&r->s);
        }

        if (c == ',') {
            r->s.p++;
            return PARLEY_JSON_MORE;
        }

        if (open->type == PARLEY_JSON_OBJECT) {
            if (c != '}') {
                return parley_json_fault(&r->s, r->s.p,
                                         "a comma or '}' was expected");
            }

        } else if (c != ']') {
            return parley_json_fault(&r->s, r->s.p,
                                     "a comma or ']' was expected");
        }

        if (parley_json_tape_close(r) != 0) {
            return -1;
        }
    }

    return PARLEY_JSON_DONE;
}


static int
parley_json_read_blanks(parley_json_reader_t *r, uint8_t *ret)
{
    uint8_t         c;
    const uint8_t  *p, *end;

    end = r->s.end;

    for (p = r->s.p; p < end; p++) {
        c = *p;

        if (c != ' ' && c != '\n' && c != '\r' && c != '\t') {
            r->s.p = p;
            *ret = c;
            return 1;
        }
    }

    r->s.p = p;

    return 0;
}


/* a name and its colon */
static int
parley_json_read_name(parley_json_reader_t *r)
{
    uint8_t              c;
    uint32_t             k, latest;
    parley_json_node_t  *node, *open;

    if (!parley_json_read_space(r, &c)) {
        return parley_json_ended(&r->s);
    }

    if (c != '"') {
        return parley_json_fault(&r->s, r->s.p,
                                 "a member name was expected");
    }

    if (parley_json_tape_count(r) != 0) {
        return -1;
    }

    k = r->doc->nnodes;

    node = parley_json_tape_node(r);
    if (node == NULL) {
        return -1;
    }

    r->s.p++;
    node->off++;

    if (parley_json_scan_string(&r->s, node, r->limits->string) != 0) {
        r->doc->nnodes = k;
        return -1;
    }

    node->flags |= PARLEY_JSON_KEY;

    open = &r->doc->nodes[r->open];
    latest = open->len;
    open->len = k;

    if ((open->flags & PARLEY_JSON_SORTED)
        && (!(node->flags & PARLEY_JSON_ASCII)
            || (latest != PARLEY_JSON_NONE
                && parley_json_string_order(r->doc, latest, k) >= 0)))
    {
        open->flags &= (uint8_t) ~PARLEY_JSON_SORTED;
    }

    r->at = k;

    if (!parley_json_read_space(r, &c)) {
        return parley_json_ended(&r->s);
    }

    if (c != ':') {
        return parley_json_fault(&r->s, r->s.p, "a colon was expected");
    }

    r->s.p++;

    return 0;
}


static int
parley_json_read_value(parley_json_reader_t *r)
{
    int                  rc;
    uint8_t              c;
    parley_json_node_t  *node;

    if (!parley_json_read_space(r, &c)) {
        return parley_json_ended(&r->s);
    }

    r->at = r->doc->nnodes;

    node = parley_json_tape_node(r);
    if (node == NULL) {
        return -1;
    }

    switch (c) {

    case '"':
        r->s.p++;
        node->off++;
        rc = parley_json_scan_string(&r->s, node, r->limits->string);
        break;

    case '{':
        rc = parley_json_read_open(r, node, PARLEY_JSON_OBJECT);
        break;

    case '[':
        rc = parley_json_read_open(r, node, PARLEY_JSON_ARRAY);
        break;

    case 't':
        rc = parley_json_read_word(r, node, PARLEY_STR("true"),
                                   PARLEY_JSON_TRUE);
        break;

    case 'f':
        rc = parley_json_read_word(r, node, PARLEY_STR("false"),
                                   PARLEY_JSON_FALSE);
        break;

    case 'n':
        rc = parley_json_read_word(r, node, PARLEY_STR("null"),
                                   PARLEY_JSON_NULL);
        break;

    default:
        rc = parley_json_read_number(r, node);
        break;
    }

    if (rc >= 0) {
        r->at = PARLEY_JSON_NONE;
    }

    return rc;
}


static int
parley_json_read_number(parley_json_reader_t *r, parley_json_node_t *node)
{
    int      inexact;
    uint8_t  c;

    if (parley_json_scan_short(&r->s, node, r->limits->number) == 0) {
        return PARLEY_JSON_DONE;
    }

    c = *r->s.p;

    if (c != '-' && (c < '0' || c > '9')) {
        return parley_json_fault(&r->s, r->s.p, "a value was expected");
    }

    inexact = 0;

    if (parley_json_scan_number(&r->s, node, r->limits->number, &inexact)
        != 0)
    {
        return -1;
    }

    if (inexact && r->doc->inexact == PARLEY_JSON_NONE) {
        r->doc->inexact = r->doc->nnodes - 1;
    }

    return PARLEY_JSON_DONE;
}


/* true, false or null; the octet at fault is the first that differs */
static int
parley_json_read_word(parley_json_reader_t *r, parley_json_node_t *node,
    parley_str_t word, parley_json_type_t type)
{
    size_t          i;
    const uint8_t  *p;

    p = r->s.p;

    for (i = 0; i < word.len; i++) {
        if (p + i == r->s.end) {
            return parley_json_ended(&r->s);
        }

        if (p[i] != word.data[i]) {
            return parley_json_fault(&r->s, p + i, "a value was expected");
        }
    }

    r->s.p = p + word.len;
    node->len = (uint32_t) word.len;
    node->type = (uint8_t) type;

    return PARLEY_JSON_DONE;
}


static int
parley_json_read_open(parley_json_reader_t *r, parley_json_node_t *node,
    parley_json_type_t type)
{
    uint8_t  c;

    if (r->depth == r->max_depth) {
        return parley_json_excess(&r->s, r->s.p, "nested too deeply");
    }

    node->type = (uint8_t) type;
    node->flags = (type == PARLEY_JSON_OBJECT) ? PARLEY_JSON_SORTED : 0;
    node->len = PARLEY_JSON_NONE;
    node->next = r->open;

    r->open = r->doc->nnodes - 1;
    r->depth++;
    r->s.p++;

    /* only here may a bracket close at once: "[1,]" is refused */

    if (parley_json_read_space(r, &c)
        && c == ((type == PARLEY_JSON_OBJECT) ? '}' : ']'))
    {
        return parley_json_tape_close(r);
    }

    return PARLEY_JSON_MORE;
}
