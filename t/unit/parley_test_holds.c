/* Checks a value against a schema: the second checker. */

#include "t/unit/parley_test_rule.h"

#include "core/parley_time.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>


static int parley_test_holds_string(parley_test_rules_t *rules,
    const parley_test_rule_t *rule, const parley_test_tree_t *value);
static int parley_test_holds_items(parley_test_rules_t *rules,
    parley_test_rule_t *rule, const parley_test_tree_t *value, int mark);
static int parley_test_holds_members(parley_test_rules_t *rules,
    parley_test_rule_t *rule, const parley_test_tree_t *value, int mark);
static int parley_test_holds_others(parley_test_rules_t *rules,
    parley_test_rule_t *rule, const parley_test_tree_t *value, int mark);


static double
parley_test_tree_double(const parley_test_tree_t *tree)
{
    return strtod((const char *) tree->text.data, NULL);
}


int
parley_test_tree_same(const parley_test_tree_t *a,
    const parley_test_tree_t *b)
{
    const parley_test_tree_t  *i, *k;

    if (a->type != b->type || a->count != b->count) {
        return 0;
    }

    switch (a->type) {

    case PARLEY_JSON_NUMBER:
        return parley_test_tree_double(a) == parley_test_tree_double(b);

    case PARLEY_JSON_STRING:
        return parley_str_eq(a->text, b->text);

    case PARLEY_JSON_ARRAY:
        for (i = a->first, k = b->first; i != NULL; i = i->next, k = k->next) {
            if (!parley_test_tree_same(i, k)) {
                return 0;
            }
        }

        return 1;

    case PARLEY_JSON_OBJECT:
        for (i = a->first; i != NULL; i = i->next) {
            k = parley_test_tree_member(b, i->name);

            if (k == NULL || !parley_test_tree_same(i, k)) {
                return 0;
            }
        }

        return 1;

    default:
        return 1;
    }
}


int
parley_test_holds(parley_test_rules_t *rules, parley_test_rule_t *rule,
    const parley_test_tree_t *value, int mark)
{
    double                     n;
    unsigned                   i;
    const parley_test_tree_t  *word;

    if (rule->never || !(rule->types & PARLEY_TEST_TYPE(value->type))) {
        return 0;
    }

    rule->seen += (unsigned) mark;

    if (rule->constant != NULL
        && !parley_test_tree_same(rule->constant, value))
    {
        return 0;
    }

    if (rule->words != NULL) {
        for (i = 0, word = rule->words->first;
             word != NULL && !parley_test_tree_same(word, value);
             i++, word = word->next)
        {
            /* void */
        }

        if (word == NULL) {
            return 0;
        }

        rule->seen_words[i] += (unsigned) mark;
    }

    switch (value->type) {

    case PARLEY_JSON_NUMBER:
        n = parley_test_tree_double(value);

        if (n < rule->minimum || n > rule->maximum || !(n > rule->above)
            || (rule->integer && n != floor(n)))
        {
            return 0;
        }

        break;

    case PARLEY_JSON_STRING:
        if (!parley_test_holds_string(rules, rule, value)) {
            return 0;
        }

        break;

    case PARLEY_JSON_ARRAY:
        if (!parley_test_holds_items(rules, rule, value, mark)) {
            return 0;
        }

        break;

    case PARLEY_JSON_OBJECT:
        if (!parley_test_holds_members(rules, rule, value, mark)) {
            return 0;
        }

        break;

    default:
        break;
    }

    return parley_test_holds_others(rules, rule, value, mark);
}


static int
parley_test_holds_string(parley_test_rules_t *rules,
    const parley_test_rule_t *rule, const parley_test_tree_t *value)
{
    size_t    i;
    int64_t   ms;
    unsigned  n;

    n = 0;

    for (i = 0; i < value->text.len; i++) {
        n += (value->text.data[i] & 0xC0) != 0x80;
    }

    return n >= rule->min_length && n <= rule->max_length
           && value->text.len <= rule->max_octets
           && (rule->regex == NULL
               || pcre2_match(rule->regex, value->text.data, value->text.len,
                              0, 0, rules->match, NULL)
                  >= 0)
           && (!rule->date_time || parley_time_parse(value->text, &ms) == 0);
}


static int
parley_test_holds_items(parley_test_rules_t *rules, parley_test_rule_t *rule,
    const parley_test_tree_t *value, int mark)
{
    const parley_test_tree_t  *item;

    if (value->count < rule->min_items || value->count > rule->max_items) {
        return 0;
    }

    for (item = value->first; rule->items != NULL && item != NULL;
         item = item->next)
    {
        if (!parley_test_holds(rules, rule->items, item, mark)) {
            return 0;
        }
    }

    return 1;
}


static int
parley_test_holds_members(parley_test_rules_t *rules,
    parley_test_rule_t *rule, const parley_test_tree_t *value, int mark)
{
    unsigned                   i, known;
    const parley_test_tree_t  *name, *member;

    for (name = rule->required ? rule->required->first : NULL; name != NULL;
         name = name->next)
    {
        if (parley_test_tree_member(value, name->text) == NULL) {
            return 0;
        }
    }

    known = 0;
    i = 0;

    for (name = rule->names ? rule->names->first : NULL; name != NULL;
         name = name->next)
    {
        member = parley_test_tree_member(value, name->text);

        if (member != NULL) {
            known++;

            if (!parley_test_holds(rules, rule->properties[i], member, mark)) {
                return 0;
            }
        }

        i++;
    }

    return !rule->closed || known == value->count;
}


static int
parley_test_holds_others(parley_test_rules_t *rules, parley_test_rule_t *rule,
    const parley_test_tree_t *value, int mark)
{
    int                   held;
    parley_test_rule_t  **item, *branch;

    if ((rule->ref != NULL && !parley_test_holds(rules, rule->ref, value,
                                                 mark))
        || (rule->not != NULL && parley_test_holds(rules, rule->not, value,
                                                   0)))
    {
        return 0;
    }

    for (item = rule->all; item != NULL && *item != NULL; item++) {
        if (!parley_test_holds(rules, *item, value, mark)) {
            return 0;
        }
    }

    held = rule->any == NULL;

    for (item = rule->any; item != NULL && *item != NULL; item++) {
        if (parley_test_holds(rules, *item, value, 0)) {
            held = 1;
            (void) parley_test_holds(rules, *item, value, mark);
        }
    }

    if (!held) {
        return 0;
    }

    if (rule->condition == NULL) {
        return 1;
    }

    branch = parley_test_holds(rules, rule->condition, value, 0)
             ? rule->then : rule->otherwise;

    return branch == NULL || parley_test_holds(rules, branch, value, mark);
}
