/* Writes lines to the error log. */

#ifndef NGX_HTTP_PARLEY_LOG_H
#define NGX_HTTP_PARLEY_LOG_H


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "core/parley_escape.h"
#include "hub/parley_publication.h"
#include "translate/parley_loss.h"


struct parley_job_line_s;       /* parley_job_line.h */


/* A name or an id in a line is escaped: a message cannot write text of its own
   there (SEC-01), and two different names never look alike. */

typedef char  ngx_http_parley_log_name_t[PARLEY_ESCAPE_LOGGED + 1];

#define ngx_http_parley_log_name(s, name)                                     \
    parley_escape_line(s, PARLEY_ESCAPE_LOGGED, name)


/* Logs ctx->error and its principal.  In a flood only the first lines are
   written (OPS-07). */
void ngx_http_parley_log_refusal(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* Logs that a message of a parent to its suspended child did not resume the
   child. */
void ngx_http_parley_log_in_vain(ngx_http_parley_ctx_t *ctx);

/*
 * Logs an answer that the caller does not get: the reason, the kind of answer,
 * and its error code if it has one.  ngx_http_parley_log_unsaid() logs an
 * answer that the caller's protocol cannot express.
 */
void ngx_http_parley_log_answer(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_uint_t level, const char *why,
    const char *what, parley_str_t code);
void ngx_http_parley_log_unsaid(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const char *why);

/* Writes the text of an error (parley_error_line()) into buf[PARLEY_TEXT_MAX]
   and returns it. */
ngx_str_t ngx_http_parley_log_words(u_char *buf, const char *words);

/* Logs a publication that streams of a protocol skip.  In a flood only the
   first lines are written (OPS-07). */
void ngx_http_parley_log_passed_over(ngx_http_parley_worker_t *worker,
    parley_proto_t from, parley_proto_t to, const parley_error_t *err);

/* Counts and logs the members that a publication loses in another protocol
   (gate/metrics/parley_losses.h), as ngx_http_parley_log_passed_over(). */
void ngx_http_parley_log_losses(ngx_http_parley_worker_t *worker,
    const parley_publication_t *p, parley_proto_t to,
    const parley_loss_t *loss);

/* Returns whether the refusal of a message by a peer gets a line.  In a flood
   only the first ones do (OPS-07).  A code that is not one of Parley's (NONE)
   counts as policy-refused. */
ngx_uint_t ngx_http_parley_log_has_peer_line(ngx_http_parley_worker_t *worker,
    parley_code_t code);

/* Writes a line about a job if it has a level. */
void ngx_http_parley_log_job(const struct parley_job_line_s *line);

/* Prepares the summaries of lines that are not written. */
ngx_int_t ngx_http_parley_log_init(ngx_cycle_t *cycle,
    ngx_http_parley_worker_t *worker);

/* Writes the pending summaries. */
void ngx_http_parley_log_sum(ngx_http_parley_worker_t *worker,
    ngx_log_t *log);


#endif /* NGX_HTTP_PARLEY_LOG_H */
