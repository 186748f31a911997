/*
 * The predicate of a schema: what it asks of a value, in the order in which it
 * is cheap to find out.  A predicate says whether a value is valid, and nothing
 * else; why a value is refused, the schema itself says.
 *
 * All schemas that apply to one value without a condition make one predicate,
 * and those that apply to one of its members another, so that a value is
 * visited once however many schemas speak of it.  Where an object's conditions
 * ask for the word that a member is (if "kind" is "x" then ...), they are
 * resolved word by word beforehand and the word is looked up.
 *
 * Not every schema has a predicate: it is a tree, which a schema within itself
 * has not, and its size has a bound.  Private to schemas/.
 */

#ifndef PARLEY_SCHEMA_PRED_H
#define PARLEY_SCHEMA_PRED_H

#include "parley_schema_program.h"
#include "parley_strset.h"


/* names of one object, or values of one string, that a predicate is made for */
#define PARLEY_SCHEMA_WORDS_MAX  63


/* a member, by its index among the names of the object's frame */
typedef struct parley_schema_pred_member_s {
    uint32_t                             index;
    const parley_schema_pred_t          *pred;
    struct parley_schema_pred_member_s  *next;
} parley_schema_pred_member_t;


/* a predicate that is NULL takes any value */
typedef struct parley_schema_branch_s {
    parley_schema_keyword_t          keyword;   /* IF, ANY_OF, ONE_OF, NOT */
    const parley_schema_pred_t     **preds;     /* IF: if, then, else */
    uint32_t                         n;
    struct parley_schema_branch_s   *next;
} parley_schema_branch_t;


/* the members of an object, and what is asked of them in any case */
typedef struct {
    const parley_strset_t        *names;
    const uint8_t                *atoms;        /* the index of each atom;
                                                   NULL: a name has none */
    const parley_schema_pred_t  **preds;        /* by index; 0: of others */
    unsigned                      by_name:1;    /* the names are looked for */
    unsigned                      selects:1;    /* the rest is here */
    uint32_t                      selector;     /* the name */
    const parley_strset_t        *words;
    const parley_schema_pred_t  **cases;        /* by index; 0: of none */
} parley_schema_frame_t;


/* the schemas are those that are asked themselves, for what they hold */
struct parley_schema_pred_s {
    uint8_t                       types;    /* allowed, as a mask */
    uint8_t                       closer;   /* of which more is asked than
                                               length, words and frame */
    unsigned                      inexact:1;    /* numbers say more than least
                                                   and most */
    uint32_t                      min_length;
    uint32_t                      max_length;
    const parley_strset_t        *words;    /* one of these; NULL: any */
    const parley_strset_t        *barred;   /* none of these; NULL: any */
    parley_schema_frame_t        *frame;    /* NULL: that of the predicate
                                               around it, which is of the same
                                               value */
    uint64_t                      required;
    int64_t                       least;
    int64_t                       most;
    const parley_schema_t       **strings;  /* pattern, format, octets */
    uint32_t                      nstrings;
    const parley_schema_t       **numbers;
    uint32_t                      nnumbers;
    const parley_schema_t       **parts;    /* values that are no words */
    uint32_t                      nparts;
    const parley_schema_t       **wholes;   /* all of it */
    uint32_t                      nwholes;
    uint32_t                      min_items;
    uint32_t                      max_items;
    const parley_schema_pred_t   *items;
    uint32_t                      min_members;
    uint32_t                      max_members;
    parley_schema_pred_member_t  *members;
    parley_schema_branch_t       *branches;
};


#endif /* PARLEY_SCHEMA_PRED_H */
