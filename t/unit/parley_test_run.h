/*
 * Runs of messages made at random: each has a seed of its own, by which it
 * can be made again; one that breaks a promise is shrunk and printed, as
 * t/cases would have it.
 */

#ifndef PARLEY_TEST_RUN_H
#define PARLEY_TEST_RUN_H

#include "t/unit/parley_test_pair.h"


/* messages of a protocol from which on every form must have been among them */
#define PARLEY_TEST_RUN_ENOUGH  10000


typedef struct {
    parley_test_forms_t  forms;
    uint64_t             seed;
    unsigned             messages;      /* of each protocol */
    unsigned             said[PARLEY_PROTO_COUNT][PARLEY_PROTO_COUNT];
    unsigned             unsaid[PARLEY_PROTO_COUNT][PARLEY_PROTO_COUNT];
    unsigned             acts[PARLEY_PROTO_COUNT][PARLEY_ACT_PROGRESS + 1];
    unsigned             taken;         /* of those that were spoiled */
    unsigned             refused;
} parley_test_run_t;


/*
 * messages of each protocol, fewer under the address sanitizer; the
 * environment's PARLEY_TEST_MESSAGES and PARLEY_TEST_SEED go before.
 */
void parley_test_run_init(parley_test_run_t *run, unsigned messages);
void parley_test_run_done(parley_test_run_t *run);

/* Message number i of a protocol, to all others; fails the test. */
void parley_test_run_message(parley_test_run_t *run, parley_proto_t proto,
    unsigned i);

/* The same, spoiled before. */
void parley_test_run_spoiled(parley_test_run_t *run, parley_proto_t proto,
    unsigned i);


#endif /* PARLEY_TEST_RUN_H */
