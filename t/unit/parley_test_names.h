/*
 * Where names stand in the messages of each protocol: texts that have no
 * control characters (SEC-01).  A second opinion, by pointers.
 */

#ifndef PARLEY_TEST_NAMES_H
#define PARLEY_TEST_NAMES_H

#include "translate/parley_msg.h"
#include "t/unit/parley_test_tree.h"


/* Whether no name of a message has a control character. */
int parley_test_names_hold(parley_proto_t proto,
    const parley_test_tree_t *tree);

/* Writes "x" for the control characters in the names of a message. */
void parley_test_names_clean(parley_arena_t *arena, parley_proto_t proto,
    parley_test_tree_t *tree);


#endif /* PARLEY_TEST_NAMES_H */
