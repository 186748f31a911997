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
 * This implementation is memory that processes share, or one has to itself: a
 * table (parley_table.h) under a lock.
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


typedef struct parley_shared_s  parley_shared_t;


/* as one process sees it */
typedef struct {
    parley_shared_t     *sh;
    parley_state_env_t   env;
    unsigned             share;         /* of one principal, in thousandths */
    uint32_t             process;       /* 0: it did not enter */
} parley_state_t;


/*
 * Makes a state that takes size octets at p, which is aligned to a block, and
 * keys its keys with a secret that nobody knows.  env is filled by the caller
 * before.  Returns 0, or -1: too small.
 */
int parley_state_create(parley_state_t *s, void *p, size_t size,
    const uint8_t secret[PARLEY_KEY_SECRET])
    __attribute__((warn_unused_result));

/* The state that another process, or this one before, made at p. */
void parley_state_adopt(parley_state_t *s, void *p);

/*
 * Bounds what may give way: one part in so many of the state, and at most so
 * many entries (0: any number), see parley_table_bound_locked().
 */
void parley_state_bound(parley_state_t *s, parley_loose_t queue,
    size_t part, size_t entries);

/* The same in octets. */
void parley_state_bound_size(parley_state_t *s, parley_loose_t queue,
    size_t octets);

/*
 * The process takes part: what it reserves is free once it is gone, which is
 * seen when somebody asks for it, and when another enters (GW-25).  leave: it
 * will settle no more.
 */
void parley_state_enter(parley_state_t *s, const parley_process_t *self);
void parley_state_leave(parley_state_t *s);


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


void parley_state_admit(parley_state_t *s, const parley_admission_t *a,
    parley_admitted_t *ret);


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


/*
 * a is what was admitted.  Returns 0, or -1 where a taken id could not be kept,
 * which only a lease that ran out makes possible.
 */
int parley_state_settle(parley_state_t *s, const parley_admission_t *a,
    const parley_settlement_t *how);


typedef enum {
    PARLEY_RATE_OK = 0,
    PARLEY_RATE_LIMITED,        /* not counted */
    PARLEY_RATE_FULL            /* cannot be counted: refuse */
} parley_rate_result_t;


/*
 * Counts one message of key (GW-05).  account NULL: of who proved nothing,
 * whose limits give way to others' where there are too many.  LIMITED:
 * *ret_wait are the milliseconds after which the next one passes, else 0.
 */
parley_rate_result_t parley_state_rate(parley_state_t *s,
    const uint8_t *account, const uint8_t key[PARLEY_KEY_LEN],
    const parley_limit_rate_t *rate, int64_t now, int64_t *ret_wait)
    __attribute__((warn_unused_result));

/* What that would have to wait, and counts nothing. */
int64_t parley_state_rate_wait(parley_state_t *s,
    const uint8_t key[PARLEY_KEY_LEN], const parley_limit_rate_t *rate,
    int64_t now)
    __attribute__((warn_unused_result));


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


/*
 * Keeps a value under a key, in place of what its owner had there.  Where it
 * is not kept, what was there stays.
 */
parley_put_result_t parley_state_put(parley_state_t *s,
    const parley_put_t *put)
    __attribute__((warn_unused_result));


typedef struct {
    uint32_t        tag;
    uint32_t        generation;
    parley_loose_t  queue;      /* NONE: promised */
    unsigned        closed:1;   /* a question that takes no answer any more:
                                   its value is gone */
    int64_t         left;       /* ms until it ends */
    parley_str_t    value;
} parley_record_t;


/*
 * The records under a key that have not ended, copied to the arena, the newest
 * first: at most PARLEY_RECORDS_MAX.  Returns how many, or -1: no memory.
 */
int parley_state_get(parley_state_t *s, parley_kind_t kind,
    const uint8_t key[PARLEY_KEY_LEN], int64_t now, parley_arena_t *arena,
    parley_record_t *ret)
    __attribute__((warn_unused_result));

/* The record's value goes; that it was there is known until it ends. */
void parley_state_close(parley_state_t *s, const parley_record_id_t *id);

void parley_state_drop(parley_state_t *s, const parley_record_id_t *id);


typedef struct {
    parley_table_stat_t  table;
    uint64_t             limited;       /* times a limit refused */
    uint64_t             orphans;       /* reservations that were found to be
                                           of processes that are gone */
} parley_state_stat_t;


/* Counts; what has expired goes first. */
void parley_state_stat(parley_state_t *s, int64_t now,
    parley_state_stat_t *ret);


typedef enum {
    PARLEY_STATE_OK = 0,
    PARLEY_STATE_LOW,           /* less than 1 block in 16 is left */
    PARLEY_STATE_FULL           /* who has nothing yet finds no room */
} parley_state_level_t;


/* How much is left (AEE-22): what is free, and what would give way. */
parley_state_level_t parley_state_level(const parley_state_stat_t *stat);


#endif /* PARLEY_STATE_H */
