/*
 * The regular expressions of pattern and patternProperties: ECMA-262 with the u
 * flag, translated for PCRE2.  Simple patterns are matched without PCRE2, which
 * saves 270 instructions of a request AEE to VCP, and 16 % for a message of 8
 * KB.  Private to schemas.
 */

#ifndef PARLEY_SCHEMA_PATTERN_H
#define PARLEY_SCHEMA_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_arena.h"
#include "core/parley_buf.h"
#include "core/parley_str.h"


typedef struct parley_schema_pattern_s  parley_schema_pattern_t;


/* shared by all patterns of a set */
typedef struct {
    parley_arena_t           *arena;
    void                     *general;      /* PCRE2 contexts */
    void                     *compile;
    void                     *match;
    parley_schema_pattern_t  *patterns;     /* those compiled by PCRE2 */
} parley_schema_regex_t;


/* state of one validation; data is allocated when PCRE2 is first used */
typedef struct {
    parley_arena_t  *scratch;
    void            *data;
} parley_schema_matcher_t;


/* a repeated set of ASCII characters */
typedef struct {
    uint64_t  set[2];
    uint32_t  min;
    uint32_t  max;      /* UINT32_MAX: unbounded */
    uint8_t   *table;   /* set by octet; NULL for prefix steps */
} parley_schema_step_t;

typedef struct parley_schema_fixed_s  parley_schema_fixed_t;

typedef struct {
    parley_schema_step_t   *steps;
    uint32_t                nsteps;
    size_t                  len;            /* minimum length of a match */
    parley_str_t            prefix;         /* the first steps, as a string */
    uint32_t                optional;       /* first step of an optional tail;
                                               UINT32_MAX: none */
    uint32_t                lookahead_at;   /* step at which lookahead must not
                                               match */
    parley_str_t            lookahead;
    uint8_t                 lookahead_then; /* character after lookahead, or the
                                               end; 0: any */
    parley_schema_fixed_t  *fixed;          /* all steps; NULL: variable
                                               length */
    unsigned                start:1;        /* has '^' */
    unsigned                end:1;          /* has '$' */
} parley_schema_simple_t;


struct parley_schema_pattern_s {
    parley_str_t              source;
    parley_schema_simple_t   *simple;   /* NULL: use code */
    void                     *code;
    void                     *match;
    parley_schema_pattern_t  *next;
    int                       plain;    /* matches all strings with the flag
                                           PARLEY_JSON_ASCII */
};


/*
 * Zeroes and initialises *regex.  arena is borrowed.  Returns 0, or -1 if
 * memory is exhausted.
 */
int parley_schema_regex_init(parley_schema_regex_t *regex,
    parley_arena_t *arena);

/* Frees the memory outside the arena: JIT code. */
void parley_schema_regex_done(parley_schema_regex_t *regex);

/*
 * Compiles a pattern.  source is borrowed and must live as long as the set.
 * Returns 0, or -1 with the reason in why, truncated to size; "" if memory is
 * exhausted.
 */
int parley_schema_pattern_compile(parley_schema_regex_t *regex,
    parley_str_t source, parley_schema_pattern_t **ret, char *why,
    size_t size);

#define PARLEY_SCHEMA_MATCH_MEMORY  -1
#define PARLEY_SCHEMA_MATCH_LIMIT   -2

/* Returns 1 if s has a match, 0 if not, or one of the negative codes above. */
int parley_schema_pattern_match(const parley_schema_pattern_t *pattern,
    parley_schema_matcher_t *matcher, parley_str_t s);


/*
 * parley_schema_simple.c: compiles a pattern simple enough to match without
 * PCRE2; *ret is NULL if it is not.  Returns 0, or -1 if memory is exhausted.
 */
int parley_schema_simple_compile(parley_arena_t *arena, parley_str_t source,
    parley_schema_simple_t **ret);

/*
 * parley_schema_simple_match.c: prepares and matches a simple pattern.
 * parley_schema_simple_prepare() returns -1 if memory is exhausted.
 */
int parley_schema_simple_prepare(parley_arena_t *arena,
    parley_schema_simple_t *simple);
int parley_schema_simple_match(const parley_schema_simple_t *simple,
    parley_str_t s);

/*
 * parley_schema_ecma.c: appends source in PCRE2 syntax.  Returns NULL, or a
 * text that names the fault, with its position in *ret_offset.
 */
const char *parley_schema_ecma(parley_buf_t *b, parley_str_t source,
    size_t *ret_offset);


#endif /* PARLEY_SCHEMA_PATTERN_H */
