
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Readers of a MoQ connection: its proofs and its fetches.
 */


#ifndef _NGX_HTTP_PARLEY_MOQ_READER_H_INCLUDED_
#define _NGX_HTTP_PARLEY_MOQ_READER_H_INCLUDED_


#include "ngx_module/moq/ngx_http_parley_moq_parts.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"


#if (NGX_HTTP_V3)

/* ms without a record after which a fetch has all that are left */
#define NGX_HTTP_PARLEY_MOQ_IDLE  1000


struct ngx_http_parley_moq_reader_s {
    ngx_http_parley_subscriber_t  sub;            /* must be first: callbacks
                                                     cast it */
    ngx_queue_t                   queue;          /* in moq->readers */
    ngx_http_parley_moq_t        *moq;
    parley_link_session_t        *session;        /* session of a proof; NULL:
                                                     proof of CLIENT_SETUP */
    parley_link_fetch_t          *fetch;          /* NULL: it is a proof */
    ngx_http_parley_inner_t      *inner;          /* NULL: it has not begun, or
                                                     has ended */
    ngx_pool_cleanup_t           *cleanup;        /* cleanup of the request, if
                                                     it is a subscriber */
    ngx_event_t                   timer;          /* end of the proof, or of an
                                                     idle fetch */
    ngx_str_t                     token;
    ngx_str_t                     principal;      /* allocated; its agent
                                                     follows */
    size_t                        agent_len;
    parley_place_t                place;          /* of the last record */
    uint64_t                      first;          /* first record that is left,
                                                     if lost */
    parley_end_t                  why;            /* of over */

    unsigned                      listens:1;
    unsigned                      begun:1;        /* its request has begun */
    unsigned                      proved:1;       /* the steps have passed */
    unsigned                      opened:1;       /* place is known */
    unsigned                      replaces:1;     /* it has ended the proof
                                                     before it */
    unsigned                      told:1;         /* the link has the result */
    unsigned                      blocked:1;      /* the hub has more */
    unsigned                      over:1;         /* the hub has ended it */
    unsigned                      lost:1;
    unsigned                      done:1;         /* the fetch is complete */
    unsigned                      forgotten:1;    /* the link does not need
                                                     it */
    u_char                        octets[];       /* token */
};


extern const ngx_http_parley_transport_t  ngx_http_parley_moq_transport;


/* Returns the proof that reads the mailbox, or NULL. */
ngx_http_parley_moq_reader_t *ngx_http_parley_moq_reader_listening(
    ngx_http_parley_moq_t *moq);

/* Receives the end of the request of a reader. */
void ngx_http_parley_moq_reader_ended(ngx_http_parley_inner_t *in);

#endif


#endif /* _NGX_HTTP_PARLEY_MOQ_READER_H_INCLUDED_ */
