
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Headers of the response: adds the gateway's, and removes those of a service
 * that must not reach the caller.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_headers_out.h"
#include "http/parley_header.h"


static void ngx_http_parley_headers_clear(ngx_list_t *list,
    ngx_uint_t replaced, parley_proto_t kept);


void
ngx_http_parley_answer_headers(ngx_http_request_t *r)
{
    ngx_http_parley_headers_clear(&r->headers_out.headers, 0,
                                  PARLEY_PROTO_NONE);
}


void
ngx_http_parley_answer_replaced(ngx_http_request_t *r, parley_proto_t kept)
{
    ngx_http_parley_headers_clear(&r->headers_out.headers, 1, kept);

    ngx_http_clear_content_length(r);
    ngx_http_clear_accept_ranges(r);
    ngx_http_clear_last_modified(r);
    ngx_http_clear_etag(r);
    ngx_http_clear_location(r);

    r->headers_out.refresh = NULL;
    r->headers_out.content_range = NULL;
    r->headers_out.content_encoding = NULL;
    r->headers_out.www_authenticate = NULL;
}


void
ngx_http_parley_answer_trailers(ngx_http_request_t *r, ngx_uint_t replaced)
{
    ngx_list_t  *trailers;

    trailers = &r->headers_out.trailers;

    if (replaced) {
        trailers->part.nelts = 0;
        trailers->part.next = NULL;
        trailers->last = &trailers->part;
        return;
    }

    ngx_http_parley_headers_clear(trailers, 0, PARLEY_PROTO_NONE);
}


static void
ngx_http_parley_headers_clear(ngx_list_t *list, ngx_uint_t replaced,
    parley_proto_t kept)
{
    ngx_uint_t        i;
    parley_str_t      name;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;

    for (part = &list->part; part; part = part->next) {
        h = part->elts;

        for (i = 0; i < part->nelts; i++) {
            name = ngx_http_parley_str(&h[i].key);

            if (parley_header_is_own(name)
                || (replaced && parley_header_is_of_body(name, kept)))
            {
                h[i].hash = 0;
            }
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


ngx_str_t *
ngx_http_parley_sent_header(ngx_http_request_t *r, const char *name,
    ngx_uint_t n)
{
    size_t            len;
    ngx_uint_t        i;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;

    len = ngx_strlen(name);

    for (part = &r->headers_out.headers.part; part; part = part->next) {
        h = part->elts;

        for (i = 0; i < part->nelts; i++) {
            if (h[i].hash && h[i].key.len == len
                && ngx_strncasecmp(h[i].key.data, (u_char *) name, len) == 0
                && n-- == 0)
            {
                return &h[i].value;
            }
        }
    }

    return NULL;
}


ngx_int_t
ngx_http_parley_read_only(ngx_http_request_t *r)
{
    if (r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD)) {
        return ngx_http_discard_request_body(r);
    }

    return ngx_http_parley_out_header(r, "Allow", PARLEY_STR("GET, HEAD"))
           == NGX_OK
           ? NGX_HTTP_NOT_ALLOWED : NGX_HTTP_INTERNAL_SERVER_ERROR;
}
