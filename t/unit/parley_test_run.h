/*
 * Runs of random messages.  Each message has its own seed, which makes it
 * again.  A message that breaks a promise is shrunk and printed in the form of
 * t/cases.
 */

#ifndef PARLEY_TEST_RUN_H
#define PARLEY_TEST_RUN_H

#include "t/unit/parley_test_pair.h"


/* number of messages of a protocol that must include every form */
#define PARLEY_TEST_RUN_ENOUGH  10000


typedef struct {
    parley_test_forms_t  forms;
    uint64_t             seed;
    unsigned             messages;      /* of each protocol */
    unsigned             said[PARLEY_PROTO_COUNT][PARLEY_PROTO_COUNT];
    unsigned             unsaid[PARLEY_PROTO_COUNT][PARLEY_PROTO_COUNT];
    unsigned             acts[PARLEY_PROTO_COUNT][PARLEY_ACT_PROGRESS + 1];
    unsigned             taken;         /* accepted changed messages */
    unsigned             refused;
} parley_test_run_t;


/*
 * Begins a run of that many messages of each protocol, fewer under the address
 * sanitizer.  PARLEY_TEST_MESSAGES and PARLEY_TEST_SEED in the environment
 * have priority.
 */
void parley_test_run_init(parley_test_run_t *run, unsigned messages);
void parley_test_run_done(parley_test_run_t *run);

/*
 * Makes message number i of a protocol and tests it with all others; fails the
 * test if a promise is broken.
 */
void parley_test_run_message(parley_test_run_t *run, parley_proto_t proto,
    unsigned i);

/* As parley_test_run_message(), with a message that was changed at random. */
void parley_test_run_spoiled(parley_test_run_t *run, parley_proto_t proto,
    unsigned i);


#endif /* PARLEY_TEST_RUN_H */
