/* gate/metrics/parley_seats.c */

#include "t/unit/parley_test.h"
#include "gate/metrics/parley_seats.h"


#define SLOTS  3
#define MOST   4

static parley_slots_t      *slots;
static parley_seats_t      *tables;
static parley_processes_t   host;
static uint32_t             dead;       /* bits of processes */


static int
is_alive(void *ctx, const parley_process_t *process)
{
    (void) ctx;

    return (dead & 1u << process->pid) == 0;
}


static int
begin(void **state)
{
    unsigned          i;
    parley_process_t  self;

    (void) state;

    memset(&self, 0, sizeof(self));

    slots = parley_slots_make(aligned_alloc(64, (parley_slots_size(SLOTS) + 63)
                                                / 64 * 64), SLOTS, 1);
    memset(slots, 0, parley_slots_size(SLOTS));
    slots->n = SLOTS;

    tables = calloc(SLOTS, sizeof(parley_seats_t));
    host.is_alive = is_alive;
    dead = 0;

    for (i = 0; i < SLOTS; i++) {
        self.pid = i + 1;
        self.began = 1;
        assert_ptr_equal(parley_slots_claim(slots, &self, &host),
                         &slots->slots[i]);
        parley_seats_begin(tables, i);
    }

    return 0;
}


static int
end(void **state)
{
    (void) state;

    free(slots);
    free(tables);

    return 0;
}


static const uint8_t *
account(uint32_t set, uint32_t which)
{
    static uint8_t  key[PARLEY_KEY_LEN];

    memset(key, 7, sizeof(key));
    memcpy(key, &set, sizeof(set));
    memcpy(key + sizeof(set), &which, sizeof(which));

    return key;
}


static parley_seat_verdict_t
take(unsigned slot, uint32_t which)
{
    return parley_seats_take(tables, slots, &host, slot, account(1, which),
                             MOST);
}


static void
test_bound(void **state)
{
    unsigned  i;

    (void) state;

    /* of all workers together */

    for (i = 0; i < MOST; i++) {
        assert_int_equal(take(i % SLOTS, 5), PARLEY_SEAT_TAKEN);
    }

    for (i = 0; i < SLOTS; i++) {
        assert_int_equal(take(i, 5), PARLEY_SEAT_REFUSED);
        assert_int_equal(take(i, 6), PARLEY_SEAT_TAKEN);
    }

    /* a refused one took nothing */

    parley_seats_give(tables, 1, account(1, 5));
    assert_int_equal(take(2, 5), PARLEY_SEAT_TAKEN);
    assert_int_equal(take(2, 5), PARLEY_SEAT_REFUSED);

    /* an account whose part is 0 counts like others */

    for (i = 0; i < MOST; i++) {
        assert_int_equal(take(0, 0), PARLEY_SEAT_TAKEN);
    }

    assert_int_equal(take(0, 0), PARLEY_SEAT_REFUSED);
    parley_seats_give(tables, 0, account(1, 0));
    assert_int_equal(take(1, 0), PARLEY_SEAT_TAKEN);
}


static void
test_dead(void **state)
{
    unsigned          i;
    parley_process_t  self;

    (void) state;

    for (i = 0; i < MOST; i++) {
        assert_int_equal(take(0, 5), PARLEY_SEAT_TAKEN);
    }

    assert_int_equal(take(1, 5), PARLEY_SEAT_REFUSED);

    dead = 1u << 1;
    assert_int_equal(take(1, 5), PARLEY_SEAT_TAKEN);

    /* the next worker has the slot, without its seats */

    memset(&self, 0, sizeof(self));
    self.pid = 9;
    self.began = 2;
    assert_ptr_equal(parley_slots_claim(slots, &self, &host),
                     &slots->slots[0]);
    parley_seats_begin(tables, 0);

    for (i = 1; i < MOST; i++) {
        assert_int_equal(take(0, 5), PARLEY_SEAT_TAKEN);
    }

    assert_int_equal(take(0, 5), PARLEY_SEAT_REFUSED);

    /* a worker that left */

    parley_slot_leave(&slots->slots[0]);
    assert_int_equal(take(1, 5), PARLEY_SEAT_TAKEN);
}


static void
test_full(void **state)
{
    uint32_t  i;

    (void) state;

    for (i = 1; i <= PARLEY_SEATS_WAYS; i++) {
        assert_int_equal(take(0, i), PARLEY_SEAT_TAKEN);
    }

    assert_int_equal(take(0, i), PARLEY_SEAT_UNCOUNTED);
    assert_int_equal(take(1, i), PARLEY_SEAT_TAKEN);

    /* seats in use are counted, and a free one may be another account's */

    assert_int_equal(take(0, 3), PARLEY_SEAT_TAKEN);
    parley_seats_give(tables, 0, account(1, 9));
    assert_int_equal(take(0, i), PARLEY_SEAT_TAKEN);
}


static const struct CMUnitTest  tests[] = {
    { "SEC-22 connections of an account are bounded in all workers",
      test_bound, begin, end, NULL },
    { "SEC-22 a worker that is gone holds none", test_dead, begin, end, NULL },
    { "SEC-22 what finds no entry is not counted", test_full, begin, end,
      NULL },
};


PARLEY_TEST_MAIN(tests)
