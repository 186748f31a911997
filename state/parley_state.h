/*
 * The state that a gateway's processes share, by its verbs.  All deciding code
 * reaches it by these and by nothing else; each is one atomic step, no two
 * together are, and an implementation over a network may complete them later.
 *
 *  admit, settle        a message: its id, the question that it answers, quotas
 *  rate                 a limit by itself
 *  put, get, list,      what is to be known later: what a reply will answer,
 *  drop                 retained messages, first answers, keys of children,
 *                       who is suspended
 *
 * parley_memory.h is one over memory that processes share, or one has to
 * itself.  What deciding code asks it asks by parley_ask.h.
 *
 * Keys are 128-bit SipHash under a secret of the state, over what they are for
 * and then whose, so that nobody's id meets another's (SEC-11).  Whoever shares
 * a state has its secret, and derives the same keys, tags and prints from it;
 * what it keeps is of one version of Parley and one order of octets.
 *
 * Times are milliseconds from when a verb takes effect on, of a clock that is
 * the implementation's and does not jump: whoever asks needs none that others
 * share.
 */

#ifndef PARLEY_STATE_H
#define PARLEY_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "core/parley_arena.h"
#include "core/parley_json_print.h"
#include "core/parley_key.h"
#include "core/parley_rate.h"
#include "core/parley_str.h"


#define PARLEY_PRINT_LEN      8

#define PARLEY_KEY_PARTS_MAX  8
#define PARLEY_QUOTAS_MAX     4     /* of one admission */
#define PARLEY_CLOSES_MAX     2     /* questions that one message closes */
#define PARLEY_DROPS_MAX      7     /* records that go with a message */
#define PARLEY_RECORDS_MAX    64    /* of one key that are looked at */
#define PARLEY_RECORDS_OWNED  8     /* of one owner */
#define PARLEY_LIFTS_MAX      2     /* suspensions that one message ends */
#define PARLEY_STATE_ENDS     4     /* in which a job may be over */
#define PARLEY_STATE_HOLDS    8     /* tags that suspensions have are below */

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
    PARLEY_KIND_RATE,
    PARLEY_KIND_CHILD_KEY,      /* added by its parent (VCP-31) */
    PARLEY_KIND_LOG,
    PARLEY_KIND_PLACE,          /* of a log: which record is there */
    PARLEY_KIND_RECORD,
    PARLEY_KIND_GROUP,          /* subscribed to a log, by one selector */
    PARLEY_KIND_SESSION,        /* one that is */
    PARLEY_KIND_SUSPENSION,     /* of an account, under its key (VCP-26) */
    PARLEY_KIND_LANE,           /* jobs that wait for each other */
    PARLEY_KIND_JOB,
    PARLEY_KIND_LOAD,           /* what a job is about */
    PARLEY_KIND_COUNT
} parley_kind_t;


/* what gives way to what is promised, the oldest of its queue first */
typedef enum {
    PARLEY_LOOSE_OPTIONAL = 0,  /* what may be referred to and need not be */
    PARLEY_LOOSE_MESSAGE,       /* retained messages */
    PARLEY_LOOSE_ANSWER,        /* first answers */
    PARLEY_LOOSE_OWNED,         /* as many as are counted to accounts */
    PARLEY_LOOSE_RATE = PARLEY_LOOSE_OWNED,     /* of who proved nothing */
    PARLEY_LOOSE_COUNT,
    PARLEY_LOOSE_NONE = PARLEY_LOOSE_COUNT      /* it is promised */
} parley_loose_t;


typedef struct parley_state_s      parley_state_t;
typedef struct parley_state_ops_s  parley_state_ops_t;


/* as one process sees it; an implementation's begins with it */
struct parley_state_s {
    const parley_state_ops_t  *ops;
    uint8_t                    secret[PARLEY_KEY_SECRET];
    parley_json_print_seed_t   prints;      /* of the secret */
};


/* What every implementation begins with. */
void parley_state_init(parley_state_t *s, const parley_state_ops_t *ops,
    const uint8_t secret[PARLEY_KEY_SECRET]);

/* "25%" -> 250: 1 to 100 percent.  Returns 0, or -1. */
int parley_share_parse(parley_str_t word, unsigned *ret)
    __attribute__((warn_unused_result));

#define PARLEY_SHARE_DEFAULT  250
#define PARLEY_SHARE_ALL      1000  /* shares are in thousandths */


/* A key: of its kind over n parts, at most PARLEY_KEY_PARTS_MAX. */
void parley_state_key(const parley_state_t *s, parley_kind_t kind,
    const parley_str_t *parts, size_t n, uint8_t out[PARLEY_KEY_LEN]);

/*
 * Tells records under one key apart: its upper half is of the owner, its lower
 * half of what tells the owner's own apart.
 */
uint32_t parley_state_tag(const parley_state_t *s, const parley_str_t *owner,
    size_t nowner, const parley_str_t *parts, size_t nparts);

/* The same of one text that has no owner: all of it tells apart. */
uint32_t parley_state_text_tag(const parley_state_t *s, parley_str_t text);

#define PARLEY_TAG_WHOLE  0xffffffff
#define PARLEY_TAG_OWNER  0xffff0000
#define PARLEY_TAG_WHICH  0x0000ffff


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
    int64_t          slot_ttl;          /* of the slot once it is taken */
    int64_t          ttl;               /* of the id once it is taken */
    parley_quota_t   quotas[PARLEY_QUOTAS_MAX];
    size_t           nquotas;
    unsigned         stale:1;           /* too old, unless its id is known */
    unsigned         suspends:1;        /* none where the account has a record
                                           of the kind SUSPENSION */
} parley_admission_t;


typedef enum {
    PARLEY_ADMIT_OK = 0,
    PARLEY_ADMIT_SUSPENDED,     /* its account is */
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


/*
 * Records have an owner, and are told apart by their tag: two owners' under one
 * key are two.  One owner has at most PARLEY_RECORDS_OWNED there: so nobody's
 * hide another's, or make a key long.  One more takes the place of the oldest
 * that is not promised; where all are, it is refused.
 */
typedef struct {
    uint8_t          key[PARLEY_KEY_LEN];
    parley_kind_t    kind;
    uint32_t         tag;
} parley_record_id_t;


/* a record, as long as it is of that generation */
typedef struct {
    parley_record_id_t  id;
    uint32_t            generation;
} parley_lift_t;


/*
 * What becomes of an admitted message.  taken 0: id and slot are free, and
 * quotas are given back.  Where its lease ran out meanwhile taken is taken
 * all the same, even if somebody else reserved the id since.
 */
typedef struct {
    uint64_t                   stamp;       /* 0: it had nothing to admit */
    int                        taken;

    /* taken: questions that are closed now, of which none may be closed
       before; up to the first that is NULL */
    const parley_record_id_t  *closes[PARLEY_CLOSES_MAX];

    /* taken: what goes with it */
    const parley_lift_t       *lifts;       /* at most PARLEY_LIFTS_MAX */
    size_t                     nlifts;

    /* not taken: records that go as far as it was they that were put under
       this admission; the same */
    const parley_record_id_t  *drops[PARLEY_DROPS_MAX];
} parley_settlement_t;


#define PARLEY_SETTLED_LATE  1


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
    unsigned             look:1;        /* nothing is counted */
} parley_rating_t;


typedef struct {
    parley_rate_result_t  verdict;
    int64_t               wait;         /* LIMITED: ms after which the next one
                                           passes */
} parley_rated_t;


/*
 * What is put under an admission is so no sooner and no later than that is
 * there, whenever the verb takes effect: what was given back leaves nothing
 * behind, and does not reach what came after it.
 */
typedef struct {
    parley_record_id_t   id;
    parley_loose_t       queue;         /* NONE: promised */
    const uint8_t       *account;       /* NULL: nobody's */
    const parley_str_t  *parts;         /* of the value */
    size_t               nparts;
    int64_t              ttl;
    uint32_t             replaces;      /* the generation that must be there
                                           still, in whose queue and account it
                                           stays; 0: whatever is there */
    const uint8_t       *under;         /* the id of the admission that it is
                                           put under; NULL: of none, or of one
                                           without an id */
    uint64_t             stamp;         /* of that admission; 0: none */
} parley_put_t;


typedef enum {
    PARLEY_PUT_OK = 0,
    PARLEY_PUT_STALE,           /* another generation is there, or none; or what
                                   it was to be put under is not */
    PARLEY_PUT_SHARE,           /* its account, or its owner under the key, has
                                   as much as it may */
    PARLEY_PUT_FULL
} parley_put_result_t;


/* The generation of what is put under an admission, as long as nothing takes
   its place; 0: of what is under none. */
static inline uint32_t
parley_state_generation(uint64_t stamp)
{
    return (uint32_t) stamp;
}


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
    uint32_t         tag;
    uint32_t         mask;      /* of tag: what it must be; 0: any */
    parley_arena_t  *arena;
} parley_lookup_t;


/* the records of a key that have not ended, the newest first */
typedef struct {
    int              n;         /* -1: no memory */
    parley_record_t  list[PARLEY_RECORDS_MAX];
} parley_records_t;


/*
 * All records of a kind, part by part: the first one is asked for at 0.  A part
 * that is brief takes little time, and may be empty without being the last.
 */
typedef struct {
    parley_kind_t    kind;
    size_t           at;
    parley_arena_t  *arena;
    unsigned         brief:1;
} parley_listing_t;


/* What is kept or dropped meanwhile may be there or not. */
typedef struct {
    size_t            at;       /* of the next part; 0: that was the last */
    parley_records_t  records;  /* n is -1: no memory */
} parley_listed_t;


typedef enum {
    PARLEY_STATE_OK = 0,
    PARLEY_STATE_LOW,           /* little is left */
    PARLEY_STATE_FULL           /* who has nothing yet finds no room */
} parley_state_level_t;


typedef struct {
    parley_state_level_t  level;        /* of what is free, and of what would
                                           give way (AEE-22) */
    size_t                entries[PARLEY_KIND_COUNT];
    uint64_t              limited;      /* times a limit refused */
    uint64_t              orphans;      /* reservations that were found to be
                                           of processes that are gone */
    uint64_t              repairs;      /* times that a process was gone in
                                           the midst of a verb */
    uint64_t              taken;        /* jobs that somebody has */
    uint64_t              ended[PARLEY_STATE_ENDS];     /* jobs that are over,
                                                           by
                                                           parley_job_how_t */
    uint64_t              held[PARLEY_STATE_HOLDS];     /* suspensions, by
                                                           tag */
} parley_state_stat_t;


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
 * settle, rate and drop may come without a call: nobody waits for them, and
 * ret may be NULL.  They take effect all the same, soon.
 *
 *  admit   all of it or nothing
 *  settle  a is what was admitted; *ret is 0; PARLEY_SETTLED_LATE where a
 *          question was closed before: another answer came first (SEC-08); or
 *          -1 where a taken id could not be kept, which only a lease that ran
 *          out makes possible.  The value of a question that it closes goes;
 *          that it was there is known until it ends.  An admission that an
 *          append took (parley_append_t.takes) stays taken: a settlement as
 *          not taken changes nothing
 *  rate    counts a message, or looks whether it would be
 *  put     keeps a value under a key, in place of what its owner had there;
 *          where it is not kept, what was there stays
 *  get     copies what is there to the arena
 *  list    the same of all of a kind, some at a time
 *  drop    the record goes that is of a generation; 0: whichever is there
 *  stat    counts; what has expired goes first
 *
 *  cancel  the caller goes: *ret, the call and the arena are not touched any
 *          more.  What was to be settled, counted or dropped is; of the rest
 *          what has no effect yet need not get one.  An admission that has,
 *          or gets, one is settled as not taken; a record that is put under
 *          no admission, and in nobody's place, is dropped.
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
    parley_state_done_t  (*list)(parley_state_t *s,
                             const parley_listing_t *listing,
                             parley_listed_t *ret, parley_call_t *call);
    parley_state_done_t  (*drop)(parley_state_t *s,
                             const parley_record_id_t *id,
                             uint32_t generation, parley_call_t *call);
    parley_state_done_t  (*stat)(parley_state_t *s, parley_state_stat_t *ret,
                             parley_call_t *call);
    void                 (*cancel)(parley_state_t *s, parley_call_t *call);

    const struct parley_log_ops_s  *log;    /* parley_log.h */
    const struct parley_job_ops_s  *job;    /* parley_job.h */

    unsigned               at_once:1;   /* no verb is ever LATER */
};


#endif /* PARLEY_STATE_H */
