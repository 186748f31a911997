
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Step 12 for an answer of Server-Sent Events: unbuffered, each event is a
 * message of the upstream's and goes on in the caller's protocol as soon as
 * it is whole.  id, event and retry stay what they are, comments too.
 *
 * The parser of the event stream format is that of HTML, section 9.2.6.
 */


#include "ngx_http_parley_module.h"


/* octets of an event's id or name; longer ones are no longer either */
#define NGX_HTTP_PARLEY_SSE_FIELD  256


typedef struct {
    u_char                   *data;
    size_t                    len;
    size_t                    size;
} ngx_http_parley_sse_text_t;


/* the memory of a message goes when it was sent: streams live long */

struct ngx_http_parley_sse_s {
    parley_arena_t              arena;      /* of one event */

    ngx_http_parley_sse_text_t  line;
    ngx_http_parley_sse_text_t  event;      /* its data so far */
    ngx_http_parley_sse_text_t  out;        /* what waits to be sent */

    u_char                      id[NGX_HTTP_PARLEY_SSE_FIELD];
    size_t                      id_len;
    u_char                      name[NGX_HTTP_PARLEY_SSE_FIELD];
    size_t                      name_len;
    u_char                      retry[NGX_INT64_LEN];
    size_t                      retry_len;

    ngx_chain_t                *free;
    ngx_chain_t                *busy;

    unsigned                    cr:1;       /* the last octet was one */
    unsigned                    has_data:1;
    unsigned                    has_id:1;
    unsigned                    finished:1;
};


static void ngx_http_parley_sse_cleanup(void *data);
static ngx_int_t ngx_http_parley_sse_feed(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, u_char *p, u_char *last);
static ngx_int_t ngx_http_parley_sse_line(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_sse_field(ngx_http_parley_ctx_t *ctx,
    parley_str_t name, parley_str_t value);
static ngx_int_t ngx_http_parley_sse_dispatch(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_sse_translate(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret, ngx_uint_t *said);
static ngx_int_t ngx_http_parley_sse_write(ngx_http_parley_ctx_t *ctx,
    parley_str_t name, parley_str_t data);
static ngx_int_t ngx_http_parley_sse_data(ngx_http_parley_ctx_t *ctx,
    parley_str_t data);
static ngx_int_t ngx_http_parley_sse_fail(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_sse_send(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_uint_t last);
static void ngx_http_parley_sse_recycle(ngx_http_parley_sse_t *sse);
static ngx_int_t ngx_http_parley_sse_append(ngx_http_parley_ctx_t *ctx,
    ngx_http_parley_sse_text_t *text, const void *data, size_t len);


#define ngx_http_parley_sse_lit(ctx, lit)                                     \
    ngx_http_parley_sse_append(ctx, &(ctx)->sse->out, lit, sizeof(lit) - 1)


ngx_int_t
ngx_http_parley_sse_start(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_pool_cleanup_t     *cln;
    ngx_http_parley_sse_t  *sse;

    sse = ngx_pcalloc(r->pool, sizeof(ngx_http_parley_sse_t));
    cln = ngx_pool_cleanup_add(r->pool, 0);

    if (sse == NULL || cln == NULL) {
        return NGX_ERROR;
    }

    parley_arena_init(&sse->arena, &parley_mem_libc, 0);

    cln->handler = ngx_http_parley_sse_cleanup;
    cln->data = sse;

    ctx->sse = sse;

    if (r->upstream) {
        r->upstream->buffering = 0;
    }

    ngx_http_clear_content_length(r);
    ngx_http_clear_accept_ranges(r);
    ngx_http_clear_last_modified(r);
    ngx_http_clear_etag(r);

    if (ctx->msg.wire != ctx->lcf->speak) {
        ngx_http_parley_answer_headers(r, 1);
    }

    return ngx_http_parley_next_header_filter(r);
}


static void
ngx_http_parley_sse_cleanup(void *data)
{
    ngx_http_parley_sse_t *sse = data;

    ngx_chain_t  *cl;

    ngx_http_parley_sse_recycle(sse);

    for (cl = sse->busy; cl; cl = cl->next) {
        ngx_free(cl->buf->start);
        cl->buf->start = NULL;
    }

    ngx_free(sse->line.data);
    ngx_free(sse->event.data);
    ngx_free(sse->out.data);

    parley_arena_reset(&sse->arena);
}


ngx_int_t
ngx_http_parley_sse_body(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    ngx_chain_t *in)
{
    ngx_int_t    rc;
    ngx_buf_t   *b;
    ngx_uint_t   last;

    rc = NGX_OK;
    last = 0;

    for (/* void */ ; in && rc == NGX_OK; in = in->next) {
        b = in->buf;

        if (ngx_buf_in_memory(b) && !ctx->sse->finished) {
            rc = ngx_http_parley_sse_feed(r, ctx, b->pos, b->last);
        }

        b->pos = b->last;

        if (b->last_buf) {
            last = 1;
            ngx_http_parley_answer_trailers(r,
                                          ctx->msg.wire != ctx->lcf->speak);

            /* no event, and no error: it was taken all the same */
            ngx_http_parley_taken(ctx);
        }
    }

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_DECLINED) {

        if (ngx_http_parley_sse_fail(r, ctx) != NGX_OK) {
            return NGX_ERROR;
        }

        last = 1;
    }

    if (ctx->sse->finished && !last) {
        return NGX_OK;
    }

    rc = ngx_http_parley_sse_send(r, ctx, last);

    /* after a failure nothing more of this upstream is of use */

    return ctx->error.code != PARLEY_E_NONE ? NGX_ERROR : rc;
}


/* NGX_OK; NGX_DECLINED: ctx->error; NGX_ERROR */

static ngx_int_t
ngx_http_parley_sse_feed(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    u_char *p, u_char *last)
{
    u_char                 *start;
    ngx_int_t               rc;
    ngx_http_parley_sse_t  *sse;

    sse = ctx->sse;

    while (p < last) {

        if (sse->cr) {
            sse->cr = 0;

            if (*p == LF) {
                p++;
                continue;
            }
        }

        start = p;

        while (p < last && *p != CR && *p != LF) {
            p++;
        }

        rc = ngx_http_parley_sse_append(ctx, &sse->line, start, p - start);
        if (rc != NGX_OK) {
            return rc;
        }

        if (p == last) {
            break;
        }

        sse->cr = (*p++ == CR);

        rc = ngx_http_parley_sse_line(r, ctx);
        if (rc != NGX_OK) {
            return rc;
        }

        sse->line.len = 0;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_sse_line(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    u_char        *colon;
    parley_str_t   line, name, value;

    line = parley_str_make(ctx->sse->line.data, ctx->sse->line.len);

    if (line.len == 0) {
        return ngx_http_parley_sse_dispatch(r, ctx);
    }

    if (line.data[0] == ':') {
        /* a keepalive: the client wants it as much as the gateway does */

        if (ngx_http_parley_sse_append(ctx, &ctx->sse->out, line.data,
                                       line.len)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        return ngx_http_parley_sse_lit(ctx, "\n\n");
    }

    colon = ngx_strlchr((u_char *) line.data, (u_char *) line.data + line.len,
                        ':');
    if (colon == NULL) {
        return ngx_http_parley_sse_field(ctx, line, parley_str_none);
    }

    name = parley_str_make(line.data, colon - line.data);
    value = parley_str_from(line, name.len + 1);

    if (value.len && value.data[0] == ' ') {
        value = parley_str_from(value, 1);
    }

    return ngx_http_parley_sse_field(ctx, name, value);
}


static ngx_int_t
ngx_http_parley_sse_field(ngx_http_parley_ctx_t *ctx, parley_str_t name,
    parley_str_t value)
{
    ngx_http_parley_sse_t  *sse;

    sse = ctx->sse;

    if (parley_str_is(name, "data")) {

        if (sse->has_data
            && ngx_http_parley_sse_append(ctx, &sse->event, "\n", 1) != NGX_OK)
        {
            return NGX_DECLINED;
        }

        sse->has_data = 1;

        return ngx_http_parley_sse_append(ctx, &sse->event, value.data,
                                          value.len);
    }

    if (parley_str_is(name, "event") && value.len <= sizeof(sse->name)) {
        ngx_memcpy(sse->name, value.data, value.len);
        sse->name_len = value.len;

    } else if (parley_str_is(name, "id") && value.len <= sizeof(sse->id)
               && memchr(value.data, '\0', value.len) == NULL)
    {
        ngx_memcpy(sse->id, value.data, value.len);
        sse->id_len = value.len;
        sse->has_id = 1;

    } else if (parley_str_is(name, "retry") && value.len
               && value.len <= sizeof(sse->retry)
               && ngx_atoi((u_char *) value.data, value.len) != NGX_ERROR)
    {
        ngx_memcpy(sse->retry, value.data, value.len);
        sse->retry_len = value.len;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_sse_dispatch(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t               rc;
    ngx_uint_t              said;
    parley_str_t            text;
    ngx_http_parley_sse_t  *sse;

    sse = ctx->sse;

    if (sse->has_data) {
        rc = ngx_http_parley_sse_translate(ctx, &text, &said);

        if (rc != NGX_OK) {
            return rc;
        }

        ngx_http_parley_taken(ctx);

        if (said) {
            rc = ngx_http_parley_sse_write(ctx,
                                  parley_str_make(sse->name, sse->name_len),
                                  text);
        } else {
            rc = ngx_http_parley_sse_lit(ctx,
                                ": an event that this protocol cannot say\n\n");
        }

        parley_loss_init(&ctx->loss, &ctx->arena);
        parley_arena_reset(&sse->arena);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    sse->event.len = 0;
    sse->has_data = 0;
    sse->name_len = 0;
    sse->has_id = 0;
    sse->retry_len = 0;

    return NGX_OK;
}


/*
 * A message of the upstream's becomes a message of the caller's; an answer
 * of its HTTP binding becomes the caller's.
 */

static ngx_int_t
ngx_http_parley_sse_translate(ngx_http_parley_ctx_t *ctx, parley_str_t *ret,
    ngx_uint_t *said)
{
    parley_str_t            data;
    parley_reply_t          reply;
    parley_error_t          err;
    parley_answer_t         answer;
    parley_encoded_t        encoded;
    parley_encode_opts_t    opts;
    ngx_http_parley_sse_t  *sse;

    sse = ctx->sse;
    data = parley_str_make(sse->event.data, sse->event.len);

    *said = 1;

    if (parley_answer_decode(ctx->mcf->engine, &sse->arena, ctx->lcf->speak,
                             &ctx->sent, NGX_HTTP_OK, data,
                             &ctx->lcf->limits, ngx_http_parley_seed(ctx),
                             &answer, &ctx->error)
        != 0)
    {
        return NGX_DECLINED;
    }

    if (answer.kind == PARLEY_ANSWER_MESSAGE
        && parley_intents_check(ctx->mcf->intents, &sse->arena, &answer.msg,
                                &ctx->error)
           != 0)
    {
        ctx->error.code = PARLEY_E_UPSTREAM_INVALID;
        return NGX_DECLINED;
    }

    if (ctx->msg.wire == ctx->lcf->speak) {
        *ret = data;
        return NGX_OK;
    }

    parley_loss_init(&ctx->loss, &sse->arena);
    ngx_http_parley_answer_options(ctx, &opts);

    if (answer.kind != PARLEY_ANSWER_MESSAGE
        || (parley_codecs[ctx->msg.wire]->responds
            && (answer.msg.act == PARLEY_ACT_REPLY
                || answer.msg.act == PARLEY_ACT_FAILURE)))
    {

        if (parley_answer_encode(ctx->mcf->engine, &sse->arena, &ctx->msg,
                                 &answer, &opts, ngx_http_parley_now(),
                                 &reply, &ctx->loss, &ctx->error)
            != 0)
        {
            return NGX_DECLINED;
        }

        *ret = reply.body;
        *said = reply.body.len != 0;

        return NGX_OK;
    }

    if (parley_encode(ctx->mcf->engine, &sse->arena, ctx->msg.wire,
                      &answer.msg, &opts, &encoded, &ctx->loss, &err)
        == 0)
    {
        *ret = encoded.body;
        return NGX_OK;
    }

    if (err.code == PARLEY_E_TRANSLATION_UNSUPPORTED
        || err.code == PARLEY_E_IDENTITY_UNMAPPABLE)
    {
        *said = 0;
        return NGX_OK;
    }

    ctx->error = err;

    return NGX_DECLINED;
}


static ngx_int_t
ngx_http_parley_sse_write(ngx_http_parley_ctx_t *ctx, parley_str_t name,
    parley_str_t data)
{
    ngx_http_parley_sse_t       *sse;
    ngx_http_parley_sse_text_t  *out;

    sse = ctx->sse;
    out = &sse->out;

    if (sse->has_id
        && (ngx_http_parley_sse_lit(ctx, "id: ") != NGX_OK
            || ngx_http_parley_sse_append(ctx, out, sse->id, sse->id_len)
               != NGX_OK
            || ngx_http_parley_sse_lit(ctx, "\n") != NGX_OK))
    {
        return NGX_ERROR;
    }

    if (name.len
        && (ngx_http_parley_sse_lit(ctx, "event: ") != NGX_OK
            || ngx_http_parley_sse_append(ctx, out, name.data, name.len)
               != NGX_OK
            || ngx_http_parley_sse_lit(ctx, "\n") != NGX_OK))
    {
        return NGX_ERROR;
    }

    if (sse->retry_len
        && (ngx_http_parley_sse_lit(ctx, "retry: ") != NGX_OK
            || ngx_http_parley_sse_append(ctx, out, sse->retry,
                                          sse->retry_len)
               != NGX_OK
            || ngx_http_parley_sse_lit(ctx, "\n") != NGX_OK))
    {
        return NGX_ERROR;
    }

    return ngx_http_parley_sse_data(ctx, data);
}


/*
 * JSON may hold line ends as white space: each begins a data line of its
 * own, so that no text can forge a field.
 */

static ngx_int_t
ngx_http_parley_sse_data(ngx_http_parley_ctx_t *ctx, parley_str_t data)
{
    const uint8_t               *p, *start, *last;
    ngx_http_parley_sse_text_t  *out;

    out = &ctx->sse->out;
    p = data.data;
    last = p + data.len;

    for ( ;; ) {
        start = p;

        while (p < last && *p != CR && *p != LF) {
            p++;
        }

        if (ngx_http_parley_sse_lit(ctx, "data: ") != NGX_OK
            || ngx_http_parley_sse_append(ctx, out, start, p - start)
               != NGX_OK
            || ngx_http_parley_sse_lit(ctx, "\n") != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (p == last) {
            return ngx_http_parley_sse_lit(ctx, "\n");
        }

        p++;
    }
}


/* the header is gone: the refusal is the last event */

static ngx_int_t
ngx_http_parley_sse_fail(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    parley_reply_t          reply;
    ngx_http_parley_sse_t  *sse;

    sse = ctx->sse;

    ctx->verdict = "failed";

    ngx_http_parley_window_release(ctx);
    ngx_http_parley_log_refusal(r, ctx);

    if (ngx_http_parley_refusal(r, ctx, &reply) != NGX_OK) {
        return NGX_ERROR;
    }

    sse->finished = 1;
    sse->has_id = 0;
    sse->retry_len = 0;

    return ngx_http_parley_sse_write(ctx, PARLEY_STR("error"), reply.body);
}


static ngx_int_t
ngx_http_parley_sse_send(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    ngx_uint_t last)
{
    ngx_int_t               rc;
    ngx_buf_t              *b;
    ngx_chain_t            *cl;
    ngx_http_parley_sse_t  *sse;

    sse = ctx->sse;

    if (sse->out.len == 0 && !last) {
        /* nginx may have something waiting still */
        return ngx_http_parley_next_body_filter(r, NULL);
    }

    cl = ngx_chain_get_free_buf(r->pool, &sse->free);
    if (cl == NULL) {
        return NGX_ERROR;
    }

    b = cl->buf;
    ngx_memzero(b, sizeof(ngx_buf_t));

    b->tag = (ngx_buf_tag_t) &ngx_http_parley_module;
    b->flush = 1;
    b->last_buf = last ? 1 : 0;

    if (sse->out.len) {
        /* the text goes with the buffer, the next event has one of its own */

        b->start = sse->out.data;
        b->pos = b->start;
        b->last = b->start + sse->out.len;
        b->end = b->start + sse->out.size;
        b->temporary = 1;

        ngx_memzero(&sse->out, sizeof(ngx_http_parley_sse_text_t));
    }

    rc = ngx_http_parley_next_body_filter(r, cl);

    ngx_chain_update_chains(r->pool, &sse->free, &sse->busy, &cl,
                            (ngx_buf_tag_t) &ngx_http_parley_module);

    ngx_http_parley_sse_recycle(sse);

    return rc;
}


static void
ngx_http_parley_sse_recycle(ngx_http_parley_sse_t *sse)
{
    ngx_chain_t  *cl;

    for (cl = sse->free; cl; cl = cl->next) {
        ngx_free(cl->buf->start);
        cl->buf->start = NULL;
    }
}


static ngx_int_t
ngx_http_parley_sse_append(ngx_http_parley_ctx_t *ctx,
    ngx_http_parley_sse_text_t *text, const void *data, size_t len)
{
    u_char  *p;
    size_t   size;

    if (text != &ctx->sse->out && len > ctx->lcf->limits.octets - text->len) {
        (void) parley_error_set(&ctx->error, PARLEY_E_UPSTREAM_INVALID, NULL,
                                "an event of the upstream's exceeds "
                                "parley_limits body");
        return NGX_DECLINED;
    }

    if (len > text->size - text->len) {
        size = ngx_max(text->len + len, text->size * 2);
        size = ngx_max(size, 1024);

        p = realloc(text->data, size);
        if (p == NULL) {
            return NGX_ERROR;
        }

        text->data = p;
        text->size = size;
    }

    if (len) {
        ngx_memcpy(text->data + text->len, data, len);
        text->len += len;
    }

    return NGX_OK;
}
