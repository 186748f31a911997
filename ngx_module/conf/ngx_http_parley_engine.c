
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The translation engine of a configuration.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/conf/ngx_http_parley_directives.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "translate/parley_engine.h"


static void ngx_http_parley_engine_cleanup(void *data);


ngx_int_t
ngx_http_parley_engine_init(ngx_conf_t *cf, ngx_http_parley_main_conf_t *mcf)
{
    parley_error_t       err;
    ngx_pool_cleanup_t  *cln;

    cln = ngx_pool_cleanup_add(cf->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    mcf->engine = parley_engine_create(&parley_mem_libc, &err);

    if (mcf->engine == NULL) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                           "parley: the schemas do not compile: %s %s",
                           err.field, err.text);
        return NGX_ERROR;
    }

    cln->handler = ngx_http_parley_engine_cleanup;
    cln->data = mcf->engine;

    return NGX_OK;
}


static void
ngx_http_parley_engine_cleanup(void *data)
{
    parley_engine_destroy(data);
}
