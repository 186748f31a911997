/* Shared by the files of the compiler.  Private to schemas. */

#ifndef PARLEY_SCHEMA_COMPILE_H
#define PARLEY_SCHEMA_COMPILE_H

#include "schemas/parley_schema_program.h"


/* a pointer to a schema, redirected past aliases at the end */
typedef struct parley_schema_link_s {
    const parley_schema_t        **slot;
    struct parley_schema_link_s   *next;
} parley_schema_link_t;


typedef struct {
    parley_schema_set_t    *set;
    parley_schema_error_t  *err;
    parley_schema_t        *first;      /* schemas of this run, in order */
    parley_schema_t        *last;
    parley_schema_link_t   *links;
} parley_schema_compiler_t;


/* Functions return 0, or -1 with *c->err filled, unless said otherwise. */

/*
 * parley_schema_compile.c: sets *slot to the schema at a node of s' document
 */
int parley_schema_link(parley_schema_compiler_t *c, const parley_schema_t *s,
    uint32_t node, parley_schema_keyword_t keyword,
    const parley_schema_t **slot);

/* resolves $ref and $dynamicRef */
int parley_schema_link_ref(parley_schema_compiler_t *c, parley_schema_t *s,
    parley_schema_keyword_t keyword, uint32_t value);

/* parley_schema_build.c: compiles one keyword */
int parley_schema_build(parley_schema_compiler_t *c, parley_schema_t *s,
    parley_schema_keyword_t keyword, uint32_t value);

/* parley_schema_build_scalar.c: keywords without subschemas */
int parley_schema_build_type(parley_schema_compiler_t *c, parley_schema_t *s,
    uint32_t value);
int parley_schema_build_values(parley_schema_compiler_t *c,
    parley_schema_t *s, parley_schema_keyword_t keyword, uint32_t value);
int parley_schema_build_bound(parley_schema_compiler_t *c,
    parley_schema_t *s, parley_schema_keyword_t keyword, uint32_t value);
int parley_schema_build_string(parley_schema_compiler_t *c,
    parley_schema_t *s, parley_schema_keyword_t keyword, uint32_t value);
int parley_schema_build_pattern(parley_schema_compiler_t *c,
    parley_schema_t *s, uint32_t node, parley_schema_pattern_t **ret);
int parley_schema_build_count(parley_schema_compiler_t *c,
    parley_schema_t *s, uint32_t value, uint32_t *ret);

/* Return that part of s, made if necessary, or NULL with *c->err filled. */
parley_schema_apply_t *parley_schema_apply_part(parley_schema_compiler_t *c,
    parley_schema_t *s);
parley_schema_object_t *parley_schema_object_part(
    parley_schema_compiler_t *c, parley_schema_t *s);

/* parley_schema_names.c: properties, required, dependent* and their table */
int parley_schema_names_read(parley_schema_compiler_t *c, parley_schema_t *s,
    parley_schema_keyword_t keyword, uint32_t value);
int parley_schema_names_finish(parley_schema_compiler_t *c,
    parley_schema_t *s);

/* up to this number of names, names are looked up in the instance */
#define PARLEY_SCHEMA_BY_NAME_MAX  2

/* parley_schema_pred.c: sets s->pred; leaves NULL if s has no predicate */
int parley_schema_pred(parley_schema_compiler_t *c, parley_schema_t *s);

/* unescapes a string of s' document */
int parley_schema_read_string(parley_schema_compiler_t *c,
    const parley_schema_t *s, uint32_t node, parley_str_t *ret);


static inline void *
parley_schema_alloc(parley_schema_compiler_t *c, size_t size)
{
    void  *p;

    p = parley_arena_calloc(&c->set->arena, size);

    if (p == NULL) {
        (void) parley_schema_no_memory(c->err);
    }

    return p;
}


#define parley_schema_refuse(c, s, node, ...)                                 \
    parley_schema_fault((c)->err, (s)->resource->doc, (node), "", __VA_ARGS__)


#endif /* PARLEY_SCHEMA_COMPILE_H */
