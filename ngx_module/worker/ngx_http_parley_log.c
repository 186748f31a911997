
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The lines of the error log about refusals and answers.  They name the
 * principal, the reason and the message, without secrets or payload.  In a
 * flood only the first lines and a summary are written (OPS-07).
 */


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "ngx_module/worker/ngx_http_parley_conf.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "ngx_module/worker/ngx_http_parley_log.h"
#include "ngx_module/worker/ngx_http_parley_worker.h"
#include "ngx_module/worker/ngx_http_parley_zone.h"
#include "gate/delivery/parley_job_line.h"
#include "gate/metrics/parley_logged.h"
#include "gate/metrics/parley_losses.h"


/* rate-limited lines of the error log in this worker (OPS-07) */

typedef struct {
    parley_logged_t               lines;
    ngx_event_t                   sum;            /* writes the summary line */
    const char                   *of;             /* subject of the summary */
    ngx_uint_t                    level;          /* level of the summary */
} ngx_http_parley_logged_t;


/* the lines of a worker */
struct ngx_http_parley_lines_s {
    ngx_http_parley_logged_t      refused;
    ngx_http_parley_logged_t      passed_over;    /* messages that streams
                                                     skip */
    ngx_http_parley_logged_t      lossy;          /* messages that lose
                                                     members */
    ngx_http_parley_logged_t      peers;          /* messages that peers
                                                     refuse */
    parley_losses_t               losses;
};


static ngx_uint_t ngx_http_parley_log_has_line(ngx_http_parley_logged_t *l,
    parley_code_t code);
static void ngx_http_parley_log_timer(ngx_event_t *ev);
static void ngx_http_parley_log_rest(ngx_http_parley_logged_t *l,
    ngx_log_t *log);


void
ngx_http_parley_log_refusal(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx)
{
    char                        at[PARLEY_POINTER_MAX + 1];
    u_char                      offset[sizeof(" at offset ")
                                       + NGX_SIZE_T_LEN];
    u_char                      words[PARLEY_TEXT_MAX];
    size_t                      len;
    ngx_str_t                   text;
    ngx_uint_t                  level;
    const char                 *field;
    parley_str_t                claimed, surface, none = parley_str_none;
    const parley_msg_t         *m;
    const parley_error_info_t  *info;
    ngx_http_parley_log_name_t  who, by, said, what, which;

    level = parley_gate_submit_is_foreseen(&ctx->gate,
                                           ngx_http_parley_str(&r->method_name))
            ? NGX_LOG_INFO : NGX_LOG_WARN;

    /* a line that the log does not take is not among those left out */

    if (r->connection->log->log_level < level) {
        return;
    }

    if (!ngx_http_parley_log_has_line(&ctx->worker->lines->refused,
                                      ctx->error.code))
    {
        parley_count(ctx->worker->slot, PARLEY_M_UNLOGGED, 1);
        return;
    }

    info = parley_error_info(ctx->error.code);

    /* without proof the sender is only the message's claim */

    m = ctx->gate.read.msg_read ? &ctx->msg : NULL;
    surface = parley_who_surface(&ctx->who);

    field = parley_escape_line(parley_str_c(ctx->error.field),
                               PARLEY_POINTER_MAX, at);
    text = ngx_http_parley_log_words(words,
                                     parley_error_words(&ctx->error));

    /* an error in the JSON syntax has an offset instead of a member */

    len = 0;

    if (ctx->error.code == PARLEY_E_JSON_INVALID
        && ctx->error.offset != PARLEY_NO_OFFSET)
    {
        len = ngx_sprintf(offset, " at offset %uz", ctx->error.offset)
              - offset;
    }

    if (parley_gate_claimed(&ctx->gate, &claimed) != 0) {
        claimed = parley_str_none;
    }

    ngx_log_error(level, r->connection->log, 0,
                  "parley: %s %*s%s%s: %V%*s, principal \"%s\"%s%s%s, "
                  "from \"%s\", intent \"%s\", id \"%s\"%*s",
                  ctx->dry ? "would refuse," : "refused,",
                  info->word.len, info->word.data,
                  field[0] ? " " : "", field, &text, len, offset,
                  ngx_http_parley_log_name(ctx->who.principal
                                           ? ctx->who.principal->sub : none,
                                           who),
                  surface.len ? ", surface \"" : "",
                  ngx_http_parley_log_name(surface, by),
                  surface.len ? "\"" : "",
                  ngx_http_parley_log_name(m ? m->sender : none, said),
                  ngx_http_parley_log_name(m ? m->intent : none, what),
                  ngx_http_parley_log_name(m ? m->id : none, which),
                  claimed.len, claimed.data);
}


void
ngx_http_parley_log_in_vain(ngx_http_parley_ctx_t *ctx)
{
    ngx_http_parley_log_name_t  who, to, which;

    ngx_log_error(NGX_LOG_WARN, ctx->request->connection->log, 0,
                  "parley: resumption has no effect: %s, principal \"%s\", "
                  "to \"%s\", id \"%s\"", ctx->gate.admit.not_resumed,
                  ngx_http_parley_log_name(parley_who_proven(&ctx->who), who),
                  ngx_http_parley_log_name(ctx->msg.recipient, to),
                  ngx_http_parley_log_name(ctx->msg.id, which));
}


void
ngx_http_parley_log_answer(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    ngx_uint_t level, const char *why, const char *what, parley_str_t code)
{
    ngx_http_parley_log_name_t  said, which;

    ngx_log_error(level, r->connection->log, 0,
                  "parley: answer not sent, %s: %s%s%s, answering id \"%s\"",
                  why, what, code.len ? " " : "",
                  ngx_http_parley_log_name(code, said),
                  ngx_http_parley_log_name(ctx->msg.id, which));
}


void
ngx_http_parley_log_passed_over(ngx_http_parley_worker_t *worker,
    parley_proto_t from, parley_proto_t to, const parley_error_t *err)
{
    u_char        words[PARLEY_TEXT_MAX];
    ngx_str_t     text;
    parley_str_t  said, read;

    if (!ngx_http_parley_log_has_line(&worker->lines->passed_over, err->code)) {
        return;
    }

    said = parley_proto_name(from);
    read = parley_proto_name(to);
    text = ngx_http_parley_log_words(words, err->text);

    ngx_log_error(NGX_LOG_INFO, ngx_cycle->log, 0,
                  "parley: message of %*s skipped by streams of %*s: %s, "
                  "%V", said.len, said.data, read.len, read.data,
                  parley_error_info(err->code)->word.data, &text);
}


void
ngx_http_parley_log_losses(ngx_http_parley_worker_t *worker,
    const parley_publication_t *p, parley_proto_t to,
    const parley_loss_t *loss)
{
    parley_str_t                said, read, lost;
    ngx_http_parley_log_name_t  who, which;

    if (!parley_losses(&worker->lines->losses, worker->slot,
                       worker->mcf->zone->sh->seed, p, to, loss)
        || !ngx_http_parley_log_has_line(&worker->lines->lossy,
                                         PARLEY_E_TRANSLATION_LOSSY)
        || parley_loss_text(loss, loss->arena, PARLEY_LOSS_HEADER, &lost) != 0)
    {
        return;
    }

    said = parley_proto_name(p->proto);
    read = parley_proto_name(to);

    /* the list comes last because it may exceed the line */

    ngx_log_error(NGX_LOG_INFO, ngx_cycle->log, 0,
                  "parley: message of %*s loses members for readers of %*s, "
                  "from \"%s\", id \"%s\": %*s", said.len, said.data,
                  read.len, read.data,
                  ngx_http_parley_log_name(p->sender, who),
                  ngx_http_parley_log_name(p->id, which),
                  lost.len, lost.data);
}


void
ngx_http_parley_log_unsaid(ngx_http_request_t *r, ngx_http_parley_ctx_t *ctx,
    const char *why)
{
    ngx_http_parley_log_answer(r, ctx, NGX_LOG_WARN,
                               "the caller's protocol cannot express it", why,
                               parley_str_none);
}


/* A message chooses the names of its members, and errors quote them.
   Therefore only the log's own values are in quotation marks. */

ngx_str_t
ngx_http_parley_log_words(u_char *buf, const char *words)
{
    ngx_str_t  text;

    parley_error_line(words, (char *) buf);

    text.data = buf;
    text.len = ngx_strlen(buf);

    return text;
}


ngx_uint_t
ngx_http_parley_log_has_peer_line(ngx_http_parley_worker_t *worker,
    parley_code_t code)
{
    if (ngx_http_parley_log_has_line(&worker->lines->peers,
                                     code == PARLEY_E_NONE
                                     ? PARLEY_E_POLICY_REFUSED : code))
    {
        return 1;
    }

    parley_count(worker->slot, PARLEY_M_UNLOGGED, 1);

    return 0;
}


/* Returns whether the line is written.  If not, a timer writes the summary
   later. */

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


ngx_int_t
ngx_http_parley_log_init(ngx_cycle_t *cycle, ngx_http_parley_worker_t *worker)
{
    struct ngx_http_parley_lines_s  *lines;

    lines = ngx_pcalloc(cycle->pool, sizeof(struct ngx_http_parley_lines_s));
    if (lines == NULL) {
        return NGX_ERROR;
    }

    lines->refused.of = "refusals";
    lines->refused.level = NGX_LOG_WARN;

    lines->passed_over.of = "messages skipped by streams";
    lines->passed_over.level = NGX_LOG_INFO;

    lines->lossy.of = "messages lose members for their readers";
    lines->lossy.level = NGX_LOG_INFO;

    lines->peers.of = "messages refused by peers";
    lines->peers.level = NGX_LOG_ERR;

    worker->lines = lines;

    return NGX_OK;
}


void
ngx_http_parley_log_sum(ngx_http_parley_worker_t *worker, ngx_log_t *log)
{
    ngx_http_parley_log_rest(&worker->lines->refused, log);
    ngx_http_parley_log_rest(&worker->lines->passed_over, log);
    ngx_http_parley_log_rest(&worker->lines->lossy, log);
    ngx_http_parley_log_rest(&worker->lines->peers, log);
}


void
ngx_http_parley_log_job(const parley_job_line_t *line)
{
    static const ngx_uint_t  levels[] = {
        [PARLEY_JOB_LINE_INFO] = NGX_LOG_INFO,
        [PARLEY_JOB_LINE_WARN] = NGX_LOG_WARN,
        [PARLEY_JOB_LINE_ERR] = NGX_LOG_ERR
    };

    if (line->level != PARLEY_JOB_LINE_NONE) {
        ngx_log_error(levels[line->level], ngx_cycle->log, 0, "parley: %s",
                      line->text);
    }
}
