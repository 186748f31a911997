/*
 * Random instances of a schema, made from the schema itself.  First all rules
 * of a value are collected: $ref, allOf, a branch of anyOf, the taken branches
 * of conditions.  Members that conditions test are made before the others.
 */

#ifndef PARLEY_TEST_INSTANCE_H
#define PARLEY_TEST_INSTANCE_H

#include "t/unit/parley_test_rule.h"
#include "t/unit/parley_test_value.h"


/*
 * Returns a value for the member at a JSON Pointer, or NULL.  It is for
 * members that need more than the schema asks for: a name that maps, a time.
 * A value that is not valid is ignored.
 */
typedef parley_test_tree_t *(*parley_test_steer_pt)(void *ctx,
    const char *pointer);


typedef struct {
    parley_test_rules_t   *rules;
    parley_test_source_t  *source;
    parley_test_steer_pt   steer;       /* may be NULL */
    void                  *ctx;
    char                   pointer[256];
} parley_test_instance_t;


/*
 * Returns an instance of a rule.  NULL if none was found, by chance or because
 * no value is valid.
 */
parley_test_tree_t *parley_test_instance(parley_test_instance_t *in,
    parley_test_rule_t *rule);


#endif /* PARLEY_TEST_INSTANCE_H */
