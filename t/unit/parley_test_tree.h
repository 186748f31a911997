/*
 * A JSON value that can be changed, unlike a document (parley_json.h).
 * Generators make it, mutations change it and the shrinker cuts it.  All
 * memory is from an arena; removed values stay there unused.
 */

#ifndef PARLEY_TEST_TREE_H
#define PARLEY_TEST_TREE_H

#include "core/parley_arena.h"
#include "core/parley_buf.h"
#include "core/parley_json.h"
#include "t/unit/parley_test_random.h"


typedef struct parley_test_tree_s  parley_test_tree_t;

struct parley_test_tree_s {
    parley_json_type_t   type;
    parley_str_t         name;      /* of a member, unescaped */
    parley_str_t         text;      /* of a string, unescaped; of a number, its
                                       literal */
    parley_test_tree_t  *first;     /* members, elements */
    parley_test_tree_t  *next;
    unsigned             count;     /* number of members or elements */
};


/* Returns a value without a name; ends the process if memory runs out. */
parley_test_tree_t *parley_test_tree(parley_arena_t *arena,
    parley_json_type_t type);
parley_test_tree_t *parley_test_tree_string(parley_arena_t *arena,
    parley_str_t text);
parley_test_tree_t *parley_test_tree_number(parley_arena_t *arena,
    const char *literal);

/* Returns JSON text, which must be valid, as a tree. */
parley_test_tree_t *parley_test_tree_text(parley_arena_t *arena,
    parley_str_t text);

/* Returns a value of a document as a tree. */
parley_test_tree_t *parley_test_tree_read(parley_arena_t *arena,
    const parley_json_t *doc, uint32_t node);

parley_test_tree_t *parley_test_tree_copy(parley_arena_t *arena,
    const parley_test_tree_t *tree);

/* Adds a value at the end of an array or, with a name, of an object. */
void parley_test_tree_add(parley_test_tree_t *tree, parley_test_tree_t *value);
void parley_test_tree_set(parley_test_tree_t *tree, parley_str_t name,
    parley_test_tree_t *value);

/* Return NULL if the member is missing or the value is not an object. */
parley_test_tree_t *parley_test_tree_get(const parley_test_tree_t *tree,
    const char *name);
parley_test_tree_t *parley_test_tree_member(const parley_test_tree_t *tree,
    parley_str_t name);

/* Removes a value from its array or object. */
void parley_test_tree_remove(parley_test_tree_t *tree,
    const parley_test_tree_t *value);

/*
 * Return the number of values, including the tree itself; and the n-th of
 * them, with its array or object in *ret_holder (NULL for the root).
 */
unsigned parley_test_tree_size(const parley_test_tree_t *tree);
parley_test_tree_t *parley_test_tree_nth(parley_test_tree_t *tree, unsigned n,
    parley_test_tree_t **ret_holder);

/*
 * Returns the JSON text.  With random, the order of members is random, with
 * white space and escapes in random places; without, the order is kept and the
 * text is compact.
 */
parley_str_t parley_test_tree_write(parley_arena_t *arena,
    const parley_test_tree_t *tree, parley_test_random_t *random);


#endif /* PARLEY_TEST_TREE_H */
