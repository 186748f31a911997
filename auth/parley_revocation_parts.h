/*
 * What parley_revocation.c (the list) and parley_revocation_read.c (its text)
 * share.  Private to them.
 */

#ifndef PARLEY_REVOCATION_PARTS_H
#define PARLEY_REVOCATION_PARTS_H

#include "auth/parley_revocation.h"


typedef enum {
    PARLEY_REVOKED_PRINCIPAL = 0,
    PARLEY_REVOKED_TOKEN_KEY,
    PARLEY_REVOKED_ANY_KEY,             /* of tokens, whichever issuer's */
    PARLEY_REVOKED_MESSAGE_KEY,
    PARLEY_REVOKED_TOKEN
} parley_revoked_t;


/* what an entry names; where its texts are is said beside */
typedef struct {
    parley_revoked_t  kind;
    parley_str_t      id;               /* sub, kid or jti */
    parley_str_t      of;               /* whose: an issuer, a sub; or empty */
} parley_revocation_t;


/* one that is kept */
typedef struct {
    uint32_t  at;                       /* in texts: id, and then of */
    uint16_t  id;                       /* octets of each */
    uint16_t  of;
    uint32_t  kind;
} parley_revocation_entry_t;


struct parley_revocations_s {
    uint8_t                    *texts;
    parley_revocation_entry_t  *entries;
    uint32_t                   *slots;  /* 1 + the index of an entry; 0: free */
    uint32_t                    mask;   /* more slots than entries */
    uint64_t                    seed;
    size_t                      n;      /* entries of the text */
};


/*
 * The slot that an entry is in, or that it would be in (*slot 0): there is
 * always a free one.
 */
uint32_t *parley_revocation_slot(const parley_revocations_t *list,
    const parley_revocation_t *wanted);


#endif /* PARLEY_REVOCATION_PARTS_H */
