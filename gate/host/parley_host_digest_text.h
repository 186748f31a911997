/*
 * The id, the times and the counts of a digest: functions without a state.
 */

#ifndef PARLEY_HOST_DIGEST_TEXT_H
#define PARLEY_HOST_DIGEST_TEXT_H

#include "core/parley_arena.h"
#include "core/parley_str.h"
#include "translate/parley_chat.h"


#define PARLEY_DIGEST_AUTHORS   256     /* authors that a conversation counts */
#define PARLEY_DIGEST_PROGRESS  16      /* events with progress, the newest */


/* the digests of a reader; times are of the wall clock */
typedef struct {
    int64_t   since_ms;     /* the reader has acknowledged a digest of all
                               messages up to this time */
    int64_t   offered_ms;   /* up to which the last digest goes */
    int64_t   due_ms;       /* of the next one; 0: it has no job */
    uint32_t  number;       /* of the job, from 1; any other job ends */
    uint32_t  generation;   /* of the record; 0: none */
    unsigned  idle:1;       /* the newest stream has no digests: its job ends as
                               if it had been closed */
} parley_digest_t;

/* Returns the time of the next digest if a job begins now: an interval after
   the last one, not before now. */
int64_t parley_host_digest_due(const parley_digest_t *digest,
    int64_t interval_ms, int64_t now_ms);


/* Writes the id of a digest, digest:ada:1764184800000, for a reader given by
   its name, "agent:ada".  Returns 0, or -1: no memory. */
int parley_host_digest_id_write(parley_arena_t *arena, parley_str_t name,
    int64_t ms, parley_str_t *ret);

/* Reads the time in an id that is written for this name.  Returns 1, or 0: it
   is another text. */
int parley_host_digest_id_read(parley_str_t id, parley_str_t name,
    int64_t *ret_ms);

/* Returns whether an id has the form of that of a digest.  No event has it. */
int parley_host_digest_is(parley_str_t id);


/* the messages of a conversation */
typedef struct {
    parley_chat_digest_row_t  row;
    parley_str_t              authors[PARLEY_DIGEST_AUTHORS];
    parley_chat_progress_t    progress[PARLEY_DIGEST_PROGRESS];
} parley_digest_count_t;

/* Counts a message.  The first one that is counted is the newest. */
void parley_host_digest_count(parley_digest_count_t *c, parley_str_t id,
    parley_str_t author);


#endif /* PARLEY_HOST_DIGEST_TEXT_H */
