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
static int parley_json_read_name(parley_json_reader_t *r);
static int parley_json_read_ascends(const parley_json_t *doc, uint32_t i,
    uint32_t k);
static int parley_json_read_colon(parley_json_reader_t *r, uint32_t k);
static int parley_json_read_element(parley_json_reader_t *r);
static int parley_json_read_value(parley_json_reader_t *r);
static int parley_json_read_behind(parley_json_reader_t *r);
static int parley_json_read_unexpected(parley_json_reader_t *r,
    const uint8_t *p, const char *text);
static int parley_json_read_number(parley_json_reader_t *r,
    parley_json_node_t *node);
static int parley_json_read_word(parley_json_reader_t *r,
    parley_json_node_t *node, parley_str_t word, parley_json_type_t type);
static int parley_json_read_misspelt(parley_json_reader_t *r,
    parley_str_t word);
static int parley_json_read_open(parley_json_reader_t *r,
    parley_json_node_t *node, parley_json_type_t type);


const parley_json_limits_t  parley_json_limits_default = {
    .octets = 1024 * 1024,
    .depth = 32,
    .string = 256 * 1024,
    .members = 65536,
    .number = 64
};


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

    memset(&r, 0, sizeof(parley_json_reader_t));

    r.s.p = input.data;
    r.s.end = input.data + input.len;
    r.doc.input = input;
    r.doc.inexact = PARLEY_JSON_NONE;
    r.doc.arena = arena;
    r.doc.seed = seed;
    r.open = PARLEY_JSON_NONE;
    r.at = PARLEY_JSON_NONE;
    r.limits = limits;
    r.names.arena = arena;
    r.max_depth = (limits->depth < PARLEY_JSON_DEPTH_MAX)
                      ? limits->depth : PARLEY_JSON_DEPTH_MAX;

    if (parley_json_read_tape(&r) != 0) {
        return parley_json_tape_failed(&r, err);
    }

    *doc = r.doc;

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
    int  rc;

    if (r->s.end - r->s.p >= 3 && memcmp(r->s.p, "\xEF\xBB\xBF", 3) == 0) {
        return parley_json_fault(&r->s, r->s.p, "byte order mark");
    }

    do {
        switch (r->within) {

        case PARLEY_JSON_OBJECT:
            rc = parley_json_read_name(r);
            break;

        case PARLEY_JSON_ARRAY:
            rc = parley_json_read_element(r);
            break;

        default:
            rc = parley_json_tape_room(r);
            break;
        }

        if (rc != 0) {
            return -1;
        }

        rc = parley_json_read_value(r);

        if (rc == PARLEY_JSON_DONE) {
            rc = parley_json_read_behind(r);
        }

    } while (rc == PARLEY_JSON_MORE);

    return rc;
}


/* a name and its colon; there is room for the value too */
static inline int
parley_json_read_name(parley_json_reader_t *r)
{
    uint32_t             k, latest;
    const uint8_t       *p, *end;
    parley_json_node_t  *node, *open;

    end = r->s.end;
    p = r->s.p;

    if (p == end || *p != '"') {
        p = parley_json_scan_blanks(&r->s, p);

        if (p == end || *p != '"') {
            return parley_json_read_unexpected(r, p,
                                               "a member name was expected");
        }
    }

    if (parley_json_tape_room(r) != 0) {
        return -1;
    }

    k = r->doc.nnodes;
    node = &r->doc.nodes[k];
    open = &r->doc.nodes[r->open];

    if (parley_json_tape_count(r, open, p) != 0) {
        return -1;
    }

    r->s.p = p + 1;

    if (parley_json_scan_string(&r->s, node, r->limits->string) != 0) {
        return -1;
    }

    node->off = (uint32_t) (p + 1 - r->doc.input.data);
    node->next = k + 1;
    r->doc.nnodes = k + 1;

    latest = open->len;
    open->len = k;

    if (!(node->flags & PARLEY_JSON_ASCII)) {
        node->atom = (uint16_t) parley_json_string_atom(&r->doc, k);
        open->flags &= (uint8_t) ~PARLEY_JSON_SORTED;

        if (node->flags & PARLEY_JSON_ESCAPED) {
            open->flags |= PARLEY_JSON_MASKED;
        }

    } else {
        node->atom = (uint16_t) parley_atom_of(parley_str_make(p + 1,
                                                               node->len));

        if ((open->flags & PARLEY_JSON_SORTED) && latest != PARLEY_JSON_NONE
            && !parley_json_read_ascends(&r->doc, latest, k))
        {
            open->flags &= (uint8_t) ~PARLEY_JSON_SORTED;
        }
    }

    node->flags |= PARLEY_JSON_KEY;

    return parley_json_read_colon(r, k);
}


/* of two names without escapes, all ASCII */
static inline int
parley_json_read_ascends(const parley_json_t *doc, uint32_t i, uint32_t k)
{
    uint16_t  a, b;

    a = doc->nodes[i].atom;
    b = doc->nodes[k].atom;

    return (a != PARLEY_ATOM_NONE && b != PARLEY_ATOM_NONE)
           ? a < b : parley_json_string_order(doc, i, k) < 0;
}


/* the colon behind name k */
static inline int
parley_json_read_colon(parley_json_reader_t *r, uint32_t k)
{
    const uint8_t  *p;

    p = r->s.p;

    if (p == r->s.end || *p != ':') {
        p = parley_json_scan_blanks(&r->s, p);

        if (p == r->s.end || *p != ':') {
            r->at = k;
            return parley_json_read_unexpected(r, p, "a colon was expected");
        }
    }

    r->s.p = p + 1;

    return 0;
}


static int
parley_json_read_element(parley_json_reader_t *r)
{
    if (parley_json_tape_room(r) != 0) {
        return -1;
    }

    return parley_json_tape_count(r, &r->doc.nodes[r->open], r->s.p);
}


static inline int
parley_json_read_value(parley_json_reader_t *r)
{
    int                  rc;
    uint32_t             i;
    const uint8_t       *p;
    parley_json_node_t  *node;

    i = r->doc.nnodes;
    p = r->s.p;

    if (p == r->s.end || *p <= ' ') {
        p = parley_json_scan_blanks(&r->s, p);
        r->s.p = p;

        if (p == r->s.end) {
            r->at = (r->within == PARLEY_JSON_OBJECT) ? i - 1
                                                      : PARLEY_JSON_NONE;

            return parley_json_ended(&r->s);
        }
    }

    node = &r->doc.nodes[i];
    node->off = (uint32_t) (p - r->doc.input.data);
    node->next = i + 1;
    node->depth = (uint16_t) r->depth;
    r->doc.nnodes = i + 1;

    switch (*p) {

    case '"':
        r->s.p = p + 1;
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

    if (rc < 0) {
        r->at = i;
    }

    return rc;
}


/*
 * Behind a whole value: a comma, or the brackets that close and what is behind
 * them.
 */
static inline int
parley_json_read_behind(parley_json_reader_t *r)
{
    int             object;
    const uint8_t  *p, *end;

    end = r->s.end;

    for ( ;; ) {
        p = r->s.p;

        if (p == end || *p <= ' ') {
            p = parley_json_scan_blanks(&r->s, p);
            r->s.p = p;
        }

        if (r->within == PARLEY_JSON_NULL) {
            return (p == end)
                       ? PARLEY_JSON_DONE
                       : parley_json_fault(&r->s, p,
                                           "trailing octets after the value");
        }

        if (p < end && *p == ',') {
            r->s.p = p + 1;
            return PARLEY_JSON_MORE;
        }

        object = (r->within == PARLEY_JSON_OBJECT);

        if (p == end || *p != (object ? '}' : ']')) {
            return parley_json_read_unexpected(r, p,
                                       object ? "a comma or '}' was expected"
                                              : "a comma or ']' was expected");
        }

        if (parley_json_tape_close(r) != 0) {
            return -1;
        }
    }
}


/* something else stands at p, or nothing */
static int
parley_json_read_unexpected(parley_json_reader_t *r, const uint8_t *p,
    const char *text)
{
    return (p == r->s.end) ? parley_json_ended(&r->s)
                           : parley_json_fault(&r->s, p, text);
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

    if (inexact && r->doc.inexact == PARLEY_JSON_NONE) {
        r->doc.inexact = r->doc.nnodes - 1;
    }

    return PARLEY_JSON_DONE;
}


/* true, false or null */
static int
parley_json_read_word(parley_json_reader_t *r, parley_json_node_t *node,
    parley_str_t word, parley_json_type_t type)
{
    if ((size_t) (r->s.end - r->s.p) < word.len
        || !parley_octets_same(r->s.p, word.data, word.len))
    {
        return parley_json_read_misspelt(r, word);
    }

    r->s.p += word.len;
    node->len = (uint32_t) word.len;
    node->count = 0;
    node->type = (uint8_t) type;
    node->flags = PARLEY_JSON_CANONICAL;

    return PARLEY_JSON_DONE;
}


/* the octet at fault is the first that differs */
static int
parley_json_read_misspelt(parley_json_reader_t *r, parley_str_t word)
{
    size_t          i;
    const uint8_t  *p;

    p = r->s.p;

    for (i = 0; p + i < r->s.end && p[i] == word.data[i]; i++) { /* void */ }

    return parley_json_read_unexpected(r, p + i, "a value was expected");
}


static int
parley_json_read_open(parley_json_reader_t *r, parley_json_node_t *node,
    parley_json_type_t type)
{
    const uint8_t  *p;

    if (r->depth == r->max_depth) {
        return parley_json_excess(&r->s, r->s.p, "nested too deeply");
    }

    node->len = PARLEY_JSON_NONE;
    node->next = r->open;
    node->count = 0;
    node->type = (uint8_t) type;
    node->flags = (type == PARLEY_JSON_OBJECT) ? PARLEY_JSON_SORTED : 0;

    r->open = r->doc.nnodes - 1;
    r->within = type;
    r->depth++;

    p = parley_json_scan_blanks(&r->s, r->s.p + 1);
    r->s.p = p;

    /* only here may a bracket close at once: "[1,]" is refused */

    if (p < r->s.end && *p == ((type == PARLEY_JSON_OBJECT) ? '}' : ']')) {
        return parley_json_tape_close(r);
    }

    return PARLEY_JSON_MORE;
}
