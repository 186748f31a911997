/*
 * What the files that make predicates share.  Private to schemas/.
 */

#ifndef PARLEY_SCHEMA_PRED_BUILD_H
#define PARLEY_SCHEMA_PRED_BUILD_H

#include "parley_schema_compile.h"
#include "parley_schema_pred.h"


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


/* a value, while its predicate is made */
typedef struct {
    parley_schema_texts_t  names;
    unsigned               selects:1;
    unsigned               resolved:1;  /* what the selector is, is known: */
    parley_str_t           selector;
    const parley_str_t    *word;        /* this, or NULL: none of the words */
} parley_schema_place_t;


typedef struct {
    parley_schema_compiler_t  *c;
    uint32_t                   left;    /* predicates, or looks for words */
    uint32_t                   depth;
    int                        failed;  /* 0, or one of those: */
} parley_schema_pred_build_t;

#define PARLEY_SCHEMA_PRED_TOO_LARGE  1
#define PARLEY_SCHEMA_PRED_NO_MEMORY  2


/* Where p->failed is set, what these return is of no use. */

/* parley_schema_pred.c */

/* for a value that all schemas of the list apply to; NULL: anything will do */
const parley_schema_pred_t *parley_schema_pred_make(
    parley_schema_pred_build_t *p, const parley_schema_some_t *list);

/*
 * What the schemas ask, in *pred.  own: the value's members are met by this
 * predicate, and in any case.
 */
void parley_schema_pred_fill(parley_schema_pred_build_t *p,
    parley_schema_place_t *place, parley_schema_pred_t *pred,
    const parley_schema_some_t *some, int own);

/* NULL: too many, too deep, or no memory */
parley_schema_pred_t *parley_schema_pred_new(parley_schema_pred_build_t *p);

void parley_schema_pred_add(parley_schema_pred_build_t *p,
    parley_schema_some_t *list, const parley_schema_t *s);

/* zeroed; NULL: no memory, and c->err is filled */
void *parley_schema_pred_alloc(parley_schema_pred_build_t *p, size_t size);


/* parley_schema_pred_case.c */

/*
 * The schemas that hold where s holds, with what they ask themselves: s, what
 * it refers to, and what it has a case for where the case is known.  Calls
 * itself along a path that the compiler has found to end.
 */
void parley_schema_pred_gather(parley_schema_pred_build_t *p,
    const parley_schema_place_t *place, const parley_schema_t *s,
    parley_schema_some_t *ret);

/* Whether s is left to the code that takes everything: it has what is rare. */
int parley_schema_pred_is_whole(const parley_schema_t *s);

/*
 * Whether s has a condition that asks of objects whether one of their
 * members, which must be there, is one of some words: selector, or, where its
 * text is NULL, any.
 */
int parley_schema_pred_is_case(const parley_schema_t *s,
    const parley_str_t *selector, const parley_schema_name_t **ret);

/* Looks for a member to select by; only what is an object always has one. */
void parley_schema_pred_select(parley_schema_place_t *place,
    const parley_schema_some_t *some);

/* what is asked where the selector is this word or that */
void parley_schema_pred_cases(parley_schema_pred_build_t *p,
    parley_schema_place_t *place, parley_schema_frame_t *f,
    const parley_schema_some_t *some);


/* parley_schema_pred_object.c */

void parley_schema_pred_names(parley_schema_pred_build_t *p,
    parley_schema_place_t *place, parley_schema_pred_t *pred,
    const parley_schema_object_t *o, int own);

/* what the names of an object are asked, and what is asked of all others */
void parley_schema_pred_frame(parley_schema_pred_build_t *p,
    const parley_schema_place_t *place, parley_schema_frame_t *f,
    const parley_schema_some_t *some);

/* NULL: no memory */
const parley_strset_t *parley_schema_pred_table(
    parley_schema_pred_build_t *p, const parley_schema_texts_t *texts);

/* the index of a text, from 1, which is added where it is new */
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


static inline int
parley_schema_is_true(const parley_schema_t *s)
{
    return s->types == PARLEY_SCHEMA_ANY
           && (s->has & ~PARLEY_SCHEMA_HAS_SCOPE) == 0;
}


#endif /* PARLEY_SCHEMA_PRED_BUILD_H */
