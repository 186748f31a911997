
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Commands of a MoQ connection.  Each is a POST to the location of "messages=",
 * by an inner request.  A POST outlives its connection: the command was
 * accepted, and its answer is kept for an agent that repeats it.
 */


#include "ngx_module/moq/ngx_http_parley_moq_parts.h"
#include "gate/settings/parley_moq_conf.h"


#if (NGX_HTTP_V3)

#define NGX_HTTP_PARLEY_MOQ_RECIPIENT  "recipient="

/* octets by which an answer may exceed the size of an object */
#define NGX_HTTP_PARLEY_MOQ_ANSWER  65536


/* a command */
typedef struct {
    ngx_queue_t                   queue;          /* in moq->posts */
    ngx_http_parley_moq_t        *moq;
    parley_link_post_t           *post;
    ngx_http_parley_inner_t      *inner;          /* NULL: not begun */
} ngx_http_parley_moq_post_t;


static ngx_int_t ngx_http_parley_moq_post_start(ngx_http_parley_moq_post_t *p);
static ngx_int_t ngx_http_parley_moq_post_args(parley_str_t recipient,
    ngx_str_t *ret, ngx_log_t *log);
static void ngx_http_parley_moq_post_ended(ngx_http_parley_inner_t *in);
static void ngx_http_parley_moq_post_answer(ngx_http_parley_moq_post_t *p,
    ngx_uint_t status, parley_str_t body);


int
ngx_http_parley_moq_post(void *ctx, parley_link_post_t *post)
{
    ngx_http_parley_moq_t       *moq = ctx;
    ngx_http_parley_moq_post_t  *p;

    p = ngx_calloc(sizeof(ngx_http_parley_moq_post_t), moq->connection->log);
    if (p == NULL) {
        return -1;
    }

    p->moq = moq;
    p->post = post;
    post->data = p;

    ngx_queue_insert_tail(&moq->posts, &p->queue);
    moq->nposts++;

    ngx_http_parley_moq_post_turn(moq);

    return 0;
}


void
ngx_http_parley_moq_post_begin(ngx_http_parley_moq_t *moq)
{
    ngx_queue_t                 *q, *next;
    ngx_http_parley_moq_post_t  *p;

    for (q = ngx_queue_head(&moq->posts);
         q != ngx_queue_sentinel(&moq->posts) && !moq->closed;
         q = next)
    {
        next = ngx_queue_next(q);
        p = ngx_queue_data(q, ngx_http_parley_moq_post_t, queue);

        if (p->inner == NULL && ngx_http_parley_moq_post_start(p) != NGX_OK) {
            ngx_http_parley_moq_post_answer(p, NGX_HTTP_SERVICE_UNAVAILABLE,
                                            parley_str_none);
        }
    }
}


static ngx_int_t
ngx_http_parley_moq_post_start(ngx_http_parley_moq_post_t *p)
{
    ngx_http_parley_moq_t         *moq;
    ngx_http_parley_inner_begin_t  begin;

    moq = p->moq;

    ngx_memzero(&begin, sizeof(ngx_http_parley_inner_begin_t));

    if (ngx_http_parley_moq_post_args(p->post->recipient, &begin.args,
                                      moq->connection->log)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    begin.server = moq->http->conf_ctx;
    begin.uri = ngx_http_parley_ngx_str(moq->place->conf->moq->messages);
    begin.host = moq->authority;
    begin.token = ngx_http_parley_ngx_str(p->post->token);
    begin.body = ngx_http_parley_ngx_str(p->post->body);
    begin.max = moq->place->conf->moq->object + NGX_HTTP_PARLEY_MOQ_ANSWER;
    begin.session = p->post->id;
    begin.stream = p->post->stream;
    begin.posts = 1;
    begin.handler = ngx_http_parley_moq_post_ended;
    begin.data = p;

    p->inner = ngx_http_parley_inner_begin(moq->connection, &begin);

    if (begin.args.data) {
        ngx_free(begin.args.data);
    }

    return p->inner ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_parley_moq_post_args(parley_str_t recipient, ngx_str_t *ret,
    ngx_log_t *log)
{
    u_char  *p;
    size_t   len;

    if (recipient.len == 0) {
        return NGX_OK;
    }

    len = sizeof(NGX_HTTP_PARLEY_MOQ_RECIPIENT) - 1;

    ret->data = ngx_alloc(len + 3 * recipient.len, log);
    if (ret->data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(ret->data, NGX_HTTP_PARLEY_MOQ_RECIPIENT, len);
    p = (u_char *) ngx_escape_uri(p, (u_char *) recipient.data, recipient.len,
                                  NGX_ESCAPE_URI_COMPONENT);

    ret->len = p - ret->data;

    return NGX_OK;
}


static void
ngx_http_parley_moq_post_ended(ngx_http_parley_inner_t *in)
{
    ngx_http_parley_moq_t       *moq;
    ngx_http_parley_moq_post_t  *p = in->data;

    moq = p->moq;

    if (!in->whole) {
        ngx_http_parley_moq_post_answer(p, in->status >= NGX_HTTP_BAD_REQUEST
                                           ? in->status : NGX_HTTP_BAD_GATEWAY,
                                        parley_str_none);

    } else {
        ngx_http_parley_moq_post_answer(p, in->status, in->problem
                                        ? parley_str_none
                                        : ngx_http_parley_str(&in->response));
    }

    if (moq->leaving && moq->nposts == 0) {
        ngx_http_parley_moq_post_turn(moq);
    }

    ngx_http_parley_moq_done(moq);
}


static void
ngx_http_parley_moq_post_answer(ngx_http_parley_moq_post_t *p,
    ngx_uint_t status, parley_str_t body)
{
    parley_link_post_t     *post;
    ngx_http_parley_moq_t  *moq;

    moq = p->moq;
    post = p->post;

    ngx_queue_remove(&p->queue);
    ngx_free(p);

    moq->nposts--;

    if (!moq->closed) {
        parley_link_answered(moq->link, post, (int) status, body);
    }
}


void
ngx_http_parley_moq_post_leave(ngx_http_parley_moq_t *moq)
{
    ngx_queue_t                 *q;
    ngx_http_parley_moq_post_t  *p;

    while (!ngx_queue_empty(&moq->posts)) {
        q = ngx_queue_head(&moq->posts);
        ngx_queue_remove(q);

        p = ngx_queue_data(q, ngx_http_parley_moq_post_t, queue);

        if (p->inner) {
            ngx_http_parley_inner_leave(p->inner);
        }

        ngx_free(p);
    }

    moq->nposts = 0;
}

#endif
