
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The lines of a message in the audit log: one of the verdict and one of the
 * outcome.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_audit.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "gate/parley_audit_message.h"


static ngx_uint_t ngx_http_parley_audit_may(ngx_http_parley_audit_t *audit,
    parley_code_t code);
static ngx_int_t ngx_http_parley_audit_message(ngx_http_parley_ctx_t *ctx,
    parley_verdict_t verdict);


/* An unwritten line is counted as lost only once, with its verdict. */

parley_recorded_t
ngx_http_parley_audit_record(ngx_http_parley_ctx_t *ctx,
    parley_verdict_t verdict)
{
    uint64_t                  lost;
    ngx_http_parley_audit_t  *audit;

    audit = ctx->worker->audit;

    if (audit == NULL) {
        return PARLEY_RECORDED_NONE;
    }

    lost = audit->chain.lost;

    if (ngx_http_parley_audit_message(ctx, verdict) == NGX_OK) {
        return PARLEY_RECORDED_WRITTEN;
    }

    audit->chain.lost = lost;

    return PARLEY_RECORDED_UNWRITTEN;
}


/*
 * Writes the line of the verdict unless it is recorded already.  A recorded
 * message gets an outcome here if it was published or refused, or if nginx
 * ended its request before the forwarding.
 */

void
ngx_http_parley_audit_verdict(ngx_http_parley_ctx_t *ctx)
{
    parley_outcome_t  outcome;
    parley_verdict_t  verdict;

    if (ctx->worker->audit == NULL) {
        return;
    }

    verdict = ctx->gate.report.verdict;

    if (ctx->audit_line == 0) {
        if (ctx->audit_tried && verdict != PARLEY_VERDICT_REFUSED) {
            ctx->worker->audit->chain.lost++;
            return;
        }

        (void) (ngx_http_parley_audit_message(ctx, verdict) == NGX_OK);

    } else if (verdict == PARLEY_VERDICT_OTHER
               || verdict == PARLEY_VERDICT_REFUSED
               || ctx->gate.publish.published)
    {
        outcome.kind = verdict == PARLEY_VERDICT_REFUSED
                       ? PARLEY_OUTCOME_REFUSED
                       : verdict == PARLEY_VERDICT_ANSWERED
                       ? PARLEY_OUTCOME_ANSWERED : PARLEY_OUTCOME_LOST;
        outcome.settle = ctx->gate.where.settle;
        outcome.answer = NULL;

        ngx_http_parley_audit_outcome(ctx, &outcome);
    }
}


void
ngx_http_parley_audit_outcome(ngx_http_parley_ctx_t *ctx,
    const parley_outcome_t *outcome)
{
    parley_audit_outcome_t    line;
    ngx_http_parley_audit_t  *audit;

    audit = ctx->worker->audit;

    if (audit == NULL || ctx->audit_line == 0) {
        return;
    }

    parley_audit_message_outcome(&ctx->gate, outcome,
                                 (unsigned) ctx->request->headers_out.status,
                                 &line);

    line.of = ctx->audit_line;
    line.left = ctx->left;

    (void) (parley_audit_outcome(&audit->chain, &audit->arena, &line) == 0);
    parley_arena_reset(&audit->arena);
}


void
ngx_http_parley_audit_delivery(ngx_http_parley_worker_t *worker,
    const parley_audit_delivery_t *delivery)
{
    ngx_http_parley_audit_t  *audit;

    audit = worker->audit;

    if (audit) {
        (void) (parley_audit_delivery(&audit->chain, &audit->arena, delivery)
                == 0);
        parley_arena_reset(&audit->arena);
    }
}


void
ngx_http_parley_audit_chat(ngx_http_parley_worker_t *worker,
    const parley_audit_chat_t *step)
{
    ngx_http_parley_audit_t  *audit;

    audit = worker->audit;

    if (audit) {
        (void) (parley_audit_chat(&audit->chain, &audit->arena, step) == 0);
        parley_arena_reset(&audit->arena);
    }
}


void
ngx_http_parley_audit_gateway(ngx_http_parley_worker_t *worker,
    const parley_audit_gateway_t *gateway)
{
    ngx_http_parley_audit_t  *audit;

    audit = worker->audit;

    if (audit) {
        (void) (parley_audit_gateway(&audit->chain, &audit->arena, gateway)
                == 0);
        parley_arena_reset(&audit->arena);
    }
}


void
ngx_http_parley_audit_moq(ngx_http_parley_worker_t *worker,
    const parley_audit_moq_t *link)
{
    ngx_http_parley_audit_t  *audit;

    audit = worker->audit;

    if (audit == NULL
        || (link->principal.len == 0
            && !ngx_http_parley_audit_may(audit,
                                          parley_error_code(link->why))))
    {
        return;
    }

    (void) (parley_audit_moq(&audit->chain, &audit->arena, link) == 0);
    parley_arena_reset(&audit->arena);
}


/* Returns whether a refusal that every client can cause gets a line.  If not,
   it is counted. */

static ngx_uint_t
ngx_http_parley_audit_may(ngx_http_parley_audit_t *audit, parley_code_t code)
{
    if (parley_audit_may(&audit->chain, code)) {
        return 1;
    }

    if (!audit->sum.timer_set) {
        ngx_add_timer(&audit->sum, NGX_HTTP_PARLEY_AUDIT_SUM);
    }

    return 0;
}


/* Returns NGX_OK or NGX_ERROR; a counted refusal is NGX_OK. */

static ngx_int_t
ngx_http_parley_audit_message(ngx_http_parley_ctx_t *ctx,
    parley_verdict_t verdict)
{
    int                        rc;
    u_char                     digest[PARLEY_SHA256_LEN];
    uint64_t                   line;
    ngx_connection_t          *c;
    parley_audit_verdict_t     v;
    ngx_http_parley_audit_t   *audit;
    ngx_http_core_loc_conf_t  *clcf;

    audit = ctx->worker->audit;

    ctx->audit_tried = 1;

    if (parley_audit_message_is_anybodys(&ctx->gate, verdict)
        && !ngx_http_parley_audit_may(audit, ctx->error.code))
    {
        return NGX_OK;
    }

    parley_audit_message(&ctx->gate, verdict, &audit->arena, digest, &v);

    c = ctx->request->connection;
    clcf = ngx_http_get_module_loc_conf(ctx->request, ngx_http_core_module);

    v.connection = c->number;
    v.remote = ngx_http_parley_str(&c->addr_text);
    v.location = ngx_http_parley_str(&clcf->name);

    rc = parley_audit_verdict(&audit->chain, &audit->arena, &v, &line);

    parley_arena_reset(&audit->arena);

    if (rc != 0) {
        return NGX_ERROR;
    }

    ctx->audit_line = line;

    return NGX_OK;
}
