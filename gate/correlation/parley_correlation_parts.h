/* Private to gate/correlation/parley_correlation*.c. */

#ifndef PARLEY_CORRELATION_PARTS_H
#define PARLEY_CORRELATION_PARTS_H

#include "gate/correlation/parley_correlation.h"


#define PARLEY_CORRELATION_UNKNOWN                                            \
    "it refers to no message that passed here and still waits"


/* how a message names the question that it answers */
typedef struct {
    int           own;      /* by another name than it was sent under */
    parley_str_t  corr;     /* the question's correlation there */
    parley_str_t  told;     /* the asker's name there; empty: unknown */
} parley_correlation_name_t;


/*
 * Returns whether r->msg, a reply, is between the parties of q; above: what
 * parley_correlation_is_above() returned.  If q says where its answers go, the
 * recipient is not compared: see parley_correlation_is_scoped().
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

/* Finds a name in another protocol: the name that the directory has for it,
   else by syntax.  Returns 0, or -1: there is no such name, or no memory. */
int parley_correlation_map(const parley_correlation_t *r, parley_proto_t from,
    parley_str_t name, parley_proto_t to, parley_str_t *ret);

/* Returns whether r->msg has the correlation of q, as far as both have one. */
int parley_correlation_is_there(const parley_correlation_t *r,
    const parley_question_t *q, const parley_correlation_name_t *name);

/*
 * Whether q, which is kept under id, escalates, and who replies is above its
 * sender and was asked so far.  Returns 1, 0, PARLEY_WAIT, or -1: there is no
 * answer.
 */
int parley_correlation_is_above(const parley_correlation_t *r,
    const parley_question_t *q, const parley_record_id_t *id);

/* Whether r->msg names as its recipient nobody but the conversation of two,
   corr, that q was published in: so it is for who asked. */
int parley_correlation_is_dm(const parley_correlation_t *r,
    const parley_question_t *q, parley_str_t corr);

/*
 * Finds what a message that takes an earlier one back refers to.  Returns as
 * parley_correlate() does.
 */
int parley_correlation_recalls(parley_correlation_t *r, parley_error_t *err);

/*
 * Reads one record.  Returns 1 and *ret; 0: the record is missing or closed;
 * PARLEY_WAIT; -1: no memory.
 */
int parley_correlation_record(parley_correlation_t *r,
    const parley_record_id_t *id, parley_record_t *ret);

/* Sets r->question to what a record holds.  Returns 0, or -1: no memory. */
int parley_correlation_keep(parley_correlation_t *r, parley_str_t record);

/* Returns PARLEY_WAIT if rc is that, else -1: no memory. */
int parley_correlation_failed(int rc, parley_error_t *err);

/* Refuses r->msg with reply-unmatched; why is the text. */
int parley_correlation_unmatched(parley_correlation_t *r, const char *why,
    parley_error_t *err);


#endif /* PARLEY_CORRELATION_PARTS_H */
