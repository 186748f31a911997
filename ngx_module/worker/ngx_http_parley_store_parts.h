
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The parts of a worker's store: its configuration, and its connections.
 */


#ifndef _NGX_HTTP_PARLEY_STORE_PARTS_H_INCLUDED_
#define _NGX_HTTP_PARLEY_STORE_PARTS_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "gate/settings/parley_store_settings.h"
#include "state/store/parley_store.h"
#include "state/store/parley_store_sentinel.h"

#include <ngx_event_connect.h>


#define NGX_HTTP_PARLEY_STORE_LINES  32
#define NGX_HTTP_PARLEY_STORE_LINES_SECOND  10
#define NGX_HTTP_PARLEY_STORE_WHY    256


/* a server to connect to */

typedef struct {
    ngx_addr_t                    addr;
    ngx_str_t                     name;           /* name in the certificate,
                                                     with a NUL */
} ngx_http_parley_store_server_t;


struct ngx_http_parley_store_conf_s {
    const parley_store_settings_t  *settings;
    ngx_str_t                     label;          /* address in lines of the
                                                     log */
    ngx_http_parley_store_server_t  *servers;     /* the Sentinels, or the
                                                     addresses of the engine */
    ngx_uint_t                    nservers;
    ngx_ssl_t                    *ssl;            /* NULL: no TLS */
    parley_store_sentinel_conf_t  sentinel;       /* the primary's name is
                                                     empty: no Sentinel */
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


typedef struct ngx_http_parley_store_s  ngx_http_parley_store_t;


/* a connection of a worker to the server */

typedef struct {
    ngx_http_parley_store_t      *st;
    parley_store_link_t           which;
    ngx_http_parley_store_link_e  is;
    ngx_peer_connection_t         peer;
    ngx_uint_t                    next;           /* server to try next */
    const ngx_http_parley_store_server_t  *server;  /* of this connection */
    parley_store_sentinel_t       question;       /* to a Sentinel */
    ngx_uint_t                    asks;           /* Sentinels that this attempt
                                                     may still ask, and this
                                                     one; 0: the connection is
                                                     to the engine */
    ngx_http_parley_store_server_t  primary;      /* as a Sentinel has told */
    ngx_sockaddr_t                primary_addr;
    u_char                        primary_name[NGX_SOCKADDR_STRLEN];
    u_char                        primary_host[PARLEY_STORE_SENTINEL_HOST];
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
    ngx_uint_t                    level;
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
    time_t                        second;         /* of the last line */
    ngx_uint_t                    written;        /* lines in this second */
    ngx_http_parley_store_link_t  links[PARLEY_STORE_LINKS];
};


/* Empties the buffer of a link: the octets may have a password. */
static ngx_inline void
ngx_http_parley_store_forget(ngx_http_parley_store_link_t *link)
{
    if (link->buf) {
        explicit_bzero(link->buf, link->len);
    }

    link->sent = 0;
    link->len = 0;
}


/* ngx_http_parley_store_link.c */

void ngx_http_parley_store_link_init(ngx_http_parley_store_t *st);

/* functions of parley_store_env_t; ctx is the ..._store_t */
void ngx_http_parley_store_connect(void *ctx, parley_store_link_t which);
void ngx_http_parley_store_send(void *ctx, parley_store_link_t which,
    parley_str_t octets);
void ngx_http_parley_store_close(void *ctx, parley_store_link_t which);

/* Connects, sends and reads, once; used while the event loop does not run.
   Waits at most ms for the server. */
void ngx_http_parley_store_link_turn(ngx_http_parley_store_link_t *link,
    ngx_msec_t ms);


/* ngx_http_parley_store_sentinel.c */

/* The question of link was answered: sets link->primary, and logs a change. */
void ngx_http_parley_store_sentinel_named(ngx_http_parley_store_link_t *link);

/* Logs why the Sentinel of link has not named the primary. */
void ngx_http_parley_store_sentinel_failed(ngx_http_parley_store_link_t *link);


#endif /* _NGX_HTTP_PARLEY_STORE_PARTS_H_INCLUDED_ */
