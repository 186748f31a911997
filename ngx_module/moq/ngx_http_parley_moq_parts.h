
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Parts of ngx_http_parley_moq.h.
 */


#ifndef _NGX_HTTP_PARLEY_MOQ_PARTS_H_INCLUDED_
#define _NGX_HTTP_PARLEY_MOQ_PARTS_H_INCLUDED_


#include "ngx_module/moq/ngx_http_parley_inner.h"
#include "ngx_module/moq/ngx_http_parley_moq.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"


#if (NGX_HTTP_V3)

#include <ngx_event_quic_connection.h>
#include "gate/link/parley_link.h"


/*
 * Open streams of a connection: unidirectional ones of a client, at first and
 * once it is wide; its requests, without the control stream; those of the
 * gateway.  nginx takes a connection of the worker for each before the module
 * sees it.  If none is free it closes the QUIC connection of the client, and
 * it has no use for stream_reject_code_uni: it would send RESET_STREAM on a
 * stream that only the client sends.
 */
#define NGX_HTTP_PARLEY_MOQ_UNI       16
#define NGX_HTTP_PARLEY_MOQ_WIDE      128
#define NGX_HTTP_PARLEY_MOQ_REQUESTS  16
#define NGX_HTTP_PARLEY_MOQ_STREAMS   32

/* code of a request above the limit: CANCELLED */
#define NGX_HTTP_PARLEY_MOQ_REJECTED  1

/* frames that nginx holds for a connection; it closes one with 10 000 */
#define NGX_HTTP_PARLEY_MOQ_FRAMES   4096

/* octets that are sent as one piece, and that are read as one */
#define NGX_HTTP_PARLEY_MOQ_PIECE    16384

/* ms that a connection may use for its posts after the worker has to exit */
#define NGX_HTTP_PARLEY_MOQ_LEAVE    5000

/* ms that it then waits for acknowledgments */
#define NGX_HTTP_PARLEY_MOQ_LAST     1000


typedef struct ngx_http_parley_moq_s         ngx_http_parley_moq_t;
typedef struct ngx_http_parley_moq_stream_s  ngx_http_parley_moq_stream_t;
typedef struct ngx_http_parley_moq_reader_s  ngx_http_parley_moq_reader_t;
typedef struct ngx_http_parley_moq_tap_s     ngx_http_parley_moq_tap_t;


/* a stream; it is in the pool of its connection */
struct ngx_http_parley_moq_stream_s {
    ngx_queue_t                   queue;          /* in peers, or in opened */
    ngx_http_parley_moq_t        *moq;
    ngx_connection_t             *connection;
    parley_link_stream_t         *link;           /* NULL: a stream of the
                                                     gateway, or nothing more is
                                                     wanted */
    u_char                       *rest;           /* octets that the link has
                                                     not taken; NULL: none */
    size_t                        rest_len;
    unsigned                      peers:1;        /* the peer has opened it */
    unsigned                      control:1;
    unsigned                      request:1;      /* it counts in nrequests */
    unsigned                      fin:1;          /* its end was read */
    unsigned                      held:1;         /* it waits for resume() */
};


/* a connection; it is in the pool of the QUIC connection */
struct ngx_http_parley_moq_s {
    ngx_http_connection_t        *http;           /* must be first: nginx reads
                                                     it as that of HTTP/3 */
    ngx_connection_t             *connection;
    ngx_http_parley_worker_t     *worker;
    parley_link_t                *link;           /* NULL: it has ended */
    const ngx_http_parley_accepting_t  *place;    /* location of SETUP's path;
                                                     NULL: not known yet */
    ngx_str_t                     authority;      /* of SETUP, without a user,
                                                     in lower case */
    ngx_event_handler_pt          input;          /* nginx's handler of a
                                                     datagram */
    ngx_event_t                   turn;           /* posted for any work outside
                                                     of the link */
    ngx_event_t                   timer;          /* of the link */
    ngx_event_t                   age;            /* end of its life */

    ngx_queue_t                   peers;          /* streams of the peer */
    ngx_uint_t                    nrequests;      /* of them, requests */
    ngx_queue_t                   opened;         /* streams of the gateway */
    ngx_uint_t                    nopened;        /* at most, since the last
                                                     count */
    size_t                        lag;            /* maximum of outstanding
                                                     octets */
    size_t                        outstanding;    /* at most, since the last
                                                     count */

    ngx_http_parley_moq_stream_t *out_stream;     /* of out */
    u_char                       *out;            /* piece that is not sent yet;
                                                     NULL: none */
    size_t                        out_len;

    ngx_queue_t                   posts;
    ngx_uint_t                    nposts;         /* that run */
    ngx_queue_t                   readers;        /* proofs and fetches */
    ngx_queue_t                   taps;           /* logs of tracks */
    u_char                        session[32];    /* name of the session of its
                                                     mailbox */

    const char                   *why;            /* reason of its end; NULL:
                                                     the end is nginx's */

    unsigned                      counted:1;
    unsigned                      wide:1;         /* its client may open
                                                     NGX_HTTP_PARLEY_MOQ_WIDE
                                                     streams */
    unsigned                      full:1;         /* the worker takes no further
                                                     connection */
    unsigned                      crowded:1;      /* a request was refused, and
                                                     logged */
    unsigned                      blocked:1;      /* the link waits for
                                                     parley_link_writable() */
    unsigned                      heard:1;        /* a datagram came since */
    unsigned                      resumes:1;      /* held streams go on */
    unsigned                      leaving:1;
    unsigned                      left:1;         /* nginx ends it */
    unsigned                      closed:1;       /* env->close was called */
};


/* ngx_http_parley_moq_connection.c */

/* Returns whether a QUIC connection is one of MoQ. */
ngx_uint_t ngx_http_parley_moq_is(ngx_connection_t *c);

/* Callbacks of nginx's QUIC: a connection begins, has to end because the worker
   exits, and has a new stream. */
ngx_int_t ngx_http_parley_moq_begin(ngx_connection_t *c);
void ngx_http_parley_moq_shutdown(ngx_connection_t *c);

/* Ends the link; nginx ends the QUIC connection. */
void ngx_http_parley_moq_end(ngx_http_parley_moq_t *moq);

/*
 * Ends a series of calls of the link: sends the octets that they have written,
 * and sets the timer.  Callbacks of the link and of the hub must not call it;
 * they post moq->turn.
 */
void ngx_http_parley_moq_done(ngx_http_parley_moq_t *moq);
void ngx_http_parley_moq_post_turn(ngx_http_parley_moq_t *moq);


/* ngx_http_parley_moq.c */

/* callback of parley_link_env_t */
int ngx_http_parley_moq_locate(void *ctx, parley_str_t authority,
    parley_str_t path, parley_link_conf_t *ret, parley_moqt_fault_t *fault);


/* ngx_http_parley_moq_stream.c */

void ngx_http_parley_moq_stream(ngx_connection_t *c);
void ngx_http_parley_moq_stream_free(ngx_connection_t *c);

/* Lets the client open more streams if it is proved, needs them, and the worker
   has connections for them. */
void ngx_http_parley_moq_stream_widen(ngx_http_parley_moq_t *moq);

/* Passes input on to the link that it had left over. */
void ngx_http_parley_moq_stream_resume(ngx_http_parley_moq_t *moq);

/* Sends the piece that waits. */
void ngx_http_parley_moq_stream_flush(ngx_http_parley_moq_t *moq);

/* callbacks of parley_link_env_t */
int64_t ngx_http_parley_moq_stream_write(void *ctx, void *stream,
    parley_str_t octets);
void *ngx_http_parley_moq_stream_open(void *ctx);
void ngx_http_parley_moq_stream_finish(void *ctx, void *stream);
void ngx_http_parley_moq_stream_reset(void *ctx, void *stream, uint64_t code);


/* ngx_http_parley_moq_post.c */

/* callback of parley_link_env_t */
int ngx_http_parley_moq_post(void *ctx, parley_link_post_t *post);

/* Begins posts that wait, and gives all of them up. */
void ngx_http_parley_moq_post_begin(ngx_http_parley_moq_t *moq);
void ngx_http_parley_moq_post_leave(ngx_http_parley_moq_t *moq);


/* ngx_http_parley_moq_agents.c */

/* callback of parley_link_env_t */
int ngx_http_parley_moq_agents(void *ctx, parley_link_session_t *session,
    int (*each)(void *data, parley_str_t agent), void *data);


/* ngx_http_parley_moq_mailbox.c */

/* callbacks of parley_link_env_t */
int ngx_http_parley_moq_prove(void *ctx, const parley_link_proof_t *proof);
int ngx_http_parley_moq_fetch(void *ctx, parley_link_fetch_t *fetch);
void ngx_http_parley_moq_abandon(void *ctx, parley_link_fetch_t *fetch);
void ngx_http_parley_moq_forget(void *ctx, parley_link_session_t *session);

/* Does the work that callbacks of the link and of the hub have left, and ends
   all proofs. */
void ngx_http_parley_moq_mailbox_turn(ngx_http_parley_moq_t *moq);
void ngx_http_parley_moq_mailbox_leave(ngx_http_parley_moq_t *moq);

/* Lets the hub write again. */
void ngx_http_parley_moq_mailbox_writable(ngx_http_parley_moq_t *moq);


/* ngx_http_parley_moq_tap.c */

/* callbacks of parley_link_env_t */
int ngx_http_parley_moq_join(void *ctx, parley_link_tap_t *tap);
void ngx_http_parley_moq_part(void *ctx, parley_link_tap_t *tap);
int ngx_http_parley_moq_relay(void *ctx, parley_link_relay_t *relay);

/* Does what the callbacks of link and hub have left, and ends all. */
void ngx_http_parley_moq_taps_turn(ngx_http_parley_moq_t *moq);
void ngx_http_parley_moq_taps_leave(ngx_http_parley_moq_t *moq);

/* As ngx_http_parley_moq_open().  Returns NGX_DECLINED for the request of
   a proof or of a fetch. */
ngx_int_t ngx_http_parley_moq_tap_open(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const struct parley_stream_request_s *opening);

#endif


#endif /* _NGX_HTTP_PARLEY_MOQ_PARTS_H_INCLUDED_ */
