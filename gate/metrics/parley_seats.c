#include <string.h>

#include "gate/metrics/parley_seats.h"


static parley_seat_t *parley_seats_set(parley_seats_t *table,
    const uint8_t *account, uint32_t *ret);
static parley_seat_t *parley_seats_find(parley_seat_t *set, uint32_t account);
static parley_seat_t *parley_seats_place(parley_seat_t *set,
    uint32_t account);
static void parley_seats_write(parley_seat_t *seat, uint32_t n);
static uint64_t parley_seats_sum(parley_seats_t *tables,
    const parley_slots_t *slots, const parley_processes_t *host,
    const uint8_t *account);


void
parley_seats_begin(parley_seats_t *tables, unsigned slot)
{
    memset(&tables[slot], 0, sizeof(parley_seats_t));
}


/*
 * The check whether the owners of slots live runs only if the sum over all
 * owned slots exceeds "most".
 */

parley_seat_verdict_t
parley_seats_take(parley_seats_t *tables, const parley_slots_t *slots,
    const parley_processes_t *host, unsigned slot,
    const uint8_t account[PARLEY_KEY_LEN], uint64_t most)
{
    uint32_t        key;
    parley_seat_t  *set, *seat;

    set = parley_seats_set(&tables[slot], account, &key);
    seat = parley_seats_place(set, key);

    if (seat == NULL) {
        return PARLEY_SEAT_UNCOUNTED;
    }

    parley_seats_write(seat, seat->n + 1);

    if (parley_seats_sum(tables, slots, NULL, account) <= most
        || parley_seats_sum(tables, slots, host, account) <= most)
    {
        return PARLEY_SEAT_TAKEN;
    }

    parley_seats_write(seat, seat->n - 1);

    return PARLEY_SEAT_REFUSED;
}


void
parley_seats_give(parley_seats_t *tables, unsigned slot,
    const uint8_t account[PARLEY_KEY_LEN])
{
    uint32_t        key;
    parley_seat_t  *set, *seat;

    set = parley_seats_set(&tables[slot], account, &key);
    seat = parley_seats_find(set, key);

    if (seat != NULL) {
        parley_seats_write(seat, seat->n - 1);
    }
}


/*
 * The key of an account is a keyed hash, so any of its octets can choose the
 * set.
 */

static parley_seat_t *
parley_seats_set(parley_seats_t *table, const uint8_t *account, uint32_t *ret)
{
    uint32_t  words[2];

    memcpy(words, account, sizeof(words));

    *ret = words[1] != 0 ? words[1] : 1;

    return table->sets[words[0] % PARLEY_SEATS_SETS];
}


static parley_seat_t *
parley_seats_find(parley_seat_t *set, uint32_t account)
{
    unsigned  i;

    for (i = 0; i < PARLEY_SEATS_WAYS; i++) {
        if (__atomic_load_n(&set[i].n, __ATOMIC_ACQUIRE) != 0
            && set[i].account == account)
        {
            return &set[i];
        }
    }

    return NULL;
}


/*
 * Returns the entry of an account, or a free entry, which becomes the
 * account's.  Returns NULL if the set is full.
 */

static parley_seat_t *
parley_seats_place(parley_seat_t *set, uint32_t account)
{
    unsigned        i;
    parley_seat_t  *seat;

    seat = parley_seats_find(set, account);

    for (i = 0; seat == NULL && i < PARLEY_SEATS_WAYS; i++) {
        if (set[i].n == 0) {
            seat = &set[i];
            seat->account = account;
        }
    }

    return seat;
}


/*
 * Writes the number.  It is written after the account, because it makes the
 * entry valid for other workers.
 */

static void
parley_seats_write(parley_seat_t *seat, uint32_t n)
{
    __atomic_store_n(&seat->n, n, __ATOMIC_SEQ_CST);
}


/*
 * Returns the seats of an account in all slots that have an owner.  With a
 * host, only slots with a live owner count.
 */

static uint64_t
parley_seats_sum(parley_seats_t *tables, const parley_slots_t *slots,
    const parley_processes_t *host, const uint8_t *account)
{
    unsigned              i;
    uint32_t              key;
    uint64_t              sum;
    parley_seat_t        *set;
    const parley_seat_t  *seat;

    sum = 0;

    for (i = 0; i < slots->n; i++) {

        if (!parley_slot_has_owner(&slots->slots[i])) {
            continue;
        }

        set = parley_seats_set(&tables[i], account, &key);
        seat = parley_seats_find(set, key);

        if (seat != NULL
            && (host == NULL || parley_slot_lives(&slots->slots[i], host)))
        {
            sum += __atomic_load_n(&seat->n, __ATOMIC_RELAXED);
        }
    }

    return sum;
}
