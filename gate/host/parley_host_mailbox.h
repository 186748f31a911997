/* The records of a mailbox.  Private to the host. */

#ifndef PARLEY_HOST_MAILBOX_H
#define PARLEY_HOST_MAILBOX_H

#include "gate/host/parley_host_parts.h"


/* a mailbox and a page of its records */
typedef struct {
    parley_host_call_t        *c;
    parley_gate_t             *g;
    parley_host_t             *h;
    const parley_principal_t  *reader;
    uint8_t                    log[PARLEY_KEY_LEN];
    parley_place_t             cursor;
    uint32_t                   generation;
    parley_log_page_t          page;
    unsigned                   begins:1;    /* the page begins after the
                                               cursor */
    parley_host_conversation_t asked;       /* newest argument and result of */
    int                        reads;       /* _mailbox_reads() */
} parley_host_mailbox_t;

/*
 * Reads a page: _read() the n records after the cursor, _next() the n records
 * after the page or, backward, before it.  Returns 1; 0: the caller has no
 * mailbox, or it is empty, or no record follows; PARLEY_WAIT; or -1 with
 * g->err.
 */
int parley_host_mailbox_read(parley_host_mailbox_t *k, size_t n);
int parley_host_mailbox_next(parley_host_mailbox_t *k, size_t n,
    int backward);

/* Reads record i if it is an event for the reader, which needs no
   acknowledgment up to mode MAILBOX.  Returns 1, or 0. */
int parley_host_mailbox_event(const parley_host_mailbox_t *k, int i,
    parley_publication_t *p, parley_host_views_t *views,
    parley_host_row_t *row);

/* Returns whether the reader may read the conversation of an event: 1, 0,
   PARLEY_WAIT, or -1 with g->err. */
int parley_host_mailbox_reads(parley_host_mailbox_t *k,
    const parley_host_views_t *views);


/* parley_host_ack.c */

/*
 * Acknowledges all events after the cursor up to a place, at most
 * PARLEY_HOST_ACKED.  The page becomes another one.  Returns 1, PARLEY_WAIT, or
 * -1 with g->err: field-invalid.
 */
int parley_host_ack_through(parley_host_mailbox_t *k, parley_str_t place);


#endif /* PARLEY_HOST_MAILBOX_H */
