/*
 * The promises of docs/mapping.md, asked of one message and one ordered pair
 * of protocols: the same input gives the same octets, what is made is valid
 * and nothing is nested in it, the way back gives the same, and the loss
 * report names what does not come back and nothing else.
 */

#ifndef PARLEY_TEST_PAIR_H
#define PARLEY_TEST_PAIR_H

#include "t/unit/parley_test_form.h"
#include "t/unit/parley_test_translate.h"


/* what became of a message */
typedef enum {
    PARLEY_TEST_PAIR_FAILED = -1,   /* a promise was broken */
    PARLEY_TEST_PAIR_REFUSED = 0,   /* it is no message: pair->err */
    PARLEY_TEST_PAIR_UNSAID,        /* the target cannot say it: pair->err */
    PARLEY_TEST_PAIR_SAID
} parley_test_pair_result_t;


typedef struct {
    parley_arena_t        *arena;
    parley_proto_t         from;
    parley_proto_t         to;
    uint64_t               variant;     /* chooses the configuration */

    const char            *failed;      /* the promise; NULL: none */
    char                   what[2000];  /* and how it was broken */

    parley_test_message_t  m;
    parley_error_t         err;
    parley_encoded_t       made;
    int                    held;        /* in the text of a frame */
    int                    knock;       /* its content is withheld */
    parley_loss_t          loss;

    /* a directory of two principals: who sends, who receives */
    parley_str_t           names[2][PARLEY_PROTO_COUNT];
    parley_str_t           human;
    parley_str_t           instrument;
} parley_test_pair_t;


/* Whether the mapping has this pair. */
int parley_test_pair_is(parley_proto_t from, parley_proto_t to);

/*
 * Asks all of it of the message text.  from, to, variant and arena are set;
 * everything else is filled.
 */
parley_test_pair_result_t parley_test_pair(parley_test_pair_t *pair,
    parley_str_t text);

/* Records that a promise is broken; returns FAILED. */
parley_test_pair_result_t parley_test_pair_broken(parley_test_pair_t *pair,
    const char *promise, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Whether there are more envelopes in what was made than in the message:
 * parley_test_nested.c.  Returns 0, or -1: pair->failed.
 */
int parley_test_pair_nested(parley_test_pair_t *pair,
    const parley_test_message_t *there);

/*
 * Whether what was carried, and has come home, stands where it stood, and all
 * that nobody reads of it is reported: parley_test_home.c.  Returns 0, or -1:
 * pair->failed.
 */
int parley_test_pair_home(parley_test_pair_t *pair,
    const parley_test_message_t *there);

/*
 * Compares the message with what came back: parley_test_loss.c.  Returns 0,
 * or -1: pair->failed.
 */
int parley_test_pair_compare(parley_test_pair_t *pair,
    const parley_test_message_t *back);


#endif /* PARLEY_TEST_PAIR_H */
