/*
 * Values made at random where no schema says more than their type: texts with
 * characters of every length, numbers in every notation, times, ids.
 */

#ifndef PARLEY_TEST_VALUE_H
#define PARLEY_TEST_VALUE_H

#include "t/unit/parley_test_tree.h"


/* where values come from and where they live */
typedef struct {
    parley_arena_t       *arena;
    parley_test_random_t  random;
} parley_test_source_t;


/* min to max characters, in no more octets than these */
parley_test_tree_t *parley_test_value_text(parley_test_source_t *s,
    unsigned min, unsigned max, unsigned octets);

/* from min to max; an integer, also as 5e3 or 1.0, or with a fraction */
parley_test_tree_t *parley_test_value_number(parley_test_source_t *s,
    double min, double max, int integer);

/* any value, nested so deep at most */
parley_test_tree_t *parley_test_value_any(parley_test_source_t *s,
    unsigned depth);

/* an object of any members */
parley_test_tree_t *parley_test_value_object(parley_test_source_t *s,
    unsigned depth);

/* the name of a member that a protocol does not know, perhaps one that means
   something elsewhere */
parley_str_t parley_test_value_name(parley_test_source_t *s);

/* RFC 3339, mostly in UTC */
parley_str_t parley_test_value_time(parley_test_source_t *s);

parley_str_t parley_test_value_uuid(parley_test_source_t *s, int version);

/* text by a format; it lives in the arena */
parley_str_t parley_test_value_print(parley_test_source_t *s,
    const char *format, ...) __attribute__((format(printf, 2, 3)));


#endif /* PARLEY_TEST_VALUE_H */
