/*
 * What parley_memory_append.c (append, and what an append moves),
 * parley_memory_feed.c, parley_memory_log.c (the other verbs of a log) and
 * parley_memory_roster.c share.  Private to them.
 */

#ifndef PARLEY_MEMORY_LOG_PARTS_H
#define PARLEY_MEMORY_LOG_PARTS_H

#include <string.h>

#include "state/parley_log.h"
#include "state/memory/parley_memory_parts.h"


#define PARLEY_EPOCH_LEN    6   /* octets */

/* the value of a log, under its key */
typedef struct {
    uint64_t  epoch;
    uint64_t  first;            /* of what may be retained */
    uint64_t  last;
    int64_t   ms;               /* that records are retained */
    int64_t   time;             /* of the newest append */
    int64_t   until;            /* that what was appended is promised */
    uint32_t  sum;              /* octets of all that was appended, modulo
                                   2^32 */
    uint32_t  closed;
} parley_log_t;


/*
 * Which record is at an offset of a log, under a key of log, epoch and offset.
 * The entry's stamp is the time of the append.
 */
typedef struct {
    uint64_t  number;
    uint32_t  sum;              /* of the log, with this one */
    uint32_t  size;
} parley_log_place_t;


/*
 * The value of a record, under its number, begins with this, then come its
 * places (parley_placed_t), then its octets.  The entry's stamp is the time of
 * the append.
 */
typedef struct {
    int64_t             ends;       /* its own time is over; 0: it was
                                       erased */
    parley_retention_t  retention;
    uint32_t            nplaces;
    uint32_t            kept;       /* places that are retained */
    uint32_t            closes;
    uint32_t            size;       /* of the octets */
} parley_log_head_t;


/*
 * ms that a record is still to be had by who was there when it came, or was
 * not, above 0; or it is over, or erased.
 */
static inline int64_t
parley_log_left(const parley_entry_t *e, const parley_log_head_t *head,
    int late, int64_t now)
{
    int64_t  least;

    least = (int64_t) parley_entry_stamp(e) + PARLEY_FEED_LEAST;

    return late || head->ends == 0 || head->ends > least
           ? head->ends - now : least - now;
}


/* parley_memory_log.c */

/* NULL: there is none, or it has ended. */
parley_entry_t *parley_log_find(parley_memory_t *s,
    const uint8_t key[PARLEY_KEY_LEN], int64_t now, parley_log_t *ret);
void parley_log_save(parley_memory_t *s, parley_entry_t *e,
    const parley_log_t *log);

/* Finds it, or makes it; NULL: no room. */
parley_entry_t *parley_log_open(parley_memory_t *s,
    const uint8_t key[PARLEY_KEY_LEN], const uint8_t *account, int64_t now,
    parley_log_t *ret);

/* The log stays for a time. */
void parley_log_keep(parley_entry_t *e, int64_t until);

void parley_log_place_key(const uint8_t key[PARLEY_KEY_LEN],
    const parley_place_t *place, uint8_t out[PARLEY_KEY_LEN]);

/* NULL: nothing was appended there, or it is not retained. */
parley_entry_t *parley_log_place_find(parley_memory_t *s,
    const uint8_t key[PARLEY_KEY_LEN], const parley_log_t *log,
    uint64_t offset, int64_t now, parley_log_place_t *ret);

/* NULL: it is not there any more. */
parley_entry_t *parley_log_record_find(parley_memory_t *s, uint64_t number,
    parley_log_head_t *ret);

/* The octets of a record, copied; no data: no memory. */
parley_str_t parley_log_record_copy(parley_memory_t *s,
    const parley_entry_t *e, const parley_log_head_t *head,
    parley_arena_t *arena);

/* Adds a record, unless it has ended, to a page that has room for one more.
   Returns 0; 1: the page has as many octets as it may; or -1: no memory. */
int parley_log_add(parley_memory_t *s, const parley_log_read_t *r,
    uint64_t number, uint64_t offset, int64_t now, parley_log_page_t *ret,
    size_t *octets);

/* parley_memory_owed.c */

/* The offset of the first record that a job owes to the log's readers; 0: there
   is none. */
uint64_t parley_owed_first(parley_memory_t *s,
    const uint8_t key[PARLEY_KEY_LEN], const parley_log_t *log, int64_t now);

/*
 * The page of a read, forward, where jobs owe the records that come next;
 * ret->first and ret->last are set.  Returns 1; 0: they do not, and the log is
 * read; or -1: no memory.
 */
int parley_owed_page(parley_memory_t *s, const parley_log_read_t *r,
    const parley_log_t *log, int64_t now, parley_log_page_t *ret);

parley_state_done_t parley_memory_log_had(parley_state_t *state,
    const parley_had_t *had, parley_call_t *call);

/* parley_memory_append.c */

parley_state_done_t parley_memory_append(parley_state_t *state,
    const parley_append_t *a, parley_appended_t *ret, parley_call_t *call);

/* Ends what a process began that died meanwhile: all of it, or nothing. */
void parley_append_mend(parley_memory_t *s, int64_t now);

/*
 * Of what has been appended the next n records, as far as nobody waits for them
 * any more: they go, unless a log retains them.
 */
void parley_append_pass(parley_memory_t *s, size_t n, int64_t now);

/* One place of a record, or one job that is about it, is not kept any more. */
void parley_append_unkeep(parley_memory_t *s, uint64_t number);

/* An append of a verb that has the lock. */
parley_append_verdict_t parley_append_locked(parley_memory_t *s,
    const parley_append_t *a, int64_t now, parley_appended_t *ret);

/* parley_memory_feed.c */

parley_state_done_t parley_memory_feed(parley_state_t *state,
    const parley_feed_t *f, parley_feed_page_t *ret, parley_call_t *call);

/* parley_memory_roster.c */

parley_state_done_t parley_memory_join(parley_state_t *state,
    const parley_join_t *j, parley_joined_t *ret, parley_call_t *call);
parley_state_done_t parley_memory_leave_log(parley_state_t *state,
    const parley_leave_t *l, parley_call_t *call);
parley_state_done_t parley_memory_roster(parley_state_t *state,
    const parley_roster_t *r, parley_roster_page_t *ret, parley_call_t *call);

/*
 * Adds those who are subscribed to log number i, of a session alone where one
 * is given.  Returns 0, or -1: no memory.
 */
int parley_roster_count(parley_memory_t *s, const parley_append_t *a,
    uint32_t i, parley_appended_t *ret, size_t *room);

void parley_append_moves(parley_memory_t *s, uint64_t number,
    const parley_log_head_t *head, int64_t now);


#endif /* PARLEY_MEMORY_LOG_PARTS_H */
