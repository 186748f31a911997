
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Runs the steps of docs/architecture.md in the PRECONTENT phase: after
 * nginx's access control, before try_files and mirror.  A failed step ends the
 * request in the caller's protocol, and the later steps do not run.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/answer/ngx_http_parley_answer.h"
#include "ngx_module/answer/ngx_http_parley_headers_out.h"
#include "ngx_module/moq/ngx_http_parley_moq.h"
#include "ngx_module/request/ngx_http_parley_request.h"
#include "ngx_module/stream/ngx_http_parley_hub.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_detached.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "gate/settings/parley_settings.h"


static ngx_int_t ngx_http_parley_subrequest(ngx_http_request_t *r);
static ngx_int_t ngx_http_parley_answered(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_wait(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_body_handler(ngx_http_request_t *r);
static void ngx_http_parley_resume(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_spared(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


ngx_int_t
ngx_http_parley_precontent_handler(ngx_http_request_t *r)
{
    parley_step_result_t               result;
    ngx_http_parley_ctx_t             *ctx;
    const ngx_http_parley_loc_conf_t  *lcf;

    lcf = ngx_http_get_module_loc_conf(r, ngx_http_parley_module);

    if (!parley_settings_steps(lcf) || lcf->proves) {
        return NGX_DECLINED;
    }

    if (r != r->main) {
        return ngx_http_parley_is_detached(r) ? NGX_DECLINED
                                              : ngx_http_parley_subrequest(r);
    }

    if (r->internal && ngx_http_parley_redirect_is_into(r)) {
        return ngx_http_parley_redirect_refuse(r);
    }

    ctx = ngx_http_parley_context(r);
    if (ctx == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (ctx->forwarded || ctx->dry) {
        return NGX_DECLINED;
    }

    if (ctx->resume) {
        ngx_http_parley_resume(r, ctx);
    }

    result = ngx_http_parley_run(ctx);

    if (ctx->forwarded || result == PARLEY_RESULT_ANSWERED
        || result == PARLEY_RESULT_REFUSED)
    {
        /* the answer to a message does not depend on If- headers (GW-36) */
        r->disable_not_modified = 1;
    }

    switch (result) {

    case PARLEY_RESULT_PASSED:
        ctx->dry = !ctx->forwarded;
        return NGX_DECLINED;

    case PARLEY_RESULT_WAIT:
        return ngx_http_parley_wait(r, ctx);

    case PARLEY_RESULT_ANSWERED:
        return ngx_http_parley_answered(r, ctx);

    case PARLEY_RESULT_REFUSED:

        if (!ctx->gate.publish.holds) {
            ngx_http_parley_await_leave(ctx);
        }

        return ngx_http_parley_refuse(r, ctx);

    case PARLEY_RESULT_SPARED:
        return ngx_http_parley_spared(r, ctx);

    default:
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }
}


parley_step_result_t
ngx_http_parley_run(ngx_http_parley_ctx_t *ctx)
{
    parley_step_result_t  result;

    ngx_http_parley_count_begin(ctx);

    result = parley_gate_run(&ctx->gate, (int64_t) ngx_current_msec);

    ngx_http_parley_count_end(ctx);

    ngx_http_parley_forgotten(ctx);

    return result;
}


/* Sends the gateway's own answer: a stream, a later answer, or one now. */

static ngx_int_t
ngx_http_parley_answered(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    if (ctx->gate.serve.opening) {
        return ctx->lcf->moq
               ? ngx_http_parley_moq_open(r, ctx, ctx->gate.serve.opening)
               : ctx->lcf->websocket
               ? ngx_http_parley_websocket_open(r, ctx, ctx->gate.serve.opening)
               : ngx_http_parley_stream_open(r, ctx, ctx->gate.serve.opening);
    }

    if (ctx->gate.publish.holds) {
        return ngx_http_parley_await_answer(r, ctx);
    }

    ngx_http_parley_await_leave(ctx);

    if (ctx->gate.out.session.len > 0
        && ngx_http_parley_out_header(r, "Mcp-Session-Id",
                                      ctx->gate.out.session)
           != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_parley_respond(r, ctx, &ctx->gate.out.reply);
}


/*
 * Refuses a subrequest: a message must be a main request (SEC-07).  The access
 * phase skips subrequests, and a subrequest has its parent's headers and body.
 */

static ngx_int_t
ngx_http_parley_subrequest(ngx_http_request_t *r)
{
    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "parley: subrequest \"%V\" refused: a message must be a "
                  "main request", &r->uri);

    return NGX_HTTP_FORBIDDEN;
}


/* Waits for the state or for keys, after which the phase runs again; or reads
   the body. */

static ngx_int_t
ngx_http_parley_wait(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t  rc;

    if (parley_ask_waits(&ctx->gate.ask)) {
        return ngx_http_parley_wait_phase(r, ctx);
    }

    if (ctx->gate.where.at != PARLEY_STEP_BODY) {
        return NGX_DONE;
    }

    rc = ngx_http_read_client_request_body(r, ngx_http_parley_body_handler);

    if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
        return rc;
    }

    ngx_http_finalize_request(r, NGX_DONE);

    return NGX_DONE;
}


static void
ngx_http_parley_body_handler(ngx_http_request_t *r)
{
    ngx_http_parley_ctx_t  *ctx;

    ctx = ngx_http_get_module_ctx(r, ngx_http_parley_module);

    ctx->body_read = 1;

    r->preserve_body = 1;

    r->write_event_handler = ngx_http_core_run_phases;
    ngx_http_core_run_phases(r);
}


/*
 * Continues a message at a named location (GW-24).  The request gets its
 * original headers and arguments back; the body is replaced later.
 */

static void
ngx_http_parley_resume(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ctx->resume = 0;
    ctx->tried = r->upstream;
    ctx->lcf = ngx_http_get_module_loc_conf(r, ngx_http_parley_module);

    r->headers_in.headers = ctx->client_headers;
    r->headers_in.content_type = ctx->client_type;
    r->args = ctx->client_args;
    r->unparsed_uri = ctx->client_uri;

    /* the next answer has its own status, as with "error_page 502 =" */
    r->err_status = 0;

    parley_gate_resume(&ctx->gate, ctx->lcf);
}


/* Lets a refused request continue unchanged in a dry run. */

static ngx_int_t
ngx_http_parley_spared(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ctx->dry = 1;

    ngx_http_parley_log_refusal(r, ctx);

    return NGX_DECLINED;
}
