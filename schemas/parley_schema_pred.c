#include "schemas/parley_schema_pred_build.h"


/* limits of the predicates of one schema, and of their nesting */
#define PARLEY_SCHEMA_PREDS_MAX       1024
#define PARLEY_SCHEMA_PRED_DEPTH_MAX  48

/* 2^53 - 1 */
#define PARLEY_SCHEMA_EXACT           9007199254740991.0


static const parley_schema_pred_t *parley_schema_pred_within(
    parley_schema_pred_build_t *p, parley_schema_place_t *place,
    const parley_schema_t *s);
static void parley_schema_pred_array(parley_schema_pred_build_t *p,
    parley_schema_pred_t *pred, const parley_schema_array_t *a,
    parley_schema_some_t *items);
static void parley_schema_pred_string(parley_schema_pred_build_t *p,
    parley_schema_pred_t *pred, const parley_schema_t *s);
static int parley_schema_pred_is_words(const parley_schema_values_t *values);
static const parley_strset_t *parley_schema_pred_values(
    parley_schema_pred_build_t *p, const parley_schema_values_t *values);
static void parley_schema_pred_number(parley_schema_pred_t *pred,
    const parley_schema_t *s);
static int parley_schema_pred_bound(const parley_schema_bound_t *bound);
static void parley_schema_pred_branches(parley_schema_pred_build_t *p,
    parley_schema_place_t *place, parley_schema_pred_t *pred,
    const parley_schema_t *s, int own);
static int parley_schema_pred_is_exclusion(const parley_schema_t *s);
static void parley_schema_pred_add_branch(parley_schema_pred_build_t *p,
    parley_schema_place_t *place, parley_schema_pred_t *pred,
    parley_schema_keyword_t keyword, const parley_schema_t *const *schemas,
    uint32_t n);


int
parley_schema_pred(parley_schema_compiler_t *c, parley_schema_t *s)
{
    parley_schema_some_t          some;
    parley_schema_pred_build_t    p = { c, PARLEY_SCHEMA_PREDS_MAX, 0, 0 };
    const parley_schema_pred_t   *pred;

    /* a $dynamicRef resolves differently on different paths */

    if (s->pred != NULL || c->set->dynamics != NULL) {
        return 0;
    }

    some.n = 1;
    some.schemas[0] = s;

    pred = parley_schema_pred_make(&p, &some);

    if (p.failed == PARLEY_SCHEMA_PRED_NO_MEMORY) {
        return -1;
    }

    if (p.failed == 0) {
        s->pred = pred;
    }

    return 0;
}


const parley_schema_pred_t *
parley_schema_pred_make(parley_schema_pred_build_t *p,
    const parley_schema_some_t *list)
{
    uint32_t                n;
    parley_schema_pred_t   *pred;
    parley_schema_some_t    some;
    parley_schema_place_t   place;
    parley_schema_frame_t  *f;

    if (list->n == 0) {
        return NULL;
    }

    pred = parley_schema_pred_new(p);
    f = parley_schema_pred_alloc(p, sizeof(parley_schema_frame_t));

    if (p->failed) {
        return NULL;
    }

    p->depth++;
    memset(&place, 0, sizeof(parley_schema_place_t));
    some.n = 0;

    for (n = 0; n < list->n; n++) {
        parley_schema_pred_gather(p, &place, list->schemas[n], &some);
    }

    parley_schema_pred_select(&place, &some);
    parley_schema_pred_fill(p, &place, pred, &some, 1);

    if (place.selects) {
        parley_schema_pred_cases(p, &place, f, &some);
    }

    parley_schema_pred_frame(p, &place, f, &some);

    if (place.names.n != 0 || (!p->failed && f->preds[0] != NULL)) {
        pred->frame = f;
    }

    p->depth--;

    return p->failed ? NULL : pred;
}


/* Builds the predicate of a condition on a value with known members. */
static const parley_schema_pred_t *
parley_schema_pred_within(parley_schema_pred_build_t *p,
    parley_schema_place_t *place, const parley_schema_t *s)
{
    parley_schema_pred_t  *pred;
    parley_schema_some_t   some;

    if (s == NULL || parley_schema_is_true(s)) {
        return NULL;
    }

    pred = parley_schema_pred_new(p);
    if (pred == NULL) {
        return NULL;
    }

    p->depth++;
    some.n = 0;

    parley_schema_pred_gather(p, place, s, &some);
    parley_schema_pred_fill(p, place, pred, &some, 0);

    p->depth--;

    return pred;
}


parley_schema_pred_t *
parley_schema_pred_new(parley_schema_pred_build_t *p)
{
    parley_schema_pred_t  *pred;

    if (p->left == 0 || p->depth == PARLEY_SCHEMA_PRED_DEPTH_MAX) {
        p->failed = p->failed ? p->failed : PARLEY_SCHEMA_PRED_TOO_LARGE;
    }

    if (p->failed) {
        return NULL;
    }

    p->left--;

    pred = parley_schema_pred_alloc(p, sizeof(parley_schema_pred_t));

    if (pred != NULL) {
        pred->types = PARLEY_SCHEMA_ANY;
        pred->max_length = UINT32_MAX;
        pred->least = INT64_MIN;
        pred->most = INT64_MAX;
        pred->max_items = UINT32_MAX;
        pred->max_members = UINT32_MAX;
    }

    return pred;
}


void
parley_schema_pred_fill(parley_schema_pred_build_t *p,
    parley_schema_place_t *place, parley_schema_pred_t *pred,
    const parley_schema_some_t *some, int own)
{
    uint32_t                n;
    parley_schema_some_t    items;
    const parley_schema_t  *s;

    items.n = 0;

    pred->strings = parley_schema_pred_alloc(p, 4 * some->n * sizeof(s));

    if (pred->strings == NULL) {
        return;
    }

    pred->numbers = pred->strings + some->n;
    pred->parts = pred->numbers + some->n;
    pred->wholes = pred->parts + some->n;

    for (n = 0; n < some->n && !p->failed; n++) {

        s = some->schemas[n];

        /* integer is a subtype of number */

        pred->types &= (s->types & PARLEY_SCHEMA_NUMBER)
                       ? s->types | PARLEY_SCHEMA_INTEGER : s->types;

        if (s->has & PARLEY_SCHEMA_IS_FALSE) {
            pred->types = 0;
        }

        if (parley_schema_pred_is_whole(s)
            || (!own && s->object != NULL && s->object->additional != NULL))
        {
            pred->wholes[pred->nwholes++] = s;
            pred->deeper = PARLEY_SCHEMA_ANY;
            continue;
        }

        if (s->string != NULL || s->values != NULL) {
            parley_schema_pred_string(p, pred, s);
        }

        if (s->number != NULL) {
            parley_schema_pred_number(pred, s);
        }

        if (s->array != NULL) {
            parley_schema_pred_array(p, pred, s->array, &items);
        }

        if (s->object != NULL) {
            parley_schema_pred_names(p, place, pred, s->object, own);
        }

        if (s->apply != NULL) {
            parley_schema_pred_branches(p, place, pred, s, own);
        }
    }

    pred->items = parley_schema_pred_make(p, &items);

    if (pred->min_members != 0 || pred->max_members != UINT32_MAX
        || (!own && (pred->required != 0 || pred->members != NULL)))
    {
        pred->deeper |= PARLEY_SCHEMA_OBJECT;
    }
}


static void
parley_schema_pred_array(parley_schema_pred_build_t *p,
    parley_schema_pred_t *pred, const parley_schema_array_t *a,
    parley_schema_some_t *items)
{
    pred->deeper |= PARLEY_SCHEMA_ARRAY;
    pred->min_items = parley_schema_max(pred->min_items, a->min);
    pred->max_items = parley_schema_min(pred->max_items, a->max);

    if (a->items != NULL && !parley_schema_is_true(a->items)) {
        parley_schema_pred_add(p, items, a->items);
    }
}


/* Merges string keywords, and values, which are mostly strings. */
static void
parley_schema_pred_string(parley_schema_pred_build_t *p,
    parley_schema_pred_t *pred, const parley_schema_t *s)
{
    const parley_schema_string_t  *string;
    const parley_schema_values_t  *values;

    string = s->string;
    values = s->values;

    if (string != NULL) {
        pred->min_length = parley_schema_max(pred->min_length, string->min);
        pred->max_length = parley_schema_min(pred->max_length, string->max);

        if (string->pattern != NULL || string->octets != UINT32_MAX
            || string->format != PARLEY_FORMAT_NONE)
        {
            pred->deeper |= PARLEY_SCHEMA_STRING;
            pred->strings[pred->nstrings++] = s;
        }
    }

    if (values == NULL) {
        return;
    }

    if (pred->words == NULL && parley_schema_pred_is_words(values)) {
        pred->words = parley_schema_pred_values(p, values);
        pred->types &= PARLEY_SCHEMA_STRING;

    } else {
        pred->deeper = PARLEY_SCHEMA_ANY;
        pred->parts[pred->nparts++] = s;
    }
}


static int
parley_schema_pred_is_words(const parley_schema_values_t *values)
{
    return values->next == NULL && values->types == PARLEY_SCHEMA_STRING
           && values->n <= PARLEY_SCHEMA_WORDS_MAX;
}


static const parley_strset_t *
parley_schema_pred_values(parley_schema_pred_build_t *p,
    const parley_schema_values_t *values)
{
    uint32_t               n;
    parley_schema_texts_t  words;

    words.n = 0;

    for (n = 0; n < values->n; n++) {
        (void) parley_schema_pred_text(p, &words, values->values[n].text);
    }

    return parley_schema_pred_table(p, &words);
}


/* Integral bounds reduce to comparisons of integers. */
static void
parley_schema_pred_number(parley_schema_pred_t *pred,
    const parley_schema_t *s)
{
    const parley_schema_number_t  *n;

    n = s->number;

    pred->deeper |= PARLEY_SCHEMA_NUMBER;
    pred->numbers[pred->nnumbers++] = s;

    if (n->divisor != 0 || !parley_schema_pred_bound(&n->minimum)
        || !parley_schema_pred_bound(&n->exclusive_minimum)
        || !parley_schema_pred_bound(&n->maximum)
        || !parley_schema_pred_bound(&n->exclusive_maximum))
    {
        pred->inexact = 1;
        return;
    }

    if (n->minimum.set && pred->least < (int64_t) n->minimum.value) {
        pred->least = (int64_t) n->minimum.value;
    }

    if (n->exclusive_minimum.set
        && pred->least <= (int64_t) n->exclusive_minimum.value)
    {
        pred->least = (int64_t) n->exclusive_minimum.value + 1;
    }

    if (n->maximum.set && pred->most > (int64_t) n->maximum.value) {
        pred->most = (int64_t) n->maximum.value;
    }

    if (n->exclusive_maximum.set
        && pred->most >= (int64_t) n->exclusive_maximum.value)
    {
        pred->most = (int64_t) n->exclusive_maximum.value - 1;
    }
}


/*
 * Returns whether the bound is absent or an integer that a double holds
 * exactly.
 */
static int
parley_schema_pred_bound(const parley_schema_bound_t *bound)
{
    return !bound->set
           || (bound->value >= -PARLEY_SCHEMA_EXACT
               && bound->value <= PARLEY_SCHEMA_EXACT
               && bound->exact.point >= (int64_t) bound->exact.ndigits);
}


static void
parley_schema_pred_branches(parley_schema_pred_build_t *p,
    parley_schema_place_t *place, parley_schema_pred_t *pred,
    const parley_schema_t *s, int own)
{
    const parley_schema_t        *condition[3];
    const parley_schema_name_t   *name;
    const parley_schema_apply_t  *a;

    a = s->apply;

    condition[0] = a->when;
    condition[1] = a->then;
    condition[2] = a->otherwise;

    if ((a->then != NULL || a->otherwise != NULL)
        && !(place->selects && (own || place->resolved)
             && parley_schema_pred_is_case(s, &place->selector, &name)))
    {
        parley_schema_pred_add_branch(p, place, pred, PARLEY_SCHEMA_K_IF,
                                      condition, 3);
    }

    if (a->any.n != 0) {
        parley_schema_pred_add_branch(p, place, pred, PARLEY_SCHEMA_K_ANY_OF,
                                      a->any.schemas, a->any.n);
    }

    if (a->one.n != 0) {
        parley_schema_pred_add_branch(p, place, pred, PARLEY_SCHEMA_K_ONE_OF,
                                      a->one.schemas, a->one.n);
    }

    if (a->not != NULL && pred->excluded == NULL
        && parley_schema_pred_is_exclusion(a->not))
    {
        pred->deeper |= PARLEY_SCHEMA_STRING;
        pred->excluded = parley_schema_pred_values(p, a->not->values);

    } else if (a->not != NULL) {
        parley_schema_pred_add_branch(p, place, pred, PARLEY_SCHEMA_K_NOT,
                                      &a->not, 1);
    }
}


/* Returns whether s accepts a list of words and nothing else. */
static int
parley_schema_pred_is_exclusion(const parley_schema_t *s)
{
    return (s->has & ~PARLEY_SCHEMA_HAS_SCOPE) == PARLEY_SCHEMA_HAS_VALUES
           && (s->types & PARLEY_SCHEMA_STRING)
           && parley_schema_pred_is_words(s->values);
}


static void
parley_schema_pred_add_branch(parley_schema_pred_build_t *p,
    parley_schema_place_t *place, parley_schema_pred_t *pred,
    parley_schema_keyword_t keyword, const parley_schema_t *const *schemas,
    uint32_t n)
{
    uint32_t                 i;
    parley_schema_branch_t  *b, **last;

    b = parley_schema_pred_alloc(p, sizeof(parley_schema_branch_t));
    if (b == NULL) {
        return;
    }

    b->preds = parley_schema_pred_alloc(p, n * sizeof(b->preds[0]));
    if (b->preds == NULL) {
        return;
    }

    b->keyword = keyword;
    b->n = n;

    for (i = 0; i < n; i++) {
        b->preds[i] = parley_schema_pred_within(p, place, schemas[i]);
    }

    for (last = &pred->branches; *last != NULL; last = &(*last)->next) {
        /* void */
    }

    *last = b;
    pred->deeper = PARLEY_SCHEMA_ANY;
}


void
parley_schema_pred_add(parley_schema_pred_build_t *p,
    parley_schema_some_t *list, const parley_schema_t *s)
{
    if (list->n == PARLEY_SCHEMA_PRED_LIST_MAX) {
        p->failed = p->failed ? p->failed : PARLEY_SCHEMA_PRED_TOO_LARGE;
        return;
    }

    list->schemas[list->n++] = s;
}


void *
parley_schema_pred_alloc(parley_schema_pred_build_t *p, size_t size)
{
    void  *ret;

    ret = parley_schema_alloc(p->c, size);

    if (ret == NULL) {
        p->failed = PARLEY_SCHEMA_PRED_NO_MEMORY;
    }

    return ret;
}
