/*
 * The verifier of audit logs (parley_audit.h): reads the lines of one or
 * several files, in the order in which they were written, and reports errors.
 *
 * It detects a line that was changed, removed, inserted, repeated or moved.
 * This needs a later line of its chain, or a checkpoint that names a later one.
 * It cannot detect that a chain was cut, or recomputed without the key, after
 * the last checkpoint that names it.  The result has the number of such lines
 * for each chain.
 *
 * The input is untrusted.
 */

#ifndef PARLEY_AUDIT_VERIFY_H
#define PARLEY_AUDIT_VERIFY_H

#include "gate/audit/parley_audit.h"


#define PARLEY_AUDIT_FINDING_MAX  256


/* kind of a finding: proof of a fault, or a note */
typedef enum {
    PARLEY_AUDIT_FAULT = 0,
    PARLEY_AUDIT_NOTE
} parley_audit_kind_t;


typedef struct {
    parley_audit_kind_t  kind;
    const char          *file;          /* NULL: none */
    uint64_t             line;          /* from 1; 0: none */
    const char          *chain;         /* empty: none */
    uint64_t             seq;           /* 0: none */
    char                 text[PARLEY_AUDIT_FINDING_MAX];
} parley_audit_finding_t;


/* digest of a line that another line names and that was not read yet */
typedef struct parley_audit_claim_s  parley_audit_claim_t;

struct parley_audit_claim_s {
    parley_audit_claim_t  *next;
    uint64_t               seq;
    uint8_t                hash[PARLEY_SHA256_LEN];
    const char            *file;        /* file and line with the claim */
    uint64_t               line;
    unsigned               vouches:1;   /* made by a checkpoint, not by a first
                                           line */
};


typedef struct parley_audit_seen_s  parley_audit_seen_t;

/* chain as far as it was read */
struct parley_audit_seen_s {
    parley_audit_seen_t   *next;
    parley_audit_name_t    name;
    char                   text[PARLEY_AUDIT_NAME_MAX];

    uint64_t               lines;
    uint64_t               first;       /* 0: no line was read */
    uint64_t               last;
    uint64_t               covered;     /* last line that a checkpoint confirms;
                                           0: none */
    uint64_t               counts[2];   /* verdicts, outcomes */
    uint64_t               lost;        /* lines that could not be written */
    unsigned               ended:1;     /* its last line says that it ended */

    /* private: digests of the lines from base on, and claims of other lines */
    uint8_t                hash[PARLEY_SHA256_LEN];
    uint8_t               *hashes;
    uint64_t               base;
    size_t                 nhashes;
    size_t                 size;
    parley_audit_claim_t  *claims;
};


typedef struct {
    /* set by the caller before parley_audit_verify_init() */
    const parley_jwks_t   *keys;        /* keys that verify checkpoints; NULL:
                                           signatures are not verified */
    uint64_t               seed;        /* for parley_json_read() */
    void                 (*say)(void *ctx,
                               const parley_audit_finding_t *finding);
    void                  *ctx;

    /* results */
    uint64_t               faults;
    uint64_t               records;
    uint64_t               parts;       /* partly written lines */
    uint64_t               checkpoints;
    uint64_t               verified;    /* checkpoints verified by a key */
    parley_audit_seen_t   *chains;      /* the chain of the last line comes
                                           first */

    /* private */
    parley_arena_t         arena;       /* reset after each line */
    parley_arena_t         kept;
    const char            *file;
    uint64_t               line;
    int64_t                first;       /* ms of the first line; -1: none */
    unsigned               failed:1;    /* memory was exhausted */
} parley_audit_verify_t;


/* Prepares v after the caller has set its members. */
void parley_audit_verify_init(parley_audit_verify_t *v);
void parley_audit_verify_free(parley_audit_verify_t *v);

/* Begins the next file.  name must outlive v. */
void parley_audit_verify_file(parley_audit_verify_t *v, const char *name);

/* Reads the next line of the file, without its newline. */
void parley_audit_verify_line(parley_audit_verify_t *v, parley_str_t line);

/* Returns the number of lines of a chain after its last checkpoint. */
uint64_t parley_audit_seen_open(const parley_audit_seen_t *s);

/*
 * Ends the verification.  Returns 0: no fault; 1: faults; -1: no memory.
 */
int parley_audit_verify_end(parley_audit_verify_t *v)
    __attribute__((warn_unused_result));


#endif /* PARLEY_AUDIT_VERIFY_H */
