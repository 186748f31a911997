/*
 * Set of the responders that gave a final answer to a question to several: each
 * may give one (SEC-08).
 */

#ifndef PARLEY_RESPONDERS_H
#define PARLEY_RESPONDERS_H

#include <stdint.h>

#include "core/parley_arena.h"
#include "core/parley_error.h"
#include "core/parley_str.h"


/* responders of one question; further ones count as known */
#define PARLEY_RESPONDERS_MAX  1024

#define PARLEY_RESPONDER_LEN   16


/* an empty set is zeroed */
typedef struct {
    uint8_t   (*items)[PARLEY_RESPONDER_LEN];
    uint32_t    n;
} parley_responders_t;


/*
 * Adds a responder: a principal, and its session if sessions count.  Returns 1;
 * 0 if the set has it already; -1: no memory.
 */
int parley_responders_add(parley_responders_t *set, parley_arena_t *arena,
    parley_str_t principal, parley_str_t session, parley_error_t *err)
    __attribute__((warn_unused_result));


#endif /* PARLEY_RESPONDERS_H */
