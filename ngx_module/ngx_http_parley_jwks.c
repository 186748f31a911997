
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The keys that verify tokens: parley_jwks, and what parley_jwks_request
 * brought.  The fetched set lives in the zone as text, with a generation;
 * every worker parses it for itself when the generation has moved.  The last
 * good set is kept until another can be read.
 */


#include "ngx_http_parley_module.h"


static const parley_jwks_t  ngx_http_parley_jwks_none;


static ngx_int_t ngx_http_parley_jwks_done(ngx_http_request_t *r, void *data,
    ngx_int_t rc);
static ngx_int_t ngx_http_parley_jwks_body(ngx_http_request_t *sr,
    ngx_str_t *ret);
static void ngx_http_parley_jwks_store(ngx_http_request_t *r,
    ngx_http_parley_main_conf_t *mcf, ngx_str_t *text);
static void ngx_http_parley_jwks_adopt(ngx_http_request_t *r,
    ngx_http_parley_main_conf_t *mcf);


/*
 * Generation 0 is the file's set.  Numbers of the cache are this process's
 * own: the configuration has its own cache, so a reload starts afresh.
 */

const parley_jwks_t *
ngx_http_parley_jwks_current(ngx_http_request_t *r,
    ngx_http_parley_main_conf_t *mcf, ngx_uint_t *generation)
{
    ngx_uint_t  newest;

    if (mcf->jwks_uri.len) {
        newest = (ngx_uint_t) mcf->zone->sh->jwks_generation;

        if (newest != mcf->fetched_generation) {
            ngx_http_parley_jwks_adopt(r, mcf);
        }

        /* a set that was read, if only to withdraw every key */

        if (mcf->fetched.keys) {
            *generation = mcf->fetched_generation;
            return &mcf->fetched;
        }
    }

    *generation = 0;

    return mcf->jwks ? mcf->jwks : &ngx_http_parley_jwks_none;
}


static void
ngx_http_parley_jwks_adopt(ngx_http_request_t *r,
    ngx_http_parley_main_conf_t *mcf)
{
    ngx_str_t                text;
    parley_jwks_t            keys;
    parley_error_t           err;
    parley_arena_t           arena;
    ngx_http_parley_zone_t  *zone;

    zone = mcf->zone;
    text.len = 0;

    ngx_shmtx_lock(&zone->shpool->mutex);

    mcf->fetched_generation = zone->sh->jwks_generation;

    text.data = ngx_alloc(zone->sh->jwks.len + 1, r->connection->log);
    if (text.data) {
        text.len = zone->sh->jwks.len;
        ngx_memcpy(text.data, zone->sh->jwks.data, text.len);
    }

    ngx_shmtx_unlock(&zone->shpool->mutex);

    if (text.len) {
        parley_arena_init(&arena, &parley_mem_libc, 0);

        if (parley_jwks_parse_published(&arena, ngx_http_parley_str(&text),
                                        &keys, &err)
            == 0)
        {
            parley_jwks_free(&mcf->fetched);
            parley_arena_reset(&mcf->fetched_arena);

            mcf->fetched = keys;
            mcf->fetched_arena = arena;

        } else {
            parley_arena_reset(&arena);
        }
    }

    ngx_free(text.data);
}


ngx_int_t
ngx_http_parley_jwks_fetch(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    ngx_msec_t age)
{
    ngx_uint_t                    due;
    ngx_http_request_t           *sr;
    ngx_http_parley_zone_t       *zone;
    ngx_http_post_subrequest_t   *ps;
    ngx_http_parley_main_conf_t  *mcf;

    mcf = ctx->mcf;
    zone = mcf->zone;

    if (mcf->jwks_uri.len == 0 || ctx->jwks_tried) {
        return NGX_DECLINED;
    }

    /* once in that time, whoever asks: an unknown kid costs nothing more */

    ngx_shmtx_lock(&zone->shpool->mutex);

    due = zone->sh->jwks_checked == 0
          || ngx_current_msec - zone->sh->jwks_checked >= age;

    if (due) {
        zone->sh->jwks_checked = ngx_current_msec ? ngx_current_msec : 1;
    }

    ngx_shmtx_unlock(&zone->shpool->mutex);

    if (!due) {
        return NGX_DECLINED;
    }

    ctx->jwks_tried = 1;

    ps = ngx_palloc(r->pool, sizeof(ngx_http_post_subrequest_t));
    if (ps == NULL) {
        return NGX_DECLINED;
    }

    ps->handler = ngx_http_parley_jwks_done;
    ps->data = ctx;

    if (ngx_http_subrequest(r, &mcf->jwks_uri, NULL, &sr, ps,
                            NGX_HTTP_SUBREQUEST_WAITED
                            |NGX_HTTP_SUBREQUEST_IN_MEMORY)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    /*
     * The caller's body and headers are its own: no token of his goes to the
     * identity provider.
     */

    if (ngx_list_init(&sr->headers_in.headers, r->pool, 1,
                      sizeof(ngx_table_elt_t))
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    sr->request_body = ngx_pcalloc(r->pool, sizeof(ngx_http_request_body_t));
    if (sr->request_body == NULL) {
        return NGX_DECLINED;
    }

    sr->method = NGX_HTTP_GET;
    ngx_str_set(&sr->method_name, "GET");
    sr->headers_in.content_length_n = -1;
    sr->headers_in.chunked = 0;

    return NGX_AGAIN;
}


static ngx_int_t
ngx_http_parley_jwks_done(ngx_http_request_t *r, void *data, ngx_int_t rc)
{
    ngx_str_t               text;
    ngx_http_parley_ctx_t  *ctx = data;

    if (rc == NGX_OK && r->headers_out.status == NGX_HTTP_OK
        && ngx_http_parley_jwks_body(r, &text) == NGX_OK)
    {
        ngx_http_parley_jwks_store(r, ctx->mcf, &text);

    } else {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "parley: parley_jwks_request \"%V\" failed with status "
                      "%ui, the last good keys are kept",
                      &ctx->mcf->jwks_uri, r->headers_out.status);
    }

    return rc;
}


static ngx_int_t
ngx_http_parley_jwks_body(ngx_http_request_t *sr, ngx_str_t *ret)
{
    u_char       *p;
    size_t        len;
    ngx_chain_t  *cl;

    len = 0;

    for (cl = sr->out; cl; cl = cl->next) {
        len += cl->buf->last - cl->buf->pos;
    }

    if (len == 0) {
        return NGX_DECLINED;
    }

    p = ngx_pnalloc(sr->pool, len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ret->data = p;
    ret->len = len;

    for (cl = sr->out; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    return NGX_OK;
}


/*
 * A set that can be read goes into the zone, an empty one too: it withdraws
 * the keys.  One without a key that is of use here says nothing of those that
 * were, and is not taken.  A set that was not changed keeps its number.
 */

static void
ngx_http_parley_jwks_store(ngx_http_request_t *r,
    ngx_http_parley_main_conf_t *mcf, ngx_str_t *text)
{
    u_char                   *p;
    size_t                    usable, others;
    ngx_uint_t                changed;
    parley_jwks_t             keys;
    parley_error_t            err;
    parley_arena_t            arena;
    ngx_http_parley_zone_t   *zone;
    ngx_http_parley_shctx_t  *sh;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (parley_jwks_parse_published(&arena, ngx_http_parley_str(text), &keys,
                                    &err)
        != 0)
    {
        parley_arena_reset(&arena);

        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "parley: parley_jwks_request \"%V\" brought no key set, "
                      "the last good keys are kept: %s%s%s", &mcf->jwks_uri,
                      err.field, err.field[0] ? " " : "", err.text);
        return;
    }

    usable = parley_jwks_verifiers(&keys);
    others = keys.n - usable + keys.skipped + keys.refused;

    if (keys.refused) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "parley: parley_jwks_request \"%V\" brought %uz weak or "
                      "broken keys, which are left out, the first: %s %s",
                      &mcf->jwks_uri, keys.refused, err.field, err.text);
    }

    parley_jwks_free(&keys);
    parley_arena_reset(&arena);

    if (usable == 0 && others) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "parley: parley_jwks_request \"%V\" brought no key "
                      "that verifies tokens, the last good ones are kept",
                      &mcf->jwks_uri);
        return;
    }

    zone = mcf->zone;
    sh = zone->sh;
    changed = 0;

    ngx_shmtx_lock(&zone->shpool->mutex);

    if (sh->jwks.len != text->len
        || ngx_memcmp(sh->jwks.data, text->data, text->len) != 0)
    {
        p = ngx_slab_alloc_locked(zone->shpool, text->len);

        if (p) {
            ngx_memcpy(p, text->data, text->len);

            if (sh->jwks.data) {
                ngx_slab_free_locked(zone->shpool, sh->jwks.data);
            }

            sh->jwks.data = p;
            sh->jwks.len = text->len;
            sh->jwks_generation++;
            changed = 1;
        }

    } else {
        p = sh->jwks.data;
    }

    ngx_shmtx_unlock(&zone->shpool->mutex);

    if (p == NULL) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "parley: no room in the zone for fetched keys");
    }

    if (changed && usable == 0) {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "parley: parley_jwks_request \"%V\" brought an empty "
                      "key set, which withdraws every key", &mcf->jwks_uri);
    }
}
