
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The processes that share the state.
 */


#ifndef _NGX_HTTP_PARLEY_PROCESS_H_INCLUDED_
#define _NGX_HTTP_PARLEY_PROCESS_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "state/parley_process.h"


/* ngx_http_parley_process.c */

void ngx_http_parley_process_self(parley_process_t *ret);
int ngx_http_parley_process_is_alive(void *ctx,
    const parley_process_t *process);

extern const parley_processes_t  ngx_http_parley_processes;


#endif /* _NGX_HTTP_PARLEY_PROCESS_H_INCLUDED_ */
