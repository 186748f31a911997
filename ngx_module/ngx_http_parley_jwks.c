
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The keys that verify tokens: parley_jwks, and what parley_jwks_request
 * brought.  The fetched set lives in the zone as text, with a generation;
 * every worker parses it for itself when the generation has moved.  The last
 * good set is kept until another can be read.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_request.h"


static const parley_jwks_t  ngx_http_parley_jwks_none;


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


/*
 * A set that can be read goes into the zone, an empty one too: it withdraws
 * the keys.  One without a key that is of use here says nothing of those that
 * were, and is not taken.  A set that was not changed keeps its number.
 */

ngx_int_t
ngx_http_parley_jwks_store(ngx_http_parley_main_conf_t *mcf, ngx_str_t *text,
    ngx_log_t *log)
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

        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "parley: parley_jwks_request \"%V\" brought no key set, "
                      "the last good keys are kept: %s%s%s", &mcf->jwks_uri,
                      err.field, err.field[0] ? " " : "", err.text);
        return NGX_DECLINED;
    }

    usable = parley_jwks_verifiers(&keys);
    others = keys.n - usable + keys.skipped + keys.refused;

    if (keys.refused) {
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "parley: parley_jwks_request \"%V\" brought %uz weak or "
                      "broken keys, which are left out, the first: %s %s",
                      &mcf->jwks_uri, keys.refused, err.field, err.text);
    }

    parley_jwks_free(&keys);
    parley_arena_reset(&arena);

    if (usable == 0 && others) {
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "parley: parley_jwks_request \"%V\" brought no key "
                      "that verifies tokens, the last good ones are kept",
                      &mcf->jwks_uri);
        return NGX_DECLINED;
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
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "parley: no room in the zone for fetched keys");
    }

    if (changed && usable == 0) {
        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "parley: parley_jwks_request \"%V\" brought an empty "
                      "key set, which withdraws every key", &mcf->jwks_uri);
    }

    return p ? NGX_OK : NGX_DECLINED;
}
