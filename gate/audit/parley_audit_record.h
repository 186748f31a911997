/* A line of an audit log as the verifier reads it; private to the verifier. */

#ifndef PARLEY_AUDIT_RECORD_H
#define PARLEY_AUDIT_RECORD_H

#include "gate/audit/parley_audit_verify.h"


typedef struct {
    parley_json_t        doc;
    parley_audit_name_t  chain;
    uint64_t             seq;           /* at least 1 */
    uint64_t             lost;
    int64_t              time;
    parley_str_t         event;
    uint8_t              prev[PARLEY_SHA256_LEN];
    uint8_t              hash[PARLEY_SHA256_LEN];   /* digest of the line */
} parley_audit_record_t;


/*
 * Reads a whole line.  Returns 0, or -1: it is not a line of an audit log, or
 * only a part of one.
 */
int parley_audit_record_read(parley_arena_t *arena, uint64_t seed,
    parley_str_t text, parley_audit_record_t *ret)
    __attribute__((warn_unused_result));

/* Reads {"chain":...,"seq":...,"hash":...}.  Returns 0, or -1. */
int parley_audit_record_head(const parley_json_t *doc, uint32_t node,
    parley_audit_head_t *ret)
    __attribute__((warn_unused_result));

/* Returns whether an unreadable text is the beginning of a line. */
int parley_audit_record_begins(parley_str_t text);

/*
 * Verifies the signature of a checkpoint.  Returns 0, or -1 with *ret_why.
 */
int parley_audit_record_verify(const parley_audit_record_t *r,
    const parley_jwks_t *keys, parley_arena_t *arena, const char **ret_why)
    __attribute__((warn_unused_result));


#endif /* PARLEY_AUDIT_RECORD_H */
