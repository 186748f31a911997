#include "parley_jcs.h"
#include "parley_json_string.h"
#include "parley_number.h"


/* up to here members are sorted by insertion, beyond by heap */
#define PARLEY_JCS_FEW  16


/* prefix: see parley_jcs_prefix(); 0 where any name is not plain ASCII */
typedef struct {
    uint64_t  prefix;
    uint32_t  node;
} parley_jcs_name_t;


static void parley_jcs_value(parley_buf_t *b, const parley_json_t *doc,
    uint32_t i);
static void parley_jcs_array(parley_buf_t *b, const parley_json_t *doc,
    uint32_t i);
static void parley_jcs_object(parley_buf_t *b, const parley_json_t *doc,
    uint32_t i, uint32_t skip);
static void parley_jcs_unsorted(parley_buf_t *b, const parley_json_t *doc,
    uint32_t i, uint32_t skip);
static void parley_jcs_member(parley_buf_t *b, const parley_json_t *doc,
    uint32_t k);
static void parley_jcs_pieces(parley_buf_t *b, const parley_json_t *doc,
    uint32_t k);
static parley_str_t parley_jcs_span(const parley_json_t *doc, uint32_t i);
static void parley_jcs_string(parley_buf_t *b, const parley_json_t *doc,
    uint32_t i);
static void parley_jcs_number(parley_buf_t *b, const parley_json_t *doc,
    uint32_t i);
static void parley_jcs_sort_names(const parley_json_t *doc,
    parley_jcs_name_t *names, size_t n);
static uint64_t parley_jcs_prefix(const parley_json_t *doc, uint32_t k);
static void parley_jcs_sort(const parley_json_t *doc,
    parley_jcs_name_t *names, size_t n);
static void parley_jcs_sink(const parley_json_t *doc,
    parley_jcs_name_t *names, size_t n, size_t at);


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
    uint32_t  v;

    if (value.node == PARLEY_JSON_NONE) {
        return;
    }

    if (parley_json_type(value.doc, value.node) != PARLEY_JSON_OBJECT) {
        parley_jcs_value(b, value.doc, value.node);
        return;
    }

    v = (skip.len == 0) ? PARLEY_JSON_NONE
                        : parley_json_get(value.doc, value.node, skip);

    parley_jcs_object(b, value.doc, value.node,
                      (v == PARLEY_JSON_NONE) ? v : v - 1);
}


/* calls itself once for each level, at most PARLEY_JSON_DEPTH_MAX */
static void
parley_jcs_value(parley_buf_t *b, const parley_json_t *doc, uint32_t i)
{
    parley_str_t  span;

    span = parley_jcs_span(doc, i);

    if (span.len != 0) {
        parley_buf_str(b, span);
        return;
    }

    switch (parley_json_type(doc, i)) {

    case PARLEY_JSON_NUMBER:
        parley_jcs_number(b, doc, i);
        break;

    case PARLEY_JSON_STRING:
        parley_jcs_string(b, doc, i);
        break;

    case PARLEY_JSON_ARRAY:
        parley_jcs_array(b, doc, i);
        break;

    default:
        parley_jcs_object(b, doc, i, PARLEY_JSON_NONE);
        break;
    }
}


static void
parley_jcs_array(parley_buf_t *b, const parley_json_t *doc, uint32_t i)
{
    uint32_t  k, end;

    parley_buf_octet(b, '[');

    end = parley_json_end(doc, i);

    for (k = parley_json_first(i); k != end; k = parley_json_after(doc, k)) {
        if (k != parley_json_first(i)) {
            parley_buf_octet(b, ',');
        }

        parley_jcs_value(b, doc, k);
    }

    parley_buf_octet(b, ']');
}


/* skip: the name of a member to leave out, or PARLEY_JSON_NONE */
static void
parley_jcs_object(parley_buf_t *b, const parley_json_t *doc, uint32_t i,
    uint32_t skip)
{
    uint32_t  k, end;

    parley_buf_octet(b, '{');

    if (!(doc->nodes[i].flags & PARLEY_JSON_SORTED)) {
        parley_jcs_unsorted(b, doc, i, skip);

    } else {
        end = parley_json_end(doc, i);

        for (k = parley_json_first(i); k != end;
             k = parley_json_after(doc, k + 1))
        {
            if (k != skip) {
                parley_jcs_member(b, doc, k);
            }
        }
    }

    parley_buf_octet(b, '}');
}


static void
parley_jcs_unsorted(parley_buf_t *b, const parley_json_t *doc, uint32_t i,
    uint32_t skip)
{
    size_t              j, n;
    uint32_t            k, end;
    parley_jcs_name_t  *names;

    names = parley_arena_alloc(b->arena,
                               doc->nodes[i].count
                               * sizeof(parley_jcs_name_t));
    if (names == NULL) {
        b->failed = 1;
        return;
    }

    n = 0;
    end = parley_json_end(doc, i);

    for (k = parley_json_first(i); k != end;
         k = parley_json_after(doc, k + 1))
    {
        if (k != skip) {
            names[n++].node = k;
        }
    }

    parley_jcs_sort_names(doc, names, n);

    for (j = 0; j < n; j++) {
        parley_jcs_member(b, doc, names[j].node);
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


static void
parley_jcs_sort_names(const parley_json_t *doc, parley_jcs_name_t *names,
    size_t n)
{
    size_t   j;
    uint8_t  ascii;

    ascii = PARLEY_JSON_ASCII;

    for (j = 0; j < n; j++) {
        ascii &= doc->nodes[names[j].node].flags;
    }

    for (j = 0; j < n; j++) {
        names[j].prefix = ascii
                              ? parley_jcs_prefix(doc, names[j].node) : 0;
    }

    parley_jcs_sort(doc, names, n);
}


/*
 * The first eight octets of a name, the first being the most significant.
 * Behind a name at least a quote, a colon and a value follow; the input ends
 * where fewer than eight octets do.
 */
static uint64_t
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


/* a comma where one is due, then the name, its colon and the value */
static void
parley_jcs_member(parley_buf_t *b, const parley_json_t *doc, uint32_t k)
{
    size_t        need;
    uint8_t      *out;
    parley_str_t  name, value;

    name = parley_jcs_span(doc, k);
    value = parley_jcs_span(doc, k + 1);
    need = name.len + value.len + sizeof(",:") - 1;

    if (name.len == 0 || value.len == 0 || need > b->size - b->len) {
        parley_jcs_pieces(b, doc, k);
        return;
    }

    out = b->data + b->len;

    if (b->len != 0 && out[-1] != '{') {
        *out++ = ',';
    }

    out = parley_octets_copy(out, name.data, name.len);
    *out++ = ':';
    out = parley_octets_copy(out, value.data, value.len);

    b->len = (size_t) (out - b->data);
}


/* the same where there is no room yet, or more to do than to copy */
static void
parley_jcs_pieces(parley_buf_t *b, const parley_json_t *doc, uint32_t k)
{
    if (b->len != 0 && b->data[b->len - 1] != '{') {
        parley_buf_octet(b, ',');
    }

    parley_jcs_value(b, doc, k);
    parley_buf_octet(b, ':');
    parley_jcs_value(b, doc, k + 1);
}


/* A name or value as it stands, where that is its canonical form; or none. */
static parley_str_t
parley_jcs_span(const parley_json_t *doc, uint32_t i)
{
    const parley_json_node_t  *node;

    node = &doc->nodes[i];

    switch (node->type) {

    case PARLEY_JSON_STRING:

        /* without a backslash a string is as RFC 8785 wants it */

        return (node->flags & PARLEY_JSON_ESCAPED)
                   ? parley_str_none
                   : parley_str_make(doc->input.data + node->off - 1,
                                     (size_t) node->len + 2);

    case PARLEY_JSON_NUMBER:
        return (node->flags & PARLEY_JSON_CANONICAL)
                   ? parley_json_span(doc, i) : parley_str_none;

    case PARLEY_JSON_ARRAY:
    case PARLEY_JSON_OBJECT:
        return parley_str_none;

    default:
        return parley_json_span(doc, i);
    }
}


/* a string with escapes */
static void
parley_jcs_string(parley_buf_t *b, const parley_json_t *doc, uint32_t i)
{
    size_t          n;
    uint8_t         octets[4];
    parley_str_t    raw;
    const uint8_t  *p, *q, *end;

    raw = parley_json_span(doc, i);
    p = raw.data;
    end = p + raw.len;

    parley_buf_octet(b, '"');

    while (p < end) {
        q = memchr(p, '\\', (size_t) (end - p));

        if (q == NULL) {
            q = end;
        }

        parley_buf_put(b, p, (size_t) (q - p));
        p = q;

        if (p < end) {
            n = parley_json_rune_octets(&p, end, octets);
            parley_buf_json_text(b, parley_str_make(octets, n));
        }
    }

    parley_buf_octet(b, '"');
}


/* a number whose literal is not its canonical form */
static void
parley_jcs_number(parley_buf_t *b, const parley_json_t *doc, uint32_t i)
{
    char    text[PARLEY_NUMBER_MAX];
    size_t  n;

    n = parley_number_format(parley_json_number(doc, i), text);
    parley_buf_put(b, text, n);
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


/* names[at] moves down the heap of n until no child is greater */
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
