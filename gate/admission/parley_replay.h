/*
 * First answers: the answer to a message that was taken is kept for a retry of
 * the message (GW-19, C2A-12, C2A-20).  Only the same principal gets it, at the
 * place of the first try.  The answer to a sender without proof is not kept.
 * The kept data depends on the protocol, see parley_first_kind_t.
 */

#ifndef PARLEY_REPLAY_H
#define PARLEY_REPLAY_H

#include "translate/parley_codec_types.h"
#include "gate/admission/parley_reservation.h"
#include "gate/admission/parley_retain.h"


typedef struct parley_replay_s {
    parley_arena_t              *arena;
    parley_who_t                *who;
    const parley_reservation_t  *entrance;  /* reservation of the message */
    uint64_t                     seed;      /* as in parley_json_read() */
    int64_t                      ttl;       /* milliseconds that the answer is
                                               kept */
    int64_t                      wall;      /* milliseconds since 1970 */
} parley_replay_t;


/* Returns whether answers to this message are kept. */
int parley_replay_is_kept(const parley_reservation_t *entrance);

/*
 * Keeps the first answer, if the state has room.  Returns 0, also if there is
 * no room; or PARLEY_WAIT.
 */
int parley_replay_keep(const parley_replay_t *r, const parley_reply_t *first)
    __attribute__((warn_unused_result));

/*
 * Finds the first answer.  Returns 1 and *ret, in the arena; 0: none is kept;
 * PARLEY_WAIT; or -1: no memory.
 */
int parley_replay_find(const parley_replay_t *r, parley_first_t *ret)
    __attribute__((warn_unused_result));


#endif /* PARLEY_REPLAY_H */
