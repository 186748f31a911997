
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The keys that verify tokens: those of parley_jwks, and those fetched through
 * parley_jwks_request.  The zone has the fetched set as text, with a
 * generation.  Every worker parses the text when the generation changes.  The
 * last good set is kept until another one can be read.  Only configurations
 * with the same source use it: a reload with another source begins without
 * keys.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/keys/ngx_http_parley_keys.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "ngx_module/worker/ngx_http_parley_zone.h"
#include "core/parley_digest.h"


static const parley_jwks_t  ngx_http_parley_jwks_none;


static void ngx_http_parley_jwks_adopt(ngx_http_request_t *r,
    ngx_http_parley_worker_t *worker);
static ngx_int_t ngx_http_parley_jwks_beside(
    const ngx_http_parley_main_conf_t *mcf, parley_arena_t *arena,
    parley_jwks_t *keys, parley_jwks_t *ret);
static ngx_int_t ngx_http_parley_jwks_read(
    const ngx_http_parley_main_conf_t *mcf, ngx_str_t *text, ngx_log_t *log,
    size_t *ret_usable);
static ngx_int_t ngx_http_parley_jwks_put_locked(
    const ngx_http_parley_main_conf_t *mcf, ngx_str_t *text,
    ngx_uint_t *ret_changed);


ngx_int_t
ngx_http_parley_jwks_source(ngx_http_parley_main_conf_t *mcf)
{
    parley_str_t               parts[3];
    ngx_http_core_srv_conf_t  *cscf;

    cscf = mcf->jwks_server->srv_conf[ngx_http_core_module.ctx_index];

    parts[0] = ngx_http_parley_str(&mcf->jwks_uri);
    parts[1] = PARLEY_STR("\n");
    parts[2] = ngx_http_parley_str(&cscf->server_name);

    return parley_sha256_parts(parts, 3, mcf->jwks_source) == 0 ? NGX_OK
                                                                : NGX_ERROR;
}


ngx_uint_t
ngx_http_parley_jwks_is_ours_locked(const ngx_http_parley_main_conf_t *mcf)
{
    return ngx_memcmp(mcf->zone->sh->jwks_source, mcf->jwks_source,
                      PARLEY_SHA256_LEN)
           == 0;
}


/*
 * After a reload old and new workers run at the same time.  The old ones must
 * not restore keys that the new ones do not trust.
 */

ngx_int_t
ngx_http_parley_jwks_claim_locked(const ngx_http_parley_main_conf_t *mcf)
{
    ngx_http_parley_zone_t   *zone;
    ngx_http_parley_shctx_t  *sh;

    zone = mcf->zone;
    sh = zone->sh;

    if (!ngx_http_parley_jwks_is_ours_locked(mcf)) {

        if (sh->jwks_configuration > zone->configuration) {
            return NGX_DECLINED;
        }

        if (sh->jwks.data) {
            ngx_slab_free_locked(zone->shpool, sh->jwks.data);
            ngx_str_null(&sh->jwks);
            sh->jwks_generation++;
        }

        ngx_memcpy(sh->jwks_source, mcf->jwks_source, PARLEY_SHA256_LEN);
        ngx_memzero(&sh->jwks_fetcher, sizeof(parley_process_t));

        sh->jwks_checked = 0;
        sh->jwks_failed = 0;
        sh->jwks_fetched = 0;
    }

    sh->jwks_configuration = ngx_max(sh->jwks_configuration,
                                     zone->configuration);

    return NGX_OK;
}


/*
 * Generation 0 is the set of the file.  The numbers are valid in this process
 * only; each configuration has its own cache.
 */

const parley_jwks_t *
ngx_http_parley_jwks_current(ngx_http_request_t *r,
    ngx_http_parley_worker_t *worker, ngx_uint_t *generation)
{
    ngx_uint_t                          newest;
    const ngx_http_parley_main_conf_t  *mcf;

    mcf = worker->mcf;
    if (mcf->jwks_uri.len) {
        newest = (ngx_uint_t) mcf->zone->sh->jwks_generation;

        if (newest != worker->fetched_generation) {
            ngx_http_parley_jwks_adopt(r, worker);
        }

        /* a fetched set counts even if it withdraws every key */

        if (worker->fetched.keys) {
            *generation = worker->fetched_generation;
            return &worker->in_force;
        }
    }

    *generation = 0;

    return mcf->http.jwks ? mcf->http.jwks : &ngx_http_parley_jwks_none;
}


/*
 * Parses the fetched set.  The generation is set only after success: if memory
 * is exhausted, the next request tries again and the previous keys stay in
 * force.
 */

static void
ngx_http_parley_jwks_adopt(ngx_http_request_t *r,
    ngx_http_parley_worker_t *worker)
{
    ngx_str_t                           text;
    ngx_uint_t                          generation;
    parley_jwks_t                       keys, all;
    parley_error_t                      err;
    parley_arena_t                      arena;
    ngx_http_parley_zone_t             *zone;
    const ngx_http_parley_main_conf_t  *mcf;

    mcf = worker->mcf;
    zone = mcf->zone;
    ngx_str_null(&text);

    ngx_shmtx_lock(&zone->shpool->mutex);

    generation = zone->sh->jwks_generation;

    if (zone->sh->jwks.len && ngx_http_parley_jwks_is_ours_locked(mcf)) {
        text.data = ngx_alloc(zone->sh->jwks.len, r->connection->log);

        if (text.data) {
            text.len = zone->sh->jwks.len;
            ngx_memcpy(text.data, zone->sh->jwks.data, text.len);
        }
    }

    ngx_shmtx_unlock(&zone->shpool->mutex);

    if (text.data == NULL) {
        return;
    }

    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (parley_jwks_parse_published(&arena, ngx_http_parley_str(&text), &keys,
                                    &err)
        == 0
        && ngx_http_parley_jwks_beside(mcf, &arena, &keys, &all) == NGX_OK)
    {
        parley_jwks_free(&worker->fetched);

        if (worker->fetched_generation) {
            parley_arena_reset(&worker->fetched_arena);
        }

        worker->fetched = keys;
        worker->in_force = all;
        worker->fetched_arena = arena;
        worker->fetched_generation = generation;

    } else {
        parley_arena_reset(&arena);
    }

    ngx_free(text.data);
}


/* Joins fetched keys and the files of other issuers.  Frees keys on
   failure. */

static ngx_int_t
ngx_http_parley_jwks_beside(const ngx_http_parley_main_conf_t *mcf,
    parley_arena_t *arena, parley_jwks_t *keys, parley_jwks_t *ret)
{
    parley_jwks_of(keys, mcf->http.jwks_issuer);

    if (parley_jwks_beside(arena, keys, mcf->http.jwks_issuer, mcf->http.jwks,
                           ret)
        != 0)
    {
        parley_jwks_free(keys);
        return NGX_ERROR;
    }

    return NGX_OK;
}


ngx_int_t
ngx_http_parley_jwks_store(const ngx_http_parley_main_conf_t *mcf,
    ngx_str_t *text, ngx_log_t *log)
{
    size_t                   usable;
    ngx_int_t                rc;
    ngx_uint_t               changed;
    ngx_http_parley_zone_t  *zone;

    if (ngx_http_parley_jwks_read(mcf, text, log, &usable) != NGX_OK) {
        return NGX_DECLINED;
    }

    zone = mcf->zone;

    ngx_shmtx_lock(&zone->shpool->mutex);

    rc = ngx_http_parley_jwks_put_locked(mcf, text, &changed);

    ngx_shmtx_unlock(&zone->shpool->mutex);

    if (rc == NGX_ERROR) {
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "parley: fetched keys not stored: the zone is full");
    }

    if (rc == NGX_OK && changed && usable == 0) {
        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "parley: parley_jwks_request \"%V\" brought an empty "
                      "key set, which withdraws every key", &mcf->jwks_uri);
    }

    return rc == NGX_OK ? NGX_OK : NGX_DECLINED;
}


/*
 * Checks a fetched set.  An empty set is valid and withdraws the keys.  A set
 * without a usable key is refused, because it does not say that the previous
 * keys are withdrawn.
 */

static ngx_int_t
ngx_http_parley_jwks_read(const ngx_http_parley_main_conf_t *mcf,
    ngx_str_t *text, ngx_log_t *log, size_t *ret_usable)
{
    char            place[PARLEY_PLACE_MAX];
    size_t          others;
    parley_jwks_t   keys;
    parley_error_t  err;
    parley_arena_t  arena;

    parley_arena_init(&arena, &parley_mem_libc, 0);

    if (parley_jwks_parse_published(&arena, ngx_http_parley_str(text), &keys,
                                    &err)
        != 0)
    {
        parley_arena_reset(&arena);

        (void) parley_error_place(&err, ngx_http_parley_str(text), place);

        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "parley: parley_jwks_request \"%V\" brought no key set, "
                      "the last good keys are kept: %s%s%s%s%s",
                      &mcf->jwks_uri, place, place[0] ? ": " : "", err.field,
                      err.field[0] ? " " : "", err.text);
        return NGX_DECLINED;
    }

    *ret_usable = parley_jwks_verifiers(&keys);
    others = keys.n - *ret_usable + keys.skipped + keys.refused;

    if (keys.refused) {
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "parley: parley_jwks_request \"%V\" brought %uz weak or "
                      "broken keys, which are left out, the first: %s %s",
                      &mcf->jwks_uri, keys.refused, err.field, err.text);
    }

    parley_jwks_free(&keys);
    parley_arena_reset(&arena);

    if (*ret_usable == 0 && others) {
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "parley: parley_jwks_request \"%V\" brought no key "
                      "that verifies tokens, the last good ones are kept",
                      &mcf->jwks_uri);
        return NGX_DECLINED;
    }

    return NGX_OK;
}


/*
 * Stores a set; an unchanged set keeps its generation.  Returns NGX_OK,
 * NGX_DECLINED if the zone now has keys of another source, or NGX_ERROR if the
 * zone is full.
 */

static ngx_int_t
ngx_http_parley_jwks_put_locked(const ngx_http_parley_main_conf_t *mcf,
    ngx_str_t *text, ngx_uint_t *ret_changed)
{
    u_char                   *p;
    ngx_http_parley_zone_t   *zone;
    ngx_http_parley_shctx_t  *sh;

    zone = mcf->zone;
    sh = zone->sh;
    *ret_changed = 0;

    if (!ngx_http_parley_jwks_is_ours_locked(mcf)) {
        return NGX_DECLINED;
    }

    if (sh->jwks.len == text->len
        && ngx_memcmp(sh->jwks.data, text->data, text->len) == 0)
    {
        return NGX_OK;
    }

    p = ngx_slab_alloc_locked(zone->shpool, text->len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(p, text->data, text->len);

    if (sh->jwks.data) {
        ngx_slab_free_locked(zone->shpool, sh->jwks.data);
    }

    sh->jwks.data = p;
    sh->jwks.len = text->len;
    sh->jwks_generation++;
    *ret_changed = 1;

    return NGX_OK;
}
