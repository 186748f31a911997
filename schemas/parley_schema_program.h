/*
 * Compiled schemas, and functions shared by the validator.  Private to
 * schemas.
 */

#ifndef PARLEY_SCHEMA_PROGRAM_H
#define PARLEY_SCHEMA_PROGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_decimal.h"
#include "schemas/parley_format.h"
#include "schemas/parley_schema.h"
#include "schemas/parley_schema_keyword.h"
#include "schemas/parley_schema_pattern.h"


typedef struct parley_schema_doc_s       parley_schema_doc_t;
typedef struct parley_schema_resource_s  parley_schema_resource_t;
typedef struct parley_schema_anchor_s    parley_schema_anchor_t;
typedef struct parley_schema_pred_s      parley_schema_pred_t;


/* a registered document */
struct parley_schema_doc_s {
    parley_str_t              name;     /* for messages */
    parley_json_t             json;
    parley_schema_t         **programs; /* by node; NULL: not compiled */
    parley_schema_doc_t      *next;
};


/* a schema with a URI: the root of a document, or one with an $id */
struct parley_schema_resource_s {
    parley_schema_set_t       *set;
    parley_schema_doc_t       *doc;
    parley_schema_resource_t  *parent;      /* the enclosing one */
    parley_str_t               uri;         /* without a fragment */
    parley_str_t               alias;       /* URI of a root that was added
                                               under a URI other than its $id */
    uint32_t                   node;
    unsigned                   dialect;     /* PARLEY_SCHEMA_VOCAB_*; 0:
                                               not yet known */
    unsigned                   has_alias:1;
    unsigned                   dynamic:1;   /* has a $dynamicAnchor */
    unsigned                   compiled:1;  /* has compiled schemas */
    parley_schema_resource_t  *next;
};


struct parley_schema_anchor_s {
    parley_str_t               name;
    parley_schema_resource_t  *resource;
    uint32_t                   node;
    unsigned                   dynamic:1;
    parley_schema_anchor_t    *next;
};


/* The values allowed by const or enum. */
typedef struct {
    parley_str_t       text;    /* text of a string, unescaped */
    uint8_t            type;
    parley_json_ref_t  ref;
} parley_schema_value_t;

typedef struct parley_schema_values_s {
    parley_schema_value_t          *values;
    uint32_t                        n;
    uint8_t                         types;      /* mask of types that occur */
    uint8_t                         keyword;
    struct parley_schema_values_s  *next;       /* further values that must hold
                                                   too */
} parley_schema_values_t;


typedef struct {
    uint32_t                  min;      /* code points */
    uint32_t                  max;
    uint32_t                  octets;   /* maximum, of UTF-8 */
    parley_schema_pattern_t  *pattern;
    parley_str_t              words;    /* description of pattern for people;
                                           empty: messages quote pattern */
    uint8_t                   format;   /* parley_format_t */
} parley_schema_string_t;


typedef struct {
    unsigned          set:1;
    double            value;
    parley_decimal_t  exact;
    parley_str_t      literal;
} parley_schema_bound_t;

typedef struct {
    parley_schema_bound_t  minimum;
    parley_schema_bound_t  exclusive_minimum;
    parley_schema_bound_t  maximum;
    parley_schema_bound_t  exclusive_maximum;
    uint64_t               divisor;     /* multipleOf is divisor * 10^ */
    int64_t                divisor_exponent;    /* exponent; divisor 0: none */
    parley_str_t           divisor_literal;
} parley_schema_number_t;


typedef struct {
    const parley_schema_t  **prefix;
    uint32_t                 nprefix;
    const parley_schema_t   *items;
    const parley_schema_t   *contains;
    uint32_t                 min_contains;
    uint32_t                 max_contains;
    uint32_t                 min;
    uint32_t                 max;
    unsigned                 unique:1;
} parley_schema_array_t;


/*
 * A name in properties, required or a dependency; index is its bit in the set
 * of evaluated members.
 */
typedef struct parley_schema_name_s {
    parley_str_t                  text;
    const parley_schema_t        *schema;   /* NULL: any value */
    uint32_t                      index;
    uint32_t                      value;    /* while compiling: the node */
    unsigned                      property:1;
    unsigned                      required:1;
    struct parley_schema_name_s  *next;     /* while compiling */
} parley_schema_name_t;

/* If trigger is a member, needed must be one or schema must hold. */
typedef struct parley_schema_dependency_s {
    uint32_t                            trigger;
    uint32_t                            needed;
    const parley_schema_t              *schema;
    struct parley_schema_dependency_s  *next;
} parley_schema_dependency_t;

typedef struct {
    parley_schema_pattern_t  *pattern;
    const parley_schema_t    *schema;
} parley_schema_member_pattern_t;

typedef struct {
    parley_schema_name_t            *names;
    parley_schema_name_t            *list;      /* while compiling */
    uint32_t                         nnames;
    uint64_t                         required;  /* bits of the first 64 names */
    uint16_t                        *slots;     /* hash table: index + 1 */
    uint32_t                         mask;
    uint32_t                         factor;    /* 0: names are hashed whole */
    unsigned                         shift;
    unsigned                         by_name:1; /* look the names up in the
                                                   instance rather than its
                                                   members among the names */
    parley_schema_member_pattern_t  *patterns;
    uint32_t                         npatterns;
    const parley_schema_t           *additional;
    const parley_schema_t           *property_names;
    uint32_t                         min;
    uint32_t                         max;
    parley_schema_dependency_t      *dependencies;
} parley_schema_object_t;


/* a target of a $dynamicRef, used if resource is the outermost */
typedef struct {
    const parley_schema_resource_t  *resource;
    const parley_schema_t           *schema;
} parley_schema_target_t;

typedef struct parley_schema_dynamic_s {
    const parley_schema_t           *initial;
    parley_schema_target_t          *targets;
    uint32_t                         ntargets;
    parley_str_t                     name;
    struct parley_schema_dynamic_s  *next;      /* in the set */
} parley_schema_dynamic_t;


typedef struct {
    const parley_schema_t  **schemas;
    uint32_t                 n;
} parley_schema_list_t;

/* in-place applicators */
typedef struct {
    const parley_schema_t    *ref;
    parley_schema_dynamic_t  *dynamic;
    parley_schema_list_t      all;
    parley_schema_list_t      any;
    parley_schema_list_t      one;
    const parley_schema_t    *not;
    const parley_schema_t    *when;
    const parley_schema_t    *then;
    const parley_schema_t    *otherwise;
} parley_schema_apply_t;


typedef struct {
    const parley_schema_t  *items;
    const parley_schema_t  *properties;
} parley_schema_rest_t;


/* masks of parley_json_type_t, and integer */
#define PARLEY_SCHEMA_NULL       (1 << PARLEY_JSON_NULL)
#define PARLEY_SCHEMA_BOOLEAN                                                 \
    ((1 << PARLEY_JSON_FALSE) | (1 << PARLEY_JSON_TRUE))
#define PARLEY_SCHEMA_NUMBER     (1 << PARLEY_JSON_NUMBER)
#define PARLEY_SCHEMA_STRING     (1 << PARLEY_JSON_STRING)
#define PARLEY_SCHEMA_ARRAY      (1 << PARLEY_JSON_ARRAY)
#define PARLEY_SCHEMA_OBJECT     (1 << PARLEY_JSON_OBJECT)
#define PARLEY_SCHEMA_INTEGER    0x80
#define PARLEY_SCHEMA_ANY        0xFF

/* keywords of a schema other than type */
#define PARLEY_SCHEMA_IS_FALSE   0x01
#define PARLEY_SCHEMA_HAS_VALUES 0x02
#define PARLEY_SCHEMA_HAS_PART   0x04   /* string, number, array or object */
#define PARLEY_SCHEMA_HAS_APPLY  0x08
#define PARLEY_SCHEMA_HAS_REST   0x10   /* unevaluated* */
#define PARLEY_SCHEMA_HAS_SCOPE  0x20   /* may be the scope of a $dynamicRef */


struct parley_schema_s {
    uint8_t                    types;
    uint8_t                    has;
    uint8_t                    parent;      /* keyword that it is below */
    uint8_t                    state;       /* while compiling */
    uint32_t                   node;        /* in resource->doc */
    parley_schema_values_t    *values;
    parley_schema_string_t    *string;
    parley_schema_number_t    *number;
    parley_schema_array_t     *array;
    parley_schema_object_t    *object;
    parley_schema_apply_t     *apply;
    parley_schema_rest_t      *rest;
    parley_schema_resource_t  *resource;
    const parley_schema_pred_t  *pred;      /* NULL: no predicate */
    parley_schema_t           *next;        /* while compiling */
};


struct parley_schema_set_s {
    parley_arena_t             arena;
    parley_schema_options_t    options;
    parley_schema_doc_t       *docs;
    parley_schema_resource_t  *resources;
    parley_schema_anchor_t    *anchors;
    parley_schema_dynamic_t   *dynamics;
    parley_schema_regex_t      regex;
};


/* parley_schema_set.c */

/*
 * Resolves uri, relative to base, to a node and its resource.  from and node
 * are the reference, for messages; from may be NULL.  *ret_anchor, unless
 * ret_anchor is NULL, is the anchor that the fragment names, or NULL.  Returns
 * 0, or -1 with *err filled.
 */
int parley_schema_find(parley_schema_set_t *set, parley_str_t base,
    parley_str_t uri, const parley_schema_resource_t *from, uint32_t node,
    parley_schema_resource_t **ret_resource, uint32_t *ret_node,
    const parley_schema_anchor_t **ret_anchor, parley_schema_error_t *err);

/* Returns the resource with that URI, or NULL. */
parley_schema_resource_t *parley_schema_resource(parley_schema_set_t *set,
    parley_str_t uri);

/* Returns the innermost resource that contains a node. */
parley_schema_resource_t *parley_schema_resource_of(parley_schema_set_t *set,
    const parley_schema_doc_t *doc, uint32_t node);

/* Returns the anchor of that name in a resource, or NULL. */
parley_schema_anchor_t *parley_schema_anchor(parley_schema_set_t *set,
    const parley_schema_resource_t *resource, parley_str_t name);


/* parley_schema_error.c */

/*
 * Fills *err for a faulty schema at a node of doc; keyword may be "".  Returns
 * -1.
 */
int parley_schema_fault(parley_schema_error_t *err,
    const parley_schema_doc_t *doc, uint32_t node, const char *keyword,
    const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* Fills *err with an error of the JSON reader in doc, and its line. */
void parley_schema_fault_at(parley_schema_error_t *err,
    const parley_schema_doc_t *doc, const parley_error_t *json);

/* Fills *err for exhausted memory.  Returns -1. */
int parley_schema_no_memory(parley_schema_error_t *err);


#endif /* PARLEY_SCHEMA_PROGRAM_H */
