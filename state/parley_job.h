/*
 * Jobs: the verbs of the state (parley_state.h) for work that is due at a time
 * and that any process may do: an attempt to deliver, a deadline.
 *
 *   add    adds a job; jobs can also be added with an append
 *          (parley_append_t), all or none
 *   take   assigns jobs that are due to this process
 *   end    ends an attempt: the job is over, or due again
 *   drop   removes all jobs of a lane, even those that are taken
 *   list   lists jobs
 *
 * A job has a text, defined by the caller that adds it.  It may have a record,
 * that of the append which added it, and keeps this record.  The jobs of one
 * lane are taken one after another in the order in which they were added: a job
 * waits until the one before it is over.
 *
 * A job may be owed to the readers of a log.  Its lane is then the log's key,
 * and it is added with an append to that log.  parley_log_ops_t.had ends it as
 * delivered as soon as a reader has the record, even if a process has taken it.
 * When it is due, it is taken as any other job.
 *
 * A taken job belongs to its process, and only this process can end it.
 * Processes are checked once a second; if the process has ended, the attempt
 * has failed and the job is due again.  So no two processes try it at once
 * (HUB-09); a process must end its jobs in time.  In one zone, a job is never
 * taken from a living process.  If nodes share the state, a node whose lease is
 * over loses its jobs to another one.
 *
 * Jobs are counted to the account of the sender of their message (SEC-09).
 * They outlive every process.  A job past its time is taken like one that is
 * due, and the process that took it ends it.
 */

#ifndef PARLEY_JOB_H
#define PARLEY_JOB_H

#include "state/parley_state.h"


#define PARLEY_JOBS_MAX      1024   /* jobs of one append */
#define PARLEY_JOB_TEXT_MAX  1024   /* octets */
#define PARLEY_JOB_TRIED     15     /* maximum of the counter of attempts */
#define PARLEY_JOB_LEASE     1000   /* ms between checks of the process that has
                                       a job */
#define PARLEY_JOB_LOOKS     256    /* due jobs of accounts in last that a take
                                       passes over, at most */


struct parley_append_s;
struct parley_appended_s;


/* A process takes only jobs of the classes for which it has a free slot. */
typedef enum {
    PARLEY_JOB_ORDINARY = 0,
    PARLEY_JOB_URGENT,          /* the jobs before it in its lane become urgent
                                   too */
    PARLEY_JOB_PROMPT,          /* short work */
    PARLEY_JOB_LASTING,         /* a process keeps it as long as it runs */
    PARLEY_JOB_CLASSES
} parley_job_class_t;

#define PARLEY_JOB_CLASS_BIT(class)  (1u << (class))


typedef struct {
    uint8_t             lane[PARLEY_KEY_LEN];
    parley_str_t        text;
    int64_t             after;  /* ms until it is due, if it is the first of its
                                   lane then */
    int64_t             lasts;  /* ms until it expires, at least after */
    parley_job_class_t  class;
    unsigned            owed:1; /* owed to the readers of the log with the key
                                   lane, one of the append's logs */
    unsigned            sole:1; /* for add: if its lane has a job, the verb
                                   adds nothing and returns ADDED */
    unsigned            counted:1;      /* counted in parley_state_stat_t as
                                           long as it exists */
} parley_job_t;


typedef struct {
    parley_job_t    job;
    const uint8_t  *account;    /* account of the job; NULL: none */
} parley_job_add_t;


typedef enum {
    PARLEY_JOB_ADDED = 0,
    PARLEY_JOB_SHARE,           /* the account has used its share */
    PARLEY_JOB_FULL,
    PARLEY_JOB_LONG             /* the text is too long */
} parley_job_added_t;


/* identifies a taken job */
typedef struct {
    uint8_t   lane[PARLEY_KEY_LEN];
    uint64_t  at;               /* number in its lane, from 1 */
    uint64_t  stamp;            /* stamp of the take */
} parley_job_id_t;


typedef struct {
    size_t           max;       /* jobs to take, at least 1 */

    /*
     * ms after which a job is due again if its process ended: delays[0] after
     * the first attempt, and so on; 0 beyond ndelays
     */
    const int64_t   *delays;
    size_t           ndelays;
    parley_arena_t  *arena;     /* arena of the result */
    unsigned         passes;    /* PARLEY_JOB_CLASS_BIT() of classes to pass
                                   over */

    /* accounts with urgent jobs to pass over */
    const uint32_t  *spent;
    size_t           nspent;

    /* Accounts with ordinary jobs to take last, after due jobs of other
       accounts.  After PARLEY_JOB_LOOKS of their jobs, which go to the end of
       the list, one of these jobs is taken first. */
    const uint32_t  *last;
    size_t           nlast;
} parley_job_take_t;


typedef struct {
    parley_job_id_t     id;
    parley_job_class_t  class;
    uint32_t            account;        /* number of the account, unique while
                                           the job exists; 0: none */
    unsigned            attempt;        /* number of this attempt, from 1 to
                                           PARLEY_JOB_TRIED */
    unsigned            mark;           /* mark of the last end; 0 at first */
    int64_t             left;           /* ms until it expires; 0 or less:
                                           expired */
    parley_str_t        text;
    parley_str_t        record;         /* octets of the record; data NULL: no
                                           record */
    unsigned            gone:1;         /* the record has expired or was
                                           erased */
    unsigned            adopted:1;      /* another node had it, and may have
                                           begun an attempt */
} parley_taken_t;


typedef struct {
    int              n;         /* number of jobs; -1: memory exhausted */
    parley_taken_t  *list;      /* by the time when they were due, to 128 ms */
    int64_t          next;      /* ms until more may be due; 0: more are due;
                                   -1: not before a job is added */
} parley_job_page_t;


/* result of an attempt */
typedef enum {
    PARLEY_JOB_DELIVERED = 0,
    PARLEY_JOB_REFUSED,         /* refused by the recipient */
    PARLEY_JOB_GIVEN_UP,
    PARLEY_JOB_DONE,            /* done, for jobs other than deliveries */
    PARLEY_JOB_ENDS,
    PARLEY_JOB_AGAIN = PARLEY_JOB_ENDS          /* the job is not over */
} parley_job_how_t;


typedef struct {
    const parley_job_id_t         *id;
    parley_job_how_t               how;
    int64_t                        after;       /* AGAIN: ms until it is due */
    unsigned                       mark;        /* AGAIN: mark for the next
                                                   attempt, 0 to 3 */
    unsigned                       untried:1;   /* AGAIN: there was no attempt;
                                                   the counter is unchanged */

    /* notice of the end, appended with it: both or neither; NULL: no notice */
    const struct parley_append_s  *tells;
} parley_job_end_t;


typedef enum {
    PARLEY_JOB_OK = 0,
    PARLEY_JOB_NOT_ITS,         /* this process does not have the job, which may
                                   not exist; no notice is appended */
    PARLEY_JOB_UNTOLD           /* there was no room for the notice; the job is
                                   unchanged */
} parley_job_verdict_t;


typedef struct {
    parley_job_verdict_t        verdict;
    struct parley_appended_s   *appended;       /* the caller's; filled if there
                                                   is a notice; may be NULL */
} parley_job_ended_t;


typedef struct {
    size_t           at;        /* 0: the beginning; else next of the last
                                   page */
    parley_arena_t  *arena;
} parley_job_list_t;


typedef struct {
    uint64_t      at;           /* number in its lane */
    int64_t       due;          /* ms until it is due; below 0: it has been due
                                   for so long */
    int64_t       left;
    unsigned      tried;
    unsigned      taken:1;
    unsigned      first:1;      /* first of its lane */
    parley_str_t  text;
} parley_job_listed_t;


typedef struct {
    int                   n;    /* number of jobs; -1: memory exhausted */
    parley_job_listed_t  *list;         /* unordered; may be empty before the
                                           last page */
    size_t                next; /* 0: this was the last page */
} parley_job_listing_t;


/*
 * The verbs, used as those of parley_state_ops_t: they return DONE or LATER and
 * copy their input, except for ret->appended.  call may be NULL for end and
 * drop; ret must then be NULL too.
 *
 * drop: *ret, which may be NULL, is the number of jobs removed.  A process that
 * ends one of them later gets PARLEY_JOB_NOT_ITS.
 *
 * After a cancel: an added job stays; taken jobs are due again, without an
 * attempt; an end or a drop takes effect.
 */
typedef struct parley_job_ops_s {
    parley_state_done_t  (*add)(parley_state_t *s, const parley_job_add_t *add,
                             parley_job_added_t *ret, parley_call_t *call);
    parley_state_done_t  (*take)(parley_state_t *s,
                             const parley_job_take_t *take,
                             parley_job_page_t *ret, parley_call_t *call);
    parley_state_done_t  (*end)(parley_state_t *s, const parley_job_end_t *end,
                             parley_job_ended_t *ret, parley_call_t *call);
    parley_state_done_t  (*drop)(parley_state_t *s,
                             const uint8_t lane[PARLEY_KEY_LEN], size_t *ret,
                             parley_call_t *call);
    parley_state_done_t  (*list)(parley_state_t *s,
                             const parley_job_list_t *list,
                             parley_job_listing_t *ret, parley_call_t *call);

    /* Returns whether this process still has a job, at once. */
    int  (*has)(parley_state_t *s, const parley_job_id_t *id);
} parley_job_ops_t;


#endif /* PARLEY_JOB_H */
