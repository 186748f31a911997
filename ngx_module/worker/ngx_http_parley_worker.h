
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The state of a worker.
 */


#ifndef _NGX_HTTP_PARLEY_WORKER_H_INCLUDED_
#define _NGX_HTTP_PARLEY_WORKER_H_INCLUDED_


#include "ngx_module/worker/ngx_http_parley_module.h"
#include "auth/parley_jwk.h"
#include "auth/parley_token_cache.h"
#include "gate/party/parley_account.h"
#include "state/parley_log.h"


typedef struct ngx_http_parley_audit_s  ngx_http_parley_audit_t;
typedef struct ngx_http_parley_hub_s    ngx_http_parley_hub_t;
typedef struct ngx_http_parley_jobs_s   ngx_http_parley_jobs_t;


/*
 * The state of this process, which requests and events change.  Each
 * configuration has its own.
 */

struct ngx_http_parley_worker_s {
    const ngx_http_parley_main_conf_t  *mcf;

    struct parley_slot_s         *slot;           /* not NULL in a worker */
    parley_token_cache_t         *tokens;
    parley_token_cache_stat_t     tokens_before;  /* statistics of tokens, as
                                                     counted last */
    parley_account_places_t       failing;        /* failed attempts of each
                                                     address */
    parley_account_places_t       authors;        /* of surfaces */
    struct ngx_http_parley_lines_s  *lines;       /* see _log.c */
    parley_jwks_t                 fetched;
    parley_jwks_t                 in_force;       /* fetched, and the files of
                                                     other issuers */
    parley_arena_t                fetched_arena;
    ngx_uint_t                    fetched_generation;
    struct ngx_http_parley_fetch_s  *fetch;       /* NULL: parley_jwks only */

    ngx_http_parley_audit_t      *audit;          /* NULL: no parley_audit */
    struct ngx_http_parley_revocations_s  *revocations;  /* NULL: no
                                                     parley_revocations */
    struct ngx_http_parley_store_s  *store;       /* NULL: no parley_store */
    ngx_queue_t                   streams;        /* open ..._sse_t */
    ngx_queue_t                   sockets;        /* open ..._pass_t */
    ngx_http_parley_hub_t        *hub;            /* NULL: no publisher and no
                                                     subscriber */
    void                        (*appended)(void *hub);  /* the zone has new
                                                     records; NULL: no hub */
    void                        (*replaced)(void *hub, const parley_join_t *j,
                                      uint64_t stamp);  /* a session of another
                                                     node replaced one of this
                                                     node; NULL: no hub */

    ngx_uint_t                    moq;            /* connections of MoQ */
    ngx_uint_t                    moq_wide;       /* of them, with the high
                                                     limit of streams */
    ngx_uint_t                    moq_sessions;   /* agent sessions on them */
    ngx_event_t                   moq_gather;     /* posted after an append of
                                                     an object */
    ngx_uint_t                    moq_gathered;   /* these appends, since the
                                                     hubs were woken */
    ngx_uint_t                    moq_gathered_before;  /* in the last turn */
    ngx_http_parley_jobs_t       *jobs;           /* NULL: not a worker, or an
                                                     exiting one */
};


struct parley_noted_s;

/* ngx_http_parley_noted.c */

/* Counts steps of events of chat (parley_noted.h), and records them, up to end;
   NULL: all. */
void ngx_http_parley_count_noted(ngx_http_parley_worker_t *worker,
    const struct parley_noted_s *list, const struct parley_noted_s *end);


#endif /* _NGX_HTTP_PARLEY_WORKER_H_INCLUDED_ */
