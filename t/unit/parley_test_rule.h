/*
 * A schema of schemas/ taken apart: what parley_test_instance.h makes
 * messages from, and a second opinion on them, which shares nothing with the
 * validator of the library.  It knows the keywords that the schemas use; any
 * other ends the process, so that a schema does not outgrow this unseen.
 */

#ifndef PARLEY_TEST_RULE_H
#define PARLEY_TEST_RULE_H

#include "core/parley_json.h"
#include "t/unit/parley_test_tree.h"

#define PCRE2_CODE_UNIT_WIDTH  8
#include <pcre2.h>


/* a bit per type: 1 << parley_json_type_t */
#define PARLEY_TEST_TYPE(t)     (1u << (t))
#define PARLEY_TEST_TYPES_ALL   0x7Fu
#define PARLEY_TEST_TYPE_BOOLEAN                                              \
    (PARLEY_TEST_TYPE(PARLEY_JSON_TRUE) | PARLEY_TEST_TYPE(PARLEY_JSON_FALSE))


typedef struct parley_test_rule_s  parley_test_rule_t;

/* a schema; what it does not have is 0, NULL or PARLEY_JSON_NONE */
struct parley_test_rule_s {
    uint32_t             node;          /* in the document */
    unsigned             types;
    unsigned             integer:1;     /* a number must be one */
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

    unsigned             seen;          /* instances that met it */
    unsigned            *seen_words;    /* and each of its words */
};


typedef struct {
    parley_arena_t        arena;
    parley_json_t         doc;
    parley_test_rule_t  **rules;        /* by node */
    pcre2_match_data     *match;
    char                  what[400];    /* said last */
} parley_test_rules_t;


/* text is a schema document without references to others. */
void parley_test_rules_init(parley_test_rules_t *rules, parley_str_t text);
void parley_test_rules_done(parley_test_rules_t *rules);

/* The schema that a JSON Pointer names. */
parley_test_rule_t *parley_test_rule(parley_test_rules_t *rules,
    const char *pointer);

/*
 * Whether a value is valid.  mark: every rule, word of an enum, branch and
 * member that it meets is counted, for parley_test_rules_unseen(); to be used
 * of values that are valid.
 */
int parley_test_holds(parley_test_rules_t *rules, parley_test_rule_t *rule,
    const parley_test_tree_t *value, int mark);

/*
 * What no value marked so far has met, of all that the schema at the root can
 * say: the JSON Pointer of a member, branch or word; NULL: nothing.
 */
const char *parley_test_rules_unseen(parley_test_rules_t *rules);

/* Whether two trees are the same value, numbers by their double. */
int parley_test_tree_same(const parley_test_tree_t *a,
    const parley_test_tree_t *b);


#endif /* PARLEY_TEST_RULE_H */
