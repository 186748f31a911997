
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The step "proof": the token is found, verified, and its principal known.
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_request.h"


/* seconds that a token without exp stays in the cache */
#define NGX_HTTP_PARLEY_TOKEN_TTL      60

/* milliseconds between fetches while there are no keys at all */
#define NGX_HTTP_PARLEY_NO_KEYS_RETRY  1000


static ngx_int_t ngx_http_parley_token_find(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_str_t *ret);
static ngx_int_t ngx_http_parley_token_header(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_str_t *ret);
static ngx_int_t ngx_http_parley_token_variable(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_jwt_conf_t *jcf, ngx_str_t *ret);
static ngx_uint_t ngx_http_parley_token_cookies(ngx_http_request_t *r,
    parley_str_t name);
static ngx_int_t ngx_http_parley_token_argument(ngx_http_parley_ctx_t *ctx,
    ngx_str_t *ret);
static ngx_int_t ngx_http_parley_token_verify(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, parley_str_t token);
static ngx_int_t ngx_http_parley_token_no_keys(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
static ngx_int_t ngx_http_parley_token_principal(ngx_http_parley_ctx_t *ctx,
    parley_token_entry_t *entry);


ngx_int_t
ngx_http_parley_token(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    ngx_int_t                 rc;
    ngx_str_t                 token;
    const parley_jwt_conf_t  *jcf;

    jcf = ctx->lcf->jwt;

    if (jcf == NULL) {
        return NGX_OK;
    }

    rc = ngx_http_parley_token_find(r, ctx, &token);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_http_parley_token_verify(r, ctx, ngx_http_parley_str(&token));
    if (rc != NGX_OK) {
        return rc;
    }

    if (parley_jwt_check(ctx->who.jwt, &jcf->rules, (int64_t) ngx_time(),
                         &ctx->error)
        != 0)
    {
        return NGX_DECLINED;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_token_find(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    ngx_str_t *ret)
{
    ngx_int_t                 rc;
    const parley_jwt_conf_t  *jcf;

    jcf = ctx->lcf->jwt;

    switch (jcf->source) {

    case PARLEY_TOKEN_HEADER:
        rc = ngx_http_parley_token_header(r, ctx, ret);
        break;

    case PARLEY_TOKEN_ARGUMENT:
        rc = ngx_http_parley_token_argument(ctx, ret);
        break;

    default: /* PARLEY_TOKEN_COOKIE, PARLEY_TOKEN_VARIABLE */
        rc = ngx_http_parley_token_variable(r, ctx, jcf, ret);
        break;
    }

    if (rc == NGX_OK && ret->len == 0) {
        rc = NGX_DECLINED;
    }

    if (rc == NGX_DECLINED && ctx->error.code == PARLEY_E_NONE) {
        (void) parley_error_set(&ctx->error, PARLEY_E_TOKEN_MISSING, NULL,
                                "a bearer token is required");
    }

    return rc;
}


/* RFC 6750 section 2.1; two of them are one too many to choose from */

static ngx_int_t
ngx_http_parley_token_header(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_str_t *ret)
{
    u_char           *p, *last;
    ngx_uint_t        i, n;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h, *found;

    n = 0;
    found = NULL;
    part = &r->headers_in.headers.part;
    h = part->elts;

    for (i = 0; /* void */ ; i++) {

        if (i >= part->nelts) {
            if (part->next == NULL) {
                break;
            }

            part = part->next;
            h = part->elts;
            i = 0;
        }

        if (h[i].key.len == sizeof("authorization") - 1
            && ngx_memcmp(h[i].lowcase_key, "authorization",
                          sizeof("authorization") - 1)
               == 0)
        {
            found = &h[i];
            n++;
        }
    }

    if (n == 0) {
        return NGX_DECLINED;
    }

    if (n > 1) {
        (void) parley_error_set(&ctx->error, PARLEY_E_TOKEN_INVALID, NULL,
                                "more than one Authorization header");
        return NGX_DECLINED;
    }

    p = found->value.data;
    last = p + found->value.len;

    if (found->value.len < sizeof("Bearer ") - 1
        || ngx_strncasecmp(p, (u_char *) "Bearer ", sizeof("Bearer ") - 1)
           != 0)
    {
        return NGX_DECLINED;
    }

    p += sizeof("Bearer ") - 1;

    while (p < last && *p == ' ') {
        p++;
    }

    ret->data = p;
    ret->len = last - p;

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_token_variable(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_jwt_conf_t *jcf, ngx_str_t *ret)
{
    parley_str_t  value;

    if (jcf->source == PARLEY_TOKEN_COOKIE
        && ngx_http_parley_token_cookies(r, jcf->name) > 1)
    {
        (void) parley_error_set(&ctx->error, PARLEY_E_TOKEN_INVALID, NULL,
                                "more than one cookie of the token's name");
        return NGX_DECLINED;
    }

    if (ngx_http_parley_value(r, &jcf->token, &value) != NGX_OK) {
        return NGX_ERROR;
    }

    *ret = ngx_http_parley_ngx_str(value);

    return NGX_OK;
}


/* RFC 6265 leaves their order to chance: there once, as an argument */

static ngx_uint_t
ngx_http_parley_token_cookies(ngx_http_request_t *r, parley_str_t name)
{
    ngx_uint_t        i, n;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;

    n = 0;

    for (part = &r->headers_in.headers.part; part; part = part->next) {
        h = part->elts;

        for (i = 0; i < part->nelts; i++) {
            if (h[i].key.len == sizeof("cookie") - 1
                && ngx_memcmp(h[i].lowcase_key, "cookie",
                              sizeof("cookie") - 1)
                   == 0)
            {
                n += parley_header_cookies(ngx_http_parley_str(&h[i].value),
                                           name);
            }
        }
    }

    return n;
}


/* SEC-03: decoded, and there once */

static ngx_int_t
ngx_http_parley_token_argument(ngx_http_parley_ctx_t *ctx, ngx_str_t *ret)
{
    parley_arguments_t  arguments;

    parley_arguments_init(&arguments, PARLEY_PROTO_NONE, PARLEY_PROTO_NONE,
                          ctx->lcf->gate.token);

    if (parley_arguments_read(&arguments, &ctx->arena, ctx->came_args,
                              &ctx->error)
        != 0)
    {
        return NGX_DECLINED;
    }

    *ret = ngx_http_parley_ngx_str(arguments.list[PARLEY_ARGUMENT_TOKEN]
                                   .value);

    return NGX_OK;
}


static ngx_int_t
ngx_http_parley_token_verify(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, parley_str_t token)
{
    ngx_uint_t                    number;
    parley_jwt_t                  jwt;
    const parley_jwks_t          *keys;
    parley_jwt_options_t          options;
    parley_token_entry_t         *entry;
    ngx_http_parley_main_conf_t  *mcf;

    mcf = ctx->mcf;

    keys = ngx_http_parley_jwks_current(r, mcf, &number);

    if (keys->keys == NULL) {
        return ngx_http_parley_token_no_keys(r, ctx);
    }

    number = (number << 16) | (ctx->lcf->claims ? ctx->lcf->claims->number
                                                : 0);

    entry = parley_token_cache_get(mcf->tokens, token, number,
                                   (int64_t) ngx_time());

    if (entry) {
        parley_token_cache_hold(mcf->tokens, entry);
        ctx->token = entry;
        ctx->who.jwt = &entry->jwt;
        ctx->who.principal = entry->data;
        return NGX_OK;
    }

    options.token_max = 0;
    options.seed = ngx_http_parley_seed(ctx);

    if (parley_jwt_verify(keys, &ctx->arena, &options, token, &jwt,
                          &ctx->error)
        != 0)
    {
        if (jwt.key_unknown
            && ngx_http_parley_fetch_wait(r, ctx, mcf->http.jwks_interval_ms)
               == NGX_AGAIN)
        {
            parley_error_clear(&ctx->error);
            return NGX_AGAIN;
        }

        return NGX_DECLINED;
    }

    entry = parley_token_cache_put(mcf->tokens, &jwt, number,
                                   (int64_t) ngx_time(),
                                   NGX_HTTP_PARLEY_TOKEN_TTL);

    if (entry) {
        parley_token_cache_hold(mcf->tokens, entry);
        ctx->token = entry;

    } else {
        entry = parley_arena_calloc(&ctx->arena,
                                    sizeof(parley_token_entry_t));
        if (entry == NULL) {
            parley_error_memory(&ctx->error);
            return NGX_DECLINED;
        }

        entry->jwt = jwt;
    }

    return ngx_http_parley_token_principal(ctx, entry);
}


/* the identity provider has not answered yet: not the caller's fault */

static ngx_int_t
ngx_http_parley_token_no_keys(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx)
{
    if (ngx_http_parley_fetch_wait(r, ctx, NGX_HTTP_PARLEY_NO_KEYS_RETRY)
        == NGX_AGAIN)
    {
        return NGX_AGAIN;
    }

    ctx->gate.wait = NGX_HTTP_PARLEY_NO_KEYS_RETRY;

    (void) parley_error_set(&ctx->error, PARLEY_E_CAPACITY, NULL,
                            "no keys to verify tokens with were loaded yet");

    return NGX_DECLINED;
}


/* who that is; made once, kept with the token */

static ngx_int_t
ngx_http_parley_token_principal(ngx_http_parley_ctx_t *ctx,
    parley_token_entry_t *entry)
{
    parley_arena_t      *arena;
    parley_principal_t  *principal;

    /* where the cache is full the entry is the request's own */

    arena = (entry == ctx->token) ? &entry->arena : &ctx->arena;

    principal = parley_arena_calloc(arena, sizeof(parley_principal_t));

    if (principal == NULL) {
        parley_error_memory(&ctx->error);

    } else if (parley_principal_from_claims(arena, &entry->jwt,
                                            ctx->lcf->claims
                                            ? &ctx->lcf->claims->map : NULL,
                                            ctx->mcf->http.directory, principal,
                                            &ctx->error)
               == 0)
    {
        entry->data = principal;
        ctx->who.jwt = &entry->jwt;
        ctx->who.principal = principal;

        return NGX_OK;
    }

    if (ctx->token) {
        parley_token_cache_drop(ctx->mcf->tokens, entry);
    }

    return NGX_DECLINED;
}
