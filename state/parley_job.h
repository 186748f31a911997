/*
 * Jobs: the verbs of the state (parley_state.h) for what is to be done at a
 * time, by whichever process is there then: an attempt to deliver, a deadline.
 *
 *  add     one; several come with an append (parley_append_t), all or nothing
 *  take    those that are due become this process's
 *  end     what came of one that it has: it is over, or due again
 *  drop    all of a lane go, whoever has them
 *  list    what there is
 *
 * A job has a text, which is its adder's, and perhaps a record, that of the
 * append it came with, which stays as long as the job.  Jobs of one lane are
 * taken one after the other, in the order in which they came: the next waits
 * until the one before it is over.
 *
 * A job may be owed to the readers of a log: its lane is the log's key, it
 * comes with an append to that log, and parley_log_ops_t.had ends it as
 * delivered as soon as a reader has the record, whichever process has taken it.
 * A process takes it when it is due, as any other job.
 *
 * A job that was taken is its process's, which alone ends it.  Where that
 * process is gone, which is looked for once in a second, the attempt has
 * failed: the job is due again.  Time alone takes a job from nobody, so that no
 * two processes try it at once (HUB-09); who has one ends it in time.
 *
 * Jobs are counted to the account of who sent what they are for (SEC-09).  They
 * outlive every process, and are nobody's to keep: what is over by its time is
 * taken like what is due, and is ended by who took it.
 */

#ifndef PARLEY_JOB_H
#define PARLEY_JOB_H

#include "state/parley_state.h"


#define PARLEY_JOBS_MAX      1024   /* of one append */
#define PARLEY_JOB_TEXT_MAX  1024   /* octets */
#define PARLEY_JOB_TRIED     15     /* attempts that are counted, at most */
#define PARLEY_JOB_LEASE     1000   /* ms between looks at who has one */
#define PARLEY_JOB_LOOKS     256    /* due ones that a taking lets others
                                       before, at most */


struct parley_append_s;
struct parley_appended_s;


/* who takes jobs asks for those of the classes that it has a place for */
typedef enum {
    PARLEY_JOB_ORDINARY = 0,
    PARLEY_JOB_URGENT,          /* and so is what stands before it in its
                                   lane */
    PARLEY_JOB_PROMPT,          /* it is soon done */
    PARLEY_JOB_CLASSES
} parley_job_class_t;

#define PARLEY_JOB_CLASS_BIT(class)  (1u << (class))


typedef struct {
    uint8_t             lane[PARLEY_KEY_LEN];
    parley_str_t        text;
    int64_t             after;  /* ms until it is due, if it is the first of
                                   its lane by then */
    int64_t             lasts;  /* ms until it is over, at least after */
    parley_job_class_t  class;
    unsigned            owed:1; /* to the readers of the log whose key is lane,
                                   which is one of the append's */
} parley_job_t;


typedef struct {
    parley_job_t    job;
    const uint8_t  *account;    /* NULL: nobody's */
} parley_job_add_t;


typedef enum {
    PARLEY_JOB_ADDED = 0,
    PARLEY_JOB_SHARE,           /* the account has its share */
    PARLEY_JOB_FULL,
    PARLEY_JOB_LONG             /* its text is too long */
} parley_job_added_t;


/* one that was taken */
typedef struct {
    uint8_t   lane[PARLEY_KEY_LEN];
    uint64_t  at;               /* in its lane: 1, 2, 3 and so on */
    uint64_t  stamp;            /* of the taking */
} parley_job_id_t;


typedef struct {
    size_t           max;       /* at most, and at least 1 */

    /*
     * ms after which a job is due again whose process is gone: delays[0] after
     * the first attempt, and so on; at once where there is none.
     */
    const int64_t   *delays;
    size_t           ndelays;
    parley_arena_t  *arena;     /* of what is returned */
    unsigned         passes;    /* PARLEY_JOB_CLASS_BIT() of those that it
                                   passes over */

    /* where it passes over some: accounts whose urgent ones it does, too */
    const uint32_t  *spent;
    size_t           nspent;

    /* accounts whose ordinary ones are taken last: where another's is due;
       behind PARLEY_JOB_LOOKS of theirs, which go to the end, one of them is
       taken before */
    const uint32_t  *last;
    size_t           nlast;
} parley_job_take_t;


typedef struct {
    parley_job_id_t     id;
    parley_job_class_t  class;
    uint32_t            account;        /* a number that is its own while the
                                           job is there; 0: nobody's */
    unsigned            attempt;        /* which one this is: 1, 2, ...; the
                                           greatest that is counted is
                                           PARLEY_JOB_TRIED */
    unsigned            mark;           /* as its last end left it; 0 at
                                           first */
    int64_t             left;           /* ms until it is over; 0 or less: it
                                           is */
    parley_str_t        text;
    parley_str_t        record;         /* octets; data NULL: there is none */
    unsigned            gone:1;         /* there was one: its time is over, or
                                           it was erased */
} parley_taken_t;


typedef struct {
    int              n;         /* -1: no memory */
    parley_taken_t  *list;      /* what was due first stands first, within
                                   128 ms */
    int64_t          next;      /* ms until there may be more; 0: there is; -1:
                                   not before something is added */
} parley_job_page_t;


/* what a job ends in */
typedef enum {
    PARLEY_JOB_DELIVERED = 0,
    PARLEY_JOB_REFUSED,         /* by who was to get it */
    PARLEY_JOB_GIVEN_UP,
    PARLEY_JOB_DONE,            /* one that delivers nothing */
    PARLEY_JOB_ENDS,
    PARLEY_JOB_AGAIN = PARLEY_JOB_ENDS          /* it is not over */
} parley_job_how_t;


typedef struct {
    const parley_job_id_t         *id;
    parley_job_how_t               how;
    int64_t                        after;       /* AGAIN: ms until it is due */
    unsigned                       mark;        /* AGAIN: 0 to 3 */
    unsigned                       untried:1;   /* AGAIN: there was no attempt,
                                                   and none is counted */

    /* what is told of its being over: appended with it, both or neither.
       NULL: nothing */
    const struct parley_append_s  *tells;
} parley_job_end_t;


typedef enum {
    PARLEY_JOB_OK = 0,
    PARLEY_JOB_NOT_ITS,         /* it is not this process's, and may be gone:
                                   nothing is told */
    PARLEY_JOB_UNTOLD           /* what is told found no room: it is as it
                                   was */
} parley_job_verdict_t;


typedef struct {
    parley_job_verdict_t        verdict;
    struct parley_appended_s   *appended;       /* the caller's, filled where
                                                   it tells; may be NULL */
} parley_job_ended_t;


typedef struct {
    size_t           at;        /* 0: from the begin; what the last page said */
    parley_arena_t  *arena;
} parley_job_list_t;


typedef struct {
    uint64_t      at;           /* in its lane */
    int64_t       due;          /* ms; below 0: it waits for so long */
    int64_t       left;
    unsigned      tried;
    unsigned      taken:1;
    unsigned      first:1;      /* of its lane */
    parley_str_t  text;
} parley_job_listed_t;


typedef struct {
    int                   n;    /* -1: no memory */
    parley_job_listed_t  *list;         /* in no order, perhaps none though
                                           there are more */
    size_t                next; /* 0: that was the last page */
} parley_job_listing_t;


/*
 * The verbs, as those of parley_state_ops_t: DONE or LATER, and what is pointed
 * to is copied, but for ret->appended.  end and drop may come without a call,
 * and then without a ret.
 *
 * drop: *ret, which may be NULL, is how many there were: whoever is ending one
 * of them meanwhile is told that it is not its.
 *
 * Cancelled: a job that is added stays; what is taken is due again, untried;
 * what was to be ended or dropped is.
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
} parley_job_ops_t;


#endif /* PARLEY_JOB_H */
