
/*
 * Copyright (C) 2026 The Parley authors
 *
 * The agents to which the rules of the location of commands could let a caller
 * send something (MOQ-08).
 */


#include "ngx_module/moq/ngx_http_parley_moq_reader.h"
#include "ngx_module/worker/ngx_http_parley_ctx.h"
#include "auth/parley_directory.h"
#include "gate/party/parley_names.h"


#if (NGX_HTTP_V3)


int
ngx_http_parley_moq_agents(void *ctx, parley_link_session_t *session,
    int (*each)(void *data, parley_str_t agent), void *data)
{
    ngx_http_parley_moq_t *moq = ctx;

    int                                rc;
    size_t                             i, n;
    parley_str_t                       agent;
    parley_who_t                       who;
    parley_arena_t                     arena;
    parley_rules_request_t             r;
    const parley_principal_t          *list;
    ngx_http_parley_moq_reader_t      *rd;
    const ngx_http_parley_loc_conf_t  *messages;

    rd = ngx_http_parley_moq_reader_listening(moq);
    messages = moq->place->facts.messages;

    if (rd == NULL || rd->sub.ctx == NULL || messages == NULL
        || rd->sub.ctx->who.directory == NULL)
    {
        return 0;
    }

    parley_arena_init(&arena, &parley_mem_libc, 0);

    /* the copy keeps names in this arena, and not in that of the request */

    who = rd->sub.ctx->who;
    who.arena = &arena;

    ngx_memzero(&r, sizeof(parley_rules_request_t));

    r.conf = &messages->gate;
    r.arena = &arena;
    r.who = &who;
    r.proto = moq->place->conf->stream->proto;
    r.method = PARLEY_STR("POST");

    n = parley_directory_principals(who.directory, &list);

    for (i = 0, rc = 0; i < n && rc == 0; i++) {
        r.reader = &list[i];
        agent = parley_principal_agent(&list[i]);

        if (agent.len > 0 && parley_gate_rules_reaches(&r)) {
            rc = each(data, agent);
        }
    }

    parley_arena_reset(&arena);

    return rc;
}

#endif
