
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Handles the content of parley_public_keys (OPS-09).  The text was made of
 * the public parts when the configuration was read, so no request uses a
 * private key.  Every client may read it, without a token or TLS.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_headers_out.h"
#include "ngx_module/conf/ngx_http_parley_directives.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"


/* maximum age of the keys in a client's cache; the next key is published for a
   longer time before it signs */
#define NGX_HTTP_PARLEY_PUBLIC_KEYS_CACHE  "public, max-age=300"


ngx_int_t
ngx_http_parley_public_keys_handler(ngx_http_request_t *r)
{
    ngx_int_t                           rc;
    ngx_chain_t                         out;
    const ngx_http_parley_main_conf_t  *mcf;

    rc = ngx_http_parley_read_only(r);

    if (rc != NGX_OK) {
        return rc;
    }

    mcf = ngx_http_get_module_main_conf(r, ngx_http_parley_module);

    r->headers_out.status = NGX_HTTP_OK;
    r->headers_out.content_length_n = mcf->http.public_keys.len;

    ngx_str_set(&r->headers_out.content_type, "application/jwk-set+json");
    r->headers_out.content_type_len = r->headers_out.content_type.len;
    r->headers_out.content_type_lowcase = NULL;

    if (ngx_http_parley_out_header(r, "Cache-Control",
                               PARLEY_STR(NGX_HTTP_PARLEY_PUBLIC_KEYS_CACHE))
        != NGX_OK
        || ngx_http_parley_out_header(r, "X-Content-Type-Options",
                                      PARLEY_STR("nosniff"))
           != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    out.buf = ngx_http_parley_last_buf(r, mcf->http.public_keys);
    out.next = NULL;

    return out.buf ? ngx_http_output_filter(r, &out) : NGX_ERROR;
}
