/*
 * What parley_memory_job.c (the verbs), parley_memory_job_list.c,
 * parley_memory_due.c (what is due when) and parley_memory_lane.c (the entries
 * of a job, their order, and repair) share.  Private to them and to the append.
 *
 * A job is two entries under one key, of its lane and its place there: the one
 * has what changes, the other its text.  That the first is there makes it a
 * job.
 */

#ifndef PARLEY_MEMORY_JOB_PARTS_H
#define PARLEY_MEMORY_JOB_PARTS_H

#include <string.h>

#include "state/parley_job.h"
#include "state/memory/parley_memory_log_parts.h"


/* what changes of a job is one word, and so at no moment half of it */
typedef struct {
    int64_t   due;              /* of one that somebody has: he is looked for */
    unsigned  tried;
    unsigned  mark;
    uint32_t  owner;            /* number of a process; 0: nobody has it */
} parley_job_word_t;

#define PARLEY_WORD_DUE     45  /* bits */
#define PARLEY_WORD_TRIED   4
#define PARLEY_WORD_MARK    2
#define PARLEY_WORD_OWNER   13

#define PARLEY_WORD_LATEST  (((int64_t) 1 << PARLEY_WORD_DUE) - 1)


/* the mark of a job's entry: from this bit on its class, before that the number
   of a list */
#define PARLEY_DUE_CLASS  14

_Static_assert(PARLEY_DUE_SLOTS <= 1 << PARLEY_DUE_CLASS
               && (int) PARLEY_JOB_CLASSES <= 1 << (16 - PARLEY_DUE_CLASS),
               "a mark has room for both");


/*
 * The octets of a job's entry.  The links are those of the list of what is due,
 * which it is in while it is the first of its lane: then the entry's mark has
 * the number of that list.
 */
typedef struct {
    uint64_t        word;
    parley_block_t  newer;
    parley_block_t  older;
} parley_job_entry_t;


/* those of a lane's; jobs are at these places, or first is beyond last */
typedef struct {
    uint64_t  first;
    uint64_t  last;
} parley_lane_t;


/* begins the value of the other entry; then comes the text */
typedef struct {
    uint8_t   lane[PARLEY_KEY_LEN];
    uint64_t  at;
    uint64_t  record;           /* the number of its append; 0: none */
    int64_t   ends;
    uint64_t  epoch;            /* of the record's place in the log whose key */
    uint64_t  offset;           /* is lane; 0: the job is owed to no reader */
    uint32_t  size;             /* octets of the text */
    uint32_t  zero;
} parley_load_t;


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


/* it is urgent, and of an account that has as many under way as it may */

static inline int
parley_job_is_spent(const parley_entry_t *e, const parley_job_take_t *take)
{
    return parley_job_class(e) == PARLEY_JOB_URGENT
           && parley_job_is_of(e, take->spent, take->nspent);
}


/* it is ordinary, and of an account that lets others before */

static inline int
parley_job_is_last(const parley_entry_t *e, const parley_job_take_t *take)
{
    return parley_job_class(e) == PARLEY_JOB_ORDINARY
           && parley_job_is_of(e, take->last, take->nlast);
}


static inline void
parley_job_set_mark(parley_entry_t *e, parley_job_class_t class, unsigned list)
{
    e->mark = (uint16_t) ((unsigned) class << PARLEY_DUE_CLASS | list);
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


/* parley_memory_due.c */

/* Into the list of when it is due, or out of it. */
void parley_due_link(parley_memory_t *s, parley_entry_t *e);
void parley_due_unlink(parley_memory_t *s, parley_entry_t *e);

/* Behind all that is due, in their order, and since when they are stays: the
   next taking looks first at those that this one did not see. */
void parley_due_behind(parley_memory_t *s, parley_entry_t *const *list,
    size_t n, int64_t now);

/* The one of a list that is due for longest: so each is taken, however they are
   moved behind each other.  *ret: its word. */
parley_entry_t *parley_due_oldest(parley_entry_t *const *list, size_t n,
    parley_job_word_t *ret);

/* The list at hand, which is that of jobs.tick; its first; the next one. */
parley_entry_t *parley_due_first(parley_memory_t *s);
parley_entry_t *parley_due_at(parley_memory_t *s, int64_t tick);
parley_entry_t *parley_due_after(parley_memory_t *s, parley_entry_t *e);

/* All of it was looked at: the next one is, up to that of now.  0: that was the
   last. */
int parley_due_turn(parley_memory_t *s, int64_t now);

/* the tick at now: the last whose list has what is due */
int64_t parley_due_tick(int64_t now);
void parley_due_begin(parley_memory_t *s, int64_t now);

/* When to look again at the earliest, which becomes jobs.next. */
void parley_due_next(parley_memory_t *s);

void parley_due_clear(parley_memory_t *s, int64_t now);


/* parley_memory_lane.c */

/* Blocks that a job takes, at most. */
size_t parley_job_blocks(const parley_job_t *job);

/*
 * Adds a job, about the record of that number, or 0, and owed where place is
 * not NULL.  Returns 0, or -1: no room, and nothing was added.
 */
int parley_job_put_locked(parley_memory_t *s, const parley_job_t *job,
    const uint8_t *account, uint64_t record, const parley_place_t *place,
    int64_t now)
    __attribute__((warn_unused_result));

/* Of n jobs of an append the last of each lane go: it has not come about. */
void parley_job_unput_locked(parley_memory_t *s, const parley_job_t *jobs,
    size_t n);

/* NULL: the lane has no job */
parley_lane_t *parley_lane_find(parley_memory_t *s,
    const uint8_t lane[PARLEY_KEY_LEN]);

/* NULL: there is none */
parley_entry_t *parley_job_find(parley_memory_t *s,
    const uint8_t lane[PARLEY_KEY_LEN], uint64_t at);
parley_entry_t *parley_load_find(parley_memory_t *s,
    const uint8_t key[PARLEY_KEY_LEN], parley_load_t *ret);

/*
 * A job goes, and what it kept of its record; the next of its lane is due.
 */
void parley_job_remove_locked(parley_memory_t *s,
    const uint8_t lane[PARLEY_KEY_LEN], uint64_t at, int64_t now);


/* parley_memory_job.c: records that a job is over, and how, before it goes;
   number: of the append that tells of it, or 0. */
void parley_job_over_locked(parley_memory_t *s,
    const uint8_t lane[PARLEY_KEY_LEN], uint64_t at, parley_job_how_t how,
    uint64_t number);

/* parley_memory_job.c: what a verb began that is to be done. */
void parley_job_finish_locked(parley_memory_t *s, int64_t now);

/* parley_memory_job_list.c */
parley_state_done_t parley_memory_job_list(parley_state_t *state,
    const parley_job_list_t *list, parley_job_listing_t *ret,
    parley_call_t *call);


#endif /* PARLEY_MEMORY_JOB_PARTS_H */
