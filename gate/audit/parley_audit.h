/*
 * The audit log (OPS-06): a line of JSON for the verdict on a message, and
 * another for what came of it.  The lines that a process writes are a chain:
 * each has a number and the SHA-256 of the one before.  A checkpoint is a line
 * that says how far every chain has come, signed where there is a key.
 *
 *     {"audit":1,"chain":"0.3.1795415120123","seq":7,"prev":"9f86...",
 *      "time":"2026-11-23T06:30:00.123Z","event":"verdict",...}
 *
 * The digest of a line is that of its octets from "{" to "}".  A line is ASCII,
 * whatever a message says, and leaves by one call of write.
 *
 * What docs/audit.md says of members is this file's.
 */

#ifndef PARLEY_AUDIT_H
#define PARLEY_AUDIT_H

#include "core/parley_buf.h"
#include "core/parley_digest.h"
#include "core/parley_error.h"
#include "auth/parley_jwk.h"
#include "state/parley_process.h"


#define PARLEY_AUDIT_BEGINS    "{\"audit\":1,\"chain\":\""

#define PARLEY_AUDIT_NAME_MAX  64       /* a chain's name with its NUL */
#define PARLEY_AUDIT_TEXT_MAX  256      /* octets of a message's text in a
                                           member; what is longer is cut */
#define PARLEY_AUDIT_SLOTS     256      /* processes at a time */


/* A chain is that of a process: its slot, how many were there before it, and
   when it began. */
typedef struct {
    uint32_t  slot;
    uint64_t  generation;               /* 1, 2, ... */
    int64_t   began;                    /* ms since the epoch */
} parley_audit_name_t;


/* how far a chain has come */
typedef struct {
    parley_audit_name_t  name;
    uint64_t             seq;           /* of its last line; 0: none */
    uint8_t              hash[PARLEY_SHA256_LEN];
} parley_audit_head_t;


/*
 * The chains of all processes, in memory that they share.  One process writes
 * a slot, without a lock; others read it.
 */
typedef struct {
    parley_process_t     process;       /* pid 0: free */
    uint64_t             generation;
    parley_audit_head_t  heads[2];      /* turn & 1 is the one in force */
    uint64_t             turn;          /* 0: there was none yet */
    uint64_t             covered;       /* the turn that the last checkpoint
                                           knows */
} parley_audit_slot_t;

typedef struct {
    int64_t              checkpointed;  /* ms of the state's clock */
    parley_audit_slot_t  slots[PARLEY_AUDIT_SLOTS];
} parley_audit_table_t;


/* what the adapter brings */
typedef struct {
    /* Appends octets, in one call.  Returns how many are there, or -1. */
    int64_t  (*write)(void *ctx, parley_str_t octets);

    /* milliseconds since the epoch */
    int64_t  (*now)(void *ctx);

    void      *ctx;
} parley_audit_env_t;


/*
 * Refusals of nobody in particular, which anybody can cause: a burst of lines
 * is written, then one a second; the others are counted, by their codes.
 */
#define PARLEY_AUDIT_BURST  32

typedef struct {
    int64_t   filled;                   /* ms since the epoch */
    int64_t   since;                    /* of the first that is counted */
    uint32_t  tokens;
    uint64_t  counts[PARLEY_E_COUNT];
    uint64_t  count;
} parley_audit_flood_t;


/* the chain of this process */
typedef struct {
    parley_audit_env_t     env;
    parley_audit_table_t  *table;
    parley_audit_slot_t   *slot;
    parley_audit_head_t    head;
    parley_audit_flood_t   flood;
    uint64_t               lost;        /* lines since the last that could not
                                           be written */
    unsigned               broken:1;    /* a part of one is there */
    unsigned               ended:1;
    unsigned               starts:1;    /* its first line is being written */
} parley_audit_t;


/* a verdict; empty: it is not known, or there is none */
typedef struct {
    uint64_t        connection;         /* nginx's number of it; 0: none */
    parley_str_t    remote;             /* the client's address */
    parley_str_t    location;
    parley_str_t    principal;          /* sub of whom something proved */
    parley_str_t    surface;            /* sub of its surface */
    parley_str_t    protocol;           /* "aee" */
    parley_str_t    upstream;           /* the protocol that it speaks */
    parley_str_t    type;
    parley_str_t    intent;
    parley_str_t    from;
    parley_str_t    to;
    parley_str_t    id;
    parley_str_t    correlation;
    parley_str_t    answers;
    parley_str_t    in_vain;            /* why a resumption lifted nothing */
    parley_str_t    verdict;            /* "passed" */
    parley_str_t    step;               /* that refused or answered */
    parley_code_t   code;
    const uint8_t  *digest;             /* of the message's canonical form;
                                           NULL: it is no JSON */
    parley_str_t    payload;            /* JSON (VCP-29); as a string, and
                                           never cut */
} parley_audit_verdict_t;


/* what came of the message whose verdict is line "of" */
typedef struct {
    uint64_t       of;
    parley_str_t   id;
    parley_str_t   outcome;             /* "answered" */
    parley_str_t   settled;             /* what became of its id */
    unsigned       status;              /* that the client got; 0: none */
    parley_code_t  code;
    parley_str_t   failure;             /* of an answer that is one: its code */
    parley_str_t   responder;           /* sub of who answered for good */
    unsigned       left:1;              /* the client did not wait for it */
} parley_audit_outcome_t;


/* what came of a delivery to a URL, or of a deadline; its verdict may be in
   another chain */
typedef struct {
    parley_str_t   id;                  /* of the message */
    parley_str_t   principal;           /* sub of its sender */
    parley_str_t   recipient;           /* sub of whom the URL is of, or of
                                           whom it goes up to */
    parley_str_t   outcome;             /* "delivered" */
    parley_str_t   why;
    unsigned       attempts;
    unsigned       deadline:1;
} parley_audit_delivery_t;


/* "0.3.1795415120123" */
void parley_audit_name(const parley_audit_name_t *name,
    char out[PARLEY_AUDIT_NAME_MAX]);

/* Returns 0, or -1: that is no name of a chain. */
int parley_audit_name_parse(parley_str_t s, parley_audit_name_t *ret)
    __attribute__((warn_unused_result));


/*
 * Takes a slot for a process: one whose process is gone and whose last line a
 * checkpoint knows, else any that is free.  No other process does so at the
 * same time.  a->env is the caller's to set before.  Returns 0, or -1: no slot
 * is free, and nothing can be written.
 */
int parley_audit_begin_locked(parley_audit_t *a, parley_audit_table_t *table,
    const parley_process_t *self,
    const parley_processes_t *host)
    __attribute__((warn_unused_result));

/* Ends the chain with a checkpoint, and frees the slot. */
void parley_audit_end(parley_audit_t *a, const parley_jwk_t *key,
    parley_arena_t *arena);


/*
 * These write a line.  They return 0, or -1: it could not be written, and is
 * counted in the next that can; or there is no memory.
 */

/* The first of a chain, which names the last of the chain that the slot had
   before. */
int parley_audit_start(parley_audit_t *a, parley_arena_t *arena)
    __attribute__((warn_unused_result));

/* *ret: its number, for the outcome. */
int parley_audit_verdict(parley_audit_t *a, parley_arena_t *arena,
    const parley_audit_verdict_t *v, uint64_t *ret)
    __attribute__((warn_unused_result));

int parley_audit_outcome(parley_audit_t *a, parley_arena_t *arena,
    const parley_audit_outcome_t *o)
    __attribute__((warn_unused_result));

int parley_audit_delivery(parley_audit_t *a, parley_arena_t *arena,
    const parley_audit_delivery_t *d)
    __attribute__((warn_unused_result));

/* key: an Ed25519 one; NULL: the line has no signature. */
int parley_audit_checkpoint(parley_audit_t *a, parley_arena_t *arena,
    const parley_jwk_t *key)
    __attribute__((warn_unused_result));

/* The refusals that were counted, if any. */
int parley_audit_suppressed(parley_audit_t *a, parley_arena_t *arena)
    __attribute__((warn_unused_result));


/*
 * Whether a checkpoint is due, interval ms after the last by whatever process,
 * and this one is to write it; else *ret_wait: ms until one may be.
 */
int parley_audit_due(parley_audit_table_t *table, int64_t clock,
    int64_t interval, int64_t *ret_wait)
    __attribute__((warn_unused_result));

/*
 * Whether the refusal of somebody unknown may have a line; if not, it is
 * counted.
 */
int parley_audit_may(parley_audit_t *a, parley_code_t code)
    __attribute__((warn_unused_result));


/* for tests and the verifier */

/* The head of a slot as another process sees it.  Returns 0, or -1: it has
   none, or it changes all the time. */
int parley_audit_slot_head(const parley_audit_slot_t *slot,
    parley_audit_head_t *ret, uint64_t *ret_turn)
    __attribute__((warn_unused_result));

/* Text as a JSON string of ASCII, of at most max octets of it; returns
   whether there were more. */
int parley_audit_string(parley_buf_t *b, parley_str_t s, size_t max);


#endif /* PARLEY_AUDIT_H */
