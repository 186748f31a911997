/*
 * The account that a message counts to (SEC-09, SEC-10): of its proven
 * principal, else of the client's address.
 */

#ifndef PARLEY_ACCOUNT_H
#define PARLEY_ACCOUNT_H

#include "state/parley_state.h"


/*
 * Cached keys of a principal, for callers that send many messages.  The user
 * sets sub and zeroes all other members.
 */
typedef struct parley_account_kept_s {
    parley_str_t           sub;
    const parley_state_t  *state;           /* state of account, or NULL if
                                               account is unset */
    const parley_state_t  *limits;          /* state of limit, or NULL if limit
                                               is unset */
    parley_limit_rate_t    rate;            /* rate of limit */
    uint8_t                account[PARLEY_KEY_LEN];
    uint8_t                limit[PARLEY_KEY_LEN];
} parley_account_kept_t;


#define PARLEY_ACCOUNT_PLACES  64
#define PARLEY_ACCOUNT_NAME    32       /* octets of the longest cached name */

/*
 * A cache of the keys of names: of addresses, or of subs.  Each place has the
 * latest name with its hash.  Zeroed at first.
 */
typedef struct parley_account_places_s {
    struct {
        uint8_t                name[PARLEY_ACCOUNT_NAME];
        parley_account_kept_t  kept;
    } list[PARLEY_ACCOUNT_PLACES];
} parley_account_places_t;


/*
 * Makes the key of an account: of the proven principal sub or, if sub is empty,
 * of the octets of address.
 */
void parley_account_key(const parley_state_t *state, parley_str_t sub,
    parley_str_t address, uint8_t out[PARLEY_KEY_LEN]);

/* As parley_account_key() for kept->sub, with the cache. */
void parley_account_kept_key(const parley_state_t *state,
    parley_account_kept_t *kept, uint8_t out[PARLEY_KEY_LEN]);

/* subject and unit of a limit */
typedef enum {
    PARLEY_COUNTED_ADDRESS = 0,
    PARLEY_COUNTED_PRINCIPAL,
    PARLEY_COUNTED_FAILURES,    /* failed proofs of an address */
    PARLEY_COUNTED_DECLARED     /* declared intents */
} parley_counted_t;


/*
 * Makes the key of a limit.  Its subject is a sub or the octets of an address;
 * the next argument tells limits of one subject apart, and may be empty.
 * Locations with the same rate share a limit, also across a reload.
 */
void parley_account_rate_key(const parley_state_t *state,
    parley_counted_t whose, parley_str_t who, parley_str_t what,
    const parley_limit_rate_t *rate, uint8_t out[PARLEY_KEY_LEN]);

/*
 * As parley_account_rate_key() for kept->sub, with the cache.  All calls with
 * one cache must count the same.
 */
void parley_account_kept_rate_key(const parley_state_t *state,
    parley_account_kept_t *kept, parley_counted_t whose,
    const parley_limit_rate_t *rate, uint8_t out[PARLEY_KEY_LEN]);

/*
 * Returns the cache of a name, with the name as its sub; NULL if the name is
 * too long.
 */
parley_account_kept_t *parley_account_place(parley_account_places_t *places,
    parley_str_t name);

/*
 * Makes the key of the record that counts an account's declared intents
 * (ACH-29).
 */
void parley_account_declared_key(const parley_state_t *state,
    const uint8_t account[PARLEY_KEY_LEN], uint8_t out[PARLEY_KEY_LEN]);


#endif /* PARLEY_ACCOUNT_H */
