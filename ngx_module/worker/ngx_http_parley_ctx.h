
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The context of a request.
 */


#ifndef _NGX_HTTP_PARLEY_CTX_H_INCLUDED_
#define _NGX_HTTP_PARLEY_CTX_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "gate/correlation/parley_answered.h"
#include "gate/message/parley_gate.h"
#include "translate/parley_loss.h"
#include "gate/party/parley_who.h"


typedef enum {
    NGX_HTTP_PARLEY_ANSWER_NONE = 0,
    NGX_HTTP_PARLEY_ANSWER_BUFFER,     /* JSON: the header is held, the body
                                          collected */
    NGX_HTTP_PARLEY_ANSWER_EVENTS,     /* SSE: event by event */
    NGX_HTTP_PARLEY_ANSWER_HELD,       /* JSON: held until the state answers */
    NGX_HTTP_PARLEY_ANSWER_DONE
} ngx_http_parley_answer_e;


typedef struct ngx_http_parley_sse_s  ngx_http_parley_sse_t;


/* the handlers of the upstream module, see ngx_http_parley_upstream.c */
typedef struct {
    ngx_int_t                   (*init)(void *data);
    ngx_int_t                   (*unbuffered)(void *data, ssize_t bytes);
    ngx_event_pipe_input_filter_pt  buffered;
    void                        (*finalize)(ngx_http_request_t *r,
                                            ngx_int_t rc);
    unsigned                      broken:1;
} ngx_http_parley_upstream_t;


typedef void (*ngx_http_parley_waited_pt)(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
typedef ngx_int_t (*ngx_http_parley_resume_pt)(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


/* The functions of request/ that lower rooms call.  mcf->contexts has
   them. */
typedef struct ngx_http_parley_contexts_s {
    /* Returns the context of a request, and makes it if there is none.  NULL:
       memory is exhausted. */
    ngx_http_parley_ctx_t      *(*get)(ngx_http_request_t *r);

    /*
     * frame prepares the context of a WebSocket message, whose memory is in
     * pool, and leave ends it.  r opened the WebSocket.
     */
    void                        (*frame)(ngx_http_parley_ctx_t *ctx,
                                         ngx_http_request_t *r,
                                         ngx_pool_t *pool);
    void                        (*leave)(ngx_http_parley_ctx_t *ctx);
} ngx_http_parley_contexts_t;


/*
 * The context of one request.  It outlives an internal redirect (error_page).
 * The pool's cleanup handler releases reservations that are not settled.
 */
struct ngx_http_parley_ctx_s {
    ngx_http_request_t           *request;
    ngx_http_parley_worker_t     *worker;
    const ngx_http_parley_main_conf_t  *mcf;
    const ngx_http_parley_loc_conf_t   *lcf;

    parley_arena_t                arena;

    /* access */
    ngx_queue_t                   jwks_queue;     /* used while jwks_waiting */

    parley_gate_t                 gate;
    parley_error_t                error;

    /* not cleared */
    parley_json_t                 edited_doc;     /* after capping and
                                                     redaction */
    parley_loss_t                 loss;
    u_char                        random[16];     /* for an id, if drawn */

    parley_who_t                  who;

    parley_str_t                  body;
    parley_json_t                 doc;
    parley_msg_t                  msg;

    ngx_event_t                   deadline;

    /* forward */
    ngx_list_t                    client_headers; /* as received */
    ngx_table_elt_t              *client_type;
    ngx_str_t                     client_args;
    ngx_str_t                     client_uri;     /* unparsed */
    ngx_uint_t                    client_version; /* HTTP version */
    ngx_http_handler_pt           content_handler;
    ngx_http_upstream_t          *tried;          /* upstream before the
                                                     continuation */
    ngx_http_event_handler_pt     write_handler;  /* the upstream module's
                                                     own */

    /* answer */
    ngx_http_parley_upstream_t    upstream;
    ngx_uint_t                    answer;         /* ..._answer_e */
    ngx_chain_t                  *gathered;
    ngx_chain_t                 **gathered_last;
    size_t                        gathered_size;
    parley_answered_t             answered;       /* the result of a complete
                                                     answer */
    parley_reply_t                reply;
    parley_str_t                  answer_trace;   /* traceparent, or empty */
    ngx_http_parley_sse_t        *sse;
    void                        (*sse_stop)(ngx_http_parley_ctx_t *ctx);
                                                  /* ends the events of sse
                                                     with ctx->error */
    void                         *inflate;
    ngx_int_t                   (*upgraded)(ngx_http_request_t *r,
                                            ngx_http_parley_ctx_t *ctx);
                                                  /* sends the 101 of a service
                                                     and takes the WebSocket */
    struct ngx_http_parley_socket_s  *socket;     /* the WebSocket that the
                                                     request has opened, or
                                                     NULL */

    struct ngx_http_parley_subscriber_s  *held;   /* the held request's
                                                     subscriber, or NULL */
    ngx_http_parley_resume_pt     held_answer;    /* answers the request when
                                                     held has the answer */
    uint64_t                      audit_line;     /* audit line of the verdict;
                                                     0: none */
    uint64_t                      begun;          /* ns; 0: time is not
                                                     measured now */
    uint64_t                      spent;          /* ns, time in Parley */
    uint64_t                      sent;           /* ns, time of forwarding; 0:
                                                     not forwarded yet */

    ngx_event_t                   waiting;        /* limit of the wait for the
                                                     state */
    ngx_http_parley_waited_pt     waited;         /* called after the wait;
                                                     NULL: no wait */
    ngx_http_parley_resume_pt     resumed;        /* continues an answer after
                                                     the wait */
    ngx_http_parley_waited_pt     again;          /* continues a message
                                                     outside of the phases;
                                                     NULL: the phase runs
                                                     again */

    unsigned                      audit_tried:1;
    unsigned                      jwks_tried:1;
    unsigned                      jwks_waiting:1;
    unsigned                      body_read:1;
    unsigned                      drawn:1;        /* random is filled */
    unsigned                      forwarded:1;    /* every step passed */
    unsigned                      resume:1;       /* continues at another
                                                     location */
    unsigned                      dry:1;          /* dry run: unchanged */
    unsigned                      proven:1;       /* a request without a message
                                                     passed */
    unsigned                      unread:1;       /* logged: a variable was read
                                                     too early */
    unsigned                      replied:1;      /* the gateway sends its own
                                                     reply */
    unsigned                      out:1;          /* an internal redirection
                                                     was refused */
    unsigned                      cut:1;          /* the rest of the answer is
                                                     dropped */
    unsigned                      left:1;         /* the client has left */
    unsigned                      seated:1;       /* counted as a connection of
                                                     gate.proof.account */
};


/* bit in r->buffered that no filter of nginx uses */
#define NGX_HTTP_PARLEY_BUFFERED  0x08


/* ngx_http_parley_count.c */

/* Begin and end the measurement of the time that Parley spends on a
   message. */
void ngx_http_parley_count_begin(ngx_http_parley_ctx_t *ctx);
void ngx_http_parley_count_end(ngx_http_parley_ctx_t *ctx);

/* called by the hooks of the gate */
void ngx_http_parley_count_verdict(ngx_http_parley_ctx_t *ctx);
void ngx_http_parley_count_outcome(ngx_http_parley_ctx_t *ctx,
    const parley_outcome_t *outcome);


#endif /* _NGX_HTTP_PARLEY_CTX_H_INCLUDED_ */
