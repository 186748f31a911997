
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Proves the caller outside of the steps of a message: at a location without
 * parley_accept (GW-30), and for a variable that is read early (GW-32).
 */


#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/keys/ngx_http_parley_keys.h"
#include "ngx_module/request/ngx_http_parley_proof.h"
#include "ngx_module/request/ngx_http_parley_request.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "gate/settings/parley_settings.h"


static ngx_http_parley_ctx_t *ngx_http_parley_prove_before(
    ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx);


/*
 * Proves the caller of a request without a message, as the last handler of the
 * ACCESS phase (GW-30).  nginx calls no access handler for subrequests.
 */

ngx_int_t
ngx_http_parley_access_handler(ngx_http_request_t *r)
{
    ngx_http_parley_ctx_t       *ctx, *before;
    ngx_http_parley_loc_conf_t  *lcf;

    lcf = ngx_http_get_module_loc_conf(r, ngx_http_parley_module);

    if (!lcf->proves) {
        return NGX_DECLINED;
    }

    before = r->internal ? ngx_http_parley_context_find(r) : NULL;

    ctx = ngx_http_parley_context(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (before && before != ctx && before->proven
        && before->lcf->gate.rate == lcf->gate.rate)
    {
        /* the request has counted before its internal redirection */
        ctx->gate.conf.plan &= ~PARLEY_PLAN(PARLEY_STEP_RATE);
    }

    switch (ngx_http_parley_run(ctx)) {

    case PARLEY_RESULT_PASSED:
        ctx->proven = 1;
        return NGX_OK;

    case PARLEY_RESULT_WAIT:
        return parley_ask_waits(&ctx->gate.ask)
               ? ngx_http_parley_wait_phase(r, ctx) : NGX_DONE;

    case PARLEY_RESULT_REFUSED:
        return ngx_http_parley_refuse_request(r, ctx);

    case PARLEY_RESULT_SPARED:
        /* a dry run opens nothing that "satisfy any" and other modules close */
        ctx->proven = 1;
        ngx_http_parley_log_refusal(r, ctx);
        return NGX_DECLINED;

    default:
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }
}


/*
 * Makes a request wait for keys, if none are loaded yet, before modules of
 * nginx read variables of its token (GW-32).
 */

ngx_int_t
ngx_http_parley_preaccess_handler(ngx_http_request_t *r)
{
    ngx_uint_t                    generation;
    ngx_http_parley_ctx_t        *ctx;
    ngx_http_parley_loc_conf_t   *lcf;
    ngx_http_parley_main_conf_t  *mcf;

    lcf = ngx_http_get_module_loc_conf(r, ngx_http_parley_module);
    mcf = ngx_http_get_module_main_conf(r, ngx_http_parley_module);

    if (mcf->jwks_uri.len == 0 || lcf->jwt == NULL || r != r->main
        || !parley_settings_steps(lcf)
        || ngx_http_parley_jwks_current(r, mcf->worker, &generation)->keys)
    {
        return NGX_DECLINED;
    }

    ctx = ngx_http_parley_context(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return parley_gate_awaits_keys(&ctx->gate) ? NGX_DONE : NGX_DECLINED;
}


ngx_http_parley_ctx_t *
ngx_http_parley_prove(ngx_http_request_t *r)
{
    ngx_http_parley_ctx_t       *ctx;
    ngx_http_parley_loc_conf_t  *lcf;

    r = r->main;
    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    if (ctx && ctx->gate.where.begun) {
        return ctx;
    }

    lcf = ngx_http_get_module_loc_conf(r, ngx_http_parley_module);

    if (r->header_sent || !parley_settings_steps(lcf)
        || !(lcf->plan & PARLEY_PLAN(PARLEY_STEP_PROOF)))
    {
        return ngx_http_parley_prove_before(r, ctx);
    }

    ctx = ngx_http_parley_context(r);

    if (ctx && parley_gate_run_proof(&ctx->gate, (int64_t) ngx_current_msec)
               == PARLEY_WAIT
        && !ctx->unread)
    {
        ctx->unread = 1;

        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "parley: a variable of the token is empty: it was read "
                      "before the keys of the token were loaded");
    }

    return ctx && parley_gate_run_has_proof(&ctx->gate) ? ctx : NULL;
}


/*
 * Returns the context that proved the caller at an earlier location of the
 * request, or NULL.
 */

static ngx_http_parley_ctx_t *
ngx_http_parley_prove_before(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    if (ctx == NULL && r->internal) {
        ctx = ngx_http_parley_context_find(r);
    }

    return ctx && parley_gate_run_has_proof(&ctx->gate)
           && !ctx->gate.proof.unproven
           ? ctx : NULL;
}
