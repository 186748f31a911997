#include "t/unit/parley_test_instance.h"

#include "t/unit/parley_test_pattern.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>


#define PARLEY_TEST_INSTANCE_TRIES   20
#define PARLEY_TEST_INSTANCE_RULES   64
#define PARLEY_TEST_INSTANCE_ABSENT  32
#define PARLEY_TEST_INSTANCE_ITEMS   3      /* more than the minimum */


/* all rules of one value */
typedef struct {
    parley_test_rule_t  *rules[PARLEY_TEST_INSTANCE_RULES];
    unsigned             n;
} parley_test_conjunction_t;


/* an object in progress */
typedef struct {
    parley_test_tree_t         *tree;
    parley_test_conjunction_t   all;
    parley_str_t                absent[PARLEY_TEST_INSTANCE_ABSENT];
    unsigned                    nabsent;
    unsigned                    percent;    /* probability of an optional
                                               member */
} parley_test_object_t;


static void parley_test_conjoin(parley_test_instance_t *in,
    parley_test_conjunction_t *c, parley_test_rule_t *rule);
static parley_test_tree_t *parley_test_instance_value(
    parley_test_instance_t *in, const parley_test_conjunction_t *c);
static parley_test_tree_t *parley_test_instance_scalar(
    parley_test_instance_t *in, const parley_test_conjunction_t *c,
    parley_json_type_t type);
static parley_test_tree_t *parley_test_instance_text(
    parley_test_instance_t *in, const parley_test_conjunction_t *c);
static parley_test_tree_t *parley_test_instance_array(
    parley_test_instance_t *in, const parley_test_conjunction_t *c);
static parley_test_tree_t *parley_test_instance_object(
    parley_test_instance_t *in, const parley_test_conjunction_t *c);
static void parley_test_instance_looked_at(parley_test_instance_t *in,
    parley_test_object_t *o, parley_test_rule_t *condition);
static void parley_test_instance_member(parley_test_instance_t *in,
    parley_test_object_t *o, parley_str_t name);
static void parley_test_instance_unknown(parley_test_instance_t *in,
    parley_test_object_t *o);


parley_test_tree_t *
parley_test_instance(parley_test_instance_t *in, parley_test_rule_t *rule)
{
    parley_test_conjunction_t  c;

    c.n = 0;
    in->pointer[0] = '\0';

    parley_test_conjoin(in, &c, rule);

    return parley_test_instance_value(in, &c);
}


static void
parley_test_conjoin(parley_test_instance_t *in, parley_test_conjunction_t *c,
    parley_test_rule_t *rule)
{
    unsigned              n;
    parley_test_rule_t  **item;

    if (c->n < PARLEY_TEST_INSTANCE_RULES) {
        c->rules[c->n++] = rule;
    }

    if (rule->ref != NULL) {
        parley_test_conjoin(in, c, rule->ref);
    }

    for (item = rule->all; item != NULL && *item != NULL; item++) {
        parley_test_conjoin(in, c, *item);
    }

    if (rule->any != NULL) {
        for (n = 0; rule->any[n] != NULL; n++) { /* void */ }

        parley_test_conjoin(in, c,
                            rule->any[parley_test_below(&in->source->random,
                                                        n)]);
    }

    /* for objects, conditions are tested after their members exist */

    if (rule->condition != NULL && rule->then != NULL
        && !(rule->types & PARLEY_TEST_TYPE(PARLEY_JSON_OBJECT))
        && parley_test_chance(&in->source->random, 20))
    {
        parley_test_conjoin(in, c, rule->condition);
        parley_test_conjoin(in, c, rule->then);
    }
}


static int
parley_test_instance_holds(parley_test_instance_t *in,
    const parley_test_conjunction_t *c, const parley_test_tree_t *tree)
{
    unsigned  i;

    for (i = 0; tree != NULL && i < c->n; i++) {
        if (!parley_test_holds(in->rules, c->rules[i], tree, 0)) {
            return 0;
        }
    }

    return tree != NULL;
}


static parley_test_tree_t *
parley_test_instance_value(parley_test_instance_t *in,
    const parley_test_conjunction_t *c)
{
    unsigned               i, types, type;
    parley_test_tree_t    *tree, *words;
    parley_test_random_t  *r = &in->source->random;

    types = PARLEY_TEST_TYPES_ALL;
    words = NULL;

    for (i = 0; i < c->n; i++) {
        types = c->rules[i]->never ? 0 : types & c->rules[i]->types;

        if (c->rules[i]->words != NULL) {
            words = c->rules[i]->words;
        }
    }

    if (types == 0) {
        return NULL;
    }

    tree = in->steer != NULL ? in->steer(in->ctx, in->pointer) : NULL;

    if (parley_test_instance_holds(in, c, tree)) {
        return tree;
    }

    for (i = 0; i < c->n; i++) {
        tree = c->rules[i]->constant;

        if (tree != NULL) {
            tree = parley_test_tree_copy(in->source->arena, tree);
            return parley_test_instance_holds(in, c, tree) ? tree : NULL;
        }
    }

    for (i = 0; words != NULL && i < PARLEY_TEST_INSTANCE_TRIES; i++) {
        tree = parley_test_tree_nth(words, 1 + parley_test_below(r,
                                                                words->count),
                                    &tree);
        tree = parley_test_tree_copy(in->source->arena, tree);

        if (parley_test_instance_holds(in, c, tree)) {
            return tree;
        }
    }

    if (words != NULL) {
        return NULL;
    }

    do {
        type = parley_test_below(r, PARLEY_JSON_OBJECT + 1);
    } while (!(types & PARLEY_TEST_TYPE(type)));

    switch (type) {

    case PARLEY_JSON_ARRAY:
        return parley_test_instance_array(in, c);

    case PARLEY_JSON_OBJECT:
        return parley_test_instance_object(in, c);

    default:
        return parley_test_instance_scalar(in, c, (parley_json_type_t) type);
    }
}


static parley_test_tree_t *
parley_test_instance_scalar(parley_test_instance_t *in,
    const parley_test_conjunction_t *c, parley_json_type_t type)
{
    int                  integer;
    double               min, max;
    unsigned             i, tries;
    parley_test_tree_t  *tree;

    min = -INFINITY;
    max = INFINITY;
    integer = 0;

    for (i = 0; i < c->n; i++) {
        min = fmax(min, c->rules[i]->minimum);
        min = fmax(min, c->rules[i]->above + 1);
        max = fmin(max, c->rules[i]->maximum);
        integer |= c->rules[i]->integer;
    }

    for (tries = 0; tries < PARLEY_TEST_INSTANCE_TRIES; tries++) {

        tree = type == PARLEY_JSON_STRING
               ? parley_test_instance_text(in, c)
               : type == PARLEY_JSON_NUMBER
                 ? parley_test_value_number(in->source, min, max, integer)
                 : parley_test_tree(in->source->arena, type);

        if (parley_test_instance_holds(in, c, tree)) {
            return tree;
        }
    }

    return NULL;
}


static parley_test_tree_t *
parley_test_instance_text(parley_test_instance_t *in,
    const parley_test_conjunction_t *c)
{
    unsigned      i, min, max, octets;
    parley_buf_t  b;
    parley_str_t  text;

    min = 0;
    max = UINT_MAX;
    octets = UINT_MAX;

    for (i = 0; i < c->n; i++) {
        if (c->rules[i]->date_time) {
            return parley_test_tree_string(in->source->arena,
                       parley_test_value_time(in->source));
        }
    }

    for (i = 0; i < c->n; i++) {
        if (c->rules[i]->regex != NULL) {
            parley_buf_init(&b, in->source->arena, 64);
            parley_test_pattern_put(&b, &in->source->random,
                                    c->rules[i]->pattern);

            return parley_buf_done(&b, &text) == 0
                   ? parley_test_tree_string(in->source->arena, text) : NULL;
        }

        min = min > c->rules[i]->min_length ? min : c->rules[i]->min_length;
        max = max < c->rules[i]->max_length ? max : c->rules[i]->max_length;
        octets = octets < c->rules[i]->max_octets
                 ? octets : c->rules[i]->max_octets;
    }

    return parley_test_value_text(in->source, min, max, octets);
}


static parley_test_tree_t *
parley_test_instance_array(parley_test_instance_t *in,
    const parley_test_conjunction_t *c)
{
    size_t                      len;
    unsigned                    i, n, min, max;
    parley_test_tree_t         *tree, *item;
    parley_test_conjunction_t   items;

    tree = parley_test_tree(in->source->arena, PARLEY_JSON_ARRAY);
    len = strlen(in->pointer);
    min = 0;
    max = UINT_MAX;

    for (i = 0; i < c->n; i++) {
        min = min > c->rules[i]->min_items ? min : c->rules[i]->min_items;
        max = max < c->rules[i]->max_items ? max : c->rules[i]->max_items;
    }

    n = max - min < PARLEY_TEST_INSTANCE_ITEMS ? max - min
                                               : PARLEY_TEST_INSTANCE_ITEMS;

    for (n = min + parley_test_below(&in->source->random, n + 1); n > 0; n--) {
        items.n = 0;

        for (i = 0; i < c->n; i++) {
            if (c->rules[i]->items != NULL) {
                parley_test_conjoin(in, &items, c->rules[i]->items);
            }
        }

        snprintf(in->pointer + len, sizeof(in->pointer) - len, "/*");
        item = items.n > 0 ? parley_test_instance_value(in, &items)
                           : parley_test_value_any(in->source, 1);
        in->pointer[len] = '\0';

        if (item == NULL) {
            return NULL;
        }

        parley_test_tree_add(tree, item);
    }

    return parley_test_instance_holds(in, c, tree) ? tree : NULL;
}


static parley_test_tree_t *
parley_test_instance_object(parley_test_instance_t *in,
    const parley_test_conjunction_t *c)
{
    unsigned                   i, tries;
    parley_test_tree_t        *name;
    parley_test_rule_t        *rule, *branch;
    parley_test_object_t       o;

    for (tries = 0; tries < PARLEY_TEST_INSTANCE_TRIES; tries++) {

        o.tree = parley_test_tree(in->source->arena, PARLEY_JSON_OBJECT);
        o.all = *c;
        o.nabsent = 0;
        o.percent = parley_test_chance(&in->source->random, 30) ? 10
                    : parley_test_chance(&in->source->random, 60) ? 50 : 95;

        for (i = 0; i < o.all.n; i++) {
            rule = o.all.rules[i];

            if (rule->condition == NULL) {
                continue;
            }

            parley_test_instance_looked_at(in, &o, rule->condition);

            branch = parley_test_holds(in->rules, rule->condition, o.tree, 0)
                     ? rule->then : rule->otherwise;

            if (branch != NULL) {
                parley_test_conjoin(in, &o.all, branch);
            }
        }

        for (i = 0; i < o.all.n; i++) {
            name = o.all.rules[i]->names;

            for (name = name ? name->first : NULL; name != NULL;
                 name = name->next)
            {
                parley_test_instance_member(in, &o, name->text);
            }
        }

        parley_test_instance_unknown(in, &o);

        if (parley_test_instance_holds(in, &o.all, o.tree)) {
            return o.tree;
        }
    }

    return NULL;
}


/* Makes the members that a condition tests. */

static void
parley_test_instance_looked_at(parley_test_instance_t *in,
    parley_test_object_t *o, parley_test_rule_t *condition)
{
    parley_test_tree_t   *name;
    parley_test_rule_t  **item;

    name = condition->names;

    for (name = name ? name->first : NULL; name != NULL; name = name->next) {
        parley_test_instance_member(in, o, name->text);
    }

    if (condition->ref != NULL) {
        parley_test_instance_looked_at(in, o, condition->ref);
    }

    if (condition->not != NULL) {
        parley_test_instance_looked_at(in, o, condition->not);
    }

    for (item = condition->any; item != NULL && *item != NULL; item++) {
        parley_test_instance_looked_at(in, o, *item);
    }

    for (item = condition->all; item != NULL && *item != NULL; item++) {
        parley_test_instance_looked_at(in, o, *item);
    }
}


/* Collects the rules of a member; returns whether it is required. */

static int
parley_test_instance_said(parley_test_instance_t *in,
    const parley_test_object_t *o, parley_str_t name,
    parley_test_conjunction_t *ret)
{
    int                  required;
    unsigned             i, k;
    parley_test_tree_t  *word;
    parley_test_rule_t  *rule;

    required = 0;
    ret->n = 0;

    for (i = 0; i < o->all.n; i++) {
        rule = o->all.rules[i];
        word = rule->required ? rule->required->first : NULL;

        for (/* void */; word != NULL; word = word->next) {
            required |= parley_str_eq(word->text, name);
        }

        word = rule->names ? rule->names->first : NULL;

        for (k = 0; word != NULL; word = word->next, k++) {
            if (parley_str_eq(word->text, name)) {
                parley_test_conjoin(in, ret, rule->properties[k]);
            }
        }
    }

    return required;
}


static void
parley_test_instance_member(parley_test_instance_t *in,
    parley_test_object_t *o, parley_str_t name)
{
    int                         required;
    size_t                      len;
    unsigned                    i;
    parley_test_tree_t         *value;
    parley_test_conjunction_t   c;

    if (parley_test_tree_member(o->tree, name) != NULL) {
        return;
    }

    for (i = 0; i < o->nabsent; i++) {
        if (parley_str_eq(o->absent[i], name)) {
            return;
        }
    }

    required = parley_test_instance_said(in, o, name, &c);
    value = NULL;

    if (required || parley_test_chance(&in->source->random, o->percent)) {
        len = strlen(in->pointer);
        snprintf(in->pointer + len, sizeof(in->pointer) - len, "/%.*s",
                 (int) name.len, (const char *) name.data);
        value = parley_test_instance_value(in, &c);
        in->pointer[len] = '\0';
    }

    if (value != NULL) {
        parley_test_tree_set(o->tree, name, value);

    } else if (!required && o->nabsent < PARLEY_TEST_INSTANCE_ABSENT) {
        o->absent[o->nabsent++] = name;
    }
}


/* Adds members that the schema does not name, if it allows them. */

static void
parley_test_instance_unknown(parley_test_instance_t *in,
    parley_test_object_t *o)
{
    unsigned                    i, n, named;
    parley_str_t                name;
    parley_test_conjunction_t   c;

    named = 0;

    for (i = 0; i < o->all.n; i++) {
        if (o->all.rules[i]->closed) {
            return;
        }

        named |= o->all.rules[i]->names != NULL;
    }

    if (named && !parley_test_chance(&in->source->random, 12)) {
        return;
    }

    for (n = parley_test_below(&in->source->random, named ? 3 : 5); n > 0;
         n--)
    {
        name = parley_test_value_name(in->source);
        (void) parley_test_instance_said(in, o, name, &c);

        if (c.n == 0) {
            parley_test_tree_set(o->tree, name,
                                 parley_test_value_any(in->source, 2));
        }
    }
}
