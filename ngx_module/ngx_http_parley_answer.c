
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Step 12 for an answer that is one JSON document: the header is held back
 * and the body gathered, then both go on in the caller's protocol.  The
 * reservation is committed where the upstream took the message and released
 * where it did not.
 */


#include "ngx_http_parley_module.h"


static ngx_int_t ngx_http_parley_answer_is_events(ngx_http_request_t *r);
static ngx_int_t ngx_http_parley_answer_by_nginx(ngx_http_request_t *r);
static ngx_int_t ngx_http_parley_answer_gather(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_buf_t *b);
static ngx_int_t ngx_http_parley_answer_ended_early(ngx_http_request_t *r,
    ngx_buf_t *b);
static ngx_int_t ngx_http_parley_answer_finish(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_answer_join(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret);
static ngx_int_t ngx_http_parley_answer_send(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_reply_t *reply,
    ngx_uint_t copied);


ngx_int_t
ngx_http_parley_answer_header(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    ctx->gathered_last = &ctx->gathered;
    r->filter_need_in_memory = 1;

    if (ctx->error.code == PARLEY_E_NONE
        && !ngx_http_parley_answer_by_nginx(r))
    {
        if (r->headers_out.content_encoding
            && r->headers_out.content_encoding->value.len
            && ngx_http_parley_inflate_start(r, ctx) != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (ctx->error.code == PARLEY_E_NONE
            && ngx_http_parley_answer_is_events(r))
        {
            if (ctx->inflate == NULL) {
                ngx_http_parley_deadline_stop(ctx);
                ctx->answer = NGX_HTTP_PARLEY_ANSWER_EVENTS;
                return ngx_http_parley_sse_start(r, ctx);
            }

            /* nobody asked for that, and it would defeat the streaming */

            (void) parley_error_set(&ctx->error, PARLEY_E_UPSTREAM_INVALID,
                                    NULL, "the upstream's events are "
                                    "compressed");
        }
    }

    ctx->answer = NGX_HTTP_PARLEY_ANSWER_BUFFER;

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_answer_is_events(ngx_http_request_t *r)
{
    ngx_str_t  *type;

    type = &r->headers_out.content_type;

    return r->headers_out.status == NGX_HTTP_OK
           && type->len >= sizeof("text/event-stream") - 1
           && ngx_strncasecmp(type->data, (u_char *) "text/event-stream",
                              sizeof("text/event-stream") - 1)
              == 0;
}


/*
 * Whether the answer is nginx's own error page: no upstream gave it.  Fills
 * ctx->error; the page itself is read and dropped.
 */

static ngx_int_t
ngx_http_parley_answer_by_nginx(ngx_http_request_t *r)
{
    ngx_http_parley_ctx_t  *ctx;

    if (r->headers_out.status < NGX_HTTP_BAD_REQUEST
        || (r->upstream && r->upstream->headers_in.status_n))
    {
        return 0;
    }

    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    if (ctx->timed_out || r->headers_out.status == NGX_HTTP_GATEWAY_TIME_OUT)
    {
        (void) parley_error_set(&ctx->error, PARLEY_E_UPSTREAM_TIMEOUT, NULL,
                                "the upstream did not answer in time");

    } else {
        (void) parley_error_set(&ctx->error, PARLEY_E_UPSTREAM_UNAVAILABLE,
                                NULL, "the upstream could not be reached");
    }

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

        if (ngx_http_parley_answer_ended_early(r, b)) {

            if (ctx->error.code == PARLEY_E_NONE) {
                (void) parley_error_set(&ctx->error,
                                        ctx->timed_out
                                        ? PARLEY_E_UPSTREAM_TIMEOUT
                                        : PARLEY_E_UPSTREAM_INVALID, NULL,
                                        "the upstream's answer ended early");
            }

            return ngx_http_parley_answer_finish(r, ctx);
        }

        if (b->last_buf) {
            return ngx_http_parley_answer_finish(r, ctx);
        }
    }

    return NGX_OK;
}


/* takes the octets of b, which is free for its owner again */

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
    limit = ctx->lcf->limits.octets;

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
        (void) parley_error_set(&ctx->error, PARLEY_E_UPSTREAM_INVALID, NULL,
                                "the upstream's answer exceeds "
                                "parley_limits body");
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


/*
 * An upstream that fails after its header was read makes nginx flush what
 * there is and give up; the connection to the upstream is closed by then.
 * Since the header is still held here, the caller can be told properly.
 */

static ngx_int_t
ngx_http_parley_answer_ended_early(ngx_http_request_t *r, ngx_buf_t *b)
{
    return b->flush && !b->last_buf && ngx_buf_special(b)
           && r->upstream && r->upstream->peer.connection == NULL;
}


static ngx_int_t
ngx_http_parley_answer_finish(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t       rc;
    ngx_uint_t      copied;
    parley_str_t    body;
    parley_reply_t  reply;

    ctx->answer = NGX_HTTP_PARLEY_ANSWER_DONE;
    ngx_http_parley_deadline_stop(ctx);

    ngx_memzero(&reply, sizeof(parley_reply_t));
    body = parley_str_none;
    copied = 0;

    if (ctx->error.code == PARLEY_E_NONE) {

        if (ngx_http_parley_answer_join(ctx, &body) != NGX_OK) {
            return NGX_ERROR;
        }

        rc = ngx_http_parley_answer_translate(ctx, &ctx->arena,
                                              r->headers_out.status, body,
                                              &reply, &copied);
        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }
    }

    if (ctx->error.code != PARLEY_E_NONE) {
        ngx_http_parley_window_release(ctx);

        if (ctx->forwarded) {
            ctx->verdict = "failed";
            ngx_http_parley_log_refusal(r, ctx);
        }

        if (ngx_http_parley_refusal(r, ctx, &reply) != NGX_OK) {
            return NGX_ERROR;
        }

    } else if (r->headers_out.status < NGX_HTTP_SPECIAL_RESPONSE
               && !ctx->retryable)
    {
        ngx_http_parley_taken(ctx);

    } else {
        ngx_http_parley_window_release(ctx);
    }

    if (copied) {
        reply.status = r->headers_out.status;
        reply.body = body;
        reply.content_type = ngx_http_parley_str(&r->headers_out.content_type);
    }

    return ngx_http_parley_answer_send(r, ctx, &reply, copied);
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


ngx_int_t
ngx_http_parley_answer_translate(ngx_http_parley_ctx_t *ctx,
    parley_arena_t *arena, int status, parley_str_t body,
    parley_reply_t *reply, ngx_uint_t *copied)
{
    parley_answer_t       answer;
    parley_encode_opts_t  opts;

    *copied = 0;

    if (parley_answer_decode(ctx->mcf->engine, arena, ctx->lcf->speak,
                             &ctx->sent, status, body, &ctx->lcf->limits,
                             ngx_http_parley_seed(ctx), &answer, &ctx->error)
        != 0)
    {
        return NGX_DECLINED;
    }

    ctx->final = answer.kind == PARLEY_ANSWER_MESSAGE
                 && (answer.msg.act == PARLEY_ACT_REPLY
                     || answer.msg.act == PARLEY_ACT_FAILURE);

    ctx->retryable = answer.kind == PARLEY_ANSWER_REFUSED && answer.retryable;

    if (answer.kind == PARLEY_ANSWER_MESSAGE
        && parley_intents_check(ctx->mcf->intents, arena, &answer.msg,
                                &ctx->error)
           != 0)
    {
        ctx->error.code = PARLEY_E_UPSTREAM_INVALID;
        return NGX_DECLINED;
    }

    /* that it took the message and says no more has a form in each protocol */

    if (ctx->msg.wire == ctx->lcf->speak
        && (body.len || answer.kind != PARLEY_ANSWER_TAKEN))
    {
        *copied = 1;
        return NGX_OK;
    }

    ngx_http_parley_answer_options(ctx, &opts);

    if (answer.kind == PARLEY_ANSWER_MESSAGE) {
        /* AEE-12: not every protocol has room for it in the message */

        (void) parley_traceparent_format(arena, answer.msg.trace_id,
                                         answer.msg.span_id,
                                         &ctx->answer_trace);
    }

    if (parley_answer_encode(ctx->mcf->engine, arena, &ctx->msg, &answer,
                             &opts, ngx_http_parley_now(), reply, &ctx->loss,
                             &ctx->error)
        != 0)
    {
        return NGX_DECLINED;
    }

    if (reply->message.len) {
        /* it is for the caller's stream, and there is none here */
        parley_loss_pointer(&ctx->loss, "/");
    }

    return NGX_OK;
}


/* GW-12: from now on the id counts as seen */

void
ngx_http_parley_taken(ngx_http_parley_ctx_t *ctx)
{
    if (ctx->committed) {
        return;
    }

    ngx_http_parley_window_commit(ctx);
    ngx_http_parley_retain(ctx);

    if (ctx->final) {
        /* no reply is to come any more */
        ngx_http_parley_origin_drop(ctx);
    }
}


/* what was verified was verified of the caller, not of who answers it */

void
ngx_http_parley_answer_options(ngx_http_parley_ctx_t *ctx,
    parley_encode_opts_t *opts)
{
    *opts = ctx->opts;

    opts->answering = &ctx->msg;
    opts->principal = parley_str_none;
    opts->sig_alg = parley_str_none;
    opts->sig_kid = parley_str_none;
}


static ngx_int_t
ngx_http_parley_answer_send(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_reply_t *reply,
    ngx_uint_t copied)
{
    ngx_int_t    rc;
    ngx_chain_t  out;

    ctx->replied = 1;

    ngx_http_parley_answer_trailers(r, !copied);

    if (!copied) {
        ngx_http_parley_answer_headers(r, 1);
    }

    if (ngx_http_parley_reply_headers(r, ctx, reply) != NGX_OK
        || ngx_http_parley_out_header(r, "traceparent", ctx->answer_trace)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_http_parley_next_header_filter(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    out.buf = ngx_http_parley_last_buf(r, reply->body);
    out.next = NULL;

    if (out.buf == NULL) {
        return NGX_ERROR;
    }

    return ngx_http_parley_next_body_filter(r, &out);
}
