/*
 * Globs over names of labels that are separated by '.':
 *
 *  ops.run     itself
 *  ops.*       exactly one label after ops
 *  ops.**      any number of labels after ops, none too: ops, ops.a, ops.a.b
 *  **.read     the last label is read
 *  ops:*       '*' beside other characters is any run of characters of that
 *              label, the empty one too: ops:, ops:run, but not ops:a.b
 *  a.x|b.**    either
 *
 * '*' alone is one label that is not empty; '**' is a label of its own.  '/',
 * ':' and '@' are ordinary characters, so that agent.*@host is what it looks
 * like; a host with dots in it has labels of its own (agent.*@host.example).
 * Comparison is of octets, where it is not said to be without ASCII case.
 */

#ifndef PARLEY_GLOB_H
#define PARLEY_GLOB_H

#include <stddef.h>
#include <stdint.h>

#include "parley_arena.h"
#include "parley_error.h"
#include "parley_str.h"


#define PARLEY_GLOB_MAX         512     /* octets of a pattern */
#define PARLEY_GLOB_CHOICES     32      /* alternatives of one pattern */


typedef struct {
    parley_str_t   text;        /* as it was written */
    parley_str_t  *choices;     /* each alternative */
    size_t         n;
    uint32_t       starred;     /* those that have a '*', as 1 << index */
    unsigned       fold:1;      /* compares without regard to ASCII case; the
                                   caller's to set */
} parley_glob_t;


/*
 * Compiles a pattern; it is copied.  Returns 0, or -1 with *ret zero: an
 * empty pattern, alternative or label, '**' beside other characters, a
 * control character or space, too long, too many alternatives.
 */
int parley_glob_compile(parley_arena_t *arena, parley_str_t pattern,
    parley_glob_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * 1 where text matches, else 0.  The empty text has no labels: '**' alone
 * matches it.  Work is at most the product of both lengths; nothing recurses.
 */
int parley_glob_match(const parley_glob_t *glob, parley_str_t text);

/* The same of one of its alternatives. */
int parley_glob_match_choice(const parley_glob_t *glob, size_t i,
    parley_str_t text);


#endif /* PARLEY_GLOB_H */
