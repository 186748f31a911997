
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Adds a request to its worker's counters: the counts of
 * gate/message/parley_tally.h, and the time that it took.
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "gate/message/parley_tally.h"

#include <time.h>


static uint64_t ngx_http_parley_count_now(void);
static void ngx_http_parley_count_spent(ngx_http_parley_ctx_t *ctx,
    uint64_t now);


/* Returns nanoseconds.  The clock of nginx does not advance within one turn of
   the event loop. */

static uint64_t
ngx_http_parley_count_now(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_MONOTONIC, &ts);

    return (uint64_t) ts.tv_sec * 1000000000 + (uint64_t) ts.tv_nsec;
}


void
ngx_http_parley_count_begin(ngx_http_parley_ctx_t *ctx)
{
    ctx->begun = ngx_http_parley_count_now();
}


void
ngx_http_parley_count_end(ngx_http_parley_ctx_t *ctx)
{
    uint64_t  now;

    now = ngx_http_parley_count_now();

    ngx_http_parley_count_spent(ctx, now);

    if (ctx->forwarded && ctx->sent == 0) {
        ctx->sent = now;
    }
}


static void
ngx_http_parley_count_spent(ngx_http_parley_ctx_t *ctx, uint64_t now)
{
    if (ctx->begun) {
        ctx->spent += now - ctx->begun;
        ctx->begun = 0;
    }
}


void
ngx_http_parley_count_verdict(ngx_http_parley_ctx_t *ctx)
{
    parley_verdict_t  verdict;

    verdict = ctx->gate.report.verdict;

    parley_tally_verdict(ctx->worker->slot, &ctx->gate);
    parley_tally_tokens(ctx->worker->slot, ctx->worker->tokens,
                        &ctx->worker->tokens_before);

    if (verdict != PARLEY_VERDICT_REFUSED
        && verdict != PARLEY_VERDICT_ANSWERED)
    {
        return;
    }

    ngx_http_parley_count_spent(ctx, ngx_http_parley_count_now());
    parley_slot_count_time(ctx->worker->slot, PARLEY_ROW_GATEWAY_TIME,
                           ctx->spent);
}


void
ngx_http_parley_count_outcome(ngx_http_parley_ctx_t *ctx,
    const parley_outcome_t *outcome)
{
    parley_slot_t  *slot;

    slot = ctx->worker->slot;

    parley_tally_outcome(slot, &ctx->gate, outcome);
    parley_slot_count_time(slot, PARLEY_ROW_GATEWAY_TIME, ctx->spent);

    if (ctx->sent) {
        parley_slot_count_time(slot, PARLEY_ROW_UPSTREAM_TIME,
                               ngx_http_parley_count_now() - ctx->sent);
    }
}
