
/*
 * Copyright (C) 2026 The Parley authors
 *
 * An answer that is one JSON document.  The header is held and the body
 * collected; then both continue in the caller's protocol.  gate/ decides on
 * the meaning of the answer and on the reservation.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/answer/ngx_http_parley_headers_out.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "gate/correlation/parley_exchange.h"
#include "http/parley_media.h"
#include "gate/settings/parley_settings.h"


static void ngx_http_parley_answer_sessions(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_answer_is_events(ngx_http_request_t *r);
static parley_charset_t ngx_http_parley_answer_charset(ngx_http_request_t *r);
static ngx_int_t ngx_http_parley_answer_by_nginx(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_answer_gather(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_buf_t *b);
static ngx_int_t ngx_http_parley_answer_cut(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_answer_finish(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_answer_resume(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_answer_understand(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_answer_join(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret);


ngx_int_t
ngx_http_parley_answer_header(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    ctx->gathered_last = &ctx->gathered;
    r->filter_need_in_memory = 1;

    ngx_http_parley_upstream_watch(r, ctx);

    if (ctx->error.code == PARLEY_E_NONE
        && !ngx_http_parley_answer_by_nginx(r, ctx))
    {
        if (r->headers_out.content_encoding
            && r->headers_out.content_encoding->value.len
            && ngx_http_parley_inflate_start(r, ctx) != NGX_OK)
        {
            return NGX_ERROR;
        }

        ngx_http_parley_answer_sessions(r, ctx);

        if (ctx->error.code == PARLEY_E_NONE && !ctx->gate.serve.erases
            && !ctx->gate.serve.socket && ngx_http_parley_answer_is_events(r))
        {
            if (ngx_http_parley_answer_charset(r) == PARLEY_CHARSET_OTHER) {
                ngx_http_parley_upstream_error(ctx,
                                               PARLEY_UPSTREAM_ERROR_CHARSET);

            } else if (ctx->inflate == NULL) {
                ctx->answer = NGX_HTTP_PARLEY_ANSWER_EVENTS;
                return ngx_http_parley_sse_start(r, ctx);
            }

            /* Parley asks for identity; compressed events cannot be
               streamed */

            ngx_http_parley_upstream_error(ctx,
                                           PARLEY_UPSTREAM_ERROR_EVENTS_CODED);

        } else if (ctx->gate.serve.relays && !ctx->gate.serve.erases
                   && r->headers_out.status < NGX_HTTP_BAD_REQUEST)
        {
            ngx_http_parley_upstream_error(ctx, ctx->gate.serve.socket
                                           ? PARLEY_UPSTREAM_ERROR_NO_SOCKET
                                           : PARLEY_UPSTREAM_ERROR_NO_EVENTS);
        }
    }

    ctx->answer = NGX_HTTP_PARLEY_ANSWER_BUFFER;

    return NGX_OK;
}


static void
ngx_http_parley_answer_sessions(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    ngx_str_t           *id;
    ngx_uint_t           i, n;
    const parley_str_t  *names;

    names = parley_gate_sessions(&ctx->gate);

    for (i = 0;
         names && i < PARLEY_BINDING_SESSIONS && names[i].len;
         i++)
    {
        for (n = 0;
             (id = ngx_http_parley_sent_header(r, (char *) names[i].data, n));
             n++)
        {
            if (parley_gate_session_given(&ctx->gate, i,
                                          ngx_http_parley_str(id))
                != 0)
            {
                ngx_http_parley_upstream_error(ctx,
                                               PARLEY_UPSTREAM_ERROR_SESSIONS);
                return;
            }
        }
    }
}


static ngx_int_t
ngx_http_parley_answer_is_events(ngx_http_request_t *r)
{
    size_t      len;
    ngx_str_t  *type;

    type = &r->headers_out.content_type;
    len = sizeof("text/event-stream") - 1;

    return r->headers_out.status == NGX_HTTP_OK
           && type->len >= len
           && ngx_strncasecmp(type->data, (u_char *) "text/event-stream", len)
              == 0
           && (type->len == len || type->data[len] == ';'
               || type->data[len] == ' ' || type->data[len] == '\t');
}


/*
 * Returns the charset of the answer's Content-Type that differs most from
 * UTF-8.  nginx keeps only the last of an upstream's Content-Type headers.
 */

static parley_charset_t
ngx_http_parley_answer_charset(ngx_http_request_t *r)
{
    ngx_uint_t         i;
    ngx_list_part_t   *part;
    ngx_table_elt_t   *h;
    parley_charset_t   charset, worst;

    if (r->upstream == NULL) {
        return parley_media_charset(
                            ngx_http_parley_str(&r->headers_out.content_type));
    }

    worst = PARLEY_CHARSET_UTF8;

    for (part = &r->upstream->headers_in.headers.part;
         part;
         part = part->next)
    {
        h = part->elts;

        for (i = 0; i < part->nelts; i++) {

            if (h[i].key.len != sizeof("content-type") - 1
                || ngx_memcmp(h[i].lowcase_key, "content-type", h[i].key.len)
                   != 0)
            {
                continue;
            }

            charset = parley_media_charset(ngx_http_parley_str(&h[i].value));
            worst = ngx_max(worst, charset);
        }
    }

    return worst;
}


/*
 * Returns whether the answer is an error page of nginx, without an answer of
 * an upstream.  Fills ctx->error.  The page itself is read and dropped.
 */

static ngx_int_t
ngx_http_parley_answer_by_nginx(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    if (r->headers_out.status < NGX_HTTP_BAD_REQUEST
        || !ngx_http_parley_upstream_is_silent(r))
    {
        return 0;
    }

    ngx_http_parley_upstream_note(r, ctx);

    return 1;
}


ngx_int_t
ngx_http_parley_answer_body(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_chain_t *in)
{
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    for (cl = in; cl; cl = cl->next) {
        b = cl->buf;

        if (ngx_http_parley_answer_gather(r, ctx, b) == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (ngx_http_parley_upstream_broke_off(r, b)) {
            ngx_http_parley_upstream_error(ctx, PARLEY_UPSTREAM_ERROR_EARLY);
            return ngx_http_parley_answer_finish(r, ctx);
        }

        if (b->last_buf) {
            return ngx_http_parley_answer_finish(r, ctx);
        }

        if (ctx->error.code == PARLEY_E_UPSTREAM_INVALID) {
            return ngx_http_parley_answer_cut(r, ctx);
        }
    }

    return NGX_OK;
}


/*
 * Ends an answer that is already invalid: the caller gets the error at once,
 * and an error ends the upstream.
 */

static ngx_int_t
ngx_http_parley_answer_cut(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t  rc;

    ctx->cut = 1;

    rc = ngx_http_parley_answer_finish(r, ctx);

    /* while the reply goes to a slow client, the rest is read and dropped */

    return rc == NGX_OK && r->connection->buffered == 0 ? NGX_ERROR : rc;
}


/* Copies the octets of b and marks them as read. */

static ngx_int_t
ngx_http_parley_answer_gather(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_buf_t *b)
{
    size_t        size, limit;
    ngx_int_t     rc;
    ngx_buf_t    *copy;
    ngx_chain_t  *cl;

    if (!ngx_buf_in_memory(b) || b->pos == b->last) {
        return NGX_OK;
    }

    size = b->last - b->pos;
    limit = ctx->lcf->gate.limits.octets;

    if (ctx->error.code != PARLEY_E_NONE) {
        b->pos = b->last;
        return NGX_OK;
    }

    if (ctx->inflate) {
        rc = ngx_http_parley_inflate(r, ctx, b, limit, &ctx->gathered_last,
                                     &ctx->gathered_size);
        b->pos = b->last;
        return rc == NGX_ERROR ? NGX_ERROR : NGX_OK;
    }

    if (size > limit - ctx->gathered_size) {
        b->pos = b->last;
        ngx_http_parley_upstream_error(ctx, PARLEY_UPSTREAM_ERROR_TOO_LONG);
        return NGX_OK;
    }

    copy = ngx_create_temp_buf(r->pool, size);
    cl = ngx_alloc_chain_link(r->pool);

    if (copy == NULL || cl == NULL) {
        return NGX_ERROR;
    }

    copy->last = ngx_cpymem(copy->last, b->pos, size);
    b->pos = b->last;

    cl->buf = copy;
    cl->next = NULL;

    *ctx->gathered_last = cl;
    ctx->gathered_last = &cl->next;
    ctx->gathered_size += size;

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_answer_finish(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    ctx->answer = NGX_HTTP_PARLEY_ANSWER_HELD;
    ngx_http_parley_deadline_stop(ctx);

    if (!ngx_http_parley_inflate_is_whole(ctx)) {
        /* the compressed data ended early */
        ngx_http_parley_upstream_error(ctx, PARLEY_UPSTREAM_ERROR_GZIP_EARLY);
    }

    if (ctx->error.code == PARLEY_E_NONE
        && ngx_http_parley_answer_understand(r, ctx) == NGX_ERROR)
    {
        return NGX_ERROR;
    }

    if (ctx->error.code != PARLEY_E_NONE
        && ngx_http_parley_reply_failed(r, ctx, &ctx->reply) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_http_parley_answer_resume(r, ctx);
}


/* Continues the answer after the wait for the state, too. */

static ngx_int_t
ngx_http_parley_answer_resume(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t  rc;

    rc = ctx->error.code == PARLEY_E_NONE
         ? ngx_http_parley_settle(ctx, &ctx->answered)
         : ngx_http_parley_unanswered(ctx, &ctx->reply);

    if (rc == NGX_DECLINED) {

        if (ngx_http_parley_reply_failed(r, ctx, &ctx->reply) != NGX_OK) {
            return NGX_ERROR;
        }

        /* the id is settled; the refusal is kept for the next attempt */

        rc = ngx_http_parley_unanswered(ctx, &ctx->reply);
    }

    if (rc == NGX_AGAIN) {
        return ngx_http_parley_wait_answer(r, ctx,
                                           ngx_http_parley_answer_resume);
    }

    ctx->answer = NGX_HTTP_PARLEY_ANSWER_DONE;

    return ngx_http_parley_reply_send(r, ctx, &ctx->reply,
                                       ctx->error.code == PARLEY_E_NONE
                                       && ctx->answered.copied);
}


/* Returns NGX_OK, NGX_DECLINED with ctx->error, or NGX_ERROR. */

static ngx_int_t
ngx_http_parley_answer_understand(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    int                 rc;
    parley_answered_t  *answered;
    parley_response_t   response;

    answered = &ctx->answered;

    ngx_memzero(&response, sizeof(parley_response_t));

    if (ngx_http_parley_answer_join(ctx, &response.body) != NGX_OK) {
        return NGX_ERROR;
    }

    response.status = (int) r->headers_out.status;
    response.charset = ngx_http_parley_answer_charset(r);
    response.wait_ms = (int64_t) ngx_http_parley_sent_wait(r);
    response.open = ngx_http_parley_upstream_is_open(r)
                    && ctx->inflate == NULL;

    ngx_http_parley_count_begin(ctx);

    rc = parley_gate_answer(&ctx->gate, &response, answered);

    ngx_http_parley_count_end(ctx);

    if (rc != 0) {
        return NGX_DECLINED;
    }

    if (answered->reply.why) {
        ngx_http_parley_log_unsaid(r, ctx, answered->reply.why);
    }

    ctx->reply = answered->reply;
    ctx->answer_trace = answered->traceparent;

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_answer_join(ngx_http_parley_ctx_t *ctx, parley_str_t *ret)
{
    u_char       *p;
    ngx_chain_t  *cl;

    *ret = parley_str_none;

    if (ctx->gathered == NULL) {
        return NGX_OK;
    }

    if (ctx->gathered->next == NULL) {
        *ret = parley_str_make(ctx->gathered->buf->pos, ctx->gathered_size);
        return NGX_OK;
    }

    p = ngx_pnalloc(ctx->request->pool, ctx->gathered_size);
    if (p == NULL) {
        return NGX_ERROR;
    }

    *ret = parley_str_make(p, ctx->gathered_size);

    for (cl = ctx->gathered; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    return NGX_OK;
}
