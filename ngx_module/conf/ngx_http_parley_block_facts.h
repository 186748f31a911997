
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The facts that nginx has about a block: parley_block_facts_t.
 */


#ifndef _NGX_HTTP_PARLEY_FACTS_H_INCLUDED_
#define _NGX_HTTP_PARLEY_FACTS_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_conf.h"


/* Reads the facts of the block itself, when it is merged. */
void ngx_http_parley_block_facts(ngx_conf_t *cf, parley_block_facts_t *ret);

/*
 * Notes the server of a parley_moq that is read, unless a quic_host_key
 * precedes it.  nginx makes a random key before the blocks are merged, which
 * cannot be told from a configured one of the same length.
 */
ngx_int_t ngx_http_parley_block_facts_unkeyed(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf);

/* Adds the facts that depend on other blocks, at the end of the
   configuration. */
void ngx_http_parley_block_facts_known(ngx_conf_t *cf,
    ngx_http_parley_accepting_t *place);


#endif /* _NGX_HTTP_PARLEY_FACTS_H_INCLUDED_ */
