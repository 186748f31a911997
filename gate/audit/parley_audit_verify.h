/*
 * The verifier of audit logs (parley_audit.h): reads the lines of one or
 * several files, in the order in which they were written, and says what does
 * not fit.
 *
 * It finds that a line was changed, removed, inserted, repeated or moved where
 * a later line of its chain is there, or a checkpoint knows of it.  It cannot
 * find that the end of a chain was cut off behind the last checkpoint that
 * knows the chain, nor what somebody computes anew who has no key: how many
 * lines that may concern is said of each chain.
 *
 * The input is untrusted.
 */

#ifndef PARLEY_AUDIT_VERIFY_H
#define PARLEY_AUDIT_VERIFY_H

#include "gate/audit/parley_audit.h"


#define PARLEY_AUDIT_FINDING_MAX  256


/* of findings: what proves that something is wrong, and what does not */
typedef enum {
    PARLEY_AUDIT_FAULT = 0,
    PARLEY_AUDIT_NOTE
} parley_audit_kind_t;


typedef struct {
    parley_audit_kind_t  kind;
    const char          *file;          /* NULL: none in particular */
    uint64_t             line;          /* from 1; 0: none in particular */
    const char          *chain;         /* "": none in particular */
    uint64_t             seq;           /* 0: none in particular */
    char                 text[PARLEY_AUDIT_FINDING_MAX];
} parley_audit_finding_t;


/* what is said of a line that is not there yet */
typedef struct parley_audit_claim_s  parley_audit_claim_t;

struct parley_audit_claim_s {
    parley_audit_claim_t  *next;
    uint64_t               seq;
    uint8_t                hash[PARLEY_SHA256_LEN];
    const char            *file;        /* that says it, and where */
    uint64_t               line;
    unsigned               vouches:1;   /* a checkpoint, not a first line */
};


typedef struct parley_audit_seen_s  parley_audit_seen_t;

/* a chain as far as it was read */
struct parley_audit_seen_s {
    parley_audit_seen_t   *next;
    parley_audit_name_t    name;
    char                   text[PARLEY_AUDIT_NAME_MAX];

    uint64_t               lines;
    uint64_t               first;       /* 0: none was read */
    uint64_t               last;
    uint64_t               covered;     /* the last that a checkpoint vouches
                                           for; 0: none */
    uint64_t               counts[2];   /* verdicts, outcomes */
    uint64_t               lost;        /* lines that could not be written */
    unsigned               ended:1;     /* by its own last line */

    /* private: digests of the lines from base on, and claims of others */
    uint8_t                hash[PARLEY_SHA256_LEN];
    uint8_t               *hashes;
    uint64_t               base;
    size_t                 nhashes;
    size_t                 size;
    parley_audit_claim_t  *claims;
};


typedef struct {
    /* the caller's to set before parley_audit_verify_init() */
    const parley_jwks_t   *keys;        /* that sign checkpoints; NULL:
                                           signatures are not verified */
    uint64_t               seed;        /* of parley_json_read() */
    void                 (*say)(void *ctx,
                               const parley_audit_finding_t *finding);
    void                  *ctx;

    /* results */
    uint64_t               faults;
    uint64_t               records;
    uint64_t               parts;       /* lines that are there in part */
    uint64_t               checkpoints;
    uint64_t               verified;    /* of them, by a key */
    parley_audit_seen_t   *chains;      /* the one met last comes first */

    /* private */
    parley_arena_t         arena;       /* of a line */
    parley_arena_t         kept;
    const char            *file;
    uint64_t               line;
    int64_t                first;       /* ms of the first line; -1: none */
    unsigned               failed:1;    /* no memory */
} parley_audit_verify_t;


/* Sets all that is not the caller's. */
void parley_audit_verify_init(parley_audit_verify_t *v);
void parley_audit_verify_free(parley_audit_verify_t *v);

/* The next file begins; its name outlives v. */
void parley_audit_verify_file(parley_audit_verify_t *v, const char *name);

/* Its next line, without the newline. */
void parley_audit_verify_line(parley_audit_verify_t *v, parley_str_t line);

/* How many lines of a chain no checkpoint knows. */
uint64_t parley_audit_seen_open(const parley_audit_seen_t *s);

/*
 * There are no more.  Returns 0: nothing is wrong; 1: something is; -1: no
 * memory.
 */
int parley_audit_verify_end(parley_audit_verify_t *v)
    __attribute__((warn_unused_result));


#endif /* PARLEY_AUDIT_VERIFY_H */
