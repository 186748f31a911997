/*
 * A parsed schema of schemas/.  parley_test_instance.h makes messages from it.
 * It is also a second checker, which shares no code with the validator of the
 * library.  It knows the keywords that the schemas use.  Any other keyword
 * ends the process, so a new keyword in a schema is noticed.
 */

#ifndef PARLEY_TEST_RULE_H
#define PARLEY_TEST_RULE_H

#include "core/parley_json.h"
#include "t/unit/parley_test_tree.h"

#define PCRE2_CODE_UNIT_WIDTH  8
#include <pcre2.h>


/* a bit for each type: 1 << parley_json_type_t */
#define PARLEY_TEST_TYPE(t)     (1u << (t))
#define PARLEY_TEST_TYPES_ALL   0x7Fu
#define PARLEY_TEST_TYPE_BOOLEAN                                              \
    (PARLEY_TEST_TYPE(PARLEY_JSON_TRUE) | PARLEY_TEST_TYPE(PARLEY_JSON_FALSE))


typedef struct parley_test_rule_s  parley_test_rule_t;

/* a schema; missing keywords are 0, NULL or PARLEY_JSON_NONE */
struct parley_test_rule_s {
    uint32_t             node;          /* in the document */
    unsigned             types;
    unsigned             integer:1;     /* a number must be an integer */
    unsigned             never:1;       /* the schema false */
    unsigned             closed:1;      /* additionalProperties: false */

    parley_test_tree_t  *constant;
    parley_test_tree_t  *words;         /* enum */
    uint32_t             words_node;

    parley_test_tree_t  *required;
    parley_test_tree_t  *names;         /* of properties, as an array */
    parley_test_rule_t **properties;    /* in their order */
    parley_test_rule_t  *items;

    double               minimum;       /* -INFINITY, INFINITY: none */
    double               maximum;
    double               above;         /* exclusiveMinimum */
    unsigned             min_length;
    unsigned             max_length;    /* characters; UINT_MAX: none */
    unsigned             max_octets;
    unsigned             min_items;
    unsigned             max_items;

    parley_str_t         pattern;
    pcre2_code          *regex;
    int                  date_time;     /* format: date-time */

    parley_test_rule_t  *ref;
    parley_test_rule_t **all;           /* allOf, NULL after the last */
    parley_test_rule_t **any;           /* anyOf */
    parley_test_rule_t  *not;
    parley_test_rule_t  *condition;     /* if */
    parley_test_rule_t  *then;
    parley_test_rule_t  *otherwise;     /* else */

    unsigned             seen;          /* instances that it was applied to */
    unsigned            *seen_words;    /* as seen, for each of its words */
};


typedef struct {
    parley_arena_t        arena;
    parley_json_t         doc;
    parley_test_rule_t  **rules;        /* by node */
    pcre2_match_data     *match;
    char                  what[400];    /* last result of unseen() */
} parley_test_rules_t;


/* Parses a schema document that has no references to other documents. */
void parley_test_rules_init(parley_test_rules_t *rules, parley_str_t text);
void parley_test_rules_done(parley_test_rules_t *rules);

/* Returns the schema at a JSON Pointer. */
parley_test_rule_t *parley_test_rule(parley_test_rules_t *rules,
    const char *pointer);

/*
 * Returns whether a value is valid.  mark: counts every rule, word of an enum,
 * branch and member that the value uses, for parley_test_rules_unseen().  Use
 * mark with valid values only.
 */
int parley_test_holds(parley_test_rules_t *rules, parley_test_rule_t *rule,
    const parley_test_tree_t *value, int mark);

/*
 * Returns a part of the root schema that no marked value has used, as the JSON
 * Pointer of a member, branch or word; NULL if there is none.
 */
const char *parley_test_rules_unseen(parley_test_rules_t *rules);

/*
 * Returns whether two trees are the same value, comparing numbers as doubles.
 */
int parley_test_tree_same(const parley_test_tree_t *a,
    const parley_test_tree_t *b);


#endif /* PARLEY_TEST_RULE_H */
