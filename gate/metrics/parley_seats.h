/*
 * Seats are the connections that each account holds open: streams, WebSockets
 * and held requests.  They are counted over all workers (SEC-22).
 *
 * Each worker has a table in shared memory, in addition to its slot of
 * parley_counters.h.  Only this worker writes to it.  A worker that takes a
 * seat sums the tables of all slots with a live owner.  So the seats of a
 * killed worker are free again.
 *
 * The table has a fixed size.  An account belongs to one set of the table.  If
 * other accounts fill the set, a connection is not counted.
 */

#ifndef PARLEY_SEATS_H
#define PARLEY_SEATS_H

#include "gate/metrics/parley_counters.h"
#include "core/parley_key.h"


#define PARLEY_SEATS_SETS  256
#define PARLEY_SEATS_WAYS  64       /* accounts of a set */


typedef struct {
    uint32_t  account;      /* part of the account's key, never 0 */
    uint32_t  n;            /* number of connections; 0: free entry */
} parley_seat_t;


/* table of one worker */
typedef struct parley_seats_s {
    parley_seat_t  sets[PARLEY_SEATS_SETS][PARLEY_SEATS_WAYS];
} parley_seats_t;


typedef enum {
    PARLEY_SEAT_REFUSED = 0,    /* the account has reached its limit */
    PARLEY_SEAT_TAKEN,          /* the caller must give it back */
    PARLEY_SEAT_UNCOUNTED
} parley_seat_verdict_t;


/* Clears the table of a slot when a worker takes the slot. */
void parley_seats_begin(parley_seats_t *tables, unsigned slot);

/*
 * Takes a seat for an account in the table of a slot, unless the account has
 * "most" seats already in all tables.  tables has one element for each slot.
 * The seat is counted before the sum is made, so that two workers never exceed
 * the limit together.
 */
parley_seat_verdict_t parley_seats_take(parley_seats_t *tables,
    const parley_slots_t *slots, const parley_processes_t *host,
    unsigned slot, const uint8_t account[PARLEY_KEY_LEN], uint64_t most)
    __attribute__((warn_unused_result));

/* Gives back a seat that was taken in the table of the slot. */
void parley_seats_give(parley_seats_t *tables, unsigned slot,
    const uint8_t account[PARLEY_KEY_LEN]);


#endif /* PARLEY_SEATS_H */
