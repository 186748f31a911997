
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Headers: what the upstream gets beside the message, and what may be said
 * in a response.
 */


#include "ngx_http_parley_module.h"


/* headers of the gateway's to the upstream */

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
    ngx_uint_t                    hash;           /* of lowcase */
} ngx_http_parley_header_t;


static void ngx_http_parley_list(ngx_list_t *list, ngx_table_elt_t *elts,
    ngx_uint_t n);
static ngx_int_t ngx_http_parley_header_dropped(ngx_table_elt_t *h,
    ngx_uint_t translated);
static ngx_int_t ngx_http_parley_header_push(ngx_http_request_t *r,
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


/* the hashes, once instead of with every request */

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
 * The list is made anew without what must not pass.  nginx's own pointers
 * into the old one stay good, so that gzip to the client still works.
 */

ngx_int_t
ngx_http_parley_request_headers(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    ngx_uint_t        i, n, translated;
    ngx_list_t        old;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h, *copy;

    translated = !ctx->sent.copied;
    old = r->headers_in.headers;
    n = old.part.nelts + NGX_HTTP_PARLEY_HEADERS;

    copy = parley_arena_alloc(&ctx->arena, n * sizeof(ngx_table_elt_t));
    if (copy == NULL) {
        return NGX_ERROR;
    }

    ngx_http_parley_list(&r->headers_in.headers, copy, n);

    part = &old.part;
    h = part->elts;

    for (i = 0; /* void */ ; i++) {

        if (i >= part->nelts) {
            if (part->next == NULL) {
                break;
            }

            part = part->next;
            h = part->elts;
            i = 0;
        }

        if (ngx_http_parley_header_dropped(&h[i], translated)) {
            continue;
        }

        copy = ngx_list_push(&r->headers_in.headers);
        if (copy == NULL) {
            return NGX_ERROR;
        }

        *copy = h[i];
    }

    /* an answer must be readable here */

    if (ngx_http_parley_header_push(r, NGX_HTTP_PARLEY_ENCODING,
                                    PARLEY_STR("identity"))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (translated
        && ngx_http_parley_header_push(r, NGX_HTTP_PARLEY_TYPE,
                                  parley_codecs[ctx->lcf->speak]->media_type)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_http_parley_verified(r, ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_parley_trace(r, ctx);
}


/* as ngx_list_init() does, with memory of the caller's */

static void
ngx_http_parley_list(ngx_list_t *list, ngx_table_elt_t *elts, ngx_uint_t n)
{
    list->part.elts = elts;
    list->part.nelts = 0;
    list->part.next = NULL;
    list->last = &list->part;
    list->size = sizeof(ngx_table_elt_t);
    list->nalloc = n;
}


/* nobody but the gateway says Parley- */

static ngx_int_t
ngx_http_parley_header_dropped(ngx_table_elt_t *h, ngx_uint_t translated)
{
    parley_str_t  name;

    name = parley_str_make(h->lowcase_key, h->key.len);

    return parley_str_begins(name, "parley-")
           || parley_str_is(name, "accept-encoding")
           || parley_str_is(name, "traceparent")
           || (translated && parley_str_is(name, "content-type"));
}


/* the value is printable, and lives as long as the request */

static ngx_int_t
ngx_http_parley_header_push(ngx_http_request_t *r,
    ngx_http_parley_header_e header, parley_str_t value)
{
    ngx_table_elt_t  *h;

    h = ngx_list_push(&r->headers_in.headers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(h, sizeof(ngx_table_elt_t));

    h->hash = ngx_http_parley_headers[header].hash;
    h->key = ngx_http_parley_headers[header].name;
    h->lowcase_key = ngx_http_parley_headers[header].lowcase;
    h->value = ngx_http_parley_ngx_str(value);

    return NGX_OK;
}


/*
 * GW-08: what was verified about the message, for upstreams that ask.  Values
 * are percent-encoded: each header says one thing (SEC-05).
 */

static ngx_int_t
ngx_http_parley_verified(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    parley_buf_t   b;
    parley_str_t   value;

    if (ctx->opts.principal.len == 0) {
        return NGX_OK;
    }

    parley_buf_init(&b, &ctx->arena, 0);

    parley_buf_lit(&b, "principal=\"");
    parley_escape_put(&b, ctx->opts.principal, PARLEY_ESCAPE_VALUE);
    parley_buf_octet(&b, '"');

    if (ctx->who.jwt) {
        parley_buf_lit(&b, "; token");
    }

    if (ctx->who.sig_verified) {
        parley_buf_lit(&b, "; signature=\"");
        parley_escape_put(&b, ctx->opts.sig_alg, PARLEY_ESCAPE_VALUE);
        parley_buf_lit(&b, "\"; kid=\"");
        parley_escape_put(&b, ctx->opts.sig_kid, PARLEY_ESCAPE_VALUE);
        parley_buf_octet(&b, '"');
    }

    if (parley_buf_done(&b, &value) != 0) {
        return NGX_ERROR;
    }

    return ngx_http_parley_header_push(r, NGX_HTTP_PARLEY_VERIFIED, value);
}


/*
 * AEE-12: the message's own trace is the upstream's traceparent; where it
 * has none, the one that came with the request goes on.
 */

static ngx_int_t
ngx_http_parley_trace(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    parley_str_t  value;

    if (parley_traceparent_format(&ctx->arena, ctx->msg.trace_id,
                                  ctx->msg.span_id, &value)
        != 0
        && parley_traceparent_format(&ctx->arena, ctx->opts.trace_id,
                                     ctx->opts.span_id, &value)
           != 0)
    {
        return NGX_OK;
    }

    return ngx_http_parley_header_push(r, NGX_HTTP_PARLEY_TRACE, value);
}


ngx_str_t *
ngx_http_parley_in_header(ngx_http_request_t *r, const char *name)
{
    size_t            len;
    ngx_uint_t        i;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;

    len = ngx_strlen(name);
    part = &r->headers_in.headers.part;
    h = part->elts;

    for (i = 0; /* void */ ; i++) {

        if (i >= part->nelts) {
            if (part->next == NULL) {
                return NULL;
            }

            part = part->next;
            h = part->elts;
            i = 0;
        }

        if (h[i].key.len == len
            && ngx_memcmp(h[i].lowcase_key, name, len) == 0)
        {
            return &h[i].value;
        }
    }
}


ngx_int_t
ngx_http_parley_out_header(ngx_http_request_t *r, const char *name,
    parley_str_t value)
{
    ngx_table_elt_t  *h;

    if (value.len == 0) {
        return NGX_OK;
    }

    h = ngx_list_push(&r->headers_out.headers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(h, sizeof(ngx_table_elt_t));

    h->hash = 1;
    h->key.data = (u_char *) name;
    h->key.len = ngx_strlen(name);
    h->value = ngx_http_parley_ngx_str(value);

    return NGX_OK;
}
