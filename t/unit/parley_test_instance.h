/*
 * Instances of a schema, made at random from the schema itself.  What must
 * hold of a value all at once ($ref, allOf, a branch of anyOf, the branches of
 * conditions that turned out to be taken) is put together first; the members
 * that conditions look at are made before the others.
 */

#ifndef PARLEY_TEST_INSTANCE_H
#define PARLEY_TEST_INSTANCE_H

#include "t/unit/parley_test_rule.h"
#include "t/unit/parley_test_value.h"


/*
 * A value for the member that a JSON Pointer into the instance names, where
 * more should be true of it than the schema says (a name that maps, a time);
 * NULL: none.  One that is not valid is passed over.
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
 * An instance of a rule.  NULL: none was found, which may be chance or say
 * that nothing is valid.
 */
parley_test_tree_t *parley_test_instance(parley_test_instance_t *in,
    parley_test_rule_t *rule);


#endif /* PARLEY_TEST_INSTANCE_H */
