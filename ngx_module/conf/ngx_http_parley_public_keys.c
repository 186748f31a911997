
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Handles the content of parley_public_keys (OPS-09) and parley_moq_endpoint
 * (MOQ-08).  The texts were made when the configuration was read: the keys of
 * the public parts, so no request uses a private key.  Every client may read
 * them, without a token or TLS, unless a proof is required at the location of
 * parley_moq_endpoint.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_headers_out.h"
#include "ngx_module/conf/ngx_http_parley_directives.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"


/* maximum age in a client's cache; the next key is published for a longer time
   before it signs */
#define NGX_HTTP_PARLEY_PUBLIC_CACHE   "public, max-age=300"
#define NGX_HTTP_PARLEY_PRIVATE_CACHE  "private, max-age=300"


static ngx_int_t ngx_http_parley_public_send(ngx_http_request_t *r,
    parley_str_t type, parley_str_t text, parley_str_t cache);


ngx_int_t
ngx_http_parley_public_keys_handler(ngx_http_request_t *r)
{
    const ngx_http_parley_main_conf_t  *mcf;

    mcf = ngx_http_get_module_main_conf(r, ngx_http_parley_module);

    return ngx_http_parley_public_send(r,
                                    PARLEY_STR("application/jwk-set+json"),
                                    mcf->http.public_keys,
                                    PARLEY_STR(NGX_HTTP_PARLEY_PUBLIC_CACHE));
}


ngx_int_t
ngx_http_parley_public_endpoint_handler(ngx_http_request_t *r)
{
    const ngx_http_parley_loc_conf_t  *lcf;

    lcf = ngx_http_get_module_loc_conf(r, ngx_http_parley_module);

    return ngx_http_parley_public_send(r, PARLEY_STR("application/json"),
                                    lcf->moq_endpoint,
                                    lcf->proves
                                    ? PARLEY_STR(NGX_HTTP_PARLEY_PRIVATE_CACHE)
                                    : PARLEY_STR(NGX_HTTP_PARLEY_PUBLIC_CACHE));
}


static ngx_int_t
ngx_http_parley_public_send(ngx_http_request_t *r, parley_str_t type,
    parley_str_t text, parley_str_t cache)
{
    ngx_int_t    rc;
    ngx_chain_t  out;

    rc = ngx_http_parley_read_only(r);

    if (rc != NGX_OK) {
        return rc;
    }

    r->headers_out.status = NGX_HTTP_OK;
    r->headers_out.content_length_n = text.len;
    r->headers_out.content_type = ngx_http_parley_ngx_str(type);
    r->headers_out.content_type_len = type.len;
    r->headers_out.content_type_lowcase = NULL;

    if (ngx_http_parley_out_header(r, "Cache-Control", cache) != NGX_OK
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

    out.buf = ngx_http_parley_last_buf(r, text);
    out.next = NULL;

    return out.buf ? ngx_http_output_filter(r, &out) : NGX_ERROR;
}
