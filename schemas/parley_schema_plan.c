#include "parley_schema_planner.h"


/* plans that one schema may need, and how deep they may be in one another */
#define PARLEY_SCHEMA_PLANS_MAX       1024
#define PARLEY_SCHEMA_PLAN_DEPTH_MAX  48

/* 2^53 - 1 */
#define PARLEY_SCHEMA_EXACT           9007199254740991.0


static const parley_schema_plan_t *parley_schema_plan_within(
    parley_schema_planner_t *p, parley_schema_place_t *place,
    const parley_schema_t *s);
static void parley_schema_plan_array(parley_schema_planner_t *p,
    parley_schema_plan_t *plan, const parley_schema_array_t *a,
    parley_schema_some_t *items);
static void parley_schema_plan_string(parley_schema_planner_t *p,
    parley_schema_plan_t *plan, const parley_schema_t *s);
static int parley_schema_plan_is_words(const parley_schema_values_t *values);
static const parley_words_t *parley_schema_plan_values(
    parley_schema_planner_t *p, const parley_schema_values_t *values);
static void parley_schema_plan_number(parley_schema_plan_t *plan,
    const parley_schema_t *s);
static int parley_schema_plan_bound(const parley_schema_bound_t *bound);
static void parley_schema_plan_branches(parley_schema_planner_t *p,
    parley_schema_place_t *place, parley_schema_plan_t *plan,
    const parley_schema_t *s, int own);
static int parley_schema_plan_is_bar(const parley_schema_t *s);
static void parley_schema_plan_add_branch(parley_schema_planner_t *p,
    parley_schema_place_t *place, parley_schema_plan_t *plan,
    parley_schema_keyword_t keyword, const parley_schema_t *const *schemas,
    uint32_t n);


int
parley_schema_plan(parley_schema_compiler_t *c, parley_schema_t *s)
{
    parley_schema_some_t          some;
    parley_schema_planner_t       p = { c, PARLEY_SCHEMA_PLANS_MAX, 0, 0 };
    const parley_schema_plan_t   *plan;

    /* where a $dynamicRef leads depends on the way there */

    if (s->plan != NULL || c->set->dynamics != NULL) {
        return 0;
    }

    some.n = 1;
    some.schemas[0] = s;

    plan = parley_schema_plan_make(&p, &some);

    if (p.failed == PARLEY_SCHEMA_PLAN_NO_MEMORY) {
        return -1;
    }

    if (p.failed == 0) {
        s->plan = plan;
    }

    return 0;
}


const parley_schema_plan_t *
parley_schema_plan_make(parley_schema_planner_t *p,
    const parley_schema_some_t *list)
{
    uint32_t                n;
    parley_schema_plan_t   *plan;
    parley_schema_some_t    some;
    parley_schema_place_t   place;
    parley_schema_frame_t  *f;

    if (list->n == 0) {
        return NULL;
    }

    plan = parley_schema_plan_new(p);
    f = parley_schema_plan_alloc(p, sizeof(parley_schema_frame_t));

    if (p->failed) {
        return NULL;
    }

    p->depth++;
    memset(&place, 0, sizeof(parley_schema_place_t));
    some.n = 0;

    for (n = 0; n < list->n; n++) {
        parley_schema_plan_gather(p, &place, list->schemas[n], &some);
    }

    parley_schema_plan_select(&place, &some);
    parley_schema_plan_fill(p, &place, plan, &some, 1);

    if (place.selects) {
        parley_schema_plan_cases(p, &place, f, &some);
    }

    parley_schema_plan_frame(p, &place, f, &some);

    if (place.names.n != 0 || (!p->failed && f->plans[0] != NULL)) {
        plan->frame = f;
    }

    p->depth--;

    return p->failed ? NULL : plan;
}


/* for a value whose members have been met, under a condition */
static const parley_schema_plan_t *
parley_schema_plan_within(parley_schema_planner_t *p,
    parley_schema_place_t *place, const parley_schema_t *s)
{
    parley_schema_plan_t  *plan;
    parley_schema_some_t   some;

    if (s == NULL || parley_schema_is_true(s)) {
        return NULL;
    }

    plan = parley_schema_plan_new(p);
    if (plan == NULL) {
        return NULL;
    }

    p->depth++;
    some.n = 0;

    parley_schema_plan_gather(p, place, s, &some);
    parley_schema_plan_fill(p, place, plan, &some, 0);

    p->depth--;

    return plan;
}


parley_schema_plan_t *
parley_schema_plan_new(parley_schema_planner_t *p)
{
    parley_schema_plan_t  *plan;

    if (p->left == 0 || p->depth == PARLEY_SCHEMA_PLAN_DEPTH_MAX) {
        p->failed = p->failed ? p->failed : PARLEY_SCHEMA_PLAN_TOO_LARGE;
    }

    if (p->failed) {
        return NULL;
    }

    p->left--;

    plan = parley_schema_plan_alloc(p, sizeof(parley_schema_plan_t));

    if (plan != NULL) {
        plan->types = PARLEY_SCHEMA_ANY;
        plan->max_length = UINT32_MAX;
        plan->least = INT64_MIN;
        plan->most = INT64_MAX;
        plan->max_items = UINT32_MAX;
        plan->max_members = UINT32_MAX;
    }

    return plan;
}


void
parley_schema_plan_fill(parley_schema_planner_t *p,
    parley_schema_place_t *place, parley_schema_plan_t *plan,
    const parley_schema_some_t *some, int own)
{
    uint32_t                n;
    parley_schema_some_t    items;
    const parley_schema_t  *s;

    items.n = 0;

    plan->strings = parley_schema_plan_alloc(p, 4 * some->n * sizeof(s));

    if (plan->strings == NULL) {
        return;
    }

    plan->numbers = plan->strings + some->n;
    plan->parts = plan->numbers + some->n;
    plan->wholes = plan->parts + some->n;

    for (n = 0; n < some->n && !p->failed; n++) {

        s = some->schemas[n];

        /* a number that may be any may be an integer */

        plan->types &= (s->types & PARLEY_SCHEMA_NUMBER)
                       ? s->types | PARLEY_SCHEMA_INTEGER : s->types;

        if (s->has & PARLEY_SCHEMA_IS_FALSE) {
            plan->types = 0;
        }

        if (parley_schema_plan_is_whole(s)
            || (!own && s->object != NULL && s->object->additional != NULL))
        {
            plan->wholes[plan->nwholes++] = s;
            plan->closer = PARLEY_SCHEMA_ANY;
            continue;
        }

        if (s->string != NULL || s->values != NULL) {
            parley_schema_plan_string(p, plan, s);
        }

        if (s->number != NULL) {
            parley_schema_plan_number(plan, s);
        }

        if (s->array != NULL) {
            parley_schema_plan_array(p, plan, s->array, &items);
        }

        if (s->object != NULL) {
            parley_schema_plan_names(p, place, plan, s->object, own);
        }

        if (s->apply != NULL) {
            parley_schema_plan_branches(p, place, plan, s, own);
        }
    }

    plan->items = parley_schema_plan_make(p, &items);

    if (plan->min_members != 0 || plan->max_members != UINT32_MAX
        || (!own && (plan->required != 0 || plan->members != NULL)))
    {
        plan->closer |= PARLEY_SCHEMA_OBJECT;
    }
}


static void
parley_schema_plan_array(parley_schema_planner_t *p,
    parley_schema_plan_t *plan, const parley_schema_array_t *a,
    parley_schema_some_t *items)
{
    plan->closer |= PARLEY_SCHEMA_ARRAY;
    plan->min_items = parley_schema_max(plan->min_items, a->min);
    plan->max_items = parley_schema_min(plan->max_items, a->max);

    if (a->items != NULL && !parley_schema_is_true(a->items)) {
        parley_schema_plan_add(p, items, a->items);
    }
}


/* strings, and what has only some values, which are mostly strings */
static void
parley_schema_plan_string(parley_schema_planner_t *p,
    parley_schema_plan_t *plan, const parley_schema_t *s)
{
    const parley_schema_string_t  *string;
    const parley_schema_values_t  *values;

    string = s->string;
    values = s->values;

    if (string != NULL) {
        plan->min_length = parley_schema_max(plan->min_length, string->min);
        plan->max_length = parley_schema_min(plan->max_length, string->max);

        if (string->pattern != NULL || string->octets != UINT32_MAX
            || string->format != PARLEY_FORMAT_NONE)
        {
            plan->closer |= PARLEY_SCHEMA_STRING;
            plan->strings[plan->nstrings++] = s;
        }
    }

    if (values == NULL) {
        return;
    }

    if (plan->words == NULL && parley_schema_plan_is_words(values)) {
        plan->words = parley_schema_plan_values(p, values);
        plan->types &= PARLEY_SCHEMA_STRING;

    } else {
        plan->closer = PARLEY_SCHEMA_ANY;
        plan->parts[plan->nparts++] = s;
    }
}


static int
parley_schema_plan_is_words(const parley_schema_values_t *values)
{
    return values->next == NULL && values->types == PARLEY_SCHEMA_STRING
           && values->n <= PARLEY_SCHEMA_WORDS_MAX;
}


static const parley_words_t *
parley_schema_plan_values(parley_schema_planner_t *p,
    const parley_schema_values_t *values)
{
    uint32_t               n;
    parley_schema_texts_t  words;

    words.n = 0;

    for (n = 0; n < values->n; n++) {
        (void) parley_schema_plan_text(p, &words, values->values[n].text);
    }

    return parley_schema_plan_table(p, &words);
}


/* Integers between integers need no more than to be compared. */
static void
parley_schema_plan_number(parley_schema_plan_t *plan,
    const parley_schema_t *s)
{
    const parley_schema_number_t  *n;

    n = s->number;

    plan->closer |= PARLEY_SCHEMA_NUMBER;
    plan->numbers[plan->nnumbers++] = s;

    if (n->divisor != 0 || !parley_schema_plan_bound(&n->minimum)
        || !parley_schema_plan_bound(&n->exclusive_minimum)
        || !parley_schema_plan_bound(&n->maximum)
        || !parley_schema_plan_bound(&n->exclusive_maximum))
    {
        plan->inexact = 1;
        return;
    }

    if (n->minimum.set && plan->least < (int64_t) n->minimum.value) {
        plan->least = (int64_t) n->minimum.value;
    }

    if (n->exclusive_minimum.set
        && plan->least <= (int64_t) n->exclusive_minimum.value)
    {
        plan->least = (int64_t) n->exclusive_minimum.value + 1;
    }

    if (n->maximum.set && plan->most > (int64_t) n->maximum.value) {
        plan->most = (int64_t) n->maximum.value;
    }

    if (n->exclusive_maximum.set
        && plan->most >= (int64_t) n->exclusive_maximum.value)
    {
        plan->most = (int64_t) n->exclusive_maximum.value - 1;
    }
}


/* whether it is an integer that a double holds exactly, if there is one */
static int
parley_schema_plan_bound(const parley_schema_bound_t *bound)
{
    return !bound->set
           || (bound->value >= -PARLEY_SCHEMA_EXACT
               && bound->value <= PARLEY_SCHEMA_EXACT
               && bound->exact.point >= (int64_t) bound->exact.ndigits);
}


static void
parley_schema_plan_branches(parley_schema_planner_t *p,
    parley_schema_place_t *place, parley_schema_plan_t *plan,
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
             && parley_schema_plan_is_case(s, &place->selector, &name)))
    {
        parley_schema_plan_add_branch(p, place, plan, PARLEY_SCHEMA_K_IF,
                                      condition, 3);
    }

    if (a->any.n != 0) {
        parley_schema_plan_add_branch(p, place, plan, PARLEY_SCHEMA_K_ANY_OF,
                                      a->any.schemas, a->any.n);
    }

    if (a->one.n != 0) {
        parley_schema_plan_add_branch(p, place, plan, PARLEY_SCHEMA_K_ONE_OF,
                                      a->one.schemas, a->one.n);
    }

    if (a->not != NULL && plan->barred == NULL
        && parley_schema_plan_is_bar(a->not))
    {
        plan->closer |= PARLEY_SCHEMA_STRING;
        plan->barred = parley_schema_plan_values(p, a->not->values);

    } else if (a->not != NULL) {
        parley_schema_plan_add_branch(p, place, plan, PARLEY_SCHEMA_K_NOT,
                                      &a->not, 1);
    }
}


/* whether what it takes is some words, and nothing else */
static int
parley_schema_plan_is_bar(const parley_schema_t *s)
{
    return (s->has & ~PARLEY_SCHEMA_HAS_SCOPE) == PARLEY_SCHEMA_HAS_VALUES
           && (s->types & PARLEY_SCHEMA_STRING)
           && parley_schema_plan_is_words(s->values);
}


static void
parley_schema_plan_add_branch(parley_schema_planner_t *p,
    parley_schema_place_t *place, parley_schema_plan_t *plan,
    parley_schema_keyword_t keyword, const parley_schema_t *const *schemas,
    uint32_t n)
{
    uint32_t                 i;
    parley_schema_branch_t  *b, **last;

    b = parley_schema_plan_alloc(p, sizeof(parley_schema_branch_t));
    if (b == NULL) {
        return;
    }

    b->plans = parley_schema_plan_alloc(p, n * sizeof(b->plans[0]));
    if (b->plans == NULL) {
        return;
    }

    b->keyword = keyword;
    b->n = n;

    for (i = 0; i < n; i++) {
        b->plans[i] = parley_schema_plan_within(p, place, schemas[i]);
    }

    for (last = &plan->branches; *last != NULL; last = &(*last)->next) {
        /* void */
    }

    *last = b;
    plan->closer = PARLEY_SCHEMA_ANY;
}


void
parley_schema_plan_add(parley_schema_planner_t *p,
    parley_schema_some_t *list, const parley_schema_t *s)
{
    if (list->n == PARLEY_SCHEMA_PLAN_LIST_MAX) {
        p->failed = p->failed ? p->failed : PARLEY_SCHEMA_PLAN_TOO_LARGE;
        return;
    }

    list->schemas[list->n++] = s;
}


void *
parley_schema_plan_alloc(parley_schema_planner_t *p, size_t size)
{
    void  *ret;

    ret = parley_schema_alloc(p->c, size);

    if (ret == NULL) {
        p->failed = PARLEY_SCHEMA_PLAN_NO_MEMORY;
    }

    return ret;
}
