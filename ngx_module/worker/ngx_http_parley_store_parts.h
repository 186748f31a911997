
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The parts of a worker's store: its configuration, and its connection.
 */


#ifndef _NGX_HTTP_PARLEY_STORE_PARTS_H_INCLUDED_
#define _NGX_HTTP_PARLEY_STORE_PARTS_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "gate/settings/parley_store_settings.h"
#include "state/store/parley_store.h"

#include <ngx_event_connect.h>


#define NGX_HTTP_PARLEY_STORE_LINES  8
#define NGX_HTTP_PARLEY_STORE_WHY    256


struct ngx_http_parley_store_conf_s {
    const parley_store_settings_t  *settings;
    ngx_url_t                     url;
    ngx_ssl_t                    *ssl;            /* NULL: no TLS */
    ngx_str_t                     name;           /* name in the certificate,
                                                     with a NUL */
    u_char                        secret[PARLEY_KEY_SECRET];
    u_char                        digest[17];     /* of the configuration */
    parley_store_conf_t           store;
};

typedef struct ngx_http_parley_store_conf_s  ngx_http_parley_store_conf_t;


typedef enum {
    NGX_HTTP_PARLEY_STORE_CLOSED = 0,
    NGX_HTTP_PARLEY_STORE_CONNECTING,
    NGX_HTTP_PARLEY_STORE_OPEN
} ngx_http_parley_store_link_e;


/* the connection of a worker to the server */

typedef struct {
    ngx_http_parley_store_link_e  is;
    ngx_peer_connection_t         peer;
    ngx_uint_t                    next;           /* address to try next */
    ngx_log_t                     log;
    ngx_msec_t                    logged;         /* end of the time in which
                                                     nginx's own lines about
                                                     the connection are left
                                                     out */
    ngx_event_t                   deadline;       /* of connecting */
    ngx_event_t                   told;           /* tells the store that the
                                                     connection has failed */
    ngx_event_t                   flush;          /* sends the buffer */
    char                          why[NGX_HTTP_PARLEY_STORE_WHY];

    u_char                       *buf;            /* octets to send */
    size_t                        size;
    size_t                        sent;
    size_t                        len;
} ngx_http_parley_store_link_t;


/* a line of the log that was written before */

typedef struct {
    uint32_t                      hash;
    ngx_msec_t                    until;
} ngx_http_parley_store_line_t;


struct ngx_http_parley_store_s {
    parley_store_t               *store;
    parley_store_env_t            env;
    const ngx_http_parley_store_conf_t  *conf;
    parley_store_conf_t           store_conf;     /* as in conf, with the name
                                                     of the node */
    ngx_http_parley_worker_t     *worker;
    ngx_log_t                    *log;
    ngx_event_t                   timer;          /* of the store */
    ngx_event_t                   tick;           /* counts */
    parley_store_stat_t           counted;        /* values in the slot */
    ngx_http_parley_store_line_t  lines[NGX_HTTP_PARLEY_STORE_LINES];
    ngx_uint_t                    line;
    ngx_http_parley_store_link_t  link;
};

typedef struct ngx_http_parley_store_s  ngx_http_parley_store_t;


/* ngx_http_parley_store_link.c */

void ngx_http_parley_store_link_init(ngx_http_parley_store_t *st);

/* functions of parley_store_env_t; ctx is the ..._store_t */
void ngx_http_parley_store_connect(void *ctx);
void ngx_http_parley_store_send(void *ctx, parley_str_t octets);
void ngx_http_parley_store_close(void *ctx);

/* Connects, sends and reads, once; used while the event loop does not run.
   Waits at most ms for the server. */
void ngx_http_parley_store_link_turn(ngx_http_parley_store_t *st,
    ngx_msec_t ms);


#endif /* _NGX_HTTP_PARLEY_STORE_PARTS_H_INCLUDED_ */
