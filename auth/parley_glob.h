/*
 * Globs over names whose labels are separated by '.':
 *
 *  ops.run     itself
 *  ops.*       exactly one label after ops
 *  ops.**      any number of labels after ops: ops, ops.a, ops.a.b
 *  **.read     the last label is read
 *  ops:*       '*' within a label is any run of its characters, possibly
 *              empty: ops:, ops:run, but not ops:a.b
 *  a.x|b.**    either
 *
 * A label '*' matches one label that is not empty; '**' must be a whole label.
 * '/', ':' and '@' are ordinary characters, so agent.*@host matches as written,
 * while a host with dots has several labels (agent.*@host.example).  Octets are
 * compared, or ASCII case-insensitively if fold is set.
 */

#ifndef PARLEY_GLOB_H
#define PARLEY_GLOB_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "core/parley_str.h"


#define PARLEY_GLOB_MAX         512     /* octets of a pattern */
#define PARLEY_GLOB_CHOICES     32      /* alternatives of one pattern */


typedef struct parley_glob_s {
    parley_str_t   text;        /* as written */
    parley_str_t  *choices;     /* the alternatives */
    size_t         n;
    uint32_t       starred;     /* bit i: alternative i has a '*' */
    uint32_t       tailed;      /* bit i: its only '*' is its last label */
    unsigned       fold:1;      /* ignore ASCII case; set by the caller */
} parley_glob_t;


/*
 * Compiles a pattern, which is copied into arena.  Returns 0, or -1 with *err
 * filled and *ret zeroed: an empty pattern, alternative or label, '**' next to
 * other characters, a control character or space, PARLEY_GLOB_MAX or
 * PARLEY_GLOB_CHOICES exceeded.
 */
int parley_glob_compile(parley_arena_t *arena, parley_str_t pattern,
    parley_glob_t *ret, parley_error_t *err)
    __attribute__((warn_unused_result));

/*
 * Returns 1 if text matches any alternative, else 0.  The empty text has no
 * labels and matches '**' only.  Takes at most pattern times text length
 * steps, without recursion.
 */
int parley_glob_match(const parley_glob_t *glob, parley_str_t text);

/*
 * Returns 1 if glob matches every text that other matches.  Returns 0 also if
 * only several alternatives of glob together match them.
 */
int parley_glob_covers(const parley_glob_t *glob, const parley_glob_t *other);

/* As parley_glob_match(), for alternative i. */
int parley_glob_match_choice(const parley_glob_t *glob, size_t i,
    parley_str_t text);


#endif /* PARLEY_GLOB_H */
