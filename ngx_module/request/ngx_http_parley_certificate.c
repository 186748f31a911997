
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The client's certificate, if nginx has verified it (SEC-17).
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/request/ngx_http_parley_request.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "auth/parley_certificate.h"


#if (NGX_HTTP_SSL)

/* values of ssl_verify_client */
#define NGX_HTTP_PARLEY_VERIFY_ON        1
#define NGX_HTTP_PARLEY_VERIFY_OPTIONAL  2


static ngx_uint_t ngx_http_parley_verify_is_on(ngx_http_ssl_srv_conf_t *sscf);
static X509 *ngx_http_parley_certificate_shown(ngx_http_request_t *r);
static int ngx_http_parley_certificate_take(ngx_http_parley_ctx_t *ctx,
    X509 *x509, const parley_certificate_t **ret);


ngx_uint_t
ngx_http_parley_verifies(ngx_conf_t *cf)
{
    return ngx_http_parley_verify_is_on(
               ngx_http_conf_get_module_srv_conf(cf, ngx_http_ssl_module));
}


/* optional_no_ca does not count, because it verifies nothing. */

static ngx_uint_t
ngx_http_parley_verify_is_on(ngx_http_ssl_srv_conf_t *sscf)
{
    return sscf->verify == NGX_HTTP_PARLEY_VERIFY_ON
           || sscf->verify == NGX_HTTP_PARLEY_VERIFY_OPTIONAL;
}


int
ngx_http_parley_certificate(parley_gate_t *g,
    const parley_certificate_t **ret)
{
    int                     rc;
    X509                   *x509;
    ngx_http_parley_ctx_t  *ctx = g->ctx;

    *ret = NULL;

    x509 = ngx_http_parley_certificate_shown(ctx->request);

    if (x509 == NULL) {
        return 0;
    }

    rc = ngx_http_parley_certificate_take(ctx, x509, ret);

    X509_free(x509);

    return rc;
}


/*
 * Returns a certificate that the authorities of the request's server have
 * verified, or NULL.  A client that names one server in TLS and another one in
 * Host has shown its certificate to the first one only.
 */

static X509 *
ngx_http_parley_certificate_shown(ngx_http_request_t *r)
{
    SSL                      *ssl;
    ngx_http_ssl_srv_conf_t  *sscf;

    if (r->connection->ssl == NULL) {
        return NULL;
    }

    ssl = r->connection->ssl->connection;
    sscf = ngx_http_get_module_srv_conf(r, ngx_http_ssl_module);

    if (!ngx_http_parley_verify_is_on(sscf)
        || SSL_get_SSL_CTX(ssl) != sscf->ssl.ctx
        || SSL_get_verify_result(ssl) != X509_V_OK)
    {
        return NULL;
    }

    return SSL_get_peer_certificate(ssl);
}


static int
ngx_http_parley_certificate_take(ngx_http_parley_ctx_t *ctx, X509 *x509,
    const parley_certificate_t **ret)
{
    parley_certificate_t  *certificate;

    certificate = parley_arena_alloc(&ctx->arena,
                                     sizeof(parley_certificate_t));
    if (certificate == NULL) {
        return parley_error_memory(&ctx->error);
    }

    if (parley_certificate_read(&ctx->arena, x509, certificate, &ctx->error)
        != 0)
    {
        return -1;
    }

    *ret = certificate;

    return 0;
}

#else


ngx_uint_t
ngx_http_parley_verifies(ngx_conf_t *cf)
{
    return 0;
}


int
ngx_http_parley_certificate(parley_gate_t *g,
    const parley_certificate_t **ret)
{
    *ret = NULL;

    return 0;
}

#endif
