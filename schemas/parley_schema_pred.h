/*
 * A predicate: a schema compiled for a yes or no, with cheap checks first.
 * When a value is refused, the schema itself is evaluated for the reason.
 *
 * All schemas that apply unconditionally to a value are merged into one
 * predicate, and those of each of its members into another, so every value is
 * visited once.  If the conditions of an object test a member for certain
 * strings (if "kind" is "x" then ...), one case is precomputed per string and
 * selected by lookup.  The strings of const and enum are called words.
 *
 * A recursive schema has no predicate, since predicates form trees; nor has a
 * schema with a predicate that would be too large.  Private to schemas.
 */

#ifndef PARLEY_SCHEMA_PRED_H
#define PARLEY_SCHEMA_PRED_H

#include "schemas/parley_schema_program.h"
#include "core/parley_strset.h"


/* names of an object or words of a string in one predicate */
#define PARLEY_SCHEMA_WORDS_MAX  63


/* a member, by its index in the names of the object's frame */
typedef struct parley_schema_pred_member_s {
    uint32_t                             index;
    const parley_schema_pred_t          *pred;
    struct parley_schema_pred_member_s  *next;
} parley_schema_pred_member_t;


/* A condition; a NULL predicate accepts any value. */
typedef struct parley_schema_branch_s {
    parley_schema_keyword_t          keyword;   /* IF, ANY_OF, ONE_OF, NOT */
    const parley_schema_pred_t     **preds;     /* IF: if, then, else */
    uint32_t                         n;
    struct parley_schema_branch_s   *next;
} parley_schema_branch_t;


/*
 * The members of an object, with the predicates that apply to them
 * unconditionally.
 */
typedef struct {
    const parley_strset_t        *names;
    const uint8_t                *atoms;        /* index by atom; NULL: a
                                                   name has no atom */
    const parley_schema_pred_t  **preds;        /* by index; 0: the others */
    unsigned                      by_name:1;    /* look the names up in
                                                   the object */
    unsigned                      selects:1;    /* by a member's word: */
    uint32_t                      selector;     /* the member's index */
    const parley_strset_t        *words;
    const parley_schema_pred_t  **cases;        /* by word; 0: no word */
} parley_schema_frame_t;


/*
 * The arrays of schemas hold the schemas that are evaluated themselves, for the
 * named keywords.
 */
struct parley_schema_pred_s {
    uint8_t                       types;    /* mask of allowed types */
    uint8_t                       deeper;   /* types checked beyond length,
                                               words and frame */
    unsigned                      inexact:1;    /* least and most do not
                                                   replace numbers */
    uint32_t                      min_length;
    uint32_t                      max_length;
    const parley_strset_t        *words;    /* allowed; NULL: any string */
    const parley_strset_t        *excluded; /* NULL: none */
    parley_schema_frame_t        *frame;    /* NULL: the frame of the enclosing
                                               predicate of this value */
    uint64_t                      required;
    int64_t                       least;
    int64_t                       most;
    const parley_schema_t       **strings;  /* pattern, format, maxOctets */
    uint32_t                      nstrings;
    const parley_schema_t       **numbers;
    uint32_t                      nnumbers;
    const parley_schema_t       **parts;    /* values other than words */
    uint32_t                      nparts;
    const parley_schema_t       **wholes;   /* all keywords */
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
