
/*
 * Copyright (C) 2026 The Parley authors
 */


#ifndef _NGX_HTTP_PARLEY_MODULE_H_INCLUDED_
#define _NGX_HTTP_PARLEY_MODULE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include "ngx_http_parley_conf.h"
#include "parley_entrance.h"
#include "parley_events.h"
#include "parley_exchange.h"
#include "parley_gate.h"
#include "parley_location.h"
#include "parley_refer.h"
#include "parley_replay.h"
#include "parley_retain.h"
#include "parley_seal.h"
#include "parley_who.h"


typedef enum {
    NGX_HTTP_PARLEY_ANSWER_NONE = 0,
    NGX_HTTP_PARLEY_ANSWER_BUFFER,     /* JSON: header held, body gathered */
    NGX_HTTP_PARLEY_ANSWER_EVENTS,     /* SSE: event by event */
    NGX_HTTP_PARLEY_ANSWER_DONE
} ngx_http_parley_answer_e;


typedef struct ngx_http_parley_sse_s  ngx_http_parley_sse_t;


/*
 * One request.  It outlives an internal redirect (error_page) through the
 * pool's cleanup, which releases what has not been settled.
 */
typedef struct {
    ngx_http_request_t           *request;
    ngx_http_parley_main_conf_t  *mcf;
    ngx_http_parley_loc_conf_t   *lcf;

    parley_arena_t                arena;
    ngx_http_parley_block_t      *blocks;         /* of the arena */
    parley_error_t                error;

    /* access */
    ngx_queue_t                   jwks_queue;     /* while jwks_waiting */

    parley_token_entry_t         *token;          /* held until the end */
    parley_gate_t                 gate;
    parley_who_t                  who;
    parley_seal_t                 seal;

    parley_str_t                  body;
    parley_json_t                 doc;
    parley_json_t                 edited_doc;     /* after caps, redaction */
    parley_msg_t                  msg;

    parley_entrance_t             entrance;
    parley_arrival_t                place;          /* it came to */
    parley_first_t                first;          /* of a duplicate */
    uint8_t                       account[PARLEY_KEY_LEN];
    ngx_msec_t                    wait;           /* for Retry-After */
    u_char                        random[16];     /* of an id, see drawn */
    ngx_event_t                   deadline;

    parley_refer_t                refer;          /* what it refers to */
    parley_asked_t                asked;          /* what may refer to it */
    parley_encoded_t              sent;
    parley_encode_opts_t          opts;
    parley_loss_t                 loss;

    /* forward */
    ngx_list_t                    client_headers; /* as they came */
    ngx_table_elt_t              *client_type;
    ngx_str_t                     client_args;
    ngx_str_t                     client_uri;     /* unparsed */
    ngx_uint_t                    client_version; /* of HTTP */
    ngx_http_handler_pt           content_handler;
    ngx_http_upstream_t          *tried;          /* before it continued */
    ngx_http_event_handler_pt     write_handler;  /* of the upstream module */

    /* answer */
    ngx_uint_t                    answer;         /* ..._answer_e */
    ngx_chain_t                  *gathered;
    ngx_chain_t                 **gathered_last;
    size_t                        gathered_size;
    parley_str_t                  answer_trace;   /* traceparent, or empty */
    ngx_http_parley_sse_t        *sse;
    void                         *inflate;

    const char                   *verdict;        /* $parley_verdict */

    unsigned                      jwks_tried:1;
    unsigned                      jwks_waiting:1;
    unsigned                      body_read:1;
    unsigned                      drawn:1;        /* random is filled */
    unsigned                      addressed:1;    /* by the argument alone */
    unsigned                      forwarded:1;    /* every step passed */
    unsigned                      resume:1;       /* at another location */
    unsigned                      dry:1;          /* dry run: untouched */
    unsigned                      replied:1;      /* the gateway's own reply
                                                     is on its way */
    unsigned                      timed_out:1;
    unsigned                      left:1;         /* there is no client any
                                                     more */
} ngx_http_parley_ctx_t;


extern ngx_module_t  ngx_http_parley_module;


/* spans of either world */

#define ngx_http_parley_str(s)    parley_str_make((s)->data, (s)->len)

static ngx_inline ngx_str_t
ngx_http_parley_ngx_str(parley_str_t s)
{
    ngx_str_t  v;

    v.len = s.len;
    v.data = (u_char *) s.data;

    return v;
}


/* keys the hash of parley_json_read(); unknown to senders */
#define ngx_http_parley_seed(ctx)                                             \
    (*(uint64_t *) (ctx)->mcf->zone->sh->secret)


/* the wall clock in milliseconds, as nginx cached it */
static ngx_inline int64_t
ngx_http_parley_now(void)
{
    ngx_time_t  *tp;

    tp = ngx_timeofday();

    return (int64_t) tp->sec * 1000 + tp->msec;
}


/* ngx_http_parley_engine.c */

ngx_int_t ngx_http_parley_engine_init(ngx_conf_t *cf,
    ngx_http_parley_main_conf_t *mcf);


/* ngx_http_parley_zone.c */

/* bounds a zone must have to hold anything */
#define NGX_HTTP_PARLEY_ZONE_MIN  (128 * 1024)

ngx_int_t ngx_http_parley_zone_init(ngx_shm_zone_t *shm_zone, void *data);

/* When a worker starts: has all of it mapped. */
void ngx_http_parley_zone_touch(ngx_http_parley_zone_t *zone);

/* This process takes part from now on, or does no more. */
void ngx_http_parley_zone_enter(ngx_http_parley_zone_t *zone);
void ngx_http_parley_zone_leave(ngx_http_parley_zone_t *zone);


/* ngx_http_parley_process.c */

void ngx_http_parley_process_self(parley_process_t *ret);
int ngx_http_parley_process_is_alive(void *ctx,
    const parley_process_t *process);


/* ngx_http_parley_admit.c */

/*
 * Both return NGX_OK, or NGX_DECLINED with ctx->error, and ctx->wait where
 * a retry later helps.  who is a principal's sub; empty: the address that the
 * request came from.  what tells the limits of one principal apart.
 */
ngx_int_t ngx_http_parley_enter(ngx_http_parley_ctx_t *ctx);
ngx_int_t ngx_http_parley_limit_take(ngx_http_parley_ctx_t *ctx,
    const parley_limit_rate_t *rate, parley_str_t who, parley_str_t what);

/* The same of failed proofs from the request's address; again: one more, and
   NGX_DECLINED where it was not counted. */
ngx_int_t ngx_http_parley_failures(ngx_http_parley_ctx_t *ctx,
    const parley_limit_rate_t *rate, ngx_uint_t again);

/* What the message's sender is told is kept for its next try (GW-19). */
void ngx_http_parley_keep_first(ngx_http_parley_ctx_t *ctx,
    const parley_reply_t *first);

/*
 * What becomes of what entered, once: what is settled stays.  closed: what it
 * asked, where that has its answer, else NULL.
 */
void ngx_http_parley_commit(ngx_http_parley_ctx_t *ctx,
    parley_asked_t *closed);
void ngx_http_parley_release(ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_place.c */

/* Fills ctx->place; whether anybody wants to know it. */
ngx_uint_t ngx_http_parley_place_is_asked(ngx_http_parley_ctx_t *ctx);
ngx_int_t ngx_http_parley_place(ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_phases.c */

ngx_int_t ngx_http_parley_precontent_handler(ngx_http_request_t *r);
ngx_http_parley_ctx_t *ngx_http_parley_get_ctx(ngx_http_request_t *r);

/* That of the request before an internal redirection, or NULL. */
ngx_http_parley_ctx_t *ngx_http_parley_find_ctx(ngx_http_request_t *r);


/* ngx_http_parley_redirect.c */

ngx_int_t ngx_http_parley_redirect_handler(ngx_http_request_t *r);
ngx_int_t ngx_http_parley_redirect_named_handler(ngx_http_request_t *r);

/* Whether a request has come into a location by redirection, as no message. */
ngx_uint_t ngx_http_parley_redirect_is_into(ngx_http_request_t *r);
ngx_int_t ngx_http_parley_redirect_refuse(ngx_http_request_t *r);


/* ngx_http_parley_token.c: step 2; NGX_OK, NGX_AGAIN (keys are fetched),
   NGX_DECLINED (ctx->error), NGX_ERROR */

ngx_int_t ngx_http_parley_token(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_jwks.c */

/* The keys in force, and their generation.  Never NULL. */
const parley_jwks_t *ngx_http_parley_jwks_current(ngx_http_request_t *r,
    ngx_http_parley_main_conf_t *mcf, ngx_uint_t *generation);

/*
 * Takes what was fetched.  NGX_OK; NGX_DECLINED: it cannot be used, the last
 * good keys are kept, and the log says why.
 */
ngx_int_t ngx_http_parley_jwks_store(ngx_http_parley_main_conf_t *mcf,
    ngx_str_t *text, ngx_log_t *log);


/* ngx_http_parley_jwks_fetch.c */

/* When a worker starts: the keys are fetched, and refreshed from then on. */
ngx_int_t ngx_http_parley_fetch_init(ngx_cycle_t *cycle,
    ngx_http_parley_main_conf_t *mcf);

/*
 * The request cannot go on without other keys.  NGX_AGAIN: they are being
 * fetched, the phase runs again when that is over; once in a request.
 * NGX_DECLINED: they were fetched less than age ago, by any worker.
 */
ngx_int_t ngx_http_parley_fetch_wait(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_msec_t age);

/* The request waits no more. */
void ngx_http_parley_fetch_leave(ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_location.c */

/*
 * The configuration of the first server that has a location of that name, in
 * whatever block; regular expressions do not count.  NULL: none has.
 */
ngx_http_conf_ctx_t *ngx_http_parley_location_server(ngx_conf_t *cf,
    ngx_str_t *uri);


/* ngx_http_parley_body.c: NGX_OK, NGX_DECLINED, NGX_ERROR */

ngx_int_t ngx_http_parley_body_take(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
ngx_int_t ngx_http_parley_body_replace(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_gate.c: the gate of a request */

void ngx_http_parley_gate_init(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_submit.c */

ngx_int_t ngx_http_parley_self_names(ngx_http_parley_main_conf_t *mcf);
ngx_int_t ngx_http_parley_submission(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
ngx_int_t ngx_http_parley_forward_arguments(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_translate.c: step 10 */

ngx_int_t ngx_http_parley_translate(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_refer.c: replies find their way home */

/*
 * What the message answers or reports on, into ctx->opts; what it takes back,
 * into the message.  NGX_DECLINED: reply-unmatched, policy-refused.
 */
ngx_int_t ngx_http_parley_refer(ngx_http_parley_ctx_t *ctx);

/* Remembers the message that is about to be sent, for what refers to it. */
ngx_int_t ngx_http_parley_ask(ngx_http_parley_ctx_t *ctx);

/* It was not taken: nobody refers to it. */
void ngx_http_parley_forget(ngx_http_parley_ctx_t *ctx);

/* It has its answer: whoever answers it now comes too late. */
void ngx_http_parley_close(ngx_http_parley_ctx_t *ctx);

/*
 * A final answer in the response to what several answer.  NGX_OK;
 * NGX_DECLINED: that responder has answered before.
 */
ngx_int_t ngx_http_parley_answered(ngx_http_parley_ctx_t *ctx,
    const parley_answered_t *outcome);


/* ngx_http_parley_retain.c: messages that can be fetched again */

void ngx_http_parley_retain(ngx_http_parley_ctx_t *ctx);

/*
 * The payloads of aee.context.fetch and aee.context.refute.  NGX_OK and
 * *ret; NGX_DECLINED and *fault; NGX_ERROR.
 */
ngx_int_t ngx_http_parley_retain_fetch(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret, parley_fault_t *fault);
ngx_int_t ngx_http_parley_retain_refute(ngx_http_parley_ctx_t *ctx,
    parley_str_t *ret, parley_fault_t *fault);


/* ngx_http_parley_intents.c: parley_intents, AEE-33 */

char *ngx_http_parley_intents(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);


/*
 * ngx_http_parley_own.c: AEE-21 to AEE-27; two steps, which answer what is
 * addressed to the gateway and return NGX_DONE then: what only reads, and,
 * once it is admitted, what changes something
 */

ngx_int_t ngx_http_parley_own(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_uint_t admitted);


/* ngx_http_parley_headers.c: what goes along with the request */

void ngx_http_parley_headers_init(void);

/* a handler of the rewrite phase: removes what is the gateway's to say */
ngx_int_t ngx_http_parley_headers_handler(ngx_http_request_t *r);


/* Step 4: what the request says of its body (SEC-02).  NGX_DECLINED. */
ngx_int_t ngx_http_parley_media(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

ngx_int_t ngx_http_parley_request_headers(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* The value of the first header of that lower-case name, or NULL. */
ngx_str_t *ngx_http_parley_in_header(ngx_http_request_t *r,
    const char *name);


/* ngx_http_parley_headers_out.c: headers of the response */

/*
 * Takes the service's Parley- headers out of the answer; where its body is
 * replaced, also those that speak of that body.
 */
void ngx_http_parley_answer_headers(ngx_http_request_t *r,
    ngx_uint_t replaced);

/* The same of its trailers, once they are there. */
void ngx_http_parley_answer_trailers(ngx_http_request_t *r,
    ngx_uint_t replaced);
/* The value of a response header, or NULL. */
ngx_str_t *ngx_http_parley_sent_header(ngx_http_request_t *r,
    const char *name);

/*
 * Adds a response header; the value is printable ASCII and lives as long as
 * the request.  An empty value adds nothing.
 */
ngx_int_t ngx_http_parley_out_header(ngx_http_request_t *r, const char *name,
    parley_str_t value);


/* ngx_http_parley_block.c */

/* Makes the arena of a request; nothing is allocated yet. */
void ngx_http_parley_block_arena(ngx_http_parley_ctx_t *ctx);

/* The request is over: gives its memory to the next. */
void ngx_http_parley_block_release(ngx_http_parley_ctx_t *ctx);

/* The worker ends. */
void ngx_http_parley_block_free(ngx_http_parley_main_conf_t *mcf);


/* ngx_http_parley_client.c: GW-21 */

/* The content handler is called so that no departure ends the upstream. */
void ngx_http_parley_client_watch(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* An answer of events has begun: nor does a client that takes nothing. */
void ngx_http_parley_client_stream(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* The client is gone: nothing is sent any more, the answer is awaited. */
void ngx_http_parley_client_left(ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_deadline.c: AEE-29 */

ngx_int_t ngx_http_parley_deadline_start(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
void ngx_http_parley_deadline_stop(ngx_http_parley_ctx_t *ctx);

/* Sets a deadline where there is none; in milliseconds from now. */
void ngx_http_parley_deadline_extend(ngx_http_parley_ctx_t *ctx,
    ngx_msec_t timeout);


/* ngx_http_parley_reply.c */

/*
 * Answers the request with ctx->error in the caller's protocol and finalizes
 * it, logs once.  Returns what the phase handler returns.
 */
ngx_int_t ngx_http_parley_refuse(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* Answers the request and finalizes it; returns NGX_DONE or an error. */
ngx_int_t ngx_http_parley_respond(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_reply_t *reply);

/* A response's last buffer, with all of its body; NULL: no memory. */
ngx_buf_t *ngx_http_parley_last_buf(ngx_http_request_t *r,
    parley_str_t body);

/* Makes the body of a refusal; NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_parley_refusal(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, parley_reply_t *reply);

/* Sets status, type, length and the Parley- headers of a reply. */
ngx_int_t ngx_http_parley_reply_headers(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_reply_t *reply);

void ngx_http_parley_log_refusal(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/* An answer that the caller is not told: why, what it is, its code or none. */
void ngx_http_parley_log_answer(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_uint_t level, const char *why,
    const char *what, parley_str_t code);


/* ngx_http_parley_filter.c */

ngx_int_t ngx_http_parley_filter_init(ngx_conf_t *cf);

/* What follows in the chain; an answer whose client has left is dropped. */
ngx_int_t ngx_http_parley_next_header_filter(ngx_http_request_t *r);
ngx_int_t ngx_http_parley_next_body_filter(ngx_http_request_t *r,
    ngx_chain_t *in);


/* ngx_http_parley_answer.c: a whole answer, gathered */

ngx_int_t ngx_http_parley_answer_header(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
ngx_int_t ngx_http_parley_answer_body(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_chain_t *in);

/* The answer is sent: header and body, copied: those of the service. */
ngx_int_t ngx_http_parley_answer_send(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, const parley_reply_t *reply,
    ngx_uint_t copied);

/*
 * ctx->error came of the answer: settles the reservation, logs, makes the
 * refusal.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_parley_answer_failed(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, parley_reply_t *reply);

/* Whether nginx tells with b that the upstream's answer has broken off. */
ngx_uint_t ngx_http_parley_answer_broke_off(ngx_http_request_t *r,
    ngx_buf_t *b);

/* Fills ctx->error of an answer that broke off, or of one that is no good. */
void ngx_http_parley_answer_early(ngx_http_parley_ctx_t *ctx);
void ngx_http_parley_answer_unusable(ngx_http_parley_ctx_t *ctx,
    const char *why);


/* ngx_http_parley_exchange.c */

/* The exchange of a message that was sent on; NULL: no memory. */
parley_exchange_t *ngx_http_parley_exchange(ngx_http_parley_ctx_t *ctx);

/* What came of an answer becomes of the message's reservation. */
void ngx_http_parley_settle(ngx_http_parley_ctx_t *ctx,
    const parley_answered_t *outcome);

/*
 * The upstream took the message: it is committed, and retained.  first: what
 * its sender is told, or NULL: that is not known yet; closes: and no answer is
 * to come any more.
 */
void ngx_http_parley_taken(ngx_http_parley_ctx_t *ctx,
    const parley_reply_t *first, ngx_uint_t closes);

/* The milliseconds that a 429 or 503 asks to wait; 0: it does not say. */
ngx_msec_t ngx_http_parley_sent_wait(ngx_http_request_t *r);


/* ngx_http_parley_sse.c: an answer of events */

/* Ends it, outside of the filters, with ctx->error as its last event. */
void ngx_http_parley_sse_stop(ngx_http_parley_ctx_t *ctx);

ngx_int_t ngx_http_parley_sse_start(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);
ngx_int_t ngx_http_parley_sse_body(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_chain_t *in);


/* ngx_http_parley_inflate.c: an upstream that compresses unasked */

ngx_int_t ngx_http_parley_inflate_start(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx);

/*
 * Inflates in to *out, at most limit octets.  NGX_OK; NGX_DECLINED: no valid
 * gzip, or more than limit; NGX_ERROR.
 */
ngx_int_t ngx_http_parley_inflate(ngx_http_request_t *r,
    ngx_http_parley_ctx_t *ctx, ngx_buf_t *in, size_t limit,
    ngx_chain_t ***last, size_t *size);

/* Whether all of it came; 1 where nothing is compressed, or nothing came. */
ngx_uint_t ngx_http_parley_inflate_is_whole(ngx_http_parley_ctx_t *ctx);


/* ngx_http_parley_variables.c */

ngx_int_t ngx_http_parley_add_variables(ngx_conf_t *cf);


#endif /* _NGX_HTTP_PARLEY_MODULE_H_INCLUDED_ */
