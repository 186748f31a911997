/*
 * Logs of opaque tracks (MOQ-16), and of the namespaces of agents.  A log has
 * no retention: only sessions that have joined it get a record.  Its
 * subscribers are of two kinds, which records have as their audience:
 * publishers of the track, one at a time, and readers.
 */

#ifndef PARLEY_GATE_TRACK_H
#define PARLEY_GATE_TRACK_H

#include "hub/parley_hub.h"
#include "hub/parley_publish.h"


/* a record for a log; must live until the append is answered */
typedef struct {
    parley_str_t           address;     /* of the publisher */
    parley_str_t           track;       /* empty: the namespace */
    parley_str_t           record;
    parley_proto_t         proto;       /* of the subscriptions */
    const uint8_t         *account;     /* of the sender */
    unsigned               publisher:1; /* for the publisher, else for the
                                           readers */
    unsigned               asks:1;      /* nothing is appended, only counted */

    parley_publication_t   publication; /* made of these */
    uint8_t                log[1][PARLEY_KEY_LEN];
} parley_gate_track_t;


/*
 * Makes a subscription to the mailbox one to the log of a track.  It gets new
 * records only, and no rule decides about each of them.  log gets the key,
 * which s borrows.  Returns 0, or -1 if memory is exhausted.
 */
int parley_gate_publish_track_subscribe(const parley_state_t *state,
    parley_arena_t *arena, parley_str_t address, parley_str_t track,
    int publishes, uint8_t log[PARLEY_KEY_LEN], parley_subscription_t *s)
    __attribute__((warn_unused_result));

/* Fills *ret, which borrows from t and the arena.  Returns 0, or -1 if memory
   is exhausted. */
int parley_gate_publish_track_append(const parley_state_t *state,
    parley_arena_t *arena, parley_gate_track_t *t, parley_append_t *ret)
    __attribute__((warn_unused_result));

/* Returns the number of subscribers that the record is for, or -1 if it was not
   appended. */
int64_t parley_gate_publish_track_count(parley_arena_t *arena,
    const parley_gate_track_t *t, const parley_appended_t *result);


#endif /* PARLEY_GATE_TRACK_H */
