/*
 * First answers: what a message was answered with when it was taken, for its
 * sender's next try (GW-19, C2A-12, C2A-20).  They are told to the principal
 * alone who asked, at the place where it asked; where nobody is proven nothing
 * is kept.  What they are depends on the protocol, see parley_first_kind_t.
 */

#ifndef PARLEY_REPLAY_H
#define PARLEY_REPLAY_H

#include "translate/parley_codec.h"
#include "gate/admission/parley_reservation.h"
#include "gate/admission/parley_retain.h"


typedef struct {
    parley_arena_t              *arena;
    parley_who_t                *who;
    const parley_reservation_t  *entrance;  /* of the message */
    uint64_t                     seed;      /* as in parley_json_read() */
    int64_t                      ttl;       /* of what is kept */
    int64_t                      wall;      /* milliseconds since 1970 */
} parley_replay_t;


/* Whether anything is kept of the answers to such a message. */
int parley_replay_is_kept(const parley_reservation_t *entrance);

/*
 * Keeps what its sender is told.  Nothing is promised: what finds no room is
 * not kept.  Returns 0, or PARLEY_WAIT.
 */
int parley_replay_keep(const parley_replay_t *r, const parley_reply_t *first)
    __attribute__((warn_unused_result));

/*
 * Returns 1 and *ret, in the arena; 0: nothing is kept; PARLEY_WAIT; -1: no
 * memory.
 */
int parley_replay_find(const parley_replay_t *r, parley_first_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_REPLAY_H */
