
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Admission: what enters, and what becomes of it; limits.  gate/ decides.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_state.h"

#include "parley_account.h"


static void ngx_http_parley_account(ngx_http_parley_ctx_t *ctx);
static parley_str_t ngx_http_parley_address(ngx_connection_t *c);
static ngx_int_t ngx_http_parley_again(ngx_http_parley_ctx_t *ctx);
static void ngx_http_parley_replay_env(ngx_http_parley_ctx_t *ctx,
    parley_replay_t *ret);


static void
ngx_http_parley_account(ngx_http_parley_ctx_t *ctx)
{
    parley_account_key(&ctx->mcf->zone->state, parley_who_proven(&ctx->who),
                       ngx_http_parley_address(ctx->request->connection),
                       ctx->account);
}


/*
 * The octets of a client's address, as far as they tell one client from
 * another: whoever has one IPv6 address has a /64 of them.
 */

static parley_str_t
ngx_http_parley_address(ngx_connection_t *c)
{
    struct sockaddr_in   *sin;
#if (NGX_HAVE_INET6)
    struct sockaddr_in6  *sin6;
#endif

    switch (c->sockaddr->sa_family) {

#if (NGX_HAVE_INET6)
    case AF_INET6:
        sin6 = (struct sockaddr_in6 *) c->sockaddr;

        if (IN6_IS_ADDR_V4MAPPED(&sin6->sin6_addr)) {
            return parley_str_make(sin6->sin6_addr.s6_addr + 12, 4);
        }

        return parley_str_make(sin6->sin6_addr.s6_addr, 8);
#endif

    case AF_INET:
        sin = (struct sockaddr_in *) c->sockaddr;
        return parley_str_make(&sin->sin_addr, sizeof(sin->sin_addr));

    default:
        return ngx_http_parley_str(&c->addr_text);
    }
}


ngx_int_t
ngx_http_parley_enter(ngx_http_parley_ctx_t *ctx)
{
    parley_caps_t         caps;
    parley_entrance_t    *e;

    ngx_http_parley_account(ctx);

    e = &ctx->entrance;

    e->ask = &ctx->ask;
    e->who = &ctx->who;
    e->refer = &ctx->refer;
    e->place = NULL;
    e->account = ctx->account;
    e->address = ngx_http_parley_address(ctx->request->connection);
    e->stale = ctx->gate.stale;
    e->seed = ngx_http_parley_seed(ctx);
    e->ttl = ctx->lcf->window_ms;
    ctx->ask.now = (int64_t) ngx_current_msec;

    if (ngx_http_parley_place_is_asked(ctx)) {

        if (ngx_http_parley_place(ctx) != NGX_OK) {
            return NGX_ERROR;
        }

        e->place = &ctx->place;
    }

    /* AEE-28: of the priority that the message goes on with */

    if (ctx->lcf->gate.rate) {
        parley_gate_caps(&ctx->gate, &caps);

        e->priority = parley_amend_capped(&ctx->msg, &caps);
        e->quota = &ctx->lcf->gate.rate->classes[e->priority];
    }

    if (parley_entrance_ask(e, &ctx->error) == 0) {
        return NGX_OK;
    }

    ctx->wait = (ngx_msec_t) e->wait;

    return e->verdict == PARLEY_ADMIT_DUPLICATE ? ngx_http_parley_again(ctx)
                                                : NGX_DECLINED;
}


/* GW-19: what its sender was told then */

static ngx_int_t
ngx_http_parley_again(ngx_http_parley_ctx_t *ctx)
{
    parley_replay_t  r;

    if (ctx->mcf->http.replay_size == 0) {
        return NGX_DECLINED;
    }

    ngx_http_parley_replay_env(ctx, &r);

    return parley_replay_find(&r, &ctx->first) < 0 ? NGX_ERROR : NGX_DECLINED;
}


static void
ngx_http_parley_replay_env(ngx_http_parley_ctx_t *ctx, parley_replay_t *ret)
{
    ret->arena = &ctx->arena;
    ret->who = &ctx->who;
    ret->entrance = &ctx->entrance;
    ret->seed = ngx_http_parley_seed(ctx);
    ret->ttl = (int64_t) ctx->mcf->http.replay_ms;
    ctx->ask.now = (int64_t) ngx_current_msec;
    ret->wall = ngx_http_parley_now();
}


void
ngx_http_parley_keep_first(ngx_http_parley_ctx_t *ctx,
    const parley_reply_t *first)
{
    parley_replay_t  r;

    if (ctx->mcf->http.replay_size == 0 || !ctx->entrance.entered) {
        return;
    }

    ngx_http_parley_replay_env(ctx, &r);

    (void) (parley_replay_keep(&r, first) == 0);
}


void
ngx_http_parley_commit(ngx_http_parley_ctx_t *ctx, parley_asked_t *closed)
{
    ctx->ask.now = (int64_t) ngx_current_msec;

    if (parley_entrance_settle(&ctx->entrance, 1, closed) != 0) {
        ngx_log_error(NGX_LOG_ALERT, ctx->request->connection->log, 0,
                      "parley: the window forgot a message that was taken");
    }
}


void
ngx_http_parley_release(ngx_http_parley_ctx_t *ctx)
{
    if (!ctx->entrance.entered) {
        return;
    }

    ngx_http_parley_forget(ctx);

    ctx->ask.now = (int64_t) ngx_current_msec;

    (void) (parley_entrance_settle(&ctx->entrance, 0, NULL) == 0);
}


ngx_int_t
ngx_http_parley_limit_take(ngx_http_parley_ctx_t *ctx,
    const parley_limit_rate_t *rate, parley_str_t who, parley_str_t what)
{
    uint8_t                key[PARLEY_KEY_LEN];
    parley_counted_t       whose;
    int64_t                wait;
    parley_state_t        *state;
    parley_rate_result_t   rc;

    if (rate->interval_us == 0) {
        return NGX_OK;
    }

    state = &ctx->mcf->zone->state;
    whose = who.len ? PARLEY_COUNTED_PRINCIPAL
                    : PARLEY_COUNTED_ADDRESS;

    ngx_http_parley_account(ctx);

    if (who.len == 0) {
        /* what proves nobody counts against its address (SEC-10) */
        who = ngx_http_parley_address(ctx->request->connection);
    }

    parley_account_rate_key(state, whose, who, what, rate, key);

    rc = parley_memory_rate(state,
                           whose == PARLEY_COUNTED_PRINCIPAL
                           ? ctx->account : NULL,
                           key, rate, (int64_t) ngx_current_msec, &wait);

    ctx->wait = (ngx_msec_t) wait;

    switch (rc) {

    case PARLEY_RATE_OK:
        return NGX_OK;

    case PARLEY_RATE_LIMITED:
        (void) parley_error_set(&ctx->error, PARLEY_E_RATE_LIMITED, NULL,
                                "too many messages%s%.*s",
                                what.len ? " of priority " : "",
                                (int) what.len, what.data);
        return NGX_DECLINED;

    default:
        ctx->wait = 1000;
        (void) parley_error_set(&ctx->error, PARLEY_E_CAPACITY, NULL,
                                "there is no room to count this sender's "
                                "messages");
        return NGX_DECLINED;
    }
}


ngx_int_t
ngx_http_parley_failures(ngx_http_parley_ctx_t *ctx,
    const parley_limit_rate_t *rate, ngx_uint_t again)
{
    int64_t          wait;
    uint8_t          key[PARLEY_KEY_LEN];
    parley_state_t  *state;

    state = &ctx->mcf->zone->state;

    parley_account_rate_key(state, PARLEY_COUNTED_FAILURES,
                            ngx_http_parley_address(ctx->request->connection),
                            parley_str_none, rate, key);

    if (again) {
        return parley_memory_rate(state, NULL, key, rate,
                                 (int64_t) ngx_current_msec, &wait)
               == PARLEY_RATE_OK ? NGX_OK : NGX_DECLINED;
    }

    wait = parley_memory_rate_wait(state, key, rate,
                                  (int64_t) ngx_current_msec);
    if (wait == 0) {
        return NGX_OK;
    }

    ctx->wait = (ngx_msec_t) wait;

    (void) parley_error_set(&ctx->error, PARLEY_E_RATE_LIMITED, NULL,
                            "too many tokens and signatures from this "
                            "address proved nothing");

    return NGX_DECLINED;
}
