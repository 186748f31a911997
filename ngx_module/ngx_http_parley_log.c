
/*
 * Copyright (C) 2026 The Parley authors
 *
 * What the error log has of refusals and answers: who, why and which, without
 * secrets or payload; of a flood the first few and a sum (OPS-07).
 */


#include "ngx_http_parley_module.h"
#include "ngx_http_parley_answer.h"
#include "ngx_http_parley_state.h"


/* octets of an id or name in the error log */
#define NGX_HTTP_PARLEY_LOG_MAX  128


static ngx_uint_t ngx_http_parley_log_has_line(ngx_http_parley_logged_t *l,
    parley_code_t code);
static void ngx_http_parley_log_timer(ngx_event_t *ev);
static void ngx_http_parley_log_rest(ngx_http_parley_logged_t *l,
    ngx_log_t *log);
static ngx_str_t ngx_http_parley_log_text(u_char *buf, parley_str_t s);
static ngx_str_t ngx_http_parley_log_word(ngx_http_parley_ctx_t *ctx,
    parley_str_t s);
static ngx_str_t ngx_http_parley_log_escaped(ngx_http_parley_ctx_t *ctx,
    parley_str_t s);


void
ngx_http_parley_log_refusal(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    u_char                      id[NGX_HTTP_PARLEY_LOG_MAX];
    u_char                      sub[NGX_HTTP_PARLEY_LOG_MAX];
    u_char                      at[sizeof(" at offset ") + NGX_SIZE_T_LEN];
    u_char                      words[PARLEY_TEXT_MAX];
    size_t                      len;
    ngx_str_t                   who, which, said, what, field, text;
    ngx_uint_t                  level;
    parley_str_t                claimed;
    const parley_error_info_t  *info;

    if (!ngx_http_parley_log_has_line(&ctx->mcf->refused, ctx->error.code)) {
        parley_count(ctx->mcf->slot, PARLEY_M_UNLOGGED, 1);
        return;
    }

    info = parley_error_info(ctx->error.code);

    field = ngx_http_parley_log_escaped(ctx, parley_str_c(ctx->error.field));
    text = ngx_http_parley_log_words(words,
                                     parley_error_words(&ctx->error));

    who = ngx_http_parley_log_text(sub, ctx->who.principal
                                        ? ctx->who.principal->sub
                                        : parley_str_none);
    which = ngx_http_parley_log_text(id, ctx->gate.msg_read
                                         ? ctx->msg.id : parley_str_none);

    /* what is no JSON has no member to name */

    len = 0;

    if (ctx->error.code == PARLEY_E_JSON_INVALID
        && ctx->error.offset != PARLEY_NO_OFFSET)
    {
        len = ngx_sprintf(at, " at offset %uz", ctx->error.offset) - at;
    }

    /* what is not proven is the message's own word */

    said = ngx_http_parley_log_word(ctx, ctx->msg.sender);
    what = ngx_http_parley_log_word(ctx, ctx->msg.intent);

    if (parley_gate_claimed(&ctx->gate, &claimed) != 0) {
        claimed = parley_str_none;
    }

    level = parley_gate_is_foreseen(&ctx->gate,
                                    ngx_http_parley_str(&r->method_name))
            ? NGX_LOG_INFO : NGX_LOG_WARN;

    ngx_log_error(level, r->connection->log, 0,
                  "parley: %s %*s%s%V: %V%*s, principal \"%V\", from \"%V\", "
                  "intent \"%V\", id \"%V\"%*s",
                  ctx->dry ? "would refuse," : "refused,",
                  info->word.len, info->word.data,
                  field.len ? " " : "", &field, &text, len, at,
                  &who, &said, &what, &which, claimed.len, claimed.data);
}


void
ngx_http_parley_log_answer(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    ngx_uint_t level, const char *why, const char *what, parley_str_t code)
{
    u_char     id[NGX_HTTP_PARLEY_LOG_MAX];
    u_char     word[NGX_HTTP_PARLEY_LOG_MAX];
    ngx_str_t  which, said;

    which = ngx_http_parley_log_text(id, ctx->msg.id);
    said = ngx_http_parley_log_text(word, code);

    ngx_log_error(level, r->connection->log, 0,
                  "parley: not told, %s: %s%s%V, answering id \"%V\"", why,
                  what, said.len ? " " : "", &said, &which);
}


void
ngx_http_parley_log_passed_over(ngx_http_parley_main_conf_t *mcf,
    parley_proto_t from, parley_proto_t to, const parley_error_t *err)
{
    u_char        words[PARLEY_TEXT_MAX];
    ngx_str_t     text;
    parley_str_t  said, read;

    if (!ngx_http_parley_log_has_line(&mcf->passed_over, err->code)) {
        return;
    }

    said = parley_proto_name(from);
    read = parley_proto_name(to);
    text = ngx_http_parley_log_words(words, err->text);

    ngx_log_error(NGX_LOG_INFO, ngx_cycle->log, 0,
                  "parley: a message of %*s is passed over by streams of "
                  "%*s: %s, %V", said.len, said.data, read.len, read.data,
                  parley_error_info(err->code)->word.data, &text);
}


void
ngx_http_parley_log_losses(ngx_http_parley_main_conf_t *mcf,
    const parley_publication_t *p, parley_proto_t to,
    const parley_loss_t *loss)
{
    u_char        id[NGX_HTTP_PARLEY_LOG_MAX];
    u_char        sub[NGX_HTTP_PARLEY_LOG_MAX];
    ngx_str_t     which, who;
    parley_str_t  said, read, lost;

    if (!parley_losses(&mcf->losses, mcf->slot, mcf->zone->sh->seed, p, to,
                       loss)
        || !ngx_http_parley_log_has_line(&mcf->lossy,
                                         PARLEY_E_TRANSLATION_LOSSY)
        || parley_loss_text(loss, loss->arena, PARLEY_LOSS_HEADER, &lost) != 0)
    {
        return;
    }

    said = parley_proto_name(p->proto);
    read = parley_proto_name(to);
    which = ngx_http_parley_log_text(id, p->id);
    who = ngx_http_parley_log_text(sub, p->sender);

    /* the list may be longer than a line: it stands last */

    ngx_log_error(NGX_LOG_INFO, ngx_cycle->log, 0,
                  "parley: a message of %*s loses members for who reads %*s, "
                  "from \"%V\", id \"%V\": %*s", said.len, said.data,
                  read.len, read.data, &who, &which, lost.len, lost.data);
}


void
ngx_http_parley_log_unsaid(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    const char *why)
{
    ngx_http_parley_log_answer(r, ctx, NGX_LOG_WARN,
                               "the caller's protocol cannot say it", why,
                               parley_str_none);
}


/* what a message claims, percent-encoded: no two of them look alike */

static ngx_str_t
ngx_http_parley_log_word(ngx_http_parley_ctx_t *ctx, parley_str_t s)
{
    ngx_str_t  none = ngx_null_string;

    if (!ctx->gate.msg_read) {
        return none;
    }

    s.len = ngx_min(s.len, NGX_HTTP_PARLEY_LOG_MAX);

    return ngx_http_parley_log_escaped(ctx, s);
}


static ngx_str_t
ngx_http_parley_log_escaped(ngx_http_parley_ctx_t *ctx, parley_str_t s)
{
    ngx_str_t  none = ngx_null_string;

    return parley_escape(&ctx->arena, s, PARLEY_ESCAPE_VALUE, &s) == 0
           ? ngx_http_parley_ngx_str(s) : none;
}


/* a line of the log is not for a message to write (SEC-01) */

static ngx_str_t
ngx_http_parley_log_text(u_char *buf, parley_str_t s)
{
    size_t     i;
    ngx_str_t  text;

    text.len = ngx_min(s.len, NGX_HTTP_PARLEY_LOG_MAX);
    text.data = buf;

    for (i = 0; i < text.len; i++) {
        buf[i] = (s.data[i] < 0x20 || s.data[i] >= 0x7f || s.data[i] == '"')
                 ? '?' : s.data[i];
    }

    return text;
}


/* a message may name a member as it likes, and so what is wrong with it: only
   the log's own words are in quotation marks */

ngx_str_t
ngx_http_parley_log_words(u_char *buf, const char *words)
{
    ngx_str_t  text;

    parley_error_line(words, (char *) buf);

    text.data = buf;
    text.len = ngx_strlen(buf);

    return text;
}


/* whether it gets a line; else a timer brings the sum */

static ngx_uint_t
ngx_http_parley_log_has_line(ngx_http_parley_logged_t *l, parley_code_t code)
{
    int64_t       wait;
    ngx_event_t  *ev;

    if (parley_logged_line(&l->lines, code, (int64_t) ngx_current_msec, &wait))
    {
        return 1;
    }

    ev = &l->sum;

    if (!ev->timer_set) {
        ev->handler = ngx_http_parley_log_timer;
        ev->data = l;
        ev->log = ngx_cycle->log;
        ev->cancelable = 1;

        ngx_add_timer(ev, (ngx_msec_t) wait);
    }

    return 0;
}


static void
ngx_http_parley_log_timer(ngx_event_t *ev)
{
    ngx_http_parley_log_rest(ev->data, ev->log);
}


static void
ngx_http_parley_log_rest(ngx_http_parley_logged_t *l, ngx_log_t *log)
{
    char  text[PARLEY_LOGGED_TEXT];

    if (parley_logged_sum(&l->lines, l->of, text)) {
        ngx_log_error(l->level, log, 0, "parley: %s", text);
    }
}


void
ngx_http_parley_log_init(ngx_http_parley_main_conf_t *mcf)
{
    mcf->refused.of = "refusals";
    mcf->refused.level = NGX_LOG_WARN;

    mcf->passed_over.of = "messages are passed over by streams";
    mcf->passed_over.level = NGX_LOG_INFO;

    mcf->lossy.of = "messages lose members for who reads them";
    mcf->lossy.level = NGX_LOG_INFO;
}


void
ngx_http_parley_log_sum(ngx_http_parley_main_conf_t *mcf, ngx_log_t *log)
{
    ngx_http_parley_log_rest(&mcf->refused, log);
    ngx_http_parley_log_rest(&mcf->passed_over, log);
    ngx_http_parley_log_rest(&mcf->lossy, log);
}
