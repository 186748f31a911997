#include "core/parley_jcs.h"
#include "core/parley_json_string.h"
#include "core/parley_number.h"


/* above this number of members, heapsort replaces insertion sort */
#define PARLEY_JCS_FEW    16

/* shorter runs are copied with a constant length */
#define PARLEY_JCS_SHORT  48


/*
 * prefix orders the names: the atom if all names have one; parley_jcs_prefix()
 * if all are plain ASCII; else 0.
 */
typedef struct {
    uint64_t  prefix;
    uint32_t  node;
} parley_jcs_name_t;


/*
 * Canonical output consists of input octets, in another order.  [from, to) is
 * the pending run, which grows while input and output agree.
 */
typedef struct {
    parley_buf_t         *b;
    const parley_json_t  *doc;
    const uint8_t        *from;
    const uint8_t        *to;
    const uint8_t        *end;      /* end of the input */
} parley_jcs_run_t;


static void parley_jcs_value(parley_jcs_run_t *r, uint32_t i);
static void parley_jcs_array(parley_jcs_run_t *r, uint32_t i);
static void parley_jcs_object(parley_jcs_run_t *r, uint32_t i,
    uint32_t skip);
static void parley_jcs_unsorted(parley_jcs_run_t *r, uint32_t i,
    uint32_t skip);
static void parley_jcs_escaped(parley_jcs_run_t *r, const uint8_t *start,
    const uint8_t *end);
static void parley_jcs_number(parley_jcs_run_t *r, uint32_t i);
static void parley_jcs_sort_names(const parley_json_t *doc,
    parley_jcs_name_t *names, size_t n);
static void parley_jcs_sort(const parley_json_t *doc,
    parley_jcs_name_t *names, size_t n);
static void parley_jcs_sink(const parley_json_t *doc,
    parley_jcs_name_t *names, size_t n, size_t at);


/*
 * Copies octets of the input; short runs with a constant length, which also
 * copies octets after the run, if input and buffer have them.
 */
static inline void
parley_jcs_copy(parley_jcs_run_t *r, const uint8_t *p, size_t n)
{
    parley_buf_t  *b;

    b = r->b;

    if (n <= PARLEY_JCS_SHORT && r->end - p >= PARLEY_JCS_SHORT
        && b->size - b->len >= PARLEY_JCS_SHORT)
    {
        memcpy(b->data + b->len, p, PARLEY_JCS_SHORT);
        b->len += n;

    } else {
        parley_buf_octets(b, p, n);
    }
}


static inline void
parley_jcs_flush(parley_jcs_run_t *r)
{
    parley_jcs_copy(r, r->from, (size_t) (r->to - r->from));
    r->from = r->to;
}


/* Appends octets of the input, extending the pending run if adjacent. */
static inline void
parley_jcs_put(parley_jcs_run_t *r, const uint8_t *p, size_t len)
{
    if (p != r->to) {
        parley_jcs_flush(r);
        r->from = p;
    }

    r->to = p + len;
}


/*
 * Appends punctuation inside an array or object, where the input has at least
 * one more octet after to.
 */
static inline void
parley_jcs_octet(parley_jcs_run_t *r, uint8_t c)
{
    if (*r->to == c) {
        r->to++;
        return;
    }

    parley_jcs_flush(r);
    parley_buf_octet(r->b, c);
}


/* Writes a string or name. */
static inline void
parley_jcs_string(parley_jcs_run_t *r, uint32_t i)
{
    const uint8_t             *p;
    const parley_json_node_t  *node;

    node = &r->doc->nodes[i];
    p = r->doc->input.data + node->off;

    if (!(node->flags & PARLEY_JSON_CANONICAL)) {
        parley_jcs_escaped(r, p - 1, p + node->len);
        return;
    }

    parley_jcs_put(r, p - 1, (size_t) node->len + 2);
}


static inline int
parley_jcs_less(const parley_json_t *doc, const parley_jcs_name_t *a,
    const parley_jcs_name_t *b)
{
    if (a->prefix != b->prefix) {
        return a->prefix < b->prefix;
    }

    return parley_json_string_order(doc, a->node, b->node) < 0;
}


void
parley_jcs_write(parley_buf_t *b, parley_json_ref_t value, parley_str_t skip)
{
    uint32_t          v;
    parley_jcs_run_t  r;

    if (value.node == PARLEY_JSON_NONE) {
        return;
    }

    r.b = b;
    r.doc = value.doc;
    r.from = value.doc->input.data;
    r.to = r.from;
    r.end = r.from + value.doc->input.len;

    v = (skip.len == 0) ? PARLEY_JSON_NONE
                        : parley_json_get(value.doc, value.node, skip);

    if (v == PARLEY_JSON_NONE) {
        parley_jcs_value(&r, value.node);

    } else {
        parley_jcs_object(&r, value.node, v - 1);
    }

    parley_jcs_flush(&r);
}


/* Recurses once per level, at most PARLEY_JSON_DEPTH_MAX. */
static void
parley_jcs_value(parley_jcs_run_t *r, uint32_t i)
{
    const parley_json_node_t  *node;

    node = &r->doc->nodes[i];

    if (node->type != PARLEY_JSON_STRING
        && (node->flags & PARLEY_JSON_CANONICAL))
    {
        parley_jcs_put(r, r->doc->input.data + node->off, node->len);
        return;
    }

    switch (node->type) {

    case PARLEY_JSON_STRING:
        parley_jcs_string(r, i);
        break;

    case PARLEY_JSON_NUMBER:
        parley_jcs_number(r, i);
        break;

    case PARLEY_JSON_ARRAY:
        parley_jcs_array(r, i);
        break;

    case PARLEY_JSON_OBJECT:
        parley_jcs_object(r, i, PARLEY_JSON_NONE);
        break;

    default:
        break;
    }
}


static void
parley_jcs_array(parley_jcs_run_t *r, uint32_t i)
{
    uint32_t                   k;
    const parley_json_node_t  *nodes;

    nodes = r->doc->nodes;

    parley_jcs_put(r, r->doc->input.data + nodes[i].off, 1);

    for (k = i + 1; k != nodes[i].next; k = nodes[k].next) {
        if (k != i + 1) {
            parley_jcs_octet(r, ',');
        }

        parley_jcs_value(r, k);
    }

    parley_jcs_octet(r, ']');
}


/*
 * Returns whether name, colon and value are canonical without white space
 * between them.
 */
static inline int
parley_jcs_member_is(const parley_json_t *doc, uint32_t k)
{
    return (doc->nodes[k].flags & doc->nodes[k + 1].flags
            & PARLEY_JSON_CANONICAL)
           && parley_json_member_is_tight(doc, k);
}


static inline void
parley_jcs_member(parley_jcs_run_t *r, uint32_t k)
{
    parley_str_t  raw;

    if (parley_jcs_member_is(r->doc, k)) {
        raw = parley_json_member_raw(r->doc, k);
        parley_jcs_put(r, raw.data, raw.len);
        return;
    }

    parley_jcs_string(r, k);
    parley_jcs_octet(r, ':');
    parley_jcs_value(r, k + 1);
}


/* skip: the name node of a member to omit, or PARLEY_JSON_NONE */
static void
parley_jcs_object(parley_jcs_run_t *r, uint32_t i, uint32_t skip)
{
    int                        comma;
    uint32_t                   k;
    const parley_json_node_t  *nodes;

    nodes = r->doc->nodes;

    parley_jcs_put(r, r->doc->input.data + nodes[i].off, 1);

    if (!(nodes[i].flags & PARLEY_JSON_SORTED)) {
        parley_jcs_unsorted(r, i, skip);

    } else {
        comma = 0;

        for (k = i + 1; k != nodes[i].next; k = nodes[k + 1].next) {
            if (k == skip) {
                continue;
            }

            if (comma) {
                parley_jcs_octet(r, ',');
            }

            comma = 1;
            parley_jcs_member(r, k);
        }
    }

    parley_jcs_octet(r, '}');
}


/*
 * Returns the first eight octets of a name as a big-endian number, padded with
 * zeros.  Octets after the name are read if the input has eight.
 */
static inline uint64_t
parley_jcs_prefix(const parley_json_t *doc, uint32_t k)
{
    size_t        i;
    uint64_t      prefix;
    parley_str_t  name;

    name = parley_json_span(doc, k);
    prefix = 0;

    if (doc->nodes[k].off + 8 <= doc->input.len) {
        memcpy(&prefix, name.data, 8);

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        prefix = __builtin_bswap64(prefix);
#endif

        return (name.len >= 8) ? prefix
               : (name.len == 0) ? 0
               : prefix & (UINT64_MAX << (64 - 8 * name.len));
    }

    for (i = 0; i < 8; i++) {
        prefix = prefix << 8 | ((i < name.len) ? name.data[i] : 0);
    }

    return prefix;
}


/*
 * Sorted members are rarely adjacent in the input, so each is copied by
 * itself.
 */
static void
parley_jcs_unsorted(parley_jcs_run_t *r, uint32_t i, uint32_t skip)
{
    size_t                     j, n;
    uint32_t                   k;
    parley_str_t               raw;
    parley_jcs_name_t         *names;
    const parley_json_node_t  *nodes;

    nodes = r->doc->nodes;

    names = parley_arena_alloc(r->b->arena,
                               nodes[i].count * sizeof(parley_jcs_name_t));
    if (names == NULL) {
        r->b->failed = 1;
        return;
    }

    n = 0;

    for (k = i + 1; k != nodes[i].next; k = nodes[k + 1].next) {
        if (k != skip) {
            names[n++].node = k;
        }
    }

    parley_jcs_sort_names(r->doc, names, n);
    parley_jcs_flush(r);

    for (j = 0; j < n; j++) {
        if (j != 0) {
            parley_buf_octet(r->b, ',');
        }

        if (parley_jcs_member_is(r->doc, names[j].node)) {
            raw = parley_json_member_raw(r->doc, names[j].node);
            parley_jcs_copy(r, raw.data, raw.len);
            continue;
        }

        parley_jcs_member(r, names[j].node);
        parley_jcs_flush(r);
    }
}


int
parley_jcs_order(parley_arena_t *arena, const parley_json_t *doc,
    uint32_t *names, size_t n)
{
    size_t              j;
    parley_jcs_name_t  *order;

    order = parley_arena_alloc(arena, n * sizeof(parley_jcs_name_t));
    if (order == NULL) {
        return -1;
    }

    for (j = 0; j < n; j++) {
        order[j].node = names[j];
    }

    parley_jcs_sort_names(doc, order, n);

    for (j = 0; j < n; j++) {
        names[j] = order[j].node;
    }

    return 0;
}


/* start and end point to the quotes. */
static void
parley_jcs_escaped(parley_jcs_run_t *r, const uint8_t *start,
    const uint8_t *end)
{
    size_t          n;
    uint8_t         octets[4];
    const uint8_t  *p;

    p = start;

    for ( ;; ) {
        p = memchr(p, '\\', (size_t) (end - p));

        if (p == NULL) {
            break;
        }

        if (p[1] != 'u' && p[1] != '/') {
            p += 2;
            continue;
        }

        parley_jcs_put(r, start, (size_t) (p - start));
        parley_jcs_flush(r);

        n = parley_json_rune_octets(&p, end, octets);
        parley_buf_json_text(r->b, parley_str_make(octets, n));
        start = p;
    }

    parley_jcs_put(r, start, (size_t) (end + 1 - start));
}


static void
parley_jcs_number(parley_jcs_run_t *r, uint32_t i)
{
    char    text[PARLEY_NUMBER_MAX];
    size_t  n;

    parley_jcs_flush(r);

    n = parley_number_format(parley_json_number(r->doc, i), text);
    parley_buf_put(r->b, text, n);
}


static void
parley_jcs_sort_names(const parley_json_t *doc, parley_jcs_name_t *names,
    size_t n)
{
    size_t    j;
    unsigned  flags;

    for (j = 0; j < n; j++) {
        names[j].prefix = doc->nodes[names[j].node].atom;

        if (names[j].prefix == PARLEY_ATOM_NONE) {
            break;
        }
    }

    if (j == n) {
        parley_jcs_sort(doc, names, n);
        return;
    }

    flags = PARLEY_JSON_ASCII;

    for (j = 0; j < n; j++) {
        flags &= doc->nodes[names[j].node].flags;
        names[j].prefix = parley_jcs_prefix(doc, names[j].node);
    }

    for (j = 0; j < n && !(flags & PARLEY_JSON_ASCII); j++) {
        names[j].prefix = 0;
    }

    parley_jcs_sort(doc, names, n);
}


static void
parley_jcs_sort(const parley_json_t *doc, parley_jcs_name_t *names, size_t n)
{
    size_t             i, j;
    parley_jcs_name_t  name;

    if (n <= PARLEY_JCS_FEW) {
        for (i = 1; i < n; i++) {
            name = names[i];

            for (j = i; j > 0; j--) {
                if (!parley_jcs_less(doc, &name, &names[j - 1])) {
                    break;
                }

                names[j] = names[j - 1];
            }

            names[j] = name;
        }

        return;
    }

    for (i = n / 2; i > 0; i--) {
        parley_jcs_sink(doc, names, n, i - 1);
    }

    for (i = n - 1; i > 0; i--) {
        name = names[0];
        names[0] = names[i];
        names[i] = name;

        parley_jcs_sink(doc, names, i, 0);
    }
}


/* Sifts names[at] down a heap of n names. */
static void
parley_jcs_sink(const parley_json_t *doc, parley_jcs_name_t *names, size_t n,
    size_t at)
{
    size_t             child;
    parley_jcs_name_t  name;

    name = names[at];

    for (child = 2 * at + 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n
            && parley_jcs_less(doc, &names[child], &names[child + 1]))
        {
            child++;
        }

        if (!parley_jcs_less(doc, &name, &names[child])) {
            break;
        }

        names[at] = names[child];
        at = child;
    }

    names[at] = name;
}
