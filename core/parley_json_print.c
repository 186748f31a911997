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
    const parley_json_t  *doc;
    const uint32_t       *skip;
    size_t                nskip;
    const uint64_t       *secrets;      /* by parley_print_secret_t */
    int                   failed;       /* memory exhausted */
} parley_print_t;


static uint64_t parley_print_value(parley_print_t *p, uint32_t i);
static uint64_t parley_print_object(parley_print_t *p, uint32_t i);
static inline uint64_t parley_print_member(parley_print_t *p, uint32_t i);
static uint64_t parley_print_array(parley_print_t *p, uint32_t i);
static uint64_t parley_print_string(parley_print_t *p, uint32_t i);
static uint64_t parley_print_number(parley_print_t *p, uint32_t i);
static inline uint64_t parley_print_name(parley_print_t *p, uint32_t k);
static int parley_print_skips(const parley_print_t *p, uint32_t value);


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
    uint64_t        h;
    parley_print_t  p;

    p.doc = value.doc;
    p.skip = skip;
    p.nskip = nskip;
    p.secrets = seed->secrets;
    p.failed = 0;

    h = parley_print_value(&p, value.node);

    memcpy(out, &h, PARLEY_JSON_PRINT_LEN);

    return p.failed ? -1 : 0;
}


/* Recurses once per level, at most PARLEY_JSON_DEPTH_MAX. */

static uint64_t
parley_print_value(parley_print_t *p, uint32_t i)
{
    parley_json_type_t  type;

    type = parley_json_type(p->doc, i);

    switch (type) {

    case PARLEY_JSON_OBJECT:
        return parley_print_object(p, i);

    case PARLEY_JSON_ARRAY:
        return parley_print_array(p, i);

    case PARLEY_JSON_STRING:
        return parley_print_string(p, i);

    case PARLEY_JSON_NUMBER:
        return parley_print_number(p, i);

    default:
        return parley_fold(p->secrets[PARLEY_PRINT_WORD],
                           p->secrets[PARLEY_PRINT_LEFT] + type);
    }
}


static uint64_t
parley_print_object(parley_print_t *p, uint32_t i)
{
    uint32_t  k, end;
    uint64_t  sum;

    sum = 0;
    end = parley_json_end(p->doc, i);

    for (k = parley_json_first(i); k != end;
         k = parley_json_after(p->doc, k + 1))
    {
        if (p->nskip != 0 && parley_print_skips(p, k + 1)) {
            continue;
        }

        sum += parley_fold(parley_print_name(p, k)
                           ^ p->secrets[PARLEY_PRINT_NAME],
                           parley_print_member(p, k + 1)
                           ^ p->secrets[PARLEY_PRINT_RIGHT]);
    }

    return parley_fold(sum ^ p->secrets[PARLEY_PRINT_OBJECT],
                             p->secrets[PARLEY_PRINT_LEFT]);
}


/* handles a string here, the most frequent case, without a recursive call */

static inline uint64_t
parley_print_member(parley_print_t *p, uint32_t i)
{
    return parley_json_type(p->doc, i) == PARLEY_JSON_STRING
           ? parley_print_string(p, i) : parley_print_value(p, i);
}


/* a name with an atom is hashed by the atom, in any spelling */

static inline uint64_t
parley_print_name(parley_print_t *p, uint32_t k)
{
    parley_atom_t  atom;

    atom = parley_json_atom(p->doc, k);

    return atom != PARLEY_ATOM_NONE
           ? parley_fold(p->secrets[PARLEY_PRINT_ATOM] + atom,
                         p->secrets[PARLEY_PRINT_LEFT])
           : parley_print_string(p, k);
}


static int
parley_print_skips(const parley_print_t *p, uint32_t value)
{
    size_t  i;

    for (i = 0; i < p->nskip; i++) {
        if (p->skip[i] == value) {
            return 1;
        }
    }

    return 0;
}


static uint64_t
parley_print_array(parley_print_t *p, uint32_t i)
{
    uint32_t  k, end;
    uint64_t  h;

    h = p->secrets[PARLEY_PRINT_ARRAY];
    end = parley_json_end(p->doc, i);

    for (k = parley_json_first(i); k != end; k = parley_json_after(p->doc, k))
    {
        h = parley_fold(h ^ parley_print_value(p, k),
                              p->secrets[PARLEY_PRINT_LEFT]);
    }

    return parley_fold(h ^ p->doc->nodes[i].count,
                             p->secrets[PARLEY_PRINT_RIGHT]);
}


static uint64_t
parley_print_string(parley_print_t *p, uint32_t i)
{
    parley_str_t  s;

    if (parley_json_string(p->doc, i, &s) != 0) {
        p->failed = 1;
        return 0;
    }

    return parley_print_octets(p, s, PARLEY_PRINT_TEXT);
}


static uint64_t
parley_print_number(parley_print_t *p, uint32_t i)
{
    parley_buf_t               b;
    parley_str_t               s;
    parley_json_ref_t          number;
    const parley_json_node_t  *node;

    node = parley_json_node(p->doc, i);
    s = parley_json_span(p->doc, i);

    if (!(node->flags & PARLEY_JSON_CANONICAL)
        && !((node->flags & PARLEY_JSON_INTEGER)
             && node->len > PARLEY_PRINT_DIGITS))
    {
        number.doc = p->doc;
        number.node = i;

        parley_buf_init(&b, p->doc->arena, 32);
        parley_jcs_write(&b, number, parley_str_none);

        if (parley_buf_done(&b, &s) != 0) {
            p->failed = 1;
            return 0;
        }
    }

    return parley_print_octets(p, s, PARLEY_PRINT_NUMBER);
}
