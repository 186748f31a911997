/*
 * gate/metrics/parley_losses.c: losses of published messages are reported once
 */

#include "t/unit/parley_test.h"

#include "gate/metrics/parley_losses.h"


#define SEED  0x5eed

static parley_losses_t       losses;
static parley_slot_t         slot;
static parley_loss_t         loss;
static parley_arena_t        arena;
static parley_publication_t  p;


static int
begin(void **state)
{
    (void) state;

    memset(&losses, 0, sizeof(losses));
    memset(&slot, 0, sizeof(slot));
    memset(&p, 0, sizeof(p));

    parley_arena_init(&arena, &parley_mem_libc, 0);
    parley_loss_init(&loss, &arena);
    parley_loss_pointer(&loss, "/trace");
    parley_loss_pointer(&loss, "/x_tenant");

    p.proto = PARLEY_PROTO_AEE;
    p.sender = PARLEY_STR("alice");
    p.id = PARLEY_STR("f6f0bb7e-7a52-4d0b-9d36-2a6ab8a4a1d2");
    p.ms = 1764000000123;

    return 0;
}


static int
end(void **state)
{
    (void) state;

    parley_arena_reset(&arena);

    return 0;
}


static int
told(parley_proto_t to)
{
    return parley_losses(&losses, &slot, SEED, &p, to, &loss);
}


static uint64_t
counted(void)
{
    return slot.cells[PARLEY_M_LOST];
}


static void
test_once(void **state)
{
    (void) state;

    assert_int_equal(told(PARLEY_PROTO_VCP), 1);
    assert_int_equal(counted(), 2);

    assert_int_equal(told(PARLEY_PROTO_VCP), 0);
    assert_int_equal(counted(), 2);

    assert_int_equal(told(PARLEY_PROTO_CHANNEL), 1);
    assert_int_equal(told(PARLEY_PROTO_VCP), 0);
    assert_int_equal(told(PARLEY_PROTO_CHANNEL), 0);
    assert_int_equal(counted(), 4);
}


static void
test_none(void **state)
{
    (void) state;

    parley_loss_init(&loss, &arena);

    assert_int_equal(told(PARLEY_PROTO_VCP), 0);
    assert_int_equal(counted(), 0);

    /* it is not the one that is reported */

    parley_loss_pointer(&loss, "/trace");

    assert_int_equal(told(PARLEY_PROTO_VCP), 1);
    assert_int_equal(counted(), 1);
}


/*
 * An id belongs to its sender, and is reported again after the window forgot
 * it.
 */

static void
test_others(void **state)
{
    (void) state;

    assert_int_equal(told(PARLEY_PROTO_VCP), 1);

    p.sender = PARLEY_STR("bob");
    assert_int_equal(told(PARLEY_PROTO_VCP), 1);

    p.ms++;
    assert_int_equal(told(PARLEY_PROTO_VCP), 1);

    p.id = PARLEY_STR("");
    assert_int_equal(told(PARLEY_PROTO_VCP), 1);
    assert_int_equal(told(PARLEY_PROTO_VCP), 0);
}


/* A forgotten loss is reported again, and most of many new ones are not. */

static void
test_many(void **state)
{
    unsigned  i, again;

    (void) state;

    for (i = 0; i < 100; i++) {
        p.ms++;
        assert_int_equal(told(PARLEY_PROTO_VCP), 1);
    }

    for (i = 0, again = 0; i < 100; i++) {
        again += (unsigned) told(PARLEY_PROTO_VCP);
        p.ms--;
    }

    assert_in_range(again, 0, 30);

    for (i = 0; i < 20 * PARLEY_LOSSES_ROOM; i++) {
        p.ms++;
        (void) told(PARLEY_PROTO_VCP);
    }

    p.ms -= 20 * PARLEY_LOSSES_ROOM;
    assert_int_equal(told(PARLEY_PROTO_VCP), 1);
}


#define test_of(name, f)  \
    { name, f, begin, end, NULL }


static const struct CMUnitTest  tests[] = {
    test_of("GW-06 HUB-06 once for a publication and protocol", test_once),
    test_of("GW-06 nothing of what loses nothing", test_none),
    test_of("GW-06 another's, and a later one of that id", test_others),
    test_of("GW-06 of many the older ones are forgotten", test_many),
};

PARLEY_TEST_MAIN(tests)
