
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Headers of the request: checks those that describe the body, and makes those
 * that go to the upstream.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/request/ngx_http_parley_request.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "translate/parley_codec.h"
#include "translate/parley_engine.h"
#include "core/parley_escape.h"
#include "http/parley_media.h"
#include "gate/settings/parley_settings.h"
#include "http/parley_header.h"


/* size of a list that replaces a list with a client's Parley- headers */
#define NGX_HTTP_PARLEY_HEADERS_SIZE  20


/* headers that the gateway sends to the upstream */

typedef enum {
    NGX_HTTP_PARLEY_ENCODING = 0,
    NGX_HTTP_PARLEY_TYPE,
    NGX_HTTP_PARLEY_VERIFIED,
    NGX_HTTP_PARLEY_TRACE,
    NGX_HTTP_PARLEY_HEADERS
} ngx_http_parley_header_e;


typedef struct {
    ngx_str_t                     name;
    u_char                       *lowcase;
    ngx_uint_t                    hash;           /* hash of lowcase */
} ngx_http_parley_header_t;


static ngx_uint_t ngx_http_parley_headers_own(ngx_list_t *list);
static void ngx_http_parley_headers_list(ngx_list_t *list,
    ngx_table_elt_t *elts, ngx_uint_t n);
static ngx_int_t ngx_http_parley_headers_copy(ngx_http_request_t *r,
    ngx_list_t *from, ngx_uint_t all, ngx_uint_t replaced);
static void ngx_http_parley_headers_moved(ngx_http_request_t *r,
    ngx_table_elt_t *from, ngx_table_elt_t *to);
static ngx_table_elt_t *ngx_http_parley_header_push(ngx_http_request_t *r,
    ngx_http_parley_header_e header, parley_str_t value);
static ngx_int_t ngx_http_parley_verified(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_trace(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


static ngx_http_parley_header_t
    ngx_http_parley_headers[NGX_HTTP_PARLEY_HEADERS] =
{
    { ngx_string("Accept-Encoding"), (u_char *) "accept-encoding", 0 },
    { ngx_string("Content-Type"), (u_char *) "content-type", 0 },
    { ngx_string("Parley-Verified"), (u_char *) "parley-verified", 0 },
    { ngx_string("traceparent"), (u_char *) "traceparent", 0 }
};


/* Computes the hashes once. */

void
ngx_http_parley_headers_init(void)
{
    ngx_uint_t                 i;
    ngx_http_parley_header_t  *header;

    for (i = 0; i < NGX_HTTP_PARLEY_HEADERS; i++) {
        header = &ngx_http_parley_headers[i];
        header->hash = ngx_hash_key(header->lowcase, header->name.len);
    }
}


/*
 * Removes a client's Parley- headers before any other handler can read them.
 * It also runs for subrequests and in a dry run (SEC-05).
 */

ngx_int_t
ngx_http_parley_headers_handler(ngx_http_request_t *r)
{
    ngx_list_t                         old;
    ngx_table_elt_t                   *copy;
    const ngx_http_parley_loc_conf_t  *lcf;

    lcf = ngx_http_get_module_loc_conf(r, ngx_http_parley_module);

    if ((lcf->gate.accept == 0 && !lcf->proves)
        || !ngx_http_parley_headers_own(&r->headers_in.headers))
    {
        return NGX_DECLINED;
    }

    old = r->headers_in.headers;

    copy = ngx_palloc(r->pool, NGX_HTTP_PARLEY_HEADERS_SIZE
                               * sizeof(ngx_table_elt_t));
    if (copy == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    ngx_http_parley_headers_list(&r->headers_in.headers, copy,
                                 NGX_HTTP_PARLEY_HEADERS_SIZE);

    if (ngx_http_parley_headers_copy(r, &old, 0, 0) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return NGX_DECLINED;
}


static ngx_uint_t
ngx_http_parley_headers_own(ngx_list_t *list)
{
    ngx_uint_t        i;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;

    for (part = &list->part; part; part = part->next) {
        h = part->elts;

        for (i = 0; i < part->nelts; i++) {
            if (parley_header_is_own(ngx_http_parley_str(&h[i].key))) {
                return 1;
            }
        }
    }

    return 0;
}


ngx_int_t
ngx_http_parley_media(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_uint_t        i;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;
    parley_media_t    media;

    ngx_memzero(&media, sizeof(parley_media_t));

    for (part = &r->headers_in.headers.part; part; part = part->next) {
        h = part->elts;

        for (i = 0; i < part->nelts; i++) {

            if (parley_media_header(&media,
                                    parley_str_make(h[i].lowcase_key,
                                                    h[i].key.len),
                                    ngx_http_parley_str(&h[i].value),
                                    &ctx->error)
                != 0)
            {
                return NGX_DECLINED;
            }
        }
    }

    return NGX_OK;
}


/*
 * Makes a new list of the headers that may pass.  nginx's pointers into the
 * old list stay valid, so gzip to the client still works.
 */

ngx_int_t
ngx_http_parley_request_headers(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    ngx_uint_t        n;
    ngx_list_t        old;
    ngx_table_elt_t  *copy;

    old = r->headers_in.headers;
    n = old.part.nelts + NGX_HTTP_PARLEY_HEADERS;

    copy = parley_arena_alloc(&ctx->arena, n * sizeof(ngx_table_elt_t));
    if (copy == NULL) {
        return NGX_ERROR;
    }

    ngx_http_parley_headers_list(&r->headers_in.headers, copy, n);

    if (ngx_http_parley_headers_copy(r, &old, 1, !ctx->gate.out.sent.copied)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* the gateway must be able to read the answer */

    if (ngx_http_parley_header_push(r, NGX_HTTP_PARLEY_ENCODING,
                                    PARLEY_STR("identity"))
        == NULL)
    {
        return NGX_ERROR;
    }

    if (ctx->gate.serve.relays) {
        return ngx_http_parley_verified(r, ctx);
    }

    /* the upstream must read the body as the gateway did (SEC-02) */

    r->headers_in.content_type = ngx_http_parley_header_push(r,
                                   NGX_HTTP_PARLEY_TYPE,
                                   parley_codecs[ctx->lcf->gate.speak]->binding
                                                           ->media_type);

    if (r->headers_in.content_type == NULL
        || ngx_http_parley_verified(r, ctx) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_parley_trace(r, ctx);
}


/* As ngx_list_init(), with the caller's memory. */

static void
ngx_http_parley_headers_list(ngx_list_t *list, ngx_table_elt_t *elts,
    ngx_uint_t n)
{
    list->part.elts = elts;
    list->part.nelts = 0;
    list->part.next = NULL;
    list->last = &list->part;
    list->size = sizeof(ngx_table_elt_t);
    list->nalloc = n;
}


/*
 * Copies headers into r's list: all but the client's Parley- headers; with
 * all, only those that may go to the upstream.
 */

static ngx_int_t
ngx_http_parley_headers_copy(ngx_http_request_t *r, ngx_list_t *from,
    ngx_uint_t all, ngx_uint_t replaced)
{
    ngx_uint_t        i;
    parley_str_t      name;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h, *copy;

    for (part = &from->part; part; part = part->next) {
        h = part->elts;

        for (i = 0; i < part->nelts; i++) {
            name = parley_str_make(h[i].lowcase_key, h[i].key.len);

            if (all ? parley_header_is_kept_back(name, replaced)
                    : parley_header_is_own(name))
            {
                continue;
            }

            copy = ngx_list_push(&r->headers_in.headers);
            if (copy == NULL) {
                return NGX_ERROR;
            }

            *copy = h[i];

            if (!all) {
                ngx_http_parley_headers_moved(r, &h[i], copy);
            }
        }
    }

    return NGX_OK;
}


/* Updates a pointer in r->headers_in: nginx later changes the header through
   it, and the list must have the change. */

static void
ngx_http_parley_headers_moved(ngx_http_request_t *r, ngx_table_elt_t *from,
    ngx_table_elt_t *to)
{
    ngx_http_header_t   *header;
    ngx_table_elt_t    **known;

    for (header = ngx_http_headers_in; header->name.len; header++) {
        known = (ngx_table_elt_t **) ((char *) &r->headers_in
                                      + header->offset);
        if (*known == from) {
            *known = to;
        }
    }
}


/* Appends a header.  The value is printable and lives as long as the request.
   Returns NULL if memory is exhausted. */

static ngx_table_elt_t *
ngx_http_parley_header_push(ngx_http_request_t *r,
    ngx_http_parley_header_e header, parley_str_t value)
{
    ngx_table_elt_t  *h;

    h = ngx_list_push(&r->headers_in.headers);
    if (h == NULL) {
        return NULL;
    }

    ngx_memzero(h, sizeof(ngx_table_elt_t));

    h->hash = ngx_http_parley_headers[header].hash;
    h->key = ngx_http_parley_headers[header].name;
    h->lowcase_key = ngx_http_parley_headers[header].lowcase;
    h->value = ngx_http_parley_ngx_str(value);

    return h;
}


/*
 * Adds Parley-Verified: the proofs of the message, for the upstream (GW-08).
 * The values are percent-encoded, so that they cannot imitate other members
 * (SEC-05).
 */

static ngx_int_t
ngx_http_parley_verified(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    parley_buf_t   b;
    parley_str_t   value;

    if (ctx->gate.out.opts.principal.len == 0) {
        return NGX_OK;
    }

    parley_buf_init(&b, &ctx->arena, 0);

    parley_buf_lit(&b, "principal=\"");
    parley_escape_put(&b, ctx->gate.out.opts.principal, PARLEY_ESCAPE_VALUE);
    parley_buf_octet(&b, '"');

    if (ctx->who.jwt) {
        parley_buf_lit(&b, "; token");
    }

    if (ctx->who.certified) {
        parley_buf_lit(&b, "; certificate");
    }

    if (ctx->who.sig_verified) {
        parley_buf_lit(&b, "; signature=\"");
        parley_escape_put(&b, ctx->gate.out.opts.sig_alg, PARLEY_ESCAPE_VALUE);
        parley_buf_lit(&b, "\"; kid=\"");
        parley_escape_put(&b, ctx->gate.out.opts.sig_kid, PARLEY_ESCAPE_VALUE);
        parley_buf_octet(&b, '"');
    }

    if (parley_buf_done(&b, &value) != 0) {
        return NGX_ERROR;
    }

    return ngx_http_parley_header_push(r, NGX_HTTP_PARLEY_VERIFIED, value)
           ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_parley_trace(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    parley_str_t  value;

    if (ngx_http_parley_trace_out(ctx, &value) != NGX_OK) {
        return NGX_OK;
    }

    return ngx_http_parley_header_push(r, NGX_HTTP_PARLEY_TRACE, value)
           ? NGX_OK : NGX_ERROR;
}


/*
 * Uses the message's trace for the upstream's traceparent, or else the trace
 * of the request (AEE-12).
 */

ngx_int_t
ngx_http_parley_trace_out(ngx_http_parley_ctx_t *ctx, parley_str_t *ret)
{
    return parley_traceparent_format(&ctx->arena, ctx->msg.trace_id,
                                     ctx->msg.span_id, ret)
           == 0
           || parley_traceparent_format(&ctx->arena,
                                        ctx->gate.out.opts.trace_id,
                                        ctx->gate.out.opts.span_id, ret)
              == 0
           ? NGX_OK : NGX_DECLINED;
}
