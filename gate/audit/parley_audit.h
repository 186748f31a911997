/*
 * The audit log (OPS-06): a JSON line for the verdict on a message, and another
 * for its outcome.  The lines of a process are a chain: each has a number and
 * the SHA-256 of the previous line.  A checkpoint is a line with the last
 * number and digest of every chain, signed if there is a key.
 *
 *     {"audit":1,"chain":"0.3.1795415120123","seq":7,"prev":"9f86...",
 *      "time":"2026-11-23T06:30:00.123Z","event":"verdict",...}
 *
 * The digest of a line covers its octets from "{" to "}".  A line is ASCII,
 * independently of the message, and is written by one call of write.
 *
 * docs/audit.md describes the members that this file writes.
 */

#ifndef PARLEY_AUDIT_H
#define PARLEY_AUDIT_H

#include "core/parley_buf.h"
#include "core/parley_digest.h"
#include "core/parley_error.h"
#include "auth/parley_jwk.h"
#include "state/parley_process.h"


#define PARLEY_AUDIT_BEGINS    "{\"audit\":1,\"chain\":\""

#define PARLEY_AUDIT_NAME_MAX  64       /* octets of a chain's name with its
                                           NUL */
#define PARLEY_AUDIT_TEXT_MAX  256      /* octets of a message's text in a
                                           member; a longer text is cut */
#define PARLEY_AUDIT_SLOTS     256      /* maximum number of processes */


/* Name of a chain, which belongs to one process: the slot, the number of chains
   that the slot has had, and the start time. */
typedef struct {
    uint32_t  slot;
    uint64_t  generation;               /* 1, 2, ... */
    int64_t   began;                    /* ms since the epoch */
} parley_audit_name_t;


/* last line of a chain */
typedef struct {
    parley_audit_name_t  name;
    uint64_t             seq;           /* number of the line; 0: none */
    uint8_t              hash[PARLEY_SHA256_LEN];
} parley_audit_head_t;


/*
 * Chain of a process, in shared memory.  One process writes a slot, without a
 * lock; the others read it.
 */
typedef struct {
    parley_process_t     process;       /* pid 0: free */
    uint64_t             generation;
    parley_audit_head_t  heads[2];      /* turn & 1 is the valid one */
    uint64_t             turn;          /* 0: no line yet */
    uint64_t             covered;       /* turn that the last checkpoint
                                           names */
} parley_audit_slot_t;

typedef struct {
    int64_t              checkpointed;  /* ms of the state's clock, time of the
                                           last checkpoint */
    parley_audit_slot_t  slots[PARLEY_AUDIT_SLOTS];
} parley_audit_table_t;


/* functions of the adapter */
typedef struct {
    /* Appends octets in one call.  Returns the number of octets written, or
       -1. */
    int64_t  (*write)(void *ctx, parley_str_t octets);

    /* Returns milliseconds since the epoch. */
    int64_t  (*now)(void *ctx);

    void      *ctx;
} parley_audit_env_t;


/*
 * Limit of lines for refusals of unproven clients, which every client can
 * cause: a burst of lines, then one a second.  Further refusals are counted by
 * their codes.
 */
#define PARLEY_AUDIT_BURST  32

typedef struct {
    int64_t   filled;                   /* ms since the epoch */
    int64_t   since;                    /* ms, time of the first counted
                                           refusal */
    uint32_t  tokens;
    uint64_t  counts[PARLEY_E_COUNT];
    uint64_t  count;
} parley_audit_flood_t;


/* chain of this process */
typedef struct {
    parley_audit_env_t     env;
    parley_audit_table_t  *table;
    parley_audit_slot_t   *slot;
    parley_audit_head_t    head;
    parley_audit_flood_t   flood;
    uint64_t               lost;        /* lines since the last written one that
                                           could not be written */
    unsigned               broken:1;    /* the previous line was written in
                                           part, or without its newline */
    unsigned               ended:1;
    unsigned               starts:1;    /* the first line is being written */
} parley_audit_t;


/* verdict; a member is empty if it is unknown or missing */
typedef struct {
    uint64_t        connection;         /* nginx's number of the connection; 0:
                                           none */
    parley_str_t    remote;             /* the client's address */
    parley_str_t    location;
    parley_str_t    principal;          /* sub of the proven principal */
    parley_str_t    surface;            /* sub of the surface that delivers the
                                           message */
    parley_str_t    protocol;           /* "aee" */
    parley_str_t    upstream;           /* protocol of the service */
    parley_str_t    type;
    parley_str_t    intent;
    parley_str_t    from;
    parley_str_t    to;
    parley_str_t    id;
    parley_str_t    correlation;
    parley_str_t    answers;
    parley_str_t    in_vain;            /* why a message of the parent does not
                                           resume its child */
    parley_str_t    verdict;            /* "passed" */
    parley_str_t    step;               /* step that refused or answered */
    parley_code_t   code;
    const uint8_t  *digest;             /* digest of the message's RFC 8785
                                           form; NULL: it is not JSON */
    parley_str_t    payload;            /* JSON, written as a string and never
                                           cut (VCP-29) */
} parley_audit_verdict_t;


/* outcome of the message with the verdict in line "of" */
typedef struct {
    uint64_t       of;
    parley_str_t   id;
    parley_str_t   outcome;             /* "answered" */
    parley_str_t   settled;             /* settlement of the id */
    unsigned       status;              /* status that the client got; 0:
                                           none */
    parley_code_t  code;
    parley_str_t   failure;             /* code of an answer that is a
                                           failure */
    parley_str_t   responder;           /* sub of the principal that gave the
                                           final answer */
    unsigned       left:1;              /* the client left before the answer */
} parley_audit_outcome_t;


/* result of a delivery or a deadline; the verdict may be in another chain */
typedef struct {
    parley_str_t   id;                  /* id of the message */
    parley_str_t   principal;           /* sub of its sender */
    parley_str_t   recipient;           /* sub of the principal with the URL, or
                                           of the next principal above */
    parley_str_t   outcome;             /* "delivered" */
    parley_str_t   why;
    unsigned       attempts;
    unsigned       deadline:1;
} parley_audit_delivery_t;


/* a step of an event of chat (C2A-27); it has no text of the message */
typedef struct parley_audit_chat_s {
    const char    *what;                /* "addressed" */
    parley_str_t   id;                  /* eventId */
    parley_str_t   actor;               /* sub, or the name of an account */
    parley_str_t   reader;              /* sub of the owner of the mailbox */
    parley_str_t   row;
    parley_str_t   policy;
    parley_str_t   mode;
    parley_str_t   disposition;
} parley_audit_chat_t;


/* another gateway on the same store, which has left it */
typedef struct {
    parley_str_t   host;
    parley_str_t   node;                /* its name in parley_status */
    parley_str_t   outcome;             /* "stopped" */
} parley_audit_gateway_t;


/* an agent session or an opaque track of MoQ */
typedef struct {
    uint64_t       connection;          /* as in parley_audit_verdict_t */
    parley_str_t   remote;
    parley_str_t   location;
    parley_str_t   principal;
    parley_str_t   name;                /* session_id, or name of the track */
    parley_str_t   agent;               /* of the track of session_init */
    parley_str_t   outcome;             /* "opened" */
    parley_str_t   why;
    unsigned       track:1;
    unsigned       publishes:1;         /* the principal publishes the track */
} parley_audit_moq_t;


/* Writes the text of a name: "0.3.1795415120123". */
void parley_audit_name(const parley_audit_name_t *name,
    char out[PARLEY_AUDIT_NAME_MAX]);

/* Returns 0, or -1: s is not the name of a chain. */
int parley_audit_name_parse(parley_str_t s, parley_audit_name_t *ret)
    __attribute__((warn_unused_result));


/*
 * Takes a slot for a process: any free one, preferably with its last line in a
 * checkpoint.  The slot of an ended process is free.  The caller has set
 * a->env, and holds a lock that excludes other processes.  Returns 0, or -1: no
 * slot is free, and no line can be written.
 */
int parley_audit_begin_locked(parley_audit_t *a, parley_audit_table_t *table,
    const parley_process_t *self,
    const parley_processes_t *host)
    __attribute__((warn_unused_result));

/* Ends the chain with a checkpoint, and frees the slot. */
void parley_audit_end(parley_audit_t *a, const parley_jwk_t *key,
    parley_arena_t *arena);


/*
 * The following functions write a line.  They return 0, or -1 if it could not
 * be written or memory is exhausted.  The next line that can be written has the
 * number of such lines.
 */

/* Writes the first line of a chain, which names the last line of the slot's
   previous chain. */
int parley_audit_start(parley_audit_t *a, parley_arena_t *arena)
    __attribute__((warn_unused_result));

/* Writes a verdict.  *ret is the number of its line, for the outcome. */
int parley_audit_verdict(parley_audit_t *a, parley_arena_t *arena,
    const parley_audit_verdict_t *v, uint64_t *ret)
    __attribute__((warn_unused_result));

int parley_audit_outcome(parley_audit_t *a, parley_arena_t *arena,
    const parley_audit_outcome_t *o)
    __attribute__((warn_unused_result));

int parley_audit_delivery(parley_audit_t *a, parley_arena_t *arena,
    const parley_audit_delivery_t *d)
    __attribute__((warn_unused_result));

int parley_audit_chat(parley_audit_t *a, parley_arena_t *arena,
    const parley_audit_chat_t *c)
    __attribute__((warn_unused_result));

int parley_audit_gateway(parley_audit_t *a, parley_arena_t *arena,
    const parley_audit_gateway_t *g)
    __attribute__((warn_unused_result));

int parley_audit_moq(parley_audit_t *a, parley_arena_t *arena,
    const parley_audit_moq_t *l)
    __attribute__((warn_unused_result));

/* Writes a checkpoint.  key: an Ed25519 key; NULL: no signature. */
int parley_audit_checkpoint(parley_audit_t *a, parley_arena_t *arena,
    const parley_jwk_t *key)
    __attribute__((warn_unused_result));

/* Writes the number of refusals without a line, if there are any. */
int parley_audit_suppressed(parley_audit_t *a, parley_arena_t *arena)
    __attribute__((warn_unused_result));


/*
 * Returns whether this process has to write a checkpoint now: interval ms after
 * the last one of any process.  Else *ret_wait is the ms until the next check.
 */
int parley_audit_due(parley_audit_table_t *table, int64_t clock,
    int64_t interval, int64_t *ret_wait)
    __attribute__((warn_unused_result));

/*
 * Returns whether the refusal of an unproven client gets a line; if not, it is
 * counted.
 */
int parley_audit_may(parley_audit_t *a, parley_code_t code)
    __attribute__((warn_unused_result));


/* for tests and the verifier */

/* Reads the last line of a slot from another process.  Returns 0, or -1: the
   slot has none, or changes too fast. */
int parley_audit_slot_head(const parley_audit_slot_t *slot,
    parley_audit_head_t *ret, uint64_t *ret_turn)
    __attribute__((warn_unused_result));

/* Writes at most max octets of a text as a JSON string in ASCII.  Returns
   whether it was cut. */
int parley_audit_string(parley_buf_t *b, parley_str_t s, size_t max);


#endif /* PARLEY_AUDIT_H */
