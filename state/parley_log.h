/*
 * Logs and the roster: the verbs of the state (parley_state.h) that streams and
 * mailboxes are made of.
 *
 *  append        a record, once, to the ends of several logs
 *  read          the records of one log, from a place in it on
 *  feed          what was appended to any log since this process last asked
 *  erase         the content of a record
 *  keep          logs stay although nothing is appended
 *  had           a reader has a record that a job owes it
 *  join, leave   who is subscribed to a log: the roster
 *  roster        lists them
 *
 * A log is a sequence of records at offsets 1, 2, 3 and so on.  It begins with
 * the first append or join of its key, and has an epoch, which no other log of
 * that key had: epoch and offset mean one record for ever, or none.  It ends
 * when its records have, and PARLEY_LOG_LEASE after the last append, join or
 * keep.
 *
 * What a log retains is bounded by the number of records, their octets and
 * time, as the newest append says: what is beyond goes, the oldest first.  What
 * is within is promised, and counted to its sender's account (SEC-09).  A
 * record whose own time is over, or that was erased, is passed over; its offset
 * remains its own.  Who was there when it was appended has PARLEY_FEED_LEAST
 * for it, however short its time is; who was not has its time alone, which may
 * be none.
 *
 * Every append has a number in one order of the whole state, in which processes
 * are fed.  A record waits for every process that is fed, whatever its logs
 * retain, for PARLEY_FEED_GRACE: who is slower is told so, and reads.  Finding
 * work costs a process per record, not per log or subscriber.
 *
 * Nothing here has an owner among the processes but what the roster says of
 * their subscribers, which is gone with them (see parley_state_ops_t.settle:
 * reservations).
 */

#ifndef PARLEY_LOG_H
#define PARLEY_LOG_H

#include "state/parley_job.h"
#include "state/parley_state.h"


#define PARLEY_LOGS_MAX       1024  /* of one append */
#define PARLEY_APPEND_PARTS   8
#define PARLEY_SELECTORS_MAX  1024  /* of one log, process and account */
#define PARLEY_SELECTOR_MAX   8192  /* octets */
#define PARLEY_SELECTORS_OCTETS  65536  /* of one log and account, in all
                                           processes: an append reads them */
#define PARLEY_SESSION_MAX    256   /* octets of the name of one, of its card
                                       as many again */
#define PARLEY_KEEPS_MAX      256   /* logs of one keep */

#define PARLEY_LOG_LEASE      ((int64_t) 3600 * 1000)
#define PARLEY_FEED_GRACE     ((int64_t) 10 * 1000)
#define PARLEY_FEED_LEAST     ((int64_t) 1000)


/* a place in a log: behind the record at that offset, 0: before the first */
typedef struct {
    uint64_t  epoch;            /* below 2^48; 0: there is no log */
    uint64_t  offset;
} parley_place_t;


/* the records that a read returns */
typedef enum {
    PARLEY_LOG_RETAINED = 0,
    PARLEY_LOG_AND_OWED,        /* forward: those that jobs owe to the log's
                                   readers, too, where the log does not retain
                                   them */
    PARLEY_LOG_OWED             /* forward: only those that jobs owe */
} parley_log_which_t;


/* where a record is */
typedef struct {
    uint8_t         log[PARLEY_KEY_LEN];
    parley_place_t  place;
} parley_placed_t;


/* each is at least 1 */
typedef struct {
    uint32_t  records;
    uint32_t  octets;           /* below 2^31 */
    int64_t   ms;
} parley_retention_t;


typedef struct parley_append_s {
    const uint8_t             (*logs)[PARLEY_KEY_LEN];  /* no two are equal */
    size_t                      nlogs;  /* 0: it is told to the processes, and
                                           in no log */
    const parley_str_t         *parts;  /* of the record */
    size_t                      nparts;
    const uint8_t              *account;        /* NULL: nobody's */
    parley_retention_t          retention;
    int64_t                     ttl;    /* ms, of the record; it ends earlier
                                           where the log does not retain it; 0:
                                           it is for who is there alone */
    parley_str_t                session;        /* of one log: who alone of the
                                                   roster is counted; empty:
                                                   all are */
    unsigned                    closes:1;       /* nothing comes after it */
    const parley_job_t         *jobs;   /* that are about the record, added
                                           with it */
    size_t                      njobs;
    const parley_admission_t   *takes;  /* admission that is settled as taken
                                           in the same step; NULL: none */
    const parley_settlement_t  *how;    /* settlement of takes; its taken is
                                           1 */
    unsigned                    asks:1; /* nothing is appended: it is told who
                                           would be counted, and OK or MEMORY */
    parley_arena_t             *arena;  /* of what is returned */
} parley_append_t;


typedef enum {
    PARLEY_APPEND_OK = 0,
    PARLEY_APPEND_CLOSED,       /* nothing comes after what one of them has */
    PARLEY_APPEND_SHARE,        /* its account has its share */
    PARLEY_APPEND_FULL,
    PARLEY_APPEND_MEMORY,       /* of the arena */
    PARLEY_APPEND_STALE,        /* takes is not reserved any more */
    PARLEY_APPEND_LATE          /* a question that how closes was closed
                                   before: another answer came first
                                   (SEC-08) */
} parley_append_verdict_t;


/* so many that were subscribed to a log at the append, by one selector */
typedef struct {
    uint32_t      log;          /* which of those appended to */
    uint32_t      count;
    parley_str_t  selector;
} parley_group_t;


/* all of it is done, or nothing */
typedef struct parley_appended_s {
    parley_append_verdict_t  verdict;
    uint64_t                 number;
    parley_placed_t         *places;    /* [nlogs] */
    parley_group_t          *groups;    /* a selector may come several times */
    size_t                   ngroups;
} parley_appended_t;


typedef struct {
    uint64_t        offset;
    int64_t         left;       /* ms until its own time is over, above 0 */
    parley_str_t    octets;
} parley_log_record_t;


typedef struct {
    const uint8_t   *log;
    parley_place_t   from;      /* forward behind it, backward before it; epoch
                                   0: backward from the end */
    uint64_t         to;        /* forward: the last offset that is read; 0: the
                                   log's */
    size_t           records;   /* at most, and at least 1 */
    size_t           octets;    /* at most; of one record any number */
    parley_log_which_t  which;
    unsigned         backward:1;
    unsigned         late:1;    /* it is for who was not there: a record's time
                                   is its ttl */
    parley_arena_t  *arena;
} parley_log_read_t;


typedef struct {
    int                   n;    /* -1: no memory */
    parley_log_record_t  *list;         /* in the order of reading */
    uint64_t              epoch;        /* 0: there is no such log, and nothing
                                           else is said */
    uint64_t              first;        /* the first offset that is retained;
                                           last + 1: none is */
    uint64_t              last;         /* the offset of the newest record */
    uint64_t              at;           /* the offset that was read up to: what
                                           of those is not in the list has
                                           ended */
    size_t                behind;       /* octets of what comes after it */
    unsigned              lost:1;       /* forward: from.epoch is not the log's,
                                           or what comes behind from is not
                                           retained any more: it was read from
                                           the first that is */
    unsigned              closed:1;     /* nothing comes after last */
} parley_log_page_t;


typedef struct {
    uint64_t         position;  /* the number that comes next; 0: it begins
                                   with what is appended from now on */
    size_t           records;   /* at most, and at least 1 */
    size_t           octets;    /* at most; of one record any number */
    unsigned         ends:1;    /* the process wants no more */
    parley_arena_t  *arena;
} parley_feed_t;


typedef struct {
    uint64_t             number;
    int64_t              left;          /* as in parley_log_record_t */
    parley_str_t         octets;
    parley_placed_t  *places;
    size_t               nplaces;
    unsigned             closes:1;
} parley_fed_t;


typedef struct {
    int            n;           /* -1: no memory */
    parley_fed_t  *list;
    uint64_t       position;    /* to go on with */
    unsigned       more:1;      /* there is more */
    unsigned       behind:1;    /* what came before that may be gone: whoever
                                   follows a log reads it; the list is empty */
} parley_feed_page_t;


typedef struct {
    const uint8_t  *log;
    uint64_t        offset;
    uint64_t        epoch;
} parley_erase_t;


typedef struct {
    const uint8_t  *log;
    parley_place_t  place;      /* of the record */
    unsigned        all:1;      /* the reader has those before it, too */
} parley_had_t;


typedef struct {
    const uint8_t  *log;
    const uint8_t  *account;    /* NULL: nobody's */
    parley_str_t    selector;   /* of whoever it is equal of, only the number is
                                   told to an append */
    parley_str_t    session;    /* who it is; another one of that name is
                                   replaced */
    parley_str_t    card;       /* what the roster tells */
} parley_join_t;


typedef enum {
    PARLEY_JOIN_OK = 0,
    PARLEY_JOIN_MANY,           /* there are too many selectors, or too many
                                   octets of them, or something is too long */
    PARLEY_JOIN_SHARE,
    PARLEY_JOIN_FULL
} parley_join_verdict_t;


typedef struct {
    parley_join_verdict_t  verdict;
    parley_place_t         place;       /* the end of the log: whatever is
                                           appended behind it counts this one */
    uint64_t               owed;        /* the offset of the first record that
                                           a job owes; 0: there is none */
    uint64_t               stamp;       /* by which it leaves */
    unsigned               replaced:1;  /* one of that name was there */
    unsigned               closed:1;    /* nothing comes any more */
} parley_joined_t;


typedef struct {
    const uint8_t  *log;
    parley_str_t    selector;
    parley_str_t    session;
    uint64_t        stamp;
} parley_leave_t;


typedef struct {
    const uint8_t   *log;
    uint32_t         at;        /* 0: from the begin; what the last page said */
    size_t           max;       /* cards of a page, or some more */
    parley_arena_t  *arena;
} parley_roster_t;


typedef struct {
    parley_str_t  session;
    parley_str_t  card;
} parley_roster_card_t;


typedef struct {
    int                    n;           /* -1: no memory */
    parley_roster_card_t  *list;        /* in no order */
    uint32_t               next;        /* 0: that was the last page */
} parley_roster_page_t;


/*
 * The verbs, as those of parley_state_ops_t: DONE or LATER, and what is pointed
 * to is copied, but for the arena, which is the caller's until it is answered
 * or cancelled.  erase, had, keep, leave, and a feed that ends, may come
 * without a call, and that without a ret.
 *
 * A process has one feed under way at most, so that none that ends it takes
 * effect behind one that begins.  Any other two may take effect in either
 * order, and be answered in the other: what a read or a join tells may be older
 * than what a feed does that was answered before.
 *
 * A process that is about to be gone cannot wait for its leaves, nor for the
 * feed that ends: they need not take effect, all that it had goes with it.
 *
 * An append with an admission appends the record and settles the admission in
 * one step.  A process that dies leaves both or neither, so a message that is
 * sent again after a lost connection is appended once (HUB-10).  Only a
 * reserved admission can be taken: what was given back is not appended.
 *
 * Cancelled: an append that has an effect keeps it, so a message without an
 * admission that is sent again may be appended twice; a join is left; a process
 * that was fed names its last position again; an erase, had or keep takes
 * effect.
 */
typedef struct parley_log_ops_s {
    parley_state_done_t  (*append)(parley_state_t *s, const parley_append_t *a,
                             parley_appended_t *ret, parley_call_t *call);
    parley_state_done_t  (*read)(parley_state_t *s, const parley_log_read_t *r,
                             parley_log_page_t *ret, parley_call_t *call);
    parley_state_done_t  (*feed)(parley_state_t *s, const parley_feed_t *f,
                             parley_feed_page_t *ret, parley_call_t *call);
    parley_state_done_t  (*erase)(parley_state_t *s, const parley_erase_t *e,
                             parley_call_t *call);
    parley_state_done_t  (*had)(parley_state_t *s, const parley_had_t *had,
                             parley_call_t *call);
    parley_state_done_t  (*keep)(parley_state_t *s,
                             const uint8_t (*logs)[PARLEY_KEY_LEN], size_t n,
                             parley_call_t *call);
    parley_state_done_t  (*join)(parley_state_t *s, const parley_join_t *j,
                             parley_joined_t *ret, parley_call_t *call);
    parley_state_done_t  (*leave)(parley_state_t *s, const parley_leave_t *l,
                             parley_call_t *call);
    parley_state_done_t  (*roster)(parley_state_t *s, const parley_roster_t *r,
                             parley_roster_page_t *ret, parley_call_t *call);
} parley_log_ops_t;


#endif /* PARLEY_LOG_H */
