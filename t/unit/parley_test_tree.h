/*
 * A JSON value that can be changed, where a document (parley_json.h) is only
 * read: what generators make, mutations spoil and the shrinker takes apart.
 * All memory is an arena's; what is taken out of a tree stays in it unused.
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
    parley_str_t         text;      /* of a string, unescaped; of a number,
                                       its literal */
    parley_test_tree_t  *first;     /* members, elements */
    parley_test_tree_t  *next;
    unsigned             count;     /* of them */
};


/* A value without a name; memory that cannot be had ends the process. */
parley_test_tree_t *parley_test_tree(parley_arena_t *arena,
    parley_json_type_t type);
parley_test_tree_t *parley_test_tree_string(parley_arena_t *arena,
    parley_str_t text);
parley_test_tree_t *parley_test_tree_number(parley_arena_t *arena,
    const char *literal);

/* JSON text, which must be valid, as a tree */
parley_test_tree_t *parley_test_tree_text(parley_arena_t *arena,
    parley_str_t text);

/* a value of a document as a tree */
parley_test_tree_t *parley_test_tree_read(parley_arena_t *arena,
    const parley_json_t *doc, uint32_t node);

parley_test_tree_t *parley_test_tree_copy(parley_arena_t *arena,
    const parley_test_tree_t *tree);

/* Adds a value at the end of an array or, under a name, of an object. */
void parley_test_tree_add(parley_test_tree_t *tree, parley_test_tree_t *value);
void parley_test_tree_set(parley_test_tree_t *tree, parley_str_t name,
    parley_test_tree_t *value);

/* NULL: no such member, or no object */
parley_test_tree_t *parley_test_tree_get(const parley_test_tree_t *tree,
    const char *name);
parley_test_tree_t *parley_test_tree_member(const parley_test_tree_t *tree,
    parley_str_t name);

/* Takes a value out of the array or object that holds it. */
void parley_test_tree_remove(parley_test_tree_t *tree,
    const parley_test_tree_t *value);

/* How many values there are, with the tree itself; the n-th of them, and
   *ret_holder what holds it (NULL: nothing). */
unsigned parley_test_tree_size(const parley_test_tree_t *tree);
parley_test_tree_t *parley_test_tree_nth(parley_test_tree_t *tree, unsigned n,
    parley_test_tree_t **ret_holder);

/*
 * The JSON text.  With random members stand in any order, and there are white
 * space and escapes wherever they may be; without, in their order and tersely.
 */
parley_str_t parley_test_tree_write(parley_arena_t *arena,
    const parley_test_tree_t *tree, parley_test_random_t *random);


#endif /* PARLEY_TEST_TREE_H */
