/*
 * Random values of a type, without a schema: texts with characters of every
 * length, numbers in every notation, times, ids.
 */

#ifndef PARLEY_TEST_VALUE_H
#define PARLEY_TEST_VALUE_H

#include "t/unit/parley_test_tree.h"


/* random numbers, and memory for the values */
typedef struct {
    parley_arena_t       *arena;
    parley_test_random_t  random;
} parley_test_source_t;


/* Returns min to max characters, in at most that many octets. */
parley_test_tree_t *parley_test_value_text(parley_test_source_t *s,
    unsigned min, unsigned max, unsigned octets);

/* Returns a number from min to max; an integer may be written as 5e3 or 1.0. */
parley_test_tree_t *parley_test_value_number(parley_test_source_t *s,
    double min, double max, int integer);

/* Returns any value, nested at most that deep. */
parley_test_tree_t *parley_test_value_any(parley_test_source_t *s,
    unsigned depth);

/* Returns an object of any members. */
parley_test_tree_t *parley_test_value_object(parley_test_source_t *s,
    unsigned depth);

/*
 * Returns the name of a member that a protocol does not know; sometimes
 * another protocol knows it.
 */
parley_str_t parley_test_value_name(parley_test_source_t *s);

/* Returns an RFC 3339 time, mostly in UTC. */
parley_str_t parley_test_value_time(parley_test_source_t *s);

parley_str_t parley_test_value_uuid(parley_test_source_t *s, int version);

/* Returns text by a format, in the arena. */
parley_str_t parley_test_value_print(parley_test_source_t *s,
    const char *format, ...) __attribute__((format(printf, 2, 3)));


#endif /* PARLEY_TEST_VALUE_H */
