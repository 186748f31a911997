/*
 * One validation.  The first pass stops at the first failure without recording
 * anything.  If the caller wants a reason, a second pass goes on after
 * failures and keeps the one that comes first in the instance.  Private to
 * schemas.
 */

#ifndef PARLEY_SCHEMA_RUN_H
#define PARLEY_SCHEMA_RUN_H

#include "schemas/parley_schema_program.h"


/* Results of a visit; negative ones end the validation. */
#define PARLEY_SCHEMA_VALID    0
#define PARLEY_SCHEMA_INVALID  1
#define PARLEY_SCHEMA_MEMORY   -1
#define PARLEY_SCHEMA_LIMIT    -2


/* evaluated members or elements, as bits */
typedef struct parley_schema_evaluated_s {
    uint64_t                          *bits;
    uint32_t                           words;
    uint32_t                           room;
    struct parley_schema_evaluated_s  *next;  /* in the free list */
} parley_schema_evaluated_t;


/* the resources entered, innermost first */
typedef struct parley_schema_scope_s {
    const parley_schema_resource_t      *resource;
    const struct parley_schema_scope_s  *outer;
} parley_schema_scope_t;


/* an element of an array with uniqueItems */
typedef struct {
    uint64_t  hash;
    uint32_t  node;     /* 0: free */
} parley_schema_entry_t;


/* a failure */
typedef struct {
    const parley_schema_t       *schema;    /* NULL: none found */
    parley_schema_keyword_t      keyword;   /* NONE: the schema is false */
    uint32_t                     node;
    uint64_t                     place;     /* 2 * node; for a missing member at
                                               an object's end, just before the
                                               next node's */
    const parley_schema_name_t  *missing;
    uint32_t                     count;     /* oneOf: branches that matched */
    uint8_t                      types;     /* anyOf: allowed types */
} parley_schema_finding_t;


typedef struct {
    const parley_json_t          *doc;
    const parley_json_node_t     *nodes;
    const parley_schema_set_t    *set;
    parley_schema_matcher_t       matcher;
    const parley_schema_scope_t  *scope;
    parley_schema_evaluated_t    *free;
    parley_schema_entry_t         *slots;
    uint32_t                      nslots;
    uint64_t                      steps;
    uint32_t                      depth;
    int                           explain;
    uint32_t                      current;  /* node being visited */
    parley_schema_finding_t       found;
} parley_schema_run_t;


/*
 * evaluated, unless NULL, collects the members or elements of node i that s
 * evaluates; it is undefined after a failure.
 */

/* parley_schema_validate.c: parley_schema_visit() after the type check */
int parley_schema_visit_more(parley_schema_run_t *run,
    const parley_schema_t *s, uint32_t i, parley_schema_evaluated_t *evaluated);

/* parley_schema_pred_run.c: as a visit that does not explain */
int parley_schema_pred_run(parley_schema_run_t *run,
    const parley_schema_pred_t *pred, uint32_t i);

/* a visit without explanation */
int parley_schema_try(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated);

/* Validate node i, which is of that type, or the in-place applicators of s. */
int parley_schema_string(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i);
int parley_schema_number(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i);
int parley_schema_array(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated);
int parley_schema_object(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated);
int parley_schema_apply(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated);

/* Returns whether node i equals one of the values. */
int parley_schema_values_have(const parley_schema_run_t *run,
    const parley_schema_values_t *values, uint32_t i);

/* Returns the value of a member of object i, or PARLEY_JSON_NONE. */
uint32_t parley_schema_find_member(const parley_schema_run_t *run,
    uint32_t i, parley_str_t name);

/*
 * parley_schema_unique.c: 1 if the elements are distinct, 0 if not, or
 * negative
 */
int parley_schema_unique(parley_schema_run_t *run, uint32_t i);

/* parley_schema_scalar.c: exact for any literal */
int parley_schema_number_is_integer(const parley_json_t *doc, uint32_t i);
int parley_schema_number_divides(const parley_schema_number_t *n,
    parley_str_t literal);

/* parley_schema_evaluated.c; get returns NULL if memory is exhausted */
parley_schema_evaluated_t *parley_schema_evaluated_get(parley_schema_run_t *run,
    uint32_t n);
void parley_schema_evaluated_put(parley_schema_run_t *run,
    parley_schema_evaluated_t *evaluated);

/*
 * parley_schema_explain.c: _found(), _found_missing() and _offer() keep a
 * failure if it is the first in the instance so far.  _explain() fills *err
 * from it; without a failure, for an exceeded bound or exhausted memory.
 */
void parley_schema_found(parley_schema_run_t *run, const parley_schema_t *s,
    parley_schema_keyword_t keyword, uint32_t i);
void parley_schema_found_missing(parley_schema_run_t *run,
    const parley_schema_t *s, parley_schema_keyword_t keyword, uint32_t i,
    const parley_schema_name_t *name);
void parley_schema_offer(parley_schema_run_t *run,
    const parley_schema_finding_t *finding);
void parley_schema_explain(const parley_schema_run_t *run, int rc,
    parley_schema_error_t *err);


/* Returns PARLEY_SCHEMA_INVALID, keeping the failure if run explains. */
static inline int
parley_schema_fail(parley_schema_run_t *run, const parley_schema_t *s,
    parley_schema_keyword_t keyword, uint32_t i)
{
    if (__builtin_expect(run->explain, 0)) {
        parley_schema_found(run, s, keyword, i);
    }

    return PARLEY_SCHEMA_INVALID;
}


static inline int
parley_schema_fail_missing(parley_schema_run_t *run, const parley_schema_t *s,
    parley_schema_keyword_t keyword, uint32_t i,
    const parley_schema_name_t *name)
{
    if (__builtin_expect(run->explain, 0)) {
        parley_schema_found_missing(run, s, keyword, i, name);
    }

    return PARLEY_SCHEMA_INVALID;
}


/* Validates node i against s. */
static inline int
parley_schema_visit(parley_schema_run_t *run, const parley_schema_t *s,
    uint32_t i, parley_schema_evaluated_t *evaluated)
{
    unsigned  type;

    type = run->nodes[i].type;

    if (!(s->types >> type & 1)
        && !(type == PARLEY_JSON_NUMBER && (s->types & PARLEY_SCHEMA_INTEGER)
             && ((run->nodes[i].flags & PARLEY_JSON_INTEGER)
                 || parley_schema_number_is_integer(run->doc, i))))
    {
        return parley_schema_fail(run, s, PARLEY_SCHEMA_K_TYPE, i);
    }

    return s->has ? parley_schema_visit_more(run, s, i, evaluated)
                  : PARLEY_SCHEMA_VALID;
}


/* Merges the result of a step into *bad.  Returns whether to stop. */
static inline int
parley_schema_ends(const parley_schema_run_t *run, int rc, int *bad)
{
    if (__builtin_expect(rc == PARLEY_SCHEMA_VALID, 1)) {
        return 0;
    }

    *bad = PARLEY_SCHEMA_INVALID;

    return rc < 0 || !run->explain;
}


static inline void
parley_schema_evaluated_mark(parley_schema_evaluated_t *evaluated, uint32_t n)
{
    evaluated->bits[n >> 6] |= (uint64_t) 1 << (n & 63);
}


static inline int
parley_schema_evaluated_is(const parley_schema_evaluated_t *evaluated,
    uint32_t n)
{
    return evaluated->bits[n >> 6] >> (n & 63) & 1;
}


static inline void
parley_schema_evaluated_add(parley_schema_evaluated_t *evaluated,
    const parley_schema_evaluated_t *more)
{
    uint32_t  i;

    for (i = 0; i < evaluated->words; i++) {
        evaluated->bits[i] |= more->bits[i];
    }
}


#endif /* PARLEY_SCHEMA_RUN_H */
