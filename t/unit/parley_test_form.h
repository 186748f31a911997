/*
 * Messages of every protocol, made at random from its schema.  Where more has
 * to be true of a message than its schema says (a name that other protocols
 * have, a time, a payload that is its intent's), it is often made true, and
 * left to chance otherwise.
 */

#ifndef PARLEY_TEST_FORM_H
#define PARLEY_TEST_FORM_H

#include "translate/parley_msg.h"
#include "t/unit/parley_test_instance.h"


typedef struct {
    parley_test_rules_t    rules[PARLEY_PROTO_COUNT];
    parley_test_source_t  *source;      /* of the message under way */
    parley_proto_t         proto;
    unsigned               made;
    unsigned               rejected;    /* what was begun and came to nothing */
} parley_test_forms_t;


void parley_test_forms_init(parley_test_forms_t *forms);
void parley_test_forms_done(parley_test_forms_t *forms);

/* A message that is valid by the schema. */
parley_test_tree_t *parley_test_form(parley_test_forms_t *forms,
    parley_test_source_t *source, parley_proto_t proto);

/* Counts what of the schema a message has shown. */
void parley_test_form_seen(parley_test_forms_t *forms, parley_proto_t proto,
    const parley_test_tree_t *tree);

/* Whether it is valid by the second opinion of parley_test_rule.h and
   parley_test_names.h. */
int parley_test_form_holds(parley_test_forms_t *forms, parley_proto_t proto,
    const parley_test_tree_t *tree);


#endif /* PARLEY_TEST_FORM_H */
