
/*
 * Copyright (C) 2026 The Parley authors
 */


#ifndef _NGX_HTTP_PARLEY_LATER_H_INCLUDED_
#define _NGX_HTTP_PARLEY_LATER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>

#include "state/memory/parley_memory.h"


/* Makes the verbs of a state complete later. */
void ngx_http_parley_later(parley_memory_t *state, ngx_log_t *log);


#endif /* _NGX_HTTP_PARLEY_LATER_H_INCLUDED_ */
