/*
 * The regular expressions of pattern and patternProperties: ECMA-262 with
 * the u flag, translated for PCRE2; the plainest ones run without it.
 * Private to schemas/.
 */

#ifndef PARLEY_SCHEMA_PATTERN_H
#define PARLEY_SCHEMA_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "parley_arena.h"
#include "parley_buf.h"
#include "parley_str.h"


typedef struct parley_schema_pattern_s  parley_schema_pattern_t;


/* what all patterns of a set share */
typedef struct {
    parley_arena_t           *arena;
    void                     *general;      /* PCRE2's contexts */
    void                     *compile;
    void                     *match;
    parley_schema_pattern_t  *patterns;     /* those that PCRE2 runs */
} parley_schema_regex_t;


/* what one validation needs; memory is taken when PCRE2 is first asked */
typedef struct {
    parley_arena_t  *scratch;
    void            *data;
} parley_schema_matcher_t;


/* an anchored sequence of sets of ASCII characters, each repeated */
typedef struct {
    uint64_t  set[2];
    uint32_t  min;
    uint32_t  max;      /* UINT32_MAX: no end */
    uint8_t   *table;   /* the set, by octet; NULL: in the prefix */
} parley_schema_step_t;

typedef struct parley_schema_fixed_s  parley_schema_fixed_t;

typedef struct {
    parley_schema_step_t  *steps;
    uint32_t               nsteps;
    size_t                 len;         /* the least that can match */
    parley_str_t           prefix;      /* so many steps, as a text */
    uint32_t               optional;    /* this and all behind it, that are
                                           there or not; UINT32_MAX: none */
    uint32_t               barred_at;   /* where this may not stand: */
    parley_str_t           barred;
    uint8_t                barred_then; /* before this or the end; 0: before
                                           anything */
    parley_schema_fixed_t *fixed;       /* all of it; NULL: it is not fixed */
    unsigned               start:1;     /* '^' */
    unsigned               end:1;       /* '$' */
} parley_schema_simple_t;


struct parley_schema_pattern_s {
    parley_str_t              source;
    parley_schema_simple_t   *simple;   /* NULL: code */
    void                     *code;
    void                     *match;
    parley_schema_pattern_t  *next;
};


/* Zeroes *regex first.  Returns 0, or -1: no memory. */
int parley_schema_regex_init(parley_schema_regex_t *regex,
    parley_arena_t *arena);

void parley_schema_regex_done(parley_schema_regex_t *regex);

/*
 * source must live as long as the set.  Returns 0, or -1: why gets the reason
 * ("" where memory is what lacks), cut at size.
 */
int parley_schema_pattern_compile(parley_schema_regex_t *regex,
    parley_str_t source, parley_schema_pattern_t **ret, char *why,
    size_t size);

#define PARLEY_SCHEMA_MATCH_MEMORY  -1
#define PARLEY_SCHEMA_MATCH_LIMIT   -2

/* 1: s has a match, 0: none, or one of the two above */
int parley_schema_pattern_match(const parley_schema_pattern_t *pattern,
    parley_schema_matcher_t *matcher, parley_str_t s);


/*
 * parley_schema_simple.c: 0 and *ret, which is NULL where the pattern is not
 * that simple; -1: no memory.
 */
int parley_schema_simple_compile(parley_arena_t *arena, parley_str_t source,
    parley_schema_simple_t **ret);

/* parley_schema_simple_match.c: what matching needs; -1: no memory */
int parley_schema_simple_prepare(parley_arena_t *arena,
    parley_schema_simple_t *simple);
int parley_schema_simple_match(const parley_schema_simple_t *simple,
    parley_str_t s);

/*
 * parley_schema_ecma.c: appends source in PCRE2's syntax.  NULL, or what is
 * wrong with it and where.
 */
const char *parley_schema_ecma(parley_buf_t *b, parley_str_t source,
    size_t *ret_offset);


#endif /* PARLEY_SCHEMA_PATTERN_H */
