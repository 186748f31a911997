
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The structures of the module, by name, and what every file needs.
 */


#ifndef _NGX_HTTP_PARLEY_MODULE_H_INCLUDED_
#define _NGX_HTTP_PARLEY_MODULE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>
#include "core/parley_str.h"


struct parley_value_s;      /* parley_settings.h */
struct parley_handshake_answer_s;   /* parley_handshake.h */


typedef struct ngx_http_parley_main_conf_s  ngx_http_parley_main_conf_t;
typedef struct ngx_http_parley_worker_s     ngx_http_parley_worker_t;
typedef struct ngx_http_parley_zone_s       ngx_http_parley_zone_t;
typedef struct ngx_http_parley_ctx_s        ngx_http_parley_ctx_t;

/* a block of the configuration in the gate's form, see parley_settings.h */
typedef struct parley_settings_s            ngx_http_parley_loc_conf_t;


extern ngx_module_t  ngx_http_parley_module;


/* conversion between the string types */

#define ngx_http_parley_str(s)    parley_str_make((s)->data, (s)->len)

static ngx_inline ngx_str_t
ngx_http_parley_ngx_str(parley_str_t s)
{
    ngx_str_t  v;

    v.len = s.len;
    v.data = (u_char *) s.data;

    return v;
}


/* Returns the wall clock in milliseconds, as cached by nginx. */
static ngx_inline int64_t
ngx_http_parley_now(void)
{
    ngx_time_t  *tp;

    tp = ngx_timeofday();

    return (int64_t) tp->sec * 1000 + tp->msec;
}


/* ngx_http_parley_ctx.c */

/* Returns the value of the first header with this lower-case name, or NULL. */
ngx_str_t *ngx_http_parley_in_header(ngx_http_request_t *r,
    const char *name);

/* Reads the header of a service's 101. */
void ngx_http_parley_upgrade_answer(ngx_http_upstream_t *u,
    struct parley_handshake_answer_s *ret);

/* Evaluates the variables in a value of a directive; data is NULL if it has no
   value. */
ngx_int_t ngx_http_parley_value(ngx_http_request_t *r,
    const struct parley_value_s *value, parley_str_t *ret);


#endif /* _NGX_HTTP_PARLEY_MODULE_H_INCLUDED_ */
