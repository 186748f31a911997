/*
 * Seats: the connections that each account holds open (streams, WebSockets,
 * requests that are held), counted over all workers (SEC-22).
 *
 * Each worker has a table of its own in shared memory, beside its slot of
 * parley_counters.h, and is the only one that writes to it.  A worker that asks
 * for a seat sums the tables of all slots whose owner lives, so the seats of a
 * worker that was killed are free again.
 *
 * The table has a fixed size.  An account is found in one set of it.  Where a
 * set is full of other accounts, a connection is not counted.
 */

#ifndef PARLEY_SEATS_H
#define PARLEY_SEATS_H

#include "gate/metrics/parley_counters.h"
#include "core/parley_key.h"


#define PARLEY_SEATS_SETS  256
#define PARLEY_SEATS_WAYS  64       /* accounts of a set */


typedef struct {
    uint32_t  account;      /* part of its key, never 0 */
    uint32_t  n;            /* connections; 0: the entry is free */
} parley_seat_t;


/* the table of one worker */
typedef struct {
    parley_seat_t  sets[PARLEY_SEATS_SETS][PARLEY_SEATS_WAYS];
} parley_seats_t;


typedef enum {
    PARLEY_SEAT_REFUSED = 0,    /* the account has its number */
    PARLEY_SEAT_TAKEN,          /* to be given back */
    PARLEY_SEAT_UNCOUNTED
} parley_seat_verdict_t;


/* A worker takes the slot of that number: it has nothing open. */
void parley_seats_begin(parley_seats_t *tables, unsigned slot);

/*
 * Takes a seat for an account in the table of a slot, unless the account has
 * "most" seats already in all tables.  tables has one element for each slot.
 * The seat is counted before the sum is made, so that two workers never exceed
 * the number together.
 */
parley_seat_verdict_t parley_seats_take(parley_seats_t *tables,
    const parley_slots_t *slots, const parley_processes_t *host,
    unsigned slot, const uint8_t account[PARLEY_KEY_LEN], uint64_t most)
    __attribute__((warn_unused_result));

/* Gives a seat back that was taken in that slot. */
void parley_seats_give(parley_seats_t *tables, unsigned slot,
    const uint8_t account[PARLEY_KEY_LEN]);


#endif /* PARLEY_SEATS_H */
