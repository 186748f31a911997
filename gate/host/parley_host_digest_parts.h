/* Private to gate/host/parley_host_digest*.c. */

#ifndef PARLEY_HOST_DIGEST_PARTS_H
#define PARLEY_HOST_DIGEST_PARTS_H

#include "gate/host/parley_host_digest.h"
#include "gate/host/parley_host_digest_text.h"


#define PARLEY_DIGEST_HEAD  4       /* octets of the number in the text of a
                                       job, before the sub */

/* Find the record of a reader, and put it.  Return as parley_host_thread_get()
   and _put(). */
int parley_host_digest_get(parley_host_t *h, parley_str_t sub,
    parley_digest_t *ret);
int parley_host_digest_put(parley_host_t *h, parley_str_t sub,
    const parley_digest_t *digest);

/* Fills the row of the audit log for a digest. */
void parley_host_digest_row(parley_str_t sub, parley_host_row_t *ret);


/* parley_host_digest_read.c */

#define PARLEY_DIGEST_ROWS  64      /* conversations of a digest */

/* ms for which a message waits for a later digest: it has a time before it has
   a place, so a log is in the order of times up to this */
#define PARLEY_DIGEST_SETTLES  1000

/* a digest that is being made */
typedef struct {
    parley_host_t              *h;
    const parley_principal_t   *reader;
    int64_t                     since_ms;   /* messages after this time, */
    int64_t                     through_ms; /* up to this one */
    unsigned                    records;    /* that may still be read, */
    size_t                      octets;     /* and octets of them */
    parley_chat_digest_row_t    rows[PARLEY_DIGEST_ROWS];
    unsigned                    nrows;
} parley_digest_made_t;

/* Counts the messages of the conversations that the reader may read.  Returns
   0, PARLEY_WAIT, or -1 with h->err. */
int parley_host_digest_read(parley_digest_made_t *made);


#endif /* PARLEY_HOST_DIGEST_PARTS_H */
