/*
 * Declarations shared by parley_revocation.c (the list) and
 * parley_revocation_read.c (its text).  Private to them.
 */

#ifndef PARLEY_REVOCATION_PARTS_H
#define PARLEY_REVOCATION_PARTS_H

#include "auth/parley_revocation.h"


typedef enum {
    PARLEY_REVOKED_PRINCIPAL = 0,
    PARLEY_REVOKED_TOKEN_KEY,
    PARLEY_REVOKED_ANY_KEY,             /* a key of tokens of any issuer */
    PARLEY_REVOKED_MESSAGE_KEY,
    PARLEY_REVOKED_TOKEN
} parley_revoked_t;


/* the subject of an entry; its strings are not owned by this struct */
typedef struct {
    parley_revoked_t  kind;
    parley_str_t      id;               /* sub, kid or jti */
    parley_str_t      of;               /* issuer or sub that id belongs to; or
                                           empty */
} parley_revocation_t;


/* an entry in the table */
typedef struct {
    uint32_t  at;                       /* position in texts: id, then of */
    uint16_t  id;                       /* octets of id and of */
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
 * Returns the slot of an entry, or the free slot where it belongs (*slot is 0).
 * There is always a free slot.
 */
uint32_t *parley_revocation_slot(const parley_revocations_t *list,
    const parley_revocation_t *wanted);


#endif /* PARLEY_REVOCATION_PARTS_H */
