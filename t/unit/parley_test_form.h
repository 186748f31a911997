/*
 * Random messages of every protocol, made from its schema.  Some properties
 * are not in the schema: a name that other protocols have, a valid time, a
 * payload that fits the intent.  These are often made valid, and left to
 * chance otherwise.
 */

#ifndef PARLEY_TEST_FORM_H
#define PARLEY_TEST_FORM_H

#include "translate/parley_msg.h"
#include "t/unit/parley_test_instance.h"


typedef struct {
    parley_test_rules_t    rules[PARLEY_PROTO_COUNT];
    parley_test_source_t  *source;      /* of the current message */
    parley_proto_t         proto;
    unsigned               made;
    unsigned               rejected;    /* instances that were begun and given
                                           up */
} parley_test_forms_t;


void parley_test_forms_init(parley_test_forms_t *forms);
void parley_test_forms_done(parley_test_forms_t *forms);

/* Returns a message that is valid by the schema. */
parley_test_tree_t *parley_test_form(parley_test_forms_t *forms,
    parley_test_source_t *source, parley_proto_t proto);

/* Counts the parts of the schema that a message uses. */
void parley_test_form_seen(parley_test_forms_t *forms, parley_proto_t proto,
    const parley_test_tree_t *tree);

/*
 * Returns whether a message is valid by the second checker of
 * parley_test_rule.h and parley_test_names.h.
 */
int parley_test_form_holds(parley_test_forms_t *forms, parley_proto_t proto,
    const parley_test_tree_t *tree);


#endif /* PARLEY_TEST_FORM_H */
