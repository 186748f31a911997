
/*
 * Copyright (C) 2026 The Parley authors
 *
 * What nginx made of a block: parley_block_facts_t.
 */


#ifndef _NGX_HTTP_PARLEY_FACTS_H_INCLUDED_
#define _NGX_HTTP_PARLEY_FACTS_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_conf.h"


/* As the block is merged: what it says itself. */
void ngx_http_parley_block_facts(ngx_conf_t *cf, parley_block_facts_t *ret);

/* As the configuration has been read to its end: what others say of it. */
void ngx_http_parley_block_facts_known(ngx_conf_t *cf,
    ngx_http_parley_accepting_t *place);


#endif /* _NGX_HTTP_PARLEY_FACTS_H_INCLUDED_ */
