/* The grammar of the reader: a loop over the input that fills the tape. */

#include "core/parley_json.h"
#include "core/parley_json_scan.h"
#include "core/parley_json_string.h"
#include "core/parley_json_tape.h"


static int parley_json_read_bounds(const parley_json_limits_t *limits,
    parley_str_t input, parley_error_t *err);
static int parley_json_read_tape(parley_json_reader_t *r);

/* inline, to keep the input position in a register */
static inline const uint8_t *parley_json_read_name(parley_json_reader_t *r,
    const uint8_t *p);
static inline int parley_json_read_ascends(const parley_json_t *doc,
    uint32_t i, uint32_t k);
static inline const uint8_t *parley_json_read_element(parley_json_reader_t *r,
    const uint8_t *p);
static inline const uint8_t *parley_json_read_value(parley_json_reader_t *r,
    const uint8_t *p);
static inline const uint8_t *parley_json_read_behind(parley_json_reader_t *r,
    const uint8_t *p);

static const uint8_t *parley_json_read_other(parley_json_reader_t *r,
    const uint8_t *p, parley_json_node_t *node);
static const uint8_t *parley_json_read_number(parley_json_reader_t *r,
    const uint8_t *p, parley_json_node_t *node);
static const uint8_t *parley_json_read_word(parley_json_reader_t *r,
    const uint8_t *p, parley_json_node_t *node, parley_str_t word,
    parley_json_type_t type);
static const uint8_t *parley_json_read_misspelt(parley_json_reader_t *r,
    const uint8_t *p, parley_str_t word);
static const uint8_t *parley_json_read_open(parley_json_reader_t *r,
    const uint8_t *p, parley_json_node_t *node);
static const uint8_t *parley_json_read_unexpected(parley_json_reader_t *r,
    const uint8_t *p, const char *text)
    __attribute__((cold));


const parley_json_limits_t  parley_json_limits_default = {
    .octets = 1024 * 1024,
    .depth = 32,
    .string = 256 * 1024,
    .members = 65536
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

    /* node offsets are 32 bits wide */

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


/*
 * Each step returns the next input position, or NULL with the fault recorded
 * (no fault: memory is exhausted).
 */
static int
parley_json_read_tape(parley_json_reader_t *r)
{
    const uint8_t  *p;

    p = r->s.p;

    if (r->s.end - p >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0) {
        return parley_json_fault(&r->s, p, "byte order mark");
    }

    do {
        switch (r->within) {

        case PARLEY_JSON_OBJECT:
            p = parley_json_read_name(r, p);
            break;

        case PARLEY_JSON_ARRAY:
            p = parley_json_read_element(r, p);
            break;

        default:
            p = (parley_json_tape_room(r) == 0) ? p : NULL;
            break;
        }

        if (p != NULL) {
            p = parley_json_read_value(r, p);
        }

        if (p == NULL) {
            return -1;
        }

    } while (r->within != PARLEY_JSON_NULL);

    return 0;
}


/*
 * Reads a name and its colon.  The room made here suffices for the value too.
 */
static inline const uint8_t *
parley_json_read_name(parley_json_reader_t *r, const uint8_t *p)
{
    uint32_t             k, latest;
    parley_json_node_t  *node, *open;

    if (p == r->s.end || *p != '"') {
        p = parley_json_scan_blanks(&r->s, p);

        if (p == r->s.end || *p != '"') {
            return parley_json_read_unexpected(r, p,
                                               "a member name was expected");
        }
    }

    if (parley_json_tape_room(r) != 0) {
        return NULL;
    }

    k = r->doc.nnodes;
    node = &r->doc.nodes[k];
    open = &r->doc.nodes[r->open];

    if (parley_json_tape_count(r, open, p) != 0) {
        return NULL;
    }

    p++;
    node->off = (uint32_t) (p - r->doc.input.data);
    node->next = k + 1;

    p = parley_json_scan_string(&r->s, node, p, r->limits->string);

    if (p == NULL) {
        return NULL;
    }

    r->doc.nnodes = k + 1;
    latest = open->len;
    open->len = k;

    if (!(node->flags & PARLEY_JSON_ASCII)) {
        node->atom = PARLEY_ATOM_NONE;
        open->flags &= (uint8_t) ~PARLEY_JSON_SORTED;

        if (node->flags & PARLEY_JSON_ESCAPED) {
            node->atom = (uint16_t) parley_json_string_atom(&r->doc, k);
            open->flags |= PARLEY_JSON_MASKED;
        }

    } else {
        node->atom = (uint16_t) parley_atom_of(parley_json_span(&r->doc, k));

        if ((open->flags & PARLEY_JSON_SORTED) && latest != PARLEY_JSON_NONE
            && !parley_json_read_ascends(&r->doc, latest, k))
        {
            open->flags &= (uint8_t) ~PARLEY_JSON_SORTED;
        }
    }

    node->flags |= PARLEY_JSON_KEY;

    if (p == r->s.end || *p != ':') {
        p = parley_json_scan_blanks(&r->s, p);

        if (p == r->s.end || *p != ':') {
            r->at = k;
            return parley_json_read_unexpected(r, p, "a colon was expected");
        }
    }

    return p + 1;
}


/* Compares two unescaped ASCII names. */
static inline int
parley_json_read_ascends(const parley_json_t *doc, uint32_t i, uint32_t k)
{
    uint16_t  a, b;

    a = doc->nodes[i].atom;
    b = doc->nodes[k].atom;

    return (a != PARLEY_ATOM_NONE && b != PARLEY_ATOM_NONE)
           ? a < b : parley_json_string_order(doc, i, k) < 0;
}


static inline const uint8_t *
parley_json_read_element(parley_json_reader_t *r, const uint8_t *p)
{
    if (parley_json_tape_room(r) != 0
        || parley_json_tape_count(r, &r->doc.nodes[r->open], p) != 0)
    {
        return NULL;
    }

    return p;
}


/* Reads an opening bracket, or a scalar and the punctuation after it. */
static inline const uint8_t *
parley_json_read_value(parley_json_reader_t *r, const uint8_t *p)
{
    uint32_t             i;
    parley_json_node_t  *node;

    i = r->doc.nnodes;

    if (p == r->s.end || *p <= ' ') {
        p = parley_json_scan_blanks(&r->s, p);

        if (p == r->s.end) {
            r->at = (r->within == PARLEY_JSON_OBJECT) ? i - 1
                                                      : PARLEY_JSON_NONE;
            (void) parley_json_ended(&r->s);
            return NULL;
        }
    }

    node = &r->doc.nodes[i];
    node->off = (uint32_t) (p - r->doc.input.data);
    node->next = i + 1;
    node->depth = (uint16_t) r->depth;
    r->doc.nnodes = i + 1;

    if (*p == '"') {
        node->off++;
        p = parley_json_scan_string(&r->s, node, p + 1, r->limits->string);

    } else if (*p == '{' || *p == '[') {
        p = parley_json_read_open(r, p, node);

        if (p != NULL && r->open == i) {
            return p;
        }

    } else {
        p = parley_json_read_other(r, p, node);
    }

    if (p == NULL) {
        r->at = i;
        return NULL;
    }

    return parley_json_read_behind(r, p);
}


/*
 * Reads the punctuation after a complete value: a comma, or closing brackets
 * and the punctuation after them.
 */
static inline const uint8_t *
parley_json_read_behind(parley_json_reader_t *r, const uint8_t *p)
{
    int  object;

    for ( ;; ) {

        if (p == r->s.end || *p <= ' ') {
            p = parley_json_scan_blanks(&r->s, p);
        }

        if (r->within == PARLEY_JSON_NULL) {
            return (p == r->s.end)
                       ? p
                       : parley_json_read_unexpected(r, p,
                                           "trailing octets after the value");
        }

        if (p < r->s.end && *p == ',') {
            return p + 1;
        }

        object = (r->within == PARLEY_JSON_OBJECT);

        if (p == r->s.end || *p != (object ? '}' : ']')) {
            return parley_json_read_unexpected(r, p,
                                       object ? "a comma or '}' was expected"
                                              : "a comma or ']' was expected");
        }

        p++;

        if (parley_json_tape_close(r, p) != 0) {
            return NULL;
        }
    }
}


static const uint8_t *
parley_json_read_unexpected(parley_json_reader_t *r, const uint8_t *p,
    const char *text)
{
    (void) ((p == r->s.end) ? parley_json_ended(&r->s)
                            : parley_json_fault(&r->s, p, text));

    return NULL;
}


/* Reads a value other than a string, array or object. */
static const uint8_t *
parley_json_read_other(parley_json_reader_t *r, const uint8_t *p,
    parley_json_node_t *node)
{
    switch (*p) {

    case 't':
        return parley_json_read_word(r, p, node, PARLEY_STR("true"),
                                     PARLEY_JSON_TRUE);

    case 'f':
        return parley_json_read_word(r, p, node, PARLEY_STR("false"),
                                     PARLEY_JSON_FALSE);

    case 'n':
        return parley_json_read_word(r, p, node, PARLEY_STR("null"),
                                     PARLEY_JSON_NULL);

    default:
        return parley_json_read_number(r, p, node);
    }
}


static const uint8_t *
parley_json_read_number(parley_json_reader_t *r, const uint8_t *p,
    parley_json_node_t *node)
{
    int  inexact;

    r->s.p = p;

    if (parley_json_scan_short(&r->s, node) == 0) {
        return r->s.p;
    }

    if (*p != '-' && (*p < '0' || *p > '9')) {
        (void) parley_json_fault(&r->s, p, "a value was expected");
        return NULL;
    }

    inexact = 0;

    if (parley_json_scan_number(&r->s, node, &inexact) != 0) {
        return NULL;
    }

    if (inexact && r->doc.inexact == PARLEY_JSON_NONE) {
        r->doc.inexact = r->doc.nnodes - 1;
    }

    return r->s.p;
}


static const uint8_t *
parley_json_read_word(parley_json_reader_t *r, const uint8_t *p,
    parley_json_node_t *node, parley_str_t word, parley_json_type_t type)
{
    if ((size_t) (r->s.end - p) < word.len
        || !parley_octets_same(p, word.data, word.len))
    {
        return parley_json_read_misspelt(r, p, word);
    }

    node->len = (uint32_t) word.len;
    node->count = 0;
    node->type = (uint8_t) type;
    node->flags = PARLEY_JSON_CANONICAL;

    return p + word.len;
}


/* reports the first octet that differs */
static const uint8_t *
parley_json_read_misspelt(parley_json_reader_t *r, const uint8_t *p,
    parley_str_t word)
{
    size_t  i;

    for (i = 0; p + i < r->s.end && p[i] == word.data[i]; i++) { /* void */ }

    return parley_json_read_unexpected(r, p + i, "a value was expected");
}


/* On return the array or object is open, or empty and closed. */
static const uint8_t *
parley_json_read_open(parley_json_reader_t *r, const uint8_t *p,
    parley_json_node_t *node)
{
    parley_json_type_t  type;

    type = (*p == '{') ? PARLEY_JSON_OBJECT : PARLEY_JSON_ARRAY;

    if (r->depth == r->max_depth) {
        (void) parley_json_excess(&r->s, p, "nested too deeply");
        return NULL;
    }

    node->len = PARLEY_JSON_NONE;
    node->next = r->open;
    node->count = 0;
    node->type = (uint8_t) type;
    node->flags = (type == PARLEY_JSON_OBJECT) ? PARLEY_JSON_SORTED : 0;

    r->open = r->doc.nnodes - 1;
    r->within = type;
    r->depth++;

    if (r->depth > r->doc.levels) {
        r->doc.levels = r->depth;
    }

    p++;

    if (p < r->s.end && *p <= ' ') {
        p = parley_json_scan_blanks(&r->s, p);
    }

    /* only an empty one may close here: "[1,]" is invalid */

    if (p < r->s.end && *p == ((type == PARLEY_JSON_OBJECT) ? '}' : ']')) {
        p++;

        return (parley_json_tape_close(r, p) == 0) ? p : NULL;
    }

    return p;
}
