
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Handles the content of parley_status and parley_health.  gate/ makes the
 * text; this file collects the data.  The state may answer later, within the
 * time limit of a message.  The list of suspended principals is read in parts,
 * so that other requests are served in between.  At the end of the time the
 * response has the parts that were read.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_headers_out.h"
#include "ngx_module/conf/ngx_http_parley_directives.h"
#include "ngx_module/conf/ngx_http_parley_page.h"
#include "ngx_module/keys/ngx_http_parley_keys.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_slots.h"
#include "ngx_module/worker/ngx_http_parley_store.h"
#include "ngx_module/worker/ngx_http_parley_zone.h"
#include "gate/metrics/parley_health.h"
#include "gate/metrics/parley_status.h"
#include "translate/parley_engine.h"


/* milliseconds to wait for the state */
#define NGX_HTTP_PARLEY_STATUS_WAIT   1000

#define NGX_HTTP_PARLEY_STATUS_BLOCK  65536


/* a request for the status */
typedef struct {
    ngx_http_request_t           *request;
    const ngx_http_parley_main_conf_t  *mcf;
    parley_health_t               asked;          /* NONE: parley_status */
    parley_status_format_t        format;
    parley_arena_t                arena;

    parley_call_t                 call;
    parley_state_stat_t           stat;
    ngx_event_t                   timer;
    unsigned                      waits:1;        /* the timer is set */
    unsigned                      calls:1;        /* a verb of the state is
                                                     running */
    unsigned                      known:1;        /* stat is filled */

    ngx_uint_t                    max;            /* maximum length of
                                                     suspended */
    parley_suspended_t            suspended;
    parley_listed_t              *listed;         /* NULL: not requested yet */
    ngx_event_t                   next;           /* reads the next part */
} ngx_http_parley_asking_t;


static ngx_int_t ngx_http_parley_status_ask(ngx_http_parley_asking_t *a);
static ngx_int_t ngx_http_parley_status_list(ngx_http_parley_asking_t *a,
    size_t at);
static ngx_int_t ngx_http_parley_status_listed(ngx_http_parley_asking_t *a);
static void ngx_http_parley_status_next(ngx_event_t *ev);
static ngx_int_t ngx_http_parley_status_wait(ngx_http_parley_asking_t *a);
static void ngx_http_parley_status_stop(ngx_http_parley_asking_t *a);
static void ngx_http_parley_status_done(parley_call_t *call);
static void ngx_http_parley_status_timeout(ngx_event_t *ev);
static void ngx_http_parley_status_resume(ngx_http_parley_asking_t *a,
    ngx_int_t rc);
static void ngx_http_parley_status_cleanup(void *data);
static ngx_int_t ngx_http_parley_status_answer(ngx_http_parley_asking_t *a);
static unsigned ngx_http_parley_status_failed(ngx_http_parley_asking_t *a);
static ngx_int_t ngx_http_parley_status_text(ngx_http_parley_asking_t *a,
    unsigned failed, parley_str_t *ret);
static void ngx_http_parley_status_keys(ngx_http_parley_asking_t *a,
    parley_status_keys_t *ret);
static ngx_int_t ngx_http_parley_status_headers(ngx_http_request_t *r,
    parley_status_format_t format);
static void *ngx_http_parley_status_alloc(void *pool, size_t size);


ngx_int_t
ngx_http_parley_status_handler(ngx_http_request_t *r)
{
    ngx_int_t                          rc;
    ngx_str_t                         *accept;
    parley_mem_t                       mem;
    ngx_pool_cleanup_t                *cln;
    ngx_http_parley_asking_t          *a;
    const ngx_http_parley_loc_conf_t  *lcf;

    rc = ngx_http_parley_read_only(r);

    if (rc != NGX_OK) {
        return rc;
    }

    lcf = ngx_http_get_module_loc_conf(r, ngx_http_parley_module);

    a = ngx_pcalloc(r->pool, sizeof(ngx_http_parley_asking_t));
    cln = ngx_pool_cleanup_add(r->pool, 0);

    if (a == NULL || cln == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    a->request = r;
    a->mcf = ngx_http_get_module_main_conf(r, ngx_http_parley_module);
    a->asked = lcf->health;

    cln->handler = ngx_http_parley_status_cleanup;
    cln->data = a;

    mem.alloc = ngx_http_parley_status_alloc;
    mem.free = NULL;
    mem.ctx = r->pool;

    parley_arena_init(&a->arena, &mem, NGX_HTTP_PARLEY_STATUS_BLOCK);

    if (a->asked == PARLEY_HEALTH_NONE) {
        accept = ngx_http_parley_in_header(r, "accept");

        if (parley_status_format(ngx_http_parley_str(&r->args),
                                 accept ? ngx_http_parley_str(accept)
                                        : parley_str_none,
                                 &a->format)
            != 0)
        {
            return NGX_HTTP_BAD_REQUEST;
        }

        a->max = a->format == PARLEY_STATUS_JSON ? lcf->status_suspended : 0;
    }

    return ngx_http_parley_status_ask(a);
}


static void *
ngx_http_parley_status_alloc(void *pool, size_t size)
{
    return ngx_palloc(pool, size);
}


/* Asks the state, unless the response does not need it. */

static ngx_int_t
ngx_http_parley_status_ask(ngx_http_parley_asking_t *a)
{
    parley_state_t  *s;

    if (a->asked == PARLEY_HEALTH_LIVE
        || (a->asked == PARLEY_HEALTH_NONE
            && a->format == PARLEY_STATUS_HTML))
    {
        return ngx_http_parley_status_answer(a);
    }

    s = a->mcf->zone->state;

    a->call.done = ngx_http_parley_status_done;
    a->call.ctx = a;

    if (s->ops->stat(s, &a->stat, &a->call) == PARLEY_STATE_DONE) {
        a->known = 1;
        return ngx_http_parley_status_list(a, 0);
    }

    a->calls = 1;

    return ngx_http_parley_status_wait(a);
}


/* Reads the next part of the list, from position at.  Without a configured
   list, or if it is empty, the function responds. */

static ngx_int_t
ngx_http_parley_status_list(ngx_http_parley_asking_t *a, size_t at)
{
    size_t             there;
    parley_state_t    *s;
    parley_listing_t   listing;

    there = a->stat.entries[PARLEY_KIND_SUSPENSION];

    if (a->listed == NULL && a->max > 0) {
        a->listed = ngx_palloc(a->request->pool, sizeof(parley_listed_t));

        if (a->listed == NULL
            || parley_suspension_init(&a->suspended, &a->arena,
                                      ngx_min(a->max, there))
               != 0)
        {
            return NGX_HTTP_INTERNAL_SERVER_ERROR;
        }
    }

    if (a->max == 0 || there == 0) {
        return ngx_http_parley_status_answer(a);
    }

    s = a->mcf->zone->state;

    listing.kind = PARLEY_KIND_SUSPENSION;
    listing.at = at;
    listing.arena = &a->arena;
    listing.brief = 1;

    if (s->ops->list(s, &listing, a->listed, &a->call) == PARLEY_STATE_DONE) {
        return ngx_http_parley_status_listed(a);
    }

    a->calls = 1;

    return ngx_http_parley_status_wait(a);
}


/* Adds a part, and posts the next one behind other events. */

static ngx_int_t
ngx_http_parley_status_listed(ngx_http_parley_asking_t *a)
{
    if (!parley_suspension_add(&a->suspended, a->mcf->zone->state,
                               a->listed))
    {
        return ngx_http_parley_status_answer(a);
    }

    a->next.handler = ngx_http_parley_status_next;
    a->next.data = a;
    a->next.log = a->request->connection->log;

    ngx_post_event(&a->next, &ngx_posted_next_events);

    return ngx_http_parley_status_wait(a);
}


static void
ngx_http_parley_status_next(ngx_event_t *ev)
{
    ngx_http_parley_asking_t  *a = ev->data;

    ngx_http_parley_status_resume(a,
                                  ngx_http_parley_status_list(a,
                                                              a->listed->at));
}


/* Starts the timer once, for all questions. */

static ngx_int_t
ngx_http_parley_status_wait(ngx_http_parley_asking_t *a)
{
    if (!a->waits) {
        a->waits = 1;
        a->timer.handler = ngx_http_parley_status_timeout;
        a->timer.data = a;
        a->timer.log = a->request->connection->log;

        ngx_add_timer(&a->timer, NGX_HTTP_PARLEY_STATUS_WAIT);

        a->request->main->count++;
    }

    return NGX_DONE;
}


static void
ngx_http_parley_status_done(parley_call_t *call)
{
    ngx_http_parley_asking_t  *a = call->ctx;

    a->calls = 0;

    if (a->known) {
        ngx_http_parley_status_resume(a, ngx_http_parley_status_listed(a));
        return;
    }

    a->known = 1;
    ngx_http_parley_status_resume(a, ngx_http_parley_status_list(a, 0));
}


static void
ngx_http_parley_status_timeout(ngx_event_t *ev)
{
    ngx_http_parley_asking_t  *a = ev->data;

    ngx_http_parley_status_stop(a);
    ngx_http_parley_status_resume(a, ngx_http_parley_status_answer(a));
}


/* Finalizes the request; NGX_DONE: it still waits. */

static void
ngx_http_parley_status_resume(ngx_http_parley_asking_t *a, ngx_int_t rc)
{
    ngx_connection_t  *c;

    if (rc == NGX_DONE) {
        return;
    }

    c = a->request->connection;

    ngx_http_finalize_request(a->request, rc);
    ngx_http_run_posted_requests(c);
}


/* Cancels the timer and the questions. */

static void
ngx_http_parley_status_stop(ngx_http_parley_asking_t *a)
{
    parley_state_t  *s;

    if (a->timer.timer_set) {
        ngx_del_timer(&a->timer);
    }

    if (a->next.posted) {
        ngx_delete_posted_event(&a->next);
    }

    if (a->calls) {
        s = a->mcf->zone->state;

        a->calls = 0;
        s->ops->cancel(s, &a->call);
    }
}


static void
ngx_http_parley_status_cleanup(void *data)
{
    ngx_http_parley_status_stop(data);
}


static ngx_int_t
ngx_http_parley_status_answer(ngx_http_parley_asking_t *a)
{
    int                  status;
    unsigned             failed;
    ngx_int_t            rc;
    ngx_chain_t          out;
    parley_str_t         body;
    ngx_http_request_t  *r;

    ngx_http_parley_status_stop(a);

    r = a->request;
    failed = ngx_http_parley_status_failed(a);
    status = NGX_HTTP_OK;

    if (a->asked != PARLEY_HEALTH_NONE) {
        rc = parley_health_reply(&a->arena, a->asked, failed, &status, &body)
             == 0 ? NGX_OK : NGX_ERROR;

    } else {
        rc = ngx_http_parley_status_text(a, failed, &body);
    }

    if (rc != NGX_OK
        || ngx_http_parley_status_headers(r, a->asked == PARLEY_HEALTH_NONE
                                             ? a->format : PARLEY_STATUS_JSON)
           != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    r->headers_out.status = status;
    r->headers_out.content_length_n = body.len;

    /* a generated page has no version that a client could keep (GW-36) */
    r->disable_not_modified = 1;

    rc = ngx_http_send_header(r);

    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only) {
        return rc;
    }

    out.buf = ngx_http_parley_last_buf(r, body);
    out.next = NULL;

    return out.buf ? ngx_http_output_filter(r, &out) : NGX_ERROR;
}


/* Collects the facts that decide on readiness (OPS-03). */

static unsigned
ngx_http_parley_status_failed(ngx_http_parley_asking_t *a)
{
    ngx_uint_t                          generation;
    parley_health_facts_t               facts;
    const ngx_http_parley_main_conf_t  *mcf;

    mcf = a->mcf;

    facts.stat = a->known ? &a->stat : NULL;
    facts.keys = (mcf->http.jwks == NULL && mcf->jwks_uri.len == 0)
                 || ngx_http_parley_jwks_current(a->request, mcf->worker,
                                                 &generation)->n;
    facts.revocations =
        ngx_http_parley_revocations_are_readable(mcf->worker) ? 1 : 0;
    facts.store = ngx_http_parley_store_is_ready(mcf->worker) ? 1 : 0;

    return parley_health_failed(&facts);
}


static ngx_int_t
ngx_http_parley_status_text(ngx_http_parley_asking_t *a, unsigned failed,
    parley_str_t *ret)
{
    int                                 rc;
    parley_status_t                     of;
    parley_snapshot_t                  *s;
    parley_state_room_t                 zone;
    parley_status_keys_t                keys;
    const ngx_http_parley_main_conf_t  *mcf;

    if (a->format == PARLEY_STATUS_HTML) {
        *ret = ngx_http_parley_page;
        return NGX_OK;
    }

    mcf = a->mcf;

    s = parley_arena_alloc(&a->arena, sizeof(parley_snapshot_t));
    if (s == NULL) {
        return NGX_ERROR;
    }

    ngx_http_parley_store_count(mcf->worker);
    ngx_http_parley_slots_sum(mcf, s);
    ngx_http_parley_store_status(mcf->worker, s);
    ngx_http_parley_status_keys(a, &keys);

    if (a->known) {
        parley_status_state(s, &a->stat);
    }

    parley_memory_table(&mcf->zone->memory, &zone);
    parley_status_zone(s, &zone, mcf->zone->share);

    parley_status_keys(s, &keys);
    parley_status_ready(s, failed);

    s->cells[PARLEY_M_STATE_CREATED] = mcf->zone->sh->created;

    of.parley = PARLEY_STR(PARLEY_VERSION);
    of.nginx = PARLEY_STR(NGINX_VERSION);
    of.now_ms = ngx_http_parley_now();
    of.suspended = a->listed != NULL ? &a->suspended : NULL;
    of.nnodes = 0;

    if (ngx_http_parley_store_nodes(mcf->worker, a->request->pool, &of)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = (a->format == PARLEY_STATUS_JSON)
         ? parley_status_json(&a->arena, s, &of, ret)
         : parley_status_prometheus(&a->arena, s, &of, ret);

    return rc == 0 ? NGX_OK : NGX_ERROR;
}


static void
ngx_http_parley_status_keys(ngx_http_parley_asking_t *a,
    parley_status_keys_t *ret)
{
    ngx_msec_t                          loaded;
    ngx_uint_t                          generation;
    const parley_jwks_t                *keys;
    ngx_http_parley_shctx_t            *sh;
    const ngx_http_parley_main_conf_t  *mcf;

    mcf = a->mcf;
    sh = mcf->zone->sh;

    keys = ngx_http_parley_jwks_current(a->request, mcf->worker, &generation);
    loaded = mcf->since;

    ngx_memzero(ret, sizeof(parley_status_keys_t));

    if (generation) {
        ret->fetched = keys->n;
        loaded = sh->jwks_fetched;

    } else {
        ret->from_file = keys->n;
    }

    ret->age_ms = (int64_t) (ngx_current_msec - loaded);
    ret->failed = mcf->jwks_uri.len && sh->jwks_failed;
}


static ngx_int_t
ngx_http_parley_status_headers(ngx_http_request_t *r,
    parley_status_format_t format)
{
    parley_str_t  type;

    type = parley_status_type(format);

    r->headers_out.content_type = ngx_http_parley_ngx_str(type);
    r->headers_out.content_type_len = type.len;
    r->headers_out.content_type_lowcase = NULL;

    if (ngx_http_parley_out_header(r, "Cache-Control", PARLEY_STR("no-store"))
        != NGX_OK
        || ngx_http_parley_out_header(r, "X-Content-Type-Options",
                                      PARLEY_STR("nosniff"))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (format != PARLEY_STATUS_HTML) {
        return NGX_OK;
    }

    return ngx_http_parley_out_header(r, "Content-Security-Policy",
                                      ngx_http_parley_page_policy);
}
