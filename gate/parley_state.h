/*
 * The state that a gateway's processes share, by its verbs.  All deciding code
 * reaches it by these and by nothing else; each is one atomic step, no two
 * together are, and an implementation over a network may complete them later.
 *
 *  admit, settle        a message: its id, the question that it answers, quotas
 *  rate                 a limit by itself
 *  put, get, close,     what is to be known later: what a reply will answer,
 *  drop                 retained messages, first answers
 *
 * parley_memory.h is one over memory that processes share, or one has to
 * itself.  What deciding code asks it asks by parley_ask.h.
 *
 * Keys are 128-bit SipHash under a secret of the state, over what they are for
 * and then whose, so that nobody's id meets another's (SEC-11).
 *
 * Times are milliseconds of one clock that all processes share and that does
 * not jump.
 */

#ifndef PARLEY_STATE_H
#define PARLEY_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "parley_arena.h"
#include "parley_key.h"
#include "parley_rate.h"
#include "parley_str.h"
#include "parley_table.h"


#define PARLEY_PRINT_LEN      8

#define PARLEY_KEY_PARTS_MAX  8
#define PARLEY_QUOTAS_MAX     4     /* of one admission */
#define PARLEY_CLOSES_MAX     2     /* questions that one message closes */
#define PARLEY_RECORDS_MAX    16    /* of one key that are looked at */

/* a reservation of a process that nobody knows ends after this */
#define PARLEY_LEASE          (3600 * (int64_t) 1000)


/* what keys are made for; 0 is an account */
typedef enum {
    PARLEY_KIND_ACCOUNT = 0,
    PARLEY_KIND_ID,             /* the window: of a sender's message */
    PARLEY_KIND_SLOT,           /* of a question: who has answered for good */
    PARLEY_KIND_QUESTION,       /* what may be answered or referred to */
    PARLEY_KIND_CALL,           /* what its sender may take back */
    PARLEY_KIND_MESSAGE,        /* retained */
    PARLEY_KIND_ANSWER,         /* first answers */
    PARLEY_KIND_RATE
} parley_kind_t;


typedef struct parley_state_s      parley_state_t;
typedef struct parley_state_ops_s  parley_state_ops_t;
typedef struct parley_shared_s     parley_shared_t;


/* a process of the host: its id, and when it began in the host's words */
typedef struct {
    uint32_t  pid;
    uint64_t  began;            /* 0: not known */
} parley_process_t;


typedef struct {
    void    (*lock)(void *ctx);
    void    (*unlock)(void *ctx);

    /* is asked without the lock */
    int     (*is_alive)(void *ctx, const parley_process_t *process);

    void     *ctx;
} parley_state_env_t;


/* as one process sees it */
struct parley_state_s {
    const parley_state_ops_t  *ops;
    parley_shared_t           *sh;
    parley_state_env_t         env;
    unsigned                   share;   /* of one principal, in thousandths */
    uint32_t                   process; /* 0: it did not enter */
};


/* "25%" -> 250: 1 to 100 percent.  Returns 0, or -1. */
int parley_share_parse(parley_str_t word, unsigned *ret)
    __attribute__((warn_unused_result));

#define PARLEY_SHARE_DEFAULT  250


/* A key: of its kind over n parts, at most PARLEY_KEY_PARTS_MAX. */
void parley_state_key(const parley_state_t *s, parley_kind_t kind,
    const parley_str_t *parts, size_t n, uint8_t out[PARLEY_KEY_LEN]);

/* Tells the owners of records under one key apart: of n parts. */
uint32_t parley_state_tag(const parley_state_t *s, const parley_str_t *parts,
    size_t n);


typedef struct {
    uint8_t              key[PARLEY_KEY_LEN];
    parley_limit_rate_t  rate;
} parley_quota_t;


/*
 * What a message asks for, all of it or nothing.  id, slot NULL: it has none.
 * Whatever is pointed to is the caller's, until it has settled.
 */
typedef struct {
    const uint8_t   *account;           /* whom it is counted to */
    const uint8_t   *id;
    const uint8_t   *print;             /* of what it says, PARLEY_PRINT_LEN */
    const uint8_t   *slot;              /* of the question that it answers for
                                           good */
    int64_t          slot_until;
    int64_t          ttl;               /* of the id once it is taken */
    int64_t          now;
    parley_quota_t   quotas[PARLEY_QUOTAS_MAX];
    size_t           nquotas;
    unsigned         stale:1;           /* too old, unless its id is known */
} parley_admission_t;


typedef enum {
    PARLEY_ADMIT_OK = 0,
    PARLEY_ADMIT_DUPLICATE,     /* it was taken */
    PARLEY_ADMIT_OTHER,         /* its id belongs to what says something else */
    PARLEY_ADMIT_IN_FLIGHT,     /* somebody has it reserved */
    PARLEY_ADMIT_STALE,         /* it is not known, and is too old */
    PARLEY_ADMIT_ANSWERED,      /* its question has this answer already */
    PARLEY_ADMIT_ANSWERING,     /* and this is another one's that is on its
                                   way */
    PARLEY_ADMIT_LIMITED,       /* by a quota */
    PARLEY_ADMIT_SHARE,         /* its account has its share */
    PARLEY_ADMIT_FULL
} parley_admit_t;


typedef struct {
    parley_admit_t  verdict;
    uint64_t        stamp;      /* OK: by which it is settled */
    int64_t         wait;       /* ms after which it may come again; 0: that is
                                   of no use */
    size_t          quota;      /* LIMITED: which one */
} parley_admitted_t;


/* records have an owner, by its tag; two owners' under one key are two */
typedef struct {
    uint8_t          key[PARLEY_KEY_LEN];
    parley_kind_t    kind;
    uint32_t         tag;
} parley_record_id_t;


/*
 * What becomes of an admitted message.  taken 0: id and slot are free, and
 * quotas are given back.  Where its lease ran out meanwhile taken is taken
 * all the same, even if somebody else reserved the id since.
 */
typedef struct {
    uint64_t                   stamp;
    int                        taken;
    int64_t                    now;
    const parley_record_id_t  *closes[PARLEY_CLOSES_MAX];   /* questions that
                                                               are closed now */
    const uint8_t             *fills;   /* a slot that its answer took; NULL */
    int64_t                    fills_until;
} parley_settlement_t;


typedef enum {
    PARLEY_RATE_OK = 0,
    PARLEY_RATE_LIMITED,        /* not counted */
    PARLEY_RATE_FULL            /* cannot be counted: refuse */
} parley_rate_result_t;


/* one message of a key that is to be counted (GW-05) */
typedef struct {
    uint8_t              key[PARLEY_KEY_LEN];
    const uint8_t       *account;       /* NULL: of who proved nothing, whose
                                           limits give way to others' where
                                           there are too many */
    parley_limit_rate_t  rate;
    int64_t              now;
    unsigned             look:1;        /* nothing is counted */
} parley_rating_t;


typedef struct {
    parley_rate_result_t  verdict;
    int64_t               wait;         /* LIMITED: ms after which the next one
                                           passes */
} parley_rated_t;


typedef struct {
    parley_record_id_t   id;
    parley_loose_t       queue;         /* NONE: promised */
    const uint8_t       *account;       /* NULL: nobody's */
    const parley_str_t  *parts;         /* of the value */
    size_t               nparts;
    int64_t              ttl;
    int64_t              now;
    uint32_t             replaces;      /* the generation that must be there
                                           still, in whose queue and account it
                                           stays; 0: whatever is there */
} parley_put_t;


typedef enum {
    PARLEY_PUT_OK = 0,
    PARLEY_PUT_STALE,           /* another generation is there, or none */
    PARLEY_PUT_SHARE,
    PARLEY_PUT_FULL
} parley_put_result_t;


typedef struct {
    uint32_t        tag;
    uint32_t        generation;
    parley_loose_t  queue;      /* NONE: promised */
    unsigned        closed:1;   /* a question that takes no answer any more:
                                   its value is gone */
    int64_t         left;       /* ms until it ends */
    parley_str_t    value;
} parley_record_t;


/* which records are asked for, and where their values are copied to */
typedef struct {
    parley_kind_t    kind;
    uint8_t          key[PARLEY_KEY_LEN];
    int64_t          now;
    parley_arena_t  *arena;
} parley_lookup_t;


/* the records of a key that have not ended, the newest first */
typedef struct {
    int              n;         /* -1: no memory */
    parley_record_t  list[PARLEY_RECORDS_MAX];
} parley_records_t;


typedef struct {
    parley_table_stat_t  table;
    uint64_t             limited;       /* times a limit refused */
    uint64_t             orphans;       /* reservations that were found to be
                                           of processes that are gone */
} parley_state_stat_t;


typedef enum {
    PARLEY_STATE_OK = 0,
    PARLEY_STATE_LOW,           /* less than 1 block in 16 is left */
    PARLEY_STATE_FULL           /* who has nothing yet finds no room */
} parley_state_level_t;


/* How much is left (AEE-22): what is free, and what would give way. */
parley_state_level_t parley_state_level(const parley_state_stat_t *stat);


typedef enum {
    PARLEY_STATE_DONE = 0,
    PARLEY_STATE_LATER
} parley_state_done_t;


typedef struct parley_call_s  parley_call_t;

/*
 * A verb that is under way.  done is called in the process that asked, once,
 * and never from within the verb or the cancellation.
 */
struct parley_call_s {
    void  (*done)(parley_call_t *call);
    void   *ctx;                /* the caller's */
    void   *pending;            /* the implementation's, after LATER */
};


/*
 * The verbs.  DONE: *ret is filled, the call was not touched.  LATER: *ret is
 * filled when call->done is called; both stay where they are until then, the
 * input and whatever it points to need not: it is copied.  Verbs that are under
 * way at once may take effect in any order.
 *
 * settle, close and drop may come without a call: nobody waits for them, and
 * ret may be NULL.  They take effect all the same, soon.
 *
 *  admit   all of it or nothing
 *  settle  a is what was admitted; *ret is 0, or -1 where a taken id could not
 *          be kept, which only a lease that ran out makes possible
 *  rate    counts a message, or looks whether it would be
 *  put     keeps a value under a key, in place of what its owner had there;
 *          where it is not kept, what was there stays
 *  get     copies what is there to the arena
 *  close   the record's value goes; that it was there is known until it ends
 *  drop    the record goes
 *  stat    counts; what has expired goes first
 *
 *  cancel  the caller goes: *ret, the call and the arena are not touched any
 *          more.  What has no effect yet need not get one; but for what was
 *          to be settled, closed or dropped.  What has one loses it: an
 *          admission is settled as not taken, a record is dropped that was put
 *          in nobody's place (replaces 0).
 */
struct parley_state_ops_s {
    parley_state_done_t  (*admit)(parley_state_t *s,
                             const parley_admission_t *a,
                             parley_admitted_t *ret, parley_call_t *call);
    parley_state_done_t  (*settle)(parley_state_t *s,
                             const parley_admission_t *a,
                             const parley_settlement_t *how, int *ret,
                             parley_call_t *call);
    parley_state_done_t  (*rate)(parley_state_t *s,
                             const parley_rating_t *rating,
                             parley_rated_t *ret, parley_call_t *call);
    parley_state_done_t  (*put)(parley_state_t *s, const parley_put_t *put,
                             parley_put_result_t *ret, parley_call_t *call);
    parley_state_done_t  (*get)(parley_state_t *s,
                             const parley_lookup_t *lookup,
                             parley_records_t *ret, parley_call_t *call);
    parley_state_done_t  (*close)(parley_state_t *s,
                             const parley_record_id_t *id,
                             parley_call_t *call);
    parley_state_done_t  (*drop)(parley_state_t *s,
                             const parley_record_id_t *id,
                             parley_call_t *call);
    parley_state_done_t  (*stat)(parley_state_t *s, int64_t now,
                             parley_state_stat_t *ret, parley_call_t *call);
    void                 (*cancel)(parley_state_t *s, parley_call_t *call);

    unsigned               at_once:1;   /* no verb is ever LATER */
};


#endif /* PARLEY_STATE_H */
