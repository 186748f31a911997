/* Lines of the error log. */

#ifndef NGX_HTTP_PARLEY_LOG_H
#define NGX_HTTP_PARLEY_LOG_H

#include "ngx_module/worker/ngx_http_parley_module.h"


/* ctx->error, with its principal; of a flood the first few (OPS-07) */
void ngx_http_parley_log_refusal(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* A message of a parent to its suspended child did not resume it. */
void ngx_http_parley_log_in_vain(ngx_http_parley_ctx_t *ctx);

/* An answer that the caller is not told: why, what it is, its code or none. */
void ngx_http_parley_log_answer(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_uint_t level, const char *why,
    const char *what, parley_str_t code);
void ngx_http_parley_log_unsaid(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const char *why);

/* The words of an error, see parley_error_line(), into buf[PARLEY_TEXT_MAX]. */
ngx_str_t ngx_http_parley_log_words(u_char *buf, const char *words);

/* A publication that streams of a protocol do not get; of a flood the first few
   (OPS-07). */
void ngx_http_parley_log_passed_over(ngx_http_parley_main_conf_t *mcf,
    parley_proto_t from, parley_proto_t to, const parley_error_t *err);

/* The form of a publication in a protocol was made
   (gate/metrics/parley_losses.h); the same. */
void ngx_http_parley_log_losses(ngx_http_parley_main_conf_t *mcf,
    const parley_publication_t *p, parley_proto_t to,
    const parley_loss_t *loss);

/* What gets no line is summed up from here on, */
void ngx_http_parley_log_init(ngx_http_parley_main_conf_t *mcf);

/* and what was not yet is now. */
void ngx_http_parley_log_sum(ngx_http_parley_main_conf_t *mcf,
    ngx_log_t *log);


#endif /* NGX_HTTP_PARLEY_LOG_H */
