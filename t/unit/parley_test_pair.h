/*
 * Checks the promises of docs/mapping.md for one message and one ordered pair
 * of protocols.  Equal input gives equal octets.  The result is valid and
 * contains no nested envelope.  The way back gives the same message.  The loss
 * report names exactly the members that do not come back.
 */

#ifndef PARLEY_TEST_PAIR_H
#define PARLEY_TEST_PAIR_H

#include "t/unit/parley_test_form.h"
#include "t/unit/parley_test_translate.h"


/* result for a message */
typedef enum {
    PARLEY_TEST_PAIR_FAILED = -1,   /* a promise was broken */
    PARLEY_TEST_PAIR_REFUSED = 0,   /* the message is invalid: pair->err */
    PARLEY_TEST_PAIR_UNSAID,        /* no equivalent in the target: pair->err */
    PARLEY_TEST_PAIR_SAID
} parley_test_pair_result_t;


typedef struct {
    parley_arena_t        *arena;
    parley_proto_t         from;
    parley_proto_t         to;
    uint64_t               variant;     /* chooses the configuration */

    const char            *failed;      /* the broken promise; NULL: none */
    char                   what[2000];  /* description of the failure */

    parley_test_message_t  m;
    parley_error_t         err;
    parley_encoded_t       made;
    int                    held;        /* in the text of a frame */
    int                    knock;       /* its content is withheld */
    parley_loss_t          loss;

    /* a directory of two principals: the sender and the recipient */
    parley_str_t           names[2][PARLEY_PROTO_COUNT];
    parley_str_t           human;
    parley_str_t           instrument;
} parley_test_pair_t;


/*
 * Checks all promises for a message.  from, to, variant and arena are set; the
 * function fills everything else.
 */
parley_test_pair_result_t parley_test_pair(parley_test_pair_t *pair,
    parley_str_t text);

/* Records that a promise is broken; returns FAILED. */
parley_test_pair_result_t parley_test_pair_broken(parley_test_pair_t *pair,
    const char *promise, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * parley_test_nested.c: checks that the result has no more envelopes than the
 * message.  Returns 0, or -1 with pair->failed.
 */
int parley_test_pair_nested(parley_test_pair_t *pair,
    const parley_test_message_t *there);

/*
 * parley_test_home.c: checks a carried message that is back in its own
 * protocol.  Its members must be in their old places, and ignored members of
 * its container must be reported.  Returns 0, or -1 with pair->failed.
 */
int parley_test_pair_home(parley_test_pair_t *pair,
    const parley_test_message_t *there);

/*
 * parley_test_loss.c: compares the message with the result of the way back.
 * Returns 0, or -1 with pair->failed.
 */
int parley_test_pair_compare(parley_test_pair_t *pair,
    const parley_test_message_t *back);


#endif /* PARLEY_TEST_PAIR_H */
