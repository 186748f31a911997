/*
 * gate/publish/parley_gate_deliver.c: the protocol in which a URL gets a
 * message
 */

#include "t/unit/parley_test.h"

#include "gate/publish/parley_gate_deliver.h"
#include "gate/delivery/parley_delivery_route.h"


static parley_principal_t  p;


static int
begin(void **state)
{
    (void) state;

    memset(&p, 0, sizeof(p));
    p.names[PARLEY_NAMESPACE_HANDLE] = PARLEY_STR("~bob");

    return 0;
}


static void
name(parley_namespace_t space)
{
    p.names[space] = PARLEY_STR("bob");
}


static void
test_says(void **state)
{
    (void) state;

    name(PARLEY_NAMESPACE_AEE);
    p.speaks = PARLEY_STR("c2a");

    assert_int_equal(parley_delivery_protocol(&p, PARLEY_PROTO_AEE),
                     PARLEY_PROTO_C2A);
}


static void
test_own(void **state)
{
    (void) state;

    name(PARLEY_NAMESPACE_AEE);
    name(PARLEY_NAMESPACE_C2A);
    name(PARLEY_NAMESPACE_VCP);
    name(PARLEY_NAMESPACE_VCP2);

    assert_int_equal(parley_delivery_protocol(&p, PARLEY_PROTO_C2A),
                     PARLEY_PROTO_C2A);
    assert_int_equal(parley_delivery_protocol(&p, PARLEY_PROTO_VCP2),
                     PARLEY_PROTO_VCP2);
}


/* The first protocol of the list, and a handle last. */

static void
test_first(void **state)
{
    (void) state;

    assert_int_equal(parley_delivery_protocol(&p, PARLEY_PROTO_CHANNEL),
                     PARLEY_PROTO_CHANNEL);
    assert_int_equal(parley_delivery_protocol(&p, PARLEY_PROTO_VCP),
                     PARLEY_PROTO_CHANNEL);

    name(PARLEY_NAMESPACE_C2A);

    assert_int_equal(parley_delivery_protocol(&p, PARLEY_PROTO_CHANNEL),
                     PARLEY_PROTO_C2A);
    assert_int_equal(parley_delivery_protocol(&p, PARLEY_PROTO_AEE),
                     PARLEY_PROTO_C2A);

    name(PARLEY_NAMESPACE_VCP);
    name(PARLEY_NAMESPACE_VCP2);

    assert_int_equal(parley_delivery_protocol(&p, PARLEY_PROTO_CHANNEL),
                     PARLEY_PROTO_VCP);

    name(PARLEY_NAMESPACE_AEE);

    assert_int_equal(parley_delivery_protocol(&p, PARLEY_PROTO_CHANNEL),
                     PARLEY_PROTO_AEE);

    /* the sub, which every principal has, is not a name in MoQ */

    p.names[PARLEY_NAMESPACE_SUB] = PARLEY_STR("bob");

    assert_int_equal(parley_delivery_protocol(&p, PARLEY_PROTO_MOQ),
                     PARLEY_PROTO_AEE);
}


#define test_of(name, f)  \
    { name, f, begin, NULL, NULL }


static const struct CMUnitTest  tests[] = {
    test_of("HUB-06 what the identities say", test_says),
    test_of("HUB-06 the message's own, where there is a name", test_own),
    test_of("HUB-06 else the first of the list", test_first),
};

PARLEY_TEST_MAIN(tests)
