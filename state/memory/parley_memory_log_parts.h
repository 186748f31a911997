/*
 * Declarations shared by parley_memory_append.c (append, and the moves of an
 * append), parley_memory_feed.c, parley_memory_log.c (the other verbs of a log)
 * and parley_memory_roster.c.  Private to them.
 */

#ifndef PARLEY_MEMORY_LOG_PARTS_H
#define PARLEY_MEMORY_LOG_PARTS_H

#include <string.h>

#include "state/parley_log.h"
#include "state/memory/parley_memory_parts.h"


#define PARLEY_EPOCH_LEN    6   /* octets */
#define PARLEY_ROSTER_TEXTS  (2 * PARLEY_SESSION_MAX + PARLEY_SELECTOR_MAX)

/* value of a log, under its key */
struct parley_import_s;
struct parley_import_end_s;


typedef struct {
    uint64_t  epoch;
    uint64_t  first;            /* offset of the first record that may be
                                   retained */
    uint64_t  last;
    int64_t   ms;               /* ms for which records are retained */
    int64_t   time;             /* time of the newest append */
    int64_t   until;            /* end of the time for which records are
                                   promised */
    uint32_t  sum;              /* octets of all appended records, modulo
                                   2^32 */
    uint32_t  closed;
} parley_log_t;


/*
 * Value of a place, under a key of log, epoch and offset: the number of its
 * record.  The entry's stamp is the time of the append.
 */
typedef struct {
    uint64_t  number;
    uint32_t  sum;              /* octets of the log up to and with this
                                   record */
    uint32_t  size;
} parley_log_place_t;


/*
 * Beginning of the value of a record, under its number.  Its places
 * (parley_placed_t) and its octets follow.  The entry's stamp is the time of
 * the append.
 */
typedef struct {
    int64_t             ends;       /* time when it expires; 0: erased */
    parley_retention_t  retention;
    uint16_t            nplaces;
    uint16_t            kept;       /* places that are retained, and jobs */
    uint32_t            size;       /* octets of the record */
    uint64_t            closes : 1;
    uint64_t            step : 63;  /* step of a store's order; 0: none */
} parley_log_head_t;

_Static_assert(PARLEY_LOGS_MAX + PARLEY_JOBS_MAX <= UINT16_MAX,
               "a record has room for the number of its places and jobs");


/*
 * Returns the ms, above 0, for which a reader may still have the record; 0 or
 * less if it has expired or was erased.  late: the reader was absent at the
 * append.
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

/* Returns the log, or NULL if it does not exist or has ended. */
parley_entry_t *parley_log_find(parley_memory_t *s,
    const uint8_t key[PARLEY_KEY_LEN], int64_t now, parley_log_t *ret);
void parley_log_save(parley_memory_t *s, parley_entry_t *e,
    const parley_log_t *log);

/* Finds or creates a log; NULL if there is no room. */
parley_entry_t *parley_log_open(parley_memory_t *s,
    const uint8_t key[PARLEY_KEY_LEN], const uint8_t *account, int64_t now,
    parley_log_t *ret);

/*
 * Finds or creates a log with the epoch of a place, in place of a log with
 * another epoch.  If the place is after its last record, the records between
 * were erased in the store; or, if the log has not retained its last record,
 * they may be missed, and the next offset is the first that it has.
 */
parley_entry_t *parley_log_set(parley_memory_t *s,
    const uint8_t key[PARLEY_KEY_LEN], const uint8_t *account,
    const parley_place_t *last, int64_t now, parley_log_t *ret);

/* Prolongs the life of a log. */
void parley_log_keep(parley_entry_t *e, int64_t until);

void parley_log_place_key(const uint8_t key[PARLEY_KEY_LEN],
    const parley_place_t *place, uint8_t out[PARLEY_KEY_LEN]);

/* Returns the entry of a place; NULL if the log does not retain it. */
parley_entry_t *parley_log_place_find(parley_memory_t *s,
    const uint8_t key[PARLEY_KEY_LEN], const parley_log_t *log,
    uint64_t offset, int64_t now, parley_log_place_t *ret);

/* Returns the entry of a record, or NULL. */
parley_entry_t *parley_log_record_find(parley_memory_t *s, uint64_t number,
    parley_log_head_t *ret);

/* Copies the octets of a record; data is NULL if memory is exhausted. */
parley_str_t parley_log_record_copy(parley_memory_t *s,
    const parley_entry_t *e, const parley_log_head_t *head,
    parley_arena_t *arena);

/* Adds a record, unless it has ended, to a page with room for one more.
   Returns 0; 1 if the page would exceed its octets; or -1 if memory is
   exhausted. */
int parley_log_add(parley_memory_t *s, const parley_log_read_t *r,
    uint64_t number, uint64_t offset, int64_t now, parley_log_page_t *ret,
    size_t *octets);

/* parley_memory_owed.c */

/* Returns the offset of the first record that a job owes to readers, or 0. */
uint64_t parley_owed_first(parley_memory_t *s,
    const uint8_t key[PARLEY_KEY_LEN], const parley_log_t *log, int64_t now);

/*
 * Fills the page of a forward read if the next records are owed by jobs;
 * ret->first and ret->last are set.  Returns 1; 0 if they are not, and the log
 * must be read; or -1 if memory is exhausted.
 */
int parley_owed_page(parley_memory_t *s, const parley_log_read_t *r,
    const parley_log_t *log, int64_t now, parley_log_page_t *ret);

parley_state_done_t parley_memory_log_had(parley_state_t *state,
    const parley_had_t *had, parley_call_t *call);

/* parley_memory_append.c */

parley_state_done_t parley_memory_append(parley_state_t *state,
    const parley_append_t *a, parley_appended_t *ret, parley_call_t *call);

/* Appends, for a verb that has the lock. */
parley_append_verdict_t parley_append_locked(parley_memory_t *s,
    const parley_append_t *a, int64_t now, parley_appended_t *ret);

/* Returns whether there is room for an append; its verdict. */
parley_append_verdict_t parley_append_may(parley_memory_t *s,
    const parley_append_t *a, int64_t now);

/* Counts the subscribers of the logs. */
parley_append_verdict_t parley_append_count(parley_memory_t *s,
    const parley_append_t *a, parley_appended_t *ret);

/* Appends without checks.  step: of a store, with the places of the record;
   else NULL. */
parley_append_verdict_t parley_append_write(parley_memory_t *s,
    const parley_append_t *a, const struct parley_import_s *step, int64_t now,
    parley_appended_t *ret);

/* parley_memory_log_read.c */

/* Returns the number of a record, with its head; 0: the log does not have
   it. */
uint64_t parley_log_number(parley_memory_t *s, const parley_erase_t *erase,
    int64_t now, parley_log_head_t *ret);

void parley_log_erase(parley_memory_t *s, const parley_erase_t *erase,
    int64_t now);

/* parley_memory_owed.c */

/* Returns the number of jobs that it ended. */
size_t parley_owed_had(parley_memory_t *s, const parley_had_t *had,
    int64_t now);

/* parley_memory_append_recover.c */

/* Completes or undoes the append of a process that died. */
void parley_append_recover(parley_memory_t *s, int64_t now);

/*
 * Examines the next n records in the order of appends.  Removes those that all
 * fed processes have and no log retains.
 */
void parley_append_retire(parley_memory_t *s, size_t n, int64_t now);

/* Takes back the claim of one place, or of one job, on a record. */
void parley_append_unkeep(parley_memory_t *s, uint64_t number);

void parley_append_commit(parley_memory_t *s, uint64_t number,
    const parley_log_head_t *head, int64_t now);

/* parley_memory_feed.c */

parley_state_done_t parley_memory_feed(parley_state_t *state,
    const parley_feed_t *f, parley_feed_page_t *ret, parley_call_t *call);

/* parley_memory_roster.c */

/* beginning of a session's value; its name, selector and card follow */
typedef struct {
    uint32_t  tag;              /* tag of the name */
    uint16_t  session;          /* octets of name, selector and card */
    uint16_t  selector;
    uint16_t  card;
    uint16_t  zero;
} parley_roster_session_t;

/* Returns the session of a name, or NULL. */
parley_entry_t *parley_roster_session(parley_memory_t *s, const uint8_t *log,
    parley_str_t session, parley_roster_session_t *ret);

/* Adds a session of this process.  Returns 0; -1: no room. */
int parley_roster_add(parley_memory_t *s, const parley_join_t *j,
    uint64_t stamp, int64_t now);

/* Counts a subscriber of this process less. */
void parley_roster_less(parley_memory_t *s, const uint8_t *log,
    parley_str_t selector);

parley_state_done_t parley_memory_join(parley_state_t *state,
    const parley_join_t *j, parley_joined_t *ret, parley_call_t *call);
parley_state_done_t parley_memory_leave_log(parley_state_t *state,
    const parley_leave_t *l, parley_call_t *call);
parley_state_done_t parley_memory_roster(parley_state_t *state,
    const parley_roster_t *r, parley_roster_page_t *ret, parley_call_t *call);

/* Returns whether a session may join; its verdict. */
parley_join_verdict_t parley_roster_may_join(parley_memory_t *s,
    const parley_join_t *j, int64_t now);

/* Reads a session for parley_import_ops_t.sessions; texts are copied to
   room. */
void parley_roster_read(parley_memory_t *s, const parley_entry_t *e,
    uint8_t room[PARLEY_ROSTER_TEXTS], uint8_t log[PARLEY_KEY_LEN],
    parley_join_t *ret);

/*
 * Counts the subscribers of log number i, or only its session if a->session is
 * set.  Returns 0, or -1 if memory is exhausted.
 */
int parley_roster_count(parley_memory_t *s, const parley_append_t *a,
    uint32_t i, parley_appended_t *ret, size_t *room);

/* parley_memory_roster_import.c */

/*
 * Adds a session of a process; place is the end of its log.  A session of that
 * name with a lower stamp is replaced; one with a higher stamp stays.
 * Process 0: only the end of the log is set.  Returns 1 if a session of this
 * node is replaced, and its process must be told: the new session is of another
 * node, or has no room.
 */
int parley_roster_set(parley_memory_t *s, uint32_t process,
    const parley_join_t *j, const parley_place_t *place, uint64_t stamp,
    int64_t now);

/* Removes a session if it has the stamp; stamp 0: if it is of the process. */
void parley_roster_unset(parley_memory_t *s, const parley_leave_t *l,
    uint32_t process);

/* Removes a session of this process if its stamp is below a number. */
void parley_roster_unset_before(parley_memory_t *s, const parley_leave_t *l,
    uint64_t number);

/* Returns whether there is a session with the stamp. */
int parley_roster_has(parley_memory_t *s, const parley_leave_t *l);

/* Fills the result of parley_roster_set(). */
void parley_roster_joined(parley_memory_t *s, const parley_join_t *j,
    uint64_t stamp, int64_t now, parley_joined_t *ret);


#endif /* PARLEY_MEMORY_LOG_PARTS_H */
