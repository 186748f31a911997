/*
 * Each value is hashed on its own and the members of an object are summed,
 * which makes their order irrelevant.
 */

#include <string.h>

#include "core/parley_fold.h"
#include "core/parley_jcs.h"
#include "core/parley_json_print.h"


/* integers up to this number of digits are exact doubles */
#define PARLEY_PRINT_DIGITS  15


typedef struct {
    const parley_json_t       *doc;
    const parley_json_node_t  *skip;    /* the next value to skip, in the order
                                           of the document; NULL: none */
    const uint32_t            *skips;   /* the values to skip after it,
                                           ascending; NONE ends them */
    const uint64_t            *secrets; /* by parley_print_secret_t */
    int                        failed;  /* memory exhausted */
} parley_print_t;


static void parley_print_order(const uint32_t *skip, size_t n,
    uint32_t ret[PARLEY_JSON_PRINT_SKIP + 1]);
static uint64_t parley_print_value(parley_print_t *p,
    const parley_json_node_t *node);
static uint64_t parley_print_object(parley_print_t *p,
    const parley_json_node_t *node);
static void parley_print_skip(parley_print_t *p);
static uint64_t parley_print_array(parley_print_t *p,
    const parley_json_node_t *node);
static uint64_t parley_print_escaped(parley_print_t *p,
    const parley_json_node_t *node);
static uint64_t parley_print_number(parley_print_t *p,
    const parley_json_node_t *node);


static inline uint64_t
parley_print_octets(const parley_print_t *p, parley_str_t s,
    parley_print_secret_t kind)
{
    return parley_fold_octets(p->secrets[kind],
                              p->secrets[PARLEY_PRINT_LEFT],
                              p->secrets[PARLEY_PRINT_RIGHT], s.data, s.len);
}


/*
 * Derives all secrets from the seed (splitmix64): with a known factor, an
 * attacker could choose the other one.
 */

void
parley_json_print_seed(uint64_t seed, parley_json_print_seed_t *ret)
{
    size_t  i;

    for (i = 0; i < PARLEY_PRINT_SECRETS; i++) {
        ret->secrets[i] = parley_fold_secret(&seed);
    }
}


int
parley_json_print(parley_json_ref_t value, const uint32_t *skip,
    size_t nskip, const parley_json_print_seed_t *seed,
    uint8_t out[PARLEY_JSON_PRINT_LEN])
{
    uint32_t        order[PARLEY_JSON_PRINT_SKIP + 1];
    uint64_t        h;
    parley_print_t  p;

    p.doc = value.doc;
    p.skip = NULL;
    p.skips = order;
    p.secrets = seed->secrets;
    p.failed = 0;

    if (nskip != 0) {
        parley_print_order(skip, nskip, order);
        parley_print_skip(&p);
    }

    h = parley_print_value(&p, &value.doc->nodes[value.node]);

    memcpy(out, &h, PARLEY_JSON_PRINT_LEN);

    return p.failed ? -1 : 0;
}


/* Sorts a few nodes. */

static void
parley_print_order(const uint32_t *skip, size_t n,
    uint32_t ret[PARLEY_JSON_PRINT_SKIP + 1])
{
    size_t  i, k;

    for (i = 0; i < n; i++) {

        for (k = i; k > 0 && ret[k - 1] > skip[i]; k--) {
            ret[k] = ret[k - 1];
        }

        ret[k] = skip[i];
    }

    ret[n] = PARLEY_JSON_NONE;
}


static inline const uint8_t *
parley_print_text(const parley_print_t *p, const parley_json_node_t *node)
{
    return p->doc->input.data + node->off;
}


/* a string without escapes is the most frequent value */

static inline uint64_t
parley_print_string(parley_print_t *p, const parley_json_node_t *node)
{
    if (node->flags & PARLEY_JSON_ESCAPED) {
        return parley_print_escaped(p, node);
    }

    return parley_print_octets(p, parley_str_make(parley_print_text(p, node),
                                                  node->len),
                               PARLEY_PRINT_TEXT);
}


/* Recurses once per level, at most PARLEY_JSON_DEPTH_MAX. */

static uint64_t
parley_print_value(parley_print_t *p, const parley_json_node_t *node)
{
    switch (node->type) {

    case PARLEY_JSON_OBJECT:
        return parley_print_object(p, node);

    case PARLEY_JSON_ARRAY:
        return parley_print_array(p, node);

    case PARLEY_JSON_STRING:
        return parley_print_string(p, node);

    case PARLEY_JSON_NUMBER:
        return parley_print_number(p, node);

    default:
        return parley_fold(p->secrets[PARLEY_PRINT_WORD],
                           p->secrets[PARLEY_PRINT_LEFT] + node->type);
    }
}


/* a name with an atom is hashed by the atom, in any spelling */

static inline uint64_t
parley_print_name(parley_print_t *p, const parley_json_node_t *name)
{
    return name->atom != PARLEY_ATOM_NONE
           ? parley_fold(p->secrets[PARLEY_PRINT_ATOM] + name->atom,
                         p->secrets[PARLEY_PRINT_LEFT])
           : parley_print_string(p, name);
}


static uint64_t
parley_print_object(parley_print_t *p, const parley_json_node_t *node)
{
    uint64_t                   sum, name, value;
    const parley_json_node_t  *k, *end;

    sum = 0;
    end = &p->doc->nodes[node->next];

    for (k = node + 1; k != end; k = &p->doc->nodes[k[1].next]) {

        if (k + 1 == p->skip) {
            parley_print_skip(p);
            continue;
        }

        name = parley_print_name(p, k);
        value = k[1].type == PARLEY_JSON_STRING
                ? parley_print_string(p, k + 1) : parley_print_value(p, k + 1);

        sum += parley_fold(name ^ p->secrets[PARLEY_PRINT_NAME],
                           value ^ p->secrets[PARLEY_PRINT_RIGHT]);
    }

    return parley_fold(sum ^ p->secrets[PARLEY_PRINT_OBJECT],
                             p->secrets[PARLEY_PRINT_LEFT]);
}


/* Finds the next value to skip that is not inside the one skipped now. */

static void
parley_print_skip(parley_print_t *p)
{
    uint32_t  after;

    after = p->skip == NULL ? 0 : p->skip->next;

    while (*p->skips < after) {
        p->skips++;
    }

    p->skip = *p->skips == PARLEY_JSON_NONE ? NULL
              : &p->doc->nodes[*p->skips];
}


static uint64_t
parley_print_array(parley_print_t *p, const parley_json_node_t *node)
{
    uint64_t                   h;
    const parley_json_node_t  *item, *end;

    h = p->secrets[PARLEY_PRINT_ARRAY];
    end = &p->doc->nodes[node->next];

    for (item = node + 1; item != end; item = &p->doc->nodes[item->next]) {
        h = parley_fold(h ^ parley_print_value(p, item),
                              p->secrets[PARLEY_PRINT_LEFT]);
    }

    return parley_fold(h ^ node->count, p->secrets[PARLEY_PRINT_RIGHT]);
}


static uint64_t
parley_print_escaped(parley_print_t *p, const parley_json_node_t *node)
{
    parley_str_t  s;

    if (parley_json_string(p->doc, (uint32_t) (node - p->doc->nodes), &s)
        != 0)
    {
        p->failed = 1;
        return 0;
    }

    return parley_print_octets(p, s, PARLEY_PRINT_TEXT);
}


static uint64_t
parley_print_number(parley_print_t *p, const parley_json_node_t *node)
{
    parley_buf_t       b;
    parley_str_t       s;
    parley_json_ref_t  number;

    s = parley_str_make(parley_print_text(p, node), node->len);

    if (!(node->flags & PARLEY_JSON_CANONICAL)
        && !((node->flags & PARLEY_JSON_INTEGER)
             && node->len > PARLEY_PRINT_DIGITS))
    {
        number.doc = p->doc;
        number.node = (uint32_t) (node - p->doc->nodes);

        parley_buf_init(&b, p->doc->arena, 32);
        parley_jcs_write(&b, number, parley_str_none);

        if (parley_buf_done(&b, &s) != 0) {
            p->failed = 1;
            return 0;
        }
    }

    return parley_print_octets(p, s, PARLEY_PRINT_NUMBER);
}
