/*
 * Who is suspended or paused, as the status tells it: some of those that there
 * are, as many as are asked for, the newest of these first, and how many more.
 *
 *     parley_suspended_init(&told, arena, max);
 *     list, brief, from 0 on                     a verb of the state
 *     if (parley_suspended_add(&told, state, &listed))
 *         list again, at listed.at
 *
 * It may end before that says so: then what was added is what is told.
 */

#ifndef PARLEY_SUSPENDED_H
#define PARLEY_SUSPENDED_H

#include "core/parley_arena.h"
#include "core/parley_buf.h"
#include "gate/admission/parley_suspension.h"


/* that are told at most, and the octets of their names and ids */
#define PARLEY_SUSPENDED_OCTETS  (256 * 1024)


typedef struct {
    size_t                n;
    parley_suspension_t  *list;

    /* private */
    size_t                max;
    size_t                octets;
    unsigned              whole:1;  /* there are no more */
} parley_suspended_t;


/* max: of them, up to PARLEY_SUSPENDED_MAX.  Returns 0, or -1: no memory. */
int parley_suspended_init(parley_suspended_t *t, parley_arena_t *arena,
    size_t max)
    __attribute__((warn_unused_result));

/* A part of the list; returns 1 where the next one is wanted, else 0. */
int parley_suspended_add(parley_suspended_t *t, const parley_state_t *state,
    const parley_listed_t *listed);

/*
 * {"list":[{"sub","state","since","message_id"},...],"more":0}; there: how many
 * the state counts, of both kinds.
 */
void parley_suspended_tell(parley_suspended_t *t, parley_buf_t *b,
    uint64_t there);


#endif /* PARLEY_SUSPENDED_H */
