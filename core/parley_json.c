#include "core/parley_json.h"
#include "core/parley_decimal.h"
#include "core/parley_json_string.h"
#include "core/parley_number.h"

#include <stdio.h>


/* a literal this short is an integer within int64_t */
#define PARLEY_JSON_SHORT  18


typedef struct {
    char    *data;
    size_t   size;
    size_t   len;
} parley_json_path_t;


static uint32_t parley_json_get_masked(const parley_json_t *doc,
    uint32_t obj, parley_str_t name)
    __attribute__((noinline));
static void parley_json_path_octet(parley_json_path_t *path, char c);
static void parley_json_path_name(parley_json_path_t *path,
    const parley_json_t *doc, uint32_t k);
static void parley_json_path_index(parley_json_path_t *path, uint32_t n);
static uint32_t parley_json_resolve_token(const parley_json_t *doc,
    uint32_t i, parley_str_t token);
static uint32_t parley_json_resolve_index(const parley_json_t *doc,
    uint32_t i, parley_str_t token);


uint32_t
parley_json_member(const parley_json_t *doc, uint32_t obj, parley_atom_t atom)
{
    const parley_json_node_t  *nodes, *k, *end;

    if (obj >= doc->nnodes || doc->nodes[obj].type != PARLEY_JSON_OBJECT) {
        return PARLEY_JSON_NONE;
    }

    nodes = doc->nodes;
    end = &nodes[nodes[obj].next];

    for (k = &nodes[obj + 1]; k != end; k = &nodes[k[1].next]) {
        if (k->atom == atom) {
            return (uint32_t) (k + 1 - nodes);
        }
    }

    return PARLEY_JSON_NONE;
}


uint32_t
parley_json_path(const parley_json_t *doc, const parley_atom_t *names)
{
    uint32_t  i;

    for (i = 0; *names != PARLEY_ATOM_NONE && i != PARLEY_JSON_NONE; names++) {
        i = parley_json_member(doc, i, *names);
    }

    return i;
}


uint32_t
parley_json_get(const parley_json_t *doc, uint32_t obj, parley_str_t name)
{
    const parley_json_node_t  *nodes, *k, *end;

    if (obj >= doc->nnodes || doc->nodes[obj].type != PARLEY_JSON_OBJECT) {
        return PARLEY_JSON_NONE;
    }

    nodes = doc->nodes;

    if (nodes[obj].flags & PARLEY_JSON_MASKED) {
        return parley_json_get_masked(doc, obj, name);
    }

    end = &nodes[nodes[obj].next];

    for (k = &nodes[obj + 1]; k != end; k = &nodes[k[1].next]) {
        if (k->len == name.len
            && parley_octets_same(doc->input.data + k->off, name.data,
                                  name.len))
        {
            return (uint32_t) (k + 1 - nodes);
        }
    }

    return PARLEY_JSON_NONE;
}


static uint32_t
parley_json_get_masked(const parley_json_t *doc, uint32_t obj,
    parley_str_t name)
{
    uint32_t  k, end;

    end = parley_json_end(doc, obj);

    for (k = parley_json_first(obj); k != end;
         k = parley_json_after(doc, k + 1))
    {
        if (parley_json_string_is(doc, k, name)) {
            return k + 1;
        }
    }

    return PARLEY_JSON_NONE;
}


parley_str_t
parley_json_raw(const parley_json_t *doc, uint32_t i)
{
    const parley_json_node_t  *node;

    if (i >= doc->nnodes) {
        return parley_str_none;
    }

    node = &doc->nodes[i];

    if (node->type == PARLEY_JSON_STRING) {
        return parley_str_make(doc->input.data + node->off - 1,
                               (size_t) node->len + 2);
    }

    return parley_str_make(doc->input.data + node->off, node->len);
}


double
parley_json_number(const parley_json_t *doc, uint32_t i)
{
    double  d;

    if (i >= doc->nnodes || doc->nodes[i].type != PARLEY_JSON_NUMBER) {
        return 0;
    }

    d = 0;

    /* cannot fail: the reader has refused numbers out of range */

    (void) parley_number_parse(parley_json_span(doc, i), &d);

    return d;
}


int
parley_json_integer(const parley_json_t *doc, uint32_t i, int64_t *ret)
{
    int64_t                    value;
    const uint8_t             *p, *end;
    parley_decimal_t           decimal;
    const parley_json_node_t  *node;

    if (i >= doc->nnodes || doc->nodes[i].type != PARLEY_JSON_NUMBER) {
        return -1;
    }

    node = &doc->nodes[i];

    if (!(node->flags & PARLEY_JSON_INTEGER)
        || node->len > PARLEY_JSON_SHORT)
    {
        decimal = parley_decimal_make(parley_json_span(doc, i));
        return parley_decimal_integer(&decimal, ret);
    }

    p = doc->input.data + node->off;
    end = p + node->len;
    value = 0;

    for (p += (*p == '-'); p < end; p++) {
        value = value * 10 + (*p - '0');
    }

    *ret = (doc->input.data[node->off] == '-') ? -value : value;

    return 0;
}


size_t
parley_json_pointer(const parley_json_t *doc, uint32_t i, char *buf,
    size_t size)
{
    uint32_t            at, k, child, n;
    parley_json_path_t  path = { buf, size, 0 };

    if (size == 0) {
        return 0;
    }

    at = 0;

    while (i < doc->nnodes && at != i) {

        if (doc->nodes[at].type == PARLEY_JSON_OBJECT) {
            k = parley_json_first(at);

            while (i > k + 1 && i >= parley_json_after(doc, k + 1)) {
                k = parley_json_after(doc, k + 1);
            }

            parley_json_path_octet(&path, '/');
            parley_json_path_name(&path, doc, k);

            if (i == k) {
                break;
            }

            at = k + 1;
            continue;
        }

        child = parley_json_first(at);

        for (n = 0; i >= parley_json_after(doc, child); n++) {
            child = parley_json_after(doc, child);
        }

        parley_json_path_octet(&path, '/');
        parley_json_path_index(&path, n);
        at = child;
    }

    buf[path.len] = '\0';

    return path.len;
}


static void
parley_json_path_octet(parley_json_path_t *path, char c)
{
    /* U+0000 in a name would end the C string */

    if (path->len + 1 < path->size) {
        path->data[path->len++] = c ? c : '?';
    }
}


static void
parley_json_path_name(parley_json_path_t *path, const parley_json_t *doc,
    uint32_t k)
{
    size_t          i, n;
    uint8_t         octets[4];
    parley_str_t    raw;
    const uint8_t  *p, *end;

    raw = parley_json_span(doc, k);
    p = raw.data;
    end = p + raw.len;

    while (p < end && path->len + 1 < path->size) {
        n = parley_json_rune_octets(&p, end, octets);

        for (i = 0; i < n; i++) {
            if (octets[i] == '~') {
                parley_json_path_octet(path, '~');
                parley_json_path_octet(path, '0');

            } else if (octets[i] == '/') {
                parley_json_path_octet(path, '~');
                parley_json_path_octet(path, '1');

            } else {
                parley_json_path_octet(path, (char) octets[i]);
            }
        }
    }
}


static void
parley_json_path_index(parley_json_path_t *path, uint32_t n)
{
    int   i, len;
    char  digits[16];

    len = snprintf(digits, sizeof(digits), "%u", (unsigned) n);

    for (i = 0; i < len; i++) {
        parley_json_path_octet(path, digits[i]);
    }
}


uint32_t
parley_json_resolve(const parley_json_t *doc, uint32_t root,
    parley_str_t pointer)
{
    uint32_t      i;
    parley_str_t  token;

    i = (root < doc->nnodes) ? root : PARLEY_JSON_NONE;

    while (pointer.len != 0 && i != PARLEY_JSON_NONE) {

        if (pointer.data[0] != '/') {
            return PARLEY_JSON_NONE;
        }

        pointer = parley_str_from(pointer, 1);

        token = parley_str_until(pointer, '/');
        pointer = parley_str_from(pointer, token.len);

        i = parley_json_resolve_token(doc, i, token);
    }

    return i;
}


static uint32_t
parley_json_resolve_token(const parley_json_t *doc, uint32_t i,
    parley_str_t token)
{
    uint32_t  k, end;

    if (doc->nodes[i].type == PARLEY_JSON_ARRAY) {
        return parley_json_resolve_index(doc, i, token);
    }

    if (token.len == 0 || memchr(token.data, '~', token.len) == NULL) {
        return parley_json_get(doc, i, token);
    }

    if (doc->nodes[i].type != PARLEY_JSON_OBJECT) {
        return PARLEY_JSON_NONE;
    }

    end = parley_json_end(doc, i);

    for (k = parley_json_first(i); k != end;
         k = parley_json_after(doc, k + 1))
    {
        if (parley_json_string_is_token(doc, k, token)) {
            return k + 1;
        }
    }

    return PARLEY_JSON_NONE;
}


static uint32_t
parley_json_resolve_index(const parley_json_t *doc, uint32_t i,
    parley_str_t token)
{
    size_t    n;
    uint32_t  index, child;

    if (token.len == 0 || token.len > 9
        || (token.data[0] == '0' && token.len > 1))
    {
        return PARLEY_JSON_NONE;
    }

    index = 0;

    for (n = 0; n < token.len; n++) {
        if (token.data[n] < '0' || token.data[n] > '9') {
            return PARLEY_JSON_NONE;
        }

        index = index * 10 + (uint32_t) (token.data[n] - '0');
    }

    if (index >= doc->nodes[i].count) {
        return PARLEY_JSON_NONE;
    }

    for (child = parley_json_first(i); index > 0; index--) {
        child = parley_json_after(doc, child);
    }

    return child;
}


int
parley_json_part(const parley_json_t *doc, uint32_t i, parley_arena_t *arena,
    parley_json_t *ret)
{
    uint32_t                   k, n, base;
    parley_json_node_t        *nodes;
    const parley_json_node_t  *from;

    memset(ret, 0, sizeof(parley_json_t));

    from = &doc->nodes[i];
    n = from->next - i;

    nodes = parley_arena_alloc(arena, n * sizeof(parley_json_node_t));

    if (nodes == NULL) {
        return -1;
    }

    ret->input = parley_json_raw(doc, i);
    base = (uint32_t) (ret->input.data - doc->input.data);

    for (k = 0; k < n; k++) {
        nodes[k] = from[k];
        nodes[k].off -= base;
        nodes[k].next -= i;

        if (!(nodes[k].flags & PARLEY_JSON_KEY)) {
            nodes[k].depth = (uint16_t) (from[k].depth - from->depth);
        }
    }

    ret->nodes = nodes;
    ret->nnodes = n;
    ret->levels = doc->levels;
    ret->inexact = PARLEY_JSON_NONE;
    ret->seed = doc->seed;
    ret->arena = arena;

    if (doc->inexact == PARLEY_JSON_NONE || doc->inexact >= from->next) {
        return 0;
    }

    /* an inexact integer before the part does not exclude one inside it */

    ret->inexact = doc->inexact >= i ? doc->inexact - i : 0;

    return 0;
}
