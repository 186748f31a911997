/* Private to parley_audit_verify.c and parley_audit_claim.c */

#ifndef PARLEY_AUDIT_VERIFY_PARTS_H
#define PARLEY_AUDIT_VERIFY_PARTS_H

#include "gate/audit/parley_audit_record.h"


/* Finds the chain of this name, or adds it.  NULL: no memory. */
parley_audit_seen_t *parley_audit_find(parley_audit_verify_t *v,
    const parley_audit_name_t *name);

/* Reports a finding about the current line.  s may be NULL, seq 0. */
void parley_audit_say(parley_audit_verify_t *v, parley_audit_kind_t kind,
    const parley_audit_seen_t *s, uint64_t seq, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/*
 * Takes the digest that the current line names for a line of another chain, or
 * for an earlier line of its own.  vouches: the current line is a checkpoint.
 */
void parley_audit_claim(parley_audit_verify_t *v, const parley_json_t *doc,
    uint32_t node, unsigned vouches);

/* Compares r, the new last line of s, with earlier claims, and keeps its
   digest. */
void parley_audit_claims_resolve(parley_audit_verify_t *v,
    parley_audit_seen_t *s, const parley_audit_record_t *r);

/* Reports, at the end, the claims of s for lines that were not read. */
void parley_audit_claims_missing(parley_audit_verify_t *v,
    parley_audit_seen_t *s);


#endif /* PARLEY_AUDIT_VERIFY_PARTS_H */
