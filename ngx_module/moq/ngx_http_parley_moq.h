
/*
 * Copyright (C) 2026 The Parley authors
 *
 * MoQ on nginx's QUIC: connections of agents, see gate/link/parley_link.h.
 */


#ifndef _NGX_HTTP_PARLEY_MOQ_H_INCLUDED_
#define _NGX_HTTP_PARLEY_MOQ_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"


struct parley_stream_request_s;        /* parley_stream_request.h */


/*
 * ngx_http_parley_moq_conf() prepares servers with parley_moq, in
 * postconfiguration, after Parley's filters.  ngx_http_parley_moq_listen()
 * takes the streams of their listeners, when the listeners are open.
 */
ngx_int_t ngx_http_parley_moq_conf(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf);
void ngx_http_parley_moq_listen(ngx_cycle_t *cycle,
    const ngx_http_parley_main_conf_t *mcf);

/*
 * The sockets of QUIC at a reload.  Before the master starts workers, it makes
 * the sockets by which they talk, if the configuration has parley_moq or an
 * older one had it.  Then a worker begins, and exits.
 */
void ngx_http_parley_moq_pair_make(ngx_cycle_t *cycle, ngx_uint_t used);
void ngx_http_parley_moq_handover_enter(ngx_cycle_t *cycle);
void ngx_http_parley_moq_handover_leave(void);

/* As ngx_http_parley_stream_open(), for an inner request of a connection. */
ngx_int_t ngx_http_parley_moq_open(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const struct parley_stream_request_s *opening);


#endif /* _NGX_HTTP_PARLEY_MOQ_H_INCLUDED_ */
