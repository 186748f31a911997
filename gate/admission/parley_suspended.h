/*
 * The list of suspended and paused principals on the status page: up to max of
 * them, sorted with the newest first, and the number of the others.  The others
 * may be newer.
 *
 *     parley_suspension_init(&told, arena, max);
 *     list, brief, from 0 on                     a verb of the state
 *     if (parley_suspension_add(&told, state, &listed))
 *         list again, at listed.at
 *
 * The user may stop earlier.  The list then has the suspensions that were
 * added.
 */

#ifndef PARLEY_SUSPENDED_H
#define PARLEY_SUSPENDED_H

#include "core/parley_arena.h"
#include "core/parley_buf.h"
#include "gate/admission/parley_suspension.h"


/* octets of all names and ids of a list, at most */
#define PARLEY_SUSPENDED_OCTETS  (256 * 1024)


typedef struct {
    size_t                n;
    parley_suspension_t  *list;

    /* private */
    size_t                max;
    size_t                octets;
    unsigned              whole:1;  /* the list has all suspensions */
} parley_suspended_t;


/*
 * Makes an empty list of at most max suspensions; max is at most
 * PARLEY_SUSPENDED_MAX.  Returns 0, or -1: no memory.
 */
int parley_suspension_init(parley_suspended_t *t, parley_arena_t *arena,
    size_t max)
    __attribute__((warn_unused_result));

/*
 * Adds a part of the state's list.  Returns 1 if the next part is needed, else
 * 0.
 */
int parley_suspension_add(parley_suspended_t *t, const parley_state_t *state,
    const parley_listed_t *listed);

/*
 * Writes {"list":[{"sub","state","since","message_id"},...],"more":0}.  there
 * is the number of suspensions of both kinds that the state counts.
 */
void parley_suspension_tell_all(parley_suspended_t *t, parley_buf_t *b,
    uint64_t there);


#endif /* PARLEY_SUSPENDED_H */
