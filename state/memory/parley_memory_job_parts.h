/*
 * Declarations shared by parley_memory_job.c (the verbs),
 * parley_memory_job_list.c, parley_memory_due.c (the lists of due jobs) and
 * parley_memory_lane.c (the entries of a job, their order, and repair).
 * Private to them and to the append.
 *
 * A job is two entries under one key, made of its lane and its number there.
 * The first entry holds the values that change, the second the text.  The job
 * exists if the first entry exists.
 */

#ifndef PARLEY_MEMORY_JOB_PARTS_H
#define PARLEY_MEMORY_JOB_PARTS_H

#include <string.h>

#include "state/parley_job.h"
#include "state/memory/parley_memory_log_parts.h"


/* The values of a job that change are one word, so that a store is atomic. */
typedef struct {
    int64_t   due;              /* time when due; for a taken job, time of the
                                   next check of its process */
    unsigned  tried;
    unsigned  mark;
    uint32_t  owner;            /* number of the process that has it; 0: none;
                                   or PARLEY_JOB_ELSEWHERE */
} parley_job_word_t;

#define PARLEY_WORD_DUE     45  /* widths in bits */
#define PARLEY_WORD_TRIED   4
#define PARLEY_WORD_MARK    2
#define PARLEY_WORD_OWNER   13

#define PARLEY_WORD_LATEST  (((int64_t) 1 << PARLEY_WORD_DUE) - 1)

/* Owner of a job of another node.  It is due when it is to be forgotten: this
   long after its time, if its node does not say that it is over. */
#define PARLEY_JOB_ELSEWHERE  ((1u << PARLEY_WORD_OWNER) - 1)
#define PARLEY_JOB_FORGET     60000     /* ms */


/* The mark of a job's entry: the class from this bit on, a bit for a job that
   is counted, and below it the number of a list. */
#define PARLEY_DUE_CLASS    14
#define PARLEY_DUE_COUNTED  13

_Static_assert(PARLEY_DUE_SLOTS <= 1 << PARLEY_DUE_COUNTED
               && (int) PARLEY_JOB_CLASSES <= 1 << (16 - PARLEY_DUE_CLASS),
               "a mark has room for both");


/*
 * The octets of a job's entry.  newer and older link the list of due jobs that
 * contains the entry while it is the first of its lane; the entry's mark has
 * the number of that list.
 */
typedef struct {
    uint64_t        word;
    parley_block_t  newer;
    parley_block_t  older;
} parley_job_entry_t;


/* octets of a lane's entry: the numbers of its jobs; empty if first is above
   last */
typedef struct {
    uint64_t  first;
    uint64_t  last;
} parley_lane_t;


/* beginning of the second entry's value; the text follows */
typedef struct {
    uint8_t   lane[PARLEY_KEY_LEN];
    uint64_t  at;
    uint64_t  record;           /* number of its append; 0: no record */
    int64_t   ends;
    int64_t   due;              /* time when due, for a node that
                                   adopts the job */
    uint64_t  epoch;            /* epoch of the record's place in the log with
                                   the key lane */
    uint64_t  offset;           /* offset of that place; 0: the job is not owed
                                   to readers */
    uint64_t  job;              /* number in the order of a store; 0: of this
                                   zone alone */
    uint32_t  size;             /* octets of the text */
    uint32_t  node;             /* other node that has the job; 0: none */
    uint32_t  adopted;          /* another node had it before */
} parley_load_t;


/* the place of a job in the order of a store */
typedef struct {
    uint64_t  job;
    uint32_t  node;             /* as in parley_load_t */
} parley_job_origin_t;


static inline parley_job_entry_t *
parley_job_of(parley_entry_t *e)
{
    return (parley_job_entry_t *) (void *) e->octets;
}


static inline parley_lane_t *
parley_lane_of(parley_entry_t *e)
{
    return (parley_lane_t *) (void *) e->octets;
}


static inline parley_job_class_t
parley_job_class(const parley_entry_t *e)
{
    return (parley_job_class_t) (e->mark >> PARLEY_DUE_CLASS);
}


static inline int
parley_job_is_of(const parley_entry_t *e, const uint32_t *accounts, size_t n)
{
    while (n > 0) {
        if (accounts[--n] == e->account) {
            return 1;
        }
    }

    return 0;
}


/*
 * Returns whether the job is urgent, of an account with the maximum of urgent
 * jobs under way.
 */

static inline int
parley_job_is_spent(const parley_entry_t *e, const parley_job_take_t *take)
{
    return parley_job_class(e) == PARLEY_JOB_URGENT
           && parley_job_is_of(e, take->spent, take->nspent);
}


/* Returns whether the job is ordinary, of an account that yields to others. */

static inline int
parley_job_is_last(const parley_entry_t *e, const parley_job_take_t *take)
{
    return parley_job_class(e) == PARLEY_JOB_ORDINARY
           && parley_job_is_of(e, take->last, take->nlast);
}


static inline void
parley_job_set_mark(parley_entry_t *e, parley_job_class_t class, unsigned list)
{
    e->mark = (uint16_t) ((unsigned) class << PARLEY_DUE_CLASS
                          | (e->mark & (1u << PARLEY_DUE_COUNTED)) | list);
}


static inline unsigned
parley_job_is_counted(const parley_entry_t *e)
{
    return (e->mark >> PARLEY_DUE_COUNTED) & 1;
}


static inline void
parley_job_word(const parley_entry_t *e, parley_job_word_t *ret)
{
    uint64_t  word;

    memcpy(&word, e->octets, sizeof(word));

    ret->due = (int64_t) (word & (uint64_t) PARLEY_WORD_LATEST);
    word >>= PARLEY_WORD_DUE;
    ret->tried = word & ((1u << PARLEY_WORD_TRIED) - 1);
    word >>= PARLEY_WORD_TRIED;
    ret->mark = word & ((1u << PARLEY_WORD_MARK) - 1);
    ret->owner = (uint32_t) (word >> PARLEY_WORD_MARK);
}


static inline void
parley_job_set(parley_entry_t *e, const parley_job_word_t *w)
{
    int64_t   due;
    uint64_t  word;

    due = w->due < PARLEY_WORD_LATEST ? w->due : PARLEY_WORD_LATEST;

    word = w->owner;
    word = (word << PARLEY_WORD_MARK) | w->mark;
    word = (word << PARLEY_WORD_TRIED) | w->tried;
    word = (word << PARLEY_WORD_DUE) | (uint64_t) due;

    __atomic_store_n(&parley_job_of(e)->word, word, __ATOMIC_RELEASE);
}


/* Adds a job to the counts, n 1, or removes it, n -1. */

static inline void
parley_job_count(parley_due_t *jobs, const parley_entry_t *e,
    const parley_job_word_t *w, int n)
{
    if (w->owner == PARLEY_JOB_ELSEWHERE) {
        jobs->elsewhere += (uint64_t) (int64_t) n;
        return;
    }

    jobs->taken += w->owner != 0 ? (uint64_t) (int64_t) n : 0;
    jobs->counted += parley_job_is_counted(e) ? (uint64_t) (int64_t) n : 0;
}


/* parley_memory_due.c */

/* Link the job to the list of its due time, and unlink it. */
void parley_due_link(parley_memory_t *s, parley_entry_t *e);
void parley_due_unlink(parley_memory_t *s, parley_entry_t *e);

/* Moves n jobs behind all due jobs, in their order, without changing their due
   times.  The next take first examines jobs that this take did not reach. */
void parley_due_behind(parley_memory_t *s, parley_entry_t *const *list,
    size_t n, int64_t now);

/* Returns the job of the list that has been due for longest, with its word in
   *ret, so that each job is taken in the end. */
parley_entry_t *parley_due_oldest(parley_entry_t *const *list, size_t n,
    parley_job_word_t *ret);

/*
 * Return the first job of the current list, which has the tick jobs.tick; the
 * first job of another tick; and the next job of a list.
 */
parley_entry_t *parley_due_first(parley_memory_t *s);
parley_entry_t *parley_due_at(parley_memory_t *s, int64_t tick);
parley_entry_t *parley_due_after(parley_memory_t *s, parley_entry_t *e);

/* Advances to the next list.  Returns 0 if the current list is that of now. */
int parley_due_turn(parley_memory_t *s, int64_t now);

/* Returns the tick of now: the last list with due jobs. */
int64_t parley_due_tick(int64_t now);
void parley_due_begin(parley_memory_t *s, int64_t now);

/* Sets jobs.next, the time when due jobs must be searched for again. */
void parley_due_next(parley_memory_t *s);

void parley_due_clear(parley_memory_t *s, int64_t now);


/* parley_memory_lane.c */

/* Returns the maximum of blocks that a job takes. */
size_t parley_job_blocks(const parley_job_t *job);

/*
 * Adds a job about the record of that number (0: none), owed to readers if
 * place is not NULL.  origin: NULL without a store.  Returns 0, or -1 if there
 * is no room, with nothing added.
 */
int parley_job_put_locked(parley_memory_t *s, const parley_job_t *job,
    const uint8_t *account, uint64_t record, const parley_place_t *place,
    const parley_job_origin_t *origin, int64_t now)
    __attribute__((warn_unused_result));

/* Removes the n jobs of an append that failed: the last of each lane. */
void parley_job_unput_locked(parley_memory_t *s, const parley_job_t *jobs,
    size_t n);

/* Returns the lane, or NULL if it has no jobs. */
parley_lane_t *parley_lane_find(parley_memory_t *s,
    const uint8_t lane[PARLEY_KEY_LEN]);

int parley_lane_has_jobs(parley_memory_t *s,
    const uint8_t lane[PARLEY_KEY_LEN]);

/* Return the first or the second entry of a job, or NULL. */
parley_entry_t *parley_job_find(parley_memory_t *s,
    const uint8_t lane[PARLEY_KEY_LEN], uint64_t at);
parley_entry_t *parley_lane_of_subject(parley_memory_t *s,
    const uint8_t key[PARLEY_KEY_LEN], parley_load_t *ret);

/*
 * Removes a job and its claim on the record, and makes the next job of its lane
 * due.
 */
void parley_job_remove_locked(parley_memory_t *s,
    const uint8_t lane[PARLEY_KEY_LEN], uint64_t at, int64_t now);

/* Writes down that a job is over before its entries are removed; number: of the
   append with the notice, or 0. */
void parley_job_over_locked(parley_memory_t *s,
    const uint8_t lane[PARLEY_KEY_LEN], uint64_t at, parley_job_how_t how,
    uint64_t number);

/* Completes the end that a verb wrote down. */
void parley_job_finish_locked(parley_memory_t *s, int64_t now);


/* parley_memory_job.c */

/* Returns whether this process has a job, and its number (parley_load_t). */
int parley_job_has_locked(parley_memory_t *s, const parley_job_id_t *id,
    uint64_t *job);

/* Removes the jobs of a lane, elsewhere: only those of other nodes; returns
   their number. */
size_t parley_job_drop_locked(parley_memory_t *s,
    const uint8_t lane[PARLEY_KEY_LEN], int elsewhere, int64_t now);

/* parley_memory_process.c */

/* Notes that another node has jobs. */
void parley_memory_node(parley_memory_t *s, uint32_t node);

/* parley_memory_job_import.c */

/* Adds the jobs of a step without a record.  Returns 0, or -1 if the table is
   full. */
int parley_job_import_add(parley_memory_t *s, const struct parley_import_s *i,
    int64_t now);

/* parley_memory_owed.c */

/* As parley_import_ops_t.owed_before. */
int parley_import_owed_before(parley_state_t *state,
    const uint8_t log[PARLEY_KEY_LEN], uint64_t epoch, parley_arena_t *arena,
    parley_append_t *ret, struct parley_import_end_s *end);

/* parley_memory_job_import.c */

/* As parley_import_ops_t has them. */
int parley_import_has_lane(parley_state_t *state,
    const uint8_t lane[PARLEY_KEY_LEN]);
uint64_t parley_import_sole(parley_state_t *state,
    const uint8_t lane[PARLEY_KEY_LEN], parley_arena_t *arena,
    parley_job_t *ret);
size_t parley_import_jobs(parley_state_t *state, size_t at,
    void (*each)(void *ctx, uint64_t job), void *ctx);
int parley_import_has_job(parley_state_t *state, const parley_job_id_t *id,
    uint64_t *job);

/* As parley_import_ops_t.sole, with the lock. */
uint64_t parley_job_import_sole(parley_memory_t *s,
    const uint8_t lane[PARLEY_KEY_LEN], parley_arena_t *arena,
    parley_job_t *ret);

/* Ends an attempt of another node, or the job whose notice a step is. */
void parley_job_import_end(parley_memory_t *s, const struct parley_import_s *i,
    int64_t now);

/* Gives the jobs of a node to the node of the step.  It locks. */
void parley_job_import_adopt(parley_memory_t *s,
    const struct parley_import_s *i);

/* Removes the jobs of a node that it does not name.  It locks. */
void parley_job_import_keep(parley_memory_t *s,
    const struct parley_import_s *i, int64_t now);

/* As parley_import_ops_t.jobs, with the lock. */
size_t parley_job_import_own(parley_memory_t *s, size_t at,
    void (*each)(void *ctx, uint64_t job), void *ctx);

/* Returns a node with jobs that is not in a list; 0: none. */
uint32_t parley_job_import_orphans(parley_memory_t *s, const uint32_t *nodes,
    size_t n);

/* parley_memory_job_list.c */
parley_state_done_t parley_memory_job_list(parley_state_t *state,
    const parley_job_list_t *list, parley_job_listing_t *ret,
    parley_call_t *call);


#endif /* PARLEY_MEMORY_JOB_PARTS_H */
