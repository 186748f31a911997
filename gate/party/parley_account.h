/*
 * Whom a message is counted to (SEC-09, SEC-10): the principal that was proven
 * to have sent it; else the address that it came from.
 */

#ifndef PARLEY_ACCOUNT_H
#define PARLEY_ACCOUNT_H

#include "state/parley_state.h"


/*
 * The keys of a principal that were made before, for whoever sends again and
 * again.  sub is the caller's to set; all else begins as zero.
 */
typedef struct {
    parley_str_t           sub;
    const parley_state_t  *state;           /* that account is of, or NULL */
    const parley_state_t  *limits;          /* that limit is of, or NULL */
    parley_limit_rate_t    rate;            /* that limit is of */
    uint8_t                account[PARLEY_KEY_LEN];
    uint8_t                limit[PARLEY_KEY_LEN];
} parley_account_kept_t;


#define PARLEY_ACCOUNT_PLACES   64
#define PARLEY_ACCOUNT_ADDRESS  8       /* octets of one that is kept */

/* The same of addresses, of each the latest with its hash; begins as zero. */
typedef struct {
    struct {
        uint8_t                address[PARLEY_ACCOUNT_ADDRESS];
        parley_account_kept_t  kept;
    } list[PARLEY_ACCOUNT_PLACES];
} parley_account_places_t;


/* sub: of who was proven, or empty: nobody; address: its octets */
void parley_account_key(const parley_state_t *state, parley_str_t sub,
    parley_str_t address, uint8_t out[PARLEY_KEY_LEN]);

/* The same of kept->sub. */
void parley_account_kept_key(const parley_state_t *state,
    parley_account_kept_t *kept, uint8_t out[PARLEY_KEY_LEN]);

/* what a limit counts, and whose */
typedef enum {
    PARLEY_COUNTED_ADDRESS = 0,
    PARLEY_COUNTED_PRINCIPAL,
    PARLEY_COUNTED_FAILURES,    /* of an address */
    PARLEY_COUNTED_DECLARED     /* intents */
} parley_counted_t;


/*
 * The key of a limit of who, a sub or the octets of an address; what tells them
 * apart.  Locations with the same rate share it, also across a reload.
 */
void parley_account_rate_key(const parley_state_t *state,
    parley_counted_t whose, parley_str_t who, parley_str_t what,
    const parley_limit_rate_t *rate, uint8_t out[PARLEY_KEY_LEN]);

/* The same of kept->sub, whose is always the same. */
void parley_account_kept_rate_key(const parley_state_t *state,
    parley_account_kept_t *kept, parley_counted_t whose,
    const parley_limit_rate_t *rate, uint8_t out[PARLEY_KEY_LEN]);

/* What is kept of an address, which is its sub; NULL: it is too long. */
parley_account_kept_t *parley_account_place(parley_account_places_t *places,
    parley_str_t address);

/* The key of the record of how many intents an account declared (ACH-29). */
void parley_account_declared_key(const parley_state_t *state,
    const uint8_t account[PARLEY_KEY_LEN], uint8_t out[PARLEY_KEY_LEN]);


#endif /* PARLEY_ACCOUNT_H */
