/* Shared by the files that build predicates.  Private to schemas. */

#ifndef PARLEY_SCHEMA_PRED_BUILD_H
#define PARLEY_SCHEMA_PRED_BUILD_H

#include "schemas/parley_schema_compile.h"
#include "schemas/parley_schema_pred.h"


/* schemas that apply to one value */
#define PARLEY_SCHEMA_PRED_LIST_MAX  64


typedef struct {
    const parley_schema_t  *schemas[PARLEY_SCHEMA_PRED_LIST_MAX];
    uint32_t                n;
} parley_schema_some_t;


typedef struct {
    parley_str_t  text[PARLEY_SCHEMA_WORDS_MAX];
    uint32_t      n;
} parley_schema_texts_t;


/* a value while its predicate is built */
typedef struct {
    parley_schema_texts_t  names;
    unsigned               selects:1;
    unsigned               resolved:1;  /* the selector's word is known: */
    parley_str_t           selector;
    const parley_str_t    *word;        /* this word; NULL: a string that is not
                                           in words */
} parley_schema_place_t;


typedef struct {
    parley_schema_compiler_t  *c;
    uint32_t                   left;    /* budget of predicates and visits */
    uint32_t                   depth;
    int                        failed;  /* 0, or one of the codes below */
} parley_schema_pred_build_t;

#define PARLEY_SCHEMA_PRED_TOO_LARGE  1
#define PARLEY_SCHEMA_PRED_NO_MEMORY  2


/* If p->failed is set, results are undefined. */

/* parley_schema_pred.c */

/*
 * Builds the predicate of a value to which all schemas of list apply; NULL: it
 * accepts any value.
 */
const parley_schema_pred_t *parley_schema_pred_make(
    parley_schema_pred_build_t *p, const parley_schema_some_t *list);

/*
 * Merges the requirements of some into *pred.  own: unconditionally, so that
 * the value's members are checked by the value's frame.
 */
void parley_schema_pred_fill(parley_schema_pred_build_t *p,
    parley_schema_place_t *place, parley_schema_pred_t *pred,
    const parley_schema_some_t *some, int own);

/*
 * Allocates a predicate; NULL, with p->failed set, if the budget, the depth or
 * memory is exhausted.
 */
parley_schema_pred_t *parley_schema_pred_new(parley_schema_pred_build_t *p);

/* Appends s to list; sets p->failed if the list is full. */
void parley_schema_pred_add(parley_schema_pred_build_t *p,
    parley_schema_some_t *list, const parley_schema_t *s);

/*
 * Allocates zeroed memory; NULL, with p->failed set and *c->err filled, if
 * memory is exhausted.
 */
void *parley_schema_pred_alloc(parley_schema_pred_build_t *p, size_t size);


/* parley_schema_pred_case.c */

/*
 * Collects the schemas that hold whenever s does: s, its references, allOf,
 * and its branch for the word of place if resolved.  Recurses along paths that
 * the compiler has proved finite.
 */
void parley_schema_pred_gather(parley_schema_pred_build_t *p,
    const parley_schema_place_t *place, const parley_schema_t *s,
    parley_schema_some_t *ret);

/* Returns whether s has rare keywords and is evaluated as a whole. */
int parley_schema_pred_is_whole(const parley_schema_t *s);

/*
 * Returns whether the "if" of s tests only that a member, which must exist, is
 * one of some words; *ret is the member's name.  selector restricts the name
 * unless its data is NULL.
 */
int parley_schema_pred_is_case(const parley_schema_t *s,
    const parley_str_t *selector, const parley_schema_name_t **ret);

/*
 * Chooses a selector if one of the schemas tests for words and all values are
 * objects.
 */
void parley_schema_pred_select(parley_schema_place_t *place,
    const parley_schema_some_t *some);

/* Builds the case of every word, and the case of other strings. */
void parley_schema_pred_cases(parley_schema_pred_build_t *p,
    parley_schema_place_t *place, parley_schema_frame_t *f,
    const parley_schema_some_t *some);


/* parley_schema_pred_object.c */

/* Merges the names of o and their requirements into *pred. */
void parley_schema_pred_names(parley_schema_pred_build_t *p,
    parley_schema_place_t *place, parley_schema_pred_t *pred,
    const parley_schema_object_t *o, int own);

/* Builds the predicates of the frame's members, and of all other members. */
void parley_schema_pred_frame(parley_schema_pred_build_t *p,
    const parley_schema_place_t *place, parley_schema_frame_t *f,
    const parley_schema_some_t *some);

/* Returns a string set, or NULL if memory is exhausted. */
const parley_strset_t *parley_schema_pred_table(
    parley_schema_pred_build_t *p, const parley_schema_texts_t *texts);

/* Returns the index, from 1, of a text, which is added if new. */
uint32_t parley_schema_pred_text(parley_schema_pred_build_t *p,
    parley_schema_texts_t *texts, parley_str_t text);


static inline uint32_t
parley_schema_min(uint32_t a, uint32_t b)
{
    return (a < b) ? a : b;
}


static inline uint32_t
parley_schema_max(uint32_t a, uint32_t b)
{
    return (a > b) ? a : b;
}


/* Returns whether s accepts any value. */
static inline int
parley_schema_is_true(const parley_schema_t *s)
{
    return s->types == PARLEY_SCHEMA_ANY
           && (s->has & ~PARLEY_SCHEMA_HAS_SCOPE) == 0;
}


#endif /* PARLEY_SCHEMA_PRED_BUILD_H */
