/*
 * The state that the processes of a gateway share, by its verbs.  Deciding code
 * uses only these verbs.  Each verb is one atomic step; two verbs together are
 * not atomic.  An implementation over a network may complete them later.
 *
 *   admit, settle    a message: its id, the question that it answers, quotas
 *   rate             a single limit
 *   put, get, list,  records for later messages: questions, retained messages,
 *   drop             first answers, keys of children, suspensions
 *
 * A room below state/ implements it for the memory of one or several processes.
 * Deciding code calls the verbs through parley_ask.h.
 *
 * Keys are 128-bit SipHash under a secret of the state, over their kind,
 * purpose and owner, so that ids of different owners never collide (SEC-11).
 * All processes of a state have its secret, and derive equal keys, tags and
 * prints.
 *
 * The first octet of the value of a record is its format, and its numbers are
 * those of parley_octets.h.  A version reads the formats PARLEY_STATE_OLDEST to
 * PARLEY_STATE_FORMAT, and writes parley_state_s.format: the lowest one among
 * the nodes of a store.  The records of chat and the logs of a zone are of one
 * version.
 *
 * Times are milliseconds from the moment when a verb takes effect, on a clock
 * of the implementation that does not jump.  Callers need no shared clock.
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
#define PARLEY_QUOTAS_MAX     4     /* quotas of one admission */
#define PARLEY_LIMITS_MAX     (2 * (PARLEY_RATE_ROLES_MAX + 3))  /* limits of
                                       one admission: those of two principals */
#define PARLEY_CLOSES_MAX     2     /* questions that one message closes */
#define PARLEY_DROPS_MAX      7     /* records dropped if a message is not
                                       taken */
#define PARLEY_RECORDS_MAX    64    /* records of one key that are examined */
#define PARLEY_RECORDS_OWNED  8     /* records of one owner under a key */
#define PARLEY_LIFTS_MAX      2     /* suspensions that one message ends */
#define PARLEY_STATE_ENDS     4     /* ways in which a job ends */
#define PARLEY_STATE_HOLDS    8     /* tags of suspensions are below this
                                       number */

/* formats of values; tests build a version with the next one */
#define PARLEY_STATE_OLDEST  '1'
#ifndef PARLEY_STATE_FORMAT
#define PARLEY_STATE_FORMAT         '1'
#endif

/* lease of a reservation whose process is not registered */
#define PARLEY_LEASE          (3600 * (int64_t) 1000)


/* kinds of keys; 0 is an account */
typedef enum {
    PARLEY_KIND_ACCOUNT = 0,
    PARLEY_KIND_ID,             /* the window: id of a sender's message */
    PARLEY_KIND_SLOT,           /* slot of a question, for its final answer */
    PARLEY_KIND_QUESTION,       /* question that can be answered or referred
                                   to */
    PARLEY_KIND_CALL,           /* call that its sender may cancel */
    PARLEY_KIND_MESSAGE,        /* retained message */
    PARLEY_KIND_ANSWER,         /* first answer */
    PARLEY_KIND_RATE,
    PARLEY_KIND_CHILD_KEY,      /* key of a child, added by its parent
                                   (VCP-31) */
    PARLEY_KIND_LOG,
    PARLEY_KIND_PLACE,          /* place in a log: number of its record */
    PARLEY_KIND_RECORD,
    PARLEY_KIND_GROUP,          /* subscribers of a log with one selector */
    PARLEY_KIND_SESSION,        /* subscribed session */
    PARLEY_KIND_SUSPENSION,     /* suspension of an account, under its key
                                   (VCP-26) */
    PARLEY_KIND_LANE,           /* jobs that run one after another */
    PARLEY_KIND_JOB,
    PARLEY_KIND_LOAD,           /* text of a job */
    PARLEY_KIND_TOKEN,          /* token that a worker verified (SEC-23) */
    PARLEY_KIND_EVENT,          /* accepted chat event, under its id */
    PARLEY_KIND_DELIVERY,       /* one reader's part in a chat event */
    PARLEY_KIND_THREAD,         /* facts of a thread of chat */
    PARLEY_KIND_MAILBOX,        /* facts of a reader's mailbox */
    PARLEY_KIND_COUNT
} parley_kind_t;


/* Queues of entries that are evicted for guaranteed ones, oldest first. */
typedef enum {
    PARLEY_EVICTABLE_OPTIONAL = 0,      /* messages that answers may refer to,
                                           but need not */
    PARLEY_EVICTABLE_MESSAGE,           /* retained messages */
    PARLEY_EVICTABLE_ANSWER,            /* first answers */
    PARLEY_EVICTABLE_OWNED,             /* number of queues that are counted to
                                           accounts */
    PARLEY_EVICTABLE_RATE = PARLEY_EVICTABLE_OWNED,
                                        /* limits of addresses without a proven
                                           sender */
    PARLEY_EVICTABLE_TOKEN,             /* verified tokens */
    PARLEY_EVICTABLE_COUNT,
    PARLEY_EVICTABLE_NONE = PARLEY_EVICTABLE_COUNT
                                        /* not in a queue: guaranteed */
} parley_evictable_t;


typedef struct parley_state_s      parley_state_t;
typedef struct parley_state_ops_s  parley_state_ops_t;


/* the state as one process sees it; first member of an implementation's
   struct */
struct parley_state_s {
    const parley_state_ops_t  *ops;
    uint8_t                    secret[PARLEY_KEY_SECRET];
    parley_json_print_seed_t   prints;      /* seed of prints, derived from the
                                               secret */
    const uint32_t            *near;        /* a word by the first octets of a
                                               key, which a search for the key
                                               reads first; NULL: none */
    uint32_t                   near_mask;
    uint8_t                    format;      /* of values that are written */
};


/* Initialises the members common to all implementations. */
void parley_state_init(parley_state_t *s, const parley_state_ops_t *ops,
    const uint8_t secret[PARLEY_KEY_SECRET]);

/* Returns whether this version reads the format of a value. */
int parley_state_reads_format(parley_str_t value);

/* Parses a share, 1% to 100%: "25%" is 250.  Returns 0, or -1. */
int parley_share_parse(parley_str_t word, unsigned *ret)
    __attribute__((warn_unused_result));

#define PARLEY_SHARE_DEFAULT  250
#define PARLEY_SHARE_ALL      1000  /* shares are in thousandths */


/*
 * Computes the key of a kind over n parts, at most PARLEY_KEY_PARTS_MAX.
 * Begins to load the word that a search for the key reads: most keys are new,
 * and their words are in no cache.
 */
void parley_state_key(const parley_state_t *s, parley_kind_t kind,
    const parley_str_t *parts, size_t n, uint8_t out[PARLEY_KEY_LEN]);

/*
 * Computes the tag that distinguishes records under one key: its upper half is
 * derived from the owner, its lower half from the parts.
 */
uint32_t parley_state_tag(const parley_state_t *s, const parley_str_t *owner,
    size_t nowner, const parley_str_t *parts, size_t nparts);

/*
 * As parley_state_tag(), for a text without an owner: both halves are derived
 * from the text.
 */
uint32_t parley_state_text_tag(const parley_state_t *s, parley_str_t text);

#define PARLEY_TAG_WHOLE  0xffffffff
#define PARLEY_TAG_OWNER  0xffff0000
#define PARLEY_TAG_WHICH  0x0000ffff


typedef struct {
    uint8_t              key[PARLEY_KEY_LEN];
    parley_limit_rate_t  rate;
} parley_quota_t;


/*
 * The request to admit a message, all of it or nothing.  id and slot may be
 * NULL.  The pointers must be valid until the settlement.
 */
typedef struct {
    const uint8_t   *account;           /* account that the message is counted
                                           to */
    const uint8_t   *id;
    const uint8_t   *print;             /* print of the content,
                                           PARLEY_PRINT_LEN octets */
    const uint8_t   *slot;              /* slot of the question that the message
                                           finally answers */
    int64_t          slot_ttl;          /* ttl of the slot after it is taken */
    int64_t          ttl;               /* ttl of the id after it is taken */
    parley_quota_t   quotas[PARLEY_QUOTAS_MAX];
    size_t           nquotas;
    const parley_quota_t  *limits;      /* limits that are EXACT and that rate
                                           has counted: they are over if the
                                           count of all nodes is, and are not
                                           given back */
    size_t           nlimits;           /* at most PARLEY_LIMITS_MAX */
    parley_rate_shared_t   shared;      /* of the quotas */
    unsigned         stale:1;           /* too old, unless the id is known */
    unsigned         everywhere:1;      /* AWAY rather than a decision that
                                           holds at this node alone */
    unsigned         suspends:1;        /* refuse if the account has a record of
                                           the kind SUSPENSION */
    unsigned         counts:1;          /* an append that asks may follow, with
                                           the stamp of this admission */
} parley_admission_t;


typedef enum {
    PARLEY_ADMIT_OK = 0,
    PARLEY_ADMIT_SUSPENDED,     /* the account is suspended */
    PARLEY_ADMIT_DUPLICATE,     /* the id was taken, with equal content */
    PARLEY_ADMIT_OTHER,         /* the id belongs to a message with other
                                   content */
    PARLEY_ADMIT_IN_FLIGHT,     /* the id is reserved: its message is being
                                   processed */
    PARLEY_ADMIT_STALE,         /* too old, and the id is unknown */
    PARLEY_ADMIT_ANSWERED,      /* the question already has a final answer */
    PARLEY_ADMIT_ANSWERING,     /* another final answer to the question is being
                                   processed */
    PARLEY_ADMIT_LIMITED,       /* a quota or a limit is exhausted */
    PARLEY_ADMIT_SHARE,         /* the account has used its share */
    PARLEY_ADMIT_FULL,
    PARLEY_ADMIT_AWAY           /* a state over a network does not answer */
} parley_admit_t;


typedef struct {
    parley_admit_t  verdict;
    uint64_t        stamp;      /* OK: stamp for the settlement */
    int64_t         wait;       /* ms after which a retry can succeed; 0: it
                                   cannot */
    size_t          quota;      /* LIMITED: index of the quota; nquotas: a
                                   limit */
} parley_admitted_t;


/*
 * Identity of a record.  Records under one key have owners and are
 * distinguished by their tags.  One owner has at most PARLEY_RECORDS_OWNED
 * records under a key, so that an owner can neither hide another owner's
 * records nor make the list of a key long.  A further record replaces the
 * owner's oldest one that is not guaranteed; if all are guaranteed, it is
 * refused.
 */
typedef struct {
    uint8_t          key[PARLEY_KEY_LEN];
    parley_kind_t    kind;
    uint32_t         tag;
} parley_record_id_t;


/* a record of one generation */
typedef struct {
    parley_record_id_t  id;
    uint32_t            generation;
} parley_lift_t;


/*
 * The outcome of an admitted message.  If taken is 0, id and slot are free
 * again and the quotas are given back.  If the lease ended before, a settlement
 * as taken is still valid, even if another message has reserved the id since.
 */
typedef struct {
    uint64_t                   stamp;       /* 0: nothing was admitted */
    int                        taken;

    /* taken: questions to close, up to the first NULL; none may be closed
       already */
    const parley_record_id_t  *closes[PARLEY_CLOSES_MAX];

    /* taken: suspensions to end */
    const parley_lift_t       *lifts;       /* at most PARLEY_LIFTS_MAX */
    size_t                     nlifts;

    /* not taken: records to drop, up to the first NULL, if they were put under
       this admission */
    const parley_record_id_t  *drops[PARLEY_DROPS_MAX];
} parley_settlement_t;


#define PARLEY_SETTLED_LATE  1


typedef enum {
    PARLEY_RATE_OK = 0,
    PARLEY_RATE_LIMITED,        /* not counted */
    PARLEY_RATE_FULL            /* no room to count: refuse */
} parley_rate_result_t;


/* one message to count for a key (GW-05) */
typedef struct {
    uint8_t              key[PARLEY_KEY_LEN];
    const uint8_t       *account;       /* account; NULL: the sender is not
                                           proven, and the limit may be evicted
                                           for others if there are too many */
    parley_limit_rate_t  rate;
    parley_rate_shared_t  shared;       /* EXACT: the admission of the message
                                           has the limit, and other nodes count
                                           it there */
    unsigned             look:1;        /* check only, do not count */
    unsigned             others:1;      /* a message that this node has counted:
                                           count it at other nodes, with no
                                           check */
} parley_rating_t;


typedef struct {
    parley_rate_result_t  verdict;
    int64_t               wait;         /* LIMITED: ms until the next message
                                           passes */
} parley_rated_t;


/*
 * A put under an admission takes effect only while the admission is reserved or
 * taken, whenever the verb runs.  After the admission is given back, nothing of
 * the put remains, and a later admission of the same id is not affected.
 */
typedef struct {
    parley_record_id_t   id;
    parley_evictable_t   queue;         /* NONE: guaranteed */
    const uint8_t       *account;       /* account; NULL: none */
    const parley_str_t  *parts;         /* value, in parts */
    size_t               nparts;
    int64_t              ttl;
    uint32_t             replaces;      /* generation to replace; queue and
                                           account stay those of the old record;
                                           0: replace any */
    unsigned             fresh:1;       /* replaces is 0, and a record that
                                           exists stays: PARLEY_PUT_STALE */
    const uint8_t       *under;         /* id of the admission that the record
                                           is put under; NULL: no admission, or
                                           one without an id */
    uint64_t             stamp;         /* stamp of that admission; 0: none */
} parley_put_t;


typedef enum {
    PARLEY_PUT_OK = 0,
    PARLEY_PUT_STALE,           /* the generation to replace is not there, the
                                   admission has ended, or fresh was set and the
                                   record exists */
    PARLEY_PUT_SHARE,           /* the account has used its share, or the owner
                                   its records under the key */
    PARLEY_PUT_FULL,
    PARLEY_PUT_AWAY             /* other nodes must know the record, and their
                                   store is away */
} parley_put_result_t;


/* Returns the generation of a record put under an admission, until it is
   replaced; 0 without an admission. */
static inline uint32_t
parley_state_generation(uint64_t stamp)
{
    return (uint32_t) stamp;
}


typedef struct {
    uint32_t            tag;
    uint32_t            generation;
    parley_evictable_t  queue;  /* NONE: guaranteed */
    unsigned            closed:1; /* a question that takes no more answers; it
                                   has no value */
    int64_t             left;   /* ms until it ends */
    parley_str_t        value;
} parley_record_t;


/* records to get, and the arena for their values */
typedef struct {
    parley_kind_t    kind;
    uint8_t          key[PARLEY_KEY_LEN];
    uint32_t         tag;
    uint32_t         mask;      /* bits of tag that must match; 0: any tag */
    parley_arena_t  *arena;
} parley_lookup_t;


/* the current records of a key, newest first */
typedef struct {
    int              n;         /* number of records; -1: memory exhausted;
                                   PARLEY_RECORDS_AWAY */
    parley_record_t  list[PARLEY_RECORDS_MAX];
} parley_records_t;

#define PARLEY_RECORDS_AWAY  -2         /* the store of the nodes is away */


/*
 * A part of all records of a kind; the first part begins at 0.  A brief part
 * takes little time, and may be empty before the last part.
 */
typedef struct {
    parley_kind_t    kind;
    size_t           at;
    parley_arena_t  *arena;
    unsigned         brief:1;
} parley_listing_t;


/* Records put or dropped between two parts may be missing or present. */
typedef struct {
    size_t            at;       /* beginning of the next part; 0: this was the
                                   last */
    parley_records_t  records;  /* n is -1 if memory is exhausted */
    uint8_t           keys[PARLEY_RECORDS_MAX][PARLEY_KEY_LEN];
} parley_listed_t;


typedef enum {
    PARLEY_STATE_OK = 0,
    PARLEY_STATE_LOW,           /* little room is left */
    PARLEY_STATE_FULL           /* an account without entries finds no room */
} parley_state_level_t;


typedef struct {
    parley_state_level_t  level;        /* by the free and evictable room
                                           (AEE-22) */
    size_t                entries[PARLEY_KIND_COUNT];
    uint64_t              limited;      /* refusals by limits */
    uint64_t              orphans;      /* reservations found to be of ended
                                           processes */
    uint64_t              repairs;      /* processes that ended during a verb */
    uint64_t              taken;        /* jobs that processes have taken */
    uint64_t              counted;      /* jobs with the flag counted */
    uint64_t              ended[PARLEY_STATE_ENDS];     /* ended jobs, by
                                                           parley_job_how_t */
    uint64_t              held[PARLEY_STATE_HOLDS];     /* suspensions, by
                                                           tag */
} parley_state_stat_t;


/* room in the memory of a state, used and free */
typedef struct {
    size_t    block;            /* octets of a block */
    size_t    blocks;           /* all blocks */
    size_t    free;
    size_t    loose;            /* used by entries that may be evicted */
    size_t    entries[PARLEY_KIND_COUNT];
    size_t    queued[PARLEY_EVICTABLE_COUNT];   /* entries in queues */
    size_t    queued_blocks[PARLEY_EVICTABLE_COUNT];
    uint64_t  evicted[PARLEY_EVICTABLE_COUNT];
    size_t    largest;          /* guaranteed blocks of the largest account;
                                   may be up to 1/8 too low */
    uint64_t  full;             /* times that there was no room */
    uint64_t  shared;           /* times that a share was exhausted */
} parley_state_room_t;


typedef enum {
    PARLEY_STATE_DONE = 0,
    PARLEY_STATE_LATER
} parley_state_done_t;


typedef struct parley_call_s  parley_call_t;

/*
 * A verb under way.  done is called once, in the process of the caller, and
 * never from within the verb or cancel.
 */
struct parley_call_s {
    void  (*done)(parley_call_t *call);
    void   *ctx;                /* the caller's */
    void   *pending;            /* the implementation's, after LATER */
};


/*
 * The verbs.  DONE: *ret is filled and the call was not used.  LATER: *ret is
 * filled when call->done is called; both must stay valid until then.  The input
 * is copied.  Verbs that are under way together may take effect in any order.
 *
 * call may be NULL for settle, rate and drop, and ret too.  They take effect
 * soon, without an answer.
 *
 *   admit    all of it or nothing
 *   settle   a is the admitted request. *ret is 0; PARLEY_SETTLED_LATE if a
 *            question was closed before: another answer came first (SEC-08);
 *            or -1 if a taken id could not be stored, which is possible only
 *            after its lease ended. The value of a closed question is
 *            removed; its entry remains until it ends. An admission taken by
 *            an append (parley_append_t.takes) stays taken: a settlement as
 *            not taken changes nothing
 *   rate     counts a message, or checks whether it would pass
 *   put      stores a value under a key, in place of the record with its
 *            tag; if that fails, the old record stays
 *   get      copies records to the arena
 *   list     gets all records of a kind, in parts
 *   drop     removes a record of a generation; 0: of any generation
 *   stat     counts, after removing expired entries
 *
 *   cancel   the caller ends: *ret, the call and the arena are not used
 *            again. A settle, rate or drop takes effect; other verbs that
 *            have not taken effect may be omitted. An admission that takes
 *            effect is settled as not taken. A record that was put without
 *            an admission and replaced no record is dropped.
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

    /* at once: raises the debt of a limit to at least ahead us, as other nodes
       counted; adds it if it is not there */
    void                 (*raise)(parley_state_t *s,
                             const parley_rating_t *rating, int64_t ahead);

    /* at once: takes back a message that rate counted */
    void                 (*give_back)(parley_state_t *s,
                             const parley_rating_t *rating);

    /* at once: counts a refusal by a limit of other nodes in
       parley_state_stat_t.limited */
    void                 (*limited)(parley_state_t *s);

    const struct parley_log_ops_s  *log;    /* parley_log.h */
    const struct parley_job_ops_s  *job;    /* parley_job.h */
    const struct parley_import_ops_s  *import;      /* parley_import.h; NULL:
                                               not for a store */

    unsigned               at_once:1;   /* no verb returns LATER */
};


#endif /* PARLEY_STATE_H */
