
/*
 * Copyright (C) 2026 The Parley authors
 *
 * An inner request: a main request that a QUIC connection of MoQ makes for its
 * client.  It takes all phases of its location, as a request of the client
 * itself would.  Its response is collected in memory.
 */


#ifndef _NGX_HTTP_PARLEY_INNER_H_INCLUDED_
#define _NGX_HTTP_PARLEY_INNER_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"


/* octets of the code and of the text of a refusal */
#define NGX_HTTP_PARLEY_INNER_CODE  64
#define NGX_HTTP_PARLEY_INNER_TEXT  192


typedef struct ngx_http_parley_inner_s  ngx_http_parley_inner_t;

/* Receives the end of an inner request, once, from the event loop.  in is freed
   afterwards. */
typedef void (*ngx_http_parley_inner_pt)(ngx_http_parley_inner_t *in);


/* an inner request that begins; the strings are copied */
typedef struct {
    ngx_http_conf_ctx_t          *server;         /* configuration of its
                                                     server */
    ngx_str_t                     uri;            /* decoded path */
    ngx_str_t                     args;
    ngx_str_t                     host;           /* authority; empty: none */
    ngx_str_t                     token;          /* bearer token; empty:
                                                     none */
    ngx_str_t                     body;           /* JSON, of a POST */
    size_t                        max;            /* octets of a response; a
                                                     longer one is not whole */
    uint64_t                      session;        /* Session ID of a frame, and
                                                     its Stream ID; for a
                                                     POST */
    uint32_t                      stream;
    unsigned                      posts:1;        /* POST, else GET */
    ngx_http_parley_inner_pt      handler;
    void                         *data;
} ngx_http_parley_inner_begin_t;


struct ngx_http_parley_inner_s {
    ngx_http_parley_inner_pt      handler;        /* NULL: none */
    void                         *data;

    ngx_uint_t                    status;         /* status of the response;
                                                     0: no response */
    ngx_str_t                     response;       /* body */
    unsigned                      whole:1;        /* the response is complete */
    unsigned                      problem:1;      /* it is a problem of HTTP,
                                                     and not of a protocol */
    unsigned                      posts:1;
    unsigned                      expired:1;      /* the token has expired */
    u_char                        code[NGX_HTTP_PARLEY_INNER_CODE];
    u_char                        text[NGX_HTTP_PARLEY_INNER_TEXT];
                                                  /* of Parley's refusal, with a
                                                     NUL */

    u_char                        session[16];    /* Session ID in hex */
    uint32_t                      stream;

    /* private */
    ngx_http_request_t           *request;        /* NULL: ended */
    ngx_event_t                   ended;
    ngx_log_t                     log;
    ngx_http_log_ctx_t            log_ctx;
    ngx_http_connection_t         http;
    ngx_sockaddr_t                sockaddr;
    ngx_sockaddr_t                local_sockaddr;
    size_t                        max;
    size_t                        size;           /* allocated octets of
                                                     response */
    u_char                        address[NGX_SOCKADDR_STRLEN];
};


#if (NGX_HTTP_V3)

/*
 * Begins an inner request of the QUIC connection c.  Returns NULL if it cannot
 * begin.  The caller must end it before c ends, unless handler was called: by
 * ngx_http_parley_inner_cancel(), or by ngx_http_parley_inner_leave(), which
 * lets the request end by itself.  The handler is not called after that.
 */
ngx_http_parley_inner_t *ngx_http_parley_inner_begin(ngx_connection_t *c,
    const ngx_http_parley_inner_begin_t *begin);
void ngx_http_parley_inner_cancel(ngx_http_parley_inner_t *in);
void ngx_http_parley_inner_leave(ngx_http_parley_inner_t *in);

/* Returns the inner request to which r belongs, or NULL. */
ngx_http_parley_inner_t *ngx_http_parley_inner(ngx_http_request_t *r);

/* ngx_http_validate_host() of nginx.  port is 0 before 1.29.3. */
ngx_int_t ngx_http_parley_inner_host(ngx_str_t *host, ngx_pool_t *pool,
    in_port_t *port);

/* Inserts the filter that collects responses after Parley's own filters. */
void ngx_http_parley_inner_filter(void);

#else

#define ngx_http_parley_inner(r)  ((ngx_http_parley_inner_t *) NULL)

#endif


#endif /* _NGX_HTTP_PARLEY_INNER_H_INCLUDED_ */
