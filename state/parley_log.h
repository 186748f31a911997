/*
 * Logs and the roster: the verbs of the state (parley_state.h) for streams and
 * mailboxes.
 *
 *   append       appends a record once, to the ends of several logs
 *   read         reads the records of one log, from a place on
 *   feed         returns the records of all logs that were appended since
 *                this process asked last
 *   erase        removes the content of a record
 *   keep         keeps logs that have no appends
 *   had          reports that a reader has records that jobs owe it
 *   join, leave  add and remove a subscriber of a log: the roster
 *   roster       lists the subscribers of a log
 *
 * A log is a sequence of records at offsets 1, 2, 3 and so on.  The first
 * append or join of its key creates it with an epoch that no earlier log of
 * this key had.  Epoch and offset thus identify at most one record for ever.  A
 * log ends after its records have ended and PARLEY_LOG_LEASE has passed since
 * the last append, join or keep.
 *
 * The newest append sets the retention of a log: the number of records, their
 * octets and their age.  Records beyond it are dropped, oldest first.  Records
 * within it are promised, and counted to the sender's account (SEC-09).  A
 * record that has expired or was erased is skipped; its offset is not reused.
 * A subscriber that was present at the append can read the record for at least
 * PARLEY_FEED_LEAST, even if its ttl is shorter; a later one only within its
 * ttl, which may be 0.
 *
 * Every append has a number in one order of the whole state; the feed of each
 * process follows this order.  A record stays until every fed process has it,
 * at most PARLEY_FEED_GRACE, regardless of retention.  A slower process is told
 * that it is behind, and reads the logs.  The cost of a feed depends on the
 * number of records, not on logs or subscribers.
 *
 * Only the roster's entries belong to a process, and end with it (see
 * parley_state_ops_t.settle: reservations).
 */

#ifndef PARLEY_LOG_H
#define PARLEY_LOG_H

#include "state/parley_job.h"
#include "state/parley_state.h"


#define PARLEY_LOGS_MAX       1024  /* logs of one append */
#define PARLEY_LOGS_SHARED    256   /* the same, if nodes share the state: an
                                       engine does one append at a time */
#define PARLEY_APPEND_PARTS   8
#define PARLEY_SELECTORS_MAX  1024  /* selectors of one log, process and
                                       account */
#define PARLEY_SELECTOR_MAX   8192  /* octets */
#define PARLEY_SELECTORS_OCTETS  65536  /* octets of selectors of one log and
                                           account in all processes, which each
                                           append reads */
#define PARLEY_SESSION_MAX    256   /* octets of a session's name; also of its
                                       card */
#define PARLEY_KEEPS_MAX      256   /* logs of one keep */

#define PARLEY_LOG_LEASE      ((int64_t) 3600 * 1000)
#define PARLEY_FEED_GRACE     ((int64_t) 10 * 1000)
#define PARLEY_FEED_LEAST     ((int64_t) 1000)


/* a place in a log: after the record at offset; 0: before the first */
typedef struct {
    uint64_t  epoch;            /* below 2^48; 0: the log does not exist */
    uint64_t  offset;
} parley_place_t;


/* the records to read */
typedef enum {
    PARLEY_LOG_RETAINED = 0,
    PARLEY_LOG_AND_OWED,        /* forward: also records that the log does not
                                   retain but that jobs owe to its readers */
    PARLEY_LOG_OWED             /* forward: only records that jobs owe */
} parley_log_which_t;


/* position of a record in one log */
typedef struct {
    uint8_t         log[PARLEY_KEY_LEN];
    parley_place_t  place;
} parley_placed_t;


/* retention; each limit is at least 1 */
typedef struct {
    uint32_t  records;
    uint32_t  octets;           /* below 2^31 */
    int64_t   ms;
} parley_retention_t;


typedef struct parley_append_s {
    const uint8_t             (*logs)[PARLEY_KEY_LEN];  /* keys of the logs,
                                                           distinct */
    size_t                      nlogs;  /* 0: the record is only fed to the
                                           processes */
    const parley_str_t         *parts;  /* octets of the record, in parts */
    size_t                      nparts;
    const uint8_t              *account;        /* account of the record; NULL:
                                                   none */
    parley_retention_t          retention;
    int64_t                     ttl;    /* ms until the record expires, unless
                                           the log drops it earlier; 0: only for
                                           subscribers present at the append */
    parley_str_t                session;        /* the only session of the
                                                   roster to count, in one log;
                                                   empty: all sessions */
    unsigned                    closes:1;       /* the logs take no appends
                                                   after this one */
    const parley_job_t         *jobs;   /* jobs about the record, added with
                                           it */
    size_t                      njobs;
    const parley_admission_t   *takes;  /* admission to settle as taken in the
                                           same step; NULL: none */
    const parley_settlement_t  *how;    /* settlement of takes; its taken is
                                           1 */
    unsigned                    asks:1; /* appends nothing, only counts
                                           subscribers; the verdict is OK or
                                           MEMORY */
    uint64_t                    stamp;  /* asks: counts at least those that had
                                           joined before this admission, see
                                           counts; 0: before this call */
    parley_arena_t             *arena;  /* arena of the result */
} parley_append_t;


typedef enum {
    PARLEY_APPEND_OK = 0,
    PARLEY_APPEND_CLOSED,       /* a log is closed */
    PARLEY_APPEND_SHARE,        /* the account has used its share */
    PARLEY_APPEND_FULL,
    PARLEY_APPEND_MEMORY,       /* memory of the arena is exhausted */
    PARLEY_APPEND_STALE,        /* the reservation of takes has ended */
    PARLEY_APPEND_LATE,         /* a question that how closes was closed before:
                                   another answer came first (SEC-08) */
    PARLEY_APPEND_AWAY          /* a state over a network does not answer */
} parley_append_verdict_t;


/* number of subscribers of a log at the append with one selector */
typedef struct {
    uint32_t      log;          /* index in logs of the append */
    uint32_t      count;
    parley_str_t  selector;
} parley_group_t;


/* result of an append, which is done completely or not at all */
typedef struct parley_appended_s {
    parley_append_verdict_t  verdict;
    uint64_t                 number;
    parley_placed_t         *places;    /* [nlogs] */
    parley_group_t          *groups;    /* a selector may occur several times */
    size_t                   ngroups;
} parley_appended_t;


typedef struct {
    uint64_t        offset;
    int64_t         left;       /* ms until it expires, above 0 */
    parley_str_t    octets;
} parley_log_record_t;


typedef struct parley_log_read_s {
    const uint8_t   *log;
    parley_place_t   from;      /* forward after it, backward before it; epoch
                                   0: backward from the end */
    uint64_t         to;        /* forward: the last offset to read; 0: the last
                                   of the log */
    size_t           records;   /* maximum of records, at least 1 */
    size_t           octets;    /* maximum of octets; a first record may be
                                   larger */
    parley_log_which_t  which;
    unsigned         backward:1;
    unsigned         late:1;    /* for a reader that was absent at the append: a
                                   record's time is its ttl */
    parley_arena_t  *arena;
} parley_log_read_t;


typedef struct parley_log_page_s {
    int                   n;    /* number of records; -1: memory exhausted */
    parley_log_record_t  *list;         /* in the order of reading */
    uint64_t              epoch;        /* 0: the log does not exist, and all
                                           else is undefined */
    uint64_t              first;        /* offset of the first retained record;
                                           last + 1: none */
    uint64_t              last;         /* offset of the newest record */
    uint64_t              at;           /* offset of the last record that was
                                           examined; those not in the list have
                                           ended */
    size_t                behind;       /* octets of the records after it */
    unsigned              lost:1;       /* forward: from.epoch is not the log's,
                                           or records after from are lost; the
                                           read began at the first retained
                                           record */
    unsigned              closed:1;     /* the log takes no appends */
} parley_log_page_t;


typedef struct {
    uint64_t         position;  /* number of the next append; 0: begin with
                                   later appends */
    size_t           records;   /* maximum of records, at least 1 */
    size_t           octets;    /* maximum of octets; a first record may be
                                   larger */
    unsigned         ends:1;    /* the process ends its feed */
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
    int            n;           /* number of records; -1: memory exhausted */
    parley_fed_t  *list;
    uint64_t       position;    /* position of the next feed */
    unsigned       more:1;      /* there are more records */
    unsigned       behind:1;    /* records before position may be lost: a reader
                                   of a log must read it; the list is empty */
} parley_feed_page_t;


typedef struct parley_erase_s {
    const uint8_t  *log;
    uint64_t        offset;
    uint64_t        epoch;
} parley_erase_t;


typedef struct {
    const uint8_t         *log;
    const parley_place_t  *places;      /* places of the records */
    size_t                 n;
    unsigned               all:1;       /* the reader also has all records
                                           before each of them */
} parley_had_t;


typedef struct {
    const uint8_t  *log;
    const uint8_t  *account;    /* account of the subscriber; NULL: none */
    parley_str_t    selector;   /* subscribers with equal selectors are counted
                                   together at an append */
    parley_str_t    session;    /* name of the session; an existing session of
                                   that name is replaced */
    parley_str_t    card;       /* text that the roster lists */
} parley_join_t;


typedef enum {
    PARLEY_JOIN_OK = 0,
    PARLEY_JOIN_MANY,           /* too many selectors, too many octets of them,
                                   or a text that is too long */
    PARLEY_JOIN_SHARE,
    PARLEY_JOIN_FULL,
    PARLEY_JOIN_AWAY            /* a state over a network does not answer */
} parley_join_verdict_t;


typedef struct {
    parley_join_verdict_t  verdict;
    parley_place_t         place;       /* the end of the log; appends after it
                                           count this subscriber */
    uint64_t               owed;        /* offset of the first record that a job
                                           owes; 0: none */
    uint64_t               stamp;       /* stamp to leave with */
    unsigned               replaced:1;  /* a session of that name was
                                           replaced */
    unsigned               closed:1;    /* the log takes no appends */
} parley_joined_t;


typedef struct {
    const uint8_t  *log;
    parley_str_t    selector;
    parley_str_t    session;
    uint64_t        stamp;
} parley_leave_t;


typedef struct parley_roster_s {
    const uint8_t   *log;
    uint32_t         at;        /* 0: the beginning; else next of the last
                                   page */
    size_t           max;       /* cards of a page; a page may have some more */
    parley_arena_t  *arena;
} parley_roster_t;


typedef struct {
    parley_str_t  session;
    parley_str_t  card;
} parley_roster_card_t;


typedef struct parley_roster_page_s {
    int                    n;           /* number of cards; -1: memory
                                           exhausted */
    parley_roster_card_t  *list;        /* unordered */
    uint32_t               next;        /* 0: this was the last page */
} parley_roster_page_t;


/*
 * The verbs, used as those of parley_state_ops_t: they return DONE or LATER and
 * copy their input, except for the arena, which must stay until the answer or
 * the cancel.  call may be NULL for erase, had, keep, leave, and a feed that
 * ends; ret must then be NULL too.
 *
 * A process has at most one feed under way, so a feed that ends cannot take
 * effect after one that begins.  Any other two verbs may take effect, and be
 * answered, in any order: the result of a read or join may be older than that
 * of a feed answered earlier.
 *
 * A process that is about to exit need not wait for leave, nor for the feed
 * that ends: all its entries end with it.
 *
 * An append with an admission appends the record and settles the admission in
 * one step.  A process that dies leaves both or neither, so a message that is
 * sent again after a lost connection is appended once (HUB-10).  Only a
 * reserved admission can be taken: a message whose admission was given back is
 * not appended.
 *
 * After a cancel: an append may stay, so a message without an admission that is
 * sent again may be appended twice; a join is undone; a fed process must repeat
 * its last position; an erase, had or keep takes effect.
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
