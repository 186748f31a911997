/* Private to gate/correlation/parley_correlation*.c. */

#ifndef PARLEY_CORRELATION_PARTS_H
#define PARLEY_CORRELATION_PARTS_H

#include "gate/correlation/parley_correlation.h"


#define PARLEY_CORRELATION_UNKNOWN                                            \
    "the answer refers to a message that is not open here"


/* names by which a message refers to a question */
typedef struct {
    int           own;      /* the message does not use the names that the
                               question was sent with */
    parley_str_t  corr;     /* correlation of the question */
    parley_str_t  told;     /* name of the asker; empty: unknown */
} parley_correlation_name_t;


/*
 * Returns whether r->msg, a reply, is between the parties of q.  above: the
 * result of parley_correlation_is_above().  If q names a scope for its answers,
 * the recipient is not compared: see parley_correlation_is_scoped().
 */
int parley_correlation_is_between(const parley_correlation_t *r,
    const parley_question_t *q, const parley_correlation_name_t *name,
    int above);

/* Returns whether a message is an answer, or reports progress. */
int parley_correlation_is_answer(const parley_msg_t *m);

/*
 * Returns whether r->msg goes to the scope that the answers of q go to.  A
 * message that names no recipient goes there.
 */
int parley_correlation_is_scoped(const parley_correlation_t *r,
    const parley_question_t *q, const parley_correlation_name_t *name);

/* Finds the name of a party in another protocol, by the directory or else by
   syntax.  Returns 0, or -1: the party has no name there, or no memory. */
int parley_correlation_map(const parley_correlation_t *r, parley_proto_t from,
    parley_str_t name, parley_proto_t to, parley_str_t *ret);

/* Returns whether r->msg and q have equal correlations, if both have one. */
int parley_correlation_is_there(const parley_correlation_t *r,
    const parley_question_t *q, const parley_correlation_name_t *name);

/*
 * Returns whether q, with the record id, escalates and was already sent to the
 * sender of the reply, a principal above the asker.  Returns 1, 0, PARLEY_WAIT,
 * or -1: the state gave no answer.
 */
int parley_correlation_is_above(const parley_correlation_t *r,
    const parley_question_t *q, const parley_record_id_t *id);

/* Returns whether r->msg names as its recipient only the two-party conversation
   corr of q, so that the asker is its recipient. */
int parley_correlation_is_dm(const parley_correlation_t *r,
    const parley_question_t *q, parley_str_t corr);

/*
 * Finds the message that r->msg takes back.  Returns as
 * parley_correlation_find() does.
 */
int parley_correlation_recalls(parley_correlation_t *r, parley_error_t *err);

/*
 * Reads one record.  Returns 1 and *ret; 0: the record is missing or closed;
 * PARLEY_WAIT; -1: no memory.
 */
int parley_correlation_record(parley_correlation_t *r,
    const parley_record_id_t *id, parley_record_t *ret);

/* Sets r->question to the content of a record.  Returns 0, or -1: no memory. */
int parley_correlation_keep(parley_correlation_t *r, parley_str_t record);

/* Returns PARLEY_WAIT if rc is PARLEY_WAIT, else -1: capacity. */
int parley_correlation_failed(const parley_correlation_t *r, int rc,
    parley_error_t *err);

/* Refuses r->msg with reply-unmatched and the text why. */
int parley_correlation_unmatched(parley_correlation_t *r, const char *why,
    parley_error_t *err);


#endif /* PARLEY_CORRELATION_PARTS_H */
