
/*
 * Copyright (C) 2026 The Parley authors
 *
 * Admission: the message's id is reserved, and what becomes of it is settled;
 * limits.
 */


#include "ngx_http_parley_module.h"


/* what a limit counts, and whose */
#define NGX_HTTP_PARLEY_LIMIT_ADDRESS    0
#define NGX_HTTP_PARLEY_LIMIT_PRINCIPAL  1
#define NGX_HTTP_PARLEY_LIMIT_FAILURES   2


static void ngx_http_parley_account(ngx_http_parley_ctx_t *ctx);
static parley_str_t ngx_http_parley_address(ngx_connection_t *c);
static ngx_int_t ngx_http_parley_verdict(ngx_http_parley_ctx_t *ctx,
    const parley_admitted_t *admitted);
static ngx_int_t ngx_http_parley_settled(ngx_http_parley_ctx_t *ctx,
    ngx_uint_t taken);
static void ngx_http_parley_limit_key(parley_state_t *state, uint8_t whose,
    parley_str_t who, parley_str_t what, const parley_limit_rate_t *rate,
    uint8_t *key);


/*
 * Whom a message is counted to (SEC-09, SEC-10): the principal that was
 * proven; else the address that it came from.
 */

static void
ngx_http_parley_account(ngx_http_parley_ctx_t *ctx)
{
    uint8_t       proven;
    parley_str_t  parts[2];

    parts[1] = parley_who_proven(&ctx->who);
    proven = parts[1].len != 0;
    parts[0] = parley_str_make(&proven, 1);

    if (!proven) {
        parts[1] = ngx_http_parley_address(ctx->request->connection);
    }

    parley_state_key(&ctx->mcf->zone->state, PARLEY_KIND_ACCOUNT, parts, 2,
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


/* an id is one sender's: protocol, principal, id */

ngx_int_t
ngx_http_parley_window_reserve(ngx_http_parley_ctx_t *ctx)
{
    uint8_t              head[2];
    parley_str_t         parts[3];
    parley_state_t      *state;
    parley_admitted_t    admitted;
    parley_admission_t  *a;

    static const uint8_t  print[PARLEY_PRINT_LEN];

    ngx_http_parley_account(ctx);

    if (ctx->msg.partial || ctx->msg.anonymous || ctx->msg.id.len == 0) {
        /* a log record, a call without a key: nothing to know it again by */
        return NGX_OK;
    }

    state = &ctx->mcf->zone->state;
    a = &ctx->admission;

    parts[1] = parley_who_proven(&ctx->who);

    head[0] = (uint8_t) ctx->gate.proto;
    head[1] = parts[1].len != 0;

    if (parts[1].len == 0) {
        parts[1] = ctx->msg.sender;
    }

    parts[0] = parley_str_make(head, sizeof(head));
    parts[2] = ctx->msg.id;

    parley_state_key(state, PARLEY_KIND_ID, parts, 3, ctx->window_key);

    a->account = ctx->account;
    a->id = ctx->window_key;
    a->print = print;
    a->ttl = (int64_t) ctx->lcf->window;
    a->now = (int64_t) ngx_current_msec;

    parley_state_admit(state, a, &admitted);

    return ngx_http_parley_verdict(ctx, &admitted);
}


static ngx_int_t
ngx_http_parley_verdict(ngx_http_parley_ctx_t *ctx,
    const parley_admitted_t *admitted)
{
    ctx->wait = (ngx_msec_t) admitted->wait;

    switch (admitted->verdict) {

    case PARLEY_ADMIT_OK:
        ctx->stamp = admitted->stamp;
        ctx->reserved = 1;
        return NGX_OK;

    case PARLEY_ADMIT_DUPLICATE:
    case PARLEY_ADMIT_OTHER:
        (void) parley_error_set(&ctx->error, PARLEY_E_MESSAGE_DUPLICATE, NULL,
                                "a message with this id was taken already");
        return NGX_DECLINED;

    case PARLEY_ADMIT_IN_FLIGHT:
        (void) parley_error_set(&ctx->error, PARLEY_E_MESSAGE_IN_FLIGHT, NULL,
                                "a message with this id is on its way");
        return NGX_DECLINED;

    case PARLEY_ADMIT_SHARE:
        (void) parley_error_set(&ctx->error, PARLEY_E_CAPACITY, NULL,
                                "this sender has its share of the zone in "
                                "use");
        return NGX_DECLINED;

    default:
        (void) parley_error_set(&ctx->error, PARLEY_E_CAPACITY, NULL,
                                "the zone is full");
        return NGX_DECLINED;
    }
}


static ngx_int_t
ngx_http_parley_settled(ngx_http_parley_ctx_t *ctx, ngx_uint_t taken)
{
    parley_settlement_t  how;

    ngx_memzero(&how, sizeof(parley_settlement_t));

    how.stamp = ctx->stamp;
    how.taken = (int) taken;
    how.now = (int64_t) ngx_current_msec;

    return parley_state_settle(&ctx->mcf->zone->state, &ctx->admission, &how)
           == 0 ? NGX_OK : NGX_ERROR;
}


void
ngx_http_parley_window_commit(ngx_http_parley_ctx_t *ctx)
{
    if (!ctx->reserved || ctx->committed) {
        return;
    }

    ctx->committed = 1;

    if (ngx_http_parley_settled(ctx, 1) != NGX_OK) {
        ngx_log_error(NGX_LOG_ALERT, ctx->request->connection->log, 0,
                      "parley: the window forgot a message that was taken");
    }
}


void
ngx_http_parley_window_release(ngx_http_parley_ctx_t *ctx)
{
    if (!ctx->reserved || ctx->committed) {
        return;
    }

    ctx->reserved = 0;

    ngx_http_parley_forget(ctx);
    (void) ngx_http_parley_settled(ctx, 0);
}


ngx_int_t
ngx_http_parley_limit_take(ngx_http_parley_ctx_t *ctx,
    const parley_limit_rate_t *rate, parley_str_t who, parley_str_t what)
{
    uint8_t                key[PARLEY_KEY_LEN];
    uint8_t                whose;
    int64_t                wait;
    parley_state_t        *state;
    parley_rate_result_t   rc;

    if (rate->interval_us == 0) {
        return NGX_OK;
    }

    state = &ctx->mcf->zone->state;
    whose = who.len ? NGX_HTTP_PARLEY_LIMIT_PRINCIPAL
                    : NGX_HTTP_PARLEY_LIMIT_ADDRESS;

    ngx_http_parley_account(ctx);

    if (who.len == 0) {
        /* what proves nobody counts against its address (SEC-10) */
        who = ngx_http_parley_address(ctx->request->connection);
    }

    ngx_http_parley_limit_key(state, whose, who, what, rate, key);

    rc = parley_state_rate(state,
                           whose == NGX_HTTP_PARLEY_LIMIT_PRINCIPAL
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


/* locations with the same rate share it, also across a reload */

static void
ngx_http_parley_limit_key(parley_state_t *state, uint8_t whose,
    parley_str_t who, parley_str_t what, const parley_limit_rate_t *rate,
    uint8_t *key)
{
    parley_str_t  parts[4];

    parts[0] = parley_str_make(&whose, 1);
    parts[1] = who;
    parts[2] = what;
    parts[3] = parley_str_make(rate, sizeof(parley_limit_rate_t));

    parley_state_key(state, PARLEY_KIND_RATE, parts, 4, key);
}


ngx_int_t
ngx_http_parley_failures(ngx_http_parley_ctx_t *ctx,
    const parley_limit_rate_t *rate, ngx_uint_t again)
{
    int64_t          wait;
    uint8_t          key[PARLEY_KEY_LEN];
    parley_state_t  *state;

    state = &ctx->mcf->zone->state;

    ngx_http_parley_limit_key(state, NGX_HTTP_PARLEY_LIMIT_FAILURES,
                        ngx_http_parley_address(ctx->request->connection),
                        parley_str_none, rate, key);

    if (again) {
        return parley_state_rate(state, NULL, key, rate,
                                 (int64_t) ngx_current_msec, &wait)
               == PARLEY_RATE_OK ? NGX_OK : NGX_DECLINED;
    }

    wait = parley_state_rate_wait(state, key, rate,
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
