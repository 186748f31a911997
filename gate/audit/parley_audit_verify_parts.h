/* Private to parley_audit_verify.c and parley_audit_claim.c */

#ifndef PARLEY_AUDIT_VERIFY_PARTS_H
#define PARLEY_AUDIT_VERIFY_PARTS_H

#include "gate/audit/parley_audit_record.h"


/* The chain of that name, a new one at first.  NULL: no memory. */
parley_audit_seen_t *parley_audit_find(parley_audit_verify_t *v,
    const parley_audit_name_t *name);

/* A finding about the line that is read; s may be NULL, seq 0. */
void parley_audit_say(parley_audit_verify_t *v, parley_audit_kind_t kind,
    const parley_audit_seen_t *s, uint64_t seq, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* What the line that is read says of a line of another chain, or of an earlier
   one of its own.  vouches: by a checkpoint. */
void parley_audit_claim(parley_audit_verify_t *v, const parley_json_t *doc,
    uint32_t node, unsigned vouches);

/* The last line of s is r: its digest is kept, and what was said of it before
   it was there is compared. */
void parley_audit_claims_resolve(parley_audit_verify_t *v,
    parley_audit_seen_t *s, const parley_audit_record_t *r);

/* At the end: s has claims of lines that never came. */
void parley_audit_claims_missing(parley_audit_verify_t *v,
    parley_audit_seen_t *s);


#endif /* PARLEY_AUDIT_VERIFY_PARTS_H */
